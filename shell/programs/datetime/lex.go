package datetime

import (
	"math"
	"strings"
	"time"
)

const blanks = " \t\n\v\f\r"

func isAlpha(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// kind is a class of tokens.
type kind byte

const (
	kEnd      kind = iota
	kBad           // a word or number that nothing knows
	kChar          // one other byte, in value
	kUnsigned      // digits
	kSigned        // digits with a sign before them
	kUDecimal      // seconds with a fraction
	kSDecimal
	kMeridian  // am, pm
	kMonth     // value 1 to 12
	kDay       // value 0 (Sunday) to 6
	kZone      // value: seconds east
	kDayZone   // the same, of a daylight saving name; an hour is to be added
	kLocalZone // value: 1 when daylight saving, 0 when not, -1 when unknown
	kMilitaryT // the letter T, a zone or the middle of ISO 8601
	kDST
	kUnit      // unit in value2, count in value
	kDayShift  // tomorrow, yesterday, today, now
	kOrdinal   // next, last, this, first, third, ...
	kDirection // ago, hence
)

// unit is what a relative item counts in.
type unit byte

const (
	uYear unit = iota
	uMonth
	uDay
	uHour
	uMinute
	uSecond
)

type token struct {
	kind     kind
	value    int64
	digits   int   // how many the number had, sign not counted
	negative bool  // a number with a minus sign, -0 included
	nsec     int64 // of a decimal, 0 to 999999999, added to value (rounded down)
	unit     unit
}

// lexer cuts text into tokens. Two may be looked at beyond the current one.
type lexer struct {
	text  string
	zones []localZone
	ahead []token
}

// localZone is a zone name of the text's own location.
type localZone struct {
	name string
	dst  int64
}

// newLexer learns the names of now's location: today's, and the first other
// one within the next three quarters.
func newLexer(text string, now time.Time) *lexer {
	l := &lexer{text: text}
	name, _ := now.Zone()
	l.zones = append(l.zones, localZone{name, boolInt(now.IsDST())})
	for quarter := 1; quarter <= 3; quarter++ {
		probe := now.Add(time.Duration(quarter) * 90 * 24 * time.Hour)
		if dst := boolInt(probe.IsDST()); dst != l.zones[0].dst {
			name, _ := probe.Zone()
			if name == l.zones[0].name {
				l.zones[0].dst = -1
			} else {
				l.zones = append(l.zones, localZone{name, dst})
			}
			break
		}
	}
	return l
}

func boolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// peek looks at a token without taking it; 0 is the next one.
func (l *lexer) peek(n int) token {
	for len(l.ahead) <= n {
		l.ahead = append(l.ahead, l.scan())
	}
	return l.ahead[n]
}

// take answers the next token and goes past it.
func (l *lexer) take() token {
	t := l.peek(0)
	copy(l.ahead, l.ahead[1:])
	l.ahead = l.ahead[:len(l.ahead)-1]
	return t
}

func (l *lexer) scan() token {
	for {
		l.text = strings.TrimLeft(l.text, blanks)
		if l.text == "" {
			return token{kind: kEnd}
		}
		switch c := l.text[0]; {
		case isDigit(c):
			return l.number(0)
		case c == '-' || c == '+':
			l.text = strings.TrimLeft(l.text[1:], blanks)
			if l.text != "" && isDigit(l.text[0]) {
				return l.number(c)
			}
			// A sign without a number is skipped.
		case isAlpha(c):
			n := 0
			for n < len(l.text) && (isAlpha(l.text[n]) || l.text[n] == '.') {
				n++
			}
			word := l.text[:n]
			l.text = l.text[n:]
			return l.word(word)
		case c == '(':
			if !l.comment() {
				return token{kind: kEnd}
			}
		default:
			l.text = l.text[1:]
			return token{kind: kChar, value: int64(c)}
		}
	}
}

// comment skips a parenthesised comment, which may nest and may lack its end.
func (l *lexer) comment() bool {
	depth := 0
	for i := 0; i < len(l.text); i++ {
		switch l.text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				l.text = l.text[i+1:]
				return true
			}
		}
	}
	l.text = ""
	return false
}

// number reads digits, and a fraction after '.' or ','. sign is '-', '+' or 0.
func (l *lexer) number(sign byte) token {
	t := token{kind: kUnsigned, negative: sign == '-'}
	if sign != 0 {
		t.kind = kSigned
	}
	n := 0
	for n < len(l.text) && isDigit(l.text[n]) {
		d := int64(l.text[n] - '0')
		if t.value > (math.MaxInt64-d)/10 {
			return token{kind: kBad}
		}
		t.value = t.value*10 + d
		n++
	}
	t.digits = n
	if t.negative {
		t.value = -t.value
	}
	l.text = l.text[n:]
	if len(l.text) < 2 || l.text[0] != '.' && l.text[0] != ',' || !isDigit(l.text[1]) {
		return t
	}
	if t.kind == kSigned {
		t.kind = kSDecimal
	} else {
		t.kind = kUDecimal
	}
	return l.fraction(t)
}

// fraction reads nanoseconds; what is finer is dropped towards the past.
func (l *lexer) fraction(t token) token {
	rest := l.text[1:]
	n, inexact := 0, false
	for ; n < len(rest) && isDigit(rest[n]); n++ {
		if n < 9 {
			t.nsec = t.nsec*10 + int64(rest[n]-'0')
		} else if rest[n] != '0' {
			inexact = true
		}
	}
	for i := n; i < 9; i++ {
		t.nsec *= 10
	}
	l.text = rest[n:]
	if t.negative {
		if inexact {
			t.nsec++
		}
		if t.nsec > 0 {
			if t.value == math.MinInt64 {
				return token{kind: kBad}
			}
			t.value--
			t.nsec = 1e9 - t.nsec
		}
	}
	return t
}
