package shell_test

import "testing"

// TestProgramsReadProcessSubstitutions gives <(list) to every kind of program
// that takes files: those that look before they open must look at the pipe.
func TestProgramsReadProcessSubstitutions(t *testing.T) {
	const a, b = `<(printf 'a\nb\n')`, `<(printf 'a\nc\n')`
	tests := []struct{ line, want string }{
		{"cat " + a + " " + b, "a\nb\na\nc\n"},
		{"diff " + a + " " + b, "2c2\n< b\n---\n> c\n"},
		{"diff -q " + a + " " + a, ""},
		{"diff -u0 --label x --label y " + a + " " + b, "--- x\n+++ y\n@@ -2 +2 @@\n-b\n+c\n"},
		{"cmp -l " + a + " " + b, "3 142 143\n"},
		{"comm -12 " + a + " " + b, "a\n"},
		{"join " + a + " " + b, "a\n"},
		{"paste " + a + " " + b, "a\ta\nb\tc\n"},
		{"sort -u " + a + " " + b, "a\nb\nc\n"},
		{"uniq " + a, "a\nb\n"},
		{"head -qn1 " + a + " " + b, "a\na\n"},
		{"tail -qn1 " + a + " " + b, "b\nc\n"},
		{"tac " + a, "b\na\n"},
		{"wc -l < " + a, "2\n"},
		{"cut -c1 " + a, "a\nb\n"},
		{"grep -f " + a + " " + b, "a\n"},
		{"sed -n -f <(echo 1p) " + a, "a\n"},
		{"awk -f <(echo '{print NR $0}') " + a, "1a\n2b\n"},
		{"jq -R . " + a, "\"a\"\n\"b\"\n"},
		{"xargs -a " + a + " echo", "a b\n"},
		{"base64 " + a, "YQpiCg==\n"},
		{"gzip -c < " + a + " | gzip -dc", "a\nb\n"},
		{"tee /dev/null < " + a, "a\nb\n"},
		{"source " + `<(echo 'echo sourced')`, "sourced\n"},
		{"bash " + `<(echo 'echo run')`, "run\n"},
		{"while read x; do echo $x$x; done < " + a, "aa\nbb\n"},
		{"mapfile -t x < " + a + "; echo ${x[1]}", "b\n"},
	}
	sh := newShell(t, newTree(t))
	for _, test := range tests {
		if got := runLine(sh, test.line, ""); got.stdout != test.want {
			t.Errorf("%s: stdout %q, stderr %q; want %q", test.line, got.stdout, got.stderr, test.want)
		}
	}
}
