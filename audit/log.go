package audit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"strconv"
	"sync"
	"time"
)

// Options is what a Log is made of.
type Options struct {
	Dir    string // made when it is missing
	Limits Limits
	Key    []byte            // chain with HMAC-SHA-256 under this key; nil = SHA-256
	Now    func() time.Time  // nil = time.Now
	Log    *slog.Logger      // for faults of the log itself; nil = discard
	Detail map[string]string // of the Started record

	SyncEvery time.Duration // the longest that a record waits for a sync; 0 = 50 ms
	Wait      time.Duration // the longest that an event waits for room; 0 = 1 s
	Queue     int           // events that may wait; 0 = 8192
}

// maxQueueBytes bounds what waits, whatever the number of events.
const maxQueueBytes = 16 << 20

// Refused logins cost a client nothing, so that they are counted rather than
// recorded beyond a burst and a rate.
const (
	refusedBurst = 200
	refusedRate  = 20 // a second
)

// Log is an audit log that is being written. Safe for concurrent use.
type Log struct {
	o Options
	w *writer // of the goroutine that writes
	// complained, of that goroutine too, keeps a full disk from filling the
	// server's log as well.
	complained bool

	wake chan struct{} // something waits
	stop chan struct{} // closed by Close
	done chan struct{} // closed when the goroutine has ended

	mu      sync.Mutex
	queue   []stamped
	bytes   int
	room    chan struct{} // closed when the queue was emptied
	failing bool          // the last write failed: nobody waits for room
	closed  bool
	dropped map[Kind]int
	refused float64 // refused logins that may still be recorded
	filled  time.Time
}

// Open opens the log of a folder, mends its end if a crash tore it, and starts
// to write. The caller closes it.
func Open(o Options) (*Log, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.SyncEvery <= 0 {
		o.SyncEvery = 50 * time.Millisecond
	}
	if o.Wait <= 0 {
		o.Wait = time.Second
	}
	if o.Queue <= 0 {
		o.Queue = 8192
	}
	w, err := openWriter(o)
	if err != nil {
		return nil, err
	}
	l := &Log{
		o: o, w: w, wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
		room: make(chan struct{}), dropped: map[Kind]int{}, refused: refusedBurst,
	}
	if err := l.w.write([]stamped{{Event{Kind: Started, Detail: o.Detail}, o.Now()}}); err != nil {
		return nil, fmt.Errorf("audit log: %w", err)
	}
	l.poke() // for the sync
	go l.run()
	return l, nil
}

func openWriter(o Options) (*writer, error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("audit log: %w", err)
	}
	return &writer{dir: o.Dir, chain: chain{o.Key}, limits: o.Limits.withDefaults(), now: o.Now}, nil
}

// Append adds one event to the log of a folder and returns when it is on the
// disk. It is for programs beside the server; Dir, Limits and Key count.
func Append(o Options, e Event) error {
	if o.Now == nil {
		o.Now = time.Now
	}
	w, err := openWriter(o)
	if err != nil {
		return err
	}
	defer w.forget()
	e.clip()
	e.redact()
	if err := w.write([]stamped{{e, o.Now()}}); err != nil {
		return fmt.Errorf("audit log: %w", err)
	}
	return w.sync()
}

// Record implements Sink. Secrets are taken out here, at the cost of whoever
// makes the event; then it is queued. A record is handed to the operating
// system at once and synced within SyncEvery.
//
// When the disk is so slow that the queue is full, an event of a line or of a
// file is dropped; any other waits for room, Wait at most, and is dropped then.
// What is dropped is counted by kind in a Dropped record, which comes first
// once there is room again. A nil Log records nothing.
func (l *Log) Record(ctx context.Context, e Event) {
	if l == nil {
		return
	}
	e.Origin.fill(OriginOf(ctx))
	e.clip()
	e.redact()
	s := stamped{e, l.o.Now()}
	l.mu.Lock()
	if e.Kind == Login && e.Outcome == Refused && !l.mayRefuse(s.at) {
		l.dropped[e.Kind]++
		l.mu.Unlock()
		l.poke()
		return
	}
	var timeout <-chan time.Time
	for l.full(&e) {
		if !e.Kind.waits() || l.failing || l.closed {
			l.dropped[e.Kind]++
			l.mu.Unlock()
			return
		}
		room := l.room
		l.mu.Unlock()
		if timeout == nil {
			t := time.NewTimer(l.o.Wait)
			defer t.Stop()
			timeout = t.C
		}
		select {
		case <-room:
		case <-timeout:
			l.mu.Lock()
			l.dropped[e.Kind]++
			l.mu.Unlock()
			return
		}
		l.mu.Lock()
	}
	l.queue = append(l.queue, s)
	l.bytes += e.size()
	l.mu.Unlock()
	l.poke()
}

// full reports whether there is no room for an event. mu is held.
func (l *Log) full(e *Event) bool {
	return l.closed || len(l.queue) >= l.o.Queue || l.bytes+e.size() > maxQueueBytes
}

// mayRefuse takes one from the bucket of refused logins. mu is held.
func (l *Log) mayRefuse(now time.Time) bool {
	if d := now.Sub(l.filled).Seconds(); d > 0 {
		l.refused = min(refusedBurst, l.refused+d*refusedRate)
		l.filled = now
	}
	if l.refused < 1 {
		return false
	}
	l.refused--
	return true
}

func (l *Log) poke() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// run writes what is queued until the log is closed.
func (l *Log) run() {
	defer close(l.done)
	sync := time.NewTimer(time.Hour)
	sync.Stop()
	armed := false
	for {
		select {
		case <-l.wake:
			l.drain(false)
			if !armed {
				sync.Reset(l.o.SyncEvery)
				armed = true
			}
		case <-sync.C:
			armed = false
			l.guarded(l.w.sync)
		case <-l.stop:
			l.drain(true)
			l.guarded(l.w.sync)
			l.w.forget()
			return
		}
	}
}

// drain writes what waits. The last one says goodbye.
func (l *Log) drain(last bool) {
	l.mu.Lock()
	batch, dropped := l.queue, l.dropped
	l.queue, l.bytes, l.dropped = nil, 0, map[Kind]int{}
	close(l.room)
	l.room = make(chan struct{})
	l.mu.Unlock()
	if len(dropped) > 0 {
		detail := map[string]string{}
		for k, n := range dropped {
			detail[string(k)] = strconv.Itoa(n)
		}
		batch = append([]stamped{{Event{Kind: Dropped, Detail: detail}, l.o.Now()}}, batch...)
	}
	if last {
		batch = append(batch, stamped{Event{Kind: Stopped}, l.o.Now()})
	}
	if len(batch) == 0 {
		return
	}
	err := l.guarded(func() error { return l.w.write(batch) })
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failing = err != nil
	if err == nil {
		return
	}
	for k, n := range dropped {
		l.dropped[k] += n
	}
	for _, e := range batch {
		if e.Kind != Dropped && e.Kind != Stopped {
			l.dropped[e.Kind]++
		}
	}
}

// guarded runs a step of the writer; a fault of it, or of ours, costs records
// but not the server.
func (l *Log) guarded(step func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			l.w.forget()
			err = fmt.Errorf("panic: %v", p)
			l.o.Log.Error("audit log panicked", "panic", p, "stack", string(debug.Stack()))
		}
	}()
	if err = step(); err != nil && !l.complained {
		l.o.Log.Error("audit log cannot be written: events are lost", "error", err)
	}
	l.complained = err != nil
	return err
}

// Close writes what waits and closes the log. What is recorded afterwards is
// lost. It answers an error when events could not be written.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	l.closed = true
	l.mu.Unlock()
	close(l.stop)
	<-l.done
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.dropped) > 0 {
		return errors.New("audit log: events could not be written")
	}
	return nil
}
