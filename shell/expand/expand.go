// Package expand turns the words of a parsed command into strings as bash 5.2
// does: brace, tilde, parameter, command, process and arithmetic expansion,
// word splitting, pathname expansion and quote removal; and it carries out
// assignments, declarations, arithmetic and conditional expressions.
package expand

import (
	"context"

	"mvdan.cc/sh/v3/syntax"

	"mirage/shell/vars"
	"mirage/vfs"
)

// Host is the executor as expansions see it.
type Host interface {
	// Special answers $?, $$, $!, $- and $_; set is false for an unset $!.
	Special(name byte) (value string, set bool)
	// CmdSubst runs a command substitution and answers its output, trailing
	// newlines included. NUL bytes are the caller's business.
	CmdSubst(ctx context.Context, c *syntax.CmdSubst) ([]byte, error)
	// ProcSubst starts a process substitution and answers its name.
	ProcSubst(ctx context.Context, p *syntax.ProcSubst) (string, error)
	// Warn prints a message that stops nothing, under the shell's prefix.
	Warn(msg string)
	// Home answers the home directory of a user; "" means the login's own,
	// used when HOME is unset.
	Home(user string) (dir string, ok bool)
	// Directory answers what ~+, ~- and ~N name: n counts from the left of
	// the directory stack, or from the right when fromEnd is set.
	Directory(n int, fromEnd bool) (dir string, ok bool)
	// Parse parses source text that only the run brought about: a command
	// substitution inside the text of a subscript, ${x@P}.
	Parse(source string) (*syntax.File, error)
	// Terminal tells whether a descriptor is a terminal, for test -t.
	Terminal(fd int) bool
	// Option reports a `set -o` option by name, for [[ -o ]]; known is false
	// for a name that is none.
	Option(name string) (on, known bool)
	// Function answers the printed source of a function and its attributes,
	// for declare-like forms; ok is false when there is none.
	Function(name string) (source string, ok bool)
}

// Options are the shell options that change expansions. The executor owns the
// struct and may change it between two expansions.
type Options struct {
	NoUnset   bool // set -u
	NoGlob    bool // set -f
	NoBrace   bool // set +B
	AllExport bool // set -a
	Posix     bool // set -o posix

	NullGlob, FailGlob, DotGlob, NoCaseGlob, NoCaseMatch bool
	ExtGlob, GlobStar, GlobASCIIRanges, GlobSkipDots     bool
	PatsubReplacement, ExpandAssocOnce, LocalVarInherit  bool
	LocalVarUnset, ExtQuote                              bool
}

// Limits are the budgets of expansions; a zero field takes the default.
type Limits struct {
	Memory  int64 // bytes of one expansion's result; 256 MiB
	Words   int   // of one brace expansion; 100,000
	Nesting int   // of ${ } and arithmetic at run time; 1,000
}

// Expander expands words for one shell. It is used by one goroutine at a
// time; a subshell makes its own.
type Expander struct {
	Vars    *vars.Vars
	Options *Options
	Host    Host
	View    *vfs.View
	Limits  Limits
	Dir     string   // working directory, absolute
	Name    string   // $0
	Params  []string // $1...
}

// Fields expands words to the arguments of a command: every expansion, word
// splitting and pathname expansion.
func (x *Expander) Fields(ctx context.Context, words ...*syntax.Word) ([]string, error) {
	return nil, nil
}

// Literal expands a word without brace expansion, splitting and pathname
// expansion: the value of an assignment, the subject of case, a here-string,
// the file of a redirection within [[ ]].
func (x *Expander) Literal(ctx context.Context, w *syntax.Word) (string, error) { return "", nil }

// Redirect expands the file name of a redirection: as Fields, but anything
// else than one field is bash's "ambiguous redirect".
func (x *Expander) Redirect(ctx context.Context, w *syntax.Word) (string, error) { return "", nil }

// Pattern expands a word to a pattern for package pattern: what was quoted
// matches itself.
func (x *Expander) Pattern(ctx context.Context, w *syntax.Word) (string, error) { return "", nil }

// Match reports whether s matches the pattern that w expands to, as case
// does (nocasematch is honoured).
func (x *Expander) Match(ctx context.Context, s string, w *syntax.Word) (bool, error) {
	return false, nil
}

// Document expands the body of a here-document whose delimiter was not
// quoted.
func (x *Expander) Document(ctx context.Context, w *syntax.Word) (string, error) { return "", nil }

// Assign carries out one assignment: name=v, name+=v, name[i]=v, name=(...),
// name+=(...).
func (x *Expander) Assign(ctx context.Context, a *syntax.Assign) error { return nil }

// AssignTemp carries out an assignment before a command, into the innermost
// temporary scope.
func (x *Expander) AssignTemp(ctx context.Context, a *syntax.Assign) error { return nil }

// Declare carries out one operand of declare, local, export, readonly or
// typeset that the parser has recognised as an assignment or a name.
func (x *Expander) Declare(ctx context.Context, d vars.Declaration, a *syntax.Assign) error {
	return nil
}

// DeclareText is Declare for an operand that an expansion brought about:
// name, name=value, name+=value, name[sub]=value, and name=(...) where d asks
// for an array.
func (x *Expander) DeclareText(ctx context.Context, d vars.Declaration, operand string) error {
	return nil
}

// SetRef assigns to a reference as read, printf -v, getopts and wait -p take
// it: a name, or name[sub].
func (x *Expander) SetRef(ctx context.Context, ref, value string) error { return nil }

// GetRef answers the value of a reference; set tells unset from empty.
func (x *Expander) GetRef(ctx context.Context, ref string) (value string, set bool, err error) {
	return "", false, nil
}

// UnsetRef unsets a name or name[sub], as unset -v does.
func (x *Expander) UnsetRef(ctx context.Context, ref string) error { return nil }

// IsSet answers test -v.
func (x *Expander) IsSet(ctx context.Context, ref string) (bool, error) { return false, nil }

// Arith evaluates a parsed arithmetic expression: (( )), for (( )), let.
func (x *Expander) Arith(ctx context.Context, e syntax.ArithmExpr) (int64, error) { return 0, nil }

// ArithText evaluates the text of an arithmetic expression, as let with a
// computed argument, subscripts and integer variables need.
func (x *Expander) ArithText(ctx context.Context, text string) (int64, error) { return 0, nil }

// Cond evaluates the expression of [[ ]]. =~ sets BASH_REMATCH. An error in
// the expression (a bad regex) answers an *Error with status 2.
func (x *Expander) Cond(ctx context.Context, e syntax.TestExpr) (bool, error) { return false, nil }

// Prompt expands a prompt string (PS1, PS4, ${x@P}): backslash escapes, then
// parameter, command and arithmetic expansion.
func (x *Expander) Prompt(ctx context.Context, ps string) (string, error) { return "", nil }

// SplitIFS splits a line into at most n fields (all when n < 0) as read
// does; the last one takes the rest. Unless raw is set a backslash quotes.
func (x *Expander) SplitIFS(line string, n int, raw bool) []string { return nil }

// Glob answers the paths that match a pattern, sorted; nil when none does.
func (x *Expander) Glob(ctx context.Context, pattern string) ([]string, error) { return nil, nil }
