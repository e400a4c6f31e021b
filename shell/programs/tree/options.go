package tree

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"mirage/shell/pattern"
	"mirage/shell/program"
	"mirage/shell/program/filever"
	"mirage/shell/program/getopt"
)

// options is what the command line asks for.
type options struct {
	all, dirsOnly, follow, fullPath, oneMount bool
	prune, noReport, metaFirst, noIndent      bool
	matchDirs, foldCase                       bool
	include, exclude                          []string
	level, limit                              int // level -1 = no bound, limit 0 = none
	output, charset                           string
	lines                                     string // "A" and "S" draw the lines otherwise
	format                                    string // "J" and "X"; "" = text

	question, raw, quoted, classify         bool
	protection, owner, group, inode, device bool
	size, human, si, usage, date, changed   bool
	layout                                  string // of dates
	reverse, dirsFirst, filesFirst          bool
	order                                   func(a, b *entry) int // nil = as they come
}

var rows = []getopt.Option{
	{Short: "a", Help: "list all files, hidden ones too"},
	{Short: "d", Help: "list directories only"},
	{Short: "l", Help: "follow symbolic links to directories"},
	{Short: "f", Help: "print the path before each name"},
	{Short: "x", Help: "stay on the mount of the operand"},
	{Short: "L", Arg: getopt.Required, Meta: "LEVEL", Help: "descend at most LEVEL directories"},
	{Short: "P", Arg: getopt.Required, Meta: "PATTERN", Help: "list only files that match PATTERN; | separates alternatives"},
	{Short: "I", Arg: getopt.Required, Meta: "PATTERN", Help: "do not list files that match PATTERN"},
	{Long: "ignore-case", Help: "ignore case in patterns"},
	{Long: "matchdirs", Help: "apply -P to directories too, with all that is in them"},
	{Long: "metafirst", Help: "print what is known of a file before the lines of the tree"},
	{Long: "prune", Help: "leave out empty directories"},
	{Long: "noreport", Help: "leave out the count at the end"},
	{Long: "charset", Arg: getopt.Required, Meta: "X", Help: "draw lines for charset X"},
	{Long: "filelimit", Arg: getopt.Required, Meta: "N", Help: "do not descend into directories of more than N entries"},
	{Short: "o", Arg: getopt.Required, Meta: "FILE", Help: "write to FILE instead of standard output"},
	{Short: "q", Help: "print non-printable characters as '?'"},
	{Short: "N", Help: "print non-printable characters as they are"},
	{Short: "Q", Help: "put names in double quotes"},
	{Short: "p", Help: "print type and permissions"},
	{Short: "u", Help: "print the owner"},
	{Short: "g", Help: "print the group"},
	{Short: "s", Help: "print the size in bytes"},
	{Short: "h", Help: "print the size in a readable form"},
	{Long: "si", Help: "like -h with powers of 1000"},
	{Long: "du", Help: "let the size of a directory be that of all in it; implies -s"},
	{Short: "D", Help: "print the time of the last change"},
	{Long: "timefmt", Arg: getopt.Required, Meta: "FORMAT", Help: "print times by FORMAT, as date does; implies -D"},
	{Short: "F", Help: "append one of / = * | to names, as ls -F does"},
	{Long: "inodes", Help: "print the inode number"},
	{Long: "device", Help: "print the device number"},
	{Short: "v", Help: "sort by version"},
	{Short: "t", Help: "sort by time of the last change"},
	{Short: "c", Help: "sort by time of the last status change; with -D show it"},
	{Short: "U", Help: "do not sort"},
	{Short: "r", Help: "reverse the order"},
	{Long: "dirsfirst", Help: "list directories before files"},
	{Long: "filesfirst", Help: "list files before directories"},
	{Long: "sort", Arg: getopt.Required, Meta: "X", Help: "sort by X: name, version, size, mtime, ctime"},
	{Short: "i", Help: "do not print the lines of the tree"},
	{Short: "A", Help: "draw lines with ANSI graphics"},
	{Short: "S", Help: "draw lines with the characters of code page 437"},
	{Short: "n", Help: "use no colors (this is always so)"},
	{Short: "X", Help: "write XML"},
	{Short: "J", Help: "write JSON"},
	{Long: "version", Help: "print the version and exit"},
	{Long: "help", Help: "print this help and exit"},
}

// unsupported are the options of tree that this one does not have.
const unsupported = " C R H T gitignore gitfile nolinks hintro houtro fromfile fflinks info infofile "

// parse reads the command line by tree's own rules: options of one letter may
// stand together, their values are always the next words, long options take
// theirs after "=" or as the next word. ok is false when the run is over.
func parse(inv *program.Invocation) (o options, operands []string, status int, ok bool) {
	o = options{level: -1, order: byName}
	args := inv.Args
	p := &parser{inv: inv, o: &o}
	for len(args) > 0 {
		word := args[0]
		args = args[1:]
		switch {
		case p.onlyOperands || len(word) < 2 || word[0] != '-':
			operands = append(operands, word)
		case word == "--":
			p.onlyOperands = true
		case strings.HasPrefix(word, "--"):
			args = p.long(word, args)
		default:
			for _, c := range []byte(word[1:]) {
				if args = p.short(string(c), args); p.done {
					break
				}
			}
		}
		if p.done {
			return o, nil, p.status, false
		}
	}
	if o.usage && !o.human && !o.si {
		o.size = true
	}
	return o, operands, 0, true
}

type parser struct {
	inv          *program.Invocation
	o            *options
	onlyOperands bool
	done         bool
	status       int
}

// fail ends the run with a message.
func (p *parser) fail(format string, args ...any) {
	p.inv.Errorf(format, args...)
	p.done, p.status = true, 1
}

// value takes the value of an option off the words.
func (p *parser) value(name, given string, has bool, args []string) (string, []string) {
	switch {
	case has:
		return given, args
	case len(args) == 0:
		if len(name) == 1 {
			p.fail("Missing argument to -%s option.", name)
		} else {
			p.fail("Missing argument to --%s", name)
		}
		return "", nil
	}
	return args[0], args[1:]
}

func (p *parser) short(name string, args []string) []string {
	for _, row := range rows {
		if row.Short == name {
			return p.option(row, "", false, args)
		}
	}
	p.unknown(name, "-`"+name+"'")
	return args
}

func (p *parser) long(word string, args []string) []string {
	name, value, has := strings.Cut(word[2:], "=")
	for _, row := range rows {
		if row.Long == name && (!has || row.Arg == getopt.Required) {
			return p.option(row, value, has, args)
		}
	}
	p.unknown(name, "`"+word+"'")
	return args
}

func (p *parser) unknown(name, shown string) {
	if strings.Contains(unsupported, " "+name+" ") {
		p.fail("option %s is not supported", strings.NewReplacer("`", "", "'", "").Replace(shown))
		return
	}
	p.fail("Invalid argument %s.", shown)
	fmt.Fprintf(p.inv.Stderr, "usage: %s %s\n", p.inv.Name, spec.Synopsis[0])
}

func (p *parser) option(row getopt.Option, value string, has bool, args []string) []string {
	o := p.o
	if row.Arg == getopt.Required {
		value, args = p.value(row.Key(), value, has, args)
		if p.done {
			return nil
		}
	}
	switch row.Key() {
	case "L":
		n, _ := strconv.Atoi(digits(value))
		if n < 1 {
			p.fail("Invalid level, must be greater than 0.")
			return nil
		}
		o.level = n
	case "P":
		o.include = append(o.include, value)
	case "I":
		o.exclude = append(o.exclude, value)
	case "charset":
		o.charset = value
	case "filelimit":
		o.limit, _ = strconv.Atoi(digits(value))
	case "o":
		o.output = value
	case "timefmt":
		o.layout, o.date = value, true
	case "sort":
		p.sortBy(value)
	case "h":
		o.human, o.size = true, true
	case "si":
		o.human, o.size, o.si = true, true, true
	case "v":
		o.order = byVersion
	case "t":
		o.order = byModTime
	case "c":
		o.order, o.changed = byChangeTime, true
	case "U":
		o.order = nil
	case "A", "S":
		o.lines = row.Short
	case "X", "J":
		o.format = row.Short
	case "version":
		spec.WriteVersion(p.inv.Stdout, p.inv.Name)
		p.done = true
	case "help":
		spec.WriteHelp(p.inv.Stdout, p.inv.Name)
		p.done = true
	case "n":
	default:
		*o.flag(row.Key()) = true
	}
	return args
}

// flag answers the field of an option that only switches something on.
func (o *options) flag(name string) *bool {
	return map[string]*bool{
		"a": &o.all, "d": &o.dirsOnly, "l": &o.follow, "f": &o.fullPath, "x": &o.oneMount, "ignore-case": &o.foldCase,
		"matchdirs": &o.matchDirs, "metafirst": &o.metaFirst, "prune": &o.prune, "noreport": &o.noReport, "q": &o.question,
		"N": &o.raw, "Q": &o.quoted, "p": &o.protection, "u": &o.owner, "g": &o.group, "s": &o.size, "du": &o.usage, "D": &o.date,
		"F": &o.classify, "inodes": &o.inode, "device": &o.device, "r": &o.reverse, "dirsfirst": &o.dirsFirst,
		"filesfirst": &o.filesFirst, "i": &o.noIndent,
	}[name]
}

func (p *parser) sortBy(name string) {
	switch name {
	case "name":
		p.o.order = byName
	case "version":
		p.o.order = byVersion
	case "size":
		p.o.order = bySize
	case "mtime":
		p.o.order = byModTime
	case "ctime":
		p.o.order = byChangeTime
	default:
		p.fail("Sort type '%s' not valid, should be one of: name,version,size,mtime,ctime", name)
	}
}

func byName(a, b *entry) int    { return cmp.Compare(a.name, b.name) }
func byVersion(a, b *entry) int { return cmp.Or(filever.Compare(a.name, b.name), byName(a, b)) }
func bySize(a, b *entry) int    { return cmp.Or(cmp.Compare(b.size, a.size), byName(a, b)) }

func byModTime(a, b *entry) int {
	return cmp.Or(a.info.ModTime.Compare(b.info.ModTime), byName(a, b))
}

func byChangeTime(a, b *entry) int {
	return cmp.Or(a.info.ChangeTime.Compare(b.info.ChangeTime), byName(a, b))
}

// digits answers the number that a text begins with, as atoi(3) reads it.
func digits(s string) string {
	i := 0
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	return s[:i]
}

// matches tells whether one of the patterns fits an entry's name.
func (o *options) matches(patterns []string, e *entry) bool {
	var flags pattern.Flags
	if o.foldCase {
		flags = pattern.FoldCase
	}
	for _, list := range patterns {
		for text := range strings.SplitSeq(list, "|") {
			dirs := strings.HasSuffix(text, "/")
			if dirs && !e.isDir() {
				continue
			}
			if pattern.Match(strings.TrimSuffix(text, "/"), e.info.Name, flags) {
				return true
			}
		}
	}
	return false
}
