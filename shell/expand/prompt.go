package expand

import (
	"context"
	"strings"
	"time"

	"mirage/shell/printf"
	"mirage/shell/timezone"
)

// The version that the shell answers where bash answers its own.
const (
	Version      = "5.2"
	VersionPatch = "5.2.15"
)

// Prompt expands a prompt string (PS1, PS4, ${x@P}): backslash escapes, then
// parameter, command and arithmetic expansion.
func (x *Expander) Prompt(ctx context.Context, ps string) (string, error) {
	x.ctx = ctx
	text := ps
	if strings.IndexByte(ps, '\\') >= 0 {
		text = x.promptEscapes(ps)
	}
	if !strings.ContainsAny(text, "$`\\") {
		return text, nil
	}
	return x.ExpandText(ctx, text)
}

// promptEscapes replaces the escapes of a prompt. What they stand for is
// protected from the expansions that follow.
func (x *Expander) promptEscapes(ps string) string {
	var b strings.Builder
	for i := 0; i < len(ps); i++ {
		if ps[i] != '\\' || i+1 == len(ps) {
			b.WriteByte(ps[i])
			continue
		}
		i++
		switch c := ps[i]; c {
		case 'a':
			b.WriteByte('\a')
		case 'e':
			b.WriteByte(0x1b)
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case '\\':
			b.WriteString(`\\`)
		case '[', ']':
			// Brackets around what does not print are the editor's.
		case '0', '1', '2', '3', '4', '5', '6', '7':
			v, n := 0, 0
			for n < 3 && i+n < len(ps) && '0' <= ps[i+n] && ps[i+n] <= '7' {
				v = v<<3 | int(ps[i+n]-'0')
				n++
			}
			b.WriteString(protect(string([]byte{byte(v)})))
			i += n - 1
		case 'D':
			if i+1 < len(ps) && ps[i+1] == '{' {
				end := strings.IndexByte(ps[i:], '}')
				if end > 0 {
					layout := ps[i+2 : i+end]
					if layout == "" {
						layout = "%X"
					}
					b.WriteString(protect(printf.Strftime(layout, x.now())))
					i += end
					continue
				}
			}
			b.WriteString(`\D`)
		default:
			if s, ok := x.promptField(c); ok {
				b.WriteString(protect(s))
			} else {
				b.WriteByte('\\')
				b.WriteByte(c)
			}
		}
	}
	return b.String()
}

// protect quotes what expansions would see in s.
func protect(s string) string {
	if !strings.ContainsAny(s, "$`\\\"") {
		return s
	}
	return strings.NewReplacer("$", `\$`, "`", "\\`", `\`, `\\`, `"`, `\"`).Replace(s)
}

func (x *Expander) now() time.Time {
	return x.Vars.Now().In(timezone.Of(x.Vars.Zone()))
}

// promptField answers what an escape of one letter stands for.
func (x *Expander) promptField(c byte) (string, bool) {
	switch c {
	case 't':
		return printf.Strftime("%H:%M:%S", x.now()), true
	case 'T':
		return printf.Strftime("%I:%M:%S", x.now()), true
	case '@':
		return printf.Strftime("%I:%M %p", x.now()), true
	case 'A':
		return printf.Strftime("%H:%M", x.now()), true
	case 'd':
		return printf.Strftime("%a %b %d", x.now()), true
	case 's':
		name := x.Name
		return name[strings.LastIndexByte(name, '/')+1:], true
	case 'v':
		return Version, true
	case 'V':
		return VersionPatch, true
	case 'w', 'W':
		return x.promptDir(c == 'W'), true
	}
	return x.Host.Prompt(c)
}

// promptDir answers the working directory with ~ for HOME, cut as
// PROMPT_DIRTRIM asks, or its last component.
func (x *Expander) promptDir(last bool) string {
	dir, home := x.Vars.Get("PWD"), x.Vars.Get("HOME")
	if dir == "" {
		dir = x.Dir
	}
	if home != "" && home != "/" && (dir == home || strings.HasPrefix(dir, home+"/")) {
		dir = "~" + dir[len(home):]
	}
	if last {
		if dir == "/" || dir == "~" {
			return dir
		}
		return dir[strings.LastIndexByte(dir, '/')+1:]
	}
	keep, _ := x.ArithText(x.context(), x.Vars.Get("PROMPT_DIRTRIM"))
	if keep <= 0 {
		return dir
	}
	root := ""
	if strings.HasPrefix(dir, "~") {
		root = "~/"
	}
	parts := strings.Split(strings.Trim(strings.TrimPrefix(dir, "~"), "/"), "/")
	if int64(len(parts)) <= keep {
		return dir
	}
	return root + ".../" + strings.Join(parts[int64(len(parts))-keep:], "/")
}
