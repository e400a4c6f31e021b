package programs

import (
	"context"
	"errors"
	"io"
	"math"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/number"
	"mirage/shell/program/stream"
)

var joinSpec = getopt.Spec{
	Name:     "join",
	Synopsis: []string{"[OPTION]... FILE1 FILE2"},
	Summary: "For each pair of input lines with identical join fields, write a line to\n" +
		"standard output.  The default join field is the first, delimited by blanks.\n\n" +
		"When FILE1 or FILE2 (not both) is -, read standard input.",
	Options: []getopt.Option{
		{Short: "a", Arg: getopt.Required, Meta: "FILENUM", Help: "also print unpairable lines from file FILENUM, where\n" +
			"  FILENUM is 1 or 2, corresponding to FILE1 or FILE2"},
		{Short: "e", Arg: getopt.Required, Meta: "STRING", Help: "replace missing (empty) input fields with STRING;\n" +
			"  I.e., missing fields specified with '-12jo' options"},
		{Short: "i", Long: "ignore-case", Help: "ignore differences in case when comparing fields"},
		{Short: "j", Arg: getopt.Required, Meta: "FIELD", Help: "equivalent to '-1 FIELD -2 FIELD'"},
		{Short: "o", Arg: getopt.Required, Meta: "FORMAT", Help: "obey FORMAT while constructing output line"},
		{Short: "t", Arg: getopt.Required, Meta: "CHAR", Help: "use CHAR as input and output field separator"},
		{Short: "v", Arg: getopt.Required, Meta: "FILENUM", Help: "like -a FILENUM, but suppress joined output lines"},
		{Short: "1", Arg: getopt.Required, Meta: "FIELD", Help: "join on this FIELD of file 1"},
		{Short: "2", Arg: getopt.Required, Meta: "FIELD", Help: "join on this FIELD of file 2"},
		{Long: "check-order", Help: "check that the input is correctly sorted, even\n  if all input lines are pairable"},
		{Long: "nocheck-order", Help: "do not check that the input is correctly sorted"},
		{Long: "-j1", Hidden: true}, {Long: "-j2", Hidden: true}, // see joinArgs
		{Long: "header", Help: "treat the first line in each file as field headers,\n  print them without trying to pair them"},
		{Short: "z", Long: "zero-terminated", Help: "line delimiter is NUL, not newline"},
	},
	Order: getopt.InOrder,
	Epilog: "Unless -t CHAR is given, leading blanks separate fields and are ignored,\n" +
		"else fields are separated by CHAR.  Any FIELD is a field number counted\n" +
		"from 1.  FORMAT is one or more comma or blank separated specifications,\n" +
		"each being 'FILENUM.FIELD' or '0'.  Default FORMAT outputs the join field,\n" +
		"the remaining fields from FILE1, the remaining fields from FILE2, all\n" +
		"separated by CHAR.  If FORMAT is the keyword 'auto', then the first\n" +
		"line of each file determines the number of fields output for each line.\n\n" +
		"Important: FILE1 and FILE2 must be sorted on the join fields.\n" +
		"E.g., use \"sort -k 1b,1\" if 'join' has no options,\n" +
		"or use \"join -t ''\" if 'sort' has no options.\n" +
		"Note, comparisons honor the rules specified by 'LC_COLLATE'.\n" +
		"If the input is not sorted and some lines cannot be joined, a\n" +
		"warning message will be given.",
}

// The separators that are not a byte.
const (
	joinBlanks = -1 // runs of blanks
	joinLine   = -2 // none: a line is one field
)

// joinField is one item of -o: file 0 is the join field.
type joinField struct{ file, field int }

type joinRun struct {
	fields     [2]int // of each file, from 0; -1 not given
	separator  int    // a byte, joinBlanks or joinLine
	filler     string // of -e
	hasFiller  bool
	fold       bool
	unpaired   [2]bool
	paired     bool
	format     []joinField
	auto       bool
	autoCount  [2]int
	header     bool
	order      orderCheck
	end        byte
	inv        *program.Invocation
	out        *stream.Writer
	unpairable bool // a line without a partner was met
}

func runJoin(ctx context.Context, inv *program.Invocation) int {
	j := &joinRun{fields: [2]int{-1, -1}, separator: joinBlanks, paired: true, end: '\n', inv: inv}
	p := joinSpec.ParseArgs(inv, joinArgs(inv.Args))
	names, ok := j.parse(p)
	if !ok {
		return p.Status
	}
	for i := range j.fields {
		j.fields[i] = max(j.fields[i], 0)
	}
	if names[0] == "-" && names[1] == "-" {
		inv.Errorf("both files cannot be standard input")
		return 1
	}
	j.out = stream.Stdout(inv)
	var files [2]*joinFile
	for i, name := range names {
		r, err := inv.OpenOperand(ctx, name)
		if err != nil {
			inv.FileError(name, err)
			return 1
		}
		defer r.Close()
		files[i] = &joinFile{run: j, meter: inv.Meter(), index: i, name: name, lines: stream.NewLines(r, j.end, inv.Meter())}
	}
	err := j.join(ctx, files[0], files[1])
	switch {
	case errors.Is(err, errJoinReported):
		return 1
	case err != nil && !errors.Is(err, stream.ErrStop):
		j.out.Flush()
		inv.Errorf("%s", joinMessage(err))
		return 1
	}
	status := 0
	if files[0].blamed || files[1].blamed {
		j.out.Flush()
		inv.Errorf("input is not in sorted order")
		status = 1
	}
	return j.out.Close(inv, status)
}

// joinArgs marks -j1 and -j2 written in one word, which are obsolete forms of
// their own, so that they differ from "-j 1".
func joinArgs(args []string) []string {
	marked := make([]string, len(args))
	for i, arg := range args {
		if arg == "--" {
			copy(marked[i:], args[i:])
			break
		}
		if arg == "-j1" || arg == "-j2" {
			arg = "--" + arg
		}
		marked[i] = arg
	}
	return marked
}

// joinOperand says what an operand may be besides a file name, from the option
// in front of it: the obsolete `-j1 FIELD` and `-o FIELD FIELD...`.
type joinOperand int

const (
	joinIsFile joinOperand = iota
	joinMayBeField1
	joinMayBeField2
	joinMayBeFormat
)

// joinOperands sorts the operands out. There may be more than two as long as
// some can be arguments of an obsolete option.
type joinOperands struct {
	names []string
	may   []joinOperand
	jOpts [2]int // -j1 and -j2 that have not found their argument
}

// parse reads the command line and answers the two files.
func (j *joinRun) parse(p *getopt.Parser) (names []string, ok bool) {
	var ops joinOperands
	previous := joinIsFile
	for p.Next() {
		next := joinIsFile
		switch p.Opt.Name {
		case "":
			next = j.operand(p, &ops, p.Opt.Value, previous)
		case "o":
			if p.Opt.Value == "auto" {
				j.auto = true
				break
			}
			if j.formatList(p, p.Opt.Value) {
				next = joinMayBeFormat
			}
		case "-j1", "-j2":
			which := p.Opt.Name[2] - '1'
			ops.jOpts[which]++
			next = joinMayBeField1 + joinOperand(which)
		case "j":
			if n, ok := j.fieldNumber(p, p.Opt.Value); ok {
				j.setField(p, 0, n)
				j.setField(p, 1, n)
			}
		default:
			j.option(p)
		}
		previous = next
	}
	for _, arg := range p.Operands {
		if !p.Stopped {
			_ = j.operand(p, &ops, arg, joinIsFile)
		}
	}
	if p.Stopped {
		return nil, false
	}
	if len(ops.names) < 2 {
		p.Operands = ops.names
		p.Missing()
		return nil, false
	}
	for i, n := range ops.jOpts {
		if n > 0 {
			j.setField(p, 0, i)
			j.setField(p, 1, i)
		}
	}
	return ops.names, !p.Stopped
}

// operand takes one operand in. When it is the third, one of the earlier ones
// must have been an argument.
func (j *joinRun) operand(p *getopt.Parser, ops *joinOperands, name string, may joinOperand) (next joinOperand) {
	if len(ops.names) == 2 {
		i := 0
		if ops.may[0] == joinIsFile {
			i = 1
		}
		arg := ops.names[i]
		switch kind := ops.may[i]; kind {
		case joinIsFile:
			p.Extra(name)
			return joinIsFile
		case joinMayBeFormat:
			if !j.formatList(p, arg) {
				return joinIsFile
			}
		default:
			which := int(kind - joinMayBeField1)
			ops.jOpts[which]--
			n, ok := j.fieldNumber(p, arg)
			if !ok {
				return joinIsFile
			}
			j.setField(p, which, n)
		}
		ops.names = append(ops.names[:i], ops.names[i+1:]...)
		ops.may = append(ops.may[:i], ops.may[i+1:]...)
	}
	ops.names = append(ops.names, name)
	ops.may = append(ops.may, may)
	if may == joinMayBeFormat {
		return joinMayBeFormat
	}
	return joinIsFile
}

func (j *joinRun) option(p *getopt.Parser) {
	v := p.Opt.Value
	switch p.Opt.Name {
	case "a", "v":
		if v != "1" && v != "2" {
			p.Fail("invalid file number: %s", j.inv.QuoteArg(v))
			return
		}
		j.unpaired[v[0]-'1'] = true
		if p.Opt.Name == "v" {
			j.paired = false
		}
	case "e":
		if j.hasFiller && j.filler != v {
			p.Fail("conflicting empty-field replacement strings")
			return
		}
		j.filler, j.hasFiller = v, true
	case "i":
		j.fold = true
	case "t":
		separator := joinLine
		switch {
		case v == `\0`:
			separator = 0
		case len(v) > 1:
			p.Fail("multi-character tab %s", j.inv.QuoteArg(v))
			return
		case v != "" && v != "\n":
			separator = int(v[0])
		}
		if j.separator != joinBlanks && j.separator != separator {
			p.Fail("incompatible tabs")
			return
		}
		j.separator = separator
	case "1", "2":
		if n, ok := j.fieldNumber(p, v); ok {
			j.setField(p, int(p.Opt.Name[0]-'1'), n)
		}
	case "check-order":
		j.order = orderAlways
	case "nocheck-order":
		j.order = orderNever
	case "header":
		j.header = true
	case "z":
		j.end = 0
	}
}

// fieldNumber reads a field number and answers it counted from 0.
func (j *joinRun) fieldNumber(p *getopt.Parser, s string) (int, bool) {
	n, err := number.ParseInt(s, "")
	if errors.Is(err, number.ErrRange) {
		n, err = math.MaxInt64, nil
	}
	if err != nil || n == 0 {
		p.Fail("invalid field number: %s", j.inv.QuoteArg(s))
		return 0, false
	}
	return int(n - 1), true
}

func (j *joinRun) setField(p *getopt.Parser, which, n int) {
	if old := j.fields[which]; old >= 0 && old != n && !p.Stopped {
		p.Fail("incompatible join fields %d, %d", old+1, n+1)
		return
	}
	j.fields[which] = n
}

// formatList reads an argument of -o.
func (j *joinRun) formatList(p *getopt.Parser, s string) bool {
	for start := 0; start <= len(s); {
		end := start
		for end < len(s) && s[end] != ',' && s[end] != ' ' && s[end] != '\t' {
			end++
		}
		item := s[start:end]
		start = end + 1
		switch {
		case item == "0":
			j.format = append(j.format, joinField{})
		case item == "" || item[0] < '0' || item[0] > '2':
			p.Fail("invalid file number in field spec: %s", j.inv.QuoteArg(item))
			return false
		case item[0] == '0' || len(item) < 2 || item[1] != '.':
			p.Fail("invalid field specifier: %s", j.inv.QuoteArg(item))
			return false
		default:
			n, ok := j.fieldNumber(p, item[2:])
			if !ok {
				return false
			}
			j.format = append(j.format, joinField{int(item[0] - '0'), n})
		}
	}
	return true
}

// joinMessage words an error that is not of a file.
func joinMessage(err error) string {
	if errors.Is(err, stream.ErrMemory) {
		return "memory exhausted"
	}
	return "read error"
}

var errJoinReported = errors.New("reported")

// join writes the pairs of the two sorted files.
func (j *joinRun) join(ctx context.Context, a, b *joinFile) error {
	if err := errors.Join(a.first(), b.first()); err != nil {
		return err
	}
	if j.auto {
		j.autoCount = [2]int{a.fieldCount(), b.fieldCount()}
	}
	if j.header && (a.some() || b.some()) {
		j.write(a.head(), b.head())
		a.previous, b.previous = nil, nil
		if err := errors.Join(a.restart(), b.restart()); err != nil {
			return err
		}
	}
	for n := 0; a.some() && b.some(); n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if j.out.Err() != nil {
			return stream.ErrStop
		}
		var err error
		switch order := j.compare(a.head().key, b.head().key); {
		case order < 0:
			err = j.alone(a)
		case order > 0:
			err = j.alone(b)
		default:
			err = j.pairs(ctx, a, b)
		}
		if err != nil {
			return err
		}
	}
	if err := j.tail(ctx, a, b); err != nil {
		return err
	}
	return j.tail(ctx, b, a)
}

// alone passes over a line without a partner.
func (j *joinRun) alone(f *joinFile) error {
	if j.unpaired[f.index] {
		j.write1(f.index, f.head())
	}
	err := f.restart()
	j.unpairable = true
	return err
}

// pairs writes all pairs of the lines that have the current key.
func (j *joinRun) pairs(ctx context.Context, a, b *joinFile) error {
	key := a.head().key
	restA, err := a.group(ctx, b.head().key)
	if err != nil {
		return err
	}
	restB, err := b.group(ctx, key)
	if err != nil {
		return err
	}
	if j.paired {
		for n, x := range a.seq {
			for m, y := range b.seq {
				if (n+m)%256 == 0 && ctx.Err() != nil {
					return ctx.Err()
				}
				if j.out.Err() != nil {
					return stream.ErrStop
				}
				j.write(x, y)
			}
		}
	}
	a.replace(restA)
	b.replace(restB)
	return nil
}

// tail goes through what is left of f after the other file has ended.
func (j *joinRun) tail(ctx context.Context, f, other *joinFile) error {
	check := j.order != orderNever && !f.blamed
	if !f.some() || !j.unpaired[f.index] && !check {
		return nil
	}
	if j.unpaired[f.index] {
		j.write1(f.index, f.head())
	}
	if other.some() || other.ended {
		j.unpairable = j.unpairable || other.some()
	}
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line, err := f.read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if j.unpaired[f.index] {
			j.write1(f.index, line)
		}
		if j.out.Err() != nil || f.blamed && !j.unpaired[f.index] {
			return nil
		}
	}
}
