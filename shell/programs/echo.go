package programs

import (
	"context"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
)

var echoSpec = getopt.Spec{
	Name:     "echo",
	Synopsis: []string{"[SHORT-OPTION]... [STRING]...", "LONG-OPTION"},
	Summary:  "Echo the STRING(s) to standard output.",
	Options: []getopt.Option{
		{Short: "n", Help: "do not output the trailing newline"},
		{Short: "e", Help: "enable interpretation of backslash escapes"},
		{Short: "E", Help: "disable interpretation of backslash escapes (default)"},
	},
	Epilog: `If -e is in effect, the following sequences are recognized:

  \\      backslash
  \a      alert (BEL)
  \b      backspace
  \c      produce no further output
  \e      escape
  \f      form feed
  \n      new line
  \r      carriage return
  \t      horizontal tab
  \v      vertical tab
  \0NNN   byte with octal value NNN (1 to 3 digits)
  \xHH    byte with hexadecimal value HH (1 to 2 digits)`,
}

// runEcho is the echo of coreutils: it has options only where they cannot be
// text, and --help only when it stands alone.
func runEcho(ctx context.Context, inv *program.Invocation) int {
	args := inv.Args
	_, posix := inv.LookupEnv("POSIXLY_CORRECT")
	if len(args) == 1 && !posix && (args[0] == "--help" || args[0] == "--version") {
		p := echoSpec.Parse(inv)
		p.Next()
		return p.Status
	}
	newline, escapes := true, posix
	if !posix || len(args) > 0 && args[0] == "-n" {
		for len(args) > 0 && echoIsOption(args[0]) {
			for _, c := range args[0][1:] {
				switch c {
				case 'n':
					newline = false
				case 'e':
					escapes = true
				case 'E':
					escapes = false
				}
			}
			args = args[1:]
		}
	}
	out := stream.Stdout(inv)
	text := strings.Join(args, " ")
	if escapes {
		var stopped bool
		if text, stopped = echoUnescape(text); stopped {
			newline = false
		}
	}
	out.WriteString(text)
	if newline {
		out.WriteByte('\n')
	}
	return out.Close(inv, 0)
}

func echoIsOption(s string) bool {
	return len(s) > 1 && s[0] == '-' && strings.Trim(s[1:], "neE") == ""
}

// echoUnescape interprets the escapes of echo -e; stopped tells of a \c.
func echoUnescape(s string) (text string, stopped bool) {
	if strings.IndexByte(s, '\\') < 0 {
		return s, false
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'a':
			b.WriteByte('\a')
		case 'b':
			b.WriteByte('\b')
		case 'c':
			return b.String(), true
		case 'e':
			b.WriteByte(0x1b)
		case 'f':
			b.WriteByte('\f')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'v':
			b.WriteByte('\v')
		case '\\':
			b.WriteByte('\\')
		case 'x':
			v, n := digitsOf(s[i+1:], 16, 2)
			if n == 0 {
				b.WriteString(`\x`)
				break
			}
			b.WriteByte(byte(v))
			i += n
		case '0', '1', '2', '3', '4', '5', '6', '7':
			if c == '0' {
				i++
			}
			v, n := digitsOf(s[i:], 8, 3)
			b.WriteByte(byte(v))
			i += n - 1
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String(), false
}

// digitsOf reads at most most digits of a base at the beginning of s and
// answers their value and number.
func digitsOf(s string, base, most int) (value, n int) {
	for n < len(s) && n < most {
		d := digitOf(s[n])
		if d >= base {
			break
		}
		value = value*base + d
		n++
	}
	return value, n
}

// digitOf answers the value of a digit, 36 when it is none.
func digitOf(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'z':
		return int(c|0x20-'a') + 10
	}
	return 36
}
