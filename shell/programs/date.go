package programs

import (
	"context"
	"io"
	"strconv"
	"strings"
	"time"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
	"mirage/shell/programs/datetime"
)

var dateSpec = getopt.Spec{
	Name:     "date",
	Synopsis: []string{"[OPTION]... [+FORMAT]", "[-u|--utc|--universal] [MMDDhhmm[[CC]YY][.ss]]"},
	Summary: "Display date and time in the given FORMAT.\n" +
		"With -s, or with [MMDDhhmm[[CC]YY][.ss]], set the date and time.",
	Options: []getopt.Option{
		{Short: "d", Long: "date", Arg: getopt.Required, Meta: "STRING", Help: "display time described by STRING, not 'now'"},
		{Short: "f", Long: "file", Arg: getopt.Required, Meta: "DATEFILE", Help: "like --date; once for each line of DATEFILE"},
		{Short: "I", Long: "iso-8601", Arg: getopt.Optional, Meta: "FMT", Help: "output date/time in ISO 8601 format.\n" +
			"FMT='date' for date only (the default),\n'hours', 'minutes', 'seconds', or 'ns'\n" +
			"for date and time to the indicated precision.\nExample: 2006-08-14T02:34:56-06:00"},
		{Long: "resolution", Help: "output the available resolution of timestamps\nExample: 0.000000001"},
		{Short: "R", Long: "rfc-email", Help: "output date and time in RFC 5322 format.\nExample: Mon, 14 Aug 2006 02:34:56 -0600"},
		{Long: "rfc-822", Name: "R", Hidden: true},
		{Long: "rfc-2822", Name: "R", Hidden: true},
		{Long: "rfc-3339", Arg: getopt.Required, Meta: "FMT", Help: "output date/time in RFC 3339 format.\n" +
			"FMT='date', 'seconds', or 'ns'\nfor date and time to the indicated precision.\nExample: 2006-08-14 02:34:56-06:00"},
		{Short: "r", Long: "reference", Arg: getopt.Required, Meta: "FILE", Help: "display the last modification time of FILE"},
		{Short: "s", Long: "set", Arg: getopt.Required, Meta: "STRING", Help: "set time described by STRING"},
		{Short: "u", Long: "utc", Help: "print or set Coordinated Universal Time (UTC)"},
		{Long: "universal", Name: "u"},
	},
	Epilog: `FORMAT controls the output.  Interpreted sequences are:

  %%   a literal %
  %a   abbreviated weekday name (e.g., Sun)
  %A   full weekday name (e.g., Sunday)
  %b   abbreviated month name (e.g., Jan)
  %B   full month name (e.g., January)
  %c   date and time (e.g., Thu Mar  3 23:05:25 2005)
  %C   century; like %Y, except omit last two digits (e.g., 20)
  %d   day of month (e.g., 01)
  %D   date; same as %m/%d/%y
  %e   day of month, space padded; same as %_d
  %F   full date; like %+4Y-%m-%d
  %g   last two digits of year of ISO week number (see %G)
  %G   year of ISO week number (see %V); normally useful only with %V
  %h   same as %b
  %H   hour (00..23)
  %I   hour (01..12)
  %j   day of year (001..366)
  %k   hour, space padded ( 0..23); same as %_H
  %l   hour, space padded ( 1..12); same as %_I
  %m   month (01..12)
  %M   minute (00..59)
  %n   a newline
  %N   nanoseconds (000000000..999999999)
  %p   either AM or PM
  %P   like %p, but lower case
  %q   quarter of year (1..4)
  %r   12-hour clock time (e.g., 11:11:04 PM)
  %R   24-hour hour and minute; same as %H:%M
  %s   seconds since the Epoch (1970-01-01 00:00 UTC)
  %S   second (00..60)
  %t   a tab
  %T   time; same as %H:%M:%S
  %u   day of week (1..7); 1 is Monday
  %U   week number of year, with Sunday as first day of week (00..53)
  %V   ISO week number, with Monday as first day of week (01..53)
  %w   day of week (0..6); 0 is Sunday
  %W   week number of year, with Monday as first day of week (00..53)
  %x   date representation (e.g., 12/31/99)
  %X   time representation (e.g., 23:13:48)
  %y   last two digits of year (00..99)
  %Y   year
  %z   +hhmm numeric time zone (e.g., -0400)
  %:z  +hh:mm numeric time zone (e.g., -04:00)
  %::z  +hh:mm:ss numeric time zone (e.g., -04:00:00)
  %:::z  numeric time zone with : to necessary precision (e.g., -04, +05:30)
  %Z   alphabetic time zone abbreviation (e.g., EDT)

By default, date pads numeric fields with zeroes.
The following optional flags may follow '%':

  -  (hyphen) do not pad the field
  _  (underscore) pad with spaces
  0  (zero) pad with zeros
  +  pad with zeros, and put '+' before future years with >4 digits
  ^  use upper case if possible
  #  use opposite case if possible

After any flags comes an optional field width, as a decimal number;
then an optional modifier, which is either
E to use the locale's alternate representations if available, or
O to use the locale's alternate numeric symbols if available.`,
}

// dateRun is one run of date.
type dateRun struct {
	format           string
	formatted        bool
	text, file, ref  string // of -d, -f and -r
	hasText, hasFile bool
	hasRef, resolve  bool
	setting          string // of -s
	sets             bool
	location         *time.Location
	inv              *program.Invocation
	out              *stream.Writer
}

func runDate(ctx context.Context, inv *program.Invocation) int {
	d := &dateRun{inv: inv, location: inv.Location, out: stream.Stdout(inv)}
	if d.location == nil {
		d.location = time.UTC
	}
	p := dateSpec.Parse(inv)
	for p.Next() {
		d.option(p)
	}
	if p.Stopped || !d.operands(p) {
		return p.Status
	}
	if d.hasFile {
		return d.out.Close(inv, d.lines(ctx))
	}
	status := 0
	if when, ok := d.when(ctx); ok {
		d.show(when)
		if d.sets {
			d.out.Flush()
			inv.Errorf("cannot set date: Operation not permitted")
			status = 1
		}
	} else {
		status = 1
	}
	return d.out.Close(inv, status)
}

func (d *dateRun) option(p *getopt.Parser) {
	format := ""
	switch v := p.Opt.Value; p.Opt.Name {
	case "d":
		d.text, d.hasText = v, true
	case "f":
		d.file, d.hasFile = v, true
	case "r":
		d.ref, d.hasRef = v, true
	case "s":
		d.setting, d.sets = v, true
	case "resolution":
		d.resolve = true
	case "u":
		d.location = time.UTC
	case "R":
		format = "%a, %d %b %Y %H:%M:%S %z"
	case "I":
		precision := "date"
		if p.Opt.HasValue {
			precision, _ = p.OneOf("hours", "minutes", "date", "seconds", "ns")
		}
		format = map[string]string{
			"date":    "%Y-%m-%d",
			"hours":   "%Y-%m-%dT%H%:z",
			"minutes": "%Y-%m-%dT%H:%M%:z",
			"seconds": "%Y-%m-%dT%H:%M:%S%:z",
			"ns":      "%Y-%m-%dT%H:%M:%S,%N%:z",
		}[precision]
	case "rfc-3339":
		precision, _ := p.OneOf("date", "seconds", "ns")
		format = map[string]string{
			"date":    "%Y-%m-%d",
			"seconds": "%Y-%m-%d %H:%M:%S%:z",
			"ns":      "%Y-%m-%d %H:%M:%S.%N%:z",
		}[precision]
	}
	if format != "" && !p.Stopped {
		if d.formatted {
			p.Fail("multiple output formats specified")
			return
		}
		d.format, d.formatted = format, true
	}
}

// operands reads the format, or the time to set, after the options.
func (d *dateRun) operands(p *getopt.Parser) bool {
	given := 0
	for _, on := range []bool{d.hasText, d.hasFile, d.hasRef, d.resolve} {
		if on {
			given++
		}
	}
	if given > 1 {
		p.Usage("the options to specify dates for printing are mutually exclusive")
		return false
	}
	if d.sets && given > 0 {
		p.Usage("the options to print and set the time may not be used together")
		return false
	}
	ops := p.Operands
	if len(ops) > 1 {
		p.Extra(ops[1])
		return false
	}
	if len(ops) == 1 {
		switch op := ops[0]; {
		case strings.HasPrefix(op, "+"):
			if d.formatted {
				p.Fail("multiple output formats specified")
				return false
			}
			d.format, d.formatted = op[1:], true
		case d.sets || given > 0:
			d.inv.Errorf("the argument %s lacks a leading '+';\n"+
				"when using an option to specify date(s), any non-option\n"+
				"argument must be a format string beginning with '+'", d.inv.QuoteArg(op))
			p.Usage("")
			return false
		default:
			d.setting, d.sets = op, true
			when, ok := datePosix(op, d.inv.Now().In(d.location))
			if !ok {
				p.Fail("invalid date %s", d.inv.QuoteArg(op))
				return false
			}
			d.setting = "@" + strconv.FormatInt(when.Unix(), 10)
		}
	}
	if !d.formatted {
		d.format = "%a %b %e %H:%M:%S %Z %Y"
		if d.resolve {
			d.format = "%s.%N"
		}
	}
	return true
}

// when answers the time to show; a false answer has been reported.
func (d *dateRun) when(ctx context.Context) (time.Time, bool) {
	switch {
	case d.hasRef:
		info, err := d.inv.FS.Stat(ctx, d.inv.Path(d.ref))
		if err != nil {
			d.inv.FileError(d.ref, err)
			return time.Time{}, false
		}
		return info.ModTime, true
	case d.resolve:
		return time.Unix(0, 1), true
	case d.hasText:
		return d.parse(d.text)
	case d.sets:
		return d.parse(d.setting)
	}
	return d.inv.Now(), true
}

func (d *dateRun) parse(text string) (time.Time, bool) {
	when, err := datetime.Parse(text, d.inv.Now().In(d.location))
	if err == nil {
		return when, true
	}
	d.out.Flush() // keep the message in its place among the lines of -f
	if n, ok := strings.CutPrefix(strings.TrimLeft(text, " \t\n"), "@"); ok {
		if _, err := strconv.ParseInt(n, 10, 64); err == nil {
			d.inv.Errorf("time %s is out of range", d.inv.QuoteArg(n))
			return time.Time{}, false
		}
	}
	d.inv.Errorf("invalid date %s", d.inv.QuoteArg(text))
	return time.Time{}, false
}

func (d *dateRun) show(when time.Time) {
	d.out.WriteString(datetime.Format(d.format, when.In(d.location)))
	d.out.WriteByte('\n')
}

// lines is -f.
func (d *dateRun) lines(ctx context.Context) int {
	r, err := d.inv.OpenOperand(ctx, d.file)
	if err != nil {
		d.inv.FileError(d.file, err)
		return 1
	}
	defer r.Close()
	lines := stream.NewLines(r, '\n', d.inv.Limit)
	status := 0
	for d.out.Err() == nil {
		if ctx.Err() != nil {
			return 1
		}
		line, err := lines.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			d.out.Flush()
			d.inv.FileError(d.file, err)
			return 1
		}
		line, _ = stream.Chomp(line, '\n')
		if when, ok := d.parse(string(line)); ok {
			d.show(when)
		} else {
			status = 1
		}
	}
	return status
}

// datePosix reads MMDDhhmm[[CC]YY][.ss].
func datePosix(s string, now time.Time) (time.Time, bool) {
	digits, seconds, hasSeconds := strings.Cut(s, ".")
	if hasSeconds && len(seconds) != 2 || strings.Trim(digits+seconds, "0123456789") != "" {
		return time.Time{}, false
	}
	if n := len(digits); n != 8 && n != 10 && n != 12 {
		return time.Time{}, false
	}
	two := func(at int) int {
		return int(digits[at]-'0')*10 + int(digits[at+1]-'0')
	}
	year := now.Year()
	switch len(digits) {
	case 10:
		if year = two(8) + 1900; two(8) <= 68 {
			year += 100
		}
	case 12:
		year = two(8)*100 + two(10)
	}
	second := 0
	if hasSeconds {
		second = int(seconds[0]-'0')*10 + int(seconds[1]-'0')
	}
	month, day, hour, minute := two(0), two(2), two(4), two(6)
	t := time.Date(year, time.Month(month), day, hour, minute, second, 0, now.Location())
	h, m, sec := t.Clock()
	ok := int(t.Month()) == month && t.Day() == day && h == hour && m == minute && sec == second
	return t, ok
}
