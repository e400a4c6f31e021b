package grep

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"mirage/shell/programs/progtest"
)

func TestGrep(t *testing.T) {
	var ctx, numbers strings.Builder
	for i := 1; i < 40; i++ {
		word := "line"
		if i%7 == 0 {
			word = "hit"
		}
		fmt.Fprintf(&ctx, "%s %d\n", word, i)
		if i <= 20 {
			fmt.Fprintf(&numbers, "%d\n", i)
		}
	}
	files := map[string]string{
		"t": "foo\nbar\nfoo\n", "s": numbers.String(), "d/": "", "bin": "a\x00a\nb\n", "z": "a\nb\x00c\n",
		"nonl": "foo\nlast", "words": "foo bar foobar\nfoo-bar_foo foo\n\n  foo\n", "pats": "foo\nbar\n",
		"i/a.c": "foo\n", "i/b.h": "foo\n", "i/sub/c.c": "xfoo\n", "i/lnk -> a.c": "", "i/dlnk -> sub": "",
		"i/dang -> nosuch": "", "empty": "", "ctx": ctx.String(),
	}
	progtest.Run(t, Programs(), "grep", []progtest.Case{
		{Args: "foo t", Files: files, Stdout: "foo\nfoo\n"},
		{Args: "foo t nonl", Files: files, Stdout: "t:foo\nt:foo\nnonl:foo\n"},
		{Args: "-c a bin", Files: files, Stdout: "2\n"},
		{Args: "a bin", Files: files, Stderr: "grep: bin: binary file matches\n"},
		{Args: "b bin", Files: files, Stderr: "grep: bin: binary file matches\n"},
		{Args: "-o a bin", Files: files, Stderr: "grep: bin: binary file matches\n"},
		{Args: "-a a bin", Files: files, Stdout: "a\x00a\n"},
		{Args: "-I a bin", Files: files, Status: 1},
		{Args: "-n b bin", Files: files, Stderr: "grep: bin: binary file matches\n"},
		{Args: "-q a bin", Files: files},
		{Args: "-l a bin", Files: files, Stdout: "bin\n"},
		{Args: "-v a bin", Files: files, Stderr: "grep: bin: binary file matches\n"},
		{Args: "-A1 a bin", Files: files, Stderr: "grep: bin: binary file matches\n"},
		{Args: "x d", Files: files, Stderr: "grep: d: Is a directory\n", Status: 2},
		{Args: "foo d t", Files: files, Stdout: "t:foo\nt:foo\n", Stderr: "grep: d: Is a directory\n", Status: 2},
		{Args: "-s x d", Files: files, Status: 2},
		{Args: "foo nosuch", Files: files, Stderr: "grep: nosuch: No such file or directory\n", Status: 2},
		{Args: "-s foo nosuch", Files: files, Status: 2},
		{Args: "-q foo nosuch t", Files: files, Stderr: "grep: nosuch: No such file or directory\n"},
		{Args: "-q foo t nosuch", Files: files},
		{Args: "-z ^b z", Files: files, Status: 1},
		{Args: "-z a$ z", Files: files, Status: 1},
		{Args: "-z a.b z", Files: files, Stdout: "a\nb\x00"},
		{Args: "-zc . z", Files: files, Stdout: "2\n"},
		{Args: "-zx a z", Files: files, Status: 1},
		{Args: "-zo b z", Files: files, Stdout: "b\x00"},
		{Args: "-zE [^x]* z", Files: files, Stdout: "a\nb\x00c\n\x00"},
		{Args: "-T foo t", Files: files, Stdout: "foo\nfoo\n"},
		{Args: "-nT foo t", Files: files, Stdout: " 1:\tfoo\n 3:\tfoo\n"},
		{Args: "-HnbT foo t", Files: files, Stdout: "t: 1: 0:\tfoo\nt: 3: 8:\tfoo\n"},
		{Args: "-Hc foo t", Files: files, Stdout: "t:2\n"},
		{Args: "-ZHc foo t", Files: files, Stdout: "t\x002\n"},
		{Args: "-Zl foo t", Files: files, Stdout: "t\x00"},
		{Args: "-cT foo t t", Files: files, Stdout: "t:2\nt:2\n"},
		{Args: "--color=always -n foo t", Files: files, Stdout: "\x1b[32m\x1b[K1\x1b[m\x1b[K\x1b[36m\x1b[K:\x1b[m\x1b[K\x1b[01;31m\x1b[Kfoo\x1b[m\x1b[K\n\x1b[32m\x1b[K3\x1b[m\x1b[K\x1b[36m\x1b[K:\x1b[m\x1b[K\x1b[01;31m\x1b[Kfoo\x1b[m\x1b[K\n"},
		{Args: "--color=always -Hn -A1 o t", Files: files, Stdout: "\x1b[35m\x1b[Kt\x1b[m\x1b[K\x1b[36m\x1b[K:\x1b[m\x1b[K\x1b[32m\x1b[K1\x1b[m\x1b[K\x1b[36m\x1b[K:\x1b[m\x1b[Kf\x1b[01;31m\x1b[Ko\x1b[m\x1b[K\x1b[01;31m\x1b[Ko\x1b[m\x1b[K\n\x1b[35m\x1b[Kt\x1b[m\x1b[K\x1b[36m\x1b[K-\x1b[m\x1b[K\x1b[32m\x1b[K2\x1b[m\x1b[K\x1b[36m\x1b[K-\x1b[m\x1b[Kbar\n\x1b[35m\x1b[Kt\x1b[m\x1b[K\x1b[36m\x1b[K:\x1b[m\x1b[K\x1b[32m\x1b[K3\x1b[m\x1b[K\x1b[36m\x1b[K:\x1b[m\x1b[Kf\x1b[01;31m\x1b[Ko\x1b[m\x1b[K\x1b[01;31m\x1b[Ko\x1b[m\x1b[K\n"},
		{Args: "--color=always -v foo t", Files: files, Stdout: "bar\n"},
		{Args: "--color=always -l foo t", Files: files, Stdout: "\x1b[35m\x1b[Kt\x1b[m\x1b[K\n"},
		{Args: "--color=always -Hc foo t", Files: files, Stdout: "\x1b[35m\x1b[Kt\x1b[m\x1b[K\x1b[36m\x1b[K:\x1b[m\x1b[K2\n"},
		{Args: "--color=always -ob o t", Files: files, Stdout: "\x1b[32m\x1b[K1\x1b[m\x1b[K\x1b[36m\x1b[K:\x1b[m\x1b[K\x1b[01;31m\x1b[Ko\x1b[m\x1b[K\n\x1b[32m\x1b[K2\x1b[m\x1b[K\x1b[36m\x1b[K:\x1b[m\x1b[K\x1b[01;31m\x1b[Ko\x1b[m\x1b[K\n\x1b[32m\x1b[K9\x1b[m\x1b[K\x1b[36m\x1b[K:\x1b[m\x1b[K\x1b[01;31m\x1b[Ko\x1b[m\x1b[K\n\x1b[32m\x1b[K10\x1b[m\x1b[K\x1b[36m\x1b[K:\x1b[m\x1b[K\x1b[01;31m\x1b[Ko\x1b[m\x1b[K\n"},
		{Args: "--color=always '' t", Files: files, Stdout: "foo\nbar\nfoo\n"},
		{Args: "--color=always -C1 bar t t", Files: files, Stdout: "\x1b[35m\x1b[Kt\x1b[m\x1b[K\x1b[36m\x1b[K-\x1b[m\x1b[Kfoo\n\x1b[35m\x1b[Kt\x1b[m\x1b[K\x1b[36m\x1b[K:\x1b[m\x1b[K\x1b[01;31m\x1b[Kbar\x1b[m\x1b[K\n\x1b[35m\x1b[Kt\x1b[m\x1b[K\x1b[36m\x1b[K-\x1b[m\x1b[Kfoo\n\x1b[36m\x1b[K--\x1b[m\x1b[K\n\x1b[35m\x1b[Kt\x1b[m\x1b[K\x1b[36m\x1b[K-\x1b[m\x1b[Kfoo\n\x1b[35m\x1b[Kt\x1b[m\x1b[K\x1b[36m\x1b[K:\x1b[m\x1b[K\x1b[01;31m\x1b[Kbar\x1b[m\x1b[K\n\x1b[35m\x1b[Kt\x1b[m\x1b[K\x1b[36m\x1b[K-\x1b[m\x1b[Kfoo\n"},
		{Args: "-A x 5 s", Files: files, Stderr: "grep: x: invalid context length argument\n", Status: 2},
		{Args: "-C -1 5 s", Files: files, Stderr: "grep: -1: invalid context length argument\n", Status: 2},
		{Args: "-m x 5 s", Files: files, Stderr: "grep: invalid max count\n", Status: 2},
		{Args: "-m -1 5 s", Files: files, Stdout: "5\n15\n"},
		{Args: "-m 0 5 s", Files: files, Status: 1},
		{Args: "-1 5 s", Files: files, Stdout: "4\n5\n6\n--\n14\n15\n16\n"},
		{Args: "-12 5 s", Files: files, Stdout: "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n"},
		{Args: "-A1 -B 2 10 s", Files: files, Stdout: "8\n9\n10\n11\n"},
		{Args: "-n -A1 5$ s", Files: files, Stdout: "5:5\n6-6\n--\n15:15\n16-16\n"},
		{Args: "-n -c -A1 5$ s", Files: files, Stdout: "2\n"},
		{Args: "--no-group-separator -A1 5$ s", Files: files, Stdout: "5\n6\n15\n16\n"},
		{Args: "--group-separator=XX -A1 5$ s", Files: files, Stdout: "5\n6\nXX\n15\n16\n"},
		{Args: "-o -A1 5$ s", Files: files, Stdout: "5\n--\n5\n"},
		{Args: "-m2 -A2 5 s", Files: files, Stdout: "5\n6\n7\n--\n15\n16\n17\n"},
		{Args: "-m1 -v 1 s", Files: files, Stdout: "2\n"},
		{Args: "-bo 5 s", Files: files, Stdout: "8:5\n34:5\n"},
		{Args: "-b 5 s", Files: files, Stdout: "8:5\n33:15\n"},
		{Args: "-L 5 s t", Files: files, Stdout: "t\n"},
		{Args: "-l 5 s t", Files: files, Stdout: "s\n"},
		{Args: "-c 5 s t", Files: files, Stdout: "s:2\nt:0\n"},
		{Args: "-h 5 s t", Files: files, Stdout: "5\n15\n"},
		{Args: "-Y", Files: files, Stderr: "grep: invalid option -- 'Y'\nUsage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n", Status: 2},
		{Args: "--foo", Files: files, Stderr: "grep: unrecognized option '--foo'\nUsage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n", Status: 2},
		{Args: "", Files: files, Stderr: "Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n", Status: 2},
		{Args: "-E", Files: files, Stderr: "Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n", Status: 2},
		{Args: "-d foo x t", Files: files, Stderr: "grep: invalid argument 'foo' for '--directories'\nValid arguments are:\n  - 'read'\n  - 'recurse'\n  - 'skip'\nUsage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n", Status: 1},
		{Args: "-D foo x t", Files: files, Stderr: "grep: unknown devices method\n", Status: 2},
		{Args: "--binary-files=foo x t", Files: files, Stderr: "grep: unknown binary-files type\n", Status: 2},
		{Args: "-E -F foo t", Files: files, Stderr: "grep: conflicting matchers specified\n", Status: 2},
		{Args: "-P -E foo t", Files: files, Stderr: "grep: conflicting matchers specified\n", Status: 2},
		{Args: "-P -F foo t", Files: files, Stderr: "grep: conflicting matchers specified\n", Status: 2},
		{Args: "-e foo -e bar t", Files: files, Stdout: "foo\nbar\nfoo\n"},
		{Args: "-f nosuch t", Files: files, Stderr: "grep: nosuch: No such file or directory\n", Status: 2},
		{Args: "-f empty t", Files: files, Status: 1},
		{Args: "-f pats t", Files: files, Stdout: "foo\nbar\nfoo\n"},
		{Args: "-vf empty t", Files: files, Stdout: "foo\nbar\nfoo\n"},
		{Args: "-f pats -w words", Files: files, Stdout: "foo bar foobar\nfoo-bar_foo foo\n  foo\n"},
		{Args: "-w fo t", Files: files, Status: 1},
		{Args: "-w foo words", Files: files, Stdout: "foo bar foobar\nfoo-bar_foo foo\n  foo\n"},
		{Args: "-wo foo words", Files: files, Stdout: "foo\nfoo\nfoo\nfoo\n"},
		{Args: "-x foo t", Files: files, Stdout: "foo\nfoo\n"},
		{Args: "-xv foo t", Files: files, Stdout: "bar\n"},
		{Args: "-H foo t", Files: files, Stdout: "t:foo\nt:foo\n"},
		{Args: "-nv foo t", Files: files, Stdout: "2:bar\n"},
		{Args: "-ov foo t", Files: files},
		{Args: "-c -v foo t", Files: files, Stdout: "1\n"},
		{Args: "-lv foo t", Files: files, Stdout: "t\n"},
		{Args: "-Lv foo t", Files: files},
		{Args: "-e", Files: files, Stderr: "grep: option requires an argument -- 'e'\nUsage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n", Status: 2},
		{Args: "-A", Files: files, Stderr: "grep: option requires an argument -- 'A'\nUsage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n", Status: 2},
		{Args: "-vw foo t", Files: files, Stdout: "bar\n"},
		{Args: "-u x t", Files: files, Stderr: "grep: warning: --unix-byte-offsets (-u) is obsolete\n", Status: 1},
		{Args: "--line-buffered -n bar t", Files: files, Stdout: "2:bar\n"},
		{Args: "-in FOO t", Files: files, Stdout: "1:foo\n3:foo\n"},
		{Args: "-ho o t", Files: files, Stdout: "o\no\no\no\n"},
		{Args: "-Eo o* t", Files: files, Stdout: "oo\noo\n"},
		{Args: "-on '' t", Files: files},
		{Args: "-nb -o oo t", Files: files, Stdout: "1:1:oo\n3:9:oo\n"},
		{Args: "-C2 hit ctx", Files: files, Stdout: "line 5\nline 6\nhit 7\nline 8\nline 9\n--\nline 12\nline 13\nhit 14\nline 15\nline 16\n--\nline 19\nline 20\nhit 21\nline 22\nline 23\n--\nline 26\nline 27\nhit 28\nline 29\nline 30\n--\nline 33\nline 34\nhit 35\nline 36\nline 37\n"},
		{Args: "-B1 -A0 hit ctx", Files: files, Stdout: "line 6\nhit 7\n--\nline 13\nhit 14\n--\nline 20\nhit 21\n--\nline 27\nhit 28\n--\nline 34\nhit 35\n"},
		{Args: "-A0 hit ctx", Files: files, Stdout: "hit 7\n--\nhit 14\n--\nhit 21\n--\nhit 28\n--\nhit 35\n"},
		{Args: "-nC1 -v line ctx", Files: files, Stdout: "6-line 6\n7:hit 7\n8-line 8\n--\n13-line 13\n14:hit 14\n15-line 15\n--\n20-line 20\n21:hit 21\n22-line 22\n--\n27-line 27\n28:hit 28\n29-line 29\n--\n34-line 34\n35:hit 35\n36-line 36\n"},
		{Args: "-m2 -C1 hit ctx", Files: files, Stdout: "line 6\nhit 7\nline 8\n--\nline 13\nhit 14\nline 15\n"},
		{Args: "-c '' empty", Files: files, Stdout: "0\n", Status: 1},
		{Args: "-c '' t", Files: files, Stdout: "3\n"},
		{Args: "'' empty", Files: files, Status: 1},
		{Args: "-v x empty", Files: files, Status: 1},
		{Args: "-y FOO t", Files: files, Stdout: "foo\nfoo\n"},
		{Args: "-E 'fo{2}' t", Files: files, Stdout: "foo\nfoo\n"},
		{Args: "-E 'foo|bar' t", Files: files, Stdout: "foo\nbar\nfoo\n"},
		{Args: `'fo\{2\}' t`, Files: files, Stdout: "foo\nfoo\n"},
		{Args: `'\(o\)\1' t`, Files: files, Stdout: "foo\nfoo\n"},
		{Args: "-E '(' t", Files: files, Stderr: "grep: Unmatched ( or \\(\n", Status: 2},
		{Args: "'[' t", Files: files, Stderr: "grep: Invalid regular expression\n", Status: 2},
		{Args: `'a\{1' t`, Files: files, Stderr: "grep: Unmatched \\{\n", Status: 2},
		{Args: "-E 'a{1' t", Files: files, Status: 1},
		{Args: "'[:space:]' t", Files: files, Stderr: "grep: character class syntax is [[:space:]], not [:space:]\n", Status: 2},
		{Args: "'*a' t", Files: files, Status: 1},
		{Args: "-E '*a' t", Files: files, Stdout: "bar\n", Stderr: "grep: warning: * at start of expression\n"},
		{Args: "-E '+a' t", Files: files, Stdout: "bar\n", Stderr: "grep: warning: + at start of expression\n"},
		{Args: "-E '{1}a' t", Files: files, Stdout: "bar\n", Stderr: "grep: warning: {...} at start of expression\n"},
		{Args: `'\(' t`, Files: files, Stderr: "grep: Unmatched ( or \\(\n", Status: 2},
		{Args: `'\)' t`, Files: files, Stderr: "grep: Unmatched ) or \\)\n", Status: 2},
		{Args: `'a\' t`, Files: files, Stderr: "grep: Trailing backslash\n", Status: 2},
		{Args: "-F '.' t", Files: files, Status: 1},
		{Args: "-F -x foo t", Files: files, Stdout: "foo\nfoo\n"},
		{Args: "-F -w foo words", Files: files, Stdout: "foo bar foobar\nfoo-bar_foo foo\n  foo\n"},
		{Args: "-F -i FOO t", Files: files, Stdout: "foo\nfoo\n"},
		{Args: "-F -o -e foo -e bar words", Files: files, Stdout: "foo\nbar\nfoo\nbar\nfoo\nbar\nfoo\nfoo\nfoo\n"},
		{Args: "-oi FOO words", Files: files, Stdout: "foo\nfoo\nfoo\nfoo\nfoo\nfoo\n"},
		{Args: `-P 'f\Ko+' t`, Files: files, Stdout: "foo\nfoo\n"},
		{Args: `-oP 'f\Ko+' t`, Files: files, Stdout: "oo\noo\n"},
		{Args: "-oP '(?<=f)o' t", Files: files, Stdout: "o\no\n"},
		{Args: "-P 'a)' t", Files: files, Stderr: "grep: unmatched closing parenthesis\n", Status: 2},
		{Args: "-P '(a' t", Files: files, Stderr: "grep: missing closing parenthesis\n", Status: 2},
		{Args: "-P '[a' t", Files: files, Stderr: "grep: missing terminating ] for character class\n", Status: 2},
		{Args: "-P '*a' t", Files: files, Stderr: "grep: quantifier does not follow a repeatable item\n", Status: 2},
		{Args: `-oP '\d++' s`, Files: files, Stdout: "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n"},
		{Args: "-wP fo t", Files: files, Status: 1},
		{Args: "-xP 'fo+' t", Files: files, Stdout: "foo\nfoo\n"},
		{Args: "-P -e foo -e bar t", Files: files, Stderr: "grep: the -P option only supports a single pattern\n", Status: 2},
		{Args: `-oP '\bb' t`, Files: files, Stdout: "b\n"},
		{Args: "-P '(?i)FOO' t", Files: files, Stdout: "foo\nfoo\n"},
		{Args: `-oP '(?<n>o)\k<n>' t`, Files: files, Stdout: "oo\noo\n"},
		{Args: `-oP '(o)\1' t`, Files: files, Stdout: "oo\noo\n"},
		{Args: `-oP '\h' words`, Files: files, Stdout: " \n \n \n \n \n"},
		{Args: "-oP '[[:alpha:]]+' t", Files: files, Stdout: "foo\nbar\nfoo\n"},
		{Args: `-oP '\Qo\E' t`, Files: files, Stdout: "o\no\no\no\n"},
		{Args: "-oP '(?(?=f)f|b)' t", Files: files, Stdout: "f\nb\nf\n"},
		{Args: `-oP '\x6f' t`, Files: files, Stdout: "o\no\no\no\n"},
		{Args: `-P '\N' t`, Files: files, Stdout: "foo\nbar\nfoo\n"},
		{Args: "-P '^$' t", Files: files, Status: 1},
		{Args: `-P '(o)\g1' t`, Files: files, Stdout: "foo\nfoo\n"},
		{Args: `-P '(o)\g{1}' t`, Files: files, Stdout: "foo\nfoo\n"},
		{Args: "--include='*.h' foo i/a.c i/b.h", Files: files, Stdout: "i/b.h:foo\n"},
		{Args: "--exclude='a.c' foo i/a.c i/b.h", Files: files, Stdout: "i/b.h:foo\n"},
		{Args: "--exclude='i/a.c' foo i/a.c i/b.h", Files: files, Stdout: "i/b.h:foo\n"},
		{Args: "-r foo i/a.c", Files: files, Stdout: "foo\n"},
		{Args: "-d skip foo i", Files: files, Status: 1},
		{Args: "-d recurse foo i/sub", Files: files, Stdout: "i/sub/c.c:xfoo\n"},
		{Args: "foo i/dang", Files: files, Stderr: "grep: i/dang: No such file or directory\n", Status: 2},
		{Args: "-r foo i/sub", Files: files, Stdout: "i/sub/c.c:xfoo\n"},
		{Args: "-r foo i/sub nosuch", Files: files, Stdout: "i/sub/c.c:xfoo\n", Stderr: "grep: nosuch: No such file or directory\n", Status: 2},
		{Args: "--exclude-dir=sub foo -r i/sub", Files: files, Status: 1},
		{Args: "-c foo t nosuch t", Files: files, Stdout: "t:2\nt:2\n", Stderr: "grep: nosuch: No such file or directory\n", Status: 2},
		{Args: "-sc foo t nosuch t", Files: files, Stdout: "t:2\nt:2\n", Status: 2},
		{Args: "-E 'a**' t", Files: files, Stdout: "foo\nbar\nfoo\n"},
		{Args: "'a**' t", Files: files, Stdout: "foo\nbar\nfoo\n"},
		{Args: "-e foo --no-ignore-case -i t", Files: files, Stdout: "foo\nfoo\n"},
		{Args: "-nH -e foo -e 5 t s", Files: files, Stdout: "t:1:foo\nt:3:foo\ns:5:5\ns:15:15\n"},
		{Args: "--regexp=foo --file=pats t", Files: files, Stdout: "foo\nbar\nfoo\n"},
		{Args: "--max-count=1 foo t", Files: files, Stdout: "foo\n"},
		{Args: "--context=1 bar t", Files: files, Stdout: "foo\nbar\nfoo\n"},
		{Args: "--context 1 bar t", Files: files, Stdout: "foo\nbar\nfoo\n"},
		{Args: "--colour=never foo t", Files: files, Stdout: "foo\nfoo\n"},
		{Args: "-lc foo t s", Files: files, Stdout: "t\n"},
		{Args: "-lq foo t", Files: files},
		{Args: "-Lc foo t s", Files: files, Stdout: "s\n"},
		{Args: "-bn foo t", Files: files, Stdout: "1:0:foo\n3:8:foo\n"},
		{Args: "-bo -i O t", Files: files, Stdout: "1:o\n2:o\n9:o\n10:o\n"},
		{Args: "-5 hit ctx", Files: files, Stdout: "line 2\nline 3\nline 4\nline 5\nline 6\nhit 7\nline 8\nline 9\nline 10\nline 11\nline 12\nline 13\nhit 14\nline 15\nline 16\nline 17\nline 18\nline 19\nline 20\nhit 21\nline 22\nline 23\nline 24\nline 25\nline 26\nline 27\nhit 28\nline 29\nline 30\nline 31\nline 32\nline 33\nline 34\nhit 35\nline 36\nline 37\nline 38\nline 39\n"},
		{Args: "-1n -2 bar t", Files: files, Stdout: "1-foo\n2:bar\n3-foo\n"},
		{Args: "-nm1 foo t t", Files: files, Stdout: "t:1:foo\nt:1:foo\n"},
		{Args: "--label=x -H foo t", Files: files, Stdout: "t:foo\nt:foo\n"},
		{Args: "-hH foo t", Files: files, Stdout: "t:foo\nt:foo\n"},
		{Args: "-Hh foo t", Files: files, Stdout: "foo\nfoo\n"},
		{Args: "-rh foo i/sub", Files: files, Stdout: "xfoo\n"},
		{Args: "-rl foo i/sub", Files: files, Stdout: "i/sub/c.c\n"},
		{Args: "-rL foo i/sub", Files: files},
		{Args: "-rc foo i/sub", Files: files, Stdout: "i/sub/c.c:1\n"},
		{Args: "--binary-files=text a bin", Files: files, Stdout: "a\x00a\n"},
		{Args: "--binary-files=without-match a bin", Files: files, Status: 1},
		{Args: "-U foo t", Files: files, Stdout: "foo\nfoo\n"},
		{Args: `-E '^(.)(.).*\2\1$' words`, Files: files, Status: 1},
		{Args: `-E '\<foo\>' words`, Files: files, Stdout: "foo bar foobar\nfoo-bar_foo foo\n  foo\n"},
		{Args: `'\bfoo\b' words`, Files: files, Stdout: "foo bar foobar\nfoo-bar_foo foo\n  foo\n"},
		{Args: `-o '\w\+' words`, Files: files, Stdout: "foo\nbar\nfoobar\nfoo\nbar_foo\nfoo\nfoo\n"},
		{Args: "-E -o '[[:alpha:]]+_' words", Files: files, Stdout: "bar_\n"},
		{Args: "-vn '^$' words", Files: files, Stdout: "1:foo bar foobar\n2:foo-bar_foo foo\n4:  foo\n"},
		{Args: "-n '^$' words", Files: files, Stdout: "3:\n"},
		{Args: "-c '^' words", Files: files, Stdout: "4\n"},
		{Args: "-c $ words", Files: files, Stdout: "4\n"},
		{Args: "'^ *foo' words", Files: files, Stdout: "foo bar foobar\nfoo-bar_foo foo\n  foo\n"},
		{Args: "foo", Files: files, Stdin: "foo\nbar\n", Stdout: "foo\n"},
		{Args: "-H foo", Files: files, Stdin: "foo\n", Stdout: "(standard input):foo\n"},
		{Args: "foo -", Files: files, Stdin: "foo\n", Stdout: "foo\n"},
		{Args: "-c foo - t", Files: files, Stdin: "foo\n", Stdout: "(standard input):1\nt:2\n"},
		{Args: "--label=LL -H foo", Files: files, Stdin: "foo\n", Stdout: "LL:foo\n"},
		{Args: "-f - t", Files: files, Stdin: "foo\n", Stdout: "foo\nfoo\n"},
		{Args: "-r foo -", Files: files, Stdin: "foo\n", Stdout: "foo\n"},
		{Args: "foo --exclude='*.c' -", Files: files, Stdin: "foo\n", Stdout: "foo\n"},
		{Args: "-n ''", Files: files, Stdin: "a\nb", Stdout: "1:a\n2:b\n"},
		{Args: "-o 'a*'", Files: files, Stdin: "baac\n", Stdout: "aa\n"},
		{Args: "--color=always -E 'a|b*'", Files: files, Stdin: "xaaby\n", Stdout: "x\x1b[01;31m\x1b[Ka\x1b[m\x1b[K\x1b[01;31m\x1b[Ka\x1b[m\x1b[K\x1b[01;31m\x1b[Kb\x1b[m\x1b[Ky\n"},
		{Args: "-w 'a*'", Files: files, Stdin: "b\n", Status: 1},
		{Args: "-q x", Files: files, Stdin: "x\n"},
		{Args: "-L x", Files: files, Stdin: "y\n", Stdout: "(standard input)\n", Status: 1},
		{Args: "-l x", Files: files, Stdin: "x\n", Stdout: "(standard input)\n"},
		{Args: "-c x", Files: files, Stdin: "x\nx", Stdout: "2\n"},
		{Args: "-z x", Files: files, Stdin: "x\x00y\x00", Stdout: "x\x00"},
		{Args: "-i é", Files: files, Stdin: "É\n", Status: 1},
		{Args: "", Files: files, Stderr: "Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n", Status: 2},
	})
}

// TestLateNull has a zero byte far behind the first lines that match.
func TestLateNull(t *testing.T) {
	files := map[string]string{"late": strings.Repeat("x\n", 20000) + "x\x00x\nend\n"}
	progtest.Run(t, Programs(), "grep", []progtest.Case{
		{Args: "x late", Files: files, Stderr: "grep: late: binary file matches\n"},
		{Args: "-c x late", Files: files, Stdout: "20002\n"},
		{Args: "-vc x late", Files: files, Stdout: "1\n"},
		{Args: "-a -n end late", Files: files, Stdout: "20002:end\n"},
	})
}

func TestUTF8(t *testing.T) {
	files := map[string]string{"t": "é\nE\n\xff\nx\n"}
	env := []string{"LC_ALL=C.UTF-8"}
	progtest.Run(t, Programs(), "grep", []progtest.Case{
		{Args: "-o . t", Files: files, Env: env, Stdout: "é\nE\nx\n"},
		{Args: "-v . t", Files: files, Env: env, Stderr: "grep: t: binary file matches\n"},
		{Args: "-i É t", Files: files, Env: env, Stdout: "é\n"},
		{Args: "-oP . t", Files: map[string]string{"t": "éa\n"}, Env: env, Stdout: "é\na\n"},
		{Args: "-oP . t", Files: map[string]string{"t": "é\n"}, Stdout: "\xc3\n\xa9\n"},
	})
}

func TestLineBeyondLimit(t *testing.T) {
	w := progtest.NewWorld(t, Programs())
	got := w.Run("grep", progtest.Case{Args: "x", Stdin: strings.Repeat("a", 80<<20)})
	if want := "grep: (standard input): memory exhausted\n"; got.Stderr != want || got.Status != 2 {
		t.Errorf("got %q, %d; want %q, 2", got.Stderr, got.Status, want)
	}
}

// A pattern that takes for ever ends with its context.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	w := progtest.NewWorld(t, Programs())
	inv := w.Invocation(progtest.Case{}, strings.NewReader(strings.Repeat("abcabcabcabcabcabcabcabcabc", 100_000)), io.Discard, io.Discard)
	inv.Name, inv.Args = "grep", []string{"-E", `((a|b)*c)*x\1`}
	done := make(chan int, 1)
	go func() { done <- Programs()[0].Run(ctx, inv) }()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatal("grep goes on after its context ended")
	}
}
