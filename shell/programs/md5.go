package programs

import (
	"context"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
)

var md5Spec = getopt.Spec{
	Name:     "md5",
	Synopsis: []string{"[FILE]..."},
	Summary: "Print the MD5 checksums of FILEs as md5sum does.\n\n" +
		"With no FILE, or when FILE is -, read standard input.",
}

// runMd5 is the short name that BSD has for md5sum, in md5sum's layout.
func runMd5(ctx context.Context, inv *program.Invocation) int {
	p := md5Spec.Parse(inv)
	for p.Next() {
	}
	if p.Stopped {
		return p.Status
	}
	c := &checksumRun{checksumKind: checksumKinds()[0], inv: inv}
	return c.print(ctx, p.Operands)
}
