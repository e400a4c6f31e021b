package workspace_test

import (
	"context"
	"testing"

	"mirage/audit"
	"mirage/state"
	"mirage/workspace"
)

func benchWorkspace(b *testing.B) *workspace.Workspace { return benchAudited(b, nil) }

func benchAudited(b *testing.B, sink audit.Sink) *workspace.Workspace {
	b.Helper()
	store, err := state.Open(b.TempDir(), state.Options{})
	if err != nil {
		b.Fatal(err)
	}
	m, err := workspace.Open(bg, workspace.Options{Store: store, Audit: sink})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		m.Close(bg)
		store.Close()
	})
	cfg, err := workspace.ParseConfig([]byte(ramConfig))
	if err != nil {
		b.Fatal(err)
	}
	w, _, err := m.Create(bg, operator, "demo", cfg)
	if err != nil {
		b.Fatal(err)
	}
	return w
}

// BenchmarkRun is a line of a named session, with its job and history records
// and the session's state.
func BenchmarkRun(b *testing.B) {
	s, err := benchWorkspace(b).Session(bg, "")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Run(context.Background(), workspace.Line{Command: "echo hi; n=$((n+1))"}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkExec is what an SSH exec channel costs here: a session, a line,
// the end.
func BenchmarkExec(b *testing.B) {
	w := benchWorkspace(b)
	b.ReportAllocs()
	for b.Loop() {
		s, err := w.NewSession(bg, workspace.SessionOptions{Ephemeral: true, Prefix: "ssh_"})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Run(context.Background(), workspace.Line{Command: "echo hi"}); err != nil {
			b.Fatal(err)
		}
		s.Close(bg)
	}
}

// BenchmarkSession is an idle ephemeral session.
func BenchmarkSession(b *testing.B) {
	w := benchWorkspace(b)
	b.ReportAllocs()
	for b.Loop() {
		s, err := w.NewSession(bg, workspace.SessionOptions{Ephemeral: true, Prefix: "ssh_"})
		if err != nil {
			b.Fatal(err)
		}
		s.Close(bg)
	}
}

// BenchmarkAuditedRun is BenchmarkRun under an audit log, with a change of a file
// more.
func BenchmarkAuditedRun(b *testing.B) {
	for _, on := range []bool{false, true} {
		b.Run(map[bool]string{false: "off", true: "on"}[on], func(b *testing.B) {
			var sink audit.Sink
			if on {
				log, err := audit.Open(audit.Options{Dir: b.TempDir()})
				if err != nil {
					b.Fatal(err)
				}
				b.Cleanup(func() {
					if err := log.Close(); err != nil {
						b.Error(err)
					}
				})
				sink = log
			}
			s, err := benchAudited(b, sink).Session(bg, "")
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Run(context.Background(), workspace.Line{Command: "echo hi > /f"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
