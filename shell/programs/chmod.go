package programs

import (
	"context"
	"fmt"
	"strings"

	"mirage/internal/unixmode"
	"mirage/shell/program"
	"mirage/shell/program/filemode"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
	"mirage/shell/program/walk"
	"mirage/vfs"
)

var chmodSpec = getopt.Spec{
	Name:     "chmod",
	Synopsis: []string{"[OPTION]... MODE[,MODE]... FILE...", "[OPTION]... OCTAL-MODE FILE...", "[OPTION]... --reference=RFILE FILE..."},
	Summary:  "Change the mode of each FILE to MODE.",
	Options: []getopt.Option{
		{Short: "c", Long: "changes", Help: "like verbose but report only when a change is made"},
		{Short: "f", Long: "silent", Help: "suppress most error messages"},
		{Long: "quiet", Name: "f", Help: "like -f"},
		{Short: "v", Long: "verbose", Help: "output a diagnostic for every file processed"},
		{Long: "no-preserve-root", Help: "do not treat '/' specially (the default)"},
		{Long: "preserve-root", Help: "fail to operate recursively on '/'"},
		{Long: "reference", Arg: getopt.Required, Meta: "RFILE", Help: "use RFILE's mode instead of MODE values"},
		{Short: "R", Long: "recursive", Help: "change files and directories recursively"},
	},
}

type chmod struct {
	inv                               *program.Invocation
	out                               *stream.Writer
	change                            filemode.Change
	umask                             uint32
	surprise                          bool // a mode like -w was an option
	changes, silent, verbose, recurse bool
}

func runChmod(ctx context.Context, inv *program.Invocation) int {
	c := &chmod{inv: inv, out: stream.Stdout(inv), umask: inv.Umask}
	reference, hasReference, preserveRoot := "", false, false
	args, mode := chmodModes(inv.Args)
	p := chmodSpec.ParseArgs(inv, args)
	for p.Next() {
		switch p.Opt.Name {
		case "c":
			c.changes = true
		case "f":
			c.silent = true
		case "v":
			c.verbose = true
		case "preserve-root":
			preserveRoot = true
		case "no-preserve-root":
			preserveRoot = false
		case "reference":
			reference, hasReference = p.Opt.Value, true
		case "R":
			c.recurse = true
		}
	}
	if p.Stopped {
		return p.Status
	}
	files := p.Operands
	switch {
	case hasReference && mode != "":
		return p.Usage("cannot combine mode and --reference options")
	case !hasReference && mode == "" && len(files) > 0:
		mode, files = files[0], files[1:]
	default:
		c.surprise = mode != ""
	}
	if len(files) == 0 {
		if mode != "" && !c.surprise {
			return p.Usage("missing operand after %s", inv.QuoteArg(mode))
		}
		return p.Usage("missing operand")
	}
	if hasReference {
		info, err := inv.FS.Stat(ctx, inv.Path(reference))
		if err != nil {
			inv.Fail(err, "failed to get attributes of %s", inv.Quote(reference))
			return 1
		}
		mode = fmt.Sprintf("%05o", unixmode.Permissions(info.Mode))
	}
	var err error
	if c.change, err = filemode.Parse(mode); err != nil {
		return p.Usage("invalid mode: %s", inv.QuoteArg(mode))
	}
	status := 0
	for _, file := range files {
		if ctx.Err() != nil {
			return 1
		}
		if c.recurse && preserveRoot && inv.IsRoot(ctx, file) {
			inv.Errorf("it is dangerous to operate recursively on %s", inv.QuoteRoot(file))
			inv.Errorf("use --no-preserve-root to override this failsafe")
			status = 1
			continue
		}
		if !c.tree(ctx, file) {
			status = 1
		}
	}
	return c.out.Close(inv, status)
}

// chmodModes takes the modes out of the arguments that look like options
// ("-w", "-rwx,g+s"), as chmod's own option table does.
func chmodModes(args []string) (rest []string, mode string) {
	for i, arg := range args {
		if arg == "--" {
			return append(rest, args[i:]...), mode
		}
		if len(arg) < 2 || arg[0] != '-' || strings.IndexByte("rwxXstugoa,+=01234567", arg[1]) < 0 {
			rest = append(rest, arg)
			continue
		}
		if mode != "" {
			mode += ","
		}
		mode += arg
	}
	return rest, mode
}

func (c *chmod) tree(ctx context.Context, file string) bool {
	o := walk.Options{Follow: walk.FollowOperands}
	if c.recurse {
		o.MaxDepth = -1
	}
	ok := true
	for e := range walk.Tree(ctx, c.inv, file, o) {
		switch {
		case e.Err != nil && e.Listing:
			c.complain(e.Err, "cannot read directory %s", e.Path)
			ok = false
		case e.Err != nil:
			c.complain(e.Err, "cannot access %s", e.Path)
			if c.verbose {
				c.out.WriteString(c.inv.Quote(e.Path) + " could not be accessed\n")
			}
			ok = false
		case e.Info.IsLink() && e.Depth == 0:
			if !c.silent {
				c.inv.Errorf("cannot operate on dangling symlink %s", c.inv.Quote(e.Path))
			}
			ok = false
		case e.Info.IsLink():
			if c.verbose {
				c.out.WriteString("neither symbolic link " + c.inv.Quote(e.Path) + " nor referent has been changed\n")
			}
		default:
			ok = c.one(ctx, e.Path, e.Info) && ok
		}
	}
	return ok && ctx.Err() == nil
}

func (c *chmod) complain(err error, text, file string) {
	if !c.silent {
		c.inv.Fail(err, text, c.inv.Quote(file))
	}
}

func (c *chmod) one(ctx context.Context, file string, info vfs.Info) bool {
	old := unixmode.Permissions(info.Mode)
	mode := c.change.Apply(old, info.IsDir(), c.umask)
	perm := unixmode.FileMode(mode)
	if err := c.inv.FS.SetAttr(ctx, c.inv.Path(file), vfs.Attr{Mode: &perm}, true); err != nil {
		c.complain(err, "changing permissions of %s", file)
		if c.verbose {
			c.out.WriteString(fmt.Sprintf("failed to change mode of %s from %04o (%s) to %04o (%s)\n",
				c.inv.Quote(file), old, unixmode.Letters(old), mode, unixmode.Letters(mode)))
		}
		return false
	}
	switch {
	case old != mode && (c.verbose || c.changes):
		c.out.WriteString(fmt.Sprintf("mode of %s changed from %04o (%s) to %04o (%s)\n",
			c.inv.Quote(file), old, unixmode.Letters(old), mode, unixmode.Letters(mode)))
	case old == mode && c.verbose:
		c.out.WriteString(fmt.Sprintf("mode of %s retained as %04o (%s)\n", c.inv.Quote(file), mode, unixmode.Letters(mode)))
	}
	if c.surprise {
		if naive := c.change.Apply(old, info.IsDir(), 0); mode&^naive != 0 {
			c.inv.Errorf("%s: new permissions are %s, not %s", c.inv.QuoteName(file), unixmode.Letters(mode), unixmode.Letters(naive))
			return false
		}
	}
	return true
}
