package vars

import (
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"mirage/internal/budget"
)

// Vars is a variable store. Create it with New or Clone.
type Vars struct {
	// Eval evaluates arithmetic text for integer variables. Whoever expands
	// words sets it; nil takes decimal numbers only.
	Eval func(text string) (int64, error)
	// Subscript evaluates the subscript inside of a nameref, which may hold
	// expansions; nil means Eval.
	Subscript func(text string) (int64, error)
	// Warn prints a message that stops nothing; nil drops it.
	Warn func(msg string)
	// AllExport is `set -a`: every variable that is assigned is exported.
	AllExport bool
	// LocalInherit is `shopt -s localvar_inherit`.
	LocalInherit bool
	// LocalUnset is `shopt -s localvar_unset`.
	LocalUnset bool

	host   Host
	guard  WriteGuard // nil: anything may change
	now    func() time.Time
	budget *budget.Budget // shared by a store and all its clones
	node   *node
	held   int64 // bytes charged to the budget by this store
	orphan int64 // of them, held only by clones

	table    map[string]*variable
	tableOwn bool   // the map was made by this store ...
	tableSeq uint64 // ... at this time
	seq      uint64 // counts clones; a new variable's seq
	scopes   []scope

	environ      []string
	environValid bool
	utf8         bool
	utf8Valid    bool
	clock        clock
	random       random
}

// node counts who can see a store's variables: the store itself until it is
// released, and its clones with theirs.
type node struct {
	parent *node
	live   atomic.Int32 // 1 for the store itself + live clones
	debt   atomic.Int64 // bytes to give back when live drops to 0
	budget *budget.Budget
}

func (n *node) release() {
	for n != nil && n.live.Add(-1) == 0 {
		n.budget.Give(n.debt.Load())
		n = n.parent
	}
}

// New makes a store that holds the variables of Options.Environ, those of
// Options.Dynamic, and those that bash itself sets and that need no executor:
// IFS, OPTIND, OPTERR, PS4, RANDOM, SRANDOM, SECONDS, EPOCHSECONDS and
// EPOCHREALTIME.
func New(o Options) *Vars {
	v := &Vars{
		host:     o.Host,
		now:      o.Now,
		budget:   o.Budget,
		table:    make(map[string]*variable, 64),
		tableOwn: true,
	}
	if v.now == nil {
		v.now = time.Now
	}
	if v.budget == nil {
		v.budget = budget.New(o.Memory)
	}
	v.node = &node{budget: v.budget}
	v.node.live.Store(1)
	v.clock.start = v.now()
	v.random = newRandom(o.Seed)
	for _, e := range o.Environ {
		if name, value, ok := strings.Cut(e, "="); ok && ValidName(name) {
			va := v.create(name)
			va.str, va.set, va.attr = value, true, Export
			v.charge(int64(len(value)))
		}
	}
	for _, d := range []struct{ name, value string }{{"IFS", " \t\n"}, {"OPTIND", "1"}, {"OPTERR", "1"}, {"PS4", "+ "}} {
		va := v.create(d.name)
		va.str, va.set = d.value, true
		if d.name == "OPTIND" {
			va.attr = Integer
		}
	}
	for _, d := range ownDynamics {
		va := v.create(d.name)
		va.dyn, va.set, va.attr = d.id, true, d.attr
	}
	for _, d := range o.Dynamic {
		va := v.create(d.Name)
		va.dyn, va.set, va.attr, va.kind = dynHost, true, d.Attr, d.Kind
		if va.kind == NoKind {
			va.kind = Scalar
		}
	}
	v.guard = guardOf(o.Host)
	return v
}

// charge takes delta bytes from the budget. Giving back always works.
func (v *Vars) charge(delta int64) error {
	if delta == 0 {
		return nil
	}
	if delta < 0 {
		v.budget.Give(-delta)
	} else if !v.budget.Take(delta) {
		return ErrMemory
	}
	v.held += delta
	return nil
}

// Held is the number of bytes taken of the budget: what this store and its
// relatives hold, and whoever else shares it.
func (v *Vars) Held() int64 { return v.budget.Used() }

// Now answers the time of the store's clock.
func (v *Vars) Now() time.Time { return v.now() }

// Clone makes the store of a subshell. It costs little: what both hold is
// copied when either changes it. host replaces the Host; Eval and Warn are
// left for the clone's own expander to set. Call Release on the clone when
// its shell has ended, so that its parent may change values in place again.
func (v *Vars) Clone(host Host) *Vars {
	v.settle()
	v.seq++
	v.node.live.Add(1)
	c := &Vars{
		AllExport:    v.AllExport,
		LocalInherit: v.LocalInherit,
		LocalUnset:   v.LocalUnset,
		host:         host,
		guard:        guardOf(host),
		now:          v.now,
		budget:       v.budget,
		node:         &node{parent: v.node, budget: v.budget},
		table:        v.table,
		scopes:       cloneScopes(v.scopes),
		environ:      v.environ,
		environValid: v.environValid,
		utf8:         v.utf8,
		utf8Valid:    v.utf8Valid,
		clock:        v.clock,
		random:       v.random,
	}
	c.node.live.Store(1)
	c.random.subshell(v.now)
	return c
}

// Release ends the use of a clone and gives back its memory budget.
func (v *Vars) Release() {
	v.node.debt.Add(v.held)
	v.held = 0
	v.node.release()
}

// settle gives back the bytes of what only clones held, once they are gone.
func (v *Vars) settle() {
	if v.orphan != 0 && !v.shared() {
		v.charge(-v.orphan)
		v.orphan = 0
	}
}

// shared reports whether a clone of this store is alive.
func (v *Vars) shared() bool { return v.node.live.Load() > 1 }

// own answers va, or a copy of it in its place, that may be changed. The
// clones that see the old one keep it.
func (v *Vars) own(va *variable) *variable {
	if va.owner == v && (va.seq == v.seq || !v.shared()) {
		return va
	}
	c := v.copyOf(va)
	top := v.table[va.name]
	if top == va {
		v.ownTable()
		v.table[va.name] = c
		return c
	}
	// va is hidden by others, which must be changeable to point at c.
	top = v.own(top)
	for top.outer != va {
		if o := top.outer; o.owner != v || o.seq != v.seq && v.shared() {
			top.outer = v.copyOf(o)
		}
		top = top.outer
	}
	top.outer = c
	return c
}

// copyOf makes this store's own copy of va. It never fails for lack of
// budget, as a fork's copy does not; what is added to it then may.
func (v *Vars) copyOf(va *variable) *variable {
	c := new(variable)
	*c = *va
	c.owner, c.seq, c.grown = v, v.seq, nil
	if va.list != nil {
		c.list = va.list.clone()
	}
	if va.hash != nil {
		c.hash = va.hash.clone()
	}
	n := va.size()
	v.budget.Force(n)
	v.held += n
	if va.owner == v {
		v.orphan += n
	}
	return c
}

// ownTable makes the map of names changeable.
func (v *Vars) ownTable() {
	if v.tableOwn && (v.tableSeq == v.seq || !v.shared()) {
		v.tableSeq = v.seq
		return
	}
	t := make(map[string]*variable, len(v.table)+8)
	for k, va := range v.table {
		t[k] = va
	}
	v.table, v.tableOwn, v.tableSeq = t, true, v.seq
}

// create makes a global scalar without a value. Nothing of that name exists.
func (v *Vars) create(name string) *variable {
	v.ownTable()
	va := &variable{name: name, kind: Scalar, watch: watched(name), owner: v, seq: v.seq}
	v.held += variableSize + int64(len(name))
	v.budget.Force(variableSize + int64(len(name)))
	v.table[name] = va
	return va
}

// visible answers the variable that name refers to now, creating a global one
// when there is none. Namerefs are not followed.
func (v *Vars) visible(name string) *variable {
	if va := v.table[name]; va != nil {
		return v.own(va)
	}
	return v.create(name)
}

// changed does what follows a change of va.
func (v *Vars) changed(va *variable) {
	if va.attr&Export != 0 {
		v.environValid = false
	}
	if va.watch {
		v.utf8Valid = false
		if v.host != nil {
			v.host.Changed(va.name)
		}
	}
}

// eval evaluates arithmetic text.
func (v *Vars) eval(text string) (int64, error) {
	if v.Eval != nil {
		return v.Eval(text)
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return 0, &Error{text, "syntax error: operand expected"}
	}
	return n, nil
}

// subscript evaluates the subscript inside of a nameref.
func (v *Vars) subscript(text string) (int64, error) {
	if v.Subscript != nil {
		return v.Subscript(text)
	}
	return v.eval(text)
}

func (v *Vars) warn(msg string) {
	if v.Warn != nil {
		v.Warn(msg)
	}
}
