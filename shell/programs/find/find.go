// Package find is find(1) of GNU findutils.
package find

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
	"time"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/paths"
	"mirage/shell/program/stream"
	"mirage/shell/program/walk"
	"mirage/shell/regex"
	"mirage/vfs"
)

var spec = getopt.Spec{
	Name:     "find",
	Synopsis: []string{"[-H] [-L] [-P] [-Olevel] [-D debugopts] [path...] [expression]"},
	Summary: `
Default path is the current directory; default expression is -print.
Expression may consist of: operators, options, tests, and actions.

Operators (decreasing precedence; -and is implicit where no others are given):
      ( EXPR )   ! EXPR   -not EXPR   EXPR1 -a EXPR2   EXPR1 -and EXPR2
      EXPR1 -o EXPR2   EXPR1 -or EXPR2   EXPR1 , EXPR2

Positional options (always true):
      -daystart -follow -nowarn -regextype -warn

Normal options (always true, specified before other expressions):
      -depth -files0-from FILE -maxdepth LEVELS -mindepth LEVELS
       -mount -noleaf -xdev -ignore_readdir_race -noignore_readdir_race

Tests (N can be +N or -N or N):
      -amin N -anewer FILE -atime N -cmin N -cnewer FILE -ctime N -empty
      -false -fstype TYPE -gid N -group NAME -ilname PATTERN -iname PATTERN
      -inum N -ipath PATTERN -iregex PATTERN -links N -lname PATTERN
      -mmin N -mtime N -name PATTERN -newer FILE -newerXY REFERENCE
      -nouser -nogroup -path PATTERN -perm [-/]MODE -regex PATTERN
      -readable -writable -executable -samefile NAME
      -size N[bcwkMG] -true -type [bcdpflsD] -uid N -used N -user NAME
      -wholename PATTERN -xtype [bcdpfls]

Actions:
      -delete -print0 -printf FORMAT -fprintf FILE FORMAT -print
      -fprint0 FILE -fprint FILE -ls -fls FILE -prune -quit
      -exec COMMAND ; -exec COMMAND {} + -ok COMMAND ;
      -execdir COMMAND ; -execdir COMMAND {} + -okdir COMMAND ;`,
}

// Program is find.
func Program() *program.Program { return spec.Program(run) }

// finder is one run.
type finder struct {
	ctx    context.Context
	inv    *program.Invocation
	out    *stream.Writer
	ask    *program.Prompter
	status int
	now    time.Time

	follow             walk.Follow
	maxDepth, minDepth int
	depth              bool // contents before the directory
	depthAsked         bool // by -depth itself
	oneMount           bool
	dayStart           bool
	regexFlags         regex.Flags
	starts             []string
	filesFrom          string

	files   []*outFile // of -fprint and its kind
	batches []*batch   // of -exec ... +
	done    bool       // -quit
	widths  lsWidths
}

// failf reports an error, which makes the status 1 but ends nothing.
func (f *finder) failf(format string, args ...any) {
	f.inv.Errorf(format, args...)
	f.status = 1
}

// fileErr reports what went wrong with a file.
func (f *finder) fileErr(name string, err error) {
	f.failf("%s: %s", f.inv.Quote(name), vfs.Phrase(err))
}

func run(ctx context.Context, inv *program.Invocation) int {
	f := &finder{ctx: ctx, inv: inv, out: stream.Stdout(inv), ask: program.NewPrompter(inv), now: inv.Now(), maxDepth: -1}
	args := f.leading(inv.Args)
	p := &parser{f: f, args: args}
	tree, err := p.parse()
	if errors.Is(err, errAnswered) {
		return f.out.Close(inv, 0)
	}
	defer f.closeFiles()
	if err != nil {
		inv.Errorf("%v", err)
		return 1
	}
	if f.filesFrom != "" {
		f.walkListed(tree)
	} else {
		if len(f.starts) == 0 {
			f.starts = []string{"."}
		}
		for _, start := range f.starts {
			if !f.walk(start, tree) {
				break
			}
		}
	}
	for _, b := range f.batches {
		b.run(f)
	}
	f.closeFiles()
	return f.out.Close(inv, f.status)
}

// leading reads the options in front of the starting points, and those.
func (f *finder) leading(args []string) []string {
	for len(args) > 0 {
		switch arg := args[0]; {
		case arg == "-P":
			f.follow = walk.FollowNever
		case arg == "-L":
			f.follow = walk.FollowAlways
		case arg == "-H":
			f.follow = walk.FollowOperands
		case arg == "-D" && len(args) > 1:
			args = args[1:]
		case len(arg) == 3 && strings.HasPrefix(arg, "-O") && arg[2] >= '0' && arg[2] <= '9':
		case arg == "--":
			args = args[1:]
			fallthrough
		default:
			for len(args) > 0 && !isExpression(args[0], true) {
				f.starts = append(f.starts, args[0])
				args = args[1:]
			}
			return args
		}
		args = args[1:]
	}
	return args
}

// isExpression tells an expression from a starting point; first is set while
// there was no expression yet.
func isExpression(arg string, first bool) bool {
	switch {
	case arg == "":
		return false
	case arg[0] == '-':
		return len(arg) > 1
	case arg == ")" || arg == ",":
		return !first
	}
	return arg == "(" || arg == "!"
}

// walk goes through one starting point; false ends the run.
func (f *finder) walk(start string, tree expr) bool {
	o := walk.Options{Follow: f.follow, MaxDepth: f.maxDepth, OneMount: f.oneMount, Post: f.depth}
	for e := range walk.Tree(f.ctx, f.inv, start, o) {
		f.visit(e, start, tree)
		if f.done || f.out.Err() != nil {
			return false
		}
	}
	return f.ctx.Err() == nil
}

// walkListed takes the starting points from a file, one NUL behind each.
func (f *finder) walkListed(tree expr) {
	if len(f.starts) > 0 {
		f.failf("extra operand %s", f.inv.QuoteArg(f.starts[0]))
		f.failf("file operands cannot be combined with -files0-from")
		return
	}
	r, err := f.inv.OpenOperand(f.ctx, f.filesFrom)
	if err != nil {
		f.failf("cannot open %s for reading: %s", f.inv.Quote(f.filesFrom), vfs.Phrase(err))
		return
	}
	defer r.Close()
	lines := stream.NewLines(r, 0, f.inv.Meter())
	for f.ctx.Err() == nil {
		line, err := lines.Next()
		if err != nil {
			if err != io.EOF {
				f.fileErr(f.filesFrom, err)
			}
			return
		}
		name, _ := stream.Chomp(line, 0)
		if len(name) == 0 {
			f.failf("%s: invalid zero-length file name", f.inv.QuoteName(f.filesFrom))
			continue
		}
		if !f.walk(string(name), tree) {
			return
		}
	}
}

// visit evaluates the expression for one entry, at the right one of the two
// visits of a directory.
func (f *finder) visit(e *walk.Entry, start string, tree expr) {
	switch {
	case e.Err != nil:
		f.fileErr(e.Path, e.Err)
		return
	case e.Loop != "":
		f.failf("File system loop detected; %s is part of the same file system loop as %s.", f.inv.Quote(e.Path), f.inv.Quote(e.Loop))
		return
	case f.selfLoop(e):
		return
	}
	isDir := e.Info.IsDir()
	if f.depth && isDir && !e.Post || e.Depth < f.minDepth {
		return
	}
	tree.eval(&item{Entry: e, f: f, start: start})
}

// selfLoop tells whether a link that should be followed leads in a circle.
func (f *finder) selfLoop(e *walk.Entry) bool {
	if !e.Info.IsLink() || f.follow != walk.FollowAlways {
		return false
	}
	_, err := f.inv.FS.Stat(f.ctx, f.inv.Path(e.Path))
	if !errors.Is(err, syscall.ELOOP) {
		return false
	}
	f.fileErr(e.Path, err)
	return true
}

// item is one file as the expression sees it.
type item struct {
	*walk.Entry
	f     *finder
	start string
}

// base is the last name of the path, for -name.
func (it *item) base() string { return paths.Base(it.Path) }

func (it *item) full() string { return it.f.inv.Path(it.Path) }
