package stream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"mirage/internal/budget"
	"mirage/shell/program"
)

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	for _, in := range []string{"", "a", "a\n", "\n\nb", "one\ntwo\n" + long + "\nend", long} {
		for _, r := range []io.Reader{strings.NewReader(in), iotest.OneByteReader(strings.NewReader(in)), iotest.DataErrReader(strings.NewReader(in))} {
			l := NewLines(r, '\n', budget.Meter{})
			var got []string
			for {
				line, err := l.Next()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, string(line))
			}
			want := strings.SplitAfter(in, "\n")
			if want[len(want)-1] == "" {
				want = want[:len(want)-1]
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%.20q: got %d lines, want %d", in, len(got), len(want))
			}
		}
	}
}

func TestLinesLimit(t *testing.T) {
	l := NewLines(strings.NewReader("short\n"+strings.Repeat("x", 1<<20)), '\n', budget.New(100_000).Meter())
	if line, err := l.Next(); string(line) != "short\n" || err != nil {
		t.Fatalf("got %q, %v", line, err)
	}
	if _, err := l.Next(); !errors.Is(err, ErrMemory) {
		t.Errorf("got %v, want %v", err, ErrMemory)
	}
	if len(l.buf) > 1<<19 {
		t.Errorf("%d bytes held for a limit of 100,000", len(l.buf))
	}
}

type failing struct {
	n   int
	err error
}

func (f *failing) Write(p []byte) (int, error) {
	if f.n--; f.n < 0 {
		return 0, f.err
	}
	return len(p), nil
}

func TestWriter(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out)
	var want strings.Builder
	for i := range 50_000 {
		s := strings.Repeat("y", i%37)
		want.WriteString(s + "\n")
		w.WriteString(s)
		w.WriteByte('\n')
	}
	big := strings.Repeat("z", 3*BufferSize)
	w.WriteString(big)
	if err := w.Flush(); err != nil || out.String() != want.String()+big {
		t.Errorf("got %d bytes, %v; want %d", out.Len(), err, want.Len()+len(big))
	}
}

func TestWriterClose(t *testing.T) {
	for _, tc := range []struct {
		err    error
		status int
		stderr string
	}{
		{nil, 3, ""},
		{syscall.EPIPE, 141, ""},
		{syscall.ENOSPC, 1, "x: write error: No space left on device\n"},
	} {
		var errs bytes.Buffer
		f := &failing{n: 1, err: tc.err}
		if tc.err == nil {
			f.n = 1000
		}
		inv := &program.Invocation{Name: "x", Stdout: f, Stderr: &errs}
		w := Stdout(inv)
		for range 5 {
			w.Write(make([]byte, BufferSize-1))
		}
		if got := w.Close(inv, 3); got != tc.status {
			t.Errorf("%v: got %d, want %d", tc.err, got, tc.status)
		}
		if errs.String() != tc.stderr {
			t.Errorf("%v: got %q, want %q", tc.err, errs.String(), tc.stderr)
		}
	}
}
