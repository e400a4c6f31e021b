package ls

import (
	"strconv"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/number"
	"mirage/shell/program/quote"
)

// defaultWidth is the length of a line where nothing tells another.
const defaultWidth = 80

// settle fills in what the command line leaves to the terminal and the
// environment.
func (o *options) settle(p *getopt.Parser, inv *program.Invocation, def format, cols int, terminal bool) {
	if o.format == unset {
		switch {
		case def != unset:
			o.format = def
		case terminal:
			o.format = columns
		default:
			o.format = onePerLine
		}
	}
	o.settleQuoting(inv, def, terminal)
	o.settleWidth(inv, cols)
	o.settleSizes(inv)
	if o.sort == byDefault {
		o.sort = byName
		if o.timeGiven && o.format != long {
			o.sort = byTime
		}
	}
	if o.deref == derefDefault {
		switch {
		case o.dirsOnly || o.indicator == classify || o.format == long:
			o.deref = derefNever
		default:
			o.deref = derefOperandDirs
		}
	}
	if o.recursive && o.dirsOnly {
		o.recursive = false
	}
	if o.format == long {
		o.settleTimeStyle(p, inv)
	}
}

func (o *options) settleQuoting(inv *program.Invocation, def format, terminal bool) {
	if o.hasQuoting {
		return
	}
	if word := inv.Getenv("QUOTING_STYLE"); word != "" {
		if style, ok := quote.ByName(word); ok {
			o.quoting = style
			return
		}
		inv.Errorf("ignoring invalid value of environment variable QUOTING_STYLE: %s", inv.QuoteArg(word))
	}
	switch {
	case def != unset: // dir and vdir
		o.quoting = quote.Escape
	case terminal:
		o.quoting = quote.ShellEscape
	}
}

func (o *options) settleWidth(inv *program.Invocation, cols int) {
	if o.width < 0 {
		o.width = defaultWidth
		if cols > 0 {
			o.width = cols
		}
		if v := inv.Getenv("COLUMNS"); v != "" {
			if n, err := strconv.ParseUint(v, 0, 31); err == nil {
				o.width = int(n)
			} else {
				inv.Errorf("ignoring invalid width in environment variable COLUMNS: %s", inv.QuoteArg(v))
			}
		}
	}
	if o.tab < 0 {
		o.tab = 8
		if v := inv.Getenv("TABSIZE"); v != "" {
			if n, err := strconv.ParseUint(v, 0, 31); err == nil {
				o.tab = int(n)
			} else {
				inv.Errorf("ignoring invalid tab size in environment variable TABSIZE: %s", inv.QuoteArg(v))
			}
		}
	}
}

func (o *options) settleSizes(inv *program.Invocation) {
	if o.sizeGiven {
		return
	}
	o.blockSize = number.DefaultBlock(inv.LookupEnv, "LS_BLOCK_SIZE")
	o.fileSize = number.Format{Block: 1}
	_, own := inv.LookupEnv("LS_BLOCK_SIZE")
	if _, all := inv.LookupEnv("BLOCK_SIZE"); own || all {
		o.fileSize = o.blockSize
	}
	if o.kibibytes {
		o.blockSize = number.Format{Block: 1024}
	}
}

// settleTimeStyle turns the name of a time style into its format: two of them
// where old and recent times differ, with a newline between.
func (o *options) settleTimeStyle(p *getopt.Parser, inv *program.Invocation) {
	style := o.timeStyle
	if style == "" {
		if style = inv.Getenv("TIME_STYLE"); style == "" {
			style = "locale"
		}
	}
	if format, ok := strings.CutPrefix(style, "+"); ok {
		if strings.Count(format, "\n") > 1 {
			p.Fail("invalid time style format %s", inv.QuoteArg(format))
		}
		o.timeStyle = format
		return
	}
	// In the C locale "posix-" styles are the locale's own.
	if rest, ok := strings.CutPrefix(style, "posix-"); ok {
		style = rest
		if !inv.UTF8() {
			style = "locale"
		}
	}
	switch {
	case style == "full-iso":
		o.timeStyle = "%Y-%m-%d %H:%M:%S.%N %z"
	case style == "long-iso":
		o.timeStyle = "%Y-%m-%d %H:%M"
	case style == "iso":
		o.timeStyle = "%Y-%m-%d \n%m-%d %H:%M"
	case style == "locale":
		o.timeStyle = "%b %e  %Y\n%b %e %H:%M"
	default:
		p.Usage("invalid argument %s for 'time style'\nValid arguments are:\n"+
			"  - [posix-]full-iso\n  - [posix-]long-iso\n  - [posix-]iso\n  - [posix-]locale\n"+
			"  - +FORMAT (e.g., +%%H:%%M) for a 'date'-style format", inv.QuoteArg(style))
	}
}
