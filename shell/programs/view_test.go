package programs

import (
	"io"
	"slices"
	"strings"
	"testing"

	"mirage/internal/budget"
	"mirage/shell/program"
	"mirage/shell/programs/progtest"
)

func TestHead(t *testing.T) {
	files := map[string]string{"f": "1\n2\n3\n4\n5\n", "g": "a\nb", "e": "", "z": "x\x00y\x00", "d/": "", "long": strings.Repeat("line\n", 30_000)}
	progtest.Run(t, All(), "head", []progtest.Case{
		{Args: "f", Files: files, Stdout: "1\n2\n3\n4\n5\n"},
		{Args: "-n 2 f", Files: files, Stdout: "1\n2\n"},
		{Args: "-n2 f g", Files: files, Stdout: "==> f <==\n1\n2\n\n==> g <==\na\nb"},
		{Args: "-qn1 f g", Files: files, Stdout: "1\na\n"},
		{Args: "-vn1 e", Files: files, Stdout: "==> e <==\n"},
		{Args: "-n -2 f", Files: files, Stdout: "1\n2\n3\n"},
		{Args: "-n -9 f", Files: files},
		{Args: "-n -0 g", Files: files, Stdout: "a\nb"},
		{Args: "-n -29999 long", Files: files, Stdout: "line\n"},
		{Args: "-c 3 f", Files: files, Stdout: "1\n2"},
		{Args: "-c -3 f", Files: files, Stdout: "1\n2\n3\n4"[:7]},
		{Args: "-c 1k long", Files: files, Stdout: strings.Repeat("line\n", 205)[:1024]},
		{Args: "-z -n1 z", Files: files, Stdout: "x\x00"},
		{Args: "-2 f", Files: files, Stdout: "1\n2\n"},
		{Args: "-2c f", Files: files, Stdout: "1\n"},
		{Args: "-1qv f", Files: files, Stdout: "==> f <==\n1\n"},
		{Args: "-1x f", Files: files, Stderr: "head: invalid trailing option -- x\nTry 'head --help' for more information.\n", Status: 1},
		{Args: "-n x f", Files: files, Stderr: "head: invalid number of lines: 'x'\n", Status: 1},
		{Args: "-c 1x f", Files: files, Stderr: "head: invalid number of bytes: '1x'\n", Status: 1},
		{Args: "nope f", Files: files, Stdout: "==> f <==\n1\n2\n3\n4\n5\n", Stderr: "head: cannot open 'nope' for reading: No such file or directory\n", Status: 1},
		{Args: "d", Files: files, Stderr: "head: error reading 'd': Is a directory\n", Status: 1},
		{Args: "-n1 -", Stdin: "in\nput\n", Stdout: "in\n"},
		{Args: "-v", Stdin: "in\n", Stdout: "==> standard input <==\nin\n"},
		{Args: "-n 99999999999999999999 f", Files: files, Stderr: "head: invalid number of lines: '99999999999999999999': Value too large for defined data type\n", Status: 1},
	})
}

// emptyLines is an endless stream of them that counts what was read.
type emptyLines struct{ read int64 }

func (e *emptyLines) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '\n'
	}
	e.read += int64(len(p))
	return len(p), nil
}

// TestHeldLines holds lines that are shorter than what is noted of each: the
// notes count too.
func TestHeldLines(t *testing.T) {
	tests := []struct {
		name, args, stderr string
		most               int64 // bytes read, as a part of the limit
	}{
		{"head", "-n -1000000000000", "head: memory exhausted\n", 8},
		{"head", "-c -1000000000000", "head: memory exhausted\n", 1},
		{"tail", "-n 1000000000000", "tail: memory exhausted\n", 1},
		{"tail", "-c 1000000000000", "tail: memory exhausted\n", 1},
	}
	for _, tt := range tests {
		w := progtest.NewWorld(t, All())
		in := &emptyLines{}
		var stderr strings.Builder
		inv := w.Invocation(progtest.Case{}, in, io.Discard, &stderr)
		inv.Name, inv.Args, inv.Memory = tt.name, strings.Fields(tt.args), budget.New(1<<20)
		i := slices.IndexFunc(All(), func(p *program.Program) bool { return p.Name == tt.name })
		status := All()[i].Run(t.Context(), inv)
		if status != 1 || stderr.String() != tt.stderr {
			t.Errorf("%s %s: status %d, %q", tt.name, tt.args, status, stderr.String())
		}
		if most := int64(1<<20)/tt.most + 256<<10; in.read > most {
			t.Errorf("%s %s: took in %d bytes of empty lines, want at most %d", tt.name, tt.args, in.read, most)
		}
	}
}

func TestTail(t *testing.T) {
	files := map[string]string{"f": "1\n2\n3\n4\n5\n", "g": "a\nb", "e": "", "d/": "", "long": strings.Repeat("0123456789\n", 30_000)}
	progtest.Run(t, All(), "tail", []progtest.Case{
		{Args: "f", Files: files, Stdout: "1\n2\n3\n4\n5\n"},
		{Args: "-n 2 f", Files: files, Stdout: "4\n5\n"},
		{Args: "-n1 f g", Files: files, Stdout: "==> f <==\n5\n\n==> g <==\nb"},
		{Args: "-qn1 f g", Files: files, Stdout: "5\nb"},
		{Args: "-n +4 f", Files: files, Stdout: "4\n5\n"},
		{Args: "-n +0 f", Files: files, Stdout: "1\n2\n3\n4\n5\n"},
		{Args: "-n 0 f", Files: files},
		{Args: "-c 3 f", Files: files, Stdout: "\n5\n"},
		{Args: "-c +8 f", Files: files, Stdout: "\n5\n"},
		{Args: "-c 99 f", Files: files, Stdout: "1\n2\n3\n4\n5\n"},
		{Args: "-n 20000 long", Files: files, Stdout: strings.Repeat("0123456789\n", 20_000)},
		{Args: "-2 f", Files: files, Stdout: "4\n5\n"},
		{Args: "+4 f", Files: files, Stdout: "4\n5\n"},
		{Args: "-2c f", Files: files, Stdout: "5\n"},
		{Args: "-n x f", Files: files, Stderr: "tail: invalid number of lines: 'x'\n", Status: 1},
		{Args: "nope", Stderr: "tail: cannot open 'nope' for reading: No such file or directory\n", Status: 1},
		{Args: "d", Files: files, Stderr: "tail: error reading 'd': Is a directory\n", Status: 1},
		{Args: "-n 2", Stdin: "1\n2\n3", Stdout: "2\n3"},
		{Args: "-c 2", Stdin: "1\n2\n3", Stdout: "\n3"},
		{Args: "-n 3 -", Stdin: strings.Repeat("x\n", 50_000) + "a\nb\nc\n", Stdout: "a\nb\nc\n"},
		{Args: "e", Files: files},
		{Args: "-f nope", Stderr: "tail: cannot open 'nope' for reading: No such file or directory\ntail: no files remaining\n", Status: 1},
	})
}

func TestCmp(t *testing.T) {
	files := map[string]string{"a": "abc\ndef\n", "b": "abc\ndxf\n", "s": "abc\n", "p": "ab", "e": "", "d/": ""}
	progtest.Run(t, All(), "cmp", []progtest.Case{
		{Args: "a a", Files: files},
		{Args: "a b", Files: files, Stdout: "a b differ: char 6, line 2\n", Status: 1},
		{Args: "-b a b", Files: files, Stdout: "a b differ: byte 6, line 2 is 145 e 170 x\n", Status: 1},
		{Args: "-l a b", Files: files, Stdout: "6 145 170\n", Status: 1},
		{Args: "-lb a b", Files: files, Stdout: "6 145 e    170 x\n", Status: 1},
		{Args: "-s a b", Files: files, Status: 1},
		{Args: "-n 5 a b", Files: files},
		{Args: "-i 6 a b", Files: files},
		{Args: "-i 0:4 a s", Files: files, Stderr: "cmp: EOF on s which is empty\n", Status: 1},
		{Args: "a s", Files: files, Stderr: "cmp: EOF on s after byte 4, line 1\n", Status: 1},
		{Args: "a p", Files: files, Stderr: "cmp: EOF on p after byte 2, in line 1\n", Status: 1},
		{Args: "a e", Files: files, Stderr: "cmp: EOF on e which is empty\n", Status: 1},
		{Args: "a nope", Files: files, Stderr: "cmp: nope: No such file or directory\n", Status: 2},
		{Args: "-s a nope", Files: files, Status: 2},
		{Args: "a -", Files: files, Stdin: "abc\ndef\n"},
		{Args: "a", Files: files, Stdin: "abx\n", Stdout: "a - differ: char 3, line 1\n", Status: 1},
		{Args: "", Stderr: "cmp: missing operand after 'cmp'\ncmp: Try 'cmp --help' for more information.\n", Status: 2},
		{Args: "-l -s a b", Files: files, Stderr: "cmp: options -l and -s are incompatible\ncmp: Try 'cmp --help' for more information.\n", Status: 2},
		{Args: "-n x a b", Files: files, Stderr: "cmp: invalid --bytes value 'x'\ncmp: Try 'cmp --help' for more information.\n", Status: 2},
		{Args: "a b x", Files: files, Stderr: "cmp: invalid --ignore-initial value 'x'\ncmp: Try 'cmp --help' for more information.\n", Status: 2},
	})
}

func TestDu(t *testing.T) {
	files := map[string]string{"d/f": strings.Repeat("x", 5000), "d/s/g": "y", "d/s/e": ""}
	progtest.Run(t, All(), "du", []progtest.Case{
		{Args: "d/f", Files: files, Stdout: "8\td/f\n"},
		{Args: "-b d/f d/s/g", Files: files, Stdout: "5000\td/f\n1\td/s/g\n"},
		{Args: "-h d/f", Files: files, Stdout: "8.0K\td/f\n"},
		{Args: "-c d/f d/s/g", Files: files, Stdout: "8\td/f\n4\td/s/g\n12\ttotal\n"},
		{Args: "nope", Stderr: "du: cannot access 'nope': No such file or directory\n", Status: 1},
		{Args: "-as d", Files: files, Stderr: "du: cannot both summarize and show all entries\nTry 'du --help' for more information.\n", Status: 1},
		{Args: "-d x d", Files: files, Stderr: "du: invalid maximum depth 'x'\nTry 'du --help' for more information.\n", Status: 1},
	})
}

func TestId(t *testing.T) {
	progtest.Run(t, All(), "id", []progtest.Case{
		{Args: "", Stdout: "uid=0(root) gid=0(root) groups=0(root)\n", AnyStdout: true},
		{Args: "-u", Stdout: "0\n"},
		{Args: "-un", Stdout: "root\n"},
		{Args: "-gn root", Stdout: "root\n"},
		{Args: "-n", Stderr: "id: cannot print only names or real IDs in default format\n", Status: 1},
		{Args: "-ug", Stderr: "id: cannot print \"only\" of more than one choice\n", Status: 1},
		{Args: "-u nobodyatall", Stderr: "id: 'nobodyatall': no such user\n", Status: 1},
	})
}
