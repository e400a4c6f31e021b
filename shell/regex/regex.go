// Package regex is the one regular-expression engine of the shell and its
// programs: POSIX basic and extended syntax with GNU's additions.
package regex
