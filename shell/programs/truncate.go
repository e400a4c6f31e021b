package programs

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"strings"
	"syscall"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/number"
	"mirage/vfs"
)

var truncateSpec = getopt.Spec{
	Name:     "truncate",
	Synopsis: []string{"OPTION... FILE..."},
	Summary:  "Shrink or extend the size of each FILE to the specified size",
	Options: []getopt.Option{
		{Short: "c", Long: "no-create", Help: "do not create any files"},
		{Short: "o", Long: "io-blocks", Help: "treat SIZE as number of IO blocks instead of bytes"},
		{Short: "r", Long: "reference", Arg: getopt.Required, Meta: "RFILE", Help: "base size on RFILE"},
		{Short: "s", Long: "size", Arg: getopt.Required, Meta: "SIZE", Help: "set or adjust the file size by SIZE bytes"},
	},
	Epilog: "SIZE may also be prefixed by one of the following modifying characters:\n" +
		"'+' extend by, '-' reduce by, '<' at most, '>' at least,\n" +
		"'/' round down to multiple of, '%' round up to multiple of.",
}

// truncateBlock is st_blksize, the unit of -o.
const truncateBlock = 4096

type truncateOptions struct {
	noCreate bool
	op       byte // '+', '-', '<', '>', '/', '%' or 0
	size     int64
	hasSize  bool
	blocks   bool
	base     int64 // size of the reference, -1 without
}

func runTruncate(ctx context.Context, inv *program.Invocation) int {
	o := truncateOptions{base: -1}
	reference := ""
	p := truncateSpec.Parse(inv)
	for p.Next() {
		switch v := p.Opt.Value; p.Opt.Name {
		case "c":
			o.noCreate = true
		case "o":
			o.blocks = true
		case "r":
			reference = v
		case "s":
			if problem := o.parse(inv, v); problem != "" {
				return p.Fail("%s", problem)
			}
		}
	}
	switch {
	case p.Stopped:
		return p.Status
	case reference == "" && !o.hasSize:
		return p.Usage("you must specify either %s or %s", inv.QuoteArg("--size"), inv.QuoteArg("--reference"))
	case reference != "" && o.hasSize && o.op == 0:
		return p.Usage("you must specify a relative %s with %s", inv.QuoteArg("--size"), inv.QuoteArg("--reference"))
	case o.blocks && !o.hasSize:
		return p.Usage("%s was specified but %s was not", inv.QuoteArg("--io-blocks"), inv.QuoteArg("--size"))
	case len(p.Operands) == 0:
		return p.Usage("missing file operand")
	}
	if reference != "" {
		info, err := inv.FS.Stat(ctx, inv.Path(reference))
		if err != nil {
			inv.Fail(err, "cannot stat %s", inv.Quote(reference))
			return 1
		}
		o.base = info.Size
	}
	status := 0
	for _, name := range p.Operands {
		if ctx.Err() != nil || !truncateOne(ctx, inv, o, name) {
			status = 1
		}
	}
	return status
}

// parse reads the argument of -s; it answers what is wrong with it.
func (o *truncateOptions) parse(inv *program.Invocation, s string) string {
	text := strings.TrimLeft(s, " \t\n\v\f\r")
	o.op = 0
	if text != "" && strings.IndexByte("<>/%", text[0]) >= 0 {
		o.op, text = text[0], strings.TrimLeft(text[1:], " \t\n\v\f\r")
	}
	negative := false
	if text != "" && (text[0] == '+' || text[0] == '-') {
		if o.op != 0 {
			return "multiple relative modifiers specified"
		}
		o.op, negative = text[0], text[0] == '-'
		text = text[1:]
	}
	bad := "Invalid number: " + inv.QuoteArg(s[len(s)-len(strings.TrimLeft(s, " \t\n\v\f\r<>/%")):])
	if text == "" || text[0] == '+' || text[0] == '-' {
		return bad
	}
	n, err := number.ParseInt(text, "EGKkMmPTYZ0")
	switch {
	case errors.Is(err, number.ErrRange):
		return bad + ": Value too large for defined data type"
	case err != nil:
		return bad
	case n == 0 && (o.op == '/' || o.op == '%'):
		return "division by zero"
	}
	if o.size, o.hasSize = n, true; negative {
		o.size = -n
	}
	return ""
}

func truncateOne(ctx context.Context, inv *program.Invocation, o truncateOptions, name string) bool {
	flag := os.O_WRONLY | os.O_CREATE | syscall.O_NONBLOCK
	if o.noCreate {
		flag &^= os.O_CREATE
	}
	f, err := inv.FS.Open(ctx, inv.Path(name), flag, fs.FileMode(0o666&^inv.Umask))
	if err != nil {
		if o.noCreate && errors.Is(err, syscall.ENOENT) {
			return true
		}
		inv.Fail(err, "cannot open %s for writing", inv.Quote(name))
		return false
	}
	ok := truncateFile(inv, o, name, f)
	if err := f.Close(); err != nil && ok {
		inv.Fail(err, "failed to close %s", inv.Quote(name))
		return false
	}
	return ok
}

func truncateFile(inv *program.Invocation, o truncateOptions, name string, f vfs.File) bool {
	base := o.base
	if base < 0 && o.op != 0 {
		info, err := f.Stat()
		if err != nil {
			inv.Fail(err, "cannot fstat %s", inv.Quote(name))
			return false
		}
		base = max(info.Size, 0)
	}
	arg := o.size
	if o.blocks {
		if arg > math.MaxInt64/truncateBlock || arg < math.MinInt64/truncateBlock {
			inv.Errorf("overflow in %d * %d byte blocks for file %s", arg, truncateBlock, inv.Quote(name))
			return false
		}
		arg *= truncateBlock
	}
	size, ok := truncateSize(o, base, arg)
	if !ok {
		inv.Errorf("overflow extending size of file %s", inv.Quote(name))
		return false
	}
	if err := f.Truncate(max(size, 0)); err != nil {
		inv.Fail(err, "failed to truncate %s at %d bytes", inv.Quote(name), size)
		return false
	}
	return true
}

func truncateSize(o truncateOptions, base, arg int64) (int64, bool) {
	switch o.op {
	case '<':
		return min(base, arg), true
	case '>':
		return max(base, arg), true
	case '/':
		return base / arg * arg, true
	case '%':
		if rest := base % arg; rest != 0 {
			if base > math.MaxInt64-(arg-rest) {
				return 0, false
			}
			return base + arg - rest, true
		}
		return base, true
	case '+', '-':
		if arg > 0 && base > math.MaxInt64-arg {
			return 0, false
		}
		return base + arg, true
	}
	if o.base >= 0 && !o.hasSize {
		return o.base, true
	}
	return arg, true
}
