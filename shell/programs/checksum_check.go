package programs

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"

	"mirage/shell/program/stream"
)

// checksumLine is one line of a list of checksums.
type checksumLine struct {
	kind checksumKind
	sum  string
	name string
}

// checksumParser reads the lines of one list. Lists of the BSD layout with
// the name after one space are told apart from the usual ones by their first
// line, so that a name with leading blanks cannot be mistaken.
type checksumParser struct {
	kind     checksumKind
	any      bool // the tag of a line tells its kind
	reversed int  // -1 unknown, 0 no, 1 yes
}

func (p *checksumParser) parse(line string) (checksumLine, bool) {
	line = strings.TrimLeft(line, " \t")
	escaped := strings.HasPrefix(line, `\`)
	if escaped {
		line = line[1:]
	}
	if p.any {
		return p.parseAny(line, escaped)
	}
	if rest, ok := p.cutTag(line); ok {
		return p.parseTagged(rest, escaped)
	}
	digits := p.kind.bits / 4
	if p.kind.program == "b2sum" {
		digits = 0
		for digits < len(line) && digitOf(line[digits]) < 16 {
			digits++
		}
	}
	if len(line) < digits+3 || line[digits] != ' ' && line[digits] != '\t' {
		return checksumLine{}, false
	}
	kind, ok := p.withDigits(line[:digits])
	if !ok {
		return checksumLine{}, false
	}
	sum, rest := line[:digits], line[digits+1:]
	switch {
	case len(rest) == 1 || rest[0] != ' ' && rest[0] != '*':
		if p.reversed == 0 {
			return checksumLine{}, false
		}
		p.reversed = 1
	case p.reversed != 1:
		p.reversed = 0
		rest = rest[1:]
	}
	if escaped {
		if rest, ok = checksumUnescape(rest); !ok {
			return checksumLine{}, false
		}
	}
	return checksumLine{kind, strings.ToLower(sum), rest}, true
}

// tag names the kind of sum that was looked for last.
func (p *checksumParser) tag() string {
	if p.any && p.kind.tag == "" {
		return "CRC"
	}
	return strings.SplitN(p.kind.tag, "-", 2)[0]
}

// parseAny reads a line whose tag tells the kind.
func (p *checksumParser) parseAny(line string, escaped bool) (checksumLine, bool) {
	for _, kind := range checksumKinds() {
		one := checksumParser{kind: kind}
		if rest, ok := one.cutTag(line); ok && strings.HasPrefix(rest, " (") {
			p.kind = kind
			return one.parseTagged(rest, escaped)
		}
	}
	return checksumLine{}, false
}

// cutTag cuts the name of the algorithm off a tagged line.
func (p *checksumParser) cutTag(line string) (string, bool) {
	tag, _, _ := strings.Cut(p.kind.tag, "-")
	rest, ok := strings.CutPrefix(line, tag)
	if ok && p.kind.program == "b2sum" && strings.HasPrefix(rest, "-") {
		rest = strings.TrimLeft(rest[1:], "0123456789")
	}
	return rest, ok
}

func (p *checksumParser) parseTagged(rest string, escaped bool) (checksumLine, bool) {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(rest, " "), "(")
	end := strings.LastIndexByte(rest, ')')
	if !ok || end < 0 {
		return checksumLine{}, false
	}
	name := rest[:end]
	if escaped {
		if name, ok = checksumUnescape(name); !ok {
			return checksumLine{}, false
		}
	}
	sum, ok := strings.CutPrefix(strings.TrimLeft(rest[end+1:], " \t"), "=")
	sum = strings.TrimLeft(sum, " \t")
	if !ok {
		return checksumLine{}, false
	}
	kind, ok := p.withDigits(sum)
	return checksumLine{kind, strings.ToLower(sum), name}, ok
}

// withDigits answers the kind of checksum that the hexadecimal digits are of.
func (p *checksumParser) withDigits(sum string) (checksumKind, bool) {
	for i := 0; i < len(sum); i++ {
		if digitOf(sum[i]) >= 16 {
			return checksumKind{}, false
		}
	}
	if p.kind.program == "b2sum" {
		if n := len(sum); n > 0 && n <= 128 && n%2 == 0 {
			return checksumBlake2b(4 * n), true
		}
		return checksumKind{}, false
	}
	return p.kind, len(sum) == p.kind.bits/4
}

// checksumTally counts what became of the lines of one list.
type checksumTally struct {
	formatted, misformatted, mismatched, failed, matched int
}

func (c *checksumRun) check(ctx context.Context, lists []string) int {
	if len(lists) == 0 {
		lists = []string{"-"}
	}
	status := 0
	for _, list := range lists {
		if ctx.Err() != nil {
			return 1
		}
		if !c.checkList(ctx, list) {
			status = 1
		}
	}
	return c.out.Close(c.inv, status)
}

func (c *checksumRun) checkList(ctx context.Context, list string) bool {
	r, err := c.inv.OpenOperand(ctx, list)
	if err != nil {
		c.inv.FileError(list, err)
		return false
	}
	defer r.Close()
	shown := list
	if list == "-" {
		shown = "standard input"
	}
	shown = c.inv.QuoteName(shown)
	lines := stream.NewLines(r, '\n', c.inv.Meter())
	p := checksumParser{kind: c.checksumKind, any: c.any, reversed: -1}
	if c.any {
		p.kind = checksumKind{}
	}
	var t checksumTally
	for n := 1; ctx.Err() == nil && c.out.Err() == nil; n++ {
		raw, err := lines.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			c.inv.Errorf("%s: read error", shown)
			return false
		}
		text, _ := stream.Chomp(raw, '\n')
		text, _ = stream.Chomp(text, '\r')
		if len(text) == 0 || text[0] == '#' {
			continue
		}
		line, ok := p.parse(string(text))
		if !ok || list == "-" && line.name == "-" {
			t.misformatted++
			if c.warn {
				c.inv.Errorf("%s: %d: improperly formatted %s checksum line", shown, n, p.tag())
			}
			continue
		}
		t.formatted++
		c.verify(ctx, line, &t)
	}
	return c.report(shown, t)
}

// verify checks one file and says what came out.
func (c *checksumRun) verify(ctx context.Context, line checksumLine, t *checksumTally) {
	name := line.name
	if strings.ContainsAny(name, "\n\r") {
		name = `\` + checksumEscape(name)
	}
	sum, err := "", error(nil)
	r, err := c.inv.OpenOperand(ctx, line.name)
	if err == nil {
		k := checksumRun{checksumKind: line.kind}
		sum, err = k.sum(ctx, r)
		r.Close()
	}
	switch {
	case errors.Is(err, syscall.ENOENT) && c.ignoreMissing:
	case err != nil:
		c.out.Flush()
		c.inv.FileError(line.name, err)
		t.failed++
		if !c.silent {
			c.out.WriteString(name + ": FAILED open or read\n")
		}
	case sum != line.sum:
		t.mismatched++
		if !c.silent {
			c.out.WriteString(name + ": FAILED\n")
		}
	default:
		t.matched++
		if !c.silent && !c.quiet {
			c.out.WriteString(name + ": OK\n")
		}
	}
}

// report sums a list up.
func (c *checksumRun) report(shown string, t checksumTally) bool {
	c.out.Flush()
	if t.formatted == 0 {
		c.inv.Errorf("%s: no properly formatted checksum lines found", shown)
		return false
	}
	if !c.silent {
		warn := func(n int, one, many string) {
			if n == 1 {
				c.inv.Errorf("WARNING: 1 %s", one)
			} else if n > 1 {
				c.inv.Errorf("WARNING: %d %s", n, many)
			}
		}
		warn(t.misformatted, "line is improperly formatted", "lines are improperly formatted")
		warn(t.failed, "listed file could not be read", "listed files could not be read")
		warn(t.mismatched, "computed checksum did NOT match", "computed checksums did NOT match")
		if c.ignoreMissing && t.matched == 0 {
			c.inv.Errorf("%s: no file was verified", shown)
		}
	}
	return t.mismatched == 0 && t.failed == 0 && (!c.strict || t.misformatted == 0) && (!c.ignoreMissing || t.matched > 0)
}
