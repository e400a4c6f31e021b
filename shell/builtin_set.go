package shell

import (
	"slices"
	"strings"
)

func builtinSet(e *Executor, args []string) int {
	rest := args[1:]
	if len(rest) == 0 {
		return e.printSet()
	}
	for len(rest) > 0 {
		word := rest[0]
		switch {
		case word == "--":
			e.setParams(rest[1:])
			return 0
		case word == "-":
			e.setOption(optXtrace, false)
			e.setOption(optVerbose, false)
			if len(rest) > 1 {
				e.setParams(rest[1:])
			}
			return 0
		case len(word) < 2 || word[0] != '-' && word[0] != '+':
			e.setParams(rest)
			return 0
		}
		rest = rest[1:]
		on := word[0] == '-'
		for _, c := range []byte(word[1:]) {
			if c == 'o' {
				if len(rest) == 0 {
					e.printOptions("set", on)
					continue
				}
				o, ok := optionByName(rest[0])
				if !ok {
					e.errorf("set: %s: invalid option name", rest[0])
					return 2
				}
				e.setOption(o, on)
				rest = rest[1:]
				continue
			}
			o, ok := optionByLetter(c)
			if !ok {
				return e.usageError("set", word[:1]+string(rune(c)), "invalid option")
			}
			e.setOption(o, on)
		}
	}
	return 0
}

// setParams replaces the positional parameters.
func (e *Executor) setParams(words []string) {
	held, ok := e.hold(words)
	if !ok {
		return
	}
	e.s.memory.Give(e.paramsHeld)
	e.paramsHeld = held
	e.x.Params = slices.Clone(words)
	e.paramsSet++
}

// printSet lists variables and functions.
func (e *Executor) printSet() int {
	var b strings.Builder
	for _, n := range e.vars.Names() {
		if line, ok := e.vars.FormatSet(n); ok {
			b.WriteString(line + "\n")
		}
	}
	if !e.opts[optPosix] {
		for _, n := range e.functionNames() {
			b.WriteString(e.functionSource(e.funcs[n]) + "\n")
		}
	}
	if !e.write("set", []byte(b.String())) {
		return 1
	}
	return 0
}

// printOptions lists the options, as a table or as commands.
func (e *Executor) printOptions(name string, table bool) {
	var b strings.Builder
	for i, o := range optionNames {
		b.WriteString(e.optionLine(o.name, e.opts[i], table))
	}
	e.write(name, []byte(b.String()))
}

func (e *Executor) optionLine(name string, on, table bool) string {
	if !table {
		if on {
			return "set -o " + name + "\n"
		}
		return "set +o " + name + "\n"
	}
	return padRight(name, 15) + "\t" + onOff(on) + "\n"
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func padRight(s string, n int) string {
	if len(s) < n {
		return s + strings.Repeat(" ", n-len(s))
	}
	return s
}

func builtinShopt(e *Executor, args []string) int {
	f, rest, ok := e.parseFlags(args, "pqsuo")
	if !ok {
		return 2
	}
	if f.on['s'] && f.on['u'] {
		e.errorf("shopt: cannot set and unset shell options simultaneously")
		return 1
	}
	get := func(name string) (on, known bool) {
		if f.on['o'] {
			o, ok := optionByName(name)
			return ok && e.opts[o], ok
		}
		o, ok := shoptByName(name)
		return ok && e.shopts[o], ok
	}
	line := func(name string, on bool) string {
		switch {
		case f.on['p'] && f.on['o']:
			return e.optionLine(name, on, false)
		case f.on['p'] && on:
			return "shopt -s " + name + "\n"
		case f.on['p']:
			return "shopt -u " + name + "\n"
		case f.on['o']:
			return e.optionLine(name, on, true)
		}
		return padRight(name, 15) + "\t" + onOff(on) + "\n"
	}
	var b strings.Builder
	if len(rest) == 0 {
		names := shoptNames[:]
		if f.on['o'] {
			names = nil
			for _, o := range optionNames {
				names = append(names, o.name)
			}
		}
		for _, n := range names {
			on, _ := get(n)
			if f.on['s'] && !on || f.on['u'] && on {
				continue
			}
			b.WriteString(line(n, on))
		}
		if !f.on['q'] {
			e.write("shopt", []byte(b.String()))
		}
		return 0
	}
	status := 0
	for _, n := range rest {
		on, known := get(n)
		if !known {
			what := "shell option name"
			if f.on['o'] {
				what = "option name"
			}
			e.errorf("shopt: %s: invalid %s", n, what)
			status = 1
			continue
		}
		switch {
		case f.on['s'] || f.on['u']:
			if f.on['o'] {
				o, _ := optionByName(n)
				e.setOption(o, f.on['s'])
				continue
			}
			o, _ := shoptByName(n)
			if o == shoptRestrictedShell || o == shoptLoginShell {
				status = 1
				continue
			}
			e.shopts[o] = f.on['s']
			e.syncOptions()
		default:
			if !on {
				status = 1
			}
			if !f.on['q'] {
				b.WriteString(line(n, on))
			}
		}
	}
	if b.Len() > 0 {
		e.write("shopt", []byte(b.String()))
	}
	return status
}

func builtinUmask(e *Executor, args []string) int {
	f, rest, ok := e.parseFlags(args, "pS")
	if !ok {
		return 2
	}
	if len(rest) == 0 {
		s := octal4(e.umask)
		if f.on['S'] {
			s = symbolicUmask(e.umask)
		}
		if f.on['p'] {
			if f.on['S'] {
				s = "-S " + s
			}
			s = "umask " + s
		}
		e.write("umask", []byte(s+"\n"))
		return 0
	}
	mask, err := parseUmask(rest[0], e.umask)
	if err != "" {
		e.errorf("umask: %s", err)
		return 1
	}
	e.umask = mask
	if f.on['S'] {
		e.write("umask", []byte(symbolicUmask(mask)+"\n"))
	}
	return 0
}

func octal4(m uint32) string {
	s := ""
	for i := 9; i >= 0; i -= 3 {
		s += string(rune('0' + m>>i&7))
	}
	return s
}

func symbolicUmask(mask uint32) string {
	s := ""
	for i, who := range []string{"u", "g", "o"} {
		if i > 0 {
			s += ","
		}
		s += who + "="
		bits := ^mask >> (6 - 3*i) & 7
		for j, c := range []string{"r", "w", "x"} {
			if bits>>(2-j)&1 != 0 {
				s += c
			}
		}
	}
	return s
}

// parseUmask reads an octal or symbolic mask; err is the message of a wrong
// one.
func parseUmask(s string, old uint32) (mask uint32, err string) {
	if s != "" && s[0] >= '0' && s[0] <= '9' {
		for _, c := range []byte(s) {
			if c < '0' || c > '7' || mask > 0o777 {
				return 0, s + ": octal number out of range"
			}
			mask = mask<<3 | uint32(c-'0')
		}
		if mask > 0o777 {
			return 0, s + ": octal number out of range"
		}
		return mask, ""
	}
	perm := ^old & 0o777
	for _, clause := range strings.Split(s, ",") {
		who := uint32(0)
		i := 0
		for ; i < len(clause); i++ {
			switch clause[i] {
			case 'u':
				who |= 0o700
				continue
			case 'g':
				who |= 0o070
				continue
			case 'o':
				who |= 0o007
				continue
			case 'a':
				who |= 0o777
				continue
			}
			break
		}
		if who == 0 {
			who = 0o777
		}
		if i == len(clause) || strings.IndexByte("+-=", clause[i]) < 0 {
			c := ""
			if i < len(clause) {
				c = clause[i : i+1]
			}
			return 0, "`" + c + "': invalid symbolic mode operator"
		}
		op := clause[i]
		bits := uint32(0)
		for _, c := range []byte(clause[i+1:]) {
			switch c {
			case 'r':
				bits |= 0o444
			case 'w':
				bits |= 0o222
			case 'x':
				bits |= 0o111
			default:
				return 0, "`" + string(rune(c)) + "': invalid symbolic mode character"
			}
		}
		bits &= who
		switch op {
		case '+':
			perm |= bits
		case '-':
			perm &^= bits
		default:
			perm = perm&^who | bits
		}
	}
	return ^perm & 0o777, ""
}

func builtinUlimit(e *Executor, args []string) int {
	limits := []struct {
		letter byte
		what   string
		value  string
	}{
		{'R', "real-time non-blocking time  (microseconds, -R)", "unlimited"},
		{'c', "core file size              (blocks, -c)", "0"},
		{'d', "data seg size               (kbytes, -d)", "unlimited"},
		{'f', "file size                   (blocks, -f)", "unlimited"},
		{'m', "max memory size             (kbytes, -m)", itoa(int(e.cfg.Limits.Memory >> 10))},
		{'n', "open files                          (-n)", itoa(e.cfg.Limits.Descriptors)},
		{'p', "pipe size                (512 bytes, -p)", itoa(pipeSize / 512)},
		{'s', "stack size                  (kbytes, -s)", "8192"},
		{'t', "cpu time                   (seconds, -t)", "unlimited"},
		{'u', "max user processes                  (-u)", itoa(e.cfg.Limits.Processes)},
		{'v', "virtual memory              (kbytes, -v)", "unlimited"},
	}
	f, rest, ok := e.parseFlags(args, "SHabcdefiklmnpqrstuvxPRT")
	if !ok {
		return 2
	}
	if len(rest) > 0 {
		e.errorf("ulimit: cannot modify limit: Operation not permitted")
		return 1
	}
	if f.on['a'] {
		var b strings.Builder
		for _, l := range limits {
			b.WriteString(l.what + " " + l.value + "\n")
		}
		e.write("ulimit", []byte(b.String()))
		return 0
	}
	asked := false
	for _, l := range limits {
		if f.on[l.letter] {
			e.write("ulimit", []byte(l.value+"\n"))
			asked = true
		}
	}
	if !asked {
		e.write("ulimit", []byte("unlimited\n"))
	}
	return 0
}

func builtinTimes(e *Executor, _ []string) int {
	e.write("times", []byte("0m0.000s 0m0.000s\n0m0.000s 0m0.000s\n"))
	return 0
}

func builtinLet(e *Executor, args []string) int {
	rest := args[1:]
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		e.errorf("let: expression expected")
		return 1
	}
	var n int64
	for _, a := range rest {
		var err error
		if n, err = e.x.ArithText(e.ctx, a); err != nil {
			return e.builtinError("let", err)
		}
	}
	if n == 0 {
		return 1
	}
	return 0
}
