package programs

import (
	"context"

	"mirage/shell/program"
	"mirage/shell/program/backup"
	"mirage/shell/program/getopt"
	"mirage/shell/program/paths"
	"mirage/shell/program/stream"
	"mirage/shell/programs/copying"
	"mirage/vfs"
)

var mvSpec = getopt.Spec{
	Name:     "mv",
	Synopsis: []string{"[OPTION]... [-T] SOURCE DEST", "[OPTION]... SOURCE... DIRECTORY", "[OPTION]... -t DIRECTORY SOURCE..."},
	Summary:  "Rename SOURCE to DEST, or move SOURCE(s) to DIRECTORY.",
	Options: append([]getopt.Option{
		{Long: "exchange", Help: "exchange source and destination"},
		{Short: "f", Long: "force", Help: "do not prompt before overwriting"},
		{Short: "i", Long: "interactive", Help: "prompt before overwrite"},
		{Short: "n", Long: "no-clobber", Help: "do not overwrite an existing file"},
		{Long: "no-copy", Help: "do not copy if renaming fails"},
		{Long: "strip-trailing-slashes", Help: "remove any trailing slashes from each SOURCE argument"},
		{Short: "t", Long: "target-directory", Arg: getopt.Required, Meta: "DIRECTORY", Help: "move all SOURCE arguments into DIRECTORY"},
		{Short: "T", Long: "no-target-directory", Help: "treat DEST as a normal file"},
		{Short: "u", Name: "update", Help: "move only when the SOURCE file is newer than the\ndestination file or when it is missing"},
		{Long: "update", Arg: getopt.Optional, Meta: "UPDATE", Help: "which existing files are replaced: all, none,\nolder (default)"},
		{Short: "v", Long: "verbose", Help: "explain what is being done"},
		{Short: "Z", Long: "context", Help: "set SELinux security context (ignored)"},
	}, backup.Options...),
}

func runMv(ctx context.Context, inv *program.Invocation) int {
	o := copying.Options{
		Move: true, Recursive: true, Links: copying.FollowNone,
		PreserveMode: true, PreserveTimes: true, PreserveOwner: true, PreserveLinks: true, PreserveXattr: true,
	}
	var control backup.Control
	var target targetOptions
	strip, exchange := false, false
	p := mvSpec.Parse(inv)
	for p.Next() {
		switch p.Opt.Name {
		case "exchange":
			exchange = true
		case "f":
			o.Overwrite = copying.Always
		case "i":
			o.Overwrite = copying.Ask
		case "n":
			o.Overwrite = copying.Never
		case "no-copy":
			o.NoCopy = true
		case "strip-trailing-slashes":
			strip = true
		case "update":
			o.Update = updateOption(p)
		case "v":
			o.Verbose = true
		default:
			if !control.Option(p.Opt) {
				target.option(p)
			}
		}
	}
	if p.Stopped {
		return p.Status
	}
	o.Backup = control.Policy(p, inv)
	if p.Stopped {
		return p.Status
	}
	if o.Backup.Method != backup.None && (o.Overwrite == copying.Never || exchange) {
		return p.Usage("options --backup and --no-clobber are mutually exclusive")
	}
	sources, dir, ok := target.resolve(ctx, p)
	if !ok {
		return p.Status
	}
	m := mv{inv: inv, out: stream.Stdout(inv), exchange: exchange}
	m.copier = copying.New(inv, m.out, o)
	status := 0
	if dir == "" {
		if !m.move(ctx, mvSource(sources[0], strip), sources[1]) {
			status = 1
		}
		return m.out.Close(inv, status)
	}
	for _, src := range sources {
		src = mvSource(src, strip)
		if ctx.Err() != nil || !m.move(ctx, src, paths.Join(dir, paths.Base(src))) {
			status = 1
		}
	}
	return m.out.Close(inv, status)
}

func mvSource(name string, strip bool) string {
	if strip {
		return stripSlashes(name)
	}
	return name
}

type mv struct {
	inv      *program.Invocation
	out      *stream.Writer
	copier   *copying.Copier
	exchange bool
}

func (m *mv) move(ctx context.Context, src, dst string) bool {
	if m.exchange {
		return m.swap(ctx, src, dst)
	}
	r := m.copier.Copy(ctx, src, dst)
	if !r.OK || r.IntoItself || r.Renamed {
		return r.OK && !r.IntoItself
	}
	// It was copied to another mount; now the source goes.
	remover := &rm{inv: m.inv, out: m.out, recursive: true, verbose: m.copier.Verbose, preserveRoot: true}
	return remover.operand(ctx, src)
}

func (m *mv) swap(ctx context.Context, src, dst string) bool {
	if err := m.inv.FS.Rename(ctx, m.inv.Path(src), m.inv.Path(dst), vfs.RenameExchange); err != nil {
		m.inv.Fail(err, "cannot exchange %s and %s", m.inv.Quote(src), m.inv.Quote(dst))
		return false
	}
	if m.copier.Verbose {
		m.out.WriteString("exchanged " + m.inv.Quote(src) + " <-> " + m.inv.Quote(dst) + "\n")
	}
	return true
}
