package programs

import (
	"context"
	"io"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
)

var pwdSpec = getopt.Spec{
	Name:     "pwd",
	Synopsis: []string{"[OPTION]..."},
	Summary:  "Print the full filename of the current working directory.",
	Options: []getopt.Option{
		{Short: "L", Long: "logical", Help: "use PWD from environment, even if it contains symlinks"},
		{Short: "P", Long: "physical", Help: "avoid all symlinks"},
	},
	Epilog: "If no option is specified, -P is assumed.",
}

func runPwd(ctx context.Context, inv *program.Invocation) int {
	_, logical := inv.LookupEnv("POSIXLY_CORRECT")
	p := pwdSpec.Parse(inv)
	for p.Next() {
		logical = p.Opt.Name == "L"
	}
	if p.Stopped {
		return p.Status
	}
	if len(p.Operands) > 0 {
		inv.Errorf("ignoring non-option arguments")
	}
	real, err := inv.FS.RealPath(ctx, inv.Dir)
	if err != nil {
		inv.Fail(err, "cannot determine the current directory")
		return 1
	}
	if logical {
		if dir := inv.Getenv("PWD"); pwdValid(dir) {
			if r, err := inv.FS.RealPath(ctx, dir); err == nil && r == real {
				real = dir
			}
		}
	}
	if _, err := io.WriteString(inv.Stdout, real+"\n"); err != nil {
		return inv.WriteError(err)
	}
	return 0
}

// pwdValid tells whether PWD is absolute and free of "." and "..".
func pwdValid(dir string) bool {
	if !strings.HasPrefix(dir, "/") {
		return false
	}
	for part := range strings.SplitSeq(dir, "/") {
		if part == "." || part == ".." {
			return false
		}
	}
	return true
}
