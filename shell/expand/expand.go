// Package expand turns the words of a parsed command into strings as bash 5.2
// does: brace, tilde, parameter, command, process and arithmetic expansion,
// word splitting, pathname expansion and quote removal; and it carries out
// assignments, declarations, arithmetic and conditional expressions.
package expand

import (
	"context"

	"mvdan.cc/sh/v3/syntax"

	"mirage/shell/arith"
	"mirage/shell/pattern"
	"mirage/shell/regex"
	"mirage/shell/vars"
	"mirage/vfs"
)

// Host is the executor as expansions see it.
type Host interface {
	// Special answers $?, $$, $!, $- and $_; set is false for an unset $!.
	Special(name byte) (value string, set bool)
	// CmdSubst runs a command substitution and answers its output as it is,
	// trailing newlines and NUL bytes included.
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
	// Terminal tells whether a descriptor is a terminal, for test -t.
	Terminal(fd int) bool
	// Option reports a `set -o` option by name, for [[ -o ]]; known is false
	// for a name that is none.
	Option(name string) (on, known bool)
	// Prompt answers what an escape of a prompt stands for that is the
	// session's to know: \u \h \H \j \l \! \# \$; ok is false for
	// a letter that is no escape.
	Prompt(c byte) (text string, ok bool)
}

// Options are the shell options that change expansions. The executor owns the
// struct and may change it between two expansions. The zero value is not
// bash's default. globasciiranges has no place here: characters
// collate by their numbers in every locale, as in bash's C.UTF-8.
type Options struct {
	NoUnset bool // set -u
	NoGlob  bool // set -f
	NoBrace bool // set +B
	Posix   bool // set -o posix

	NullGlob, FailGlob, DotGlob, NoCaseGlob, NoCaseMatch bool
	ExtGlob, GlobStar, GlobSkipDots                      bool
	PatsubReplacement, ExtQuote                          bool
}

// Limits are the budgets of expansions; a zero field takes the default.
type Limits struct {
	Memory int64 // bytes of one expansion's result; 256 MiB
	Words  int   // of one brace expansion; 100,000
	Depth  int   // of texts that expand texts: namerefs, prompts, subscripts; 100
}

// Expander expands words for one shell. It is used by one goroutine at a
// time; a subshell makes its own. The exported fields are the executor's to
// set, Vars before New only.
type Expander struct {
	Vars    *vars.Vars
	Options *Options
	Host    Host
	View    *vfs.View
	Limits  Limits
	Dir     string   // working directory, absolute
	Name    string   // $0
	Params  []string // $1...

	builders []*builder
	ifs      ifsTable
	patterns map[patternKey]*pattern.Pattern
	machine  arith.Machine
	programs map[syntax.ArithmExpr]*program
	regexps  map[regexpKey]*regex.Regexp
	parser   *syntax.Parser
	depth    int // of texts that expand texts
	ctx      context.Context
}

// New makes an expander on a store and sets the store's hooks.
func New(v *vars.Vars, o *Options, h Host) *Expander {
	x := &Expander{Vars: v, Options: o, Host: h, Dir: "/"}
	x.machine.Env = arithEnv{x}
	v.Eval = func(text string) (int64, error) { return x.ArithText(x.context(), text) }
	v.Subscript = func(text string) (int64, error) {
		at, err := x.elementOf(x.context(), "", text)
		return at.Index, err
	}
	v.Warn = h.Warn
	return x
}

// Clone makes the expander of a subshell that runs on a clone of the store.
// The syntax that both have compiled is not shared.
func (x *Expander) Clone(v *vars.Vars, o *Options, h Host) *Expander {
	c := New(v, o, h)
	c.View, c.Limits, c.Dir, c.Name, c.Params = x.View, x.Limits, x.Dir, x.Name, x.Params
	return c
}

// context answers the context of the expansion under way, for what the store
// asks back.
func (x *Expander) context() context.Context {
	if x.ctx == nil {
		return context.Background()
	}
	return x.ctx
}

// memory answers the budget of one expansion.
func (x *Expander) memory() int64 {
	if x.Limits.Memory > 0 {
		return x.Limits.Memory
	}
	return 256 << 20
}

// Fields expands words to the arguments of a command: every expansion, word
// splitting and pathname expansion.
func (x *Expander) Fields(ctx context.Context, words ...*syntax.Word) ([]string, error) {
	return x.AppendFields(ctx, make([]string, 0, len(words)), words...)
}

// AppendFields is Fields that appends to out.
func (x *Expander) AppendFields(ctx context.Context, out []string, words ...*syntax.Word) ([]string, error) {
	x.ctx = ctx
	var b *builder
	for _, w := range words {
		if s, ok := x.plain(w); ok {
			out = append(out, s)
			continue
		}
		if b == nil {
			b = x.builder(ctx, modeFields)
			defer b.free()
		}
		b.fields = out
		if err := b.fieldsOf(w); err != nil {
			return nil, err
		}
		out = b.fields
		b.fields = nil
	}
	return out, nil
}

// fieldsOf expands one word with its braces.
func (b *builder) fieldsOf(w *syntax.Word) error {
	if b.x.Options.NoBrace || !hasBrace(w) {
		return b.field(w)
	}
	words, err := b.x.braces(b.ctx, w)
	if err != nil {
		return err
	}
	for i, w := range words {
		if i&255 == 255 && b.ctx.Err() != nil {
			return b.ctx.Err()
		}
		if s, ok := b.x.plain(w); ok {
			err = b.emit(s)
		} else {
			err = b.field(w)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) field(w *syntax.Word) error {
	if err := b.parts(w.Parts, false); err != nil {
		return err
	}
	if b.open {
		return b.finish()
	}
	b.blank = false
	return nil
}

// plain answers the field of a word that needs no work: literal text, or a
// quoted variable. It is the fast path of most words.
func (x *Expander) plain(w *syntax.Word) (string, bool) {
	if len(w.Parts) != 1 {
		return "", false
	}
	switch p := w.Parts[0].(type) {
	case *syntax.Lit:
		return p.Value, plainText(p.Value)
	case *syntax.SglQuoted:
		return p.Value, !p.Dollar
	case *syntax.DblQuoted:
		if len(p.Parts) != 1 {
			return "", false
		}
		switch q := p.Parts[0].(type) {
		case *syntax.Lit:
			for i := 0; i < len(q.Value); i++ {
				if q.Value[i] == '\\' {
					return "", false
				}
			}
			return q.Value, true
		case *syntax.ParamExp:
			if isPlainParam(q) {
				s, set := x.Vars.Lookup(q.Param.Value)
				return s, set || !x.Options.NoUnset
			}
		}
	}
	return "", false
}

// plainText reports whether unquoted text stands for itself.
func plainText(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\', '*', '?', '[', '{', '~', '=', '(':
			return false
		}
	}
	return true
}

// isPlainParam reports whether pe is $name or ${name} of a variable.
func isPlainParam(pe *syntax.ParamExp) bool {
	if !pe.Short && (pe.Excl || pe.Length || pe.Slice != nil || pe.Repl != nil || pe.Exp != nil || pe.Names != 0) ||
		pe.Index != nil {
		return false
	}
	c := pe.Param.Value[0]
	return c == '_' && len(pe.Param.Value) > 1 || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// text expands the parts of a word to one string.
func (x *Expander) text(ctx context.Context, w *syntax.Word, m mode, assign bool) (string, error) {
	x.ctx = ctx
	if w == nil {
		return "", nil
	}
	if s, ok := x.plain(w); ok && m == modeLiteral {
		return s, nil
	}
	b := x.builder(ctx, m)
	defer b.free()
	b.assign = assign
	if err := b.parts(w.Parts, false); err != nil {
		return "", err
	}
	if m == modePattern {
		return patternText(b.buf, b.spans), nil
	}
	return string(b.buf), nil
}

// Literal expands a word without brace expansion, splitting and pathname
// expansion: the subject of case, a here-string, the operands of [[ ]].
func (x *Expander) Literal(ctx context.Context, w *syntax.Word) (string, error) {
	return x.text(ctx, w, modeLiteral, false)
}

// Value is Literal for the value of an assignment: tildes are expanded after
// colons too.
func (x *Expander) Value(ctx context.Context, w *syntax.Word) (string, error) {
	return x.text(ctx, w, modeLiteral, true)
}

// Redirect expands the file name of a redirection: as Fields, but anything
// else than one field is bash's "ambiguous redirect".
func (x *Expander) Redirect(ctx context.Context, w *syntax.Word) (string, error) {
	if s, ok := x.plain(w); ok {
		return s, nil
	}
	fields, err := x.Fields(ctx, w)
	if err != nil {
		return "", err
	}
	if len(fields) != 1 {
		return "", &Error{Msg: source(w) + ": ambiguous redirect", Severity: Fail, Status: 1}
	}
	return fields[0], nil
}

// Pattern expands a word to a pattern for package pattern: what was quoted
// matches itself.
func (x *Expander) Pattern(ctx context.Context, w *syntax.Word) (string, error) {
	return x.text(ctx, w, modePattern, false)
}

// Match reports whether s matches the pattern that w expands to, as case
// does (nocasematch is honoured).
func (x *Expander) Match(ctx context.Context, s string, w *syntax.Word) (bool, error) {
	if len(w.Parts) == 1 && !x.Options.NoCaseMatch {
		if l, ok := w.Parts[0].(*syntax.Lit); ok {
			switch {
			case l.Value == "*":
				return true, nil
			case plainText(l.Value):
				return s == l.Value, nil
			}
		}
	}
	text, err := x.Pattern(ctx, w)
	if err != nil {
		return false, err
	}
	return x.match(ctx, text, s)
}

// match matches under the options of case and [[ ==, where extended forms
// always count.
func (x *Expander) match(ctx context.Context, text, s string) (bool, error) {
	flags := x.patternFlags() | pattern.Extended
	if x.Options.NoCaseMatch {
		flags |= pattern.FoldCase
	}
	return x.compiled(text, flags).Match(ctx, s)
}

// patternFlags answers the flags that follow from the locale and extglob.
func (x *Expander) patternFlags() pattern.Flags { return x.Options.patternFlags(x.Vars.UTF8()) }

func (o *Options) patternFlags(utf8 bool) pattern.Flags {
	var f pattern.Flags
	if o.ExtGlob {
		f |= pattern.Extended
	}
	if utf8 {
		f |= pattern.UTF8
	}
	return f
}

type patternKey struct {
	text  string
	flags pattern.Flags
}

// maxPatterns bounds the cache of compiled patterns.
const maxPatterns = 256

// compiled compiles a pattern, or takes it from the cache.
func (x *Expander) compiled(text string, f pattern.Flags) *pattern.Pattern {
	k := patternKey{text, f}
	if p := x.patterns[k]; p != nil {
		return p
	}
	p := pattern.Compile(text, f)
	if len(text) <= 256 {
		if x.patterns == nil || len(x.patterns) >= maxPatterns {
			x.patterns = make(map[patternKey]*pattern.Pattern)
		}
		x.patterns[k] = p
	}
	return p
}
