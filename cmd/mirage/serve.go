package main

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mirage/httpd"
	"mirage/internal/settings"
)

func newServe(e env) *cobra.Command {
	var o struct{ http, ssh string }
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve workspaces over HTTP and SSH",
		Long: `Serve workspaces over HTTP (127.0.0.1:8765 by default) and, when a port for it is
set, over SSH. The first lines on standard error say where. Settings come from
config.toml in the home folder and from MIRAGE_ variables ("mirage config list
--resolved" shows them); --http and --ssh win over both. Port 0 picks a free one.

The API asks for a bearer token. Without one in the settings, the server makes
one at its first start and keeps it in the file auth_token of the home folder,
where the CLI finds it.`,
		Example: `  mirage serve
  mirage serve --ssh 127.0.0.1:2222
  MIRAGE_HOME=/srv/mirage MIRAGE_SSH_PORT=2222 mirage serve`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runServe(cmd.Context(), e, o.http, o.ssh) },
	}
	c.Flags().StringVar(&o.http, "http", "", "listen for HTTP on HOST:PORT")
	c.Flags().StringVar(&o.ssh, "ssh", "", "listen for SSH on HOST:PORT")
	return c
}

func runServe(ctx context.Context, e env, httpAddr, sshAddr string) error {
	boundHeap(e.getenv)
	log := slog.New(slog.NewTextHandler(e.stderr, nil))
	o, err := readServer(e, httpAddr, sshAddr, log)
	if err != nil {
		return &exitError{code: 2, err: err}
	}
	s, err := startServer(ctx, o)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "mirage: HTTP on http://%s\n", s.http.Addr())
	if s.ssh != nil {
		fmt.Fprintf(e.stderr, "mirage: SSH on %s\n", s.ssh.Addr())
	}
	if o.auth.Open {
		fmt.Fprintln(e.stderr, "mirage: warning: auth_mode is none: whoever reaches the HTTP port may do everything")
	}
	if s.ssh != nil {
		name := authorizedKeys(o.settings, e.getenv)
		if _, err := os.Stat(name); err != nil {
			fmt.Fprintf(e.stderr, "mirage: warning: no key can log in yet: %s; add one with `mirage keys add FILE.pub`\n", pathProblem(err))
		}
	}
	failed := s.wait(ctx)
	if err := s.stop(); failed == nil {
		return err
	}
	return failed
}

// pathProblem words a file error as "NAME: reason".
func pathProblem(err error) string {
	if p, ok := err.(*fs.PathError); ok {
		return p.Path + ": " + p.Err.Error()
	}
	return err.Error()
}

// readServer turns settings and flags into what a server starts with. Its
// errors are mistakes of whoever configured it.
func readServer(e env, httpAddr, sshAddr string, log *slog.Logger) (o serverOptions, err error) {
	s, err := settings.Load(e.getenv)
	if err != nil {
		return o, err
	}
	o = serverOptions{settings: s, getenv: e.getenv, http: httpAddr, ssh: sshAddr, log: log}
	if o.http == "" {
		port, _ := s.Number("port")
		o.http = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	} else if err := checkAddr("--http", o.http); err != nil {
		return o, err
	}
	if o.ssh == "" {
		if port, set := s.Number("ssh_port"); set {
			o.ssh = net.JoinHostPort(s.Get("ssh_host").Text, strconv.Itoa(port))
		}
	} else if err := checkAddr("--ssh", o.ssh); err != nil {
		return o, err
	}
	o.auth, o.minted, err = readAuth(s)
	return o, err
}

func checkAddr(flag, addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || host == "" {
		return fmt.Errorf("%s takes HOST:PORT, such as 127.0.0.1:2222, got '%s'", flag, addr)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return fmt.Errorf("%s: the port must be between 0 and 65535, got '%s'", flag, port)
	}
	return nil
}

// readAuth answers who may use the API. It mints a token when there is none.
func readAuth(s *settings.Settings) (a httpd.Auth, minted bool, err error) {
	switch mode := strings.ToLower(s.Get("auth_mode").Text); mode {
	case "none":
		return httpd.Auth{Open: true}, false, nil
	case "token":
		a.Token = s.Get("auth_token").Text
		if a.Token == "" {
			return a, false, fmt.Errorf("auth_mode token needs MIRAGE_AUTH_TOKEN or auth_token")
		}
		return a, false, nil
	case "local":
		if a.Token, err = s.Token(); err == nil && a.Token == "" {
			a.Token, err = s.MintToken()
			minted = err == nil
		}
		return a, minted, err
	default: // settings.Load lets no other through
		return a, false, fmt.Errorf("unknown auth_mode: '%s'", mode)
	}
}
