package programs

import (
	"testing"

	"mirage/shell/programs/progtest"
)

func TestWhoami(t *testing.T) {
	progtest.Run(t, All(), "whoami", []progtest.Case{
		{Args: "", Stdout: "root\n"},
		{Args: "x", Stderr: "whoami: extra operand 'x'\nTry 'whoami --help' for more information.\n", Status: 1},
		{Args: "--foo", Stderr: "whoami: unrecognized option '--foo'\nTry 'whoami --help' for more information.\n", Status: 1},
	})
}
