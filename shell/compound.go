package shell

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"mirage/policy"
	"mirage/shell/vars"
)

func (e *Executor) ifClause(c *syntax.IfClause) {
	for ; c != nil; c = c.Else {
		if len(c.Cond) > 0 {
			e.conditional(c.Cond)
			if e.flow != flowNone {
				return
			}
			if e.status != 0 {
				continue
			}
		}
		e.list(c.Then)
		return
	}
	e.status = 0
}

// loopEnds takes a break or continue that reached the loop and reports
// whether the loop is over.
func (e *Executor) loopEnds() bool {
	switch e.flow {
	case flowNone:
		return false
	case flowBreak:
		e.levels--
		if e.levels == 0 {
			e.flow = flowNone
		}
		return true
	case flowContinue:
		e.levels--
		if e.levels == 0 {
			e.flow = flowNone
			return false
		}
		return true
	}
	return true
}

func (e *Executor) whileClause(c *syntax.WhileClause) {
	e.loops++
	defer func() { e.loops-- }()
	status := 0
	for {
		e.conditional(c.Cond)
		if e.loopEnds() {
			if e.flow == flowNone || e.flow == flowBreak || e.flow == flowContinue {
				status = e.status
			} else {
				return
			}
			break
		}
		if (e.status == 0) == c.Until {
			break
		}
		e.list(c.Do)
		status = e.status
		if e.loopEnds() {
			break
		}
		if e.interrupted() {
			return
		}
	}
	if e.flow != flowExit && e.flow != flowReturn && e.flow != flowDiscard {
		e.status = status
	}
}

func (e *Executor) forClause(c *syntax.ForClause) {
	switch loop := c.Loop.(type) {
	case *syntax.WordIter:
		if c.Select {
			e.selectClause(c, loop)
			return
		}
		e.forWords(c, loop)
	case *syntax.CStyleLoop:
		e.forArith(c, loop)
	}
}

// loopItems expands the words of for and select; without `in` they are the
// positional parameters.
func (e *Executor) loopItems(loop *syntax.WordIter) ([]string, error) {
	if !loop.InPos.IsValid() {
		return e.x.Params, nil
	}
	return e.x.Fields(e.ctx, loop.Items...)
}

func (e *Executor) forWords(c *syntax.ForClause, loop *syntax.WordIter) {
	e.lineno = e.base + int(c.Pos().Line())
	if !vars.ValidName(loop.Name.Value) {
		e.errorf("`%s': not a valid identifier", loop.Name.Value)
		e.status = 1
		return
	}
	mark := len(e.procFDs)
	items, err := e.loopItems(loop)
	if err != nil {
		e.fail(err)
		return
	}
	held, ok := e.hold(items)
	if !ok {
		return
	}
	e.loops++
	name := loop.Name.Value
	status := 0
	for _, item := range items {
		if e.interrupted() {
			break
		}
		e.lineno = e.base + int(c.Pos().Line())
		if e.traps.debug != nil || e.opts[optXtrace] {
			e.traceFor(c, loop)
			if !e.debugTrap() {
				continue
			}
		}
		if err := e.vars.SetFor(name, item); err != nil {
			e.status = 1
			e.warn(err.Error())
			status = 1
			break
		}
		e.list(c.Do)
		status = e.status
		if e.loopEnds() {
			break
		}
	}
	e.s.memory.Give(held)
	e.loops--
	e.closeProcFDs(mark)
	if e.flow == flowNone || e.flow == flowBreak || e.flow == flowContinue {
		e.status = status
	}
}

func (e *Executor) forArith(c *syntax.ForClause, loop *syntax.CStyleLoop) {
	line := e.base + int(c.Pos().Line())
	e.lineno = line
	eval := func(x syntax.ArithmExpr) (int64, bool) {
		e.lineno = line
		if e.opts[optXtrace] {
			e.traceArith(x)
		}
		if e.traps.debug != nil {
			e.debugTrap()
		}
		n, err := e.x.Arith(e.ctx, x)
		if err != nil {
			e.fail(err)
			e.status = 1
			return 0, false
		}
		return n, true
	}
	if loop.Init != nil {
		if _, ok := eval(loop.Init); !ok {
			return
		}
	}
	e.loops++
	defer func() { e.loops-- }()
	status := 0
	for !e.interrupted() {
		if loop.Cond != nil {
			n, ok := eval(loop.Cond)
			if !ok {
				return
			}
			if n == 0 {
				break
			}
		}
		e.list(c.Do)
		status = e.status
		if e.loopEnds() {
			break
		}
		if loop.Post != nil {
			if _, ok := eval(loop.Post); !ok {
				return
			}
		}
	}
	if e.flow == flowNone || e.flow == flowBreak || e.flow == flowContinue {
		e.status = status
	}
}

// selectClause runs select: a menu on standard error, a line of answer each.
func (e *Executor) selectClause(c *syntax.ForClause, loop *syntax.WordIter) {
	e.lineno = e.base + int(c.Pos().Line())
	items, err := e.loopItems(loop)
	if err != nil {
		e.fail(err)
		return
	}
	e.status = 0
	if len(items) == 0 {
		return
	}
	e.loops++
	defer func() { e.loops-- }()
	status, menu := 0, true
	for !e.interrupted() {
		if menu {
			e.writeFD(2, selectMenu(items, e.columns()))
		}
		menu = false
		prompt := e.vars.Get("PS3")
		if _, set := e.vars.Lookup("PS3"); !set {
			prompt = "#? "
		}
		e.writeFD(2, prompt)
		line, ok := e.readLine()
		if !ok {
			e.writeFD(1, "\n")
			status = 1
			break
		}
		e.vars.Set("REPLY", line)
		if line == "" {
			menu = true
			continue
		}
		choice := ""
		if n, ok := atoi(strings.TrimSpace(line)); ok && n >= 1 && n <= len(items) {
			choice = items[n-1]
		}
		if err := e.vars.SetFor(loop.Name.Value, choice); err != nil {
			e.warn(err.Error())
			e.status = 1
			return
		}
		e.list(c.Do)
		status = e.status
		if e.loopEnds() {
			break
		}
		if v, _ := e.vars.Lookup("REPLY"); v == "" {
			menu = true
		}
	}
	if e.flow == flowNone || e.flow == flowBreak || e.flow == flowContinue {
		e.status = status
	}
}

// selectMenu lays the choices out in columns as bash does: tabs included, and
// numbers that are only as wide as the first column needs.
func selectMenu(items []string, columns int) string {
	digits, width := len(itoa(len(items))), 0
	for _, s := range items {
		width = max(width, utf8.RuneCountInString(s))
	}
	width += digits + 4
	cols := max(1, columns/width)
	rows := (len(items) + cols - 1) / cols
	if cols = (len(items) + rows - 1) / rows; rows == 1 {
		rows = cols
	}
	var b bytes.Buffer
	for r := range rows {
		for i, pos := r, 0; i < len(items); i, pos = i+rows, pos+width {
			n := digits
			if pos == 0 {
				n = len(itoa(rows))
			}
			b.WriteString(padLeft(itoa(i+1), n) + ") " + items[i])
			if i+rows < len(items) {
				indentTo(&b, pos+n+2+utf8.RuneCountInString(items[i]), pos+width)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// indentTo moves from one column to another with tabs and blanks.
func indentTo(b *bytes.Buffer, from, to int) {
	for from < to {
		if to/8 > from/8 {
			b.WriteByte('\t')
			from += 8 - from%8
		} else {
			b.WriteByte(' ')
			from++
		}
	}
}

func (e *Executor) caseClause(c *syntax.CaseClause) {
	e.lineno = e.base + int(c.Pos().Line())
	e.setCurrent(c)
	if e.traps.debug != nil && !e.debugTrap() {
		return
	}
	subject, err := e.x.Literal(e.ctx, c.Word)
	if err != nil {
		e.fail(err)
		return
	}
	if e.opts[optXtrace] {
		e.traceText("case " + e.textOf(c.Word) + " in")
	}
	e.status = 0
	match := false
	for _, item := range c.Items {
		for i := 0; !match && i < len(item.Patterns); i++ {
			match, err = e.x.Match(e.ctx, subject, item.Patterns[i])
			if err != nil {
				e.fail(err)
				return
			}
		}
		if !match {
			continue
		}
		e.list(item.Stmts)
		if e.flow != flowNone {
			return
		}
		switch item.Op {
		case syntax.Fallthrough:
		case syntax.Resume:
			match = false
		default:
			return
		}
	}
}

func (e *Executor) arithCommand(c *syntax.ArithmCmd) {
	if e.opts[optXtrace] {
		e.traceArith(c.X)
	}
	if c.X == nil {
		e.status = 1
		return
	}
	n, err := e.x.ArithCmd(e.ctx, c)
	switch {
	case err != nil:
		e.fail(err)
	case n != 0:
		e.status = 0
	default:
		e.status = 1
	}
}

func (e *Executor) letClause(c *syntax.LetClause) {
	e.stand(c)
	if !e.allowed(e.ask([]string{"let"}, policy.KindBuiltin)) {
		return
	}
	if e.opts[optXtrace] {
		e.traceText(e.textOf(c))
	}
	var n int64
	for _, x := range c.Exprs {
		var err error
		if n, err = e.x.Let(e.ctx, x); err != nil {
			e.fail(err)
			return
		}
	}
	e.status = 1
	if n != 0 {
		e.status = 0
	}
}

func (e *Executor) testClause(c *syntax.TestClause) {
	if e.opts[optXtrace] {
		e.traceTest(c.X)
	}
	ok, err := e.x.Cond(e.ctx, c.X)
	switch {
	case err != nil:
		e.fail(err)
	case ok:
		e.status = 0
	default:
		e.status = 1
	}
}
