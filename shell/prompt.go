package shell

import (
	"context"
	"errors"

	"mvdan.cc/sh/v3/syntax"

	"mirage/shell/expand"
)

// Prompt answers what the variable of a prompt (PS1, PS2) stands for: its
// backslash escapes and expansions. set is false when there is no such
// variable. Commands are run on lines only, where the rules judge them: a
// prompt that would run one is answered as it is written, as is one that
// cannot be expanded.
func (sh *Shell) Prompt(ctx context.Context, name string) (text string, set bool) {
	e := sh.e
	raw, set := e.vars.Lookup(name)
	if !set {
		return "", false
	}
	host := e.x.Host
	e.x.Host = promptHost{host}
	defer func() { e.x.Host = host }()
	text, err := e.x.Prompt(ctx, raw)
	if err != nil {
		return raw, true
	}
	return text, true
}

var errPromptCommand = errors.New("a prompt runs no command")

// promptHost is the executor as the expansion of a prompt sees it: quiet, and
// without commands.
type promptHost struct{ expand.Host }

func (promptHost) Warn(string) {}

func (promptHost) CmdSubst(context.Context, *syntax.CmdSubst) ([]byte, error) {
	return nil, errPromptCommand
}

func (promptHost) ProcSubst(context.Context, *syntax.ProcSubst) (string, error) {
	return "", errPromptCommand
}

// noteWindow sets COLUMNS and LINES at the beginning of a line from a prompt,
// as bash does after each command unless checkwinsize is off.
func (e *Executor) noteWindow(t *Terminal) {
	if t == nil || !e.interactive || !e.shopts[shoptCheckwinsize] {
		return
	}
	cols, rows := t.Size()
	if cols > 0 && rows > 0 {
		// A read-only variable keeps its value.
		_ = e.vars.Set("COLUMNS", itoa(cols))
		_ = e.vars.Set("LINES", itoa(rows))
	}
}
