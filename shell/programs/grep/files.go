package grep

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"syscall"

	"mirage/shell/program"
	"mirage/shell/program/stream"
	"mirage/shell/program/walk"
	"mirage/vfs"
)

// grep is one run over all its files.
type grep struct {
	options
	ctx     context.Context
	inv     *program.Invocation
	matcher matcher
	out     printer

	buffers buffers

	flushOften bool // someone is watching
	printed    bool // a line has been printed, so groups need separators
	trouble    bool
}

// operands searches all files and reports whether a line was selected.
func (g *grep) operands(operands []string) bool {
	for _, w := range g.warnings {
		g.inv.Errorf("warning: %s", w)
	}
	if g.inv.Terminal != nil {
		_, _, g.flushOften = g.inv.Terminal(1)
	}
	recurse := g.directories == directoriesRecurse
	omitDot := len(operands) == 0 && recurse
	if len(operands) == 0 {
		operands = []string{"-"}
		if recurse {
			operands = []string{"."}
		}
	}
	found := false
	for _, name := range operands {
		if g.done(found) {
			break
		}
		switch {
		case name == "-":
			found = g.file(g.label, "-", vfs.Info{}) || found
		case recurse:
			found = g.tree(name, omitDot, found) || found
		default:
			found = g.operand(name) || found
		}
	}
	return found
}

// done tells whether the rest of the files does not matter.
func (g *grep) done(found bool) bool {
	return g.ctx.Err() != nil || found && g.quiet || g.out.w.Err() != nil || g.matcher.err() != nil
}

// fail reports a file's error, unless -s silences it.
func (g *grep) fail(name string, err error) {
	g.trouble = true
	if !g.suppress && g.ctx.Err() == nil {
		g.inv.Errorf("%s: %s", name, phrase(err))
	}
}

func phrase(err error) string {
	if errors.Is(err, stream.ErrMemory) {
		return "memory exhausted"
	}
	return vfs.Phrase(err)
}

// operand searches one file that is not to be recursed into.
func (g *grep) operand(name string) bool {
	if g.globs.skipFile(name, true) {
		return false
	}
	info, err := g.inv.FS.Stat(g.ctx, g.inv.Path(name))
	if err != nil && !strings.HasPrefix(g.inv.Path(name), "/dev/") {
		g.fail(name, err)
		return false
	}
	if err == nil {
		if info.IsDir() && g.directories == directoriesSkip || g.skipDevices && isDevice(info) {
			return false
		}
	}
	return g.file(name, name, info)
}

func isDevice(info vfs.Info) bool {
	return info.Mode&(fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket|fs.ModeCharDevice) != 0
}

// tree searches an operand and everything below it.
func (g *grep) tree(operand string, omitDot, found bool) bool {
	o := walk.Options{Follow: walk.FollowOperands, MaxDepth: -1}
	if g.followLinks {
		o.Follow = walk.FollowAlways
	}
	for e := range walk.Tree(g.ctx, g.inv, operand, o) {
		if g.done(found) {
			return found
		}
		shown := e.Path
		if omitDot {
			shown = strings.TrimPrefix(shown, "./")
		}
		switch {
		case e.Err != nil:
			g.fail(shown, e.Err)
		case e.Loop != "":
			if !g.suppress {
				g.inv.Errorf("%s: warning: recursive directory loop", shown)
			}
		case e.Info.IsDir():
			g.withName = !g.noName
			if g.globs.skipDir(e.Name, e.Depth == 0) && !omitDot {
				e.Skip()
			}
		case e.Info.IsLink() && e.Depth > 0 && !g.followLinks:
		case g.globs.skipFile(e.Name, e.Depth == 0):
		case isDevice(e.Info) && (e.Depth > 0 || g.skipDevices):
		default:
			found = g.file(shown, e.Path, e.Info) || found
		}
	}
	return found
}

// file searches one file; name is how it is shown, operand how it is opened.
func (g *grep) file(name, operand string, info vfs.Info) bool {
	r, err := g.inv.OpenOperand(g.ctx, operand)
	if err != nil {
		g.fail(name, err)
		return false
	}
	defer r.Close()
	size := int64(-1)
	if info.IsRegular() && operand != "-" {
		size = info.Size
	}
	g.out.align(size)
	s := &search{grep: g, r: r, name: name, eol: g.delimiter(), held: g.inv.Meter()}
	defer s.held.Hold(0)
	n, err := s.run()
	if err != nil && g.ctx.Err() != nil {
		return false
	}
	if err != nil {
		if g.matcher.err() != nil {
			g.inv.Errorf("%s: %s", name, err)
			g.trouble = true
			return n > 0
		}
		g.fail(name, err)
		if errors.Is(err, syscall.EISDIR) {
			return false
		}
	}
	g.giveBack(s, r, operand)
	g.summary(s, n)
	return n > 0
}

// giveBack leaves standard input after the last selected line when -m has
// ended the search, for the next command to read on.
func (g *grep) giveBack(s *search, r io.Reader, operand string) {
	if operand != "-" || s.left > 0 && !g.quiet {
		return
	}
	if in, ok := g.inv.Stdin.(io.Seeker); ok && s.left == 0 {
		unread := s.base + int64(len(s.buf)) - s.afterMatch
		in.Seek(-unread, io.SeekCurrent)
	}
}

// summary prints what is said about a file as a whole.
func (g *grep) summary(s *search, n int64) {
	p := &g.out
	if s.binary && !g.quiet && !g.count && !g.listMatching && !g.listOthers {
		p.w.Flush()
		g.inv.Errorf("%s: binary file matches", s.name)
	}
	if g.count {
		if g.withName {
			p.fileName(s.name)
			if g.nullName {
				p.w.WriteByte(0)
			} else {
				p.separator(":")
			}
		}
		p.w.WriteString(strconv.FormatInt(n, 10))
		p.w.WriteByte('\n')
		p.flush()
	}
	if g.listMatching && n > 0 || g.listOthers && n == 0 {
		p.fileName(s.name)
		if g.nullName {
			p.w.WriteByte(0)
		} else {
			p.w.WriteByte('\n')
		}
		p.flush()
	}
}
