package shell

import "strings"

// signal is a signal number, as on Linux.
type signal int

// The signals that the shell itself handles.
const (
	sigHUP  signal = 1
	sigINT  signal = 2
	sigQUIT signal = 3
	sigKILL signal = 9
	sigPIPE signal = 13
	sigALRM signal = 14
	sigTERM signal = 15
	sigCHLD signal = 17
	sigCONT signal = 18
	sigSTOP signal = 19
	sigTSTP signal = 20
	sigTTIN signal = 21
	sigTTOU signal = 22
	sigURG  signal = 23
	sigWNCH signal = 28
)

// signalNames lists the names without SIG by number, Linux on x86-64.
var signalNames = [...]string{
	1: "HUP", 2: "INT", 3: "QUIT", 4: "ILL", 5: "TRAP", 6: "ABRT", 7: "BUS", 8: "FPE", 9: "KILL", 10: "USR1",
	11: "SEGV", 12: "USR2", 13: "PIPE", 14: "ALRM", 15: "TERM", 16: "STKFLT", 17: "CHLD", 18: "CONT", 19: "STOP",
	20: "TSTP", 21: "TTIN", 22: "TTOU", 23: "URG", 24: "XCPU", 25: "XFSZ", 26: "VTALRM", 27: "PROF", 28: "WINCH",
	29: "IO", 30: "PWR", 31: "SYS",
	34: "RTMIN", 35: "RTMIN+1", 36: "RTMIN+2", 37: "RTMIN+3", 38: "RTMIN+4", 39: "RTMIN+5", 40: "RTMIN+6",
	41: "RTMIN+7", 42: "RTMIN+8", 43: "RTMIN+9", 44: "RTMIN+10", 45: "RTMIN+11", 46: "RTMIN+12", 47: "RTMIN+13",
	48: "RTMIN+14", 49: "RTMIN+15", 50: "RTMAX-14", 51: "RTMAX-13", 52: "RTMAX-12", 53: "RTMAX-11", 54: "RTMAX-10",
	55: "RTMAX-9", 56: "RTMAX-8", 57: "RTMAX-7", 58: "RTMAX-6", 59: "RTMAX-5", 60: "RTMAX-4", 61: "RTMAX-3",
	62: "RTMAX-2", 63: "RTMAX-1", 64: "RTMAX",
}

// signalTexts are what the shell says of a job that a signal ended,
// strsignal(3)'s words.
var signalTexts = [...]string{
	1: "Hangup", 2: "Interrupt", 3: "Quit", 4: "Illegal instruction", 5: "Trace/breakpoint trap", 6: "Aborted",
	7: "Bus error", 8: "Floating point exception", 9: "Killed", 10: "User defined signal 1", 11: "Segmentation fault",
	12: "User defined signal 2", 13: "Broken pipe", 14: "Alarm clock", 15: "Terminated", 16: "Stack fault",
	17: "Child exited", 18: "Continued", 19: "Stopped (signal)", 20: "Stopped", 21: "Stopped (tty input)",
	22: "Stopped (tty output)", 23: "Urgent I/O condition", 24: "CPU time limit exceeded", 25: "File size limit exceeded",
	26: "Virtual timer expired", 27: "Profiling timer expired", 28: "Window changed", 29: "I/O possible",
	30: "Power failure", 31: "Bad system call",
}

// String answers the name without SIG, "" for a number that is no signal.
func (s signal) String() string {
	if s > 0 && int(s) < len(signalNames) {
		return signalNames[s]
	}
	return ""
}

// text answers what a shell prints of a process that the signal ended.
func (s signal) text() string {
	if s > 0 && int(s) < len(signalTexts) && signalTexts[s] != "" {
		return signalTexts[s]
	}
	if n := s.String(); n != "" {
		return "Real-time signal " + itoa(int(s)-34)
	}
	return "Unknown signal " + itoa(int(s))
}

// ignoredByDefault reports whether the default action is to do nothing.
func (s signal) ignoredByDefault() bool {
	switch s {
	case sigCHLD, sigURG, sigWNCH, sigCONT:
		return true
	}
	return false
}

// stops reports whether the default action stops the process.
func (s signal) stops() bool {
	switch s {
	case sigSTOP, sigTSTP, sigTTIN, sigTTOU:
		return true
	}
	return false
}

// parseSignal reads a signal as kill and trap take it: a number, or a name in
// either case with or without SIG. 0 is EXIT to trap and "is it there" to
// kill.
func parseSignal(s string) (signal, bool) {
	if n, ok := atoi(s); ok {
		if n == 0 {
			return 0, true
		}
		if sig := signal(n); sig.String() != "" {
			return sig, true
		}
		return 0, false
	}
	name := strings.ToUpper(s)
	name = strings.TrimPrefix(name, "SIG")
	switch name {
	case "":
		return 0, false
	case "EXIT":
		return 0, true
	case "CLD":
		return sigCHLD, true
	case "POLL":
		return 29, true
	case "IOT":
		return 6, true
	}
	for n, have := range signalNames {
		if have == name {
			return signal(n), true
		}
	}
	return 0, false
}
