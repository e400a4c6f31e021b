package programs

import (
	"testing"

	"mirage/shell/programs/progtest"
)

func TestNice(t *testing.T) {
	try := "Try 'nice --help' for more information.\n"
	progtest.Run(t, All(), "nice", []progtest.Case{
		{Args: "", Stdout: "0\n", OursOnly: "the niceness of the tests is not ours to tell"},
		{Args: "echo a b", Stdout: "a b\n"},
		{Args: "-n 5 echo -n x", Stdout: "x"},
		{Args: "-n 5 -7 --adjustment=+3 cat", Stdin: "in", Stdout: "in"},
		{Args: "-- echo x", Stdout: "x\n"},
		{Args: "false", Status: 1},
		{Args: "-n x true", Stderr: "nice: invalid adjustment 'x'\n", Status: 125},
		{Args: "-n", Stderr: "nice: option requires an argument -- 'n'\n" + try, Status: 125},
		{Args: "-n 5", Stderr: "nice: a command must be given with an adjustment\n" + try, Status: 125},
		{Args: "-x", Stderr: "nice: invalid option -- 'x'\n" + try, Status: 125},
		{Args: "nope", Stderr: "nice: 'nope': No such file or directory\n", Status: 127},
	})
}

func TestNohup(t *testing.T) {
	try := "Try 'nohup --help' for more information.\n"
	progtest.Run(t, All(), "nohup", []progtest.Case{
		{Args: "echo -n hi", Stdout: "hi"},
		{Args: "cat", Stdin: "in", Stdout: "in"},
		{Args: "false", Status: 1},
		{Args: "echo hi", Terminal: true, Stderr: "nohup: appending output to 'nohup.out'\n", Tree: []string{"nohup.out -rw------- \"hi\\n\""}, OursOnly: "needs a terminal"},
		{Args: "", Stderr: "nohup: missing operand\n" + try, Status: 125},
		{Args: "-x", Stderr: "nohup: invalid option -- 'x'\n" + try, Status: 125},
		{Args: "nope", Stderr: "nohup: failed to run command 'nope': No such file or directory\n", Status: 127},
	})
}

func TestStdbuf(t *testing.T) {
	try := "Try 'stdbuf --help' for more information.\n"
	progtest.Run(t, All(), "stdbuf", []progtest.Case{
		{Args: "-oL -e 0 --input=1K cat", Stdin: "in", Stdout: "in"},
		{Args: "-o0 false", Status: 1},
		{Args: "-oz true", Stderr: "stdbuf: invalid mode 'z'\n", Status: 125},
		{Args: "-iL true", Stderr: "stdbuf: line buffering stdin is meaningless\n" + try, Status: 125},
		{Args: "true", Stderr: "stdbuf: you must specify a buffering mode option\n" + try, Status: 125},
		{Args: "-o0", Stderr: "stdbuf: missing operand\n" + try, Status: 125},
		{Args: "-o0 nope", Stderr: "stdbuf: failed to run command 'nope': No such file or directory\n", Status: 127},
	})
}

func TestMkfifo(t *testing.T) {
	progtest.Run(t, All(), "mkfifo", []progtest.Case{
		{Args: "", Stderr: "mkfifo: missing operand\nTry 'mkfifo --help' for more information.\n", Status: 1},
		{Args: "-m zz x", Stderr: "mkfifo: invalid mode\n", Status: 1},
		{Args: "-m 600 x y", Stderr: "mkfifo: cannot create fifo 'x': Operation not supported\nmkfifo: cannot create fifo 'y': Operation not supported\n", Status: 1, OursOnly: "no named pipes here", Tree: []string{}},
	})
}
