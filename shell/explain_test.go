package shell_test

import (
	"fmt"
	"strings"
	"testing"

	"mirage/policy"
	"mirage/shell"
)

// outline draws nodes as indented lines.
func outline(b *strings.Builder, nodes []*shell.Node, indent string) {
	for _, n := range nodes {
		fmt.Fprintf(b, "%s%s %q", indent, n.Kind, n.Text)
		if n.Status != 0 {
			fmt.Fprintf(b, " %d", n.Status)
		}
		b.WriteByte('\n')
		outline(b, n.Children, indent+" ")
	}
}

func TestExplain(t *testing.T) {
	cfg := testConfig(t, newTree(t))
	cfg.Judge = bans{deny: "rm", absent: "nope", operand: "/k"}
	sh := shell.New(cfg)
	defer sh.Close()
	for _, tt := range []struct {
		line, outline, stderr string
		status                int
	}{
		{line: "", outline: ""},
		{line: "echo a", outline: `command "echo a"`},
		{line: "echo a; rm b; rm c", status: 126, stderr: "rm: Permission denied\n", outline: `command "echo a"
command "rm b" 126
command "rm c" 126`},
		{line: "nope; cat /k && date", status: 1, stderr: "cat: /k: Permission denied\n", outline: `command "nope" 127
list "cat /k && date"
 command "cat /k" 1
 command "date"`},
		{line: "nope x", outline: `command "nope x" 127`},
		{line: "a && b || c | d | e & f", outline: `list "a && b || c | d | e"
 command "a"
 command "b"
 pipeline "c | d | e"
  command "c"
  command "d"
  command "e"
command "f"`},
		{line: `x=$(rm a); echo "$(echo ` + "`rm b`" + `)" <(rm c)`, status: 126, stderr: "rm: Permission denied\n", outline: `substitution "$(rm a)"
 command "rm a" 126
command "echo \"$(echo ` + "`rm b`" + `)\" <(rm c)"
 substitution "$(echo ` + "`rm b`" + `)"
  command "echo ` + "`rm b`" + `"
   substitution "` + "`rm b`" + `"
    command "rm b" 126
 substitution "<(rm c)"
  command "rm c" 126`},
		{line: "bash -c 'eval \"rm x\"; :'", status: 126, stderr: "rm: Permission denied\n", outline: `command "bash -c 'eval \"rm x\"; :'"
 command "eval \"rm x\""
  command "rm x" 126
 command ":"`},
		{line: "if a; then b; elif c; then (d); else { e; }; fi; for i in 1; do f; done; case x in y) g;; esac; h() { i; }; export j=1", outline: `if "if a; then b; elif c; then (d); else { e; }; fi"
 command "a"
 command "b"
 if "elif c; then (d); else { e; }; fi"
  command "c"
  subshell "(d)"
   command "d"
  group "{ e; }"
   command "e"
loop "for i in 1; do f; done"
 command "f"
case "case x in y) g;; esac"
 command "g"
function "h() { i; }"
 group "{ i; }"
  command "i"
command "export j=1"`},
		{line: "$X rm; env A=1 timeout 3 rm x", status: 126, stderr: "rm: Permission denied\n", outline: `command "$X rm"
command "env A=1 timeout 3 rm x" 126`},
		{line: "echo )", status: 2, stderr: "mirage: syntax error near ')'\n"},
	} {
		x := sh.Explain(t.Context(), tt.line, nil)
		var b strings.Builder
		outline(&b, x.Nodes, "")
		if got := strings.TrimSuffix(b.String(), "\n"); got != tt.outline || x.Status != tt.status || x.Stderr != tt.stderr {
			t.Errorf("%s: got %d, %q\n%s\nwant %d, %q\n%s", tt.line, x.Status, x.Stderr, got, tt.status, tt.stderr, tt.outline)
		}
	}
}

// Explaining changes nothing, and asks the judge that it is given.
func TestExplainRunsNothing(t *testing.T) {
	sh := shell.New(testConfig(t, newTree(t)))
	defer sh.Close()
	x := sh.Explain(t.Context(), "cd /; y=1; f() { :; }; echo > /made; rm a", bans{deny: "rm"})
	if x.Answer.Outcome != policy.Deny || x.Answer.Reason != "banned" {
		t.Errorf("got %+v, want a denial", x.Verdict)
	}
	if got := runLine(sh, "echo $y; type f; ls /made", ""); got.stdout != "\n" {
		t.Errorf("something has run: %+v", got)
	}
}

// An explanation is bounded, however much the line holds; all of it is judged.
func TestExplainIsBounded(t *testing.T) {
	sh := shell.New(testConfig(t, newTree(t)))
	defer sh.Close()
	x := sh.Explain(t.Context(), strings.Repeat("echo a\n", 20_000)+"echo "+strings.Repeat("b", 10_000)+"\nrm x", bans{deny: "rm"})
	if len(x.Nodes) != 10_000 || x.Status != 126 {
		t.Errorf("got %d nodes, status %d, want 10000 nodes, status 126", len(x.Nodes), x.Status)
	}
	x = sh.Explain(t.Context(), "echo "+strings.Repeat("b", 10_000), nil)
	if got := len(x.Nodes[0].Text); got > 1100 {
		t.Errorf("text of %d bytes", got)
	}
}
