package programs

import (
	"bytes"
	"context"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
)

var yesSpec = getopt.Spec{
	Name:     "yes",
	Synopsis: []string{"[STRING]...", "OPTION"},
	Summary:  "Repeatedly output a line with all specified STRING(s), or 'y'.",
	Order:    getopt.RequireOrder,
}

func runYes(ctx context.Context, inv *program.Invocation) int {
	p := yesSpec.Parse(inv)
	for p.Next() {
	}
	if p.Stopped {
		return p.Status
	}
	line := "y\n"
	if len(p.Operands) > 0 {
		line = strings.Join(p.Operands, " ") + "\n"
	}
	block := bytes.Repeat([]byte(line), max(stream.BufferSize/len(line), 1))
	for ctx.Err() == nil {
		if _, err := inv.Stdout.Write(block); err != nil {
			return inv.WriteError(err)
		}
	}
	return 1
}
