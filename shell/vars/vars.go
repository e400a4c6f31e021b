// Package vars is the variable store of a shell: scalars, indexed and
// associative arrays, attributes, namerefs, function scopes with dynamic
// scoping, temporary environments, and the variables whose value is computed
// (RANDOM, SECONDS, LINENO, ...), as bash 5.2 has them.
//
// A Vars belongs to one goroutine. Clone makes the copy that a subshell or a
// background job runs on; parent and clone may then be used concurrently.
package vars

import (
	"time"
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
	// Dynamic answers the elements of a dynamic variable, one for a scalar;
	// none when it is unset for now (FUNCNAME outside of functions). The
	// slice may be reused by the next call.
	Dynamic(name string) []string
	// SetDynamic is told of an assignment to element index (0 for scalars)
	// of a dynamic variable; bash ignores most of them.
	SetDynamic(name string, index int64, value string) error
	// Changed is told after a variable whose change has effects was set or
	// unset: PATH, IFS, OPTIND, OPTERR, HOME, TZ, LANG, LC_*, HISTSIZE,
	// HISTFILESIZE, POSIXLY_CORRECT, IGNOREEOF, TERM, COLUMNS, LINES,
	// FUNCNEST, GLOBIGNORE, EXECIGNORE, BASH_XTRACEFD, BASH_COMPAT.
	Changed(name string)
}

// Dynamic declares one variable of the Host.
type Dynamic struct {
	Name string
	Kind Kind
	Attr Attr
}

// Options make a Vars.
type Options struct {
	Host    Host
	Dynamic []Dynamic
	Now     func() time.Time // nil = time.Now
	Seed    uint32           // of RANDOM
	Memory  int64            // most bytes held by this store and its clones; 0 = no limit
	Environ []string         // NAME=value, imported as exported variables
}
