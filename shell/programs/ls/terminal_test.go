package ls

import (
	"testing"

	"mirage/shell/programs/progtest"
)

func TestTerminal(t *testing.T) {
	files := map[string]string{"plain": "", "with space": "", "d/": "", "tab\there": ""}
	progtest.Run(t, Programs(), "ls", []progtest.Case{
		{Files: files, Terminal: true, Stdout: " d   plain  'tab'$'\\t''here'  'with space'\n"},
		{Args: "-N", Files: files, Terminal: true, Stdout: "d  plain  tab?here  with space\n"},
		{Args: "--color=auto", Files: files, Terminal: true, Env: []string{"TERM=xterm"},
			Stdout: " \x1b[0m\x1b[01;34md\x1b[0m   plain  'tab'$'\\t''here'  'with space'\n"},
		{Args: "-1", Files: files, Terminal: true, Stdout: "d\nplain\n'tab'$'\\t''here'\n'with space'\n"},
	})
	progtest.Run(t, Programs(), "dir", []progtest.Case{{Files: files, Stdout: "d  plain  tab\\there  with\\ space\n"}})
	progtest.Run(t, Programs(), "vdir", []progtest.Case{{Args: "-d d", Files: files, Stdout: "drwxr-xr-x 2 root root 4096 Jan  2  2024 d\n"}})
}
