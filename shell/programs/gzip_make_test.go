package programs

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"mirage/shell/programs/progtest"
)

// TestGzipMakes compresses, and lets the standard library and the real gzip
// read the result.
func TestGzipMakes(t *testing.T) {
	text := strings.Repeat("the same line again and again\n", 10_000)
	noise := make([]byte, 300_000)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	for name, data := range map[string]string{"text": text, "noise": string(noise), "empty": "", "caf\xe9 \xff": "x"} {
		for _, level := range []string{"-1", "-6", "-9"} {
			w := progtest.NewWorld(t, All())
			w.Make(map[string]string{name: data})
			if got := w.Run("gzip", progtest.Case{Argv: []string{level, name}}); got.Status != 0 || got.Stderr != "" {
				t.Fatalf("%q: %d %s", name, got.Status, got.Stderr)
			}
			packed, err := w.View.ReadFile(context.Background(), progtest.Dir+"/"+name+".gz", -1)
			if err != nil {
				t.Fatal(err)
			}
			z, err := gzip.NewReader(bytes.NewReader(packed))
			if err != nil {
				t.Fatal(err)
			}
			back, err := io.ReadAll(z)
			if err != nil || string(back) != data {
				t.Errorf("%q %s: %d bytes came back as %d, %v", name, level, len(data), len(back), err)
			}
			if !z.ModTime.Equal(progtest.FileTime) || z.OS != 3 {
				t.Errorf("header: %v, system %d", z.ModTime, z.OS)
			}
			// The name is kept byte by byte.
			if !bytes.HasPrefix(packed[10:], append([]byte(name), 0)) {
				t.Errorf("header: name %q", packed[10:20])
			}
			if tool, err := exec.LookPath("gzip"); err == nil {
				cmd := exec.Command(tool, "-dc")
				cmd.Stdin = bytes.NewReader(packed)
				if out, err := cmd.Output(); err != nil || string(out) != data {
					t.Errorf("%q %s: the real gzip: %d bytes, %v", name, level, len(out), err)
				}
			}
		}
	}
}

func TestGzipMessages(t *testing.T) {
	files := map[string]string{"f": "hello\n", "d/x": "x", "f.gz": "taken"}
	const why = "the length of compressed data is the library's"
	progtest.Run(t, All(), "gzip", []progtest.Case{
		{Args: "f", Files: files, Stderr: "gzip: f.gz already exists;\tnot overwritten\n", Status: 2},
		{Args: "d", Files: files, Stderr: "gzip: d is a directory -- ignored\n", Status: 2},
		{Args: "-t f.gz", Files: files, Stderr: "\ngzip: f.gz: not in gzip format\n", Status: 1},
		{Args: "", Terminal: true, Stderr: "gzip: compressed data not written to a terminal. Use -f to force compression.\nFor help, type: gzip -h\n", Status: 1},
		{Args: "-rk d", Files: files, OursOnly: why},
		{Args: "-kf f", Files: files, OursOnly: why},
	})
}

// FuzzGunzip feeds arbitrary bytes to the decoder.
func FuzzGunzip(f *testing.F) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte("hello\n"))
	z.Close()
	f.Add(b.String())
	f.Add(b.String() + b.String() + "\x00\x00x")
	f.Fuzz(func(t *testing.T, data string) {
		w := progtest.NewWorld(t, All())
		got := w.Run("gunzip", progtest.Case{Stdin: data})
		if got.Status == 1 && got.Stderr == "" {
			t.Error("failed without a word")
		}
	})
}
