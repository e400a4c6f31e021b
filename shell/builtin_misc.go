package shell

import (
	"errors"
	"io"
	"strings"

	"mirage/shell/expand"
	"mirage/shell/test"
	"mirage/shell/vars"
)

func builtinTest(e *Executor, args []string) int { return e.test(args[0], args[1:]) }

func builtinBracket(e *Executor, args []string) int {
	if args[len(args)-1] != "]" {
		e.errorf("[: missing `]'")
		return 2
	}
	return e.test("[", args[1:len(args)-1])
}

// test evaluates the expression of test and [.
func (e *Executor) test(name string, args []string) int {
	env := test.Env{
		FS: e.view(), Dir: e.dir, Terminal: e.isTerminal,
		IsSet: func(ref string) (bool, error) { return e.x.IsSet(e.ctx, ref) },
		IsRef: func(name string) bool {
			i, ok := e.vars.Info(name)
			return ok && i.Attr&vars.Nameref != 0
		},
		Option: func(name string) bool {
			o, ok := optionByName(name)
			return ok && e.opts[o]
		},
	}
	ok, err := test.Eval(e.ctx, &env, args)
	var bad *test.Error
	switch {
	case errors.As(err, &bad):
		e.errorf("%s: %s", name, bad.Msg)
		return 2
	case err != nil:
		e.fail(err)
		return 2
	case ok:
		return 0
	}
	return 1
}

// builtinError reports an error in a builtin under its name.
func (e *Executor) builtinError(name string, err error) int {
	var x *expand.Error
	if errors.As(err, &x) && x.Severity == expand.Fail || !errors.As(err, &x) && !errors.Is(err, vars.ErrMemory) {
		if e.ctx.Err() != nil {
			e.stopKilled()
			return e.status
		}
		e.errorf("%s: %s", name, strings.TrimPrefix(err.Error(), name+": "))
		return 1
	}
	e.fail(err)
	return e.status
}

// limitedBuffer refuses to grow beyond a limit.
type limitedBuffer struct {
	b interface {
		io.Writer
		Len() int
	}
	limit int64
}

func (l *limitedBuffer) Write(p []byte) (int, error) {
	if int64(l.b.Len()+len(p)) > l.limit {
		return 0, vars.ErrMemory
	}
	return l.b.Write(p)
}

// getoptsState is where getopts stands within a clustered word.
type getoptsState struct {
	index, at int
}

func builtinGetopts(e *Executor, args []string) int {
	_, rest, ok := e.parseFlags(args, "")
	if !ok {
		return 2
	}
	if len(rest) < 2 {
		return e.usage("getopts")
	}
	spec, name, words := rest[0], rest[1], rest[2:]
	if len(rest) == 2 {
		words = e.x.Params
	}
	silent := strings.HasPrefix(spec, ":")
	spec = strings.TrimPrefix(spec, ":")
	complain := !silent && e.vars.Get("OPTERR") != "0"
	index, _ := atoi(e.vars.Get("OPTIND"))
	index = max(index, 1)
	st := e.getopts
	if st.index != index {
		st = getoptsState{index: index, at: 1}
	}
	done := func() int {
		e.vars.Unset("OPTARG")
		e.setGetopts(name, "?", index, getoptsState{index: index, at: 1})
		return 1
	}
	if index > len(words) {
		return done()
	}
	word := words[index-1]
	if st.at <= 1 {
		st.at = 1
		switch {
		case word == "--":
			index++
			return done()
		case len(word) < 2 || word[0] != '-':
			return done()
		}
	}
	if st.at >= len(word) {
		return done()
	}
	c := word[st.at]
	st.at++
	next := index
	if st.at >= len(word) {
		next, st = index+1, getoptsState{index: index + 1, at: 1}
	}
	i := strings.IndexByte(spec, c)
	if i < 0 || c == ':' {
		if silent {
			e.vars.Set("OPTARG", string(rune(c)))
		} else {
			e.vars.Unset("OPTARG")
			if complain {
				e.writeFD(2, e.getoptsPrefix()+": illegal option -- "+string(rune(c))+"\n")
			}
		}
		return e.setGetopts(name, "?", next, st)
	}
	if i+1 >= len(spec) || spec[i+1] != ':' {
		e.vars.Unset("OPTARG")
		return e.setGetopts(name, string(rune(c)), next, st)
	}
	switch {
	case next == index:
		e.vars.Set("OPTARG", word[st.at:])
		next = index + 1
	case next <= len(words):
		e.vars.Set("OPTARG", words[next-1])
		next++
	default:
		st = getoptsState{index: next, at: 1}
		if silent {
			e.vars.Set("OPTARG", string(rune(c)))
			return e.setGetopts(name, ":", next, st)
		}
		e.vars.Unset("OPTARG")
		if complain {
			e.writeFD(2, e.getoptsPrefix()+": option requires an argument -- "+string(rune(c))+"\n")
		}
		return e.setGetopts(name, "?", next, st)
	}
	return e.setGetopts(name, string(rune(c)), next, getoptsState{index: next, at: 1})
}

func (e *Executor) getoptsPrefix() string { return e.name }

// setGetopts stores the answer of getopts: 0, or 1 when the name is none.
func (e *Executor) setGetopts(name, value string, index int, st getoptsState) int {
	e.vars.Set("OPTIND", itoa(index))
	e.getopts = st
	if !vars.ValidName(name) {
		e.errorf("getopts: `%s': not a valid identifier", name)
		return 1
	}
	if err := e.x.SetRef(e.ctx, name, value); err != nil {
		return e.builtinError("getopts", err)
	}
	return 0
}

func builtinHelp(e *Executor, args []string) int {
	f, rest, ok := e.parseFlags(args, "dms")
	if !ok {
		return 2
	}
	_ = f
	if len(rest) == 0 {
		var b strings.Builder
		b.WriteString("GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\n")
		b.WriteString("These shell commands are defined internally.  Type `help' to see this list.\n\n")
		for _, n := range builtinNames {
			b.WriteString(" " + synopsis(n) + "\n")
		}
		e.write("help", []byte(b.String()))
		return 0
	}
	status := 0
	for _, n := range rest {
		s := synopsis(n)
		if s == "" {
			e.errorf("help: no help topics match `%s'.  Try `help help' or `man -k %s' or `info %s'.", n, n, n)
			status = 1
			continue
		}
		e.write("help", []byte(n+": "+s+"\n"))
	}
	return status
}

func builtinEnable(e *Executor, args []string) int {
	f, rest, ok := e.parseFlags(args, "adnpsf:")
	if !ok {
		return 2
	}
	if f.on['f'] || f.on['d'] {
		e.errorf("enable: dynamic loading not available")
		return 2
	}
	if len(rest) == 0 || f.on['p'] {
		var b strings.Builder
		for _, n := range builtinNames {
			off := e.disabled[n]
			if f.on['s'] && !isSpecialBuiltin(n) || f.on['n'] && !off || !f.on['n'] && off && !f.on['a'] {
				continue
			}
			if off {
				b.WriteString("enable -n " + n + "\n")
			} else {
				b.WriteString("enable " + n + "\n")
			}
		}
		e.write("enable", []byte(b.String()))
		return 0
	}
	status := 0
	for _, n := range rest {
		if lookupBuiltin(n) == nil {
			e.errorf("enable: %s: not a shell builtin", n)
			status = 1
			continue
		}
		m := map[string]bool{}
		for k, v := range e.disabled {
			m[k] = v
		}
		m[n] = f.on['n']
		e.disabled = m
	}
	return status
}

// historyList answers the recorded lines and those that history -s added.
func (e *Executor) historyList() []string {
	var list []string
	if e.cfg.History != nil && !e.historyCleared {
		list = e.cfg.History()
	}
	return append(list[:len(list):len(list)], e.history...)
}

func builtinHistory(e *Executor, args []string) int {
	f, rest, ok := e.parseFlags(args, "cd:anrwps")
	if !ok {
		return 2
	}
	switch {
	case f.on['c']:
		e.history, e.historyCleared = nil, true
		return 0
	case f.on['d']:
		list := e.historyList()
		n, ok := number(f.arg['d'])
		if n < 0 {
			n = len(list) + 1 + n
		}
		if !ok || n < 1 || n > len(list) {
			e.errorf("history: %s: history position out of range", f.arg['d'])
			return 1
		}
		e.history, e.historyCleared = append(list[:n-1:n-1], list[n:]...), true
		return 0
	case f.on['s']:
		if len(rest) > 0 {
			e.history = append(e.history, strings.Join(rest, " "))
		}
		return 0
	case f.on['p']:
		for _, a := range rest {
			e.write("history", []byte(a+"\n"))
		}
		return 0
	case f.on['a'], f.on['n'], f.on['r'], f.on['w']:
		return e.historyFile(f, rest)
	}
	list := e.historyList()
	from := max(0, len(list)-500)
	if len(rest) > 0 {
		n, ok := number(rest[0])
		if !ok {
			e.errorf("history: %s: numeric argument required", rest[0])
			return 1
		}
		if len(rest) > 1 {
			e.errorf("history: too many arguments")
			return 1
		}
		from = max(0, len(list)-max(n, -n))
	}
	var b strings.Builder
	for i, line := range list[from:] {
		b.WriteString(padLeft(itoa(from+i+1), 5) + "  " + line + "\n")
	}
	if b.Len() > 0 && !e.write("history", []byte(b.String())) {
		return 1
	}
	return 0
}

func padLeft(s string, n int) string {
	if len(s) < n {
		return strings.Repeat(" ", n-len(s)) + s
	}
	return s
}

// historyFile reads or writes the list from or to a file.
func (e *Executor) historyFile(f flags, rest []string) int {
	name := e.vars.Get("HISTFILE")
	if len(rest) > 0 {
		name = rest[0]
	}
	if name == "" {
		return 0
	}
	if f.on['r'] || f.on['n'] {
		text, err := e.readScript(name)
		if err != nil {
			e.errorf("history: %s: %s", name, phrase(err))
			return 1
		}
		e.history = append(e.history, strings.Split(strings.TrimSuffix(text, "\n"), "\n")...)
		return 0
	}
	list := e.historyList()
	if f.on['a'] {
		list = e.history
	}
	data := strings.Join(list, "\n")
	if data != "" {
		data += "\n"
	}
	if f.on['a'] {
		if old, err := e.readScript(name); err == nil {
			data = old + data
		}
	}
	if err := e.view().WriteFile(e.ctx, e.abs(name), []byte(data), 0o600); err != nil {
		e.errorf("history: %s: cannot create: %s", name, phrase(err))
		return 1
	}
	return 0
}

func builtinFc(e *Executor, args []string) int {
	f, rest, ok := e.parseFlags(args, "e:lnrs")
	if !ok {
		return 2
	}
	if !f.on['l'] {
		e.errorf("fc: only -l is supported without an editor")
		return 2
	}
	list := e.historyList()
	pos := func(s string, def int) int {
		n, ok := number(s)
		switch {
		case !ok:
			for i := len(list) - 1; i >= 0; i-- {
				if strings.HasPrefix(list[i], s) {
					return i + 1
				}
			}
			return def
		case n <= 0:
			return max(1, len(list)+n)
		}
		return min(n, len(list))
	}
	first, last := max(1, len(list)-15), len(list)
	if len(rest) > 0 {
		first = pos(rest[0], first)
	}
	if len(rest) > 1 {
		last = pos(rest[1], last)
	}
	if len(list) == 0 {
		return 0
	}
	reverse := f.on['r'] != (first > last)
	if first > last {
		first, last = last, first
	}
	var b strings.Builder
	for i := first; i <= last; i++ {
		n := i
		if reverse {
			n = last - (i - first)
		}
		if !f.on['n'] {
			b.WriteString(itoa(n))
		}
		b.WriteString("\t " + list[n-1] + "\n")
	}
	e.write("fc", []byte(b.String()))
	return 0
}
