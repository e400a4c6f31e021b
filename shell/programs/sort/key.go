package sort

import (
	"context"
	"strconv"
	"strings"

	"mirage/shell/program/getopt"
)

// blanks is the separator when fields are divided by runs of blanks.
const blanks = -1

// Positions that are not a number.
const (
	wholeLine = -1      // a key that begins at the beginning of the line
	lineEnd   = 1 << 62 // a key that ends at the line's end
)

// ordering is a way to compare keys.
type ordering byte

const (
	byText    ordering = iota
	byNumber           // -n
	byGeneral          // -g
	byHuman            // -h
	byMonth            // -M
	byRandom           // -R
	byVersion          // -V
)

// key is a part of the line and how it is compared. Fields and characters
// count from 0; endChar 0 means the end of endField.
type key struct {
	startField, startChar  int
	endField, endChar      int
	skipStart, skipEnd     bool // -b, for either end
	dictionary, printable  bool // -d, -i
	fold                   bool // -f
	number, general, human bool
	month, random, version bool
	reverse                bool
	ordering               ordering // the one of the six that is set
}

// The ends of a key that an ordering letter belongs to; only "b" differs.
type keyEnd int

const (
	startEnd keyEnd = iota
	stopEnd
	bothEnds
)

// setOrdering reads ordering letters and answers what follows them.
func (k *key) setOrdering(s string, end keyEnd) string {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case 'b':
			if end != stopEnd {
				k.skipStart = true
			}
			if end != startEnd {
				k.skipEnd = true
			}
		case 'd':
			k.dictionary, k.printable = true, false
		case 'f':
			k.fold = true
		case 'g':
			k.general = true
		case 'h':
			k.human = true
		case 'i':
			k.printable = !k.dictionary
		case 'M':
			k.month = true
		case 'n':
			k.number = true
		case 'R':
			k.random = true
		case 'r':
			k.reverse = true
		case 'V':
			k.version = true
		default:
			return s[i:]
		}
	}
	return ""
}

// plain tells whether no ordering option is set, reverse not counted.
func (k *key) plain() bool {
	return !(k.skipStart || k.skipEnd || k.dictionary || k.printable || k.fold || k.number ||
		k.general || k.human || k.month || k.random || k.version)
}

// inherit takes over the global ordering options.
func (k *key) inherit(g *key) {
	start, startChar, end, endChar := k.startField, k.startChar, k.endField, k.endChar
	*k = *g
	k.startField, k.startChar, k.endField, k.endChar = start, startChar, end, endChar
}

// conflict answers the letters of options that exclude each other, "" when
// there are none.
func (k *key) conflict() string {
	n := 0
	for _, on := range []bool{k.number, k.general, k.human, k.month, k.version || k.random || k.dictionary || k.printable} {
		if on {
			n++
		}
	}
	if n < 2 {
		return ""
	}
	var letters strings.Builder
	for _, option := range []struct {
		on     bool
		letter byte
	}{{k.dictionary, 'd'}, {k.fold, 'f'}, {k.general, 'g'}, {k.human, 'h'}, {k.printable, 'i'},
		{k.month, 'M'}, {k.number, 'n'}, {k.random, 'R'}, {k.version, 'V'}} {
		if option.on {
			letters.WriteByte(option.letter)
		}
	}
	return letters.String()
}

func (k *key) setKind() {
	switch {
	case k.number:
		k.ordering = byNumber
	case k.general:
		k.ordering = byGeneral
	case k.human:
		k.ordering = byHuman
	case k.month:
		k.ordering = byMonth
	case k.random:
		k.ordering = byRandom
	case k.version:
		k.ordering = byVersion
	}
}

// fieldCount reads a number; too large a one stands for the last.
func fieldCount(s string) (n int, rest string, ok bool) {
	i := 0
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	if i == 0 {
		return 0, s, false
	}
	n, err := strconv.Atoi(s[:i])
	if err != nil || n >= lineEnd {
		n = lineEnd - 1
	}
	return n, s[i:], true
}

// key reads the argument of -k.
func (p *parser) key(s string) {
	inv := p.job.inv
	count := func(rest, what string) (int, string) {
		n, after, ok := fieldCount(rest)
		if !ok && !p.Stopped {
			p.Fail("%s: invalid count at start of %s", what, inv.QuoteArg(rest))
		}
		return n, after
	}
	bad := func(what string) {
		if !p.Stopped {
			p.Fail("%s: invalid field specification %s", what, inv.QuoteArg(s))
		}
	}
	k := &key{endField: lineEnd}
	n, rest := count(s, "invalid number at field start")
	if n == 0 {
		bad("field number is zero")
	}
	k.startField = n - 1
	if strings.HasPrefix(rest, ".") {
		n, rest = count(rest[1:], "invalid number after '.'")
		if n == 0 {
			bad("character offset is zero")
		}
		k.startChar = n - 1
	}
	if k.startField == 0 && k.startChar == 0 {
		k.startField = wholeLine
	}
	rest = k.setOrdering(rest, startEnd)
	if strings.HasPrefix(rest, ",") {
		n, rest = count(rest[1:], "invalid number after ','")
		if n == 0 {
			bad("field number is zero")
		}
		k.endField = n - 1
		if strings.HasPrefix(rest, ".") {
			k.endChar, rest = count(rest[1:], "invalid number after '.'")
		}
		rest = k.setOrdering(rest, stopEnd)
	}
	if rest != "" {
		bad("stray character in field spec")
	}
	p.keys = append(p.keys, k)
}

// finishKeys completes the keys with the global options.
func (p *parser) finishKeys(ctx context.Context) bool {
	random := false
	for _, k := range p.keys {
		if k.plain() && !k.reverse {
			k.inherit(&p.global)
		}
		random = random || k.random
	}
	if len(p.keys) == 0 && !p.global.plain() {
		g := p.global
		p.keys = append(p.keys, &g)
		random = random || g.random
	}
	for _, k := range p.keys {
		if letters := k.conflict(); letters != "" {
			p.Fail("options '-%s' are incompatible", letters)
			return false
		}
		k.setKind()
	}
	p.job.order = &order{
		keys: p.keys, separator: p.separator, reverse: p.global.reverse,
		lastResort: !p.stable && !p.job.unique,
	}
	if random || p.random != "" {
		return p.seed(ctx)
	}
	return true
}

// traditionalKey is the long option that stands for `+POS1 -POS2`, see
// traditional.
const traditionalKey = "-traditional-key"

// traditional rewrites the obsolete keys among the arguments: `+POS1 [-POS2]`.
// What is no such key is a file.
func traditional(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(out, args[i:]...)
		}
		if takesNext(arg) && i+1 < len(args) {
			out = append(out, arg, args[i+1])
			i++
			continue
		}
		if strings.HasPrefix(arg, "+") {
			if _, ok := parseTraditional(arg[1:]); ok {
				value := arg[1:]
				if i+1 < len(args) && len(args[i+1]) > 1 && args[i+1][0] == '-' && '0' <= args[i+1][1] && args[i+1][1] <= '9' {
					i++
					value += " " + args[i][1:]
				}
				out = append(out, "--"+traditionalKey, value)
				continue
			}
		}
		out = append(out, arg)
	}
	return out
}

// takesNext tells whether an argument is an option whose own argument follows.
func takesNext(arg string) bool {
	if len(arg) < 2 || arg[0] != '-' {
		return false
	}
	if strings.HasPrefix(arg, "--") {
		for _, o := range spec.Options {
			if o.Long == arg[2:] {
				return o.Arg == getopt.Required
			}
		}
		return false
	}
	i := strings.IndexAny(arg[1:], "koStT")
	return i >= 0 && i+2 == len(arg)
}

// parseTraditional reads POS1: a field and a character, counted from 0.
func parseTraditional(s string) (*key, bool) {
	k := &key{endField: lineEnd}
	n, rest, ok := fieldCount(s)
	if !ok {
		return nil, false
	}
	k.startField = n
	if strings.HasPrefix(rest, ".") {
		if k.startChar, rest, ok = fieldCount(rest[1:]); !ok {
			return nil, false
		}
	}
	if k.startField == 0 && k.startChar == 0 {
		k.startField = wholeLine
	}
	return k, k.setOrdering(rest, startEnd) == ""
}

// traditionalKey reads `POS1` or `POS1 POS2`.
func (p *parser) traditionalKey(s string) {
	inv := p.job.inv
	start, stop, hasStop := strings.Cut(s, " ")
	k, _ := parseTraditional(start)
	if k == nil {
		p.Fail("invalid number at field start: invalid count at start of %s", inv.QuoteArg(s))
		return
	}
	if hasStop {
		n, rest, _ := fieldCount(stop)
		k.endField = n
		if strings.HasPrefix(rest, ".") {
			var ok bool
			if k.endChar, rest, ok = fieldCount(rest[1:]); !ok {
				p.Fail("invalid number after '.': invalid count at start of %s", inv.QuoteArg(rest[1:]))
				return
			}
		}
		if k.endChar == 0 && k.endField > 0 {
			k.endField--
		}
		if k.setOrdering(rest, stopEnd) != "" {
			p.Fail("stray character in field spec: invalid field specification %s", inv.QuoteArg("-"+stop))
			return
		}
	}
	p.keys = append(p.keys, k)
}
