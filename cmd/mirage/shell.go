package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mirage/client"
)

// Exit statuses of `mirage shell` that are not the line's own.
const (
	statusJobFailed   = 2
	statusInterrupted = 130 // 128 + SIGINT
	statusBrokenPipe  = 141 // 128 + SIGPIPE
)

type shellOptions struct {
	workspace, session, line, cwd string
	env                           []string
	background, json, explain     bool
	askWait                       *time.Duration // nil = as the server says
}

func newShell(e env) *cobra.Command {
	var o shellOptions
	var wait *time.Duration
	c := &cobra.Command{
		Use:     "shell -w WORKSPACE -c LINE",
		Aliases: []string{"execute"},
		Short:   "Run a shell line in a workspace",
		Long: `Run a shell line in a workspace. Its output goes to standard output and standard
error as it appears, and its exit status is this command's. Standard input is
passed on unless it is a terminal. Ctrl-C cancels the line (130).

With --cwd or --env the line runs in a copy of the session: what it changes
does not stay.`,
		Example: `  mirage shell -w demo -c 'ls -l /data | wc -l'
  mirage shell -w demo -s agent -c 'cd /data'
  gzip -dc dump.gz | mirage shell -w demo -c 'grep -c ERROR'
  mirage shell -w demo -s agent --explain -c 'rm -r /data && date'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("ask-wait") {
				o.askWait = wait
			}
			return runShell(cmd.Context(), e, o)
		},
	}
	f := c.Flags()
	f.StringVarP(&o.workspace, "workspace", "w", "", "the workspace (required)")
	f.StringVarP(&o.session, "session", "s", "", "the session; the default one when absent")
	f.StringVarP(&o.line, "command", "c", "", "the line (required)")
	f.StringVar(&o.cwd, "cwd", "", "working directory for this line only")
	f.StringArrayVar(&o.env, "env", nil, "NAME=VALUE for this line only; repeatable")
	wait = f.Duration("ask-wait", 0, "wait this long for the answer to a question; as the server says when absent")
	f.BoolVar(&o.background, "bg", false, "answer with the job's id at once")
	f.BoolVar(&o.json, "json", false, "print the result as JSON")
	f.BoolVar(&o.explain, "explain", false, "run nothing; tell what the rules of the session make of the line")
	f.SetNormalizeFunc(longNames)
	_ = c.MarkFlagRequired("workspace")
	_ = c.MarkFlagRequired("command")
	return c
}

func runShell(ctx context.Context, e env, o shellOptions) error {
	c, err := connect(e)
	if err != nil {
		return err
	}
	if o.explain {
		return explainLine(ctx, e, c, o)
	}
	in := client.ShellRequest{Command: o.line, Cwd: o.cwd, AgentID: "cli"}
	if o.askWait != nil {
		ms := o.askWait.Milliseconds()
		in.AskWaitMS = &ms
	}
	for _, pair := range o.env {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return usageError("--env takes NAME=VALUE, got '%s'", pair)
		}
		if in.Env == nil {
			in.Env = map[string]string{}
		}
		in.Env[name] = value
	}
	q := client.SessionQuery(o.session)
	path := client.Path("workspaces", o.workspace, "shell")
	if o.background {
		var out client.Accepted
		if q == "" {
			q = "?background=true"
		} else {
			q += "&background=true"
		}
		if err := c.Do(ctx, "POST", path+q, in, &out); err != nil {
			return err
		}
		return printJSON(e.stdout, out)
	}
	stdin := e.stdin
	if e.terminal(e.stdin) {
		stdin = nil
	}
	if o.json {
		return shellJSON(ctx, e, c, o, in, stdin)
	}
	last, err := c.Stream(ctx, o.workspace, o.session, in, stdin, e.stdout, e.stderr)
	return shellEnd(e, last, err)
}

// shellJSON collects the output and prints one result object.
func shellJSON(ctx context.Context, e env, c *client.Client, o shellOptions, in client.ShellRequest, stdin io.Reader) error {
	var stdout, stderr strings.Builder
	last, err := c.Stream(ctx, o.workspace, o.session, in, stdin, &stdout, &stderr)
	if err == nil && last.Result != nil {
		last.Result.Stdout, last.Result.StdoutBase64 = client.Text([]byte(stdout.String()))
		last.Result.Stderr, last.Result.StderrBase64 = client.Text([]byte(stderr.String()))
		if err := printJSON(e.stdout, last.Result); err != nil {
			return err
		}
		last.Result.Refusal = nil
	}
	return shellEnd(e, last, err)
}

// shellEnd turns the end of a line into the end of this program.
func shellEnd(e env, last client.Record, err error) error {
	var write *client.WriteError
	switch {
	case errors.As(err, &write):
		return &exitError{code: statusBrokenPipe}
	case errors.Is(err, context.Canceled), err == nil && last.Status == "canceled":
		return &exitError{code: statusInterrupted}
	case err != nil:
		return err
	case last.Result == nil:
		text := "the job failed"
		if last.Error != nil {
			text = *last.Error
		}
		return &exitError{code: statusJobFailed, err: errors.New(text)}
	}
	if r := last.Result.Refusal; r != nil {
		fmt.Fprintln(e.stderr, refusal(r))
	}
	return exitWith(last.Result.ExitCode)
}

// refusal words a refusal record for a person.
func refusal(r *client.Refusal) string {
	if r.Kind == "pending" && r.AskID != nil {
		return fmt.Sprintf("requires approval: %s (ask %s)", r.Reason, *r.AskID)
	}
	return "policy denied: " + r.Reason
}

// exitWith ends with a line's status.
func exitWith(code int) error {
	if code == 0 {
		return nil
	}
	return &exitError{code: min(max(code, 0), 255)}
}

func newJob(e env) *cobra.Command {
	c := &cobra.Command{Use: "job", Short: "List, follow and cancel jobs (every shell line is one)"}
	var workspace string
	list := &cobra.Command{
		Use: "list", Short: "List jobs in order of submission", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			path := client.Path("jobs")
			if workspace != "" {
				path += "?workspace_id=" + url.QueryEscape(workspace)
			}
			var out []client.Job
			return e.call(cmd, "GET", path, nil, &out)
		},
	}
	list.Flags().StringVarP(&workspace, "workspace", "w", "", "only this workspace's")
	list.Flags().SetNormalizeFunc(longNames)

	var timeout float64
	wait := &cobra.Command{
		Use: "wait JOB", Short: "Wait for a job; exits with the line's status", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var in client.JobWait
			if cmd.Flags().Changed("timeout") {
				in.TimeoutS = &timeout
			}
			return jobEnd(cmd, e, "POST", client.Path("jobs", args[0], "wait"), in)
		},
	}
	wait.Flags().Float64Var(&timeout, "timeout", 0, "seconds to wait; without it, until the job ends")
	c.AddCommand(list, wait,
		&cobra.Command{
			Use: "get JOB", Short: "Show a job; exits with the line's status", Args: cobra.ExactArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error {
				return jobEnd(cmd, e, "GET", client.Path("jobs", args[0]), nil)
			},
		},
		&cobra.Command{
			Use: "cancel JOB", Short: "Cancel a job", Args: cobra.ExactArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error {
				var out client.JobCanceled
				return e.call(cmd, "DELETE", client.Path("jobs", args[0]), nil, &out)
			},
		},
	)
	return c
}

// jobEnd prints a job and ends as its line did. A job still on its way, or
// waited for in vain, ends with 0.
func jobEnd(cmd *cobra.Command, e env, method, path string, in any) error {
	var out client.Job
	if err := e.call(cmd, method, path, in, &out); err != nil {
		return err
	}
	switch {
	case out.Result != nil:
		return exitWith(out.Result.ExitCode)
	case out.Settled():
		return &exitError{code: statusJobFailed}
	}
	return nil
}
