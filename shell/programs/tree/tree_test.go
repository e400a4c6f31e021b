package tree_test

import (
	"context"
	"strings"
	"testing"

	"mirage/internal/budget"
	"mirage/shell/program"
	"mirage/shell/programs/progtest"
	"mirage/shell/programs/tree"
)

var all = []*program.Program{tree.New()}

var files = map[string]string{
	"a/b/": "", "a/x.txt @755": "hi\n", "a/sp ace": "yo\n", "a/n\nl": "", "a/\xff\x01z": "q", "a/é": "u", "a/q\"u\\x": "",
	"a/ln -> x.txt": "", "a/dang -> nowhere": "", "a/dl -> b": "", "e/": "", ".h/f": "", ".hid": "z\n", "s/q/k.txt": "", "s/big": strings.Repeat("x", 100), "s/sm": "12345",
}

const plain = `.
|-- a
|   |-- b
|   |-- dang -> nowhere
|   |-- dl -> b
|   |-- ln -> x.txt
|   |-- n\nl
|   |-- q"u\\x
|   |-- sp\ ace
|   |-- x.txt
|   |-- \303\251
|   ` + "`" + `-- \377\001z
|-- e
` + "`" + `-- s
    |-- big
    |-- q
    |   ` + "`" + `-- k.txt
    ` + "`" + `-- sm

7 directories, 11 files
`

func TestText(t *testing.T) {
	progtest.Run(t, all, "tree", []progtest.Case{
		{Name: "plain", Files: files, Stdout: plain},
		{Name: "characters", Args: "a", Files: files, Env: []string{"LC_ALL=C.UTF-8"}, Stdout: `a
├── b
├── dang -> nowhere
├── dl -> b
├── ln -> x.txt
├── n\012l
├── q"u\x
├── sp ace
├── x.txt
├── é
└── \377\001z

3 directories, 8 files
`},
		{Args: "-a -F -L 2", Files: map[string]string{"x @755": "", ".h/f": "", "d/": "", "l -> x": "", "ld -> d": "", "bad -> no": ""},
			Stdout: "./\n|-- .h/\n|   `-- f\n|-- bad -> no\n|-- d/\n|-- l -> x*\n|-- ld -> d/\n`-- x*\n\n4 directories, 4 files\n"},
		{Args: "-Q s", Files: files, Stdout: "\"s\"\n|-- \"big\"\n|-- \"q\"\n|   `-- \"k.txt\"\n`-- \"sm\"\n\n2 directories, 3 files\n"},
		{Args: "-q a", Files: map[string]string{"a/\x01é": ""}, Stdout: "a\n`-- ???\n\n1 directory, 1 file\n"},
		{Args: "-N a", Files: map[string]string{"a/ \x01é": ""}, Stdout: "a\n`--  \x01é\n\n1 directory, 1 file\n"},
		{Args: "--charset=utf-8 s", Files: files, Stdout: "s\n├── big\n├── q\n│\u00a0\u00a0 └── k.txt\n└── sm\n\n2 directories, 3 files\n"},
		{Args: "-A s", Files: files, Stdout: "s\n\x1b(0tqq \x1b(Bbig\n\x1b(0tqq \x1b(Bq\n\x1b(0x   mqq \x1b(Bk.txt\n\x1b(0mqq \x1b(Bsm\n\n2 directories, 3 files\n"},
		{Args: "-S s", Files: files, Stdout: "s\n\xc3\xc4\xc4 big\n\xc3\xc4\xc4 q\n\xb3   \xc0\xc4\xc4 k.txt\n\xc0\xc4\xc4 sm\n\n2 directories, 3 files\n"},
		{Args: "-i s", Files: files, Stdout: "s\nbig\nq\nk.txt\nsm\n\n2 directories, 3 files\n"},
		{Args: "-f s/", Files: files, Stdout: "s\n|-- s/big\n|-- s/q\n|   `-- s/q/k.txt\n`-- s/sm\n\n2 directories, 3 files\n"},
		{Args: "-fi ./s", Files: files, Stdout: "./s\n./s/big\n./s/q\n./s/q/k.txt\n./s/sm\n\n2 directories, 3 files\n"},
		{Args: "s/", Files: files, Stdout: "s/\n|-- big\n|-- q\n|   `-- k.txt\n`-- sm\n\n2 directories, 3 files\n"},
		{Args: "-d", Files: files, Stdout: ".\n|-- a\n|   |-- b\n|   `-- dl -> b\n|-- e\n`-- s\n    `-- q\n\n7 directories\n"},
		{Args: "-L 1", Files: files, Stdout: ".\n|-- a\n|-- e\n`-- s\n\n4 directories, 0 files\n"},
		{Args: "-dL 1x --noreport", Files: files, Stdout: ".\n|-- a\n|-- e\n`-- s\n"},
		{Args: "e", Files: files, Stdout: "e\n\n0 directories, 0 files\n"},
		{Args: "e s", Files: files, Stdout: "e\ns\n|-- big\n|-- q\n|   `-- k.txt\n`-- sm\n\n2 directories, 3 files\n"},
		{Args: "-- e", Files: files, Stdout: "e\n\n0 directories, 0 files\n"},
		{Args: "-l d", Files: map[string]string{"d/b/f": "", "d/c -> b": "", "d/up -> ..": "", "o": ""},
			Stdout: "d\n|-- b\n|   `-- f\n|-- c -> b  [recursive, not followed]\n`-- up -> ..\n    |-- d\n    |   |-- b\n    |   |   `-- f\n    |   |-- c -> b  [recursive, not followed]\n    |   `-- up -> ..  [recursive, not followed]\n    `-- o\n\n8 directories, 3 files\n"},
		{Args: "--filelimit 2", Files: map[string]string{"d/a": "", "d/b": "", "d/c": "", "x": ""}, Stdout: ".\n|-- d  [3 entries exceeds filelimit, not opening dir]\n`-- x\n\n2 directories, 1 file\n", Status: 2},
	})
}

func TestFilters(t *testing.T) {
	tree := map[string]string{"d/a.txt": "", "d/B.TXT": "", "d/c": "", "q/k": "", "q/a.txt": "", "l -> q": ""}
	progtest.Run(t, all, "tree", []progtest.Case{
		{Args: "-P *.txt", Files: tree, Stdout: ".\n|-- d\n|   `-- a.txt\n`-- q\n    `-- a.txt\n\n3 directories, 2 files\n"},
		{Args: "-P *.txt --ignore-case d", Files: tree, Stdout: "d\n|-- B.TXT\n`-- a.txt\n\n1 directory, 2 files\n"},
		{Args: "-P 'c|k' --prune", Files: tree, Stdout: ".\n|-- d\n|   `-- c\n`-- q\n    `-- k\n\n3 directories, 2 files\n"},
		{Args: "-P q --matchdirs", Files: tree, Stdout: ".\n|-- d\n`-- q\n    |-- a.txt\n    `-- k\n\n3 directories, 2 files\n", OursOnly: "the real one leaves d out in this case and not in others"},
		{Args: "-I 'd|*.txt'", Files: tree, Stdout: ".\n|-- l -> q\n`-- q\n    `-- k\n\n3 directories, 1 file\n"},
		{Args: "-I 'c/' d", Files: tree, Stdout: "d\n|-- B.TXT\n|-- a.txt\n`-- c\n\n1 directory, 3 files\n"},
		{Args: "--prune", Files: map[string]string{"d/e/": "", "f/g": ""}, Stdout: ".\n`-- f\n    `-- g\n\n2 directories, 1 file\n"},
	})
}

func TestOrder(t *testing.T) {
	tree := map[string]string{"f10": "1", "f9": "333", "d/": "", "z -> d": "", "f1": "22"}
	progtest.Run(t, all, "tree", []progtest.Case{
		{Args: "--noreport", Files: tree, Stdout: ".\n|-- d\n|-- f1\n|-- f10\n|-- f9\n`-- z -> d\n"},
		{Args: "-v --noreport", Files: tree, Stdout: ".\n|-- d\n|-- f1\n|-- f9\n|-- f10\n`-- z -> d\n"},
		{Args: "-r --noreport", Files: tree, Stdout: ".\n|-- z -> d\n|-- f9\n|-- f10\n|-- f1\n`-- d\n"},
		{Args: "--dirsfirst --noreport", Files: tree, Stdout: ".\n|-- d\n|-- z -> d\n|-- f1\n|-- f10\n`-- f9\n"},
		{Args: "--filesfirst --noreport", Files: tree, Stdout: ".\n|-- f1\n|-- f10\n|-- f9\n|-- d\n`-- z -> d\n"},
		{Args: "--sort size --noreport -I 'd|z'", Files: tree, Stdout: ".\n|-- f9\n|-- f1\n`-- f10\n"},
		{Args: "--sort=version --noreport -I 'd|z'", Files: tree, Stdout: ".\n|-- f1\n|-- f9\n`-- f10\n"},
	})
}

func TestMeta(t *testing.T) {
	tree := map[string]string{"d/x": strings.Repeat("x", 1500), "d/y @640": "123", "d/z @4755": ""}
	progtest.Run(t, all, "tree", []progtest.Case{
		{Args: "-s --noreport -P x -i d", Files: tree, AnyStdout: true, Stdout: "[       4096]  d\n[       1500]  x\n"},
		{Args: "-ps --noreport d", Files: tree, AnyStdout: true,
			Stdout: "[drwxr-xr-x        4096]  d\n|-- [-rw-r--r--        1500]  x\n|-- [-rw-r-----           3]  y\n`-- [-rwsr-xr-x           0]  z\n"},
		{Args: "-ug --noreport d", Files: tree, Stdout: "[root     root    ]  d\n|-- [root     root    ]  x\n|-- [root     root    ]  y\n`-- [root     root    ]  z\n"},
		{Args: "-h --noreport -i d -P 'x|y'", Files: tree, AnyStdout: true, Stdout: "[4.0K]  d\n[1.5K]  x\n[   3]  y\n"},
		{Args: "-D --metafirst --noreport -I z d", Files: tree, AnyStdout: true, Stdout: "[Jan  2  2024]  d\n[Jan  2  2024]  |-- x\n[Jan  2  2024]  `-- y\n"},
		{Args: "--timefmt %Y-%m --noreport -P y d", Files: tree, AnyStdout: true, Stdout: "[2024-01]  d\n`-- [2024-01]  y\n"},
		{Args: "--du -I x d", Files: tree, AnyStdout: true,
			Stdout: "[       4099]  d\n|-- [          3]  y\n`-- [          0]  z\n\n           3 bytes used in 1 directory, 2 files\n"},
	})
}

func TestStructured(t *testing.T) {
	tree := map[string]string{"d/x\"\n": "", "d/l -> x": "", "d/e/": "", "d/é&": ""}
	progtest.Run(t, all, "tree", []progtest.Case{
		{Args: "-J d", Files: tree, Stdout: `[
  {"type":"directory","name":"d","contents":[
    {"type":"directory","name":"e"},
    {"type":"link","name":"l","target":"x"},
    {"type":"file","name":"x\"\n"},
    {"type":"file","name":"é&"}
  ]}
,
  {"type":"report","directories":2,"files":3}
]
`},
		{Args: "-Jdi --noreport d", Files: tree, Stdout: `[{"type":"directory","name":"d","contents":[{"type":"directory","name":"e"}]}]` + "\n", AnyStdout: true},
		{Args: "-J d/e d/e", Files: tree, Stdout: `[
  {"type":"directory","name":"d/e"},
  {"type":"directory","name":"d/e"}
,
  {"type":"report","directories":0,"files":0}
]
`, OursOnly: "the real one forgets commas"},
		{Args: "-J nope", Stdout: `[
  {"type":"file","name":"nope","contents":[{"error": "error opening dir"}]}
,
  {"type":"report","directories":0,"files":0}
]
`, Status: 2, OursOnly: "the real one forgets brackets"},
		{Args: "-X d", Files: tree, Stdout: `<?xml version="1.0"?>
<tree>
  <directory name="d">
    <directory name="e"></directory>
    <link name="l" target="x"></link>
    <file name="x&quot;
"></file>
    <file name="é&amp;"></file>
  </directory>
  <report>
    <directories>2</directories>
    <files>3</files>
  </report>
</tree>
`},
	})
}

func TestErrors(t *testing.T) {
	const usage = "usage: tree [OPTION]... [DIRECTORY]...\n"
	progtest.Run(t, all, "tree", []progtest.Case{
		{Args: "nope", Stdout: "nope  [error opening dir]\n\n0 directories, 0 files\n", Status: 2},
		{Args: "f", Files: map[string]string{"f": ""}, Stdout: "f  [error opening dir]\n\n0 directories, 1 file\n"},
		{Args: "-Z", AnyStderr: true, Stderr: "tree: Invalid argument -`Z'.\n" + usage, Status: 1},
		{Args: "--foo", AnyStderr: true, Stderr: "tree: Invalid argument `--foo'.\n" + usage, Status: 1},
		{Args: "-L", Stderr: "tree: Missing argument to -L option.\n", Status: 1},
		{Args: "-L 0", Stderr: "tree: Invalid level, must be greater than 0.\n", Status: 1},
		{Args: "-L x", Stderr: "tree: Invalid level, must be greater than 0.\n", Status: 1},
		{Args: "-P", Stderr: "tree: Missing argument to -P option.\n", Status: 1},
		{Args: "-o no/x", Stderr: "tree: invalid filename 'no/x'\n", Status: 1},
		{Args: "-H x", Stderr: "tree: option -H is not supported\n", Status: 1, OursOnly: "the real one writes HTML"},
		{Args: "--gitignore", Stderr: "tree: option --gitignore is not supported\n", Status: 1, OursOnly: "the real one reads .gitignore"},
	})
}

// The listing ends with its context, and a directory with more entries than
// memory allows is an error.
func TestBounds(t *testing.T) {
	w := progtest.NewWorld(t, all)
	w.Make(files)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr strings.Builder
	inv := w.Invocation(progtest.Case{}, strings.NewReader(""), &stdout, &stderr)
	if got := tree.New().Run(ctx, inv); got != 130 {
		t.Errorf("canceled: status %d, want 130", got)
	}
	inv = w.Invocation(progtest.Case{}, strings.NewReader(""), &stdout, &stderr)
	inv.Memory = budget.New(1000)
	if got := tree.New().Run(t.Context(), inv); got != 1 || !strings.Contains(stderr.String(), "virtual memory exhausted\n") {
		t.Errorf("out of memory: status %d, %q", got, stderr.String())
	}
}
