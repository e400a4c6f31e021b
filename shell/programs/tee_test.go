package programs

import (
	"testing"

	"mirage/shell/programs/progtest"
)

func TestTee(t *testing.T) {
	files := map[string]string{"f": "old\n", "d/": ""}
	progtest.Run(t, All(), "tee", []progtest.Case{
		{Args: "", Files: files, Stdin: "in\n", Stdout: "in\n", Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "old\n"`}},
		{Args: "f", Files: files, Stdin: "in\n", Stdout: "in\n", Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "in\n"`}},
		{Args: "-a f g", Files: files, Stdin: "in\n", Stdout: "in\n", Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "old\nin\n"`, `g -rw-r--r-- "in\n"`}},
		{Args: "d f", Files: files, Stdin: "in\n", Stdout: "in\n", Stderr: "tee: d: Is a directory\n", Status: 1, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "in\n"`}},
		{Args: "no/f", Files: files, Stdin: "in\n", Stdout: "in\n", Stderr: "tee: no/f: No such file or directory\n", Status: 1, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "old\n"`}},
		{Args: "f f2", Files: files, Stdin: "in\n", Stdout: "in\n", Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "in\n"`, `f2 -rw-r--r-- "in\n"`}},
		{Args: "-p f", Files: files, Stdin: "in\n", Stdout: "in\n", Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "in\n"`}},
		{Args: "--output-error=foo f", Files: files, Stdin: "in\n", Stderr: "tee: invalid argument 'foo' for '--output-error'\nValid arguments are:\n  - 'warn'\n  - 'warn-nopipe'\n  - 'exit'\n  - 'exit-nopipe'\nTry 'tee --help' for more information.\n", Status: 1, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "old\n"`}},
		{Args: "--output-error f", Files: files, Stdin: "in\n", Stdout: "in\n", Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "in\n"`}},
		{Args: "--output-error=exit d g", Files: files, Stdin: "in\n", Stderr: "tee: d: Is a directory\n", Status: 1, Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "old\n"`}},
		{Args: "-", Files: files, Stdin: "in\n", Stdout: "in\n", Tree: []string{`- -rw-r--r-- "in\n"`, `d drwxr-xr-x`, `f -rw-r--r-- "old\n"`}},
		{Args: "-i x", Files: files, Stdin: "in\n", Stdout: "in\n", Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "old\n"`, `x -rw-r--r-- "in\n"`}},
		{Args: "--ap f", Files: files, Stdin: "in\n", Stdout: "in\n", Tree: []string{`d drwxr-xr-x`, `f -rw-r--r-- "old\nin\n"`}},
	})
}
