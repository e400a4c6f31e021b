package shell

import (
	"context"
	"io"
	"os"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"mirage/policy"
	"mirage/shell/expand"
	"mirage/vfs"
)

// host is the executor as expansions and variables see it.
type host Executor

// Special answers $?, $$, $!, $- and $_.
func (h *host) Special(name byte) (string, bool) {
	e := (*Executor)(h)
	switch name {
	case '?':
		return itoa(e.status), true
	case '$':
		return itoa(e.main.pid), true
	case '!':
		if e.lastJob == 0 {
			return "", false
		}
		return itoa(e.lastJob), true
	case '-':
		return e.optionLetters(), true
	case '_':
		return e.lastArg, true
	}
	return "", false
}

// CmdSubst runs a command substitution in a subshell, in this goroutine: its
// output goes to memory.
func (h *host) CmdSubst(ctx context.Context, c *syntax.CmdSubst) ([]byte, error) {
	e := (*Executor)(h)
	e.substituted = true
	if out, ok, err := e.fileSubst(c); ok {
		return out, err
	}
	if len(c.Stmts) == 0 {
		e.status = 0
		return nil, nil
	}
	if text, ok := badSubstitutionOf(c); ok {
		return nil, &expand.Error{Msg: text + ": bad substitution", Severity: expand.Discard, Status: 1}
	}
	if !e.enter(1) {
		return nil, e.ctx.Err()
	}
	defer e.leave(1)
	out := &capture{memory: e.s.memory, closed: make(chan struct{})}
	defer out.free()
	sub := e.fork(ctx, "bash")
	if sub == nil {
		return nil, nil
	}
	if old := sub.fds.set(1, newFile("pipe", out)); old != nil {
		old.release()
	}
	if !e.shopts[shoptInheritErrexit] && !e.opts[optPosix] {
		sub.setOption(optErrexit, false)
	}
	sub.traceLevel++
	e.status = sub.runList(c.Stmts)
	// What a background job of it still writes belongs to the output.
	select {
	case <-out.closed:
	case <-e.ctx.Done():
	}
	if e.ctx.Err() != nil {
		return nil, e.ctx.Err()
	}
	if out.over {
		e.limitError("memory")
		return nil, nil
	}
	return out.take(), nil
}

// fileSubst is $(<file): the contents of a file.
func (e *Executor) fileSubst(c *syntax.CmdSubst) (out []byte, ok bool, err error) {
	if len(c.Stmts) != 1 || c.Stmts[0].Cmd != nil || len(c.Stmts[0].Redirs) != 1 || c.Stmts[0].Negated {
		return nil, false, nil
	}
	r := c.Stmts[0].Redirs[0]
	if r.Op != syntax.RdrIn || r.N != nil {
		return nil, false, nil
	}
	name, err := e.x.Redirect(e.ctx, r.Word)
	if err != nil {
		e.fail(err)
		return nil, true, nil
	}
	f, err := e.open(name, os.O_RDONLY, readOnly)
	if err != nil {
		e.errorf("%s: %s", name, phrase(err))
		e.status = 1
		return nil, true, nil
	}
	defer f.release()
	var data []byte
	defer func() { e.s.memory.Give(int64(len(data))) }()
	buf := make([]byte, 32<<10)
	for {
		n, err := f.read(e.ctx, buf)
		if !e.s.memory.Take(int64(n)) {
			e.limitError("memory")
			return nil, true, nil
		}
		data = append(data, buf[:n]...)
		if err == io.EOF {
			break
		}
		if err != nil {
			e.errorf("%s: %s", name, phrase(err))
			e.status = 1
			return nil, true, nil
		}
	}
	e.status = 0
	return data, true, nil
}

// ProcSubst starts a process substitution: a subshell at the other end of a
// pipe, which this shell holds as descriptor 63 or below.
func (h *host) ProcSubst(ctx context.Context, p *syntax.ProcSubst) (string, error) {
	e := (*Executor)(h)
	n := 63
	for n > 9 && e.fds.get(n) != nil {
		n--
	}
	if n == 9 || n >= e.fds.limit {
		return "", &expand.Error{Msg: "cannot make pipe for process substitution: Too many open files", Status: 1}
	}
	if !e.s.reserve(e.cfg.Limits.Jobs) {
		return "", &expand.Error{Msg: "jobs: limit exceeded", Status: 1}
	}
	sub := e.fork(e.s.ctx, "bash")
	if sub == nil {
		e.s.unreserve()
		return "", &expand.Error{Status: 1}
	}
	r, w := newPipe()
	sub.count()
	line := e.ctx // the executor's own changes when the line ends
	stop := context.AfterFunc(line, func() { sub.proc.cancel(context.Cause(line)) })
	if p.Op == syntax.CmdOut {
		sub.connect(r, nil)
		e.fds.set(n, w)
	} else {
		sub.connect(nil, w)
		e.fds.set(n, r)
	}
	e.procFDs = append(e.procFDs, n)
	e.lastJob = sub.proc.pid
	e.procSubst = sub.proc
	go e.s.run(func() {
		defer stop()
		sub.runList(p.Stmts)
	})
	return "/dev/fd/" + itoa(n), nil
}

// closeProcFDs closes the descriptors of process substitutions from mark on.
func (e *Executor) closeProcFDs(mark int) {
	if len(e.procFDs) <= mark {
		return
	}
	for _, n := range e.procFDs[mark:] {
		if f := e.fds.set(n, nil); f != nil {
			f.release()
		}
	}
	e.procFDs = e.procFDs[:mark]
}

// Warn prints a message.
func (h *host) Warn(msg string) { (*Executor)(h).warn(msg) }

// Home answers home directories: the login's own, which is the root.
func (h *host) Home(user string) (string, bool) {
	e := (*Executor)(h)
	if user == "" || user == e.cfg.User {
		return e.s.home, true
	}
	if user == "root" {
		return "/root", true
	}
	return "", false
}

// Directory answers an element of the directory stack.
func (h *host) Directory(n int, fromEnd bool) (string, bool) {
	e := (*Executor)(h)
	stack := e.directories()
	if fromEnd {
		n = len(stack) - 1 - n
	}
	if n < 0 || n >= len(stack) {
		return "", false
	}
	return stack[n], true
}

// Terminal tells whether a descriptor is a terminal.
func (h *host) Terminal(fd int) bool { return (*Executor)(h).isTerminal(fd) }

// Option reports a `set -o` option.
func (h *host) Option(name string) (on, known bool) {
	o, ok := optionByName(name)
	return ok && h.opts[o], ok
}

// view is the tree as a redirection or builtin of this shell sees it. The rules
// for a command bind the files of its redirections too; it has no place, since
// whoever is asked about the command is not told of its redirections.
func (e *Executor) view() *vfs.View {
	if e.redirects == nil || e.cfg.Judge == nil {
		return e.cfg.View
	}
	return e.cfg.View.For(&policy.Command{Argv: e.redirects, Cwd: e.dir, Kind: policy.KindProgram})
}

// textOf answers a node as it was written, where the text is still at hand.
func (e *Executor) textOf(n syntax.Node) string { return nodeText(n, e.text, e.textFrom) }

// Prompt answers the escapes of a prompt that are the session's.
func (h *host) Prompt(c byte) (string, bool) {
	e := (*Executor)(h)
	switch c {
	case 'u':
		return e.cfg.User, true
	case 'h':
		name, _, _ := strings.Cut(e.cfg.Hostname, ".")
		return name, true
	case 'H':
		return e.cfg.Hostname, true
	case 'j':
		return itoa(len(e.jobs.jobs)), true
	case 'l':
		return "0", true
	case '!', '#':
		return itoa(len(e.historyList()) + 1), true
	case '$':
		return "$", true
	}
	return "", false
}
