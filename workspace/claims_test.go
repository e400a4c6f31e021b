package workspace

import (
	"math/rand/v2"
	"strings"
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

// However a line is put together, and whatever is answered when: what asks
// never runs more often than it was allowed, and once nothing waits any more
// for want of answers, it runs.
func TestGrantsAreNeverUsedTwice(t *testing.T) {
	pieces := []string{
		"printf x", "eval 'printf x'", "bash -c 'printf x'", "(printf x)", "printf x | cat", "printf x & wait", "false && printf x", "true || printf x",
		"f=printf; $f x", "c='printf x'; eval \"$c\"", "echo x | xargs printf", "env printf x", ". /s", "exit", "false", "f() { printf x; }; f", "trap 'printf x' EXIT",
		"{ printf x; } > /dev/stdout", "if printf x; then :; fi", "case x in x) printf x;; esac", "command printf x",
	}
	a := newAskTest(t)
	a.rules.set("printf", "R")
	if err := a.session("default").View().WriteFile(t.Context(), "/s", []byte("printf x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	allowed, ran := 0, 0
	for range 150 {
		var line []string
		for range 1 + random.IntN(4) {
			line = append(line, pieces[random.IntN(len(pieces))])
		}
		source := strings.Join(line, "; ")
		for try := 0; ; try++ {
			res, out := a.line(t.Context(), "default", source)
			ran += strings.Count(strings.ReplaceAll(out, "xargs", ""), "x")
			if ran > allowed {
				t.Fatalf("%s: ran %d times, allowed %d times: %q", source, ran, allowed, out)
			}
			list, err := a.w.Asks("", false)
			if err != nil {
				t.Fatal(err)
			}
			if len(list) == 0 || random.IntN(4) == 0 {
				break
			}
			for _, ask := range list {
				answer := Answer{Outcome: AnswerAllow}
				if random.IntN(8) == 0 {
					answer.Outcome = AnswerDeny
				} else {
					allowed++
				}
				if _, err := a.w.AnswerAsk(t.Context(), ask.ID, answer); err != nil {
					t.Fatal(err)
				}
			}
			if try > 40 {
				t.Fatalf("%s: it never runs: %+v", source, res)
			}
		}
	}
	if ran == 0 || allowed == 0 {
		t.Errorf("ran %d times, allowed %d times", ran, allowed)
	}
	t.Logf("ran %d times, allowed %d times", ran, allowed)
}
