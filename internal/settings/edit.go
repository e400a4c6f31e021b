package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Set writes one key of [daemon] in a config.toml, which is made when it is
// missing. Everything else of the file stays as it is, comments included. A
// value that Load would refuse is refused here.
func Set(file, name, value string) error {
	k, ok := Lookup(name)
	if !ok {
		names := make([]string, 0, len(Keys))
		for _, k := range Keys {
			if !k.Unsupported {
				names = append(names, k.Name)
			}
		}
		return fmt.Errorf("unknown config key: '%s'; allowed: %s", name, strings.Join(names, " "))
	}
	text := strconv.Quote(value)
	if err := k.Check(value); err != nil {
		return err
	}
	if k.Kind == Number || k.Kind == Bool {
		text = value
	}
	return edit(file, func(lines []string) []string {
		line := name + " = " + text
		start, end := section(lines)
		if start < 0 {
			if n := len(lines); n > 0 && lines[n-1] != "" {
				lines = append(lines, "")
			}
			return append(lines, "[daemon]", line)
		}
		for i := start; i < end; i++ {
			if keyOf(lines[i]) == name {
				lines[i] = line
				return lines
			}
		}
		// After the last line of the section that says something.
		for end > start && strings.TrimSpace(lines[end-1]) == "" {
			end--
		}
		return append(lines[:end:end], append([]string{line}, lines[end:]...)...)
	})
}

// Unset removes one key of [daemon], known or not. A key that is not there is
// no error.
func Unset(file, name string) error {
	return edit(file, func(lines []string) []string {
		start, end := section(lines)
		var out []string
		for i, l := range lines {
			if start >= 0 && i >= start && i < end && keyOf(l) == name {
				continue
			}
			out = append(out, l)
		}
		return out
	})
}

// section answers the lines of [daemon]: from the one after its header up to
// the next header. start is -1 when there is none.
func section(lines []string) (start, end int) {
	start = -1
	for i, l := range lines {
		l = strings.TrimSpace(l)
		if !strings.HasPrefix(l, "[") {
			continue
		}
		if start >= 0 {
			return start, i
		}
		head, _, _ := strings.Cut(l, "#")
		if strings.TrimSpace(head) == "[daemon]" {
			start = i + 1
		}
	}
	return start, len(lines)
}

func keyOf(line string) string {
	name, _, ok := strings.Cut(line, "=")
	if !ok {
		return ""
	}
	return strings.Trim(strings.TrimSpace(name), `"'`)
}

// edit rewrites a file in one step. A result that would not parse is refused,
// so that an edit never breaks a file that was whole.
func edit(file string, change func([]string) []string) error {
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var lines []string
	if len(text) > 0 {
		lines = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	}
	out := strings.Join(change(lines), "\n")
	if out != "" {
		out += "\n"
	}
	var before, after map[string]any
	if toml.Unmarshal(text, &before) == nil {
		if err := toml.Unmarshal([]byte(out), &after); err != nil {
			return fmt.Errorf("%s is laid out in a way that cannot be edited here; edit it by hand", file)
		}
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), ".config-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.WriteString(out)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}
