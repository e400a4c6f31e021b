package workspace

import (
	"context"
	"strings"
	"testing"
	"time"

	"mirage/shell"
)

// A line waits for its answer, for as long as it is told to.
func TestAskWait(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		answers    []string // verb and words, each given once the question waits
		want       string
	}{
		{"allowed", "echo begun; rm -f a; echo end", []string{"allow rm -f a"}, "begun\nend\n0"},
		{"denied", "echo begun; rm -f a", []string{"deny rm -f a"}, "rm: Permission denied\n126 deny because of R"},
		{"for the session", "rm -f a; rm -f b", []string{"always rm -f a"}, "0"},
		{"one after another", "rm -f a; rm -f b; rm -f a", []string{"allow rm -f a", "allow rm -f b", "allow rm -f a"}, "0"},
		{"at the door", "f=a; rm -f $f; echo end", []string{"allow rm -f a"}, "end\n0"},
		{"in a pipeline", "f=a; rm -f $f | cat; echo end", []string{"allow rm -f a"}, "end\n0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newAskTest(t)
			a.rules.set("rm", "R")
			a.wait = time.Hour
			done := make(chan string)
			go func() { done <- a.run("default", tt.line) }()
			for _, answer := range tt.answers {
				_, words, _ := strings.Cut(answer, " ")
				a.until(words)
				a.steps(answer)
			}
			if got := <-done; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if got := a.pending(""); got != "" {
				t.Errorf("pending: %s", got)
			}
			a.wait = 0
			if want := map[bool]string{true: "0", false: refusedRm}[tt.name == "for the session"]; a.run("default", "rm -f a") != want {
				t.Error("the answer was not used up")
			}
		})
	}
}

// An answer that comes too late is there for the next try.
func TestAskWaitEnds(t *testing.T) {
	a := newAskTest(t)
	a.rules.set("rm", "R")
	a.wait = time.Millisecond
	a.steps("rm -f a => "+refusedRm, "pending => rm -f a R", "allow rm -f a", "rm -f a => 0")
}

// A canceled line stops waiting; its question stays.
func TestAskWaitCanceled(t *testing.T) {
	for _, line := range []string{"rm -f a", "f=a; rm -f $f; echo on", "f=a; rm -f $f | cat", "f=a; (rm -f $f)"} {
		a := newAskTest(t)
		a.rules.set("rm", "R")
		a.wait = time.Hour
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan shell.Result)
		go func() {
			res, out := a.line(ctx, "default", line)
			if out != "" {
				t.Errorf("%s: it said %q", line, out)
			}
			done <- res
		}()
		a.until("rm -f a")
		cancel()
		if res := <-done; res.Status != 130 || res.Refusal != nil {
			t.Errorf("%s: %+v", line, res)
		}
		a.wait = 0
		a.steps("pending => rm -f a R", "allow rm -f a", "rm -f a => 0")
	}
}

// The session whose line waits can be deleted, and its workspace closed.
func TestAskWaitEndsWithItsSession(t *testing.T) {
	a := newAskTest(t)
	a.rules.set("rm", "R")
	a.wait = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan shell.Result)
	go func() {
		res, _ := a.line(ctx, "other", "rm -f a")
		done <- res
	}()
	a.until("rm -f a")
	if err := a.w.DeleteSession(t.Context(), "other"); err != nil {
		t.Fatal(err)
	}
	if res := <-done; res.Refusal == nil || res.Refusal.Kind != "failed" {
		t.Errorf("%+v", res)
	}
	a.steps("pending => ")
	if _, err := a.w.NewSession(t.Context(), SessionOptions{ID: "other"}); err != nil {
		t.Fatal(err)
	}
	delete(a.shells, "other")
	a.wait = 0
	a.steps("restart", "pending => ", "other: rm -f a => "+refusedRm)
}
