package awk

// block compiles statements into one function.
func (c *compiler) block(list []stmt) func(*interp) signal {
	fs := make([]stmtFunc, len(list))
	for i, s := range list {
		fs[i] = c.stmt(s)
	}
	switch len(fs) {
	case 0:
		return func(*interp) signal { return sigNone }
	case 1:
		return fs[0]
	case 2:
		a, b := fs[0], fs[1]
		return func(in *interp) signal {
			if sig := a(in); sig != sigNone {
				return sig
			}
			return b(in)
		}
	}
	return func(in *interp) signal {
		for _, f := range fs {
			if sig := f(in); sig != sigNone {
				return sig
			}
		}
		return sigNone
	}
}

func (c *compiler) stmt(s stmt) stmtFunc {
	switch s := s.(type) {
	case *exprStmt:
		return c.exprStmt(s)
	case *printStmt:
		return c.print(s)
	case *blockStmt:
		return c.block(s.body)
	case *ifStmt:
		cond, yes, no, pos := c.cond(s.cond), c.block(s.yes), c.block(s.no), &s.pos
		if s.no == nil {
			return func(in *interp) signal {
				in.pos = pos
				if cond(in) {
					return yes(in)
				}
				return sigNone
			}
		}
		return func(in *interp) signal {
			in.pos = pos
			if cond(in) {
				return yes(in)
			}
			return no(in)
		}
	case *loopStmt:
		return c.loop(s)
	case *forInStmt:
		return c.forIn(s)
	case *switchStmt:
		return c.switchStmt(s)
	case *deleteStmt:
		return c.delete(s)
	case *returnStmt:
		if s.e == nil {
			return func(in *interp) signal { in.result = value{}; return sigReturn }
		}
		v, pos := c.value(s.e), &s.pos
		return func(in *interp) signal {
			in.pos = pos
			in.result = v(in)
			return sigReturn
		}
	case *exitStmt:
		if s.e == nil {
			return func(*interp) signal { return sigExit }
		}
		n, pos := c.num(s.e), &s.pos
		return func(in *interp) signal {
			in.pos = pos
			in.status = int(int64(n(in))) & 255
			return sigExit
		}
	case *jumpStmt:
		sig := s.sig
		return func(*interp) signal { return sig }
	}
	return func(*interp) signal { return sigNone }
}

// exprStmt compiles an expression whose value is not wanted.
func (c *compiler) exprStmt(s *exprStmt) stmtFunc {
	pos := &s.pos
	switch e := s.e.(type) {
	case *incrExpr:
		n := c.incr(&incrExpr{lhs: e.lhs, delta: e.delta})
		return func(in *interp) signal { in.pos = pos; n(in); return sigNone }
	case *regexLit, *matchExpr, *inExpr:
		b := c.cond(e)
		return func(in *interp) signal { in.pos = pos; b(in); return sigNone }
	}
	v := c.value(s.e)
	return func(in *interp) signal { in.pos = pos; v(in); return sigNone }
}

func (c *compiler) loop(s *loopStmt) stmtFunc {
	init, post, body := func(*interp) signal { return sigNone }, func(*interp) signal { return sigNone }, c.block(s.body)
	cond := func(*interp) bool { return true }
	if s.init != nil {
		init = c.stmt(s.init)
	}
	if s.post != nil {
		post = c.stmt(s.post)
	}
	if s.cond != nil {
		cond = c.cond(s.cond)
	}
	postTest, pos := s.postTest, &s.pos
	return func(in *interp) signal {
		init(in)
		in.pos = pos
		for first := true; first && postTest || cond(in); first = false {
			in.tick()
			switch sig := body(in); sig {
			case sigNone, sigContinue:
			case sigBreak:
				return sigNone
			default:
				return sig
			}
			post(in)
			in.pos = pos
		}
		return sigNone
	}
}

func (c *compiler) forIn(s *forInStmt) stmtFunc {
	store, array, body := c.store(s.lhs), c.array(s.array), c.block(s.body)
	pos := &s.pos
	return func(in *interp) signal {
		in.pos = pos
		a := array(in)
		for _, k := range in.sortedKeys(a) {
			in.tick()
			v := input(k.text())
			if !k.isInt {
				v = text(k.s)
			}
			store(in, v)
			switch sig := body(in); sig {
			case sigNone, sigContinue:
			case sigBreak:
				return sigNone
			default:
				return sig
			}
		}
		return sigNone
	}
}

// switchStmt compiles a switch: the first case that is equal, or matches, and
// those behind it until a break.
func (c *compiler) switchStmt(s *switchStmt) stmtFunc {
	v := c.value(s.e)
	tests := make([]func(*interp, value) bool, len(s.cases))
	bodies := make([]func(*interp) signal, len(s.cases))
	fallback := -1
	for i, k := range s.cases {
		bodies[i] = c.block(k.body)
		switch e := k.value.(type) {
		case nil:
			fallback = i
			tests[i] = func(*interp, value) bool { return false }
		case *regexLit:
			m := c.regexLiteral(e)
			tests[i] = func(in *interp, v value) bool { return in.matches(m(in), in.str(v)) }
		default:
			want := c.value(e)
			tests[i] = func(in *interp, v value) bool {
				w := want(in)
				v.settle()
				// A number equals no string here.
				if (w.k == kindText) != (v.k == kindText) {
					return false
				}
				return in.compare(v, w) == 0
			}
		}
	}
	pos := &s.pos
	return func(in *interp) signal {
		in.pos = pos
		v := v(in)
		at := fallback
		for i, test := range tests {
			if test(in, v) {
				at = i
				break
			}
		}
		if at < 0 {
			return sigNone
		}
		for _, body := range bodies[at:] {
			switch sig := body(in); sig {
			case sigNone:
			case sigBreak:
				return sigNone
			default:
				return sig
			}
		}
		return sigNone
	}
}

func (c *compiler) delete(s *deleteStmt) stmtFunc {
	array, pos := c.array(s.array), &s.pos
	if s.subs == nil {
		return func(in *interp) signal {
			in.pos = pos
			in.clear(array(in))
			return sigNone
		}
	}
	sub := c.subscript(s.subs)
	return func(in *interp) signal {
		in.pos = pos
		k := sub(in)
		in.remove(array(in), k)
		return sigNone
	}
}

// print compiles print and printf.
func (c *compiler) print(s *printStmt) stmtFunc {
	pos := &s.pos
	target := func(in *interp) *output { return nil }
	if s.redir != 0 {
		dest, kind := c.str(s.dest), s.redir
		target = func(in *interp) *output { return in.redirect(kind, dest(in)) }
	}
	if s.printf {
		format := c.format(s.args)
		return func(in *interp) signal {
			in.pos = pos
			b := in.buf[:0]
			in.buf = nil
			b = format(in, b)
			in.buf = b
			in.emit(target(in), b)
			return sigNone
		}
	}
	if s.redir == 0 && len(s.args) == 0 {
		return func(in *interp) signal {
			in.pos = pos
			in.out.WriteString(in.wholeRecord())
			in.out.WriteString(in.ors)
			return sigNone
		}
	}
	args := s.args
	if len(args) == 0 {
		args = []expr{&fieldRef{&numLit{0}}}
	}
	values := make([]valueFunc, len(args))
	for i, e := range args {
		values[i] = c.value(e)
	}
	return func(in *interp) signal {
		in.pos = pos
		// A value may print itself, from a function: it must not find the
		// buffer.
		b := in.buf[:0]
		in.buf = nil
		for i, v := range values {
			if i > 0 {
				b = append(b, in.ofs...)
			}
			b = append(b, in.outStr(v(in))...)
		}
		b = append(b, in.ors...)
		in.buf = b
		in.emit(target(in), b)
		return sigNone
	}
}
