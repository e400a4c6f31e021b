package programs

import (
	"context"
	"syscall"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/paths"
	"mirage/shell/program/stream"
)

var realpathSpec = getopt.Spec{
	Name:     "realpath",
	Synopsis: []string{"[OPTION]... FILE..."},
	Summary:  "Print the resolved absolute file name;\nall but the last component must exist",
	Options: []getopt.Option{
		{Short: "e", Long: "canonicalize-existing", Help: "all components of the path must exist"},
		{Short: "m", Long: "canonicalize-missing", Help: "no path components need exist or be a directory"},
		{Short: "L", Long: "logical", Help: "resolve '..' components before symlinks"},
		{Short: "P", Long: "physical", Help: "resolve symlinks as encountered (default)"},
		{Short: "q", Long: "quiet", Help: "suppress most error messages"},
		{Long: "relative-to", Arg: getopt.Required, Meta: "DIR", Help: "print the resolved path relative to DIR"},
		{Long: "relative-base", Arg: getopt.Required, Meta: "DIR", Help: "print absolute paths unless paths below DIR"},
		{Short: "s", Long: "strip", Help: "don't expand symlinks"},
		{Long: "no-symlinks", Name: "s", Help: "like -s"},
		{Short: "z", Long: "zero", Help: "end each output line with NUL, not newline"},
	},
}

type realpathRun struct {
	inv                *program.Invocation
	existence          program.Existence
	keepLinks, logical bool
}

func runRealpath(ctx context.Context, inv *program.Invocation) int {
	r := realpathRun{inv: inv, existence: program.AllButLast}
	quiet, end := false, byte('\n')
	var to, base string
	p := realpathSpec.Parse(inv)
	for p.Next() {
		switch v := p.Opt.Value; p.Opt.Name {
		case "e":
			r.existence = program.AllExist
		case "m":
			r.existence = program.NoneExist
		case "L":
			r.keepLinks, r.logical = true, true
		case "P":
			r.keepLinks, r.logical = false, false
		case "q":
			quiet = true
		case "relative-to":
			to = v
		case "relative-base":
			base = v
		case "s":
			r.keepLinks, r.logical = true, false
		case "z":
			end = 0
		}
	}
	if p.Stopped {
		return p.Status
	}
	if len(p.Operands) == 0 {
		return p.Missing()
	}
	to, base, ok := r.relative(ctx, to, base)
	if !ok {
		return 1
	}
	out := stream.Stdout(inv)
	status := 0
	for _, name := range p.Operands {
		path, err := r.resolve(ctx, name)
		if err != nil {
			if !quiet {
				inv.FileError(name, err)
			}
			status = 1
			continue
		}
		if to != "" && (base == "" || paths.Below(base, path)) {
			path = paths.Relative(to, path)
		}
		out.WriteString(path)
		out.WriteByte(end)
	}
	return out.Close(inv, status)
}

// relative settles what the names are relative to: to is "" when they stay
// absolute, and base is what they must be below.
func (r realpathRun) relative(ctx context.Context, to, base string) (string, string, bool) {
	if to == "" && base == "" {
		return "", "", true
	}
	same := to == "" || to == base
	if to == "" {
		to = base
	}
	toReal, ok := r.directory(ctx, to)
	if !ok {
		return "", "", false
	}
	if base == "" {
		return toReal, "", true
	}
	if same {
		return toReal, toReal, true
	}
	baseReal, ok := r.directory(ctx, base)
	if !ok {
		return "", "", false
	}
	if !paths.Below(baseReal, toReal) {
		return "", "", true
	}
	return toReal, baseReal, true
}

func (r realpathRun) directory(ctx context.Context, name string) (string, bool) {
	path, err := r.resolve(ctx, name)
	if err == nil && r.existence == program.AllExist && !r.inv.IsDir(ctx, path) {
		err = syscall.ENOTDIR
	}
	if err != nil {
		r.inv.FileError(name, err)
	}
	return path, err == nil
}

func (r realpathRun) resolve(ctx context.Context, name string) (string, error) {
	path, err := r.inv.Canonical(ctx, name, r.existence, r.keepLinks)
	if err == nil && r.logical {
		path, err = r.inv.Canonical(ctx, path, r.existence, false)
	}
	return path, err
}
