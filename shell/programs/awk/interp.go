package awk

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"mirage/internal/budget"
	"mirage/shell/program"
	"mirage/shell/program/stream"
	"mirage/shell/regex"
)

// signal tells how a statement ended.
type signal int

const (
	sigNone signal = iota
	sigBreak
	sigContinue
	sigReturn
	sigNext
	sigNextFile
	sigExit
)

// fatal is an error that ends the program; it is thrown as a panic and caught
// at the top.
type fatal struct{ text string }

// unwind is a panic that carries next, nextfile or exit out of a function.
type unwind struct{ sig signal }

// cell holds a variable: a scalar or an array. A parameter that was given a
// variable without a value becomes that variable's array when it is used as
// one.
type cell struct {
	v      value
	arr    *assoc
	origin *cell
	name   string
	param  bool
}

// maxCalls bounds how deep functions call each other.
const maxCalls = 20_000

// interp runs a compiled program.
type interp struct {
	meter budget.Meter
	ctx   context.Context
	inv   *program.Invocation
	name  string
	prog  *script

	globals []cell
	frame   []cell // of the function that runs
	stack   cellStack
	result  value // of return
	calls   int
	ranges  []bool // range patterns that are active
	pos     *position
	steps   int
	held    int64
	status  int
	inRules bool // records are being read

	record    string
	fields    []value // $1 and up
	nf        int
	split     bool // fields and nf are those of record
	joined    bool // record is that of the fields
	nr, fnr   float64
	fs, ofs   string
	rs, ors   string
	subsep    string
	convfmt   string
	ofmt      string
	rstart    float64
	rlength   float64
	filename  value
	rt        value
	errno     value
	ignore    value
	fieldSpec fieldSpec

	procinfo *cell
	sandbox  bool

	ignoreCase bool
	splitter   splitter
	regexes    map[string]*regex.Matcher
	foldRegex  map[string]*regex.Matcher

	out      *stream.Writer
	flush    bool // someone watches standard output
	outputs  map[string]*output
	inputs   map[string]*inputStream
	main     mainInput
	random   *rand.Rand
	seed     float64
	warnings []string
	buf      []byte
}

// fatalf ends the program with an error.
func (in *interp) fatalf(format string, args ...any) {
	panic(&fatal{in.where() + "fatal: " + fmt.Sprintf(format, args...)})
}

// where says which line of the program and which record are at work.
func (in *interp) where() string {
	var b strings.Builder
	if in.pos != nil {
		fmt.Fprintf(&b, "%s:%d: ", in.pos.source.name, in.pos.line)
	}
	if in.fnr > 0 {
		file := in.str(in.filename)
		if file == "" {
			file = "-"
		}
		fmt.Fprintf(&b, "(FILENAME=%s FNR=%s) ", file, formatNumber(in.fnr, ""))
	}
	return b.String()
}

func (in *interp) warnf(format string, args ...any) {
	in.out.Flush()
	io.WriteString(in.inv.Stderr, in.name+": "+in.where()+"warning: "+fmt.Sprintf(format, args...)+"\n")
}

// tick is called in loops and calls: it ends the program when the run is
// cancelled.
func (in *interp) tick() {
	if in.steps++; in.steps&255 == 0 {
		in.checkContext()
	}
}

func (in *interp) checkContext() {
	if err := in.ctx.Err(); err != nil {
		panic(cancelled{})
	}
}

// cancelled is the panic of a run whose context has ended.
type cancelled struct{}

// run runs the whole program, after something that may fail as it can, and
// answers its exit status.
func (in *interp) run(first func()) (status int) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *fatal:
			in.finish()
			io.WriteString(in.inv.Stderr, in.name+": "+r.text+"\n")
			status = 2
		case cancelled:
			in.finish()
			status = 2
		default:
			in.finish()
			panic(r)
		}
	}()
	first()
	sig := in.rulesOnce(in.prog.begin)
	if sig != sigExit && (len(in.prog.rules) > 0 || len(in.prog.end) > 0 || len(in.prog.beginFile) > 0 || len(in.prog.endFile) > 0) {
		sig = in.records()
	}
	in.inRules = false
	if in.rulesOnce(in.prog.end) == sigExit {
		sig = sigExit
	}
	status = in.finish()
	if in.status != 0 || sig == sigExit {
		return in.status
	}
	return status
}

// rulesOnce runs BEGIN or END actions.
func (in *interp) rulesOnce(rules []*rule) (sig signal) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		u, ok := r.(unwind)
		if !ok {
			panic(r)
		}
		sig = u.sig
		in.frame, in.calls = nil, 0
		switch sig {
		case sigNext:
			in.fatalf("`next' cannot be called from a `BEGIN' rule")
		case sigNextFile:
			in.fatalf("`nextfile' cannot be called from a `BEGIN' rule")
		}
	}()
	for _, r := range rules {
		if sig := r.action(in); sig == sigExit {
			return sig
		}
	}
	return sigNone
}

// records reads all records and runs the rules on each.
func (in *interp) records() signal {
	for {
		sig, more := in.someRecords()
		if sig == sigExit || !more {
			return sig
		}
	}
}

// someRecords reads records until there are none, or until next or exit was
// called in a function, which unwinds to here.
func (in *interp) someRecords() (sig signal, more bool) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		u, ok := r.(unwind)
		if !ok {
			panic(r)
		}
		sig, more = u.sig, true
		in.frame, in.calls = nil, 0
		if sig == sigNextFile {
			in.main.skipFile(in)
		}
	}()
	for {
		in.tick()
		if !in.main.next(in) {
			return sigNone, false
		}
		in.inRules = true
		switch in.runRules() {
		case sigExit:
			return sigExit, false
		case sigNextFile:
			in.main.skipFile(in)
		}
		if in.out.Err() != nil {
			return sigExit, false
		}
	}
}

// runRules runs the rules on the current record.
func (in *interp) runRules() signal {
	for _, r := range in.prog.rules {
		if !r.test(in) {
			continue
		}
		switch sig := r.action(in); sig {
		case sigNone:
		case sigNext:
			return sigNone
		default:
			return sig
		}
	}
	return sigNone
}

// call runs a user's function in a new frame.
func (in *interp) call(f *function, frame []cell) value {
	if in.calls++; in.calls > maxCalls {
		in.fatalf("function call nesting too deep")
	}
	in.tick()
	caller := in.frame
	in.frame = frame
	sig := f.run(in)
	in.frame = caller
	in.calls--
	for i := range frame {
		if c := &frame[i]; c.arr != nil && c.origin == nil {
			in.release(c.arr)
		}
	}
	if sig > sigReturn {
		panic(unwind{sig})
	}
	v := in.result
	in.result = value{}
	return v
}

// array answers a cell's array, making the cell one if it can be.
func (in *interp) array(c *cell) *assoc {
	if c.arr != nil {
		return c.arr
	}
	if c.v.k != kindUnset {
		if c.param {
			in.fatalf("attempt to use scalar parameter `%s' as an array", c.name)
		}
		in.fatalf("attempt to use scalar `%s' as an array", c.name)
	}
	if c.origin != nil {
		c.arr = in.array(c.origin)
	} else {
		c.arr = &assoc{}
	}
	return c.arr
}

// scalar answers a cell's value.
func (in *interp) scalar(c *cell) value {
	if c.arr != nil {
		in.notScalar(c)
	}
	if c.origin != nil && c.origin.arr != nil && c.v.k == kindUnset {
		in.notScalar(c)
	}
	return c.v
}

func (in *interp) notScalar(c *cell) {
	in.fatalf("attempt to use array `%s' in a scalar context", c.fullName())
}

// fullName names a parameter together with the variable that was given.
func (c *cell) fullName() string {
	if c.origin != nil {
		return c.name + " (from " + c.origin.fullName() + ")"
	}
	return c.name
}

// assign gives a cell a value.
func (in *interp) assign(c *cell, v value) {
	if c.arr != nil {
		in.notScalar(c)
	}
	c.v = v
}
