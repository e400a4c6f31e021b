package sshd

import (
	"bytes"
	"io"
	"testing"
)

func BenchmarkStdin(b *testing.B)  { benchStream(b, "sink", true) }
func BenchmarkStdout(b *testing.B) { benchStream(b, "big 67108864", false) }

// benchStream moves 64 MiB through one command.
func benchStream(b *testing.B, command string, up bool) {
	const size = 64 << 20
	f := newFixture(b, "", nil)
	c := f.dial("demo")
	b.SetBytes(size)
	for b.Loop() {
		s, err := c.NewSession()
		if err != nil {
			b.Fatal(err)
		}
		if up {
			s.Stdin = io.LimitReader(zeros{}, size)
		}
		s.Stdout = io.Discard
		if err := s.Run(command); err != nil {
			b.Fatal(err)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func BenchmarkExec(b *testing.B) {
	f := newFixture(b, "", nil)
	c := f.dial("demo")
	for b.Loop() {
		s, err := c.NewSession()
		if err != nil {
			b.Fatal(err)
		}
		if out, err := s.Output("echo hi"); err != nil || !bytes.Equal(out, []byte("hi\n")) {
			b.Fatal(out, err)
		}
	}
}
