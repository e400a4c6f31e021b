package shell

import (
	"bytes"

	"mirage/shell/printf"
	"mirage/shell/quote"
	"mirage/shell/vars"
)

func builtinEcho(e *Executor, args []string) int {
	newline, escapes := true, e.shopts[shoptXpgEcho]
	words := args[1:]
	if e.opts[optPosix] && e.shopts[shoptXpgEcho] {
		return e.echo(words, true, true)
	}
	for len(words) > 0 && len(words[0]) > 1 && words[0][0] == '-' {
		n, x := newline, escapes
		valid := true
		for _, c := range []byte(words[0][1:]) {
			switch c {
			case 'n':
				n = false
			case 'e':
				x = true
			case 'E':
				x = false
			default:
				valid = false
			}
		}
		if !valid {
			break
		}
		newline, escapes = n, x
		words = words[1:]
	}
	return e.echo(words, newline, escapes)
}

func (e *Executor) echo(words []string, newline, escapes bool) int {
	out := e.scratch[:0]
	for i, w := range words {
		if i > 0 {
			out = append(out, ' ')
		}
		if escapes {
			s, stop := quote.Echo(w, e.vars.UTF8())
			out = append(out, s...)
			if stop {
				newline = false
				break
			}
			continue
		}
		out = append(out, w...)
	}
	if newline {
		out = append(out, '\n')
	}
	if cap(out) <= 4096 {
		e.scratch = out
	}
	if len(out) == 0 {
		return 0
	}
	if !e.write("echo", out) {
		return 1
	}
	return 0
}

func builtinPrintf(e *Executor, args []string) int {
	f, rest, ok := e.parseFlags(args, "v:")
	if !ok {
		return 2
	}
	if len(rest) == 0 {
		return e.usage("printf")
	}
	if f.on['v'] {
		if _, _, _, ok := vars.SplitRef(f.arg['v']); !ok {
			e.errorf("printf: `%s': not a valid identifier", f.arg['v'])
			return 2
		}
	}
	var out bytes.Buffer
	p := printf.Printer{
		UTF8: e.vars.UTF8(), Now: e.s.now, Started: e.started, Location: e.s.location(e.vars.Zone()),
		Warn: func(msg string) {
			if out.Len() > 0 && !f.on['v'] {
				e.write("printf", out.Bytes())
				out.Reset()
			}
			e.errorf("printf: %s", msg)
		},
	}
	status, err := p.Format(&limitedBuffer{&out, e.cfg.Limits.Memory}, rest[0], rest[1:])
	if err != nil {
		e.limitError("memory")
		return 1
	}
	if f.on['v'] {
		if err := e.x.SetRef(e.ctx, f.arg['v'], out.String()); err != nil {
			return e.builtinError("printf", err)
		}
		return status
	}
	if out.Len() > 0 && !e.write("printf", out.Bytes()) {
		return 1
	}
	return status
}
