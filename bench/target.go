package main

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

// target is one running server.
type target struct {
	name, addr string
	user       string
	dir        string // where files may go, as the server names it
	pid        int
	config     string // ssh_config of the OpenSSH clients
	scratch    string // folder on this side
	signer     ssh.Signer
	cmd        *exec.Cmd

	conn *ssh.Client // an open connection, made when first asked for
	idle float64     // what idleMemory found; 0 = not measured
}

func (t *target) stop() {
	if t == nil {
		return
	}
	if t.conn != nil {
		_ = t.conn.Close()
	}
	_ = t.cmd.Process.Signal(os.Interrupt)
	ended := make(chan struct{})
	go func() { _ = t.cmd.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(15 * time.Second):
		_ = t.cmd.Process.Kill()
		<-ended
	}
}

// startTargets starts OpenSSH's sshd and mirage, both for the same key.
func startTargets(ctx context.Context, dir, binary string) ([]*target, error) {
	signer, err := makeKey(filepath.Join(dir, "key"))
	if err != nil {
		return nil, err
	}
	public := ssh.MarshalAuthorizedKey(signer.PublicKey())
	openssh, err := startOpenSSH(filepath.Join(dir, "openssh"), public)
	if err != nil {
		return nil, err
	}
	ours, err := startMirage(ctx, filepath.Join(dir, "mirage"), binary, public)
	if err != nil {
		return []*target{openssh}, err
	}
	for _, t := range []*target{openssh, ours} {
		t.signer = signer
		t.scratch = filepath.Join(dir, t.name)
		t.config = filepath.Join(t.scratch, "ssh_config")
		host, port, _ := net.SplitHostPort(t.addr)
		text := fmt.Sprintf("Host t\n HostName %s\n Port %s\n User %s\n IdentityFile %s\n IdentitiesOnly yes\n IdentityAgent none\n StrictHostKeyChecking accept-new\n UpdateHostKeys no\n UserKnownHostsFile %s\n LogLevel ERROR\n",
			host, port, t.user, filepath.Join(dir, "key"), filepath.Join(t.scratch, "known_hosts"))
		if err := os.WriteFile(t.config, []byte(text), 0o600); err != nil {
			return []*target{openssh, ours}, err
		}
	}
	return []*target{openssh, ours}, nil
}

func makeKey(name string) (ssh.Signer, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	block, err := ssh.MarshalPrivateKey(private, "bench")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
		return nil, err
	}
	return ssh.NewSignerFromKey(private)
}

func startOpenSSH(dir string, public []byte) (*target, error) {
	sshd, err := exec.LookPath("sshd")
	if err != nil {
		sshd = "/usr/sbin/sshd"
	}
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.MkdirAll("/run/sshd", 0o755)); err != nil {
		return nil, err
	}
	if _, err := makeKey(filepath.Join(dir, "host_key")); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "authorized_keys"), public, 0o600); err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	me, err := user.Current()
	if err != nil {
		return nil, err
	}
	// A home of its own: what this machine's users have in their .bashrc is no
	// part of the comparison.
	config := filepath.Join(dir, "sshd_config")
	text := fmt.Sprintf("Port %d\nListenAddress 127.0.0.1\nHostKey %s\nAuthorizedKeysFile %s\nPidFile none\nStrictModes no\nUsePAM no\nPermitRootLogin yes\nSetEnv HOME=%s\nMaxStartups 1000\nMaxSessions 1000\nSubsystem sftp internal-sftp\n",
		port, filepath.Join(dir, "host_key"), filepath.Join(dir, "authorized_keys"), dir)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return nil, err
	}
	cmd := exec.Command(sshd, "-D", "-f", config)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("openssh-server is needed: %w", err)
	}
	files := filepath.Join(dir, "files")
	t := &target{name: "openssh", addr: fmt.Sprintf("127.0.0.1:%d", port), user: me.Username, dir: files, pid: cmd.Process.Pid, cmd: cmd}
	return t, errors.Join(os.MkdirAll(files, 0o755), t.reachable())
}

func (t *target) reachable() error {
	for range 100 {
		c, err := net.Dial("tcp", t.addr)
		if err == nil {
			return c.Close()
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("%s does not answer", t.name)
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func startMirage(ctx context.Context, dir, binary string, public []byte) (*target, error) {
	if err := os.MkdirAll(filepath.Join(dir, "ssh"), 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "ssh", "authorized_keys"), public, 0o600); err != nil {
		return nil, err
	}
	cmd := exec.Command(binary, "serve", "--http", "127.0.0.1:0", "--ssh", "127.0.0.1:0")
	cmd.Env = []string{"MIRAGE_HOME=" + dir, "MIRAGE_AUTH_TOKEN=bench", "HOME=" + dir}
	pipe, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("make build first: %w", err)
	}
	t := &target{name: "mirage", user: "bench", dir: "/files", pid: cmd.Process.Pid, cmd: cmd}
	api := ""
	for lines := bufio.NewScanner(pipe); t.addr == "" && lines.Scan(); {
		if a, ok := strings.CutPrefix(lines.Text(), "mirage: SSH on "); ok {
			t.addr = a
		}
		if u, ok := strings.CutPrefix(lines.Text(), "mirage: HTTP on "); ok {
			api = u
		}
	}
	go func() { // the log must not fill the pipe
		for lines := bufio.NewScanner(pipe); lines.Scan(); {
			fmt.Fprintln(os.Stderr, lines.Text())
		}
	}()
	for _, call := range []struct{ path, body string }{
		{"/v1/workspaces", `{"id": "bench", "config": {"mounts": {"/": {"vfs": "ram"}}}}`},
		{"/v1/workspaces/bench/vfs/mkdir", `{"path": "/files"}`},
	} {
		req, err := http.NewRequestWithContext(ctx, "POST", api+call.path, strings.NewReader(call.body))
		if err != nil {
			return t, err
		}
		req.Header.Set("Authorization", "Bearer bench")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return t, err
		}
		_ = res.Body.Close()
		if res.StatusCode >= 300 {
			return t, fmt.Errorf("%s: %s", call.path, res.Status)
		}
	}
	return t, nil
}

// login makes a fresh connection.
func (t *target) login() (*ssh.Client, error) {
	return ssh.Dial("tcp", t.addr, &ssh.ClientConfig{
		User: t.user, Auth: []ssh.AuthMethod{ssh.PublicKeys(t.signer)},
		HostKeyCallback: ssh.InsecureIgnoreHostKey(), // both servers are ours
		Timeout:         30 * time.Second,
	})
}

// open answers the connection that is kept open between measures.
func (t *target) open() (*ssh.Client, error) {
	if t.conn == nil {
		c, err := t.login()
		if err != nil {
			return nil, err
		}
		t.conn = c
	}
	return t.conn, nil
}
