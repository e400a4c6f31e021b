package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mirage/client"
	"mirage/internal/settings"
)

// version is what --version prints; releases set it when they link.
var version = "dev"

// env is everything of the process that commands touch.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	terminal       func(stream any) bool
}

func system() env {
	return env{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv,
		terminal: func(stream any) bool {
			f, ok := stream.(*os.File)
			return ok && term.IsTerminal(int(f.Fd()))
		},
	}
}

// exitError ends the program with a status of its own; a nil err says that
// everything has been said.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usageError marks a mistake in the command line or the configuration.
func usageError(format string, args ...any) error {
	return &exitError{code: 2, err: fmt.Errorf(format, args...)}
}

// run executes a command line and answers the exit status: 0; 1 when no
// server could be reached or something failed here; 2 for usage,
// configuration and what a server refused; for `shell` and `job` the line's.
func run(ctx context.Context, args []string, e env) int {
	root := newRoot(e)
	root.SetArgs(args)
	root.SetIn(e.stdin)
	root.SetOut(e.stdout)
	root.SetErr(e.stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	var exit *exitError
	var api *client.Error
	switch {
	case errors.As(err, &exit):
		if exit.err != nil {
			fmt.Fprintln(e.stderr, "mirage:", exit.err)
		}
		return exit.code
	case errors.As(err, &api):
		fmt.Fprintf(e.stderr, "daemon error %d: %s\n", api.Status, api.Detail)
		if api.Status == http.StatusUnauthorized {
			fmt.Fprintf(e.stderr, "mirage: %s\n", tokenHint(e))
		}
		return 2
	case errors.Is(err, client.ErrUnreachable):
		s, _ := settings.Load(e.getenv)
		url := ""
		if s != nil {
			url = " at " + s.Get("url").Text
		}
		fmt.Fprintf(e.stderr, "mirage: no server answers%s; start one with `mirage serve`\n", url)
		return 1
	case errors.Is(err, context.Canceled):
		return 130
	}
	fmt.Fprintln(e.stderr, "mirage:", err)
	return 1
}

// tokenHint says which token a server has refused.
func tokenHint(e env) string {
	if e.getenv("MIRAGE_TOKEN") != "" {
		return "the server refuses the token of env MIRAGE_TOKEN"
	}
	s, err := settings.Load(e.getenv)
	switch {
	case err != nil:
		return err.Error()
	case s.Get("auth_token").Set:
		return "the server refuses the auth_token of " + s.Get("auth_token").Origin
	case isLocal(s.Get("url").Text):
		return "the server refuses the token of " + s.TokenFile() + "; is MIRAGE_HOME the server's?"
	}
	return "give the token of the server at " + s.Get("url").Text + " in MIRAGE_TOKEN"
}

func newRoot(e env) *cobra.Command {
	root := &cobra.Command{
		Use:   "mirage",
		Short: "Workspaces as SSH logins",
		Long: `mirage serves workspaces as SSH logins: "ssh demo@host" opens a shell in the
workspace demo, and sftp, scp and the HTTP API see the same files. A workspace
is a tree of mounts (RAM, disk, ...); its shell and commands run inside the
server, so a login starts no process on the host and can name no host path.`,
		Example: `  mirage demo                                  # a tour in a throw-away server
  mirage serve --ssh 127.0.0.1:2222            # HTTP on 127.0.0.1:8765, SSH on 2222
  mirage keys add ~/.ssh/id_ed25519.pub        # let a key in
  mirage workspace create demo.yaml --id demo  # then: ssh -p 2222 demo@127.0.0.1`,
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError("%w\nTry '%s --help' for more information.", err, cmd.CommandPath())
	})
	root.AddCommand(
		newServe(e), newDemo(e),
		newWorkspace(e), newSession(e), newShell(e), newVFS(e), newJob(e),
		newKeys(e), newConfig(e), newAudit(e), newPolicy(e),
	)
	usageArgs(root)
	completeArgs(e, root)
	return root
}

// usageArgs makes wrong arguments and missing flags of every command usage
// errors.
func usageArgs(c *cobra.Command) {
	c.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := cmd.ValidateRequiredFlags(); err != nil {
			return usageError("%w\nTry '%s --help' for more information.", err, cmd.CommandPath())
		}
		return nil
	}
	if c.Args != nil {
		c.Args = checkOperands
	}
	if c.HasSubCommands() && c.RunE == nil && c.Run == nil {
		c.Args = cobra.ArbitraryArgs
		c.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError("unknown command '%s' for '%s'%s\nTry '%s --help' for more information.", args[0], cmd.CommandPath(), guess(cmd, args[0]), cmd.CommandPath())
			}
			return cmd.Help()
		}
	}
	for _, sub := range c.Commands() {
		usageArgs(sub)
	}
}

// operands answers what a command takes, in order, as its usage line names it.
func operands(cmd *cobra.Command) []string {
	names := strings.Fields(cmd.Use)[1:]
	if i := slices.IndexFunc(names, func(n string) bool { return strings.HasPrefix(n, "-") }); i >= 0 {
		names = names[:i]
	}
	return names
}

// checkOperands refuses a command line without just the operands of a command.
func checkOperands(cmd *cobra.Command, args []string) error {
	names := operands(cmd)
	switch {
	case len(args) < len(names):
		return usageError("missing operand: %s\nTry '%s --help' for more information.", names[len(args)], cmd.CommandPath())
	case len(args) > len(names):
		return usageError("extra operand '%s'\nTry '%s --help' for more information.", args[len(names)], cmd.CommandPath())
	}
	return nil
}

// guess names the commands that a wrong word may have meant.
func guess(cmd *cobra.Command, word string) string {
	if cmd.SuggestionsMinimumDistance <= 0 {
		cmd.SuggestionsMinimumDistance = 2
	}
	names := cmd.SuggestionsFor(word)
	if len(names) == 0 {
		return ""
	}
	return "; did you mean '" + strings.Join(names, "' or '") + "'?"
}

// connect answers a client of the server that the settings name.
func connect(e env) (*client.Client, error) {
	s, err := settings.Load(e.getenv)
	if err != nil {
		return nil, &exitError{code: 2, err: err}
	}
	url := s.Get("url").Text
	token := e.getenv("MIRAGE_TOKEN")
	switch {
	case token != "":
	case s.Get("auth_token").Set || isLocal(url):
		// The token file belongs to the server on this machine: no other
		// server is shown its token.
		if token, err = s.Token(); err != nil {
			return nil, err
		}
	}
	return &client.Client{URL: url, Token: token}, nil
}
