package programs

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/quote"
	"mirage/vfs"
)

func xargsRun(ctx context.Context, inv *program.Invocation, o xargsOptions, command []string) int {
	var in io.Reader = inv.Stdin
	children := newXargsChildren(ctx, inv, o)
	if o.file != "" && o.file != "-" {
		f, err := inv.Open(ctx, o.file)
		if err != nil {
			inv.Fail(err, "Cannot open input file %s", inv.QuoteArg(o.file))
			return 1
		}
		defer f.Close()
		in = f
		children.stdin = inv.Stdin // free for the commands
	}
	x := &xargs{o: o, inv: inv, command: command, children: children}
	for _, arg := range command {
		x.initial += int64(len(arg)) + 1
	}
	room := o.size - x.initial - 1
	if o.replacing {
		room = o.size - 1
	}
	if room < 0 || x.initial > o.size && !o.replacing {
		inv.Errorf("cannot fit single argument within argument list size limit")
		return 1
	}
	reader := &xargsReader{ctx: ctx, inv: inv, in: bufio.NewReaderSize(in, 64<<10), o: &o, room: int(room)}
	err := x.collect(reader)
	if err == io.EOF || errors.Is(err, errXargsSingle) || errors.Is(err, errXargsDouble) || errors.Is(err, errXargsLong) {
		// What was collected before the mistake still runs.
		if len(x.args) > 0 || err == io.EOF && !o.noEmpty && !x.ran && !o.replacing {
			x.run()
		}
	}
	status := children.wait()
	switch {
	case ctx.Err() != nil:
		return 1
	case children.fatal():
		return status
	case err != nil && err != io.EOF && err != errXargsStop:
		inv.Errorf("%s", xargsPhrase(err))
		return 1
	}
	return status
}

func xargsPhrase(err error) string {
	if errors.Is(err, errXargsSingle) || errors.Is(err, errXargsDouble) || errors.Is(err, errXargsLong) || errors.Is(err, errXargsList) || errors.Is(err, errXargsCommand) {
		return err.Error()
	}
	return vfs.Phrase(err)
}

var (
	errXargsList    = errors.New("argument list too long")
	errXargsCommand = errors.New("command too long")
	errXargsStop    = errors.New("stop")
)

// xargs collects items into command lines.
type xargs struct {
	o        xargsOptions
	inv      *program.Invocation
	command  []string
	initial  int64 // bytes of the command and its initial arguments
	children *xargsChildren

	args []string
	size int64
	ran  bool
}

// collect reads all input and runs full command lines; it answers io.EOF at
// the end.
func (x *xargs) collect(r *xargsReader) error {
	lines := int64(0)
	for {
		item, err := r.next()
		if err != nil {
			return err
		}
		if x.o.replacing {
			if item.none {
				continue
			}
			if err := x.substitute(item.text); err != nil {
				return err
			}
			continue
		}
		if !item.none {
			if err := x.add(item.text); err != nil {
				return err
			}
		}
		if item.lineEnd {
			lines++
		}
		full := x.o.args > 0 && int64(len(x.args)) >= x.o.args || x.o.lines > 0 && lines >= x.o.lines
		if full && (len(x.args) > 0 || x.o.lines > 0) {
			lines = 0
			if !x.run() {
				return errXargsStop
			}
		}
	}
}

func (x *xargs) add(text string) error {
	n := int64(len(text)) + 1
	if x.initial+x.size+n > x.o.size {
		if len(x.args) == 0 {
			return errXargsLong
		}
		if x.o.exit && (x.o.lines > 0 || x.o.args > 0) {
			return errXargsList
		}
		if !x.run() {
			return errXargsStop
		}
	}
	x.args = append(x.args, text)
	x.size += n
	return nil
}

// substitute runs the command with an item in the place of -I's string.
func (x *xargs) substitute(text string) error {
	if x.o.replace == "" && len(x.command) > 1 {
		return errXargsCommand
	}
	argv := []string{x.command[0]}
	size := int64(len(x.command[0])) + 1
	for _, arg := range x.command[1:] {
		times := int64(strings.Count(arg, x.o.replace))
		size += int64(len(arg)) + times*int64(len(text)-len(x.o.replace)) + 1
		if size > x.o.size {
			return errXargsList
		}
		argv = append(argv, strings.ReplaceAll(arg, x.o.replace, text))
	}
	x.ran = true
	if !x.children.start(argv, x.o.verbose) {
		return errXargsStop
	}
	return nil
}

// run starts the command with the items so far; false means that no more are
// to be started.
func (x *xargs) run() bool {
	argv := append(append(make([]string, 0, len(x.command)+len(x.args)), x.command...), x.args...)
	x.args, x.size, x.ran = x.args[:0], 0, true
	return x.children.start(argv, x.o.verbose)
}

// xargsTrace is the line of -t.
func xargsTrace(inv *program.Invocation, argv []string) string {
	q := quote.Quoter{Style: quote.ShellEscape, UTF8: inv.UTF8()}
	var b strings.Builder
	for i, arg := range argv {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(q.String(arg))
	}
	return b.String() + "\n"
}

// xargsSlot is the setting of --process-slot-var.
func xargsSlot(inv *program.Invocation, name string, slot int) []string {
	if name == "" {
		return nil
	}
	return envSet(append([]string(nil), inv.Env...), name, name+"="+strconv.Itoa(slot))
}
