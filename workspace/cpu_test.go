package workspace_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mirage/policy"
	"mirage/workspace"
)

// A session that has used up its processor time is ended, whatever uses it, and
// begins again when time has passed. Waiting costs nothing.
func TestCPUTime(t *testing.T) {
	most := 200 * time.Millisecond
	const burn = "while :; do :; done"
	for _, line := range []string{
		burn, "true | " + burn, "(" + burn + ")", "x=$(" + burn + ")", "cat <(" + burn + ")", burn + " & wait", "yes > /dev/null", "bash -c '" + burn + "'",
		"trap '' XCPU INT TERM; " + burn, "coproc { " + burn + "; }; wait",
	} {
		var hours atomic.Int64 // the clock is looked at while nothing runs, too
		s := &server{t: t, dir: t.TempDir(), budgets: workspace.Budgets{Session: policy.Budget{CPUPerHour: &most}}}
		s.now = func() time.Time { return time.Unix(1_700_000_000, 0).Add(time.Duration(hours.Load()) * time.Hour) }
		s.start()
		a := session(t, s.create(operator, "demo", ramConfig), "")
		out(t, a, "sleep 0.3; echo waits")
		res := run(t, a, line+"; echo no")
		if res.ExitCode != 152 || !res.TimedOut || !strings.HasSuffix(string(res.Stderr), "mirage: the line has used up the processor time of its session\n") || strings.Contains(string(res.Stdout), "no") {
			t.Errorf("%s: %d %v %q %q", line, res.ExitCode, res.TimedOut, res.Stdout, res.Stderr)
		}
		want(t, "the next line", refusedLine(t, a), "too much processor time: the session may use 0.2s an hour")
		hours.Add(2)
		want(t, "afterwards", out(t, a, "echo on"), "on\n")
		s.stop()
	}
}

// What runs in the background counts between lines too, and an account's
// sessions count together.
func TestCPUTimeOfJobs(t *testing.T) {
	most := 200 * time.Millisecond
	s, _ := budgeted(t, workspace.Budgets{Account: policy.Budget{CPUPerHour: &most}})
	w := s.create(operator, "demo", ramConfig)
	a := session(t, w, "")
	b := must(w.NewSession(bg, workspace.SessionOptions{}))
	out(t, a, "while :; do :; done & echo started")
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		_, err := b.Run(bg, workspace.Line{Command: "true"})
		if kind(err) == workspace.Limited {
			want(t, "refusal", err.Error(), "too much processor time: the account may use 0.2s an hour")
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the job was never charged")
		}
	}
}
