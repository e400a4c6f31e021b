package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"mirage/shell/program/quote"
	"mirage/vfs"
)

// SIGPIPEStatus is how a program ends that writes to a pipe without readers.
const SIGPIPEStatus = 128 + int(syscall.SIGPIPE)

// Errorf writes a message for people to standard error: the program's name, a
// colon and the text, in one write.
func (inv *Invocation) Errorf(format string, args ...any) {
	io.WriteString(inv.Stderr, inv.Name+": "+fmt.Sprintf(format, args...)+"\n")
}

// FileError reports that something failed with an operand, as
// error(0, errno, "%s", quotef(file)) does: "cat: x: No such file or directory".
func (inv *Invocation) FileError(operand string, err error) {
	inv.Errorf("%s: %s", inv.QuoteName(operand), vfs.Phrase(err))
}

// Fail is Errorf with the phrase of err behind the text:
// inv.Fail(err, "cannot remove %s", inv.Quote(name)).
func (inv *Invocation) Fail(err error, format string, args ...any) {
	inv.Errorf("%s: %s", fmt.Sprintf(format, args...), vfs.Phrase(err))
}

// WriteError answers the exit status after standard output failed. A reader
// that is gone ends a program silently, as SIGPIPE does; anything else is
// reported.
func (inv *Invocation) WriteError(err error) int {
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, context.Canceled) {
		return SIGPIPEStatus
	}
	inv.Errorf("write error: %s", vfs.Phrase(err))
	return 1
}

// UTF8 tells whether the locale of the environment has UTF-8 characters;
// otherwise text is bytes, as in the C locale.
func (inv *Invocation) UTF8() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := inv.Getenv(name); v != "" {
			v = strings.ToLower(v)
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return false
}

// Quote puts a file name into a sentence: always quoted, so that a shell
// would read it back ("cannot remove 'x'"). GNU calls it quoteaf.
func (inv *Invocation) Quote(name string) string {
	return quote.Quoter{Style: quote.ShellEscapeAlways, UTF8: inv.UTF8()}.String(name)
}

// QuoteRoot quotes an operand that is the root directory, and says so when it
// does not look like it.
func (inv *Invocation) QuoteRoot(name string) string {
	if name == "/" {
		return inv.Quote(name)
	}
	return inv.Quote(name) + " (same as '/')"
}

// QuoteName puts a file name in front of a colon: quoted only where a shell
// would need it ("cat: x: ..."). GNU calls it quotef.
func (inv *Invocation) QuoteName(name string) string {
	return quote.Quoter{Style: quote.ShellEscape, UTF8: inv.UTF8(), Also: ":"}.String(name)
}

// QuoteArg puts any other text into a sentence, with C escapes where needed
// ("invalid number of lines: 'x'"). GNU calls it quote.
func (inv *Invocation) QuoteArg(s string) string {
	return quote.Quoter{Style: quote.Locale, UTF8: inv.UTF8()}.String(s)
}
