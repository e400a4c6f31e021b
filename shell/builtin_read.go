package shell

import (
	"bytes"
	"context"
	"io"
	"math"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"mirage/internal/budget"
	"mirage/shell/vars"
)

// readBlock is how much read takes from a stream at once; what follows the
// delimiter is given back.
const readBlock = 4096

// lineReader reads delimited input from a description without taking more
// than it uses.
type lineReader struct {
	f   *openFile
	ctx context.Context
	buf []byte // taken and not yet used
	mem []byte // of readBlock bytes
	// held counts the line.
	held budget.Meter
}

// lineReader makes a reader; the shell's one block serves one at a time.
func (e *Executor) lineReader(ctx context.Context, f *openFile) lineReader {
	if e.block == nil {
		e.block = make([]byte, readBlock)
	}
	return lineReader{f: f, ctx: ctx, mem: e.block, held: e.s.memory.Meter()}
}

// next answers one byte.
func (r *lineReader) next() (byte, error) {
	if len(r.buf) == 0 {
		n, err := r.f.read(r.ctx, r.mem)
		if n == 0 {
			if err == nil {
				err = io.EOF
			}
			return 0, err
		}
		r.buf = r.mem[:n]
	}
	c := r.buf[0]
	r.buf = r.buf[1:]
	return c, nil
}

// until appends to line up to the delimiter, which it takes too.
func (r *lineReader) until(line []byte, delim byte) ([]byte, error) {
	for {
		if len(r.buf) == 0 {
			n, found, ok, err := r.f.readUntil(r.ctx, r.mem, delim)
			switch {
			case found:
				return append(line, r.mem[:n-1]...), nil
			case ok && n > 0:
				if line = append(line, r.mem[:n]...); !r.held.Hold(int64(cap(line))) {
					return line, vars.ErrMemory
				}
				continue
			case ok:
				return line, err
			}
		}
		if len(r.buf) > 0 {
			if i := bytes.IndexByte(r.buf, delim); i >= 0 {
				line = append(line, r.buf[:i]...)
				r.buf = r.buf[i+1:]
				return line, nil
			}
			line = append(line, r.buf...)
			r.buf = nil
			if !r.held.Hold(int64(cap(line))) {
				return line, vars.ErrMemory
			}
		}
		n, err := r.f.read(r.ctx, r.mem)
		if n == 0 {
			if err == nil {
				err = io.EOF
			}
			return line, err
		}
		r.buf = r.mem[:n]
	}
}

// done gives back what was not used.
func (r *lineReader) done() {
	r.f.unread(r.buf)
	r.held.Hold(0)
}

// readLine reads a line from standard input for select.
func (e *Executor) readLine() (string, bool) {
	f := e.fds.get(0)
	if f == nil {
		return "", false
	}
	r := e.lineReader(e.ctx, f)
	defer r.done()
	line, err := r.until(nil, '\n')
	return string(line), err == nil || len(line) > 0
}

// readOptions are the options of the read builtin.
type readOptions struct {
	array   string
	delim   byte
	raw     bool
	silent  bool
	count   int // characters; -1 = no limit
	exact   bool
	prompt  string
	timeout time.Duration // negative = none
	fd      int
}

func builtinRead(e *Executor, args []string) int {
	f, names, ok := e.parseFlags(args, "ersa:d:i:n:N:p:t:u:")
	if !ok {
		return 2
	}
	o := readOptions{array: f.arg['a'], delim: '\n', raw: f.on['r'], silent: f.on['s'], count: -1, timeout: -1, prompt: f.arg['p']}
	if f.on['d'] {
		o.delim = 0
		if f.arg['d'] != "" {
			o.delim = f.arg['d'][0]
		}
	}
	for _, c := range []byte("nN") {
		if f.on[c] {
			n, ok := atoi(f.arg[c])
			if !ok {
				e.errorf("read: %s: invalid number", f.arg[c])
				return 1
			}
			o.count, o.exact = n, c == 'N'
		}
	}
	if f.on['t'] {
		d, err := strconv.ParseFloat(f.arg['t'], 64)
		if err != nil || d < 0 || d > math.MaxInt32 || math.IsNaN(d) {
			e.errorf("read: %s: invalid timeout specification", f.arg['t'])
			return 1
		}
		o.timeout = time.Duration(d * float64(time.Second))
	}
	if f.on['u'] {
		n, ok := atoi(f.arg['u'])
		if !ok {
			e.errorf("read: %s: invalid file descriptor specification", f.arg['u'])
			return 1
		}
		o.fd = n
	}
	for _, n := range names {
		if _, _, _, ok := vars.SplitRef(n); !ok {
			e.errorf("read: `%s': not a valid identifier", n)
			return 1
		}
	}
	if o.array != "" && !vars.ValidName(o.array) {
		e.errorf("read: `%s': not a valid identifier", o.array)
		return 1
	}
	return e.read(o, names)
}

func (e *Executor) read(o readOptions, names []string) int {
	file := e.fds.get(o.fd)
	if file == nil {
		e.errorf("read: %d: invalid file descriptor: Bad file descriptor", o.fd)
		return 1
	}
	if o.timeout == 0 {
		if file.readable() {
			return 0
		}
		return 1
	}
	if o.prompt != "" && e.isTerminal(o.fd) {
		e.writeFD(2, o.prompt)
	}
	ctx, cancel := deadline(e.ctx, o.timeout)
	defer cancel()
	r := e.lineReader(ctx, file)
	line, status := e.readInput(&r, o)
	r.done()
	if status == readFailed {
		return 1
	}
	if err := e.storeRead(o, names, line); err != nil {
		e.builtinError("read", err)
		return 1
	}
	return status
}

// readFailed is an answer of readInput: an error that was reported.
const readFailed = -1

// readInput reads the line: its bytes, where a byte that a backslash quoted is
// marked for the splitter by keeping the backslash.
func (e *Executor) readInput(r *lineReader, o readOptions) ([]byte, int) {
	var line []byte
	chars := 0
	utf := e.vars.UTF8()
	if o.count == 0 {
		return nil, 0
	}
	if o.count < 0 {
		return e.readDelimited(r, o)
	}
	for {
		c, err := r.next()
		if err != nil {
			return line, e.readEnd(r, err)
		}
		if !r.held.Hold(int64(cap(line))) {
			e.limitError("memory")
			return nil, readFailed
		}
		if c == '\\' && !o.raw {
			q, err := r.next()
			if err != nil {
				return line, e.readEnd(r, err)
			}
			if q == '\n' {
				continue
			}
			line = append(line, '\\', q)
			chars++
		} else {
			if c == o.delim && !o.exact {
				return line, 0
			}
			line = append(line, c)
			chars++
			if utf && c >= 0xc0 {
				for !utf8.FullRune(line[len(line)-1:]) && len(line) > 0 {
					start := runeStart(line)
					if utf8.FullRune(line[start:]) {
						break
					}
					c, err := r.next()
					if err != nil {
						return line, e.readEnd(r, err)
					}
					line = append(line, c)
				}
			}
		}
		if o.count > 0 && chars >= o.count {
			return line, 0
		}
	}
}

// readDelimited reads up to the delimiter. Unless raw is set a backslash
// quotes the delimiter, and a newline that it quotes is dropped.
func (e *Executor) readDelimited(r *lineReader, o readOptions) ([]byte, int) {
	line := e.lineBuf[:0]
	defer func() {
		if cap(line) <= 16*readBlock {
			e.lineBuf = line
		}
	}()
	for {
		var err error
		if line, err = r.until(line, o.delim); err != nil {
			return joinLines(line, o), e.readEnd(r, err)
		}
		if o.raw || !oddBackslashes(line) {
			break
		}
		if o.delim == '\n' {
			line = line[:len(line)-1]
		} else {
			line = append(line, o.delim)
		}
	}
	return joinLines(line, o), 0
}

// joinLines drops the newlines that a backslash quotes.
func joinLines(line []byte, o readOptions) []byte {
	if o.raw || o.delim == '\n' {
		return line
	}
	out := line[:0]
	for i := 0; i < len(line); i++ {
		if line[i] == '\\' && i+1 < len(line) {
			i++
			if line[i] == '\n' {
				continue
			}
			out = append(out, '\\')
		}
		out = append(out, line[i])
	}
	return out
}

// oddBackslashes reports whether the last character is a backslash that
// nothing quotes.
func oddBackslashes(line []byte) bool {
	n := 0
	for n < len(line) && line[len(line)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// runeStart is the index where the last character of b starts.
func runeStart(b []byte) int {
	i := len(b) - 1
	for i > 0 && len(b)-i < utf8.UTFMax && !utf8.RuneStart(b[i]) {
		i--
	}
	return i
}

// readEnd answers the status of a read that ended before its delimiter.
func (e *Executor) readEnd(r *lineReader, err error) int {
	switch {
	case err == io.EOF:
		return 1
	case e.ctx.Err() != nil:
		e.stopKilled()
		return readFailed
	case r.ctx.Err() != nil:
		return 128 + int(sigALRM)
	case err == vars.ErrMemory:
		e.limitError("memory")
		return readFailed
	}
	if errno(err) != syscall.EINTR {
		e.errorf("read: read error: 0: %s", phrase(err))
	}
	return 1
}

// storeRead splits the line and assigns the variables.
func (e *Executor) storeRead(o readOptions, names []string, line []byte) error {
	if i := bytes.IndexByte(line, 0); i >= 0 {
		line = bytes.ReplaceAll(line, []byte{0}, nil)
	}
	text := string(line)
	switch {
	case o.array != "":
		if e.vars.Kind(o.array) == vars.Assoc {
			return &vars.Error{Name: o.array, Text: "cannot convert associative to indexed array"}
		}
		if o.exact {
			return e.vars.SetElements(o.array, []string{text})
		}
		return e.vars.SetElements(o.array, e.x.SplitIFS(text, -1, o.raw))
	case len(names) == 0:
		if !o.raw {
			text = unescape(text)
		}
		return e.vars.Set("REPLY", text)
	case o.exact:
		if !o.raw {
			text = unescape(text)
		}
		for i, n := range names {
			if i > 0 {
				text = ""
			}
			if err := e.x.SetRef(e.ctx, n, text); err != nil {
				return err
			}
		}
		return nil
	}
	fields := e.x.SplitIFS(text, len(names), o.raw)
	for i, n := range names {
		v := ""
		if i < len(fields) {
			v = fields[i]
		}
		if err := e.x.SetRef(e.ctx, n, v); err != nil {
			return err
		}
	}
	return nil
}

// unescape drops the backslashes that quote.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func builtinMapfile(e *Executor, args []string) int {
	name := args[0]
	f, rest, ok := e.parseFlags(args, "d:n:O:s:tu:C:c:")
	if !ok {
		return 2
	}
	num := func(c byte, what string, def int) (int, bool) {
		if !f.on[c] {
			return def, true
		}
		n, ok := atoi(f.arg[c])
		if !ok {
			e.errorf("%s: %s: %s", name, f.arg[c], what)
		}
		return n, ok
	}
	fd, ok1 := num('u', "invalid file descriptor specification", 0)
	if !ok1 {
		return 1
	}
	count, ok1 := num('n', "invalid line count", 0)
	if !ok1 {
		return 1
	}
	origin, ok1 := num('O', "invalid array origin", 0)
	if !ok1 {
		return 1
	}
	skip, ok1 := num('s', "invalid line count", 0)
	if !ok1 {
		return 1
	}
	quantum, ok1 := num('c', "invalid callback quantum", 5000)
	if !ok1 || quantum == 0 {
		if ok1 {
			e.errorf("%s: %s: invalid callback quantum", name, f.arg['c'])
		}
		return 1
	}
	array := "MAPFILE"
	if len(rest) > 0 {
		array = rest[0]
	}
	if !vars.ValidName(array) {
		e.errorf("%s: `%s': not a valid identifier", name, array)
		return 1
	}
	file := e.fds.get(fd)
	if file == nil {
		e.errorf("%s: %d: invalid file descriptor: Bad file descriptor", name, fd)
		return 1
	}
	if e.vars.Kind(array) == vars.Assoc {
		e.errorf("%s: %s: not an indexed array", name, array)
		return 1
	}
	delim := byte('\n')
	if f.on['d'] {
		delim = 0
		if f.arg['d'] != "" {
			delim = f.arg['d'][0]
		}
	}
	if !f.on['O'] {
		if err := e.vars.SetElements(array, nil); err != nil {
			return e.builtinError(name, err)
		}
	}
	r := e.lineReader(e.ctx, file)
	r.mem = make([]byte, readBlock) // the callback may read too
	defer r.done()
	for i := 0; i < skip; i++ {
		if _, err := r.until(nil, delim); err != nil {
			return 0
		}
	}
	for n := 0; count == 0 || n < count; n++ {
		if n&0xff == 0 && e.ctx.Err() != nil {
			e.stopKilled()
			return e.status
		}
		line, err := r.until(nil, delim)
		if err != nil && len(line) == 0 {
			break
		}
		if err == nil && !f.on['t'] {
			line = append(line, delim)
		}
		text := strings.ReplaceAll(string(line), "\x00", "")
		if f.on['C'] && (n+1)%quantum == 0 {
			e.evalText(f.arg['C']+" "+itoa(origin+n)+" "+shellQuote(text), e.lineno, e.where())
			if e.flow != flowNone {
				return e.status
			}
		}
		if err := e.vars.SetIndex(array, int64(origin+n), text); err != nil {
			return e.builtinError(name, err)
		}
		if err != nil {
			break
		}
	}
	return 0
}

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
