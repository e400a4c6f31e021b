package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"mirage/client"
)

// explainLine prints what the rules would make of a line.
func explainLine(ctx context.Context, e env, c *client.Client, o shellOptions) error {
	if o.cwd != "" || o.env != nil || o.background {
		return usageError("explain takes the line alone: no stdin, cwd, runtime or background")
	}
	var x client.Explanation
	if err := c.Do(ctx, "POST", client.Path("workspaces", o.workspace, "shell")+explainQuery(o.session), client.ShellRequest{Command: o.line}, &x); err != nil {
		return err
	}
	if o.json {
		return printJSON(e.stdout, x)
	}
	return printExplanation(e.stdout, x)
}

func explainQuery(session string) string {
	if q := client.SessionQuery(session); q != "" {
		return q + "&explain=true"
	}
	return "?explain=true"
}

// explainCall prints what the rules would make of a VFS call, on one line.
func explainCall(ctx context.Context, e env, c *client.Client, workspace, session, call string, in map[string]any) error {
	var x client.CallExplanation
	if err := c.Do(ctx, "POST", client.Path("workspaces", workspace, "vfs", call)+explainQuery(session), in, &x); err != nil {
		return err
	}
	text := x.Outcome
	if x.Error != "" {
		text += ", " + x.Error
	}
	if x.Reason != "" {
		text += ": " + x.Reason
	}
	line := fmt.Sprintf("%s %s  [%s]", x.Call, strings.Join(x.Paths, " "), text)
	if x.Source != "" {
		line += "  " + x.Source
	}
	_, err := fmt.Fprintln(e.stdout, oneLine(line))
	return err
}

// printExplanation draws an explanation as a tree: the line and its verdict,
// then what it is made of, each level two blanks further in.
func printExplanation(w io.Writer, x client.Explanation) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", oneLine(x.Line), verdict(x.Verdict, x.ExitCode, true))
	if x.Stderr != "" && x.Outcome == "allow" {
		fmt.Fprintf(&b, "  %s\n", oneLine(strings.TrimSuffix(x.Stderr, "\n")))
	}
	if x.Node != nil {
		printNodes(&b, x.Node.Children, "  ")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func printNodes(b *strings.Builder, nodes []*client.ExplainNode, indent string) {
	for _, n := range nodes {
		if c := n.ExplainCommand; c != nil {
			fmt.Fprintf(b, "%s%s  %s", indent, oneLine(n.Text), verdict(c.Verdict, c.ExitCode, c.Outcome != "allow"))
			if c.Source != "" {
				b.WriteString("  " + c.Source)
			}
			if c.Limit != nil {
				b.WriteString("  limit: " + limitText(*c.Limit))
			}
			b.WriteByte('\n')
		} else {
			fmt.Fprintf(b, "%s%s: %s\n", indent, n.Type, oneLine(n.Text))
		}
		printNodes(b, n.Children, indent+"  ")
	}
}

// limitText words a limit: 2000 lines, 30.0s.
func limitText(l client.ExplainLimit) string {
	var parts []string
	if l.MaxLines != nil {
		parts = append(parts, fmt.Sprintf("%d lines", *l.MaxLines))
	}
	if l.MaxBytes != nil {
		parts = append(parts, fmt.Sprintf("%d bytes", *l.MaxBytes))
	}
	if l.TimeoutSeconds != nil {
		parts = append(parts, fmt.Sprintf("%.1fs", *l.TimeoutSeconds))
	}
	return strings.Join(parts, ", ")
}

// verdict words a verdict: [deny, exit 126: the reason].
func verdict(v client.Verdict, status int, exit bool) string {
	text := v.Outcome
	if exit {
		text += fmt.Sprintf(", exit %d", status)
	}
	if v.Reason != "" {
		text += ": " + v.Reason
	}
	return "[" + text + "]"
}

func oneLine(s string) string { return strings.ReplaceAll(s, "\n", `\n`) }
