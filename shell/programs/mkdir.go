package programs

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"

	"mirage/internal/unixmode"
	"mirage/shell/program"
	"mirage/shell/program/filemode"
	"mirage/shell/program/getopt"
	"mirage/vfs"
)

var mkdirSpec = getopt.Spec{
	Name:     "mkdir",
	Synopsis: []string{"[OPTION]... DIRECTORY..."},
	Summary:  "Create the DIRECTORY(ies), if they do not already exist.",
	Options: []getopt.Option{
		{Short: "m", Long: "mode", Arg: getopt.Required, Meta: "MODE", Help: "set file mode (as in chmod), not a=rwx - umask"},
		{Short: "p", Long: "parents", Help: "no error if existing, make parent directories as needed"},
		{Short: "v", Long: "verbose", Help: "print a message for each created directory"},
		{Short: "Z", Help: "set SELinux security context to the default type (ignored)"},
		{Long: "context", Arg: getopt.Optional, Meta: "CTX", Help: "like -Z"},
	},
}

type mkdirOptions struct {
	parents, verbose bool
	mode             filemode.Change // nil = 0777 less the umask
}

func runMkdir(ctx context.Context, inv *program.Invocation) int {
	var o mkdirOptions
	mode, hasMode := "", false
	p := mkdirSpec.Parse(inv)
	for p.Next() {
		switch p.Opt.Name {
		case "m":
			mode, hasMode = p.Opt.Value, true
		case "p":
			o.parents = true
		case "v":
			o.verbose = true
		case "context":
			if p.Opt.HasValue {
				p.Warn("warning: ignoring --context; it requires an SELinux/SMACK-enabled kernel")
			}
		}
	}
	if p.Stopped {
		return p.Status
	}
	if len(p.Operands) == 0 {
		return p.Missing()
	}
	if hasMode {
		var err error
		if o.mode, err = filemode.Parse(mode); err != nil {
			inv.Errorf("invalid mode %s", inv.QuoteArg(mode))
			return 1
		}
	}
	status := 0
	for _, dir := range p.Operands {
		if ctx.Err() != nil {
			return 1
		}
		if !mkdirOne(ctx, inv, o, dir) {
			status = 1
		}
	}
	return status
}

func mkdirOne(ctx context.Context, inv *program.Invocation, o mkdirOptions, dir string) bool {
	if o.parents && !mkdirParents(ctx, inv, o, dir) {
		return false
	}
	perm := unixmode.FileMode(0o777 &^ inv.Umask)
	if o.mode != nil {
		perm = unixmode.FileMode(o.mode.New(0o777, true, inv.Umask))
	}
	err := inv.FS.Mkdir(ctx, inv.Path(dir), perm&^0o7000)
	if err == nil && o.mode != nil {
		// A mode may have more than a new directory can be given.
		err = inv.FS.SetAttr(ctx, inv.Path(dir), vfs.Attr{Mode: &perm}, true)
		if err != nil {
			inv.Fail(err, "cannot set permissions of %s", inv.Quote(dir))
			return false
		}
	}
	switch {
	case err == nil:
		if o.verbose {
			mkdirTell(inv, dir)
		}
		return true
	case o.parents && inv.IsDir(ctx, dir):
		return true
	}
	inv.Fail(err, "cannot create directory %s", inv.Quote(dir))
	return false
}

// mkdirParents makes what is missing above dir, with the permission to go on
// inside whatever the umask says.
func mkdirParents(ctx context.Context, inv *program.Invocation, o mkdirOptions, dir string) bool {
	parent := strings.TrimRight(dir, "/")
	parent = strings.TrimRight(parent[:strings.LastIndexByte(parent, '/')+1], "/")
	if parent == "" || inv.IsDir(ctx, parent) {
		return true
	}
	for i := 1; i <= len(parent); i++ {
		if i < len(parent) && parent[i] != '/' || parent[i-1] == '/' {
			continue
		}
		part := parent[:i]
		err := inv.FS.Mkdir(ctx, inv.Path(part), unixmode.FileMode(0o777&^inv.Umask|0o300))
		switch {
		case err == nil:
			if o.verbose {
				mkdirTell(inv, part)
			}
		case inv.IsDir(ctx, part):
		case errors.Is(err, syscall.EEXIST):
			inv.Errorf("cannot create directory %s: Not a directory", inv.Quote(part))
			return false
		default:
			inv.Fail(err, "cannot create directory %s", inv.Quote(part))
			return false
		}
	}
	return true
}

func mkdirTell(inv *program.Invocation, dir string) {
	io.WriteString(inv.Stdout, inv.Name+": created directory "+inv.Quote(dir)+"\n")
}
