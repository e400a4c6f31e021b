package sshd

import (
	"io"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/ssh"
)

func TestKeepalive(t *testing.T) {
	const interval = 15 * time.Second
	for _, tc := range []struct {
		name    string
		answers int           // pings that the client answers
		busy    time.Duration // for how long it sends something every second
		pings   int
		dead    time.Duration // after the start; 0 = never
	}{
		{name: "silent from the start", pings: 1, dead: 4 * interval},
		{name: "answers every ping", answers: 1000, pings: 12},
		{name: "answers two, then is gone", answers: 2, pings: 3, dead: 8 * interval},
		{name: "busy", busy: time.Hour},
		{name: "busy, then gone", busy: 100 * time.Second, pings: 1, dead: 165 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var reads atomic.Uint64
				pings := 0
				start := time.Now()
				died := time.Duration(0)
				gone := make(chan struct{})
				k := newKeepalive(interval, 3, reads.Load, func() {
					pings++
					if pings <= tc.answers {
						reads.Add(1)
						return
					}
					<-gone // in vain, until the connection is closed
				}, func() {
					died = time.Since(start)
					close(gone)
				})
				for time.Since(start) < 6*time.Minute {
					if time.Since(start) < tc.busy {
						reads.Add(1)
					}
					time.Sleep(time.Second)
				}
				k.stop()
				if tc.dead == 0 {
					close(gone)
				}
				synctest.Wait()
				if pings != tc.pings || died != tc.dead {
					t.Errorf("%d pings, given up after %v; want %d, %v", pings, died, tc.pings, tc.dead)
				}
			})
		})
	}
}

// A client that is there answers, and one that stops reading and writing is
// closed, its line canceled.
func TestKeepaliveOnConnection(t *testing.T) {
	f := newFixture(t, "", func(c *Config) { c.KeepaliveInterval = 20 * time.Millisecond })
	c := f.dial("demo")
	raw := f.dialRaw()
	raw.login("demo", f.key)
	if got := raw.openChannel(0); got != msgChannelConfirm {
		t.Fatalf("open: message %d", got)
	}
	raw.channelRequest(0, "exec", false, text("sleep"))
	// It answers the first ping by a refusal, as clients do, and then no more.
	for answered := false; ; {
		p, err := raw.receive()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if p[0] == msgGlobalRequest && !answered {
			answered = true
			raw.send([]byte{msgRequestFailure})
		}
	}
	waitFor(t, "the line to be canceled", func() bool { return f.fakes.endings() == "130" })
	if stdout, _, _ := exec(t, c, "echo alive", ""); stdout != "alive\n" {
		t.Errorf("the client that answers: got %q", stdout)
	}
}

func TestIdleTimeout(t *testing.T) {
	f := newFixture(t, "", func(c *Config) { c.IdleTimeout = 100 * time.Millisecond })
	busy := f.dial("demo")
	s := newSession(t, busy)
	if err := s.Start("sleep"); err != nil {
		t.Fatal(err)
	}
	idle := f.dial("demo")
	if err := idle.Wait(); err == nil {
		t.Error("ended without an error")
	}
	// A running line is not idle.
	if err := s.Signal(ssh.SIGINT); err != nil {
		t.Fatal(err)
	}
	if got := ending(s.Wait()); got != "130" {
		t.Errorf("the running line ended with %s", got)
	}
}
