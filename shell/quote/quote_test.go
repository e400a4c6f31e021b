package quote_test

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"mirage/shell/quote"
)

// samples are written by every style and read back by bash.
var samples = []string{
	"", "'", "it's", "~", "a~", "a=~", "a:~", "#a", "a#", "a #b", "a b", "a^b", "a,b", "a{b", "a}b", "a!b", "a%b+@-_./=:",
	"a[b]", `a"b`, "a$b`c\\d", "a\nb", "a\tb", "\x1b\a\x7f", "é", "\xff", "\u0080", "*", "?", "a;b", ")", "<", "|", "-n",
	"'\n'", `\`, "a\\\nb", "日本", "e\u0301", "\U0001F600",
}

func TestStyles(t *testing.T) {
	for _, c := range []struct{ s, word, single, set, trace, double, key string }{
		{"", "''", "''", "", "''", `""`, ""},
		{"'", `\'`, `\'`, `\'`, `\'`, `"'"`, `"'"`},
		{"it's", `it\'s`, `'it'\''s'`, `'it'\''s'`, `'it'\''s'`, `"it's"`, `"it's"`},
		{"a b", `a\ b`, "'a b'", "'a b'", "'a b'", `"a b"`, `"a b"`},
		{"a~", "a~", "'a~'", "a~", "a~", `"a~"`, "a~"},
		{"a=~", `a=\~`, "'a=~'", "'a=~'", "'a=~'", `"a=~"`, `"a=~"`},
		{"#a", `\#a`, "'#a'", "'#a'", "'#a'", `"#a"`, `"#a"`},
		{"a,b", `a\,b`, "'a,b'", "a,b", "a,b", `"a,b"`, "a,b"},
		{"a$`\\\"", "a\\$\\`\\\\\\\"", "'a$`\\\"'", "'a$`\\\"'", "'a$`\\\"'", "\"a\\$\\`\\\\\\\"\"", "\"a\\$\\`\\\\\\\"\""},
		{"a\nb", `$'a\nb'`, `$'a\nb'`, `$'a\nb'`, "'a\nb'", `$'a\nb'`, `$'a\nb'`},
		{"\x1b", `$'\E'`, `$'\E'`, `$'\E'`, `$'\E'`, `$'\E'`, `$'\E'`},
		{"é", "é", "'é'", "é", "é", `"é"`, "é"},
		{"\xff", `$'\377'`, `$'\377'`, `$'\377'`, `$'\377'`, `$'\377'`, `$'\377'`},
		{"@", "@", "'@'", "@", "@", `"@"`, `"@"`},
	} {
		for _, g := range []struct{ style, got, want string }{
			{"Word", quote.Word(c.s, true), c.word}, {"Single", quote.Single(c.s, true), c.single},
			{"Set", quote.Set(c.s, true), c.set}, {"Trace", quote.Trace(c.s, true), c.trace},
			{"Double", quote.Double(c.s, true), c.double}, {"Key", quote.Key(c.s, true), c.key},
		} {
			if g.got != g.want {
				t.Errorf("%s(%q): got %s, want %s", g.style, c.s, g.got, g.want)
			}
		}
	}
	if got, want := quote.Word("é", false), `$'\303\251'`; got != want {
		t.Errorf("without UTF-8: got %s, want %s", got, want)
	}
}

// TestAgainstBash compares with what bash writes, and has it read what we
// write.
func TestAgainstBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		if os.Getenv("MIRAGE_REQUIRE_TOOLS") == "1" {
			t.Fatal("bash is required")
		}
		t.Skip("no bash")
	}
	run := func(script string, args ...string) []string {
		t.Helper()
		cmd := exec.Command(bash, append([]string{"--norc", "-c", script, "bash"}, args...)...)
		cmd.Env = []string{"LC_ALL=C.UTF-8"}
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	}
	words := run(`printf '%q\0' "$@"`, samples...)
	singles := run(`for s; do printf '%s\0' "${s@Q}"; done`, samples...)
	listed := func(command, prefix string) []string {
		out := make([]string, len(samples))
		text := run(`i=0; for s; do printf -v zz$i %s "$s"; i=$((i+1)); done; `+command, samples...)[0]
		for _, line := range strings.Split(text, "\n") {
			name, value, _ := strings.Cut(line, "=")
			if n, err := strconv.Atoi(strings.TrimPrefix(name, prefix)); err == nil && strings.HasPrefix(name, prefix) {
				out[n] = value
			}
		}
		return out
	}
	declared, sets := listed("declare -p", "declare -- zz"), listed("set", "zz")
	var written []string
	for i, s := range samples {
		for _, g := range []struct{ style, got, want string }{
			{"Word", quote.Word(s, true), words[i]}, {"Single", quote.Single(s, true), singles[i]},
			{"Double", quote.Double(s, true), declared[i]}, {"Set", quote.Set(s, true), sets[i]},
		} {
			if g.got != g.want {
				t.Errorf("%s(%q): got %s, bash has %s", g.style, s, g.got, g.want)
			}
		}
		for _, q := range []string{quote.Word(s, true), quote.Single(s, true), quote.Trace(s, true), quote.Double(s, true), quote.Word(s, false)} {
			written = append(written, s, q)
		}
	}
	read := run(`while (($#)); do eval "x=$2"; [[ $x == "$1" ]] && printf 'ok\0' || printf '%s: %s\0' "$1" "$2"; shift 2; done`, written...)
	for _, r := range read {
		if r != "ok" {
			t.Errorf("bash reads another text from %q", r)
		}
	}
}

func TestANSI(t *testing.T) {
	for in, want := range map[string]string{
		`a\tb\n`: "a\tb\n", `\x41\101\u00e9\U0001F600`: "AAé\U0001F600", `\cA\c?\c\\`: "\x01\x7f\x1c", `\'\"\?\\`: `'"?\`,
		`\q\xg\u`: `\q\xg\u`, `a\0b`: "a", `a\x{41}b`: "aAb", `\`: `\`, `\1234`: "S4", `\e\E\a\b\f\r\v`: "\x1b\x1b\a\b\f\r\v",
		`\u20ac`: "€", `\c`: `\c`, `\x{`: "",
	} {
		if got := quote.ANSI(in, true); got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
	if got, want := quote.ANSI(`\u03bc\U00012345`, false), `\u03BC\U00012345`; got != want {
		t.Errorf("in the C locale: got %q, want %q", got, want)
	}
}

func TestEcho(t *testing.T) {
	for _, c := range []struct {
		in, want string
		stop     bool
	}{
		{`a\tb`, "a\tb", false}, {`\101`, `\101`, false}, {`\0101`, "A", false}, {`\x41`, "A", false}, {`a\cb`, "a", true},
		{`\\n`, `\n`, false}, {`a\`, `a\`, false}, {`\q`, `\q`, false}, {`\0`, "\x00", false}, {`\u41`, "A", false},
	} {
		got, stop := quote.Echo(c.in, true)
		if got != c.want || stop != c.stop {
			t.Errorf("%s: got %q, %v, want %q, %v", c.in, got, stop, c.want, c.stop)
		}
	}
}

func FuzzRoundTrip(f *testing.F) {
	for _, s := range samples {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.IndexByte(s, 0) >= 0 {
			return
		}
		for _, utf8 := range []bool{true, false} {
			q := quote.Single(s, utf8)
			if strings.HasPrefix(q, "$'") {
				if got := quote.ANSI(q[2:len(q)-1], utf8); got != s {
					t.Errorf("%q is written %s and read %q", s, q, got)
				}
			}
			quote.ANSI(s, utf8)
			quote.Echo(s, utf8)
			quote.Word(s, utf8)
		}
	})
}
