package workspace

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
)

func newLogJob() *Job { return &Job{log: newLog(), done: make(chan struct{})} }

func text(chunks []Chunk) string {
	var b strings.Builder
	for _, c := range chunks {
		if c.Stderr {
			b.WriteString("2:")
		}
		b.Write(c.Data)
	}
	return b.String()
}

func TestFollow(t *testing.T) {
	ctx := context.Background()
	j := newLogJob()
	j.log.append(ctx, false, []byte("a"))
	j.log.append(ctx, false, []byte("b"))
	j.log.append(ctx, true, []byte("c"))
	chunks, next, err := j.Follow(ctx, 0)
	if text(chunks) != "ab2:c" || err != nil {
		t.Errorf("got %q, %v", text(chunks), err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		chunks, _, err := j.Follow(ctx, next)
		if text(chunks) != "2:d" || err != nil {
			t.Errorf("later: got %q, %v", text(chunks), err)
		}
	})
	j.log.append(ctx, true, []byte("d"))
	wg.Wait()
	// The same cursor gives the same bytes, however they are cut by now.
	chunks, next, _ = j.Follow(ctx, 1)
	if text(chunks) != "b2:cd" {
		t.Errorf("from 1: got %q", text(chunks))
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, _, err := j.Follow(canceled, next); err != context.Canceled {
		t.Errorf("canceled: got %v", err)
	}
	j.log.end()
	for _, cursor := range []int{next, next + 100, -1} {
		if chunks, _, err := j.Follow(ctx, cursor); len(chunks) > 0 || err != nil {
			t.Errorf("from %d at the end: got %q, %v", cursor, text(chunks), err)
		}
	}
}

func TestLogIsBounded(t *testing.T) {
	ctx := context.Background()
	l := newLog()
	block := bytes.Repeat([]byte("x"), 100_000)
	for range 30 {
		l.append(ctx, false, block)
	}
	l.append(ctx, true, []byte("err"))
	stdout, stderr, cut := l.bytes()
	if len(stdout) != maxLog || string(stderr) != "err" || !cut {
		t.Errorf("kept %d and %q, cut %v", len(stdout), stderr, cut)
	}
	l = newLog()
	for range 10 * maxChunks {
		l.append(ctx, false, []byte("o"))
		l.append(ctx, true, []byte("e"))
	}
	if len(l.kept) > maxChunks || !l.cut {
		t.Errorf("%d chunks, cut %v", len(l.kept), l.cut)
	}
}

func TestLogEncoding(t *testing.T) {
	ctx := context.Background()
	l := newLog()
	l.append(ctx, false, []byte("out\x00"))
	l.append(ctx, true, bytes.Repeat([]byte("e"), 5000))
	l.append(ctx, false, []byte("more"))
	data := l.encode()
	back := newLog()
	back.decode(data)
	if text(back.from(0)) != text(l.from(0)) || back.size != l.size || back.cut {
		t.Errorf("got %d bytes, cut %v", back.total(), back.cut)
	}
	for n := range data { // no prefix does harm
		newLog().decode(data[:n])
	}
	newLog().decode([]byte{0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1})
}

// A reader that is attached gets all, and the line waits for it.
func TestAttach(t *testing.T) {
	ctx := context.Background()
	j := newLogJob()
	j.log.append(ctx, false, []byte("before "))
	f := j.Attach()
	const blocks = 100
	block := bytes.Repeat([]byte("x"), 50_000) // 5 MB, five times what is kept
	go func() {
		for range blocks {
			j.log.append(ctx, false, block)
		}
		j.log.end()
	}()
	got, most := 0, 0
	for {
		chunks, err := f.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, c := range chunks {
			n += len(c.Data)
		}
		got, most = got+n, max(most, n)
	}
	if want := len("before ") + blocks*len(block); got != want {
		t.Errorf("got %d bytes, want %d", got, want)
	}
	if most > maxAhead+len(block)+len("before ") {
		t.Errorf("%d bytes were waiting", most)
	}
}

// A reader that has gone, or that nobody waits for any more, holds up nothing.
func TestAttachAndLeave(t *testing.T) {
	block := make([]byte, maxAhead+1)
	for name, leave := range map[string]func(*Job, *Follower, context.CancelFunc){
		"close":  func(_ *Job, f *Follower, _ context.CancelFunc) { f.Close() },
		"detach": func(j *Job, _ *Follower, _ context.CancelFunc) { j.log.detach() },
		"cancel": func(_ *Job, _ *Follower, cancel context.CancelFunc) { cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			j := newLogJob()
			f := j.Attach()
			done := make(chan struct{})
			go func() {
				defer close(done)
				j.log.append(ctx, false, block) // waits
				j.log.append(ctx, false, block)
			}()
			leave(j, f, cancel)
			<-done
			f.Close()
		})
	}
}
