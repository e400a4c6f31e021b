// Package httpd is the HTTP front end: the /v1 API on the workspaces of a
// manager. Every answer is JSON; every failure is {"detail": "..."} with a
// stable "code" beside it where there is one.
package httpd

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"mirage/audit"
	"mirage/workspace"
)

// Config is what the API serves.
type Config struct {
	Manager *workspace.Manager
	Auth    Auth
	// AllowedHosts lists the Host names that are answered; "*" answers all,
	// none answers 127.0.0.1, localhost and ::1.
	AllowedHosts []string
	// Shutdown asks the program to stop; nil refuses POST /v1/shutdown.
	Shutdown func()
	Log      *slog.Logger
	Audit    audit.Sink       // takes refused requests; nil = nobody does
	Now      func() time.Time // nil = time.Now
}

// Limits of what a request may bring.
const (
	maxBody        = 4 << 20 // a JSON body
	maxRequestPart = 1 << 20 // the "request" part of a multipart body
	headerTimeout  = 10 * time.Second
	idleTimeout    = 120 * time.Second
)

type server struct {
	Config
	started  time.Time
	hosts    map[string]bool
	streams  atomic.Int64  // event streams that are open
	stopping chan struct{} // closed when the HTTP server shuts down
}

// handler is what New answers.
type handler struct {
	http.Handler
	stop func() // ends the streams that never end by themselves
}

// New answers the API as a handler.
func New(c Config) http.Handler {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	s := &server{Config: c, started: c.Now(), hosts: hostSet(c.AllowedHosts), stopping: make(chan struct{})}
	return handler{s.guard(s.routes()), sync.OnceFunc(func() { close(s.stopping) })}
}

// Serve makes the HTTP server around the API, with the time limits that keep
// slow clients from holding it.
func Serve(h http.Handler) *http.Server {
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    64 << 10,
	}
	if a, ok := h.(handler); ok {
		srv.RegisterOnShutdown(a.stop)
	}
	return srv
}

// routes lists every route.
func (s *server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	handle := func(pattern string, h func(http.ResponseWriter, *http.Request) error) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := h(w, r); err != nil {
				s.fail(w, r, err)
			}
		})
	}
	handle("GET /v1/health", s.health)
	handle("POST /v1/shutdown", s.shutdown)

	handle("GET /v1/workspaces", s.listWorkspaces)
	handle("POST /v1/workspaces", s.createWorkspace)
	handle("GET /v1/workspaces/{id}", s.getWorkspace)
	handle("DELETE /v1/workspaces/{id}", s.deleteWorkspace)
	handle("POST /v1/workspaces/{id}/close", s.closeWorkspace)
	handle("POST /v1/workspaces/{id}/cancel", s.cancelWorkspace)
	handle("POST /v1/workspaces/{id}/kill", s.killWorkspace)

	handle("GET /v1/workspaces/{id}/sessions", s.listSessions)
	handle("POST /v1/workspaces/{id}/sessions", s.createSession)
	handle("PATCH /v1/workspaces/{id}/sessions/{session}", s.patchSession)
	handle("DELETE /v1/workspaces/{id}/sessions/{session}", s.deleteSession)
	handle("POST /v1/workspaces/{id}/sessions/{session}/cancel", s.cancelSession)
	handle("POST /v1/workspaces/{id}/sessions/{session}/kill", s.killSession)

	handle("POST /v1/workspaces/{id}/shell", s.shell)
	handle("POST /v1/workspaces/{id}/vfs/{call}", s.vfs)
	handle("POST /v1/workspaces/{id}/glob", s.glob)

	handle("GET /v1/workspaces/{id}/asks", s.listAsks)
	handle("POST /v1/workspaces/{id}/asks/{ask}", s.answerAsk)
	handle("GET /v1/asks/stream", s.askStream)

	handle("GET /v1/jobs", s.listJobs)
	handle("GET /v1/jobs/{job}", s.getJob)
	handle("POST /v1/jobs/{job}/wait", s.waitJob)
	handle("DELETE /v1/jobs/{job}", s.cancelJob)

	handle("/", func(http.ResponseWriter, *http.Request) error {
		return &apiError{status: http.StatusNotFound, detail: "not found", code: "route_not_found"}
	})
	return mux
}

// guard runs the checks that come before every route, in the order in which
// their refusals win: authentication, then the Host name. A panic becomes a
// 500 and a line in the log.
func (s *server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if e, ok := p.(error); ok && errors.Is(e, http.ErrAbortHandler) {
				panic(p)
			}
			s.Log.Error("panic in a request", "method", r.Method, "route", r.Pattern, "panic", p)
			s.fail(w, r, errors.New("panic"))
		}()
		caller, err := s.Auth.caller(r)
		if err != nil {
			s.Log.Warn("request refused", "remote", r.RemoteAddr, "reason", err)
			s.record(r, audit.Event{Kind: audit.Login, Outcome: audit.Refused, Reason: err.Error()})
			w.Header().Set("WWW-Authenticate", "Bearer")
			writeError(w, &apiError{status: http.StatusUnauthorized, detail: "Unauthorized", code: "unauthorized"})
			return
		}
		if !hostAllowed(s.hosts, r.Host) {
			writeError(w, &apiError{status: http.StatusBadRequest, detail: "Invalid host header", code: "invalid_host"})
			return
		}
		next.ServeHTTP(w, r.WithContext(s.audited(withCaller(r.Context(), caller), r)))
	})
}

// health answers without a token and names nothing.
func (s *server) health(w http.ResponseWriter, r *http.Request) error {
	up := float64(s.Now().Sub(s.started).Milliseconds()) / 1e3
	return writeJSON(w, http.StatusOK, map[string]any{"status": "ok", "workspaces": s.Manager.Count(), "uptime_s": up})
}

func (s *server) shutdown(w http.ResponseWriter, r *http.Request) error {
	switch {
	case callerOf(r.Context()).Account != "":
		return &apiError{status: http.StatusForbidden, detail: "an account may not shut the server down", code: "forbidden"}
	case s.Shutdown == nil:
		return &apiError{status: http.StatusForbidden, detail: "this server is not stopped over HTTP", code: "forbidden"}
	}
	s.record(r, audit.Event{Kind: audit.Admin, Action: "server.shutdown", Outcome: audit.OK})
	err := writeJSON(w, http.StatusOK, map[string]any{"status": "shutting_down", "pid": pid()})
	s.Shutdown()
	return err
}

// clientGone reports whether the request ended because its client left.
func clientGone(ctx context.Context) bool { return ctx.Err() != nil }
