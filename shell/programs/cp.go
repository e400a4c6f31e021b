package programs

import (
	"context"
	"errors"
	"strings"
	"syscall"

	"mirage/shell/program"
	"mirage/shell/program/backup"
	"mirage/shell/program/getopt"
	"mirage/shell/program/paths"
	"mirage/shell/program/stream"
	"mirage/shell/programs/copying"
)

var cpSpec = getopt.Spec{
	Name:     "cp",
	Synopsis: []string{"[OPTION]... [-T] SOURCE DEST", "[OPTION]... SOURCE... DIRECTORY", "[OPTION]... -t DIRECTORY SOURCE..."},
	Summary:  "Copy SOURCE to DEST, or multiple SOURCE(s) to DIRECTORY.",
	Options: append([]getopt.Option{
		{Short: "a", Long: "archive", Help: "same as -dR --preserve=all"},
		{Long: "attributes-only", Help: "don't copy the file data, just the attributes"},
		{Short: "d", Help: "same as --no-dereference --preserve=links"},
		{Short: "f", Long: "force", Help: "if an existing destination file cannot be\nopened, remove it and try again"},
		{Short: "i", Long: "interactive", Help: "prompt before overwrite (overrides a previous -n)"},
		{Short: "H", Help: "follow command-line symbolic links in SOURCE"},
		{Short: "l", Long: "link", Help: "hard link files instead of copying"},
		{Short: "L", Long: "dereference", Help: "always follow symbolic links in SOURCE"},
		{Short: "n", Long: "no-clobber", Help: "do not overwrite an existing file (overrides\na previous -i)"},
		{Short: "P", Long: "no-dereference", Help: "never follow symbolic links in SOURCE"},
		{Short: "p", Help: "same as --preserve=mode,ownership,timestamps"},
		{Long: "preserve", Arg: getopt.Optional, Meta: "ATTR_LIST", Help: "preserve the specified attributes (default:\nmode,ownership,timestamps); also: links,\nxattr, context, all"},
		{Long: "no-preserve", Arg: getopt.Required, Meta: "ATTR_LIST", Help: "don't preserve the specified attributes"},
		{Long: "parents", Help: "use full source file name under DIRECTORY"},
		{Long: "path", Name: "parents", Hidden: true},
		{Short: "R", Long: "recursive", Help: "copy directories recursively"},
		{Short: "r", Name: "R", Help: "like -R"},
		{Long: "reflink", Arg: getopt.Optional, Meta: "WHEN", Help: "control clone/CoW copies: always, auto, never"},
		{Long: "remove-destination", Help: "remove each existing destination file before\nattempting to open it (contrast with --force)"},
		{Long: "sparse", Arg: getopt.Required, Meta: "WHEN", Help: "control creation of sparse files: auto, always,\nnever"},
		{Long: "strip-trailing-slashes", Help: "remove any trailing slashes from each SOURCE argument"},
		{Short: "s", Long: "symbolic-link", Help: "make symbolic links instead of copying"},
		{Short: "t", Long: "target-directory", Arg: getopt.Required, Meta: "DIRECTORY", Help: "copy all SOURCE arguments into DIRECTORY"},
		{Short: "T", Long: "no-target-directory", Help: "treat DEST as a normal file"},
		{Short: "u", Name: "update", Help: "copy only when the SOURCE file is newer than the\ndestination file or when it is missing"},
		{Long: "update", Arg: getopt.Optional, Meta: "UPDATE", Help: "which existing files are replaced: all, none,\nolder (default)"},
		{Short: "v", Long: "verbose", Help: "explain what is being done"},
		{Short: "x", Long: "one-file-system", Help: "stay on this mount"},
		{Short: "Z", Help: "set SELinux security context (ignored)"},
		{Long: "context", Arg: getopt.Optional, Meta: "CTX", Help: "like -Z"},
	}, backup.Options...),
}

type cpOptions struct {
	copying.Options
	links                   *copying.Links // nil when not given
	target                  targetOptions
	parents, strip, reflink bool
}

func runCp(ctx context.Context, inv *program.Invocation) int {
	var o cpOptions
	var control backup.Control
	p := cpSpec.Parse(inv)
	for p.Next() {
		if !control.Option(p.Opt) && !o.target.option(p) {
			o.option(p)
		}
	}
	if p.Stopped {
		return p.Status
	}
	o.Backup = control.Policy(p, inv)
	switch {
	case p.Stopped:
		return p.Status
	case o.HardLink && o.SymLink:
		return p.Usage("cannot make both hard and symbolic links")
	case o.Overwrite == copying.Never && o.Backup.Method != backup.None:
		return p.Usage("options --backup and --no-clobber are mutually exclusive")
	case o.reflink && o.Sparse != copying.SparseAuto:
		return p.Usage("--reflink can be used only with --sparse=auto")
	}
	switch {
	case o.links != nil:
		o.Links = *o.links
	case o.Recursive && !o.HardLink:
		o.Links = copying.FollowNone
	}
	o.Force = o.Force || o.HardLink && o.RemoveDest
	sources, dir, ok := o.target.resolve(ctx, p)
	if !ok {
		return p.Status
	}
	if o.reflink {
		return p.Fail("failed to clone: Operation not supported")
	}
	out := stream.Stdout(inv)
	status := cpAll(ctx, inv, out, o, p, sources, dir)
	return out.Close(inv, status)
}

func cpAll(ctx context.Context, inv *program.Invocation, out *stream.Writer, o cpOptions, p *getopt.Parser, sources []string, dir string) int {
	if dir == "" {
		if o.parents {
			return p.Usage("with --parents, the destination must be a directory")
		}
		src, dst := sources[0], sources[1]
		// `cp --force --backup f f` makes a backup of f.
		if o.Force && o.Backup.Method != backup.None && src == dst {
			if info, err := inv.FS.Stat(ctx, inv.Path(dst)); err == nil && info.IsRegular() {
				if name, err := o.Backup.Name(ctx, inv, dst); err == nil {
					dst = name
					o.Backup = backup.Policy{}
				}
			}
		}
		if !copying.New(inv, out, o.Options).Copy(ctx, o.source(src), dst).OK {
			return 1
		}
		return 0
	}
	c := copying.New(inv, out, o.Options)
	status := 0
	for _, src := range sources {
		if ctx.Err() != nil {
			return 1
		}
		src = o.source(src)
		dst := paths.Join(dir, targetName(src))
		if o.parents {
			dst = paths.Join(dir, strings.TrimLeft(strings.TrimRight(src, "/"), "/"))
			if !cpParents(ctx, inv, out, o, dir, src) {
				status = 1
				continue
			}
		}
		if !c.Copy(ctx, src, dst).OK {
			status = 1
		}
	}
	return status
}

func (o *cpOptions) source(name string) string {
	if o.strip {
		return stripSlashes(name)
	}
	return name
}

// stripSlashes takes trailing slashes off a path, but not the root's.
func stripSlashes(name string) string {
	if s := strings.TrimRight(name, "/"); s != "" || name == "" {
		return s
	}
	return "/"
}

func (o *cpOptions) option(p *getopt.Parser) {
	follow := func(l copying.Links) { o.links = &l }
	switch p.Opt.Name {
	case "a":
		follow(copying.FollowNone)
		o.Recursive = true
		o.preserve("all", true)
		o.RequireXattr = false
	case "attributes-only":
		o.AttrsOnly = true
	case "d":
		follow(copying.FollowNone)
		o.PreserveLinks = true
	case "f":
		o.Force = true
	case "i":
		o.Overwrite = copying.Ask
	case "H":
		follow(copying.FollowOperands)
	case "l":
		o.HardLink = true
	case "L":
		follow(copying.FollowAll)
	case "n":
		o.Overwrite = copying.Never
	case "P":
		follow(copying.FollowNone)
	case "p":
		o.preserve("mode ownership timestamps", true)
	case "preserve":
		if !p.Opt.HasValue {
			o.preserve("mode ownership timestamps", true)
			return
		}
		o.preserveList(p, true)
	case "no-preserve":
		o.preserveList(p, false)
	case "parents":
		o.parents = true
	case "R":
		o.Recursive = true
	case "reflink":
		word := "always"
		if p.Opt.HasValue {
			word, _ = p.OneOf("auto", "always", "never")
		}
		o.reflink = word == "always"
	case "remove-destination":
		o.RemoveDest = true
	case "sparse":
		switch word, _ := p.OneOf("never", "auto", "always"); word {
		case "never":
			o.Sparse = copying.SparseNever
		case "auto":
			o.Sparse = copying.SparseAuto
		case "always":
			o.Sparse = copying.SparseAlways
		}
	case "strip-trailing-slashes":
		o.strip = true
	case "s":
		o.SymLink = true
	case "update":
		o.Update = updateOption(p)
	case "v":
		o.Verbose = true
	case "x":
		o.OneMount = true
	case "context":
		if p.Opt.HasValue {
			p.Warn("warning: ignoring --context; it requires an SELinux-enabled kernel")
		}
	}
}

// updateOption reads -u and --update.
func updateOption(p *getopt.Parser) copying.Update {
	if !p.Opt.HasValue {
		return copying.UpdateOlder
	}
	switch word, _ := p.OneOf("all", "none", "older"); word {
	case "none":
		return copying.UpdateNone
	case "older":
		return copying.UpdateOlder
	}
	return copying.UpdateAll
}

func (o *cpOptions) preserveList(p *getopt.Parser, on bool) {
	list := p.Opt.Value
	for word := range strings.SplitSeq(list, ",") {
		p.Opt.Value = word
		name, ok := p.OneOf("mode", "timestamps", "ownership", "links", "context", "xattr", "all")
		if !ok {
			return
		}
		o.preserve(name, on)
	}
}

func (o *cpOptions) preserve(names string, on bool) {
	for name := range strings.FieldsSeq(names) {
		switch name {
		case "mode":
			o.PreserveMode, o.NoPreserveMode = on, !on
		case "timestamps":
			o.PreserveTimes = on
		case "ownership":
			o.PreserveOwner = on
		case "links":
			o.PreserveLinks = on
		case "xattr":
			o.PreserveXattr, o.RequireXattr = on, on
		case "all":
			o.PreserveMode, o.NoPreserveMode = on, !on
			o.PreserveTimes, o.PreserveOwner, o.PreserveLinks, o.PreserveXattr = on, on, on, on
		}
	}
}

// cpParents makes the directories of a source below the target directory, for
// --parents.
func cpParents(ctx context.Context, inv *program.Invocation, out *stream.Writer, o cpOptions, dir, src string) bool {
	parent := paths.Dir(src)
	if !strings.Contains(strings.TrimRight(src, "/"), "/") {
		return true
	}
	for i := 1; i <= len(parent); i++ {
		if i < len(parent) && parent[i] != '/' || parent[i-1] == '/' {
			continue
		}
		from := parent[:i]
		to := paths.Join(dir, strings.TrimLeft(from, "/"))
		info, err := inv.FS.Stat(ctx, inv.Path(from))
		if err == nil && !info.IsDir() {
			err = syscall.ENOTDIR
		}
		if err != nil {
			inv.Fail(err, "failed to get attributes of %s", inv.Quote(from))
			return false
		}
		err = inv.FS.Mkdir(ctx, inv.Path(to), info.Mode.Perm())
		switch {
		case err == nil:
			if o.Verbose {
				out.WriteString(from + " -> " + to + "\n")
			}
		case !errors.Is(err, syscall.EEXIST):
			inv.Fail(err, "cannot make directory %s", inv.Quote(to))
			return false
		case !inv.IsDir(ctx, to):
			inv.Errorf("%s exists but is not a directory", inv.Quote(to))
			return false
		}
	}
	return true
}
