package pattern

// Flags change how a pattern matches.
type Flags uint8

// The flags.
const (
	Extended Flags = 1 << iota // ?( *( +( @( !(
	FoldCase                   // nocasematch, nocaseglob
	UTF8                       // characters, not bytes
	Period                     // a leading period needs a literal one
	Pathname                   // no wildcard matches a slash
)

// Match reports whether pattern matches the whole of s. It compiles the
// pattern; Compile once for many matches.
func Match(pattern, s string, f Flags) bool { return false }

// Special reports whether a pattern has an unquoted * ? or [...] (or, with
// Extended, an extended form), so that it is worth matching against a
// directory.
func Special(pattern string, f Flags) bool { return false }

// Quote escapes every special character of s, so that it matches itself.
func Quote(s string) string { return s }
