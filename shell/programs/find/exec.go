package find

import (
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/paths"
	"mirage/vfs"
)

// execKind tells -exec, -execdir, -ok and -okdir apart.
type execKind struct{ inDir, ask bool }

// maxCommand is the length of a command line that -exec ... + builds.
const maxCommand = 128 << 10

// exec reads a command up to ";" or "{} +".
func (p *parser) exec(first string, kind execKind) (expr, error) {
	p.acts = true
	args := append([]string{first}, p.args...)
	if first == ";" {
		return nil, problemf("invalid argument `;' to `%s'", p.last)
	}
	braces := 0
	for i, arg := range args {
		switch {
		case arg == ";":
			p.args = args[i+1:]
			return p.execEach(args[:i], kind), nil
		case arg == "+" && i > 0 && args[i-1] == "{}" && !kind.ask:
			p.args = args[i+1:]
			if braces > 1 {
				return nil, problemf("Only one instance of {} is supported with %s ... +", p.last)
			}
			return p.execMany(args[:i-1], kind)
		case strings.Contains(arg, "{}"):
			braces++
		}
	}
	return nil, problemf("missing argument to `%s'", p.last)
}

// execEach runs the command for each file; it is true when the command is.
func (p *parser) execEach(command []string, kind execKind) expr {
	return testFunc(func(it *item) bool {
		name, dir := it.Path, ""
		if kind.inDir {
			name, dir = it.local()
		}
		argv := make([]string, len(command))
		size := 0
		for i, arg := range command {
			argv[i] = strings.ReplaceAll(arg, "{}", name)
			if size += len(argv[i]) + 1; size > 2<<20 {
				it.f.failf("%s: Argument list too long", it.f.inv.Quote(command[0]))
				return false
			}
		}
		if kind.ask {
			it.f.out.Flush()
			if !it.f.ask.Confirm("< " + command[0] + " ... " + it.Path + " > ? ") {
				return false
			}
		}
		status, ok := it.f.spawn(argv, dir)
		return ok && status == 0
	})
}

// local is the name of a file from within its directory.
func (it *item) local() (name, dir string) {
	if paths.Base(it.Path) == "/" {
		return "/", "/"
	}
	return "./" + paths.Base(it.Path), it.f.inv.Path(paths.Dir(it.Path))
}

// spawn runs a command; ok is false when it could not be started.
func (f *finder) spawn(argv []string, dir string) (status int, ok bool) {
	f.out.Flush()
	status, err := f.inv.Spawn(f.ctx, program.Child{Args: argv, Dir: dir})
	if err != nil {
		f.inv.Errorf("%s: %s", f.inv.Quote(argv[0]), vfs.Phrase(err))
		return 0, false
	}
	return status, true
}

// batch collects files for one command of -exec ... +.
type batch struct {
	command []string
	names   []string
	size    int
	dir     string // -execdir: where all the names are
}

// execMany collects files and runs the command with as many as fit. It is
// always true; a command that fails shows in the exit status.
func (p *parser) execMany(command []string, kind execKind) (expr, error) {
	if len(command) == 0 {
		return nil, problemf("missing argument to `%s'", p.last)
	}
	b := &batch{command: command}
	p.f.batches = append(p.f.batches, b)
	return testFunc(func(it *item) bool {
		name, dir := it.Path, ""
		if kind.inDir {
			name, dir = it.local()
		}
		if dir != b.dir || b.size+len(name)+1 > maxCommand {
			b.run(it.f)
		}
		b.dir = dir
		b.names = append(b.names, name)
		b.size += len(name) + 1
		return true
	}), nil
}

// run runs the command with what was collected.
func (b *batch) run(f *finder) {
	if len(b.names) == 0 || f.ctx.Err() != nil {
		return
	}
	argv := append(append([]string(nil), b.command...), b.names...)
	b.names, b.size = nil, 0
	if status, ok := f.spawn(argv, b.dir); !ok || status != 0 {
		f.status = 1
	}
}
