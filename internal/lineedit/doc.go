// Package lineedit edits a line on a terminal that is known only by the bytes
// that come from it and go to it. Nothing here reads, writes, waits or starts
// a goroutine: bytes are fed in, and what to send back and what has happened
// come out. Editor is for terminals that understand cursor movements, Cooked
// is the canonical mode of a terminal driver for those that do not, and for
// commands that read a terminal.
package lineedit

// Event is what a fed byte has completed.
type Event int

// The events. After any of them but None, feeding stops so that the caller
// can act; the rest of the bytes is fed later.
const (
	None      Event = iota
	Accept          // a line is complete
	Interrupt       // Ctrl-C: the line is dropped
	EOF             // Ctrl-D on an empty line
	Suspend         // Ctrl-Z, Cooked only
	Quit            // Ctrl-\, Cooked only
)

// MaxLine is the most bytes that a line under edit may have; further ones are
// rung with BEL and dropped.
const MaxLine = 1 << 20

const bel = '\a'
