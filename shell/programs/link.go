package programs

import (
	"context"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
)

var linkSpec = getopt.Spec{
	Name:     "link",
	Synopsis: []string{"FILE1 FILE2", "OPTION"},
	Summary:  "Call the link function to create a link named FILE2 to an existing FILE1.",
}

func runLink(ctx context.Context, inv *program.Invocation) int {
	p := linkSpec.Parse(inv)
	for p.Next() {
	}
	switch {
	case p.Stopped:
		return p.Status
	case len(p.Operands) < 2:
		return p.Missing()
	case len(p.Operands) > 2:
		return p.Extra(p.Operands[2])
	}
	from, to := p.Operands[0], p.Operands[1]
	if err := inv.FS.Link(ctx, inv.Path(from), inv.Path(to)); err != nil {
		inv.Fail(err, "cannot create link %s to %s", inv.Quote(to), inv.Quote(from))
		return 1
	}
	return 0
}

var unlinkSpec = getopt.Spec{
	Name:     "unlink",
	Synopsis: []string{"FILE", "OPTION"},
	Summary:  "Call the unlink function to remove the specified FILE.",
}

func runUnlink(ctx context.Context, inv *program.Invocation) int {
	p := unlinkSpec.Parse(inv)
	for p.Next() {
	}
	switch {
	case p.Stopped:
		return p.Status
	case len(p.Operands) == 0:
		return p.Missing()
	case len(p.Operands) > 1:
		return p.Extra(p.Operands[1])
	}
	if err := inv.FS.Unlink(ctx, inv.Path(p.Operands[0])); err != nil {
		inv.Fail(err, "cannot unlink %s", inv.Quote(p.Operands[0]))
		return 1
	}
	return 0
}
