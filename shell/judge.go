package shell

import (
	"context"
	"strings"
	"syscall"

	"mirage/policy"
	"mirage/vfs"
)

// judge is the one judging function: the walk before a line asks it of what
// can be seen, the door of what runs. A command that runs another one (env,
// xargs, timeout, find -exec, ...) is judged together with what it runs; the
// answer comes with the words that it is about.
func (e *Executor) judge(c policy.Command) (policy.Answer, []string) {
	if e.cfg.Judge == nil {
		return policy.Answer{}, nil
	}
	return judgeUnfolded(e.ctx, e.cfg.Judge, c, 0)
}

func judgeUnfolded(ctx context.Context, j policy.Judge, c policy.Command, depth int) (policy.Answer, []string) {
	if a := j.Command(ctx, c); a.Outcome != policy.Allow {
		return a, c.Argv
	}
	if depth < 16 && (c.Kind == policy.KindProgram || c.Kind == policy.KindBuiltin) {
		for _, inner := range unfold(c) {
			if a, words := judgeUnfolded(ctx, j, inner, depth+1); a.Outcome == policy.Deny || a.Outcome == policy.Ask {
				return a, words
			}
		}
	}
	return policy.Answer{}, nil
}

// judgeSource asks the policy about the text of a line, as judge does about its
// commands.
func (e *Executor) judgeSource(source string) (policy.Answer, []string) {
	if j, ok := e.cfg.Judge.(policy.SourceJudge); ok {
		return j.Source(e.ctx, source), []string{"mirage"}
	}
	return policy.Answer{}, nil
}

// refusalText words a refusal as the refused command would speak, and gives
// its exit status. Nothing of it tells the rule or its reason.
func refusalText(a policy.Answer, words []string) (string, int) {
	name := words[0]
	switch {
	case a.Message != "":
		return a.Message, 1
	case a.Outcome == policy.Absent && strings.Contains(name, "/"):
		return name + ": " + vfs.Phrase(syscall.ENOENT), 127 // as for a path that does not exist
	case a.Outcome == policy.Absent:
		return name + ": command not found", 127
	case a.Outcome == policy.Ask, len(a.Asks) > 0, a.Scope != policy.ScopeOperand:
		return name + ": Permission denied", 126
	}
	return operandRefusal(name, a.Operand)
}

// operandRefusal is how a command complains of an operand that it may not
// touch.
func operandRefusal(name, operand string) (string, int) {
	const denied = ": Permission denied"
	quoted := "'" + operand + "'"
	switch name {
	case "rm", "unlink":
		return name + ": cannot remove " + quoted + denied, 1
	case "rmdir":
		return "rmdir: failed to remove " + quoted + denied, 1
	case "mkdir":
		return "mkdir: cannot create directory " + quoted + denied, 1
	case "touch":
		return "touch: cannot touch " + quoted + denied, 1
	case "mv", "stat":
		return name + ": cannot stat " + quoted + denied, 1
	case "cp":
		return "cp: cannot open " + quoted + " for reading" + denied, 1
	case "ln":
		return "ln: failed to access " + quoted + denied, 1
	case "ls":
		return "ls: cannot open directory " + quoted + denied, 1
	case "head", "tail":
		return name + ": cannot open " + quoted + " for reading" + denied, 1
	case "chmod", "chown", "chgrp":
		return name + ": cannot access " + quoted + denied, 1
	case "truncate":
		return "truncate: cannot open " + quoted + " for writing" + denied, 1
	case "split", "csplit":
		return name + ": cannot open " + quoted + " for reading" + denied, 1
	case "find":
		return "find: '" + operand + "'" + denied, 1
	case "du":
		return "du: cannot read directory " + quoted + denied, 1
	case "sed":
		return "sed: can't read " + operand + denied, 1
	case "tar":
		return "tar: " + operand + ": Cannot open: Permission denied", 2
	case "sort":
		return "sort: cannot read: " + operand + denied, 1
	}
	return name + ": " + operand + denied, 1
}
