package httpd

import (
	"encoding/json"
	"net/http"
	"time"

	"mirage/client"
	"mirage/workspace"
)

func (s *server) workspaceOf(r *http.Request) (*workspace.Workspace, error) {
	return s.Manager.Get(r.Context(), callerOf(r.Context()), r.PathValue("id"))
}

func (s *server) createWorkspace(w http.ResponseWriter, r *http.Request) error {
	var body client.CreateWorkspace
	if err := readJSON(w, r, "workspace", false, &body); err != nil {
		return err
	}
	if len(body.Config) == 0 || string(body.Config) == "null" {
		return badRequest("bad workspace request: config is required")
	}
	cfg, err := workspace.ParseConfig(body.Config)
	if err != nil {
		return err
	}
	ws, created, err := s.Manager.Create(r.Context(), callerOf(r.Context()), body.ID, cfg)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if created {
		status = http.StatusCreated
	}
	return writeJSON(w, status, detail(ws, false))
}

func (s *server) listWorkspaces(w http.ResponseWriter, r *http.Request) error {
	list, err := s.Manager.List(r.Context(), callerOf(r.Context()))
	if err != nil {
		return err
	}
	out := make([]client.WorkspaceBrief, 0, len(list))
	for _, ws := range list {
		b := ws.Brief()
		out = append(out, client.WorkspaceBrief{
			ID: b.ID, Mode: b.Mode, MountCount: b.MountCount, SessionCount: b.SessionCount, CreatedAt: unix(b.Created),
		})
	}
	return writeJSON(w, http.StatusOK, out)
}

func (s *server) getWorkspace(w http.ResponseWriter, r *http.Request) error {
	verbose, err := flag(r, "verbose")
	if err != nil {
		return err
	}
	ws, err := s.workspaceOf(r)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, detail(ws, verbose))
}

func (s *server) deleteWorkspace(w http.ResponseWriter, r *http.Request) error {
	at, err := s.Manager.Delete(r.Context(), callerOf(r.Context()), r.PathValue("id"))
	return s.closed(w, r, at, err)
}

func (s *server) closeWorkspace(w http.ResponseWriter, r *http.Request) error {
	at, err := s.Manager.CloseWorkspace(r.Context(), callerOf(r.Context()), r.PathValue("id"))
	return s.closed(w, r, at, err)
}

func (s *server) closed(w http.ResponseWriter, r *http.Request, at time.Time, err error) error {
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, client.Closed{ID: r.PathValue("id"), ClosedAt: unix(at)})
}

func (s *server) cancelWorkspace(w http.ResponseWriter, r *http.Request) error {
	ws, err := s.workspaceOf(r)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, client.Canceled{Canceled: ws.Cancel(r.Context())})
}

func (s *server) killWorkspace(w http.ResponseWriter, r *http.Request) error {
	ws, err := s.workspaceOf(r)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, client.Killed{Killed: ws.Kill(r.Context())})
}

// maxDescription is where a mount's description is cut, in characters.
const maxDescription = 120

func detail(ws *workspace.Workspace, verbose bool) client.Workspace {
	d := ws.Detail()
	out := client.Workspace{
		ID: d.ID, Mode: d.Mode, CreatedAt: unix(d.Created),
		FuseMountpoints: map[string]string{},
		Sessions:        sessions(d.Sessions),
		Mounts:          make([]client.Mount, 0, len(d.Mounts)),
	}
	for _, m := range d.Mounts {
		text := []rune(m.Description)
		if len(text) > maxDescription {
			text = append(text[:maxDescription-1], '…')
		}
		out.Mounts = append(out.Mounts, client.Mount{Prefix: m.Prefix, VFS: m.Kind, Mode: m.Mode.String(), Description: string(text)})
	}
	if verbose {
		out.Internals = &client.Internals{HistoryLength: d.History, InFlightJobs: d.InFlight}
	}
	return out
}

// sessionBody is client.CreateSession with the mounts still unread: a list
// there is a fault of its own.
type sessionBody struct {
	SessionID string          `json:"session_id"`
	Profile   string          `json:"profile"`
	Mounts    json.RawMessage `json:"mounts"`
	// Permissions tightens the profile.
	Permissions json.RawMessage `json:"permissions"`
}

func (s *server) createSession(w http.ResponseWriter, r *http.Request) error {
	ws, err := s.workspaceOf(r)
	if err != nil {
		return err
	}
	var body sessionBody
	if err := readJSON(w, r, "session", true, &body); err != nil {
		return err
	}
	o := workspace.SessionOptions{ID: body.SessionID, Profile: body.Profile}
	if len(body.Mounts) > 0 && string(body.Mounts) != "null" {
		// A list names the mounts that the session may use at all.
		if json.Unmarshal(body.Mounts, &o.Only) != nil && json.Unmarshal(body.Mounts, &o.Mounts) != nil {
			return &apiError{status: http.StatusUnprocessableEntity, detail: "mounts must be a mapping of prefix to mode, or a list of prefixes", code: "bad_mounts"}
		}
	}
	if len(body.Permissions) > 0 && string(body.Permissions) != "null" {
		o.Permissions = body.Permissions
	}
	ses, err := ws.NewSession(r.Context(), o)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusCreated, client.Session{SessionID: ses.ID(), Cwd: ses.Cwd()})
}

// patchSession puts a session under another profile, null for the default of
// the workspace.
func (s *server) patchSession(w http.ResponseWriter, r *http.Request) error {
	ses, err := s.sessionOf(r)
	if err != nil {
		return err
	}
	var body struct {
		Profile json.RawMessage `json:"profile"`
	}
	if err := readJSON(w, r, "session", false, &body); err != nil {
		return err
	}
	var name *string
	if body.Profile == nil || json.Unmarshal(body.Profile, &name) != nil {
		return &apiError{status: http.StatusUnprocessableEntity, detail: "profile must be a string or null", code: "bad_profile"}
	}
	if name == nil {
		name = new(string)
	}
	if err := ses.SetProfile(r.Context(), *name); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, client.Session{SessionID: ses.ID(), Cwd: ses.Cwd()})
}

func (s *server) listSessions(w http.ResponseWriter, r *http.Request) error {
	ws, err := s.workspaceOf(r)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, sessions(ws.Sessions()))
}

func sessions(list []workspace.SessionInfo) []client.Session {
	out := make([]client.Session, 0, len(list))
	for _, s := range list {
		out = append(out, client.Session{SessionID: s.ID, Cwd: s.Cwd})
	}
	return out
}

func (s *server) deleteSession(w http.ResponseWriter, r *http.Request) error {
	ws, err := s.workspaceOf(r)
	if err != nil {
		return err
	}
	id := r.PathValue("session")
	if err := ws.DeleteSession(r.Context(), id); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]string{"session_id": id})
}

// sessionOf answers the session that the path or the query names.
func (s *server) sessionOf(r *http.Request) (*workspace.Session, error) {
	ws, err := s.workspaceOf(r)
	if err != nil {
		return nil, err
	}
	id := r.PathValue("session")
	if id == "" {
		id = r.URL.Query().Get("session_id")
	}
	return ws.Session(r.Context(), id)
}

func (s *server) cancelSession(w http.ResponseWriter, r *http.Request) error {
	ses, err := s.sessionOf(r)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, client.Canceled{Canceled: ses.Cancel(r.Context())})
}

func (s *server) killSession(w http.ResponseWriter, r *http.Request) error {
	ses, err := s.sessionOf(r)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, client.Killed{Killed: ses.Kill(r.Context())})
}

// flag reads a boolean of the query: absent is false.
func flag(r *http.Request, name string) (bool, error) {
	switch v := r.URL.Query().Get(name); v {
	case "", "false", "0":
		return false, nil
	case "true", "1":
		return true, nil
	default:
		return false, badRequest("%s must be true or false, got %q", name, v)
	}
}
