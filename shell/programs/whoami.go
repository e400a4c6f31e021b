package programs

import (
	"context"
	"io"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
)

var whoamiSpec = getopt.Spec{
	Name:     "whoami",
	Synopsis: []string{"[OPTION]..."},
	Summary:  "Print the user name associated with the current effective user ID.\nSame as id -un.",
}

func runWhoami(_ context.Context, inv *program.Invocation) int {
	p := whoamiSpec.Parse(inv)
	for p.Next() {
	}
	if p.Stopped {
		return p.Status
	}
	if len(p.Operands) > 0 {
		return p.Extra(p.Operands[0])
	}
	if _, err := io.WriteString(inv.Stdout, inv.User+"\n"); err != nil {
		return inv.WriteError(err)
	}
	return 0
}
