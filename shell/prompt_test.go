package shell_test

import (
	"io"
	"strings"
	"testing"

	"mirage/shell"
)

func TestPrompt(t *testing.T) {
	view := newTree(t)
	writeFile(t, view, "/f", "secret", 0o644)
	sh := newShell(t, view)
	if _, set := sh.Prompt(t.Context(), "PS1"); set {
		t.Error("PS1 is set in a new shell")
	}
	runLine(sh, `cd /tmp; x=5; nested='$(touch /ran)'`, "")
	for _, tc := range []struct{ ps1, want string }{
		{"", ""},
		{"$ ", "$ "},
		{`[PEXPECT]\$ `, "[PEXPECT]$ "},
		{`\w \W $x $((x+1)) \s> `, "/tmp tmp 5 6 bash> "},
		{`\[\e[1m\]a\n`, "\x1b[1ma\n"},
		{`$? `, "1 "}, // of the line before
		// No command runs, however it hides.
		{`$(touch /ran) `, `$(touch /ran) `},
		{"`touch /ran` ", "`touch /ran` "},
		{`$(</f)`, `$(</f)`},
		{`${nested@P}`, `${nested@P}`},
		{`${x:-$(touch /ran)}${y:=$(touch /ran)}`, `${x:-$(touch /ran)}${y:=$(touch /ran)}`},
		{`$((a[$(touch /ran)]))`, `$((a[$(touch /ran)]))`},
		// What is wrong is shown, and nothing is said about it.
		{`${x!}`, `${x!}`},
		{`$((1/0))`, `$((1/0))`},
		{`${none?gone}`, `${none?gone}`},
	} {
		runLine(sh, "PS1='"+strings.ReplaceAll(tc.ps1, "'", `'\''`)+"'; (exit 1)", "")
		if got, set := sh.Prompt(t.Context(), "PS1"); !set || got != tc.want {
			t.Errorf("PS1=%q: %q %v, want %q", tc.ps1, got, set, tc.want)
		}
		if got := runLine(sh, `echo $?; ls /ran`, ""); !strings.HasPrefix(got.stdout, "1\n") || got.result.Status == 0 {
			t.Errorf("PS1=%q: after it %+v", tc.ps1, got)
		}
	}
}

func TestWindowVariables(t *testing.T) {
	sh := newShell(t, newTree(t))
	cols, rows := 80, 24
	term := &shell.Terminal{Name: "xterm", Size: func() (int, int) { return cols, rows }}
	line := func(source string, interactive bool) string {
		var out strings.Builder
		sh.Run(t.Context(), shell.Line{Source: source, Stdout: &out, Stderr: io.Discard, Terminal: term, Interactive: interactive})
		return out.String()
	}
	for _, tc := range []struct {
		source      string
		cols, rows  int
		interactive bool
		want        string
	}{
		{"echo [$COLUMNS $LINES]", 80, 24, false, "[ ]\n"},
		{"echo [$COLUMNS $LINES]", 80, 24, true, "[80 24]\n"},
		{"echo [$COLUMNS $LINES]", 100, 30, true, "[100 30]\n"},
		{"env | grep -c COLUMNS", 100, 30, true, "0\n"},
		{"COLUMNS=7; echo $COLUMNS", 100, 30, true, "7\n"},
		{"echo $COLUMNS; shopt -u checkwinsize", 100, 30, true, "100\n"},
		{"echo $COLUMNS; shopt -s checkwinsize; readonly COLUMNS", 120, 30, true, "100\n"},
		{"echo $COLUMNS $LINES", 120, 40, true, "100 40\n"},
	} {
		cols, rows = tc.cols, tc.rows
		if got := line(tc.source, tc.interactive); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.source, got, tc.want)
		}
	}
}
