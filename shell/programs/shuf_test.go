package programs

import (
	"testing"

	"mirage/shell/programs/progtest"
)

func TestShuf(t *testing.T) {
	files := map[string]string{"f": "line 0\nline 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\nline 8\nline 9\nline 10\nline 11\n", "r": "2972bb044d96df2871ba034c95de2770b9024b94dd266fb8014a93dc256eb7004992db246db6ff4891da236cb5fe4790d9226bb4fd468fd8216ab3fc458ed72069b2fb448dd61f68b1fa438cd51e67b0f9428bd41d66aff8418ad31c65aef74089d21b64adf63f88d11a63acf53e87d01962abf43d86cf1861aaf33c85ce1760a9f23b84cd165fa8f13a83cc155ea7f03982cb145da6ef3881ca135ca5ee3780c9125ba4ed367fc8115aa3ec357ec71059a2eb347dc60f58a1ea337cc50e57a0e9327bc40d569fe8317ac30c559ee73079c20b549de62f78c10a539ce52e77c009529be42d76bf08519ae32c75be075099e22b74bd064f98e12a73bc054e97e02972bb044d96df2871ba034c95de2770b9024b94dd266fb8014a93dc256eb7004992db246db6ff4891da236cb5fe4790d9226bb4fd468fd8216ab3fc458ed72069b2fb448dd61f68b1fa438cd51e67b0f9428bd41d66aff8418ad31c65aef74089d21b64adf63f88d11a63acf53e87d01962abf43d86cf1861aaf33c85ce1760a9f23b84cd165fa8f13a83cc155ea7f0", "e": "", "d/": ""}
	progtest.Run(t, All(), "shuf", []progtest.Case{
		{Args: "--random-source=r f", Files: files, Stdout: "line 2\nline 5\nline 9\nline 8\nline 11\nline 4\nline 6\nline 7\nline 10\nline 1\nline 3\nline 0\n"},
		{Args: "-n 3 --random-source=r f", Files: files, Stdout: "line 2\nline 5\nline 9\n"},
		{Args: "-i 1-20 --random-source=r", Files: files, Stdout: "11\n20\n14\n9\n7\n12\n13\n1\n6\n4\n19\n10\n5\n17\n2\n18\n8\n15\n3\n16\n"},
		{Args: "-i 5-1000000 -n 4 --random-source r", Files: files, Stdout: "291464\n209512\n434911\n406636\n"},
		{Args: "-e --random-source=r a b c d e", Files: files, Stdout: "a\nd\ne\nb\nc\n"},
		{Args: "-r -n 6 --random-source=r f", Files: files, Stdout: "line 2\nline 4\nline 9\nline 4\nline 7\nline 4\n"},
		{Args: "-z -e a", Files: files, Stdout: "a\x00"},
		{Args: "-i 4-4", Files: files, Stdout: "4\n"},
		{Args: "-n 0 nope", Files: files},
		{Args: "-n x", Files: files, Stderr: "shuf: invalid line count: 'x'\n", Status: 1},
		{Args: "-i 1", Files: files, Stderr: "shuf: invalid input range: '1'\n", Status: 1},
		{Args: "-i 5-1", Files: files, Stderr: "shuf: invalid input range: '5-1'\n", Status: 1},
		{Args: "-i x-3", Files: files, Stderr: "shuf: invalid input range: 'x'\n", Status: 1},
		{Args: "-i 3-x", Files: files, Stderr: "shuf: invalid input range: 'x'\n", Status: 1},
		{Args: "-e -i 1-2", Files: files, Stderr: "shuf: cannot combine -e and -i options\nTry 'shuf --help' for more information.\n", Status: 1},
		{Args: "-i 1-2 x", Files: files, Stderr: "shuf: extra operand 'x'\nTry 'shuf --help' for more information.\n", Status: 1},
		{Args: "f f", Files: files, Stderr: "shuf: extra operand 'f'\nTry 'shuf --help' for more information.\n", Status: 1},
		{Args: "-r -n 2 -e", Files: files, Stderr: "shuf: no lines to repeat\n", Status: 1},
		{Args: "nope", Files: files, Stderr: "shuf: nope: No such file or directory\n", Status: 1},
		{Args: "d", Files: files, Stderr: "shuf: read error: Is a directory\n", Status: 1},
		{Args: "e", Files: files},
		{Args: "-r --random-source=e -n1 -e a b", Files: files, Stderr: "shuf: 'e': end of file\n", Status: 1},
		{Args: "-o x -o y", Files: files, Stderr: "shuf: multiple output files specified\n", Status: 1},
		{Args: "--random-source=nope f", Files: files, Stderr: "shuf: nope: No such file or directory\n", Status: 1},
	})
}
