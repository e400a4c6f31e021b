package find

import (
	"strconv"
	"strings"

	"mirage/shell/program/walk"
	"mirage/shell/regex"
)

type (
	plainFunc    = func(p *parser) (expr, error)
	argumentFunc = func(p *parser, arg string) (expr, error)
)

func always(*item) bool { return true }
func never(*item) bool  { return false }

// option makes a predicate that changes the run when it is read and is true.
func option(set func(f *finder)) plainFunc {
	return func(p *parser) (expr, error) {
		set(p.f)
		return testFunc(always), nil
	}
}

// plain are the predicates without an argument.
var plain = map[string]plainFunc{
	"-d":                     option(func(f *finder) { f.depth, f.depthAsked = true, true }),
	"-depth":                 option(func(f *finder) { f.depth, f.depthAsked = true, true }),
	"-daystart":              option(func(f *finder) { f.dayStart = true }),
	"-follow":                option(func(f *finder) { f.follow = walk.FollowAlways }),
	"-mount":                 option(func(f *finder) { f.oneMount = true }),
	"-xdev":                  option(func(f *finder) { f.oneMount = true }),
	"-noleaf":                option(func(*finder) {}),
	"-warn":                  option(func(*finder) {}),
	"-nowarn":                option(func(*finder) {}),
	"-ignore_readdir_race":   option(func(*finder) {}),
	"-noignore_readdir_race": option(func(*finder) {}),
	"-help":                  help,
	"--help":                 help,
	"-version":               version,
	"--version":              version,
	"-true":                  test(always),
	"-false":                 test(never),
	"-empty":                 test(isEmpty),
	"-nouser":                test(func(it *item) bool { return it.f.inv.Owner(it.Info.UID) == strconv.Itoa(it.Info.UID) }),
	"-nogroup":               test(func(it *item) bool { return it.f.inv.Group(it.Info.GID) == strconv.Itoa(it.Info.GID) }),
	"-readable":              test(isReadable),
	"-writable":              test(isWritable),
	"-executable":            test(isExecutable),
	"-prune":                 prune,
	"-quit":                  test(func(it *item) bool { it.f.done = true; return true }),
	"-delete":                deletion,
	"-print":                 action(printPath),
	"-print0":                action(printZero),
	"-ls":                    action(func(it *item) bool { it.f.list(it, it.f.out); return true }),
}

// withArgument are the predicates that take an argument, or more.
var withArgument = map[string]argumentFunc{
	"-maxdepth": func(p *parser, arg string) (expr, error) { return p.depthOption(arg, &p.f.maxDepth) },
	"-mindepth": func(p *parser, arg string) (expr, error) { return p.depthOption(arg, &p.f.minDepth) },
	"-files0-from": func(p *parser, arg string) (expr, error) {
		p.f.filesFrom = arg
		return testFunc(always), nil
	},
	"-regextype":  regexType,
	"-regex":      func(p *parser, arg string) (expr, error) { return p.regex(arg, 0) },
	"-iregex":     func(p *parser, arg string) (expr, error) { return p.regex(arg, regex.IgnoreCase) },
	"-name":       glob((*item).base, false),
	"-iname":      glob((*item).base, true),
	"-path":       glob(func(it *item) string { return it.Path }, false),
	"-wholename":  glob(func(it *item) string { return it.Path }, false),
	"-ipath":      glob(func(it *item) string { return it.Path }, true),
	"-iwholename": glob(func(it *item) string { return it.Path }, true),
	"-lname":      glob((*item).target, false),
	"-ilname":     glob((*item).target, true),
	"-type":       func(p *parser, arg string) (expr, error) { return p.types("-type", arg, (*item).ownType) },
	"-xtype":      func(p *parser, arg string) (expr, error) { return p.types("-xtype", arg, (*item).otherType) },
	"-size":       size,
	"-perm":       permission,
	"-links":      count(func(it *item) int64 { return int64(max(it.Info.Nlink, 1)) }),
	"-inum":       count(func(it *item) int64 { return int64(it.Info.Ino) }),
	"-uid":        count(func(it *item) int64 { return int64(it.Info.UID) }),
	"-gid":        count(func(it *item) int64 { return int64(it.Info.GID) }),
	"-user":       user,
	"-group":      group,
	"-fstype":     fsType,
	"-samefile":   sameFile,
	"-used":       used,
	"-mtime":      age('m', dayUnit),
	"-atime":      age('a', dayUnit),
	"-ctime":      age('c', dayUnit),
	"-mmin":       age('m', minuteUnit),
	"-amin":       age('a', minuteUnit),
	"-cmin":       age('c', minuteUnit),
	"-newer":      newer('m'),
	"-anewer":     newer('a'),
	"-cnewer":     newer('c'),
	"-printf":     func(p *parser, arg string) (expr, error) { return p.printf(nil, arg) },
	"-fprint":     func(p *parser, arg string) (expr, error) { return p.toFile(arg, "\n") },
	"-fprint0":    func(p *parser, arg string) (expr, error) { return p.toFile(arg, "\x00") },
	"-fls":        fileList,
	"-fprintf":    filePrintf,
	"-exec":       func(p *parser, arg string) (expr, error) { return p.exec(arg, execKind{}) },
	"-execdir":    func(p *parser, arg string) (expr, error) { return p.exec(arg, execKind{inDir: true}) },
	"-ok":         func(p *parser, arg string) (expr, error) { return p.exec(arg, execKind{ask: true}) },
	"-okdir":      func(p *parser, arg string) (expr, error) { return p.exec(arg, execKind{ask: true, inDir: true}) },
}

func help(p *parser) (expr, error) {
	if err := spec.WriteHelp(p.f.out, p.f.inv.Name); err != nil {
		return nil, err
	}
	return nil, errAnswered
}

func version(p *parser) (expr, error) {
	if err := spec.WriteVersion(p.f.out, p.f.inv.Name); err != nil {
		return nil, err
	}
	return nil, errAnswered
}

func test(t testFunc) plainFunc {
	return func(*parser) (expr, error) { return t, nil }
}

// action is a test that keeps -print from being added.
func action(t testFunc) plainFunc {
	return func(p *parser) (expr, error) {
		p.acts = true
		return t, nil
	}
}

func (p *parser) depthOption(arg string, depth *int) (expr, error) {
	n, err := strconv.ParseUint(arg, 10, 31)
	if err != nil {
		return nil, problemf("Expected a positive decimal integer argument to %s, but got %s", p.last, p.f.inv.QuoteArg(arg))
	}
	*depth = int(n)
	return testFunc(always), nil
}

// regexTypes are the values of -regextype, in the order of the message.
var regexTypes = []struct {
	name  string
	flags regex.Flags
}{
	{"findutils-default", regex.Emacs}, {"ed", 0}, {"emacs", regex.Emacs}, {"gnu-awk", regex.Awk}, {"grep", regex.Grep},
	{"posix-awk", regex.Awk}, {"awk", regex.Awk}, {"posix-basic", 0}, {"posix-egrep", regex.Extended | regex.Grep},
	{"egrep", regex.Extended | regex.Grep}, {"posix-extended", regex.Extended}, {"posix-minimal-basic", 0}, {"sed", 0},
}

func regexType(p *parser, arg string) (expr, error) {
	var names []string
	for _, t := range regexTypes {
		if t.name == arg {
			p.f.regexFlags = t.flags
			return testFunc(always), nil
		}
		names = append(names, "'"+t.name+"'")
	}
	return nil, problemf("Unknown regular expression type %s; valid types are %s.", p.f.inv.QuoteArg(arg), strings.Join(names, ", "))
}

func (p *parser) regex(arg string, flags regex.Flags) (expr, error) {
	flags |= p.f.regexFlags | regex.WholeLine
	if p.f.inv.UTF8() {
		flags |= regex.UTF8
	}
	re, err := regex.Compile(arg, flags)
	if err != nil {
		return nil, problemf("failed to compile regular expression %s: %v", p.f.inv.QuoteArg(arg), err)
	}
	m := re.Matcher(p.f.ctx)
	return testFunc(func(it *item) bool { return m.Match([]byte(it.Path)) }), nil
}

func prune(p *parser) (expr, error) {
	p.prunes = true
	return testFunc(func(it *item) bool {
		if !it.f.depth {
			it.Skip()
		}
		return true
	}), nil
}

func deletion(p *parser) (expr, error) {
	p.acts, p.deletes, p.f.depth = true, true, true
	return testFunc(remove), nil
}
