package expand

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
	Status   int // 1, or 127 for ${x:?} and set -u, 2 for a bad [[ =~ ]]
	Err      error
}

// Error answers the message.
func (e *Error) Error() string { return e.Msg }

// Unwrap answers the cause (vars.ErrMemory, a *fs.PathError), if any.
func (e *Error) Unwrap() error { return e.Err }
