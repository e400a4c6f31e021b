package workspace

import (
	"bytes"
	"context"
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
	named    func(policy.Command) bool // commands of rule R, by their words
}

func (r *askRules) set(command string, rules ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.commands[command] = rules
}

func (r *askRules) ask(rules []string, operand string) policy.Answer {
	if len(rules) == 0 {
		return policy.Answer{}
	}
	if rules[0] == "code" { // says no more than why
		return policy.Answer{Outcome: policy.Ask, Reason: "because of code", Policy: "guard.py", Scope: policy.ScopeCommand}
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
	if r.named != nil && r.named(c) {
		return r.ask([]string{"R"}, "")
	}
	return r.ask(r.commands[c.Argv[0]], "")
}

func (r *askRules) check(_ context.Context, a vfs.Access) (policy.Answer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a.Op == vfs.OpStat || a.Op == vfs.OpTraverse {
		return policy.Answer{}, nil
	}
	return r.ask(r.files[a.Path], a.Path), nil
}

func (r *askRules) Version() uint64 { return 0 }

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
	asked *AskStream // what is raised from now on

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
	a.asked = a.m.AskStream(accounts.Caller{All: true}, "")
}

func (a *askTest) close() {
	a.Helper()
	a.asked.Close()
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

// until waits until somebody asks about some words.
func (a *askTest) until(words string) {
	a.Helper()
	for e := range a.asked.Events {
		if e.Type == EventAsk && strings.Join(e.Ask.Argv, " ") == words {
			return
		}
	}
	a.Fatal("nobody asked about ", words)
}
