package programs

import (
	"context"
	"io"
	"math"
	"strconv"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
)

// factProgs lists the commands that print one fact about the session and take
// no operands.
func factProgs() []*program.Program {
	user := func(inv *program.Invocation) string { return inv.User }
	var list []*program.Program
	for _, f := range []struct {
		name, summary string
		value         func(*program.Invocation) string
	}{
		{"arch", "Print machine architecture.", func(*program.Invocation) string { return unameMachine }},
		{"hostid", "Print the numeric identifier (in hexadecimal) for the current host.", func(*program.Invocation) string { return "007f0100" }},
		{"logname", "Print the user's login name.", user},
		{"users", "Output who is currently logged in.", user},
	} {
		spec := &getopt.Spec{Name: f.name, Synopsis: []string{"[OPTION]..."}, Summary: f.summary}
		list = append(list, spec.Program(func(_ context.Context, inv *program.Invocation) int {
			p := spec.Parse(inv)
			for p.Next() {
			}
			switch {
			case p.Stopped:
				return p.Status
			case len(p.Operands) > 0:
				return p.Extra(p.Operands[0])
			}
			return printLine(inv, f.value(inv))
		}))
	}
	return list
}

var groupsSpec = getopt.Spec{
	Name:     "groups",
	Synopsis: []string{"[OPTION]... [USERNAME]..."},
	Summary: "Print group memberships for each USERNAME or, if no USERNAME is specified, for\n" +
		"the current process.",
}

func runGroups(_ context.Context, inv *program.Invocation) int {
	p := groupsSpec.Parse(inv)
	for p.Next() {
	}
	if p.Stopped {
		return p.Status
	}
	if len(p.Operands) == 0 {
		return printLine(inv, inv.Group(program.GID))
	}
	status := 0
	for _, user := range p.Operands {
		id, ok := inv.LookupOwner(user)
		if !ok {
			inv.Errorf("%s: no such user", inv.QuoteArg(user))
			status = 1
			continue
		}
		if _, err := io.WriteString(inv.Stdout, user+" : "+inv.Group(id)+"\n"); err != nil {
			return inv.WriteError(err)
		}
	}
	return status
}

var hostnameSpec = getopt.Spec{
	Name:     "hostname",
	Synopsis: []string{"[-s|-f|-d|-A]"},
	Summary:  "Show the system's host name.",
	Options: []getopt.Option{
		{Short: "s", Long: "short", Help: "short host name"},
		{Short: "f", Long: "fqdn", Help: "long host name (FQDN)"},
		{Long: "long", Name: "f", Help: "long host name (FQDN)"},
		{Short: "A", Long: "all-fqdns", Help: "all long host names (FQDNs)"},
		{Short: "d", Long: "domain", Help: "DNS domain name"},
	},
}

func runHostname(_ context.Context, inv *program.Invocation) int {
	short, domain, _ := strings.Cut(inv.Hostname, ".")
	text := inv.Hostname
	p := hostnameSpec.Parse(inv)
	for p.Next() {
		switch p.Opt.Name {
		case "s":
			text = short
		case "d":
			text = domain
		default:
			text = inv.Hostname
		}
	}
	switch {
	case p.Stopped:
		return p.Status
	case len(p.Operands) > 0:
		inv.Errorf("you must be root to change the host name")
		return 1
	}
	return printLine(inv, text)
}

var nprocSpec = getopt.Spec{
	Name:     "nproc",
	Synopsis: []string{"[OPTION]..."},
	Summary: "Print the number of processing units available to the current process,\n" +
		"which may be less than the number of online processors",
	Options: []getopt.Option{
		{Long: "all", Help: "print the number of installed processors"},
		{Long: "ignore", Arg: getopt.Required, Meta: "N", Help: "if possible, exclude N processing units"},
	},
}

// runNproc knows one processor: a session's lines run one at a time.
func runNproc(_ context.Context, inv *program.Invocation) int {
	all, ignore := false, int64(0)
	p := nprocSpec.Parse(inv)
	for p.Next() {
		if p.Opt.Name == "all" {
			all = true
			continue
		}
		n, ok := decimalOption(p, "number", 0, math.MaxInt64)
		if !ok {
			return p.Status
		}
		ignore = n
	}
	switch {
	case p.Stopped:
		return p.Status
	case len(p.Operands) > 0:
		return p.Extra(p.Operands[0])
	}
	count := int64(1)
	if !all {
		threads, _, _ := strings.Cut(inv.Getenv("OMP_NUM_THREADS"), ",")
		if n, err := strconv.ParseInt(strings.TrimSpace(threads), 10, 32); err == nil && n > 0 {
			count = n
		}
		if n, err := strconv.ParseInt(inv.Getenv("OMP_THREAD_LIMIT"), 10, 32); err == nil && n > 0 {
			count = min(count, n)
		}
	}
	return printLine(inv, strconv.FormatInt(max(1, count-min(ignore, count)), 10))
}

var ttySpec = getopt.Spec{
	Name:     "tty",
	Synopsis: []string{"[OPTION]..."},
	Summary:  "Print the file name of the terminal connected to standard input.",
	Options:  []getopt.Option{{Short: "s", Long: "silent", Help: "print nothing, only return an exit status"}, {Long: "quiet", Name: "s", Help: "the same"}},
	Status:   2,
}

func runTty(_ context.Context, inv *program.Invocation) int {
	silent := false
	p := ttySpec.Parse(inv)
	for p.Next() {
		silent = true
	}
	switch {
	case p.Stopped:
		return p.Status
	case len(p.Operands) > 0:
		return p.Extra(p.Operands[0])
	}
	text, status := "not a tty", 1
	if _, _, ok := inv.Terminal(0); ok {
		text, status = "/dev/tty", 0
	}
	if silent {
		return status
	}
	if failed := printLine(inv, text); failed != 0 {
		return 3
	}
	return status
}
