package sshd

import (
	"io"
	"strings"
	"testing"
	"time"
)

func TestStartups(t *testing.T) {
	for _, tc := range []struct {
		count, percent int
		refused        bool
	}{
		{0, 0, false}, {9, 0, false}, // below begin
		{10, 29, true}, {10, 30, false}, // at begin: 30 percent
		{15, 64, true}, {15, 65, false}, // half-way: 65 percent
		{19, 92, true}, {19, 93, false},
		{20, 99, true}, {1000, 99, true}, // full
	} {
		s := startups{begin: 10, rate: 30, full: 20, percent: func() int { return tc.percent }, count: tc.count}
		if got := !s.start(); got != tc.refused {
			t.Errorf("%d connections, %d percent: refused %v, want %v", tc.count, tc.percent, got, tc.refused)
		}
	}
	if s := (startups{begin: 5, rate: 30, full: 5, percent: func() int { return 0 }, count: 5}); s.start() {
		t.Error("begin and full at once let one in")
	}
}

func TestMaxStartups(t *testing.T) {
	f := newFixture(t, "", func(c *Config) { c.StartupBegin, c.StartupRate, c.StartupFull = 2, 100, 3 })
	first, second := dialTCP(t, f.addr), dialTCP(t, f.addr)
	waitFor(t, "both to be counted", func() bool {
		f.srv.startups.mu.Lock()
		defer f.srv.startups.mu.Unlock()
		return f.srv.startups.count == 2
	})
	refused := dialTCP(t, f.addr)
	_ = refused.SetReadDeadline(time.Now().Add(20 * time.Second))
	if b, _ := io.ReadAll(refused); string(b) != "Exceeded MaxStartups\r\n" {
		t.Errorf("got %q", b)
	}
	_, _ = first.Close(), second.Close()
	waitFor(t, "the places to be free", func() bool {
		f.srv.startups.mu.Lock()
		defer f.srv.startups.mu.Unlock()
		return f.srv.startups.count == 0
	})
	// A login gives its place back at once.
	for range 5 {
		f.dial("demo")
	}
	f.srv.startups.mu.Lock()
	defer f.srv.startups.mu.Unlock()
	if f.srv.startups.count != 0 {
		t.Errorf("%d places taken by logged-in clients", f.srv.startups.count)
	}
}

func TestNotSSH(t *testing.T) {
	f := newFixture(t, "", nil)
	for _, hello := range []string{"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\n", "SSH-1.5-old\n", strings.Repeat("x", 100000), "\x16\x03\x01"} {
		c := dialTCP(t, f.addr)
		_ = c.SetDeadline(time.Now().Add(20 * time.Second))
		_, _ = io.WriteString(c, hello)
		if strings.HasPrefix(hello, "\x16") {
			_ = c.Close()
			continue
		}
		b, _ := io.ReadAll(c)
		if string(b) != identification+"\r\n" && len(b) != 0 { // a reset may take the greeting away
			t.Errorf("%.20q: got %q", hello, b)
		}
	}
}
