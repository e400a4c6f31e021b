package find

import (
	"math"
	"strconv"
	"time"

	"mirage/shell/program/walk"
	"mirage/shell/programs/datetime"
	"mirage/vfs"
)

const (
	dayUnit    = 24 * time.Hour
	minuteUnit = time.Minute
)

// timeField answers one of a file's times: a, B, c or m.
func timeField(info vfs.Info, which byte) (time.Time, bool) {
	t := info.ModTime
	switch which {
	case 'a':
		t = info.AccessTime
	case 'c':
		t = info.ChangeTime
	case 'B':
		return info.BirthTime, !info.BirthTime.IsZero()
	}
	if t.IsZero() {
		t = info.ModTime
	}
	return t, true
}

// seconds is a point in time as a number.
func seconds(t time.Time) float64 { return float64(t.Unix()) + float64(t.Nanosecond())/1e9 }

// age reads -mtime, -amin and their kind: the number may have a fraction. Days
// are whole ones, counted down; a minute N lies between N-1 and N.
func age(which byte, unit time.Duration) argumentFunc {
	return func(p *parser, arg string) (expr, error) {
		sign, text := byte(0), arg
		if arg != "" && (arg[0] == '+' || arg[0] == '-') {
			sign, text = arg[0], arg[1:]
		}
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || text[0] == '+' || text[0] == '-' {
			return nil, problemf("invalid argument `%s' to `%s'", arg, p.last)
		}
		now := p.f.now
		if p.f.dayStart {
			local := now.In(p.f.inv.Location)
			now = time.Date(local.Year(), local.Month(), local.Day()+1, 0, 0, 0, 0, p.f.inv.Location)
		}
		origin, window := seconds(now), unit.Seconds()
		if unit == dayUnit {
			origin -= window
		}
		point := origin - n*window
		return testFunc(func(it *item) bool {
			t, ok := timeField(it.Info, which)
			if !ok {
				return false
			}
			at := seconds(t)
			switch {
			case sign == '+':
				return at < point
			case sign == '-' && unit == dayUnit:
				return at > point+window-1
			case sign == '-':
				return at > point
			}
			return at > point && at <= point+window
		}), nil
	}
}

// newer reads -newer, -anewer and -cnewer: one of the file's times against the
// time of change of another's contents.
func newer(which byte) argumentFunc {
	return func(p *parser, arg string) (expr, error) { return p.newerThanFile(which, 'm', arg) }
}

func (p *parser) newerThanFile(which, of byte, arg string) (expr, error) {
	stat := p.f.inv.FS.Lstat
	if p.f.follow != walk.FollowNever {
		stat = p.f.inv.FS.Stat
	}
	info, err := stat(p.f.ctx, p.f.inv.Path(arg))
	if err != nil {
		return nil, problemf("%s: %s", p.f.inv.Quote(arg), vfs.Phrase(err))
	}
	than, ok := timeField(info, of)
	if !ok {
		return nil, problemf("Cannot obtain birth time of file %s", p.f.inv.QuoteArg(arg))
	}
	return newerThan(which, than), nil
}

func newerThan(which byte, than time.Time) expr {
	return testFunc(func(it *item) bool {
		t, ok := timeField(it.Info, which)
		return ok && t.After(than)
	})
}

// newerXY reads -newermt and its kind: X is a time of the file, Y one of the
// reference, or "t" for a date.
func (p *parser) newerXY(name string) (expr, error) {
	x, y := name[6], name[7]
	valid := func(c byte) bool { return c == 'a' || c == 'B' || c == 'c' || c == 'm' }
	if !valid(x) || !valid(y) && y != 't' {
		return nil, problemf("invalid predicate `%s'", name)
	}
	if len(p.args) == 0 {
		return nil, problemf("The %s test needs an argument", p.f.inv.QuoteArg(name))
	}
	arg := p.take()
	p.lastArg = true
	if y != 't' {
		return p.newerThanFile(x, y, arg)
	}
	than, err := datetime.Parse(arg, p.f.now.In(p.f.inv.Location))
	if err != nil {
		return nil, problemf("I cannot figure out how to interpret %s as a date or time", p.f.inv.QuoteArg(arg))
	}
	return newerThan(x, than), nil
}

// used reads -used: days between the last access and the last change.
func used(p *parser, arg string) (expr, error) {
	c, ok := parseComparison(arg)
	if !ok {
		return nil, problemf("Invalid argument %s to -used", arg)
	}
	return testFunc(func(it *item) bool {
		a, _ := timeField(it.Info, 'a')
		ch, _ := timeField(it.Info, 'c')
		delta := a.Sub(ch)
		return delta >= 0 && c.holds(int64(delta/dayUnit))
	}), nil
}
