package programs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/number"
	"mirage/shell/program/stream"
)

var uniqSpec = getopt.Spec{
	Name:     "uniq",
	Synopsis: []string{"[OPTION]... [INPUT [OUTPUT]]"},
	Summary: "Filter adjacent matching lines from INPUT (or standard input),\n" +
		"writing to OUTPUT (or standard output).\n\n" +
		"With no options, matching lines are merged to the first occurrence.",
	Options: []getopt.Option{
		{Short: "c", Long: "count", Help: "prefix lines by the number of occurrences"},
		{Short: "d", Long: "repeated", Help: "only print duplicate lines, one for each group"},
		{Short: "D", Help: "print all duplicate lines"},
		{Long: "all-repeated", Arg: getopt.Optional, Meta: "METHOD", Help: "like -D, but allow separating groups\n" +
			"  with an empty line;\n  METHOD={none(default),prepend,separate}"},
		{Short: "f", Long: "skip-fields", Arg: getopt.Required, Meta: "N", Help: "avoid comparing the first N fields"},
		{Long: "group", Arg: getopt.Optional, Meta: "METHOD", Help: "show all items, separating groups with an empty line;\n" +
			"  METHOD={separate(default),prepend,append,both}"},
		{Short: "i", Long: "ignore-case", Help: "ignore differences in case when comparing"},
		{Short: "s", Long: "skip-chars", Arg: getopt.Required, Meta: "N", Help: "avoid comparing the first N characters"},
		{Short: "u", Long: "unique", Help: "only print unique lines"},
		{Short: "z", Long: "zero-terminated", Help: "line delimiter is NUL, not newline"},
		{Short: "w", Long: "check-chars", Arg: getopt.Required, Meta: "N", Help: "compare no more than N characters in lines"},
		{Short: "0", Hidden: true}, {Short: "1", Hidden: true}, {Short: "2", Hidden: true}, {Short: "3", Hidden: true},
		{Short: "4", Hidden: true}, {Short: "5", Hidden: true}, {Short: "6", Hidden: true}, {Short: "7", Hidden: true},
		{Short: "8", Hidden: true}, {Short: "9", Hidden: true},
	},
	Order: getopt.InOrder,
	Epilog: "A field is a run of blanks (usually spaces and/or TABs), then non-blank\n" +
		"characters.  Fields are skipped before chars.\n\n" +
		"Note: 'uniq' does not detect repeated lines unless they are adjacent.\n" +
		"You may want to sort the input first, or use 'sort -u' without 'uniq'.",
}

type uniqRun struct {
	// What is shown: lines without a duplicate, the first of a group of
	// duplicates, and the rest of the group.
	unique, first, later bool
	count, fold          bool
	delimit, group       string // methods of --all-repeated and --group
	fields, chars, check int64
	end                  byte
	inv                  *program.Invocation
	out                  *stream.Writer
}

func runUniq(ctx context.Context, inv *program.Invocation) int {
	u := &uniqRun{unique: true, first: true, check: math.MaxInt64, end: '\n', inv: inv}
	p := uniqSpec.Parse(inv)
	names, ok := u.parse(p)
	if !ok {
		return p.Status
	}
	in, err := inv.OpenOperand(ctx, names[0])
	if err != nil {
		inv.FileError(names[0], err)
		return 1
	}
	defer in.Close()
	u.out = stream.Stdout(inv)
	if names[1] != "-" {
		f, err := inv.Create(ctx, names[1], os.O_TRUNC)
		if err != nil {
			inv.FileError(names[1], err)
			return 1
		}
		defer f.Close()
		u.out = stream.NewWriter(f)
	}
	lines := stream.NewLines(in, u.end, inv.Meter())
	if u.unique && u.first && !u.count && !u.later {
		err = u.simple(ctx, lines)
	} else {
		err = u.general(ctx, lines)
	}
	status := 0
	if err != nil && err != io.EOF {
		u.out.Flush()
		inv.Errorf("error reading %s", inv.Quote(names[0]))
		status = 1
	}
	return u.out.Close(inv, status)
}

// parse reads the command line and answers the input and the output.
func (u *uniqRun) parse(p *getopt.Parser) (names []string, ok bool) {
	const (
		unset = iota
		obsolete
		modern
	)
	fieldOption, special := unset, false
	number := func(what string) int64 {
		n, ok := uniqNumber(p.Opt.Value)
		if !ok {
			p.Fail("%s: invalid number of %s", u.inv.QuoteName(p.Opt.Value), what)
		}
		return n
	}
	operand := func(arg string) {
		if n, ok := uniqNumber(arg); ok && arg[0] == '+' {
			u.chars = n // the way of old: uniq +5
			return
		}
		if len(names) == 2 {
			p.Extra(arg)
			return
		}
		names = append(names, arg)
	}
	for p.Next() {
		switch p.Opt.Name {
		case "":
			operand(p.Opt.Value)
		case "c":
			u.count, special = true, true
		case "d":
			u.unique, special = false, true
		case "D", "all-repeated":
			u.unique, u.later, special, u.delimit = false, true, true, "none"
			if p.Opt.HasValue {
				u.delimit, _ = p.OneOf("none", "prepend", "separate")
			}
		case "group":
			u.group = "separate"
			if p.Opt.HasValue {
				u.group, _ = p.OneOf("prepend", "append", "separate", "both")
			}
		case "f":
			fieldOption = modern
			u.fields = number("fields to skip")
		case "i":
			u.fold = true
		case "s":
			u.chars = number("bytes to skip")
		case "u":
			u.first, special = false, true
		case "w":
			u.check = number("bytes to compare")
		case "z":
			u.end = 0
		default: // the way of old: uniq -5
			if fieldOption == modern {
				u.fields = 0
			}
			fieldOption = obsolete
			u.fields = min(u.fields*10+int64(p.Opt.Name[0]-'0'), math.MaxInt64/100)
		}
	}
	for _, arg := range p.Operands {
		if !p.Stopped {
			operand(arg)
		}
	}
	switch {
	case p.Stopped:
		return nil, false
	case u.group != "" && special:
		p.Usage("--group is mutually exclusive with -c/-d/-D/-u")
		return nil, false
	case u.count && u.later:
		p.Usage("printing all duplicated lines and repeat counts is meaningless")
		return nil, false
	}
	for len(names) < 2 {
		names = append(names, "-")
	}
	return names, true
}

// uniqNumber reads a count; one that is too large stands for everything.
func uniqNumber(s string) (int64, bool) {
	n, err := number.ParseInt(s, "")
	if errors.Is(err, number.ErrRange) {
		err = nil
	}
	return n, err == nil
}

// key is the part of a line that is compared.
func (u *uniqRun) key(line []byte) []byte {
	for n := int64(0); n < u.fields && len(line) > 0; n++ {
		i := 0
		for i < len(line) && isBlankOrNewline(line[i]) {
			i++
		}
		for i < len(line) && !isBlankOrNewline(line[i]) {
			i++
		}
		line = line[i:]
	}
	line = line[min(u.chars, int64(len(line))):]
	return line[:min(u.check, int64(len(line)))]
}

// isBlankOrNewline tells what separates fields when no separator is given.
func isBlankOrNewline(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

func (u *uniqRun) same(a, b []byte) bool {
	if !u.fold {
		return bytes.Equal(a, b)
	}
	return len(a) == len(b) && compareFold(a, b) == 0
}

// compareFold compares bytes as if ASCII letters were upper case.
func compareFold(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		x, y := upperByte(a[i]), upperByte(b[i])
		if x != y {
			return int(x) - int(y)
		}
	}
	return len(a) - len(b)
}

func upperByte(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

// simple shows each line that differs from the one before it, or all of them
// in groups.
func (u *uniqRun) simple(ctx context.Context, lines *stream.Lines) error {
	var previous []byte
	started := false
	for n := 0; ; n++ {
		if err := u.check256(ctx, n); err != nil {
			return err
		}
		line, err := lines.Next()
		if err != nil {
			if started && (u.group == "both" || u.group == "append") {
				u.out.WriteByte(u.end)
			}
			return err
		}
		line, _ = stream.Chomp(line, u.end)
		key := u.key(line)
		fresh := !started || !u.same(key, previous)
		if fresh && (u.group == "prepend" || u.group == "both" ||
			started && (u.group == "append" || u.group == "separate")) {
			u.out.WriteByte(u.end)
		}
		if fresh || u.group != "" {
			u.out.Write(line)
			u.out.WriteByte(u.end)
			previous = append(previous[:0], key...)
			started = true
		}
	}
}

func (u *uniqRun) check256(ctx context.Context, n int) error {
	if n%256 == 0 && ctx.Err() != nil {
		return ctx.Err()
	}
	if u.out.Err() != nil {
		return io.EOF // Close reports it
	}
	return nil
}

// general holds one line back until it is known whether the next is the same.
func (u *uniqRun) general(ctx context.Context, lines *stream.Lines) error {
	var held, heldKey []byte
	line, err := lines.Next()
	if err != nil {
		return err
	}
	hold := func(line []byte) {
		line, _ = stream.Chomp(line, u.end)
		held = append(held[:0], line...)
		heldKey = u.key(held)
	}
	hold(line)
	matches, firstGroup := 0, true
	for n := 1; ; n++ {
		if err := u.check256(ctx, n); err != nil {
			return err
		}
		line, err := lines.Next()
		if err != nil {
			u.show(held, false, matches)
			return err
		}
		text, _ := stream.Chomp(line, u.end)
		match := u.same(u.key(text), heldKey)
		switch {
		case !match:
			if matches > 0 {
				firstGroup = false
			}
		default:
			matches++
			if matches == 1 && (u.delimit == "prepend" || u.delimit == "separate" && !firstGroup) {
				u.out.WriteByte(u.end)
			}
		}
		if !match || u.later {
			u.show(held, match, matches)
			hold(line)
			if !match {
				matches = 0
			}
		}
	}
}

// show writes a line of a group if its place in the group is wanted.
func (u *uniqRun) show(line []byte, more bool, matches int) {
	wanted := u.first
	switch {
	case matches == 0:
		wanted = u.unique
	case more:
		wanted = u.later
	}
	if !wanted {
		return
	}
	if u.count {
		fmt.Fprintf(u.out, "%7s ", strconv.Itoa(matches+1))
	}
	u.out.Write(line)
	u.out.WriteByte(u.end)
}
