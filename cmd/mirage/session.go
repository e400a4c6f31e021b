package main

import (
	"strings"

	"github.com/spf13/cobra"

	"mirage/client"
)

func newSession(e env) *cobra.Command {
	c := &cobra.Command{Use: "session", Short: "Create, list and delete the sessions of a workspace"}
	c.AddCommand(newSessionCreate(e), newSessionUpdate(e),
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
	var permissions string
	c := &cobra.Command{
		Use:     "create WORKSPACE",
		Short:   "Create a session",
		Example: `  mirage session create demo --id agent --profile guarded -m /data:read`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if in.Mounts, err = readMounts(mounts); err != nil {
				return err
			}
			if permissions != "" {
				if in.Permissions, err = readDocument(e, permissions); err != nil {
					return err
				}
			}
			var out client.Session
			return e.call(cmd, "POST", client.Path("workspaces", args[0], "sessions"), in, &out)
		},
	}
	c.Flags().StringVar(&in.SessionID, "id", "", "the session's id; a fresh one when absent")
	c.Flags().StringVarP(&in.Profile, "profile", "p", "", "a profile of the workspace")
	c.Flags().StringArrayVarP(&mounts, "mount", "m", nil, "narrow a mount: PREFIX:MODE (read, write, exec); or, without modes, the only mounts of the session; repeatable")
	c.Flags().StringVar(&permissions, "permissions", "", "a YAML or JSON file that tightens the profile; - is standard input")
	return c
}

// readMounts reads the -m options: all with a mode, or none.
func readMounts(options []string) (any, error) {
	if len(options) == 0 {
		return nil, nil
	}
	modes := map[string]string{}
	for _, m := range options {
		if i := strings.LastIndexByte(m, ':'); i >= 0 {
			modes[m[:i]] = m[i+1:]
		}
	}
	switch len(modes) {
	case 0:
		return options, nil
	case len(options):
		return modes, nil
	}
	return nil, usageError("-m takes PREFIX:MODE everywhere or PREFIX everywhere, got both")
}

func newSessionUpdate(e env) *cobra.Command {
	var profile string
	var standard bool
	c := &cobra.Command{
		Use:     "update WORKSPACE SESSION",
		Short:   "Put a session under another profile",
		Example: `  mirage session update demo agent --profile guarded`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			var in client.SetProfile
			switch {
			case standard == (profile != ""):
				return usageError("give --profile NAME or --default-profile")
			case !standard:
				in.Profile = &profile
			}
			var out client.Session
			return e.call(cmd, "PATCH", client.Path("workspaces", args[0], "sessions", args[1]), in, &out)
		},
	}
	c.Flags().StringVarP(&profile, "profile", "p", "", "a profile of the workspace")
	c.Flags().BoolVar(&standard, "default-profile", false, "the default profile of the workspace")
	return c
}
