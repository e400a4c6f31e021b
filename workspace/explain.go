package workspace

import (
	"context"

	"mirage/policy"
	"mirage/shell"
)

// Explanation tells what the rules would make of a line.
type Explanation struct {
	shell.Explanation
	// Operands are the paths that a command names, by node; commands whose
	// operands the rules do not know are not in it.
	Operands map[*shell.Node][]policy.Operand
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
	x := Explanation{Explanation: sh.Explain(ctx, line, judge), Operands: map[*shell.Node][]policy.Operand{}}
	profile := s.profile()
	var each func(nodes []*shell.Node)
	each = func(nodes []*shell.Node) {
		for _, n := range nodes {
			if n.Kind == "command" {
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
