// Package script runs operators' policy scripts: programs that define any of
// the hooks pre_command, pre_vfs and pre_session (preCommand, preVfs and
// preSession in JavaScript) and answer what a login may do.
//
// A script is the operator's own text and trusted as such; what it is asked
// about (words of commands, names, contents of files) is the login's and is not.
// Every call evaluates the program anew, so that nothing is remembered from one
// session to another. Whatever goes wrong is a Deny.
package script

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Hook names a hook of a script.
type Hook string

// The hooks.
const (
	PreCommand Hook = "pre_command" // before a command starts
	PreVFS     Hook = "pre_vfs"     // before a call on files
	PreSession Hook = "pre_session" // before a variable of the session changes
)

// hooks lists every hook; the place of one is its bit in Script.known.
var hooks = []Hook{PreCommand, PreVFS, PreSession}

// Kind says what an Answer is.
type Kind int

// The kinds of answers.
const (
	None Kind = iota // no opinion
	Deny
	Ask // of PreCommand and PreVFS only
)

// Answer is what a script says. Reason is one line of printable text, never
// empty for Deny and Ask, and empty for None.
type Answer struct {
	Kind   Kind
	Reason string
}

// Files is what a script may read of the workspace. Every call goes through the
// rules of the session that the script is asked about. Its errors are
// recognised by the errno that they wrap: one that does not say what the
// workspace holds, as ENOENT and EACCES do, refuses the call. The contexts of its calls satisfy
// Reading. Calls may come after the call of the script has returned; their
// context is over then.
type Files interface {
	// ReadFile answers the whole content, of at most MaxFile bytes; a larger
	// file is EFBIG, which refuses the call.
	ReadFile(ctx context.Context, path string) ([]byte, error)
	Stat(ctx context.Context, path string) (size int64, dir bool, err error)
	// ReadDir answers the names in a directory.
	ReadDir(ctx context.Context, path string) ([]string, error)
}

// Bounds of one evaluation.
const (
	DefaultTimeout = 10 * time.Second
	MaxFile        = 1 << 20 // bytes of a file that is read
	MaxSource      = 1 << 20 // bytes of the script

	maxInput     = 4 << 20 // bytes of what it is asked about, as JSON
	maxReads     = 10_000  // calls of Files
	maxReadBytes = 64 << 20
	maxHeap      = 256 << 20 // growth of the program's live memory meanwhile
	maxStuck     = 4         // evaluations of one script that do not end
)

// Options are what an operator sets for all scripts.
type Options struct {
	// Timeout bounds one evaluation; 0 means DefaultTimeout, which is also the
	// longest.
	Timeout time.Duration
	// Python switches on scripts in Python; nil refuses them.
	Python *Python
}

// Python says how the worker processes of Python scripts run. The zero value
// finds what it needs in PATH.
type Python struct {
	Path string // of the interpreter; "" means python3
}

// The failures of an evaluation that its context carries as its cause.
var (
	errTimeout = errors.New("timed out")
	errMemory  = errors.New("used too much memory")
	errClosed  = errors.New("the script is closed")
)

// syntaxError is the failure of a program that does not parse.
type syntaxError struct{ text string }

func (e syntaxError) Error() string { return "syntax error: " + e.text }

// engine is one language. eval evaluates the program and then, unless hook is
// empty or not defined by it, calls the hook with input, which is JSON. It
// should end soon after ctx does; one that cannot is given up. defined has the
// bits of the hooks that the program defines and counts when err is nil.
type engine interface {
	eval(ctx context.Context, hook Hook, input []byte, files *gate) (v value, defined uint32, err error)
	close() error
}

// Script is a loaded script. Its methods may be called at any time from any
// goroutine; it evaluates one call at a time.
type Script struct {
	profile string
	timeout time.Duration
	engine  engine

	turn   chan struct{} // holds one token while an evaluation runs
	closed chan struct{}
	once   sync.Once    // closes closed
	stuck  atomic.Int32 // evaluations that run, given up or not
	// known has the bits of the hooks that any evaluation defined, and knownBit
	// once there was one.
	known  atomic.Uint32
	failed atomic.Bool // a probe failed: every door asks, and hears why
}

const knownBit = 1 << 31

// Engine answers the language that a configuration means: what it names
// (starlark, javascript, python, and js, quickjs and monty as further names), or
// what the ending of the script's name says when it names none.
func Engine(engine, name string) (string, error) {
	if engine == "" {
		switch path.Ext(name) {
		case ".star", ".bzl":
			return "starlark", nil
		case ".js", ".mjs":
			return "javascript", nil
		case ".py":
			return "python", nil
		}
		return "", fmt.Errorf("policy script %s: runtime is missing", name)
	}
	switch engine {
	case "starlark":
		return "starlark", nil
	case "javascript", "js", "quickjs":
		return "javascript", nil
	case "python", "monty":
		return "python", nil
	}
	return "", fmt.Errorf("unknown runtime: '%s' (expected one of javascript, python, starlark)", engine)
}

// Load makes a script of source. The profile's name appears in failures, the
// script's name picks the engine when engine is empty. An error is one of the
// configuration; a program that does not parse or defines no hook loads, and
// refuses at every door.
func Load(profile, engine, name string, source []byte, opt Options) (*Script, error) {
	kind, err := Engine(engine, name)
	if err != nil {
		return nil, err
	}
	if len(source) > MaxSource {
		return nil, fmt.Errorf("policy script %s: larger than %d bytes", name, MaxSource)
	}
	if opt.Timeout == 0 {
		opt.Timeout = DefaultTimeout
	}
	if opt.Timeout < 0 || opt.Timeout > DefaultTimeout {
		return nil, fmt.Errorf("policy script %s: timeout must be at most %v", name, DefaultTimeout)
	}
	s := &Script{profile: profile, timeout: opt.Timeout, turn: make(chan struct{}, 1), closed: make(chan struct{})}
	switch kind {
	case "starlark":
		s.engine = newStarlark(source)
	case "javascript":
		s.engine = newJavaScript(source)
	case "python":
		if s.engine, err = newPython(name, source, opt.Python); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Defines reports whether callers have to call the hook: the script defines it,
// or refuses everything, or it is not known yet what it defines. The first call
// evaluates the program, without files, to learn that.
func (s *Script) Defines(hook Hook) bool {
	if s.known.Load() == 0 && !s.failed.Load() {
		select {
		case s.turn <- struct{}{}:
			_, err := s.eval(context.Background(), "", nil, nil)
			s.failed.Store(err != nil)
		default: // it runs right now, perhaps for the very caller
		}
	}
	known := s.known.Load()
	return known == 0 || known == knownBit || known&bit(hook) != 0
}

// Check evaluates the program without files and reports why every call would
// be refused; nil when nothing speaks against it.
func (s *Script) Check(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	_, err := s.eval(ctx, "", nil, nil)
	if err != nil {
		return errors.New(s.refusal(err).Reason)
	}
	return nil
}

// Call asks the script: input is the hook's ctx, of anything that encoding/json
// can marshal. It waits for earlier calls to end, as long as ctx lasts. A call
// that a script's own reading brings about has no opinion.
func (s *Script) Call(ctx context.Context, hook Hook, input any, files Files) Answer {
	if bit(hook) == 0 {
		return s.refusal(fmt.Errorf("unknown hook %s", hook))
	}
	if reads(ctx, s) {
		return Answer{}
	}
	data, err := json.Marshal(input)
	if err != nil {
		return s.refusal(fmt.Errorf("cannot encode ctx: %w", err))
	}
	if len(data) > maxInput {
		return s.refusal(errors.New("ctx is too large"))
	}
	if lossy(data) {
		return s.refusal(errors.New("ctx has bytes that are not UTF-8"))
	}
	select {
	case s.turn <- struct{}{}:
	case <-s.closed:
		return s.refusal(errClosed)
	case <-ctx.Done():
		return s.refusal(context.Cause(ctx))
	}
	v, err := s.eval(ctx, hook, data, files)
	if err != nil {
		return s.refusal(err)
	}
	answer, err := v.answer(hook)
	if err != nil {
		return s.refusal(err)
	}
	return answer
}

// Close ends the script: calls that come later are refused, those that run are
// cut off.
func (s *Script) Close() error {
	s.once.Do(func() { close(s.closed) })
	return s.engine.close()
}

// lossy reports whether JSON was made of strings that are not UTF-8: a script
// would be asked about other names than those which are used. The encoder writes
// an escape for what it loses, and U+FFFD itself as it is.
func lossy(data []byte) bool {
	for {
		i := bytes.IndexByte(data, '\\')
		if i < 0 {
			return false
		}
		if bytes.HasPrefix(data[i:], []byte(`\ufffd`)) {
			return true
		}
		data = data[i+2:]
	}
}

func bit(hook Hook) uint32 {
	for i, h := range hooks {
		if h == hook {
			return 1 << i
		}
	}
	return 0
}

// outcome is what an evaluation came to.
type outcome struct {
	value   value
	defined uint32
	err     error
}

// eval evaluates the program in a goroutine of its own. The caller has taken
// the turn; eval gives it back.
func (s *Script) eval(ctx context.Context, hook Hook, input []byte, files Files) (value, error) {
	defer func() { <-s.turn }()
	select {
	case <-s.closed:
		return value{}, errClosed
	default:
	}
	if n := s.stuck.Load(); n >= maxStuck {
		return value{}, fmt.Errorf("%d evaluations did not end", n)
	}
	ctx, cancel := context.WithCancelCause(context.WithValue(ctx, readingKey{}, &reading{s, ctx}))
	defer cancel(context.Canceled)
	timer := time.AfterFunc(s.timeout, func() { cancel(errTimeout) })
	defer timer.Stop()

	done := make(chan outcome, 1)
	s.stuck.Add(1)
	go func() {
		var out outcome
		defer func() {
			if p := recover(); p != nil {
				out = outcome{err: fmt.Errorf("engine failed: %s", panicText(p))}
			}
			s.stuck.Add(-1)
			done <- out
		}()
		out.value, out.defined, out.err = s.engine.eval(ctx, hook, input, &gate{ctx: ctx, files: files})
	}()
	out, ended := s.await(ctx, cancel, done)
	if ctx.Err() != nil {
		return value{}, context.Cause(ctx)
	}
	select {
	case <-s.closed: // what became of it may be Close's doing
		return value{}, errClosed
	default:
	}
	if !ended {
		return value{}, errTimeout
	}
	var bad syntaxError
	switch {
	case errors.As(out.err, &bad):
		s.known.Or(knownBit)
	case out.err == nil:
		s.known.Or(knownBit | out.defined)
		if out.defined == 0 {
			return value{}, errNoHook
		}
	}
	return out.value, out.err
}

// panicText words a panic, without calling methods of what an engine made.
func panicText(p any) string {
	switch p := p.(type) {
	case string:
		return p
	case runtime.Error:
		return p.Error()
	}
	return fmt.Sprintf("%T", p)
}

var errNoHook = errors.New("defines no hook: pre_command, pre_vfs or pre_session")

// await waits for an evaluation and watches the memory meanwhile. After ctx is
// over the evaluation has a moment to end.
func (s *Script) await(ctx context.Context, cancel context.CancelCauseFunc, done <-chan outcome) (outcome, bool) {
	const moment = 200 * time.Millisecond
	ticks := time.NewTicker(10 * time.Millisecond)
	defer ticks.Stop()
	var before uint64
	over, closed := ctx.Done(), (<-chan struct{})(s.closed)
	var end <-chan time.Time
	for {
		select {
		case out := <-done:
			return out, true
		case <-closed:
			closed = nil
			cancel(errClosed)
		case <-over:
			over, end = nil, time.After(moment)
		case <-end:
			return outcome{}, false
		case <-ticks.C:
			live := liveHeap()
			if before == 0 {
				before = live
			}
			if live > before && live-before > maxHeap {
				cancel(errMemory)
			}
		}
	}
}

// liveHeap answers the bytes that the last garbage collection found in use.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}

// refusal words a failure.
func (s *Script) refusal(err error) Answer {
	what := "failed: " + err.Error()
	var bad syntaxError
	switch {
	case errors.Is(err, errTimeout):
		what = fmt.Sprintf("timed out after %v", s.timeout)
	case errors.As(err, &bad):
		what = bad.Error()
	case errors.Is(err, errNoHook):
		what = errNoHook.Error()
	}
	return Answer{Deny, fmt.Sprintf("profile '%s' policy %s", s.profile, clean(strings.TrimSpace(what)))}
}
