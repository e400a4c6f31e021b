package shell

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"mirage/policy"
	"mirage/shell/expand"
	"mirage/shell/program"
	"mirage/shell/vars"
)

// Shell is one session's shell: variables, functions, options, working
// directory, jobs. One line runs at a time; Run calls must not overlap.
// Background jobs go on between lines until Close.
type Shell struct {
	s *session
	e *Executor // the session's own shell
}

// withDefaults fills in what a configuration leaves to us.
func (c Config) withDefaults() *Config {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Dir == "" {
		c.Dir = "/"
	}
	if c.User == "" {
		c.User = "user"
	}
	if c.Hostname == "" {
		c.Hostname = "mirage"
	}
	l := &c.Limits
	set := func(p *int, n int) {
		if *p <= 0 {
			*p = n
		}
	}
	if l.Source <= 0 {
		l.Source = 4 << 20
	}
	if l.Memory <= 0 {
		l.Memory = 256 << 20
	}
	set(&l.Nesting, 1000)
	set(&l.Depth, 1000)
	set(&l.Words, 100_000)
	set(&l.Jobs, 256)
	set(&l.Processes, 1024)
	set(&l.Descriptors, 1024)
	return &c
}

// minMemory is how much a session has even when the memory that it shares with
// others is used up: a person can log in and look.
const minMemory = 4 << 20

// New makes a shell with the environment of its configuration.
func New(cfg Config) *Shell {
	c := cfg.withDefaults()
	s := &session{now: c.Now, home: "/", onLoss: c.Panicked, measure: c.Measure, memory: c.Memory.Child(c.Limits.Memory, minMemory)}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.table = newProcessTable(c.Now)
	var seed [8]byte
	_, _ = rand.Read(seed[:])
	n := binary.LittleEndian.Uint64(seed[:])
	s.table.next = 300 + int(n%30_000)
	s.seed = uint32(n >> 32)
	e := &Executor{s: s, cfg: c, name: "bash", umask: 0o022, wakeup: make(chan struct{}, 1)}
	e.opts, e.shopts = defaultOptions(), defaultShopts()
	e.jobs = newJobTable()
	e.ctx = s.ctx
	e.proc = s.table.start(nil, "bash", nil)
	e.proc.dispose(e.takeSignal)
	e.main = e.proc
	e.dir = c.Dir
	e.initVars(c.Environ)
	e.raiseLevel()
	e.fds = fdTable{limit: c.Limits.Descriptors}
	e.fds.set(0, newFile("stdin", frontReader{s}))
	e.fds.set(1, newFile("stdout", frontWriter{s, 0}))
	e.fds.set(2, newFile("stderr", frontWriter{s, 1}))
	sh := &Shell{s: s, e: e}
	e.line = &lineRun{}
	return sh
}

// initExpander makes the expander on fresh variables.
func (e *Executor) initExpander() {
	params := []string(nil)
	if e.x != nil {
		params = e.x.Params
	}
	e.x = expand.New(e.vars, &e.xo, (*host)(e))
	e.x.View, e.x.Name, e.x.Dir, e.x.Params = e.cfg.View, e.name, e.dir, params
	e.x.Limits.Memory, e.x.Limits.Words = e.cfg.Limits.Memory, e.cfg.Limits.Words
	e.syncOptions()
}

// initVars makes the variables of a shell that starts with an environment.
func (e *Executor) initVars(environ []string) {
	seed := e.s.nextSeed()
	environ = e.importFunctions(environ)
	if j := e.cfg.Judge; j != nil {
		environ = slices.DeleteFunc(slices.Clone(environ), func(kv string) bool {
			name, _, _ := strings.Cut(kv, "=")
			return j.VarHidden(name)
		})
	}
	e.vars = vars.New(vars.Options{
		Host: (*host)(e), Dynamic: dynamicVars, Now: e.s.now, Seed: seed,
		Budget: e.s.memory, Environ: environ,
	})
	e.initExpander()
	e.vars.Force("PWD", e.dir, vars.Export)
	if _, set := e.vars.Lookup("OLDPWD"); !set {
		e.vars.Force("OLDPWD", "", vars.Export)
		e.vars.Unset("OLDPWD")
	}
	parent := 0
	if e.proc != nil && e.proc.parent != nil {
		parent = e.proc.parent.pid
	}
	e.vars.Force("PPID", itoa(parent), vars.Integer|vars.ReadOnly)
	e.vars.Force("UID", itoa(program.UID), vars.Integer|vars.ReadOnly)
	e.vars.Force("EUID", itoa(program.UID), vars.Integer|vars.ReadOnly)
	for _, v := range [][2]string{
		{"PATH", "/usr/bin:/bin"}, {"TERM", "dumb"}, {"SHELL", "/bin/bash"}, {"HOSTNAME", e.cfg.Hostname},
		{"HOSTTYPE", "x86_64"}, {"MACHTYPE", "x86_64-pc-linux-gnu"}, {"OSTYPE", "linux-gnu"},
	} {
		if _, set := e.vars.Lookup(v[0]); !set {
			e.vars.Force(v[0], v[1], 0)
		}
	}
	e.vars.Force("BASH", "/bin/bash", 0)
	e.vars.Force("BASH_VERSION", "5.2.15(1)-release", 0)
	e.vars.SetElements("BASH_VERSINFO", []string{"5", "2", "15", "1", "release", "x86_64-pc-linux-gnu"})
	e.vars.Declare("BASH_VERSINFO", vars.Declaration{Add: vars.ReadOnly})
}

// raiseLevel counts one more shell in SHLVL.
func (e *Executor) raiseLevel() {
	level, _ := atoi(e.vars.Get("SHLVL"))
	e.vars.Force("SHLVL", itoa(level+1), vars.Export)
}

// Run parses and runs one line. It returns within 50 ms of ctx's end with
// status 130, whatever the line does. A panic inside ends the line with
// status 1 and a message, never the process.
func (sh *Shell) Run(ctx context.Context, l Line) Result {
	s, e := sh.s, sh.e
	if s.ctx.Err() != nil {
		return Result{Status: 130}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(s.ctx, func() { cancel(context.Cause(s.ctx)) })
	defer stop()

	streams := &lineIO{in: newLineInput(reader(l.Stdin)), out: newLineOutput(l.Stdout, l.Stderr)}
	s.front.Store(streams)
	defer func() {
		if !l.Interactive {
			s.front.Store(nil)
			streams.out.shut()
			return
		}
		// Background jobs go on writing to the terminal.
		s.front.Store(&lineIO{in: newLineInput(reader(nil)), out: streams.out})
	}()

	run := &lineRun{terminal: l.Terminal, interactive: l.Interactive}
	defer e.configure(l)()
	if l.Dir != "" || l.Env != nil {
		e = sh.e.copy(ctx, "bash") // one a line: the session keeps room for it
		e.subshell, e.loops = 0, 0
		e.enterClone(l)
	}
	e.line, e.ctx, e.interactive = run, ctx, l.Interactive
	e.proc.resume()
	e.proc.mu.Lock()
	e.proc.cancel = cancel
	e.proc.mu.Unlock()
	e.flow, e.gaveUp, e.levels, e.quiet, e.loops, e.depth, e.weight = flowNone, false, 0, 0, 0, 0, 0
	e.frames = e.frames[:0]
	e.noteWindow(l.Terminal)
	res := e.runLine(l)
	if e != sh.e {
		e.close(res.Status, 0)
	} else {
		e.ctx = s.ctx
		e.reap()
	}
	if ctx.Err() != nil {
		grace, done := context.WithTimeout(context.Background(), abandonAfter)
		streams.out.flush(grace)
		done()
	} else {
		streams.out.flush(ctx)
	}
	return res
}

func reader(r io.Reader) io.Reader {
	if r == nil {
		return strings.NewReader("")
	}
	return r
}

// configure puts the judge and the view of a line in force; what it answers
// brings back those of the session. What the line has started keeps its own.
func (e *Executor) configure(l Line) (restore func()) {
	base := e.cfg
	if l.Judge == nil && l.View == nil {
		return func() {}
	}
	cfg := *base
	if l.Judge != nil {
		cfg.Judge = l.Judge
	}
	if l.View != nil {
		cfg.View = l.View
	}
	e.cfg, e.x.View = &cfg, cfg.View
	return func() { e.cfg, e.x.View = base, base.View }
}

// enterClone gives a clone the directory and variables of its line.
func (e *Executor) enterClone(l Line) {
	if l.Dir != "" {
		e.dir, e.x.Dir = l.Dir, l.Dir
		e.vars.Force("PWD", l.Dir, vars.Export)
	}
	for k, v := range l.Env {
		if vars.ValidName(k) && !(e.cfg.Judge != nil && e.cfg.Judge.VarHidden(k)) && (*host)(e).MayWrite(k, &v) == nil {
			e.vars.Force(k, v, vars.Export)
		}
	}
}

// runLine parses, judges and runs the source of a line.
func (e *Executor) runLine(l Line) (res Result) {
	defer func() {
		if v := recover(); v != nil {
			e.s.panicked(v)
			e.writeFD(2, "mirage: internal error\n")
			res = Result{Status: 1}
		}
	}()
	source := l.Source
	e.scope, e.offsets = e.scopeOf("", source), nil
	u, err := e.parse(source)
	if err != nil {
		e.status = e.refuseSource(err, l)
		return Result{Status: e.status}
	}
	a, words := e.judgeSource(source)
	if a.Outcome == policy.Allow {
		a, words = e.judgeLine(u.file)
	}
	if e.ctx.Err() != nil { // while it waited for an answer
		return e.result()
	}
	if a.Outcome != policy.Allow {
		text, status := refusalText(a, words)
		e.warn(text)
		e.line.refuse(a, status)
		e.status = status
		return e.result()
	}
	if j, ok := e.cfg.Judge.(LineJudge); ok {
		j.Begin()
	}
	if e.shopts[shoptExpandAliases] || e.opts[optVerbose] || strings.Contains(source, "expand_aliases") || strings.Contains(source, "posix") {
		e.runInput(e.lines(source))
	} else {
		e.runLineUnit(u)
	}
	return e.result()
}

// runLineUnit runs a parsed line; an error gives up no more than the rest of
// its own physical line.
func (e *Executor) runLineUnit(u *unit) {
	e.text, e.textFrom, e.unitWeight = u.text, 0, u.nesting
	skip := uint(0)
	for _, st := range u.file.Stmts {
		if skip != 0 && st.Pos().Line() <= skip {
			continue
		}
		skip = 0
		e.stmt(st)
		if e.flow == flowDiscard {
			e.flow = flowNone
			skip = st.End().Line()
			continue
		}
		if e.flow != flowNone {
			return
		}
	}
	e.interrupted()
}

// result tells how the line ended.
func (e *Executor) result() Result {
	res := Result{Exited: e.flow == flowExit && !e.gaveUp, Aborted: e.flow == flowExit && e.gaveUp}
	if cause := context.Cause(e.ctx); cause != nil {
		res.Exited = false
		var k killed
		if errors.As(cause, &k) {
			res.Signal = k.sig.String()
		}
		e.stopKilled()
	}
	if res.Exited || res.Signal != "" {
		e.exitTrap()
	}
	res.ExitTrap = e.traps.exit != nil && *e.traps.exit != ""
	res.Refusal, _ = e.line.refused()
	res.Limited, res.TimedOut = e.line.limited.Load(), e.line.timedOut.Load()
	res.Status = e.status
	e.flow = flowNone
	return res
}

// refuseSource answers a line that cannot be parsed.
func (e *Executor) refuseSource(err error, l Line) int {
	text, status := e.refusalOfSource(err, l)
	e.writeFD(2, text)
	return status
}

// refusalOfSource words why a line cannot be parsed, and gives its status.
func (e *Executor) refusalOfSource(err error, l Line) (string, int) {
	var s *syntaxError
	if errors.Is(err, errCanceled) {
		return "", 130
	}
	if !errors.As(err, &s) {
		return "bash: line 1: " + err.Error() + ": limit exceeded\n", 1
	}
	e.locate(s, l.Source, 1)
	if l.Interactive {
		return "bash: " + s.message() + "\n", 2
	}
	if strings.Contains(s.text, "test operator") {
		return "mirage: conditional binary operator expected\n", 2
	}
	near := s.token
	if near == "" || near == "newline" {
		near = strings.TrimSpace(l.Source)
		if i := strings.LastIndexByte(near, '\n'); i >= 0 {
			near = near[i+1:]
		}
	}
	if len(near) > 40 {
		near = near[:40]
	}
	if near == "" {
		return "mirage: syntax error in command\n", 2
	}
	return "mirage: syntax error near '" + near + "'\n", 2
}

// reap forgets the jobs whose end has been told.
func (e *Executor) reap() {
	for _, j := range slices.Clone(e.jobs.jobs) {
		if j.reported && j.proc.ended() {
			e.jobs.remove(j)
		}
	}
}

// Incomplete reports whether source is the beginning of an unfinished
// construct (an open quote, `if` without `fi`, a here-document), for PS2.
func (sh *Shell) Incomplete(source string) bool {
	if continues(source) {
		return true
	}
	_, err := sh.e.parseSource(source, false)
	var s *syntaxError
	return errors.As(err, &s) && (s.incomplete || s.unclosedHereDoc() != "")
}

// continues reports whether a backslash at its end joins source to the line
// to come.
func continues(source string) bool {
	line := source[strings.LastIndexByte(source, '\n')+1:]
	slashes := len(line) - len(strings.TrimRight(line, "\\"))
	return slashes%2 == 1 && !strings.HasPrefix(strings.TrimLeft(line, " \t"), "#")
}

// Dir is the working directory.
func (sh *Shell) Dir() string { return sh.e.dir }

// Getenv answers a variable, exported or not, for front ends.
func (sh *Shell) Getenv(name string) string { return sh.e.vars.Get(name) }

// Jobs answers how many background jobs run.
func (sh *Shell) Jobs() int { return int(sh.s.jobs.Load()) }

// KillJobs kills the background jobs and waits for their end; it answers how
// many there were.
func (sh *Shell) KillJobs() int {
	n := sh.Jobs()
	for _, p := range sh.s.table.all() {
		if p != sh.e.proc {
			p.deliver(sigKILL)
		}
	}
	for _, p := range sh.s.table.all() {
		if p == sh.e.proc {
			continue
		}
		select {
		case <-p.done:
		case <-time.After(5 * abandonAfter):
		}
	}
	return n
}

// Close kills the jobs and frees the shell.
func (sh *Shell) Close() error {
	sh.s.cancel(killed{sigHUP})
	sh.KillJobs()
	sh.e.fds.closeAll()
	sh.s.memory.Close()
	return nil
}
