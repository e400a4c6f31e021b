package main

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"mirage/internal/settings"
	"mirage/policy"
	"mirage/workspace"
)

// readBudgets reads what sessions and accounts may use up.
func readBudgets(s *settings.Settings) workspace.Budgets {
	const mib = 1 << 20
	bytes := func(name string, unset int64) int64 {
		if n, ok := s.Number(name); ok {
			return int64(n) * mib
		}
		return unset
	}
	return workspace.Budgets{
		Session: readBudget(s, "session_"), Account: readBudget(s, "account_"),
		SessionMemory: bytes("session_memory", 0), AccountMemory: bytes("account_memory", 0),
		ServerMemory: bytes("server_memory", machineMemory()/4),
	}
}

// machineMemory is how many bytes of memory the server can have: the
// machine's, or those of its control group where that is bounded; 0 when
// nobody says.
func machineMemory() int64 {
	most := int64(0)
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) == nil {
		most = int64(info.Totalram) * int64(info.Unit)
	}
	text, err := os.ReadFile("/sys/fs/cgroup/memory.max")
	if err != nil {
		return most
	}
	if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && (most == 0 || n < most) {
		return n
	}
	return most
}

// boundHeap makes the collector work harder before the machine's memory is
// full, unless GOMEMLIMIT says when.
func boundHeap(getenv func(string) string) {
	if most := machineMemory(); most > 0 && getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(most / 4 * 3)
	}
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
	for name, to := range map[string]**time.Duration{"line_seconds": &b.LineTime, "cpu_seconds_per_hour": &b.CPUPerHour} {
		if seconds := limit(name); seconds != nil {
			d := time.Duration(*seconds) * time.Second
			*to = &d
		}
	}
	return b
}
