package jq

import (
	"context"
	"errors"

	"mirage/internal/budget"
)

// The evaluator is a machine that steps through compiled nodes. What is still
// to be done with a value is a chain of frames (a continuation), never changed
// once made; where a program may give another output, a choice is left on a
// stack. Nothing recurses on Go's stack as deep as a program does, tail calls
// leave no frame behind, and all that a run holds can be found from a few
// roots, which is how its memory is bounded.

// node is a piece of compiled program. exec starts it on the machine's value:
// it answers what to run next, or nil when the machine's value is its output.
type node interface {
	exec(m *machine) node
}

// simple computes the one output of an expression that has just one, without
// the machine. A nil simple marks an expression that may have any number.
type simple func(m *machine, e *env, v any) (any, error)

// expr is a compiled expression.
type expr struct {
	node node
	fn   simple
}

// env is a variable and those around it. Chains are shared and never changed.
type env struct {
	parent  *env
	value   any
	closure *closure // of a function's parameter; nil for a value
}

// closure is an argument: an expression and the variables it sees.
type closure struct {
	node node
	env  *env
}

func (e *env) up(n int) *env {
	for ; n > 0; n-- {
		e = e.parent
	}
	return e
}

// path is where the machine's value was found, when paths are followed: the
// last step, and the steps before it.
type path struct {
	parent *path
	key    any
	at     any // the value there
}

func (p *path) list() []any {
	n := 0
	for q := p; q.parent != nil; q = q.parent {
		n++
	}
	list := make([]any, n)
	for q := p; q.parent != nil; q = q.parent {
		n--
		list[n] = q.key
	}
	return list
}

// frame is a step of a continuation. resume takes the machine's value.
type frame interface {
	resume(m *machine) node
	next() frame
}

// handler is a frame that errors stop at.
type handler interface {
	frame
	catch(m *machine, err *jqError) node
}

// choice is where to go on after an output, and with what.
type choice struct {
	node  node        // to run, when alt is nil
	alt   alternative // decides by itself
	env   *env
	value any
	path  *path
	frame frame
}

// alternative is a choice with a state: the rest of an iteration, the end of
// a reduction. The choice has been taken off the stack.
type alternative interface {
	retry(m *machine) node
}

// machine runs a program on one input.
type machine struct {
	ctx   context.Context
	prog  *compiled
	limit int64
	held  budget.Meter

	value   any
	path    *path
	env     *env
	frame   frame
	choices []choice
	done    bool
	err     error
	steps   int

	allocated int64 // since the memory was last counted
	budget    int64 // to allocate before it is counted again
}

// fatalError ends a run; programs cannot catch it.
type fatalError struct{ text string }

func (e *fatalError) Error() string { return e.text }

var errMemory = &fatalError{"out of memory"}

func newMachine(ctx context.Context, p *compiled, limit int64, held budget.Meter) *machine {
	return &machine{ctx: ctx, prog: p, limit: limit, held: held, budget: min(firstCount, limit), done: true}
}

// start sets the machine on an input.
func (m *machine) start(v any) {
	m.value, m.path, m.env, m.frame = v, nil, nil, nil
	m.choices = append(m.choices[:0], choice{node: m.prog.main, value: v})
	m.done, m.err = false, nil
}

// next answers the next output; ok is false after the last.
func (m *machine) next() (v any, ok bool, err error) {
	if m.done {
		return nil, false, m.err
	}
	n := m.backtrack()
	for !m.done {
		if err := m.tick(); err != nil {
			return nil, false, err
		}
		switch {
		case n != nil:
			n = n.exec(m)
		case m.frame == nil:
			return m.value, true, nil
		default:
			n = m.frame.resume(m)
		}
	}
	return nil, false, m.err
}

// tick counts a step, and looks now and then whether the run has been
// cancelled or holds too much.
func (m *machine) tick() error {
	m.steps++
	if m.steps%256 != 0 {
		return nil
	}
	if err := m.ctx.Err(); err != nil {
		m.done, m.err = true, err
		return err
	}
	if m.allocated > m.budget {
		if err := m.count(); err != nil {
			m.done, m.err = true, err
			return err
		}
	}
	return nil
}

// push leaves a choice that runs n in the present state.
func (m *machine) push(n node) {
	m.choices = append(m.choices, choice{node: n, env: m.env, value: m.value, path: m.path, frame: m.frame})
	m.allocated += 96
}

func (m *machine) pushAlternative(a alternative) {
	m.choices = append(m.choices, choice{alt: a, env: m.env, value: m.value, path: m.path, frame: m.frame})
	m.allocated += 96
}

// cut drops the choices above a height.
func (m *machine) cut(height int) {
	clear(m.choices[height:])
	m.choices = m.choices[:height]
}

// backtrack goes back to the last choice.
func (m *machine) backtrack() node {
	n := len(m.choices) - 1
	if n < 0 {
		m.done = true
		return nil
	}
	c := m.choices[n]
	m.choices[n] = choice{}
	m.choices = m.choices[:n]
	m.env, m.value, m.path, m.frame = c.env, c.value, c.path, c.frame
	if c.alt != nil {
		return c.alt.retry(m)
	}
	return c.node
}

// raise lets the nearest handler around catch an error.
func (m *machine) raise(err error) node {
	var e *jqError
	if errors.As(err, &e) {
		for f := m.frame; f != nil; f = f.next() {
			if h, ok := f.(handler); ok {
				return h.catch(m, e)
			}
		}
	}
	m.done, m.err = true, err
	m.cut(0)
	return nil
}

// output gives a value to the continuation.
func (m *machine) output(v any, err error) node {
	if err != nil {
		return m.raise(err)
	}
	m.value = v
	return nil
}
