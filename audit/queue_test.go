package audit

import (
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// stuck is a log whose writer does not run, as with a disk that hangs.
func stuck(queue int) *Log {
	return &Log{
		o:    Options{Queue: queue, Wait: time.Second, Now: time.Now},
		wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
		room: make(chan struct{}), dropped: map[Kind]int{}, refused: refusedBurst,
	}
}

func TestFullQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := stuck(3)
		began := time.Now()
		for range 5 {
			l.Record(t.Context(), Event{Kind: LineStart})
		}
		if d := time.Since(began); d != 0 {
			t.Errorf("lines waited %v", d)
		}
		if len(l.queue) != 3 || l.dropped[LineStart] != 2 {
			t.Errorf("%d wait, dropped %v", len(l.queue), l.dropped)
		}
		l.Record(t.Context(), Event{Kind: Refusal})
		if d := time.Since(began); d != time.Second {
			t.Errorf("a refusal waited %v", d)
		}
		if l.dropped[Refusal] != 1 {
			t.Errorf("dropped %v", l.dropped)
		}
		// One that finds room in time is kept.
		go func() {
			time.Sleep(time.Second / 2)
			l.mu.Lock()
			l.queue, l.bytes = nil, 0
			close(l.room)
			l.room = make(chan struct{})
			l.mu.Unlock()
		}()
		l.Record(t.Context(), Event{Kind: Refusal})
		if len(l.queue) != 1 || l.dropped[Refusal] != 1 {
			t.Errorf("%d wait, dropped %v", len(l.queue), l.dropped)
		}
	})
}

func TestQueueBytes(t *testing.T) {
	l := stuck(1 << 20)
	for range 2000 {
		l.Record(t.Context(), Event{Kind: LineStart, Line: strings.Repeat("x", maxLineText)})
	}
	if l.bytes > maxQueueBytes || l.dropped[LineStart] == 0 || len(l.queue) == 0 {
		t.Errorf("%d bytes wait, dropped %v", l.bytes, l.dropped)
	}
}

func TestRefusedLoginsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := stuck(1 << 20)
		flood := func() {
			for range 10_000 {
				l.Record(t.Context(), Event{Kind: Login, Outcome: Refused})
			}
		}
		flood()
		if len(l.queue) != refusedBurst || l.dropped[Login] != 10_000-refusedBurst {
			t.Errorf("%d wait, dropped %v", len(l.queue), l.dropped)
		}
		l.Record(t.Context(), Event{Kind: Login, Outcome: OK})
		if len(l.queue) != refusedBurst+1 {
			t.Error("an accepted login was dropped")
		}
		time.Sleep(time.Second)
		flood()
		if len(l.queue) != refusedBurst+1+refusedRate {
			t.Errorf("%d wait after a second", len(l.queue))
		}
	})
}

// TestFullDisk takes the folder away and gives it back.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir() + "/audit"
	o := options(t, dir)
	l := open(t, o)
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	l.Record(t.Context(), Event{Kind: LineStart})
	l.Record(t.Context(), Event{Kind: Refusal})
	for lost := 0; lost < 2; {
		l.mu.Lock()
		lost = l.dropped[LineStart] + l.dropped[Refusal]
		l.mu.Unlock()
		time.Sleep(time.Millisecond)
	}
	if err := os.Rename(dir+".away", dir); err != nil {
		t.Fatal(err)
	}
	l.Record(t.Context(), Event{Kind: LineEnd})
	closeLog(t, l)
	r := records(t, dir, Filter{})
	if len(r) != 4 || r[1].Kind != Dropped || r[1].Detail["line_start"] != "1" || r[1].Detail["refusal"] != "1" || r[2].Kind != LineEnd {
		t.Errorf("%+v", r)
	}
	if rep := whole(t, dir); len(rep.Notes) != 1 || !strings.Contains(rep.Notes[0], "events were lost") {
		t.Errorf("%+v", rep)
	}
}

func TestCloseTellsOfLoss(t *testing.T) {
	dir := t.TempDir() + "/audit"
	l := open(t, options(t, dir))
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	l.Record(t.Context(), Event{Kind: Refusal})
	if err := l.Close(); err == nil {
		t.Error("no error")
	}
	l.Record(t.Context(), Event{Kind: Refusal}) // after the end: no panic, no wait
}
