// Package signals names the signals of Linux, as `kill -l` lists them.
package signals

import (
	"strconv"
	"strings"
)

// Signal is the number of a signal.
type Signal int

// The signals that programs speak of.
const (
	HUP  Signal = 1
	INT  Signal = 2
	KILL Signal = 9
	PIPE Signal = 13
	TERM Signal = 15
)

// Max is the highest signal number.
const Max = 64

var names = [...]string{
	"EXIT", "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM",
	"STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "POLL", "PWR", "SYS",
}

const (
	rtMin = 34
	rtMax = 64
)

// Name is the name of a signal without "SIG": "TERM". "" for a number that
// names none.
func (s Signal) Name() string {
	switch {
	case s >= 0 && int(s) < len(names):
		return names[s]
	case s == rtMin:
		return "RTMIN"
	case s == rtMax:
		return "RTMAX"
	case s > rtMin && s <= rtMin+(rtMax-rtMin)/2:
		return "RTMIN+" + strconv.Itoa(int(s)-rtMin)
	case s > rtMin && s < rtMax:
		return "RTMAX-" + strconv.Itoa(rtMax-int(s))
	}
	return ""
}

// Ends tells whether the default action of a signal ends a process.
func (s Signal) Ends() bool {
	switch s.Name() {
	case "", "EXIT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "WINCH":
		return false
	}
	return true
}

// Parse reads a signal as kill and timeout do: a number, or a name in either
// case with or without "SIG". "EXIT" and 0 are signal 0.
func Parse(s string) (Signal, bool) {
	if n, err := strconv.Atoi(s); err == nil {
		// The status of a process that a signal ended names it too.
		if n >= 0xff {
			n &= 0xff
		} else if n >= 0 {
			n &= 0x7f
		}
		return Signal(n), Signal(n).Name() != ""
	}
	name := strings.TrimPrefix(strings.ToUpper(s), "SIG")
	switch name {
	case "IOT":
		return 6, true
	case "CLD":
		return 17, true
	case "IO":
		return 29, true
	}
	for i := range Max + 1 {
		if n := Signal(i).Name(); n != "" && n == name {
			return Signal(i), true
		}
	}
	return 0, false
}
