package policy

import (
	"context"
	"strings"
	"testing"
	"time"

	"mirage/internal/doc"
)

func tripwires(t *testing.T, value any) Tripwires {
	t.Helper()
	w, err := ParseTripwires(doc.Node{Value: value, Path: "deny_patterns"})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestShippedPatterns(t *testing.T) {
	w := tripwires(t, map[string]any{"shipped": true})
	if len(w) != 7 {
		t.Fatalf("%d patterns", len(w))
	}
	for text, hit := range map[string]bool{
		"rm -rf /": true, "rm -fr /": true, "rm -r -f /": true, "sudo rm -rf --no-preserve-root /": true, "rm --recursive --force /": true,
		"cd /; rm -Rf /*": true, "rm -rf / ; true": true, "rm -rf /;true": true, "xargs rm -rf /": true,
		"rm -rf /tmp/x": false, "rm -rf ./": false, "rm -f /f": false, "rm /": false,
		":(){ :|:& };:": true, ": () { : | : & } ; :": true, "f() { f; }": false,
		"cat /etc/shadow": true, "cat x/etc/shadow.bak": true, "cat /etc/shadows": false,
		"mkfs /dev/sda": true, "mkfs.ext4 /dev/sda": true, "/sbin/mkfs.ext4 x": true, "sudo -n mkfs x": true, "env A=1 timeout 5 mkfs x": true,
		"grep mkfs x": false, "env grep mkfs x": false, "mkfsx": false,
		"dd if=/dev/zero of=x": true, "dd bs=1 if=x": true, "dd of=x": false, "echo dd if=x": false,
		"shutdown": true, "shutdown -h now": true, "/sbin/shutdown now": true, "halt": true, "poweroff": true, "grep shutdown log": false,
		"reboot": true, "nohup reboot": true, "echo reboot": false, "cat reboot.md": false,
	} {
		a := w.text(t.Context(), text)
		if (a.Outcome == Deny) != hit {
			t.Errorf("%q: %+v, want a hit: %v", text, a, hit)
		}
	}
	if len(tripwires(t, map[string]any{"shipped": false})) != 0 || len(tripwires(t, nil)) != 0 {
		t.Error("they are on without being asked for")
	}
}

func TestTripwireAnswers(t *testing.T) {
	p, err := ParseProfile("p", doc.Node{Value: map[string]any{
		"deny_patterns": []any{`^git push .*--force\b`, `(?i)prod`},
		"commands":      map[string]any{"allow": []any{"git", "echo"}},
	}, Path: "p"})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	a := p.Command(ctx, Command{Argv: []string{"git", "push", "origin", "--force"}})
	if a.Outcome != Deny || a.Reason != `matches deny pattern '^git push .*--force\b'` || a.Scope != ScopeCommand || a.Source != "deny_patterns" || a.Refusal().Kind != "deny" {
		t.Errorf("%+v", a)
	}
	for _, tc := range []struct {
		c    Command
		want Outcome
	}{
		{Command{Argv: []string{"git", "push"}}, Allow},
		{Command{Argv: []string{"git", "push", "x", "$f"}, Unknown: []bool{false, false, false, true}}, Allow},
		{Command{Argv: []string{"echo", "PROD"}}, Deny},
		{Command{Argv: []string{"rm", "prod"}}, Absent},
	} {
		if a := p.Command(ctx, tc.c); a.Outcome != tc.want {
			t.Errorf("%q: %+v, want %v", tc.c.Argv, a, tc.want)
		}
	}
	if a := p.Source(ctx, "x=production"); a.Outcome != Deny {
		t.Errorf("source: %+v", a)
	}
	var none *Profile
	if none.Source(ctx, "prod").Outcome != Allow || none.WithTripwires(nil) != nil {
		t.Error("no profile has rules")
	}
	both := p.WithTripwires(tripwires(t, []any{"workspace"}))
	for _, text := range []string{"workspace", "prod"} {
		if both.Source(ctx, text).Outcome != Deny {
			t.Errorf("%s is allowed", text)
		}
	}
	tight, err := Tighten(both, doc.Node{Value: map[string]any{"deny_patterns": []any{"inline"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"workspace", "prod", "inline"} {
		if tight.Source(ctx, text).Outcome != Deny || tight.Command(ctx, Command{Argv: []string{"git", text}}).Outcome != Deny {
			t.Errorf("tightened: %s is allowed", text)
		}
	}
	if p.Source(ctx, "workspace").Outcome != Allow {
		t.Error("the profile itself has changed")
	}
}

func TestTripwireErrors(t *testing.T) {
	for _, tc := range []struct {
		value any
		want  string
	}{
		{"x", "deny_patterns: must be a list"},
		{[]any{"("}, "deny_patterns[0]: error parsing regexp: missing closing ): `(`"},
		{[]any{""}, "deny_patterns[0]: an empty pattern matches everything"},
		{[]any{3}, "deny_patterns[0]: must be a string"},
		{[]any{strings.Repeat("x", 1001)}, "too long"},
		{[]any{`(?=x)`}, "invalid or unsupported Perl syntax"},
		{map[string]any{"shipped": "yes"}, "deny_patterns.shipped: must be true or false"},
		{map[string]any{"pattern": []any{}}, "unknown key 'pattern'"},
	} {
		_, err := ParseTripwires(doc.Node{Value: tc.value, Path: "deny_patterns"})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: %v, want %s", tc.value, err, tc.want)
		}
	}
	many := make([]any, 101)
	for i := range many {
		many[i] = "x"
	}
	if _, err := ParseTripwires(doc.Node{Value: many, Path: "deny_patterns"}); err == nil {
		t.Error("101 patterns are accepted")
	}
}

// TestLongText looks at a text as long as a line may be, whole and canceled.
func TestLongText(t *testing.T) {
	w := tripwires(t, []any{"needle$"})
	text := strings.Repeat("hay é ", 100<<10)
	if w.text(t.Context(), text).Outcome != Allow || w.text(t.Context(), text+"needle").Outcome != Deny {
		t.Error("a long text is judged otherwise than a short one")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	cancel()
	if a := w.text(ctx, text); a.Outcome != Deny || !a.Failed {
		t.Errorf("canceled: %+v", a)
	}
}
