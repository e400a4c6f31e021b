// Package test evaluates the expressions of test(1) and [(1), shared by the
// shell's builtins and the programs.
package test

import (
	"context"

	"mirage/vfs"
)

// Env is what an expression can ask about. A nil function answers false.
type Env struct {
	FS       *vfs.View
	Dir      string
	IsSet    func(ref string) (bool, error) // -v
	IsRef    func(name string) bool         // -R
	Option   func(name string) bool         // -o
	Terminal func(fd int) bool              // -t
}

// Error is a misuse of test, worded without the command's name: "a: integer
// expression expected". The exit status is 2.
type Error struct{ Msg string }

// Error answers the message.
func (e *Error) Error() string { return e.Msg }

// Eval evaluates the arguments of test, or those of [ without the closing
// bracket, by POSIX's rules for up to four arguments and by precedence beyond.
func Eval(ctx context.Context, e *Env, args []string) (bool, error) { return false, nil }

// Unary evaluates one unary file, string or variable test ("-f", "-z", "-v").
// It is what [[ ]] uses too.
func Unary(ctx context.Context, e *Env, op, operand string) (bool, error) { return false, nil }

// Newer, Older and Same are -nt, -ot and -ef.
func Newer(ctx context.Context, e *Env, a, b string) bool { return false }

// Older reports whether a is older than b, or b exists and a does not.
func Older(ctx context.Context, e *Env, a, b string) bool { return false }

// Same reports whether a and b are one file.
func Same(ctx context.Context, e *Env, a, b string) bool { return false }
