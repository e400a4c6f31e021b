package shell

import (
	"path"
	"strings"
	"syscall"

	"mirage/policy"
	"mirage/shell/program"
	"mirage/vfs"
)

// call is a command ready to run: its words, and what the first one stands
// for. Exactly one of fn, builtin, program, shell, script and missing is set.
type call struct {
	args    []string
	fn      *function
	builtin builtinFunc
	program *program.Program
	shell   bool   // bash or sh
	script  string // an executable file of the tree
	file    bool   // the word leads to a place outside of /usr/bin, if there is a file or not
	missing *missing
}

// missing says why a command cannot run.
type missing struct {
	text   string // after the command's name
	status int
}

func (c *call) kind() policy.CommandKind {
	switch {
	case c.fn != nil:
		return policy.KindFunction
	case c.builtin != nil:
		return policy.KindBuiltin
	case c.file:
		return policy.KindPath
	}
	return policy.KindProgram
}

// words answers the words that the policy judges: a program goes by its own
// name, whatever path or link led to it.
func (c *call) words() []string {
	name := c.args[0]
	switch {
	case c.program != nil:
		name = c.program.Name
	case c.shell:
		name = "bash"
		if path.Base(c.args[0]) == "sh" {
			name = "sh"
		}
	}
	return renamed(c.args, name)
}

// renamed answers words with another first word.
func renamed(words []string, name string) []string {
	if words[0] == name {
		return words
	}
	return append([]string{name}, words[1:]...)
}

// hashed is a remembered command path.
type hashed struct {
	path string
	hits int
}

// resolve finds what a command word stands for: function, builtin, program.
func (e *Executor) resolve(args []string) call {
	name := args[0]
	if len(e.funcs) > 0 {
		if e.opts[optPosix] && isSpecialBuiltin(name) {
			if b := e.findBuiltin(name); b != nil {
				return call{args: args, builtin: b}
			}
		}
		if fn := e.funcs[name]; fn != nil {
			return call{args: args, fn: fn}
		}
	}
	return e.resolveCommand(args)
}

// resolveCommand is resolve without functions, as the command builtin has it.
func (e *Executor) resolveCommand(args []string) call {
	if b := e.findBuiltin(args[0]); b != nil {
		return call{args: args, builtin: b}
	}
	return e.resolveProgram(args)
}

// findBuiltin answers an enabled builtin.
func (e *Executor) findBuiltin(name string) builtinFunc {
	b := lookupBuiltin(name)
	if b == nil || e.disabled[name] {
		return nil
	}
	return b
}

// resolveProgram finds a program: by path, or on PATH.
func (e *Executor) resolveProgram(args []string) call {
	name := args[0]
	c := call{args: args}
	if strings.Contains(name, "/") {
		e.resolvePath(&c, name)
		return c
	}
	if h, ok := e.hash[name]; ok {
		e.resolvePath(&c, h.path)
		if c.missing == nil {
			e.own()
			e.hash[name] = hashed{h.path, h.hits + 1}
			return c
		}
		c = call{args: args}
	}
	path := e.findInPath(name)
	if path == "" {
		if v, set := e.vars.Lookup("PATH"); set && v == "" {
			c.missing = &missing{"No such file or directory", 127}
		} else {
			c.missing = &missing{"command not found", 127}
		}
		return c
	}
	e.resolvePath(&c, path)
	if dir, _ := splitDir(path); c.missing == nil && e.opts[optHashall] && !isBin(dir) {
		e.own()
		if e.hash == nil {
			e.hash = map[string]hashed{}
		}
		e.hash[name] = hashed{path, 1}
	}
	return c
}

// isBin reports whether a directory is one of the places of programs.
func isBin(dir string) bool { return dir == "/usr/bin" || dir == "/bin" }

func splitDir(path string) (dir, base string) {
	i := strings.LastIndexByte(path, '/')
	if i <= 0 {
		return "/", path[i+1:]
	}
	return path[:i], path[i+1:]
}

// findProgram answers a program of /usr/bin that the session may see.
func (e *Executor) findProgram(name string) (p *program.Program, shell, ok bool) {
	if e.cfg.Judge != nil && !e.cfg.Judge.Visible(name) {
		return nil, false, false
	}
	if name == "bash" || name == "sh" {
		return nil, true, true
	}
	p = e.cfg.Programs[name]
	return p, false, p != nil
}

// resolvePath fills in what a file is.
func (e *Executor) resolvePath(c *call, name string) {
	full := e.abs(name)
	if dir, base := splitDir(full); isBin(dir) {
		if p, shell, ok := e.findProgram(base); ok {
			c.program, c.shell = p, shell
			return
		}
	}
	dir, _ := splitDir(full)
	c.file = !isBin(dir)
	info, err := e.cfg.View.Stat(e.ctx, full)
	switch {
	case err != nil:
		text, status := phrase(err), 127
		if errno(err) != syscall.ENOENT && errno(err) != syscall.ENOTDIR {
			status = 126
		}
		if errno(err) == syscall.ENOTDIR {
			status = 126
		}
		c.missing = &missing{text, status}
	case info.IsDir():
		c.missing = &missing{vfs.Phrase(syscall.EISDIR), 126}
	case info.Mode&0o111 == 0:
		c.missing = &missing{vfs.Phrase(syscall.EACCES), 126}
	default:
		if real, err := e.cfg.View.RealPath(e.ctx, full); err == nil && real != full {
			if dir, base := splitDir(real); isBin(dir) {
				if p, shell, ok := e.findProgram(base); ok {
					c.program, c.shell = p, shell
					return
				}
			}
		}
		c.script = name
	}
}

// findInPath searches PATH for an executable; "" when there is none. A file
// that is not executable is only found when nothing else is.
func (e *Executor) findInPath(name string) string {
	second := ""
	for _, dir := range e.pathDirs() {
		path := joinPath(dir, name)
		full := e.abs(path)
		if d, base := splitDir(full); isBin(d) {
			if _, _, ok := e.findProgram(base); ok {
				return path
			}
			continue
		}
		info, err := e.cfg.View.Stat(e.ctx, full)
		if err != nil || info.IsDir() {
			continue
		}
		if info.Mode&0o111 != 0 {
			return path
		}
		if second == "" {
			second = path
		}
	}
	return second
}

// findAllInPath answers every executable of the name on PATH.
func (e *Executor) findAllInPath(name string) []string {
	var all []string
	for _, dir := range e.pathDirs() {
		path := joinPath(dir, name)
		full := e.abs(path)
		if d, base := splitDir(full); isBin(d) {
			if _, _, ok := e.findProgram(base); ok {
				all = append(all, path)
			}
			continue
		}
		if info, err := e.cfg.View.Stat(e.ctx, full); err == nil && !info.IsDir() && info.Mode&0o111 != 0 {
			all = append(all, path)
		}
	}
	return all
}

// pathDirs splits PATH; the result is kept until PATH changes.
func (e *Executor) pathDirs() []string {
	path := e.vars.Get("PATH")
	if path != e.pathText || e.pathList == nil {
		e.pathText = path
		e.pathList = strings.Split(path, ":")
	}
	return e.pathList
}

func joinPath(dir, name string) string {
	switch {
	case dir == "":
		return "./" + name
	case strings.HasSuffix(dir, "/"):
		return dir + name
	}
	return dir + "/" + name
}
