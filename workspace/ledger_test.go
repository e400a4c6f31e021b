package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"mirage/policy"
)

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
		"code asks about a program": {
			"rules rm code", "rules rmdir code", "rm -f a => rm: Permission denied\n126 pending because of code", "allow rm -f a", "rm -f a => 0",
			"rm -f a", "always rm -f a", "rm -f b; rm -f a => 0", "rmdir x => rmdir: Permission denied\n126 pending because of code",
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
