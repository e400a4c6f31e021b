package programs

import (
	"testing"

	"mirage/shell/programs/progtest"
)

func TestExpand(t *testing.T) {
	files := map[string]string{"f": "a\tb\tc\n\tx y\tz\n  \t q\nab\x08\tc\n", "g": "no newline\there", "d/": ""}
	progtest.Run(t, All(), "expand", []progtest.Case{
		{Args: "f", Files: files, Stdout: "a       b       c\n        x y     z\n         q\nab\x08       c\n"},
		{Args: "f g", Files: files, Stdout: "a       b       c\n        x y     z\n         q\nab\x08       c\nno newline      here"},
		{Args: "-i f", Files: files, Stdout: "a\tb\tc\n        x y\tz\n         q\nab\x08\tc\n"},
		{Args: "-t4 f", Files: files, Stdout: "a   b   c\n    x y z\n     q\nab\x08   c\n"},
		{Args: "-t 2,5,/4 f", Files: files, Stdout: "a b  c\n  x y   z\n      q\nab\x08 c\n"},
		{Args: "-t 2,5,+4 f", Files: files, Stdout: "a b  c\n  x y    z\n      q\nab\x08 c\n"},
		{Args: "-t 3,6 f", Files: files, Stdout: "a  b  c\n   x y z\n    q\nab\x08  c\n"},
		{Args: "-4 f", Files: files, Stdout: "a   b   c\n    x y z\n     q\nab\x08   c\n"},
		{Args: "-2,9 f", Files: files, Stdout: "a b      c\n  x y    z\n          q\nab\x08 c\n"},
		{Args: "--tabs=\"3 9\" f", Files: files, Stdout: "a  b     c\n   x y   z\n    q\nab\x08  c\n"},
		{Args: "-i -t 3,5 f", Files: files, Stdout: "a\tb\tc\n   x y\tz\n    q\nab\x08\tc\n"},
		{Args: "", Files: files, Stdin: "x\ty\n", Stdout: "x       y\n"},
		{Args: "- f", Files: files, Stdout: "a       b       c\n        x y     z\n         q\nab\x08       c\n"},
		{Args: "nope f", Files: files, Stdout: "a       b       c\n        x y     z\n         q\nab\x08       c\n", Stderr: "expand: nope: No such file or directory\n", Status: 1},
		{Args: "d", Files: files, Stderr: "expand: d: Is a directory\n", Status: 1},
		{Args: "-t 0", Files: files, Stderr: "expand: tab size cannot be 0\n", Status: 1},
		{Args: "-t 3,2", Files: files, Stderr: "expand: tab sizes must be ascending\n", Status: 1},
		{Args: "-t x", Files: files, Stderr: "expand: tab size contains invalid character(s): 'x'\n", Status: 1},
		{Args: "-t 3/", Files: files, Stderr: "expand: '/' specifier not at start of number: '/'\n", Status: 1},
		{Args: "-t 1+2", Files: files, Stderr: "expand: '+' specifier not at start of number: '+2'\n", Status: 1},
		{Args: "-t /3,/4", Files: files, Stderr: "expand: '/' specifier only allowed with the last value\n", Status: 1},
		{Args: "-t /2,+3", Files: files, Stderr: "expand: '/' specifier is mutually exclusive with '+'\n", Status: 1},
		{Args: "-t 99999999999999999999", Files: files, Stderr: "expand: tab stop is too large '99999999999999999999'\n", Status: 1},
		{Args: "-4x", Files: files, Stderr: "expand: tab size contains invalid character(s): 'x'\n", Status: 1},
		{Args: "-Z", Files: files, Stderr: "expand: invalid option -- 'Z'\nTry 'expand --help' for more information.\n", Status: 1},
	})
}

func TestUnexpand(t *testing.T) {
	files := map[string]string{"f": "        x       y\n    a  b            c\n\t  \tz\n a  \x08b     c d      e\n", "g": "                no newline", "d/": ""}
	progtest.Run(t, All(), "unexpand", []progtest.Case{
		{Args: "f", Files: files, Stdout: "\tx       y\n    a  b            c\n\t\tz\n a  \x08b     c d      e\n"},
		{Args: "-a f", Files: files, Stdout: "\tx\ty\n    a  b\t    c\n\t\tz\n a  \x08b\t c d\t  e\n"},
		{Args: "g", Files: files, Stdout: "\t\tno newline"},
		{Args: "-a -t4 f", Files: files, Stdout: "\t\tx\t\ty\n\ta  b\t\t\tc\n\t\tz\n a\t\x08b\t c d\t  e\n"},
		{Args: "-t 4 f", Files: files, Stdout: "\t\tx\t\ty\n\ta  b\t\t\tc\n\t\tz\n a\t\x08b\t c d\t  e\n"},
		{Args: "-t 3,7,12 f", Files: files, Stdout: "\t\t x\t    y\n\t a\tb\t        c\n\t\tz\n a\t \x08b\t  c d      e\n"},
		{Args: "-t 3,7,/5 f", Files: files, Stdout: "\t\t x\t\t y\n\t a\tb\t\t\tc\n\t\tz\n a\t \x08b\t  c d\t   e\n"},
		{Args: "-t 3,7,+5 f", Files: files, Stdout: "\t\t x\t    y\n\t a\tb\t\t   c\n\t\tz\n a\t \x08b\t  c d\t e\n"},
		{Args: "-t2 --first-only f", Files: files, Stdout: "\t\t\t\tx       y\n\t\ta  b            c\n\t\t\tz\n a  \x08b     c d      e\n"},
		{Args: "-4 f", Files: files, Stdout: "\t\tx       y\n\ta  b            c\n\t\tz\n a  \x08b     c d      e\n"},
		{Args: "-3,9 -a f", Files: files, Stdout: "\t     x       y\n\t a  b            c\n\t\tz\n a\t \x08b\tc d      e\n"},
		{Args: "-a -1 f", Files: files, Stdout: "\t\t\t\t\t\t\t\tx\t\t\t\t\t\t\ty\n\t\t\t\ta\t\tb\t\t\t\t\t\t\t\t\t\t\t\tc\n\t\t\t\tz\n\ta\t\t\x08b\t\t\t\t\tc d\t\t\t\t\t\te\n"},
		{Args: "f nope", Files: files, Stdout: "\tx       y\n    a  b            c\n\t\tz\n a  \x08b     c d      e\n", Stderr: "unexpand: nope: No such file or directory\n", Status: 1},
		{Args: "d", Files: files, Stderr: "unexpand: d: Is a directory\n", Status: 1},
		{Args: "-t 0", Files: files, Stderr: "unexpand: tab size cannot be 0\n", Status: 1},
		{Args: "-99999999999999999999", Files: files, Stderr: "unexpand: tab stop value is too large\n", Status: 1},
		{Args: "-4x", Files: files, Stderr: "unexpand: invalid option -- 'x'\nTry 'unexpand --help' for more information.\n", Status: 1},
		{Args: "-a", Files: files, Stdin: "a  b\tc        d", Stdout: "a  b\tc\t d"},
		{Args: "-t 1", Files: files, Stdin: "a  b", Stdout: "a\t\tb"},
	})
}

func TestFold(t *testing.T) {
	files := map[string]string{"f": "The quick brown fox jumps over the lazy dog\nshort\n", "t": "a\tb\tcc\x08\x08ddd\tee\r\rff ggggg\n", "g": "no newline at the end of this", "d/": ""}
	progtest.Run(t, All(), "fold", []progtest.Case{
		{Args: "-w 10 f", Files: files, Stdout: "The quick \nbrown fox \njumps over\n the lazy \ndog\nshort\n"},
		{Args: "-s -w 10 f", Files: files, Stdout: "The quick \nbrown fox \njumps \nover the \nlazy dog\nshort\n"},
		{Args: "-sw 7 t", Files: files, Stdout: "a\n\t\nb\n\t\ncc\x08\x08ddd\n\t\nee\r\rff \nggggg\n"},
		{Args: "-w 3 t", Files: files, Stdout: "a\n\t\nb\n\t\ncc\x08\x08ddd\n\t\nee\r\rff \nggg\ngg\n"},
		{Args: "-b -w 3 t", Files: files, Stdout: "a\tb\n\tcc\n\x08\x08d\ndd\t\nee\r\n\rff\n gg\nggg\n"},
		{Args: "-s -b -w 5 t", Files: files, Stdout: "a\tb\t\ncc\x08\x08d\ndd\t\nee\r\rf\nf \nggggg\n"},
		{Args: "-12 f", Files: files, Stdout: "The quick br\nown fox jump\ns over the l\nazy dog\nshort\n"},
		{Args: "-w 10 g", Files: files, Stdout: "no newline\n at the en\nd of this"},
		{Args: "-w10 f g", Files: files, Stdout: "The quick \nbrown fox \njumps over\n the lazy \ndog\nshort\nno newline\n at the en\nd of this"},
		{Args: "-w 1 -s f", Files: files, Stdout: "T\nh\ne\n \nq\nu\ni\nc\nk\n \nb\nr\no\nw\nn\n \nf\no\nx\n \nj\nu\nm\np\ns\n \no\nv\ne\nr\n \nt\nh\ne\n \nl\na\nz\ny\n \nd\no\ng\ns\nh\no\nr\nt\n"},
		{Args: "nope", Files: files, Stderr: "fold: nope: No such file or directory\n", Status: 1},
		{Args: "d", Files: files, Stderr: "fold: d: Is a directory\n", Status: 1},
		{Args: "-w 0 f", Files: files, Stderr: "fold: invalid number of columns: '0': Numerical result out of range\n", Status: 1},
		{Args: "-w x", Files: files, Stderr: "fold: invalid number of columns: 'x'\n", Status: 1},
		{Args: "-w 99999999999999999999", Files: files, Stderr: "fold: invalid number of columns: '99999999999999999999': Value too large for defined data type\n", Status: 1},
		{Args: "-w 4", Files: files, Stdin: "abcdefghij", Stdout: "abcd\nefgh\nij"},
		{Args: "-sw 4", Files: files, Stdin: "ab cdefgh i\tj k", Stdout: "ab \ncdef\ngh \ni\n\t\nj k"},
	})
}

func TestNl(t *testing.T) {
	files := map[string]string{"f": "one\n\ntwo\n\n\n\nthree", "s": "\\:\\:\\:\nhead\n\\:\\:\nbody\n\nmore\n\\:\nfoot\n\\:\\:\nagain\n", "d/": ""}
	progtest.Run(t, All(), "nl", []progtest.Case{
		{Args: "f", Files: files, Stdout: "     1\tone\n       \n     2\ttwo\n       \n       \n       \n     3\tthree\n"},
		{Args: "-ba f", Files: files, Stdout: "     1\tone\n     2\t\n     3\ttwo\n     4\t\n     5\t\n     6\t\n     7\tthree\n"},
		{Args: "-ba -l3 f", Files: files, Stdout: "     1\tone\n       \n     2\ttwo\n       \n       \n     3\t\n     4\tthree\n"},
		{Args: "-bn f", Files: files, Stdout: "       one\n       \n       two\n       \n       \n       \n       three\n"},
		{Args: "-b p^t f", Files: files, Stdout: "       one\n       \n     1\ttwo\n       \n       \n       \n     2\tthree\n"},
		{Args: "-b 'pt[wh]'  f", Files: files, Stdout: "       one\n       \n     1\ttwo\n       \n       \n       \n     2\tthree\n"},
		{Args: "-nln -w3 f", Files: files, Stdout: "1  \tone\n    \n2  \ttwo\n    \n    \n    \n3  \tthree\n"},
		{Args: "-nrz -w3 -s: f", Files: files, Stdout: "001:one\n    \n002:two\n    \n    \n    \n003:three\n"},
		{Args: "-v 9 -i -3 f", Files: files, Stdout: "     9\tone\n       \n     6\ttwo\n       \n       \n       \n     3\tthree\n"},
		{Args: "-v -5 -nrz f", Files: files, Stdout: "-00005\tone\n       \n-00004\ttwo\n       \n       \n       \n-00003\tthree\n"},
		{Args: "-ha -fa s", Files: files, Stdout: "\n     1\thead\n\n     1\tbody\n       \n     2\tmore\n\n     1\tfoot\n\n     1\tagain\n"},
		{Args: "-p -ha s", Files: files, Stdout: "\n     1\thead\n\n     2\tbody\n       \n     3\tmore\n\n       foot\n\n     4\tagain\n"},
		{Args: "-d xy s", Files: files, Stdout: "     1\t\\:\\:\\:\n     2\thead\n     3\t\\:\\:\n     4\tbody\n       \n     5\tmore\n     6\t\\:\n     7\tfoot\n     8\t\\:\\:\n     9\tagain\n"},
		{Args: "-d : s", Files: files, Stdout: "     1\t\\:\\:\\:\n     2\thead\n     3\t\\:\\:\n     4\tbody\n       \n     5\tmore\n     6\t\\:\n     7\tfoot\n     8\t\\:\\:\n     9\tagain\n"},
		{Args: "s f", Files: files, Stdout: "\n       head\n\n     1\tbody\n       \n     2\tmore\n\n       foot\n\n     1\tagain\n     2\tone\n       \n     3\ttwo\n       \n       \n       \n     4\tthree\n"},
		{Args: "-w 1 -v 998 -ba f", Files: files, Stdout: "998\tone\n999\t\n1000\ttwo\n1001\t\n1002\t\n1003\t\n1004\tthree\n"},
		{Args: "-v 9223372036854775807 f", Files: files, Stdout: "9223372036854775807\tone\n       \n", Stderr: "nl: line number overflow\n", Status: 1},
		{Args: "-w0", Files: files, Stderr: "nl: invalid line number field width: '0': Numerical result out of range\n", Status: 1},
		{Args: "-w x", Files: files, Stderr: "nl: invalid line number field width: 'x'\n", Status: 1},
		{Args: "-b x", Files: files, Stderr: "nl: invalid body numbering style: 'x'\nTry 'nl --help' for more information.\n", Status: 1},
		{Args: "-n x -f y", Files: files, Stderr: "nl: invalid line numbering format: 'x'\nnl: invalid footer numbering style: 'y'\nTry 'nl --help' for more information.\n", Status: 1},
		{Args: "-b \"p\\\\(\"", Files: files, Stderr: "nl: Unmatched ( or \\(\n", Status: 1},
		{Args: "-l 0", Files: files, Stderr: "nl: invalid line number of blank lines: '0': Numerical result out of range\n", Status: 1},
		{Args: "nope f", Files: files, Stdout: "     1\tone\n       \n     2\ttwo\n       \n       \n       \n     3\tthree\n", Stderr: "nl: nope: No such file or directory\n", Status: 1},
		{Args: "d", Files: files, Stderr: "nl: d: Is a directory\n", Status: 1},
		{Args: "-d '' -ba", Files: files, Stdin: "\\:\\:\nx\n", Stdout: "     1\t\\:\\:\n     2\tx\n"},
		{Args: "-d abc", Files: files, Stdin: "abcabc\nx\nabc\ny\n", Stdout: "\n     1\tx\n\n       y\n"},
		{Args: "-v 9223372036854775808", Files: files, Stderr: "nl: invalid starting line number: '9223372036854775808': Value too large for defined data type\n", Status: 1},
		{Args: "-w 99999999999", Files: files, Stderr: "nl: invalid line number field width: '99999999999': Value too large for defined data type\n", Status: 1},
	})
}

func TestTsort(t *testing.T) {
	files := map[string]string{"f": "a b\nb c c d\n", "loop": "a b b a c c", "two": "a b b c c a d e e d\n", "odd": "a b c", "d/": ""}
	progtest.Run(t, All(), "tsort", []progtest.Case{
		{Args: "f", Files: files, Stdout: "a\nb\nc\nd\n"},
		{Args: "loop", Files: files, Stdout: "c\na\nb\n", Stderr: "tsort: loop: input contains a loop:\ntsort: a\ntsort: b\n", Status: 1},
		{Args: "two", Files: files, Stdout: "a\nb\nc\nd\ne\n", Stderr: "tsort: two: input contains a loop:\ntsort: a\ntsort: b\ntsort: c\ntsort: two: input contains a loop:\ntsort: d\ntsort: e\n", Status: 1},
		{Args: "odd", Files: files, Stderr: "tsort: odd: input contains an odd number of tokens\n", Status: 1},
		{Args: "nope", Files: files, Stderr: "tsort: nope: No such file or directory\n", Status: 1},
		{Args: "f f", Files: files, Stderr: "tsort: extra operand 'f'\nTry 'tsort --help' for more information.\n", Status: 1},
		{Args: "", Files: files, Stdin: "x y\ny z\na\ta\n", Stdout: "a\nx\ny\nz\n"},
		{Args: "d", Files: files, Stderr: "tsort: d: Is a directory\n", Status: 1, OursOnly: "the tool takes a read error for the end"},
	})
}

func TestFactor(t *testing.T) {
	progtest.Run(t, All(), "factor", []progtest.Case{
		{Stdin: "3\x00foo\n5\n", Stdout: "3: 3\n5: 5\n"},
		{Args: "1 2 3 4 12 97 1001 +7 007", Stdout: "1:\n2: 2\n3: 3\n4: 2 2\n12: 2 2 3\n97: 97\n1001: 7 11 13\n7: 7\n7: 7\n"},
		{Args: "0", Stdout: "0:\n"},
		{Args: "x 12 -- -3", Stdout: "12: 2 2 3\n", Stderr: "factor: 'x' is not a valid positive integer\nfactor: '-3' is not a valid positive integer\n", Status: 1},
		{Args: "18446744073709551615 18446744073709551617 999999999989", Stdout: "18446744073709551615: 3 5 17 257 641 65537 6700417\n18446744073709551617: 274177 67280421310721\n999999999989: 999999999989\n"},
		{Args: "1000000007000000049 4611686018427387904 3037000493", Stdout: "1000000007000000049: 3 73 10069 103549 4379491\n4611686018427387904: 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2\n3037000493: 3037000493\n"},
		{Args: "340282366920938463463374607431768211455", Stdout: "340282366920938463463374607431768211455: 3 5 17 257 641 65537 274177 6700417 67280421310721\n"},
		{Args: "", Stdin: "12 34\n  7\tx\n9", Stdout: "12: 2 2 3\n34: 2 17\n7: 7\n9: 3 3\n", Stderr: "factor: 'x' is not a valid positive integer\n", Status: 1},
		{Args: ""},
		{Args: "12x", Stderr: "factor: '12x' is not a valid positive integer\n", Status: 1},
		{Args: "\"\"", Stderr: "factor: '' is not a valid positive integer\n", Status: 1},
	})
}

func TestRev(t *testing.T) {
	files := map[string]string{"f": "abc\n\nxyz", "d/": ""}
	progtest.Run(t, All(), "rev", []progtest.Case{
		{Args: "f", Files: files, Stdout: "cba\n\nzyx"},
		{Args: "f f", Files: files, Stdout: "cba\n\nzyxcba\n\nzyx"},
		{Args: "", Files: files, Stdin: "one two\n", Stdout: "owt eno\n"},
		{Args: "nope f", Files: files, Stdout: "cba\n\nzyx", Stderr: "rev: cannot open nope: No such file or directory\n", Status: 1},
		{Args: "-Z", Files: files, Stderr: "rev: invalid option -- 'Z'\nTry 'rev --help' for more information.\n", Status: 1},
		{Args: "", Env: []string{"LC_ALL=C.UTF-8"}, Files: files, Stdin: "h\xc3\xa9llo \xe2\x82\xac\n", Stdout: "\xe2\x82\xac oll\xc3\xa9h\n"},
	})
}
