package programs

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"strings"
	"syscall"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/paths"
	"mirage/shell/program/stream"
)

var mktempSpec = getopt.Spec{
	Name:     "mktemp",
	Synopsis: []string{"[OPTION]... [TEMPLATE]"},
	Summary: "Create a temporary file or directory, safely, and print its name.\n" +
		"TEMPLATE must contain at least 3 consecutive 'X's in last component.\n" +
		"If TEMPLATE is not specified, use tmp.XXXXXXXXXX, and --tmpdir is implied.",
	Options: []getopt.Option{
		{Short: "d", Long: "directory", Help: "create a directory, not a file"},
		{Short: "u", Long: "dry-run", Help: "do not create anything; merely print a name (unsafe)"},
		{Short: "q", Long: "quiet", Help: "suppress diagnostics about file/dir-creation failure"},
		{Long: "suffix", Arg: getopt.Required, Meta: "SUFF", Help: "append SUFF to TEMPLATE; SUFF must not contain a slash"},
		{Short: "p", Arg: getopt.Required, Meta: "DIR", Name: "tmpdir", Help: "interpret TEMPLATE relative to DIR"},
		{Long: "tmpdir", Arg: getopt.Optional, Meta: "DIR", Help: "like -p; without DIR, $TMPDIR if set, else /tmp"},
		{Short: "t", Help: "interpret TEMPLATE as a single file name component,\nrelative to a directory: $TMPDIR, if set; else the\ndirectory specified via -p; else /tmp [deprecated]"},
	},
}

type mktempOptions struct {
	dir, dry, quiet, tmpdir, single bool
	suffix                          string
	hasSuffix                       bool
	parent                          string
}

func runMktemp(ctx context.Context, inv *program.Invocation) int {
	var o mktempOptions
	p := mktempSpec.Parse(inv)
	for p.Next() {
		switch p.Opt.Name {
		case "d":
			o.dir = true
		case "u":
			o.dry = true
		case "q":
			o.quiet = true
		case "suffix":
			o.suffix, o.hasSuffix = p.Opt.Value, true
		case "tmpdir":
			o.tmpdir, o.parent = true, p.Opt.Value
		case "t":
			o.tmpdir, o.single = true, true
		}
	}
	if p.Stopped {
		return p.Status
	}
	template := "tmp.XXXXXXXXXX"
	switch len(p.Operands) {
	case 0:
		o.tmpdir = true
	case 1:
		template = p.Operands[0]
	default:
		return p.Usage("too many templates")
	}
	name, run, problem := o.template(inv, template)
	if problem != "" {
		inv.Errorf("%s", problem)
		return 1
	}
	return mktempMake(ctx, inv, o, name, run)
}

// template answers the whole template, and the length and place of the Xs: the
// bytes name[run[0]:run[1]] are to be replaced.
func (o *mktempOptions) template(inv *program.Invocation, template string) (name string, run [2]int, problem string) {
	name = template
	if o.hasSuffix {
		if !strings.HasSuffix(name, "X") {
			return "", run, "with --suffix, template " + inv.QuoteArg(name) + " must end in X"
		}
		name += o.suffix
	} else {
		o.suffix = name[strings.LastIndexByte(name, 'X')+1:]
	}
	if strings.Contains(o.suffix, "/") {
		return "", run, "invalid suffix " + inv.QuoteArg(o.suffix) + ", contains directory separator"
	}
	end := len(name) - len(o.suffix)
	start := end
	for start > 0 && name[start-1] == 'X' {
		start--
	}
	if end-start < 3 {
		return "", run, "too few X's in template " + inv.QuoteArg(template)
	}
	if o.tmpdir {
		dir := o.parent
		if tmp := inv.Getenv("TMPDIR"); tmp != "" && (o.single || dir == "") {
			dir = tmp
		}
		if dir == "" {
			dir = "/tmp"
		}
		if o.single && strings.Contains(template, "/") {
			return "", run, "invalid template, " + inv.QuoteArg(name) + ", contains directory separator"
		}
		if !o.single && strings.HasPrefix(template, "/") {
			return "", run, "invalid template, " + inv.QuoteArg(name) + "; with --tmpdir, it may not be absolute"
		}
		dir = paths.Join(dir, "")
		name, start, end = dir+name, start+len(dir), end+len(dir)
	}
	return name, [2]int{start, end}, ""
}

const mktempLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// mktempAttempts is how many names are tried, as gnulib does.
const mktempAttempts = 62 * 62 * 62

func mktempMake(ctx context.Context, inv *program.Invocation, o mktempOptions, template string, run [2]int) int {
	for range mktempAttempts {
		if ctx.Err() != nil {
			return 1
		}
		name := template[:run[0]] + randomLetters(run[1]-run[0]) + template[run[1]:]
		err := o.create(ctx, inv, name)
		if errors.Is(err, syscall.EEXIST) {
			continue
		}
		if err != nil {
			if !o.quiet {
				kind := "file"
				if o.dir {
					kind = "directory"
				}
				inv.Fail(err, "failed to create %s via template %s", kind, inv.Quote(template))
			}
			return 1
		}
		out := stream.Stdout(inv)
		out.WriteString(name + "\n")
		status := out.Close(inv, 0)
		if status != 0 && !o.dry {
			// Nobody learned the name.
			if o.dir {
				inv.FS.Rmdir(ctx, inv.Path(name))
			} else {
				inv.FS.Unlink(ctx, inv.Path(name))
			}
		}
		return status
	}
	inv.Errorf("failed to create file via template %s: File exists", inv.Quote(template))
	return 1
}

func (o *mktempOptions) create(ctx context.Context, inv *program.Invocation, name string) error {
	path := inv.Path(name)
	switch {
	case o.dry:
		if _, err := inv.FS.Lstat(ctx, path); err == nil {
			return syscall.EEXIST
		}
		return nil
	case o.dir:
		return inv.FS.Mkdir(ctx, path, 0o700)
	}
	f, err := inv.FS.Open(ctx, path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// randomLetters makes a part of a file name that cannot be guessed.
func randomLetters(n int) string {
	b := make([]byte, n)
	rand.Read(b)
	for i := range b {
		b[i] = mktempLetters[int(b[i])%len(mktempLetters)]
	}
	return string(b)
}

// temporaryName is a new name beside path.
func temporaryName(path string) string {
	path = strings.TrimRight(path, "/")
	return path[:strings.LastIndexByte(path, '/')+1] + "Cu" + randomLetters(8)
}
