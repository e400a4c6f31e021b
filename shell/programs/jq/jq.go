// Package jq is the program jq: the language of jq 1.8 on an evaluator of its
// own. Programs are parsed by gojq's parser; values keep the order of their
// keys and numbers their digits, which gojq's evaluator does not.
package jq

import (
	"context"
	"errors"
	"io"

	"mirage/shell/program"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

// version is the release of jq that is followed.
const version = "1.8.2"

// The exit statuses besides 0. Those below 0 count with -e only.
const (
	statusNull     = -1 // the last output was false or null
	statusSystem   = 2
	statusCompile  = 3
	statusNoOutput = -4
	statusError    = 5
)

// Program is jq.
func Program() *program.Program {
	return &program.Program{
		Name:     "jq",
		Synopsis: "[OPTION]... FILTER [FILE]...\n[OPTION]... --args FILTER [STRING]...\n[OPTION]... --jsonargs FILTER [JSON_TEXT]...",
		Summary:  "Apply a filter to JSON texts.",
		Options:  optionTable(),
		Run:      run,
	}
}

// defaultLimit bounds a run whose invocation has no limit.
const defaultLimit = 1 << 28

// session is one run of jq.
type session struct {
	options
	ctx  context.Context
	inv  *program.Invocation
	out  *stream.Writer
	in   *inputs
	prog *compiled
	m    *machine
}

func run(ctx context.Context, inv *program.Invocation) int {
	s := &session{ctx: ctx, inv: inv, out: stream.Stdout(inv)}
	if status, ok := s.parse(inv.Args); !ok {
		return s.out.Close(inv, status)
	}
	s.prog = &compiled{args: s.named, env: environment(inv)}
	if err := compile(s.prog, s.source); err != nil {
		return s.compileFailed(err)
	}
	s.in = &inputs{ctx: ctx, inv: inv, files: s.files, slurp: s.slurp, parser: s.newParser()}
	defer s.in.close()
	if len(s.files) == 0 {
		s.in.files = []string{"-"}
	}
	s.prog.host = host{
		input:    s.input,
		message:  s.message,
		filename: func() any { return s.in.name },
		line:     func() int { return s.in.lines },
		clock:    clock{inv.Now, inv.Location},
	}
	s.in.held = inv.Meter()
	limit := inv.Memory.Limit()
	if limit <= 0 {
		limit = defaultLimit
	}
	s.m = newMachine(ctx, s.prog, limit, inv.Meter())
	status, last := s.all()
	if s.in.failed > 0 {
		status = statusSystem
	}
	if err := s.out.Flush(); err != nil {
		if code := inv.WriteError(err); code != 1 {
			return code
		}
		return statusSystem
	}
	return s.exitStatus(status, last)
}

func (s *session) newParser() *parser {
	if s.raw {
		return nil
	}
	p := newParser()
	p.seq = s.seq
	if s.stream {
		p.stream = &streamer{}
	}
	return p
}

// environment is $ENV.
func environment(inv *program.Invocation) *Object {
	o := newObject(len(inv.Env))
	for _, kv := range inv.Env {
		for i := 0; i < len(kv); i++ {
			if kv[i] == '=' {
				o.set(validString(kv[:i]), validString(kv[i+1:]))
				break
			}
		}
	}
	return o
}

func (s *session) compileFailed(err error) int {
	var ce *compileError
	if !errors.As(err, &ce) {
		ce = &compileError{text: err.Error()}
	}
	s.errorf("jq: error: %s\n", ce.report(s.source))
	if ce.count < 0 {
		return statusSystem
	}
	s.errorf("jq: 1 compile error\n")
	return statusCompile
}

// all runs the program on every input. It answers the status of the last run
// and whether the last output was a true one: -1 none, 0 no, 1 yes.
func (s *session) all() (status, last int) {
	last = -1
	if s.null {
		return s.one(nil), last
	}
	status = statusNoOutput
	for {
		v, ok, err := s.in.next()
		var pe *parseError
		switch {
		case errors.As(err, &pe) && s.seq:
			s.errorf("jq: ignoring parse error: %s\n", pe.text)
			continue
		case errors.As(err, &pe):
			s.errorf("jq: parse error: %s\n", pe.text)
			return statusError, last
		case err != nil:
			s.fatal(err)
			return statusError, last
		case !ok:
			return status, last
		}
		status = s.one(v)
		if status <= 0 && status != statusNoOutput {
			last = 1
			if status == statusNull {
				last = 0
			}
		}
		if s.halted || s.ctx.Err() != nil || s.out.Err() != nil {
			return status, last
		}
	}
}

// one runs the program on one input and prints its outputs.
func (s *session) one(v any) int {
	status := statusNoOutput
	s.m.start(v)
	for {
		out, ok, err := s.m.next()
		if err == nil && ok {
			err = s.print(out)
		}
		switch {
		case err != nil:
			return s.failed(err)
		case !ok:
			return status
		}
		status = 0
		if _, isString := out.(string); !truthy(out) && !(isString && s.strings) {
			status = statusNull
		}
	}
}

var errNUL = errorText("Cannot dump a string containing NUL with --raw-output0 option")

func (s *session) print(v any) error {
	if text, ok := v.(string); ok && s.strings {
		switch {
		case s.style.ascii:
			d := dumper{style: style{ascii: true}}
			d.string(text)
			s.out.Write(d.buf)
		case s.nul && containsNUL(text):
			return errNUL
		default:
			s.out.WriteString(text)
		}
	} else {
		if s.seq {
			s.out.WriteByte(rs)
		}
		d := dumper{style: s.style, tick: s.ctx.Err, emit: func(p []byte) error {
			s.out.Write(p)
			return s.out.Err()
		}}
		d.value(v, 0)
		s.out.Write(d.buf)
		if d.err != nil {
			return d.err
		}
	}
	if !s.joined {
		s.out.WriteByte('\n')
	}
	if s.nul {
		s.out.WriteByte(0)
	}
	if s.unbuffered {
		s.out.Flush()
	}
	return s.out.Err()
}

func containsNUL(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == 0 {
			return true
		}
	}
	return false
}

// failed reports the error that ended a run and answers its status.
func (s *session) failed(err error) int {
	var halt *haltError
	var je *jqError
	switch {
	case errors.As(err, &halt):
		s.halted = true
		if text, ok := halt.value.(string); ok {
			s.message(text)
		} else if !halt.silent && halt.value != nil {
			s.message(dumpString(halt.value) + "\n")
		}
		return halt.status
	case errors.As(err, &je):
		if text, ok := je.value.(string); ok {
			s.errorf("jq: error (at %s): %s\n", s.in.position(), text)
		} else {
			s.errorf("jq: error (at %s) (not a string): %s\n", s.in.position(), dumpString(je.value))
		}
	case s.out.Err() != nil:
	default:
		s.fatal(err)
	}
	return statusError
}

// fatal reports what no program can catch; a cancelled run says nothing.
func (s *session) fatal(err error) {
	var fe *fatalError
	switch {
	case s.ctx.Err() != nil:
	case errors.As(err, &fe):
		s.errorf("jq: error: %s\n", fe.text)
	default:
		s.errorf("jq: error: %s\n", vfs.Phrase(err))
	}
}

// input is the builtin: the next input of the run.
func (s *session) input() (any, bool, error) {
	v, ok, err := s.in.next()
	var pe *parseError
	if errors.As(err, &pe) {
		return nil, false, errorText(pe.text)
	}
	return v, ok, err
}

// message writes to standard error, after the output so far.
func (s *session) message(text string) {
	s.out.Flush()
	io.WriteString(s.inv.Stderr, text)
}

func (s *session) exitStatus(status, last int) int {
	if !s.exit {
		return max(status, 0)
	}
	if status != statusNoOutput {
		return max(status, -status)
	}
	switch last {
	case 0:
		return -statusNull
	case 1:
		return 0
	}
	return -statusNoOutput
}
