package main

import (
	"strings"

	"github.com/spf13/cobra"

	"mirage/client"
)

func newSession(e env) *cobra.Command {
	c := &cobra.Command{Use: "session", Short: "Create, list and delete the sessions of a workspace"}
	c.AddCommand(newSessionCreate(e),
		&cobra.Command{
			Use: "list WORKSPACE", Short: "List sessions", Args: cobra.ExactArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error {
				var out []client.Session
				return e.call(cmd, "GET", client.Path("workspaces", args[0], "sessions"), nil, &out)
			},
		},
		&cobra.Command{
			Use: "delete WORKSPACE SESSION", Short: "Cancel a session's lines, kill its jobs and close it", Args: cobra.ExactArgs(2),
			RunE: func(cmd *cobra.Command, args []string) error {
				var out map[string]string
				return e.call(cmd, "DELETE", client.Path("workspaces", args[0], "sessions", args[1]), nil, &out)
			},
		},
	)
	return c
}

// call does one request and prints its answer as JSON.
func (e env) call(cmd *cobra.Command, method, path string, in, out any) error {
	c, err := connect(e)
	if err != nil {
		return err
	}
	if err := c.Do(cmd.Context(), method, path, in, out); err != nil {
		return err
	}
	return printJSON(e.stdout, out)
}

func newSessionCreate(e env) *cobra.Command {
	var in client.CreateSession
	var mounts []string
	c := &cobra.Command{
		Use:     "create WORKSPACE",
		Short:   "Create a session",
		Example: `  mirage session create demo --id agent --profile guarded -m /data:read`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, m := range mounts {
				i := strings.LastIndexByte(m, ':')
				if i < 0 {
					return usageError("-m takes PREFIX:MODE, such as /data:read, got '%s'", m)
				}
				if in.Mounts == nil {
					in.Mounts = map[string]string{}
				}
				in.Mounts[m[:i]] = m[i+1:]
			}
			var out client.Session
			return e.call(cmd, "POST", client.Path("workspaces", args[0], "sessions"), in, &out)
		},
	}
	c.Flags().StringVar(&in.SessionID, "id", "", "the session's id; a fresh one when absent")
	c.Flags().StringVarP(&in.Profile, "profile", "p", "", "a profile of the workspace")
	c.Flags().StringArrayVarP(&mounts, "mount", "m", nil, "narrow a mount: PREFIX:MODE (read, write, exec); repeatable")
	return c
}
