package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// clock is a clock that goes on by a second a look.
type clock struct{ n atomic.Int64 }

func (c *clock) now() time.Time { return time.Unix(1_700_000_000+c.n.Add(1), 123456789) }

func options(t *testing.T, dir string) Options {
	t.Helper()
	return Options{Dir: dir, Now: new(clock).now}
}

func open(t *testing.T, o Options) *Log {
	t.Helper()
	l, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func closeLog(t *testing.T, l *Log) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// fill writes n lines into a fresh log and closes it.
func fill(t *testing.T, o Options, n int) {
	t.Helper()
	l := open(t, o)
	for i := range n {
		l.Record(t.Context(), Event{Kind: LineStart, Line: fmt.Sprintf("echo %d", i)})
	}
	closeLog(t, l)
}

func verify(t *testing.T, dir string) Report {
	t.Helper()
	r, err := Verify(t.Context(), dir, nil, Position{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// whole fails the test unless the chain of a log is whole.
func whole(t *testing.T, dir string) Report {
	t.Helper()
	r := verify(t, dir)
	if r.Broken != nil {
		t.Fatalf("broken: %v", r.Broken)
	}
	return r
}

func records(t *testing.T, dir string, f Filter) []Record {
	t.Helper()
	var out []Record
	err := Walk(t.Context(), dir, f, func(r *Record, _ []byte) error {
		out = append(out, *r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRecord(t *testing.T) {
	dir := t.TempDir()
	l := open(t, options(t, dir))
	ctx := With(t.Context(), Origin{Account: "ann", Key: "SHA256:abc", Remote: "192.0.2.1:99", Door: "ssh"})
	ctx = With(ctx, Origin{Workspace: "demo", Session: "s", Door: "sftp"})
	status := 3
	l.Record(ctx, Event{Kind: LineEnd, Line: "exit 3", Outcome: OK, Status: &status, Duration: 1.5, Origin: Origin{Job: "job_1"}})
	closeLog(t, l)
	got := records(t, dir, Filter{Kinds: []Kind{LineEnd}})
	if len(got) != 1 {
		t.Fatalf("%d records", len(got))
	}
	r := got[0]
	want := Origin{Account: "ann", Key: "SHA256:abc", Remote: "192.0.2.1:99", Door: "sftp", Workspace: "demo", Session: "s", Job: "job_1"}
	if r.Origin != want || r.Line != "exit 3" || *r.Status != 3 || r.Duration != 1.5 || r.Seq != 2 {
		t.Errorf("got %+v", r)
	}
	text, err := os.ReadFile(filepath.Join(dir, fileName(1)))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines: %s", len(lines), text)
	}
	if !strings.HasPrefix(lines[1], `{"seq":2,"time":"2023-11-14T22:13:22.123456789Z","kind":"line_end","account":"ann"`) {
		t.Errorf("line: %s", lines[1])
	}
	var first, second struct{ Prev, Hash string }
	if json.Unmarshal([]byte(lines[0]), &first) != nil || json.Unmarshal([]byte(lines[1]), &second) != nil {
		t.Fatal("a line is no JSON")
	}
	if first.Prev != "" || second.Prev != first.Hash {
		t.Errorf("chain: %+v %+v", first, second)
	}
	if rep := whole(t, dir); rep.Records != 3 || rep.Last.Seq != 3 || len(rep.Notes) != 0 {
		t.Errorf("report: %+v", rep)
	}
}

func TestNilLog(t *testing.T) {
	var l *Log
	l.Record(t.Context(), Event{Kind: Login})
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func TestRestartContinues(t *testing.T) {
	dir := t.TempDir()
	for range 3 {
		fill(t, options(t, dir), 2)
	}
	if r := whole(t, dir); r.Records != 12 || r.Last.Seq != 12 {
		t.Errorf("%+v", r)
	}
}

func TestTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	o := options(t, dir)
	l := open(t, o)
	var wg sync.WaitGroup
	for p := range 4 {
		wg.Go(func() {
			for i := range 20 {
				if err := Append(o, Event{Kind: Admin, Action: fmt.Sprintf("p%d.%d", p, i)}); err != nil {
					t.Error(err)
				}
				l.Record(t.Context(), Event{Kind: LineStart})
			}
		})
	}
	wg.Wait()
	closeLog(t, l)
	if r := whole(t, dir); r.Records != 162 || len(r.Notes) != 0 {
		t.Errorf("%+v", r)
	}
}

func TestRotation(t *testing.T) {
	dir := t.TempDir()
	o := options(t, dir)
	o.Limits = Limits{MaxSize: 2000, Keep: -1}
	fill(t, o, 100)
	r := whole(t, dir)
	if r.Records != 102 || r.Files < 10 {
		t.Errorf("%+v", r)
	}
	if got := len(records(t, dir, Filter{Kinds: []Kind{LineStart}})); got != 100 {
		t.Errorf("%d lines", got)
	}
	last, err := Last(t.Context(), dir, 30, Filter{Kinds: []Kind{LineStart}})
	if err != nil || len(last) != 30 || last[0].Record.Line != "echo 70" || last[29].Record.Line != "echo 99" {
		t.Errorf("last: %d, %v", len(last), err)
	}
}

func TestRotationByAge(t *testing.T) {
	dir := t.TempDir()
	o := options(t, dir)
	o.Limits = Limits{MaxAge: 10 * time.Second} // ten looks at the clock
	fill(t, o, 50)
	if r := whole(t, dir); r.Files < 4 || r.Files > 8 {
		t.Errorf("%+v", r)
	}
}

func TestPruning(t *testing.T) {
	dir := t.TempDir()
	o := options(t, dir)
	o.Limits = Limits{MaxSize: 2000, Keep: 3}
	fill(t, o, 100)
	r := whole(t, dir)
	if r.Files != 3 || r.First.Seq == 1 || len(r.Notes) == 0 {
		t.Errorf("%+v", r)
	}
	// The oldest that is left may not go without a word.
	list, _ := files(dir)
	if err := os.Remove(filepath.Join(dir, fileName(list[0]))); err != nil {
		t.Fatal(err)
	}
	if r := verify(t, dir); r.Broken == nil || !strings.Contains(r.Broken.Reason, "are missing") {
		t.Errorf("%+v", r)
	}
}

func TestKey(t *testing.T) {
	dir := t.TempDir()
	o := options(t, dir)
	o.Key = []byte("secret")
	fill(t, o, 5)
	if r, err := Verify(t.Context(), dir, o.Key, Position{}); err != nil || r.Broken != nil {
		t.Errorf("with the key: %+v, %v", r, err)
	}
	if r, err := Verify(t.Context(), dir, []byte("other"), Position{}); err != nil || r.Broken == nil {
		t.Errorf("with another: %+v, %v", r, err)
	}
}

func TestFollow(t *testing.T) {
	dir := t.TempDir()
	o := options(t, dir)
	o.Limits = Limits{MaxSize: 1000}
	fill(t, o, 3)
	last, err := Last(t.Context(), dir, 1, Filter{})
	if err != nil || len(last) != 1 {
		t.Fatal(last, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l := open(t, o)
	go func() {
		for i := range 20 {
			l.Record(ctx, Event{Kind: LineStart, Line: fmt.Sprint(i)})
		}
	}()
	var got []string
	err = Follow(ctx, dir, last[0].Record.Seq, time.Millisecond, Filter{Kinds: []Kind{LineStart}}, func(r *Record, _ []byte) error {
		if got = append(got, r.Line); len(got) == 20 {
			cancel()
		}
		return nil
	})
	if err != context.Canceled || len(got) < 20 || got[0] != "0" || got[19] != "19" {
		t.Errorf("%q, %v", got, err)
	}
}
