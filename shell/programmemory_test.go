package shell_test

import (
	"cmp"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"mirage/shell"
)

// TestProgramsShareMemory runs programs that hold what they read, more of them
// than the session's memory has room for, though each alone would fit. One must
// fail for it, and afterwards all of it must be there again.
func TestProgramsShareMemory(t *testing.T) {
	const (
		line  = "head -c 3000000 /dev/zero | tr '\\0' x" // one long line
		lines = "seq 300000"
	)
	told := map[string]string{"md5sum": "read error", "uniq": "error reading"}
	for _, test := range []struct{ name, input, command string }{
		{"awk", lines, "awk '{ a[NR] = $0 } END { system(\"sleep 100\") }'"},
		{"awk text", line, "awk '{ a = $0; system(\"sleep 100\") }'"},
		{"bash", line, "bash -c 'read x; sleep 100'"},
		{"comm", line, "comm - /dev/null"},
		{"cut", line, "cut -b 1"},
		{"date", line, "date -f -"},
		{"dd", line, "dd obs=3M of=/dev/null"},
		{"diff", lines, "diff - <(sleep 100)"},
		{"find", line, "find -files0-from -"},
		{"fold", line, "fold -s -w 10000000"},
		{"grep", line, "grep x"},
		{"grep patterns", lines, "grep -f - /dev/null"},
		{"head bytes", line, "head -c -10M"},
		{"head lines", lines, "head -n -1000000"},
		{"join", line, "join - /dev/null"},
		{"jq", "echo '['; " + lines + " | tr '\\n' ,", "jq ."},
		{"jq slurp", lines, "jq -s ."},
		{"jq text", line, "jq -R ."},
		{"jq text slurped", lines, "jq -Rs ."},
		{"jq string", "echo '\"'; " + line, "jq ."},
		{"md5sum", line, "md5sum -c"},
		{"nl", line, "nl"},
		{"numfmt", line, "numfmt"},
		{"od", line, "od -S 5"},
		{"paste", line, "paste - /dev/null"},
		{"rev", line, "rev"},
		{"sed", line, "sed s/x/x/"},
		{"sed hold", lines, "sed -n H"},
		{"sed script", lines + " | sed 's/.*/p/'", "sed -f - /dev/null"},
		{"shuf", lines, "shuf"},
		{"sort", line, "sort"},
		{"sort check", line, "sort -c"},
		{"sort merge", line, "sort -m - /dev/null"},
		{"split", line, "split -n 2"},
		{"split lines", line, "split -C 10M"},
		{"strings", line, "strings -n 10000000"},
		{"tac", lines, "tac"},
		{"tail bytes", line, "tail -c 10M"},
		{"tail lines", lines, "tail -n 1000000"},
		{"tar names", line, "tar -cf /dev/null -T -"},
		{"tsort", lines, "tsort"},
		{"uniq", line, "uniq"},
		{"wc", line, "wc --files0-from=-"},
		{"xxd", line, "xxd -r"},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg := testConfig(t, newTree(t))
			cfg.Limits.Memory = 8 << 20
			sh := shell.New(cfg)
			defer sh.Close()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			text := cmp.Or(told[test.name], "emory")
			stderr := &cancelAt{text: text, cancel: cancel}
			source := "for i in 1 2 3 4 5 6 7 8; do { " + test.input + "; sleep 100; } | " + test.command + " & done; wait"
			sh.Run(ctx, shell.Line{Source: source, Stdout: io.Discard, Stderr: stderr})
			if !strings.Contains(stderr.String(), text) {
				t.Errorf("stderr %.300q", stderr.String())
			}
			runLine(sh, "kill -9 -1; wait", "")
			// A program that does not hear at once is left to end by itself.
			again := "x=$(head -c 6000000 /dev/zero | tr '\\0' x); echo ${#x}"
			got := runLine(sh, again, "")
			for range 600 {
				if got.stdout == "6000000\n" {
					return
				}
				time.Sleep(100 * time.Millisecond)
				got = runLine(sh, again, "")
			}
			t.Errorf("afterwards: %+v", got)
		})
	}
}
