package programs

import (
	"regexp"
	"testing"

	"mirage/shell/programs/progtest"
)

// TestStatDefault looks at the forms with figures that differ from machine to
// machine.
func TestStatDefault(t *testing.T) {
	w := progtest.NewWorld(t, All())
	w.Make(map[string]string{"f": "text", "l -> f": ""})
	for args, want := range map[string]string{
		"f": `^  File: f
  Size: 4         	Blocks: 8          IO Block: 4096   regular file
Device: \d+,\d+	Inode: \d+ *Links: 1
Access: \(0644/-rw-r--r--\)  Uid: \(    0/    root\)   Gid: \(    0/    root\)
Access: 2024-01-02 03:04:05\.000000000 \+0000
Modify: 2024-01-02 03:04:05\.000000000 \+0000
Change: 2026-05-06 07:08:09\.000000000 \+0000
 Birth: 2026-05-06 07:08:09\.000000000 \+0000
$`,
		"l": `^  File: l -> f
  Size: 1 (.|\n)*symbolic link\n`,
		"-t f":       `^f 4 8 81a4 0 0 \w+ \d+ 1 0 0 1704164645 1704164645 1778051289 1778051289 4096\n$`,
		"-f f":       `^  File: "f"\n    ID: \w+ +Namelen: 255     Type: ram\nBlock size: 4096 `,
		"-c %m f":    `^/\n$`,
		"-f -c %T f": `^ram\n$`,
	} {
		got := w.Run("stat", progtest.Case{Args: args})
		if !regexp.MustCompile(want).MatchString(got.Stdout) || got.Stderr != "" || got.Status != 0 {
			t.Errorf("stat %s: got %d %s\n%s\nwant\n%s", args, got.Status, got.Stderr, got.Stdout, want)
		}
	}
}

func FuzzStatFormat(f *testing.F) {
	f.Add("%n %-10.3s %Hd %5a\n")
	f.Add("%.999X%")
	f.Fuzz(func(t *testing.T, format string) {
		w := progtest.NewWorld(t, All())
		w.Make(map[string]string{"f": "text"})
		w.Run("stat", progtest.Case{Argv: []string{"--printf=" + format, "f"}})
	})
}
