package policy

import "testing"

func TestPathPatterns(t *testing.T) {
	tests := []struct {
		entry, root string
		depth       int
		covers      []string
		not         []string
	}{
		{"/lab", "/", 1, []string{"/lab", "/lab/x/y"}, []string{"/labs", "/", "/x/lab"}},
		{"/lab/", "/", 1, []string{"/lab", "/lab/x/y"}, []string{"/labs"}},
		{"/", "/", 0, []string{"/", "/a", "/a/b"}, nil},
		{"/lab/*", "/", 1, []string{"/lab/x", "/lab/x/y", "/lab/.x"}, []string{"/lab", "/labs/x"}},
		{"/lab/raw/*.csv", "/", 2, []string{"/lab/raw/a.csv", "/lab/raw/q/a.csv", "/lab/raw/d.csv/inner"}, []string{"/lab/a.csv", "/lab/raw", "/lab/raw/a.csvx"}},
		{"/l*/raw", "/", 0, []string{"/lab/raw", "/lab/raw/z", "/l/x/raw"}, []string{"/lab", "/x/raw"}},
		{"*.env", "/", 0, []string{"/a/prod.env", "/.env", "/x.env/inner.txt"}, []string{"/a/.envrc", "/"}},
		{"*.env", "/lab", 1, []string{"/lab/x.env", "/lab/a/b/.env"}, []string{"/other/x.env", "/lab.env", "/lab"}},
		{"id_rsa", "/", 0, []string{"/id_rsa", "/home/id_rsa", "/id_rsa/x"}, []string{"/id_rsa.pub"}},
		{"/a/[!x]?", "/", 1, []string{"/a/bc", "/a/b/"}, []string{"/a/xc", "/a/b"}},
		{"/a/[^x]", "/", 1, []string{"/a/b"}, []string{"/a/x"}},
		{"/a/[]x]", "/", 1, []string{"/a/]", "/a/x"}, []string{"/a/y"}},
		{"/a/[x", "/", 1, []string{"/a/[x"}, []string{"/a/x"}},
		{"/a/[a-c]z", "/", 1, []string{"/a/bz"}, []string{"/a/dz"}},
		{"/ä/?", "/", 1, []string{"/ä/ö", "/ä/o"}, []string{"/ä/öö"}},
	}
	for _, test := range tests {
		p := parsePath(test.entry, test.root)
		if p.depth != test.depth {
			t.Errorf("%s under %s: depth %d, want %d", test.entry, test.root, p.depth, test.depth)
		}
		for _, path := range test.covers {
			if !p.covers(path) {
				t.Errorf("%s under %s does not cover %s", test.entry, test.root, path)
			}
		}
		for _, path := range test.not {
			if p.covers(path) {
				t.Errorf("%s under %s covers %s", test.entry, test.root, path)
			}
		}
	}
}

func TestGlob(t *testing.T) {
	tests := []struct {
		pattern, name string
		want          bool
	}{
		{"", "", true},
		{"", "a", false},
		{"*", "", true},
		{"*", "a/b", true},
		{"a*b*c", "axxbyyc", true},
		{"a*b*c", "axxbyy", false},
		{"*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaa", false},
		{"?", "", false},
		{"?", "\xff", true},
		{"[", "[", true},
		{"[]", "[]", true},
		{"[!]", "[!]", true},
		{"[a-", "[a-", true},
		{"[-a]", "-", true},
		{"[a-]", "-", true},
		{"[c-a]", "b", false},
		{"*.TXT", "a.txt", false},
	}
	for _, test := range tests {
		if got := glob(test.pattern, test.name); got != test.want {
			t.Errorf("glob(%q, %q) = %v, want %v", test.pattern, test.name, got, test.want)
		}
	}
}

func TestCommandPatterns(t *testing.T) {
	tests := []struct {
		pattern string
		argv    []string
		unknown []bool
		want    match
	}{
		{"git", []string{"git"}, nil, yes},
		{"git", []string{"git", "push"}, nil, yes},
		{"git *", []string{"git"}, nil, yes},
		{"git push", []string{"git", "push", "origin"}, nil, yes},
		{"git push", []string{"git", "pull"}, nil, no},
		{"git push", []string{"git"}, nil, no},
		{"git push", []string{"git", ""}, []bool{false, true}, maybe},
		{"git push", []string{"git", "", "push"}, []bool{false, true, false}, maybe},
		{"git", []string{"git", ""}, []bool{false, true}, yes},
		{"rm -rf", []string{"rm", "-r", "-f"}, nil, no},
		{"git * push", []string{"git", "-v", "push"}, nil, yes},
		{"git * push", []string{"git", "push"}, nil, no},
		{"*", []string{"anything", "at", "all"}, nil, yes},
	}
	for _, test := range tests {
		c := &Command{Argv: test.argv, Unknown: test.unknown}
		if got := parseWords(test.pattern).line(c.Argv[0], c); got != test.want {
			t.Errorf("%q against %q: got %v, want %v", test.pattern, test.argv, got, test.want)
		}
	}
}

func FuzzGlob(f *testing.F) {
	f.Add("[a-z]*?", "abc")
	f.Add("[!", "!")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		glob(pattern, name)
		if name != "" && !glob("*", name) {
			t.Errorf("* does not match %q", name)
		}
	})
}
