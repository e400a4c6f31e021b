package vfs

import (
	"context"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"syscall"
)

// Limits of extended attributes, as xattr(7) has them.
const (
	maxXattrName  = 255
	maxXattrValue = 64 << 10
)

// modeBits is what chmod(2) can change.
const modeBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// SetAttr changes metadata, of a link's target when follow is set. ENOTSUP for
// the mode of a link itself.
func (v *View) SetAttr(ctx context.Context, name string, attr Attr, follow bool) error {
	_, err := v.ChangeAttr(ctx, name, attr, follow)
	return err
}

// ChangeAttr is SetAttr that answers which fields the backend could not hold,
// so that the node table keeps them.
func (v *View) ChangeAttr(ctx context.Context, name string, attr Attr, follow bool) (overlaid Attr, err error) {
	overlaid, err = v.changeAttr(ctx, name, attr, follow)
	return overlaid, pathError("setattr", name, err)
}

func (v *View) changeAttr(ctx context.Context, name string, attr Attr, deref bool) (Attr, error) {
	s, err := v.find(ctx, name, following(deref))
	if err != nil {
		return Attr{}, err
	}
	if s.state == missing {
		return Attr{}, syscall.ENOENT
	}
	overlaid, err := v.changeAttrAt(ctx, &s, attr)
	return overlaid, v.told(ctx, Change{Op: OpSetAttr, Path: s.path}, err)
}

func (v *View) changeAttrAt(ctx context.Context, s *spot, attr Attr) (Attr, error) {
	e, err := v.enter(ctx, s, OpSetAttr, "")
	if err != nil {
		return Attr{}, err
	}
	switch {
	case attr.Mode != nil && *attr.Mode&^modeBits != 0:
		return Attr{}, syscall.EINVAL
	case s.info.IsLink() && attr.Mode != nil:
		return Attr{}, syscall.ENOTSUP
	case s.synthetic || s.place != nil && s.place.link != "":
		return Attr{}, syscall.EPERM // it belongs to the namespace
	}
	if e.m.overlay && v.ns.nodes.isLink(e.path) {
		return attr, v.ns.nodes.edit(ctx, e.path, func(n Node) (Node, error) {
			return n.merge(attr, attr, n.Observed), nil
		})
	}
	rest, err := SetAttr(ctx, e.fs, e.name, attr)
	if err != nil {
		return Attr{}, err
	}
	return rest, v.keepAttr(ctx, e, attr, rest, func() (Info, error) { return e.fs.Stat(ctx, e.name) })
}

// keepAttr puts what the backend could not hold into the node table.
func (v *View) keepAttr(ctx context.Context, e entry, attr, rest Attr, stat func() (Info, error)) error {
	if !e.m.overlay {
		if !rest.IsZero() {
			return syscall.ENOTSUP
		}
		return nil
	}
	if n, _ := v.ns.nodes.get(e.path); n == nil && rest.IsZero() {
		return nil
	}
	info, err := stat()
	if err != nil {
		return err
	}
	return v.ns.nodes.edit(ctx, e.path, func(n Node) (Node, error) {
		return n.merge(attr, rest, info.ModTime), nil
	})
}

// SetAttr is fchmod(2), fchown(2) and futimens(2) on the handle. ESTALE when
// the node table would have to hold a field and the file no longer has its
// name.
func (h *handle) SetAttr(attr Attr) (rest Attr, err error) {
	rest, err = h.setAttr(attr)
	return rest, h.fail("setattr", err)
}

func (h *handle) setAttr(attr Attr) (Attr, error) {
	if err := h.use("setattr"); err != nil {
		return Attr{}, err
	}
	if attr.Mode != nil && *attr.Mode&^modeBits != 0 {
		return Attr{}, syscall.EINVAL
	}
	f, ok := h.file.(FileAttributer)
	if !ok {
		return h.v.changeAttr(h.ctx, h.path, attr, false)
	}
	rest, err := h.setAttrOf(f, attr)
	return rest, h.v.told(h.ctx, Change{Op: OpSetAttr, Path: h.path}, err)
}

func (h *handle) setAttrOf(f FileAttributer, attr Attr) (Attr, error) {
	s := spot{path: h.path, m: h.m, state: found}
	e, err := h.v.enter(h.ctx, &s, OpSetAttr, "")
	if err != nil {
		return Attr{}, err
	}
	rest, err := f.SetAttr(attr)
	if err != nil {
		return Attr{}, err
	}
	return rest, h.v.keepAttr(h.ctx, e, attr, rest, func() (Info, error) {
		info, err := h.file.Stat()
		if err != nil {
			return info, err
		}
		named, err := e.fs.Stat(h.ctx, e.name)
		if err != nil || named.Ino != info.Ino {
			return info, syscall.ESTALE
		}
		return info, nil
	})
}

func following(deref bool) lookup {
	if deref {
		return follow
	}
	return 0
}

// enterXattr resolves and enters for an attribute call.
func (v *View) enterXattr(ctx context.Context, name, attr string, op Op, deref bool) (entry, error) {
	switch {
	case attr == "" || len(attr) > maxXattrName:
		return entry{}, syscall.ERANGE
	case strings.IndexByte(attr, 0) >= 0:
		return entry{}, syscall.EINVAL
	}
	s, err := v.find(ctx, name, following(deref))
	if err != nil {
		return entry{}, err
	}
	e, err := v.enterFound(ctx, &s, op, "")
	if err == nil && (s.synthetic || s.place != nil && s.place.link != "") {
		if op == OpSetXattr {
			return entry{}, syscall.EPERM
		}
		return entry{}, syscall.ENODATA
	}
	return e, err
}

// native reports whether the backend holds the attributes of the file itself:
// it can, and the file is no link of the node table.
func (v *View) native(e entry) bool {
	_, ok := e.fs.(Xattrer)
	return ok && !(e.m.overlay && v.ns.nodes.isLink(e.path))
}

// GetXattr answers one extended attribute; ENODATA when it is not set.
func (v *View) GetXattr(ctx context.Context, name, attr string, follow bool) ([]byte, error) {
	e, err := v.enterXattr(ctx, name, attr, OpGetXattr, follow)
	if err != nil {
		return nil, pathError("getxattr", name, err)
	}
	if v.native(e) {
		value, err := GetXattr(ctx, e.fs, e.name, attr)
		return value, pathError("getxattr", name, err)
	}
	if n, _ := v.ns.nodes.get(e.path); n != nil {
		if value, ok := n.Xattrs[attr]; ok {
			return slices.Clone(value), nil
		}
	}
	return nil, pathError("getxattr", name, syscall.ENODATA)
}

// ListXattr lists the names of the extended attributes, sorted.
func (v *View) ListXattr(ctx context.Context, name string, follow bool) ([]string, error) {
	e, err := v.enterXattr(ctx, name, "list", OpGetXattr, follow)
	if errIs(err, syscall.ENODATA) {
		return nil, nil
	}
	if err != nil {
		return nil, pathError("listxattr", name, err)
	}
	if v.native(e) {
		names, err := ListXattr(ctx, e.fs, e.name)
		return names, pathError("listxattr", name, err)
	}
	n, _ := v.ns.nodes.get(e.path)
	if n == nil {
		return nil, nil
	}
	return slices.Sorted(maps.Keys(n.Xattrs)), nil
}

// SetXattr sets an extended attribute; see Xattrer for create and replace.
// E2BIG for a value above 64 KiB, ERANGE for a name above 255 bytes.
func (v *View) SetXattr(ctx context.Context, name, attr string, value []byte, create, replace, follow bool) error {
	return pathError("setxattr", name, v.setXattr(ctx, name, attr, value, create, replace, follow))
}

func (v *View) setXattr(ctx context.Context, name, attr string, value []byte, create, replace, follow bool) error {
	if len(value) > maxXattrValue {
		return syscall.E2BIG
	}
	e, err := v.enterXattr(ctx, name, attr, OpSetXattr, follow)
	if err != nil {
		return err
	}
	return v.told(ctx, Change{Op: OpSetXattr, Path: e.path}, v.setXattrAt(ctx, e, attr, value, create, replace))
}

func (v *View) setXattrAt(ctx context.Context, e entry, attr string, value []byte, create, replace bool) error {
	if v.native(e) {
		return SetXattr(ctx, e.fs, e.name, attr, value, create, replace)
	}
	value = append([]byte{}, value...)
	return v.ns.nodes.edit(ctx, e.path, func(n Node) (Node, error) {
		_, set := n.Xattrs[attr]
		switch {
		case create && set:
			return n, syscall.EEXIST
		case replace && !set:
			return n, syscall.ENODATA
		}
		return n.withXattr(attr, value), nil
	})
}

// RemoveXattr removes an extended attribute; ENODATA when it is not set.
func (v *View) RemoveXattr(ctx context.Context, name, attr string, follow bool) error {
	return pathError("removexattr", name, v.removeXattr(ctx, name, attr, follow))
}

func (v *View) removeXattr(ctx context.Context, name, attr string, follow bool) error {
	e, err := v.enterXattr(ctx, name, attr, OpSetXattr, follow)
	if err != nil {
		return err
	}
	return v.told(ctx, Change{Op: OpSetXattr, Path: e.path}, v.removeXattrAt(ctx, e, attr))
}

func (v *View) removeXattrAt(ctx context.Context, e entry, attr string) error {
	if v.native(e) {
		return RemoveXattr(ctx, e.fs, e.name, attr)
	}
	return v.ns.nodes.edit(ctx, e.path, func(n Node) (Node, error) {
		if _, set := n.Xattrs[attr]; !set {
			return n, syscall.ENODATA
		}
		return n.withXattr(attr, nil), nil
	})
}
