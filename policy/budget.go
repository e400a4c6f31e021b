package policy

import (
	"time"

	"mirage/internal/doc"
)

// Budget bounds what a session or an account may use up. A nil field bounds
// nothing.
type Budget struct {
	LinesPerMinute  *int64         // lines begun
	WrittenPerHour  *int64         // bytes written to files
	ConcurrentLines *int64         // running and waiting at one time
	LineTime        *time.Duration // a line may run for
	CPUPerHour      *time.Duration // processor time of shells and programs
}

// Tightest joins two budgets: each bound is the lower one.
func (b Budget) Tightest(o Budget) Budget {
	return Budget{
		LinesPerMinute: lower(b.LinesPerMinute, o.LinesPerMinute), WrittenPerHour: lower(b.WrittenPerHour, o.WrittenPerHour),
		ConcurrentLines: lower(b.ConcurrentLines, o.ConcurrentLines), LineTime: lower(b.LineTime, o.LineTime),
		CPUPerHour: lower(b.CPUPerHour, o.CPUPerHour),
	}
}

// ParseBudget reads `budget` of a profile.
func ParseBudget(n doc.Node) (b Budget, err error) {
	if n.Value == nil {
		return b, nil
	}
	if err := n.Map("lines_per_minute", "written_per_hour", "concurrent_lines", "line_seconds", "cpu_seconds_per_hour"); err != nil {
		return b, err
	}
	for _, f := range []struct {
		key  string
		into **int64
	}{{"lines_per_minute", &b.LinesPerMinute}, {"written_per_hour", &b.WrittenPerHour}, {"concurrent_lines", &b.ConcurrentLines}} {
		if *f.into, err = wholeNumber(n.At(f.key)); err != nil {
			return b, err
		}
	}
	if b.LineTime, err = seconds(n.At("line_seconds")); err != nil {
		return b, err
	}
	b.CPUPerHour, err = seconds(n.At("cpu_seconds_per_hour"))
	return b, err
}

// Budget answers what the profile bounds, together with whatever it is laid
// over.
func (p *Profile) Budget() Budget {
	if p == nil {
		return Budget{}
	}
	return p.base.Budget().Tightest(p.budget)
}
