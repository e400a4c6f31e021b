package workspace

import (
	"sync"
	"testing"

	"mirage/policy"
)

// A background job has what its line claimed until it ends, and nobody else
// has it meanwhile.
func TestClaimsOfBackgroundJobs(t *testing.T) {
	a := newAskTest(t)
	a.rules.set("rm", "R")
	const job = "{ until [ -e /go ]; do read -t 0.01 x <> /dev/zero || :; done; rm -f a && : > /done; } &"
	a.steps(job+" => "+refusedRm, "allow rm -f a", job+" => 0", "rm -f a => "+refusedRm, "pending => rm -f a R")
	a.steps("echo > /go => 0", "wait => 0", "[ -e /done ] => 0", "rm -f a => "+refusedRm)
	list, err := a.w.Asks("", true)
	if err != nil || len(list) != 2 || !list[0].Spent || list[1].Spent {
		t.Errorf("%+v %v", list, err)
	}
}

// However many ask for it at once, a grant is one's.
func TestClaimsAreExclusive(t *testing.T) {
	a := newAskTest(t)
	a.rules.set("rm", "R")
	s := a.session("default")
	for range 5 {
		a.run("default", "rm -f a")
		a.steps("allow rm -f a")
		var granted sync.Map
		var wg sync.WaitGroup
		n := 0
		for i := range 16 {
			wg.Go(func() {
				j := newLineJudge(a.rules, s, "", 0)
				defer j.release()
				j.Begin()
				if j.Command(t.Context(), policy.Command{Argv: []string{"rm", "-f", "a"}, Cwd: "/", Place: "p"}).Outcome == policy.Allow {
					granted.Store(i, true)
				}
			})
		}
		wg.Wait()
		granted.Range(func(any, any) bool { n++; return true })
		if n != 1 {
			t.Fatalf("%d lines got the grant", n)
		}
		if got := a.pending(""); got != "rm -f a R" {
			t.Fatalf("pending: %s", got)
		}
		a.steps("allow rm -f a", "rm -f a => 0")
	}
}

// Runs of one place at once need one grant.
func TestOnePlaceAtOnce(t *testing.T) {
	a := newAskTest(t)
	a.rules.set("rm", "R")
	a.steps("for i in 1 2 3 4 5; do f=a; rm -f $f & done 2>/dev/null; wait; :", "pending => rm -f a R", "allow rm -f a",
		"for i in 1 2 3 4 5; do f=a; rm -f $f & done; wait => 0", "pending => ")
}

// A grant that a line has claimed when the process is killed is gone.
func TestClaimsDoNotSurvive(t *testing.T) {
	a := newAskTest(t)
	a.rules.set("rm", "R")
	a.steps("rm -f a", "allow rm -f a")
	j := newLineJudge(a.rules, a.session("default"), "", 0)
	if got := j.Command(t.Context(), policy.Command{Argv: []string{"rm", "-f", "a"}, Cwd: "/", Place: "p"}); got.Outcome != policy.Allow {
		t.Fatal(got)
	}
	a.restart() // j is never released
	a.steps("rm -f a => " + refusedRm)
}
