package programs

import (
	"context"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/paths"
	"mirage/shell/program/stream"
)

var dirnameSpec = getopt.Spec{
	Name:     "dirname",
	Synopsis: []string{"[OPTION] NAME..."},
	Summary: "Output each NAME with its last non-slash component and trailing slashes\n" +
		"removed; if NAME contains no /'s, output '.' (meaning the current directory).",
	Options: []getopt.Option{
		{Short: "z", Long: "zero", Help: "end each output line with NUL, not newline"},
	},
	Order: getopt.RequireOrder,
}

func runDirname(ctx context.Context, inv *program.Invocation) int {
	end := byte('\n')
	p := dirnameSpec.Parse(inv)
	for p.Next() {
		end = 0
	}
	if p.Stopped {
		return p.Status
	}
	if len(p.Operands) == 0 {
		return p.Missing()
	}
	out := stream.Stdout(inv)
	for _, name := range p.Operands {
		out.WriteString(paths.Dir(name))
		out.WriteByte(end)
		if ctx.Err() != nil {
			return 1
		}
	}
	return out.Close(inv, 0)
}
