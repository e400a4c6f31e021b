package vars

import "errors"

// ErrMemory reports that the store and its clones would hold more bytes than
// Options.Memory allows.
var ErrMemory = errors.New("limit exceeded")

// Error is a refused change of a variable, worded as bash words it without
// the command's name: "x: readonly variable".
type Error struct {
	Name string // what the message starts with
	Text string // "readonly variable"
}

// Error answers "name: text".
func (e *Error) Error() string { return e.Name + ": " + e.Text }

// Vars is a variable store.
type Vars struct{}

// New makes a store that holds the variables of Options.Environ and those
// that bash itself sets and that need no executor: IFS, OPTIND, RANDOM,
// SRANDOM, SECONDS, EPOCHSECONDS, EPOCHREALTIME.
func New(o Options) *Vars { return &Vars{} }

// Clone makes the store of a subshell. It costs O(1): what both hold is
// copied when either changes it. host replaces the Host. Call Release on the
// clone when its shell has ended, so that its parent may change values in
// place again.
func (v *Vars) Clone(host Host) *Vars { return &Vars{} }

// Release ends the use of a clone and gives back its memory budget.
func (v *Vars) Release() {}

// Get answers the value of a variable as $name expands: element 0 of an
// array, "" when unset. Namerefs are followed.
func (v *Vars) Get(name string) string { return "" }

// Lookup is Get that tells unset from empty.
func (v *Vars) Lookup(name string) (value string, set bool) { return "", false }

// Set assigns to a scalar, or to element 0 of an array (key "0" of an
// associative one), honouring attributes and namerefs. A new variable is made
// in the global scope.
func (v *Vars) Set(name, value string) error { return nil }

// SetLocal assigns a local of the current function scope, made when needed.
func (v *Vars) SetLocal(name, value string) error { return nil }

// Force is Set that no attribute refuses, for what the shell itself sets
// (PWD, OLDPWD, PPID, SHELLOPTS).
func (v *Vars) Force(name, value string, add Attr) {}

// Elements answers the values of an array in order, or the one of a scalar.
func (v *Vars) Elements(name string) []string { return nil }

// Keys answers the subscripts of an array in the order of Elements; "0" of a
// scalar that is set.
func (v *Vars) Keys(name string) []string { return nil }

// Len is the number of elements.
func (v *Vars) Len(name string) int { return 0 }

// Index answers one element of an indexed array; a negative index counts from
// the end.
func (v *Vars) Index(name string, i int64) (string, bool) { return "", false }

// Key answers one element of an associative array.
func (v *Vars) Key(name, key string) (string, bool) { return "", false }

// SetIndex assigns one element of an indexed array; a scalar becomes one.
func (v *Vars) SetIndex(name string, i int64, value string) error { return nil }

// SetKey assigns one element of an associative array.
func (v *Vars) SetKey(name, key, value string) error { return nil }

// SetElements replaces an indexed array as a whole (read -a, mapfile).
func (v *Vars) SetElements(name string, values []string) error { return nil }

// Unset removes a variable: the innermost one, which uncovers an outer one as
// bash does. Unsetting what is not set is no error. A nameref is followed.
func (v *Vars) Unset(name string) error { return nil }

// UnsetNameref removes the nameref itself (unset -n).
func (v *Vars) UnsetNameref(name string) error { return nil }

// UnsetIndex removes one element of an indexed array.
func (v *Vars) UnsetIndex(name string, i int64) error { return nil }

// UnsetKey removes one element of an associative array.
func (v *Vars) UnsetKey(name, key string) error { return nil }

// Info describes a variable without its value.
type Info struct {
	Name  string
	Kind  Kind
	Attr  Attr
	Set   bool // has a value; declare without one leaves it unset
	Local bool // of the innermost function scope
}

// Info describes a variable; ok is false when there is none of that name.
// Namerefs are not followed.
func (v *Vars) Info(name string) (info Info, ok bool) { return Info{}, false }

// Resolve follows namerefs from name to the variable that they name in the
// end, which may be unset or an element like "a[1]". It answers name itself
// for anything else.
func (v *Vars) Resolve(name string) (target string, err error) { return name, nil }

// Names lists the variables that exist, sorted, those without a value too.
func (v *Vars) Names() []string { return nil }

// LocalNames lists the variables of the innermost function scope, sorted.
func (v *Vars) LocalNames() []string { return nil }

// Prefixed lists the set variables whose names start with prefix, sorted, as
// ${!prefix@} does.
func (v *Vars) Prefixed(prefix string) []string { return nil }

// Environ lists the exported variables as NAME=value, sorted by name. The
// slice is cached: it must not be changed.
func (v *Vars) Environ() []string { return nil }

// PushFunc opens the scope of a function call. Variables that an enclosing
// temporary scope just below set up become locals of it, as in bash.
func (v *Vars) PushFunc() {}

// PushTemp opens a scope for the assignments before a command: SetTemp puts
// variables in it.
func (v *Vars) PushTemp() {}

// SetTemp assigns an exported variable of the innermost temporary scope.
func (v *Vars) SetTemp(name, value string) error { return nil }

// Pop closes the innermost scope, whatever its kind.
func (v *Vars) Pop() {}

// InFunc reports whether a function scope is open.
func (v *Vars) InFunc() bool { return false }

// Scope says where a declaration takes effect.
type Scope uint8

// The scopes of a declaration.
const (
	Nearest Scope = iota // the visible variable, a new one in the global scope (export, readonly)
	Local                // the innermost function scope (local; declare in a function)
	Global               // declare -g
)

// Declaration is a change of a variable's nature, without its value.
type Declaration struct {
	Add, Remove Attr
	Kind        Kind
	Scope       Scope
	Inherit     bool // local -I: value and attributes of the outer one
}

// Declare makes or changes a variable as d says. Errors are worded as bash
// words them ("x: cannot convert associative to indexed array").
func (v *Vars) Declare(name string, d Declaration) error { return nil }

// UTF8 reports whether LC_ALL, LC_CTYPE or LANG (the first that is not empty)
// names a UTF-8 locale, so that characters count instead of bytes.
func (v *Vars) UTF8() bool { return false }

// Held is the number of bytes that this store and its relatives hold.
func (v *Vars) Held() int64 { return 0 }

// Format answers the line that `declare -p name` prints, without newline; ok
// is false when there is no such variable.
func (v *Vars) Format(name string) (line string, ok bool) { return "", false }

// FormatSet answers the line that `set` prints; ok is false for a variable
// without a value.
func (v *Vars) FormatSet(name string) (line string, ok bool) { return "", false }

// Saved is a variable as Dump and Load exchange it.
type Saved struct {
	Value string
	Set   bool
	Array map[int]string
	Assoc map[string]string
	Keys  []string // of Assoc, in order
	Kind  string   // "", indexed, associative
	Flags string   // of declare: x r i l u n t
}

// Dump answers the global variables that are worth keeping: not the dynamic
// ones, not those of open scopes.
func (v *Vars) Dump() map[string]Saved { return nil }

// Load puts saved variables into the global scope, readonly ones too.
func (v *Vars) Load(map[string]Saved) error { return nil }
