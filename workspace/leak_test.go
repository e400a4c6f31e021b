package workspace_test

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"mirage/workspace"
)

// TestCloseLeavesNothing closes a manager in the middle of everything and
// looks for goroutines of ours.
func TestCloseLeavesNothing(t *testing.T) {
	s := newServer(t)
	w := s.create(operator, "demo", ramConfig)
	for range 3 {
		ses, err := w.NewSession(bg, workspace.SessionOptions{Ephemeral: true})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := ses.Submit(bg, workspace.Line{Command: "sleep 1000 & sleep 1000 | cat"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.stop()
	var left string
	for range 1000 { // those that are about to end get the chance
		if left = ours(); left == "" {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("left behind:\n%s", left)
}

// ours answers the stacks of goroutines, but for the test's own, that run code
// of the project.
func ours() string {
	buf := make([]byte, 4<<20)
	stacks := bytes.Split(buf[:runtime.Stack(buf, true)], []byte("\n\n"))
	var found []string
	for _, stack := range stacks[1:] {
		if s := string(stack); strings.Contains(s, "mirage/workspace.") || strings.Contains(s, "mirage/shell") || strings.Contains(s, "mirage/state") {
			found = append(found, s)
		}
	}
	return strings.Join(found, "\n\n")
}
