package workspace

import (
	"context"
	"slices"

	"mirage/policy"
	"mirage/vfs"
)

// peek answers what take would, and leaves everything as it is: nothing is
// raised, and no answer is spent. taken are answers that are spoken for.
func (l *ledger) peek(q *question, taken map[*entryOfAsk]bool) (v verdict, e *entryOfAsk) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.standing[standingKey{q.s, q.Rule}]; e != nil {
		return askGranted, e
	}
	v = askOpen
	for _, x := range l.open[q.match()] {
		switch x.phase {
		case askAnswered:
			if !taken[x] && x.rec.Outcome == AnswerAllow {
				return askGranted, x
			} else if !taken[x] {
				return askDenied, x
			}
		case askPending, askAnswering:
			e = x
		}
	}
	return v, e
}

// peeker judges as a line or a call would, without asking anybody.
type peeker struct {
	rules  rules
	s      *Session
	claims map[claimKey]bool
	taken  map[*entryOfAsk]bool
}

func newPeeker(r rules, s *Session) *peeker {
	return &peeker{rules: r, s: s, claims: map[claimKey]bool{}, taken: map[*entryOfAsk]bool{}}
}

// Command implements policy.Judge. About a command that is not known whole it
// answers what the rules say: it will be asked about when it is.
func (p *peeker) Command(ctx context.Context, c policy.Command) policy.Answer {
	a := p.rules.Command(ctx, c)
	if a.Outcome != policy.Ask {
		return a
	}
	if c.Cwd == "" || slices.Contains(c.Unknown, true) {
		if slices.ContainsFunc(questions(a, c.Argv[0]), func(q policy.Question) bool { return !p.s.w.asks.stands(p.s, q.Rule) }) {
			return a
		}
		return policy.Answer{}
	}
	return p.settle(a, c.Argv[0], c.Argv, c.Cwd, c.Place)
}

// Visible implements policy.Judge.
func (p *peeker) Visible(word string) bool { return p.rules.Visible(word) }

// VarHidden implements policy.Judge.
func (p *peeker) VarHidden(name string) bool { return p.rules.VarHidden(name) }

// Source implements policy.SourceJudge.
func (p *peeker) Source(ctx context.Context, text string) policy.Answer {
	if s, ok := p.rules.(policy.SourceJudge); ok {
		return s.Source(ctx, text)
	}
	return policy.Answer{}
}

// file answers the use of a file by a call, given what the rules say.
func (p *peeker) file(a vfs.Access, answer policy.Answer) policy.Answer {
	if answer.Outcome != policy.Ask {
		return answer
	}
	return p.settle(answer, callerName(a), []string{a.Path}, "", "")
}

// settle answers the questions of an answer as the ledger stands.
func (p *peeker) settle(a policy.Answer, program string, words []string, cwd, place string) policy.Answer {
	for _, pq := range questions(a, program) {
		q := &question{Question: pq, s: p.s, words: words, cwd: cwd}
		key := claimKey{q.match(), place}
		if p.claims[key] {
			continue
		}
		v, e := p.s.w.asks.peek(q, p.taken)
		said := policy.Answer{
			Outcome: policy.Ask, Reason: pq.Reason, Source: pq.Source, Policy: pq.Policy, Scope: pq.Scope, Operand: pq.Operand, Asks: a.Asks,
		}
		switch {
		case v == askGranted && e.once():
			p.claims[key], p.taken[e] = true, true
		case v == askGranted:
		case v == askDenied:
			said.Outcome, said.Asks = policy.Deny, []policy.Question{pq}
			return said
		default:
			if e != nil {
				said.AskID = e.rec.ID
			}
			return said
		}
	}
	return policy.Answer{}
}
