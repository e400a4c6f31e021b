package main

import (
	"time"

	"mirage/internal/settings"
	"mirage/policy"
	"mirage/workspace"
)

// readBudgets reads what sessions and accounts may use up.
func readBudgets(s *settings.Settings) workspace.Budgets {
	return workspace.Budgets{Session: readBudget(s, "session_"), Account: readBudget(s, "account_")}
}

func readBudget(s *settings.Settings, prefix string) policy.Budget {
	limit := func(name string) *int64 {
		n, ok := s.Number(prefix + name)
		if !ok {
			return nil
		}
		v := int64(n)
		return &v
	}
	b := policy.Budget{
		LinesPerMinute: limit("lines_per_minute"), ConcurrentLines: limit("concurrent_lines"),
		WrittenPerHour: limit("written_per_hour"),
	}
	if seconds := limit("line_seconds"); seconds != nil {
		d := time.Duration(*seconds) * time.Second
		b.LineTime = &d
	}
	return b
}
