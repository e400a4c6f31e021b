package shell

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"mirage/shell/expand"
	"mirage/shell/vars"
	"mirage/vfs"
)

// flow says how the run of a list is to go on.
type flow uint8

const (
	flowNone     flow = iota
	flowBreak         // leave levels loops
	flowContinue      // leave levels-1 loops and go on with the next
	flowReturn        // leave the function or the sourced file
	flowDiscard       // give up the piece of input that was read as one
	flowExit          // leave the shell
)

// origin says where a shell's commands come from.
type origin uint8

const (
	fromLine    origin = iota // a front end's line: messages have no prefix
	fromCommand               // bash -c
	fromFile                  // bash FILE, a script
	fromStdin                 // bash < FILE
)

// frame is one level of the call stack: a function, a sourced file, or at the
// bottom the script itself.
type frame struct {
	name   string // FUNCNAME: the function, "source", "main"
	source string // BASH_SOURCE: the file the code came from
	line   int    // BASH_LINENO: line of the call
	fn     *function
	// saved holds the options that `local -` restores.
	saved *savedOptions
}

// savedOptions are the options of set as they were.
type savedOptions struct{ opts [optionCount]bool }

// function is a defined shell function. It does not change once defined.
type function struct {
	name     string
	decl     *syntax.FuncDecl
	source   string // file it was defined in
	line     int    // added to the line numbers of its body
	weight   int    // nesting of its source
	text     string // the text that its positions are in ...
	from     int    // ... less this offset
	scope    string // of the text that defined it
	offsets  *offsets
	exported bool
	traced   bool
}

// Executor runs commands in one shell environment: the session's own shell, a
// subshell of it, or a bash that runs as a program. It belongs to one
// goroutine.
type Executor struct {
	s      *session
	cfg    *Config
	line   *lineRun
	ctx    context.Context // ends the shell
	cancel context.CancelCauseFunc
	proc   *process
	main   *process  // whose pid $$ is
	reaper *Executor // told of the end; nil for none
	// counted tells that the subshell runs in the background and counts
	// against the budget of jobs.
	counted bool
	release func() // of the judge of the line; set where counted is
	// borrowed tells that proc is that of the subshell which became this
	// program.
	borrowed bool
	// tail tells that the subshell has nothing to do after the command that
	// is about to start, which may therefore take over its process.
	tail bool

	vars   *vars.Vars
	x      *expand.Expander
	xo     expand.Options
	opts   [optionCount]bool
	shopts [shoptCount]bool

	fds     fdTable
	funcs   map[string]*function
	aliases map[string]string
	hash    map[string]hashed
	// shared tells that the three maps belong to another shell too and must
	// be copied before a change.
	shared   bool
	dir      string
	dirStack []string // below the working directory
	umask    uint32

	origin      origin
	interactive bool
	name        string // $0
	script      string // text of -c, for BASH_EXECUTION_STRING
	frames      []frame
	lineno      int
	text        string  // source of what runs, for messages and set -x
	textFrom    int     // offset of text in the positions of the syntax tree
	base        int     // added to the line numbers of the source being run
	scope       string  // of the text that is being run; see place
	at          [2]uint // span of the command that the shell has come to
	// redirects are the words of the command whose redirections are opened now.
	redirects []string
	offsets   *offsets // of that text
	// lastScope is what scopeOf answered last.
	lastScope struct{ outer, source, scope string }
	// lastPlace is what where answered last.
	lastPlace struct {
		scope    string
		from, to int
		place    string
	}
	weight   int // nesting of the sources on the stack
	depth    int // calls, evals, sources and substitutions on the stack
	subshell int // BASH_SUBSHELL

	status     int   // $?
	pipeStatus []int // PIPESTATUS of a pipeline; nil = that of one command ...
	lastStatus int   // ... which is this
	lastArg    string
	lastJob    int // $!, 0 = none
	// substituted is set when an expansion ran a command substitution, whose
	// status an assignment without command takes.
	substituted bool

	flow   flow
	levels int
	loops  int
	// quiet is above 0 where a failure is expected: conditions, all but the
	// last of a list. set -e and the ERR trap do not act there.
	quiet int
	// inTrap is above 0 while a trap's action runs; trapStatus is $? as it
	// was before.
	inTrap, trapStatus int
	gaveUp             bool // flowExit came from an error, not from exit
	keepFDs            bool // exec made its redirections permanent
	seconds0           int64

	traps   traps
	pending atomic.Uint64 // signals that wait for their trap, by number
	wakeup  chan struct{} // a signal came in; made with the shell
	jobs    *jobTable

	current        syntax.Command // BASH_COMMAND
	getopts        getoptsState
	procFDs        []int    // descriptors of process substitutions to close
	procSubst      *process // the last one of them
	history        []string // what history -s added
	historyCleared bool

	trapMask, ignoreMask atomic.Uint64 // for takeSignal

	pathText      string // PATH as pathList was split from it
	pathList      []string
	disabled      map[string]bool // builtins that enable -n turned off; replaced whole
	readonlyFuncs map[string]bool // replaced whole
	hasExported   bool            // a function is exported
	posixShell    bool            // runs as sh
	sourceName    string          // BASH_SOURCE of functions defined at the top
	unitWeight    int             // nesting of the source being run
	paramsSet     int             // counts the uses of set for parameters
	paramsHeld    int64           // memory taken for the parameters that set made
	evals         int             // evals on the stack
	traceLevel    int
	started       time.Time
	scratch       []byte // for echo
	block         []byte // of reads
	lineBuf       []byte // of the read builtin
	writeFailed   bool   // the running builtin could not write its output
}

// fork makes the environment of a subshell: everything is a copy, signals
// that were trapped are back to their default. The caller must call end. It
// answers nil, and the shell gives up, where the session has all the
// processes that it may have: without that bound f() { f | f; } would take
// all memory long before its calls are too deep.
func (e *Executor) fork(ctx context.Context, command string) *Executor {
	switch {
	case !e.crowded():
		return e.copy(ctx, command)
	case e.s.table.size() >= e.cfg.Limits.Processes:
		e.limitError("processes")
	default: // the profile has the lower bound
		e.forkFailed(syscall.EAGAIN)
	}
	return nil
}

// crowded reports whether the session has all the processes that it may have.
func (e *Executor) crowded() bool {
	n := e.s.table.size()
	if n >= e.cfg.Limits.Processes {
		return true
	}
	if e.cfg.Processes == nil {
		return false
	}
	most := e.cfg.Processes().Max
	return most != nil && int64(n) >= *most
}

// maySpawn reports whether jobs may run in the background; it tells when not.
func (e *Executor) maySpawn() bool {
	if e.cfg.Processes == nil || !e.cfg.Processes().NoSpawn {
		return true
	}
	e.forkFailed(syscall.EPERM)
	return false
}

// controls reports whether the session's processes can be reached.
func (e *Executor) controls() bool { return e.cfg.Processes == nil || !e.cfg.Processes().NoControl }

// exitNoFork is bash's status when it cannot make a process.
const exitNoFork = 254

// forkFailed tells that a process cannot be made, which ends the line.
func (e *Executor) forkFailed(err syscall.Errno) {
	e.writeFD(2, "bash: fork: "+vfs.Phrase(err)+"\n")
	e.status = exitNoFork
	e.flow, e.gaveUp = flowExit, true
}

// copy is fork without a bound.
func (e *Executor) copy(ctx context.Context, command string) *Executor {
	ctx, cancel := context.WithCancelCause(ctx)
	c := &Executor{
		cancel: cancel,
		s:      e.s, cfg: e.cfg, line: e.line, ctx: ctx, main: e.main,
		xo: e.xo, opts: e.opts, shopts: e.shopts,
		funcs: e.funcs, aliases: e.aliases, hash: e.hash, shared: true,
		dir: e.dir, dirStack: slices.Clip(e.dirStack), umask: e.umask,
		origin: e.origin, interactive: e.interactive, name: e.name, script: e.script,
		frames: slices.Clip(e.frames), lineno: e.lineno, base: e.base, text: e.text, textFrom: e.textFrom, weight: e.weight, depth: e.depth,
		scope: e.scope, at: e.at, offsets: e.offsets,
		subshell: e.subshell + 1, status: e.status, pipeStatus: e.pipeStatus, lastStatus: e.lastStatus, lastArg: e.lastArg, lastJob: e.lastJob,
		loops: e.loops, quiet: e.quiet, seconds0: e.seconds0, traps: e.traps.forSubshell(e.opts[optErrtrace], e.opts[optFunctrace]), current: e.current,
		getopts: e.getopts, history: slices.Clip(e.history), historyCleared: e.historyCleared,
		disabled: e.disabled, readonlyFuncs: e.readonlyFuncs, hasExported: e.hasExported, posixShell: e.posixShell,
		sourceName: e.sourceName, unitWeight: e.unitWeight, evals: e.evals, traceLevel: e.traceLevel, started: e.started,
	}
	e.shared = true
	c.wakeup = make(chan struct{}, 1)
	c.publishTraps()
	c.vars = e.vars.Clone((*host)(c))
	c.x = e.x.Clone(c.vars, &c.xo, (*host)(c))
	c.fds = e.fds.clone()
	c.jobs = newJobTable()
	c.jobs.inherited = slices.Clip(e.jobs.jobs)
	c.reaper = e
	c.proc = e.s.table.start(e.proc, command, cancel)
	c.proc.dispose(c.takeSignal)
	return c
}

// end closes a subshell: its EXIT trap runs, its descriptors close, and its
// process ends. It answers the exit status.
func (e *Executor) end() int {
	e.exitTrap()
	status, sig := e.status, signal(0)
	if sig = killedBy(e.ctx); sig != 0 {
		status = 128 + int(sig)
		e.status = status
	}
	e.close(status, sig)
	return status
}

// close frees what the shell holds and ends its process.
func (e *Executor) close(status int, sig signal) {
	e.fds.closeAll()
	e.vars.Release()
	e.s.memory.Give(e.paramsHeld)
	e.paramsHeld = 0
	if e.cancel != nil {
		e.cancel(nil)
	}
	if e.counted {
		// Before the end is seen: who waited for it must not find the job
		// counted still.
		e.counted = false
		e.s.unreserve()
		if e.release != nil {
			e.release()
		}
	}
	if !e.borrowed {
		e.proc.finish(status, sig)
	}
	if e.reaper != nil {
		e.reaper.childEnded()
	}
}

// count makes the subshell a background job, which keeps the judge of its line.
func (e *Executor) count() {
	e.counted = true
	if j, ok := e.cfg.Judge.(LineJudge); ok {
		e.release = j.Hold()
	}
}

// own makes the maps private before a change.
func (e *Executor) own() {
	if e.shared {
		e.funcs, e.aliases, e.hash = maps.Clone(e.funcs), maps.Clone(e.aliases), maps.Clone(e.hash)
		e.shared = false
	}
}

// interrupted reports whether the shell has to stop where it is: because it
// was cancelled or killed, or because it is leaving already. Traps of signals
// that came in run here.
func (e *Executor) interrupted() bool {
	if e.flow != flowNone {
		return true
	}
	if e.ctx.Err() != nil {
		e.stopKilled()
		return true
	}
	if e.proc.frozen.Load() {
		e.proc.pause(e.ctx)
		return e.interrupted()
	}
	if e.pending.Load() != 0 {
		e.runPending()
		return e.flow != flowNone
	}
	return false
}

// stopKilled leaves the shell because its context ended.
func (e *Executor) stopKilled() {
	e.flow = flowExit
	e.status = 130
	if sig := killedBy(e.ctx); sig != 0 {
		e.status = 128 + int(sig)
	}
}

// prefix is what bash puts before a message: "bash: line 3: "; nothing on a
// front end's own line.
func (e *Executor) prefix() string {
	name := ""
	if n := len(e.frames); n > 0 {
		name = e.frames[n-1].source
	}
	if name == "" {
		if e.origin == fromLine {
			return ""
		}
		name = e.name
	}
	return name + ": line " + itoa(e.lineno) + ": "
}

// errorf prints a message on standard error under the shell's prefix.
func (e *Executor) errorf(format string, args ...any) {
	e.warn(fmt.Sprintf(format, args...))
}

func (e *Executor) warn(msg string) {
	e.writeFD(2, e.prefix()+msg+"\n")
}

// writeFD writes to a descriptor on behalf of the shell itself; errors are
// dropped.
func (e *Executor) writeFD(n int, s string) {
	if f := e.fds.get(n); f != nil {
		f.write(e.ctx, []byte(s))
	}
}

// write writes the output of a builtin. A failure is reported as bash does
// and answers false.
func (e *Executor) write(name string, p []byte) bool {
	f := e.fds.get(1)
	var err error = syscall.EBADF
	if f != nil {
		_, err = f.write(e.ctx, p)
	}
	if err == nil {
		return true
	}
	e.writeFailed = true
	if err == syscall.EPIPE && !e.traps.ignored(sigPIPE) {
		e.raise(sigPIPE)
		return false
	}
	if e.ctx.Err() == nil {
		e.errorf("%s: write error: %s", name, phrase(err))
	}
	return false
}

// raise delivers a signal to this very shell, synchronously.
func (e *Executor) raise(sig signal) {
	e.proc.deliver(sig)
	e.interrupted()
}

// fail reports a failed expansion, assignment or redirection and answers the
// status; how much it ends is as severe as the error says.
func (e *Executor) fail(err error) int {
	if e.ctx.Err() != nil {
		e.stopKilled()
		return e.status
	}
	var x *expand.Error
	switch {
	case errors.As(err, &x):
		prefix := e.prefix()
		if prefix == "" {
			prefix = "bash: "
		}
		if x.Msg != "" {
			e.writeFD(2, prefix+x.Msg+"\n")
		}
		e.status = max(x.Status, 1)
		if x.Severity == expand.Exit && e.subshell == 0 && (e.origin == fromCommand || e.origin == fromLine) {
			e.status = 127 // so the text of -c ends, and no other
		}
		switch x.Severity {
		case expand.Discard:
			e.discard()
		case expand.Exit:
			if e.subshell == 0 && e.origin == fromCommand {
				e.status = 127
			}
			e.flow, e.gaveUp = flowExit, true
		}
	case errors.Is(err, vars.ErrMemory):
		e.limitError("memory")
	default:
		e.warn(err.Error())
		e.status = 1
	}
	return e.status
}

// discard gives up the piece of input being run; a subshell ends.
func (e *Executor) discard() {
	if e.subshell > 0 || e.opts[optErrexit] && e.quiet == 0 {
		e.flow, e.gaveUp = flowExit, true
		return
	}
	e.flow = flowDiscard
}

// limitError says that a budget is used up and gives up the line.
func (e *Executor) limitError(what string) {
	prefix := e.prefix()
	if prefix == "" {
		prefix = "bash: line " + itoa(max(e.lineno, 1)) + ": "
	}
	e.writeFD(2, prefix+what+": limit exceeded\n")
	e.status = 1
	e.flow, e.gaveUp = flowExit, true
}

// enter counts a call, eval, source or substitution against the budget of
// depth. leave must follow when it answers true.
func (e *Executor) enter(weight int) bool {
	if e.depth >= e.cfg.Limits.Depth || e.weight+weight > maxWeight {
		e.limitError("depth")
		return false
	}
	e.depth++
	e.weight += weight
	return true
}

func (e *Executor) leave(weight int) {
	e.depth--
	e.weight -= weight
}

// maxWeight bounds the Go stack of one shell: the sum of the nesting of all
// sources whose code is on it.
const maxWeight = 60_000
