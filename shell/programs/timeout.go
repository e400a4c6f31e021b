package programs

import (
	"context"
	"time"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/signals"
)

var timeoutSpec = getopt.Spec{
	Name:     "timeout",
	Synopsis: []string{"[OPTION] DURATION COMMAND [ARG]...", "[OPTION]"},
	Summary:  "Start COMMAND, and kill it if still running after DURATION.",
	Options: []getopt.Option{
		{Long: "preserve-status", Help: "exit with the same status as COMMAND, even when the\ncommand times out"},
		{Long: "foreground", Help: "allow COMMAND to read from the TTY and get TTY signals"},
		{Short: "k", Long: "kill-after", Arg: getopt.Required, Meta: "DURATION", Help: "also send a KILL signal if COMMAND is still running\nthis long after the initial signal was sent"},
		{Short: "s", Long: "signal", Arg: getopt.Required, Meta: "SIGNAL", Help: "specify the signal to be sent on timeout"},
		{Short: "v", Long: "verbose", Help: "diagnose to stderr any signal sent upon timeout"},
	},
	Epilog: "DURATION is a floating point number with an optional suffix:\n" +
		"'s' for seconds (the default), 'm' for minutes, 'h' for hours or 'd' for days.\n" +
		"A duration of 0 disables the associated timeout.",
	Order:  getopt.RequireOrder,
	Status: 125,
}

type timeoutOptions struct {
	after, killAfter  time.Duration
	signal            signals.Signal
	preserve, verbose bool
}

func runTimeout(ctx context.Context, inv *program.Invocation) int {
	o := timeoutOptions{signal: signals.TERM}
	p := timeoutSpec.Parse(inv)
	interval := func(s string) time.Duration {
		d, err := parseInterval(s)
		if err != nil {
			p.Usage("invalid time interval %s", inv.QuoteArg(s))
		}
		return d
	}
	for p.Next() {
		switch v := p.Opt.Value; p.Opt.Name {
		case "preserve-status":
			o.preserve = true
		case "k":
			o.killAfter = interval(v)
		case "s":
			sig, ok := signals.Parse(v)
			if !ok {
				return p.Usage("%s: invalid signal", inv.QuoteArg(v))
			}
			o.signal = sig
		case "v":
			o.verbose = true
		}
	}
	if !p.Stopped && len(p.Operands) < 2 {
		return p.Usage("")
	}
	if !p.Stopped {
		o.after = interval(p.Operands[0])
	}
	if p.Stopped {
		return p.Status
	}
	return timeoutRun(ctx, inv, o, p.Operands[1:])
}

// timeoutRun runs the command with a context of its own, which ends with the
// signal as its cause when the time is over. A signal that would not end a
// process only marks the time; -k ends it then.
func timeoutRun(ctx context.Context, inv *program.Invocation, o timeoutOptions, args []string) int {
	child, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan struct{})
	fired := make(chan signals.Signal, 1) // the last signal sent
	go func() {
		defer close(fired)
		defer func() { recover() }() // a stream that panics ends no server
		send := func(after time.Duration, s signals.Signal) bool {
			t := time.NewTimer(after)
			defer t.Stop()
			select {
			case <-done:
				return false
			case <-t.C:
			}
			if o.verbose {
				inv.Errorf("sending signal %s to command %s", s.Name(), inv.QuoteArg(args[0]))
			}
			if s.Ends() {
				cancel(program.Signal(s))
			}
			return true
		}
		if o.after == 0 || !send(o.after, o.signal) {
			return
		}
		last := o.signal
		if o.killAfter > 0 && send(o.killAfter, signals.KILL) {
			last = signals.KILL
		}
		fired <- last
	}()
	status, err := inv.Spawn(child, program.Child{Args: args})
	close(done)
	last, timedOut := <-fired
	switch {
	case err != nil:
		inv.Fail(err, "failed to run command %s", inv.QuoteArg(args[0]))
		return spawnStatus(err)
	case !timedOut:
		return status
	case last == signals.KILL:
		return 128 + int(last)
	case o.preserve && last.Ends():
		return 128 + int(last)
	case o.preserve:
		return status
	}
	return 124
}
