package getopt

import (
	"fmt"
	"io"
	"strings"

	"mirage/shell/program"
)

// Opt is one option as it was given.
type Opt struct {
	// Name is the table's name of the option: its short letter if it has
	// one, else its long name. It is "" for an operand (InOrder only).
	Name string
	// Value is the argument; HasValue tells whether an optional one was
	// given.
	Value    string
	HasValue bool
	// Long is set when the long form was used.
	Long bool
	// First is set unless the option stands behind another one in a bundle.
	First bool
}

// Flag is the option as messages show it: "-n" or "--lines".
func (o Opt) Flag(s *Spec) string {
	for _, row := range s.table() {
		if row.Key() != o.Name {
			continue
		}
		if o.Long {
			return "--" + row.Long
		}
		return "-" + row.Short
	}
	return o.Name
}

// Parser hands out the options of one run, one at a time, so that a program
// complains about the first wrong thing on its command line, whoever finds it:
//
//	p := spec.Parse(inv)
//	for p.Next() {
//		switch p.Opt.Name {
//		case "n":
//			...
//		}
//	}
//	if p.Stopped {
//		return p.Status
//	}
//	for _, operand := range p.Operands { ... }
type Parser struct {
	Opt Opt
	// Operands is complete once Next has answered false.
	Operands []string
	// Stopped is set when there is nothing left to do: an error was
	// reported, or --help or --version answered. Status is the exit status.
	Stopped bool
	Status  int
	// Advise, when set, writes more between the message of a usage error
	// and the hint at --help.
	Advise func()

	spec  *Spec
	inv   *program.Invocation
	table []Option
	order Order
	args  []string // not looked at yet
	short string   // rest of a bundle
	exact bool     // the long option was not abbreviated
}

// Parse begins to read the arguments of a run.
func (s *Spec) Parse(inv *program.Invocation) *Parser { return s.ParseArgs(inv, inv.Args) }

// ParseArgs is Parse for arguments other than the run's own, for a program
// that rewrites obsolete forms first.
func (s *Spec) ParseArgs(inv *program.Invocation, args []string) *Parser {
	p := &Parser{spec: s, inv: inv, table: s.table(), order: s.Order, args: args}
	if _, posix := inv.LookupEnv("POSIXLY_CORRECT"); posix && p.order == Permute {
		p.order = RequireOrder
	}
	return p
}

// Next moves to the next option; it answers false at the end and after an
// error.
func (p *Parser) Next() bool {
	if p.Stopped {
		return false
	}
	if p.short != "" {
		return p.nextShort()
	}
	for len(p.args) > 0 {
		arg := p.args[0]
		switch {
		case arg == "--":
			p.Operands = append(p.Operands, p.args[1:]...)
			p.args = nil
			return false
		case len(arg) < 2 || arg[0] != '-':
			if p.order == RequireOrder {
				p.Operands = append(p.Operands, p.args...)
				p.args = nil
				return false
			}
			p.args = p.args[1:]
			if p.order == InOrder {
				p.Opt = Opt{Value: arg, HasValue: true}
				return true
			}
			p.Operands = append(p.Operands, arg)
		case strings.HasPrefix(arg, "--"):
			p.args = p.args[1:]
			return p.nextLong(arg[2:])
		default:
			p.args = p.args[1:]
			p.short = arg[1:]
			ok := p.nextShort()
			p.Opt.First = true
			return ok
		}
	}
	return false
}

func (p *Parser) nextShort() bool {
	c := p.short[:1]
	p.short = p.short[1:]
	row, ok := p.findShort(c)
	if !ok {
		p.short = ""
		return p.fail("invalid option -- '%s'", c)
	}
	p.Opt = Opt{Name: row.Key()}
	switch row.Arg {
	case Required:
		switch {
		case p.short != "":
			p.Opt.Value = p.short
		case len(p.args) > 0:
			p.Opt.Value = p.args[0]
			p.args = p.args[1:]
		default:
			return p.fail("option requires an argument -- '%s'", c)
		}
		p.Opt.HasValue = true
		p.short = ""
	case Optional:
		p.Opt.Value, p.Opt.HasValue = p.short, p.short != ""
		p.short = ""
	}
	return true
}

func (p *Parser) findShort(c string) (Option, bool) {
	for _, row := range p.table {
		if row.Short == c {
			return row, true
		}
	}
	return Option{}, false
}

func (p *Parser) nextLong(text string) bool {
	name, value, hasValue := strings.Cut(text, "=")
	row, ok := p.findLong(name, text)
	if !ok {
		return false
	}
	p.exact = name == row.Long
	p.Opt = Opt{Name: row.Key(), Value: value, HasValue: hasValue, Long: true}
	switch {
	case row.Arg == None && hasValue:
		return p.fail("option '--%s' doesn't allow an argument", row.Long)
	case row.Arg == Required && !hasValue:
		if len(p.args) == 0 {
			return p.fail("option '--%s' requires an argument", row.Long)
		}
		p.Opt.Value, p.Opt.HasValue = p.args[0], true
		p.args = p.args[1:]
	}
	if !p.spec.NoStandard && row.Short == "" {
		switch row.Long {
		case "help":
			return p.answer(p.spec.WriteHelp)
		case "version":
			return p.answer(p.spec.WriteVersion)
		}
	}
	return true
}

// findLong finds a long option by its name or by an abbreviation that is
// clear: rows that mean the same do not compete.
func (p *Parser) findLong(name, text string) (Option, bool) {
	var found []Option
	clear := true
	for _, row := range p.table {
		if row.Long == "" || !strings.HasPrefix(row.Long, name) {
			continue
		}
		if row.Long == name {
			return row, true
		}
		if len(found) > 0 && (row.Key() != found[0].Key() || row.Arg != found[0].Arg) {
			clear = false
		}
		found = append(found, row)
	}
	switch {
	case len(found) == 0:
		return Option{}, p.fail("unrecognized option '--%s'", text)
	case !clear:
		var b strings.Builder
		for _, row := range found {
			fmt.Fprintf(&b, " '--%s'", row.Long)
		}
		return Option{}, p.fail("option '--%s' is ambiguous; possibilities:%s", text, b.String())
	}
	return found[0], true
}

// fail reports a usage error and ends the parsing; it answers false.
func (p *Parser) fail(format string, args ...any) bool {
	p.Usage(format, args...)
	return false
}

// Usage reports a mistake on the command line, with the hint at --help below
// it, ends the parsing and answers the status for it. An empty format prints
// the hint alone.
func (p *Parser) Usage(format string, args ...any) int {
	if format != "" {
		p.inv.Errorf(format, args...)
	}
	if p.Advise != nil {
		p.Advise()
	}
	hint := p.spec.Hint
	if hint == "" {
		hint = "Try '%s --help' for more information."
	}
	io.WriteString(p.inv.Stderr, strings.ReplaceAll(hint, "%s", p.inv.Name)+"\n")
	p.Stopped, p.Status = true, p.spec.status()
	return p.Status
}

// Fail reports an error without the hint, ends the parsing and answers the
// status of usage errors.
func (p *Parser) Fail(format string, args ...any) int {
	p.inv.Errorf(format, args...)
	p.Stopped, p.Status = true, p.spec.status()
	return p.Status
}

// FailErr is Fail with the phrase of an error behind the text.
func (p *Parser) FailErr(err error, format string, args ...any) int {
	p.inv.Fail(err, format, args...)
	p.Stopped, p.Status = true, p.spec.status()
	return p.Status
}

// Warn reports something about the command line and goes on.
func (p *Parser) Warn(format string, args ...any) { p.inv.Errorf(format, args...) }

// Missing reports that an operand is missing: after the last one given, if
// any was, as coreutils words it.
func (p *Parser) Missing() int {
	if n := len(p.Operands); n > 0 {
		return p.Usage("missing operand after %s", p.inv.QuoteArg(p.Operands[n-1]))
	}
	return p.Usage("missing operand")
}

// Extra reports the operand that is one too many.
func (p *Parser) Extra(operand string) int {
	return p.Usage("extra operand %s", p.inv.QuoteArg(operand))
}

// OneOf finds the option's argument among words, abbreviations included, as
// GNU's argmatch does. Each group lists synonyms, split by spaces ("always yes
// force"), and the first of them is answered. A false answer has been
// reported.
func (p *Parser) OneOf(groups ...string) (string, bool) {
	return p.Match("--"+p.long(), p.Opt.Value, groups...)
}

// Match is OneOf for a value that came from elsewhere; context is what the
// message says it is for.
func (p *Parser) Match(context, value string, groups ...string) (string, bool) {
	found := ""
	kind := "invalid"
	for _, group := range groups {
		words := strings.Fields(group)
		for _, w := range words {
			if w == value {
				return words[0], true
			}
			if !strings.HasPrefix(w, value) || found == words[0] {
				continue
			}
			if found != "" {
				kind = "ambiguous"
			}
			found = words[0]
		}
	}
	if found != "" && kind != "ambiguous" {
		return found, true
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s argument %s for '%s'\nValid arguments are:", kind, p.inv.QuoteArg(value), context)
	for _, group := range groups {
		fmt.Fprintf(&b, "\n  - '%s'", strings.Join(strings.Fields(group), "', '"))
	}
	p.Usage("%s", b.String())
	p.Status = 1 // argmatch does not know the program's own status
	return "", false
}

// long is the long name of the current option, which messages about values
// show even when the short form was used.
func (p *Parser) long() string {
	for _, row := range p.table {
		if row.Key() == p.Opt.Name && row.Long != "" {
			return row.Long
		}
	}
	return p.Opt.Name
}

func (p *Parser) answer(write func(io.Writer, string) error) bool {
	p.Stopped = true
	if err := write(p.inv.Stdout, p.inv.Name); err != nil {
		p.Status = p.inv.WriteError(err)
	}
	return false
}

// Rest answers the arguments that were not looked at yet, for an option that
// takes over the command line (env -S).
func (p *Parser) Rest() []string { return p.args }

// Exact tells whether the current option was given by its full name, for the
// few that may not be abbreviated.
func (p *Parser) Exact() bool { return !p.Opt.Long || p.exact }

// Invocation is the run whose arguments are parsed.
func (p *Parser) Invocation() *program.Invocation { return p.inv }
