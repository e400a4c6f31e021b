package sshd

import (
	"sync"
	"time"
)

// keepalive watches whether a client is still there, as ClientAliveInterval
// and ClientAliveCountMax of sshd_config(5): after every interval in which
// nothing was read it sends a request, and after count of them without
// anything read it gives the client up.
type keepalive struct {
	interval time.Duration
	count    int
	reads    func() uint64 // grows with everything that is read
	ping     func()        // sends a request and returns when it is answered or in vain
	dead     func()

	mu      sync.Mutex // guards the fields below
	timer   *time.Timer
	seen    uint64
	misses  int
	waiting bool // a ping has not returned
	stopped bool
}

func newKeepalive(interval time.Duration, count int, reads func() uint64, ping, dead func()) *keepalive {
	k := &keepalive{interval: interval, count: count, reads: reads, ping: ping, dead: dead, seen: reads()}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.timer = time.AfterFunc(interval, k.tick)
	return k
}

// stop ends the watch. A nil keepalive is stopped.
func (k *keepalive) stop() {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stopped = true
	k.timer.Stop()
}

func (k *keepalive) tick() {
	k.mu.Lock()
	if k.stopped {
		k.mu.Unlock()
		return
	}
	if n := k.reads(); n != k.seen {
		k.seen, k.misses = n, 0
		k.timer.Reset(k.interval)
		k.mu.Unlock()
		return
	}
	if k.misses == k.count {
		k.stopped = true
		k.mu.Unlock()
		k.dead()
		return
	}
	k.misses++
	k.timer.Reset(k.interval)
	ping := !k.waiting // x/crypto answers one request at a time
	k.waiting = true
	k.mu.Unlock()
	if ping {
		k.ping()
		k.mu.Lock()
		k.waiting = false
		k.mu.Unlock()
	}
}
