package main

import (
	"strings"
	"testing"

	"mirage/client"
)

func TestPrintAsks(t *testing.T) {
	allow, deny := "allow", "deny"
	for _, tt := range []struct {
		list []client.Ask
		want string
	}{
		{nil, "No asks.\n"},
		{[]client.Ask{
			{ID: "0123456789ab", SessionID: "s", Command: "rm 'a b'", Reason: "sign-off"},
			{ID: "1123456789ab", SessionID: "session", Argv: []string{"/keys/k"}, Outcome: &allow, Scope: "session"},
			{ID: "2123456789ab", SessionID: "s", Command: "rm", Outcome: &deny, Scope: "once", Reason: "no"},
		}, `ID            SESSION  COMMAND   STATUS         REASON
0123456789ab  s        rm 'a b'  pending        sign-off
1123456789ab  session  /keys/k   allow session  
2123456789ab  s        rm        deny           no
`},
	} {
		var b strings.Builder
		printAsks(&b, tt.list)
		if b.String() != tt.want {
			t.Errorf("got\n%s\nwant\n%s", b.String(), tt.want)
		}
	}
}

// What a session wrote cannot move the cursor of whoever reads it, nor add a
// row to the table.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"rm /a":                   "rm /a",
		"é ∞":                     "é ∞",
		"a\nb\tc\r":               `a\u000ab\u0009c\u000d`,
		"\x1b[2J":                 `\u001b[2J`,
		"\u009b2J\u202eabc\u2066": `\u009b2J\u202eabc\u2066`,
		"\xff":                    `\ufffd`,
		strings.Repeat("x", 100):  strings.Repeat("x", 72) + "…",
	} {
		if got := printable(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
