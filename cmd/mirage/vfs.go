package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mirage/client"
)

// vfsCall describes one VFS call for the command line: its arguments in the
// order of the API. A name that ends in "?" is a flag, the rest are operands;
// the type follows a colon (text when absent).
type vfsCall struct {
	name, args, short string
}

var vfsCalls = []vfsCall{
	{"read", "path:path offset?:int size?:int", "Print a file's bytes"},
	{"write", "path:path data?:data", "Replace a file's contents with --data or standard input"},
	{"append", "path:path data?:data", "Add --data or standard input at the end of a file"},
	{"pwrite", "path:path offset:int data?:data", "Write --data or standard input at an offset"},
	{"stat", "path:path nofollow?:bool", "Describe a file"},
	{"readdir", "path:path", "List a directory as full paths"},
	{"exists", "path:path", "Tell whether a path exists"},
	{"is_dir", "path:path", "Tell whether a path is a directory"},
	{"is_file", "path:path", "Tell whether a path is anything but a directory"},
	{"cat", "path:path", "Print a file as text"},
	{"list_files", "path:path", "List the names in a directory that are not directories"},
	{"mkdir", "path:path", "Make a directory"},
	{"rmdir", "path:path", "Remove an empty directory"},
	{"unlink", "path:path", "Remove a file or link"},
	{"create", "path:path", "Create an empty file that must not exist"},
	{"rename", "src:path dst:path", "Move a file or directory"},
	{"symlink", "path:path target", "Make a symbolic link at PATH with the text TARGET"},
	{"readlink", "path:path", "Print the text of a link"},
	{"setattr", "path:path mode?:mode uid?:int gid?:int atime? mtime? nofollow?:bool", "Change mode, owner or times"},
	{"getxattr", "path:path name nofollow?:bool", "Print an extended attribute"},
	{"listxattr", "path:path nofollow?:bool", "List extended attributes"},
	{"setxattr", "path:path name value?:data create?:bool replace?:bool nofollow?:bool", "Set an extended attribute to --value or standard input"},
	{"removexattr", "path:path name nofollow?:bool", "Remove an extended attribute"},
	{"truncate", "path:path length:int", "Set a file's size"},
}

// vfsFlags says what the optional arguments of the calls are.
var vfsFlags = map[string]string{
	"offset":   "where to begin, in bytes",
	"size":     "how many bytes at most; to the end of the file when absent",
	"data":     "the bytes, as text; standard input when absent",
	"value":    "the value, as text; standard input when absent",
	"nofollow": "call a link itself, not what it names",
	"mode":     "permission bits in octal, such as 644",
	"uid":      "number of the owner",
	"gid":      "number of the group",
	"atime":    "time of the last access (ISO 8601)",
	"mtime":    "time of the last change (ISO 8601)",
	"create":   "fail when the attribute exists",
	"replace":  "fail when the attribute does not exist",
}

func newVFS(e env) *cobra.Command {
	c := &cobra.Command{
		Use:   "vfs",
		Short: "Call the file tree of a workspace",
		Example: `  mirage vfs readdir / -w demo
  echo hello | mirage vfs write /data/greeting -w demo
  mirage vfs read /data/greeting -w demo`,
	}
	for _, call := range vfsCalls {
		c.AddCommand(newVFSCall(e, call))
	}
	return c
}

// newVFSCall makes the command of one call.
func newVFSCall(e env, call vfsCall) *cobra.Command {
	var workspace, session string
	var explain bool
	var operands []string
	use := strings.ReplaceAll(call.name, "_", "-")
	c := &cobra.Command{Short: call.short}
	if use != call.name {
		c.Aliases = []string{call.name}
	}
	f := c.Flags()
	f.StringVarP(&workspace, "workspace", "w", "", "the workspace (required)")
	f.StringVarP(&session, "session", "s", "", "the session; the default one when absent")
	f.BoolVar(&explain, "explain", false, "do nothing; tell what the rules of the session make of the call")
	f.SetNormalizeFunc(longNames)
	_ = c.MarkFlagRequired("workspace")
	kinds := map[string]string{}
	for _, arg := range strings.Fields(call.args) {
		name, kind, _ := strings.Cut(arg, ":")
		name, optional := strings.CutSuffix(name, "?")
		kinds[name] = kind
		switch {
		case !optional:
			operands = append(operands, name)
			use += " " + strings.ToUpper(name)
		case kind == "bool":
			f.Bool(name, false, vfsFlags[name])
		default:
			f.String(name, "", vfsFlags[name])
		}
	}
	c.Use, c.Args = use, cobra.ExactArgs(len(operands))
	c.RunE = func(cmd *cobra.Command, args []string) error {
		in := map[string]any{}
		for i, name := range operands {
			if err := setArg(in, name, kinds[name], args[i]); err != nil {
				return err
			}
		}
		for name, kind := range kinds {
			flag := f.Lookup(name)
			switch {
			case kind == "data":
				if err := setData(e, in, name, flag); err != nil {
					return err
				}
			case flag != nil && flag.Changed:
				if err := setArg(in, name, kind, flag.Value.String()); err != nil {
					return err
				}
			}
		}
		api, err := connect(e)
		if err != nil {
			return err
		}
		if explain {
			return explainCall(cmd.Context(), e, api, workspace, session, call.name, in)
		}
		var out map[string]json.RawMessage
		err = api.Do(cmd.Context(), "POST", client.Path("workspaces", workspace, "vfs", call.name)+client.SessionQuery(session), in, &out)
		var failed *client.Error
		if errors.As(err, &failed) && failed.Errno != "" {
			text := fmt.Sprintf("%s (%s)", failed.Detail, failed.Errno)
			if failed.Refusal != nil {
				text += "\n" + refusal(failed.Refusal)
			}
			fmt.Fprintln(e.stderr, text)
			return &exitError{code: 1}
		}
		if err != nil {
			return err
		}
		return printVFS(e.stdout, out)
	}
	return c
}

func setArg(in map[string]any, name, kind, value string) error {
	switch kind {
	case "int":
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return usageError("%s must be an integer, got '%s'", name, value)
		}
		in[name] = n
	case "mode":
		n, err := strconv.ParseUint(value, 8, 12)
		if err != nil {
			return usageError("%s must be an octal mode such as 644, got '%s'", name, value)
		}
		in[name] = n
	case "bool":
		in[name] = value == "true"
	case "path":
		if !strings.HasPrefix(value, "/") {
			return usageError("%s must begin with /, got '%s'", name, value)
		}
		in[name] = value
	default:
		in[name] = value
	}
	return nil
}

// setData takes the bytes of a call from its flag, else from standard input.
func setData(e env, in map[string]any, name string, flag *pflag.Flag) error {
	data := []byte(flag.Value.String())
	if !flag.Changed {
		if e.terminal(e.stdin) {
			return usageError("give the bytes by --%s or on standard input", name)
		}
		var err error
		if data, err = io.ReadAll(e.stdin); err != nil {
			return err
		}
	}
	in[name+"_base64"] = base64.StdEncoding.EncodeToString(data)
	return nil
}

// printVFS prints the answer of a call: bytes and text as they are, listings
// one a line, the rest as JSON. A call that answers nothing prints nothing.
func printVFS(w io.Writer, out map[string]json.RawMessage) error {
	for key, raw := range out {
		if name, ok := strings.CutSuffix(key, "_base64"); ok {
			var data []byte
			if err := json.Unmarshal(raw, &data); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			_, err := w.Write(data)
			return err
		}
		var text string
		if json.Unmarshal(raw, &text) == nil {
			if key != "text" {
				text += "\n"
			}
			_, err := io.WriteString(w, text)
			return err
		}
		var list []string
		if json.Unmarshal(raw, &list) == nil {
			for _, item := range list {
				if _, err := fmt.Fprintln(w, item); err != nil {
					return err
				}
			}
			return nil
		}
		if err := printJSON(w, raw); err != nil {
			return err
		}
	}
	return nil
}

// longNames lets --workspace_id and --session_id stand for --workspace and
// --session, and underscores for dashes.
func longNames(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	name = strings.ReplaceAll(name, "_", "-")
	switch name {
	case "workspace-id":
		name = "workspace"
	case "session-id":
		name = "session"
	}
	return pflag.NormalizedName(name)
}
