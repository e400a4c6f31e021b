package audit

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tamper edits the lines of the file n of a log.
func tamper(t *testing.T, dir string, n int, edit func(lines [][]byte) [][]byte) {
	t.Helper()
	name := filepath.Join(dir, fileName(n))
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := edit(bytes.SplitAfter(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")))
	out := bytes.Join(lines, nil)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	if err := os.WriteFile(name, out, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestTampering(t *testing.T) {
	remove := func(names ...string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			for _, n := range names {
				if err := os.Remove(filepath.Join(dir, n)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	lines := func(n int, edit func([][]byte) [][]byte) func(*testing.T, string) {
		return func(t *testing.T, dir string) { tamper(t, dir, n, edit) }
	}
	// rewrite seals records anew, as somebody would who knows the format.
	rewrite := func(n int, edit func(*Record)) func(*testing.T, string) {
		return lines(n, func(l [][]byte) [][]byte {
			prev := ""
			for i := range l {
				r, err := parse(bytes.TrimSuffix(l[i], []byte("\n")))
				if err != nil {
					t.Fatal(err)
				}
				if prev != "" {
					r.Prev = prev
				}
				edit(&r)
				if l[i], err = (chain{}).seal(&r); err != nil {
					t.Fatal(err)
				}
				prev = r.Hash
			}
			return l
		})
	}
	for _, tc := range []struct {
		name  string
		do    func(t *testing.T, dir string)
		fault string // in the report
	}{
		{"nothing", func(*testing.T, string) {}, ""},
		{"edit", lines(2, func(l [][]byte) [][]byte {
			l[2] = bytes.Replace(l[2], []byte("echo"), []byte("true"), 1)
			return l
		}), "00000002.jsonl:3: the hash does not fit the record"},
		{"edit a hash", lines(2, func(l [][]byte) [][]byte {
			i := bytes.LastIndex(l[2], []byte(hashField)) + len(hashField)
			l[2][i] ^= 1
			return l
		}), "00000002.jsonl:3: the hash does not fit the record"},
		{"garbage", lines(2, func(l [][]byte) [][]byte { l[2] = []byte("{}\n"); return l }), "00000002.jsonl:3: no audit record"},
		{"delete", lines(2, func(l [][]byte) [][]byte { return slices.Delete(l, 2, 3) }), "are missing"},
		{"delete the first", lines(1, func(l [][]byte) [][]byte { return l[1:] }), "records 1 to 1 are missing"},
		{"delete the last of a file", lines(2, func(l [][]byte) [][]byte { return l[:len(l)-1] }), "are missing"},
		{"reorder", lines(2, func(l [][]byte) [][]byte { l[1], l[2] = l[2], l[1]; return l }), "are missing"},
		{"repeat", lines(2, func(l [][]byte) [][]byte { return slices.Insert(l, 2, l[1]) }), "stands after"},
		{"insert a forged one", rewrite(2, func(r *Record) { r.Line = strings.Replace(r.Line, "echo", "true", 1) }), "does not follow"},
		{"remove the first file", remove(fileName(1)), "are missing"},
		{"remove a file in the middle", remove(fileName(2)), "are missing"},
		{"remove the last file", remove(fileName(3)), "missing at the end"},
		{"remove every file", remove(fileName(1), fileName(2), fileName(3)), "every file is missing"},
		{"remove the head", remove(headName), "the head is missing"},
		{"truncate", lines(3, func(l [][]byte) [][]byte { return l[:len(l)-1] }), "missing at the end"},
		{"truncate in a record", func(t *testing.T, dir string) {
			name := filepath.Join(dir, fileName(3))
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(name, info.Size()-5); err != nil {
				t.Fatal(err)
			}
		}, "no audit record"},
		{"rewrite the end", rewrite(3, func(r *Record) { r.Account = "nobody" }), "the head names"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			o := options(t, dir)
			o.Limits = Limits{MaxSize: 1600, Keep: -1}
			fill(t, o, 15)
			if list, _ := files(dir); len(list) != 3 {
				t.Fatalf("%d files, want 3", len(list))
			}
			tc.do(t, dir)
			r := verify(t, dir)
			switch {
			case tc.fault == "" && r.Broken == nil:
			case r.Broken == nil:
				t.Errorf("not noticed: %+v", r)
			case !strings.Contains(r.Broken.Error(), tc.fault) || tc.fault == "":
				t.Errorf("got %q, want %q", r.Broken, tc.fault)
			}
			if tc.fault == "" {
				return
			}
			// A server that goes on with the log does not paper over it.
			fill(t, o, 3)
			if r := verify(t, dir); r.Broken == nil && len(r.Notes) == 0 {
				t.Errorf("forgotten after a restart: %+v", r)
			}
		})
	}
}

func TestNotedPosition(t *testing.T) {
	dir, old := t.TempDir(), t.TempDir()
	fill(t, options(t, dir), 3)
	if err := os.CopyFS(old, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	fill(t, options(t, dir), 3)
	noted := whole(t, dir).Last
	if r, err := Verify(t.Context(), dir, nil, noted); err != nil || r.Broken != nil {
		t.Errorf("%+v, %v", r, err)
	}
	// The old state, head and all, is whole in itself.
	whole(t, old)
	r, err := Verify(t.Context(), old, nil, noted)
	if err != nil || r.Broken == nil || !strings.Contains(r.Broken.Reason, "which was noted, is missing") {
		t.Errorf("%+v, %v", r, err)
	}
	noted.Hash = strings.Repeat("0", len(noted.Hash))
	if r, err := Verify(t.Context(), dir, nil, noted); err != nil || r.Broken == nil {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestCrash(t *testing.T) {
	for _, tail := range []string{`{"seq":99,"ti`, "\x00\x00\x00", "{}\n", `{"seq":6,"time"` + "\n\n"} {
		dir := t.TempDir()
		fill(t, options(t, dir), 3)
		name := filepath.Join(dir, fileName(1))
		before, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		before = append(before, tail...)
		if err := os.WriteFile(name, before, 0o600); err != nil {
			t.Fatal(err)
		}
		fill(t, options(t, dir), 2)
		after, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(after, before) {
			t.Errorf("%q: what was there has been rewritten", tail)
		}
		r := whole(t, dir)
		if r.Records != 10 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "recovered: a record is torn") {
			t.Errorf("%q: %+v", tail, r)
		}
	}
}

// TestCrashAtEveryByte cuts the log of a server that never synced its head at
// every length.
func TestCrashAtEveryByte(t *testing.T) {
	dir := t.TempDir()
	fill(t, options(t, dir), 2)
	text, err := os.ReadFile(filepath.Join(dir, fileName(1)))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	r, err := parse(first)
	if err != nil {
		t.Fatal(err)
	}
	for cut := len(first) + 1; cut < len(text); cut += 3 {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, fileName(1)), text[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if err := writeHead(dir, Position{r.Seq, r.Hash}); err != nil {
			t.Fatal(err)
		}
		whole(t, dir)
		if err := Append(options(t, dir), Event{Kind: Admin}); err != nil {
			t.Fatal(err)
		}
		whole(t, dir)
	}
}
