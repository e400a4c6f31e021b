package diff

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"unicode"

	"mirage/shell/pattern"
	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/quote"
	"mirage/shell/regex"
)

// style is a form of output.
type style int

const (
	unspecified style = iota
	normal
	contextual
	unified
	ed
	forwardEd
	rcs
	sideBySide
	ifdef
)

// white says which differences in white space are ignored, from little to
// much.
type white int

const (
	noWhite        white = iota
	tabExpansion         // -E
	trailingSpace        // -Z
	tabAndTrailing       // -E -Z
	spaceChange          // -b
	allSpace             // -w
)

type options struct {
	style                      style
	context                    int
	horizon                    int
	brief, identical           bool
	width, tabSize             int
	leftColumn, suppressCommon bool
	labels                     []string
	expandTabs, initialTab     bool
	suppressBlankEmpty         bool
	recursive, noDereference   bool
	newFile, newFirst          bool
	foldNames                  bool
	exclude                    []string
	start, fromFile, toFile    string
	ignoreCase, ignoreBlank    bool
	white                      white
	ignore, function           *regex.Matcher
	text, stripCR, minimal     bool
	color                      bool
	groups                     [4]format // by kind: unchanged, old, new, changed
	lines                      [3]format // unchanged, old, new
	switches                   string    // the options as the "diff -r a b" lines repeat them
	contextTime                string    // layout of times in context style
}

// parse reads the command line. A false answer has been reported.
func (c *command) parse(p *getopt.Parser) bool {
	o := &c.options
	o.width, o.tabSize, o.context = 130, 8, -1
	obsolete, explicit, digit := -1, false, false
	var ignore, function []string
	ok := true
	for ok && p.Next() {
		name, value := p.Opt.Name, p.Opt.Value
		isDigit := len(name) == 1 && name[0] >= '0' && name[0] <= '9'
		switch name {
		case "normal":
			ok = c.setStyle(p, normal)
		case "q":
			o.brief = true
		case "s":
			o.identical = true
		case "c", "C", "context", "u", "U", "unified":
			n := 3
			if p.Opt.HasValue {
				explicit = true
				if n, ok = c.argument(p, "context length", value, 0); !ok {
					break
				}
			}
			o.context = max(o.context, n)
			if name[0] == 'c' || name == "C" {
				ok = c.setStyle(p, contextual)
			} else {
				ok = c.setStyle(p, unified)
			}
		case "e":
			ok = c.setStyle(p, ed)
		case "f":
			ok = c.setStyle(p, forwardEd)
		case "n":
			ok = c.setStyle(p, rcs)
		case "y":
			ok = c.setStyle(p, sideBySide)
		case "W":
			o.width, ok = c.argument(p, "width", value, 1)
		case "left-column":
			o.leftColumn = true
		case "suppress-common-lines":
			o.suppressCommon = true
		case "p":
			function = append(function, "^[[:alpha:]$_]")
		case "F":
			function = append(function, value)
		case "label":
			if len(o.labels) == 2 {
				p.Fail("too many file label options")
				ok = false
				break
			}
			o.labels = append(o.labels, value)
		case "t":
			o.expandTabs = true
		case "T":
			o.initialTab = true
		case "tabsize":
			o.tabSize, ok = c.argument(p, "tabsize", value, 1)
		case "suppress-blank-empty":
			o.suppressBlankEmpty = true
		case "r":
			o.recursive = true
		case "no-dereference":
			o.noDereference = true
		case "N":
			o.newFile = true
		case "P":
			o.newFirst = true
		case "ignore-file-name-case":
			o.foldNames = true
		case "no-ignore-file-name-case":
			o.foldNames = false
		case "x":
			o.exclude = append(o.exclude, value)
		case "X":
			ok = c.excludeFrom(p, value)
		case "S":
			o.start = value
		case "from-file":
			o.fromFile = value
		case "to-file":
			o.toFile = value
		case "i":
			o.ignoreCase = true
		case "E":
			if o.white < spaceChange {
				o.white |= tabExpansion
			}
		case "Z":
			if o.white < spaceChange {
				o.white |= trailingSpace
			}
		case "b":
			o.white = max(o.white, spaceChange)
		case "w":
			o.white = allSpace
		case "B":
			o.ignoreBlank = true
		case "I":
			ignore = append(ignore, value)
		case "a":
			o.text = true
		case "strip-trailing-cr":
			o.stripCR = true
		case "D":
			ok = c.setStyle(p, ifdef) && c.setIfdef(p, value)
		case "old-group-format", "new-group-format", "unchanged-group-format", "changed-group-format",
			"line-format", "old-line-format", "new-line-format", "unchanged-line-format":
			ok = c.setStyle(p, ifdef) && c.setFormat(p, name, value)
		case "d":
			o.minimal = true
		case "horizon-lines":
			var n int
			n, ok = c.argument(p, "horizon length", value, 0)
			o.horizon = max(o.horizon, n)
		case "color":
			switch {
			case !p.Opt.HasValue || value == "auto":
				_, _, o.color = c.inv.Terminal(1)
			case value == "always":
				o.color = true
			case value == "never":
				o.color = false
			default:
				p.Usage("invalid color %s", c.inv.QuoteArg(value))
				ok = false
			}
		case "v":
			p.Stopped = true
			if err := spec.WriteVersion(c.inv.Stdout, c.inv.Name); err != nil {
				p.Status = c.inv.WriteError(err)
			}
			return false
		default:
			if isDigit {
				n := int(name[0] - '0')
				if digit && obsolete < 1<<24 {
					n += 10 * obsolete
				}
				obsolete = n
			}
		}
		digit = isDigit
	}
	if !ok || p.Stopped {
		return false
	}
	return c.settle(p, obsolete, explicit, ignore, function)
}

// settle works out what the options mean together.
func (c *command) settle(p *getopt.Parser, obsolete int, explicit bool, ignore, function []string) bool {
	o := &c.options
	if o.fromFile != "" && o.toFile != "" {
		p.Fail("--from-file and --to-file both specified")
		return false
	}
	if len(function) > 0 && o.style == unspecified {
		o.style, o.context = contextual, 3
	}
	if o.style == unspecified {
		o.style = normal
	}
	if obsolete >= 0 && (o.style == contextual || o.style == unified) && (o.context < obsolete || !explicit) {
		o.context = obsolete
	}
	if o.style != contextual && o.style != unified || o.context < 0 {
		o.context = 0
	}
	o.horizon = max(o.horizon, o.context)
	c.defaultFormats()
	for _, re := range []struct {
		to   **regex.Matcher
		list []string
	}{{&o.ignore, ignore}, {&o.function, function}} {
		if len(re.list) == 0 {
			continue
		}
		for _, s := range re.list {
			if _, err := regex.Compile(s, 0); err != nil {
				p.Fail("%s: %s", s, err)
				return false
			}
		}
		compiled, err := regex.CompileList(re.list, 0)
		if err != nil {
			p.Fail("%s", err)
			return false
		}
		*re.to = compiled.Matcher(c.ctx)
	}
	o.contextTime = "%a %b %e %T %Y"
	if hardLocale(c.inv) {
		o.contextTime = "%Y-%m-%d %H:%M:%S.%N %z"
	}
	o.switches = c.repeat(c.inv.Args, p.Operands)
	return true
}

// hardLocale tells whether times are shown in another locale than POSIX's.
func hardLocale(inv *program.Invocation) bool {
	for _, name := range []string{"LC_ALL", "LC_TIME", "LANG"} {
		if v := inv.Getenv(name); v != "" {
			return v != "C" && v != "POSIX"
		}
	}
	return false
}

func (c *command) setStyle(p *getopt.Parser, s style) bool {
	if c.style != unspecified && c.style != s {
		p.Usage("conflicting output style options")
		return false
	}
	c.style = s
	return true
}

// number reads an option's number, which must be least or more.
func (c *command) argument(p *getopt.Parser, what, s string, least int) (int, bool) {
	digits := strings.TrimPrefix(strings.TrimLeftFunc(s, unicode.IsSpace), "+")
	n, err := strconv.ParseUint(digits, 10, 64)
	if numErr, ok := err.(*strconv.NumError); ok && numErr.Err == strconv.ErrRange {
		n, err = 1<<30, nil
	}
	if err != nil || n < uint64(least) {
		p.Usage("invalid %s %s", what, c.inv.QuoteArg(s))
		return 0, false
	}
	return int(min(n, 1<<30)), true
}

// excludeFrom reads the patterns of -X.
func (c *command) excludeFrom(p *getopt.Parser, name string) bool {
	r, err := c.inv.OpenOperand(c.ctx, name)
	var data []byte
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(r, 1<<20))
		_ = r.Close()
	}
	if err != nil {
		p.FailErr(err, "%s", name)
		return false
	}
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		if s := strings.TrimRight(string(line), " \t"); s != "" && s[0] != '#' {
			c.exclude = append(c.exclude, s)
		}
	}
	return true
}

// excluded tells whether -x or -X leaves a name out.
func (c *command) excluded(name string) bool {
	for _, pat := range c.exclude {
		if pattern.Match(pat, name, 0) {
			return true
		}
	}
	return false
}

// repeat answers the options of a command line for the lines "diff -r a b".
func (c *command) repeat(args, operands []string) string {
	var b strings.Builder
	for _, a := range args {
		if a == "--" {
			break
		}
		if len(operands) > 0 && a == operands[0] && (len(a) < 2 || a[0] != '-') {
			operands = operands[1:]
			continue
		}
		b.WriteString(" " + c.shellName(a))
	}
	return b.String()
}

// shellName quotes a word for a shell where it needs to be.
func (c *command) shellName(s string) string {
	return quote.Quoter{Style: quote.Shell, UTF8: c.inv.UTF8()}.String(s)
}
