// Package od is od(1), as GNU coreutils has it.
package od

import (
	"context"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/number"
	"mirage/shell/program/stream"
)

// Program makes od.
func Program() *program.Program { return spec().Program(run) }

// shorthand is what the traditional options stand for.
const shorthand = "a=a b=o1 c=c D=u4 d=u2 e=fD F=fD f=fF h=x2 x=x2 H=x4 X=x4 i=dI I=dL L=dL l=dL O=o4 B=o2 o=o2 s=d2"

func spec() *getopt.Spec {
	s := &getopt.Spec{
		Name: "od",
		Synopsis: []string{"[OPTION]... [FILE]...", "[-abcdfilosx]... [FILE] [[+]OFFSET[.][b]]",
			"--traditional [OPTION]... [FILE] [[+]OFFSET[.][b] [+][LABEL][.][b]]"},
		Summary: "Write an unambiguous representation, octal bytes by default,\n" +
			"of FILE to standard output.  With more than one FILE argument,\n" +
			"concatenate them in the listed order to form the input.\n\n" +
			"With no FILE, or when FILE is -, read standard input.",
		Options: []getopt.Option{
			{Short: "A", Long: "address-radix", Arg: getopt.Required, Meta: "RADIX", Help: "output format for file offsets; RADIX is one\nof [doxn], for Decimal, Octal, Hex or None"},
			{Long: "endian", Arg: getopt.Required, Meta: "{big|little}", Help: "swap input bytes according the specified order"},
			{Short: "j", Long: "skip-bytes", Arg: getopt.Required, Meta: "BYTES", Help: "skip BYTES input bytes first"},
			{Short: "N", Long: "read-bytes", Arg: getopt.Required, Meta: "BYTES", Help: "limit dump to BYTES input bytes"},
			{Short: "S", Arg: getopt.Required, Meta: "BYTES", Help: "output strings of at least BYTES graphic chars"},
			{Long: "strings", Name: "S", Arg: getopt.Optional, Meta: "BYTES", Help: "the same; 3 is implied when BYTES is not specified"},
			{Short: "t", Long: "format", Arg: getopt.Required, Meta: "TYPE", Help: "select output format or formats"},
			{Short: "v", Long: "output-duplicates", Help: "do not use * to mark line suppression"},
			{Short: "w", Long: "width", Arg: getopt.Optional, Meta: "BYTES", Help: "output BYTES bytes per output line;\n32 is implied when BYTES is not specified"},
			{Long: "traditional", Help: "accept arguments in third form above"},
		},
		Epilog: "TYPE is made up of one or more of these specifications:\n" +
			"  a          named character, ignoring high-order bit\n" +
			"  c          printable character or backslash escape\n" +
			"  d[SIZE]    signed decimal, SIZE bytes per integer\n" +
			"  f[SIZE]    floating point, SIZE bytes per float\n" +
			"  o[SIZE]    octal, SIZE bytes per integer\n" +
			"  u[SIZE]    unsigned decimal, SIZE bytes per integer\n" +
			"  x[SIZE]    hexadecimal, SIZE bytes per integer\n\n" +
			"SIZE is a number.  For TYPE in [doux], SIZE may also be C for\n" +
			"sizeof(char), S for sizeof(short), I for sizeof(int) or L for\n" +
			"sizeof(long).  If TYPE is f, SIZE may also be F for sizeof(float), D\n" +
			"for sizeof(double) or L for sizeof(long double).\n\n" +
			"Adding a z suffix to any type displays printable characters at the end of\n" +
			"each output line.\n\n" +
			"BYTES is hex with 0x or 0X prefix, and may have a multiplier suffix:\n" +
			"b 512, KB 1000, K 1024, MB 1000*1000, M 1024*1024, and so on.",
	}
	for pair := range strings.FieldsSeq(shorthand) {
		s.Options = append(s.Options, getopt.Option{Short: pair[:1], Help: "same as -t " + pair[2:]})
	}
	return s
}

type dump struct {
	ctx         context.Context
	inv         *program.Invocation
	out         *stream.Writer
	formats     []format
	radix       byte
	skip        uint64
	limit       uint64 // bytes to read
	stringsMin  uint64
	strings     bool
	duplicates  bool
	width       uint64
	hasWidth    bool
	big         bool
	label       uint64 // pseudo address of the first byte
	hasLabel    bool
	traditional bool
	modern      bool // an option of the newer syntax was given

	offset uint64
	input  input
}

func run(ctx context.Context, inv *program.Invocation) int {
	d := &dump{ctx: ctx, inv: inv, radix: 'o', limit: math.MaxUint64}
	p := spec().Parse(inv)
	for p.Next() {
		d.option(p)
	}
	if p.Stopped {
		return p.Status
	}
	files := p.Operands
	if !d.modern || d.traditional {
		files = d.oldOperands(files)
		if d.traditional && len(files) > 1 {
			inv.Errorf("extra operand %s", inv.QuoteArg(files[1]))
			return p.Usage("compatibility mode supports at most one file")
		}
	}
	if d.limit != math.MaxUint64 && d.skip+d.limit < d.skip {
		return p.Fail("skip-bytes + read-bytes is too large")
	}
	if len(d.formats) == 0 {
		d.formats, _ = parseFormats(inv, "o2")
	}
	if len(files) == 0 {
		files = []string{"-"}
	}
	d.out = stream.Stdout(inv)
	d.input = input{ctx: ctx, inv: inv, files: files}
	defer d.input.close()
	if !d.input.open() {
		return d.out.Close(inv, d.input.status)
	}
	d.layout()
	if !d.skipBytes() {
		d.out.Flush()
		inv.Errorf("cannot skip past end of combined input")
		return 1
	}
	d.input.left = d.limit
	if d.strings {
		d.dumpStrings()
	} else {
		d.dumpBlocks()
	}
	return d.out.Close(inv, d.input.status)
}

func (d *dump) option(p *getopt.Parser) {
	value := p.Opt.Value
	switch name := p.Opt.Name; name {
	case "A":
		d.modern = true
		if len(value) == 0 || strings.IndexByte("doxn", value[0]) < 0 {
			c := byte(0)
			if value != "" {
				c = value[0]
			}
			p.Fail("invalid output address radix '%c'; it must be one character from [doxn]", c)
			return
		}
		d.radix = value[0]
	case "endian":
		order, _ := p.OneOf("little", "big")
		d.big = order == "big"
	case "j":
		d.modern = true
		d.skip = d.bytes(p)
	case "N":
		d.modern = true
		d.limit = d.bytes(p)
	case "S":
		d.modern, d.strings, d.stringsMin = true, true, 3
		if p.Opt.HasValue {
			d.stringsMin = d.bytes(p)
		}
	case "t":
		d.modern = true
		d.addFormats(p, value)
	case "v":
		d.modern, d.duplicates = true, true
	case "w":
		d.modern, d.hasWidth, d.width = true, true, 32
		if p.Opt.HasValue {
			d.width = d.bytes(p)
		}
	case "traditional":
		d.traditional = true
	default:
		_, text, _ := strings.Cut(" "+shorthand, " "+name+"=")
		text, _, _ = strings.Cut(text, " ")
		d.addFormats(p, text)
	}
}

func (d *dump) addFormats(p *getopt.Parser, text string) {
	list, complaint := parseFormats(d.inv, text)
	if complaint != "" {
		p.Fail("%s", complaint)
		return
	}
	d.formats = append(d.formats, list...)
}

// bytes reads a count in any base of C.
func (d *dump) bytes(p *getopt.Parser) uint64 {
	n, err := parseCount(p.Opt.Value)
	if err != nil {
		p.Fail("%s", number.Complaint(err, p.Opt.Flag(spec()), d.inv.QuoteArg(p.Opt.Value)))
	}
	return n
}

func parseCount(s string) (uint64, error) {
	base, digits := 0, ""
	switch {
	case strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X"):
		base, digits = 16, "0123456789abcdefABCDEF"
		s = s[2:]
	case len(s) > 1 && s[0] == '0':
		base, digits = 8, "01234567"
	default:
		return number.Parse(s, number.Bytes)
	}
	rest := strings.TrimLeft(s, digits)
	n, err := strconv.ParseUint(s[:len(s)-len(rest)], base, 64)
	if errors.Is(err, strconv.ErrRange) {
		return n, number.ErrRange
	}
	if err != nil {
		return 0, number.ErrSyntax
	}
	return number.Parse(strconv.FormatUint(n, 10)+rest, number.Bytes)
}

// oldOperands takes offset and label of the older syntax off the operands.
func (d *dump) oldOperands(files []string) []string {
	offset := func(s string, always bool) (uint64, bool) {
		if !always && !d.traditional && !strings.HasPrefix(s, "+") {
			return 0, false
		}
		return oldOffset(s)
	}
	startsWithDigit := func(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }
	switch len(files) {
	case 1:
		if n, ok := offset(files[0], false); ok {
			d.skip = n
			return nil
		}
	case 2:
		n, ok := offset(files[1], startsWithDigit(files[1]))
		if !ok {
			break
		}
		if first, ok := offset(files[0], false); ok && d.traditional {
			d.skip, d.label, d.hasLabel = first, n, true
			return nil
		}
		d.skip = n
		return files[:1]
	case 3:
		n, ok := offset(files[1], false)
		label, ok2 := offset(files[2], false)
		if d.traditional && ok && ok2 {
			d.skip, d.label, d.hasLabel = n, label, true
			return files[:1]
		}
	}
	return files
}

func oldOffset(s string) (uint64, bool) {
	s = strings.TrimPrefix(s, "+")
	times, base := uint64(1), 8
	if t := strings.TrimRight(s, "bB"); t != s {
		s, times = t, 512
	}
	switch {
	case strings.HasSuffix(s, "."):
		s, base = s[:len(s)-1], 10
	case strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X"):
		s, base = s[2:], 16
	}
	n, err := strconv.ParseUint(s, base, 64)
	return n * times, err == nil && n <= math.MaxUint64/times
}

// input reads the files one after the other, at most left bytes.
type input struct {
	ctx    context.Context
	inv    *program.Invocation
	files  []string
	left   uint64
	file   io.ReadCloser
	name   string
	status int
}

// Read fills p as far as the files reach.
func (in *input) Read(p []byte) (int, error) {
	total := 0
	for total < len(p) && in.left > 0 {
		if err := in.ctx.Err(); err != nil {
			return total, err
		}
		if in.file == nil && !in.open() {
			break
		}
		n, err := in.file.Read(p[total : total+int(min(uint64(len(p)-total), in.left))])
		total += n
		in.left -= uint64(n)
		if err != nil {
			if err != io.EOF {
				in.inv.FileError(in.name, err)
				in.status = 1
			}
			in.close()
		}
	}
	if total == 0 {
		return 0, io.EOF
	}
	return total, nil
}

func (in *input) open() bool {
	for len(in.files) > 0 && in.ctx.Err() == nil {
		in.name, in.files = in.files[0], in.files[1:]
		file, err := in.inv.OpenOperand(in.ctx, in.name)
		if err == nil {
			in.file = file
			return true
		}
		in.inv.FileError(in.name, err)
		in.status = 1
	}
	return false
}

func (in *input) close() {
	if in.file != nil {
		in.file.Close()
		in.file = nil
	}
}
