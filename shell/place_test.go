package shell_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mirage/policy"
	"mirage/shell"
)

// surveyor is a judge of one line that allows everything and notes where each
// `mark` stood: in the walk, and at the door.
type surveyor struct {
	mu         sync.Mutex
	begun      bool
	walk, door []string // places of mark, with its words
	held       int
	released   int
}

func (s *surveyor) Command(_ context.Context, c policy.Command) policy.Answer {
	if len(c.Argv) == 0 || c.Argv[0] != "mark" || slices.Contains(c.Unknown, true) {
		return policy.Answer{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := strings.Join(c.Argv, " ") + "@" + c.Place
	list := &s.walk
	if s.begun {
		list = &s.door
	}
	if !slices.Contains(*list, seen) {
		*list = append(*list, seen)
	}
	return policy.Answer{}
}

func (*surveyor) Visible(string) bool   { return true }
func (*surveyor) VarHidden(string) bool { return false }

func (s *surveyor) Begin() { s.begun = true }

func (s *surveyor) Hold() func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.released++
	}
}

// survey runs a line; mark is a function unless the line needs a program.
func survey(t *testing.T, before, source string) *surveyor {
	t.Helper()
	cfg := testConfig(t, newTree(t))
	cfg.Judge = bans{} // the session's own; places are only told with one
	writeFile(t, cfg.View, "/home/user/bin/mark", "#!/bin/bash\n", 0o755)
	writeFile(t, cfg.View, "/s", "mark 1\nmark 2\n", 0o755)
	sh := shell.New(cfg)
	defer sh.Close()
	for _, line := range []string{"PATH+=:/home/user/bin", before} {
		if got := runLine(sh, line, ""); got.result.Status != 0 {
			t.Fatalf("%s: %+v", line, got)
		}
	}
	s := &surveyor{}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var stdout, stderr bytes.Buffer
	res := sh.Run(ctx, shell.Line{Source: source, Stdout: &stdout, Stderr: &stderr, Judge: s})
	if res.Status != 0 {
		t.Fatalf("%s: status %d, %s", source, res.Status, stderr.String())
	}
	return s
}

// The walk before a line and the door find a command at the same place.
func TestPlacesOfWalkAndDoor(t *testing.T) {
	const aliases = "shopt -s expand_aliases; alias e='echo echo echo' m='mark 8; mark 8' w='env '"
	for _, tt := range []struct {
		before, source string
		walk           int // places seen before the line runs
		door           int // when it runs; -1 = the same ones
	}{
		{"", "mark 1", 1, -1},
		{"", "mark 1; mark 1", 2, -1},
		{"", "mark 1 && mark 1 || mark 1", 3, 2},
		{"", "for i in 1 2 3; do mark 1; done", 1, -1},
		{"", "while mark 1; do mark 1; break; done", 2, -1},
		{"", "echo $(mark 1) `mark 1` \"$(mark 1)\"", 3, -1},
		{"", "x=$(mark 1); y=${z:-$(mark 1)}; : $(( 0$(mark 1) ))", 3, -1},
		{"", "cat <<E\n$(mark 1)\nE\nmark 1", 2, -1},
		{"", "cat <(mark 1) <(mark 1)", 2, -1},
		{"", "mark 1 | mark 1 | cat", 2, -1},
		{"", "mark 1 & mark 1 & wait", 2, -1},
		{"", "( mark 1 ); { mark 1; }; ! mark 1 || true", 3, -1},
		{"", "A=1 mark 1; time mark 1 2>/dev/null; if mark 1; then mark 1; fi", 4, -1},
		{"", "f() { mark 1; }; f; f; f", 1, -1},
		{"f() { mark 1; }", "f; f", 0, 1},
		{"", "eval 'mark 1; mark 1'", 2, -1},
		{"", "eval 'mark 1'; eval 'mark 1'", 2, -1},
		{"", "for i in 1 2; do eval 'mark 1'; done", 1, -1},
		{"", "eval \"eval 'mark 1'; mark 1\"", 2, -1},
		{"", "trap 'mark 1' EXIT; trap 'mark 1' USR1; kill -USR1 $$; trap - EXIT", 2, 1},
		{"", "bash -c 'mark 1; mark 1'; sh -c 'mark 1'", 3, -1},
		{"", "env mark 1; command mark 1; timeout 9 mark 1; env A=1 timeout 9 mark 1", 4, -1},
		{"", "env bash -c 'mark 1'; timeout 9 bash -c \"bash -c 'mark 1'\"", 2, -1},
		{"", "find / -maxdepth 0 -exec mark 1 ';'", 1, -1},
		{"", "printf 'a\\nb\\n' | xargs -n1 sh -c 'mark 1'", 1, 1},
		{"", "echo 1 1 1 | xargs -n1 mark", 0, 1},
		{"", ". /s; . /s", 0, 4},
		{"", "for i in 1 2; do . /s; done", 0, 2},
		{"", "/s; bash /s; bash < /s", 0, 6},
		{"", "c=mark; $c 1; $c 1", 0, 2},
		{"", "c='mark 1'; eval \"$c\"; $c", 0, 2},
		{"", "case 1 in 1) mark 1;; esac; [[ -n $(mark 1) ]] || true", 2, -1},
		{"", "echo 'é'; mark 1", 1, -1},
		{"", "set -v; mark 1", 1, -1},
		{aliases, "mark 1; e; mark 1", 2, -1},
		{aliases, "e; e; mark 1\ne; mark 1", 2, -1},
		{aliases, "w mark 1; mark 1", 1, 2},
		{aliases, "e; eval 'e; mark 1'", 1, -1},
		{aliases, "e; f() { e; mark 1; }; f; f", 1, -1},
		{aliases, "m; mark 1; m", 1, 5},
		{aliases, "for i in 1 2; do m; done", 0, 2},
	} {
		s := survey(t, tt.before, tt.source)
		if len(s.walk) != tt.walk {
			t.Errorf("%s: the walk saw %q, want %d", tt.source, s.walk, tt.walk)
		}
		want := tt.door
		if want < 0 {
			want = tt.walk
		}
		if len(s.door) != want {
			t.Errorf("%s: the door saw %q, want %d", tt.source, s.door, want)
		}
		for _, seen := range s.door {
			if tt.door < 0 && !slices.Contains(s.walk, seen) {
				t.Errorf("%s: the door saw %s, the walk %q", tt.source, seen, s.walk)
			}
		}
	}
}

// A background job holds the judge of its line until it ends.
func TestLineJudgeIsHeld(t *testing.T) {
	cfg := testConfig(t, newTree(t))
	cfg.Judge = bans{}
	sh := shell.New(cfg)
	defer sh.Close()
	s := &surveyor{}
	var out bytes.Buffer
	res := sh.Run(t.Context(), shell.Line{Source: "mark() { :; }; { mark 1; } & echo $(echo a & wait) ; cat <(echo b)", Stdout: &out, Stderr: &out, Judge: s})
	if res.Status != 0 {
		t.Fatalf("%+v %s", res, out.String())
	}
	s.mu.Lock()
	held := s.held
	s.mu.Unlock()
	if held != 3 {
		t.Errorf("held %d times, want 3", held)
	}
	runLine(sh, "wait", "")
	sh.KillJobs()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.released != s.held {
		t.Errorf("held %d times, released %d times", s.held, s.released)
	}
	if len(s.door) == 0 {
		t.Error("the job was not judged by the judge of its line")
	}
}
