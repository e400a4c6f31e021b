package programs

import (
	"context"
	"errors"
	"syscall"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/paths"
)

// targetOptions are the options of cp and mv about where files go: -t and -T.
type targetOptions struct {
	dir    string
	hasDir bool
	noDir  bool
}

func (o *targetOptions) option(p *getopt.Parser) bool {
	switch p.Opt.Name {
	case "t":
		if o.hasDir {
			p.Fail("multiple target directories specified")
			return true
		}
		o.dir, o.hasDir = p.Opt.Value, true
	case "T":
		o.noDir = true
	default:
		return false
	}
	return true
}

// resolve splits the operands into sources and the directory they go to; dir
// is "" when there are one source and one destination.
func (o *targetOptions) resolve(ctx context.Context, p *getopt.Parser) (sources []string, dir string, ok bool) {
	inv := p.Invocation()
	files := p.Operands
	switch {
	case len(files) == 0:
		p.Usage("missing file operand")
		return nil, "", false
	case len(files) == 1 && !o.hasDir:
		p.Usage("missing destination file operand after %s", inv.Quote(files[0]))
		return nil, "", false
	case o.noDir && o.hasDir:
		p.Fail("cannot combine --target-directory (-t) and --no-target-directory (-T)")
		return nil, "", false
	case o.noDir && len(files) > 2:
		p.Usage("extra operand %s", inv.Quote(files[2]))
		return nil, "", false
	case o.noDir:
		return files, "", true
	case o.hasDir:
		if err := targetDir(ctx, inv, o.dir); err != nil {
			p.FailErr(err, "target directory %s", inv.Quote(o.dir))
			return nil, "", false
		}
		return files, o.dir, true
	}
	last := files[len(files)-1]
	err := targetDir(ctx, inv, last)
	switch {
	case err == nil:
		return files[:len(files)-1], last, true
	case len(files) == 2 && (errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)):
		return files, "", true
	}
	p.FailErr(err, "target %s", inv.Quote(last))
	return nil, "", false
}

func targetDir(ctx context.Context, inv *program.Invocation, name string) error {
	info, err := inv.FS.Stat(ctx, inv.Path(name))
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	return err
}

// targetName is the name that a source gets in a directory: `cp -r a/.. d`
// copies into d itself.
func targetName(src string) string {
	switch base := paths.Base(src); base {
	case "..":
		return "."
	case "/":
		return ""
	default:
		return base
	}
}
