package progtest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mirage/internal/budget"
	"mirage/shell/program"
	"mirage/shell/timezone"
	"mirage/vfs"
	"mirage/vfs/ram"
)

// World is a tree in memory and the programs that run on it.
type World struct {
	TB   testing.TB
	View *vfs.View
	all  map[string]*program.Program
}

func clock() time.Time { return Now }

// NewWorld makes a tree with an empty working directory and a /tmp.
func NewWorld(t testing.TB, all []*program.Program) *World {
	t.Helper()
	ns, err := vfs.NewNamespace(nil, vfs.NamespaceOptions{Root: ram.New(ram.Options{Now: clock}), Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	return NewWorldOn(t, all, vfs.NewView(ns, vfs.AllowAll{}))
}

// NewWorldOn is NewWorld on a tree of the caller's.
func NewWorldOn(t testing.TB, all []*program.Program, view *vfs.View) *World {
	t.Helper()
	w := &World{TB: t, View: view, all: map[string]*program.Program{}}
	for _, p := range all {
		w.all[p.Name] = p
	}
	for _, dir := range []string{Dir, "/tmp"} {
		if err := view.MkdirAll(context.Background(), dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// Run runs one program; what the case wants is not looked at.
func (w *World) Run(name string, c Case) Result {
	w.TB.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	return w.RunContext(ctx, name, c)
}

// RunContext is Run with a context of the caller's.
func (w *World) RunContext(ctx context.Context, name string, c Case) Result {
	w.TB.Helper()
	var stdout, stderr bytes.Buffer
	inv := w.Invocation(c, strings.NewReader(c.Stdin), &stdout, &stderr)
	status, err := w.spawn(ctx, inv, program.Child{Args: append([]string{name}, c.argv()...)})
	if err != nil {
		w.TB.Fatalf("%s: %v", name, err)
	}
	if context.Cause(ctx) == context.DeadlineExceeded {
		w.TB.Errorf("%s %s: still running after the deadline", name, c.Args)
	}
	return Result{Stdout: stdout.String(), Stderr: stderr.String(), Status: status}
}

// Invocation makes what a program is given, without a name and arguments.
func (w *World) Invocation(c Case, stdin io.Reader, stdout, stderr io.Writer) *program.Invocation {
	user := c.User
	if user == "" {
		user = "root"
	}
	return &program.Invocation{
		Dir:      Dir,
		Env:      append([]string{"PATH=/usr/bin:/bin", "HOME=" + Dir, "LC_ALL=C", "TZ=UTC0"}, c.Env...),
		Umask:    0o022,
		Stdin:    stdin,
		Stdout:   &lockedWriter{w: stdout},
		Stderr:   &lockedWriter{w: stderr},
		FS:       w.View,
		User:     user,
		Hostname: "host",
		Now:      clock,
		Location: zone(c.Env),
		Memory:   budget.New(cmp.Or(c.Limit, 64<<20)),
		Terminal: func(n int) (int, int, bool) { return 80, 24, c.Terminal && n == 1 },
		FD:       func(int) (program.Descriptor, bool) { return nil, false },
	}
}

// spawn runs a program as a child of inv, as the shell's door does.
func (w *World) spawn(ctx context.Context, inv *program.Invocation, c program.Child) (int, error) {
	child := *inv
	child.Name = c.Args[0][strings.LastIndexByte(c.Args[0], '/')+1:]
	child.Args = c.Args[1:]
	if c.Dir != "" {
		child.Dir = c.Dir
	}
	if c.Env != nil {
		child.Env = c.Env
	}
	if c.Stdin != nil {
		child.Stdin = c.Stdin
	}
	if c.Stdout != nil {
		child.Stdout = c.Stdout
	}
	if c.Stderr != nil {
		child.Stderr = c.Stderr
	}
	child.Spawn = func(ctx context.Context, c program.Child) (int, error) { return w.spawn(ctx, &child, c) }
	prog, ok := w.all[child.Name]
	if !ok {
		if info, err := w.View.Stat(ctx, inv.Path(c.Args[0])); err == nil && strings.Contains(c.Args[0], "/") {
			if info.IsDir() {
				return 0, syscall.EACCES
			}
			return 0, syscall.ENOEXEC
		}
		return 0, syscall.ENOENT
	}
	status := prog.Run(ctx, &child)
	var signal program.Signal
	if errors.As(context.Cause(ctx), &signal) {
		return 128 + int(signal), nil
	}
	return status, nil
}

// lockedWriter lets children that run at the same time share a buffer.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer // guarded by mu
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// zone answers the zone of TZ, UTC when it is not set.
func zone(env []string) *time.Location {
	for _, e := range env {
		if tz, ok := strings.CutPrefix(e, "TZ="); ok {
			return timezone.Of(tz)
		}
	}
	return time.UTC
}
