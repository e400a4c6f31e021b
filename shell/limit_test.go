package shell_test

import (
	"strings"
	"testing"
	"time"

	"mirage/policy"
)

func TestLimits(t *testing.T) {
	n := func(i int64) *int64 { return &i }
	d := func(x time.Duration) *time.Duration { return &x }
	limits := map[string]policy.Limit{
		"seq":    {MaxLines: n(3)},
		"cat":    {MaxLines: n(2), MaxBytes: n(5)},
		"echo":   {MaxBytes: n(4)},
		"printf": {MaxBytes: n(6), Refuse: true},
		"head":   {MaxLines: n(0)},
		"sleep":  {Timeout: d(20 * time.Millisecond)},
		"read":   {Timeout: d(20 * time.Millisecond)},
		"eval":   {Timeout: d(20 * time.Millisecond)},
		"bash":   {MaxLines: n(1), Timeout: d(30 * time.Millisecond)},
		"xargs":  {MaxLines: n(1)},
		"yes":    {MaxLines: n(2), Timeout: d(20 * time.Millisecond)},
		"tac":    {MaxLines: n(1), Refuse: true, Timeout: d(20 * time.Millisecond)},
	}
	const lines3 = "output truncated at limit (3 lines); narrow with grep, or read more with head -n / tail -n / a more specific path\n"
	at := func(bounds string) string { return strings.Replace(lines3, "3 lines", bounds, 1) }
	for _, tc := range []struct {
		line, stdout, stderr string
		status               int
		limited, late        bool
	}{
		{"seq 3", "1\n2\n3\n", "", 0, false, false},
		{"seq 4", "1\n2\n3\n", lines3, 0, true, false},
		{"seq 4; echo $?", "1\n2\n3\n0\n", lines3, 0, true, false},
		{"seq 4 | wc -l", "4\n", "", 0, false, false},
		{"seq 9 > /tmp/f; wc -l < /tmp/f", "9\n", "", 0, false, false},
		{"x=$(seq 9); wc -w <<< $x", "9\n", "", 0, false, false},
		{"seq 4 >&2", "", "1\n2\n3\n4\n", 0, false, false},
		{"(seq 4)", "1\n2\n3\n", lines3, 0, true, false},
		{"f() { seq 4; }; f", "1\n2\n3\n", lines3, 0, true, false},
		{"/usr/bin/seq 4", "1\n2\n3\n", lines3, 0, true, false},
		{"seq 2; seq 2", "1\n2\n1\n2\n", "", 0, false, false}, // each command has its own
		{"for i in 1 2; do seq 4; done", "1\n2\n3\n1\n2\n3\n", lines3 + lines3, 0, true, false},
		{"seq 9 | cat", "1\n2\n", at("2 lines / 5 bytes"), 0, true, false},
		{"uniq <<< abcdefgh | cat", "abcde", at("2 lines / 5 bytes"), 0, true, false},
		{"echo abc; echo abcd", "abc\nabcd", at("4 bytes"), 0, true, false},
		{"echo abcdefg >&2", "", "abcdefg\n", 0, false, false},
		{"printf abcdef", "abcdef", "", 0, false, false},
		{"printf abcdefg", "", at("6 bytes"), 1, true, false},
		{"printf 'abc%s' 1 2", "", at("6 bytes"), 1, true, false},
		{"printf abc; printf 1234567; printf def", "abcdef", at("6 bytes"), 0, true, false},
		{"seq 2 | head", "", at("0 lines"), 0, true, false},
		{"true | head", "", "", 0, false, false},
		{"sleep 1000", "", "sleep: timed out after 0.0s\n", 124, false, true},
		{"sleep 1000; uniq <<< $?", "124\n", "sleep: timed out after 0.0s\n", 0, false, true},
		{"sleep 1000 || uniq <<< more", "more\n", "sleep: timed out after 0.0s\n", 0, false, true},
		{"read x < <(sleep 0.01; while :; do :; done); uniq <<< $?", "124\n", "read: timed out after 0.0s\n", 0, false, true},
		{"eval 'while :; do :; done'; uniq <<< $?", "124\n", "eval: timed out after 0.0s\n", 0, false, true},
		{"bash -c 'while :; do :; done'; uniq <<< $?", "124\n", "bash: timed out after 0.0s\n", 0, false, true},
		{"bash -c 'uniq <<< 1; uniq <<< 2'", "1\n", at("1 lines"), 0, true, false},
		{"seq 3 | xargs -n 1 basename", "1\n", at("1 lines"), 0, true, false},
		{"yes", "y\ny\n", "yes: timed out after 0.0s\n" + at("2 lines"), 124, true, true},
		{"tac <<< x", "x\n", "", 0, false, false},
		{"timeout 5 sleep 1000; uniq <<< $?", "124\n", "sleep: timed out after 0.0s\n", 0, false, true},
	} {
		cfg := testConfig(t, newTree(t))
		cfg.Limit = func(c policy.Command) policy.Limit { return limits[policy.CommandName(c)] }
		sh := newShellConfig(t, cfg)
		got := runLine(sh, tc.line, "")
		if got.stdout != tc.stdout || got.stderr != tc.stderr || got.result.Status != tc.status || got.result.Limited != tc.limited || got.result.TimedOut != tc.late {
			t.Errorf("%s:\n got %q %q %d limited %v late %v\nwant %q %q %d limited %v late %v", tc.line,
				got.stdout, got.stderr, got.result.Status, got.result.Limited, got.result.TimedOut, tc.stdout, tc.stderr, tc.status, tc.limited, tc.late)
		}
		// The session is as it was.
		if got := runLine(sh, "basename /ok; f=1; basename $f", ""); got.stdout != "ok\n1\n" || got.result.Status != 0 {
			t.Errorf("%s: afterwards %+v", tc.line, got)
		}
		sh.Close()
	}
}
