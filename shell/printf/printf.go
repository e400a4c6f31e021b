// Package printf is the formatting engine of printf(1), shared by the shell's
// builtin (bash) and the program (GNU coreutils).
package printf

import (
	"io"
	"time"
)

// Style chooses whose printf is followed where the two differ.
type Style uint8

// The styles.
const (
	Bash Style = iota
	GNU
)

// Printer formats. Its zero value is bash's printf in the C locale.
type Printer struct {
	Style    Style
	UTF8     bool
	Now      func() time.Time // for %(fmt)T; nil = time.Now
	Started  time.Time        // what -2 means to %(fmt)T
	Location *time.Location   // nil = UTC
	// Warn gets each message without the command's name: "abc: invalid
	// number", "`q': invalid format character".
	Warn func(msg string)
}

// Format writes format with args to w, reusing the format as often as it
// takes to consume args. It answers the exit status: 1 after a bad number or
// a bad directive. err is w's own error.
func (p *Printer) Format(w io.Writer, format string, args []string) (status int, err error) {
	return 0, nil
}
