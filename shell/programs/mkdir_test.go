package programs

import (
	"testing"

	"mirage/shell/programs/progtest"
)

func TestMkdir(t *testing.T) {
	files := map[string]string{"a/": "", "a/b/": "", "f": "x", "e/": "", "p/q/r/": "", "l -> e": ""}
	progtest.Run(t, All(), "mkdir", []progtest.Case{
		{Args: "d", Files: files, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `d drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: "a", Files: files, Stderr: "mkdir: cannot create directory 'a': File exists\n", Status: 1, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: "f", Files: files, Stderr: "mkdir: cannot create directory 'f': File exists\n", Status: 1, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: "-p a/b/c/d", Files: files, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `a/b/c drwxr-xr-x`, `a/b/c/d drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: "-pv a/b/c/d", Files: files, Stdout: "mkdir: created directory 'a/b/c'\nmkdir: created directory 'a/b/c/d'\n", Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `a/b/c drwxr-xr-x`, `a/b/c/d drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: "-v x y", Files: files, Stdout: "mkdir: created directory 'x'\nmkdir: created directory 'y'\n", Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`, `x drwxr-xr-x`, `y drwxr-xr-x`}},
		{Args: "-p f/g", Files: files, Stderr: "mkdir: cannot create directory 'f': Not a directory\n", Status: 1, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: "f/g", Files: files, Stderr: "mkdir: cannot create directory 'f/g': Not a directory\n", Status: 1, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: "n/o", Files: files, Stderr: "mkdir: cannot create directory 'n/o': No such file or directory\n", Status: 1, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: "-m 700 x", Files: files, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`, `x drwx------`}},
		{Args: "-m u=rwx,go= x", Files: files, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`, `x drwx------`}},
		{Args: "-m 1777 x", Files: files, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`, `x drwxrwxrwt`}},
		{Args: "-m zz q", Files: files, Stderr: "mkdir: invalid mode 'zz'\n", Status: 1, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: "-p -m 711 x/y/z", Files: files, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`, `x drwxr-xr-x`, `x/y drwxr-xr-x`, `x/y/z drwx--x--x`}},
		{Args: "", Files: files, Stderr: "mkdir: missing operand\nTry 'mkdir --help' for more information.\n", Status: 1, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: "-m", Files: files, Stderr: "mkdir: option requires an argument -- 'm'\nTry 'mkdir --help' for more information.\n", Status: 1, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: "-p f", Files: files, Stderr: "mkdir: cannot create directory 'f': File exists\n", Status: 1, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: "-p a", Files: files, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: "x/ y//", Files: files, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`, `x drwxr-xr-x`, `y drwxr-xr-x`}},
		{Args: "-m +t x", Files: files, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`, `x drwxr-xr-t`}},
		{Args: "-p ./k/./l", Files: files, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `k drwxr-xr-x`, `k/l drwxr-xr-x`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: "-p a/../k", Files: files, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `k drwxr-xr-x`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: "l", Files: files, Stderr: "mkdir: cannot create directory 'l': File exists\n", Status: 1, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: "-p l/m", Files: files, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `e/m drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: "-Zv z", Files: files, Stdout: "mkdir: created directory 'z'\n", Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`, `z drwxr-xr-x`}},
	})
}

func TestRmdir(t *testing.T) {
	files := map[string]string{"a/": "", "a/b/": "", "f": "x", "e/": "", "p/q/r/": "", "l -> e": ""}
	progtest.Run(t, All(), "rmdir", []progtest.Case{
		{Args: "e", Files: files, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: "-v e", Files: files, Stdout: "rmdir: removing directory, 'e'\n", Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: "a", Files: files, Stderr: "rmdir: failed to remove 'a': Directory not empty\n", Status: 1, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: "-p p/q/r", Files: files, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`}},
		{Args: "-pv p/q/r", Files: files, Stdout: "rmdir: removing directory, 'p/q/r'\nrmdir: removing directory, 'p/q'\nrmdir: removing directory, 'p'\n", Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`}},
		{Args: "f", Files: files, Stderr: "rmdir: failed to remove 'f': Not a directory\n", Status: 1, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: "nope", Files: files, Stderr: "rmdir: failed to remove 'nope': No such file or directory\n", Status: 1, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: "--ignore-fail-on-non-empty a", Files: files, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: "", Files: files, Stderr: "rmdir: missing operand\nTry 'rmdir --help' for more information.\n", Status: 1, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: "-p a/b", Files: files, Tree: []string{`e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: ".", Files: files, Stderr: "rmdir: failed to remove '.': Invalid argument\n", Status: 1, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: "e/ a/b", Files: files, Tree: []string{`a drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: "l", Files: files, Stderr: "rmdir: failed to remove 'l': Not a directory\n", Status: 1, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: "l/", Files: files, Stderr: "rmdir: failed to remove 'l/': Symbolic link not followed\n", Status: 1, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
		{Args: "-v p/q/r e/", Files: files, Stdout: "rmdir: removing directory, 'p/q/r'\nrmdir: removing directory, 'e/'\n", Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`}},
		{Args: "a/b/..", Files: files, Stderr: "rmdir: failed to remove 'a/b/..': Directory not empty\n", Status: 1, Tree: []string{`a drwxr-xr-x`, `a/b drwxr-xr-x`, `e drwxr-xr-x`, `f -rw-r--r-- "x"`, `l -> e`, `p drwxr-xr-x`, `p/q drwxr-xr-x`, `p/q/r drwxr-xr-x`}},
	})
}
