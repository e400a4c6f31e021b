package sed

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"

	"mirage/internal/budget"
	"mirage/shell/program"
	"mirage/shell/program/stream"
)

// space is the pattern space or the hold space.
type space struct {
	text  []byte
	ended bool // the line had its newline
}

// editor runs a script over the input.
type editor struct {
	memory budget.Meter
	ctx    context.Context
	inv    *program.Invocation
	o      *options

	commands []*command
	input    *input
	pattern  space
	hold     space
	last     *pattern // the last regular expression used
	replaced bool     // the flag that t looks at
	slots    []int
	spare    []byte
	steps    int

	out        *output // standard output, or the file edited in place
	stdout     *output
	stderr     *output
	outputs    []*output // files of w
	edit       *edit
	editFailed bool
	queue      []queued
	queueBytes int
	readers    map[string]*lineReader // of R; nil where there is no file
	flushOften bool
}

// queued is output that waits for the end of the cycle.
type queued struct {
	text []byte
	file string // of r
	line *space // of R
}

func newEditor(ctx context.Context, inv *program.Invocation, o *options, operands []string) *editor {
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	e := &editor{memory: inv.Meter(), ctx: ctx, inv: inv, o: o, hold: space{ended: true}, readers: map[string]*lineReader{}}
	e.stdout = &output{w: stream.Stdout(inv), name: "stdout"}
	e.out = e.stdout
	e.input = &input{e: e, files: operands}
	e.flushOften = o.unbuffered
	if inv.Terminal != nil && !e.flushOften {
		_, _, e.flushOften = inv.Terminal(1)
	}
	return e
}

// runScripts compiles and runs; an error is either a *scriptError or comes
// from a matcher.
func (e *editor) runScripts(scripts []script) (status int, err error) {
	c := &compiler{ctx: e.ctx, o: e.o, e: e, labels: map[string]int{}}
	for _, s := range scripts {
		if err := c.add(s); err != nil {
			return 0, err
		}
	}
	if err := c.end(); err != nil {
		return 0, err
	}
	e.commands = c.commands
	status, err = e.cycles()
	for _, r := range e.readers {
		if r != nil {
			r.close.Close()
		}
	}
	if status == 0 && e.editFailed {
		status = statusPanic
	}
	return status, err
}

// outcome is how a run through the script ended.
type outcome int

const (
	outcomePrint   outcome = iota // at its end: print and go on
	outcomeDelete                 // go on without printing
	outcomeRestart                // D: go on with what is left
	outcomeQuit
)

// cycles reads line after line and runs the script on each.
func (e *editor) cycles() (int, error) {
	for restart := false; ; {
		if !restart {
			if ok, err := e.nextLine(false); !ok || err != nil {
				return 0, err
			}
		}
		how, status, err := e.runScript()
		if err != nil {
			return 0, err
		}
		if how == outcomePrint && !e.o.quiet {
			e.print(e.out)
		}
		if err := e.endCycle(); err != nil {
			return 0, err
		}
		if how == outcomeQuit {
			return status, e.quitEdit()
		}
		if e.stdout.w.Err() != nil {
			return 0, nil // finish reports it
		}
		restart = how == outcomeRestart
	}
}

// quitEdit keeps the rest of a file that q leaves in the middle.
func (e *editor) quitEdit() error {
	if e.edit == nil {
		return nil
	}
	return e.endEdit()
}

// nextLine reads a line into the pattern space, or appends it.
func (e *editor) nextLine(appending bool) (bool, error) {
	dst := e.pattern.text
	if !appending {
		dst = dst[:0]
		e.replaced = false
	}
	if e.flushOften {
		e.out.w.Flush()
	}
	text, ended, ok, err := e.input.read(dst)
	if !ok || err != nil {
		return false, err
	}
	e.pattern.text, e.pattern.ended = text, ended
	return true, e.checkSize(len(text))
}

// checkSize keeps the buffers within what the run may hold.
func (e *editor) checkSize(n int) error {
	if n >= stream.BufferSize && !e.memory.Hold(int64(n)) {
		return panicf("memory exhausted")
	}
	return nil
}

// print writes the pattern space as a line.
func (e *editor) print(o *output) { o.line(e.pattern.text, e.o.delimiter, e.pattern.ended) }

// endCycle writes what a, r and R have queued.
func (e *editor) endCycle() error {
	for _, q := range e.queue {
		switch {
		case q.line != nil:
			e.out.line(q.line.text, e.o.delimiter, q.line.ended)
		case q.file != "":
			if err := e.copyFile(q.file); err != nil {
				return err
			}
		default:
			e.out.text(q.text, e.o.delimiter)
		}
	}
	e.queue, e.queueBytes = e.queue[:0], 0
	if e.flushOften {
		e.out.w.Flush()
	}
	return nil
}

// copyFile writes the contents of a file of r; one that cannot be read counts
// as empty.
func (e *editor) copyFile(name string) error {
	r, err := e.openRead(name)
	if err != nil {
		return nil
	}
	defer r.Close()
	buf := make([]byte, stream.BufferSize)
	for e.ctx.Err() == nil {
		n, err := r.Read(buf)
		if n > 0 {
			e.out.text(buf[:n], e.o.delimiter)
		}
		if err != nil || e.out.w.Err() != nil {
			return nil
		}
	}
	return e.ctx.Err()
}

func (e *editor) openRead(name string) (io.ReadCloser, error) {
	if name == "/dev/stdin" {
		name = "-"
	}
	return e.inv.OpenOperand(e.ctx, name)
}

// enqueue adds to what the end of the cycle writes.
func (e *editor) enqueue(q queued) error {
	e.queue = append(e.queue, q)
	e.queueBytes += len(q.text) + 64
	if q.line != nil {
		e.queueBytes += len(q.line.text)
	}
	return e.checkSize(e.queueBytes)
}

// resetRanges forgets open ranges at the beginning of a file that counts its
// own lines.
func (e *editor) resetRanges() {
	for _, c := range e.commands {
		c.state = rangeOff
		if c.a1 != nil && c.a1.kind == addressLine && c.a1.n == 0 {
			c.state = rangeActive
		}
	}
	for name, r := range e.readers {
		if r != nil {
			r.close.Close()
		}
		delete(e.readers, name)
	}
}

// readLine is R: it queues the next line of a file.
func (e *editor) readLine(name string) error {
	r, ok := e.readers[name]
	if !ok {
		if f, err := e.openRead(name); err == nil {
			r = newLineReader(f, f, e.o.delimiter, e.inv.Meter())
		}
		e.readers[name] = r
	}
	if r == nil {
		return nil
	}
	text, _, err := r.read(nil)
	if errors.Is(err, stream.ErrMemory) {
		return panicf("memory exhausted")
	}
	if err != nil {
		return nil
	}
	return e.enqueue(queued{line: &space{text: text, ended: true}})
}

// runScript runs the script once.
func (e *editor) runScript() (outcome, int, error) {
	for pc := 0; pc < len(e.commands); pc++ {
		if e.steps++; e.steps&255 == 0 && e.ctx.Err() != nil {
			return 0, 0, e.ctx.Err()
		}
		c := e.commands[pc]
		if c.a1 != nil || c.not {
			yes, err := e.selects(c)
			if err != nil {
				return 0, 0, err
			}
			if yes == c.not {
				if c.name == '{' {
					pc = c.target - 1
				}
				continue
			}
		}
		switch c.name {
		case 'b':
			pc = c.target - 1
		case 't':
			if e.replaced {
				e.replaced = false
				pc = c.target - 1
			}
		case 'T':
			if !e.replaced {
				pc = c.target - 1
			}
			e.replaced = false
		case '{':
		default:
			if how, done, err := e.execute(c); done || err != nil {
				return how, int(max(c.n, 0)) & 255, err
			}
		}
	}
	return outcomePrint, 0, nil
}

// execute runs one command; done ends the run through the script.
func (e *editor) execute(c *command) (how outcome, done bool, err error) {
	delim := e.o.delimiter
	switch c.name {
	case '=':
		e.out.line(strconv.AppendInt(e.spare[:0], e.input.line, 10), delim, true)
	case 'a':
		if len(c.text) > 0 {
			return 0, false, e.enqueue(queued{text: c.text})
		}
	case 'i':
		e.insert(c.text)
	case 'c':
		if c.state != rangeActive || c.a2 == nil {
			e.insert(c.text)
		}
		return outcomeDelete, true, nil
	case 'd':
		return outcomeDelete, true, nil
	case 'D':
		i := bytes.IndexByte(e.pattern.text, delim)
		if i < 0 {
			return outcomeDelete, true, nil
		}
		e.pattern.text = append(e.pattern.text[:0], e.pattern.text[i+1:]...)
		return outcomeRestart, true, nil
	case 'e':
		return 0, false, e.execCommand(c)
	case 'F':
		e.out.line([]byte(e.input.current), delim, true)
	case 'g':
		e.pattern.text, e.pattern.ended = append(e.pattern.text[:0], e.hold.text...), e.hold.ended
	case 'G':
		e.pattern.text, e.pattern.ended = append(append(e.pattern.text, delim), e.hold.text...), e.hold.ended
		return 0, false, e.checkSize(len(e.pattern.text))
	case 'h':
		e.hold.text, e.hold.ended = append(e.hold.text[:0], e.pattern.text...), e.pattern.ended
	case 'H':
		e.hold.text, e.hold.ended = append(append(e.hold.text, delim), e.pattern.text...), e.pattern.ended
		return 0, false, e.checkSize(len(e.hold.text))
	case 'x':
		e.pattern, e.hold = e.hold, e.pattern
	case 'l':
		e.list(int(c.n))
	case 'n', 'N':
		return e.readNext(c.name == 'N')
	case 'p':
		e.print(e.out)
	case 'P':
		if i := bytes.IndexByte(e.pattern.text, delim); i >= 0 {
			e.out.line(e.pattern.text[:i], delim, true)
		} else {
			e.print(e.out)
		}
	case 'q':
		if !e.o.quiet {
			e.out.line(e.pattern.text, delim, true)
		}
		return outcomeQuit, true, nil
	case 'Q':
		e.queue = e.queue[:0]
		return outcomeQuit, true, nil
	case 'r':
		return 0, false, e.enqueue(queued{file: c.file})
	case 'R':
		return 0, false, e.readLine(c.file)
	case 's':
		return 0, false, e.substitute(c.sub)
	case 'w':
		e.print(c.out)
	case 'W':
		if i := bytes.IndexByte(e.pattern.text, delim); i >= 0 {
			c.out.line(e.pattern.text[:i], delim, true)
		} else {
			e.print(c.out)
		}
	case 'y':
		c.table.apply(&e.pattern.text)
	case 'z':
		e.pattern.text = e.pattern.text[:0]
	}
	return 0, false, nil
}

// insert writes the text of i or c.
func (e *editor) insert(text []byte) {
	if n := len(text); n > 0 {
		e.out.line(text[:n-1], e.o.delimiter, true)
	}
}

// readNext is n and N. Without another line they end the script, and GNU
// prints the pattern space.
func (e *editor) readNext(appending bool) (outcome, bool, error) {
	last, err := e.input.last()
	if err != nil {
		return 0, false, err
	}
	if last {
		if appending && e.o.posix {
			return outcomeDelete, true, nil
		}
		return outcomePrint, true, nil
	}
	if !appending && !e.o.quiet {
		e.print(e.out)
	}
	if err := e.endCycle(); err != nil {
		return 0, false, err
	}
	replaced := e.replaced
	if appending {
		e.pattern.text = append(e.pattern.text, e.o.delimiter)
	}
	if _, err := e.nextLine(appending); err != nil {
		return 0, false, err
	}
	e.replaced = replaced
	return 0, false, nil
}
