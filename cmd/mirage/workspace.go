package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"mirage/client"
	"mirage/workspace"
)

func newWorkspace(e env) *cobra.Command {
	c := &cobra.Command{Use: "workspace", Short: "Create, list and end workspaces"}
	c.AddCommand(
		newWorkspaceCreate(e),
		&cobra.Command{
			Use: "list", Short: "List workspaces", Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				c, err := connect(e)
				if err != nil {
					return err
				}
				var out []client.WorkspaceBrief
				if err := c.Do(cmd.Context(), "GET", client.Path("workspaces"), nil, &out); err != nil {
					return err
				}
				return e.show(out, func(w io.Writer) { printWorkspaces(w, out) })
			},
		},
		newWorkspaceGet(e),
		newWorkspaceEnd(e, "delete", "Close a workspace and delete its state", "Deleted"),
		newWorkspaceEnd(e, "close", "Stop a workspace and keep its state", "Closed"),
		newListAsks(e), newAnswerAsk(e, "allow"), newAnswerAsk(e, "deny"),
	)
	return c
}

func printWorkspaces(w io.Writer, list []client.WorkspaceBrief) {
	if len(list) == 0 {
		fmt.Fprintln(w, "No active workspaces.")
		return
	}
	rows := [][]string{{"ID", "MODE", "MOUNTS", "SESSIONS", "AGE"}}
	for _, b := range list {
		rows = append(rows, []string{b.ID, strings.ToUpper(b.Mode), fmt.Sprint(b.MountCount), fmt.Sprint(b.SessionCount), age(b.CreatedAt, time.Now())})
	}
	table(w, rows...)
}

func printWorkspace(w io.Writer, d client.Workspace) {
	table(w, []string{"ID:", d.ID}, []string{"Mode:", strings.ToUpper(d.Mode)}, []string{"Created:", age(d.CreatedAt, time.Now()) + " ago"})
	rows := [][]string{{"  PREFIX", "VFS", "MODE"}}
	for _, m := range d.Mounts {
		rows = append(rows, []string{"  " + m.Prefix, m.VFS, strings.ToUpper(m.Mode)})
	}
	fmt.Fprintln(w, "\nMounts:")
	table(w, rows...)
	rows = [][]string{{"  SESSION", "CWD"}}
	for _, s := range d.Sessions {
		rows = append(rows, []string{"  " + s.SessionID, s.Cwd})
	}
	fmt.Fprintln(w, "\nSessions:")
	table(w, rows...)
	if i := d.Internals; i != nil {
		fmt.Fprintln(w, "\nInternals:")
		table(w, []string{"  history_length", fmt.Sprint(i.HistoryLength)}, []string{"  in_flight_jobs", fmt.Sprint(i.InFlightJobs)})
	}
}

func newWorkspaceCreate(e env) *cobra.Command {
	var id string
	c := &cobra.Command{
		Use:   "create CONFIG",
		Short: "Create a workspace from a YAML or JSON file",
		Long: `Create a workspace from a YAML or JSON file ("-" reads standard input).
${NAME} in any text of it is replaced by the variable NAME of your environment.
The same file under the same id again answers the workspace that is there.`,
		Example: `  printf 'mounts:\n  /:\n    vfs: ram\n' | mirage workspace create - --id demo`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := readConfig(e, args[0])
			if err != nil {
				return err
			}
			c, err := connect(e)
			if err != nil {
				return err
			}
			var out client.Workspace
			if err := c.Do(cmd.Context(), "POST", client.Path("workspaces"), client.CreateWorkspace{ID: id, Config: cfg}, &out); err != nil {
				return err
			}
			return e.show(out, func(w io.Writer) { printWorkspace(w, out) })
		},
	}
	c.Flags().StringVar(&id, "id", "", "the workspace's id; a fresh one when absent")
	return c
}

func newWorkspaceGet(e env) *cobra.Command {
	var verbose bool
	c := &cobra.Command{
		Use: "get ID", Short: "Show a workspace", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := connect(e)
			if err != nil {
				return err
			}
			path := client.Path("workspaces", args[0])
			if verbose {
				path += "?verbose=true"
			}
			var out client.Workspace
			if err := c.Do(cmd.Context(), "GET", path, nil, &out); err != nil {
				return err
			}
			return e.show(out, func(w io.Writer) { printWorkspace(w, out) })
		},
	}
	c.Flags().BoolVar(&verbose, "verbose", false, "add history and job figures")
	return c
}

func newWorkspaceEnd(e env, verb, short, past string) *cobra.Command {
	return &cobra.Command{
		Use: verb + " ID", Short: short, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := connect(e)
			if err != nil {
				return err
			}
			method, path := "DELETE", client.Path("workspaces", args[0])
			if verb == "close" {
				method, path = "POST", path+"/close"
			}
			var out client.Closed
			if err := c.Do(cmd.Context(), method, path, nil, &out); err != nil {
				return err
			}
			return e.show(out, func(w io.Writer) { fmt.Fprintf(w, "%s workspace %s.\n", past, out.ID) })
		},
	}
}

// readConfig reads a workspace configuration and checks it as the server will.
func readConfig(e env, name string) (json.RawMessage, error) {
	out, err := readDocument(e, name)
	if err != nil {
		return nil, err
	}
	if _, err := workspace.ParseConfig(out); err != nil {
		return nil, usageError("%s: %w", name, err)
	}
	return out, nil
}

// readDocument reads a YAML or JSON file, - for standard input, fills in its
// variables and answers it as JSON.
func readDocument(e env, name string) (json.RawMessage, error) {
	var text []byte
	var err error
	if name == "-" {
		text, err = io.ReadAll(e.stdin)
	} else {
		text, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, usageError("%w", err)
	}
	var doc any
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, usageError("%s: %w", name, err)
	}
	var missing []string
	doc = fillVariables(doc, e.getenv, &missing)
	if len(missing) > 0 {
		slices.Sort(missing)
		return nil, usageError("missing environment variables: ['%s']", strings.Join(slices.Compact(missing), "', '"))
	}
	if err := placeScripts(doc, name); err != nil {
		return nil, usageError("%w", err)
	}
	out, err := json.Marshal(doc)
	if err != nil {
		return nil, usageError("%s: %w", name, err)
	}
	return out, nil
}

// placeScripts makes the policy scripts of a configuration, or of one within a
// table of tests, absolute: they lie beside the file.
func placeScripts(doc any, name string) error {
	top, _ := doc.(map[string]any)
	if inner, ok := top["config"].(map[string]any); ok {
		top = inner
	}
	profiles, _ := top["profiles"].(map[string]any)
	for _, p := range profiles {
		profile, _ := p.(map[string]any)
		rules, _ := profile["policy"].(map[string]any)
		script, _ := rules["script"].(string)
		if script == "" || filepath.IsAbs(script) {
			continue
		}
		dir := "."
		if name != "-" {
			dir = filepath.Dir(name)
		}
		abs, err := filepath.Abs(filepath.Join(dir, script))
		if err != nil {
			return err
		}
		rules["script"] = abs
	}
	return nil
}

var variable = regexp.MustCompile(`\$\{[A-Z_][A-Z0-9_]*\}`)

// fillVariables replaces ${NAME} in every text of a document and collects the
// names that are not set.
func fillVariables(v any, getenv func(string) string, missing *[]string) any {
	switch v := v.(type) {
	case string:
		return variable.ReplaceAllStringFunc(v, func(ref string) string {
			name := ref[2 : len(ref)-1]
			value := getenv(name)
			if value == "" {
				*missing = append(*missing, name)
			}
			return value
		})
	case map[string]any:
		for k, item := range v {
			v[k] = fillVariables(item, getenv, missing)
		}
	case []any:
		for i, item := range v {
			v[i] = fillVariables(item, getenv, missing)
		}
	}
	return v
}
