package test

import (
	"context"
	"io/fs"

	"mirage/vfs"
)

// Unary evaluates one unary file, string or variable test ("-f", "-z", "-v").
// It is what [[ ]] uses too.
func Unary(ctx context.Context, e *Env, op, operand string) (bool, error) {
	switch op {
	case "-n":
		return operand != "", nil
	case "-z":
		return operand == "", nil
	case "-v":
		if e.IsSet == nil {
			return false, nil
		}
		return e.IsSet(operand)
	case "-R":
		return e.IsRef != nil && e.IsRef(operand), nil
	case "-o":
		return e.Option != nil && e.Option(operand), nil
	case "-t":
		fd, ok := integer(operand)
		return ok && fd >= 0 && fd < 1<<20 && e.Terminal != nil && e.Terminal(int(fd)), nil
	case "-h", "-L":
		info, err := e.FS.Lstat(ctx, e.path(operand))
		return err == nil && info.IsLink(), nil
	}
	info, ok := e.stat(ctx, operand)
	if !ok {
		return false, nil
	}
	m := info.Mode
	switch op {
	case "-f":
		return m.IsRegular(), nil
	case "-d":
		return m.IsDir(), nil
	case "-s":
		return info.Size != 0, nil
	case "-b":
		return m&fs.ModeDevice != 0 && m&fs.ModeCharDevice == 0, nil
	case "-c":
		return m&fs.ModeCharDevice != 0, nil
	case "-p":
		return m&fs.ModeNamedPipe != 0, nil
	case "-S":
		return m&fs.ModeSocket != 0, nil
	case "-u":
		return m&fs.ModeSetuid != 0, nil
	case "-g":
		return m&fs.ModeSetgid != 0, nil
	case "-k":
		return m&fs.ModeSticky != 0, nil
	case "-x":
		return m.IsDir() || m&0o111 != 0, nil
	case "-w":
		name := e.path(operand)
		if real, err := e.FS.RealPath(ctx, name); err == nil {
			name = real
		}
		return e.FS.MountOf(name).Mode != vfs.Read, nil
	case "-N":
		return !info.ModTime.Before(info.AccessTime), nil
	}
	// -a, -e; -r, -O and -G: modes are shown and not enforced, and whoever
	// is logged in owns what there is.
	return true, nil
}

// path answers the absolute name of an operand.
func (e *Env) path(name string) string {
	switch {
	case name == "" || name[0] == '/':
		return name
	case e.Dir == "/":
		return "/" + name
	}
	return e.Dir + "/" + name
}

func (e *Env) stat(ctx context.Context, name string) (vfs.Info, bool) {
	if name == "" {
		return vfs.Info{}, false
	}
	info, err := e.FS.Stat(ctx, e.path(name))
	return info, err == nil
}

// Newer reports whether a is newer than b, or a exists and b does not.
func Newer(ctx context.Context, e *Env, a, b string) bool {
	ia, oka := e.stat(ctx, a)
	ib, okb := e.stat(ctx, b)
	return oka && (!okb || ia.ModTime.After(ib.ModTime))
}

// Older reports whether a is older than b, or b exists and a does not.
func Older(ctx context.Context, e *Env, a, b string) bool { return Newer(ctx, e, b, a) }

// Same reports whether a and b are one file.
func Same(ctx context.Context, e *Env, a, b string) bool {
	ia, oka := e.stat(ctx, a)
	ib, okb := e.stat(ctx, b)
	if !oka || !okb {
		return false
	}
	if ia.Ino != 0 || ib.Ino != 0 {
		return ia.Ino == ib.Ino && ia.Dev == ib.Dev
	}
	pa, erra := e.FS.RealPath(ctx, e.path(a))
	pb, errb := e.FS.RealPath(ctx, e.path(b))
	return erra == nil && errb == nil && pa == pb
}
