package programs

import (
	"context"
	"io"
	"math"
	"strconv"
	"strings"
	"syscall"

	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

// eachBlock hands what r holds to f, block by block, for filters that look at
// every byte. What f wrote is shown before the next read may wait.
func eachBlock(ctx context.Context, r io.Reader, out *stream.Writer, f func(p []byte) error) error {
	buf := make([]byte, stream.BufferSize)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(buf)
		if n > 0 {
			if err := f(buf[:n]); err != nil {
				return err
			}
			if out.Flush() != nil {
				return stream.ErrStop
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// pad writes n times a byte and stops early when the output or ctx has ended.
func pad(ctx context.Context, out *stream.Writer, c byte, n int64) {
	for n > 0 && out.Err() == nil && ctx.Err() == nil {
		piece := min(n, 4096)
		_, _ = out.WriteString(strings.Repeat(string([]byte{c}), int(piece)))
		n -= piece
	}
}

// decimal reads a number between lo and hi, as xdectoimax of gnulib does. An
// error is wrapped in the text that tells about it: "" for what is no number.
func decimal(s string, lo, hi int64) (n int64, reason string, ok bool) {
	text := strings.TrimLeft(s, " \t\n\v\f\r")
	if lo >= 0 && strings.HasPrefix(text, "-") {
		return 0, "", false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil && strings.Trim(text, "+-0123456789") != "" || text == "" || strings.LastIndexAny(text, "+-") > 0 || strings.Trim(text, "+-") == "":
		return 0, "", false
	case err != nil || (n < lo || n > hi) && (n > math.MaxInt32/2 || n < math.MinInt32/2):
		return n, ": " + vfs.Phrase(syscall.EOVERFLOW), false
	case n < lo || n > hi:
		return n, ": " + vfs.Phrase(syscall.ERANGE), false
	}
	return n, "", true
}

// decimalOption reads the argument of the current option; a wrong one has been
// reported as "invalid WHAT: 'x'" when ok is false.
func decimalOption(p *getopt.Parser, what string, lo, hi int64) (n int64, ok bool) {
	n, reason, ok := decimal(p.Opt.Value, lo, hi)
	if !ok {
		p.Fail("invalid %s: %s%s", what, p.Invocation().QuoteArg(p.Opt.Value), reason)
	}
	return n, ok
}

// digitOptions are the hidden options -0 to -9 of the obsolete forms.
func digitOptions(arg getopt.Option) []getopt.Option {
	list := make([]getopt.Option, 10)
	for i := range list {
		list[i] = arg
		list[i].Short, list[i].Hidden = strconv.Itoa(i), true
	}
	return list
}
