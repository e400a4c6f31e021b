package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"mirage/client"
)

func newListAsks(e env) *cobra.Command {
	var session string
	var all bool
	c := &cobra.Command{
		Use:   "list-asks ID",
		Short: "List the questions that wait for an answer",
		Long: `List the questions that rules have asked about what sessions of a workspace want
to do, oldest first. With --all those too that have been answered.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := connect(e)
			if err != nil {
				return err
			}
			list, err := c.Asks(cmd.Context(), args[0], session, all)
			if err != nil {
				return err
			}
			return e.show(list, func(w io.Writer) { printAsks(w, list) })
		},
	}
	c.Flags().StringVarP(&session, "session", "s", "", "only this session's")
	c.Flags().BoolVar(&all, "all", false, "the answered ones too")
	c.Flags().SetNormalizeFunc(longNames)
	return c
}

func newAnswerAsk(e env, answer string) *cobra.Command {
	in := client.AskAnswer{Answer: answer}
	c := &cobra.Command{
		Use: answer + " ID ASK", Short: "Answer a question with no: the next try is refused", Args: cobra.ExactArgs(2),
		Example: "  mirage workspace deny demo 5b25c31eb62e --note 'not now'",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := connect(e)
			if err != nil {
				return err
			}
			a, err := c.AnswerAsk(cmd.Context(), args[0], args[1], in)
			if err != nil {
				return err
			}
			return e.show(a, func(w io.Writer) {
				if answer == "allow" {
					fmt.Fprintf(w, "Allowed %s (%s).\n", a.ID, a.Scope)
				} else {
					fmt.Fprintf(w, "Denied %s.\n", a.ID)
				}
			})
		},
	}
	if answer == "allow" {
		c.Short = "Answer a question with yes: the next try runs"
		c.Example = "  mirage workspace allow demo 5b25c31eb62e --scope session"
		c.Flags().StringVar(&in.Scope, "scope", "once", "once, or session for whatever the rule asks of the session")
	}
	c.Flags().StringVar(&in.Note, "note", "", "kept with the answer")
	return c
}

func printAsks(w io.Writer, list []client.Ask) {
	if len(list) == 0 {
		fmt.Fprintln(w, "No asks.")
		return
	}
	rows := [][]string{{"ID", "SESSION", "COMMAND", "STATUS", "REASON"}}
	for _, a := range list {
		status := "pending"
		if a.Outcome != nil {
			status = *a.Outcome
			if status == "allow" {
				status += " " + a.Scope
			}
		}
		command := a.Command
		if command == "" {
			command = strings.Join(a.Argv, " ")
		}
		rows = append(rows, []string{a.ID, a.SessionID, printable(command), status, printable(a.Reason)})
	}
	table(w, rows...)
}

// maxCell is where a cell of a table is cut, in characters.
const maxCell = 72

// printable makes text of a session fit for a terminal: what could move its
// cursor or forge a row is shown as an escape, and what is long is cut.
func printable(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > maxCell {
			b.WriteString("…")
			break
		}
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == utf8.RuneError || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
