package programs

import (
	"bytes"
	"context"
	"encoding/base32"
	"encoding/base64"
	"errors"
	"io"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/number"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

// base64Codec is what base64 and base32 differ in.
type base64Codec struct {
	name     string
	alphabet string
	in, out  int // bytes of a group, and digits it becomes
	encode   func(dst, src []byte)
	decode   func(dst, src []byte) (int, error)
	// group decodes one group of digits as far as it is good and tells
	// whether all of it was.
	group func(dst []byte, values []int) ([]byte, bool)
}

func base64Codec64() base64Codec {
	return base64Codec{
		name:     "base64",
		alphabet: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
		in:       3, out: 4,
		encode: base64.StdEncoding.Encode,
		decode: base64.StdEncoding.Decode,
		group:  base64Group,
	}
}

func base64Codec32() base64Codec {
	return base64Codec{
		name:     "base32",
		alphabet: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
		in:       5, out: 8,
		encode: base32.StdEncoding.Encode,
		decode: base32.StdEncoding.Decode,
		group:  base32Group,
	}
}

// base64Progs makes base64 and base32.
func base64Progs() []*program.Program {
	var list []*program.Program
	for _, c := range []base64Codec{base64Codec64(), base64Codec32()} {
		spec := base64Spec(c.name)
		list = append(list, spec.Program(func(ctx context.Context, inv *program.Invocation) int {
			return runBase64(ctx, inv, spec, c)
		}))
	}
	return list
}

func base64Spec(name string) *getopt.Spec {
	title := strings.ToUpper(name[:1]) + name[1:]
	return &getopt.Spec{
		Name:     name,
		Synopsis: []string{"[OPTION]... [FILE]"},
		Summary: title + " encode or decode FILE, or standard input, to standard output.\n\n" +
			"With no FILE, or when FILE is -, read standard input.",
		Options: []getopt.Option{
			{Short: "d", Long: "decode", Help: "decode data"},
			{Short: "D", Name: "d", Hidden: true},
			{Short: "i", Long: "ignore-garbage", Help: "when decoding, ignore non-alphabet characters"},
			{Short: "w", Long: "wrap", Arg: getopt.Required, Meta: "COLS", Help: "wrap encoded lines after COLS character (default 76).\n" +
				"  Use 0 to disable line wrapping"},
		},
		Epilog: "The data are encoded as described for the " + name + " alphabet in RFC 4648.\n" +
			"When decoding, the input may contain newlines in addition to the bytes of\n" +
			"the formal " + name + " alphabet.  Use --ignore-garbage to attempt to recover\n" +
			"from any other non-alphabet bytes in the encoded stream.",
	}
}

func runBase64(ctx context.Context, inv *program.Invocation, spec *getopt.Spec, c base64Codec) int {
	decode, ignore, wrap := false, false, int64(76)
	p := spec.Parse(inv)
	for p.Next() {
		switch p.Opt.Name {
		case "d":
			decode = true
		case "i":
			ignore = true
		case "w":
			n, err := number.ParseInt(p.Opt.Value, "")
			if err != nil && !errors.Is(err, number.ErrRange) {
				return p.Fail("invalid wrap size: %s", inv.QuoteArg(p.Opt.Value))
			}
			wrap = n
			if err != nil {
				wrap = 0 // wider than any file
			}
		}
	}
	if p.Stopped {
		return p.Status
	}
	if len(p.Operands) > 1 {
		return p.Extra(p.Operands[1])
	}
	out := stream.Stdout(inv)
	bad := false
	status := stream.Inputs(ctx, inv, p.Operands, func(_ string, r io.Reader) error {
		if !decode {
			return c.encodeAll(ctx, out, r, wrap)
		}
		err := c.decodeAll(ctx, out, r, ignore)
		if errors.Is(err, errBase64Input) {
			bad = true
			return stream.ErrStop
		}
		if err != nil && !errors.Is(err, stream.ErrStop) {
			out.Flush()
			inv.Errorf("read error: %s", vfs.Phrase(err))
			bad = true
			return stream.ErrStop
		}
		return err
	})
	if status = out.Close(inv, status); status != 0 || !bad {
		return status
	}
	inv.Errorf("invalid input")
	return 1
}

var errBase64Input = errors.New("invalid input")

// encodeAll encodes whole groups of what r holds, block by block, in lines of
// wrap digits.
func (c base64Codec) encodeAll(ctx context.Context, out *stream.Writer, r io.Reader, wrap int64) error {
	block := stream.BufferSize / c.in * c.in
	buf := make([]byte, block)
	digits := make([]byte, block/c.in*c.out)
	column := int64(0)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := io.ReadFull(r, buf)
		if n > 0 {
			d := digits[:(n+c.in-1)/c.in*c.out]
			c.encode(d, buf[:n])
			column = base64Wrap(out, d, wrap, column)
		}
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			if column > 0 && wrap > 0 {
				out.WriteByte('\n')
			}
			return nil
		case err != nil:
			return err
		case out.Err() != nil:
			return stream.ErrStop
		}
	}
}

func base64Wrap(out *stream.Writer, d []byte, wrap, column int64) int64 {
	if wrap == 0 {
		out.Write(d)
		return column
	}
	for len(d) > 0 {
		if column == wrap {
			out.WriteByte('\n')
			column = 0
		}
		n := min(int64(len(d)), wrap-column)
		out.Write(d[:n])
		column += n
		d = d[n:]
	}
	return column
}

// decodeAll decodes group after group until one is bad.
func (c base64Codec) decodeAll(ctx context.Context, out *stream.Writer, r io.Reader, ignore bool) error {
	var value [256]int // of a digit; -1 what is none, -2 the padding
	for i := range value {
		value[i] = -1
	}
	for i := 0; i < len(c.alphabet); i++ {
		value[c.alphabet[i]] = i
	}
	value['='] = -2
	buf := make([]byte, stream.BufferSize)
	var digits, plain []byte
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(buf)
		for _, b := range buf[:n] {
			if b != '\n' && (!ignore || value[b] != -1) {
				digits = append(digits, b)
			}
		}
		whole := len(digits) / c.out * c.out
		if err == io.EOF {
			whole = len(digits)
		}
		good := true
		plain, good = c.decodeGroups(plain[:0], digits[:whole], value[:])
		out.Write(plain)
		digits = digits[:copy(digits, digits[whole:])]
		switch {
		case !good:
			return errBase64Input
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case out.Err() != nil:
			return stream.ErrStop
		}
	}
}

func (c base64Codec) decodeGroups(dst, digits []byte, value []int) ([]byte, bool) {
	if len(digits)%c.out == 0 && bytes.IndexByte(digits, '=') < 0 && bytes.IndexByte(digits, '\r') < 0 {
		plain := make([]byte, len(digits)/c.out*c.in)
		if n, err := c.decode(plain, digits); err == nil {
			return append(dst, plain[:n]...), true
		}
	}
	values := make([]int, 0, c.out)
	for len(digits) > 0 {
		n := min(len(digits), c.out)
		values = values[:0]
		for _, d := range digits[:n] {
			values = append(values, value[d])
		}
		var ok bool
		if dst, ok = c.group(dst, values); !ok {
			return dst, false
		}
		digits = digits[n:]
	}
	return dst, true
}

// allPadding tells whether a group ends in nothing but padding.
func allPadding(values []int) bool {
	for _, v := range values {
		if v != -2 {
			return false
		}
	}
	return true
}

func base64Group(dst []byte, v []int) ([]byte, bool) {
	if len(v) < 2 || v[0] < 0 || v[1] < 0 {
		return dst, false
	}
	dst = append(dst, byte(v[0]<<2|v[1]>>4))
	if len(v) == 2 {
		return dst, false
	}
	if v[2] == -2 {
		return dst, len(v) == 4 && v[3] == -2
	}
	if v[2] < 0 {
		return dst, false
	}
	dst = append(dst, byte(v[1]<<4|v[2]>>2))
	if len(v) == 3 {
		return dst, false
	}
	if v[3] == -2 {
		return dst, true
	}
	if v[3] < 0 {
		return dst, false
	}
	return append(dst, byte(v[2]<<6|v[3])), true
}

func base32Group(dst []byte, v []int) ([]byte, bool) {
	if len(v) < 8 || v[0] < 0 || v[1] < 0 {
		return dst, false
	}
	dst = append(dst, byte(v[0]<<3|v[1]>>2))
	if v[2] == -2 {
		return dst, allPadding(v[3:])
	}
	if v[2] < 0 || v[3] < 0 {
		return dst, false
	}
	dst = append(dst, byte(v[1]<<6|v[2]<<1|v[3]>>4))
	if v[4] == -2 {
		return dst, allPadding(v[5:])
	}
	if v[4] < 0 {
		return dst, false
	}
	dst = append(dst, byte(v[3]<<4|v[4]>>1))
	if v[5] == -2 {
		return dst, allPadding(v[6:])
	}
	if v[5] < 0 || v[6] < 0 {
		return dst, false
	}
	dst = append(dst, byte(v[4]<<7|v[5]<<2|v[6]>>3))
	if v[7] == -2 {
		return dst, true
	}
	if v[7] < 0 {
		return dst, false
	}
	return append(dst, byte(v[6]<<5|v[7])), true
}
