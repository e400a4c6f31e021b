package programs

import (
	"testing"

	"mirage/shell/programs/progtest"
)

func TestReadlink(t *testing.T) {
	files := map[string]string{"f": "x", "d/sub/": "", "l -> f": "", "dl -> d": "", "broken -> nope": "", "loop -> loop": "", "abs -> /w/nothing": "", "d/up -> ..": ""}
	progtest.Run(t, All(), "readlink", []progtest.Case{
		{Args: "l", Files: files, Stdout: "f\n"},
		{Args: "f", Files: files, Status: 1},
		{Args: "-v f nope", Files: files, Stderr: "readlink: f: Invalid argument\nreadlink: nope: No such file or directory\n", Status: 1},
		{Args: "-n l", Files: files, Stdout: "f"},
		{Args: "-n l dl", Files: files, Stdout: "f\nd\n", Stderr: "readlink: ignoring --no-newline with multiple arguments\n"},
		{Args: "-f l", Files: files, Stdout: "/w/f\n"},
		{Args: "-f nope", Files: files, Stdout: "/w/nope\n"},
		{Args: "-f nope/x", Files: files, Status: 1},
		{Args: "-vf nope/x", Files: files, Stderr: "readlink: nope/x: No such file or directory\n", Status: 1},
		{Args: "-e l", Files: files, Stdout: "/w/f\n"},
		{Args: "-ve nope", Files: files, Stderr: "readlink: nope: No such file or directory\n", Status: 1},
		{Args: "-m nope/x/../y", Files: files, Stdout: "/w/nope/y\n"},
		{Args: "-vf loop", Files: files, Stderr: "readlink: loop: Too many levels of symbolic links\n", Status: 1},
		{Args: "-ve loop", Files: files, Stderr: "readlink: loop: Too many levels of symbolic links\n", Status: 1},
		{Args: "-f broken", Files: files, Stdout: "/w/nope\n"},
		{Args: "-ve broken", Files: files, Stderr: "readlink: broken: No such file or directory\n", Status: 1},
		{Args: "-f broken/", Files: files, Stdout: "/w/nope\n"},
		{Args: "-vf f/", Files: files, Stderr: "readlink: f/: Not a directory\n", Status: 1},
		{Args: "-vf l/", Files: files, Stderr: "readlink: l/: Not a directory\n", Status: 1},
		{Args: "-vm f/x", Files: files, Stdout: "/w/f/x\n"},
		{Args: "-z l dl", Files: files, Stdout: "f\x00d\x00"},
		{Args: "", Files: files, Stderr: "readlink: missing operand\nTry 'readlink --help' for more information.\n", Status: 1},
		{Args: `-vf ""`, Files: files, Stderr: "readlink: '': No such file or directory\n", Status: 1},
		{Args: `-v ""`, Files: files, Stderr: "readlink: '': No such file or directory\n", Status: 1},
		{Args: "-f d/up/d/sub/..", Files: files, Stdout: "/w/d\n"},
		{Args: "-f dl/sub", Files: files, Stdout: "/w/d/sub\n"},
		{Args: "-f .", Files: files, Stdout: "/w\n"},
		{Args: "-f ./.", Files: files, Stdout: "/w\n"},
		{Args: "-qv nope", Files: files, Stderr: "readlink: nope: No such file or directory\n", Status: 1},
		{Args: "-v broken loop", Files: files, Stdout: "nope\nloop\n"},
		{Args: "-f nope/", Files: files, Stdout: "/w/nope\n"},
		{Args: "-vf nope/.", Files: files, Stderr: "readlink: nope/.: No such file or directory\n", Status: 1},
		{Args: "-vf f/.", Files: files, Stderr: "readlink: f/.: Not a directory\n", Status: 1},
		{Args: "-vf f/..", Files: files, Stderr: "readlink: f/..: Not a directory\n", Status: 1},
		{Args: "-f /", Files: files, Stdout: "/\n"},
	})
}

func TestRealpath(t *testing.T) {
	files := map[string]string{"f": "x", "d/sub/": "", "l -> f": "", "dl -> d": "", "broken -> nope": "", "loop -> loop": "", "abs -> /w/nothing": "", "d/up -> ..": ""}
	progtest.Run(t, All(), "realpath", []progtest.Case{
		{Args: "l", Files: files, Stdout: "/w/f\n"},
		{Args: "nope", Files: files, Stdout: "/w/nope\n"},
		{Args: "nope/x", Files: files, Stderr: "realpath: nope/x: No such file or directory\n", Status: 1},
		{Args: "-e nope", Files: files, Stderr: "realpath: nope: No such file or directory\n", Status: 1},
		{Args: "-m nope/../x", Files: files, Stdout: "/w/x\n"},
		{Args: "-s l", Files: files, Stdout: "/w/l\n"},
		{Args: "-q nope/x", Files: files, Status: 1},
		{Args: "--relative-to=d f", Files: files, Stdout: "../f\n"},
		{Args: "--relative-to=d d/sub", Files: files, Stdout: "sub\n"},
		{Args: "--relative-base=. f /", Files: files, Stdout: "f\n/\n"},
		{Args: "--relative-base=d --relative-to=. f d/sub", Files: files, Stdout: "/w/f\n/w/d/sub\n"},
		{Args: "--relative-to=d --relative-base=. f / d/sub", Files: files, Stdout: "../f\n/\nsub\n"},
		{Args: "--relative-to=nope/x f", Files: files, Stderr: "realpath: nope/x: No such file or directory\n", Status: 1},
		{Args: "-e --relative-to=f f", Files: files, Stderr: "realpath: f: Not a directory\n", Status: 1},
		{Args: `""`, Files: files, Stderr: "realpath: '': No such file or directory\n", Status: 1},
		{Args: "f/x", Files: files, Stderr: "realpath: f/x: Not a directory\n", Status: 1},
		{Args: "-L d/up/f", Files: files, Stdout: "/w/f\n"},
		{Args: "-L l/..", Files: files, Stderr: "realpath: l/..: Not a directory\n", Status: 1},
		{Args: "-P d/up/f", Files: files, Stdout: "/w/f\n"},
		{Args: "f/", Files: files, Stderr: "realpath: f/: Not a directory\n", Status: 1},
		{Args: "dl", Files: files, Stdout: "/w/d\n"},
		{Args: "-s dl/../l", Files: files, Stdout: "/w/l\n"},
		{Args: "-z f", Files: files, Stdout: "/w/f\x00"},
		{Args: "", Files: files, Stderr: "realpath: missing operand\nTry 'realpath --help' for more information.\n", Status: 1},
		{Args: "-s nope/x", Files: files, Stdout: "/w/nope/x\n"},
		{Args: "-ms nope/x", Files: files, Stdout: "/w/nope/x\n"},
		{Args: "-L dl/..", Files: files, Stdout: "/w\n"},
		{Args: "-P dl/..", Files: files, Stdout: "/w\n"},
		{Args: "loop", Files: files, Stderr: "realpath: loop: Too many levels of symbolic links\n", Status: 1},
		{Args: "-m loop/x", Files: files, Stdout: "/w/loop/x\n"},
		{Args: "--relative-to=. .", Files: files, Stdout: ".\n"},
		{Args: "--relative-to=d/sub .", Files: files, Stdout: "../..\n"},
		{Args: "broken", Files: files, Stdout: "/w/nope\n"},
		{Args: "-e broken", Files: files, Stderr: "realpath: broken: No such file or directory\n", Status: 1},
		{Args: "-s broken", Files: files, Stdout: "/w/broken\n"},
		{Args: "--no-symlinks --strip l", Files: files, Stdout: "/w/l\n"},
		{Args: "-es nope", Files: files, Stderr: "realpath: nope: No such file or directory\n", Status: 1},
	})
}
