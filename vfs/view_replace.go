package vfs

import (
	"context"
	"io/fs"
	"os"
	"syscall"
)

// WriteFile creates or replaces a file's contents, in one step where the
// backend can (see Replacer). A file that is there keeps its mode.
func (v *View) WriteFile(ctx context.Context, name string, data []byte, perm fs.FileMode) error {
	err := v.replace(ctx, name, data, perm)
	if err == nil || !errIs(err, syscall.ENOTSUP) {
		return pathError("open", name, err)
	}
	f, err := v.Open(ctx, name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	if len(data) > 0 {
		_, err = f.WriteAt(data, 0)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// replace is WriteFile in one step; ENOTSUP where that cannot be had.
func (v *View) replace(ctx context.Context, name string, data []byte, perm fs.FileMode) error {
	const flag = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	s, err := v.find(ctx, name, follow|creating)
	if err != nil {
		return err
	}
	if _, ok := v.backend(s.m).(Replacer); !ok || s.under {
		return syscall.ENOTSUP
	}
	if s.state == missing || s.state == hidden {
		return v.told(ctx, Change{Op: OpCreate, Path: s.path}, v.replaceNew(ctx, &s, data, perm.Perm()))
	}
	if err := openable(&s, flag); err != nil {
		return v.seen(ctx, &s, err)
	}
	err = v.replaceAt(ctx, &s, data, perm, flag)
	if err != nil && errIs(err, syscall.ENOTSUP) {
		return err
	}
	return v.told(ctx, Change{Op: OpWrite, Path: s.path}, err)
}

// replaceNew is replace for a name that is not there.
func (v *View) replaceNew(ctx context.Context, s *spot, data []byte, perm fs.FileMode) error {
	e, err := v.enter(ctx, s, OpCreate, "")
	if err != nil {
		return err
	}
	if err := v.spend(ctx, len(data)); err != nil {
		return err
	}
	if err := v.make(ctx, e, func() error { return Replace(ctx, e.fs, e.name, data, perm) }); err != nil {
		return err
	}
	return v.keepMode(ctx, e, perm, func() (Info, error) { return e.fs.Stat(ctx, e.name) })
}

// replaceAt is replace for a file that is there.
func (v *View) replaceAt(ctx context.Context, s *spot, data []byte, perm fs.FileMode, flag int) error {
	e, err := v.enterOpen(ctx, s, flag)
	if err != nil {
		return err
	}
	if s.synthetic || !s.info.IsRegular() {
		return syscall.ENOTSUP
	}
	if err := v.spend(ctx, len(data)); err != nil {
		return err
	}
	if err := Replace(ctx, e.fs, e.name, data, perm.Perm()); err != nil {
		return err
	}
	(&handle{ctx: ctx, v: v, m: e.m, path: s.path}).written()
	return nil
}
