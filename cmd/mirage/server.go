package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"

	"mirage/audit"
	"mirage/httpd"
	"mirage/internal/settings"
	"mirage/keys"
	"mirage/sshd"
	"mirage/state"
	"mirage/workspace"
)

// drain is how long running lines get to end when a server stops.
const drain = 10 * time.Second

// serverOptions is what a server is started with.
type serverOptions struct {
	settings *settings.Settings
	getenv   func(string) string
	http     string // HOST:PORT
	ssh      string // HOST:PORT, "" = no SSH
	auth     httpd.Auth
	log      *slog.Logger
	minted   bool // the token was made just now
}

// server is a running server: one manager and its front ends.
type server struct {
	manager *workspace.Manager
	http    net.Listener
	ssh     net.Listener // nil = no SSH

	audit  *audit.Log // nil = off
	store  state.Store
	web    *http.Server
	sshd   *sshd.Server
	failed chan error    // a front end stopped by itself
	asked  chan struct{} // POST /v1/shutdown
	hook   func()        // ends the webhook; nil = none
}

// startServer opens the state and starts listening. An error leaves nothing
// behind.
func startServer(ctx context.Context, o serverOptions) (s *server, err error) {
	s = &server{failed: make(chan error, 2), asked: make(chan struct{}, 1)}
	defer func() {
		if err != nil {
			s.release()
		}
	}()
	hook, err := askHook(o.settings)
	if err != nil {
		return s, err
	}
	// The listeners come first: a taken port must not touch the state.
	if s.http, err = listen("HTTP", "--http", o.http); err != nil {
		return s, err
	}
	if o.ssh != "" {
		if s.ssh, err = listen("SSH", "--ssh", o.ssh); err != nil {
			return s, err
		}
	}
	folder, err := state.Open(o.settings.Path("state"), state.Options{})
	if err != nil {
		return s, err
	}
	s.store = folder
	sink, err := s.openAudit(o)
	if err != nil {
		return s, err
	}
	rate, _ := o.settings.Number("audit_rate")
	s.manager, err = workspace.Open(ctx, workspace.Options{
		Budgets: readBudgets(o.settings), Scripts: scriptOptions(o.settings), ReadScript: readScript, Policies: policies,
		Store: s.store, Log: o.log, Audit: sink, AuditRate: rate, AskWait: o.settings.Duration("ask_wait"),
		Root: o.settings.Path("state"), Reserved: []string{o.settings.Path("audit"), o.settings.Path("ssh")},
	})
	if err != nil {
		return s, err
	}
	if hook != nil {
		s.hook = postAsks(s.manager, hook, o.log)
	}
	if s.ssh != nil {
		if err := s.startSSH(o, sink); err != nil {
			return s, err
		}
	}
	s.web = httpd.Serve(httpd.New(httpd.Config{
		Manager: s.manager, Auth: o.auth, AllowedHosts: o.settings.List("allowed_hosts"), Log: o.log, Audit: sink,
		Shutdown: func() {
			select {
			case s.asked <- struct{}{}:
			default:
			}
		},
	}))
	go func() {
		if err := s.web.Serve(s.http); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- fmt.Errorf("HTTP stopped: %w", err)
		}
	}()
	return s, nil
}

// listen opens a port, or says which flag picks another one.
func listen(what, flag, addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("cannot listen for %s: %s is in use, perhaps by another server; %s HOST:PORT picks another", what, addr, flag)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot listen for %s: %w", what, err)
	}
	return l, nil
}

func (s *server) startSSH(o serverOptions, sink audit.Sink) error {
	signer, err := keys.HostKey(o.settings.File("ssh_host_key_file", o.getenv, "ssh", "host_ed25519_key"))
	if err != nil {
		return err
	}
	s.sshd, err = sshd.New(sshd.Config{
		Manager: s.manager, HostKey: signer, AllWorkspaces: true, Log: o.log, Audit: sink,
		AuthorizedKeys: authorizedKeys(o.settings, o.getenv),
	})
	if err != nil {
		return err
	}
	go func() {
		if err := s.sshd.Serve(s.ssh); err != nil && !errors.Is(err, net.ErrClosed) {
			s.failed <- fmt.Errorf("SSH stopped: %w", err)
		}
	}()
	return nil
}

// authorizedKeys is the file that says which keys may log in.
func authorizedKeys(s *settings.Settings, getenv func(string) string) string {
	return s.File("ssh_authorized_keys", getenv, "ssh", "authorized_keys")
}

// wait returns when the context ends, when somebody asked the server to stop,
// or, with the error, when a front end stopped by itself.
func (s *server) wait(ctx context.Context) error {
	select {
	case err := <-s.failed:
		return err
	case <-s.asked:
	case <-ctx.Done():
	}
	return nil
}

// stop ends the server: SSH first, then HTTP, then every workspace, whose
// state is kept. Lines get the drain time to end by themselves.
func (s *server) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	var errs []error
	if s.sshd != nil {
		errs = append(errs, s.sshd.Shutdown(ctx))
	}
	if err := s.web.Shutdown(ctx); err != nil {
		errs = append(errs, s.web.Close())
	}
	errs = append(errs, s.manager.Close(context.Background()), s.store.Close(), s.audit.Close())
	s.release()
	err := errors.Join(errs...)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// release closes what startServer opened; what is closed already stays so.
func (s *server) release() {
	if s.hook != nil {
		s.hook()
	}
	for _, l := range []net.Listener{s.http, s.ssh} {
		if l != nil {
			_ = l.Close()
		}
	}
	if s.store != nil {
		_ = s.store.Close()
	}
	_ = s.audit.Close()
}
