package programs

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"mirage/internal/version"
	"mirage/shell/program"
)

// parse reads the command line; done tells that there is nothing to list, for
// the given status.
func (r *psRun) parse(args []string) (status int, done bool) {
	var own []psColumn
	for len(args) > 0 {
		word := args[0]
		args = args[1:]
		// value takes the argument of an option: what is attached, or the
		// next word.
		value := func(attached string) (string, bool) {
			if attached != "" {
				return attached, true
			}
			if len(args) == 0 {
				return "", false
			}
			v := args[0]
			args = args[1:]
			return v, true
		}
		take := func(option byte, attached string) (status int, done bool) {
			v, ok := value(attached)
			if !ok {
				return r.fail("list of process IDs must follow " + string(option))
			}
			switch option {
			case 'p', 'q':
				return r.numbers(v, &r.pids)
			case 'P':
				return r.numbers(v, &r.parents)
			case 'C':
				r.commands, r.selected = append(r.commands, psList(v)...), true
			case 'u':
				r.users, r.selected = append(r.users, psList(v)...), true
			case 'k':
				r.sort = append(r.sort, psList(v)...)
			case 'o':
				columns, bad := psFormat(v)
				if bad != "" {
					return r.fail("unknown user-defined format specifier \"" + bad + "\"")
				}
				own = append(own, columns...)
			}
			return 0, false
		}
		switch {
		case strings.HasPrefix(word, "--"):
			name, attached, _ := strings.Cut(word[2:], "=")
			option := map[string]byte{"pid": 'p', "ppid": 'P', "format": 'o', "user": 'u', "User": 'u', "sort": 'k'}[name]
			switch {
			case option != 0:
				if status, done := take(option, attached); done {
					return status, true
				}
			case name == "no-headers" || name == "no-heading" || name == "no-headings" || name == "noheaders":
				r.headerOff = true
			case name == "headers" || name == "forest" || name == "cumulative" || name == "cols" || name == "width" || name == "columns":
			case name == "help":
				io.WriteString(r.inv.Stdout, psHelp)
				return 0, true
			case name == "version":
				io.WriteString(r.inv.Stdout, "ps (mirage) "+version.Version+"\n")
				return 0, true
			default:
				return r.fail("unknown gnu long option")
			}
		default:
			letters, dash := strings.CutPrefix(word, "-")
			if letters == "" {
				return r.fail("improper list")
			}
			if !dash && letters[0] >= '0' && letters[0] <= '9' {
				if status, done := r.numbers(letters, &r.pids); done {
					return status, true
				}
				continue
			}
			for i := 0; i < len(letters); i++ {
				c := letters[i]
				switch {
				case c == 'p' || c == 'q' || c == 'o' || dash && (c == 'C' || c == 'u' || c == 'U') || !dash && (c == 'U' || c == 'k'):
					if c == 'U' {
						c = 'u'
					}
					if status, done := take(c, letters[i+1:]); done {
						return status, true
					}
					i = len(letters)
				case dash && c == 'f':
					r.columns = psListing("UID", "pid", "ppid", "c", "stime", "TTY", "time", "cmd")
				case !dash && c == 'u':
					r.columns = psListing("user", "pid", "pcpu", "pmem", "vsz", "rss", "TTY", "stat", "START", "bsdtime", "args")
				case !dash && c == 'h':
					r.headerOff = true
				case strings.IndexByte("eAadwHNTL", c) >= 0 && dash, strings.IndexByte("axgrwefTS", c) >= 0 && !dash:
				default:
					if dash {
						return r.fail("unsupported SysV option")
					}
					return r.fail("unsupported option (BSD syntax)")
				}
			}
		}
	}
	if own != nil {
		r.columns = own
	}
	for _, key := range r.sort {
		if _, ok := psColumns[psColumnName(strings.TrimLeft(key, "+-"))]; !ok {
			return r.fail("unknown sort specifier")
		}
	}
	return 0, false
}

func (r *psRun) fail(text string) (status int, done bool) {
	io.WriteString(r.inv.Stderr, "error: "+text+"\n\nUsage:\n ps [options]\n\n Try 'ps --help'\n  for additional help text.\n")
	return 1, true
}

// numbers reads a list of process numbers.
func (r *psRun) numbers(list string, to *[]int) (status int, done bool) {
	r.selected = true
	for _, w := range psList(list) {
		n, err := strconv.Atoi(w)
		if err != nil || n <= 0 {
			return r.fail("process ID list syntax error")
		}
		*to = append(*to, n)
	}
	return 0, false
}

func psList(list string) []string {
	return strings.FieldsFunc(list, func(c rune) bool { return c == ',' || c == ' ' || c == '\t' })
}

// psFormat reads the columns of -o; bad is what is no column.
func psFormat(list string) (columns []psColumn, bad string) {
	for list != "" {
		word := list
		if i := strings.IndexAny(list, ", ="); i >= 0 && list[i] == '=' {
			// A header takes all that follows.
			word, list = list, ""
		} else if i >= 0 {
			word, list = list[:i], list[i+1:]
		} else {
			list = ""
		}
		if word == "" {
			continue
		}
		name, header, own := strings.Cut(word, "=")
		c, ok := psColumns[psColumnName(name)]
		if !ok || slices.Contains([]string{"UID", "TTY", "CMD", "START", "bsdtime"}, name) {
			return nil, name
		}
		if own {
			c.header, c.own = header, true
		}
		columns = append(columns, c)
	}
	return columns, ""
}

// psProgram makes ps, which reads its options as no other command does.
func psProgram() *program.Program {
	return &program.Program{
		Name: "ps", Synopsis: "[options]", Summary: "Report the processes of the session.", Run: runPs,
	}
}
