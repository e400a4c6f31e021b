package workspace

import (
	"context"
	"errors"
	"path"
	"strconv"
	"sync"
	"syscall"
	"time"

	"mirage/audit"
	"mirage/policy"
	"mirage/vfs"
)

// audited reports whether anybody takes events: what is only made for them
// need not be made.
func (m *Manager) audited() bool { return m.audit != nil }

// record notes an event.
func (m *Manager) record(ctx context.Context, e audit.Event) {
	if m.audit != nil {
		m.audit.Record(ctx, e)
	}
}

// acted notes what somebody did to the server, and whether it worked.
func (m *Manager) acted(ctx context.Context, action, workspace, session string, err error, detail map[string]string) {
	if !m.audited() {
		return
	}
	e := audit.Event{Kind: audit.Admin, Action: action, Outcome: audit.OK, Detail: detail}
	e.Workspace, e.Session = workspace, session
	if err != nil {
		e.Outcome, e.Reason = audit.Failed, err.Error()
		if k := kindOf(err); k != "" && k != Failed {
			e.Outcome = audit.Refused
		}
	}
	m.record(ctx, e)
}

// sessionDetail is what an event says of a new session.
func sessionDetail(o SessionOptions) map[string]string {
	detail := map[string]string{}
	if o.Profile != "" {
		detail["profile"] = o.Profile
	}
	if o.Permissions != nil {
		detail["permissions"] = string(o.Permissions)
	}
	for prefix, mode := range o.Mounts {
		detail["mount "+prefix] = mode
	}
	return detail
}

// origin is the session as the origin of an event.
func (s *Session) origin() audit.Origin {
	return audit.Origin{Workspace: s.w.id, Session: s.id}
}

// visited notes that a session of a login begins or ends.
func (s *Session) visited(ctx context.Context, action string) {
	s.w.m.record(ctx, audit.Event{Kind: audit.Session, Action: action, Outcome: audit.OK, Origin: s.origin()})
}

// lineContext is the context of a line: that of the workspace, which knows for
// whom the line runs.
func (j *Job) lineContext(caller context.Context) context.Context {
	ctx := j.s.w.ctx
	if !j.s.w.m.audited() {
		return ctx
	}
	o := audit.OriginOf(caller)
	o.Workspace, o.Session, o.Job = j.s.w.id, j.s.id, j.id
	return audit.With(ctx, o)
}

// began notes that a line begins.
func (j *Job) began() {
	j.s.w.m.record(j.ctx, audit.Event{Kind: audit.LineStart, Line: j.line.Command})
}

// ended notes how a line ended, and why it was refused if it was. A line that
// never began has no beginning in the log; its text is told here.
func (j *Job) ended(rec JobRecord) {
	m := j.s.w.m
	if !m.audited() {
		return
	}
	e := audit.Event{Kind: audit.LineEnd, Outcome: audit.OK, Reason: rec.Error}
	e.Stdout, e.Stderr = j.stdout.Load(), j.stderr.Load()
	if rec.Started.IsZero() {
		e.Line = j.line.Command
	} else {
		e.Duration = audit.Milliseconds(rec.Finished.Sub(rec.Started))
	}
	if r := rec.Result; r != nil {
		status := r.ExitCode
		e.Status, e.Signal = &status, r.Signal
		if f := r.Refusal; f != nil {
			e.Outcome = audit.Refused
			m.record(j.ctx, refusalEvent(f, j.line.Command))
		}
	}
	switch rec.Status {
	case Ended:
		e.Outcome = "canceled"
	case Failing:
		e.Outcome = audit.Failed
	}
	m.record(j.ctx, e)
	j.s.flushAudit(j.ctx)
}

// refusalEvent is the refusal of a command of a line.
func refusalEvent(f *policy.Refusal, line string) audit.Event {
	e := audit.Event{Kind: audit.Refusal, Action: f.Kind, Line: line, Outcome: audit.Refused, Policy: f.Policy, Reason: f.Reason}
	if f.AskID != nil {
		e.Ask = *f.AskID
	}
	return e
}

// sessionGuard is a guard of some session's files.
type sessionGuard interface {
	vfs.Guard
	vfs.Shifting
}

// viewUnder makes a view of the session's files under a guard, nil for none.
// Every view that a session hands out comes from here, so that all of them are
// watched.
func (s *Session) viewUnder(g sessionGuard) *vfs.View {
	watched := s.w.m.audited()
	var v *vfs.View
	switch {
	case g == nil:
		v = s.w.free.Of(s)
	case watched:
		v = vfs.NewView(s.w.ns, watchedGuard{g, s}).Of(s)
	default:
		v = vfs.NewView(s.w.ns, g).Of(s)
	}
	if watched {
		v = v.Observed(fileObserver{s})
	}
	if s.metered() {
		v = v.Metered(meter{s})
	}
	return v
}

// fileObserver notes the changes of files.
type fileObserver struct{ s *Session }

// Changed implements vfs.Observer.
func (o fileObserver) Changed(ctx context.Context, c vfs.Change) {
	ruled := o.s.guard != nil && (errors.Is(c.Err, syscall.EACCES) || errors.Is(c.Err, syscall.ENOENT))
	if c.Op == vfs.OpClose || ruled {
		return // nothing new, or watchedGuard's
	}
	e := audit.Event{Kind: audit.File, Action: string(c.Op), Path: c.Path, Other: c.Other, Outcome: audit.OK, Origin: o.s.origin()}
	switch {
	case c.Type.IsDir():
		e.Action = "mkdir"
	case c.Type != 0:
		e.Action = "symlink"
	case c.Op == vfs.OpCreate && c.Other != "":
		e.Action = "link"
	}
	if c.Err != nil {
		e.Outcome, e.Reason = audit.Failed, vfs.Phrase(c.Err)
		if errors.Is(c.Err, syscall.EROFS) || errors.Is(c.Err, syscall.EPERM) {
			e.Outcome = audit.Refused
		}
	}
	o.s.frequent(ctx, e, c.Caller)
}

// watchedGuard notes what a guard refuses.
type watchedGuard struct {
	sessionGuard
	s *Session
}

// What is open must be asked about again when the rules change, watched or not.
var _ vfs.Shifting = watchedGuard{}

// Check implements vfs.Guard.
func (g watchedGuard) Check(ctx context.Context, a vfs.Access) error {
	err := g.sessionGuard.Check(ctx, a)
	if err != nil {
		g.refused(ctx, a, err)
	}
	return err
}

// refused notes a refusal: of what is denied every one, of what is hidden an
// attempt to reach it by its name. Read-only mounts are fileObserver's. The
// shell looks for any word in the folder of programs; those are no attempts.
func (g watchedGuard) refused(ctx context.Context, a vfs.Access, err error) {
	e := audit.Event{Kind: audit.Refusal, Action: string(a.Op), Path: a.Path, Other: a.Other, Outcome: audit.Refused, Origin: g.s.origin()}
	switch errno := vfs.Errno(err); {
	case errno == syscall.ENOENT && path.Dir(a.Path) != binDir:
		e.Outcome = audit.Hidden
	case errno == syscall.EACCES:
		command, _ := a.Caller.(*policy.Command)
		if p := g.s.profile(); p != nil && p.FileRules() {
			answer := p.File(command, a.Path, policy.Itself)
			e.Reason, e.Source, e.Policy = answer.Reason, answer.Source, answer.Policy
		}
	default:
		return
	}
	g.s.frequent(ctx, e, a.Caller)
}

// noteAsk notes that a question was raised.
func (m *Manager) noteAsk(ctx context.Context, a Ask) {
	m.record(ctx, askEvent(audit.Ask, a))
}

// noteAnswer notes what a person said to a question.
func (m *Manager) noteAnswer(ctx context.Context, a Ask) {
	e := askEvent(audit.Answer, a)
	e.Action, e.Outcome, e.Detail = a.Outcome, audit.OK, map[string]string{"scope": a.Scope}
	if a.Note != "" {
		e.Detail["note"] = a.Note
	}
	m.record(ctx, e)
}

func askEvent(kind audit.Kind, a Ask) audit.Event {
	e := audit.Event{Kind: kind, Ask: a.ID, Line: a.Command, Rule: a.Rule, Reason: a.Reason, Policy: a.Policy}
	e.Workspace, e.Session = a.Workspace, a.Session
	if len(a.Paths) > 0 {
		e.Path = a.Paths[0]
	}
	return e
}

// frequent notes an event of which a login can make any number at no cost: it
// is one of those that are counted beyond a rate.
func (s *Session) frequent(ctx context.Context, e audit.Event, caller any) {
	m := s.w.m
	if command, ok := caller.(*policy.Command); ok && len(command.Argv) > 0 {
		e.Detail = map[string]string{"command": command.Argv[0]}
	}
	ok, lost := s.auditRate.take(m.now(), m.auditRate)
	if lost > 0 {
		s.lostEvents(ctx, lost)
	}
	if ok {
		m.record(ctx, e)
	}
}

// lostEvents notes how many events were only counted.
func (s *Session) lostEvents(ctx context.Context, n int) {
	s.w.m.record(ctx, audit.Event{Kind: audit.Dropped, Origin: s.origin(), Reason: "too many at once",
		Detail: map[string]string{"file": strconv.Itoa(n)}})
}

// flushAudit notes what was only counted so far.
func (s *Session) flushAudit(ctx context.Context) {
	if n := s.auditRate.flush(); n > 0 {
		s.lostEvents(ctx, n)
	}
}

// auditBurst is how many events of files a session may make at once.
const auditBurst = 20_000

// auditRate bounds the events of a session, so that nobody can fill the log to
// push out what it says of them.
type auditRate struct {
	mu     sync.Mutex
	used   float64 // of the burst
	filled time.Time
	lost   int
	told   time.Time
}

// tellLost is how long lost events are counted before they are told of, unless
// the line ends before.
const tellLost = 10 * time.Second

// take asks for the right to record one event; perSecond 0 bounds nothing.
// lost is how many have been refused since the last one that was not.
func (r *auditRate) take(now time.Time, perSecond int) (ok bool, lost int) {
	if perSecond <= 0 {
		return true, 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if d := now.Sub(r.filled).Seconds(); d > 0 {
		r.used = max(0, r.used-d*float64(perSecond))
		r.filled = now
	}
	if r.used > auditBurst-1 {
		r.lost++
		return false, 0
	}
	r.used++
	if r.lost > 0 && now.Sub(r.told) >= tellLost {
		lost, r.lost, r.told = r.lost, 0, now
	}
	return true, lost
}

func (r *auditRate) flush() (lost int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	lost, r.lost = r.lost, 0
	return lost
}
