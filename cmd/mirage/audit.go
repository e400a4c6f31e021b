package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"mirage/audit"
	"mirage/internal/settings"
)

func newAudit(e env) *cobra.Command {
	c := &cobra.Command{
		Use:   "audit",
		Short: "Read and check the audit log",
		Long: `The audit log tells what logins did: who came, which lines ran, which files
changed, what was refused, what was asked and answered, what was administered.
It is a hash chain of JSON lines in the folder audit of the home folder, written
by the server; these commands read it there, whether or not a server runs.`,
	}
	c.AddCommand(newAuditTail(e), newAuditVerify(e), newAuditExport(e))
	return c
}

// auditFlags are the flags that say which records are wanted.
type auditFlags struct {
	dir          string
	kinds        []string
	since, until string
	f            audit.Filter
}

func (o *auditFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.dir, "dir", "", "read the log in this folder (default: audit in the home folder)")
	f.StringSliceVar(&o.kinds, "kind", nil, "only these kinds: login, line_start, line_end, file, refusal, ask, answer, admin, ...")
	f.StringVar(&o.f.Workspace, "workspace", "", "only this workspace")
	f.StringVar(&o.f.Session, "session", "", "only this session")
	f.StringVar(&o.f.Account, "account", "", "only this account")
	f.StringVar(&o.f.Key, "key", "", "only the key of this fingerprint")
	f.StringVar(&o.f.Job, "job", "", "only this job")
	f.StringVar(&o.f.Outcome, "outcome", "", "only this outcome: ok, refused, hidden, failed, canceled")
	f.StringVar(&o.since, "since", "", "only what happened since: a time (RFC 3339), a date, or how long ago (90m, 24h)")
	f.StringVar(&o.until, "until", "", "only what happened before")
}

// filter answers what the flags ask for.
func (o *auditFlags) filter(now time.Time) (audit.Filter, error) {
	f := o.f
	for _, name := range o.kinds {
		k := audit.Kind(name)
		if !slices.Contains(audit.Kinds(), k) {
			return f, usageError("unknown kind: '%s'", name)
		}
		f.Kinds = append(f.Kinds, k)
	}
	var err error
	if f.Since, err = readTime(o.since, now); err != nil {
		return f, err
	}
	f.Until, err = readTime(o.until, now)
	return f, err
}

// readTime reads a time, a date (its beginning, here), or a duration before now.
func readTime(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t, nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return t, nil
	}
	if d, err := time.ParseDuration(text); err == nil {
		return now.Add(-d), nil
	}
	return time.Time{}, usageError("'%s' is no time: give 2006-01-02T15:04:05Z, 2006-01-02 or 24h", text)
}

// folder is where the log is, and the key of its chain.
func (o *auditFlags) folder(e env) (dir string, key []byte, err error) {
	s, err := settings.Load(e.getenv)
	if err != nil {
		return "", nil, &exitError{code: 2, err: err}
	}
	a, err := auditOptions(s, e.getenv)
	if err != nil {
		return "", nil, &exitError{code: 2, err: err}
	}
	if o.dir != "" {
		a.Dir = o.dir
	}
	return a.Dir, a.Key, nil
}

func newAuditTail(e env) *cobra.Command {
	var o auditFlags
	var n int
	var follow, asJSON bool
	c := &cobra.Command{
		Use: "tail", Short: "Show the end of the log, and what comes with -f", Args: cobra.NoArgs,
		Long: `Show the last records, one a line: on a terminal for people, otherwise (or with
--json) as they are in the log.`,
		Example: `  mirage audit tail -f --workspace demo
  mirage audit tail -n 100 --kind refusal --json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, _, err := o.folder(e)
			if err != nil {
				return err
			}
			f, err := o.filter(time.Now())
			if err != nil {
				return err
			}
			if n < 0 {
				return usageError("-n must not be negative")
			}
			print := printRecord(e, asJSON)
			return tailAudit(cmd.Context(), dir, n, follow, f, print)
		},
	}
	o.add(c)
	c.Flags().IntVarP(&n, "lines", "n", 20, "how many records")
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on with what is written")
	c.Flags().BoolVar(&asJSON, "json", false, "records as they are in the log")
	return c
}

// followEvery is how often tail -f looks.
const followEvery = 200 * time.Millisecond

func tailAudit(ctx context.Context, dir string, n int, follow bool, f audit.Filter, print func(*audit.Record, []byte) error) error {
	// What is written between the two looks must not be missed.
	end, err := audit.Last(ctx, dir, 1, audit.Filter{})
	if err != nil {
		return err
	}
	var after uint64
	if len(end) > 0 {
		after = end[0].Record.Seq
	}
	list, err := audit.Last(ctx, dir, n, f)
	if err != nil {
		return err
	}
	for i := range list {
		after = max(after, list[i].Record.Seq)
		if err := print(&list[i].Record, list[i].Text); err != nil {
			return err
		}
	}
	if !follow {
		return nil
	}
	return audit.Follow(ctx, dir, after, followEvery, f, print)
}

// printRecord prints for people, or as it is.
func printRecord(e env, asJSON bool) func(*audit.Record, []byte) error {
	if asJSON || !e.terminal(e.stdout) {
		return func(_ *audit.Record, line []byte) error {
			_, err := fmt.Fprintf(e.stdout, "%s\n", line)
			return err
		}
	}
	return func(r *audit.Record, _ []byte) error {
		_, err := fmt.Fprintln(e.stdout, recordText(r))
		return err
	}
}

// recordText is a record on one line, without what could steer a terminal.
func recordText(r *audit.Record) string {
	words := []string{r.Time.Local().Format("2006-01-02 15:04:05.000"), string(r.Kind)}
	where := r.Workspace
	if r.Session != "" {
		where += "/" + r.Session
	}
	for _, w := range []string{r.Account, r.Key, where, r.Door, r.Remote, r.Job, r.Action, r.Outcome} {
		if w != "" {
			words = append(words, w)
		}
	}
	for _, text := range []string{r.Line, r.Path, r.Other, r.Reason} {
		if text != "" {
			words = append(words, strconv.QuoteToGraphic(text))
		}
	}
	if r.Status != nil {
		words = append(words, "status="+strconv.Itoa(*r.Status), fmt.Sprintf("%gms", r.Duration), fmt.Sprintf("out=%d err=%d", r.Stdout, r.Stderr))
	}
	for _, k := range sortedKeys(r.Detail) {
		words = append(words, k+"="+strconv.QuoteToGraphic(r.Detail[k]))
	}
	return strings.Map(func(c rune) rune {
		if !unicode.IsGraphic(c) {
			return '?'
		}
		return c
	}, strings.Join(words, " "))
}

func sortedKeys(m map[string]string) []string {
	var list []string
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}

func newAuditVerify(e env) *cobra.Command {
	var o auditFlags
	var expect string
	c := &cobra.Command{
		Use: "verify", Short: "Check that the log is whole and unchanged", Args: cobra.NoArgs,
		Long: `Walk the hash chain over all files. The first record that was edited, moved,
forged or removed is told, with status 1.

The chain cannot show that its end was cut off together with the file "head".
Note the last record that a check prints in another place, and give it to the
next check with --expect.`,
		Example: `  mirage audit verify
  mirage audit verify --expect 4711:9f86d0818...`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, key, err := o.folder(e)
			if err != nil {
				return err
			}
			want, err := readPosition(expect)
			if err != nil {
				return err
			}
			r, err := audit.Verify(cmd.Context(), dir, key, want)
			if err != nil {
				return err
			}
			err = e.show(r, func(w io.Writer) {
				for _, n := range r.Notes {
					fmt.Fprintln(w, "note:", n)
				}
				if r.Broken == nil {
					fmt.Fprintf(w, "%d records in %d files are whole\nlast record: %s\n", r.Records, r.Files, r.Last)
				}
			})
			if err == nil && r.Broken != nil {
				return &exitError{code: 1, err: fmt.Errorf("the audit log is broken: %w", r.Broken)}
			}
			return err
		},
	}
	c.Flags().StringVar(&o.dir, "dir", "", "check the log in this folder (default: audit in the home folder)")
	c.Flags().StringVar(&expect, "expect", "", "SEQ:HASH of a record that must be in the log")
	return c
}

func readPosition(text string) (p audit.Position, err error) {
	if text == "" {
		return p, nil
	}
	seq, hash, ok := strings.Cut(text, ":")
	p.Hash = hash
	if p.Seq, err = strconv.ParseUint(seq, 10, 64); !ok || err != nil || p.Seq == 0 || hash == "" {
		return p, usageError("--expect takes SEQ:HASH, got '%s'", text)
	}
	return p, nil
}

func newAuditExport(e env) *cobra.Command {
	var o auditFlags
	var format string
	c := &cobra.Command{
		Use: "export", Short: "Write records to standard output", Args: cobra.NoArgs,
		Long: `Write the records that the flags ask for, oldest first: as they are in the log, or
as CSV (RFC 4180). In CSV, a cell that a spreadsheet would take for a formula gets
an apostrophe in front.`,
		Example: `  mirage audit export --since 2026-01-01 --until 2026-02-01 --format csv > january.csv`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, _, err := o.folder(e)
			if err != nil {
				return err
			}
			f, err := o.filter(time.Now())
			if err != nil {
				return err
			}
			switch format {
			case "jsonl":
				return audit.Walk(cmd.Context(), dir, f, printRecord(e, true))
			case "csv":
				return exportCSV(cmd.Context(), e.stdout, dir, f)
			}
			return usageError("--format must be jsonl or csv, got '%s'", format)
		},
	}
	o.add(c)
	c.Flags().StringVar(&format, "format", "jsonl", "jsonl or csv")
	return c
}

// csvColumns are the columns of an export.
var csvColumns = []string{"seq", "time", "kind", "account", "key", "remote", "door", "workspace", "session", "job", "action", "line",
	"path", "other", "outcome", "source", "policy", "reason", "ask", "status", "signal", "duration_ms", "stdout_bytes", "stderr_bytes", "detail"}

func exportCSV(ctx context.Context, out io.Writer, dir string, f audit.Filter) error {
	w := csv.NewWriter(out)
	if err := w.Write(csvColumns); err != nil {
		return err
	}
	err := audit.Walk(ctx, dir, f, func(r *audit.Record, _ []byte) error {
		status, detail := "", []string{}
		if r.Status != nil {
			status = strconv.Itoa(*r.Status)
		}
		for _, k := range sortedKeys(r.Detail) {
			detail = append(detail, k+"="+r.Detail[k])
		}
		cells := []string{strconv.FormatUint(r.Seq, 10), r.Time.Format(time.RFC3339Nano), string(r.Kind), r.Account, r.Key, r.Remote, r.Door,
			r.Workspace, r.Session, r.Job, r.Action, r.Line, r.Path, r.Other, r.Outcome, r.Source, r.Policy, r.Reason, r.Ask, status, r.Signal,
			strconv.FormatFloat(r.Duration, 'f', -1, 64), strconv.FormatInt(r.Stdout, 10), strconv.FormatInt(r.Stderr, 10), strings.Join(detail, " ")}
		for i, c := range cells {
			if c != "" && strings.Contains("=+-@\t\r", c[:1]) {
				cells[i] = "'" + c
			}
		}
		return w.Write(cells)
	})
	w.Flush()
	return errors.Join(err, w.Error())
}
