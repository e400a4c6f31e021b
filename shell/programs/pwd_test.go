package programs

import (
	"testing"

	"mirage/shell/programs/progtest"
)

func TestPwd(t *testing.T) {
	files := map[string]string{"d/": ""}
	progtest.Run(t, All(), "pwd", []progtest.Case{
		{Args: "", Files: files, Stdout: "/w\n"},
		{Args: "-P", Files: files, Stdout: "/w\n"},
		{Args: "-L", Files: files, Stdout: "/w\n"},
		{Args: "x", Files: files, Stdout: "/w\n", Stderr: "pwd: ignoring non-option arguments\n"},
		{Args: "-x", Files: files, Stderr: "pwd: invalid option -- 'x'\nTry 'pwd --help' for more information.\n", Status: 1},
		{Args: "--help=1", Files: files, Stderr: "pwd: option '--help' doesn't allow an argument\nTry 'pwd --help' for more information.\n", Status: 1},
	})
}
