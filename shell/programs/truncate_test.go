package programs

import (
	"strings"
	"testing"

	"mirage/shell/programs/progtest"
)

func TestTruncate(t *testing.T) {
	files := map[string]string{"f": "hello world", "g": "abc", "d/": ""}
	progtest.Run(t, All(), "truncate", []progtest.Case{
		{Args: "-s 5 f", Files: files, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hello"`, `g -rw-r--r-- "abc"`}},
		{Args: "-s +3 f", Files: files, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hello world\x00\x00\x00"`, `g -rw-r--r-- "abc"`}},
		{Args: "-s -3 f", Files: files, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hello wo"`, `g -rw-r--r-- "abc"`}},
		{Args: "-s -30 f", Files: files, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- ""`, `g -rw-r--r-- "abc"`}},
		{Args: `-s "<4" f`, Files: files, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hell"`, `g -rw-r--r-- "abc"`}},
		{Args: `-s "<40" f`, Files: files, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hello world"`, `g -rw-r--r-- "abc"`}},
		{Args: `-s ">13" f`, Files: files, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hello world\x00\x00"`, `g -rw-r--r-- "abc"`}},
		{Args: `-s "/4" f`, Files: files, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hello wo"`, `g -rw-r--r-- "abc"`}},
		{Args: "-s %4 f", Files: files, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hello world\x00"`, `g -rw-r--r-- "abc"`}},
		{Args: "-s 1K -c nope", Files: files, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hello world"`, `g -rw-r--r-- "abc"`}},
		{Args: "-s 2 nope", Files: files, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hello world"`, `g -rw-r--r-- "abc"`, `nope -rw-r--r-- "\x00\x00"`}},
		{Args: "-r g f", Files: files, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hel"`, `g -rw-r--r-- "abc"`}},
		{Args: "-r g -s +1 f", Files: files, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hell"`, `g -rw-r--r-- "abc"`}},
		{Args: "-r g -s 1 f", Files: files, Stderr: "truncate: you must specify a relative '--size' with '--reference'\nTry 'truncate --help' for more information.\n", Status: 1, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hello world"`, `g -rw-r--r-- "abc"`}},
		{Args: "-s x f", Files: files, Stderr: "truncate: Invalid number: 'x'\n", Status: 1, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hello world"`, `g -rw-r--r-- "abc"`}},
		{Args: "-s 1 -o g", Files: files, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hello world"`, `g -rw-r--r-- "abc` + strings.Repeat(`\x00`, 4093) + `"`}},
		{Args: "-o g", Files: files, Stderr: "truncate: you must specify either '--size' or '--reference'\nTry 'truncate --help' for more information.\n", Status: 1, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hello world"`, `g -rw-r--r-- "abc"`}},
		{Args: "", Files: files, Stderr: "truncate: you must specify either '--size' or '--reference'\nTry 'truncate --help' for more information.\n", Status: 1, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hello world"`, `g -rw-r--r-- "abc"`}},
		{Args: "-s 1", Files: files, Stderr: "truncate: missing file operand\nTry 'truncate --help' for more information.\n", Status: 1, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hello world"`, `g -rw-r--r-- "abc"`}},
		{Args: "-s +-5 f", Files: files, Stderr: "truncate: Invalid number: '+-5'\n", Status: 1, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hello world"`, `g -rw-r--r-- "abc"`}},
		{Args: "-s %0 f", Files: files, Stderr: "truncate: division by zero\n", Status: 1, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hello world"`, `g -rw-r--r-- "abc"`}},
		{Args: "-s 5 d", Files: files, Stderr: "truncate: cannot open 'd' for writing: Is a directory\n", Status: 1, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hello world"`, `g -rw-r--r-- "abc"`}},
		{Args: "-s 5 no/f", Files: files, Stderr: "truncate: cannot open 'no/f' for writing: No such file or directory\n", Status: 1, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hello world"`, `g -rw-r--r-- "abc"`}},
		{Args: "-r nope f", Files: files, Stderr: "truncate: cannot stat 'nope': No such file or directory\n", Status: 1, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hello world"`, `g -rw-r--r-- "abc"`}},
		{Args: `-s " 3" f`, Files: files, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hel"`, `g -rw-r--r-- "abc"`}},
		{Args: "-s 1b f", Files: files, Stderr: "truncate: Invalid number: '1b'\n", Status: 1, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hello world"`, `g -rw-r--r-- "abc"`}},
		{Args: "-s", Files: files, Stderr: "truncate: option requires an argument -- 's'\nTry 'truncate --help' for more information.\n", Status: 1, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hello world"`, `g -rw-r--r-- "abc"`}},
		{Args: "-s 3 f g", Files: files, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hel"`, `g -rw-r--r-- "abc"`}},
		{Args: "-s -1 -r nope f", Files: files, Stderr: "truncate: cannot stat 'nope': No such file or directory\n", Status: 1, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hello world"`, `g -rw-r--r-- "abc"`}},
		{Args: "-s 99999999999999999999 f", Files: files, Stderr: "truncate: Invalid number: '99999999999999999999': Value too large for defined data type\n", Status: 1, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hello world"`, `g -rw-r--r-- "abc"`}},
		{Args: `-s "< 4" f`, Files: files, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hell"`, `g -rw-r--r-- "abc"`}},
		{Args: `-s ">" f`, Files: files, Stderr: "truncate: Invalid number: ''\n", Status: 1, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "hello world"`, `g -rw-r--r-- "abc"`}},
	})
}
