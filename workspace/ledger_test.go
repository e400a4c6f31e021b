package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"mirage/accounts"
	"mirage/policy"
	"mirage/shell"
	"mirage/state"
	"mirage/vfs"
)

// askRules asks about commands by name and files by path: the rules of each,
// in the order in which they ask.
type askRules struct {
	mu       sync.Mutex
	commands map[string][]string
	files    map[string][]string
}

func (r *askRules) Version() uint64 { return 0 }

func (r *askRules) set(command string, rules ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.commands[command] = rules
}

func (r *askRules) ask(rules []string, operand string) policy.Answer {
	if len(rules) == 0 {
		return policy.Answer{}
	}
	a := policy.Answer{Outcome: policy.Ask}
	for _, rule := range rules {
		a.Asks = append(a.Asks, policy.Question{Rule: rule, Reason: "because of " + rule, Policy: "PermissionsPolicy", Scope: policy.ScopeCommand, Operand: operand})
	}
	return a
}

func (r *askRules) Command(_ context.Context, c policy.Command) policy.Answer {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ask(r.commands[c.Argv[0]], "")
}

func (r *askRules) check(a vfs.Access) (policy.Answer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a.Op == vfs.OpStat || a.Op == vfs.OpTraverse {
		return policy.Answer{}, nil
	}
	return r.ask(r.files[a.Path], a.Path), nil
}

func (*askRules) Visible(string) bool   { return true }
func (*askRules) VarHidden(string) bool { return false }
func (*askRules) Hidden(string) bool    { return false }

// askTest is a workspace whose sessions are under askRules.
type askTest struct {
	*testing.T
	dir   string
	store state.Store
	m     *Manager
	w     *Workspace
	rules *askRules
	wait  time.Duration

	mu     sync.Mutex
	shells map[string]*shell.Shell
}

func newAskTest(t *testing.T) *askTest {
	t.Helper()
	a := &askTest{T: t, dir: t.TempDir(), rules: &askRules{commands: map[string][]string{}, files: map[string][]string{}}}
	a.open()
	cfg, err := ParseConfig([]byte(`{"mounts": {"/": {"vfs": "ram", "mode": "exec"}}, "profiles": {"default": {}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if a.w, _, err = a.m.Create(t.Context(), accounts.Caller{All: true}, "w", cfg); err != nil {
		t.Fatal(err)
	}
	if _, err := a.w.NewSession(t.Context(), SessionOptions{ID: "other"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.close)
	return a
}

func (a *askTest) open() {
	a.Helper()
	var err error
	if a.store, err = state.Open(a.dir, state.Options{}); err != nil {
		a.Fatal(err)
	}
	if a.m, err = Open(context.Background(), Options{Store: a.store}); err != nil {
		a.Fatal(err)
	}
	a.shells = map[string]*shell.Shell{}
}

func (a *askTest) close() {
	a.Helper()
	for _, sh := range a.shells {
		sh.Close()
	}
	if err := a.m.Close(context.Background()); err != nil {
		a.Error(err)
	}
	if err := a.store.Close(); err != nil {
		a.Error(err)
	}
}

// restart ends the process and begins another one.
func (a *askTest) restart() {
	a.Helper()
	a.close()
	a.open()
	w, err := a.m.Get(a.Context(), accounts.Caller{All: true}, "w")
	if err != nil {
		a.Fatal(err)
	}
	a.w = w
}

func (a *askTest) session(id string) *Session {
	a.Helper()
	s, err := a.w.Session(a.Context(), id)
	if err != nil {
		a.Fatal(err)
	}
	return s
}

func (a *askTest) shell(id string) *shell.Shell {
	s := a.session(id)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.shells[id] == nil {
		a.shells[id] = shell.New(s.config())
	}
	return a.shells[id]
}

// line runs a line as Session.execute does, under the test's rules.
func (a *askTest) line(ctx context.Context, id, source string) (shell.Result, string) {
	s := a.session(id)
	j := newLineJudge(a.rules, s, "tester", a.wait)
	defer j.release()
	var out bytes.Buffer
	res := a.shell(id).Run(ctx, shell.Line{Source: source, Stdout: &out, Stderr: &out, Judge: j, View: vfs.NewView(a.w.ns, lineFiles{j}).Of(s)})
	return res, out.String()
}

// run answers how a line ended: its output, then its status and the record of
// its refusal, if any.
func (a *askTest) run(id, source string) string {
	a.Helper()
	res, out := a.line(a.Context(), id, source)
	end := fmt.Sprint(res.Status)
	if r := res.Refusal; r != nil {
		end += " " + r.Kind + " " + r.Reason
	}
	return out + end
}

// pending lists what waits: commands, or paths, and the rule of each.
func (a *askTest) pending(session string) string {
	a.Helper()
	list, err := a.w.Asks(session, false)
	if err != nil {
		a.Fatal(err)
	}
	var texts []string
	for _, ask := range list {
		texts = append(texts, strings.Join(ask.Argv, " ")+" "+ask.Rule)
	}
	return strings.Join(texts, ", ")
}

// answer answers the only question that waits about some words.
func (a *askTest) answer(words, outcome, scope string) {
	a.Helper()
	list, err := a.w.Asks("", false)
	if err != nil {
		a.Fatal(err)
	}
	found := 0
	for _, ask := range list {
		if strings.Join(ask.Argv, " ") == words {
			found++
			if _, err := a.w.AnswerAsk(a.Context(), ask.ID, Answer{Outcome: outcome, Scope: scope}); err != nil {
				a.Fatal(err)
			}
		}
	}
	if found != 1 {
		a.Fatalf("%d questions about %q, want 1 of %v", found, words, list)
	}
}

// steps runs a script: "line => end", "other: line => end" in the session
// other, "allow WORDS", "always WORDS", "deny WORDS", "pending => list",
// "rules COMMAND R1 R2", "restart".
func (a *askTest) steps(script ...string) {
	a.Helper()
	for _, step := range script {
		what, want, checked := strings.Cut(step, " => ")
		verb, rest, _ := strings.Cut(what, " ")
		got := ""
		switch verb {
		case "allow":
			a.answer(rest, AnswerAllow, ScopeOnce)
		case "always":
			a.answer(rest, AnswerAllow, ScopeSession)
		case "deny":
			a.answer(rest, AnswerDeny, ScopeOnce)
		case "pending":
			got = a.pending("")
		case "rules":
			f := strings.Fields(rest)
			a.rules.set(f[0], f[1:]...)
		case "restart":
			a.restart()
		case "other:":
			got = a.run("other", rest)
		default:
			got = a.run("default", what)
		}
		if checked && got != want {
			a.Fatalf("%s:\n got %q\nwant %q", what, got, want)
		}
	}
}

const refusedRm = "rm: Permission denied\n126 pending because of R"

// The rules of the ledger, one by one.
func TestLedger(t *testing.T) {
	tests := map[string][]string{
		"a question waits, once allowed it runs once": {
			"rm -f a => " + refusedRm, "pending => rm -f a R", "rm -f a => " + refusedRm, "pending => rm -f a R",
			"allow rm -f a", "pending => ", "rm -f a => 0", "rm -f a => " + refusedRm, "pending => rm -f a R",
		},
		"an answer is to the same words in the same directory": {
			"rm -f a", "allow rm -f a", "rm -f b => " + refusedRm, "cd /tmp; rm -f a => " + refusedRm, "pending => rm -f b R, rm -f a R",
			"rm -f a => 0", "cd /tmp", "rm -f a => " + refusedRm,
		},
		"an answer for the session is to whatever the rule asks": {
			"rm -f a", "rm -f b", "always rm -f a", "pending => ", "rm -f b => 0", "cd /tmp; rm -f c; rm -f c => 0", "other: rm -f a => " + refusedRm,
			"restart", "rm -f z => 0",
		},
		"a denial refuses the next try and no more": {
			"rm -f a", "deny rm -f a", "pending => ", "rm -f b => " + refusedRm, "echo x; rm -f a => rm: Permission denied\n126 deny because of R",
			"rm -f a => " + refusedRm, "allow rm -f a", "rm -f a => 0",
		},
		"several rules ask one after another": {
			"rules rm R S", "rm -f a => " + refusedRm, "allow rm -f a", "rm -f a => rm: Permission denied\n126 pending because of S", "pending => rm -f a S",
			"rm -f a => rm: Permission denied\n126 pending because of S", "allow rm -f a", "rm -f a => 0", "rm -f a => " + refusedRm,
		},
		"several commands ask one after another": {
			"rules rmdir S", "rm -f a; rmdir x || : => " + refusedRm, "allow rm -f a", "rm -f a; rmdir x || : => rmdir: Permission denied\n126 pending because of S",
			"allow rmdir x", "rm -f a; rmdir x 2>/dev/null || : => 0", "pending => ",
		},
		"a denied one spends the others": {
			"rules rmdir S", "rm -f a; rmdir x", "allow rm -f a", "rm -f a; rmdir x", "deny rmdir x", "rm -f a; rmdir x => rmdir: Permission denied\n126 deny because of S",
			"rm -f a => " + refusedRm,
		},
		"one place, one answer": {
			"for i in 1 2 3; do rm -f a; done", "allow rm -f a", "for i in 1 2 3; do rm -f a; done => 0", "rm -f a => " + refusedRm,
		},
		"two places, two answers": {
			"rm -f a; rm -f a => " + refusedRm, "allow rm -f a", "rm -f a; rm -f a => " + refusedRm, "pending => rm -f a R",
			"allow rm -f a", "rm -f a; rm -f a => 0", "rm -f a => " + refusedRm,
		},
		"what runs within a line uses its answers": {
			"echo $(rm -f a)", "allow rm -f a", "echo $(rm -f a) => \n0",
			"eval 'rm -f a'", "allow rm -f a", "eval 'rm -f a' => 0",
			"bash -c 'rm -f a'", "allow rm -f a", "bash -c 'rm -f a' => 0",
			"echo 'rm -f a' > s; . ./s => ./s: line 1: " + refusedRm, "allow rm -f a", ". ./s => 0", ". ./s => ./s: line 1: " + refusedRm,
		},
		"batches of xargs are one place": {
			"echo a a | xargs -n1 rm -f => rm: Permission denied\nrm: Permission denied\n123 pending because of R", "pending => rm -f a R", "allow rm -f a", "echo a a | xargs -n1 rm -f => 0", "rm -f a => " + refusedRm,
		},
		"what only the run tells is asked when it is known": {
			"echo begun; f=a; rm -f $f => begun\n" + refusedRm, "allow rm -f a", "echo begun; f=a; rm -f $f => begun\n0",
			"d=/tmp; cd $d; rm -f a => " + refusedRm, "pending => rm -f a R",
		},
		"spent at the end, whether or not it ran": {
			"rm -f a", "allow rm -f a", "false && rm -f a => 1", "rm -f a => " + refusedRm,
		},
		"what has run is not run again for a later question": {
			"rm -f a", "allow rm -f a", "rm -f a; f=b; rm -f $f => " + refusedRm, "pending => rm -f b R", "rm -f a => " + refusedRm,
		},
		"another rule asks anew": {
			"rm -f a", "allow rm -f a", "rules rm S", "rm -f a => rm: Permission denied\n126 pending because of S", "allow rm -f a",
			"rules rm R", "rm -f a => 0",
		},
		"a question of a rule that no longer asks gives way": {
			"rm -f a", "rules rm S", "rm -f a", "pending => rm -f a S",
		},
		"nothing crosses sessions": {
			"rm -f a", "other: rm -f a => " + refusedRm, "pending => rm -f a R, rm -f a R",
		},
		"everything survives a restart": {
			"rm -f a", "rm -f b", "allow rm -f a", "deny rm -f b", "rm -f c", "restart", "pending => rm -f c R", "rm -f a => 0",
			"rm -f b => rm: Permission denied\n126 deny because of R", "rm -f a => " + refusedRm, "restart", "rm -f b => " + refusedRm,
			"pending => rm -f c R, rm -f a R, rm -f b R",
		},
	}
	for name, script := range tests {
		t.Run(name, func(t *testing.T) {
			a := newAskTest(t)
			a.rules.set("rm", "R")
			a.steps(script...)
		})
	}
}

// until waits for what another goroutine does.
func (a *askTest) until(what string, done func() bool) {
	a.Helper()
	for end := time.Now().Add(20 * time.Second); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			a.Fatal("it never came to this: ", what)
		}
	}
}

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
				a.until(answer, func() bool { return a.pending("") == words+" R" })
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
		a.until(line, func() bool { return a.pending("") == "rm -f a R" })
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
	a.until("pending", func() bool { return a.pending("") != "" })
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

func TestAnswerErrors(t *testing.T) {
	a := newAskTest(t)
	a.rules.set("rm", "R")
	a.run("default", "rm -f a")
	list, err := a.w.Asks("default", false)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	ask := list[0]
	if ask.ID != askID("default", "/", "rm", "-f", "a") || ask.Session != "default" || ask.Agent != "tester" || ask.Command != "rm -f a" || ask.Cwd != "/" ||
		ask.Reason != "because of R" || ask.Outcome != "" || fmt.Sprint(ask.Paths) != "[/a]" || ask.Created.IsZero() || !ask.Answered.IsZero() {
		t.Errorf("%+v", ask)
	}
	for _, tt := range []struct {
		id   string
		a    Answer
		want string
	}{
		{"000000000000", Answer{Outcome: "allow"}, "not_found ask not found"},
		{ask.ID, Answer{Outcome: "maybe"}, "invalid answer must be allow or deny, got 'maybe'"},
		{ask.ID, Answer{Outcome: "allow", Scope: "ever"}, "invalid scope must be once or session, got 'ever'"},
		{ask.ID, Answer{Outcome: "deny", Scope: "session"}, "refused a deny answers once; asking again raises a new record"},
		{ask.ID, Answer{Outcome: "allow", Note: strings.Repeat("x", maxNote+1)}, "invalid note of 4097 bytes is too long"},
		{ask.ID, Answer{Outcome: "allow", Note: "fine"}, ""},
		{ask.ID, Answer{Outcome: "allow"}, "conflict ask already answered: " + ask.ID},
	} {
		got, err := a.w.AnswerAsk(t.Context(), tt.id, tt.a)
		text := ""
		if err != nil {
			text = string(kindOf(err)) + " " + err.Error()
		} else if got.Outcome != "allow" || got.Scope != "once" || got.Note != "fine" || got.Answered.IsZero() || got.Spent {
			t.Errorf("%+v", got)
		}
		if text != tt.want {
			t.Errorf("%+v: got %q, want %q", tt, text, tt.want)
		}
	}
	if _, err := a.w.Asks("nosuch", false); kindOf(err) != NotFound {
		t.Error(err)
	}
}

// The ledger is bounded: what is answered gives way, what is not stays.
func TestLedgerIsBounded(t *testing.T) {
	a := newAskTest(t)
	a.rules.set("rm", "R")
	s, other := a.session("default"), a.session("other")
	ask := func(s *Session, word string) (verdict, string) {
		v, _, why := a.w.asks.take(t.Context(), &question{Question: policy.Question{Rule: "R"}, s: s, words: []string{word}})
		return v, why
	}
	s.ephemeral, other.ephemeral = true, true // or the test would take its time
	defer func() { s.ephemeral, other.ephemeral = false, false }()
	for i := range maxSessionAsks {
		if v, why := ask(s, fmt.Sprint(i)); v != askOpen {
			t.Fatal(i, v, why)
		}
	}
	if v, why := ask(s, "more"); v != askRefused || why != "too many questions of the session wait for an answer" {
		t.Error(v, why)
	}
	if v, why := ask(other, "other"); v != askOpen {
		t.Error(v, why)
	}
	if v, why := ask(other, strings.Repeat("x", maxAskWords)); v != askRefused || why != "the command is too long to ask about" {
		t.Error(v, why)
	}
	list, _ := a.w.Asks("default", false)
	for _, x := range list[:10] {
		if _, err := a.w.AnswerAsk(t.Context(), x.ID, Answer{Outcome: AnswerAllow}); err != nil {
			t.Fatal(err)
		}
	}
	l := a.w.asks
	l.mu.Lock()
	room := l.makeRoom(maxAskBytes - l.bytes + 1)
	n, bytes := len(l.entries), l.bytes
	l.mu.Unlock()
	if !room || n != maxSessionAsks {
		t.Errorf("%v: %d entries, %d bytes", room, n, bytes)
	}
	if v, why := ask(s, "0"); v != askOpen { // its answer has given way
		t.Error(v, why)
	}
	l.mu.Lock()
	room = l.makeRoom(maxAskBytes)
	l.mu.Unlock()
	if room {
		t.Error("pending questions gave way")
	}
}

// Two commands never share an id while one waits.
func TestIDsDoNotCollide(t *testing.T) {
	a := newAskTest(t)
	s := a.session("default")
	q := &question{Question: policy.Question{Rule: "R"}, s: s, words: []string{"a"}}
	m := q.match()
	// Another command of the same id: only the digest's end differs.
	twin := match{m.digest[:askDigits] + strings.Repeat("0", len(m.digest)-askDigits), "R"}
	l := a.w.asks
	l.mu.Lock()
	first, _ := l.raise(q, m)
	second, _ := l.raise(q, twin)
	l.mu.Unlock()
	if first.rec.ID != m.digest[:12] || second.rec.ID != twin.digest[12:24] {
		t.Errorf("%s and %s", first.rec.ID, second.rec.ID)
	}
}

// askID is the id as people compute it.
func askID(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00") + "\x00"))
	return hex.EncodeToString(sum[:6])
}
