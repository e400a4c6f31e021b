package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
)

func (t *target) sftp() (*sftp.Client, error) {
	c, err := t.open()
	if err != nil {
		return nil, err
	}
	return sftp.NewClient(c, sftp.UseConcurrentReads(true), sftp.UseConcurrentWrites(true))
}

func sftpPut(_ context.Context, t *target) (float64, error) {
	c, err := t.sftp()
	if err != nil {
		return 0, err
	}
	defer c.Close()
	f, err := c.Create(path.Join(t.dir, "bulk"))
	if err != nil {
		return 0, err
	}
	start := time.Now()
	n, err := f.ReadFrom(bytes.NewReader(pattern(bulk)))
	err = errors.Join(err, f.Close())
	if err == nil && n != bulk {
		err = fmt.Errorf("%d bytes were taken", n)
	}
	return megabytes(bulk, start), err
}

func sftpGet(ctx context.Context, t *target) (float64, error) {
	c, err := t.sftp()
	if err != nil {
		return 0, err
	}
	defer c.Close()
	name := path.Join(t.dir, "bulk")
	if st, err := c.Stat(name); err != nil || st.Size() != bulk {
		if _, err := sftpPut(ctx, t); err != nil {
			return 0, err
		}
	}
	f, err := c.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var got bytes.Buffer
	got.Grow(bulk)
	start := time.Now()
	if _, err = f.WriteTo(&got); err == nil && !bytes.Equal(got.Bytes(), pattern(bulk)) {
		err = errors.New("other bytes came back")
	}
	return megabytes(bulk, start), err
}

func sftpStat(_ context.Context, t *target) (float64, error) {
	c, err := t.sftp()
	if err != nil {
		return 0, err
	}
	defer c.Close()
	v, err := p50(500, func() error {
		_, err := c.Stat(t.dir)
		return err
	})
	return v * 1e6, err
}

func sftpReaddir(_ context.Context, t *target) (float64, error) {
	const entries = 2000
	c, err := t.sftp()
	if err != nil {
		return 0, err
	}
	defer c.Close()
	dir := path.Join(t.dir, "many")
	if _, err := c.Stat(dir); err != nil {
		if err := c.Mkdir(dir); err != nil {
			return 0, err
		}
		for i := range entries {
			f, err := c.Create(path.Join(dir, fmt.Sprintf("file-%04d", i)))
			if err != nil {
				return 0, err
			}
			if err := f.Close(); err != nil {
				return 0, err
			}
		}
	}
	start := time.Now()
	list, err := c.ReadDir(dir)
	took := time.Since(start)
	if err == nil && len(list) != entries {
		err = fmt.Errorf("%d entries came", len(list))
	}
	return took.Seconds() * 1e3, err
}

// opensshSFTP runs one transfer with the sftp client and answers its rate, net
// of what the same transfer of an empty file takes.
func opensshSFTP(ctx context.Context, t *target, command string) (float64, error) {
	for name, size := range map[string]int{"empty": 0, "bulk": bulk} {
		local := filepath.Join(t.scratch, name)
		if _, err := os.Stat(local); err == nil {
			continue
		}
		if err := os.WriteFile(local, pattern(size), 0o644); err != nil {
			return 0, err
		}
	}
	var took [2]time.Duration
	for i, name := range []string{"empty", "bulk"} {
		local, remote := filepath.Join(t.scratch, name), path.Join(t.dir, name)
		batch := fmt.Sprintf("%s %s %s\n", command, local, remote)
		if command == "get" {
			batch = fmt.Sprintf("put %s %s\nget %s %s.back\n", local, remote, remote, local)
			put := exec.CommandContext(ctx, "sftp", "-q", "-b", "-", "-F", t.config, "t")
			put.Stdin = strings.NewReader(batch[:strings.IndexByte(batch, '\n')+1])
			if out, err := put.CombinedOutput(); err != nil {
				return 0, fmt.Errorf("sftp: %w: %s", err, out)
			}
			batch = batch[strings.IndexByte(batch, '\n')+1:]
		}
		c := exec.CommandContext(ctx, "sftp", "-q", "-b", "-", "-F", t.config, "t")
		c.Stdin = strings.NewReader(batch)
		start := time.Now()
		if out, err := c.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("sftp: %w: %s", err, out)
		}
		took[i] = time.Since(start)
	}
	return bulk / 1e6 / max(took[1]-took[0], time.Millisecond).Seconds(), nil
}

func opensshPut(ctx context.Context, t *target) (float64, error) { return opensshSFTP(ctx, t, "put") }
func opensshGet(ctx context.Context, t *target) (float64, error) { return opensshSFTP(ctx, t, "get") }

// idleMemory answers what one more logged-in session with a shell costs, in KiB
// of memory of the server and its children. It is taken once of each server: a
// process keeps memory that it once had, so a second round would find it free.
func idleMemory(_ context.Context, t *target) (float64, error) {
	const sessions = 200
	if t.idle != 0 {
		return t.idle, nil
	}
	before, err := memory(t.pid)
	if err != nil {
		return 0, err
	}
	var held []io.Closer
	defer func() {
		for _, c := range held {
			_ = c.Close()
		}
	}()
	for range sessions {
		c, err := t.login()
		if err != nil {
			return 0, err
		}
		held = append(held, c)
		s, err := c.NewSession()
		if err != nil {
			return 0, err
		}
		if err := waiting(s); err != nil {
			return 0, err
		}
	}
	after, err := memory(t.pid)
	t.idle = float64(after-before) / sessions
	return t.idle, err
}

// waiting starts a shell that waits for its input.
func waiting(s *ssh.Session) error {
	if _, err := s.StdinPipe(); err != nil {
		return err
	}
	return s.Shell()
}

// memory answers the memory of a process and its descendants in KiB, shared
// pages divided among those that share them (Pss of proc(5)).
func memory(pid int) (int, error) {
	total := 0
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
			n, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				return 0, err
			}
			total += n
		}
	}
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return 0, err
	}
	for _, list := range lists {
		children, err := os.ReadFile(list)
		if err != nil {
			continue // the task has ended
		}
		for _, child := range strings.Fields(string(children)) {
			n, err := strconv.Atoi(child)
			if err != nil {
				return 0, err
			}
			if kib, err := memory(n); err == nil {
				total += kib
			}
		}
	}
	return total, nil
}
