package shell

import (
	"context"
	"io"
	"path"
	"slices"
	"strings"
	"syscall"

	"mirage/shell/vars"
)

// maxScript bounds a script that is read whole.
const maxScript = 4 << 20

// readScript reads a file of source text.
func (e *Executor) readScript(name string) (string, error) {
	f, err := e.open(name, 0, readOnly)
	if err != nil {
		return "", err
	}
	defer f.release()
	if c, ok := f.stream.(*cursor); ok {
		if info, err := c.file.Stat(); err == nil && info.IsDir() {
			return "", syscall.EISDIR
		}
	}
	var b strings.Builder
	buf := make([]byte, 16<<10)
	for {
		n, err := f.read(e.ctx, buf)
		b.Write(buf[:n])
		if int64(b.Len()) > max(e.cfg.Limits.Source, maxScript) {
			return "", syscall.EFBIG
		}
		if err == io.EOF {
			return b.String(), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// fresh makes a shell that runs as a program: it inherits descriptors,
// directory and the exported part of the environment, nothing else.
func (e *Executor) fresh(name string, env []string) *Executor {
	ctx, cancel := context.WithCancelCause(e.ctx)
	c := &Executor{cancel: cancel, s: e.s, cfg: e.cfg, line: e.line, ctx: ctx, name: name, umask: e.umask, dir: e.dir, depth: e.depth, weight: e.weight}
	c.scope, c.at, c.offsets = e.scope, e.at, e.offsets
	c.wakeup = make(chan struct{}, 1)
	c.opts, c.shopts = defaultOptions(), defaultShopts()
	c.jobs = newJobTable()
	if e.tail {
		e.tail = false
		c.proc, c.borrowed = e.proc, true
		c.proc.rename(name)
	} else {
		c.proc = e.s.table.start(e.proc, name, cancel)
	}
	c.main = c.proc
	for s, action := range e.traps.signals {
		if action == "" {
			c.traps.setSignal(s, &action)
		}
	}
	c.publishTraps()
	c.proc.dispose(c.takeSignal)
	c.fds = e.fds.clone()
	c.started = e.s.now()
	c.initVars(env)
	c.raiseLevel()
	c.lastArg = "/usr/bin/bash"
	return c
}

// environment is what a child of this shell starts with.
func (e *Executor) environment() []string {
	env := e.vars.Environ()
	if e.hasExported {
		env = slices.Concat(env, e.exportedFunctions())
	}
	return env
}

// runBash runs the programs bash and sh.
func (e *Executor) runBash(args []string) int {
	if !e.enter(16) {
		return e.status
	}
	defer e.leave(16)
	c := e.fresh(args[0], e.environment())
	return e.waitShell(c, func() { c.bashMain(args) })
}

// waitShell runs a shell that is a program of this one, in this goroutine.
func (e *Executor) waitShell(c *Executor, body func()) int {
	status := c.runProgramShell(body)
	if !c.borrowed {
		e.childEnded()
		if c.proc.killer != 0 && e.ctx.Err() == nil {
			e.reportKilled(c.proc, e.currentText())
		}
	}
	return status
}

// runProgramShell runs the body of a shell that is a program and ends it.
func (e *Executor) runProgramShell(body func()) (status int) {
	defer e.recovered(&status)
	body()
	return e.end()
}

// bashMain reads the command line of bash and runs what it names.
func (e *Executor) bashMain(args []string) {
	command, stdin := false, false
	if path.Base(args[0]) == "sh" {
		e.posixShell = true
		e.shopts[shoptExpandAliases] = true
	}
	rest := args[1:]
	for len(rest) > 0 && len(rest[0]) > 1 && (rest[0][0] == '-' || rest[0][0] == '+') {
		word := rest[0]
		rest = rest[1:]
		if word == "--" {
			break
		}
		if strings.HasPrefix(word, "--") {
			if done := e.longOption(word, &rest); done {
				return
			}
			continue
		}
		on := word[0] == '-'
		for _, c := range []byte(word[1:]) {
			switch {
			case c == 'c':
				command = true
			case c == 's':
				stdin = true
			case c == 'i':
				e.interactive = true
				e.shopts[shoptExpandAliases] = true
			case c == 'l', c == 'r', c == 'D':
			case c == 'o' || c == 'O':
				if len(rest) == 0 {
					if c == 'o' {
						e.printOptions("bash", on)
					} else {
						builtinShopt(e, []string{"shopt"})
					}
					continue
				}
				if !e.commandLineOption(c, rest[0], on) {
					return
				}
				rest = rest[1:]
			default:
				o, ok := optionByLetter(c)
				if !ok {
					e.writeFD(2, e.name+": "+word[:1]+string(rune(c))+": invalid option\n"+bashUsage)
					e.status = 2
					return
				}
				e.setOption(o, on)
			}
		}
	}
	if len(rest) > 0 && rest[0] == "-" {
		rest = rest[1:]
	}
	switch {
	case command:
		if len(rest) == 0 {
			e.writeFD(2, e.name+": -c: option requires an argument\n")
			e.status = 2
			return
		}
		e.origin, e.script = fromCommand, rest[0]
		if len(rest) > 1 {
			e.setName(rest[1])
			e.x.Params = rest[2:]
		}
		e.sourceName = "environment"
		e.enterText(e.script)
		e.runInput(e.lines(e.script))
	case stdin || len(rest) == 0:
		e.origin = fromStdin
		e.x.Params = rest
		e.sourceName = "main"
		e.enterText("\x00stdin") // whatever it is, it comes but once
		e.runStdin()
	default:
		e.scriptFile(rest[0], rest[1:])
	}
}

const bashUsage = `Usage:	bash [GNU long option] [option] ...
	bash [GNU long option] [option] script-file ...
GNU long options:
	--debug
	--debugger
	--dump-po-strings
	--dump-strings
	--help
	--init-file
	--login
	--noediting
	--noprofile
	--norc
	--posix
	--pretty-print
	--rcfile
	--restricted
	--verbose
	--version
Shell options:
	-ilrsD or -c command or -O shopt_option		(invocation only)
	-abefhkmnptuvxBCEHPT or -o option
`

// longOption takes one --option of bash; true ends the run.
func (e *Executor) longOption(word string, rest *[]string) bool {
	switch word {
	case "--norc", "--noprofile", "--login", "--noediting", "--debugger", "--pretty-print", "--restricted":
	case "--posix":
		e.setOption(optPosix, true)
	case "--verbose":
		e.setOption(optVerbose, true)
	case "--rcfile", "--init-file":
		if len(*rest) > 0 {
			*rest = (*rest)[1:]
		}
	case "--version":
		e.write("bash", []byte("GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\n"))
		return true
	case "--help":
		e.write("bash", []byte("GNU bash, version 5.2.15(1)-release-(x86_64-pc-linux-gnu)\n"+bashUsage))
		return true
	default:
		e.writeFD(2, e.name+": "+word+": invalid option\n"+bashUsage)
		e.status = 2
		return true
	}
	return false
}

// commandLineOption takes -o name and -O name.
func (e *Executor) commandLineOption(c byte, name string, on bool) bool {
	if c == 'o' {
		o, ok := optionByName(name)
		if !ok {
			e.writeFD(2, e.name+": "+name+": invalid option name\n")
			e.status = 2
			return false
		}
		e.setOption(o, on)
		return true
	}
	o, ok := shoptByName(name)
	if !ok {
		e.writeFD(2, e.name+": "+name+": invalid shell option name\n")
		e.status = 2
		return false
	}
	e.shopts[o] = on
	e.syncOptions()
	return true
}

func (e *Executor) setName(name string) { e.name, e.x.Name = name, name }

// scriptFile runs a script named on bash's command line: here, or on PATH.
func (e *Executor) scriptFile(name string, params []string) {
	shell := e.name
	text, err := e.readScript(name)
	if err != nil && !strings.Contains(name, "/") {
		if found := e.findSource(name); found != "" {
			text, err = e.readScript(found)
		}
	}
	if err != nil {
		e.status = 126
		if errno(err) == syscall.ENOENT {
			e.status = 127
		}
		e.writeFD(2, shell+": "+name+": "+phrase(err)+"\n")
		return
	}
	e.runScriptText(name, text, params)
}

func (e *Executor) runScriptText(name, text string, params []string) {
	if i := strings.IndexByte(text, '\n'); strings.IndexByte(text[:max(i, 0)], 0) >= 0 {
		e.writeFD(2, e.name+": "+name+": cannot execute binary file\n")
		e.status = 126
		return
	}
	e.setName(name)
	e.origin, e.sourceName = fromFile, name
	e.x.Params = params
	e.proc.rename(strings.Join(append([]string{"bash", name}, params...), " "))
	e.enterText(text)
	e.runInput(e.lines(text))
}

// runStdin runs commands from standard input, taking no more than it needs:
// what follows a command is there for that command to read.
func (e *Executor) runStdin() {
	e.runInput(&input{e: e, next: func() (string, error) {
		f := e.fds.get(0)
		if f == nil {
			return "", io.EOF
		}
		r := e.lineReader(e.ctx, f)
		line, err := r.until(nil, '\n')
		r.done()
		if int64(len(line)) > e.cfg.Limits.Source {
			return "", errTooLarge
		}
		if err != nil && (len(line) == 0 || err == vars.ErrMemory) {
			if err == vars.ErrMemory {
				err = errTooLarge
			}
			return "", err
		}
		return string(line) + "\n", nil
	}})
}

// runScript runs an executable file of the tree by its first line.
func (e *Executor) runScript(file string, args []string) int {
	text, err := e.readScript(file)
	if err != nil {
		e.errorf("%s: %s", args[0], phrase(err))
		return 126
	}
	line, _, _ := strings.Cut(text, "\n")
	shebang, ok := strings.CutPrefix(line, "#!")
	if !ok {
		if strings.IndexByte(line, 0) >= 0 {
			e.errorf("%s: cannot execute binary file: Exec format error", args[0])
			return 126
		}
		return e.shellScript(file, text, args)
	}
	interpreter, arg, _ := strings.Cut(strings.TrimSpace(shebang), " ")
	arg = strings.TrimSpace(arg)
	base := path.Base(interpreter)
	if base == "env" && isBin(path.Dir(interpreter)) {
		words := strings.Fields(arg)
		if len(words) > 1 && words[0] == "-S" {
			words = words[1:]
			arg = strings.Join(words, " ")
		}
		if len(words) == 1 && (words[0] == "bash" || words[0] == "sh") {
			return e.shellScript(file, text, args)
		}
	} else if (base == "bash" || base == "sh") && isBin(path.Dir(interpreter)) && arg == "" {
		return e.shellScript(file, text, args)
	}
	words := []string{interpreter}
	switch {
	case arg != "" && base == "env":
		words = append(words, strings.Fields(arg)...)
	case arg != "":
		words = append(words, arg)
	}
	words = append(append(words, file), args[1:]...)
	c := e.resolveProgram(words)
	if c.missing != nil {
		if c.missing.status == 127 {
			e.errorf("%s: cannot execute: required file not found", args[0])
			return 127
		}
		e.errorf("%s: %s: bad interpreter: %s", args[0], interpreter, c.missing.text)
		return 126
	}
	if c.script != "" && e.depth > 8 && c.script == file {
		e.errorf("%s: %s: bad interpreter: Too many levels of symbolic links", args[0], interpreter)
		return 126
	}
	if !e.enter(16) {
		return e.status
	}
	defer e.leave(16)
	return e.spawn(c)
}

// shellScript runs a script in a fresh shell.
func (e *Executor) shellScript(file, text string, args []string) int {
	if !e.enter(16) {
		return e.status
	}
	defer e.leave(16)
	c := e.fresh(file, e.environment())
	return e.waitShell(c, func() { c.runScriptText(file, text, args[1:]) })
}
