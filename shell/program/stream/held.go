package stream

import (
	"context"
	"io"

	"mirage/internal/budget"
	"mirage/shell/program"
)

// Held is what a program must hold whole. It counts to the program's memory
// until the program ends.
type Held struct {
	meter budget.Meter
	total int64
}

// NewHeld counts to the memory of inv.
func NewHeld(inv *program.Invocation) *Held { return &Held{meter: inv.Meter()} }

// Add counts n bytes more, fewer when n is negative; ErrMemory when there is
// no memory for them.
func (h *Held) Add(n int64) error {
	if !h.meter.Hold(h.total + n) {
		return ErrMemory
	}
	h.total += n
	return nil
}

// Free counts nothing any more.
func (h *Held) Free() {
	h.total = 0
	h.meter.Hold(0)
}

// ReadAll reads an input to its end.
func (h *Held) ReadAll(ctx context.Context, r io.Reader) ([]byte, error) {
	var b []byte
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if cap(b)-len(b) < BufferSize/2 {
			size := max(BufferSize, 2*cap(b))
			if err := h.Add(int64(size - cap(b))); err != nil {
				return nil, err
			}
			grown := make([]byte, len(b), size)
			copy(grown, b)
			b = grown
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
