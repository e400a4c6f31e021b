// Package quote writes strings so that a shell reads them back, in the styles
// of bash, and reads and writes the escapes of $'...', echo -e and printf.
package quote

// Word quotes s as printf %q and `set -x` do: backslashes, or $'...' when s
// has control characters; ” when it is empty. utf8 says that the characters
// of UTF-8 may stay as they are.
func Word(s string, utf8 bool) string { return s }

// Single quotes s as ${x@Q}, `set` and `alias` do: '...' with '\” for a
// quote, or $'...' when s has control characters.
func Single(s string, utf8 bool) string { return s }

// Set quotes s as `set` prints a value: unquoted when nothing needs quotes.
func Set(s string, utf8 bool) string { return s }

// Trace quotes s as `set -x` shows an argument.
func Trace(s string, utf8 bool) string { return s }

// Double quotes s as `declare -p` prints a value: "..." with \" \$ \` \\, or
// $'...' when s has control characters.
func Double(s string, utf8 bool) string { return s }

// ANSI reads the escapes of $'...'.
func ANSI(s string) string { return s }

// Echo reads the escapes of echo -e; stop tells that \c ended the output.
func Echo(s string) (out string, stop bool) { return s, false }
