package workspace_test

import (
	"strings"
	"testing"

	"mirage/workspace"
)

func TestDenyPatterns(t *testing.T) {
	s := newServer(t)
	w := s.create(operator, "demo", `{"mounts": {"/": {"vfs": "ram", "mode": "exec"}}, "deny_patterns": ["^echo .*bad", "drop table"],
		"profiles": {"p": {"deny_patterns": {"shipped": true, "patterns": ["mine"]}}, "q": {}}}`)
	make := func(profile string) *workspace.Session {
		ses, err := w.NewSession(bg, workspace.SessionOptions{Profile: profile})
		if err != nil {
			t.Fatal(err)
		}
		return ses
	}
	sessions := map[string]*workspace.Session{"": make(""), "p": make("p"), "q": make("q")}
	for _, tc := range []struct {
		profile, line, stdout, stderr, pattern string
	}{
		{"", "echo good", "good\n", "", ""},
		{"", "true; echo ok; echo a bad thing", "", "echo: Permission denied\n", "^echo .*bad"}, // refused whole
		{"", "echo a; x=ba; y=d; echo $x$y", "a\n", "echo: Permission denied\n", "^echo .*bad"},
		{"", "printf '%s' 'DROP'; # drop table", "", "mirage: Permission denied\n", "drop table"},
		{"", "bash -c 'echo bad'", "", "echo: Permission denied\n", "^echo .*bad"},
		{"", "f() { echo $1; }; f bad", "", "echo: Permission denied\n", "^echo .*bad"},
		{"", "eval 'echo' 'bad'", "", "echo: Permission denied\n", "^echo .*bad"},
		{"", "echo bad | cat", "", "mirage: Permission denied\n", "^echo .*bad"},
		{"", "printf bad | xargs echo", "", "echo: Permission denied\n", "^echo .*bad"},
		{"", "printf 'a bad'", "a bad", "", ""},
		{"", "rm -rf / 2> /dev/null; echo $?", "1\n", "", ""},
		{"p", "rm -rf /", "", "mirage: Permission denied\n", ""},
		{"p", "x=/; rm -rf $x", "", "rm: Permission denied\n", ""},
		{"p", "echo mine", "", "mirage: Permission denied\n", "mine"},
		{"p", "echo bad", "", "mirage: Permission denied\n", "^echo .*bad"},
		{"q", "echo bad", "", "mirage: Permission denied\n", "^echo .*bad"},
		{"q", "echo mine", "mine\n", "", ""},
	} {
		ses := sessions[tc.profile]
		x, err := ses.Explain(bg, tc.line)
		if err != nil {
			t.Fatal(err)
		}
		res := run(t, ses, tc.line)
		want(t, tc.line+": stdout", string(res.Stdout), tc.stdout)
		refused := tc.stderr != ""
		want(t, tc.line+": stderr", string(res.Stderr), tc.stderr)
		status := 126
		if strings.Contains(tc.line, "xargs") {
			status = 123 // xargs has its own, as for any command that fails
		}
		if (res.Refusal != nil) != refused || refused && res.ExitCode != status {
			t.Errorf("%s: status %d, refusal %+v", tc.line, res.ExitCode, res.Refusal)
			continue
		}
		if refused && (res.Refusal.Kind != "deny" || !strings.Contains(res.Refusal.Reason, "matches deny pattern '"+tc.pattern)) {
			t.Errorf("%s: refusal %+v", tc.line, res.Refusal)
		}
		// What explain refuses is refused; what only the run can tell is not
		// refused by it.
		if x.Status != 0 && (x.Status != res.ExitCode || x.Answer.Reason != res.Refusal.Reason) {
			t.Errorf("%s: explain says %+v, it ends %d %+v", tc.line, x.Verdict, res.ExitCode, res.Refusal)
		}
		if refused && tc.stdout == "" && x.Status == 0 && !strings.Contains(tc.line, "$") && !strings.Contains(tc.line, "xargs") {
			t.Errorf("%s: explain allows it", tc.line)
		}
	}
}
