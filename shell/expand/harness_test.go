package expand_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"mirage/shell/expand"
	"mirage/shell/vars"
	"mirage/vfs"
	"mirage/vfs/ram"
)

// pair is one row of a table that runs twice: against this package and
// against bash. The script may use assignments, declarations, (( )), [[ ]],
// set, shopt, unset and argv, which prints its arguments.
type pair struct{ script, want string }

// prelude gives bash the command argv.
const prelude = `argv() { local a; printf %d: $#; for a; do printf ' <%s>' "$a"; done; echo; }
`

// runPairs runs a table here, and, where there is a bash 5.2, there. files are
// made first, those that end with a slash as directories.
func runPairs(t *testing.T, table []pair, files ...string) {
	t.Helper()
	bash := findBash(t)
	for _, p := range table {
		t.Run(p.script, func(t *testing.T) {
			s := newSession(t)
			s.makeFiles(files)
			if got := s.run(p.script); got != p.want {
				t.Errorf("here\ngot  %q\nwant %q", got, p.want)
			}
			if bash == "" {
				return
			}
			if got := runBash(t, bash, p.script, files); got != p.want {
				t.Errorf("bash\ngot  %q\nwant %q", got, p.want)
			}
		})
	}
}

// findBash answers the bash to compare with, "" when there is none.
func findBash(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("bash")
	if err == nil {
		out, _ := exec.Command(path, "-c", "echo $BASH_VERSION").Output()
		if strings.HasPrefix(string(out), "5.2.") {
			return path
		}
	}
	if os.Getenv("MIRAGE_REQUIRE_TOOLS") == "1" {
		t.Fatal("bash 5.2 is required")
	}
	return ""
}

var bashPrefix = regexp.MustCompile(`(?m)^bash: line [0-9]+: `)

// runBash runs a script in a directory with files. Messages lose their prefix.
func runBash(t *testing.T, bash, script string, files []string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, bash, "--norc", "-c", prelude+script)
	cmd.Args[0] = "bash"
	cmd.Dir = t.TempDir()
	for _, f := range files {
		name := filepath.Join(cmd.Dir, f)
		dir := filepath.Dir(name)
		if strings.HasSuffix(f, "/") {
			dir = name
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if dir == name {
			continue
		}
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd.Env = []string{"PATH=/nowhere", "HOME=/home/user", "LC_ALL=C.UTF-8"}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return bashPrefix.ReplaceAllString(string(out), "")
}

// session is a shell that is just enough for expansions.
type session struct {
	t    testing.TB
	x    *expand.Expander
	opts expand.Options
	out  strings.Builder
	view *vfs.View
}

func newSession(t testing.TB) *session {
	t.Helper()
	ns, err := vfs.NewNamespace([]vfs.Mount{{Prefix: "/", FS: ram.New(ram.Options{}), Mode: vfs.Exec}}, vfs.NamespaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, opts: expand.Options{GlobSkipDots: true, PatsubReplacement: true, ExtQuote: true}, view: vfs.NewView(ns, vfs.AllowAll{})}
	v := vars.New(vars.Options{
		Environ: []string{"HOME=/home/user", "LC_ALL=C.UTF-8", "PWD=/"},
		Now:     func() time.Time { return time.Unix(1_000_000_000, 0) },
		Seed:    1,
	})
	s.x = expand.New(v, &s.opts, s)
	s.x.View, s.x.Name = s.view, "bash"
	return s
}

// makeFiles makes files as runBash does.
func (s *session) makeFiles(files []string) {
	s.t.Helper()
	ctx := s.t.Context()
	for _, f := range files {
		dir := path.Dir("/" + f)
		if strings.HasSuffix(f, "/") {
			dir = "/" + f
		}
		if err := s.view.MkdirAll(ctx, dir, 0o755); err != nil {
			s.t.Fatal(err)
		}
		if strings.HasSuffix(f, "/") {
			continue
		}
		if err := s.view.WriteFile(ctx, "/"+f, nil, 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
}

// The methods of expand.Host.

func (s *session) Special(name byte) (string, bool) {
	switch name {
	case '?':
		return "0", true
	case '$':
		return "77", true
	case '-':
		return "hB", true
	case '_':
		return "argv", true
	}
	return "", false
}

func (s *session) CmdSubst(ctx context.Context, c *syntax.CmdSubst) ([]byte, error) {
	sub := &session{t: s.t, opts: s.opts, view: s.view}
	v := s.x.Vars.Clone(nil)
	defer v.Release()
	sub.x = s.x.Clone(v, &sub.opts, sub)
	sub.statements(c.Stmts)
	return []byte(sub.out.String()), nil
}

func (s *session) ProcSubst(context.Context, *syntax.ProcSubst) (string, error) {
	return "/dev/fd/63", nil
}
func (s *session) Warn(msg string) { fmt.Fprintln(&s.out, msg) }
func (s *session) Home(user string) (string, bool) {
	switch user {
	case "":
		return "/home/user", true
	case "root":
		return "/root", true
	}
	return "", false
}
func (s *session) Directory(n int, _ bool) (string, bool) { return "/", n == 0 }
func (s *session) Terminal(int) bool                      { return false }
func (s *session) Option(string) (on, known bool)         { return false, false }
func (s *session) Prompt(c byte) (string, bool) {
	switch c {
	case 'u':
		return "user", true
	case 'h':
		return "host", true
	case '$':
		return "$", true
	}
	return "", false
}

// run runs a script and answers its output and messages.
func (s *session) run(script string) string {
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
	if err != nil {
		return "syntax error: " + err.Error()
	}
	s.statements(f.Stmts)
	return s.out.String()
}

// statements runs statements until an error ends more than its own command.
func (s *session) statements(stmts []*syntax.Stmt) {
	for _, st := range stmts {
		ok, err := s.statement(st)
		_ = ok
		var e *expand.Error
		if err == nil {
			continue
		}
		if !errors.As(err, &e) {
			fmt.Fprintln(&s.out, "unexpected error:", err)
			return
		}
		if e.Msg != "" {
			fmt.Fprintln(&s.out, e.Msg)
		}
		if e.Severity != expand.Fail {
			return
		}
	}
}

func (s *session) statement(st *syntax.Stmt) (bool, error) {
	ctx := s.t.Context()
	switch c := st.Cmd.(type) {
	case *syntax.BinaryCmd:
		ok, err := s.statement(c.X)
		if err != nil || ok == (c.Op == syntax.OrStmt) {
			return ok, err
		}
		return s.statement(c.Y)
	case *syntax.CallExpr:
		return s.call(c)
	case *syntax.DeclClause:
		return true, s.declare(c)
	case *syntax.ArithmCmd:
		n, err := s.x.ArithCmd(ctx, c)
		return n != 0, err
	case *syntax.LetClause:
		var n int64
		for _, e := range c.Exprs {
			var err error
			if n, err = s.x.Let(ctx, e); err != nil {
				return false, err
			}
		}
		return n != 0, nil
	case *syntax.TestClause:
		return s.x.Cond(ctx, c.X)
	}
	s.t.Fatalf("the harness has no %T", st.Cmd)
	return false, nil
}

func (s *session) call(c *syntax.CallExpr) (bool, error) {
	ctx := s.t.Context()
	args, err := s.x.Fields(ctx, c.Args...)
	if err != nil {
		return false, err
	}
	for _, a := range c.Assigns {
		if err := s.x.Assign(ctx, a); err != nil {
			return false, err
		}
	}
	if len(args) == 0 {
		return true, nil
	}
	switch args[0] {
	case "argv":
		fmt.Fprintf(&s.out, "%d:", len(args)-1)
		for _, a := range args[1:] {
			fmt.Fprintf(&s.out, " <%s>", a)
		}
		s.out.WriteByte('\n')
	case "echo":
		fmt.Fprintln(&s.out, strings.Join(args[1:], " "))
	case "set":
		s.set(args[1:])
	case "shopt":
		s.shopt(args[1], args[2:])
	case "unset":
		for _, a := range args[1:] {
			if err := s.x.UnsetRef(ctx, a); err != nil {
				fmt.Fprintln(&s.out, "unset: "+err.Error())
			}
		}
	case "read":
		ref, line := args[1], args[2]
		return true, s.x.SetRef(ctx, ref, line)
	case "false":
		return false, nil
	case "true", ":":
	default:
		s.t.Fatalf("the harness has no command %q", args[0])
	}
	return true, nil
}

func (s *session) set(args []string) {
	switch args[0] {
	case "--":
		s.x.Params = args[1:]
	case "-u":
		s.opts.NoUnset = true
	case "-f":
		s.opts.NoGlob = true
	case "+B":
		s.opts.NoBrace = true
	default:
		s.t.Fatalf("the harness has no set %q", args[0])
	}
}

func (s *session) shopt(flag string, names []string) {
	fields := map[string]*bool{
		"nullglob": &s.opts.NullGlob, "failglob": &s.opts.FailGlob, "dotglob": &s.opts.DotGlob,
		"nocaseglob": &s.opts.NoCaseGlob, "nocasematch": &s.opts.NoCaseMatch, "extglob": &s.opts.ExtGlob,
		"globstar": &s.opts.GlobStar, "globskipdots": &s.opts.GlobSkipDots,
		"patsub_replacement": &s.opts.PatsubReplacement,
	}
	for _, n := range names {
		f := fields[n]
		if f == nil {
			s.t.Fatalf("the harness has no shopt %q", n)
		}
		*f = flag == "-s"
	}
}

func (s *session) declare(c *syntax.DeclClause) error {
	d := vars.Declaration{}
	ctx := s.t.Context()
	switch c.Variant.Value {
	case "export":
		d.Add = vars.Export
	case "readonly":
		d.Add = vars.ReadOnly
	}
	for _, a := range c.Args {
		if a.Naked && a.Name == nil {
			w, err := s.x.Literal(ctx, a.Value)
			switch {
			case err != nil:
				return err
			case w == "-p":
			case w[0] != '-' && w[0] != '+':
				if err := s.x.DeclareText(ctx, d, w); err != nil {
					return err
				}
			default:
				flags(&d, w)
			}
			continue
		}
		if a.Naked && hasFlag(c, "-p") {
			line, ok := s.x.Vars.Format(a.Name.Value)
			if !ok {
				line = "declare: " + a.Name.Value + ": not found"
			}
			fmt.Fprintln(&s.out, line)
			continue
		}
		if err := s.x.Declare(ctx, d, a); err != nil {
			var e *expand.Error
			if errors.As(err, &e) && e.Severity == expand.Fail {
				fmt.Fprintln(&s.out, c.Variant.Value+": "+e.Msg)
				continue
			}
			return err
		}
	}
	return nil
}

func hasFlag(c *syntax.DeclClause, flag string) bool {
	for _, a := range c.Args {
		if a.Naked && a.Name == nil && a.Value.Lit() == flag {
			return true
		}
	}
	return false
}

func flags(d *vars.Declaration, w string) {
	attrs := map[rune]vars.Attr{
		'x': vars.Export, 'r': vars.ReadOnly, 'i': vars.Integer, 'l': vars.Lower, 'u': vars.Upper,
		'c': vars.Capital, 'n': vars.Nameref, 't': vars.Trace,
	}
	for _, f := range w[1:] {
		switch {
		case f == 'a':
			d.Kind = vars.Indexed
		case f == 'A':
			d.Kind = vars.Assoc
		case w[0] == '-':
			d.Add |= attrs[f]
		default:
			d.Remove |= attrs[f]
		}
	}
}
