// Package vars is the variable store of a shell: scalars, indexed and
// associative arrays, attributes, namerefs, function scopes with dynamic
// scoping, temporary environments, and the variables whose value is computed
// (RANDOM, SECONDS, LINENO, ...), as bash 5.2 has them.
//
// A Vars belongs to one goroutine. Clone makes the copy that a subshell or a
// background job runs on; parent and clone may then be used concurrently.
package vars

import (
	"errors"
	"strings"
	"time"

	"mirage/internal/budget"
)

// Attr is the set of attributes that declare gives.
type Attr uint16

// The attributes, with declare's letters.
const (
	Export   Attr = 1 << iota // x
	ReadOnly                  // r
	Integer                   // i
	Lower                     // l
	Upper                     // u
	Capital                   // c
	Nameref                   // n
	Trace                     // t
)

// Kind is the shape of a variable's value.
type Kind uint8

// The kinds. NoKind in a request means "as it is, a scalar when new".
const (
	NoKind Kind = iota
	Scalar
	Indexed
	Assoc
)

// Host answers the variables that are the executor's state: LINENO, FUNCNAME,
// BASH_SOURCE, BASH_LINENO, PIPESTATUS, DIRSTACK, BASHPID, BASH_SUBSHELL,
// BASH_COMMAND, BASH_ARGV, BASH_ARGC, BASH_ARGV0, GROUPS, HISTCMD, SHELLOPTS,
// BASHOPTS, "_", COMP_*, and whatever else Options.Dynamic names.
type Host interface {
	// Dynamic answers the elements of a dynamic variable: one for a scalar,
	// key and value in turn for an associative array; none when it is unset
	// for now (FUNCNAME outside of functions). The slice may be reused by
	// the next call.
	Dynamic(name string) []string
	// SetDynamic is told of an assignment to a dynamic variable; bash
	// ignores most of them. sub is "" for a scalar, else the subscript. To
	// unset an element of BASH_ALIASES or BASH_CMDS, value is nil.
	SetDynamic(name, sub string, value *string) error
	// Changed is told after a variable whose change has effects was set or
	// unset: PATH, IFS, OPTIND, OPTERR, HOME, TZ, LANG, LC_*, HISTSIZE,
	// HISTFILESIZE, HISTCONTROL, HISTIGNORE, HISTTIMEFORMAT, POSIXLY_CORRECT,
	// IGNOREEOF, TERM, COLUMNS, LINES, FUNCNEST, GLOBIGNORE, EXECIGNORE,
	// BASH_XTRACEFD, BASH_COMPAT.
	Changed(name string)
}

// WriteGuard is a Host that is asked before a variable changes; value is nil
// when it, or an element of it, is unset. Force asks nobody, nor does what a
// store begins with.
type WriteGuard interface {
	MayWrite(name string, value *string) error
}

// Dynamic declares one variable of the Host.
type Dynamic struct {
	Name string
	Kind Kind
	Attr Attr
}

// Options make a Vars.
type Options struct {
	Host    Host // nil = no dynamic variables, nobody told of changes
	Dynamic []Dynamic
	Now     func() time.Time // nil = time.Now
	Seed    uint32           // of RANDOM
	Memory  int64            // most bytes held by this store and its clones; 0 = no limit
	// Budget, when set, is what the bytes are taken from instead: stores that
	// are no clones of each other can share it.
	Budget  *budget.Budget
	Environ []string // NAME=value, imported as exported variables
}

// ErrMemory reports that the store and its clones would hold more bytes than
// Options.Memory or Options.Budget allows.
var ErrMemory = errors.New("limit exceeded")

// ErrCircular reports an assignment through namerefs that go in circles; the
// warning about it has been given.
var ErrCircular = errors.New("circular name reference")

// Error is a refused change of a variable, worded as bash words it without
// the command's name: "x: readonly variable".
type Error struct {
	Name string // what the message starts with
	Text string // "readonly variable"
}

// Error answers "name: text".
func (e *Error) Error() string { return e.Name + ": " + e.Text }

func readOnly(name string) error { return &Error{name, "readonly variable"} }

// Info describes a variable without its value.
type Info struct {
	Name  string
	Kind  Kind
	Attr  Attr
	Set   bool // has a value; declare without one leaves it unset
	Local bool // of the innermost function scope
}

// variable is one binding of a name. outer is the binding that it hides.
//
// A variable is changed in place only by the store that made it and only
// while no live clone can see it; see (*Vars).own.
type variable struct {
	name  string
	attr  Attr
	kind  Kind // Scalar, Indexed or Assoc
	set   bool
	watch bool // Host.Changed is told
	dyn   dynamicID
	level int // 0 = global, else 1 + index of its scope
	seq   uint64
	owner *Vars

	str   string
	grown *strings.Builder // holds str with room after it, when it was appended to
	list  *indexed
	hash  *assoc
	outer *variable
}

// setText replaces the text of a scalar or nameref.
func (va *variable) setText(s string) { va.str, va.grown = s, nil }

// size is what a variable counts for in the memory budget.
func (va *variable) size() int64 {
	n := int64(variableSize + len(va.name) + len(va.str))
	if va.list != nil {
		n += va.list.size
	}
	if va.hash != nil {
		n += va.hash.size
	}
	return n
}

// variableSize is the cost of a variable beyond its texts.
const variableSize = 128

// value answers element 0.
func (va *variable) value() (string, bool) {
	switch va.kind {
	case Indexed:
		if va.list != nil {
			return va.list.get(0)
		}
		return "", false
	case Assoc:
		if va.hash != nil {
			return va.hash.get("0")
		}
		return "", false
	}
	return va.str, va.set
}

// watched reports whether the Host wants to know of changes of name.
func watched(name string) bool {
	switch name {
	case "PATH", "IFS", "OPTIND", "OPTERR", "HOME", "TZ", "LANG", "LC_ALL", "LC_CTYPE", "LC_COLLATE",
		"LC_MESSAGES", "LC_NUMERIC", "LC_TIME", "HISTSIZE", "HISTFILESIZE", "HISTCONTROL", "HISTIGNORE",
		"HISTTIMEFORMAT", "POSIXLY_CORRECT", "IGNOREEOF", "TERM", "COLUMNS", "LINES", "FUNCNEST",
		"GLOBIGNORE", "EXECIGNORE", "BASH_XTRACEFD", "BASH_COMPAT":
		return true
	}
	return false
}

// ValidName reports whether s is a name: letters, digits and underscores, not
// starting with a digit.
func ValidName(s string) bool {
	if s == "" || '0' <= s[0] && s[0] <= '9' {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

// SplitRef splits a reference like "a[1]" into name and subscript. ok is
// false when ref is neither a name nor a name with a subscript. sub is "" and
// indexed false for a plain name.
func SplitRef(ref string) (name, sub string, indexed, ok bool) {
	for i := 0; i < len(ref); i++ {
		if ref[i] == '[' {
			name = ref[:i]
			if ref[len(ref)-1] != ']' || len(ref) < i+3 || !ValidName(name) {
				return "", "", false, false
			}
			return name, ref[i+1 : len(ref)-1], true, true
		}
	}
	return ref, "", false, ValidName(ref)
}
