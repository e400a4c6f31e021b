package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"text/tabwriter"
	"time"
)

// printJSON writes a value as JSON, indented by two spaces.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// show prints a value: the human form on a terminal, JSON otherwise.
func (e env) show(v any, human func(io.Writer)) error {
	if human == nil || !e.terminal(e.stdout) {
		return printJSON(e.stdout, v)
	}
	human(e.stdout)
	return nil
}

// table prints rows in columns, the first row being the heads.
func table(w io.Writer, rows ...[]string) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				fmt.Fprint(tw, "\t")
			}
			fmt.Fprint(tw, cell)
		}
		fmt.Fprintln(tw)
	}
	_ = tw.Flush()
}

// age says how long ago a time in Unix seconds was: 12s, 3m, 4h, 5d.
func age(at float64, now time.Time) string {
	d := now.Sub(time.UnixMicro(int64(at * 1e6)))
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", max(0, int(d.Seconds())))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

// isLocal reports whether a URL names this machine.
func isLocal(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	switch u.Hostname() {
	case "127.0.0.1", "localhost", "::1":
		return true
	}
	return false
}
