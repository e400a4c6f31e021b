package progtest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"mirage/internal/unixmode"
	"mirage/vfs"
)

// node is one file of Case.Files.
type node struct {
	name, text, target string
	dir                bool
	mode               fs.FileMode
}

// nodes reads Case.Files, parents first.
func nodes(files map[string]string) []node {
	var list []node
	for _, key := range slices.Sorted(maps.Keys(files)) {
		n := node{name: key, text: files[key], mode: 0o644}
		if name, target, ok := strings.Cut(key, " -> "); ok {
			n.name, n.target = name, target
		}
		if name, mode, ok := strings.Cut(n.name, " @"); ok {
			n.name = name
			bits, err := strconv.ParseUint(mode, 8, 12)
			if err != nil {
				panic(err)
			}
			n.mode = unixmode.FileMode(uint32(bits))
		} else if strings.HasSuffix(n.name, "/") {
			n.mode = 0o755
		}
		n.dir = strings.HasSuffix(n.name, "/")
		n.name = strings.TrimSuffix(n.name, "/")
		list = append(list, n)
	}
	return list
}

// Make makes files, as Case.Files describes them.
func (w *World) Make(files map[string]string) {
	w.TB.Helper()
	ctx := context.Background()
	must := func(err error) {
		w.TB.Helper()
		if err != nil {
			w.TB.Fatal(err)
		}
	}
	list := nodes(files)
	for _, n := range list {
		path := Dir + "/" + n.name
		must(w.View.MkdirAll(ctx, path[:strings.LastIndexByte(path, '/')], 0o755))
		switch {
		case n.dir:
			must(w.View.MkdirAll(ctx, path, 0o755))
		case n.target != "":
			must(w.View.Symlink(ctx, n.target, path))
		default:
			must(w.View.WriteFile(ctx, path, []byte(n.text), 0o644))
		}
	}
	for _, n := range slices.Backward(list) {
		if n.target == "" {
			must(w.View.SetAttr(ctx, Dir+"/"+n.name, vfs.Attr{Mode: &n.mode}, false))
		}
	}
	w.age("")
}

// age gives every file below dir, and dir itself, the time of a case's files.
func (w *World) age(dir string) {
	list, err := w.View.ReadDir(context.Background(), Dir+"/"+dir)
	if err != nil {
		w.TB.Fatal(err)
	}
	set := func(name string) {
		err := w.View.SetAttr(context.Background(), name, vfs.Attr{AccessTime: &FileTime, ModTime: &FileTime}, false)
		// The parents of mounts belong to no backend and keep their times.
		if err != nil && !errors.Is(err, syscall.EPERM) {
			w.TB.Fatal(err)
		}
	}
	for _, info := range list {
		if info.IsDir() {
			w.age(dir + info.Name + "/")
		} else {
			set(Dir + "/" + dir + info.Name)
		}
	}
	set(strings.TrimSuffix(Dir+"/"+dir, "/"))
}

// Snapshot shows what the working directory holds: one line a file, such as
// "d/f -rw-r--r-- \"text\"", "d drwxr-xr-x" or "l -> target".
func (w *World) Snapshot() []string {
	w.TB.Helper()
	lines := []string{}
	w.snapshot("", &lines)
	return lines
}

func (w *World) snapshot(dir string, lines *[]string) {
	list, err := w.View.ReadDir(context.Background(), Dir+"/"+dir)
	if err != nil {
		w.TB.Fatal(err)
	}
	for _, info := range list {
		name := dir + info.Name
		text := ""
		if info.IsRegular() {
			data, err := w.View.ReadFile(context.Background(), Dir+"/"+name, 1<<20)
			if err != nil {
				w.TB.Fatal(err)
			}
			text = string(data)
		}
		*lines = append(*lines, show(name, info.Mode, text, info.Target))
		if info.IsDir() {
			w.snapshot(name+"/", lines)
		}
	}
}

func show(name string, mode fs.FileMode, text, target string) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return name + " -> " + target
	case mode.IsDir():
		return name + " " + unixmode.String(mode)
	}
	return fmt.Sprintf("%s %s %q", name, unixmode.String(mode), text)
}

// makeReal is Make in a directory of the machine.
func makeReal(dir string, files map[string]string) error {
	list := nodes(files)
	for _, n := range list {
		path := filepath.Join(dir, n.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		var err error
		switch {
		case n.dir:
			err = os.MkdirAll(path, 0o755)
		case n.target != "":
			err = os.Symlink(n.target, path)
		default:
			err = os.WriteFile(path, []byte(n.text), 0o644)
		}
		if err != nil {
			return err
		}
	}
	for _, n := range slices.Backward(list) {
		if n.target != "" {
			continue
		}
		if err := os.Chmod(filepath.Join(dir, n.name), n.mode); err != nil {
			return err
		}
	}
	var all []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		all = append(all, path)
		return err
	})
	tv := unix.NsecToTimeval(FileTime.UnixNano())
	for _, path := range slices.Backward(all) {
		if err == nil {
			err = unix.Lutimes(path, []unix.Timeval{tv, tv})
		}
	}
	return err
}

// snapshotReal is Snapshot of a directory of the machine.
func snapshotReal(dir string) ([]string, error) {
	lines := []string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var text, target string
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			target, err = os.Readlink(path)
		case info.Mode().IsRegular():
			var data []byte
			data, err = os.ReadFile(path)
			text = string(data)
		}
		rel, _ := filepath.Rel(dir, path)
		lines = append(lines, show(rel, info.Mode(), text, target))
		return err
	})
	return lines, err
}
