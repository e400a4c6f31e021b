// Package sshd is the SSH front end: logins, exec and shell channels, and the
// SFTP subsystem, on the workspaces of a manager.
package sshd

import (
	"context"
	"log/slog"
	"net"
	"time"

	"golang.org/x/crypto/ssh"

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
	Log           *slog.Logger

	LoginGrace        time.Duration // 30 s
	StartupBegin      int           // 100
	StartupRate       int           // 30 percent
	StartupFull       int           // 1000
	MaxSessions       int           // 256 a connection
	KeepaliveInterval time.Duration // 15 s
	KeepaliveCount    int           // 3
	IdleTimeout       time.Duration // off
}

// Server is an SSH server.
type Server struct{}

// New makes a server.
func New(c Config) (*Server, error) { return &Server{}, nil }

// Serve accepts connections until the listener is closed.
func (s *Server) Serve(l net.Listener) error { return nil }

// HandleConn serves one connection, from wherever it comes, and returns when
// it has ended.
func (s *Server) HandleConn(c net.Conn) {}

// Shutdown stops accepting, gives running lines until ctx ends, then closes
// every connection. It returns when all of them are gone.
func (s *Server) Shutdown(ctx context.Context) error { return nil }
