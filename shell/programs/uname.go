package programs

import (
	"context"
	"io"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
)

// What the system calls itself: nothing of it is the host's.
const (
	unameKernel  = "Linux"
	unameRelease = "6.1.0"
	unameVersion = "#1 SMP mirage"
	unameMachine = "x86_64"
	unameSystem  = "GNU/Linux"
)

var unameSpec = getopt.Spec{
	Name:     "uname",
	Synopsis: []string{"[OPTION]..."},
	Summary:  "Print certain system information.  With no OPTION, same as -s.",
	Options: []getopt.Option{
		{Short: "a", Long: "all", Help: "print all information, in the following order,\nexcept omit -p and -i if unknown:"},
		{Short: "s", Long: "kernel-name", Help: "print the kernel name"},
		{Short: "n", Long: "nodename", Help: "print the network node hostname"},
		{Short: "r", Long: "kernel-release", Help: "print the kernel release"},
		{Short: "v", Long: "kernel-version", Help: "print the kernel version"},
		{Short: "m", Long: "machine", Help: "print the machine hardware name"},
		{Short: "p", Long: "processor", Help: "print the processor type (non-portable)"},
		{Short: "i", Long: "hardware-platform", Help: "print the hardware platform (non-portable)"},
		{Short: "o", Long: "operating-system", Help: "print the operating system"},
		{Long: "sysname", Name: "s", Hidden: true},
		{Long: "release", Name: "r", Hidden: true},
	},
}

func runUname(_ context.Context, inv *program.Invocation) int {
	wanted := map[string]bool{}
	p := unameSpec.Parse(inv)
	for p.Next() {
		wanted[p.Opt.Name] = true
	}
	switch {
	case p.Stopped:
		return p.Status
	case len(p.Operands) > 0:
		return p.Extra(p.Operands[0])
	case len(wanted) == 0:
		wanted["s"] = true
	}
	var words []string
	for _, item := range []struct{ option, value string }{
		{"s", unameKernel}, {"n", inv.Hostname}, {"r", unameRelease}, {"v", unameVersion},
		{"m", unameMachine}, {"p", "unknown"}, {"i", "unknown"}, {"o", unameSystem},
	} {
		if wanted[item.option] || wanted["a"] && item.value != "unknown" {
			words = append(words, item.value)
		}
	}
	return printLine(inv, strings.Join(words, " "))
}

// printLine prints the one line of a program's output.
func printLine(inv *program.Invocation, text string) int {
	if _, err := io.WriteString(inv.Stdout, text+"\n"); err != nil {
		return inv.WriteError(err)
	}
	return 0
}
