package shell

import "testing"

func TestIncomplete(t *testing.T) {
	sh := New(Config{})
	defer func() { _ = sh.Close() }()
	for source, want := range map[string]bool{
		"": false, "echo": false, "echo )": false, "if x; ; ;": false,
		`echo a\`: true, `echo a\\`: false, `echo a\\\`: true, `# c \`: false, "echo\n  # c \\": false, `'a\`: true, `'a\'`: false,
		"'a": true, `"a`: true, "$'a": true, "`a": true, "$(a": true, "${a": true, "$((1": true, "((a": true,
		"a |": true, "a &&": true, "a ||": true, "a ;": false, "a &": false,
		"if a": true, "if a; then": true, "if a; then b; fi": false, "while a; do": true, "for x in a": true,
		"f()": true, "f() {": true, "f() { a; }": false, "{ a": true, "(a": true, "case a in": true, "[[ a": true, "a=(": true,
		"cat <<E": true, "cat <<E\na": true, "cat <<E\na\nE": false, "cat <<'E'": true, `cat <<\E`: true, "cat <<-E\na\n\tE": false,
		"cat <<-'E'\na": true, "cat <<A <<B\nA": true, "cat <<A <<B\nA\nB": false,
		"cat <<E\n; ;\n": true, "cat <<'E'\n; ;\n": true, "while a; do\n; ;\n": false, "'a\n; ;\n": true,
		"x=$(cat <<E\na": true, "cat <<< a": false, "((1<<2))": false,
	} {
		if got := sh.Incomplete(source); got != want {
			t.Errorf("Incomplete(%q) = %v, want %v", source, got, want)
		}
	}
}
