package main

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/crypto/ssh"

	"mirage/accounts"
	"mirage/workspace"
)

func newDemo(e env) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "demo",
		Short: "Take a tour in a throw-away server",
		Long: `Start a server on free loopback ports with a workspace "demo", take a tour of it
with the real ssh, sftp and curl, and tell how to connect by hand. On a terminal
it then opens a shell in the workspace and ends with it. Everything is written
below one folder, ./.demo.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDemo(cmd.Context(), e, dir) },
	}
	c.Flags().StringVar(&dir, "dir", ".demo", "folder for keys, settings and state")
	return c
}

// demo is a running demo server and the folder of its files.
type demo struct {
	env
	dir string
	*server
}

func runDemo(ctx context.Context, e env, dir string) (err error) {
	for _, tool := range []string{"ssh", "sftp", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("the tour needs %s, which is not installed (Debian: apt-get install openssh-client curl)", tool)
		}
	}
	d, err := startDemo(ctx, e, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.stop()) }()
	if err := d.tour(ctx); err != nil {
		return err
	}
	d.say("Connect by hand while this server runs:\n\n  ssh -F %[1]s/ssh_config demo\n  sftp -F %[1]s/ssh_config demo\n  ssh -F %[1]s/ssh_config agent     # the same files under the profile \"agent\"\n", dir)
	if !e.terminal(e.stdin) || !e.terminal(e.stdout) {
		return nil
	}
	d.say("\nNow you: a shell in the workspace. `exit` ends it, and the server with it.\n\n")
	shell := exec.CommandContext(ctx, "ssh", "-F", d.path("ssh_config"), "demo")
	shell.Stdin, shell.Stdout, shell.Stderr = os.Stdin, os.Stdout, os.Stderr
	var exit *exec.ExitError
	if err := shell.Run(); err != nil && !errors.As(err, &exit) {
		return err
	}
	return nil
}

func (d *demo) path(name string) string { return filepath.Join(d.dir, name) }

func (d *demo) say(format string, args ...any) { fmt.Fprintf(d.stdout, format, args...) }

// startDemo makes the keys, starts the server and fills the workspace.
func startDemo(ctx context.Context, e env, dir string) (*demo, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	d := &demo{env: e, dir: dir}
	home, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	getenv := func(name string) string {
		if name == "MIRAGE_HOME" {
			return home
		}
		return ""
	}
	// A tour starts from the same place each time.
	if err := os.RemoveAll(d.path("state")); err != nil {
		return nil, err
	}
	if err := d.makeKeys(); err != nil {
		return nil, err
	}
	log := slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	o, err := readServer(env{getenv: getenv}, "127.0.0.1:0", "127.0.0.1:0", log)
	if err != nil {
		return nil, err
	}
	if d.server, err = startServer(ctx, o); err != nil {
		return nil, err
	}
	if err := d.makeWorkspace(ctx); err != nil {
		return nil, errors.Join(err, d.stop())
	}
	if err := d.writeSSHConfig(); err != nil {
		return nil, errors.Join(err, d.stop())
	}
	return d, nil
}

func (d *demo) makeWorkspace(ctx context.Context) error {
	cfg, err := workspace.ParseConfig([]byte(demoConfig))
	if err != nil {
		return err
	}
	ws, _, err := d.manager.Create(ctx, accounts.Caller{All: true}, "demo", cfg)
	if err != nil {
		return err
	}
	session, err := ws.Session(ctx, "")
	if err != nil {
		return err
	}
	return fillDemo(ctx, session.View())
}

// makeKeys makes one key for a person and one for an agent, and lets both in.
func (d *demo) makeKeys() error {
	var allowed strings.Builder
	for _, k := range []struct{ name, options string }{{"id_demo", ""}, {"id_agent", `restrict,pty,mirage-profile="agent" `}} {
		public, private, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			return err
		}
		block, err := ssh.MarshalPrivateKey(private, k.name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(d.path(k.name), pem.EncodeToMemory(block), 0o600); err != nil {
			return err
		}
		key, err := ssh.NewPublicKey(public)
		if err != nil {
			return err
		}
		fmt.Fprintf(&allowed, "%s%s %s\n", k.options, strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key))), k.name)
	}
	if err := os.MkdirAll(d.path("ssh"), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(d.dir, "ssh", "authorized_keys"), []byte(allowed.String()), 0o600)
}

// writeSSHConfig writes what the clients are called with, so that they touch
// nothing of the user's.
func (d *demo) writeSSHConfig() error {
	_, port, err := net.SplitHostPort(d.ssh.Addr().String())
	if err != nil {
		return err
	}
	var text strings.Builder
	for host, key := range map[string]string{"demo": "id_demo", "agent": "id_agent"} {
		fmt.Fprintf(&text, "Host %s\n  HostName 127.0.0.1\n  Port %s\n  User demo\n  IdentityFile %s\n\n", host, port, quoteSSH(d.path(key)))
	}
	fmt.Fprintf(&text, "Host *\n  IdentitiesOnly yes\n  IdentityAgent none\n  StrictHostKeyChecking accept-new\n  UpdateHostKeys no\n  LogLevel ERROR\n  UserKnownHostsFile %s\n", quoteSSH(d.path("known_hosts")))
	// The port is another one each time, and its old host key with it.
	if err := os.RemoveAll(d.path("known_hosts")); err != nil {
		return err
	}
	return os.WriteFile(d.path("ssh_config"), []byte(text.String()), 0o600)
}

func quoteSSH(name string) string { return `"` + name + `"` }
