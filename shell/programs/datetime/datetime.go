// Package datetime reads and writes points in time as GNU date does: the free
// grammar of `date -d` and `touch -d`, and strftime with GNU's flags.
// Everything speaks the C locale.
package datetime

import (
	"errors"
	"strings"
	"time"

	"mirage/shell/timezone"
)

// ErrInvalid is what Parse answers for text outside the grammar, or for a
// date that does not exist. Commands word it themselves:
// `date: invalid date 'x'`.
var ErrInvalid = errors.New("invalid date")

// The years that localtime(3) can express: tm_year is an int that counts
// from 1900.
const (
	minYear = -(1 << 31) + 1900
	maxYear = 1<<31 - 1 + 1900
)

// The seconds since 1970 of those years' ends.
const (
	minUnix = -67768040609740800
	maxUnix = 67768036191676799
)

// Representable reports whether localtime(3) could break a time down; date
// refuses the others with `time '...' is out of range`.
func Representable(unix int64) bool { return minUnix <= unix && unix <= maxUnix }

// Parse reads text by the rules of "Date input formats" of the GNU coreutils
// manual, relative to now. Fields without a zone are in now's location, and
// so is the answer. A leading TZ="..." rules the text alone.
func Parse(text string, now time.Time) (time.Time, error) {
	local := now.Location()
	text = strings.TrimLeft(text, blanks)
	if rest, ok := strings.CutPrefix(text, `TZ="`); ok {
		name, rest, ok := quotedZone(rest)
		if !ok {
			return time.Time{}, ErrInvalid
		}
		now = now.In(timezone.Of(name))
		text = strings.TrimLeft(rest, blanks)
	}
	if text == "" {
		text = "0" // the manual: an empty string means the beginning of today
	}
	p := &parser{lexer: newLexer(text, now)}
	if !p.parse() {
		return time.Time{}, ErrInvalid
	}
	t, ok := p.resolve(now)
	if !ok {
		return time.Time{}, ErrInvalid
	}
	return t.In(local), nil
}

// quotedZone reads the value of TZ="..." up to its closing quote, with
// backslash before a quote or a backslash.
func quotedZone(s string) (name, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			i++
			if i == len(s) || s[i] != '\\' && s[i] != '"' {
				return "", "", false
			}
			b.WriteByte(s[i])
		case '"':
			return b.String(), s[i+1:], true
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}
