package sort

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"strings"

	"mirage/shell/program/stream"
	"mirage/vfs"
)

var errDisorder = errors.New("disorder")

func phrase(err error) string { return vfs.Phrase(err) }

// checkOrder is -c and -C.
func (j *job) checkOrder(ctx context.Context, name string) error {
	r, err := j.inv.OpenOperand(ctx, name)
	if err != nil {
		return j.failed("cannot read", name, err)
	}
	defer r.Close()
	lines := stream.NewLines(r, j.end, j.inv.Meter())
	var last record
	var held [2][]byte
	for n := 1; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line, err := lines.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return j.failed("read failed", name, err)
		}
		line, _ = stream.Chomp(line, j.end)
		held[n%2] = append(held[n%2][:0], line...)
		r := j.order.record(held[n%2])
		if n > 1 {
			if d := j.order.compare(&last, &r); d > 0 || d == 0 && j.unique {
				if j.check == checkReport {
					j.inv.Errorf("%s:%d: disorder: %s", name, n, line)
				}
				return errDisorder
			}
		}
		last = r
	}
}

// saltSize is how many random bytes decide the order of -R.
const saltSize = 16

// seed takes the salt of -R from the file of --random-source or from the
// system.
func (p *parser) seed(ctx context.Context) bool {
	salt := make([]byte, saltSize)
	if p.random == "" {
		rand.Read(salt)
	} else {
		inv := p.job.inv
		r, err := inv.Open(ctx, p.random)
		if err != nil {
			p.Fail("open failed: %s: %s", inv.QuoteName(p.random), phrase(err))
			return false
		}
		defer r.Close()
		if _, err := io.ReadFull(r, salt); err != nil {
			what := "end of file"
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				what = phrase(err)
			}
			p.Fail("%s: %s", inv.Quote(p.random), what)
			return false
		}
	}
	p.job.order.salt = salt
	return true
}

// annotate underlines each key of a line, and the whole line where it decides
// in the last resort, as --debug does.
func (j *job) annotate(out *stream.Writer, line []byte) {
	width := func(s []byte) int { return len(s) + strings.Count(string(s), "\t")*0 }
	mark := func(start, end int) {
		out.WriteString(strings.Repeat(" ", width(line[:start])))
		if start >= end {
			out.WriteString("^ no match for key\n")
			return
		}
		out.WriteString(strings.Repeat("_", width(line[start:end])) + "\n")
	}
	for _, k := range j.order.keys {
		start, end := j.order.bounds(k, line)
		mark(k.shown(line, start, end))
	}
	if len(j.order.keys) == 0 || j.order.lastResort {
		mark(0, len(line))
	}
}

// shown narrows a key to the part that its ordering looks at.
func (k *key) shown(line []byte, start, end int) (int, int) {
	text := line[start:end]
	i := 0
	for i < len(text) && isBlank(text[i]) {
		i++
	}
	switch k.ordering {
	case byMonth:
		if month(text) == 0 {
			return start + i, start + i
		}
		return start + i, start + i + 3
	case byNumber, byHuman:
		d := parseDecimal(text)
		n := len(text) - len(d.rest)
		if strings.IndexFunc(string(text[i:n]), func(r rune) bool { return '0' <= r && r <= '9' }) < 0 {
			return start + i, start + i
		}
		if k.ordering == byHuman && d.unit(text) != 0 {
			n++
		}
		return start + i, start + n
	}
	return start, end
}
