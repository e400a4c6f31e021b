package sshd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	charm "charm.land/ssh"

	"mirage/accounts"
	"mirage/audit"
	"mirage/policy"
	"mirage/sftpd"
	"mirage/vfs"
	"mirage/workspace"
)

// session is what a channel needs of a *workspace.Session.
type session interface {
	Cwd() string
	View() *vfs.View
	FileCall() *workspace.FileCall
	Run(ctx context.Context, l workspace.Line) (workspace.Result, error)
	Prompt(ctx context.Context, name string) (text string, set bool)
	Incomplete(source string) bool
	Complete(ctx context.Context, source string) (start int, words []string)
	Close(ctx context.Context) error
}

// opener opens sessions.
type opener interface {
	// open makes a session in the workspace of a name. gone is closed when the
	// workspace is. The error for a missing workspace and for one that the
	// caller may not see is the same, of kind workspace.NotFound.
	open(ctx context.Context, c accounts.Caller, name string, o workspace.SessionOptions) (s session, gone <-chan struct{}, err error)
}

// managerOpener opens sessions of a manager.
type managerOpener struct{ m *workspace.Manager }

func (o managerOpener) open(ctx context.Context, c accounts.Caller, name string, so workspace.SessionOptions) (session, <-chan struct{}, error) {
	w, err := o.m.Get(ctx, c, name)
	if err != nil {
		return nil, nil, err
	}
	s, err := w.NewSession(ctx, so)
	if err != nil {
		return nil, nil, err
	}
	return s, w.Done(), nil
}

// agent is recorded as the author of every line.
const agent = "ssh"

// exit is how a channel ends.
type exit struct {
	status int
	signal string // "" = none; else it is sent instead of the status
}

// serveChannel is the library's handler for shell, exec and every subsystem:
// all of them pass the same checks.
func (s *Server) serveChannel(cs charm.Session) {
	ch := cs.Context().Value(channelKey{}).(*channel)
	defer close(ch.served)
	var end exit
	func() {
		// Its place is free before the client can know.
		defer ch.conn.channelEnded()
		end = ch.serve(s)
		ch.out.drain(ch.ctx)
	}()
	if end.signal != "" {
		ch.exitSignal(end.signal)
		return
	}
	_ = cs.Exit(end.status & 0xff)
}

// serve does what the channel is for.
func (ch *channel) serve(s *Server) exit {
	started := time.Now()
	what, req := ch.what()
	if what == doUnsupported {
		ch.complain("unsupported subsystem: %s", req.text)
		return exit{status: 1}
	}
	sess, gone, err := ch.openSession(s, req)
	if err != nil {
		ch.complain("%s", err)
		return exit{status: 1}
	}
	defer func() {
		// The session's end does not wait for the client's: it has its own.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ch.ctx), closeTimeout)
		defer cancel()
		if err := sess.Close(ctx); err != nil {
			s.cfg.Log.Warn("ssh: session did not close", "workspace", ch.login.user, "error", err)
		}
	}()
	r := &runner{ch: ch, sess: sess, gone: gone}
	var end exit
	switch what {
	case doExec:
		end = r.exec(req.text)
	case doShell:
		end = r.shell()
	case doSFTP:
		end = r.sftp()
	case doSFTPOnly:
		_, _ = ch.stdout(ch.ctx).Write([]byte("This service allows sftp connections only.\n"))
		end = exit{status: 1}
	}
	s.cfg.Log.Debug("ssh: channel done", "workspace", ch.login.user, "kind", req.kind, "remote", ch.conn.remote(),
		"status", end.status, "signal", end.signal, "duration", time.Since(started))
	return end
}

// closeTimeout bounds the end of a session whose lines do not end.
const closeTimeout = 10 * time.Second

// action is what a channel does.
type action int

const (
	doShell action = iota
	doExec
	doSFTP
	doSFTPOnly // refuse what is not SFTP
	doUnsupported
)

// internalSFTP is the name of the SFTP server in command=, as in OpenSSH.
const internalSFTP = "internal-sftp"

// what decides what a channel does: what the client asked for, or what its
// key forces. A forced command runs whatever was asked for; forced
// internal-sftp serves SFTP and nothing else.
func (ch *channel) what() (action, request) {
	ch.mu.Lock()
	req := ch.request
	ch.mu.Unlock()
	if req.kind == "subsystem" && req.text != "sftp" {
		return doUnsupported, req
	}
	if ch.login != nil && ch.login.key.Options.HasCommand {
		forced := ch.login.key.Options.Command
		if word, _, _ := strings.Cut(forced, " "); word == internalSFTP {
			if req.kind == "subsystem" {
				return doSFTP, req
			}
			return doSFTPOnly, req
		}
		return doExec, request{kind: req.kind, text: forced}
	}
	switch req.kind {
	case "exec":
		return doExec, req
	case "subsystem":
		return doSFTP, req
	}
	return doShell, req
}

// openSession makes the channel's own session. The error is what the client
// reads.
func (ch *channel) openSession(s *Server, req request) (session, <-chan struct{}, error) {
	if ch.login == nil {
		return nil, nil, errors.New("permission denied")
	}
	name, opts := ch.login.user, ch.login.key.Options
	o := workspace.SessionOptions{Prefix: "ssh_", Ephemeral: true, Agent: agent, Env: ch.loginEnv()}
	if !opts.BadProfile {
		o.Profile = opts.Profile
	}
	sess, gone, err := s.open.open(ch.ctx, ch.login.caller(s.cfg.AllWorkspaces), name, o)
	var e *workspace.Error
	switch {
	case errors.As(err, &e) && e.Kind == workspace.NotFound:
		return nil, nil, fmt.Errorf("no such workspace: %s", printable(name))
	case err != nil:
		return nil, nil, fmt.Errorf("cannot open a session: %w", err)
	case opts.BadProfile:
		_ = sess.Close(ch.ctx)
		return nil, nil, errors.New("cannot open a session: mirage-profile must name exactly one profile")
	}
	return sess, gone, nil
}

// printable keeps a client's own text from steering a terminal that shows it.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return '?'
		}
		return r
	}, s)
}

// loginEnv is what sshd(8) sets at a login, on top of what the client may set.
func (ch *channel) loginEnv() map[string]string {
	env := ch.environ()
	ch.mu.Lock()
	term, req := ch.term, ch.request
	ch.mu.Unlock()
	env["HOME"] = "/"
	env["USER"] = ch.login.user
	env["LOGNAME"] = ch.login.user
	client, ok1 := ch.conn.RemoteAddr().(*net.TCPAddr)
	local, ok2 := ch.conn.LocalAddr().(*net.TCPAddr)
	if ok1 && ok2 {
		env["SSH_CLIENT"] = fmt.Sprintf("%s %d %d", client.IP, client.Port, local.Port)
		env["SSH_CONNECTION"] = fmt.Sprintf("%s %d %s %d", client.IP, client.Port, local.IP, local.Port)
	}
	if term != nil {
		env["SSH_TTY"] = "/dev/tty"
		delete(env, "TERM")
		if term.name != "" {
			env["TERM"] = term.name
		}
	}
	if ch.login.key.Options.HasCommand {
		switch req.kind {
		case "exec":
			env["SSH_ORIGINAL_COMMAND"] = req.text
		case "subsystem":
			env["SSH_ORIGINAL_COMMAND"] = internalSFTP
		}
	}
	return env
}

// stdout and stderr are the channel's streams. On a terminal both are one.
func (ch *channel) stdout(ctx context.Context) *stream { return ch.stream(ctx, false) }
func (ch *channel) stderr(ctx context.Context) *stream { return ch.stream(ctx, true) }

func (ch *channel) stream(ctx context.Context, stderr bool) *stream {
	tty := ch.in.tty != nil
	return &stream{out: ch.out, ctx: ctx, base: ch.ctx, stderr: stderr && !tty, crlf: tty}
}

// complain tells the client what is wrong, on stderr.
func (ch *channel) complain(format string, args ...any) {
	_, _ = fmt.Fprintf(ch.stderr(ch.ctx), "mirage: "+format+"\n", args...)
}

// runner runs lines of one session on one channel.
type runner struct {
	ch   *channel
	sess session
	gone <-chan struct{}
	// exitTrap tells that a trap on EXIT is set.
	exitTrap bool
}

// signalError is why a line is canceled by Ctrl-C or a signal.
type signalError string

func (e signalError) Error() string { return "signal " + string(e) }

// errLineDone is the end of the context of a line that was not canceled.
var errLineDone = errors.New("the line has ended")

// run runs one line on the channel. cause tells why it was canceled, if it was:
// a signalError, or the end of the channel.
func (r *runner) run(line workspace.Line) (res workspace.Result, cause error) {
	ch := r.ch
	ctx, cancel := context.WithCancelCause(ch.ctx)
	defer cancel(errLineDone)
	ch.conn.beginLine()
	defer ch.conn.endLine()
	ch.listen(func(name string) { cancel(signalError(name)) })
	defer ch.listen(nil)
	ch.in.beginLine(func() { cancel(signalError("INT")) })
	defer ch.in.endLine()
	stdout, stderr := ch.stdout(ctx), ch.stderr(ctx)
	line.Stdin, line.Stdout, line.Stderr = lineInput{ch.in, ctx}, stdout, stderr
	line.Agent, line.Terminal = agent, ch.terminal()
	res, err := r.sess.Run(ctx, line)
	if ctx.Err() != nil {
		cause = context.Cause(ctx)
	}
	stdout.over.Store(true)
	stderr.over.Store(true)
	r.exitTrap = res.ExitTrap
	switch {
	case r.isGone():
		ch.complain("the workspace is gone")
		return workspace.Result{ExitCode: 1}, cause
	case err != nil && cause != nil:
		return workspace.Result{ExitCode: exitInterrupted}, cause
	case err != nil:
		ch.complain("%s", err)
		return workspace.Result{ExitCode: 1}, nil
	}
	if res.Refusal != nil {
		if text := refusalText(res.Refusal); !alreadySaid(res) {
			_, _ = ch.stderr(ch.ctx).Write([]byte(text + "\n"))
		}
	}
	return res, cause
}

// exitInterrupted is the status of a line that Ctrl-C ended.
const exitInterrupted = 130

func (r *runner) isGone() bool {
	select {
	case <-r.gone:
		return true
	default:
		return false
	}
}

// refusalText words a refusal.
func refusalText(f *policy.Refusal) string {
	if f.Kind == "pending" && f.AskID != nil {
		return fmt.Sprintf("requires approval: %s (ask %s)", f.Reason, *f.AskID)
	}
	return "policy denied: " + f.Reason
}

// alreadySaid reports whether the line's own output tells the reason.
func alreadySaid(res workspace.Result) bool {
	reason := res.Refusal.Reason
	return reason != "" && (strings.Contains(string(res.Stderr), reason) || strings.Contains(string(res.Stdout), reason))
}

// exec runs the one line of the channel.
func (r *runner) exec(command string) exit {
	res, cause := r.run(workspace.Line{Command: command})
	var sig signalError
	if errors.As(cause, &sig) {
		if sig == "INT" {
			return exit{status: exitInterrupted}
		}
		return exit{signal: string(sig)}
	}
	return r.leave(exit{status: res.ExitCode, signal: res.Signal})
}

// leave ends the shell: a trap on EXIT that has not run does so now, and may
// choose another status.
func (r *runner) leave(end exit) exit {
	if !r.exitTrap || end.signal != "" || r.ch.ctx.Err() != nil {
		return end
	}
	res, _ := r.run(workspace.Line{Command: fmt.Sprintf("exit %d", end.status), NoRecord: true})
	if res.Exited {
		end.status = res.ExitCode
	}
	return end
}

// sftp serves SFTP on the session's files. Its exit status is 0 whatever the
// client did, so that scp succeeds.
func (r *runner) sftp() exit {
	ch := r.ch
	ctx, cancel := context.WithCancelCause(audit.With(ch.ctx, audit.Origin{Door: "sftp"}))
	defer cancel(errLineDone)
	go func() {
		defer ch.conn.srv.contain("sftp watch", nil)
		select {
		case <-r.gone:
			cancel(errors.New("the workspace is gone"))
			_ = ch.Close()
		case <-ctx.Done():
		}
	}()
	rw := struct {
		touchingReader
		*channelWriter
	}{touchingReader{ch.Channel, ch.conn}, &channelWriter{ch}}
	if err := sftpd.Serve(ctx, rw, sftpd.Config{
		View: r.sess.View(), Home: "/", User: ch.login.user,
		Begin: func() (*vfs.View, func()) {
			call := r.sess.FileCall()
			return call.View(), call.End
		},
	}); err != nil {
		ch.conn.srv.cfg.Log.Debug("ssh: sftp ended", "workspace", ch.login.user, "error", err)
	}
	return exit{}
}

// channelWriter writes straight to the channel: SFTP orders its packets
// itself.
type channelWriter struct{ ch *channel }

func (w *channelWriter) Write(p []byte) (int, error) {
	n, err := w.ch.Channel.Write(p)
	w.ch.conn.touch()
	return n, err
}
