package diff

import (
	"slices"
	"strings"

	"mirage/vfs"
)

// directories compares what two directories hold, name by name.
func (c *command) directories(p *pair) int {
	var lists [2][]vfs.Info
	status := same
	for i := range p.files {
		f := &p.files[i]
		if f.absent {
			continue
		}
		list, release, err := c.inv.ReadDir(c.ctx, f.name)
		defer release()
		lists[i] = list
		if err != nil {
			status = c.fileError(f.name, err)
		}
	}
	if status != same {
		return status
	}
	if c.loops(p) {
		return trouble
	}
	start := ""
	if !p.inDir {
		start = c.start
	}
	names := func(list []vfs.Info) []string {
		var names []string
		for _, info := range list {
			if !c.excluded(info.Name) && (start == "" || c.compareNames(info.Name, start) >= 0) {
				names = append(names, info.Name)
			}
		}
		if c.foldNames {
			slices.SortStableFunc(names, c.compareNames)
		}
		return names
	}
	left, right := names(lists[0]), names(lists[1])
	for len(left) > 0 || len(right) > 0 {
		if c.ctx.Err() != nil || c.out.Err() != nil {
			return trouble
		}
		order := -1
		switch {
		case len(left) == 0:
			order = 1
		case len(right) > 0:
			order = c.compareNames(left[0], right[0])
		}
		var name [2]string
		if order <= 0 {
			name[0], left = left[0], left[1:]
		}
		if order >= 0 {
			name[1], right = right[0], right[1:]
		}
		status = max(status, c.entry(p, name))
	}
	return status
}

// entry compares what two directories hold under a name; where one lacks it,
// its name is empty.
func (c *command) entry(parent *pair, name [2]string) int {
	p := &pair{inDir: true, parent: parent}
	dirs := [2]*file{&parent.files[0], &parent.files[1]}
	for i, dir := range dirs {
		if name[i] != "" {
			continue
		}
		if !c.newFile && (!c.newFirst || i == 1) {
			c.print("Only in ", dirs[1-i].name, ": ", name[1-i], "\n")
			return differ
		}
		p.files[i].name = join(dir.name, name[1-i])
	}
	for i, dir := range dirs {
		f := &p.files[i]
		if i < len(c.labels) {
			f.label = c.labels[i]
		}
		if name[i] == "" {
			continue
		}
		f.name = join(dir.name, name[i])
		info, err := c.stat(f.name)
		if err != nil {
			return c.fileError(f.name, err)
		}
		f.info, f.modTime = info, info.ModTime
	}
	for i := range p.files {
		if name[i] == "" {
			p.files[i].missing(p.files[1-i])
		}
	}
	return c.pair(p)
}

// compareNames orders names of files.
func (c *command) compareNames(a, b string) int {
	if c.foldNames {
		return strings.Compare(strings.ToLower(a), strings.ToLower(b))
	}
	return strings.Compare(a, b)
}

// loops tells, and reports, whether a directory is one above itself again, as
// links can make it.
func (c *command) loops(p *pair) bool {
	for i := range p.files {
		f := &p.files[i]
		for up := p.parent; up != nil && !f.absent; up = up.parent {
			if other := &up.files[i]; !other.absent && c.inv.SameFile(c.ctx, f.name, f.info, other.name, other.info) {
				c.errorf("%s: recursive directory loop", f.name)
				return true
			}
		}
	}
	return false
}
