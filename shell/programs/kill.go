package programs

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"syscall"

	"mirage/internal/version"
	"mirage/shell/program"
	"mirage/shell/program/signals"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

const killHelp = `
Usage:
 kill [options] <pid> [...]

Options:
 <pid> [...]            send signal to every <pid> listed
 -<signal>, -s, --signal <signal>
                        specify the <signal> to be sent
 -l, --list=[<signal>]  list all signal names, or convert one to a name

 -h, --help     display this help and exit
 -V, --version  output version information and exit
`

// killProgram makes kill, after that of procps-ng: it reads its options as no
// other command does. In the shell the builtin of the same name comes first.
func killProgram() *program.Program {
	return &program.Program{Name: "kill", Synopsis: "[options] <pid> [...]", Summary: "Send a signal to processes of the session.", Run: runKill}
}

func runKill(_ context.Context, inv *program.Invocation) int {
	sig := signals.Signal(15)
	args := inv.Args
	for len(args) > 0 {
		word := args[0]
		if word == "-" || !strings.HasPrefix(word, "-") {
			break
		}
		args = args[1:]
		if word == "--" {
			break
		}
		name := word[1:]
		switch {
		case word == "-h" || word == "--help":
			io.WriteString(inv.Stdout, killHelp)
			return 0
		case word == "-V" || word == "--version":
			io.WriteString(inv.Stdout, "kill (mirage) "+version.Version+"\n")
			return 0
		case word == "-l" || word == "--list":
			return killList(inv, args)
		case strings.HasPrefix(word, "--list="):
			return killList(inv, []string{word[len("--list="):]})
		case word == "-s" || word == "--signal":
			if len(args) == 0 {
				io.WriteString(inv.Stderr, killHelp)
				return 1
			}
			name, args = args[0], args[1:]
		case strings.HasPrefix(word, "--signal="):
			name = word[len("--signal="):]
		case name[0] == 's' && len(name) > 1 && name[1] >= 'A':
			name = name[1:]
		}
		s, ok := signals.Parse(name)
		if !ok {
			io.WriteString(inv.Stderr, "kill: unknown signal "+inv.QuoteName(name)+"\n")
			return 1
		}
		sig = s
	}
	if len(args) == 0 {
		io.WriteString(inv.Stderr, killHelp)
		return 1
	}
	status := 0
	for _, word := range args {
		pid, err := strconv.Atoi(word)
		if err != nil {
			inv.Errorf("failed to parse argument: '%s'", word)
			return 1
		}
		if err := inv.Processes.Signal(pid, int(sig)); err != nil {
			why := vfs.Phrase(err)
			if errors.Is(err, syscall.ESRCH) { // which no file call answers
				why = "No such process"
			}
			inv.Errorf("(%d): %s", pid, why)
			status = 1
		}
	}
	return status
}

// killList lists the signals, or turns names into numbers and the reverse.
func killList(inv *program.Invocation, words []string) int {
	out := stream.Stdout(inv)
	status := 0
	if len(words) == 0 {
		for n := 1; n < 32; n++ {
			switch {
			case n == 17:
				out.WriteByte('\n')
			case n > 1:
				out.WriteByte(' ')
			}
			out.WriteString(signals.Signal(n).Name())
		}
		out.WriteByte('\n')
	}
	for _, w := range words {
		n, err := strconv.Atoi(w)
		if err == nil && n > 128 {
			n -= 128
		}
		s, ok := signals.Parse(w)
		switch {
		case err == nil && n > 0 && n < 32:
			out.WriteString(signals.Signal(n).Name() + "\n")
		case err != nil && ok:
			out.WriteString(strconv.Itoa(int(s)) + "\n")
		default:
			inv.Errorf("unknown signal name %s", w)
			status = 1
		}
	}
	return out.Close(inv, status)
}
