package programs

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
)

var idSpec = getopt.Spec{
	Name:     "id",
	Synopsis: []string{"[OPTION]... [USER]..."},
	Summary: "Print user and group information for each specified USER,\n" +
		"or (when USER omitted) for the current process.",
	Options: []getopt.Option{
		{Short: "a", Help: "ignore, for compatibility with other versions"},
		{Short: "Z", Long: "context", Help: "print only the security context of the process"},
		{Short: "g", Long: "group", Help: "print only the effective group ID"},
		{Short: "G", Long: "groups", Help: "print all group IDs"},
		{Short: "n", Long: "name", Help: "print a name instead of a number, for -ugG"},
		{Short: "r", Long: "real", Help: "print the real ID instead of the effective ID, with -ugG"},
		{Short: "u", Long: "user", Help: "print only the effective user ID"},
		{Short: "z", Long: "zero", Help: "delimit entries with NUL characters, not whitespace"},
	},
}

// runId knows one user, the session's, whose only group has the same name.
func runId(_ context.Context, inv *program.Invocation) int {
	var only byte
	name, real, zero := false, false, false
	p := idSpec.Parse(inv)
	for p.Next() {
		switch o := p.Opt.Name; o {
		case "Z":
			return p.Fail("--context (-Z) works only on an SELinux-enabled kernel")
		case "g", "G", "u":
			if only != 0 && only != o[0] {
				return p.Fail("cannot print \"only\" of more than one choice")
			}
			only = o[0]
		case "n":
			name = true
		case "r":
			real = true
		case "z":
			zero = true
		}
	}
	switch {
	case p.Stopped:
		return p.Status
	case only == 0 && (name || real):
		return p.Fail("cannot print only names or real IDs in default format")
	case only == 0 && zero:
		return p.Fail("option --zero not permitted in default format")
	}
	users := p.Operands
	if len(users) == 0 {
		users = []string{inv.User}
	}
	status, end := 0, "\n"
	if zero {
		end = "\x00"
	}
	for _, user := range users {
		id, ok := inv.LookupOwner(user)
		if n, err := strconv.Atoi(user); !ok && err == nil && inv.Owner(n) != user {
			id, ok = n, true
		}
		if !ok {
			inv.Errorf("%s: no such user", inv.QuoteArg(user))
			status = 1
			continue
		}
		var text string
		switch {
		case only == 0:
			text = fmt.Sprintf("uid=%[1]d(%[2]s) gid=%[1]d(%[3]s) groups=%[1]d(%[3]s)", id, inv.Owner(id), inv.Group(id))
		case !name:
			text = strconv.Itoa(id)
		case only == 'u':
			text = inv.Owner(id)
		default:
			text = inv.Group(id)
		}
		if _, err := io.WriteString(inv.Stdout, text+end); err != nil {
			return inv.WriteError(err)
		}
	}
	return status
}
