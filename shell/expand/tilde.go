package expand

import (
	"strconv"
	"strings"

	"mirage/shell/vars"
)

// tildes expands the tilde at the start of a word, and those of what looks
// like an assignment. last says that the word ends with s.
func (b *builder) tildes(s string, last bool) (string, error) {
	if s[0] == '~' {
		return b.tilde(s, last)
	}
	if b.assign {
		return b.tildesAfterColons(s, 0, last)
	}
	// An argument like dir=~/x is treated as an assignment is.
	if i := strings.IndexByte(s, '='); i > 0 && b.mode == modeFields && !b.inParam && !b.x.Options.Posix &&
		strings.IndexByte(s[i:], '~') >= 0 && vars.ValidName(strings.TrimSuffix(s[:i], "+")) {
		if err := b.literal(s[:i+1]); err != nil {
			return "", err
		}
		s = s[i+1:]
		assign := b.assign
		b.assign = true
		if s != "" && s[0] == '~' {
			s, _ = b.tilde(s, last)
		} else {
			s, _ = b.tildesAfterColons(s, 0, last)
		}
		b.assign = assign
	}
	return s, nil
}

// tilde expands the tilde that s starts with and answers what is left to add.
func (b *builder) tilde(s string, last bool) (string, error) {
	end := 1
	for end < len(s) && s[end] != '/' && s[end] != ':' {
		if s[end] == '\\' {
			return s, nil
		}
		end++
	}
	if end == len(s) && !last {
		return s, nil // the name goes on in a quoted or computed part
	}
	dir, ok := b.x.home(s[1:end])
	if !ok {
		if b.assign {
			return b.tildesAfterColons(s, end, last)
		}
		return s, nil
	}
	if dir == "/" && end < len(s) && s[end] == '/' {
		dir = ""
	}
	if err := b.quoted(dir); err != nil {
		return "", err
	}
	if b.assign {
		return b.tildesAfterColons(s[end:], 0, last)
	}
	return s[end:], nil
}

// tildesAfterColons expands the tildes that follow a colon in s[from:], and
// answers what is left to add.
func (b *builder) tildesAfterColons(s string, from int, last bool) (string, error) {
	i := strings.Index(s[from:], ":~")
	if i < 0 {
		return s, nil
	}
	i += from + 1
	if i > 1 && s[i-2] == '\\' {
		return b.tildesAfterColons(s, i, last)
	}
	if err := b.lit(s[:i], false, false); err != nil {
		return "", err
	}
	return b.tilde(s[i:], last)
}

// home answers the directory of a tilde prefix, without the tilde.
func (x *Expander) home(name string) (string, bool) {
	switch name {
	case "":
		if dir, set := x.Vars.Lookup("HOME"); set {
			return dir, true
		}
		return x.Host.Home("")
	case "+":
		return x.Vars.Lookup("PWD")
	case "-":
		return x.Vars.Lookup("OLDPWD")
	}
	if n, err := strconv.Atoi(strings.TrimLeft(name, "+-")); err == nil && n >= 0 &&
		len(strings.TrimLeft(name, "+-"))+1 >= len(name) {
		return x.Host.Directory(n, name[0] == '-')
	}
	return x.Host.Home(name)
}
