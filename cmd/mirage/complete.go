package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"mirage/client"
	"mirage/internal/settings"
)

// completionTimeout bounds what a Tab waits for a server.
const completionTimeout = time.Second

// completeArgs teaches the completion of every command what its operands and
// flags name: workspaces, settings, files. Whatever else there is, such as an
// id, is not a file of this machine, and nothing is offered for it.
func completeArgs(e env, c *cobra.Command) {
	none := cobra.NoFileCompletions
	if c.Args != nil {
		c.ValidArgsFunction = func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
			names := operands(cmd)
			if len(args) >= len(names) {
				return none(cmd, args, word)
			}
			switch names[len(args)] {
			case "ID", "WORKSPACE":
				return completeWorkspace(e, cmd)
			case "KEY":
				return completeSetting()
			case "CONFIG", "FILE", "FILE.pub":
				return nil, cobra.ShellCompDirectiveDefault
			}
			return none(cmd, args, word)
		}
	}
	if c.Flags().Lookup("workspace") != nil {
		_ = c.RegisterFlagCompletionFunc("workspace", func(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return completeWorkspace(e, cmd)
		})
	}
	for _, sub := range c.Commands() {
		completeArgs(e, sub)
	}
}

// completeWorkspace offers the ids of the server's workspaces; none when no
// server answers in time.
func completeWorkspace(e env, cmd *cobra.Command) (ids []cobra.Completion, _ cobra.ShellCompDirective) {
	ctx := cmd.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, cancel := context.WithTimeout(ctx, completionTimeout)
	defer cancel()
	var list []client.WorkspaceBrief
	if api, err := connect(e); err == nil && api.Do(ctx, "GET", client.Path("workspaces"), nil, &list) == nil {
		for _, w := range list {
			ids = append(ids, w.ID)
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// completeSetting offers the names of the settings.
func completeSetting() (names []cobra.Completion, _ cobra.ShellCompDirective) {
	for _, k := range settings.Keys {
		if !k.Unsupported {
			names = append(names, cobra.CompletionWithDesc(k.Name, k.Help))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
