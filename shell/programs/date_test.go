package programs

import (
	"testing"

	"mirage/shell/programs/progtest"
)

func TestDate(t *testing.T) {
	progtest.Run(t, All(), "date", []progtest.Case{
		{Args: "", Stdout: "Wed May  6 07:08:09 UTC 2026\n", AnyStdout: true},
		{Args: "-u -d @0", Stdout: "Thu Jan  1 00:00:00 UTC 1970\n"},
		{Args: "-d 2024-02-29 +%F_%j_%a", Stdout: "2024-02-29_060_Thu\n"},
		{Args: "-d '2024-01-31 +1 month' +%F", Stdout: "2024-03-02\n"},
		{Args: "-d '2024-05-05 10:00 2 days ago' '+%F %T'", Stdout: "2024-05-03 10:00:00\n"},
		{Args: "-Iseconds -d @1700000000", Stdout: "2023-11-14T22:13:20+00:00\n"},
		{Args: "-Ins -d @1.5", Stdout: "1970-01-01T00:00:01,500000000+00:00\n"},
		{Args: "-I -d @0", Stdout: "1970-01-01\n"},
		{Args: "-R -d @0", Stdout: "Thu, 01 Jan 1970 00:00:00 +0000\n"},
		{Args: "--rfc-3339=seconds -d @0", Stdout: "1970-01-01 00:00:00+00:00\n"},
		{Args: "-d @0 '+%s %N %3N %:z %-d %^a %_H'", Stdout: "0 000000000 000 +00:00 1 THU  0\n"},
		{Args: "-d @0", Env: []string{"TZ=Europe/Berlin"}, Stdout: "Thu Jan  1 01:00:00 CET 1970\n"},
		{Args: "-u -d @0", Env: []string{"TZ=Europe/Berlin"}, Stdout: "Thu Jan  1 00:00:00 UTC 1970\n"},
		{Args: "-f -", Stdin: "@0\nnonsense\n@1\n", Stdout: "Thu Jan  1 00:00:00 UTC 1970\nThu Jan  1 00:00:01 UTC 1970\n", Stderr: "date: invalid date 'nonsense'\n", Status: 1},
		{Args: "-r nope", Stderr: "date: nope: No such file or directory\n", Status: 1},
		{Args: "-d nonsense", Stderr: "date: invalid date 'nonsense'\n", Status: 1},
		{Args: "-d @0 -r x", Stderr: "date: the options to specify dates for printing are mutually exclusive\nTry 'date --help' for more information.\n", Status: 1},
		{Args: "-R -I", Stderr: "date: multiple output formats specified\n", Status: 1},
		{Args: "-d @0 +%F x", Stderr: "date: extra operand 'x'\nTry 'date --help' for more information.\n", Status: 1},
		{Args: "-d @0 x", Stderr: "date: the argument 'x' lacks a leading '+';\nwhen using an option to specify date(s), any non-option\nargument must be a format string beginning with '+'\nTry 'date --help' for more information.\n", Status: 1},
		{Args: "-s @0", Stdout: "Thu Jan  1 00:00:00 UTC 1970\n", Stderr: "date: cannot set date: Operation not permitted\n", Status: 1, OursOnly: "the real one would set the clock"},
		{Args: "01020304", Stdout: "Fri Jan  2 03:04:00 UTC 2026\n", Stderr: "date: cannot set date: Operation not permitted\n", Status: 1, OursOnly: "the real one would set the clock"},
		{Args: "x", Stderr: "date: invalid date 'x'\n", Status: 1},
	})
}
