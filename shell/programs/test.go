package programs

import (
	"context"

	"mirage/shell/program"
	"mirage/shell/test"
)

// runTest is the program test, which env, xargs and find run; the shell has a
// builtin of the same rules.
func runTest(ctx context.Context, inv *program.Invocation) int {
	return testArgs(ctx, inv, inv.Args)
}

// runBracket is the program [.
func runBracket(ctx context.Context, inv *program.Invocation) int {
	n := len(inv.Args)
	if n == 0 || inv.Args[n-1] != "]" {
		inv.Errorf("missing ']'")
		return 2
	}
	return testArgs(ctx, inv, inv.Args[:n-1])
}

func testArgs(ctx context.Context, inv *program.Invocation, args []string) int {
	env := &test.Env{GNU: true, FS: inv.FS, Dir: inv.Dir, Terminal: func(fd int) bool {
		_, _, ok := inv.Terminal(fd)
		return ok
	}}
	yes, err := test.Eval(ctx, env, args)
	switch {
	case err != nil:
		inv.Errorf("%s", err)
		return 2
	case yes:
		return 0
	}
	return 1
}
