package program

import (
	"context"
	"strings"

	"mirage/vfs"
)

// IsDescriptor reports whether an operand names an open descriptor
// (/dev/stdin, /dev/fd/n), which Open reads and the tree does not know.
func (inv *Invocation) IsDescriptor(operand string) bool {
	_, named, err := inv.descriptor(operand)
	return named && err == nil
}

// IsDir tells whether an operand is a directory, links followed.
func (inv *Invocation) IsDir(ctx context.Context, operand string) bool {
	info, err := inv.FS.Stat(ctx, inv.Path(operand))
	return err == nil && info.IsDir()
}

// IsRoot tells whether an operand is the root directory.
func (inv *Invocation) IsRoot(ctx context.Context, operand string) bool {
	if operand != "" && strings.Trim(operand, "/") == "" {
		return true
	}
	real, err := inv.FS.RealPath(ctx, inv.Path(operand))
	return err == nil && real == "/"
}

// IsMountRoot tells whether an operand is the root of a mount.
func (inv *Invocation) IsMountRoot(ctx context.Context, operand string) bool {
	real, err := inv.FS.RealPath(ctx, inv.Path(operand))
	return err == nil && inv.FS.MountOf(real).Prefix == real
}

// SameFile tells whether two operands with these descriptions are one file.
// Where a backend has no inode numbers the resolved names tell.
func (inv *Invocation) SameFile(ctx context.Context, a string, infoA vfs.Info, b string, infoB vfs.Info) bool {
	if infoA.Ino != 0 && infoB.Ino != 0 {
		return infoA.Ino == infoB.Ino && infoA.Dev == infoB.Dev
	}
	if infoA.Dev != infoB.Dev {
		return false
	}
	resolve := func(name string, info vfs.Info) (string, error) {
		if info.IsLink() {
			return inv.entryOf(ctx, name)
		}
		return inv.FS.RealPath(ctx, inv.Path(name))
	}
	realA, errA := resolve(a, infoA)
	realB, errB := resolve(b, infoB)
	return errA == nil && errB == nil && realA == realB
}

// SameName tells whether two operands name one entry of one directory.
func (inv *Invocation) SameName(ctx context.Context, a, b string) bool {
	entryA, errA := inv.entryOf(ctx, a)
	entryB, errB := inv.entryOf(ctx, b)
	return errA == nil && errB == nil && entryA == entryB
}

// entryOf is the resolved name of an operand's directory with the operand's
// last component.
func (inv *Invocation) entryOf(ctx context.Context, operand string) (string, error) {
	path := strings.TrimRight(inv.Path(operand), "/")
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "/", nil
	}
	dir, err := inv.FS.RealPath(ctx, path[:i+1])
	return strings.TrimSuffix(dir, "/") + path[i:], err
}
