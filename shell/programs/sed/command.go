package sed

import "mirage/shell/regex"

// addressKind says how an address selects lines.
type addressKind int

const (
	addressLine     addressKind = iota // line n; 0 only before a regular expression
	addressStep                        // line n and each step-th after it
	addressLast                        // the last line
	addressRegex                       // lines that match
	addressPlus                        // as a second address: n lines more
	addressMultiple                    // as a second address: up to a multiple of n
)

type address struct {
	kind    addressKind
	n, step int64
	pattern *pattern
}

// pattern is a regular expression of the script; without a matcher it is the
// empty one, which stands for the last one used.
type pattern struct {
	m *regex.Matcher
}

// rangeState is where a command with two addresses stands.
type rangeState int

const (
	rangeOff    rangeState = iota
	rangeActive            // between the first line and the last
	rangeClosed            // has been active
)

// command is one command of a script.
type command struct {
	a1, a2 *address
	not    bool
	state  rangeState
	end    int64 // last line of an active range that ends by number

	name   byte
	text   []byte // a, i, c; e's command
	label  string
	target int   // of b, t, T; for { the command after its }
	n      int64 // argument of q, Q, l, L; -1 when there is none
	file   string
	out    *output // w, W
	sub    *substitution
	table  *transliteration
}

// substitution is an s command.
type substitution struct {
	pattern *pattern
	parts   []part
	refs    int // largest group that the replacement names
	global  bool
	number  int
	print   bool
	eval    bool
	out     *output
}

// part is a piece of a replacement: a change of case, then text, then a group.
type part struct {
	change caseChange
	text   []byte
	group  int // -1 for none
}

// caseChange is one of \U \L \E \u \l.
type caseChange byte

const (
	caseNone       caseChange = 0
	caseUpper      caseChange = 'U'
	caseLower      caseChange = 'L'
	caseEnd        caseChange = 'E'
	caseUpperFirst caseChange = 'u'
	caseLowerFirst caseChange = 'l'
)

// transliteration is a y command: a table of bytes, or of characters.
type transliteration struct {
	bytes [256]byte
	runes map[rune]rune // in a UTF-8 locale
}
