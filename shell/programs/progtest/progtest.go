// Package progtest runs programs in tests: each case on a tree in memory, and
// once more with the real tool of that name where the machine has one, so that
// a wanted output is known to be the tool's own.
package progtest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mirage/shell/program"
)

// Dir is the working directory of every run.
const Dir = "/w"

// FileTime is the time of the files that a case has. It is long ago for every
// clock, as tools may show that differently.
var FileTime = time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)

// Now is the time of every run on a tree in memory.
var Now = time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)

// Case is one run of a program and what must come of it.
type Case struct {
	Name string // of the subtest; Args when empty
	// Args is the command line without the program's name, in the words and
	// quotes of a shell. Argv, when set, is used in its place as it is.
	Args string
	Argv []string
	// Files are made before the run: a name that ends in "/" is a
	// directory, "name -> target" a symbolic link, "name @MODE" has the
	// octal mode, anything else a file with the text. Parents are made.
	Files map[string]string
	Stdin string
	Env   []string // added to PATH, HOME, LC_ALL=C and TZ=UTC0
	Limit int64    // of memory; 64 MiB when 0
	User  string   // "root" when empty, whom the real tool runs as in CI

	Stdout string
	Stderr string
	Status int
	// Tree is what the directory holds afterwards, as World.Snapshot shows
	// it; nil does not look.
	Tree []string
	// OursOnly says why the real tool is not asked, for what must differ.
	OursOnly string
	// AnyStdout and AnyStderr leave out the comparison of a stream of the
	// real tool.
	AnyStdout, AnyStderr bool
	// AnyOrder compares the lines of both streams without their order:
	// the real tool lists directories as they come, we sort them.
	AnyOrder bool
	// Terminal makes standard output a terminal of 80 columns (ours only).
	Terminal bool
}

func (c *Case) argv() []string {
	if c.Argv != nil {
		return c.Argv
	}
	return Words(c.Args)
}

// Run runs a table of cases of the program called name. All are the programs
// that it can start.
func Run(t *testing.T, all []*program.Program, name string, cases []Case) {
	t.Helper()
	for _, c := range cases {
		title := c.Name
		if title == "" {
			title = c.Args
		}
		t.Run(title, func(t *testing.T) {
			w := NewWorld(t, all)
			w.Make(c.Files)
			check(t, "mirage", w.Run(name, c), c, false)
			if c.Tree != nil {
				compare(t, "mirage: tree", strings.Join(w.Snapshot(), "\n"), strings.Join(c.Tree, "\n"))
			}
			if c.OursOnly == "" && !c.Terminal {
				runReal(t, name, c)
			}
		})
	}
}

// Result is how a run ended.
type Result struct {
	Stdout, Stderr string
	Status         int
}

func check(t *testing.T, who string, got Result, c Case, real bool) {
	t.Helper()
	switch {
	case real && c.AnyStdout:
	case c.AnyOrder:
		compare(t, who+": sorted stdout", sortLines(got.Stdout), sortLines(c.Stdout))
	default:
		compare(t, who+": stdout", got.Stdout, c.Stdout)
	}
	switch {
	case real && c.AnyStderr:
	case c.AnyOrder:
		compare(t, who+": sorted stderr", sortLines(got.Stderr), sortLines(c.Stderr))
	default:
		compare(t, who+": stderr", got.Stderr, c.Stderr)
	}
	if got.Status != c.Status {
		t.Errorf("%s: status %d, want %d (stderr %q)", who, got.Status, c.Status, got.Stderr)
	}
}

func sortLines(s string) string {
	lines := strings.SplitAfter(s, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func compare(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s\ngot:\n%s\nwant:\n%s\ngot %q", what, got, want, got)
	}
}

// Words splits a command line: blanks, '...', "..." and backslashes, nothing
// else of a shell.
func Words(s string) []string {
	words := []string{}
	var word strings.Builder
	in, quote := false, byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == '\'' || quote == '"' && c != '\\':
			word.WriteByte(c)
		case c == '\\' && i+1 < len(s):
			i++
			word.WriteByte(s[i])
			in = true
		case c == '\'' || c == '"':
			quote, in = c, true
		case c == ' ' || c == '\n' || c == '\t':
			if in {
				words = append(words, word.String())
			}
			word.Reset()
			in = false
		default:
			word.WriteByte(c)
			in = true
		}
	}
	if quote != 0 {
		panic("unmatched quote in " + s)
	}
	if in {
		words = append(words, word.String())
	}
	return words
}
