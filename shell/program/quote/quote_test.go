package quote

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"testing"
)

func TestString(t *testing.T) {
	for _, tc := range []struct {
		q    Quoter
		s    string
		want string
	}{
		{Quoter{Style: ShellEscape}, "plain", "plain"},
		{Quoter{Style: ShellEscape}, "", "''"},
		{Quoter{Style: ShellEscape}, "a b", "'a b'"},
		{Quoter{Style: ShellEscape}, "it's", `"it's"`},
		{Quoter{Style: ShellEscape}, "it's $x", `'it'\''s $x'`},
		{Quoter{Style: ShellEscape}, "a\nb", `'a'$'\n''b'`},
		{Quoter{Style: ShellEscape}, "a:b", "a:b"},
		{Quoter{Style: ShellEscape, Also: ":"}, "a:b", "'a:b'"},
		{Quoter{Style: ShellEscapeAlways}, "x", "'x'"},
		{Quoter{Style: ShellEscape}, "caf\u00e9", `'caf'$'\303\251'`},
		{Quoter{Style: ShellEscape, UTF8: true}, "caf\u00e9", "caf\u00e9"},
		{Quoter{Style: Locale}, "it's", `'it\'s'`},
		{Quoter{Style: C}, "a\"\tb\001", `"a\"\tb\001"`},
		{Quoter{Style: CMaybe}, "ab", "ab"},
		{Quoter{Style: Escape}, "a b", `a\ b`},
	} {
		if got := tc.q.String(tc.s); got != tc.want {
			t.Errorf("%v: got %s, want %s", tc.q.Style, got, tc.want)
		}
	}
}

// TestAgainstLs compares every name of one byte, and many of two and three,
// with the real ls.
func TestAgainstLs(t *testing.T) {
	ls, err := exec.LookPath("ls")
	if err != nil {
		if os.Getenv("MIRAGE_REQUIRE_TOOLS") != "" {
			t.Fatal(err)
		}
		t.Skip("no ls here")
	}
	dir := t.TempDir()
	names := []string{"it's", "it's a b", "'", "''", "\n'a", "\n\n", "a\nb\nc", "{}", "a{}", "#a", "a#", "~", "a~", "'#", "'~b", "=a'", "caf\u00e9", "\u00e9'", "a\u200bb", "-n", "x\\'y"}
	for c := 1; c < 256; c++ {
		if c == '/' {
			continue
		}
		s := string([]byte{byte(c)})
		if s != "." {
			names = append(names, s)
		}
		names = append(names, "a"+s, s+"'", "'"+s, s+"\t", " "+s+"b")
	}
	seen := map[string]bool{}
	var uniq []string
	for _, n := range names {
		if !seen[n] {
			seen[n] = true
			uniq = append(uniq, n)
			if err := os.WriteFile(filepath.Join(dir, n), nil, 0o644); err != nil {
				t.Fatalf("%q: %v", n, err)
			}
		}
	}
	sort.Strings(uniq)
	for _, locale := range []string{"C", "C.UTF-8"} {
		for name, style := range map[string]Style{
			"literal": Literal, "shell": Shell, "shell-always": ShellAlways, "shell-escape": ShellEscape,
			"shell-escape-always": ShellEscapeAlways, "c": C, "escape": Escape,
		} {
			cmd := exec.Command(ls, append([]string{"--zero", "-d", "--quoting-style=" + name, "--"}, uniq...)...)
			cmd.Dir = dir
			cmd.Env = []string{"LC_ALL=" + locale}
			// Both locales sort by bytes.
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			got := bytes.Split(bytes.TrimSuffix(out, []byte{0}), []byte{0})
			if len(got) != len(uniq) {
				t.Fatalf("%s: %d names from ls, want %d", name, len(got), len(uniq))
			}
			q := Quoter{Style: style, UTF8: locale == "C.UTF-8"}
			for i, n := range uniq {
				if mine := q.String(n); mine != string(got[i]) {
					t.Errorf("%s %s %q: got %q, ls says %q", locale, name, n, mine, got[i])
				}
			}
		}
	}
}
