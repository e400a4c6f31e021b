package sshd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"mirage/internal/lineedit"
	"mirage/workspace"
)

// cookedLine is the most bytes of a line typed on a terminal that cannot move
// its cursor.
const cookedLine = 1024

// completeTimeout bounds how long Tab may look for names, and a prompt for
// what it shows.
const completeTimeout = 2 * time.Second

// prompter reads lines from the channel's terminal.
type prompter struct {
	r       *runner
	rich    bool // the terminal understands cursor movements
	editor  *lineedit.Editor
	cooked  lineedit.Cooked
	history lineedit.History
}

// interactive is a shell on a terminal.
func (r *runner) interactive() exit {
	p := &prompter{r: r, rich: isRich(r.ch.terminal().Name)}
	var last exit
	var source source
	for {
		prompt := r.prompt("PS1", "mirage:"+printable(r.sess.Cwd())+"$ ")
		if !source.isEmpty() {
			prompt = r.prompt("PS2", "> ")
		}
		line, ev, err := p.read(prompt)
		var sig signalError
		switch {
		case errors.As(err, &sig):
			return exit{signal: string(sig)}
		case err != nil:
			return exit{status: exitInterrupted}
		case ev == lineedit.Interrupt:
			source.take()
			r.setStatus()
			last = exit{status: exitInterrupted}
			continue
		case ev == lineedit.EOF:
			if !source.isEmpty() {
				last, _ = r.typed(source.take())
			}
			p.write("logout\r\n")
			return last
		}
		more, err := source.add(line, r.sess.Incomplete)
		if err != nil {
			r.ch.complain("%s", err)
		}
		if more || err != nil {
			continue
		}
		text := source.take()
		if isNothing(text) {
			continue
		}
		p.history.Add(text)
		end, leave := r.typed(text)
		if last = end; leave {
			if end.signal == "" {
				p.write("logout\r\n")
			}
			return end
		}
	}
}

// typed runs a line from the prompt.
func (r *runner) typed(text string) (end exit, leave bool) {
	res, cause := r.run(workspace.Line{Command: text, Interactive: true})
	r.ch.out.trim()
	r.ch.in.trim()
	if cause == signalError("INT") && r.ch.ctx.Err() == nil {
		r.ch.out.echo([]byte("\r\n"))
	}
	return r.after(res, cause)
}

// maxPrompt is the most bytes of a prompt that are shown.
const maxPrompt = 4096

// prompt is what a variable of the session says, or the default when it is not
// set: `mirage:<cwd>$ ` and `> `.
func (r *runner) prompt(name, def string) string {
	if r.isGone() {
		return "mirage$ "
	}
	ctx, cancel := context.WithTimeout(r.ch.ctx, completeTimeout)
	defer cancel()
	text, set := r.sess.Prompt(ctx, name)
	if !set {
		return def
	}
	return text[:min(len(text), maxPrompt)]
}

// setStatus makes $? what it is after Ctrl-C.
func (r *runner) setStatus() {
	_, _ = r.sess.Run(r.ch.ctx, workspace.Line{
		Command: fmt.Sprintf("(exit %d)", exitInterrupted), NoRecord: true, Agent: agent,
	})
}

// isRich reports whether a terminal of this name moves its cursor.
func isRich(term string) bool {
	switch term {
	case "", "dumb", "unknown", "emacs":
		return false
	}
	return true
}

// read reads one line behind a prompt. The error is a signalError when a
// signal ends the shell, else that of a channel that is gone.
func (p *prompter) read(prompt string) (line string, ev lineedit.Event, err error) {
	ch := p.r.ch
	ctx, cancel := context.WithCancelCause(ch.ctx)
	defer cancel(nil)
	ch.listen(func(name string) {
		switch name {
		case "INT":
			ch.in.press('\x03')
		case "HUP", "KILL": // others do not end an interactive shell
			cancel(signalError(name))
		}
	})
	defer ch.listen(nil)
	p.start(prompt)
	for {
		keys, resized, err := ch.in.keys(ctx)
		switch {
		case err == io.EOF: // the client sends no more
			p.write("\r\n")
			return "", lineedit.EOF, nil
		case err != nil:
			return "", lineedit.None, err
		}
		if resized && p.rich {
			cols, _ := ch.size()
			p.editor.Resize(cols)
		}
		n, ev := p.feed(keys)
		ch.in.unread(keys[n:])
		if ev != lineedit.None {
			return p.line(), ev, nil
		}
	}
}

func (p *prompter) start(prompt string) {
	if !p.rich {
		p.cooked = lineedit.Cooked{Limit: cookedLine}
		p.write(strings.ReplaceAll(lineedit.Prompt(prompt), "\n", "\r\n"))
		return
	}
	if p.editor == nil {
		p.editor = &lineedit.Editor{History: &p.history, Complete: p.complete}
	}
	cols, _ := p.r.ch.size()
	p.editor.Start(prompt, cols)
	p.write(string(p.editor.Output()))
}

// feed gives keys to the editor up to the first event.
func (p *prompter) feed(keys []byte) (n int, ev lineedit.Event) {
	if p.rich {
		n, ev = p.editor.Feed(keys)
		p.write(string(p.editor.Output()))
		return n, ev
	}
	var echo []byte
	for n < len(keys) && ev == lineedit.None {
		var shown string
		shown, ev = p.cooked.Feed(keys[n])
		n++
		switch ev {
		case lineedit.Suspend, lineedit.Quit:
			ev = lineedit.None // mean nothing at a prompt
			continue
		case lineedit.Interrupt, lineedit.EOF:
			shown += "\r\n"
		}
		echo = append(echo, shown...)
	}
	p.write(string(echo))
	return n, ev
}

func (p *prompter) line() string {
	if p.rich {
		return p.editor.Line()
	}
	return string(p.cooked.Take())
}

// complete is the editor's Tab.
func (p *prompter) complete(source string) (int, []string) {
	ctx, cancel := context.WithTimeout(p.r.ch.ctx, completeTimeout)
	defer cancel()
	return p.r.sess.Complete(ctx, source)
}

// write writes to the terminal as it is.
func (p *prompter) write(s string) {
	ch := p.r.ch
	_, _ = (&stream{out: ch.out, ctx: ch.ctx, base: ch.ctx}).Write([]byte(s))
}
