package workspace

import (
	"context"

	"mirage/policy"
	"mirage/shell"
	"mirage/vfs"
)

// Explanation tells what the rules would make of a line.
type Explanation struct {
	shell.Explanation
	// Operands are the paths that a command names, by node; commands whose
	// operands the rules do not know are not in it.
	Operands map[*shell.Node][]policy.Operand
	// Limits are those that bound a command, by node.
	Limits map[*shell.Node]policy.Limit
}

// Explain tells what the rules would make of a line, without running it or
// spending an answer. It waits for lines that run or wait now.
func (s *Session) Explain(ctx context.Context, line string) (Explanation, error) {
	if s.broken != nil {
		return Explanation{}, s.broken
	}
	if len(line) > maxLine {
		return Explanation{}, errorf(Invalid, "line_too_long", "line of %d bytes is too long", len(line))
	}
	if err := s.turn.LockContext(ctx); err != nil {
		return Explanation{}, err
	}
	defer s.turn.Unlock()
	if s.isClosed() {
		return Explanation{}, sessionNotFound()
	}
	sh, err := s.shell()
	if err != nil {
		return Explanation{}, err
	}
	var judge policy.Judge
	if s.guard != nil {
		judge = newPeeker(s.guard, s)
	}
	x := Explanation{Explanation: sh.Explain(ctx, line, judge), Operands: map[*shell.Node][]policy.Operand{}, Limits: map[*shell.Node]policy.Limit{}}
	profile := s.profile()
	var each func(nodes []*shell.Node)
	each = func(nodes []*shell.Node) {
		for _, n := range nodes {
			switch {
			case n.Redirect != nil:
				s.explainRedirect(ctx, n)
			case n.Kind == "command" && len(n.Command.Argv) > 0:
				if l := s.limit(n.Command); !l.IsZero() {
					x.Limits[n] = l
				}
				if list := profile.Operands(n.Command); len(list) > 0 {
					x.Operands[n] = list
				}
			}
			each(n.Children)
		}
	}
	each(x.Nodes)
	return x, context.Cause(ctx)
}

// explainRedirect tries what a redirection opens. Nobody is asked about the
// files of a line, so what a rule asks about is refused.
func (s *Session) explainRedirect(ctx context.Context, n *shell.Node) {
	if n.Redirect.Path == "/dev/null" {
		return
	}
	p := s.Probe()
	view := p.View()
	if len(n.Command.Argv) > 0 && !n.Command.Unknown[0] {
		view = view.For(&n.Command)
	}
	f, err := view.Open(ctx, n.Redirect.Path, n.Redirect.Flag, 0o666)
	if err == nil {
		_ = f.Close()
	}
	answer, err := p.Verdict(ctx, err)
	if answer.Outcome == policy.Allow {
		return
	}
	answer.Outcome, answer.Scope, answer.Operand = policy.Deny, policy.ScopeOperand, n.Redirect.Word
	n.Verdict = shell.Verdict{Answer: answer, Status: 1, Stderr: n.Redirect.Word + ": " + vfs.Phrase(err) + "\n"}
}
