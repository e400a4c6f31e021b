package diff

import "context"

// change is one place where the files differ: deleted lines of the first from
// line x on stand against inserted lines of the second from line y on. Lines
// count from 0.
type change struct {
	x, y              int
	deleted, inserted int
	// ignored is set when all these lines may differ.
	ignored bool
}

func (c change) endX() int { return c.x + c.deleted }
func (c change) endY() int { return c.y + c.inserted }

// script joins the changed lines of two files to changes.
func script(f *[2]file) []change {
	var list []change
	a, b := &f[0], &f[1]
	i, j := 0, 0
	for i < len(a.equivs) || j < len(b.equivs) {
		if !a.changed[i+1] && !b.changed[j+1] {
			i++
			j++
			continue
		}
		c := change{x: a.first + i, y: b.first + j}
		for a.changed[i+1] {
			i++
			c.deleted++
		}
		for b.changed[j+1] {
			j++
			c.inserted++
		}
		list = append(list, c)
	}
	return list
}

// shift slides runs of changed lines where it makes no difference: together
// with their neighbours when they touch, next to a change of the other file
// if there is one, else as far down as they go.
func shift(ctx context.Context, f, other *file) {
	steps := 0
	stop := func() bool {
		steps++
		return steps%4096 == 0 && ctx.Err() != nil
	}
	changed, theirs := f.changed, other.changed
	n := len(f.equivs)
	// i and j are corresponding lines; index 0 of the marks is the line in
	// front of the first.
	for i, j := 0, 0; ; {
		for i < n && !changed[i+1] {
			if stop() {
				return
			}
			for theirs[j+1] {
				j++
			}
			j++
			i++
		}
		if i == n {
			return
		}
		start := i
		for changed[i+1] {
			i++
		}
		for theirs[j+1] {
			j++
		}
		var length, matched int
		for {
			length = i - start
			for start > 0 && f.equivs[start-1] == f.equivs[i-1] {
				if stop() {
					return
				}
				start--
				i--
				changed[start+1], changed[i+1] = true, false
				for changed[start] {
					start--
				}
				j--
				for theirs[j+1] {
					j--
				}
			}
			matched = n // no run of the other file stands against this one
			if theirs[j] {
				matched = i
			}
			for i != n && f.equivs[start] == f.equivs[i] {
				if stop() {
					return
				}
				changed[start+1], changed[i+1] = false, true
				start++
				i++
				for changed[i+1] {
					i++
				}
				j++
				for theirs[j+1] {
					matched = i
					j++
				}
			}
			if length == i-start {
				break
			}
		}
		for matched < i {
			start--
			i--
			changed[start+1], changed[i+1] = true, false
			j--
			for theirs[j+1] {
				j--
			}
		}
	}
}

// trivial tells whether a change has nothing but lines that may differ: blank
// ones (-B) or ones that match (-I).
func (c *command) trivial(f *[2]file, ch change) bool {
	for i := ch.x; i < ch.endX(); i++ {
		if !c.trivialLine(f[0].line(i)) {
			return false
		}
	}
	for i := ch.y; i < ch.endY(); i++ {
		if !c.trivialLine(f[1].line(i)) {
			return false
		}
	}
	return true
}

func (c *command) trivialLine(line []byte) bool {
	if line[len(line)-1] == '\n' {
		line = line[:len(line)-1]
	}
	if c.ignoreBlank {
		rest := line
		if c.white >= trailingSpace {
			for len(rest) > 0 && isSpace(rest[0]) {
				rest = rest[1:]
			}
			if len(rest) > 0 && c.white < spaceChange {
				rest = line
			}
		}
		if len(rest) == 0 {
			return true
		}
	}
	return c.ignore != nil && c.ignore.Match(line)
}

// kinds of a hunk: which sides have lines that the other has not.
const (
	unchanged = 0
	onlyOld   = 1
	onlyNew   = 2
	both      = onlyOld | onlyNew
)

// kind tells what a hunk does; unchanged when it is nothing but trivial.
func (c *command) kind(f *[2]file, hunk []change) int {
	k := unchanged
	trivial := c.ignoreBlank || c.ignore != nil
	for i, ch := range hunk {
		if i%256 == 0 && c.ctx.Err() != nil {
			break
		}
		if ch.deleted > 0 {
			k |= onlyOld
		}
		if ch.inserted > 0 {
			k |= onlyNew
		}
		trivial = trivial && c.trivial(f, ch)
	}
	if trivial {
		return unchanged
	}
	return k
}
