package shell

import (
	"path"
	"strings"
	"syscall"

	"mirage/shell/vars"
	"mirage/vfs"
)

func builtinCd(e *Executor, args []string) int {
	f, rest, ok := e.parseFlags(args, "LPe@")
	if !ok {
		return 2
	}
	physical := e.opts[optPhysical]
	for _, a := range args[1:] {
		if len(a) < 2 || a[0] != '-' || a == "--" {
			break
		}
		for _, c := range a[1:] {
			switch c {
			case 'P':
				physical = true
			case 'L':
				physical = false
			}
		}
	}
	if len(rest) > 1 {
		e.errorf("cd: too many arguments")
		return 1
	}
	target, show := "", false
	switch {
	case len(rest) == 0:
		home, set := e.vars.Lookup("HOME")
		if !set {
			e.errorf("cd: HOME not set")
			return 1
		}
		target = home
		if home == "" {
			return 0
		}
	case rest[0] == "-":
		old, set := e.vars.Lookup("OLDPWD")
		if !set {
			e.errorf("cd: OLDPWD not set")
			return 1
		}
		target, show = old, true
	default:
		target = rest[0]
	}
	_ = f
	dir, shown, err := e.searchCdpath(target, physical)
	if err != nil && e.shopts[shoptCdableVars] && len(rest) == 1 {
		if v, set := e.vars.Lookup(target); set {
			if d, _, err2 := e.searchCdpath(v, physical); err2 == nil {
				dir, shown, err = d, true, nil
			}
		}
	}
	if err != nil {
		e.errorf("cd: %s: %s", target, phrase(err))
		return 1
	}
	e.chdir(dir)
	if show || shown {
		if !e.write("cd", []byte(dir+"\n")) {
			return 1
		}
	}
	return 0
}

// searchCdpath looks for a relative directory in CDPATH, then here. shown
// tells that a directory of CDPATH was used, whose name cd prints.
func (e *Executor) searchCdpath(target string, physical bool) (dir string, shown bool, err error) {
	if cdpath := e.vars.Get("CDPATH"); cdpath != "" && !strings.HasPrefix(target, "/") &&
		target != "." && target != ".." && !strings.HasPrefix(target, "./") && !strings.HasPrefix(target, "../") {
		for _, p := range strings.Split(cdpath, ":") {
			if d, err := e.checkDir(joinPath(p, target), physical); err == nil {
				return d, p != "" && p != ".", nil
			}
		}
	}
	dir, err = e.checkDir(target, physical)
	return dir, false, err
}

// checkDir answers the absolute name of a directory: ".." taken by name unless
// physical.
func (e *Executor) checkDir(target string, physical bool) (string, error) {
	if target == "" {
		return e.dir, nil
	}
	if strings.IndexByte(target, 0) >= 0 {
		return "", syscall.ENOENT
	}
	full := e.abs(target)
	view := e.view()
	info, err := view.Stat(e.ctx, full)
	if err == nil && !info.IsDir() && !strings.Contains(full, "..") {
		return "", syscall.ENOTDIR
	}
	if physical {
		if err == nil && !info.IsDir() {
			err = syscall.ENOTDIR
		}
		if err != nil {
			return "", err
		}
		return view.RealPath(e.ctx, full)
	}
	clean := path.Clean(full)
	if strings.Contains(full, "..") {
		if err := e.checkDots(full); err != nil {
			return "", err
		}
		if info, err = view.Stat(e.ctx, clean); err == nil && !info.IsDir() {
			return "", syscall.ENOTDIR
		}
	}
	return clean, err
}

// checkDots checks that what stands before each ".." of a name is there.
func (e *Executor) checkDots(name string) error {
	for i := 1; i < len(name); {
		j := strings.Index(name[i:], "/..")
		if j < 0 {
			return nil
		}
		i += j
		if end := i + 3; (end == len(name) || name[end] == '/') && i > 0 {
			info, err := e.view().Stat(e.ctx, path.Clean(name[:i]))
			if err != nil {
				return err
			}
			if !info.IsDir() {
				return syscall.ENOTDIR
			}
		}
		i += 3
	}
	return nil
}

// chdir changes the working directory, PWD and OLDPWD.
func (e *Executor) chdir(dir string) {
	old := e.vars.Get("PWD")
	if old == "" {
		old = e.dir
	}
	e.dir, e.x.Dir = dir, dir
	if err := e.vars.Set("OLDPWD", old); err != nil {
		e.warn(err.Error())
	}
	e.vars.Declare("OLDPWD", vars.Declaration{Add: vars.Export})
	if err := e.vars.Set("PWD", dir); err != nil {
		e.warn(err.Error())
	}
	e.vars.Declare("PWD", vars.Declaration{Add: vars.Export})
}

func builtinPwd(e *Executor, args []string) int {
	f, _, ok := e.parseFlags(args, "LP")
	if !ok {
		return 2
	}
	dir := e.dir
	if f.on['P'] || e.opts[optPhysical] && !f.on['L'] {
		real, err := e.view().RealPath(e.ctx, dir)
		if err != nil {
			e.errorf("pwd: error retrieving current directory: getcwd: cannot access parent directories: %s", vfs.Phrase(err))
			return 1
		}
		dir = real
	}
	if !e.write("pwd", []byte(dir+"\n")) {
		return 1
	}
	return 0
}

// directories answers the directory stack, the working directory first.
func (e *Executor) directories() []string {
	return append([]string{e.dir}, e.dirStack...)
}

// tilde shortens a directory below HOME.
func (e *Executor) tilde(dir string) string {
	home := e.vars.Get("HOME")
	if home != "" && home != "/" && (dir == home || strings.HasPrefix(dir, home+"/")) {
		return "~" + dir[len(home):]
	}
	return dir
}

// stackIndex reads +N or -N of the directory stack.
func (e *Executor) stackIndex(name, word string, size int) (int, bool) {
	n, ok := atoi(word[1:])
	if !ok {
		e.errorf("%s: %s: invalid number", name, word)
		e.usage(name)
		return 0, false
	}
	i := n
	if word[0] == '-' {
		i = size - 1 - n
	}
	if i < 0 || i >= size {
		if size == 1 {
			e.errorf("%s: directory stack empty", name)
		} else {
			e.errorf("%s: %s: directory stack index out of range", name, strings.TrimPrefix(word, "+"))
		}
		return 0, false
	}
	return i, true
}

func isStackWord(s string) bool {
	return len(s) > 1 && (s[0] == '+' || s[0] == '-') && s[1] >= '0' && s[1] <= '9'
}

func builtinDirs(e *Executor, args []string) int {
	long, lines, numbers := false, false, false
	index := ""
	for _, a := range args[1:] {
		switch {
		case a == "--":
		case isStackWord(a):
			index = a
		case len(a) > 1 && a[0] == '-':
			for _, c := range a[1:] {
				switch c {
				case 'c':
					e.dirStack = nil
					return 0
				case 'l':
					long = true
				case 'p':
					lines = true
				case 'v':
					lines, numbers = true, true
				default:
					return e.usageError("dirs", "-"+string(c), "invalid option")
				}
			}
		default:
			e.errorf("dirs: %s: invalid option", a)
			return e.usage("dirs")
		}
	}
	stack := e.directories()
	from := 0
	if index != "" {
		i, ok := e.stackIndex("dirs", index, len(stack))
		if !ok {
			return 1
		}
		from, stack = i, stack[i:i+1]
	}
	return e.printStack(stack, from, long, lines, numbers)
}

func (e *Executor) printStack(stack []string, from int, long, lines, numbers bool) int {
	var b strings.Builder
	for i, d := range stack {
		if !long {
			d = e.tilde(d)
		}
		switch {
		case numbers:
			n := itoa(from + i)
			if len(n) < 2 {
				n = " " + n
			}
			b.WriteString(n + "  " + d + "\n")
		case lines:
			b.WriteString(d + "\n")
		default:
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(d)
		}
	}
	if !lines {
		b.WriteByte('\n')
	}
	if !e.write("dirs", []byte(b.String())) {
		return 1
	}
	return 0
}

// stackOption reads the options of pushd and popd: -n keeps the working
// directory.
func (e *Executor) stackOption(name string, args []string) (noCd bool, words []string, ok bool) {
	words = args[1:]
	for len(words) > 0 && len(words[0]) > 1 && words[0][0] == '-' && !isStackWord(words[0]) {
		if words[0] == "--" {
			return noCd, words[1:], true
		}
		if words[0] != "-n" {
			e.usageError(name, words[0], "invalid option")
			return false, nil, false
		}
		noCd, words = true, words[1:]
	}
	return noCd, words, true
}

func builtinPushd(e *Executor, args []string) int {
	noCd, words, ok := e.stackOption("pushd", args)
	if !ok {
		return 2
	}
	stack := e.directories()
	if len(words) > 1 {
		e.errorf("pushd: too many arguments")
		return 1
	}
	switch {
	case len(words) == 0:
		if len(stack) < 2 {
			e.errorf("pushd: no other directory")
			return 1
		}
		if noCd {
			return 0
		}
		stack[0], stack[1] = stack[1], stack[0]
	case isStackWord(words[0]):
		i, ok := e.stackIndex("pushd", words[0], len(stack))
		if !ok {
			return 1
		}
		stack = append(append([]string{}, stack[i:]...), stack[:i]...)
	default:
		if noCd {
			stack = append([]string{stack[0], e.abs(words[0])}, stack[1:]...)
			break
		}
		target := words[0]
		if target == "-" {
			target = e.vars.Get("OLDPWD")
		}
		dir, err := e.checkDir(target, e.opts[optPhysical])
		if err != nil {
			e.errorf("pushd: %s: %s", words[0], phrase(err))
			return 1
		}
		stack = append([]string{dir}, stack...)
	}
	return e.setStack("pushd", stack, noCd)
}

// setStack makes stack the directory stack and prints it.
func (e *Executor) setStack(name string, stack []string, noCd bool) int {
	if !noCd && stack[0] != e.dir {
		dir, err := e.checkDir(stack[0], e.opts[optPhysical])
		if err != nil {
			e.errorf("%s: %s: %s", name, stack[0], phrase(err))
			return 1
		}
		e.chdir(dir)
	}
	e.dirStack = stack[1:]
	return e.printStack(e.directories(), 0, false, false, false)
}

func builtinPopd(e *Executor, args []string) int {
	noCd, words, ok := e.stackOption("popd", args)
	if !ok {
		return 2
	}
	stack := e.directories()
	index := 0
	if len(words) > 0 {
		if !isStackWord(words[0]) {
			e.errorf("popd: %s: invalid argument", words[0])
			return e.usage("popd")
		}
		i, ok := e.stackIndex("popd", words[0], len(stack))
		if !ok {
			return 1
		}
		index = i
	}
	if len(stack) < 2 {
		e.errorf("popd: directory stack empty")
		return 1
	}
	if noCd && index == 0 {
		index = 1
	}
	return e.setStack("popd", append(append([]string{}, stack[:index]...), stack[index+1:]...), noCd)
}
