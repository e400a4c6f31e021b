package programs

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"syscall"

	"mirage/shell/program"
	"mirage/shell/program/filemode"
	"mirage/shell/program/getopt"
	"mirage/shell/program/paths"
	"mirage/shell/program/stream"
	"mirage/shell/program/walk"
	"mirage/vfs"
)

var rmSpec = getopt.Spec{
	Name:     "rm",
	Synopsis: []string{"[OPTION]... [FILE]..."},
	Summary:  "Remove (unlink) the FILE(s).",
	Options: []getopt.Option{
		{Short: "f", Long: "force", Help: "ignore nonexistent files and arguments, never prompt"},
		{Short: "i", Help: "prompt before every removal"},
		{Short: "I", Help: "prompt once before removing more than three files, or\nwhen removing recursively"},
		{Long: "interactive", Arg: getopt.Optional, Meta: "WHEN", Help: "prompt according to WHEN: never, once (-I), or\nalways (-i); without WHEN, prompt always"},
		{Long: "one-file-system", Help: "when removing a hierarchy recursively, skip any\ndirectory that is on another mount (always the case)"},
		{Long: "no-preserve-root", Help: "do not treat '/' specially"},
		{Long: "preserve-root", Arg: getopt.Optional, Meta: "all", Help: "do not remove '/' (default)"},
		{Short: "r", Long: "recursive", Help: "remove directories and their contents recursively"},
		{Short: "R", Name: "r", Help: "like -r"},
		{Short: "d", Long: "dir", Help: "remove empty directories"},
		{Short: "v", Long: "verbose", Help: "explain what is being done"},
	},
}

type rm struct {
	inv                       *program.Invocation
	out                       *stream.Writer
	ask                       *program.Prompter
	force, always, once       bool
	recursive, dirs, verbose  bool
	preserveRoot, preserveAll bool
}

func runRm(ctx context.Context, inv *program.Invocation) int {
	r := &rm{inv: inv, out: stream.Stdout(inv), ask: program.NewPrompter(inv), preserveRoot: true}
	p := rmSpec.Parse(inv)
	p.Advise = func() { r.hintAtFile(ctx) }
	for p.Next() {
		switch p.Opt.Name {
		case "f":
			r.force, r.always, r.once = true, false, false
		case "i":
			r.force, r.always, r.once = false, true, false
		case "I":
			r.force, r.always, r.once = false, false, true
		case "interactive":
			r.interactive(p)
		case "no-preserve-root":
			if !p.Exact() {
				return p.Fail("you may not abbreviate the --no-preserve-root option")
			}
			r.preserveRoot = false
		case "preserve-root":
			if p.Opt.HasValue && p.Opt.Value != "all" {
				return p.Fail("unrecognized --preserve-root argument: %s", inv.QuoteArg(p.Opt.Value))
			}
			r.preserveRoot, r.preserveAll = true, p.Opt.HasValue
		case "r":
			r.recursive = true
		case "d":
			r.dirs = true
		case "v":
			r.verbose = true
		}
	}
	if p.Stopped {
		return p.Status
	}
	if len(p.Operands) == 0 {
		if r.force {
			return 0
		}
		return p.Missing()
	}
	if r.once && (r.recursive || len(p.Operands) > 3) && !r.confirmAll(len(p.Operands)) {
		return 0
	}
	status := 0
	for _, name := range p.Operands {
		if ctx.Err() != nil || !r.operand(ctx, name) {
			status = 1
		}
	}
	return r.out.Close(inv, status)
}

func (r *rm) interactive(p *getopt.Parser) {
	word := "always"
	if p.Opt.HasValue {
		word, _ = p.OneOf("never no none", "once", "always yes")
	}
	r.always, r.once = word == "always", word == "once"
	r.force = r.force && word == "never"
}

func (r *rm) confirmAll(n int) bool {
	text := strconv.Itoa(n) + " arguments"
	if n == 1 {
		text = "1 argument"
	}
	if r.recursive {
		text += " recursively"
	}
	return r.ask.Confirm(r.inv.Name + ": remove " + text + "? ")
}

// hintAtFile tells how to name a file whose name was taken for an option.
func (r *rm) hintAtFile(ctx context.Context) {
	for _, arg := range r.inv.Args {
		if len(arg) > 1 && arg[0] == '-' {
			if _, err := r.inv.FS.Lstat(ctx, r.inv.Path(arg)); err == nil {
				r.inv.Stderr.Write([]byte("Try '" + r.inv.Name + " ./" + arg + "' to remove the file " + r.inv.Quote(arg) + ".\n"))
				return
			}
		}
	}
}

func (r *rm) operand(ctx context.Context, name string) bool {
	if r.recursive {
		switch base := paths.Base(name); {
		case base == "." || base == "..":
			r.inv.Errorf("refusing to remove '.' or '..' directory: skipping %s", r.inv.Quote(name))
			return false
		case r.preserveRoot && r.inv.IsRoot(ctx, name):
			r.inv.Errorf("it is dangerous to operate recursively on %s", r.inv.QuoteRoot(name))
			r.inv.Errorf("use --no-preserve-root to override this failsafe")
			return false
		}
	}
	if !r.recursive && !r.always {
		return r.file(ctx, name)
	}
	info, err := r.inv.FS.Lstat(ctx, r.inv.Path(name))
	if err != nil {
		return r.failed(err, name)
	}
	switch {
	case !info.IsDir():
		return !r.confirmed(info, name) || r.report(r.inv.FS.Unlink(ctx, r.inv.Path(name)), name, false)
	case !r.recursive && !r.dirs:
		return r.failed(syscall.EISDIR, name)
	case !r.recursive && !r.isEmpty(ctx, name):
		return r.failed(syscall.ENOTEMPTY, name)
	case !r.recursive:
		return !r.confirmed(info, name) || r.report(r.inv.FS.Rmdir(ctx, r.inv.Path(name)), name, true)
	}
	return r.tree(ctx, name)
}

// file removes an operand without asking and without looking inside.
func (r *rm) file(ctx context.Context, name string) bool {
	err := r.inv.FS.Unlink(ctx, r.inv.Path(name))
	if r.dirs && errors.Is(err, syscall.EISDIR) {
		return r.report(r.inv.FS.Rmdir(ctx, r.inv.Path(name)), name, true)
	}
	if errors.Is(err, syscall.ENOTDIR) && strings.HasSuffix(name, "/") && r.inv.IsDir(ctx, name) {
		err = syscall.EISDIR // a link to a directory, named as one
	}
	return r.report(err, name, false)
}

// tree removes a directory and what is in it. Where nothing is to be said or
// asked the tree does it by itself; what it refuses is then gone through
// name by name, for the sake of the messages and of what can be removed.
func (r *rm) tree(ctx context.Context, name string) bool {
	path := r.inv.Path(name)
	if !r.verbose && !r.always {
		err := r.inv.FS.RemoveAll(ctx, path)
		if err == nil {
			return true
		}
		if info, lerr := r.inv.FS.Lstat(ctx, path); lerr == nil && !info.IsDir() {
			return r.failed(err, name)
		}
	}
	if r.inv.IsMountRoot(ctx, name) {
		return r.failed(syscall.EBUSY, name)
	}
	ok := true
	for e := range walk.Tree(ctx, r.inv, name, walk.Options{Post: true, MaxDepth: -1}) {
		if !r.visit(ctx, e) {
			ok = false
			for up := e; up != nil; up = up.Parent {
				up.Data = true // keeps it, silently
			}
		}
	}
	return ok && ctx.Err() == nil
}

// visit deals with one entry of a tree; false means that it stays.
func (r *rm) visit(ctx context.Context, e *walk.Entry) bool {
	path := r.inv.Path(e.Path)
	switch {
	case e.Err != nil:
		return r.failed(e.Err, e.Path)
	case !e.Info.IsDir():
		if !r.confirmed(e.Info, e.Path) {
			r.keep(e)
			return true
		}
		return r.report(r.inv.FS.Unlink(ctx, path), e.Path, false)
	case !e.Post:
		if e.Parent != nil && e.Info.Dev != e.Parent.Info.Dev {
			e.Skip()
			return r.failed(syscall.EBUSY, e.Path)
		}
		if r.always && !r.isEmpty(ctx, e.Path) && !r.ask.Confirm(r.inv.Name+": descend into directory "+r.inv.Quote(e.Path)+"? ") {
			e.Skip()
			r.keep(e)
		}
		return true
	case e.Data != nil:
		return true
	case !r.confirmed(e.Info, e.Path):
		r.keep(e)
		return true
	}
	err := r.inv.FS.Rmdir(ctx, path)
	if errors.Is(err, syscall.ENOTEMPTY) {
		// What is hidden from us goes with its directory.
		err = r.inv.FS.RemoveAll(ctx, path)
	}
	return r.report(err, e.Path, true)
}

// keep marks an entry that the user wants to keep, and the directories above.
func (r *rm) keep(e *walk.Entry) {
	for up := e; up != nil; up = up.Parent {
		up.Data = true
	}
}

func (r *rm) isEmpty(ctx context.Context, name string) bool {
	list, err := r.inv.FS.ReadNames(ctx, r.inv.Path(name))
	return err == nil && len(list) == 0
}

func (r *rm) confirmed(info vfs.Info, name string) bool {
	if !r.always {
		return true
	}
	return r.ask.Confirm(r.inv.Name + ": remove " + filemode.TypeName(info.Mode, info.Size) + " " + r.inv.Quote(name) + "? ")
}

// report tells what came of a removal.
func (r *rm) report(err error, name string, dir bool) bool {
	if err != nil {
		return r.failed(err, name)
	}
	if r.verbose {
		kind := "removed "
		if dir {
			kind = "removed directory "
		}
		r.out.WriteString(kind + r.inv.Quote(name) + "\n")
	}
	return true
}

// failed reports an error, unless -f excuses it.
func (r *rm) failed(err error, name string) bool {
	if r.force && (errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ENOTDIR) && !strings.HasSuffix(name, "/")) {
		return true
	}
	r.inv.Fail(err, "cannot remove %s", r.inv.Quote(name))
	return false
}
