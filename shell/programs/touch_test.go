package programs

import (
	"testing"

	"mirage/shell/programs/progtest"
)

func TestTouch(t *testing.T) {
	files := map[string]string{"f": "x", "d/": "", "l -> f": "", "broken -> nope": ""}
	progtest.Run(t, All(), "touch", []progtest.Case{
		{Args: "f", Files: files, Tree: []string{`broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`}},
		{Args: "new", Files: files, Tree: []string{`broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`, `new -rw-r--r-- ""`}},
		{Args: "-c nope", Files: files, Tree: []string{`broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`}},
		{Args: "no/x", Files: files, Stderr: "touch: cannot touch 'no/x': No such file or directory\n", Status: 1, Tree: []string{`broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`}},
		{Args: "-c no/x", Files: files, Tree: []string{`broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`}},
		{Args: "-d foo x", Files: files, Stderr: "touch: invalid date format 'foo'\n", Status: 1, Tree: []string{`broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`}},
		{Args: "-t 99 x", Files: files, Stderr: "touch: invalid date format '99'\n", Status: 1, Tree: []string{`broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`}},
		{Args: "-r nope x", Files: files, Stderr: "touch: failed to get attributes of 'nope': No such file or directory\n", Status: 1, Tree: []string{`broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`}},
		{Args: "-t 202001010000 -r f x", Files: files, Stderr: "touch: cannot specify times from more than one source\nTry 'touch --help' for more information.\n", Status: 1, Tree: []string{`broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`}},
		{Args: "--time=foo x", Files: files, Stderr: "touch: invalid argument 'foo' for '--time'\nValid arguments are:\n  - 'atime', 'access', 'use'\n  - 'mtime', 'modify'\nTry 'touch --help' for more information.\n", Status: 1, Tree: []string{`broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`}},
		{Args: "-h nope", Files: files, Stderr: "touch: setting times of 'nope': No such file or directory\n", Status: 1, Tree: []string{`broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`}},
		{Args: "-h l", Files: files, Tree: []string{`broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`}},
		{Args: "", Files: files, Stderr: "touch: missing file operand\nTry 'touch --help' for more information.\n", Status: 1, Tree: []string{`broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`}},
		{Args: "-", Files: files, Tree: []string{`broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`}},
		{Args: "d", Files: files, Tree: []string{`broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`}},
		{Args: "d/new", Files: files, Tree: []string{`broken -> nope`, `d drwxr-xr-x`, `d/new -rw-r--r-- ""`, `f -rw-r--r-- "x"`, `l -> f`}},
		{Args: "-t 202013010000 x", Files: files, Stderr: "touch: invalid date format '202013010000'\n", Status: 1, Tree: []string{`broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`}},
		{Args: "-t 0101000060 x", Files: files, Stderr: "touch: invalid date format '0101000060'\n", Status: 1, Tree: []string{`broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`}},
		{Args: "12010000 x", Files: files, Tree: []string{`12010000 -rw-r--r-- ""`, `broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`, `x -rw-r--r-- ""`}},
		{Args: "broken", Files: files, Tree: []string{`broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`, `nope -rw-r--r-- ""`}},
		{Args: `-d "" x`, Files: files, Tree: []string{`broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`, `x -rw-r--r-- ""`}},
		{Args: "f/", Files: files, Stderr: "touch: setting times of 'f/': Not a directory\n", Status: 1, Tree: []string{`broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`}},
		{Args: "new/", Files: files, Stderr: "touch: setting times of 'new/': No such file or directory\n", Status: 1, Tree: []string{`broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`}},
		{Args: "-acm f", Files: files, Tree: []string{`broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`}},
		{Args: "f/x", Files: files, Stderr: "touch: cannot touch 'f/x': Not a directory\n", Status: 1, Tree: []string{`broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`}},
		{Args: "-t 202001010000.60 x", Files: files, Tree: []string{`broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`, `x -rw-r--r-- ""`}},
		{Args: "-t 202001010000.5 x", Files: files, Stderr: "touch: invalid date format '202001010000.5'\n", Status: 1, Tree: []string{`broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`}},
		{Args: "-a", Files: files, Stderr: "touch: missing file operand\nTry 'touch --help' for more information.\n", Status: 1, Tree: []string{`broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`}},
		{Args: `-d "2020-01-02 03:04" a b`, Files: files, Tree: []string{`a -rw-r--r-- ""`, `b -rw-r--r-- ""`, `broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`}},
		{Args: "-r f a", Files: files, Tree: []string{`a -rw-r--r-- ""`, `broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`}},
		{Args: "--no-create a", Files: files, Tree: []string{`broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`}},
		{Args: "-f a", Files: files, Tree: []string{`a -rw-r--r-- ""`, `broken -> nope`, `d drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> f`}},
	})
}
