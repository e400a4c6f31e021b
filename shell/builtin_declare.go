package shell

import (
	"errors"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"mirage/shell/expand"
	"mirage/shell/vars"
)

// declareOptions are the parsed options of declare and its kin.
type declareOptions struct {
	name      string // as invoked
	d         vars.Declaration
	readonly  bool
	print     bool // -p
	functions bool // -f
	names     bool // -F
	unexport  bool // export -n
	any       bool // an attribute was given
	// removeArray is +a or +A.
	removeArray bool
}

// builtinDeclare is declare, typeset, local, export and readonly where the
// parser did not see a declaration: after command or builtin, or by a word
// that an expansion made.
func builtinDeclare(e *Executor, args []string) int {
	operands := make([]operand, 0, len(args))
	for _, a := range args[1:] {
		operands = append(operands, operand{text: a})
	}
	return e.declare(args[0], operands)
}

// operand is one operand of a declaration: text, or an array assignment as it
// was parsed.
type operand struct {
	text   string
	assign *syntax.Assign
}

// declClause runs a declaration that the parser recognised.
func (e *Executor) declClause(st *syntax.Stmt, c *syntax.DeclClause) {
	e.setCurrent(c)
	e.stand(c)
	if e.traps.debug != nil && !e.debugTrap() {
		return
	}
	mark := len(e.procFDs)
	defer e.closeProcFDs(mark)
	e.substituted = false
	name := c.Variant.Value
	args := []string{name}
	var operands []operand
	for _, a := range c.Args {
		switch {
		case a.Naked && a.Name == nil:
			fields, err := e.x.Fields(e.ctx, a.Value)
			if err != nil {
				e.fail(err)
				return
			}
			for _, f := range fields {
				operands = append(operands, operand{text: f})
			}
		case a.Naked && a.Index == nil:
			operands = append(operands, operand{text: a.Name.Value})
		case a.Array != nil:
			operands = append(operands, operand{text: e.textOf(a), assign: a})
		default:
			text := a.Name.Value
			if a.Index != nil {
				text += "[" + e.textOf(a.Index) + "]"
			}
			if a.Naked {
				operands = append(operands, operand{text: text})
				continue
			}
			if a.Append {
				text += "+"
			}
			text += "="
			if a.Value != nil {
				v, err := e.x.Value(e.ctx, a.Value)
				if err != nil {
					e.fail(err)
					return
				}
				text += v
			}
			operands = append(operands, operand{text: text, assign: literalAssign(a, text)})
		}
	}
	for _, o := range operands {
		args = append(args, o.text)
	}
	var undo []savedFD
	if err := e.redirect(st.Redirs, &undo); err != nil {
		e.restore(undo)
		e.fail(err)
		return
	}
	if e.opts[optXtrace] {
		e.traceDeclaration(name, operands)
	}
	run := call{args: args, fn: e.funcs[name]}
	if run.fn == nil {
		run.builtin = func(e *Executor, _ []string) int { return e.declare(name, operands) }
	}
	e.status = e.spawn(run)
	e.restore(undo)
	e.lastArg = args[len(args)-1]
	if n := len(operands); n > 0 && operands[n-1].assign != nil {
		e.lastArg = operands[n-1].assign.Name.Value
	}
}

// literalAssign keeps a parsed scalar assignment with an index as text only.
func literalAssign(*syntax.Assign, string) *syntax.Assign { return nil }

// declare carries out declare, typeset, local, export and readonly.
func (e *Executor) declare(name string, operands []operand) int {
	o := declareOptions{name: name}
	switch name {
	case "export":
		o.d.Add = vars.Export
	case "readonly":
		o.readonly = true
	case "local":
		if !e.vars.InFunc() {
			e.errorf("local: can only be used in a function")
			return 1
		}
		o.d.Scope = vars.Local
	default:
		if e.vars.InFunc() {
			o.d.Scope = vars.Local
		}
	}
	rest, status := e.declareFlags(&o, operands)
	if status != 0 {
		return status
	}
	switch {
	case o.functions || o.names:
		return e.declareFunctions(o, rest)
	case len(rest) == 0 || o.print:
		if o.print && len(rest) > 0 && name != "export" && name != "readonly" {
			return e.printDeclared(o, rest)
		}
		if len(rest) == 0 {
			return e.listDeclared(o)
		}
	}
	for _, x := range rest {
		if s := e.declareOne(o, x); s != 0 {
			status = s
		}
		if e.flow != flowNone {
			return e.status
		}
	}
	return status
}

// declareFlags reads the options in front of the operands.
func (e *Executor) declareFlags(o *declareOptions, operands []operand) ([]operand, int) {
	for i, x := range operands {
		word := x.text
		if x.assign != nil || len(word) < 2 || word[0] != '-' && word[0] != '+' || o.name == "export" && word[0] == '+' || o.name == "readonly" && word[0] == '+' {
			return operands[i:], 0
		}
		if word == "--" {
			return operands[i+1:], 0
		}
		off := word[0] == '+'
		for _, c := range word[1:] {
			attr := vars.Attr(0)
			valid := true
			switch {
			case c == 'p':
				o.print = true
			case c == 'f' && o.name != "local":
				o.functions = true
			case c == 'n' && o.name == "export":
				o.unexport = true
			case c == 'a' && o.name != "export":
				o.kind(vars.Indexed, off)
			case c == 'A' && o.name != "export":
				o.kind(vars.Assoc, off)
			case o.name == "export" || o.name == "readonly":
				valid = false
			case c == 'F' && o.name != "local":
				o.functions, o.names = true, true
			case c == 'g':
				if o.name != "local" {
					o.d.Scope = vars.Global
				}
			case c == 'I':
				o.d.Inherit = true
			case c == 'r':
				o.readonly = !off
				if off {
					attr = vars.ReadOnly
				}
			case c == 'x':
				attr = vars.Export
			case c == 'i':
				attr = vars.Integer
			case c == 'l':
				attr = vars.Lower
			case c == 'u':
				attr = vars.Upper
			case c == 'c':
				attr = vars.Capital
			case c == 'n':
				attr = vars.Nameref
			case c == 't':
				attr = vars.Trace
			default:
				valid = false
			}
			if !valid {
				return nil, e.usageError(o.name, string(word[0])+string(c), "invalid option")
			}
			if attr != 0 || c == 'r' {
				o.any = true
			}
			if off {
				o.d.Remove |= attr
			} else {
				o.d.Add |= attr
			}
		}
	}
	return nil, 0
}

func (o *declareOptions) kind(k vars.Kind, off bool) {
	o.any = true
	if !off {
		o.d.Kind = k
	} else {
		o.removeArray = true
	}
}

// declareOne declares one variable.
func (e *Executor) declareOne(o declareOptions, x operand) int {
	text := x.text
	if o.name == "local" && text == "-" {
		e.saveLocalOptions()
		return 0
	}
	name := text
	if i := strings.IndexAny(text, "=["); i >= 0 {
		name = strings.TrimSuffix(text[:i], "+")
	}
	if !vars.ValidName(name) {
		e.errorf("%s: `%s': not a valid identifier", o.name, text)
		return 1
	}
	d := o.d
	if o.unexport {
		d.Add &^= vars.Export
		d.Remove |= vars.Export
	}
	if e.cfg.Judge != nil && e.cfg.Judge.VarHidden(name) {
		e.errorf("%s: readonly variable", name)
		return 1
	}
	if info, ok := e.vars.Info(name); o.removeArray && ok && info.Kind != vars.Scalar && info.Kind != vars.NoKind {
		e.errorf("%s: %s: cannot destroy array variables in this way", o.name, name)
		return 1
	}
	if (o.readonly && o.name == "readonly" || o.name == "export") && !strings.Contains(text, "=") {
		d.Kind = vars.NoKind // only a value makes an array of it
	}
	var err error
	if x.assign != nil {
		err = e.x.Declare(e.ctx, d, x.assign)
	} else {
		err = e.x.DeclareText(e.ctx, d, text)
	}
	if err == nil && o.readonly {
		e.protect(name, d)
	}
	if err != nil {
		return e.declareError(o, err)
	}
	return 0
}

func (e *Executor) protect(name string, d vars.Declaration) {
	if d.Add&vars.Nameref != 0 {
		e.vars.ProtectNameref(name)
		return
	}
	e.vars.Protect(name)
}

// declareError reports a declaration that failed.
func (e *Executor) declareError(o declareOptions, err error) int {
	var ve *vars.Error
	var xe *expand.Error
	switch {
	case errors.As(err, &xe) && xe.Severity == expand.Fail || errors.As(err, &ve) && !errors.As(err, &xe):
		msg := err.Error()
		if o.name != "" {
			msg = o.name + ": " + strings.TrimPrefix(msg, o.name+": ")
		}
		e.warn(msg)
		return 1
	}
	e.fail(err)
	return e.status
}

// listDeclared prints the variables with the wanted attributes.
func (e *Executor) listDeclared(o declareOptions) int {
	names := e.vars.Names()
	if o.name == "local" || o.d.Scope == vars.Local && o.name == "local" {
		names = e.vars.LocalNames()
	}
	plain := !o.print && !o.any && o.name != "export" && o.name != "readonly" && o.name != "local"
	want := o.d.Add
	if o.readonly {
		want |= vars.ReadOnly
	}
	var b strings.Builder
	for _, n := range names {
		info, ok := e.vars.Info(n)
		if !ok || info.Attr&want != want || o.d.Kind != vars.NoKind && info.Kind != o.d.Kind {
			continue
		}
		if plain {
			if line, ok := e.vars.FormatSet(n); ok {
				b.WriteString(line + "\n")
			}
			continue
		}
		if line, ok := e.vars.Format(n); ok {
			b.WriteString(line + "\n")
		}
	}
	if plain && !e.opts[optPosix] {
		for _, n := range e.functionNames() {
			b.WriteString(e.functionSource(e.funcs[n]) + "\n")
		}
	}
	if b.Len() > 0 && !e.write(o.name, []byte(b.String())) {
		return 1
	}
	return 0
}

// printDeclared is declare -p NAME...
func (e *Executor) printDeclared(o declareOptions, operands []operand) int {
	status := 0
	var b strings.Builder
	for _, x := range operands {
		line, ok := e.vars.Format(x.text)
		if info, exists := e.vars.Info(x.text); ok && o.name == "local" && (!exists || !info.Local) {
			ok = false
		}
		if !ok {
			if b.Len() > 0 {
				e.write(o.name, []byte(b.String()))
				b.Reset()
			}
			e.errorf("%s: %s: not found", o.name, x.text)
			status = 1
			continue
		}
		b.WriteString(line + "\n")
	}
	if b.Len() > 0 && !e.write(o.name, []byte(b.String())) {
		return 1
	}
	return status
}

// declareFunctions is declare -f, declare -F, export -f and readonly -f.
func (e *Executor) declareFunctions(o declareOptions, operands []operand) int {
	var b strings.Builder
	if len(operands) == 0 {
		for _, n := range e.functionNames() {
			fn := e.funcs[n]
			if o.name == "export" && !fn.exported || o.readonly && !e.readonlyFuncs[n] {
				continue
			}
			if !o.names && o.name != "export" {
				b.WriteString(e.functionSource(fn) + "\n")
			}
			if o.names || o.name == "export" {
				b.WriteString("declare -f" + e.functionLetters(fn) + " " + n + "\n")
			}
		}
		e.write(o.name, []byte(b.String()))
		return 0
	}
	status := 0
	for _, x := range operands {
		n := x.text
		if i := strings.IndexByte(n, '='); i > 0 && o.name != "declare" && o.name != "typeset" {
			e.errorf("%s: cannot use `-f' to make functions", o.name)
			return 1
		}
		fn := e.funcs[n]
		if fn == nil {
			if o.name == "export" || o.name == "readonly" {
				e.errorf("%s: %s: not a function", o.name, n)
			}
			status = 1
			continue
		}
		switch {
		case o.name == "export" || o.d.Add&vars.Export != 0:
			e.changeFunction(fn, func(f *function) { f.exported = !o.unexport })
		case o.readonly:
			e.protectFunction(n)
		case o.d.Add&vars.Trace != 0:
			e.changeFunction(fn, func(f *function) { f.traced = true })
		case o.d.Remove != 0:
			e.changeFunction(fn, func(f *function) {
				if o.d.Remove&vars.Export != 0 {
					f.exported = false
				}
				if o.d.Remove&vars.Trace != 0 {
					f.traced = false
				}
			})
		case o.names:
			if e.shopts[shoptExtdebug] {
				source := fn.source
				if source == "" {
					source = "main"
				}
				b.WriteString(n + " " + itoa(fn.line+int(fn.decl.Pos().Line())) + " " + source + "\n")
			} else {
				b.WriteString(n + "\n")
			}
		default:
			b.WriteString(e.functionSource(fn) + "\n")
		}
	}
	if b.Len() > 0 && !e.write(o.name, []byte(b.String())) {
		return 1
	}
	return status
}

func (e *Executor) functionLetters(fn *function) string {
	s := ""
	if e.readonlyFuncs[fn.name] {
		s += "r"
	}
	if fn.traced {
		s += "t"
	}
	if fn.exported {
		s += "x"
	}
	return s
}

// changeFunction replaces a function by a changed copy.
func (e *Executor) changeFunction(fn *function, change func(*function)) {
	e.own()
	f := *fn
	change(&f)
	e.funcs[f.name] = &f
	e.hasExported = e.hasExported || f.exported
}

func (e *Executor) protectFunction(name string) {
	m := map[string]bool{name: true}
	for n := range e.readonlyFuncs {
		m[n] = true
	}
	e.readonlyFuncs = m
}

func builtinUnset(e *Executor, args []string) int {
	f, rest, ok := e.parseFlags(args, "fvn")
	if !ok {
		return 2
	}
	if f.on['f'] && f.on['v'] {
		e.errorf("unset: cannot simultaneously unset a function and a variable")
		return 1
	}
	status := 0
	for _, name := range rest {
		if f.on['f'] {
			if e.readonlyFuncs[name] {
				e.errorf("unset: %s: cannot unset: readonly function", name)
				status = 1
				continue
			}
			e.unsetFunction(name)
			continue
		}
		if _, _, _, valid := vars.SplitRef(name); !valid {
			if !f.on['v'] && !f.on['n'] {
				e.unsetFunction(name)
				continue
			}
			e.errorf("unset: `%s': not a valid identifier", name)
			status = 1
			continue
		}
		var err error
		if f.on['n'] {
			err = e.vars.UnsetNameref(name)
		} else {
			_, exists := e.vars.Info(name)
			if !exists && !f.on['v'] && !strings.Contains(name, "[") && e.funcs[name] != nil {
				if e.readonlyFuncs[name] {
					e.errorf("unset: %s: cannot unset: readonly function", name)
					status = 1
					continue
				}
				e.unsetFunction(name)
				continue
			}
			err = e.x.UnsetRef(e.ctx, name)
		}
		if err != nil {
			status = e.declareError(declareOptions{name: "unset"}, err)
			if e.flow != flowNone {
				return status
			}
		}
	}
	return status
}

func (e *Executor) unsetFunction(name string) {
	if e.funcs[name] != nil {
		e.own()
		delete(e.funcs, name)
	}
}

func builtinAlias(e *Executor, args []string) int {
	_, rest, ok := e.parseFlags(args, "p")
	if !ok {
		return 2
	}
	var b strings.Builder
	show := func(name, value string) {
		b.WriteString("alias " + name + "=" + shellQuote(value) + "\n")
	}
	if len(rest) == 0 {
		list := pairs(e.aliases, func(s string) string { return s })
		for i := 0; i < len(list); i += 2 {
			show(list[i], list[i+1])
		}
	}
	status := 0
	for _, a := range rest {
		if i := strings.IndexByte(a, '='); i > 0 {
			name := a[:i]
			if strings.ContainsAny(name, " \t\n/$`\"'\\=|&;()<>") {
				e.errorf("alias: `%s': invalid alias name", name)
				status = 1
				continue
			}
			e.own()
			if e.aliases == nil {
				e.aliases = map[string]string{}
			}
			e.aliases[name] = a[i+1:]
			continue
		}
		value, set := e.aliases[a]
		if !set {
			e.errorf("alias: %s: not found", a)
			status = 1
			continue
		}
		show(a, value)
	}
	if b.Len() > 0 && !e.write("alias", []byte(b.String())) {
		return 1
	}
	return status
}

func builtinUnalias(e *Executor, args []string) int {
	f, rest, ok := e.parseFlags(args, "a")
	if !ok {
		return 2
	}
	if f.on['a'] {
		e.own()
		e.aliases = nil
		return 0
	}
	if len(rest) == 0 {
		return e.usage("unalias")
	}
	status := 0
	for _, name := range rest {
		if _, set := e.aliases[name]; !set {
			e.errorf("unalias: %s: not found", name)
			status = 1
			continue
		}
		e.own()
		delete(e.aliases, name)
	}
	return status
}
