package find

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"syscall"

	"mirage/internal/unixmode"
	"mirage/shell/pattern"
	"mirage/shell/program/filemode"
	"mirage/shell/program/walk"
	"mirage/vfs"
)

func isEmpty(it *item) bool {
	if !it.Info.IsDir() {
		return it.Info.IsRegular() && it.Info.Size == 0
	}
	list, err := it.f.inv.FS.ReadNames(it.f.ctx, it.full())
	if err != nil {
		it.f.fileErr(it.Path, err)
		return false
	}
	return len(list) == 0
}

// isReadable and isWritable ask the mount: mode bits do not decide here.
func isReadable(it *item) bool { return true }

func isWritable(it *item) bool {
	real, err := it.f.inv.FS.RealPath(it.f.ctx, it.full())
	return err == nil && it.f.inv.FS.MountOf(real).Mode >= vfs.Write
}

func isExecutable(it *item) bool {
	info := it.Info
	if info.IsLink() {
		var err error
		if info, err = it.f.inv.FS.Stat(it.f.ctx, it.full()); err != nil {
			return false
		}
	}
	return unixmode.Permissions(info.Mode)&0o111 != 0
}

// target is the text of a link, and nothing for another file.
func (it *item) target() string {
	if !it.Info.IsLink() {
		return ""
	}
	if it.Info.Target != "" {
		return it.Info.Target
	}
	text, err := it.f.inv.FS.Readlink(it.f.ctx, it.full())
	if err != nil {
		it.f.fileErr(it.Path, err)
	}
	return text
}

func glob(of func(*item) string, fold bool) argumentFunc {
	return func(p *parser, arg string) (expr, error) {
		var flags pattern.Flags
		if fold {
			flags |= pattern.FoldCase
		}
		if p.f.inv.UTF8() {
			flags |= pattern.UTF8
		}
		if strings.HasSuffix(p.last, "path") && len(arg) > 1 && strings.HasSuffix(arg, "/") {
			p.f.inv.Errorf("warning: %s %s will not match anything because it ends with /.", p.last, arg)
		}
		pat := pattern.Compile(arg, flags)
		links := strings.HasSuffix(p.last, "lname")
		return testFunc(func(it *item) bool {
			if links && !it.Info.IsLink() {
				return false
			}
			ok, _ := pat.Match(it.f.ctx, of(it))
			return ok
		}), nil
	}
}

// typeLetters are those of -type: block, character, directory, pipe, file,
// link, socket, door.
const typeLetters = "bcdpflsD"

func typeOf(mode fs.FileMode) byte {
	if c := unixmode.TypeLetter(mode); c != '-' {
		return c
	}
	return 'f'
}

func (it *item) ownType() byte { return typeOf(it.Info.Mode) }

// otherType is the type by the other way to treat links: what a link leads to
// where links are not followed, and the link itself where they are.
func (it *item) otherType() byte {
	followed := it.f.follow == walk.FollowAlways || it.f.follow == walk.FollowOperands && it.Depth == 0
	if followed {
		info, err := it.f.inv.FS.Lstat(it.f.ctx, it.full())
		if err != nil {
			return 0
		}
		return typeOf(info.Mode)
	}
	if !it.Info.IsLink() {
		return it.ownType()
	}
	info, err := it.f.inv.FS.Stat(it.f.ctx, it.full())
	switch {
	case err == nil:
		return typeOf(info.Mode)
	case errors.Is(err, syscall.ENOENT), errors.Is(err, syscall.ENOTDIR):
		return 'l' // it dangles
	}
	it.f.fileErr(it.Path, err)
	return 0
}

func (p *parser) types(name, arg string, of func(*item) byte) (expr, error) {
	if arg == "" {
		return nil, problemf("Arguments to %s should contain at least one letter", name)
	}
	var wanted string
	for i := 0; i < len(arg); i += 2 {
		if strings.IndexByte(typeLetters, arg[i]) < 0 {
			return nil, problemf("Unknown argument to %s: %c", name, arg[i])
		}
		if strings.IndexByte(wanted, arg[i]) >= 0 {
			return nil, problemf("Duplicate file type '%c' in the argument list to %s.", arg[i], name)
		}
		wanted += arg[i : i+1]
		if i+1 == len(arg) {
			break
		}
		if arg[i+1] != ',' {
			return nil, problemf("Must separate multiple arguments to %s using: ','", name)
		}
		if i+2 == len(arg) {
			return nil, problemf("Last file type in list argument to %s is missing, i.e., list is ending on: ','", name)
		}
	}
	return testFunc(func(it *item) bool { return strings.IndexByte(wanted, of(it)) >= 0 }), nil
}

// comparison is the "+N", "-N" or "N" of a numeric test.
type comparison struct {
	sign byte // '+', '-' or 0
	n    int64
}

func (c comparison) holds(v int64) bool {
	switch c.sign {
	case '+':
		return v > c.n
	case '-':
		return v < c.n
	}
	return v == c.n
}

func parseComparison(arg string) (comparison, bool) {
	c := comparison{}
	if arg != "" && (arg[0] == '+' || arg[0] == '-') {
		c.sign, arg = arg[0], arg[1:]
	}
	n, err := strconv.ParseUint(arg, 10, 63)
	c.n = int64(n)
	return c, err == nil
}

func count(of func(*item) int64) argumentFunc {
	return func(p *parser, arg string) (expr, error) {
		c, ok := parseComparison(arg)
		if !ok {
			return nil, problemf("invalid argument `%s' to `%s'", arg, p.last)
		}
		return testFunc(func(it *item) bool { return c.holds(of(it)) }), nil
	}
}

// size reads -size: a count of units, by default of 512 bytes, rounded up.
func size(p *parser, arg string) (expr, error) {
	if arg == "" {
		return nil, problem("invalid null argument to -size")
	}
	units := map[byte]int64{'b': 512, 'c': 1, 'w': 2, 'k': 1 << 10, 'M': 1 << 20, 'G': 1 << 30}
	unit, number := int64(512), arg
	last := arg[len(arg)-1]
	if u, ok := units[last]; ok {
		unit, number = u, arg[:len(arg)-1]
	} else if last < '0' || last > '9' {
		return nil, problemf("invalid -size type `%c'", last)
	}
	c, ok := parseComparison(number)
	if !ok {
		return nil, problemf("Invalid argument `%s' to -size", arg)
	}
	return testFunc(func(it *item) bool {
		n := max(it.Info.Size, 0)
		return c.holds(n/unit + min(n%unit, 1))
	}), nil
}

// permission reads -perm: MODE exactly, -MODE all of the bits, /MODE any.
func permission(p *parser, arg string) (expr, error) {
	kind, mode := byte(0), arg
	if arg != "" && (arg[0] == '-' || arg[0] == '/') {
		kind, mode = arg[0], arg[1:]
	}
	change, err := filemode.Parse(mode)
	if err != nil || len(arg) > 1 && arg[0] == '+' && arg[1] >= '0' && arg[1] <= '7' {
		return nil, problemf("invalid mode %s", p.f.inv.QuoteArg(arg))
	}
	return testFunc(func(it *item) bool {
		want := change.Apply(0, it.Info.IsDir(), 0)
		got := unixmode.Permissions(it.Info.Mode)
		switch kind {
		case '-':
			return got&want == want
		case '/':
			return want == 0 || got&want != 0
		}
		return got == want
	}), nil
}

func user(p *parser, arg string) (expr, error) {
	uid, ok := p.f.inv.LookupOwner(arg)
	if !ok {
		if arg == "" {
			return nil, problem("The argument to -user should not be empty")
		}
		return nil, problemf("%s is not the name of a known user", p.f.inv.QuoteArg(arg))
	}
	return testFunc(func(it *item) bool { return it.Info.UID == uid }), nil
}

func group(p *parser, arg string) (expr, error) {
	gid, ok := p.f.inv.LookupOwner(arg)
	if !ok {
		if arg == "" {
			return nil, problem("argument to -group is empty, but should be a group name")
		}
		return nil, problemf("%s is not the name of an existing group", p.f.inv.QuoteArg(arg))
	}
	return testFunc(func(it *item) bool { return it.Info.GID == gid }), nil
}

// fsType compares the kind of the mount.
func fsType(_ *parser, arg string) (expr, error) {
	return testFunc(func(it *item) bool { return it.mountKind() == arg }), nil
}

func (it *item) mountKind() string {
	real, err := it.f.inv.FS.RealPath(it.f.ctx, it.full())
	if err != nil {
		real = it.full()
	}
	return it.f.inv.FS.MountOf(real).Kind
}

func sameFile(p *parser, arg string) (expr, error) {
	stat := p.f.inv.FS.Lstat
	if p.f.follow != walk.FollowNever {
		stat = p.f.inv.FS.Stat
	}
	info, err := stat(p.f.ctx, p.f.inv.Path(arg))
	if err != nil {
		return nil, problemf("%s: %s", p.f.inv.Quote(arg), vfs.Phrase(err))
	}
	return testFunc(func(it *item) bool { return it.f.inv.SameFile(it.f.ctx, arg, info, it.Path, it.Info) }), nil
}
