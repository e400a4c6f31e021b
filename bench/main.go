// Command bench compares mirage with OpenSSH: both serve on loopback on the
// same machine, in the same run, in turns; what counts is the ratio.
//
//	go run ./bench                 prints a table in Markdown
//	go run ./bench -o RESULTS.md   writes it to a file too
//	go run ./bench -only exec      only the measures whose name matches
//
// It needs bin/mirage (make build) and Debian's openssh-client and
// openssh-server. Everything it starts listens on loopback and stops with it;
// its loads are bounded by counts.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

func main() {
	out := flag.String("o", "", "write the table to this file too")
	only := flag.String("only", "", "measure only what matches this regular expression")
	rounds := flag.Int("rounds", 5, "how often each measure is taken of each server")
	binary := flag.String("binary", "bin/mirage", "the program to measure")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *binary, *out, *only, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// measure is one figure, taken of one server at a time.
type measure struct {
	name string
	unit string
	goal string // as the README promises it; "" = none
	run  func(ctx context.Context, t *target) (float64, error)
}

// measures lists everything, cheap ones first. A higher figure is better for
// rates, a lower one for times and sizes; the table leaves that to its units.
var measures = []measure{
	// First, while the servers have grown by nothing else.
	{"memory of an idle session", "KiB", "<= 200 KiB", idleMemory},
	{"login + exec, one after another", "/s", ">= 10x", loginExec(1, 20)},
	{"login + exec, 16 at once", "/s", "", loginExec(16, 64)},
	{"exec on an open connection, p50", "ms", "<= 0.3x", execP50},
	{"exec, 64 channels at once", "/s", "", execParallel},
	{"pipeline of five commands, p50", "ms", "", pipelineP50},
	{"exec stdin", "MB/s", "", execStdin},
	{"exec stdout", "MB/s", "", execStdout},
	{"sftp put, Go client", "MB/s", "", sftpPut},
	{"sftp get, Go client", "MB/s", "", sftpGet},
	{"sftp stat, p50", "us", "", sftpStat},
	{"sftp readdir of 2,000 entries", "ms", "", sftpReaddir},
	{"sftp put, OpenSSH client", "MB/s", "", opensshPut},
	{"sftp get, OpenSSH client", "MB/s", "", opensshGet},
}

func run(ctx context.Context, binary, out, only string, rounds int) error {
	match, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(tmpfs(), "mirage-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	targets, err := startTargets(ctx, dir, binary)
	defer func() {
		for _, t := range targets {
			t.stop()
		}
	}()
	if err != nil {
		return err
	}
	var table strings.Builder
	fmt.Fprintf(&table, "Measured side by side on %s, %d cores, %s, medians of %d rounds.\n\n", cpu(), runtime.NumCPU(), time.Now().Format(time.DateOnly), rounds)
	fmt.Fprintf(&table, "| measure | OpenSSH | mirage | ratio | goal |\n|---|---|---|---|---|\n")
	for _, m := range measures {
		if !match.MatchString(m.name) {
			continue
		}
		figures := make([][]float64, len(targets))
		for range rounds {
			for i, t := range targets {
				v, err := m.run(ctx, t)
				if err != nil {
					return fmt.Errorf("%s of %s: %w", m.name, t.name, err)
				}
				figures[i] = append(figures[i], v)
			}
		}
		a, b := median(figures[0]), median(figures[1])
		row := fmt.Sprintf("| %s | %s %s | %s %s | %s | %s |\n", m.name, number(a), m.unit, number(b), m.unit, ratio(b, a), m.goal)
		fmt.Fprint(os.Stderr, row)
		table.WriteString(row)
	}
	fmt.Print(table.String())
	if out != "" {
		return os.WriteFile(out, []byte("# Results of `make bench`\n\n"+table.String()), 0o644)
	}
	return nil
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

func number(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

func ratio(ours, theirs float64) string {
	if theirs == 0 {
		return "-"
	}
	return number(ours/theirs) + "x"
}

// tmpfs is where files cost no disk; "" lets the system choose.
func tmpfs() string {
	if st, err := os.Stat("/dev/shm"); err == nil && st.IsDir() {
		return "/dev/shm"
	}
	return ""
}

func cpu() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			return strings.TrimSpace(strings.TrimLeft(name, "\t :"))
		}
	}
	return runtime.GOARCH
}
