package shell

import (
	"maps"
	"math/bits"
)

// traps are the actions of trap. A nil action means none; an empty one that
// the signal is ignored.
type traps struct {
	exit, err, debug, ret *string
	signals               map[signal]string
	// parent is the table of the shell that this one is a subshell of: trap
	// prints it until it changes one.
	parent  *traps
	running bool // a DEBUG, ERR or RETURN trap runs
	// places tells where the trap commands stood that set the actions.
	places map[string]string
}

// forSubshell answers the traps of a subshell: ignored signals stay ignored,
// and set -E and set -T pass ERR, DEBUG and RETURN on.
func (t *traps) forSubshell(errtrace, functrace bool) traps {
	if t.exit == nil && t.err == nil && t.debug == nil && t.ret == nil && len(t.signals) == 0 {
		return traps{}
	}
	parent := *t
	if t.parent != nil {
		parent = *t.parent
	}
	c := traps{parent: &parent, running: t.running, places: t.places}
	if errtrace {
		c.err = t.err
	}
	if functrace {
		c.debug, c.ret = t.debug, t.ret
	}
	for s, action := range t.signals {
		if action == "" {
			c.setSignal(s, &action)
		}
	}
	return c
}

// ignored reports whether a signal is ignored.
func (t *traps) ignored(s signal) bool {
	action, ok := t.signals[s]
	return ok && action == ""
}

func (t *traps) setSignal(s signal, action *string) {
	t.signals = maps.Clone(t.signals)
	if t.signals == nil {
		t.signals = map[signal]string{}
	}
	if action == nil {
		delete(t.signals, s)
	} else {
		t.signals[s] = *action
	}
}

// maxTrapPlaces bounds the actions whose places are remembered; the oldest
// ones then count as set by an earlier line.
const maxTrapPlaces = 256

// standAt notes where the trap command of an action stands.
func (t *traps) standAt(action *string, place string) {
	if action == nil || *action == "" || place == "" {
		return
	}
	places := maps.Clone(t.places)
	if places == nil || len(places) >= maxTrapPlaces {
		places = map[string]string{}
	}
	places[*action] = place
	t.places = places
}

// childDisposition is how a program started here takes signals: what the
// shell ignores it ignores.
func (t *traps) childDisposition() func(signal) bool {
	if len(t.signals) == 0 {
		return nil
	}
	signals := t.signals
	return func(s signal) bool {
		action, ok := signals[s]
		return ok && action == ""
	}
}

// takeSignal is the shell's disposition of a signal: trapped and ignored ones
// are taken, the rest have their default action. It may be called from any
// goroutine.
func (e *Executor) takeSignal(s signal) bool {
	mask := e.trapMask.Load()
	if s <= 0 || s > 64 || mask&(1<<(s-1)) == 0 {
		return false
	}
	if e.ignoreMask.Load()&(1<<(s-1)) != 0 {
		return true
	}
	e.pending.Or(1 << (s - 1))
	select {
	case e.wakeup <- struct{}{}:
	default:
	}
	return true
}

// publishTraps tells takeSignal which signals are trapped or ignored.
func (e *Executor) publishTraps() {
	var trapped, ignored uint64
	for s, action := range e.traps.signals {
		trapped |= 1 << (s - 1)
		if action == "" {
			ignored |= 1 << (s - 1)
		}
	}
	e.trapMask.Store(trapped)
	e.ignoreMask.Store(ignored)
}

// runPending runs the traps of the signals that came in.
func (e *Executor) runPending() {
	for {
		mask := e.pending.Load()
		if mask == 0 {
			return
		}
		n := bits.TrailingZeros64(mask)
		e.pending.And(^(uint64(1) << n))
		if action := e.traps.signals[signal(n+1)]; action != "" {
			e.runTrap(action, 1)
			if e.flow != flowNone {
				return
			}
		}
	}
}

// runTrap runs a trap's action, whose lines count on from at; $? is as before
// afterwards.
func (e *Executor) runTrap(action string, at int) {
	status, pipes, levels, flow := e.status, e.pipeStatus, e.levels, e.flow
	e.flow = flowNone
	line := e.lineno
	saved := e.trapStatus
	e.inTrap++
	e.trapStatus = status
	e.evalText(action, at, e.traps.places[action])
	e.inTrap--
	e.lineno, e.trapStatus = line, saved
	if e.flow == flowNone {
		e.status, e.pipeStatus, e.levels, e.flow = status, pipes, levels, flow
	}
}

// exitTrap runs the EXIT trap once, as the shell leaves.
func (e *Executor) exitTrap() {
	if e.traps.exit == nil || *e.traps.exit == "" {
		return
	}
	if e.ctx.Err() != nil {
		// A signal's death runs the trap, the end of the line does not.
		if killedBy(e.ctx) == 0 || e.s.ctx.Err() != nil {
			return
		}
		e.ctx = e.s.ctx
	}
	action := *e.traps.exit
	e.traps.exit = nil
	status := e.status
	e.flow, e.gaveUp, e.quiet = flowNone, false, 0
	e.loops = 0
	e.inTrap++
	e.trapStatus = status
	e.evalText(action, 1, e.traps.places[action])
	e.inTrap--
	if e.flow != flowExit {
		e.status = status
	}
}

// special runs a DEBUG, ERR or RETURN trap, which does not nest.
func (e *Executor) special(action *string) {
	if action == nil || *action == "" || e.traps.running {
		return
	}
	e.traps.running = true
	current := e.current
	e.runTrap(*action, e.lineno)
	e.current = current
	e.traps.running = false
}

func (e *Executor) errTrap()    { e.special(e.traps.err) }
func (e *Executor) returnTrap() { e.special(e.traps.ret) }

// debugTrap runs the DEBUG trap before a command; false means that the
// command is to be skipped (extdebug).
func (e *Executor) debugTrap() bool {
	if e.traps.debug == nil || e.traps.running || *e.traps.debug == "" {
		return true
	}
	e.traps.running = true
	status, pipes, current, line := e.status, e.pipeStatus, e.current, e.lineno
	e.inTrap++
	e.evalText(*e.traps.debug, line, e.traps.places[*e.traps.debug])
	e.inTrap--
	result := e.status
	e.traps.running = false
	e.current, e.lineno = current, line
	if e.flow == flowNone {
		e.status, e.pipeStatus = status, pipes
	}
	return e.flow == flowNone && (result == 0 || !e.shopts[shoptExtdebug])
}

// enterFunction hides the traps that a function does not inherit and answers
// them for leaveFunction.
func (t *traps) enterFunction(e *Executor, fn *function) (debug, ret, onErr *string) {
	debug, ret, onErr = t.debug, t.ret, t.err
	if debug != nil || ret != nil {
		if !e.opts[optFunctrace] && !fn.traced {
			t.debug, t.ret = nil, nil
		}
	}
	if onErr != nil && !e.opts[optErrtrace] {
		t.err = nil
	}
	return debug, ret, onErr
}

// leaveFunction brings hidden traps back, unless the function set its own.
func (t *traps) leaveFunction(debug, ret, onErr *string) {
	if t.debug == nil {
		t.debug = debug
	}
	if t.ret == nil {
		t.ret = ret
	}
	if t.err == nil {
		t.err = onErr
	}
}
