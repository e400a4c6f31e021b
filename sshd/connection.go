package sshd

import (
	"net"
	"sync"
	"sync/atomic"
	"time"

	charm "charm.land/ssh"
	"golang.org/x/crypto/ssh"

	"mirage/keys"
)

// connection is one client: the net.Conn that x/crypto reads and writes, and
// what the server knows about it.
type connection struct {
	net.Conn
	srv *Server

	peeked  []byte // read ahead from the client, to be read first
	greeted bool   // our identification went out before x/crypto writes it
	gcmOnly bool   // the client has AES-GCM: offer nothing slower

	reads    atomic.Uint64 // successful reads, for the keepalive
	touched  atomic.Int64  // when the user last did something, Unix nanoseconds
	lines    atomic.Int64  // running lines
	channels sync.WaitGroup

	keysOnce sync.Once // the file is read once for all tries of a connection
	keys     *keys.AuthorizedKeys

	// For the audit log; used by the handshake's goroutine only.
	user   string // asked for without success
	proved *login // the last key whose holder the client has proved to be

	mu        sync.Mutex // guards the fields below
	ctx       charm.Context
	grace     *time.Timer
	starting  bool // holds a place of startups
	keepalive *keepalive
	idle      *time.Timer
	noMore    bool // the client wants no more sessions on this connection
	open      int  // channels that the client has not closed
	serving   int  // channels that the server has not ended
	closed    bool
}

func newConnection(s *Server, c net.Conn) *connection {
	conn := &connection{Conn: c, srv: s}
	conn.touch()
	return conn
}

// connectionKey is where the library's context holds the *connection.
type connectionKey struct{}

// attachConnection is the library's ConnCallback.
func attachConnection(ctx charm.Context, c net.Conn) net.Conn {
	conn := c.(*connection)
	conn.mu.Lock()
	conn.ctx = ctx
	conn.mu.Unlock()
	ctx.SetValue(connectionKey{}, conn)
	return conn
}

// connectionOf answers the connection of a context of the library.
func connectionOf(ctx charm.Context) *connection {
	return ctx.Value(connectionKey{}).(*connection)
}

func (c *connection) remote() string {
	if a := c.RemoteAddr(); a != nil {
		return a.String()
	}
	return "unknown"
}

// Read reads what was read ahead first.
func (c *connection) Read(p []byte) (int, error) {
	if len(c.peeked) > 0 {
		n := copy(p, c.peeked)
		if c.peeked = c.peeked[n:]; len(c.peeked) == 0 {
			c.peeked = nil
		}
		return n, nil
	}
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.reads.Add(1)
	}
	return n, err
}

// Write leaves out the identification that has been sent already: it is the
// first thing that x/crypto writes.
func (c *connection) Write(p []byte) (int, error) {
	if c.greeted {
		c.greeted = false
		return len(p), nil
	}
	return c.Conn.Write(p)
}

// Close closes the connection; its channels end with it.
func (c *connection) Close() error {
	c.mu.Lock()
	c.closed = true
	for _, t := range []*time.Timer{c.grace, c.idle} {
		if t != nil {
			t.Stop()
		}
	}
	k := c.keepalive
	c.mu.Unlock()
	k.stop()
	return c.Conn.Close()
}

// refuseStartup tells a client why it is turned away, as OpenSSH does, without
// waiting for it.
func (c *connection) refuseStartup() {
	_ = c.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = c.Conn.Write([]byte("Exceeded MaxStartups\r\n"))
}

// startGrace closes the connection unless it logs in within d.
func (c *connection) startGrace(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.starting = true
	c.grace = time.AfterFunc(d, func() {
		c.srv.cfg.Log.Info("ssh: login grace time is over", "remote", c.remote())
		_ = c.Close()
	})
}

// startupDone gives the place of startups back, at login or at the end.
func (c *connection) startupDone() {
	c.mu.Lock()
	starting := c.starting
	c.starting = false
	c.grace.Stop()
	c.mu.Unlock()
	if starting {
		c.srv.startups.done()
	}
}

// loggedIn starts what watches a connection from its login on.
func (c *connection) loggedIn() {
	c.startupDone()
	cfg := c.srv.cfg
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.touch()
	if cfg.KeepaliveInterval > 0 {
		c.keepalive = newKeepalive(cfg.KeepaliveInterval, cfg.KeepaliveCount, c.reads.Load, c.ping, func() {
			cfg.Log.Info("ssh: the client does not answer", "remote", c.remote())
			_ = c.Close()
		})
	}
	if cfg.IdleTimeout > 0 {
		c.idle = time.AfterFunc(cfg.IdleTimeout, c.checkIdle)
	}
}

// ping asks the client for an answer and waits for it. Clients refuse the
// request, which is an answer too.
func (c *connection) ping() {
	defer c.srv.contain("keepalive", nil)
	c.mu.Lock()
	ctx := c.ctx
	c.mu.Unlock()
	// Set by the library once the handshake is over.
	if conn, ok := ctx.Value(charm.ContextKeyConn).(*ssh.ServerConn); ok {
		_, _, _ = conn.SendRequest("keepalive@openssh.com", true, nil)
	}
}

// touch notes that the user did something.
func (c *connection) touch() { c.touched.Store(c.srv.now().UnixNano()) }

// quiet is how long nothing has run and nothing gone through the channels.
func (c *connection) quiet() time.Duration {
	if c.lines.Load() > 0 {
		return 0
	}
	return time.Duration(c.srv.now().UnixNano() - c.touched.Load())
}

// beginLine and endLine enclose a running line.
func (c *connection) beginLine() { c.lines.Add(1) }

func (c *connection) endLine() {
	c.touch()
	c.lines.Add(-1)
}

// checkIdle closes the connection when it has been quiet for the idle
// timeout.
func (c *connection) checkIdle() {
	left := c.srv.cfg.IdleTimeout - c.quiet()
	if left <= 0 {
		c.srv.cfg.Log.Info("ssh: idle timeout", "remote", c.remote())
		_ = c.Close()
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.idle.Reset(left)
	}
}

// lingering is how many channels beyond MaxSessions may wait for the client
// to confirm their end.
const lingering = 64

// openChannel counts a new channel; false refuses it.
func (c *connection) openChannel() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	limit := c.srv.cfg.MaxSessions
	if c.closed || c.noMore || c.serving >= limit || c.open >= 2*limit+lingering {
		return false
	}
	c.open++
	c.serving++
	c.channels.Add(1)
	c.touch()
	return true
}

// channelEnded notes that the server has ended a channel.
func (c *connection) channelEnded() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.serving--
}

// channelClosed notes that the client has closed a channel.
func (c *connection) channelClosed() {
	c.mu.Lock()
	c.open--
	c.mu.Unlock()
	c.channels.Done()
}

// end waits for the channels of a connection that is over.
func (c *connection) end() {
	_ = c.Close()
	c.channels.Wait()
}

// noMoreSessions is OpenSSH's global request by which a client gives up the
// right to open sessions.
func noMoreSessions(ctx charm.Context, _ *charm.Server, _ *ssh.Request) (bool, []byte) {
	c := connectionOf(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.noMore = true
	return true, nil
}

// refuseForwarding answers every kind of tunnel.
func refuseForwarding(_ *charm.Server, _ *ssh.ServerConn, ch ssh.NewChannel, _ charm.Context) {
	_ = ch.Reject(ssh.Prohibited, "forwarding is not available")
}
