package main

import (
	"time"

	"mirage/internal/settings"
	"mirage/policy"
	"mirage/workspace"
)

// readBudgets reads what sessions and accounts may use up.
func readBudgets(s *settings.Settings) (b workspace.Budgets, err error) {
	if b.Session, err = readBudget(s, "session_"); err != nil {
		return b, err
	}
	b.Account, err = readBudget(s, "account_")
	return b, err
}

func readBudget(s *settings.Settings, prefix string) (b policy.Budget, err error) {
	var lineSeconds *int64
	for _, f := range []struct {
		name string
		into **int64
	}{
		{"lines_per_minute", &b.LinesPerMinute}, {"concurrent_lines", &b.ConcurrentLines},
		{"written_per_hour", &b.WrittenPerHour}, {"line_seconds", &lineSeconds},
	} {
		if !s.Get(prefix + f.name).Set {
			continue
		}
		n, err := s.Count(prefix + f.name)
		if err != nil {
			return b, err
		}
		v := int64(n)
		*f.into = &v
	}
	if lineSeconds != nil {
		d := time.Duration(*lineSeconds) * time.Second
		b.LineTime = &d
	}
	return b, nil
}
