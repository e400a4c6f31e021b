package programs

import (
	"testing"

	"mirage/shell/programs/progtest"
)

func TestCat(t *testing.T) {
	files := map[string]string{"a": "one\n\n\n\ttwo\n", "b": "end\r\nno newline", "d/": "", "bin": "\x00\x7f\x80\xff\n"}
	progtest.Run(t, All(), "cat", []progtest.Case{
		{Args: "a b", Files: files, Stdout: "one\n\n\n\ttwo\nend\r\nno newline"},
		{Args: "- b", Files: files, Stdin: "in\n", Stdout: "in\nend\r\nno newline"},
		{Args: "", Stdin: "in\n", Stdout: "in\n"},
		{Args: "-n a", Files: files, Stdout: "     1\tone\n     2\t\n     3\t\n     4\t\ttwo\n"},
		{Args: "-b a", Files: files, Stdout: "     1\tone\n\n\n     2\t\ttwo\n"},
		{Args: "-sn a", Files: files, Stdout: "     1\tone\n     2\t\n     3\t\ttwo\n"},
		{Args: "-E b", Files: files, Stdout: "end^M$\nno newline"},
		{Args: "-A a", Files: files, Stdout: "one$\n$\n$\n^Itwo$\n"},
		{Args: "-v bin", Files: files, Stdout: "^@^?M-^@M-^?\n"},
		{Args: "nofile a", Files: files, Stdout: "one\n\n\n\ttwo\n", Stderr: "cat: nofile: No such file or directory\n", Status: 1},
		{Args: "d", Files: files, Stderr: "cat: d: Is a directory\n", Status: 1},
		{Args: "a/b", Files: files, Stderr: "cat: a/b: Not a directory\n", Status: 1},
		{Args: "-Y", Stderr: "cat: invalid option -- 'Y'\nTry 'cat --help' for more information.\n", Status: 1},
		{Args: "--yy", Stderr: "cat: unrecognized option '--yy'\nTry 'cat --help' for more information.\n", Status: 1},
	})
}
