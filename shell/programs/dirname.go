package programs

import (
	"context"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
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
		out.WriteString(parentOf(name))
		out.WriteByte(end)
		if ctx.Err() != nil {
			return 1
		}
	}
	return out.Close(inv, 0)
}

// parentOf is the path without its last component, as dirname(1) prints it.
func parentOf(path string) string {
	trimmed := strings.TrimRight(path, "/")
	i := strings.LastIndexByte(trimmed, '/')
	if i < 0 {
		if trimmed == "" && path != "" {
			return "/"
		}
		return "."
	}
	parent := strings.TrimRight(trimmed[:i], "/")
	if parent == "" {
		return "/"
	}
	return parent
}
