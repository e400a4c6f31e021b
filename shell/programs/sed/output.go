package sed

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"mirage/shell/program/stream"
	"mirage/vfs"
)

// output is standard output or a file of w.
type output struct {
	w       *stream.Writer
	close   io.Closer
	name    string
	missing bool // the last line was written without its newline
}

// line writes a line with its end, if it has one.
func (o *output) line(text []byte, delim byte, ended bool) {
	o.endLine(delim)
	o.w.Write(text)
	if ended {
		o.w.WriteByte(delim)
	} else {
		o.missing = true
	}
}

// endLine completes a line that had no end, now that something follows it.
func (o *output) endLine(delim byte) {
	if o.missing {
		o.missing = false
		o.w.WriteByte(delim)
	}
}

// text writes text as it is.
func (o *output) text(p []byte, delim byte) {
	o.endLine(delim)
	o.w.Write(p)
}

// openOutput opens a file of w once for the whole run.
func (e *editor) openOutput(name string) (*output, error) {
	switch name {
	case "/dev/stdout":
		return e.stdout, nil
	case "/dev/stderr":
		if e.stderr == nil {
			e.stderr = &output{w: stream.NewWriter(e.inv.Stderr), name: name}
			e.outputs = append(e.outputs, e.stderr)
		}
		return e.stderr, nil
	}
	for _, o := range e.outputs {
		if o.name == name {
			return o, nil
		}
	}
	f, err := e.inv.Create(e.ctx, name, os.O_TRUNC)
	if err != nil {
		return nil, panicf("couldn't open file %s: %s", name, vfs.Phrase(err))
	}
	o := &output{w: stream.NewWriter(f), close: f, name: name}
	e.outputs = append(e.outputs, o)
	return o, nil
}

// closeOutputs writes everything out; it answers the error of standard
// output.
func (e *editor) closeOutputs() error {
	e.abandonEdit()
	for _, o := range e.outputs {
		err := o.w.Flush()
		if o.close != nil {
			err = errors.Join(err, o.close.Close())
		}
		if err != nil && e.ctx.Err() == nil {
			e.inv.Errorf("couldn't flush %s: %s", o.name, vfs.Phrase(err))
		}
	}
	return e.stdout.w.Flush()
}

// edit is a file that is being edited in place.
type edit struct {
	name   string
	target string // what is replaced: name, or what it links to
	temp   string
	f      io.WriteCloser
}

// beginEdit opens the file that takes the place of an operand. It reports
// whether the operand can be edited.
func (e *editor) beginEdit(name string) (bool, error) {
	target := e.inv.Path(name)
	info, err := e.inv.FS.Stat(e.ctx, target)
	if err != nil {
		e.inv.Errorf("can't read %s: %s", name, vfs.Phrase(err))
		e.input.failed = true
		return false, nil
	}
	if !info.IsRegular() {
		e.inv.Errorf("couldn't edit %s: not a regular file", name)
		e.editFailed = true
		return false, nil
	}
	if e.o.followLink {
		if real, err := e.inv.FS.RealPath(e.ctx, target); err == nil {
			target = real
		}
	}
	ed := &edit{name: name, target: target}
	for i := 0; ; i++ {
		ed.temp = path.Dir(target) + "/" + fmt.Sprintf("sed%06d", i)
		f, err := e.inv.Create(e.ctx, ed.temp, os.O_EXCL)
		if err == nil {
			ed.f = f
			break
		}
		if !errors.Is(err, syscall.EEXIST) || i == 1000 {
			return false, panicf("couldn't open temporary file %s: %s", ed.temp, vfs.Phrase(err))
		}
	}
	mode := info.Mode & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
	if err := e.inv.FS.SetAttr(e.ctx, ed.temp, vfs.Attr{Mode: &mode}, false); err != nil && !errors.Is(err, syscall.ENOTSUP) {
		e.edit = ed
		e.abandonEdit()
		return false, panicf("couldn't edit %s: %s", name, vfs.Phrase(err))
	}
	e.edit = ed
	e.out = &output{w: stream.NewWriter(ed.f), name: name}
	return true, nil
}

// endEdit puts the edited file into its place.
func (e *editor) endEdit() error {
	ed := e.edit
	if ed == nil {
		return nil
	}
	err := e.out.w.Flush()
	err = errors.Join(err, ed.f.Close())
	e.edit, e.out = nil, e.stdout
	if err != nil {
		e.inv.FS.Unlink(e.ctx, ed.temp)
		return panicf("couldn't write %s: %s", ed.name, vfs.Phrase(err))
	}
	if e.o.suffix != "" {
		backup := backupName(ed.target, e.o.suffix)
		if err := e.inv.FS.Rename(e.ctx, ed.target, backup, 0); err != nil {
			e.inv.FS.Unlink(e.ctx, ed.temp)
			return panicf("cannot rename %s: %s", ed.name, vfs.Phrase(err))
		}
	}
	if err := e.inv.FS.Rename(e.ctx, ed.temp, ed.target, 0); err != nil {
		e.inv.FS.Unlink(e.ctx, ed.temp)
		return panicf("cannot rename %s: %s", ed.temp, vfs.Phrase(err))
	}
	return nil
}

// abandonEdit removes what an edit that was not finished has left.
func (e *editor) abandonEdit() {
	if e.edit != nil {
		e.edit.f.Close()
		e.inv.FS.Unlink(e.ctx, e.edit.temp)
		e.edit = nil
	}
}

// backupName is the name of a backup: the suffix behind the name, or the
// suffix with the name for each asterisk in it.
func backupName(target, suffix string) string {
	dir, base := path.Split(target)
	if !strings.Contains(suffix, "*") {
		base += suffix
	} else {
		base = strings.ReplaceAll(suffix, "*", base)
	}
	if strings.Contains(base, "/") {
		if strings.HasPrefix(base, "/") {
			return base
		}
		return dir + base
	}
	return dir + base
}
