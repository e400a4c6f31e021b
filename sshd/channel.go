package sshd

import (
	"context"
	"errors"
	"io"
	"maps"
	"strings"
	"sync"

	charm "charm.land/ssh"
	"golang.org/x/crypto/ssh"

	"mirage/shell"
)

// channel is the shim between x/crypto and the library for one session
// channel. It answers the requests of RFC 4254, section 6, itself and lets
// only shell, exec and subsystem through, once. To the library it is an
// ssh.Channel.
type channel struct {
	ssh.Channel // x/crypto's
	conn        *connection
	login       *login          // the authentication's verdict; nil opens nothing
	ctx         context.Context // ends with the channel, from either side
	cancel      context.CancelCauseFunc
	out         *output
	in          *input
	served      chan struct{} // closed when the handler has returned

	mu       sync.Mutex // guards the fields below
	request  request    // what the client asked for
	started  bool       // request is set and on its way to the handler
	ended    bool       // our end of the channel is closed
	env      map[string]string
	envBytes int
	term     *terminal
	onSignal func(name string)
	signal   string // came when nobody listened
}

// request is what a channel is for.
type request struct {
	kind string // shell, exec or subsystem
	text string // the command, or the subsystem's name
}

// terminal is the pty that a client asked for.
type terminal struct {
	name       string // TERM; "" = none
	cols, rows int
}

// errChannelClosed is the end of a channel's context.
var errChannelClosed = errors.New("the channel is closed")

// handleSession is the library's handler for channels of the type session. It
// returns when the channel is gone on both sides.
func (s *Server) handleSession(srv *charm.Server, sc *ssh.ServerConn, nc ssh.NewChannel, ctx charm.Context) {
	conn := connectionOf(ctx)
	if !conn.openChannel() {
		_ = nc.Reject(ssh.ResourceShortage, "too many sessions on this connection")
		return
	}
	defer conn.channelClosed()
	ch := &channel{conn: conn, served: make(chan struct{})}
	if verdict := loginOf(sc.Permissions); verdict != nil && verdict.user == sc.User() {
		ch.login = verdict
	}
	ch.ctx, ch.cancel = context.WithCancelCause(ch.audited(ctx))
	defer func() {
		ch.cancel(errChannelClosed)
		if ch.isStarted() {
			<-ch.served
		} else {
			conn.channelEnded()
		}
	}()
	charm.DefaultSessionHandler(srv, sc, &newChannel{nc, ch}, &channelContext{Context: ctx, ch: ch})
}

// newChannel lets the library accept a channel and get the shim.
type newChannel struct {
	ssh.NewChannel
	ch *channel
}

// Accept accepts the channel. The requests that it answers are those that the
// library is to see.
func (n *newChannel) Accept() (ssh.Channel, <-chan *ssh.Request, error) {
	raw, reqs, err := n.NewChannel.Accept()
	if err != nil {
		return nil, nil, err
	}
	ch := n.ch
	ch.Channel = raw
	contain := ch.conn.srv.contain
	ch.out = &output{raw: raw, stderr: raw.Stderr(), contain: contain, sent: ch.conn.touch}
	ch.in = newInput(ch.ctx, touchingReader{raw, ch.conn}, contain)
	passed := make(chan *ssh.Request)
	go func() {
		defer close(passed)
		defer ch.cancel(errChannelClosed)
		defer contain("requests", nil)
		for req := range reqs {
			if !ch.handleRequest(req) {
				continue
			}
			select {
			case passed <- req:
			case <-ch.ctx.Done(): // the library is gone
				ch.unstart()
			}
		}
	}()
	return ch, passed, nil
}

// touchingReader notes the user's activity.
type touchingReader struct {
	io.Reader
	conn *connection
}

func (r touchingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.conn.touch()
	return n, err
}

// channelContext is what the library knows of a channel: the connection's
// values, but the channel's end, and what it sets stays with the channel.
type channelContext struct {
	charm.Context // the connection's
	ch            *channel

	mu     sync.Mutex // guards values
	values map[any]any
}

// channelKey is where a channelContext holds the *channel.
type channelKey struct{}

func (c *channelContext) Done() <-chan struct{} { return c.ch.ctx.Done() }
func (c *channelContext) Err() error            { return c.ch.ctx.Err() }

func (c *channelContext) Value(key any) any {
	if key == (channelKey{}) {
		return c.ch
	}
	c.mu.Lock()
	v, ok := c.values[key]
	c.mu.Unlock()
	if ok {
		return v
	}
	return c.Context.Value(key)
}

func (c *channelContext) SetValue(key, value any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.values == nil {
		c.values = map[any]any{}
	}
	c.values[key] = value
}

func (ch *channel) isStarted() bool {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	return ch.started
}

// handleRequest answers a request, or answers true for one that the library
// is to handle. It never waits.
func (ch *channel) handleRequest(req *ssh.Request) (pass bool) {
	ok, signal := false, ""
	switch req.Type {
	case "shell", "exec", "subsystem":
		if ch.start(req) {
			return true
		}
	case "env":
		ok = ch.addEnv(req.Payload)
	case "pty-req":
		ok = ch.addTerminal(req.Payload)
	case "window-change":
		ok = ch.resize(req.Payload)
	case "signal":
		var msg struct{ Name string }
		if ok = ssh.Unmarshal(req.Payload, &msg) == nil && isSignal(msg.Name); ok {
			signal = msg.Name
		}
	case "break":
		ok, signal = true, "INT"
	}
	// What else there is (agent and X11 forwarding, flow control, unknown
	// ones) is refused.
	_ = req.Reply(ok, nil)
	if signal != "" {
		// It may end the channel, and the answer has to come before that.
		ch.deliver(signal)
	}
	return false
}

// start notes what the client wants; false when it cannot be, or something
// else has been started.
func (ch *channel) start(req *ssh.Request) bool {
	r := request{kind: req.Type}
	if req.Type != "shell" {
		var msg struct{ Text string }
		if ssh.Unmarshal(req.Payload, &msg) != nil {
			return false
		}
		r.text = msg.Text
	}
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if ch.started || ch.ended {
		return false
	}
	ch.started, ch.request = true, r
	return true
}

// unstart takes start back: no handler will run.
func (ch *channel) unstart() {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	ch.started = false
}

// What a client may set in the environment, and how much of it.
const (
	maxEnv      = 64
	maxEnvBytes = 16 << 10
)

// addEnv takes a variable that says how the client's terminal and language
// are. Every other one is refused, as OpenSSH does without AcceptEnv.
func (ch *channel) addEnv(payload []byte) bool {
	var msg struct{ Name, Value string }
	if ssh.Unmarshal(payload, &msg) != nil || !acceptsEnv(msg.Name) || strings.Contains(msg.Value, "\x00") {
		return false
	}
	ch.mu.Lock()
	defer ch.mu.Unlock()
	size := len(msg.Name) + len(msg.Value)
	if ch.started || len(ch.env) >= maxEnv || ch.envBytes+size > maxEnvBytes {
		return false
	}
	if ch.env == nil {
		ch.env = map[string]string{}
	}
	ch.env[msg.Name] = msg.Value
	ch.envBytes += size
	return true
}

func acceptsEnv(name string) bool {
	switch name {
	case "LANG", "COLORTERM", "TERM":
		return true
	}
	rest, ok := strings.CutPrefix(name, "LC_")
	return ok && rest != "" && strings.Trim(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
}

// environ answers a copy of the client's variables.
func (ch *channel) environ() map[string]string {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	env := maps.Clone(ch.env)
	if env == nil {
		env = map[string]string{}
	}
	return env
}

// addTerminal takes a pty-req, unless the key forbids it.
func (ch *channel) addTerminal(payload []byte) bool {
	var msg struct {
		Term                   string
		Cols, Rows, Wide, High uint32
		Modes                  string
	}
	if ssh.Unmarshal(payload, &msg) != nil {
		return false
	}
	if ch.login == nil || ch.login.key.Options.NoPTY {
		return false
	}
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if ch.started || ch.term != nil {
		return false
	}
	ch.term = &terminal{name: terminalName(msg.Term)}
	ch.term.setSize(msg.Cols, msg.Rows)
	ch.in.tty = &tty{out: ch.out}
	return true
}

// terminalName answers a TERM that looks like one, else "".
func terminalName(s string) string {
	if len(s) > 64 {
		return ""
	}
	for _, c := range s {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.+_-", c) {
			return ""
		}
	}
	return s
}

// setSize keeps sizes within what a terminal can have.
func (t *terminal) setSize(cols, rows uint32) {
	const largest = 1<<16 - 1
	t.cols, t.rows = int(min(cols, largest)), int(min(rows, largest))
}

// resize takes a window-change. Only the latest size counts, so that a burst
// of them costs nothing.
func (ch *channel) resize(payload []byte) bool {
	var msg struct{ Cols, Rows, Wide, High uint32 }
	if ssh.Unmarshal(payload, &msg) != nil {
		return false
	}
	ch.mu.Lock()
	if ch.term == nil {
		ch.mu.Unlock()
		return false
	}
	ch.term.setSize(msg.Cols, msg.Rows)
	ch.mu.Unlock()
	ch.in.resize()
	return true
}

// terminal answers the channel's terminal for the shell, nil without one.
func (ch *channel) terminal() *shell.Terminal {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if ch.term == nil {
		return nil
	}
	return &shell.Terminal{Name: ch.term.name, Size: ch.size}
}

// size answers the terminal's size; clients that know none say zero, for
// which the usual one stands.
func (ch *channel) size() (cols, rows int) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	cols, rows = ch.term.cols, ch.term.rows
	if cols == 0 {
		cols = 80
	}
	if rows == 0 {
		rows = 24
	}
	return cols, rows
}

// isSignal reports whether a name is one of RFC 4254, section 6.10, that ends
// a process.
func isSignal(name string) bool {
	switch name {
	case "ABRT", "ALRM", "FPE", "HUP", "ILL", "INT", "KILL", "PIPE", "QUIT", "SEGV", "TERM", "USR1", "USR2":
		return true
	}
	return false
}

// deliver hands a signal to whoever listens, or keeps the latest.
func (ch *channel) deliver(name string) {
	ch.mu.Lock()
	listener := ch.onSignal
	if listener == nil {
		ch.signal = name
	}
	ch.mu.Unlock()
	if listener != nil {
		listener(name)
	}
}

// listen sets who gets the signals; nil lets them wait.
func (ch *channel) listen(fn func(name string)) {
	ch.mu.Lock()
	ch.onSignal = fn
	waiting := ch.signal
	if fn != nil {
		ch.signal = ""
	}
	ch.mu.Unlock()
	if fn != nil && waiting != "" {
		fn(waiting)
	}
}

// Close ends our side: EOF, then close (x/crypto sends no EOF by itself).
// Nothing is sent after it. The library calls it after the exit status.
func (ch *channel) Close() error {
	ch.mu.Lock()
	ended := ch.ended
	ch.ended = true
	ch.mu.Unlock()
	if ended {
		return io.EOF
	}
	// x/crypto's CloseWrite must not meet a write.
	if ch.out.fail(io.EOF) {
		_ = ch.CloseWrite()
	}
	return ch.Channel.Close()
}

// SendRequest sends nothing once the channel is closed.
func (ch *channel) SendRequest(name string, wantReply bool, payload []byte) (bool, error) {
	ch.mu.Lock()
	ended := ch.ended
	ch.mu.Unlock()
	if ended {
		return false, io.EOF
	}
	return ch.Channel.SendRequest(name, wantReply, payload)
}

// exitSignal tells the client that a signal ended the command, and closes the
// channel.
func (ch *channel) exitSignal(name string) {
	msg := struct {
		Name       string
		CoreDumped bool
		Message    string
		Language   string
	}{Name: name}
	_, _ = ch.SendRequest("exit-signal", false, ssh.Marshal(&msg))
	_ = ch.Close()
}
