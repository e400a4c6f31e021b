package programs

import (
	"testing"

	"mirage/shell/programs/progtest"
)

func TestDd(t *testing.T) {
	files := map[string]string{"f": "Hello, World\n", "e": "", "d/": ""}
	try := "Try 'dd --help' for more information.\n"
	progtest.Run(t, All(), "dd", []progtest.Case{
		{Args: "if=f status=none", Files: files, Stdout: "Hello, World\n"},
		{Args: "status=noxfer bs=5", Files: files, Stdin: "Hello, World\n", Stdout: "Hello, World\n", Stderr: "2+1 records in\n2+1 records out\n"},
		{Args: "if=f ibs=3 obs=4 status=noxfer", Files: files, Stdout: "Hello, World\n", Stderr: "4+1 records in\n3+1 records out\n"},
		{Args: "if=f bs=2 skip=1 count=2 status=noxfer", Files: files, Stdout: "llo,", Stderr: "2+0 records in\n2+0 records out\n"},
		{Args: "if=f skip=7B count=3B status=noxfer", Files: files, Stdout: "Wor", Stderr: "0+1 records in\n0+1 records out\n"},
		{Args: "if=f iflag=skip_bytes,count_bytes skip=7 count=3 status=none", Files: files, Stdout: "Wor"},
		{Args: "if=f bs=100 skip=1 status=noxfer", Files: files, Stderr: "dd: f: cannot skip to specified offset\n0+0 records in\n0+0 records out\n"},
		{Args: "if=f conv=ucase status=none", Files: files, Stdout: "HELLO, WORLD\n"},
		{Args: "if=f conv=lcase status=none", Files: files, Stdout: "hello, world\n"},
		{Args: "if=f conv=swab status=none", Files: files, Stdout: "eHll,oW rodl\n"},
		{Args: "if=f bs=8 conv=sync status=noxfer", Files: files, Stdout: "Hello, World\n\x00\x00\x00", Stderr: "1+1 records in\n2+0 records out\n"},
		{Args: "if=f of=g bs=4 count=1x2 status=none", Files: files, Tree: []string{"d drwxr-xr-x", "e -rw-r--r-- \"\"", "f -rw-r--r-- \"Hello, World\\n\"", "g -rw-r--r-- \"Hello, W\""}},
		{Args: "if=e of=f seek=5 bs=1 status=none", Files: files, Tree: []string{"d drwxr-xr-x", "e -rw-r--r-- \"\"", "f -rw-r--r-- \"Hello\""}},
		{Args: "of=f seek=7 bs=1 conv=notrunc status=none", Files: files, Stdin: "you", Tree: []string{"d drwxr-xr-x", "e -rw-r--r-- \"\"", "f -rw-r--r-- \"Hello, yould\\n\""}},
		{Args: "of=f oflag=append conv=notrunc status=none", Files: files, Stdin: "x", Tree: []string{"d drwxr-xr-x", "e -rw-r--r-- \"\"", "f -rw-r--r-- \"Hello, World\\nx\""}},
		{Args: "if=nope", Files: files, Stderr: "dd: failed to open 'nope': No such file or directory\n", Status: 1},
		{Args: "if=f of=nope/x", Files: files, Stderr: "dd: failed to open 'nope/x': No such file or directory\n", Status: 1},
		{Args: "if=f of=g conv=nocreat", Files: files, Stderr: "dd: failed to open 'g': No such file or directory\n", Status: 1},
		{Args: "if=f of=e conv=excl", Files: files, Stderr: "dd: failed to open 'e': File exists\n", Status: 1},
		{Args: "if=d status=noxfer", Files: files, Stderr: "dd: error reading 'd': Is a directory\n0+0 records in\n0+0 records out\n", Status: 1},
		{Args: "foo", Files: files, Stderr: "dd: unrecognized operand 'foo'\n" + try, Status: 1},
		{Args: "foo=1", Files: files, Stderr: "dd: unrecognized operand 'foo=1'\n" + try, Status: 1},
		{Args: "conv=xx", Files: files, Stderr: "dd: invalid conversion: 'xx'\n" + try, Status: 1},
		{Args: "iflag=zz", Files: files, Stderr: "dd: invalid input flag: 'zz'\n" + try, Status: 1},
		{Args: "status=q", Files: files, Stderr: "dd: invalid status level: 'q'\n" + try, Status: 1},
		{Args: "bs=0", Files: files, Stderr: "dd: invalid number: '0'\n", Status: 1},
		{Args: "bs=1q", Files: files, Stderr: "dd: invalid number: '1q'\n", Status: 1},
		{Args: "bs=99999999999999999999", Files: files, Stderr: "dd: invalid number: '99999999999999999999': Value too large for defined data type\n", Status: 1},
		{Args: "conv=lcase,ucase", Files: files, Stderr: "dd: cannot combine lcase and ucase\n", Status: 1},
		{Args: "conv=ebcdic", Files: files, Stderr: "dd: conversion 'ebcdic': Operation not supported\n", Status: 1, OursOnly: "no code pages here"},
		{Args: "status=progress", Files: files, Stderr: "dd: status=progress: Operation not supported\n", Status: 1, OursOnly: "no timed output here"},
		{Args: "-x", Files: files, Stderr: "dd: invalid option -- 'x'\n" + try, Status: 1},
	})
}

func TestDdScale(t *testing.T) {
	for n, want := range map[int64]string{1000: "1.0 kB", 1500: "1.5 kB", 12345: "12 kB", 2000000: "2.0 MB"} {
		if got := ddHuman(n, 1000); got != want {
			t.Errorf("ddHuman(%d, 1000) = %q, want %q", n, got, want)
		}
	}
	if got := ddHuman(2000000, 1024); got != "1.9 MiB" {
		t.Errorf("ddHuman(2000000, 1024) = %q, want 1.9 MiB", got)
	}
	if got := ddRate(0); got != "0.0 kB" {
		t.Errorf("ddRate(0) = %q, want 0.0 kB", got)
	}
}
