package programs

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
	"time"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
	"mirage/shell/programs/datetime"
)

var dateSpec = getopt.Spec{
	Name:     "date",
	Synopsis: []string{"[OPTION]... [+FORMAT]", "[-u|--utc|--universal] [MMDDhhmm[[CC]YY][.ss]]"},
	Summary:  "Display date and time in the given FORMAT.\nWith -s, or with [MMDDhhmm[[CC]YY][.ss]], set the date and time.",
	Options: []getopt.Option{
		{Short: "d", Long: "date", Arg: getopt.Required, Meta: "STRING", Help: "display time described by STRING, not 'now'"},
		{Short: "f", Long: "file", Arg: getopt.Required, Meta: "DATEFILE", Help: "like --date; once for each line of DATEFILE"},
		{Short: "I", Long: "iso-8601", Arg: getopt.Optional, Meta: "FMT", Help: "output date/time in ISO 8601 format.\nFMT='date' for date only (the default),\n'hours', 'minutes', 'seconds', or 'ns'"},
		{Long: "resolution", Help: "output the available resolution of timestamps"},
		{Short: "R", Long: "rfc-email", Help: "output date and time in RFC 5322 format"},
		{Long: "rfc-822", Help: "the same as --rfc-email"},
		{Long: "rfc-2822", Help: "the same as --rfc-email"},
		{Long: "rfc-3339", Arg: getopt.Required, Meta: "FMT", Help: "output date/time in RFC 3339 format.\nFMT='date', 'seconds', or 'ns'"},
		{Short: "r", Long: "reference", Arg: getopt.Required, Meta: "FILE", Help: "display the last modification time of FILE"},
		{Short: "s", Long: "set", Arg: getopt.Required, Meta: "STRING", Help: "set time described by STRING (refused here)"},
		{Short: "u", Long: "utc", Help: "print or set Coordinated Universal Time (UTC)"},
		{Long: "universal", Help: "the same as --utc"},
	},
}

const dateRFC5322 = "%a, %d %b %Y %H:%M:%S %z"

// dateFormats are those of -I and --rfc-3339.
var (
	dateISO = map[string]string{
		"date": "%Y-%m-%d", "hours": "%Y-%m-%dT%H%:z", "minutes": "%Y-%m-%dT%H:%M%:z",
		"seconds": "%Y-%m-%dT%H:%M:%S%:z", "ns": "%Y-%m-%dT%H:%M:%S,%N%:z",
	}
	dateRFC3339 = map[string]string{
		"date": "%Y-%m-%d", "seconds": "%Y-%m-%d %H:%M:%S%:z", "ns": "%Y-%m-%d %H:%M:%S.%N%:z",
	}
)

// dateRun is one run of date.
type dateRun struct {
	inv          *program.Invocation
	zone         *time.Location
	format       string
	hasFormat    bool
	text, file   *string
	reference    *string
	set          bool
	resolution   bool
	out          *stream.Writer
	alternatives int // ways given to say which date
}

func runDate(ctx context.Context, inv *program.Invocation) int {
	d := dateRun{inv: inv, zone: inv.Location}
	p := dateSpec.Parse(inv)
	for p.Next() {
		if !d.option(p) {
			return p.Status
		}
	}
	if p.Stopped {
		return p.Status
	}
	if d.alternatives > 1 {
		return p.Usage("the options to specify dates for printing are mutually exclusive")
	}
	if d.set && d.alternatives > 0 && d.text == nil {
		return p.Usage("the options to print and set the time may not be used together")
	}
	if status, ok := d.operand(p); !ok {
		return status
	}
	if !d.hasFormat {
		d.format = "%a %b %e %H:%M:%S %Z %Y"
		if d.resolution {
			d.format = "%s.%N"
		}
	}
	d.out = stream.Stdout(inv)
	status := 0
	if d.file != nil {
		status = d.lines(ctx)
	} else if t, ok := d.when(ctx); ok {
		if d.set {
			inv.Fail(syscall.EPERM, "cannot set date")
			status = 1
		}
		d.print(t)
	} else {
		status = 1
	}
	return d.out.Close(inv, status)
}

// option takes one option; false ends the run.
func (d *dateRun) option(p *getopt.Parser) bool {
	value := p.Opt.Value
	switch p.Opt.Name {
	case "d":
		if d.text == nil {
			d.alternatives++
		}
		d.text = &value
	case "f":
		if d.file == nil {
			d.alternatives++
		}
		d.file = &value
	case "I":
		name := "date"
		if p.Opt.HasValue {
			var ok bool
			if name, ok = p.OneOf("hours", "minutes", "date", "seconds", "ns"); !ok {
				return false
			}
		}
		return d.setFormat(p, dateISO[name])
	case "resolution":
		d.resolution = true
		d.alternatives++
	case "R", "rfc-822", "rfc-2822":
		return d.setFormat(p, dateRFC5322)
	case "rfc-3339":
		name, ok := p.OneOf("date", "seconds", "ns")
		return ok && d.setFormat(p, dateRFC3339[name])
	case "r":
		if d.reference == nil {
			d.alternatives++
		}
		d.reference = &value
	case "s":
		d.set, d.text = true, &value
	case "u", "universal":
		d.zone = time.UTC
	}
	return true
}

func (d *dateRun) setFormat(p *getopt.Parser, format string) bool {
	if d.hasFormat {
		p.Fail("multiple output formats specified")
		return false
	}
	d.format, d.hasFormat = format, true
	return true
}

// operand takes the format, or the date to set.
func (d *dateRun) operand(p *getopt.Parser) (status int, ok bool) {
	if len(p.Operands) == 0 {
		return 0, true
	}
	if len(p.Operands) > 1 {
		return p.Extra(p.Operands[1]), false
	}
	arg := p.Operands[0]
	if format, ok := strings.CutPrefix(arg, "+"); ok {
		if !d.setFormat(p, format) {
			return p.Status, false
		}
		return 0, true
	}
	if d.set || d.alternatives > 0 {
		d.inv.Errorf("the argument %s lacks a leading '+';\nwhen using an option to specify date(s), any non-option\nargument must be a format string beginning with '+'", d.inv.QuoteArg(arg))
		return p.Usage(""), false
	}
	text, ok := datePosix(arg, d.inv.Now().In(d.zone))
	if !ok {
		d.inv.Errorf("invalid date %s", d.inv.QuoteArg(arg))
		return 1, false
	}
	d.set, d.text = true, &text
	return 0, true
}

// datePosix turns MMDDhhmm[[CC]YY][.ss] into a date that Parse reads.
func datePosix(arg string, now time.Time) (string, bool) {
	digits, sec, hasSec := strings.Cut(arg, ".")
	if strings.Trim(digits+sec, "0123456789") != "" || hasSec && len(sec) != 2 {
		return "", false
	}
	if !hasSec {
		sec = "00"
	}
	year := now.Format("2006")
	switch len(digits) {
	case 8:
	case 10:
		century := "20"
		if digits[8:10] >= "69" {
			century = "19"
		}
		year = century + digits[8:10]
	case 12:
		year = digits[8:12]
	default:
		return "", false
	}
	text := year + "-" + digits[:2] + "-" + digits[2:4] + " " + digits[4:6] + ":" + digits[6:8] + ":" + sec
	_, err := time.Parse(time.DateTime, text)
	return text, err == nil
}

// when answers the one date to print; false has been reported.
func (d *dateRun) when(ctx context.Context) (time.Time, bool) {
	switch {
	case d.reference != nil:
		info, err := d.inv.FS.Stat(ctx, d.inv.Path(*d.reference))
		if err != nil {
			d.inv.FileError(*d.reference, err)
			return time.Time{}, false
		}
		return info.ModTime, true
	case d.resolution:
		return time.Unix(0, 1), true
	case d.text != nil:
		return d.parse(*d.text)
	}
	return d.inv.Now(), true
}

func (d *dateRun) parse(text string) (time.Time, bool) {
	t, err := datetime.Parse(text, d.inv.Now().In(d.zone))
	if err != nil {
		d.inv.Errorf("invalid date %s", d.inv.QuoteArg(text))
	}
	return t, err == nil
}

// lines prints a date for each line of a file.
func (d *dateRun) lines(ctx context.Context) int {
	r, err := d.inv.OpenOperand(ctx, *d.file)
	if err != nil {
		d.inv.FileError(*d.file, err)
		return 1
	}
	defer r.Close()
	status := 0
	for in := stream.NewLines(r, '\n', d.inv.Meter()); ctx.Err() == nil && d.out.Err() == nil; {
		line, err := in.Next()
		if errors.Is(err, io.EOF) {
			return status
		}
		if err != nil {
			d.inv.FileError(*d.file, err)
			return 1
		}
		text, _ := stream.Chomp(line, '\n')
		if t, ok := d.parse(string(text)); ok {
			d.print(t)
		} else {
			status = 1
		}
	}
	return status
}

func (d *dateRun) print(t time.Time) {
	_, _ = d.out.WriteString(datetime.Format(d.format, t.In(d.zone)) + "\n")
}
