package expand

import (
	"errors"

	"mirage/shell/arith"
	"mirage/shell/vars"
)

// Severity says how much an error ends, as in a non-interactive bash.
type Severity uint8

// The severities.
const (
	// Fail: the command fails with the error's status and the next one runs.
	Fail Severity = iota
	// Discard: the whole list that was read as one piece of input (a line, a
	// compound command, the text of -c or eval) is given up with the status.
	Discard
	// Exit: a non-interactive shell (or subshell) exits with the status; an
	// interactive one gives up the line.
	Exit
)

// Error is a failed expansion or assignment, worded as bash words it without
// the prefix ("bash: line 1: ").
type Error struct {
	Msg      string
	Severity Severity
	Status   int // 1; 2 for a bad regex. bash -c exits with 127 after an Exit
	Err      error
}

// Error answers the message.
func (e *Error) Error() string { return e.Msg }

// Unwrap answers the cause (vars.ErrMemory, an *arith.Error), if any.
func (e *Error) Unwrap() error { return e.Err }

// errMemory is the error of an expansion whose result is too large.
func errMemory() error {
	return &Error{Msg: "expansion: limit exceeded", Severity: Discard, Status: 1, Err: vars.ErrMemory}
}

// wrap gives the errors of the packages below the severity that they have in
// an expansion.
func wrap(err error) error {
	if err == nil {
		return nil
	}
	var mine *Error
	if errors.As(err, &mine) {
		return err
	}
	var ve *vars.Error
	var ae *arith.Error
	switch {
	case errors.Is(err, vars.ErrCircular):
		return &Error{Severity: Discard, Status: 1, Err: err} // the warning said it
	case errors.As(err, &ve), errors.As(err, &ae):
		return &Error{Msg: err.Error(), Severity: Discard, Status: 1, Err: err}
	case errors.Is(err, vars.ErrMemory):
		return &Error{Msg: "variables: limit exceeded", Severity: Discard, Status: 1, Err: err}
	}
	return err // the context's, or the host's own
}

func unbound(name string) error {
	return &Error{Msg: name + ": unbound variable", Severity: Exit, Status: 1}
}

func badSubstitution(text string) error {
	return &Error{Msg: text + ": bad substitution", Severity: Discard, Status: 1}
}
