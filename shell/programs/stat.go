package programs

import (
	"context"
	"strings"

	"mirage/internal/unixmode"
	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

var statSpec = getopt.Spec{
	Name:     "stat",
	Synopsis: []string{"[OPTION]... FILE..."},
	Summary:  "Display file or file system status.",
	Options: []getopt.Option{
		{Short: "L", Long: "dereference", Help: "follow links"},
		{Short: "f", Long: "file-system", Help: "display file system status instead of file status"},
		{Long: "cached", Arg: getopt.Required, Meta: "MODE", Help: "specify how to use cached attributes (no effect):\nalways, never, or default"},
		{Short: "c", Long: "format", Arg: getopt.Required, Meta: "FORMAT", Help: "use the specified FORMAT instead of the default;\noutput a newline after each use of FORMAT"},
		{Long: "printf", Arg: getopt.Required, Meta: "FORMAT", Help: "like --format, but interpret backslash escapes,\nand do not output a mandatory trailing newline"},
		{Short: "t", Long: "terse", Help: "print the information in terse form"},
	},
	Epilog: `The valid format sequences for files (without --file-system):
  %a permission bits in octal   %A permission bits and file type
  %b blocks (see %B)            %B bytes of a block of %b
  %C security context           %d device number (%Hd major, %Ld minor)
  %D device number in hex       %f raw mode in hex
  %F file type                  %g group ID    %G group name
  %h hard links                 %i inode       %m mount point
  %n file name                  %N quoted file name, with what a link leads to
  %o I/O size hint              %r device type (%Hr major, %Lr minor), %R in hex
  %s size in bytes              %t, %T device type's major and minor in hex
  %u user ID                    %U user name
  %w, %W birth   %x, %X access   %y, %Y modification   %z, %Z status change

Valid format sequences for file systems:
  %a free blocks for users  %b blocks  %c file nodes  %d free file nodes
  %f free blocks  %i file system ID  %l length of names  %n file name
  %s block size  %S fundamental block size  %t type in hex  %T type`,
}

const (
	statFileFormat = "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\nDevice: %Hd,%Ld\tInode: %-10i  Links: "
	statOwner      = "Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\n"
	statTimes      = "Access: %x\nModify: %y\nChange: %z\n Birth: %w\n"
	statTerse      = "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n"
	statFS         = "  File: \"%n\"\n    ID: %-8i Namelen: %-7l Type: %T\nBlock size: %-10s Fundamental block size: %S\n" +
		"Blocks: Total: %-10b Free: %-10f Available: %a\nInodes: Total: %-10c Free: %d\n"
	statFSTerse = "%n %i %l %t %s %S %b %f %a %c %d\n"
)

type stat struct {
	inv      *program.Invocation
	out      *stream.Writer
	follow   bool
	fs       bool
	format   string
	escapes  bool // --printf
	plain    bool // the default format: names are quoted only where needed
	problems bool // an invalid directive ended the output
}

func runStat(ctx context.Context, inv *program.Invocation) int {
	s := &stat{inv: inv, out: stream.Stdout(inv)}
	format, given, terse := "", false, false
	p := statSpec.Parse(inv)
	for p.Next() {
		switch p.Opt.Name {
		case "L":
			s.follow = true
		case "f":
			s.fs = true
		case "cached":
			p.OneOf("default", "never", "always")
		case "c":
			format, given, s.escapes = p.Opt.Value+"\n", true, false
		case "printf":
			format, given, s.escapes = p.Opt.Value, true, true
		case "t":
			terse = true
		}
	}
	if p.Stopped {
		return p.Status
	}
	if len(p.Operands) == 0 {
		return p.Missing()
	}
	switch {
	case given:
		s.format = format
	case s.fs && terse:
		s.format = statFSTerse
	case s.fs:
		s.format, s.plain = statFS, true
	case terse:
		s.format = statTerse
	default:
		s.plain = true
	}
	status := 0
	for _, name := range p.Operands {
		if ctx.Err() != nil {
			return 1
		}
		if !s.one(ctx, name) {
			status = 1
		}
		if s.problems {
			return s.out.Close(inv, 1)
		}
	}
	return s.out.Close(inv, status)
}

func (s *stat) one(ctx context.Context, name string) bool {
	if s.fs {
		return s.fileSystem(ctx, name)
	}
	look := s.inv.FS.Lstat
	if s.follow {
		look = s.inv.FS.Stat
	}
	info, err := look(ctx, s.inv.Path(name))
	if err != nil {
		s.inv.Fail(err, "cannot statx %s", s.inv.Quote(name))
		return false
	}
	f := &statFile{stat: s, ctx: ctx, name: name, info: info}
	format := s.format
	if format == "" {
		format = statDefault(info)
	}
	s.print(format, f.value)
	return true
}

// statDefault is the format of one file without options.
func statDefault(info vfs.Info) string {
	links := "%h\n"
	if c := unixmode.TypeLetter(info.Mode); c == 'b' || c == 'c' {
		links = "%-5h Device type: %Hr,%Lr\n"
	}
	return statFileFormat + links + statOwner + statTimes
}

func (s *stat) fileSystem(ctx context.Context, name string) bool {
	if name == "-" {
		s.inv.Errorf("using %s to denote standard input does not work in file system mode", s.inv.QuoteArg("-"))
		return false
	}
	usage, err := s.inv.FS.StatFS(ctx, s.inv.Path(name))
	if err != nil {
		s.inv.Fail(err, "cannot read file system information for %s", s.inv.Quote(name))
		return false
	}
	info, err := s.inv.FS.Stat(ctx, s.inv.Path(name))
	if err != nil {
		s.inv.Fail(err, "cannot read file system information for %s", s.inv.Quote(name))
		return false
	}
	f := &statMount{stat: s, ctx: ctx, name: name, usage: usage, dev: info.Dev}
	s.print(s.format, f.value)
	return true
}

// print prints a format; value answers one of its directives.
func (s *stat) print(format string, value func(d *statDirective) bool) {
	for len(format) > 0 {
		i := strings.IndexAny(format, `\%`)
		if i < 0 {
			s.out.WriteString(format)
			return
		}
		s.out.WriteString(format[:i])
		format = format[i:]
		if format[0] == '\\' {
			format = s.escape(format)
			continue
		}
		d, n := statParse(format)
		format = format[n:]
		switch {
		case d.letter == '%' && d.flags+d.width+d.precision == "":
			s.out.WriteByte('%')
		case d.letter == 0 && d.raw == "%":
			s.out.WriteByte('%')
		case d.letter == 0 || d.letter == '%':
			s.inv.Errorf("%s: invalid directive", s.inv.Quote(d.raw))
			s.problems = true
			return
		case !value(&d):
			s.out.WriteString("?")
			if d.modifier != 0 {
				s.out.WriteByte(d.letter)
			}
		default:
			s.out.WriteString(d.text)
		}
	}
}

// escape prints a backslash escape of --printf and answers what is behind it.
func (s *stat) escape(format string) string {
	if !s.escapes {
		s.out.WriteByte('\\')
		return format[1:]
	}
	if len(format) == 1 {
		s.inv.Errorf("warning: backslash at end of format")
		s.out.WriteByte('\\')
		return ""
	}
	c := format[1]
	if i := strings.IndexByte(`"\abefnrtv`, c); i >= 0 {
		s.out.WriteByte("\"\\\a\b\x1b\f\n\r\t\v"[i])
		return format[2:]
	}
	digits, base, most, start := "01234567", 8, 3, 1
	if c == 'x' {
		digits, base, most, start = "0123456789abcdef", 16, 2, 2
	}
	v, n := 0, 0
	for n < most && start+n < len(format) {
		i := strings.IndexByte(digits, format[start+n])
		if i < 0 && base == 16 {
			i = strings.IndexByte(digits, format[start+n]|0x20)
		}
		if i < 0 {
			break
		}
		v = v*base + i
		n++
	}
	if n == 0 {
		s.inv.Errorf("warning: unrecognized escape '\\%c'", c)
		s.out.WriteByte(c)
		return format[2:]
	}
	s.out.WriteByte(byte(v))
	return format[start+n:]
}
