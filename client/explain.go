package client

// Verdict is what the rules say of a line, a command or a VFS call: Outcome is
// allow, deny or ask.
type Verdict struct {
	Outcome string   `json:"outcome"`
	Reason  string   `json:"reason"`
	Source  string   `json:"source"` // of the rule: top, mounts./x, commands.allow; "" for built-in ones
	Refusal *Refusal `json:"refusal"`
	Answers []Answer `json:"answers"`
}

// Answer is what one rule says: Kind is deny or ask.
type Answer struct {
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
	Policy string `json:"policy"`
}

// Explanation is the answer to a line sent with ?explain=true.
type Explanation struct {
	Line string `json:"line"`
	Verdict
	ExitCode int          `json:"exit_code"`
	Stderr   string       `json:"stderr"`
	Node     *ExplainNode `json:"node"` // of type line; its children are the statements
}

// ExplainNode is a part of a line. Type is line, list, pipeline, substitution,
// subshell, group, if, loop, case, function, command or redirect.
type ExplainNode struct {
	Type string `json:"type"`
	Text string `json:"text"`
	*ExplainCommand
	Children []*ExplainNode `json:"children"`
}

// ExplainCommand is what a node of type command has beside, and one of type
// redirect: its command is the operator and its word the file.
type ExplainCommand struct {
	Command string   `json:"command"`
	Argv    []string `json:"argv"` // the words after the command, as far as they are known
	Verdict
	ExitCode int              `json:"exit_code"`
	Stderr   string           `json:"stderr"`
	Runtime  string           `json:"runtime"`
	Operands []ExplainOperand `json:"operands"`
	Limit    *ExplainLimit    `json:"limit,omitempty"` // nil for none
}

// ExplainLimit bounds what a command prints and how long it runs; nil is no
// bound. OnExceed is truncate or error.
type ExplainLimit struct {
	MaxLines       *int64   `json:"max_lines"`
	MaxBytes       *int64   `json:"max_bytes"`
	TimeoutSeconds *float64 `json:"timeout_seconds"`
	OnExceed       string   `json:"on_exceed"`
}

// ExplainOperand is a path that a command names.
type ExplainOperand struct {
	Text    string `json:"text"`
	Path    string `json:"path"`
	Matched bool   `json:"matched"`
}

// CallExplanation is the answer to a VFS call sent with ?explain=true.
type CallExplanation struct {
	Call  string   `json:"call"`
	Paths []string `json:"paths"`
	Verdict
	Error string `json:"error"` // the errno that the call would fail with, "" when it would not
}
