package shell

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"

	"mvdan.cc/sh/v3/syntax"

	"mirage/shell/expand"
	"mirage/vfs"
)

// savedFD is a descriptor to put back once a command's redirections end.
type savedFD struct {
	n    int
	file *openFile // nil = was closed
}

// redirectError is a redirection that failed, worded as bash words it.
type redirectError struct{ text string }

func (r *redirectError) Error() string { return r.text }

func redirectErrorf(name, reason string) error { return &redirectError{name + ": " + reason} }

// redirect carries out redirections. What they replaced is added to undo; a
// failure leaves that to the caller to put back.
func (e *Executor) redirect(redirs []*syntax.Redirect, undo *[]savedFD) error {
	for _, r := range redirs {
		if err := e.redirectOne(r, undo); err != nil {
			return err
		}
	}
	return nil
}

// restore puts descriptors back, the last replaced first.
func (e *Executor) restore(undo []savedFD) {
	for i := len(undo) - 1; i >= 0; i-- {
		if old := e.fds.set(undo[i].n, undo[i].file); old != nil {
			old.release()
		}
	}
}

// keep makes redirections permanent (exec): what they replaced is closed.
func (e *Executor) keep(undo []savedFD) {
	for _, s := range undo {
		if s.file != nil {
			s.file.release()
		}
	}
}

// install puts f at descriptor n and remembers what was there.
func (e *Executor) install(n int, f *openFile, undo *[]savedFD) error {
	if n >= e.fds.limit {
		if f != nil {
			f.release()
		}
		return redirectErrorf(itoa(n), vfs.Phrase(syscall.EBADF))
	}
	*undo = append(*undo, savedFD{n, e.fds.set(n, f)})
	return nil
}

func (e *Executor) redirectOne(r *syntax.Redirect, undo *[]savedFD) error {
	n := defaultFD(r.Op)
	variable := ""
	if r.N != nil {
		if v := r.N.Value; strings.HasPrefix(v, "{") {
			variable = v[1 : len(v)-1]
		} else {
			var ok bool
			if n, ok = atoi(v); !ok || n > 1<<30 {
				return redirectErrorf(v, vfs.Phrase(syscall.EBADF))
			}
		}
	}
	switch r.Op {
	case syntax.DplIn, syntax.DplOut:
		return e.redirectDup(r, n, variable, undo)
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		body, err := e.hereText(r)
		if err != nil {
			return err
		}
		return e.place(n, variable, newFile("here-document", &text{s: body}), undo)
	}
	name, err := e.x.Redirect(e.ctx, r.Word)
	if err != nil {
		return err
	}
	f, err := e.openRedirect(r.Op, name)
	if err != nil {
		return redirectErrorf(name, phrase(err))
	}
	if r.Op == syntax.RdrAll || r.Op == syntax.AppAll {
		if err := e.install(1, f, undo); err != nil {
			return err
		}
		return e.install(2, f.retain(), undo)
	}
	return e.place(n, variable, f, undo)
}

// place installs f at n, or for {name}> at a free descriptor from 10 on whose
// number the variable gets. The latter stays open when the command ends.
func (e *Executor) place(n int, variable string, f *openFile, undo *[]savedFD) error {
	if variable == "" {
		return e.install(n, f, undo)
	}
	n, err := e.fds.free(10)
	if err == nil {
		if err = e.x.SetRef(e.ctx, variable, itoa(n)); err != nil {
			f.release()
			return err
		}
	}
	if err != nil {
		f.release()
		return redirectErrorf(variable, phrase(err))
	}
	if e.shopts[shoptVarredirClose] {
		return e.install(n, f, undo)
	}
	e.fds.set(n, f)
	return nil
}

func defaultFD(op syntax.RedirOperator) int {
	switch op {
	case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return 0
	}
	return 1
}

func (e *Executor) hereText(r *syntax.Redirect) (string, error) {
	if r.Op == syntax.WordHdoc {
		s, err := e.x.Literal(e.ctx, r.Word)
		return s + "\n", err
	}
	if r.Hdoc == nil {
		return "", nil
	}
	if quotedDelimiter(r.Word) {
		var b strings.Builder
		for _, p := range r.Hdoc.Parts {
			if l, ok := p.(*syntax.Lit); ok {
				b.WriteString(l.Value)
			}
		}
		if r.Op == syntax.DashHdoc {
			return expand.StripTabs(b.String()), nil
		}
		return b.String(), nil
	}
	return e.x.Document(e.ctx, r.Hdoc, r.Op == syntax.DashHdoc)
}

// quotedDelimiter reports whether any part of a here-document's delimiter is
// quoted, so that its body is taken as it is.
func quotedDelimiter(w *syntax.Word) bool {
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			return true
		case *syntax.Lit:
			if strings.Contains(p.Value, `\`) {
				return true
			}
		}
	}
	return false
}

// redirectDup carries out n>&word and n<&word: a duplicate, a move (5-), a
// close (-), or >&file.
func (e *Executor) redirectDup(r *syntax.Redirect, n int, variable string, undo *[]savedFD) error {
	word, err := e.x.Redirect(e.ctx, r.Word)
	if err != nil {
		return err
	}
	if word == "-" {
		if variable != "" {
			v, _, err := e.x.GetRef(e.ctx, variable)
			if err != nil {
				return err
			}
			var ok bool
			if n, ok = atoi(v); !ok {
				return redirectErrorf(variable, "cannot assign fd to variable")
			}
			if old := e.fds.set(n, nil); old != nil {
				old.release()
			}
			return nil
		}
		return e.install(n, nil, undo)
	}
	number, move := strings.CutSuffix(word, "-")
	from, ok := atoi(number)
	if !ok {
		if r.Op == syntax.DplOut && r.N == nil {
			f, err := e.openRedirect(syntax.RdrOut, word)
			if err != nil {
				return redirectErrorf(word, phrase(err))
			}
			if err := e.install(1, f, undo); err != nil {
				return err
			}
			return e.install(2, f.retain(), undo)
		}
		return redirectErrorf(word, "ambiguous redirect")
	}
	f := e.fds.get(from)
	if f == nil {
		return redirectErrorf(number, vfs.Phrase(syscall.EBADF))
	}
	if move && from == n && variable == "" {
		return nil
	}
	if err := e.place(n, variable, f.retain(), undo); err != nil {
		return err
	}
	if move {
		return e.install(from, nil, undo)
	}
	return nil
}

// openRedirect opens the file of a redirection.
func (e *Executor) openRedirect(op syntax.RedirOperator, name string) (*openFile, error) {
	flag, mode := os.O_RDONLY, readOnly
	switch op {
	case syntax.RdrOut, syntax.RdrAll:
		flag, mode = os.O_WRONLY|os.O_CREATE|os.O_TRUNC, writeOnly
		if e.opts[optNoclobber] {
			return e.openNoclobber(name)
		}
	case syntax.RdrClob:
		flag, mode = os.O_WRONLY|os.O_CREATE|os.O_TRUNC, writeOnly
	case syntax.AppOut, syntax.AppAll:
		flag, mode = os.O_WRONLY|os.O_CREATE|os.O_APPEND, writeOnly
	case syntax.RdrInOut:
		flag, mode = os.O_RDWR|os.O_CREATE, readWrite
	}
	return e.open(name, flag, mode)
}

// errExists is noclobber's refusal.
var errExists = errors.New("cannot overwrite existing file")

// openNoclobber opens for > under set -C: a regular file that exists is
// refused, anything else (a device, a link to one) is written to.
func (e *Executor) openNoclobber(name string) (*openFile, error) {
	f, err := e.open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, writeOnly)
	if !errors.Is(err, syscall.EEXIST) {
		return f, err
	}
	if info, err := e.cfg.View.Stat(e.ctx, e.abs(name)); err == nil && !info.IsRegular() {
		return e.open(name, os.O_WRONLY, writeOnly)
	}
	return nil, errExists
}

// open opens a file of the tree, or what /dev/fd/N, /dev/stdin and the like
// stand for.
func (e *Executor) open(name string, flag int, mode accessMode) (*openFile, error) {
	path := e.abs(name)
	if n, ok := descriptorName(path); ok {
		f := e.fds.get(n)
		if f == nil {
			return nil, syscall.ENOENT
		}
		return f.retain(), nil
	}
	if path == "/dev/null" {
		return newFile(path, null{}), nil
	}
	file, err := e.view().Open(context.WithoutCancel(e.ctx), path, flag, fs.FileMode(0o666&^e.umask))
	if err != nil {
		return nil, err
	}
	if mode == readOnly {
		return newFile(path, &cursor{file: file, mode: mode}), nil
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		file.Close()
		return nil, syscall.EISDIR
	}
	return newFile(path, &cursor{file: file, mode: mode}), nil
}

// descriptorName reads the names of /dev that stand for open descriptors.
func descriptorName(path string) (int, bool) {
	switch path {
	case "/dev/stdin":
		return 0, true
	case "/dev/stdout":
		return 1, true
	case "/dev/stderr":
		return 2, true
	}
	if number, ok := strings.CutPrefix(path, "/dev/fd/"); ok {
		n, err := strconv.Atoi(number)
		return n, err == nil && n >= 0
	}
	return 0, false
}

// abs joins a name to the working directory, without resolving anything.
func (e *Executor) abs(name string) string {
	if name == "" || name[0] == '/' {
		return name
	}
	if e.dir == "/" {
		return "/" + name
	}
	return e.dir + "/" + name
}

// phrase words an error for a message, without path.
func phrase(err error) string {
	if err == errExists {
		return err.Error()
	}
	var x interface{ Unwrap() error }
	if errors.As(err, &x) {
		if inner := x.Unwrap(); inner != nil {
			err = inner
		}
	}
	return vfs.Phrase(err)
}
