package programs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/number"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

var ddSpec = getopt.Spec{
	Name:     "dd",
	Synopsis: []string{"[OPERAND]...", "OPTION"},
	Summary:  "Copy a file, converting and formatting according to the operands.",
	Epilog: "  bs=BYTES        read and write up to BYTES bytes at a time (default: 512);\n" +
		"                  overrides ibs and obs\n" +
		"  conv=CONVS      convert the file as per the comma separated symbol list\n" +
		"  count=N         copy only N input blocks\n" +
		"  ibs=BYTES       read up to BYTES bytes at a time (default: 512)\n" +
		"  if=FILE         read from FILE instead of stdin\n" +
		"  iflag=FLAGS     read as per the comma separated symbol list\n" +
		"  obs=BYTES       write BYTES bytes at a time (default: 512)\n" +
		"  of=FILE         write to FILE instead of stdout\n" +
		"  oflag=FLAGS     write as per the comma separated symbol list\n" +
		"  seek=N          (or oseek=N) skip N obs-sized output blocks\n" +
		"  skip=N          (or iseek=N) skip N ibs-sized input blocks\n" +
		"  status=LEVEL    The LEVEL of information to print to stderr: 'none', 'noxfer'\n\n" +
		"Each CONV symbol may be lcase, ucase, swab, sync, excl, nocreat, notrunc,\n" +
		"noerror, fdatasync or fsync. Each FLAG symbol may be append, fullblock,\n" +
		"count_bytes, skip_bytes, seek_bytes, dsync or sync.",
}

// ddRun is one copy: what the operands say, and how far it is.
type ddRun struct {
	inv                  *program.Invocation
	in, out              string // "" is standard input and output
	bs, ibs, obs         int64
	count, skip, seek    int64
	countB, skipB, seekB bool // in bytes, as "count=5B" says
	conv, iflag, oflag   []string
	status               string

	r    io.Reader
	w    io.Writer
	held []byte // an output block that is not full
	odd  []byte // the byte that swab has no partner for yet

	inFull, inPart, outFull, outPart, written int64
}

// The symbols of GNU's dd; of the second lists, nothing can be done here.
const (
	ddConvs      = "lcase ucase swab sync excl nocreat notrunc noerror fdatasync fsync"
	ddNoConvs    = "ascii ebcdic ibm block unblock sparse"
	ddInFlags    = "fullblock count_bytes skip_bytes sync dsync"
	ddOutFlags   = "append seek_bytes sync dsync"
	ddOtherFlags = "append fullblock count_bytes skip_bytes seek_bytes direct directory nonblock noatime nocache noctty nofollow nolinks binary text cio"
)

func runDd(ctx context.Context, inv *program.Invocation) int {
	d := &ddRun{inv: inv, ibs: 512, obs: 512, count: math.MaxInt64}
	p := ddSpec.Parse(inv)
	for p.Next() {
	}
	for _, word := range p.Operands {
		if p.Stopped {
			break
		}
		d.operand(p, word)
	}
	if p.Stopped {
		return p.Status
	}
	if d.bs > 0 {
		d.ibs, d.obs = d.bs, d.bs
	}
	for _, pair := range [][2]string{{"lcase", "ucase"}, {"excl", "nocreat"}} {
		if slices.Contains(d.conv, pair[0]) && slices.Contains(d.conv, pair[1]) {
			return p.Fail("cannot combine %s and %s", pair[0], pair[1])
		}
	}
	held := stream.NewHeld(inv)
	for i, size := range []int64{d.ibs, d.obs} {
		name := []string{"input", "output"}[i]
		if err := held.Add(size); err != nil {
			return p.Fail("memory exhausted by %s buffer of size %d bytes (%s)", name, size, ddHuman(size, 1024))
		}
	}
	for n, unit := range map[*int64]int64{&d.skip: ddUnit(d.skipB, d.ibs), &d.seek: ddUnit(d.seekB, d.obs)} {
		if *n > math.MaxInt64/unit {
			return p.Fail("offset too large: cannot seek: %s", vfs.Phrase(syscall.EOVERFLOW))
		}
		*n *= unit
	}
	return d.run(ctx)
}

func ddUnit(bytes bool, block int64) int64 {
	if bytes {
		return 1
	}
	return block
}

func (d *ddRun) operand(p *getopt.Parser, word string) {
	name, value, ok := strings.Cut(word, "=")
	size := func(lo int64) int64 {
		n, err := ddNumber(value)
		if err == nil && n < lo {
			err = number.ErrSyntax
		}
		switch {
		case errors.Is(err, number.ErrRange):
			p.Fail("invalid number: %s: %s", d.inv.QuoteArg(value), vfs.Phrase(syscall.EOVERFLOW))
		case err != nil:
			p.Fail("invalid number: %s", d.inv.QuoteArg(value))
		}
		return n
	}
	if !ok {
		name = ""
	}
	switch name {
	case "if":
		d.in = value
	case "of":
		d.out = value
	case "bs":
		d.bs = size(1)
	case "ibs":
		d.ibs = size(1)
	case "obs":
		d.obs = size(1)
	case "cbs":
		p.Fail("cbs: Operation not supported")
	case "count":
		d.count, d.countB = size(0), d.countB || strings.HasSuffix(value, "B")
	case "skip", "iseek":
		d.skip, d.skipB = size(0), d.skipB || strings.HasSuffix(value, "B")
	case "seek", "oseek":
		d.seek, d.seekB = size(0), d.seekB || strings.HasSuffix(value, "B")
	case "conv":
		d.conv = append(d.conv, d.symbols(p, "conversion", value, ddConvs, ddNoConvs)...)
	case "iflag":
		d.iflag = append(d.iflag, d.symbols(p, "input flag", value, ddInFlags, ddOtherFlags)...)
		d.countB = d.countB || slices.Contains(d.iflag, "count_bytes")
		d.skipB = d.skipB || slices.Contains(d.iflag, "skip_bytes")
	case "oflag":
		d.oflag = append(d.oflag, d.symbols(p, "output flag", value, ddOutFlags, ddOtherFlags)...)
		d.seekB = d.seekB || slices.Contains(d.oflag, "seek_bytes")
	case "status":
		switch d.status = value; value {
		case "none", "noxfer":
		case "progress":
			p.Fail("status=progress: Operation not supported")
		default:
			p.Usage("invalid status level: %s", d.inv.QuoteArg(value))
		}
	default:
		p.Usage("unrecognized operand %s", d.inv.QuoteArg(word))
	}
}

func (d *ddRun) symbols(p *getopt.Parser, what, value, good, refused string) []string {
	list := strings.Split(value, ",")
	for _, s := range list {
		switch {
		case slices.Contains(strings.Fields(good), s):
		case slices.Contains(strings.Fields(refused), s):
			p.Fail("%s %s: Operation not supported", what, d.inv.QuoteArg(s))
			return nil
		default:
			p.Usage("invalid %s: %s", what, d.inv.QuoteArg(s))
			return nil
		}
	}
	return list
}

// ddNumber reads a number with a suffix, or a product of such numbers: "2x1k".
func ddNumber(s string) (int64, error) {
	product := int64(1)
	for factor := range strings.SplitSeq(s, "x") {
		unit := int64(1)
		switch {
		case strings.HasSuffix(factor, "c"):
			factor = factor[:len(factor)-1]
		case strings.HasSuffix(factor, "w"):
			factor, unit = factor[:len(factor)-1], 2
		case len(factor) > 1 && strings.HasSuffix(factor, "B") && factor[len(factor)-2] >= '0' && factor[len(factor)-2] <= '9':
			factor = factor[:len(factor)-1]
		}
		if factor == "" || factor[0] < '0' || factor[0] > '9' {
			return 0, number.ErrSyntax
		}
		n, err := number.ParseInt(factor, number.Bytes)
		if err != nil {
			return 0, err
		}
		if n > 0 && (product > math.MaxInt64/unit || product*unit > math.MaxInt64/n) {
			return 0, number.ErrRange
		}
		product *= unit * n
	}
	return product, nil
}

func (d *ddRun) run(ctx context.Context) int {
	inv := d.inv
	d.r, d.w = inv.Stdin, inv.Stdout
	if d.in != "" {
		r, err := inv.Open(ctx, d.in)
		if err != nil {
			inv.Fail(err, "failed to open %s", inv.Quote(d.in))
			return 1
		}
		defer r.Close()
		d.r = r
	}
	var file io.WriteCloser
	if d.out != "" {
		var err error
		if file, err = d.create(ctx); err != nil {
			inv.Fail(err, "failed to open %s", inv.Quote(d.out))
			return 1
		}
		d.w = file
	}
	start := inv.Now()
	status := d.position(ctx)
	if status == 0 {
		status = d.copy(ctx)
	}
	if file != nil {
		if c, ok := file.(*program.Cursor); ok && d.syncs() {
			if err := c.File.Sync(); err != nil {
				inv.Fail(err, "fsync failed for %s", inv.Quote(d.out))
				status = 1
			}
		}
		if err := file.Close(); err != nil {
			inv.Fail(err, "closing output file %s", inv.Quote(d.out))
			status = 1
		}
	}
	if ctx.Err() == nil && status != program.SIGPIPEStatus {
		d.report(inv.Now().Sub(start))
	}
	return status
}

func (d *ddRun) syncs() bool {
	has := func(list []string, names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(list, n) })
	}
	return has(d.conv, "fsync", "fdatasync") || has(d.oflag, "sync", "dsync")
}

func (d *ddRun) create(ctx context.Context) (io.WriteCloser, error) {
	flag := 0
	if d.seek == 0 && !slices.Contains(d.conv, "notrunc") {
		flag |= os.O_TRUNC
	}
	if slices.Contains(d.conv, "excl") {
		flag |= os.O_EXCL
	}
	if slices.Contains(d.oflag, "append") {
		flag |= os.O_APPEND
	}
	if slices.Contains(d.conv, "nocreat") && !d.inv.IsDescriptor(d.out) {
		f, err := d.inv.FS.Open(ctx, d.inv.Path(d.out), os.O_WRONLY|flag, 0)
		if err != nil {
			return nil, err
		}
		return &program.Cursor{File: f}, nil
	}
	return d.inv.Create(ctx, d.out, flag)
}

func (d *ddRun) inName() string {
	if d.in == "" {
		return d.inv.Quote("standard input")
	}
	return d.inv.Quote(d.in)
}

func (d *ddRun) outName() string {
	if d.out == "" {
		return d.inv.Quote("standard output")
	}
	return d.inv.Quote(d.out)
}

// position does what skip= and seek= ask for. An input that ends before the
// place is told, but counts as no failure, as with GNU.
func (d *ddRun) position(ctx context.Context) int {
	if d.seek > 0 {
		var err error = syscall.ESPIPE
		switch w := d.w.(type) {
		case *program.Cursor:
			w.Off, err = d.seek, nil
			if !slices.Contains(d.conv, "notrunc") {
				err = w.File.Truncate(d.seek)
			}
		case io.Seeker:
			_, err = w.Seek(d.seek, io.SeekCurrent)
		}
		if err != nil {
			d.inv.Fail(err, "%s: cannot seek", d.outName())
			return 1
		}
	}
	if d.skip == 0 {
		return 0
	}
	if c, ok := d.r.(*program.Cursor); ok {
		info, err := c.File.Stat()
		if err == nil && info.Mode.IsRegular() && d.skip <= info.Size {
			c.Off = d.skip
			return 0
		}
	}
	n, readErr, _ := stream.Copy(ctx, io.Discard, io.LimitReader(d.r, d.skip))
	if readErr != nil {
		d.inv.Fail(readErr, "error reading %s", d.inName())
		return 1
	}
	if n < d.skip && d.status != "none" {
		name := d.in
		if name == "" {
			name = "standard input"
		}
		d.inv.Errorf("%s: cannot skip to specified offset", d.inv.QuoteName(name))
	}
	return 0
}

func (d *ddRun) copy(ctx context.Context) int {
	buf := make([]byte, d.ibs)
	left, status := d.count, 0
	for left > 0 {
		if ctx.Err() != nil {
			return 1
		}
		p := buf
		if d.countB {
			p = buf[:min(left, d.ibs)]
		}
		n, err := d.read(ctx, p)
		if n == 0 && err == io.EOF {
			break
		}
		if err != nil && err != io.EOF {
			d.inv.Fail(err, "error reading %s", d.inName())
			status = 1
			// A place that cannot be passed would fail for ever.
			if !slices.Contains(d.conv, "noerror") || n == 0 {
				break
			}
		}
		if d.countB {
			left -= int64(n)
		} else {
			left--
		}
		if int64(n) == d.ibs {
			d.inFull++
		} else {
			d.inPart++
		}
		if int64(n) < d.ibs && slices.Contains(d.conv, "sync") {
			clear(buf[n:])
			n = len(buf)
		}
		if err := d.take(d.convert(buf[:n])); err != nil {
			return d.writeError(err)
		}
	}
	if len(d.odd) > 0 {
		if err := d.take(d.odd); err != nil {
			return d.writeError(err)
		}
	}
	if len(d.held) > 0 {
		if err := d.put(d.held); err != nil {
			return d.writeError(err)
		}
	}
	return status
}

// read reads a block: what one read gives, or all of it with fullblock.
func (d *ddRun) read(ctx context.Context, p []byte) (int, error) {
	n, err := 0, error(nil)
	for n < len(p) && err == nil && ctx.Err() == nil {
		var got int
		got, err = d.r.Read(p[n:])
		n += got
		if n > 0 && !slices.Contains(d.iflag, "fullblock") {
			break
		}
	}
	return n, err
}

func (d *ddRun) convert(p []byte) []byte {
	for _, c := range d.conv {
		for i, b := range p {
			if c == "lcase" && b >= 'A' && b <= 'Z' || c == "ucase" && b >= 'a' && b <= 'z' {
				p[i] = b ^ 0x20
			}
		}
	}
	if !slices.Contains(d.conv, "swab") {
		return p
	}
	p = append(bytes.Clone(d.odd), p...)
	even := len(p) &^ 1
	d.odd = bytes.Clone(p[even:])
	for i := 0; i < even; i += 2 {
		p[i], p[i+1] = p[i+1], p[i]
	}
	return p[:even]
}

// take writes a block at once with bs=, else gathers blocks of obs bytes.
func (d *ddRun) take(p []byte) error {
	if d.bs > 0 {
		return d.put(p)
	}
	for len(p) > 0 {
		n := min(int64(len(p)), d.obs-int64(len(d.held)))
		d.held = append(d.held, p[:n]...)
		p = p[n:]
		if int64(len(d.held)) == d.obs {
			if err := d.put(d.held); err != nil {
				return err
			}
			d.held = d.held[:0]
		}
	}
	return nil
}

func (d *ddRun) put(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	n, err := d.w.Write(p)
	d.written += int64(n)
	switch {
	case int64(n) == d.obs:
		d.outFull++
	case n > 0:
		d.outPart++
	}
	return err
}

func (d *ddRun) writeError(err error) int {
	if errors.Is(err, syscall.EPIPE) {
		return program.SIGPIPEStatus
	}
	d.inv.Fail(err, "error writing %s", d.outName())
	return 1
}

func (d *ddRun) report(took time.Duration) {
	if d.status == "none" {
		return
	}
	text := fmt.Sprintf("%d+%d records in\n%d+%d records out\n", d.inFull, d.inPart, d.outFull, d.outPart)
	if d.status != "noxfer" {
		unit := "bytes"
		if d.written == 1 {
			unit = "byte"
		}
		text += fmt.Sprintf("%d %s", d.written, unit)
		switch {
		case d.written >= 1024:
			text += fmt.Sprintf(" (%s, %s)", ddHuman(d.written, 1000), ddHuman(d.written, 1024))
		case d.written >= 1000:
			text += fmt.Sprintf(" (%s)", ddHuman(d.written, 1000))
		}
		rate := "Infinity B"
		if took > 0 {
			rate = ddRate(float64(d.written) / took.Seconds())
		}
		text += fmt.Sprintf(" copied, %.6g s, %s/s\n", took.Seconds(), rate)
	}
	_, _ = d.inv.Stderr.Write([]byte(text))
}

func ddHuman(n, base int64) string { return ddScale(float64(n), float64(base), 0) }

// ddRate is in kB at least, as GNU's dd tells it.
func ddRate(n float64) string { return ddScale(n, 1000, 1) }

func ddScale(n, base float64, least int) string {
	i := 0
	for ; i < 6 && (n >= base || i < least); i++ {
		n /= base
	}
	prefix, unit := []string{"", "k", "M", "G", "T", "P", "E"}[i], "B"
	if base == 1024 && i > 0 {
		prefix, unit = strings.ToUpper(prefix), "iB"
	}
	if n < 9.95 && i > 0 {
		return fmt.Sprintf("%.1f %s%s", n, prefix, unit)
	}
	return fmt.Sprintf("%.0f %s%s", n, prefix, unit)
}
