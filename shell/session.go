package shell

import (
	"context"
	"io"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"mirage/internal/budget"
	"mirage/policy"
	"mirage/shell/timezone"
)

// session is what all shells of one Shell share.
type session struct {
	ctx    context.Context // until Close
	cancel context.CancelCauseFunc
	table  *processTable
	now    func() time.Time
	home   string
	onLoss func(v any, stack []byte)

	// memory is what the session may hold: in variables of all its shells and
	// in the output of command substitutions.
	memory *budget.Budget
	// measure runs what a goroutine does; nil = as it is.
	measure func(f func())

	front atomic.Pointer[lineIO] // of the line being run, nil between lines
	jobs  atomic.Int64           // background goroutines

	mu      sync.Mutex
	parsers []*syntax.Parser // free ones
	zone    string
	loc     *time.Location
	parsed  map[string]*unit // short texts of eval and trap
	seed    uint32
}

// lineRun is what is known of the line being run.
type lineRun struct {
	terminal    *Terminal
	interactive bool

	limited, timedOut atomic.Bool // see Result

	mu      sync.Mutex
	refusal *policy.Refusal
	status  int
}

// refuse notes the first refusal of a line.
func (l *lineRun) refuse(a policy.Answer, status int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refusal != nil {
		return
	}
	l.refusal, l.status = a.Refusal(), status
}

func (l *lineRun) refused() (*policy.Refusal, int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refusal, l.status
}

// lineIO is where the standard streams of a line lead.
type lineIO struct {
	in  *lineInput
	out *lineOutput
}

// frontReader is standard input of the session's shell: that of the line
// being run.
type frontReader struct{ s *session }

func (f frontReader) read(ctx context.Context, p []byte) (int, error) {
	if io := f.s.front.Load(); io != nil {
		return io.in.read(ctx, p)
	}
	return 0, io.EOF
}

// unread gives bytes back to the line's input, with which they end.
func (f frontReader) unread(p []byte) {
	if io := f.s.front.Load(); io != nil {
		io.in.unread(p)
	}
}

func (f frontReader) ready() bool {
	io := f.s.front.Load()
	return io == nil || io.in.ready()
}

func (frontReader) write(context.Context, []byte) (int, error) { return 0, syscall.EBADF }
func (frontReader) close() error                               { return nil }

// frontWriter is standard output (0) or error (1) of the session's shell.
// What a background job writes between lines goes to the terminal of an
// interactive session; else it is dropped.
type frontWriter struct {
	s     *session
	which int
}

func (f frontWriter) write(ctx context.Context, p []byte) (int, error) {
	if io := f.s.front.Load(); io != nil {
		return io.out.put(ctx, f.which, p)
	}
	return len(p), nil
}

func (frontWriter) read(context.Context, []byte) (int, error) { return 0, syscall.EBADF }
func (frontWriter) close() error                              { return nil }

// nextSeed answers the seed of RANDOM for one more shell.
func (s *session) nextSeed() uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seed = s.seed*1664525 + 1013904223
	return s.seed
}

// reserve counts one more background goroutine, up to limit.
func (s *session) reserve(limit int) bool {
	if s.jobs.Add(1) > int64(limit) {
		s.jobs.Add(-1)
		return false
	}
	return true
}

func (s *session) unreserve() { s.jobs.Add(-1) }

// panicked hands a recovered panic to the operator.
func (s *session) panicked(v any) {
	if s.onLoss != nil {
		s.onLoss(v, debug.Stack())
	}
}

// location answers the zone of TZ.
func (s *session) location(tz string) *time.Location {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loc == nil || s.zone != tz {
		s.zone, s.loc = tz, timezone.Of(tz)
	}
	return s.loc
}

// run does what a goroutine of the session is for.
func (s *session) run(f func()) {
	if s.measure == nil {
		f()
		return
	}
	s.measure(f)
}
