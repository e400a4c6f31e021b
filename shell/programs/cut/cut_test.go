package cut

import (
	"testing"

	"mirage/shell/programs/progtest"
)

func TestCut(t *testing.T) {
	files := map[string]string{
		"f": "a:b:c\nd\ne:f\n", "d/": "", "t": "a\tb\tc\n\n\tx\t\nlast\ttwo", "z": "a:b\x00c:d\x00",
		"long": "abcdefghijklmnop\n12345\n",
	}
	progtest.Run(t, Programs(), "cut", []progtest.Case{
		{Args: "", Files: files, Stderr: "cut: you must specify a list of bytes, characters, or fields\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "-b", Files: files, Stderr: "cut: option requires an argument -- 'b'\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "-b x f", Files: files, Stderr: "cut: invalid byte/character position 'x'\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "-b 0 f", Files: files, Stderr: "cut: byte/character positions are numbered from 1\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "-b 3-1 f", Files: files, Stderr: "cut: invalid decreasing range\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "-b - f", Files: files, Stderr: "cut: invalid range with no endpoint: -\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "-b 1,,2 f", Files: files, Stderr: "cut: byte/character positions are numbered from 1\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "-b '' f", Files: files, Stderr: "cut: byte/character positions are numbered from 1\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "-f 1 -b 2 f", Files: files, Stderr: "cut: only one list may be specified\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "-d '' -f1 f", Files: files, Stdout: "a:b:c\nd\ne:f\n"},
		{Args: "-d ab -f1 f", Files: files, Stderr: "cut: the delimiter must be a single character\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "-d: f", Files: files, Stderr: "cut: you must specify a list of bytes, characters, or fields\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "-b1 -d: f", Files: files, Stderr: "cut: an input delimiter may be specified only when operating on fields\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "-b1 -s f", Files: files, Stderr: "cut: suppressing non-delimited lines makes sense\n\tonly when operating on fields\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "-f 99999999999999999999 f", Files: files, Stderr: "cut: field number '99999999999999999999' is too large\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "-b 99999999999999999999- f", Files: files, Stderr: "cut: byte/character offset '99999999999999999999' is too large\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "-f x f", Files: files, Stderr: "cut: invalid field value 'x'\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "-f 0 f", Files: files, Stderr: "cut: fields are numbered from 1\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "-f 1-x f", Files: files, Stderr: "cut: invalid field value 'x'\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "-f1 nosuch f", Files: files, Stdout: "a:b:c\nd\ne:f\n", Stderr: "cut: nosuch: No such file or directory\n", Status: 1},
		{Args: "-f1 d", Files: files, Stderr: "cut: d: Is a directory\n", Status: 1},
		{Args: "-c 2-,1 f", Files: files, Stdout: "a:b:c\nd\ne:f\n"},
		{Args: "-d: -f2- f", Files: files, Stdout: "b:c\nd\nf\n"},
		{Args: "-d: -s -f2 f", Files: files, Stdout: "b\nf\n"},
		{Args: "-d: -f1,3 --output-delimiter=XX f", Files: files, Stdout: "aXXc\nd\ne\n"},
		{Args: "-b1,3-4 --output-delimiter=_ f", Files: files, Stdout: "a_b:\nd\ne_f\n"},
		{Args: "-b1-2,3 --output-delimiter=_ f", Files: files, Stdout: "a:_b\nd\ne:_f\n"},
		{Args: "--complement -b1 f", Files: files, Stdout: ":b:c\n\n:f\n"},
		{Args: "-d: --complement -f2 f", Files: files, Stdout: "a:c\nd\ne\n"},
		{Args: "-nb1 f", Files: files, Stdout: "a\nd\ne\n"},
		{Args: "-zf1 f", Files: files, Stdout: "a:b:c\nd\ne:f\n\x00"},
		{Args: "-w f", Files: files, Stderr: "cut: invalid option -- 'w'\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "-f '1 2' -d: f", Files: files, Stdout: "a:b\nd\ne:f\n"},
		{Args: "-f 2,1 -d: f", Files: files, Stdout: "a:b\nd\ne:f\n"},
		{Args: "-b -2 f", Files: files, Stdout: "a:\nd\ne:\n"},
		{Args: "-f 1 -f 2 f", Files: files, Stderr: "cut: only one list may be specified\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "--output-delimiter= -d: -f1,2 f", Files: files, Stdout: "a\x00b\nd\ne\x00f\n"},
		{Args: "-d= -f1 --complement f", Files: files, Stdout: "a:b:c\nd\ne:f\n"},
		{Args: "-f: f", Files: files, Stderr: "cut: invalid field value ':'\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "-c 1a f", Files: files, Stderr: "cut: invalid byte/character position 'a'\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "-f -1-2 f", Files: files, Stderr: "cut: invalid field range\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "-f 0- f", Files: files, Stderr: "cut: fields are numbered from 1\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "-b 5 f", Files: files, Stdout: "c\n\n\n"},
		{Args: "-b 18446744073709551615 f", Files: files, Stderr: "cut: byte/character offset '18446744073709551615' is too large\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "-f2 t", Files: files, Stdout: "b\n\nx\ntwo\n"},
		{Args: "-f2- t", Files: files, Stdout: "b\tc\n\nx\t\ntwo\n"},
		{Args: "-f-2 t", Files: files, Stdout: "a\tb\n\n\tx\nlast\ttwo\n"},
		{Args: "-sf1 t", Files: files, Stdout: "a\n\nlast\n"},
		{Args: "-f3 t", Files: files, Stdout: "c\n\n\n\n"},
		{Args: "-f1,3 t", Files: files, Stdout: "a\tc\n\n\t\nlast\n"},
		{Args: "-c1-3,5 long", Files: files, Stdout: "abce\n1235\n"},
		{Args: "-c5- long", Files: files, Stdout: "efghijklmnop\n5\n"},
		{Args: "-c-3 long", Files: files, Stdout: "abc\n123\n"},
		{Args: "-c1,3,5 long", Files: files, Stdout: "ace\n135\n"},
		{Args: "-b1-3,2-5 --output-delimiter=: long", Files: files, Stdout: "abcde\n12345\n"},
		{Args: "-c1-2,4-5 --output-delimiter=, long", Files: files, Stdout: "ab,de\n12,45\n"},
		{Args: "--complement -c2-3 long", Files: files, Stdout: "adefghijklmnop\n145\n"},
		{Args: "--complement -c2-3 --output-delimiter=/ long", Files: files, Stdout: "a/defghijklmnop\n1/45\n"},
		{Args: "-z -d: -f2 z", Files: files, Stdout: "b\x00d\x00"},
		{Args: "-z -c1 z", Files: files, Stdout: "a\x00c\x00"},
		{Args: "-d: -f1-2,2-3 f", Files: files, Stdout: "a:b:c\nd\ne:f\n"},
		{Args: "-d: -f3,1-1 f", Files: files, Stdout: "a:c\nd\ne\n"},
		{Args: "--fields=1 --delimiter=: f", Files: files, Stdout: "a\nd\ne\n"},
		{Args: "--bytes=1 f", Files: files, Stdout: "a\nd\ne\n"},
		{Args: "--characters=1 f", Files: files, Stdout: "a\nd\ne\n"},
		{Args: "-d: -f1 --only-delimited f", Files: files, Stdout: "a\ne\n"},
		{Args: "-d: --complement -f1- f", Files: files, Stdout: "\nd\n\n"},
		{Args: "--complement -b1- f", Files: files, Stdout: "\n\n\n"},
		{Args: "-d: -f1", Files: files, Stdin: "x:y\nz", Stdout: "x\nz\n"},
		{Args: "-d: -f1 - f", Files: files, Stdin: "x:y\n", Stdout: "x\na\nd\ne\n"},
		{Args: "-c1", Files: files, Stdin: "\n\nab\n", Stdout: "\n\na\n"},
		{Args: "-d' ' -f2", Files: files, Stdin: "a b c\n", Stdout: "b\n"},
		{Args: "-d ' ' -f 1,3", Files: files, Stdin: "a b c\n", Stdout: "a c\n"},
		{Args: "-f1x f", Files: files, Stderr: "cut: invalid field value 'x'\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "-f1- -d: --output-delimiter=X f", Files: files, Stdout: "aXbXc\nd\neXf\n"},
		{Args: "-d: -f2- --output-delimiter=X f", Files: files, Stdout: "bXc\nd\nf\n"},
		{Args: "-d: -f 4- f", Files: files, Stdout: "\nd\n\n"},
		{Args: "-d: -s -f4 f", Files: files, Stdout: "\n\n"},
		{Args: "--foo", Files: files, Stderr: "cut: unrecognized option '--foo'\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "-b1, f", Files: files, Stderr: "cut: byte/character positions are numbered from 1\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "-b1-,3 f", Files: files, Stdout: "a:b:c\nd\ne:f\n"},
		{Args: "-b 1-2-3 f", Files: files, Stderr: "cut: invalid byte or character range\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "-f1,99999999999999999999x f", Files: files, Stderr: "cut: field number '99999999999999999999' is too large\nTry 'cut --help' for more information.\n", Status: 1},
		{Args: "", Files: files, Stderr: "cut: you must specify a list of bytes, characters, or fields\nTry 'cut --help' for more information.\n", Status: 1},
	})
}

// TestNewlineDelimiter cuts files whose fields are lines.
func TestNewlineDelimiter(t *testing.T) {
	const in = "a\nb\nc\n"
	progtest.Run(t, Programs(), "cut", []progtest.Case{
		{Argv: []string{"-d", "\n", "-f1,3"}, Stdin: in, Stdout: "a\nc\n"},
		{Argv: []string{"-d", "\n", "-f2-"}, Stdin: in, Stdout: "b\nc\n"},
		{Argv: []string{"-d", "\n", "-sf1"}, Stdin: in, Stdout: "a\n"},
		{Argv: []string{"-d", "\n", "-f1,3", "--output-delimiter=-"}, Stdin: in, Stdout: "a-c\n"},
		{Argv: []string{"-d", "\n", "-f5"}, Stdin: in, Stdout: "\n"},
		{Argv: []string{"-d", "\n", "-f1"}, Stdin: "a", Stdout: "a\n"},
		{Argv: []string{"-d", "\n", "-f2"}, Stdin: "a", Stdout: "a\n"},
		{Argv: []string{"-d", "\n", "-sf1"}, Stdin: "a", Stdout: ""},
		{Argv: []string{"-d", "\n", "-f1"}, Stdin: "", Stdout: ""},
		{Argv: []string{"-d", "\n", "-sf1-"}, Stdin: "\n", Stdout: "\n"},
		{Argv: []string{"-d", "\n", "-sf1-"}, Stdin: "\n\n", Stdout: "\n\n"},
		{Argv: []string{"-d", "\n", "-sf1-"}, Stdin: "a\n", Stdout: "a\n"},
		{Argv: []string{"-d", "\n", "-f2"}, Stdin: "a\n", Stdout: "\n"},
		{Argv: []string{"-d", "\n", "-sf2"}, Stdin: "a\n", Stdout: ""},
	})
}

// FuzzCut checks that no list makes cut panic.
func FuzzCut(f *testing.F) {
	f.Add("1,3-5,-2", "a:b:c\nd\n")
	f.Fuzz(func(t *testing.T, list, text string) {
		w := progtest.NewWorld(t, Programs())
		for _, argv := range [][]string{{"-b", list}, {"-d:", "-f", list}, {"-d:", "--complement", "-f", list}} {
			if got := w.Run("cut", progtest.Case{Argv: argv, Stdin: text}); got.Status > 1 {
				t.Errorf("status %d", got.Status)
			}
		}
	})
}
