package awk

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"

	"mirage/shell/program"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

// maxStreams bounds the files and commands that are open at once.
const maxStreams = 1000

// output is where a print with > or | goes.
type output struct {
	w     *stream.Writer
	close io.Closer
	child *child // of a command
	name  string
	flush bool // at once
}

// inputStream is what getline reads from.
type inputStream struct {
	*recordReader
	child *child
}

// child is a command that runs beside the program.
type child struct {
	done   chan struct{}
	status int
	err    error
}

// emit writes to a redirection, or to standard output.
func (in *interp) emit(o *output, b []byte) {
	if o == nil {
		in.out.Write(b)
		if in.out.Err() != nil {
			panic(unwind{sigExit})
		}
		return
	}
	o.w.Write(b)
	if o.flush {
		o.w.Flush()
	}
	if err := o.w.Err(); err != nil {
		if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
			return // the command has had enough
		}
		in.fatalf("print to \"%s\" failed: %s", o.name, vfs.Phrase(err))
	}
}

// redirect answers the output of a redirection, opening it at first.
func (in *interp) redirect(kind tokenKind, name string) *output {
	if o, ok := in.outputs[name]; ok {
		return o
	}
	if name == "" {
		in.fatalf("expression for `%s' redirection has null string value", redirections[kind])
	}
	in.checkStreams()
	o := &output{name: name}
	switch {
	case kind == '|':
		in.out.Flush()
		pr, pw := io.Pipe()
		o.child = in.start(name, pr, nil, func() { pr.CloseWithError(syscall.EPIPE) })
		o.w, o.close = stream.NewWriter(pw), pw
	case name == "/dev/stdout" || name == "-":
		o.w = in.out
	case name == "/dev/stderr":
		o.w, o.flush = stream.NewWriter(in.inv.Stderr), true
	default:
		flag := os.O_TRUNC
		if kind == tokAppend {
			flag = os.O_APPEND
		}
		f, err := in.inv.Create(in.ctx, name, flag)
		if err != nil {
			in.fatalf("cannot redirect to `%s': %s", name, vfs.Phrase(err))
		}
		o.w, o.close = stream.NewWriter(f), f
		o.flush = strings.HasPrefix(name, "/dev/fd/")
	}
	in.outputs[name] = o
	return o
}

// checkStreams refuses a stream where there must be none, or one too many.
func (in *interp) checkStreams() {
	if in.sandbox {
		in.fatalf("redirection not allowed in sandbox mode")
	}
	if len(in.outputs)+len(in.inputs) >= maxStreams {
		in.fatalf("too many pipes or input files open")
	}
}

var redirections = map[tokenKind]string{'>': ">", tokAppend: ">>", '|': "|"}

// start runs a command of the shell beside the program; ended is called when it
// has.
func (in *interp) start(command string, stdin io.Reader, stdout io.Writer, ended func()) *child {
	c := &child{done: make(chan struct{}), status: 127}
	go func() {
		defer close(c.done)
		defer ended()
		defer func() {
			if r := recover(); r != nil {
				c.err = syscall.EFAULT
			}
		}()
		c.status, c.err = in.spawn(command, stdin, stdout)
	}()
	return c
}

// spawn runs a command of the shell.
func (in *interp) spawn(command string, stdin io.Reader, stdout io.Writer) (int, error) {
	if in.inv.Spawn == nil {
		return 127, syscall.ENOSYS
	}
	return in.inv.Spawn(in.ctx, program.Child{Args: []string{"sh", "-c", command}, Stdin: stdin, Stdout: stdout})
}

// wait waits for a command to end and answers its status as gawk does: 256
// more than the signal that killed it.
func (c *child) wait() float64 {
	<-c.done
	return commandStatus(c.status, c.err)
}

func commandStatus(status int, err error) float64 {
	switch {
	case err != nil:
		return 127
	case status > 128 && status < 128+65:
		return float64(256 + status - 128)
	}
	return float64(status)
}

// closeOutput closes an output and answers what close does.
func (in *interp) closeOutput(o *output) (float64, error) {
	err := o.w.Flush()
	if o.close != nil {
		err = errors.Join(err, o.close.Close())
	}
	delete(in.outputs, o.name)
	if o.child != nil {
		return o.child.wait(), nil
	}
	return 0, err
}

// closeInput closes what getline has read from.
func (in *interp) closeInput(name string, s *inputStream) float64 {
	s.close.Close()
	delete(in.inputs, name)
	if s.child != nil {
		return s.child.wait()
	}
	return 0
}

// finish writes out and closes everything at the end of the program. Commands
// come first, as gawk has it: what they print precedes what is buffered here.
func (in *interp) finish() int {
	status := 0
	names := make([]string, 0, len(in.outputs))
	for name := range in.outputs {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		o := in.outputs[name]
		if _, err := in.closeOutput(o); err != nil && in.ctx.Err() == nil && o.w != in.out {
			in.warnf("failure writing file `%s': %s", name, vfs.Phrase(err))
			status = 2
		}
	}
	for name, s := range in.inputs {
		in.closeInput(name, s)
	}
	in.main.closeFile(in)
	if err := in.out.Flush(); err != nil && in.ctx.Err() == nil {
		status = 2
		if s := in.inv.WriteError(err); s == program.SIGPIPEStatus {
			status = s
		}
	}
	return status
}

// flushAll flushes every output.
func (in *interp) flushAll() {
	in.out.Flush()
	for _, o := range in.outputs {
		o.w.Flush()
	}
}

// openInput answers the stream that getline reads from, opening it at first;
// nil when it cannot be opened.
func (in *interp) openInput(name string, command bool) *inputStream {
	if s, ok := in.inputs[name]; ok {
		return s
	}
	in.checkStreams()
	s := &inputStream{}
	if command {
		in.flushAll()
		pr, pw := io.Pipe()
		s.child = in.start(name, nil, pw, func() { pw.Close() })
		s.recordReader = &recordReader{r: pr, close: pipeEnd{pr}}
	} else {
		r, err := in.inv.OpenOperand(in.ctx, strings.TrimSuffix(name, "\x00"))
		if err != nil {
			in.errno = text(vfs.Phrase(err))
			return nil
		}
		s.recordReader = &recordReader{r: r, close: r}
	}
	in.inputs[name] = s
	return s
}

// pipeEnd closes the reading end of a pipe so that the writer sees what a
// writer to a closed pipe sees.
type pipeEnd struct{ r *io.PipeReader }

func (p pipeEnd) Close() error { return p.r.CloseWithError(syscall.EPIPE) }

// getline compiles getline in its forms. Only the main input counts records. It
// answers 1, 0 at the end, and -1 for
// an error.
func (c *compiler) getline(e *getlineExpr) numberFunc {
	var store storeFunc
	if e.lhs != nil {
		store = c.store(e.lhs)
	}
	put := func(in *interp, rec string) {
		if store != nil {
			store(in, input(rec))
		} else {
			in.setRecord(rec)
		}
	}
	if e.file == nil && e.command == nil {
		return func(in *interp) float64 {
			rec, ok := in.main.read(in)
			if !ok {
				return 0
			}
			put(in, rec)
			return 1
		}
	}
	from, command := e.file, e.command != nil
	if command {
		from = e.command
	}
	name := c.str(from)
	return func(in *interp) float64 {
		in.tick()
		s := in.openInput(name(in), command)
		if s == nil {
			return -1
		}
		rec, rt, ok, err := s.next(in)
		switch {
		case err != nil:
			in.errno = text(vfs.Phrase(err))
			return -1
		case !ok:
			return 0
		}
		in.rt = text(rt)
		put(in, rec)
		return 1
	}
}

// streamFunc compiles system, close and fflush.
func (c *compiler) streamFunc(e *builtinExpr) valueFunc {
	if e.name == "fflush" && len(e.args) == 0 {
		return func(in *interp) value { in.flushAll(); return number(0) }
	}
	arg := c.str(e.args[0])
	switch e.name {
	case "system":
		return func(in *interp) value {
			command := arg(in)
			if in.sandbox {
				in.fatalf("'system' function not allowed in sandbox mode")
			}
			in.flushAll()
			status, err := in.spawn(command, nil, nil)
			in.checkContext()
			return number(commandStatus(status, err))
		}
	case "close":
		return func(in *interp) value {
			name := arg(in)
			if o, ok := in.outputs[name]; ok {
				n, err := in.closeOutput(o)
				if err != nil {
					in.errno = text(vfs.Phrase(err))
					n = -1
				}
				return number(n)
			}
			if s, ok := in.inputs[name]; ok {
				return number(in.closeInput(name, s))
			}
			return number(-1)
		}
	}
	return func(in *interp) value {
		name := arg(in)
		if name == "" {
			in.flushAll()
			return number(0)
		}
		if o, ok := in.outputs[name]; ok {
			if o.w.Flush() != nil {
				return number(-1)
			}
			return number(0)
		}
		if _, ok := in.inputs[name]; ok {
			return number(-1)
		}
		in.warnf("fflush: `%s' is not an open file, pipe or co-process", name)
		return number(-1)
	}
}
