package programs

import (
	"context"
	"errors"
	"io"
	"syscall"
	"time"

	"mirage/shell/program"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

// tailPoll is how often followed files are looked at when -s does not say: the
// tree has no notices, and a second is long for whoever watches.
const tailPoll = 100 * time.Millisecond

// followAll prints what is added to the files until the run is told to end, or
// nothing is left to follow.
func (t *tailRun) followAll(ctx context.Context, files []*tailFile) int {
	interval := min(t.interval, tailPoll)
	if t.interval > time.Second {
		interval = t.interval
	}
	var last *tailFile
	if n := len(files); n > 0 {
		last = files[n-1]
	}
	for ctx.Err() == nil {
		left := false
		for _, f := range files {
			if f.lost {
				continue
			}
			if t.byName && f.name != "-" {
				t.reopen(ctx, f)
			}
			if f.lost {
				continue
			}
			if _, ok := f.r.(*program.Cursor); !ok && f.r != nil {
				f.lost = true // a pipe was read to its end
				continue
			}
			left = true
			t.grown(ctx, f, &last)
		}
		if t.out.Flush() != nil {
			return 1
		}
		if !left {
			t.inv.Errorf("no files remaining")
			return 1
		}
		timer := time.NewTimer(interval)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
	}
	return 0
}

// grown prints what a file has more than before.
func (t *tailRun) grown(ctx context.Context, f *tailFile, last **tailFile) {
	c, ok := f.r.(*program.Cursor)
	if !ok {
		return
	}
	info, err := c.File.Stat()
	if err != nil {
		return
	}
	switch {
	case info.Size == c.Off:
		return
	case info.Size >= 0 && info.Size < c.Off:
		t.inv.Errorf("%s: file truncated", t.inv.QuoteName(f.name))
		c.Off = 0
		if info.Size == 0 {
			return
		}
	}
	if *last != f {
		t.head.print(t.out, f.display())
		*last = f
	}
	_, readErr, _ := stream.Copy(ctx, t.out, f.r)
	if readErr != nil && !errors.Is(readErr, io.EOF) && ctx.Err() == nil {
		t.inv.Fail(readErr, "error reading %s", t.inv.Quote(f.name))
		f.lost = true
	}
}

// reopen follows a name to another file (-F).
func (t *tailRun) reopen(ctx context.Context, f *tailFile) {
	info, err := t.inv.FS.Stat(ctx, t.inv.Path(f.name))
	if err != nil {
		if f.r != nil {
			t.inv.Fail(err, "%s has become inaccessible", t.inv.Quote(f.name))
			f.close()
			f.bad = vfs.Phrase(err)
		}
		if !t.retry && vfs.Errno(err) == syscall.ENOENT && f.bad == "" {
			f.lost = true
		}
		return
	}
	if f.r != nil && info.Ino == f.id.Ino && info.Dev == f.id.Dev {
		return
	}
	replaced := f.r != nil
	f.close()
	if err := t.open(ctx, f); err != nil {
		return
	}
	if replaced {
		t.inv.Errorf("%s has been replaced;  following new file", t.inv.Quote(f.name))
	} else {
		t.inv.Errorf("%s has appeared;  following new file", t.inv.Quote(f.name))
	}
	f.bad = ""
}
