package programs

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
)

var rmdirSpec = getopt.Spec{
	Name:     "rmdir",
	Synopsis: []string{"[OPTION]... DIRECTORY..."},
	Summary:  "Remove the DIRECTORY(ies), if they are empty.",
	Options: []getopt.Option{
		{Long: "ignore-fail-on-non-empty", Help: "ignore each failure to remove a non-empty directory"},
		{Short: "p", Long: "parents", Help: "remove DIRECTORY and its ancestors;\ne.g., 'rmdir -p a/b' is similar to 'rmdir a/b a'"},
		{Short: "v", Long: "verbose", Help: "output a diagnostic for every directory processed"},
		{Long: "path", Name: "p", Hidden: true},
	},
}

func runRmdir(ctx context.Context, inv *program.Invocation) int {
	var ignore, parents, verbose bool
	p := rmdirSpec.Parse(inv)
	for p.Next() {
		switch p.Opt.Name {
		case "ignore-fail-on-non-empty":
			ignore = true
		case "p":
			parents = true
		case "v":
			verbose = true
		}
	}
	if p.Stopped {
		return p.Status
	}
	if len(p.Operands) == 0 {
		return p.Missing()
	}
	status := 0
	for _, operand := range p.Operands {
		dir, text := operand, "failed to remove %s"
		for ctx.Err() == nil {
			if verbose {
				io.WriteString(inv.Stdout, inv.Name+": removing directory, "+inv.Quote(dir)+"\n")
			}
			if err := inv.FS.Rmdir(ctx, inv.Path(dir)); err != nil {
				if !ignore || !errors.Is(err, syscall.ENOTEMPTY) && !errors.Is(err, syscall.EEXIST) {
					rmdirReport(ctx, inv, err, text, dir)
					status = 1
				}
				break
			}
			i := strings.LastIndexByte(strings.TrimRight(dir, "/"), '/')
			if !parents || i < 0 {
				break
			}
			if dir = strings.TrimRight(dir[:i], "/"); dir == "" {
				break
			}
			text = "failed to remove directory %s"
		}
	}
	return status
}

// rmdirReport words a failure; a link to a directory with a slash behind it
// has a text of its own.
func rmdirReport(ctx context.Context, inv *program.Invocation, err error, text, dir string) {
	if errors.Is(err, syscall.ENOTDIR) && strings.HasSuffix(dir, "/") && inv.IsDir(ctx, dir) {
		info, lerr := inv.FS.Lstat(ctx, inv.Path(strings.TrimRight(dir, "/")))
		if lerr == nil && info.IsLink() {
			inv.Errorf(text+": Symbolic link not followed", inv.Quote(dir))
			return
		}
	}
	inv.Fail(err, text, inv.Quote(dir))
}
