package programs

import (
	"testing"

	"mirage/shell/programs/progtest"
)

func TestChown(t *testing.T) {
	files := map[string]string{"f": "abc", "e/g": "x", "l -> f": "", "dead -> nowhere": "", "ld -> e": ""}
	progtest.Run(t, All(), "chown", []progtest.Case{
		{Args: "-v 12345 f", Files: files, Stdout: "changed ownership of 'f' from root to 12345\n"},
		{Args: "-v 12345:23456 f", Files: files, Stdout: "changed ownership of 'f' from root:root to 12345:23456\n"},
		{Args: "-v :23456 f", Files: files, Stdout: "changed group of 'f' from root to 23456\n"},
		{Args: "-v root: f", Files: files, Stdout: "ownership of 'f' retained as root:root\n"},
		{Args: "-v root:root f", Files: files, Stdout: "ownership of 'f' retained as root:root\n"},
		{Args: "-c root f", Files: files},
		{Args: "-c 12345 f", Files: files, Stdout: "changed ownership of 'f' from root to 12345\n"},
		{Args: "-v : f", Files: files, Stdout: "ownership of 'f' retained\n"},
		{Args: "-Rv 12345 e", Files: files, Stdout: "changed ownership of 'e/g' from root to 12345\nchanged ownership of 'e' from root to 12345\n"},
		{Args: "-RLv 12345 ld", Files: files, Stdout: "changed ownership of 'ld/g' from root to 12345\nchanged ownership of 'ld' from root to 12345\n"},
		{Args: "-RHv 12345 ld", Files: files, Stdout: "changed ownership of 'ld/g' from root to 12345\nchanged ownership of 'ld' from root to 12345\n"},
		{Args: "-Rv 12345 ld", Files: files, Stdout: "changed ownership of 'ld' from root to 12345\n"},
		{Args: "-hv 12345 dead", Files: files, Stdout: "changed ownership of 'dead' from root to 12345\n"},
		{Args: "12345 dead", Files: files, Stderr: "chown: cannot dereference 'dead': No such file or directory\n", Status: 1},
		{Args: "-v --from=1 12345 f", Files: files, Stdout: "ownership of 'f' retained as root\n"},
		{Args: "-v --from=0:0 12345 f", Files: files, Stdout: "changed ownership of 'f' from root to 12345\n"},
		{Args: "--reference=f -v e", Files: files, Stdout: "ownership of 'e' retained as root:root\n"},
		{Args: "nobodyatall f", Files: files, Stderr: "chown: invalid user: 'nobodyatall'\n", Status: 1},
		{Args: "root:nobodyatall f", Files: files, Stderr: "chown: invalid group: 'root:nobodyatall'\n", Status: 1},
		{Args: "12345: f", Files: files, Stderr: "chown: invalid spec: '12345:'\n", Status: 1},
		{Args: "", Files: files, Stderr: "chown: missing operand\nTry 'chown --help' for more information.\n", Status: 1},
		{Args: "root", Files: files, Stderr: "chown: missing operand after 'root'\nTry 'chown --help' for more information.\n", Status: 1},
		{Args: "nope", Files: files, Stderr: "chown: missing operand after 'nope'\nTry 'chown --help' for more information.\n", Status: 1},
		{Args: "root nope", Files: files, Stderr: "chown: cannot access 'nope': No such file or directory\n", Status: 1},
		{Args: "-R --dereference root e", Files: files, Stderr: "chown: -R --dereference requires either -H or -L\n", Status: 1},
		{Args: "--reference=nope f", Files: files, Stderr: "chown: failed to get attributes of 'nope': No such file or directory\n", Status: 1},
		{Args: "-f root nope", Files: files, Status: 1},
		{Args: "-v root.root f", Files: files, Stdout: "ownership of 'f' retained as root:root\n", Stderr: "chown: warning: '.' should be ':': 'root.root'\n"},
	})
}

func TestChgrp(t *testing.T) {
	files := map[string]string{"f": "abc", "e/g": "x", "l -> f": "", "dead -> nowhere": "", "ld -> e": ""}
	progtest.Run(t, All(), "chgrp", []progtest.Case{
		{Args: "-v 12345 f", Files: files, Stdout: "changed group of 'f' from root to 12345\n"},
		{Args: "-v root f", Files: files, Stdout: "group of 'f' retained as root\n"},
		{Args: "-c root f", Files: files},
		{Args: "12345 dead", Files: files, Stderr: "chgrp: cannot dereference 'dead': No such file or directory\n", Status: 1},
		{Args: "-hv 12345 dead", Files: files, Stdout: "changed group of 'dead' from root to 12345\n"},
		{Args: "-Rv 12345 e", Files: files, Stdout: "changed group of 'e/g' from root to 12345\nchanged group of 'e' from root to 12345\n"},
		{Args: "nobodyatall f", Files: files, Stderr: "chgrp: invalid group: 'nobodyatall'\n", Status: 1},
		{Args: "", Files: files, Stderr: "chgrp: missing operand\nTry 'chgrp --help' for more information.\n", Status: 1},
		{Args: "root", Files: files, Stderr: "chgrp: missing operand after 'root'\nTry 'chgrp --help' for more information.\n", Status: 1},
		{Args: "root nope", Files: files, Stderr: "chgrp: cannot access 'nope': No such file or directory\n", Status: 1},
		{Args: "--reference=e -v f", Files: files, Stdout: "group of 'f' retained as root\n"},
	})
}

func TestLink(t *testing.T) {
	files := map[string]string{"f": "abc", "e/g": "x", "l -> f": "", "dead -> nowhere": "", "ld -> e": ""}
	progtest.Run(t, All(), "link", []progtest.Case{
		{Args: "f new", Files: files},
		{Args: "f", Files: files, Stderr: "link: missing operand after 'f'\nTry 'link --help' for more information.\n", Status: 1},
		{Args: "", Files: files, Stderr: "link: missing operand\nTry 'link --help' for more information.\n", Status: 1},
		{Args: "f a b", Files: files, Stderr: "link: extra operand 'b'\nTry 'link --help' for more information.\n", Status: 1},
		{Args: "nope x", Files: files, Stderr: "link: cannot create link 'x' to 'nope': No such file or directory\n", Status: 1},
		{Args: "f e", Files: files, Stderr: "link: cannot create link 'e' to 'f': File exists\n", Status: 1},
		{Args: "-Z", Files: files, Stderr: "link: invalid option -- 'Z'\nTry 'link --help' for more information.\n", Status: 1},
	})
}

func TestUnlink(t *testing.T) {
	files := map[string]string{"f": "abc", "e/g": "x", "l -> f": "", "dead -> nowhere": "", "ld -> e": ""}
	progtest.Run(t, All(), "unlink", []progtest.Case{
		{Args: "f", Files: files},
		{Args: "dead", Files: files},
		{Args: "", Files: files, Stderr: "unlink: missing operand\nTry 'unlink --help' for more information.\n", Status: 1},
		{Args: "f e", Files: files, Stderr: "unlink: extra operand 'e'\nTry 'unlink --help' for more information.\n", Status: 1},
		{Args: "nope", Files: files, Stderr: "unlink: cannot unlink 'nope': No such file or directory\n", Status: 1},
		{Args: "e", Files: files, Stderr: "unlink: cannot unlink 'e': Is a directory\n", Status: 1},
	})
}

func TestNproc(t *testing.T) {
	progtest.Run(t, All(), "nproc", []progtest.Case{
		{Args: "", Env: []string{"OMP_NUM_THREADS=7"}, Stdout: "7\n"},
		{Args: "--ignore=2", Env: []string{"OMP_NUM_THREADS=7"}, Stdout: "5\n"},
		{Args: "", Env: []string{"OMP_NUM_THREADS=7,3", "OMP_THREAD_LIMIT=2"}, Stdout: "2\n"},
		{Args: "--ignore=x", Stderr: "nproc: invalid number: 'x'\n", Status: 1},
		{Args: "x", Stderr: "nproc: extra operand 'x'\nTry 'nproc --help' for more information.\n", Status: 1},
	})
}

func TestTty(t *testing.T) {
	progtest.Run(t, All(), "tty", []progtest.Case{
		{Args: "", Stdout: "not a tty\n", Status: 1},
		{Args: "-s", Status: 1},
		{Args: "x", Stderr: "tty: extra operand 'x'\nTry 'tty --help' for more information.\n", Status: 2},
	})
}

func TestUname(t *testing.T) {
	progtest.Run(t, All(), "uname", []progtest.Case{
		{Args: "", Stdout: "Linux\n"},
		{Args: "-s", Stdout: "Linux\n"},
		{Args: "-m", Stdout: "x86_64\n"},
		{Args: "-o", Stdout: "GNU/Linux\n"},
		{Args: "-sm", Stdout: "Linux x86_64\n"},
		{Args: "-io", Stdout: "unknown GNU/Linux\n"},
		{Args: "x", Stderr: "uname: extra operand 'x'\nTry 'uname --help' for more information.\n", Status: 1},
		{Args: "-Z", Stderr: "uname: invalid option -- 'Z'\nTry 'uname --help' for more information.\n", Status: 1},
		{Args: "--sysname", Stdout: "Linux\n"},
	})
}

func TestGroups(t *testing.T) {
	progtest.Run(t, All(), "groups", []progtest.Case{
		{Args: "", Stdout: "root\n"},
		{Args: "root", Stdout: "root : root\n"},
		{Args: "nobodyatall root", Stdout: "root : root\n", Stderr: "groups: 'nobodyatall': no such user\n", Status: 1},
	})
}

func TestSync(t *testing.T) {
	files := map[string]string{"f": "abc", "e/g": "x", "l -> f": "", "dead -> nowhere": "", "ld -> e": ""}
	progtest.Run(t, All(), "sync", []progtest.Case{
		{Args: "", Files: files},
		{Args: "f e", Files: files},
		{Args: "-d f", Files: files},
		{Args: "-d", Files: files, Stderr: "sync: --data needs at least one argument\n", Status: 1},
		{Args: "-df f", Files: files, Stderr: "sync: cannot specify both --data and --file-system\n", Status: 1},
		{Args: "nope", Files: files, Stderr: "sync: error opening 'nope': No such file or directory\n", Status: 1},
	})
}

func TestArch(t *testing.T) {
	progtest.Run(t, All(), "arch", []progtest.Case{
		{Args: "", Stdout: "x86_64\n"},
		{Args: "x", Stderr: "arch: extra operand 'x'\nTry 'arch --help' for more information.\n", Status: 1},
	})
}
