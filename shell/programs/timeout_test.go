package programs

import (
	"testing"

	"mirage/shell/programs/progtest"
)

func TestTimeout(t *testing.T) {
	files := map[string]string{"d/": ""}
	progtest.Run(t, All(), "timeout", []progtest.Case{
		{Args: "1", Files: files, Stderr: "Try 'timeout --help' for more information.\n", Status: 125},
		{Args: "x true", Files: files, Stderr: "timeout: invalid time interval 'x'\nTry 'timeout --help' for more information.\n", Status: 125},
		{Args: "-s FOO 1 true", Files: files, Stderr: "timeout: 'FOO': invalid signal\nTry 'timeout --help' for more information.\n", Status: 125},
		{Args: "-k x 1 true", Files: files, Stderr: "timeout: invalid time interval 'x'\nTry 'timeout --help' for more information.\n", Status: 125},
		{Args: "1 nonexist", Files: files, Stderr: "timeout: failed to run command 'nonexist': No such file or directory\n", Status: 127},
		{Args: "1 ./d", Files: files, Stderr: "timeout: failed to run command './d': Permission denied\n", Status: 126},
		{Args: "5 false", Files: files, Status: 1},
		{Args: "0.05 sleep 5", Files: files, Status: 124},
		{Args: "-v .05 sleep 5", Files: files, Stderr: "timeout: sending signal TERM to command 'sleep'\n", Status: 124},
		{Args: "-s INT 0.05 sleep 5", Files: files, Status: 124},
		{Args: "--preserve-status 0.05 sleep 5", Files: files, Status: 143},
		{Args: "-v -s usr1 --preserve-status .05 sleep 5", Files: files, Stderr: "timeout: sending signal USR1 to command 'sleep'\n", Status: 138},
		{Args: "0 true", Files: files},
		{Args: "1d true", Files: files},
		{Args: "", Files: files, Stderr: "Try 'timeout --help' for more information.\n", Status: 125},
		{Args: "-x", Files: files, Stderr: "timeout: invalid option -- 'x'\nTry 'timeout --help' for more information.\n", Status: 125},
		{Args: "5 basename a/b", Files: files, Stdout: "b\n"},
		{Args: "--foreground 0.05 sleep 5", Files: files, Status: 124},
		{Args: "-k 1", Files: files, Stderr: "Try 'timeout --help' for more information.\n", Status: 125},
		{Args: "0x1p-4 sleep 9", Files: files, Status: 124},
	})
}
