package programs

import (
	"testing"

	"mirage/shell/programs/progtest"
)

func TestSleep(t *testing.T) {
	progtest.Run(t, All(), "sleep", []progtest.Case{
		{Args: "0"},
		{Args: "0.01"},
		{Args: "", Stderr: "sleep: missing operand\nTry 'sleep --help' for more information.\n", Status: 1},
		{Args: "x", Stderr: "sleep: invalid time interval 'x'\nTry 'sleep --help' for more information.\n", Status: 1},
		{Args: "-1", Stderr: "sleep: invalid option -- '1'\nTry 'sleep --help' for more information.\n", Status: 1},
		{Args: "1x 0", Stderr: "sleep: invalid time interval '1x'\nTry 'sleep --help' for more information.\n", Status: 1},
		{Args: "0s 0m 0h 0d"},
		{Args: "--yy", Stderr: "sleep: unrecognized option '--yy'\nTry 'sleep --help' for more information.\n", Status: 1},
		{Args: "0 .01s"},
		{Args: "0x.01"},
		{Args: "nan", Stderr: "sleep: invalid time interval 'nan'\nTry 'sleep --help' for more information.\n", Status: 1},
		{Args: "1_0", Stderr: "sleep: invalid time interval '1_0'\nTry 'sleep --help' for more information.\n", Status: 1},
		{Args: "1e", Stderr: "sleep: invalid time interval '1e'\nTry 'sleep --help' for more information.\n", Status: 1},
	})
}
