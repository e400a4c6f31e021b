package policy

import (
	"strings"

	"mirage/internal/doc"
	"mirage/vfs"
)

// show is an entry of paths.show: it reopens what a hide covers less deeply.
type show struct {
	pattern pathPattern
	mode    vfs.Mode
	hasMode bool // false: the mode of the mount
	at      string
}

// parseShow reads a map of path to mode, or a list of paths that keep the mode
// of their mount.
func (p *Profile) parseShow(n doc.Node, mount string) error {
	if n.Value == nil {
		return nil
	}
	if _, list := n.Value.([]any); list {
		items, err := n.List()
		if err != nil {
			return err
		}
		for _, item := range items {
			text, err := item.String()
			if err != nil {
				return err
			}
			if err := p.addShow(item, text, mount, show{}); err != nil {
				return err
			}
		}
		return nil
	}
	if err := n.Map(); err != nil {
		return err
	}
	for _, key := range n.Keys() {
		at := n.At(key)
		text, err := at.String()
		if err != nil {
			return err
		}
		mode, ok := ParseMode(text)
		if !ok {
			return at.Errorf("unknown mode '%s'; expected read, write or exec", text)
		}
		if err := p.addShow(at, key, mount, show{mode: mode, hasMode: true}); err != nil {
			return err
		}
	}
	return nil
}

func (p *Profile) addShow(n doc.Node, text, mount string, s show) error {
	if !strings.HasPrefix(text, "/") {
		return n.Errorf("paths.show entries anchor to a place, so each is absolute: '%s' is not", text)
	}
	s.pattern, s.at = parsePath(text, "/"), n.Path
	root := mount
	if root == "" {
		root = "/"
	}
	if !below(s.pattern.anchor, root) {
		return n.Errorf("is outside the mount it is written under: '%s' is not below '%s'", text, mount)
	}
	p.shows = append(p.shows, s)
	return nil
}

// Hides reports whether anything is hidden at all.
func (p *Profile) Hides() bool { return p != nil && (len(p.hides) > 0 || p.base.Hides()) }

// Hidden reports whether a path (absolute, clean) does not exist for the
// session: an entry of paths.hide covers it, and no deeper one of paths.show.
// The directories that lead to what is shown can be seen, with nothing else in
// them.
func (p *Profile) Hidden(path string) bool {
	if p == nil {
		return false
	}
	return p.hidesItself(path) || p.base.Hidden(path)
}

func (p *Profile) hidesItself(path string) bool {
	if len(p.hides) == 0 {
		return false
	}
	d := p.hidden.deepest(path)
	if d < 0 {
		return false
	}
	for i := range p.shows {
		s := &p.shows[i].pattern
		if s.depth > d && s.covers(path) {
			return false
		}
		if s.leadsThrough(path) && s.depth > p.hidden.deepest(s.anchor) {
			return false
		}
	}
	return true
}

// leadsThrough reports whether dir is on the way to what the pattern matches:
// above an exact path, or the directory of a glob's anchor or above it.
func (pp *pathPattern) leadsThrough(dir string) bool { return below(pp.anchor, dir) }

// ModeAt answers the mode that the profile gives a path of a mount: that of
// the deepest entry that covers it, the weaker one at the same depth. ok is
// false when none does. The mode of the mount itself and that of the session
// bound it.
func (p *Profile) ModeAt(path, mount string) (mode vfs.Mode, ok bool) {
	if p == nil {
		return 0, false
	}
	mode, ok = p.modeItself(path, mount)
	if under, has := p.base.ModeAt(path, mount); has && (!ok || under < mode) {
		return under, true
	}
	return mode, ok
}

func (p *Profile) modeItself(path, mount string) (mode vfs.Mode, ok bool) {
	d := -1
	if m, has := p.Modes[mount]; has {
		mode, d = m, depth(mount)
	}
	for i := range p.shows {
		s := &p.shows[i]
		if !s.hasMode || s.pattern.depth < d || !s.pattern.covers(path) {
			continue
		}
		if s.pattern.depth > d || s.mode < mode {
			mode, d = s.mode, s.pattern.depth
		}
	}
	return mode, d >= 0
}

// Modal reports whether the profile says anything of modes.
func (p *Profile) Modal() bool {
	if p == nil {
		return false
	}
	for i := range p.shows {
		if p.shows[i].hasMode {
			return true
		}
	}
	return len(p.Modes) > 0 || p.base.Modal()
}
