package programs

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

const xxdUsage = `Usage:
       xxd [options] [infile [outfile]]
    or
       xxd -r [-s [-]offset] [-c cols] [-ps] [infile [outfile]]
Options:
    -a          toggle autoskip: A single '*' replaces nul-lines. Default off.
    -b          binary digit dump (incompatible with -ps,-i,-r). Default hex.
    -C          capitalize variable names in C include file style (-i).
    -c cols     format <cols> octets per line. Default 16 (-i: 12, -ps: 30).
    -E          show characters in EBCDIC. Default ASCII.
    -e          little-endian dump (incompatible with -ps,-i,-r).
    -g bytes    number of octets per group in normal output. Default 2 (-e: 4).
    -h          print this summary.
    -i          output in C include file style.
    -l len      stop after <len> octets.
    -n name     set the variable name used in C include output (-i).
    -o off      add <off> to the displayed file position.
    -ps         output in postscript plain hexdump style.
    -r          reverse operation: convert (or patch) hexdump into binary.
    -r -s off   revert with <off> added to file positions found in hexdump.
    -d          show offset in decimal instead of hex.
    -s [+][-]seek  start at <seek> bytes abs. (or +: rel.) infile offset.
    -u          use upper case hex letters.
    -v          show version: "xxd 2022-01-14 by Juergen Weigert et al.".
`

// xxdRun is the command line of xxd.
type xxdRun struct {
	ctx  context.Context
	inv  *program.Invocation
	kind byte // 0 the usual dump, 'b', 'e', 'i' or 'p'

	autoskip, capital, decimal, reverse, upper bool
	columns, group                             int // -1: not given
	length, offset, seek                       int64
	name                                       string
	named                                      bool
	out                                        *stream.Writer
}

func runXxd(ctx context.Context, inv *program.Invocation) int {
	x := &xxdRun{ctx: ctx, inv: inv, columns: -1, group: -1, length: math.MaxInt64}
	operands, status, done := x.parse(inv.Args)
	if done {
		return status
	}
	if len(operands) > 2 {
		return x.usage()
	}
	if x.columns < 0 {
		x.columns = map[byte]int{0: 16, 'b': 6, 'e': 16, 'i': 12, 'p': 30}[x.kind]
	}
	if x.group < 0 {
		x.group = map[byte]int{0: 2, 'b': 1, 'e': 4}[x.kind]
	}
	most := 256
	if x.kind == 'p' || x.kind == 'i' {
		most = math.MaxInt32
	}
	if x.columns > most || x.columns < 1 {
		inv.Errorf("invalid number of columns (max. 256).")
		return 1
	}
	if x.kind == 'e' && x.group&(x.group-1) != 0 {
		inv.Errorf("number of octets per group must be a power of 2 with -e.")
		return 1
	}
	if x.group < 1 || x.group > x.columns {
		x.group = x.columns
	}
	r := io.ReadCloser(io.NopCloser(inv.Stdin))
	if len(operands) > 0 && operands[0] != "-" {
		var err error
		if r, err = inv.Open(ctx, operands[0]); err != nil {
			inv.Errorf("%s: %s", operands[0], vfs.Phrase(err))
			return 2
		}
		if !x.named {
			x.name, x.named = operands[0], true
		}
	}
	defer r.Close()
	x.out = stream.Stdout(inv)
	if len(operands) > 1 && operands[1] != "-" {
		file, err := inv.Create(ctx, operands[1], os.O_TRUNC)
		if err != nil {
			inv.Errorf("%s: %s", operands[1], vfs.Phrase(err))
			return 3
		}
		defer file.Close()
		x.out = stream.NewWriter(file)
	}
	run := x.dump
	switch {
	case x.reverse && x.kind != 0 && x.kind != 'p':
		inv.Errorf("sorry, cannot revert this type of hexdump")
		return 255
	case x.reverse && x.kind == 'p':
		run = x.revertPlain
	case x.reverse:
		run = x.revert
	case x.kind == 'p':
		run = x.plain
	case x.kind == 'i':
		run = x.include
	}
	if err := run(r); err != nil && x.out.Err() == nil && ctx.Err() == nil {
		x.out.Flush()
		inv.Errorf("%s", vfs.Phrase(err))
		status = 2
	}
	return x.out.Close(inv, status)
}

func (x *xxdRun) usage() int {
	_, _ = io.WriteString(x.inv.Stderr, xxdUsage)
	return 1
}

// parse reads the command line: letters that cannot be bundled, with the value
// behind the letter or in the next word.
func (x *xxdRun) parse(args []string) (operands []string, status int, done bool) {
	for len(args) > 0 {
		arg := strings.TrimPrefix(args[0], "-")
		if arg == args[0] || arg == "" {
			return args, 0, false
		}
		args = args[1:]
		if arg == "-" {
			return args, 0, false
		}
		letter, value := strings.TrimPrefix(arg, "-")[0], strings.TrimPrefix(arg, "-")[1:]
		switch letter {
		case 'a':
			x.autoskip = !x.autoskip
		case 'b', 'e', 'i', 'p':
			x.kind = letter
		case 'C':
			x.capital = true
		case 'd':
			x.decimal = true
		case 'r':
			x.reverse = true
		case 'u':
			x.upper = true
		case 'v':
			return nil, printLine(x.inv, "xxd 2022-01-14 by Juergen Weigert et al."), true
		case 'E':
			x.inv.Errorf("-E is not supported")
			return nil, 1, true
		case 'c', 'g', 'l', 'n', 'o', 's':
			if value = strings.TrimLeft(value, "abcdefghijklmnopqrstuvwxyz"); letter == 'n' || value == "" {
				if letter != 'n' || len(arg) == 1 {
					if len(args) == 0 {
						return nil, x.usage(), true
					}
					value, args = args[0], args[1:]
				} else {
					value = arg[1:]
				}
			}
			if !x.value(letter, value) {
				return nil, x.usage(), true
			}
		default:
			return nil, x.usage(), true
		}
	}
	return nil, 0, false
}

func (x *xxdRun) value(letter byte, value string) bool {
	if letter == 'n' {
		x.name, x.named = value, true
		return true
	}
	n, err := strconv.ParseInt(strings.TrimPrefix(value, "+"), 0, 64)
	if err != nil {
		return false
	}
	small := int(max(min(n, math.MaxInt32), -1))
	switch letter {
	case 'c':
		if x.columns = small; small == 0 {
			x.columns = -1
		}
	case 'g':
		x.group = small
	case 'l':
		if n >= 0 {
			x.length = n
		}
	case 'o':
		x.offset = n
	case 's':
		x.seek = n
	}
	return true
}

// rows hands out the bytes that are to be shown, so many at a time.
func (x *xxdRun) rows(r io.Reader, columns int, f func(offset int64, row []byte)) error {
	if x.seek < 0 {
		return fmt.Errorf("cannot seek")
	}
	if x.seek > 0 {
		if _, err, _ := stream.Copy(x.ctx, io.Discard, io.LimitReader(r, x.seek)); err != nil {
			return err
		}
	}
	offset, held := x.seek, []byte(nil)
	err := eachBlock(x.ctx, io.LimitReader(r, x.length), x.out, func(p []byte) error {
		held = append(held, p...)
		row := held
		for ; len(row) >= columns && x.out.Err() == nil; row = row[columns:] {
			f(offset, row[:columns])
			offset += int64(columns)
		}
		held = append(held[:0], row...)
		return nil
	})
	if err == nil && len(held) > 0 {
		f(offset, held)
	}
	return err
}

func (x *xxdRun) hex(b byte) string {
	if x.upper {
		return fmt.Sprintf("%02X", b)
	}
	return fmt.Sprintf("%02x", b)
}

func (x *xxdRun) dump(r io.Reader) error {
	zeros := 0 // rows of nothing but zeros that -a holds back
	var zeroAt int64
	err := x.rows(r, x.columns, func(offset int64, row []byte) {
		if x.autoskip && len(strings.Trim(string(row), "\x00")) == 0 && len(row) == x.columns {
			zeros, zeroAt = zeros+1, offset
			switch zeros {
			case 1:
				x.row(offset, row)
			case 2: // the last of them is shown at the end
			case 3:
				x.out.WriteString("*\n")
			}
			return
		}
		if zeros == 2 {
			x.row(zeroAt, make([]byte, x.columns))
		}
		zeros = 0
		x.row(offset, row)
	})
	if zeros >= 2 {
		x.row(zeroAt, make([]byte, x.columns))
	}
	return err
}

func (x *xxdRun) row(offset int64, row []byte) {
	if x.decimal {
		x.out.WriteString(fmt.Sprintf("%08d:", offset+x.offset))
	} else {
		x.out.WriteString(fmt.Sprintf("%08x:", offset+x.offset))
	}
	width := 2
	if x.kind == 'b' {
		width = 8
	}
	groups := (x.columns + x.group - 1) / x.group
	total := x.columns*width + groups
	used := 0
	for i := range x.columns {
		if i%x.group == 0 {
			x.out.WriteByte(' ')
			used++
		}
		at := i
		if x.kind == 'e' {
			at = i - i%x.group + x.group - 1 - i%x.group
		}
		switch {
		case at >= len(row):
			if x.kind != 'e' {
				continue
			}
			x.out.WriteString("  ")
		case x.kind == 'b':
			x.out.WriteString(fmt.Sprintf("%08b", row[at]))
		default:
			x.out.WriteString(x.hex(row[at]))
		}
		used += width
	}
	pad(x.ctx, x.out, ' ', int64(total-used+2))
	for _, c := range row {
		if c < ' ' || c >= 0x7f {
			c = '.'
		}
		x.out.WriteByte(c)
	}
	x.out.WriteByte('\n')
}

func (x *xxdRun) plain(r io.Reader) error {
	return x.rows(r, x.columns, func(_ int64, row []byte) {
		for _, b := range row {
			x.out.WriteString(x.hex(b))
		}
		x.out.WriteByte('\n')
	})
}

// include writes a C array.
func (x *xxdRun) include(r io.Reader) error {
	variable := []byte(x.name)
	for i, c := range variable {
		if !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z') {
			variable[i] = '_'
		}
	}
	name := string(variable)
	if name != "" && name[0] >= '0' && name[0] <= '9' {
		name = "__" + name
	}
	length := "_len"
	if x.capital {
		name, length = strings.ToUpper(name), "_LEN"
	}
	if x.named {
		x.out.WriteString("unsigned char " + name + "[] = {\n")
	}
	total := int64(0)
	prefix := "0x"
	if x.upper {
		prefix = "0X"
	}
	err := x.rows(r, x.columns, func(_ int64, row []byte) {
		for i, b := range row {
			switch {
			case i > 0:
				x.out.WriteString(", ")
			case total > 0:
				x.out.WriteString(",\n  ")
			default:
				x.out.WriteString("  ")
			}
			x.out.WriteString(prefix + x.hex(b))
			total++
		}
	})
	if total > 0 {
		x.out.WriteByte('\n')
	}
	if x.named {
		x.out.WriteString("};\nunsigned int " + name + length + " = " + strconv.FormatInt(total, 10) + ";\n")
	}
	return err
}
