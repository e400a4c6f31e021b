package programs

import (
	"context"
	"os"
	"syscall"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
)

var syncSpec = getopt.Spec{
	Name:     "sync",
	Synopsis: []string{"[OPTION] [FILE]..."},
	Summary: "Synchronize cached writes to persistent storage\n\n" +
		"If one or more files are specified, sync only them,\n" +
		"or their containing file systems.",
	Options: []getopt.Option{
		{Short: "d", Long: "data", Help: "sync only file data, no unneeded metadata"},
		{Short: "f", Long: "file-system", Help: "sync the file systems that contain the files"},
	},
}

// runSync writes out what the operands' handles hold back. Without operands
// there is nothing to do: no write is held back once its handle is closed.
func runSync(ctx context.Context, inv *program.Invocation) int {
	data, system := false, false
	p := syncSpec.Parse(inv)
	for p.Next() {
		data = data || p.Opt.Name == "d"
		system = system || p.Opt.Name == "f"
	}
	switch {
	case p.Stopped:
		return p.Status
	case data && system:
		return p.Fail("cannot specify both --data and --file-system")
	case data && len(p.Operands) == 0:
		return p.Fail("--data needs at least one argument")
	}
	status := 0
	for _, name := range p.Operands {
		if ctx.Err() != nil {
			return 1
		}
		f, err := inv.FS.Open(ctx, inv.Path(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			inv.Fail(err, "error opening %s", inv.Quote(name))
			status = 1
			continue
		}
		if err := f.Sync(); err != nil {
			inv.Fail(err, "error syncing %s", inv.Quote(name))
			status = 1
		}
		if err := f.Close(); err != nil {
			inv.Fail(err, "failed to close %s", inv.Quote(name))
			status = 1
		}
	}
	return status
}
