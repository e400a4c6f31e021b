// Command policy measures what rules cost: lines of a session with 200 rules
// against those of one with none, and the loading of 10,000 rules. It prints a
// ratio and a goal a row, and ends with status 1 when a goal is missed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"mirage/accounts"
	"mirage/state"
	"mirage/workspace"
)

func main() {
	files := flag.Int("files", 100_000, "files that grep -r reads")
	profile := flag.String("cpuprofile", "", "write a CPU profile to this `file`")
	flag.Parse()
	missed, err := profiled(*profile, func() (bool, error) { return measure(*files) })
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/policy:", err)
		os.Exit(2)
	}
	if missed {
		os.Exit(1)
	}
}

// profiled runs f and writes a CPU profile of it, to no file when name is "".
func profiled(name string, f func() (bool, error)) (bool, error) {
	if name == "" {
		return f()
	}
	out, err := os.Create(name)
	if err != nil {
		return false, err
	}
	if err := pprof.StartCPUProfile(out); err != nil {
		return false, err
	}
	missed, err := f()
	pprof.StopCPUProfile()
	return missed, errors.Join(err, out.Close())
}

// rules writes n rules, of all the forms that there are, none of which speaks
// of what is measured; one in ten is a hide.
func rules(n int) string {
	var deny, hide []string
	for i := range n {
		switch i % 10 {
		case 0, 1:
			deny = append(deny, fmt.Sprintf(`"tool%d"`, i))
		case 2, 3:
			deny = append(deny, fmt.Sprintf(`{"reason": "r", "commands": ["git verb%d"]}`, i))
		case 4, 5:
			deny = append(deny, fmt.Sprintf(`{"reason": "r", "commands": {"rm": ["/srv/d%d"]}}`, i))
		case 6, 7:
			deny = append(deny, fmt.Sprintf(`{"reason": "r", "paths": ["/vault/d%d/x"]}`, i))
		case 8:
			deny = append(deny, fmt.Sprintf(`{"reason": "r", "paths": ["*.key%d"]}`, i))
		case 9:
			hide = append(hide, fmt.Sprintf(`"*.secret%d", "/hidden/d%d"`, i, i))
		}
	}
	return `{"paths": {"hide": [` + strings.Join(hide, ",") + `]}, "commands": {"deny": [` + strings.Join(deny, ",") + `]}}`
}

func measure(files int) (missed bool, err error) {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "mirage-bench-")
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	store, err := state.Open(dir, state.Options{})
	if err != nil {
		return false, err
	}
	defer store.Close()
	m, err := workspace.Open(ctx, workspace.Options{Store: store})
	if err != nil {
		return false, err
	}
	defer m.Close(ctx)
	free, err := session(ctx, m, "free", "")
	if err != nil {
		return false, err
	}
	ruled, err := session(ctx, m, "ruled", rules(200))
	if err != nil {
		return false, err
	}
	makeFiles := fmt.Sprintf("mkdir -p /d/{0..99}; for ((i=0; i<%d; i++)); do echo some text of file $i > /d/$((i%%100))/f$i; done", files)
	for _, s := range []*workspace.Session{free, ruled} {
		if _, err := run(ctx, s, makeFiles); err != nil {
			return false, err
		}
	}
	fmt.Printf("%-34s %12s %12s %8s %8s\n", "", "no rules", "200 rules", "ratio", "goal")
	for _, row := range []struct {
		name, line string
		times      int
		goal       float64
	}{
		{"true", "true", 2001, 1.15},
		{"1,000 times true in a loop", "for ((i=0; i<1000; i++)); do true; done", 101, 0},
		{fmt.Sprintf("grep -r over %d files", files), "grep -r nothing /d", 9, 1.3},
	} {
		a, b, err := pairs(ctx, free, ruled, row.line, row.times)
		if err != nil {
			return false, err
		}
		ratio := float64(b) / float64(a)
		goal := "-"
		if row.goal > 0 {
			missed = missed || ratio > row.goal
			goal = fmt.Sprintf("%.2fx", row.goal)
		}
		fmt.Printf("%-34s %12v %12v %7.2fx %8s\n", row.name, a, b, ratio, goal)
	}
	config := []byte(`{"mounts": {"/": {"vfs": "ram"}}, "profiles": {"default": ` + rules(10_000) + `}}`)
	loads := make([]time.Duration, 9)
	for i := range loads {
		begun := time.Now()
		if _, err := workspace.ParseConfig(config); err != nil {
			return false, err
		}
		loads[i] = time.Since(begun)
	}
	slices.Sort(loads)
	load := loads[len(loads)/2]
	missed = missed || load > 50*time.Millisecond
	fmt.Printf("%-34s %25v %17s\n", "10,000 rules read", load.Round(time.Millisecond/10), "50ms")
	return missed, nil
}

func session(ctx context.Context, m *workspace.Manager, id, profile string) (*workspace.Session, error) {
	config := `{"mounts": {"/": {"vfs": "ram"}}}`
	if profile != "" {
		config = `{"mounts": {"/": {"vfs": "ram"}}, "profiles": {"default": ` + profile + `}}`
	}
	cfg, err := workspace.ParseConfig([]byte(config))
	if err != nil {
		return nil, err
	}
	w, _, err := m.Create(ctx, accounts.Caller{All: true}, id, cfg)
	if err != nil {
		return nil, err
	}
	return w.NewSession(ctx, workspace.SessionOptions{Ephemeral: true})
}

func run(ctx context.Context, s *workspace.Session, line string) (time.Duration, error) {
	begun := time.Now()
	res, err := s.Run(ctx, workspace.Line{Command: line, Stdout: io.Discard, Stderr: os.Stderr})
	took := time.Since(begun)
	if err != nil {
		return 0, err
	}
	if res.Refusal != nil {
		return 0, fmt.Errorf("%s: refused: %s", line, res.Refusal.Reason)
	}
	return took, nil
}

// pairs runs a line in both sessions in turn, and answers the medians.
func pairs(ctx context.Context, a, b *workspace.Session, line string, times int) (x, y time.Duration, err error) {
	all := [2][]time.Duration{}
	for i := range times {
		for k := range 2 {
			k = (k + i) % 2
			took, err := run(ctx, []*workspace.Session{a, b}[k], line)
			if err != nil {
				return 0, 0, err
			}
			all[k] = append(all[k], took)
		}
	}
	for k := range all {
		slices.Sort(all[k])
	}
	return all[0][times/2], all[1][times/2], nil
}
