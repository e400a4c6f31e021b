package stream

import (
	"context"
	"errors"
	"io"

	"mirage/shell/program"
)

// Inputs calls f for each operand, opened for reading; "-" is standard input,
// and so is an empty list. What fails to open, and the error that f answers,
// is reported as GNU filters do ("cat: x: No such file or directory") and the
// loop goes on; Inputs then answers 1. An error of standard output
// (errors.Is ErrStop) or a context that has ended stops the loop.
func Inputs(ctx context.Context, inv *program.Invocation, operands []string, f func(name string, r io.Reader) error) int {
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	status := 0
	for _, name := range operands {
		if ctx.Err() != nil {
			return 1
		}
		r, err := inv.OpenOperand(ctx, name)
		if err != nil {
			inv.FileError(name, err)
			status = 1
			continue
		}
		err = f(name, r)
		r.Close()
		if errors.Is(err, ErrStop) {
			return status
		}
		if err != nil {
			inv.FileError(name, err)
			status = 1
		}
	}
	return status
}

// ErrStop ends Inputs without a message: the output has failed, which
// Writer.Close will tell, or enough has been read.
var ErrStop = errors.New("stop")

// Copy copies r to w in large blocks until r ends. It tells the two sides'
// errors apart; a context that has ended is a read error.
func Copy(ctx context.Context, w io.Writer, r io.Reader) (n int64, readErr, writeErr error) {
	buf := make([]byte, BufferSize)
	for {
		if err := ctx.Err(); err != nil {
			return n, err, nil
		}
		m, err := r.Read(buf)
		if m > 0 {
			if _, werr := w.Write(buf[:m]); werr != nil {
				return n, nil, werr
			}
			n += int64(m)
		}
		if err == io.EOF {
			return n, nil, nil
		}
		if err != nil {
			return n, err, nil
		}
	}
}
