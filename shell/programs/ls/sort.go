package ls

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"mirage/shell/program/filever"
	"mirage/vfs"
)

func (l *lister) sortFiles(files []*file) {
	if l.sort == byNothing {
		if l.groupDirs {
			return // -U keeps the directory's order
		}
		return
	}
	var compare func(a, b *file) int
	byNames := func(a, b *file) int { return strings.Compare(a.name, b.name) }
	switch l.sort {
	case bySize:
		compare = func(a, b *file) int { return cmp.Compare(b.info.Size, a.info.Size) }
	case byTime:
		compare = func(a, b *file) int { return l.timeOf(b.info).Compare(l.timeOf(a.info)) }
	case byVersion:
		compare = func(a, b *file) int { return filever.Compare(a.name, b.name) }
	case byExtension:
		compare = func(a, b *file) int { return strings.Compare(extension(a.name), extension(b.name)) }
	case byWidth:
		for _, f := range files {
			l.show(f)
		}
		compare = func(a, b *file) int { return cmp.Compare(a.width, b.width) }
	default:
		compare = byNames
	}
	slices.SortStableFunc(files, func(a, b *file) int {
		if l.groupDirs {
			if d, e := l.groupsAsDir(a), l.groupsAsDir(b); d != e {
				if d {
					return -1
				}
				return 1
			}
		}
		c := compare(a, b)
		if c == 0 {
			c = byNames(a, b)
		}
		if l.reverse {
			return -c
		}
		return c
	})
}

// groupsAsDir tells whether a file stands among the directories of
// --group-directories-first: links to directories do.
func (l *lister) groupsAsDir(f *file) bool {
	if f.info.IsLink() {
		if !f.linkOK {
			if info, err := l.inv.FS.Stat(l.ctx, l.inv.Path(f.path)); err == nil {
				f.linkOK, f.linkInfo = true, info
			} else {
				return false
			}
		}
		return f.linkInfo.IsDir()
	}
	return f.info.IsDir()
}

// extension is the text from the last dot on.
func extension(name string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return name[i:]
	}
	return ""
}

// timeOf is the time that is shown and sorted by.
func (l *lister) timeOf(info vfs.Info) time.Time {
	t := info.ModTime
	switch l.time {
	case accessed:
		t = info.AccessTime
	case changed:
		t = info.ChangeTime
	case born:
		return info.BirthTime
	}
	if t.IsZero() {
		t = info.ModTime
	}
	return t
}
