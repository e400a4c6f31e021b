package programs

import (
	"context"
	"errors"
	"syscall"

	"mirage/shell/program"
	"mirage/shell/program/backup"
	"mirage/shell/program/getopt"
	"mirage/shell/program/paths"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

var lnSpec = getopt.Spec{
	Name: "ln",
	Synopsis: []string{
		"[OPTION]... [-T] TARGET LINK_NAME", "[OPTION]... TARGET", "[OPTION]... TARGET... DIRECTORY", "[OPTION]... -t DIRECTORY TARGET...",
	},
	Summary: "Create a link to TARGET with the name LINK_NAME, or links in a directory.\nHard links are made by default, symbolic ones with --symbolic.",
	Options: append([]getopt.Option{
		{Short: "d", Long: "directory", Help: "allow hard links to directories (always fails)"},
		{Short: "F", Name: "d", Help: "like -d"},
		{Short: "f", Long: "force", Help: "remove existing destination files"},
		{Short: "i", Long: "interactive", Help: "prompt whether to remove destinations"},
		{Short: "L", Long: "logical", Help: "dereference TARGETs that are symbolic links"},
		{Short: "n", Long: "no-dereference", Help: "treat LINK_NAME as a normal file if\nit is a symbolic link to a directory"},
		{Short: "P", Long: "physical", Help: "make hard links directly to symbolic links"},
		{Short: "r", Long: "relative", Help: "with -s, create links relative to link location"},
		{Short: "s", Long: "symbolic", Help: "make symbolic links instead of hard links"},
		{Short: "t", Long: "target-directory", Arg: getopt.Required, Meta: "DIRECTORY", Help: "specify the DIRECTORY in which to create the links"},
		{Short: "T", Long: "no-target-directory", Help: "treat LINK_NAME as a normal file always"},
		{Short: "v", Long: "verbose", Help: "print name of each linked file"},
	}, backup.Options...),
}

type ln struct {
	inv                                                 *program.Invocation
	out                                                 *stream.Writer
	ask                                                 *program.Prompter
	backup                                              backup.Policy
	force, interactive, logical, noDeref, relative, sym bool
	verbose, dirs                                       bool
	made                                                map[string]bool // destinations of this run
}

func runLn(ctx context.Context, inv *program.Invocation) int {
	l := &ln{inv: inv, out: stream.Stdout(inv), ask: program.NewPrompter(inv), made: map[string]bool{}}
	var control backup.Control
	target, hasTarget, noTarget := "", false, false
	p := lnSpec.Parse(inv)
	for p.Next() {
		switch p.Opt.Name {
		case "d":
			l.dirs = true
		case "f":
			l.force, l.interactive = true, false
		case "i":
			l.force, l.interactive = false, true
		case "L":
			l.logical = true
		case "P":
			l.logical = false
		case "n":
			l.noDeref = true
		case "r":
			l.relative = true
		case "s":
			l.sym = true
		case "t":
			if hasTarget {
				return p.Fail("multiple target directories specified")
			}
			target, hasTarget = p.Opt.Value, true
			if info, err := inv.FS.Stat(ctx, inv.Path(target)); err != nil {
				return p.FailErr(err, "failed to access %s", inv.Quote(target))
			} else if !info.IsDir() {
				return p.Fail("target %s is not a directory", inv.Quote(target))
			}
		case "T":
			noTarget = true
		case "v":
			l.verbose = true
		default:
			control.Option(p.Opt)
		}
	}
	if p.Stopped {
		return p.Status
	}
	l.backup = control.Policy(p, inv)
	files := p.Operands
	switch {
	case p.Stopped:
		return p.Status
	case len(files) == 0:
		return p.Usage("missing file operand")
	case l.relative && !l.sym:
		return p.Fail("cannot do --relative without --symbolic")
	case noTarget && hasTarget:
		return p.Fail("cannot combine --target-directory and --no-target-directory")
	case noTarget && len(files) == 1:
		return p.Usage("missing destination file operand after %s", inv.Quote(files[0]))
	case noTarget && len(files) > 2:
		return p.Usage("extra operand %s", inv.Quote(files[2]))
	case !noTarget && !hasTarget:
		var ok bool
		if files, target, ok = l.destination(ctx, files); !ok {
			return 1
		}
		hasTarget = target != ""
	}
	status := 0
	if !hasTarget {
		if !l.link(ctx, files[0], files[1]) {
			status = 1
		}
		return l.out.Close(inv, status)
	}
	for _, file := range files {
		if ctx.Err() != nil || !l.link(ctx, file, paths.Join(target, paths.Base(file))) {
			status = 1
		}
	}
	return l.out.Close(inv, status)
}

// destination finds out whether the last operand is a directory to link into.
func (l *ln) destination(ctx context.Context, files []string) (sources []string, dir string, ok bool) {
	if len(files) == 1 {
		return files, ".", true
	}
	last := files[len(files)-1]
	info, err := l.inv.FS.Stat(ctx, l.inv.Path(last))
	if err == nil && info.IsDir() && l.noDeref {
		link, lerr := l.inv.FS.Lstat(ctx, l.inv.Path(last))
		if lerr == nil && link.IsLink() {
			err = syscall.ENOTDIR
		}
	}
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	switch {
	case err == nil:
		return files[:len(files)-1], last, true
	case len(files) == 2:
		return files, "", true
	}
	l.inv.Fail(err, "target %s", l.inv.Quote(last))
	return nil, "", false
}

// link makes one link.
func (l *ln) link(ctx context.Context, source, dest string) bool {
	var src vfs.Info
	if !l.sym {
		var err error
		if src, err = l.stat(ctx, source); err != nil {
			l.inv.Fail(err, "failed to access %s", l.inv.Quote(source))
			return false
		}
		if src.IsDir() && !l.dirs {
			l.inv.Errorf("%s: hard link not allowed for directory", l.inv.QuoteName(source))
			return false
		}
	}
	text := source
	if l.relative {
		text = l.relativeText(ctx, source, dest)
	}
	saved := ""
	replace := false
	if l.force || l.interactive || l.backup.Method != backup.None {
		old, err := l.inv.FS.Lstat(ctx, l.inv.Path(dest))
		switch {
		case err == nil:
			var ok bool
			if saved, replace, ok = l.makeRoom(ctx, source, dest, src, old); !ok || !replace && saved == "" {
				return ok
			}
		case !errors.Is(err, syscall.ENOENT):
			l.inv.Fail(err, "failed to access %s", l.inv.Quote(dest))
			return false
		}
	}
	if err := l.create(ctx, text, source, dest, replace); err != nil {
		l.report(err, text, dest)
		if saved != "" {
			l.inv.FS.Rename(ctx, l.inv.Path(saved), l.inv.Path(dest), 0)
		}
		return false
	}
	l.made[dest] = true
	if l.verbose {
		if saved != "" {
			l.out.WriteString(l.inv.Quote(saved) + " ~ ")
		}
		arrow := " => "
		if l.sym {
			arrow = " -> "
		}
		l.out.WriteString(l.inv.Quote(dest) + arrow + l.inv.Quote(text) + "\n")
	}
	return true
}

func (l *ln) stat(ctx context.Context, name string) (vfs.Info, error) {
	if l.logical {
		return l.inv.FS.Stat(ctx, l.inv.Path(name))
	}
	return l.inv.FS.Lstat(ctx, l.inv.Path(name))
}

// makeRoom deals with what stands in the way: it answers the name of its
// backup, or that it is to be replaced; neither when the user said no.
func (l *ln) makeRoom(ctx context.Context, source, dest string, src, old vfs.Info) (saved string, replace, ok bool) {
	if old.IsDir() {
		l.inv.Errorf("%s: cannot overwrite directory", l.inv.QuoteName(dest))
		return "", false, false
	}
	if l.backup.Method == backup.None || !l.sym {
		var err error
		if l.sym {
			src, err = l.inv.FS.Stat(ctx, l.inv.Path(source))
		}
		if err == nil && l.inv.SameFile(ctx, source, src, dest, old) && (src.Nlink <= 1 || l.inv.SameName(ctx, source, dest)) {
			l.inv.Errorf("%s and %s are the same file", l.inv.Quote(source), l.inv.Quote(dest))
			return "", false, false
		}
	}
	if l.made[dest] {
		l.inv.Errorf("will not overwrite just-created %s with %s", l.inv.Quote(dest), l.inv.Quote(source))
		return "", false, false
	}
	if l.interactive && !l.ask.Confirm(l.inv.Name+": replace "+l.inv.Quote(dest)+"? ") {
		return "", false, true
	}
	if l.backup.Method == backup.None {
		return "", true, true
	}
	saved, err := l.backup.Name(ctx, l.inv, dest)
	if err == nil {
		err = l.inv.FS.Rename(ctx, l.inv.Path(dest), l.inv.Path(saved), 0)
	}
	if err != nil {
		l.inv.Fail(err, "cannot backup %s", l.inv.Quote(dest))
		return "", false, false
	}
	return saved, false, true
}

// create makes the link; with replace it takes the place of a file in one
// step, through a name of its own.
func (l *ln) create(ctx context.Context, text, source, dest string, replace bool) error {
	make := func(name string) error {
		if l.sym {
			return l.inv.FS.Symlink(ctx, text, name)
		}
		from := l.inv.Path(source)
		if l.logical {
			real, err := l.inv.FS.RealPath(ctx, from)
			if err != nil {
				return err
			}
			from = real
		}
		return l.inv.FS.Link(ctx, from, name)
	}
	name := l.inv.Path(dest)
	err := make(name)
	if !replace || !errors.Is(err, syscall.EEXIST) {
		return err
	}
	temp := temporaryName(name)
	if err := make(temp); err != nil {
		return err
	}
	if err := l.inv.FS.Rename(ctx, temp, name, 0); err != nil {
		l.inv.FS.Unlink(ctx, temp)
		return err
	}
	// Renaming a name over another of the same file leaves both.
	l.inv.FS.Unlink(ctx, temp)
	return nil
}

func (l *ln) report(err error, text, dest string) {
	q := l.inv.Quote
	switch {
	case l.sym && (text == "" || errors.Is(err, syscall.ENAMETOOLONG)):
		l.inv.Fail(err, "failed to create symbolic link %s -> %s", q(dest), q(text))
	case l.sym:
		l.inv.Fail(err, "failed to create symbolic link %s", q(dest))
	case errors.Is(err, syscall.EMLINK):
		l.inv.Fail(err, "failed to create hard link to %s", q(text))
	case errors.Is(err, syscall.EEXIST), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.EDQUOT):
		l.inv.Fail(err, "failed to create hard link %s", q(dest))
	default:
		l.inv.Fail(err, "failed to create hard link %s => %s", q(dest), q(text))
	}
}

// relativeText is the text of a link that leads from its own directory.
func (l *ln) relativeText(ctx context.Context, source, dest string) string {
	dir, err := l.inv.Canonical(ctx, paths.Dir(dest), program.NoneExist, false)
	if err != nil {
		return source
	}
	real, err := l.inv.Canonical(ctx, source, program.NoneExist, false)
	if err != nil {
		return source
	}
	return paths.Relative(dir, real)
}
