package programs

import (
	"context"
	"syscall"

	"mirage/shell/program"
	"mirage/shell/program/filemode"
	"mirage/shell/program/getopt"
)

var mkfifoSpec = getopt.Spec{
	Name:     "mkfifo",
	Synopsis: []string{"[OPTION]... NAME..."},
	Summary:  "Create named pipes (FIFOs) with the given NAMEs (not supported).",
	Options: []getopt.Option{
		{Short: "m", Long: "mode", Arg: getopt.Required, Meta: "MODE", Help: "set file permission bits to MODE, not a=rw - umask"},
	},
}

// runMkfifo refuses every name: no mount holds named pipes.
func runMkfifo(_ context.Context, inv *program.Invocation) int {
	p := mkfifoSpec.Parse(inv)
	for p.Next() {
		if _, err := filemode.Parse(p.Opt.Value); err != nil {
			return p.Fail("invalid mode")
		}
	}
	if p.Stopped {
		return p.Status
	}
	if len(p.Operands) == 0 {
		return p.Usage("missing operand")
	}
	for _, name := range p.Operands {
		inv.Fail(syscall.EOPNOTSUPP, "cannot create fifo %s", inv.Quote(name))
	}
	return 1
}
