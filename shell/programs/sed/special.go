package sed

import (
	"unicode/utf8"

	"mirage/internal/budget"
	"mirage/shell/program"
	"mirage/shell/program/stream"
)

// apply replaces the characters of text.
func (t *transliteration) apply(text *[]byte) {
	if t.runes == nil {
		for i, b := range *text {
			(*text)[i] = t.bytes[b]
		}
		return
	}
	out := make([]byte, 0, len(*text))
	for rest := *text; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if to, ok := t.runes[r]; ok && (r != utf8.RuneError || size > 1) {
			out = utf8.AppendRune(out, to)
		} else {
			out = append(out, rest[:size]...)
		}
		rest = rest[size:]
	}
	*text = out
}

// list is l: the pattern space with everything visible.
func (e *editor) list(width int) {
	if width < 0 {
		width = e.o.wrap
	}
	var b []byte
	column := 0
	for _, c := range e.pattern.text {
		unit := visible(c)
		if width > 0 && column+len(unit) > width-1 {
			b = append(b, '\\', e.o.delimiter)
			column = 0
		}
		b = append(b, unit...)
		column += len(unit)
	}
	e.out.line(append(b, '$'), e.o.delimiter, true)
}

// visible shows a byte as l does.
func visible(c byte) string {
	const letters = "abtnvfr"
	switch {
	case c == '\\':
		return `\\`
	case c >= '\a' && c <= '\r':
		return `\` + letters[c-'\a':c-'\a'+1]
	case c >= ' ' && c < 0x7f:
		return string(rune(c))
	}
	return `\` + string([]byte{'0' + c>>6, '0' + c>>3&7, '0' + c&7})
}

// shell runs a command of e through the shell and answers its output.
func (e *editor) shell(command string) ([]byte, error) {
	if e.inv.Spawn == nil {
		return nil, panicf("e command not supported")
	}
	e.out.w.Flush()
	e.stdout.w.Flush()
	out := limitedBuffer{held: e.inv.Meter()}
	defer out.held.Hold(0)
	_, err := e.inv.Spawn(e.ctx, program.Child{Args: []string{"sh", "-c", command}, Stdout: &out})
	switch {
	case err != nil:
		return nil, panicf("error subprocess: %s", err)
	case out.over:
		return nil, panicf("memory exhausted")
	}
	return out.b, nil
}

// limitedBuffer collects output up to a limit.
type limitedBuffer struct {
	b    []byte
	held budget.Meter
	over bool
}

func (l *limitedBuffer) Write(p []byte) (int, error) {
	if !l.held.Hold(int64(len(l.b) + len(p))) {
		l.over = true
		return 0, stream.ErrMemory
	}
	l.b = append(l.b, p...)
	return len(p), nil
}

// execCommand is e: it runs its argument and shows the output at once, or
// without one runs the pattern space and puts the output in its place.
func (e *editor) execCommand(c *command) error {
	if len(c.text) > 0 {
		out, err := e.shell(string(c.text))
		if err == nil {
			e.out.text(out, e.o.delimiter)
		}
		return err
	}
	return e.evalPattern()
}

// evalPattern replaces the pattern space by the output of the command in it.
func (e *editor) evalPattern() error {
	out, err := e.shell(string(e.pattern.text))
	if err != nil {
		return err
	}
	if n := len(out); n > 0 && out[n-1] == e.o.delimiter {
		out = out[:n-1]
	}
	e.pattern.text = append(e.pattern.text[:0], out...)
	return nil
}
