package shell_test

import (
	"testing"

	"mirage/shell"
)

// What the parser takes and bash does not.
func TestMisplacedTokens(t *testing.T) {
	tests := []struct{ line, stderr string }{
		{"()(0)", "mirage: syntax error near ')'\n"},
		{"() { echo no; }", "mirage: syntax error near '{'\n"},
		{"echo a; () (echo b)", "mirage: syntax error near ')'\n"},
		{"f() echo", "mirage: syntax error near 'echo'\n"},
		{"f() g() { :; }", "mirage: syntax error near 'g'\n"},
	}
	sh := shell.New(testConfig(t, newTree(t)))
	defer sh.Close()
	for _, tt := range tests {
		got := runLine(sh, tt.line, "")
		if got.result.Status != 2 || got.stdout != "" || got.stderr != tt.stderr {
			t.Errorf("%q: got %d, %q, %q, want 2, %q", tt.line, got.result.Status, got.stdout, got.stderr, tt.stderr)
		}
	}
}
