package programs

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/signals"
	"mirage/shell/program/stream"
)

var envSpec = getopt.Spec{
	Name:     "env",
	Synopsis: []string{"[OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]"},
	Summary:  "Set each NAME to VALUE in the environment and run COMMAND.",
	Options: []getopt.Option{
		{Short: "i", Long: "ignore-environment", Help: "start with an empty environment"},
		{Short: "0", Long: "null", Help: "end each output line with NUL, not newline"},
		{Short: "u", Long: "unset", Arg: getopt.Required, Meta: "NAME", Help: "remove variable from the environment"},
		{Short: "C", Long: "chdir", Arg: getopt.Required, Meta: "DIR", Help: "change working directory to DIR"},
		{Short: "S", Long: "split-string", Arg: getopt.Required, Meta: "S", Help: "process and split S into separate arguments;\nused to pass multiple arguments on shebang lines"},
		{Long: "block-signal", Arg: getopt.Optional, Meta: "SIG", Help: "block delivery of SIG signal(s) to COMMAND (not supported)"},
		{Long: "default-signal", Arg: getopt.Optional, Meta: "SIG", Help: "reset handling of SIG signal(s) to the default"},
		{Long: "ignore-signal", Arg: getopt.Optional, Meta: "SIG", Help: "set handling of SIG signal(s) to do nothing (not supported)"},
		{Long: "list-signal-handling", Help: "list non default signal handling to stderr"},
		{Short: "v", Long: "debug", Help: "print verbose information for each processing step"},
	},
	Epilog: "A mere - implies -i.  If no COMMAND, print the resulting environment.",
	Order:  getopt.RequireOrder,
	Status: 125,
}

type envOptions struct {
	empty, null, debug bool
	unset              []string
	dir                string
}

func runEnv(ctx context.Context, inv *program.Invocation) int {
	var o envOptions
	args := inv.Args
	p := envSpec.ParseArgs(inv, args)
	for p.Next() {
		switch v := p.Opt.Value; p.Opt.Name {
		case "i":
			o.empty = true
		case "0":
			o.null = true
		case "u":
			o.unset = append(o.unset, v)
		case "C":
			o.dir = v
		case "v":
			o.debug = true
		case "block-signal", "default-signal", "ignore-signal":
			envSignals(p, inv)
		case "S":
			words, err := envSplit(v, inv.LookupEnv)
			if err != nil {
				inv.Errorf("%v", err)
				return 125
			}
			// The pieces stand in the place of the option.
			p = envSpec.ParseArgs(inv, append(words, p.Rest()...))
		}
	}
	if p.Stopped {
		return p.Status
	}
	return envRun(ctx, inv, p, o)
}

// envSignals checks the signals of an option. A command always starts with the
// default handling, so anything else is refused.
func envSignals(p *getopt.Parser, inv *program.Invocation) {
	if p.Opt.HasValue {
		for name := range strings.SplitSeq(p.Opt.Value, ",") {
			if s, ok := signals.Parse(name); !ok || s == 0 {
				p.Usage("%s: invalid signal", inv.QuoteArg(name))
				return
			}
		}
	}
	if p.Opt.Name != "default-signal" {
		p.Fail("--%s: Operation not supported", p.Opt.Name)
	}
}

func envRun(ctx context.Context, inv *program.Invocation, p *getopt.Parser, o envOptions) int {
	args := p.Operands
	if len(args) > 0 && args[0] == "-" {
		o.empty = true
		args = args[1:]
	}
	env := slices.Clone(inv.Env)
	if o.empty {
		env = []string{}
		if o.debug {
			inv.Stderr.Write([]byte("cleaning environ\n"))
		}
	}
	for _, name := range o.unset {
		if name == "" || strings.Contains(name, "=") {
			inv.Errorf("cannot unset %s: Invalid argument", inv.QuoteArg(name))
			return 125
		}
		if o.debug {
			inv.Stderr.Write([]byte("unset:    " + name + "\n"))
		}
		env = envWithout(env, name)
	}
	for len(args) > 0 {
		name, _, ok := strings.Cut(args[0], "=")
		if !ok {
			break
		}
		if o.debug {
			inv.Stderr.Write([]byte("setenv:   " + args[0] + "\n"))
		}
		env = envSet(env, name, args[0])
		args = args[1:]
	}
	switch {
	case o.null && len(args) > 0:
		return p.Usage("cannot specify --null (-0) with command")
	case o.dir != "" && len(args) == 0:
		return p.Usage("must specify command with --chdir (-C)")
	case len(args) == 0:
		return envPrint(inv, env, o.null)
	}
	dir := ""
	if o.dir != "" {
		info, err := inv.FS.Stat(ctx, inv.Path(o.dir))
		if err == nil && !info.IsDir() {
			err = syscall.ENOTDIR
		}
		if err != nil {
			inv.Fail(err, "cannot change directory to %s", inv.Quote(o.dir))
			return 125
		}
		dir = inv.Path(o.dir)
		if o.debug {
			inv.Stderr.Write([]byte("chdir:    " + inv.Quote(o.dir) + "\n"))
		}
	}
	if o.debug {
		envDebug(inv, args)
	}
	status, err := inv.Spawn(ctx, program.Child{Args: args, Dir: dir, Env: env})
	if err != nil {
		inv.Fail(err, "%s", inv.Quote(args[0]))
		if errors.Is(err, syscall.ENOENT) && strings.ContainsAny(args[0], " \t\n") {
			inv.Errorf("use -[v]S to pass options in shebang lines")
		}
		return spawnStatus(err)
	}
	return status
}

// spawnStatus is how a program ends whose command could not be started.
func spawnStatus(err error) int {
	if errors.Is(err, syscall.ENOENT) {
		return 127
	}
	return 126
}

func envDebug(inv *program.Invocation, args []string) {
	var b strings.Builder
	b.WriteString("executing: " + args[0] + "\n")
	for i, arg := range args {
		b.WriteString("   arg[" + strconv.Itoa(i) + "]= " + inv.QuoteArg(arg) + "\n")
	}
	inv.Stderr.Write([]byte(b.String()))
}

func envPrint(inv *program.Invocation, env []string, null bool) int {
	end := byte('\n')
	if null {
		end = 0
	}
	out := stream.Stdout(inv)
	for _, v := range env {
		out.WriteString(v)
		out.WriteByte(end)
	}
	return out.Close(inv, 0)
}

func envWithout(env []string, name string) []string {
	return slices.DeleteFunc(env, func(v string) bool {
		k, _, _ := strings.Cut(v, "=")
		return k == name
	})
}

// envSet replaces a variable in its place, or adds it at the end.
func envSet(env []string, name, assignment string) []string {
	for i, v := range env {
		if k, _, _ := strings.Cut(v, "="); k == name {
			env[i] = assignment
			return env
		}
	}
	return append(env, assignment)
}
