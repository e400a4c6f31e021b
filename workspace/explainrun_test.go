package workspace_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mirage/policy"
	"mirage/shell"
	"mirage/workspace"
)

// ruledLine is a profile and a line under it, in parts that can be left out.
type ruledLine struct {
	rules      []profileEntry
	statements []string
}

// profileEntry is an item of one list of a profile.
type profileEntry struct{ list, item string }

func (c ruledLine) line() string { return strings.Join(c.statements, "; ") }

func (c ruledLine) profile() string {
	of := func(list string) string {
		var items []string
		for _, e := range c.rules {
			if e.list == list && !slices.Contains(items, e.item) {
				items = append(items, e.item)
			}
		}
		return strings.Join(items, ", ")
	}
	return fmt.Sprintf("{commands: {deny: [%s], ask: [%s]}, paths: {hide: [%s], show: {%s}}, mounts: {%s}}",
		of("deny"), of("ask"), of("hide"), of("show"), of("mounts"))
}

// drawRuledLine draws from a small alphabet, so that rules and lines meet.
func drawRuledLine(r *rand.Rand) ruledLine {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	file := func() string { return pick("/a/f", "/a/g", "/a/d/f", "/b/f", "/b", "/a", "/a/d", "/m/f", "/none") }
	pattern := func() string { return pick("/a/f", "/a/d", "/b", "'/a/*'", "'/*/f'", "f", "'*g'", "/m/f", "'/m/*'") }
	command := func() string { return pick("cat", "ls", "rm", "cp", "mv", "echo") }
	var c ruledLine
	for range r.IntN(5) {
		var e profileEntry
		switch r.IntN(8) {
		case 0, 1:
			e = profileEntry{pick("deny", "ask"), pick(command(), command()+" "+file(), "'rm -r'", "{reason: listed, commands: ["+command()+"]}")}
		case 2, 3:
			e = profileEntry{pick("deny", "ask"), "{reason: bound, commands: {" + command() + ": [" + pattern() + "]}}"}
		case 4, 5:
			e = profileEntry{pick("deny", "ask"), "{reason: sealed, paths: [" + pattern() + "]}"}
		case 6:
			e = profileEntry{"hide", pattern()}
		case 7:
			e = profileEntry{"mounts", "/m: read"}
			if r.IntN(2) == 0 {
				e = profileEntry{"show", pick("/a/d/f: read", "/a/f: write", "/b/f: read")}
			}
		}
		c.rules = append(c.rules, e)
	}
	simple := func() string {
		switch r.IntN(9) {
		case 0:
			return "ls " + file()
		case 1:
			return pick("rm ", "rm -r ", "rm -f ") + file()
		case 2:
			return "cp " + file() + " " + file()
		case 3:
			return "mv " + file() + " " + file()
		case 4:
			return "echo x " + pick(">", ">>") + " " + file()
		case 5:
			return "cat < " + file()
		}
		return "cat " + file()
	}
	for range 1 + r.IntN(3) {
		s := simple()
		switch r.IntN(10) {
		case 0:
			s += " | cat"
		case 1:
			s += pick(" && ", " || ") + simple()
		case 2:
			s = "echo $(" + s + ")"
		case 3:
			s = "for p in " + file() + " " + file() + "; do " + pick("cat", "rm", "ls") + " $p; done"
		case 4:
			s = "(cd " + file() + " && " + command() + " f)"
		case 5:
			s = "c=" + command() + "; $c " + file()
		}
		c.statements = append(c.statements, s)
	}
	return c
}

// explainRun holds what Explain says of lines against what Run then does.
type explainRun struct {
	t                         *testing.T
	server                    *server
	drawn                     int
	refused, allowed, stopped int
	foretold                  int
}

// disagree answers where the two disagree, "" where they agree.
func (x *explainRun) disagree(c ruledLine) string {
	x.t.Helper()
	x.drawn++
	w := x.server.create(operator, fmt.Sprintf("w%d", x.drawn), "mounts: {/: {vfs: ram}, /m: {vfs: ram}}\nprofiles: {drawn: "+c.profile()+"}")
	defer x.server.Delete(bg, operator, fmt.Sprintf("w%d", x.drawn))
	free := session(x.t, w, "")
	run(x.t, free, "mkdir -p /a/d /b; for f in /a/f /a/g /a/d/f /b/f /m/f; do echo $f > $f; done")
	files := func() string { return string(run(x.t, free, "grep -r '' /a /b /m; find /a /b /m").Stdout) }
	before := files()
	s, err := w.NewSession(bg, workspace.SessionOptions{Ephemeral: true, Profile: "drawn"})
	if err != nil {
		x.t.Fatal(err)
	}
	defer s.Close(bg)
	told, err := s.Explain(bg, c.line())
	if err != nil {
		x.t.Fatal(err)
	}
	if files() != before {
		return "explaining changed files"
	}
	res := run(x.t, s, c.line())
	if told.Answer.Outcome == policy.Allow {
		if res.Refusal == nil {
			x.allowed++
			return ""
		}
		// What only expansion tells is judged when it runs.
		x.stopped++
		if !strings.Contains(c.line(), "$") && !strings.Contains(c.line(), "cd ") {
			return fmt.Sprintf("explained as allowed, but refused (%s): %d, %q", refusal(res.Refusal), res.ExitCode, res.Stderr)
		}
		return ""
	}
	if told.Answer.Outcome == policy.Ask && foretold(told.Nodes) {
		// Something is asked when it is known whole, should it come to that;
		// until then the line runs.
		x.foretold++
		return ""
	}
	x.refused++
	got := fmt.Sprintf("%d %q %q %s", res.ExitCode, res.Stdout, res.Stderr, refusal(res.Refusal))
	want := fmt.Sprintf("%d %q %q %s", told.Status, "", told.Stderr, refusal(told.Answer.Refusal()))
	switch {
	case got != want:
		return fmt.Sprintf("explained as %s, but it did %s", want, got)
	case files() != before:
		return "a refused line changed files"
	}
	return ""
}

// foretold reports whether the question of a line is about a command that is
// not known before the line runs: nothing that can be seen whole is refused.
func foretold(nodes []*shell.Node) bool {
	later := true
	var each func(nodes []*shell.Node)
	each = func(nodes []*shell.Node) {
		for _, n := range nodes {
			if n.Kind == "command" && n.Answer.Outcome != policy.Allow && n.Answer.Outcome != policy.Absent && n.Command.Cwd != "" && !slices.Contains(n.Command.Unknown, true) {
				later = false
			}
			each(n.Children)
		}
	}
	each(nodes)
	return later
}

// shrink leaves out what is not needed for the two to disagree.
func (x *explainRun) shrink(c ruledLine) ruledLine {
	for again := true; again; {
		again = false
		for i := range c.rules {
			less := ruledLine{slices.Delete(slices.Clone(c.rules), i, i+1), c.statements}
			if x.disagree(less) != "" {
				c, again = less, true
				break
			}
		}
		for i := range c.statements {
			less := ruledLine{c.rules, slices.Delete(slices.Clone(c.statements), i, i+1)}
			if x.disagree(less) != "" {
				c, again = less, true
				break
			}
		}
	}
	return c
}

// TestExplainAgreesWithRun draws profiles and lines: what Explain refuses, Run
// refuses in the same words before anything has run, and what it allows is not
// refused where every word can be seen. A question about what only the run can
// tell is foretold, and nothing follows from it.
func TestExplainAgreesWithRun(t *testing.T) {
	const seed, draws = 3, 600
	x := &explainRun{t: t, server: newServer(t)}
	r := rand.New(rand.NewPCG(seed, 0))
	for n := range draws {
		c := drawRuledLine(r)
		if why := x.disagree(c); why != "" {
			least := x.shrink(c)
			t.Fatalf("seed %d, draw %d: %s\nprofile: %s\nline: %s\nat its smallest: %s\nprofile: %s\nline: %s",
				seed, n, why, c.profile(), c.line(), x.disagree(least), least.profile(), least.line())
		}
	}
	if x.refused < draws/10 || x.allowed < draws/10 || x.stopped == 0 || x.foretold > draws/4 {
		t.Errorf("%d lines refused, %d allowed, %d stopped on the way: the draws show nothing", x.refused, x.allowed, x.stopped)
	}
	t.Logf("%d lines refused, %d allowed, %d stopped on the way, %d foretold to be asked about", x.refused, x.allowed, x.stopped, x.foretold)
}

// TestExplainRedirections holds what is told of a redirection against what
// opening it does.
func TestExplainRedirections(t *testing.T) {
	w := newServer(t).create(operator, "demo", `{"mounts": {"/": {"vfs": "ram"}, "/ro": {"vfs": "ram", "mode": "read"}}, "profiles": {"p": {
		"paths": {"hide": ["/hidden"]},
		"command_limits": {"cat": {"max_lines": 5, "timeout_seconds": 2}},
		"commands": {"deny": [{"reason": "sealed", "paths": ["/keys/*"]}, {"reason": "no cat of b", "commands": {"cat": ["/b"]}}],
			"ask": [{"reason": "needs a person", "paths": ["/asked"]}]}}}}`)
	run(t, session(t, w, ""), "mkdir /keys /hidden; for f in /keys/k /hidden/h /a /b /asked; do echo $f > $f; done; ln -s /keys/k /l")
	s := must(w.NewSession(bg, workspace.SessionOptions{Profile: "p"}))
	for _, test := range []struct{ line, reason string }{
		{"echo x > /a", ""},
		{"echo x > /new", ""},
		{"cat < /a", ""},
		{"cat < /keys/k", "sealed"},
		{"echo x > /keys/k", "sealed"},
		{"echo x >> /keys/new", "sealed"},
		{"echo x &> /keys/new", "sealed"},
		{"cat <> /keys/k", "sealed"},
		{"cat < /l", "sealed"},
		{"cat < /b", "no cat of b"},
		{"wc < /b", ""},
		{"cat < /asked", "needs a person"},
		{"cat < /hidden/h", ""},
		{"echo x > /ro/f", "read-only mount"},
		{"cd /keys; cat < k", "sealed"},
		{"{ cat; } < /keys/k", "sealed"},
		{"echo x > /dev/null", ""},
	} {
		x, err := s.Explain(bg, test.line)
		if err != nil {
			t.Fatal(err)
		}
		var found *shell.Node
		var each func(nodes []*shell.Node)
		each = func(nodes []*shell.Node) {
			for _, n := range nodes {
				if n.Kind == "redirect" {
					found = n
				}
				if limit := x.Limits[n]; n.Kind == "command" && (n.Command.Argv[0] == "cat") != (limit.MaxLines != nil && *limit.MaxLines == 5 && limit.Timeout != nil) {
					t.Errorf("%s: the limit of %s is %+v", test.line, n.Text, limit)
				}
				each(n.Children)
			}
		}
		each(x.Nodes)
		if found == nil {
			t.Errorf("%s: no redirection", test.line)
			continue
		}
		if found.Answer.Reason != test.reason {
			t.Errorf("%s: told %q, want %q", test.line, found.Answer.Reason, test.reason)
		}
		res := run(t, s, test.line)
		if failed := strings.Contains(string(res.Stderr), "Permission denied") || strings.Contains(string(res.Stderr), "Read-only file system"); failed != (test.reason != "") {
			t.Errorf("%s: told %q, but it ended with %d, %q", test.line, test.reason, res.ExitCode, res.Stderr)
		} else if failed && !strings.HasSuffix(string(res.Stderr), found.Stderr) {
			t.Errorf("%s: told %q, but it said %q", test.line, found.Stderr, res.Stderr)
		}
	}
}
