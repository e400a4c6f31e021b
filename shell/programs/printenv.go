package programs

import (
	"context"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
)

var printenvSpec = getopt.Spec{
	Name:     "printenv",
	Synopsis: []string{"[OPTION]... [VARIABLE]..."},
	Summary: "Print the values of the specified environment VARIABLE(s).\n" +
		"If no VARIABLE is specified, print name and value pairs for them all.",
	Options: []getopt.Option{
		{Short: "0", Long: "null", Help: "end each output line with NUL, not newline"},
	},
	Order:  getopt.RequireOrder,
	Status: 2,
}

// runPrintenv answers 1 when a variable is not set, as GNU's does.
func runPrintenv(_ context.Context, inv *program.Invocation) int {
	end := byte('\n')
	p := printenvSpec.Parse(inv)
	for p.Next() {
		end = 0
	}
	if p.Stopped {
		return p.Status
	}
	out := stream.Stdout(inv)
	status := 0
	if len(p.Operands) == 0 {
		for _, e := range inv.Env {
			out.WriteString(e)
			out.WriteByte(end)
		}
		return out.Close(inv, status)
	}
	for _, name := range p.Operands {
		value, ok := inv.LookupEnv(name)
		if !ok || strings.Contains(name, "=") {
			status = 1
			continue
		}
		out.WriteString(value)
		out.WriteByte(end)
	}
	return out.Close(inv, status)
}
