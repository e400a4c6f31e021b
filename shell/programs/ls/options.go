// Package ls is ls(1), and dir and vdir, which are ls with other defaults.
package ls

import (
	"context"
	"strconv"

	"mirage/shell/pattern"
	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/number"
	"mirage/shell/program/quote"
)

var spec = getopt.Spec{
	Name:     "ls",
	Synopsis: []string{"[OPTION]... [FILE]..."},
	Summary:  "List information about the FILEs (the current directory by default).",
	Options: []getopt.Option{
		{Short: "a", Long: "all", Help: "do not ignore entries starting with ."},
		{Short: "A", Long: "almost-all", Help: "do not list implied . and .."},
		{Long: "author", Help: "with -l, print the author of each file"},
		{Short: "b", Long: "escape", Help: "print C-style escapes for nongraphic characters"},
		{Long: "block-size", Arg: getopt.Required, Meta: "SIZE", Help: "with -l, scale sizes by SIZE when printing them"},
		{Short: "B", Long: "ignore-backups", Help: "do not list implied entries ending with ~"},
		{Short: "c", Help: "with -lt: sort by, and show, ctime; with -l: show\nctime and sort by name; otherwise: sort by ctime"},
		{Short: "C", Help: "list entries by columns"},
		{Long: "color", Arg: getopt.Optional, Meta: "WHEN", Help: "color the output WHEN: always, auto or never"},
		{Long: "colour", Name: "color", Arg: getopt.Optional, Hidden: true},
		{Short: "d", Long: "directory", Help: "list directories themselves, not their contents"},
		{Short: "f", Help: "list all entries in directory order"},
		{Short: "F", Name: "classify", Help: "append indicator (one of */=>@|) to entries"},
		{Long: "classify", Arg: getopt.Optional, Meta: "WHEN", Help: "likewise, WHEN: always, auto or never"},
		{Long: "file-type", Help: "likewise, except do not append '*'"},
		{Long: "format", Arg: getopt.Required, Meta: "WORD", Help: "across -x, commas -m, horizontal -x, long -l,\nsingle-column -1, verbose -l, vertical -C"},
		{Long: "full-time", Help: "like -l --time-style=full-iso"},
		{Short: "g", Help: "like -l, but do not list owner"},
		{Long: "group-directories-first", Help: "group directories before files"},
		{Short: "G", Long: "no-group", Help: "in a long listing, don't print group names"},
		{Short: "h", Long: "human-readable", Help: "with -l and -s, print sizes like 1K 234M 2G etc."},
		{Long: "si", Help: "likewise, but use powers of 1000 not 1024"},
		{Short: "H", Long: "dereference-command-line", Help: "follow symbolic links listed on the command line"},
		{Long: "dereference-command-line-symlink-to-dir", Help: "follow each command line symbolic link\nthat points to a directory"},
		{Long: "hide", Arg: getopt.Required, Meta: "PATTERN", Help: "do not list implied entries matching shell PATTERN\n(overridden by -a or -A)"},
		{Long: "hyperlink", Arg: getopt.Optional, Meta: "WHEN", Help: "hyperlink file names WHEN"},
		{Long: "indicator-style", Arg: getopt.Required, Meta: "WORD", Help: "append indicator with style WORD to entry names:\nnone (default), slash (-p), file-type, classify (-F)"},
		{Short: "i", Long: "inode", Help: "print the index number of each file"},
		{Short: "I", Long: "ignore", Arg: getopt.Required, Meta: "PATTERN", Help: "do not list implied entries matching shell PATTERN"},
		{Short: "k", Long: "kibibytes", Help: "default to 1024-byte blocks for file system usage"},
		{Short: "l", Help: "use a long listing format"},
		{Short: "L", Long: "dereference", Help: "when showing file information for a symbolic\nlink, show information for the file the link\nreferences rather than for the link itself"},
		{Short: "m", Help: "fill width with a comma separated list of entries"},
		{Short: "n", Long: "numeric-uid-gid", Help: "like -l, but list numeric user and group IDs"},
		{Short: "N", Long: "literal", Help: "print entry names without quoting"},
		{Short: "o", Help: "like -l, but do not list group information"},
		{Short: "p", Help: "append / indicator to directories"},
		{Short: "q", Long: "hide-control-chars", Help: "print ? instead of nongraphic characters"},
		{Long: "show-control-chars", Help: "show nongraphic characters as-is"},
		{Short: "Q", Long: "quote-name", Help: "enclose entry names in double quotes"},
		{Long: "quoting-style", Arg: getopt.Required, Meta: "WORD", Help: "use quoting style WORD for entry names:\nliteral, locale, shell, shell-always,\nshell-escape, shell-escape-always, c, escape"},
		{Short: "r", Long: "reverse", Help: "reverse order while sorting"},
		{Short: "R", Long: "recursive", Help: "list subdirectories recursively"},
		{Short: "s", Long: "size", Help: "print the allocated size of each file, in blocks"},
		{Short: "S", Help: "sort by file size, largest first"},
		{Long: "sort", Arg: getopt.Required, Meta: "WORD", Help: "sort by WORD instead of name: none (-U), size (-S),\ntime (-t), version (-v), extension (-X), width"},
		{Long: "time", Arg: getopt.Required, Meta: "WORD", Help: "change the default of using modification times;\naccess time (-u): atime, access, use;\nchange time (-c): ctime, status; birth time: birth, creation"},
		{Long: "time-style", Arg: getopt.Required, Meta: "TIME_STYLE", Help: "time/date format with -l: full-iso, long-iso,\niso, locale, or +FORMAT"},
		{Short: "t", Help: "sort by time, newest first"},
		{Short: "T", Long: "tabsize", Arg: getopt.Required, Meta: "COLS", Help: "assume tab stops at each COLS instead of 8"},
		{Short: "u", Help: "with -lt: sort by, and show, access time;\nwith -l: show access time and sort by name;\notherwise: sort by access time, newest first"},
		{Short: "U", Help: "do not sort; list entries in directory order"},
		{Short: "v", Help: "natural sort of (version) numbers within text"},
		{Short: "w", Long: "width", Arg: getopt.Required, Meta: "COLS", Help: "set output width to COLS.  0 means no limit"},
		{Short: "x", Help: "list entries by lines instead of by columns"},
		{Short: "X", Help: "sort alphabetically by entry extension"},
		{Short: "Z", Long: "context", Help: "print any security context of each file"},
		{Long: "zero", Help: "end each output line with NUL, not newline"},
		{Short: "1", Help: "list one file per line"},
	},
	Status: 2,
}

// Programs lists ls and its two cousins.
func Programs() []*program.Program {
	dir, vdir := spec, spec
	dir.Name, vdir.Name = "dir", "vdir"
	with := func(s *getopt.Spec, f format) *program.Program {
		return s.Program(func(ctx context.Context, inv *program.Invocation) int { return run(ctx, inv, s, f) })
	}
	return []*program.Program{with(&spec, unset), with(&dir, columns), with(&vdir, long)}
}

type format int

const (
	unset format = iota
	onePerLine
	long
	columns
	across
	commas
)

type order int

const (
	byDefault order = iota
	byName
	byNothing
	bySize
	byTime
	byVersion
	byExtension
	byWidth
)

type timeField int

const (
	modified timeField = iota
	accessed
	changed
	born
)

type deref int

const (
	derefDefault deref = iota
	derefOperands
	derefOperandDirs
	derefAlways
	derefNever
)

type indicator int

const (
	noIndicator indicator = iota
	slash
	fileType
	classify
)

// options is what the command line says.
type options struct {
	format     format
	sort       order
	time       timeField
	timeGiven  bool
	deref      deref
	indicator  indicator
	all        bool
	almostAll  bool
	noBackups  bool
	dirsOnly   bool // -d
	recursive  bool
	reverse    bool
	groupDirs  bool
	inode      bool
	blocks     bool
	author     bool
	noOwner    bool
	noGroup    bool
	numeric    bool
	context    bool
	color      bool
	hyperlink  bool
	kibibytes  bool
	end        byte
	quoting    quote.Style
	hasQuoting bool
	mask       *bool // -q, --show-control-chars
	width      int   // -1 when not given, 0 for no bound
	tab        int   // -1 when not given
	timeStyle  string
	ignore     []*pattern.Pattern
	hide       []*pattern.Pattern
	blockSize  number.Format // of -s and totals
	fileSize   number.Format // of -l
	sizeGiven  bool
}

func (o *options) parse(p *getopt.Parser, inv *program.Invocation, terminal bool) {
	for p.Next() {
		v := p.Opt.Value
		switch p.Opt.Name {
		case "a":
			o.all = true
		case "A":
			o.all, o.almostAll = false, true
		case "author":
			o.author = true
		case "b":
			o.quoting, o.hasQuoting = quote.Escape, true
		case "block-size":
			f, err := number.ParseBlockSize(v)
			if err != nil {
				p.Fail("%s", number.Complaint(err, "--block-size", inv.QuoteArg(v)))
				return
			}
			o.blockSize, o.fileSize, o.sizeGiven = f, f, true
		case "B":
			o.noBackups = true
		case "c":
			o.time, o.timeGiven = changed, true
		case "C":
			o.format = columns
		case "color":
			o.color = when(p, terminal)
		case "d":
			o.dirsOnly = true
		case "f":
			o.all, o.sort, o.color, o.blocks, o.hyperlink = true, byNothing, false, false, false
			if o.format == long {
				o.format = unset
			}
		case "classify":
			if !p.Opt.HasValue || when(p, terminal) {
				o.indicator = classify
			}
		case "file-type":
			o.indicator = fileType
		case "format":
			o.formatWord(p)
		case "full-time":
			o.format, o.timeStyle = long, "full-iso"
		case "g":
			o.format, o.noOwner = long, true
		case "group-directories-first":
			o.groupDirs = true
		case "G":
			o.noGroup = true
		case "h":
			o.blockSize, o.fileSize, o.sizeGiven = number.Human, number.Human, true
		case "si":
			o.blockSize, o.fileSize, o.sizeGiven = number.SI, number.SI, true
		case "H":
			o.deref = derefOperands
		case "dereference-command-line-symlink-to-dir":
			o.deref = derefOperandDirs
		case "hide":
			o.hide = append(o.hide, pattern.Compile(v, pattern.Period))
		case "hyperlink":
			o.hyperlink = when(p, terminal)
		case "indicator-style":
			o.indicatorWord(p)
		case "i":
			o.inode = true
		case "I":
			o.ignore = append(o.ignore, pattern.Compile(v, pattern.Period))
		case "k":
			o.kibibytes = true
		case "l":
			o.format = long
		case "L":
			o.deref = derefAlways
		case "m":
			o.format = commas
		case "n":
			o.format, o.numeric = long, true
		case "N":
			o.quoting, o.hasQuoting = quote.Literal, true
		case "o":
			o.format, o.noGroup = long, true
		case "p":
			o.indicator = slash
		case "q":
			o.mask = new(bool)
			*o.mask = true
		case "show-control-chars":
			o.mask = new(bool)
		case "Q":
			o.quoting, o.hasQuoting = quote.C, true
		case "quoting-style":
			o.quotingWord(p)
		case "r":
			o.reverse = true
		case "R":
			o.recursive = true
		case "s":
			o.blocks = true
		case "S":
			o.sort = bySize
		case "sort":
			o.sortWord(p)
		case "time":
			o.timeWord(p)
		case "time-style":
			o.timeStyle = v
		case "t":
			o.sort = byTime
		case "T":
			o.tab = o.count(p, "invalid tab size")
		case "u":
			o.time, o.timeGiven = accessed, true
		case "U":
			o.sort = byNothing
		case "v":
			o.sort = byVersion
		case "w":
			o.width = o.count(p, "invalid line width")
		case "x":
			o.format = across
		case "X":
			o.sort = byExtension
		case "Z":
			o.context = true
		case "zero":
			o.end, o.color = 0, false
			o.quoting, o.hasQuoting = quote.Literal, true
			o.mask = new(bool)
			if o.format != long {
				o.format = onePerLine
			}
		case "1":
			if o.format != long {
				o.format = onePerLine
			}
		}
	}
}

// when reads the argument of --color and its kind.
func when(p *getopt.Parser, terminal bool) bool {
	if !p.Opt.HasValue {
		return true
	}
	word, _ := p.OneOf("always yes force", "never no none", "auto tty if-tty")
	return word == "always" || word == "auto" && terminal
}

// count reads a number as strtol(3) with base 0 does: a leading 0 is octal.
func (o *options) count(p *getopt.Parser, text string) int {
	n, err := strconv.ParseUint(p.Opt.Value, 0, 31)
	if err != nil {
		p.Fail("%s: %s", text, p.Invocation().QuoteArg(p.Opt.Value))
	}
	return int(n)
}

func (o *options) formatWord(p *getopt.Parser) {
	switch word, _ := p.OneOf("verbose long", "commas", "horizontal across", "vertical", "single-column"); word {
	case "verbose":
		o.format = long
	case "commas":
		o.format = commas
	case "horizontal":
		o.format = across
	case "vertical":
		o.format = columns
	case "single-column":
		o.format = onePerLine
	}
}

func (o *options) indicatorWord(p *getopt.Parser) {
	switch word, _ := p.OneOf("none", "slash", "file-type", "classify"); word {
	case "none":
		o.indicator = noIndicator
	case "slash":
		o.indicator = slash
	case "file-type":
		o.indicator = fileType
	case "classify":
		o.indicator = classify
	}
}

func (o *options) quotingWord(p *getopt.Parser) {
	if word, ok := p.OneOf(quote.Names[:]...); ok {
		o.quoting, _ = quote.ByName(word)
		o.hasQuoting = true
	}
}

func (o *options) sortWord(p *getopt.Parser) {
	switch word, _ := p.OneOf("none", "time", "size", "extension", "version", "width"); word {
	case "none":
		o.sort = byNothing
	case "time":
		o.sort = byTime
	case "size":
		o.sort = bySize
	case "extension":
		o.sort = byExtension
	case "version":
		o.sort = byVersion
	case "width":
		o.sort = byWidth
	}
}

func (o *options) timeWord(p *getopt.Parser) {
	switch word, _ := p.OneOf("atime access use", "ctime status", "birth creation"); word {
	case "atime":
		o.time = accessed
	case "ctime":
		o.time = changed
	case "birth":
		o.time = born
	}
	o.timeGiven = true
}
