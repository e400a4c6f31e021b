// Package sshd is the SSH front end: logins, exec and shell channels, and the
// SFTP subsystem, on the workspaces of a manager.
//
// charm.land/ssh dispatches connections and channels to handlers. Between it
// and x/crypto stands a shim of our own (channel.go): it owns requests,
// environment, terminal, signals, output order and the life of a channel.
// Who may log in is decided in x/crypto's callbacks (auth.go) and nowhere
// else.
//
// Lock order: Server.mu, then connection.mu, then channel.mu, then input.mu,
// then output.mu. No lock is held while something is written to the network.
package sshd

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net"
	"runtime/debug"
	"sync"
	"time"

	charm "charm.land/ssh"
	"golang.org/x/crypto/ssh"

	"mirage/audit"
	"mirage/keys"
	"mirage/workspace"
)

// Config is what the SSH server needs; zero limits take DESIGN's defaults.
type Config struct {
	Manager        *workspace.Manager
	HostKey        ssh.Signer
	AuthorizedKeys string // path, read at each login
	// AllWorkspaces lets keys without mirage-account open every workspace
	// (local and token mode); in jwt mode they open nothing.
	AllWorkspaces bool
	Log           *slog.Logger // nil = discard
	Audit         audit.Sink   // takes logins; nil = nobody does

	LoginGrace        time.Duration // 30 s
	StartupBegin      int           // 100
	StartupRate       int           // 30 percent
	StartupFull       int           // 1000
	MaxSessions       int           // 256 a connection
	KeepaliveInterval time.Duration // 15 s; negative = off
	KeepaliveCount    int           // 3
	IdleTimeout       time.Duration // off
}

// withDefaults fills in what is zero.
func (c Config) withDefaults() Config {
	orInt := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	orInt(&c.StartupBegin, 100)
	orInt(&c.StartupRate, 30)
	orInt(&c.StartupFull, 1000)
	orInt(&c.MaxSessions, 256)
	orInt(&c.KeepaliveCount, 3)
	if c.LoginGrace <= 0 {
		c.LoginGrace = 30 * time.Second
	}
	if c.KeepaliveInterval == 0 {
		c.KeepaliveInterval = 15 * time.Second
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// Server is an SSH server. Safe for concurrent use.
type Server struct {
	cfg      Config
	lib      *charm.Server
	keys     *keys.File
	open     opener
	startups startups
	now      func() time.Time

	mu        sync.Mutex // guards the fields below
	listeners map[net.Listener]struct{}
	conns     map[*connection]struct{}
	closing   bool
	ended     sync.WaitGroup // one count for each of conns
}

// New makes a server. Nothing listens yet.
func New(c Config) (*Server, error) {
	if c.Manager == nil {
		return nil, errors.New("sshd: no manager")
	}
	return newServer(c, managerOpener{c.Manager})
}

// newServer is New over any source of sessions.
func newServer(c Config, open opener) (*Server, error) {
	if c.HostKey == nil {
		return nil, errors.New("sshd: no host key")
	}
	if c.AuthorizedKeys == "" {
		return nil, errors.New("sshd: no authorized_keys file")
	}
	c = c.withDefaults()
	s := &Server{
		cfg:       c,
		keys:      keys.NewFile(c.AuthorizedKeys),
		open:      open,
		now:       time.Now,
		listeners: map[net.Listener]struct{}{},
		conns:     map[*connection]struct{}{},
		startups:  startups{begin: c.StartupBegin, rate: c.StartupRate, full: c.StartupFull, percent: func() int { return rand.IntN(100) }},
	}
	// Everything that the library would fill in by itself is set here: it
	// does so only in its own Serve, which this server does not use.
	s.lib = &charm.Server{
		HostSigners: []charm.Signer{c.HostKey},
		Handler:     s.serveChannel,
		SubsystemHandlers: map[string]charm.SubsystemHandler{
			"default": s.serveChannel,
		},
		ChannelHandlers: map[string]charm.ChannelHandler{
			"session":                        s.handleSession,
			"direct-tcpip":                   refuseForwarding,
			"direct-streamlocal@openssh.com": refuseForwarding,
		},
		RequestHandlers: map[string]charm.RequestHandler{
			"no-more-sessions@openssh.com": noMoreSessions,
		},
		ConnCallback:             attachConnection,
		ServerConfigCallback:     s.serverConfig,
		ConnectionFailedCallback: s.logFailure,
	}
	return s, nil
}

// Serve accepts connections until the listener is closed, by Shutdown (nil)
// or otherwise (an error).
func (s *Server) Serve(l net.Listener) error {
	if !s.addListener(l) {
		return errors.New("sshd: the server has been shut down")
	}
	defer s.removeListener(l)
	const shortest, longest = 5 * time.Millisecond, time.Second
	pause := shortest
	for {
		c, err := l.Accept()
		if err == nil {
			pause = shortest
			go s.HandleConn(c)
			continue
		}
		if s.isClosing() {
			return nil
		}
		if errors.Is(err, net.ErrClosed) {
			return err
		}
		// Out of descriptors, or a client that left already: both pass.
		s.cfg.Log.Warn("ssh: accept", "error", err)
		time.Sleep(pause)
		pause = min(2*pause, longest)
	}
}

// HandleConn serves one connection, from wherever it comes, and returns when
// it has ended and its channels are gone.
func (s *Server) HandleConn(c net.Conn) {
	conn := newConnection(s, c)
	defer func() { _ = conn.Close() }()
	if !s.addConn(conn) {
		return
	}
	defer s.removeConn(conn)
	defer s.contain("connection", nil)
	if !s.startups.start() {
		s.cfg.Log.Warn("ssh: too many connections before login", "remote", conn.remote())
		conn.refuseStartup()
		return
	}
	defer conn.startupDone()
	conn.startGrace(s.cfg.LoginGrace)
	if err := conn.exchangeIdentification(); err != nil {
		s.cfg.Log.Debug("ssh: no identification", "remote", conn.remote(), "error", err)
		return
	}
	s.lib.HandleConn(conn)
	conn.end()
	conn.rejected()
}

// contain keeps a panic from ending the process. It must be deferred by the
// goroutine itself.
func (s *Server) contain(what string, cleanup func()) {
	r := recover()
	if r == nil {
		return
	}
	s.cfg.Log.Error("ssh: panic", "in", what, "panic", r, "stack", string(debug.Stack()))
	if cleanup != nil {
		cleanup()
	}
}

func (s *Server) addListener(l net.Listener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return false
	}
	s.listeners[l] = struct{}{}
	return true
}

func (s *Server) removeListener(l net.Listener) {
	_ = l.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.listeners, l)
}

func (s *Server) isClosing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closing
}

func (s *Server) addConn(c *connection) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return false
	}
	s.conns[c] = struct{}{}
	s.ended.Add(1)
	return true
}

func (s *Server) removeConn(c *connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	s.ended.Done()
}

// Shutdown stops accepting, gives running lines until ctx ends, then closes
// every connection. It returns when all of them are gone: nil when every line
// ended by itself, else the context's error.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.closing = true
	for l := range s.listeners {
		_ = l.Close()
		delete(s.listeners, l)
	}
	s.mu.Unlock()
	gone := make(chan struct{})
	go func() {
		s.ended.Wait()
		close(gone)
	}()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		s.closeConns(func(c *connection) bool { return c.quiet() >= settleTime })
		select {
		case <-gone:
			return nil
		case <-tick.C:
		case <-ctx.Done():
			s.closeConns(func(*connection) bool { return true })
			<-gone
			return ctx.Err()
		}
	}
}

// settleTime is how long a connection whose last line has ended stays open
// during Shutdown, so that its client can read the end and leave first.
const settleTime = 200 * time.Millisecond

func (s *Server) closeConns(which func(*connection) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		if which(c) {
			_ = c.Close()
		}
	}
}
