package programs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/programs/datetime"
	"mirage/vfs"
)

var touchSpec = getopt.Spec{
	Name:     "touch",
	Synopsis: []string{"[OPTION]... FILE..."},
	Summary:  "Update the access and modification times of each FILE to the current time.",
	Options: []getopt.Option{
		{Short: "a", Help: "change only the access time"},
		{Short: "c", Long: "no-create", Help: "do not create any files"},
		{Short: "d", Long: "date", Arg: getopt.Required, Meta: "STRING", Help: "parse STRING and use it instead of current time"},
		{Short: "f", Help: "(ignored)"},
		{Short: "h", Long: "no-dereference", Help: "affect each symbolic link instead of any referenced file"},
		{Short: "m", Help: "change only the modification time"},
		{Short: "r", Long: "reference", Arg: getopt.Required, Meta: "FILE", Help: "use this file's times instead of current time"},
		{Short: "t", Arg: getopt.Required, Meta: "STAMP", Help: "use [[CC]YY]MMDDhhmm[.ss] instead of current time"},
		{Long: "time", Arg: getopt.Required, Meta: "WORD", Help: "change the specified time:\nWORD is access, atime, or use: equivalent to -a\nWORD is modify or mtime: equivalent to -m"},
	},
}

type touchOptions struct {
	access, modify, noCreate, noDeref bool
	explicit                          bool // the times were given
	atime, mtime                      time.Time
}

func runTouch(ctx context.Context, inv *program.Invocation) int {
	var o touchOptions
	var date, reference, stamp *string
	p := touchSpec.Parse(inv)
	for p.Next() {
		value := p.Opt.Value
		switch p.Opt.Name {
		case "a":
			o.access = true
		case "c":
			o.noCreate = true
		case "d":
			date = &value
		case "h":
			o.noDeref, o.noCreate = true, true
		case "m":
			o.modify = true
		case "r":
			reference = &value
		case "t":
			t, ok := touchStamp(value, inv.Now().In(inv.Location))
			if !ok {
				return p.Fail("invalid date format %s", inv.QuoteArg(value))
			}
			stamp = &value
			o.atime, o.mtime, o.explicit = t, t, true
		case "time":
			switch word, _ := p.OneOf("atime access use", "mtime modify"); word {
			case "atime":
				o.access = true
			case "mtime":
				o.modify = true
			}
		}
	}
	if p.Stopped {
		return p.Status
	}
	if !o.access && !o.modify {
		o.access, o.modify = true, true
	}
	if stamp != nil && (date != nil || reference != nil) {
		return p.Usage("cannot specify times from more than one source")
	}
	if stamp == nil {
		now := inv.Now().In(inv.Location)
		o.atime, o.mtime = now, now
	}
	if reference != nil {
		if !o.fromFile(ctx, inv, *reference) {
			return 1
		}
	}
	if date != nil && !o.fromDate(inv, *date) {
		return 1
	}
	if len(p.Operands) == 0 {
		return p.Usage("missing file operand")
	}
	status := 0
	for _, name := range p.Operands {
		if ctx.Err() != nil || !o.touch(ctx, inv, name) {
			status = 1
		}
	}
	return status
}

func (o *touchOptions) fromFile(ctx context.Context, inv *program.Invocation, name string) bool {
	stat := inv.FS.Stat
	if o.noDeref {
		stat = inv.FS.Lstat
	}
	info, err := stat(ctx, inv.Path(name))
	if err != nil {
		inv.Fail(err, "failed to get attributes of %s", inv.Quote(name))
		return false
	}
	o.atime, o.mtime, o.explicit = info.AccessTime.In(inv.Location), info.ModTime.In(inv.Location), true
	if o.atime.IsZero() {
		o.atime = o.mtime
	}
	return true
}

// fromDate reads -d, relative to the reference's times if there are any.
func (o *touchOptions) fromDate(inv *program.Invocation, date string) bool {
	atime, err := datetime.Parse(date, o.atime)
	mtime := atime
	if err == nil && !o.mtime.Equal(o.atime) {
		mtime, err = datetime.Parse(date, o.mtime)
	}
	if err != nil {
		inv.Errorf("invalid date format %s", inv.QuoteArg(date))
		return false
	}
	o.atime, o.mtime, o.explicit = atime, mtime, true
	return true
}

func (o *touchOptions) touch(ctx context.Context, inv *program.Invocation, name string) bool {
	if name == "-" {
		return true // the times of standard output are nobody's
	}
	attr := vfs.Attr{}
	if o.access {
		attr.AccessTime = &o.atime
	}
	if o.modify {
		attr.ModTime = &o.mtime
	}
	path := inv.Path(name)
	err := inv.FS.SetAttr(ctx, path, attr, !o.noDeref)
	if err == nil {
		return true
	}
	switch {
	case o.noCreate && !o.noDeref && errors.Is(err, syscall.ENOENT):
		return true
	case o.noCreate, strings.HasSuffix(name, "/"), inv.IsDir(ctx, name):
		// touch could not open it for writing, and only then reports
		// what went wrong with the times.
		inv.Fail(err, "setting times of %s", inv.Quote(name))
		return false
	case !errors.Is(err, syscall.ENOENT):
		inv.Fail(err, "cannot touch %s", inv.Quote(name))
		return false
	}
	f, err := inv.FS.Open(ctx, path, os.O_WRONLY|os.O_CREATE, fs.FileMode(0o666&^inv.Umask))
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		inv.Fail(err, "cannot touch %s", inv.Quote(name))
		return false
	}
	if o.explicit || o.access != o.modify {
		if err := inv.FS.SetAttr(ctx, path, attr, true); err != nil {
			inv.Fail(err, "setting times of %s", inv.Quote(name))
			return false
		}
	}
	return true
}

// touchStamp reads [[CC]YY]MMDDhhmm[.ss].
func touchStamp(s string, now time.Time) (time.Time, bool) {
	digits, seconds, dotted := strings.Cut(s, ".")
	for _, c := range digits + seconds {
		if c < '0' || c > '9' {
			return time.Time{}, false
		}
	}
	if dotted && len(seconds) != 2 {
		return time.Time{}, false
	}
	year := now.Year()
	switch len(digits) {
	case 12:
		year, _ = strconv.Atoi(digits[:4])
		digits = digits[4:]
	case 10:
		year, _ = strconv.Atoi(digits[:2])
		if year < 69 {
			year += 100
		}
		year += 1900
		digits = digits[2:]
	case 8:
	default:
		return time.Time{}, false
	}
	var part [5]int
	for i := range 4 {
		part[i], _ = strconv.Atoi(digits[2*i : 2*i+2])
	}
	if dotted {
		part[4], _ = strconv.Atoi(seconds)
	}
	leap := part[4] == 60
	if leap {
		part[4] = 59
	}
	t := time.Date(year, time.Month(part[0]), part[1], part[2], part[3], part[4], 0, now.Location())
	if int(t.Month()) != part[0] || t.Day() != part[1] || t.Hour() != part[2] || t.Minute() != part[3] || t.Second() != part[4] {
		return time.Time{}, false
	}
	if leap {
		t = t.Add(time.Second)
	}
	return t, true
}
