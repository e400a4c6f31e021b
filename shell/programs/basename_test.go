package programs

import (
	"testing"

	"mirage/shell/programs/progtest"
)

func TestBasename(t *testing.T) {
	progtest.Run(t, All(), "basename", []progtest.Case{
		{Args: "/usr/bin/sort", Stdout: "sort\n"},
		{Args: "include/stdio.h .h", Stdout: "stdio\n"},
		{Args: "-s .h include/stdio.h", Stdout: "stdio\n"},
		{Args: "-a any/str1 any/str2", Stdout: "str1\nstr2\n"},
		{Args: "/", Stdout: "/\n"},
		{Args: "//", Stdout: "/\n"},
		{Args: `""`, Stdout: "\n"},
		{Args: "a/ b", Stdout: "a\n"},
		{Args: "abc abc", Stdout: "abc\n"},
		{Args: "-z x", Stdout: "x\x00"},
		{Args: `"" ""`, Stdout: "\n"},
		{Args: "", Stderr: "basename: missing operand\nTry 'basename --help' for more information.\n", Status: 1},
		{Args: "a b c", Stderr: "basename: extra operand 'c'\nTry 'basename --help' for more information.\n", Status: 1},
		{Args: "-a", Stderr: "basename: missing operand\nTry 'basename --help' for more information.\n", Status: 1},
		{Args: "fs fs", Stdout: "fs\n"},
		{Args: "--help=1", Stderr: "basename: option '--help' doesn't allow an argument\nTry 'basename --help' for more information.\n", Status: 1},
		{Args: "a// /", Stdout: "a\n"},
		{Args: "-s .c a.c b.c", Stdout: "a\nb\n"},
		{Args: "x -a", Stdout: "x\n"},
	})
}

func TestDirname(t *testing.T) {
	progtest.Run(t, All(), "dirname", []progtest.Case{
		{Args: "/usr/bin/", Stdout: "/usr\n"},
		{Args: "dir1/str dir2/str", Stdout: "dir1\ndir2\n"},
		{Args: "stdio.h", Stdout: ".\n"},
		{Args: "/", Stdout: "/\n"},
		{Args: "//", Stdout: "/\n"},
		{Args: "//a", Stdout: "/\n"},
		{Args: "a//b//", Stdout: "a\n"},
		{Args: `""`, Stdout: ".\n"},
		{Args: "-z a/b c", Stdout: "a\x00.\x00"},
		{Args: "", Stderr: "dirname: missing operand\nTry 'dirname --help' for more information.\n", Status: 1},
		{Args: "/a", Stdout: "/\n"},
		{Args: "a/b/../c", Stdout: "a/b/..\n"},
	})
}
