// Package worker runs a program of the host in a confinement: no network, no
// environment, no process but its own, no file but a read-only /usr, a null
// device and the program. It is one of the few places that start a process; the
// command line is fixed by the operator's settings and the program, never made
// of what a login sent.
//
// The confinement is made by bubblewrap. Where that is missing or the kernel
// refuses it namespaces, nothing is started.
package worker

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// ErrMissing is wrapped by errors about programs which are not installed.
var ErrMissing = errors.New("not installed")

// maxLine bounds the bytes of a line that a worker says.
const maxLine = 1 << 20

// Command is a program and how it is confined.
type Command struct {
	bwrap string
	args  []string
}

// Confine makes the command line that runs a program. The program is found in
// /usr/bin, then in PATH, unless it is given as an absolute path; it has to lie
// below /usr or below a prefix of its own (PREFIX/bin/NAME), which is then
// readable for it.
func Confine(program string, args ...string) (*Command, error) {
	bwrap, err := find("bwrap")
	if err != nil {
		return nil, fmt.Errorf("bwrap (Debian package bubblewrap) is %w", ErrMissing)
	}
	path, err := find(program)
	if err != nil {
		return nil, fmt.Errorf("%s is %w", program, ErrMissing)
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, fmt.Errorf("%s is %w", program, ErrMissing)
	}
	c := &Command{bwrap: bwrap, args: []string{
		"--unshare-all", "--unshare-user", "--uid", strconv.Itoa(nobody), "--gid", strconv.Itoa(nobody),
		"--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL",
		"--hostname", "worker", "--ro-bind", "/usr", "/usr",
	}}
	for _, dir := range []string{"/bin", "/lib", "/lib32", "/lib64"} {
		if to, err := os.Readlink(dir); err == nil {
			c.args = append(c.args, "--symlink", to, dir)
		} else if _, err := os.Stat(dir); err == nil {
			c.args = append(c.args, "--ro-bind", dir, dir)
		}
	}
	if !strings.HasPrefix(path, "/usr/") {
		bin := filepath.Dir(path)
		prefix := filepath.Dir(bin)
		if filepath.Base(bin) != "bin" || strings.Count(prefix, "/") < 2 {
			return nil, fmt.Errorf("%s lies neither below /usr nor in PREFIX/bin", path)
		}
		c.args = append(c.args, "--ro-bind", prefix, prefix)
	}
	c.args = append(c.args, "--dev-bind", "/dev/null", "/dev/null", "--chdir", "/", "--remount-ro", "/", "--", path)
	c.args = append(c.args, args...)
	return c, nil
}

// find answers the absolute path of a program.
func find(name string) (string, error) {
	if filepath.IsAbs(name) {
		return exec.LookPath(name)
	}
	if path, err := exec.LookPath(filepath.Join("/usr/bin", name)); err == nil {
		return path, nil
	}
	return exec.LookPath(name)
}

// Process is a running worker. Send and Receive are for one goroutine, Kill is
// for any.
type Process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	pipe   *os.File
	out    *bufio.Reader
	errors *head
	once   sync.Once
}

// nobody is the user that a worker of root runs as, outside its confinement too.
const nobody = 65534

// make prepares the command for running once. What it says on its standard
// error goes to said.
func (c *Command) make(ctx context.Context, said *head) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.bwrap, c.args...)
	cmd.Env, cmd.Dir, cmd.Stderr, cmd.WaitDelay = []string{}, "/", said, time.Second
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	return cmd
}

// Start starts a worker.
func (c *Command) Start() (*Process, error) {
	said := &head{}
	p := &Process{cmd: c.make(context.Background(), said), errors: said}
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.cmd.Stdout = theirs
	err = p.cmd.Start()
	theirs.Close()
	if err != nil {
		out.Close()
		return nil, err
	}
	p.in, p.pipe, p.out = in, out, bufio.NewReaderSize(out, 64<<10)
	return p, nil
}

// Send says a line to the worker. It blocks while the worker does not listen,
// until it is killed.
func (p *Process) Send(line []byte) error {
	_, err := p.in.Write(append(line, '\n'))
	return err
}

// Receive answers the next line that the worker says, without its end. Lines
// of more than 1 MiB are an error, and so is the end of the worker: the error
// then has what the worker said last on its standard error.
func (p *Process) Receive() ([]byte, error) {
	var line []byte
	for {
		part, err := p.out.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return nil, errors.New("the worker said too much")
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return bytes.TrimSuffix(line, []byte("\n")), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			p.Kill()
			if said := p.errors.String(); said != "" {
				return nil, fmt.Errorf("the worker ended: %s", said)
			}
			return nil, errors.New("the worker ended")
		}
	}
}

// Kill ends the worker and everything that it started, and returns when all of
// it is gone: nobody holds the other end of the pipe any more.
func (p *Process) Kill() {
	p.once.Do(func() {
		_ = p.cmd.Process.Kill()
		_ = p.in.Close()
		_ = p.pipe.SetReadDeadline(time.Now().Add(10 * time.Second))
		_, _ = io.Copy(io.Discard, p.pipe)
		_ = p.cmd.Wait()
		_ = p.pipe.Close()
	})
}

// Try runs the command once, with nothing to read, and reports why it cannot
// run.
func (c *Command) Try(ctx context.Context) error {
	said := &head{}
	if err := c.make(ctx, said).Run(); err != nil {
		if text := said.String(); text != "" {
			return errors.New(text)
		}
		return err
	}
	return nil
}

// head keeps the beginning of what is written.
type head struct {
	mu   sync.Mutex
	text []byte
}

func (h *head) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	const most = 1000
	if n := most - len(h.text); n > 0 {
		h.text = append(h.text, b[:min(n, len(b))]...)
	}
	return len(b), nil
}

// String answers the first line.
func (h *head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	line, _, _ := strings.Cut(strings.TrimSpace(string(h.text)), "\n")
	return line
}
