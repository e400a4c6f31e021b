package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
)

// loginExec makes n logins, some at once, each running one command.
func loginExec(parallel, n int) func(context.Context, *target) (float64, error) {
	return func(_ context.Context, t *target) (float64, error) {
		return rate(parallel, n, func() error {
			c, err := t.login()
			if err != nil {
				return err
			}
			defer c.Close()
			return execute(c, "echo hi", "hi\n")
		})
	}
}

// rate runs f n times, so many at once, and answers how often a second.
func rate(parallel, n int, f func() error) (float64, error) {
	var wg sync.WaitGroup
	errs := make([]error, parallel)
	start := time.Now()
	for i := range parallel {
		wg.Go(func() {
			for range n / parallel {
				if err := f(); err != nil {
					errs[i] = err
					return
				}
			}
		})
	}
	wg.Wait()
	return float64(n/parallel*parallel) / time.Since(start).Seconds(), errors.Join(errs...)
}

// execute runs a command and checks its output.
func execute(c *ssh.Client, line, want string) error {
	s, err := c.NewSession()
	if err != nil {
		return err
	}
	defer s.Close()
	got, err := s.Output(line)
	if err != nil {
		return err
	}
	if string(got) != want {
		return fmt.Errorf("%s printed %q", line, got)
	}
	return nil
}

// p50 answers the median time of n calls, in seconds.
func p50(n int, f func() error) (float64, error) {
	times := make([]float64, 0, n)
	for range n {
		start := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		times = append(times, time.Since(start).Seconds())
	}
	return median(times), nil
}

func execP50(_ context.Context, t *target) (float64, error) {
	c, err := t.open()
	if err != nil {
		return 0, err
	}
	v, err := p50(100, func() error { return execute(c, "echo hi", "hi\n") })
	return v * 1e3, err
}

func execParallel(_ context.Context, t *target) (float64, error) {
	c, err := t.open()
	if err != nil {
		return 0, err
	}
	return rate(64, 640, func() error { return execute(c, "echo hi", "hi\n") })
}

func pipelineP50(_ context.Context, t *target) (float64, error) {
	c, err := t.open()
	if err != nil {
		return 0, err
	}
	v, err := p50(10, func() error {
		return execute(c, "seq 1 100000 | grep 7 | sort -rn | head -3 | wc -l", "3\n")
	})
	return v * 1e3, err
}

const bulk = 64 << 20 // bytes of one bulk transfer

func execStdin(_ context.Context, t *target) (float64, error) {
	c, err := t.open()
	if err != nil {
		return 0, err
	}
	s, err := c.NewSession()
	if err != nil {
		return 0, err
	}
	defer s.Close()
	s.Stdin = io.LimitReader(zeros{}, bulk)
	start := time.Now()
	got, err := s.Output("wc -c")
	if want := fmt.Sprintf("%d\n", bulk); err == nil && string(got) != want {
		err = fmt.Errorf("wc -c printed %q", got)
	}
	return megabytes(bulk, start), err
}

func execStdout(_ context.Context, t *target) (float64, error) {
	c, err := t.open()
	if err != nil {
		return 0, err
	}
	s, err := c.NewSession()
	if err != nil {
		return 0, err
	}
	defer s.Close()
	var n counter
	s.Stdout = &n
	start := time.Now()
	err = s.Run(fmt.Sprintf("head -c %d /dev/zero", bulk))
	if err == nil && n != bulk {
		err = fmt.Errorf("%d bytes came", n)
	}
	return megabytes(bulk, start), err
}

func megabytes(n int64, start time.Time) float64 {
	return float64(n) / 1e6 / time.Since(start).Seconds()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// pattern answers n bytes that do not repeat at a block's size.
func pattern(n int) []byte {
	line := []byte("0123456789abcdefghijklmnopqrstuvwxyz+")
	return bytes.Repeat(line, n/len(line)+1)[:n]
}
