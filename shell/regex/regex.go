// Package regex is the one regular-expression engine of the shell and its
// programs: POSIX basic and extended syntax (POSIX.1-2017, XBD chapter 9) with
// GNU's additions, in the dialects that glibc's regcomp, grep, sed, awk and
// find speak, and with glibc's error messages.
//
// A match is the leftmost one, and of those the longest. Groups report what
// glibc reports: within that overall match, the first way of matching that a
// backtracking search would find, the last iteration of a repeated group.
//
// Matching takes time linear in the text, by a deterministic automaton built
// as it goes, except for patterns with back-references, which are bounded by a
// step limit instead. Memory is bounded in both cases.
package regex

import (
	"sync"
)

// Flags choose the dialect of a pattern and how it matches.
type Flags uint

const (
	// Extended takes the pattern as an ERE, as regcomp's REG_EXTENDED does;
	// without it the pattern is a BRE.
	Extended Flags = 1 << iota
	// Grep relaxes the dialect to grep's: repeated repetitions, operators
	// without an operand and unfinished intervals are no errors.
	Grep
	// Awk is gawk's ERE: backslashes escape within brackets, operators
	// without an operand are ordinary. It implies Extended.
	Awk
	// Emacs is find -regex's default: a BRE where + and ? are operators.
	Emacs
	// StrictParens makes an ERE's unmatched ) an error, as sed -E does.
	StrictParens
	// Literal takes the pattern as a string, as grep -F does.
	Literal
	// IgnoreCase matches letters of either case.
	IgnoreCase
	// Newline is REG_NEWLINE: ^ and $ also match next to a newline, and
	// neither . nor [^x] match one.
	Newline
	// NotNewline is the second half of that alone.
	NotNewline
	// Lines is for texts of many lines that are searched at once: nothing
	// in the pattern matches a newline, and ^ and $ match next to one.
	Lines
	// UTF8 makes a character what UTF-8 says; without it, it is a byte. A
	// byte that is not valid UTF-8 is matched by nothing but itself.
	UTF8
	// WholeWord demands that no word character is next to the match, and
	// WholeLine that the match is the whole text (or line, with Newline or
	// Lines), as grep -w and -x do.
	WholeWord
	WholeLine
)

// Error is what is wrong with a pattern, worded as regerror(3) does.
type Error string

func (e Error) Error() string { return string(e) }

// The errors of Compile.
const (
	ErrPattern     = Error("Invalid regular expression")
	ErrCollate     = Error("Invalid collation character")
	ErrCharClass   = Error("Invalid character class name")
	ErrEscape      = Error("Trailing backslash")
	ErrBackRef     = Error("Invalid back reference")
	ErrBracket     = Error("Unmatched [, [^, [:, [., or [=")
	ErrParen       = Error(`Unmatched ( or \(`)
	ErrBrace       = Error(`Unmatched \{`)
	ErrInterval    = Error(`Invalid content of \{\}`)
	ErrRange       = Error("Invalid range end")
	ErrTooBig      = Error("Regular expression too big")
	ErrRepeat      = Error("Invalid preceding regular expression")
	ErrRightParen  = Error(`Unmatched ) or \)`)
	ErrClassSyntax = Error("character class syntax is [[:space:]], not [:space:]")
)

// ErrTooComplex is a Matcher's error when a pattern with back-references
// needs more steps than it may take.
const ErrTooComplex = Error("Regular expression match took too many steps")

// Limits on what a pattern may compile to.
const (
	maxInsts  = 250_000 // instructions
	maxDepth  = 1_000   // nesting of groups
	maxRepeat = 32_767  // RE_DUP_MAX
)

// Regexp is a compiled pattern. It is safe for concurrent use; the state of
// matching is in a Matcher.
type Regexp struct {
	prog     *prog
	relaxed  *prog // prog with every back-reference as ".*", when it has some
	groups   int
	warnings []string
	need     literal

	// A set of strings has its own automaton; prog is then compiled when
	// it is first asked for, which is where a match is.
	set    *stringSet
	verify bool // what the set finds is not decided yet
	late   sync.Once
	err    error // of the late compilation
	source []string
	flags  Flags
}

// Compile compiles one pattern.
func Compile(pattern string, flags Flags) (*Regexp, error) {
	return CompileList([]string{pattern}, flags)
}

// CompileList compiles the alternation of several patterns. Each is parsed by
// itself; groups are numbered throughout, and a back-reference counts within
// its own pattern.
func CompileList(patterns []string, flags Flags) (*Regexp, error) {
	if flags&Awk != 0 {
		flags |= Extended
	}
	if flags&Literal != 0 && len(patterns) >= minSetSize && flags&(UTF8|IgnoreCase) != UTF8|IgnoreCase {
		return &Regexp{
			set:    newStringSet(patterns, flags&IgnoreCase != 0, flags&WholeLine != 0),
			verify: flags&WholeWord != 0 && flags&WholeLine == 0,
			source: patterns,
			flags:  flags,
		}, nil
	}
	return compileList(patterns, flags)
}

func compileList(patterns []string, flags Flags) (*Regexp, error) {
	var alternatives []*node
	groups := 0
	var warnings []string
	if flags&Literal != 0 && len(patterns) > 1 {
		alternatives = []*node{parseLiterals(patterns, flags)}
	} else {
		for _, pattern := range patterns {
			p := &parser{src: pattern, flags: flags, syntax: dialect(flags), groups: groups, firstGroup: groups}
			n, err := p.parse()
			if err != nil {
				return nil, err
			}
			groups = p.groups
			warnings = append(warnings, p.warnings...)
			alternatives = append(alternatives, n)
		}
	}
	root := alternate(alternatives)
	switch {
	case flags&WholeLine != 0:
		root = concat(&node{op: opAssert, assert: assertLineStart}, root, &node{op: opAssert, assert: assertLineEnd})
	case flags&WholeWord != 0:
		root = concat(&node{op: opAssert, assert: assertNoWordBefore}, root, &node{op: opAssert, assert: assertNoWordAfter})
	}
	re := &Regexp{groups: groups, warnings: warnings, need: requiredLiteral(root, flags)}
	var err error
	if re.prog, err = compileProg(root, flags, false); err != nil {
		return nil, err
	}
	if re.prog.hasBackRef {
		if re.relaxed, err = compileProg(root, flags, true); err != nil {
			return nil, err
		}
	}
	return re, nil
}

// ready compiles the program of a set of strings; an error is for good.
func (re *Regexp) ready() error {
	if re.set != nil {
		re.late.Do(func() {
			full, err := compileList(re.source, re.flags)
			if err != nil {
				re.err = err
				return
			}
			re.prog = full.prog
		})
	}
	return re.err
}

// NumSubexp is the number of groups.
func (re *Regexp) NumSubexp() int { return re.groups }

// Warnings are grep's remarks about the pattern, without a prefix.
func (re *Regexp) Warnings() []string { return re.warnings }
