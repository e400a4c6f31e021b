package diff_test

import (
	"testing"

	"mirage/shell/programs"
	"mirage/shell/programs/progtest"
)

func TestDiff(t *testing.T) {
	files := map[string]string{
		"a": "a\nb\nc\n", "b": "a\nB\nc", "x y": "a\nb\nc\n", "empty": "", "bin1": "a\x00b", "bin2": "a\x00c", "bin3": "a\x00bc", "sp": "a \nb\nc\n",
		"d1/f": "1\n", "d2/f": "2\n", "d1/s/g": "1\n", "d2/s/g": "2\n", "d1/o": "o\n", "d2/n": "n\n", "d1/same": "x\n", "d2/same": "x\n", "d1/t": "t\n", "d2/t/": "",
		"la -> a": "", "lb -> b": "", "loop1/l -> .": "", "loop2/l -> .": "", "crlf": "a\r\nb\r\nc\r\n", "pat": "f\n*o\n", "e 1/q r": "1\n", "e 2/q r": "2\n",
	}
	const normal = "2,3c2,3\n< b\n< c\n---\n> B\n> c\n\\ No newline at end of file\n"
	const hint = "diff: Try 'diff --help' for more information.\n"
	const unified = "@@ -1,3 +1,3 @@\n a\n-b\n-c\n+B\n+c\n\\ No newline at end of file\n"
	cases := []progtest.Case{
		{Args: "a b", Stdout: normal, Status: 1},
		{Args: "a a"},
		{Args: "a 'x y'"},
		{Args: "-s a 'x y'", Stdout: "Files a and x y are identical\n"},
		{Args: "-s a a", Stdout: "Files a and a are identical\n"},
		{Args: "-s --label L --label M a a", Stdout: "Files L and M are identical\n"},
		{Args: "-q a b", Stdout: "Files a and b differ\n", Status: 1},
		{Args: "-qi a sp", Stdout: "Files a and sp differ\n", Status: 1},
		{Args: "-qb a sp"},
		{Args: "-q --label L --label M a b", Stdout: "Files L and M differ\n", Status: 1},
		{Args: "-u a b", Stdout: "--- a\t2024-01-02 03:04:05.000000000 +0000\n+++ b\t2024-01-02 03:04:05.000000000 +0000\n" + unified, Status: 1},
		{Args: "-u 'x y' b", Stdout: "--- \"x y\"\t2024-01-02 03:04:05.000000000 +0000\n+++ b\t2024-01-02 03:04:05.000000000 +0000\n" + unified, Status: 1},
		{Args: "--unified=0 --label 'x y' a empty", Stdout: "--- x y\n+++ empty\t2024-01-02 03:04:05.000000000 +0000\n@@ -1,3 +0,0 @@\n-a\n-b\n-c\n", Status: 1},
		{Args: "-c a b", Stdout: "*** a\tTue Jan  2 03:04:05 2024\n--- b\tTue Jan  2 03:04:05 2024\n***************\n*** 1,3 ****\n  a\n! b\n! c\n--- 1,3 ----\n  a\n! B\n! c\n\\ No newline at end of file\n", Status: 1},
		{Args: "-c1 a empty", Env: []string{"LC_ALL=C.UTF-8"}, Stdout: "*** a\t2024-01-02 03:04:05.000000000 +0000\n--- empty\t2024-01-02 03:04:05.000000000 +0000\n***************\n*** 1,3 ****\n- a\n- b\n- c\n--- 0 ----\n", Status: 1},
		{Args: "-1 a b", Stdout: normal, Status: 1},
		{Args: "-e a b", Stdout: "2c\nB\n.\n", Stderr: "diff: b: No newline at end of file\n\n", Status: 2},
		{Args: "-n a b", Stdout: "d2 2\na3 2\nB\nc", Status: 1},
		{Args: "-y a b", Stdout: "a\t\t\t\t\t\t\t\ta\nb\t\t\t\t\t\t\t      |\tB\nc\t\t\t\t\t\t\t      /\tc\n", Status: 1},
		{Args: "-y a a", Stdout: "a\t\t\t\t\t\t\t\ta\nb\t\t\t\t\t\t\t\tb\nc\t\t\t\t\t\t\t\tc\n"},
		{Args: "-D X a b", Stdout: "a\n#ifndef X\nb\nc\n#else /* X */\nB\nc\n#endif /* X */\n", Status: 1},
		{Args: "bin1 bin2", Stdout: "Binary files bin1 and bin2 differ\n", Status: 1},
		{Args: "-q bin1 bin3", Stdout: "Files bin1 and bin3 differ\n", Status: 1},
		{Args: "bin1 bin1"},
		{Args: "-a bin1 bin2", Stdout: "1c1\n< a\x00b\n\\ No newline at end of file\n---\n> a\x00c\n\\ No newline at end of file\n", Status: 1},
		{Args: "--strip-trailing-cr a crlf"},
		{Args: "-Z a crlf"},
		{Args: "-w a crlf"},
		{Args: "- a", Stdin: "a\nb\n", Stdout: "2a3\n> c\n", Status: 1},
		{Args: "a -", Stdin: "a\nb\nc\n"},
		{Args: "- -", Stdin: "a\n"},
		{Args: "nope a", Stderr: "diff: nope: No such file or directory\n", Status: 2},
		{Args: "nope nope2", Stderr: "diff: nope: No such file or directory\ndiff: nope2: No such file or directory\n", Status: 2},
		{Args: "-N nope nope2", Stderr: "diff: nope: No such file or directory\ndiff: nope2: No such file or directory\n", Status: 2},
		{Args: "-uN nope a", Stdout: "--- nope\t1970-01-01 00:00:00.000000000 +0000\n+++ a\t2024-01-02 03:04:05.000000000 +0000\n@@ -0,0 +1,3 @@\n+a\n+b\n+c\n", Status: 1},
		{Args: "-P nope empty"},
		{Args: "-P a nope", Stderr: "diff: nope: No such file or directory\n", Status: 2},
		{Args: "d1 d2", Stdout: "diff d1/f d2/f\n1c1\n< 1\n---\n> 2\nOnly in d2: n\nOnly in d1: o\nCommon subdirectories: d1/s and d2/s\nFile d1/t is a regular file while file d2/t is a directory\n", Status: 1},
		{Args: "-r d1 d2", Stdout: "diff -r d1/f d2/f\n1c1\n< 1\n---\n> 2\nOnly in d2: n\nOnly in d1: o\ndiff -r d1/s/g d2/s/g\n1c1\n< 1\n---\n> 2\nFile d1/t is a regular file while file d2/t is a directory\n", Status: 1},
		{Args: "-rqs d1 d2", Stdout: "Files d1/f and d2/f differ\nOnly in d2: n\nOnly in d1: o\nFiles d1/s/g and d2/s/g differ\nFiles d1/same and d2/same are identical\nFile d1/t is a regular file while file d2/t is a directory\n", Status: 1},
		{Args: "-r -N -x t --exclude=s d1/ d2", Stdout: "diff -r -N -x t '--exclude=s' d1/f d2/f\n1c1\n< 1\n---\n> 2\ndiff -r -N -x t '--exclude=s' d1/n d2/n\n0a1\n> n\ndiff -r -N -x t '--exclude=s' d1/o d2/o\n1d0\n< o\n", Status: 1},
		{Args: "-rP -X pat d1 d2", Stdout: "diff -rP -X pat d1/n d2/n\n0a1\n> n\ndiff -rP -X pat d1/s/g d2/s/g\n1c1\n< 1\n---\n> 2\nFile d1/t is a regular file while file d2/t is a directory\n", Status: 1},
		{Args: "-r -S s d1 d2", Stdout: "diff -r -S s d1/s/g d2/s/g\n1c1\n< 1\n---\n> 2\nFile d1/t is a regular file while file d2/t is a directory\n", Status: 1},
		{Args: "-r 'e 1' 'e 2'", Stdout: "diff -r \"e 1/q r\" \"e 2/q r\"\n1c1\n< 1\n---\n> 2\n", Status: 1},
		{Args: "-ry d1/s d2/s", Stdout: "diff -ry d1/s/g d2/s/g\n1\t\t\t\t\t\t\t      |\t2\n", Status: 1},
		{Args: "-r loop1 loop2", Stderr: "diff: loop1/l: recursive directory loop\n", Status: 2},
		{Args: "d1 f", Stderr: "diff: f: No such file or directory\n", Status: 2},
		{Args: "d1 d2/f", Stdout: "1c1\n< 1\n---\n> 2\n", Status: 1},
		{Args: "d2/f d1/", Stdout: "1c1\n< 2\n---\n> 1\n", Status: 1},
		{Args: "d1 a", Stderr: "diff: d1/a: No such file or directory\n", Status: 2},
		{Args: "- d1", Stderr: "diff: cannot compare '-' to a directory\n", Status: 2},
		{Args: "la lb", Stdout: normal, Status: 1},
		{Args: "--no-dereference la lb", Stdout: "Symbolic links la and lb differ\n", Status: 1},
		{Args: "--no-dereference la a", Stdout: "File la is a symbolic link while file a is a regular file\n", Status: 1},
		{Args: "--from-file=a b 'x y'", Stdout: normal, Status: 1},
		{Args: "--to-file=a d1/f a", Stdout: "1c1,3\n< 1\n---\n> a\n> b\n> c\n", Status: 1},
		{Args: "--to-file=a --from-file=b", Stderr: "diff: --from-file and --to-file both specified\n", Status: 2},
		{Args: "a", Stderr: "diff: missing operand after 'a'\n" + hint, Status: 2},
		{Args: "", Stderr: "diff: missing operand after 'diff'\n" + hint, Status: 2},
		{Args: "a b c", Stderr: "diff: extra operand 'c'\n" + hint, Status: 2},
		{Args: "-u -c a b", Stderr: "diff: conflicting output style options\n" + hint, Status: 2},
		{Args: "-U x a b", Stderr: "diff: invalid context length 'x'\n" + hint, Status: 2},
		{Args: "-W 0 a b", Stderr: "diff: invalid width '0'\n" + hint, Status: 2},
		{Args: "--tabsize=0 a b", Stderr: "diff: invalid tabsize '0'\n" + hint, Status: 2},
		{Args: "--color=foo a b", Stderr: "diff: invalid color 'foo'\n" + hint, Status: 2},
		{Args: "-I [ a b", Stderr: "diff: [: Invalid regular expression\n", Status: 2, AnyStderr: true},
		{Args: "--label a --label b --label c a b", Stderr: "diff: too many file label options\n", Status: 2},
		{Args: "--nope a b", Stderr: "diff: unrecognized option '--nope'\n" + hint, Status: 2},
		{Args: "-X nope d1 d2", Stderr: "diff: nope: No such file or directory\n", Status: 2},
		{Args: "--old-group-format=x --old-group-format=y a b", Stderr: "diff: conflicting --old-group-format option value 'y'\n" + hint, Status: 2},
		{Args: "--unchanged-line-format= --old-line-format= --new-line-format=%L a b", Stdout: "B\nc", Status: 1},
		{Args: "--color a b", Stdout: "\x1b[36m2,3c2,3\x1b[0m\n\x1b[31m< b\x1b[0m\n\x1b[31m< c\x1b[0m\n---\n\x1b[32m> B\x1b[0m\n\x1b[32m> c\x1b[0m\n\\ No newline at end of file\n", Status: 1, Terminal: true},
		{Args: "--color a b", Stdout: normal, Status: 1},
	}
	for i := range cases {
		cases[i].Files = files
	}
	progtest.Run(t, programs.All(), "diff", cases)
}
