package programs

import (
	"testing"

	"mirage/shell/programs/progtest"
)

func TestEnv(t *testing.T) {
	files := map[string]string{"d/": ""}
	progtest.Run(t, All(), "env", []progtest.Case{
		{Args: "-i A=1 B=2", Files: files, Stdout: "A=1\nB=2\n"},
		{Args: "-i", Files: files},
		{Args: "-i A=1 -0", Files: files, Stderr: "env: '-0': No such file or directory\n", Status: 127},
		{Args: "- X=y", Files: files, Stdout: "X=y\n"},
		{Args: "-u PATH -u HOME -u TZ", Files: files, Stdout: "LC_ALL=C\n"},
		{Args: "-i A=1 B=2 A=3", Files: files, Stdout: "A=3\nB=2\n"},
		{Args: "=x true", Files: files},
		{Args: "-u =", Files: files, Stderr: "env: cannot unset '=': Invalid argument\n", Status: 125},
		{Args: "-u", Files: files, Stderr: "env: option requires an argument -- 'u'\nTry 'env --help' for more information.\n", Status: 125},
		{Args: "-C nope true", Files: files, Stderr: "env: cannot change directory to 'nope': No such file or directory\n", Status: 125},
		{Args: "-C d", Files: files, Stderr: "env: must specify command with --chdir (-C)\nTry 'env --help' for more information.\n", Status: 125},
		{Args: "-0 true", Files: files, Stderr: "env: cannot specify --null (-0) with command\nTry 'env --help' for more information.\n", Status: 125},
		{Args: "nonexist", Files: files, Stderr: "env: 'nonexist': No such file or directory\n", Status: 127},
		{Args: "./d", Files: files, Stderr: "env: './d': Permission denied\n", Status: 126},
		{Args: "-x", Files: files, Stderr: "env: invalid option -- 'x'\nTry 'env --help' for more information.\n", Status: 125},
		{Args: "-C d /usr/bin/basename x/y", Files: files, Stdout: "y\n"},
		{Args: "-S 'basename a/b'", Files: files, Stdout: "b\n"},
		{Args: `-i -S 'A="a b" B=\x'`, Files: files, Stderr: "env: invalid sequence '\\x' in -S\n", Status: 125},
		{Args: "-i -S 'A=${HOME}x B=1'", Files: files, Stdout: "A=/wx\nB=1\n"},
		{Args: `-S 'a "b'`, Files: files, Stderr: "env: no terminating quote in -S string\n", Status: 125},
		{Args: `-i -S 'A=1\_B=2'`, Files: files, Stdout: "A=1\nB=2\n"},
		{Args: `-i -S 'A="1\_B=2"'`, Files: files, Stdout: "A=1 B=2\n"},
		{Args: "-i -S 'A=1 # B=2'", Files: files, Stdout: "A=1\n"},
		{Args: `-i -S 'A=1\c B=2'`, Files: files, Stdout: "A=1\n"},
		{Args: `-S '"a\cb"'`, Files: files, Stderr: "env: '\\c' must not appear in double-quoted -S string\n", Status: 125},
		{Args: "-S '${x'", Files: files, Stderr: "env: only ${VARNAME} expansion is supported, error at: ${x\n", Status: 125},
		{Args: "-S '$x'", Files: files, Stderr: "env: only ${VARNAME} expansion is supported, error at: $x\n", Status: 125},
		{Args: `-S 'a\'`, Files: files, Stderr: "env: invalid backslash at end of string in -S\n", Status: 125},
		{Args: `-i -S "A='\n\\\\' B=\\n"`, Files: files, Stdout: "A=n\\\nB=\n\n"},
		{Args: "-v -i A=1", Files: files, Stdout: "A=1\n", Stderr: "cleaning environ\nsetenv:   A=1\n"},
		{Args: "-v -u PATH A=1 /usr/bin/true x", Files: files, Stderr: "unset:    PATH\nsetenv:   A=1\nexecuting: /usr/bin/true\n   arg[0]= '/usr/bin/true'\n   arg[1]= 'x'\n"},
		{Args: "'-S basename a/b'", Files: files, Stdout: "b\n"},
		{Args: "-i env", Files: files},
		{Args: "-iA", Files: files, Stderr: "env: invalid option -- 'A'\nTry 'env --help' for more information.\n", Status: 125},
		{Args: "false", Files: files, Status: 1},
		{Args: "--block-signal=foo true", Files: files, Stderr: "env: 'foo': invalid signal\nTry 'env --help' for more information.\n", Status: 125},
	})
}
