package shell

import (
	"slices"
	"strings"
)

func builtinTrap(e *Executor, args []string) int {
	f, rest, ok := e.parseTrapFlags(args)
	if !ok {
		return 2
	}
	switch {
	case f.on['l']:
		e.listSignals("trap")
		return 0
	case f.on['p'], len(rest) == 0:
		return e.printTraps(rest)
	}
	action := &rest[0]
	names := rest[1:]
	switch {
	case len(names) == 0:
		// A single operand resets the signal that it names.
		if _, ok := e.trapName(rest[0]); !ok {
			if _, special := specialTrap(rest[0]); !special {
				return e.usage("trap")
			}
		}
		action, names = nil, rest
	case rest[0] == "-":
		action = nil
	case isUnsigned(rest[0]):
		action, names = nil, rest
	}
	e.traps.standAt(action, e.where())
	status := 0
	for _, n := range names {
		if !e.setTrap(n, action) {
			e.errorf("trap: %s: invalid signal specification", n)
			status = 1
		}
	}
	e.publishTraps()
	return status
}

func isUnsigned(s string) bool {
	_, ok := atoi(s)
	return ok
}

// parseTrapFlags reads the options; "-" alone and signal names are operands.
func (e *Executor) parseTrapFlags(args []string) (flags, []string, bool) {
	return e.parseFlags(args, "lp")
}

// trapName reads a signal name of trap.
func (e *Executor) trapName(s string) (signal, bool) { return parseSignal(s) }

// specialTrap reads the names of trap that are no signals.
func specialTrap(s string) (string, bool) {
	name := strings.TrimPrefix(strings.ToUpper(s), "SIG")
	switch name {
	case "EXIT", "ERR", "DEBUG", "RETURN":
		return name, true
	}
	if s == "0" {
		return "EXIT", true
	}
	return "", false
}

// setTrap sets, ignores or resets one signal; false when there is none of
// that name.
func (e *Executor) setTrap(name string, action *string) bool {
	e.traps.parent = nil
	if special, ok := specialTrap(name); ok {
		switch special {
		case "EXIT":
			e.traps.exit = action
		case "ERR":
			e.traps.err = action
		case "DEBUG":
			e.traps.debug = action
		case "RETURN":
			e.traps.ret = action
		}
		return true
	}
	sig, ok := parseSignal(name)
	if !ok || sig == 0 {
		return false
	}
	if sig == sigKILL || sig == sigSTOP {
		return true
	}
	e.traps.setSignal(sig, action)
	return true
}

// printTraps lists the traps as commands.
func (e *Executor) printTraps(names []string) int {
	var b strings.Builder
	traps := &e.traps
	if traps.parent != nil {
		traps = traps.parent
	}
	line := func(action *string, name string) {
		if action != nil {
			b.WriteString("trap -- " + shellQuote(*action) + " " + name + "\n")
		}
	}
	var signals []signal
	for s := range traps.signals {
		signals = append(signals, s)
	}
	slices.Sort(signals)
	want := func(name string) bool {
		return len(names) == 0 || slices.ContainsFunc(names, func(n string) bool {
			if s, ok := specialTrap(n); ok {
				return s == name
			}
			s, ok := parseSignal(n)
			return ok && "SIG"+s.String() == name
		})
	}
	if want("EXIT") {
		line(traps.exit, "EXIT")
	}
	for _, s := range signals {
		action := traps.signals[s]
		if want("SIG" + s.String()) {
			line(&action, "SIG"+s.String())
		}
	}
	if want("DEBUG") {
		line(traps.debug, "DEBUG")
	}
	if want("ERR") {
		line(traps.err, "ERR")
	}
	if want("RETURN") {
		line(traps.ret, "RETURN")
	}
	status := 0
	for _, n := range names {
		if _, special := specialTrap(n); !special {
			if s, ok := parseSignal(n); !ok || s == 0 {
				e.errorf("trap: %s: invalid signal specification", n)
				status = 1
			}
		}
	}
	if b.Len() > 0 && !e.write("trap", []byte(b.String())) {
		return 1
	}
	return status
}

// listSignals prints the table of kill -l and trap -l.
func (e *Executor) listSignals(name string) {
	var b strings.Builder
	column := 0
	for n, s := range signalNames {
		if s == "" {
			continue
		}
		b.WriteString(padLeft(itoa(n), 2) + ") SIG" + s)
		column++
		if column == 5 {
			b.WriteByte('\n')
			column = 0
		} else {
			b.WriteByte('\t')
		}
	}
	if column > 0 {
		b.WriteByte('\n')
	}
	e.write(name, []byte(b.String()))
}
