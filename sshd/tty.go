package sshd

import (
	"mirage/internal/lineedit"
)

// terminalLine is the most bytes of a line that a command reads from a
// terminal, as in Linux's canonical mode.
const terminalLine = 4095

// tty is the driver side of a terminal. While a line runs it is in canonical
// mode: input is echoed and handed over by lines, Ctrl-C interrupts, Ctrl-D
// ends the input. Between lines the bytes go to the shell's editor as they
// are. input.mu guards it.
type tty struct {
	out       *output
	running   bool
	eof       bool // Ctrl-D ended the running line's input
	interrupt func()
	cooked    lineedit.Cooked
}

// begin puts the terminal into canonical mode for a line, which interrupt
// cancels. Input that came before is not echoed again.
func (in *input) beginLine(interrupt func()) {
	if in.tty == nil {
		return
	}
	in.mu.Lock()
	t := in.tty
	t.running, t.eof, t.interrupt = true, false, interrupt
	t.cooked = lineedit.Cooked{Limit: terminalLine, Controls: true}
	in.start()
	early := append([]byte(nil), in.pending()...)
	in.drop(len(early))
	events := t.receive(in, early, false)
	in.mu.Unlock()
	for _, act := range events {
		act()
	}
}

// endLine gives the terminal back to the shell. What was typed and not read
// is the editor's, an unfinished line included.
func (in *input) endLine() {
	if in.tty == nil {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	t := in.tty
	t.running, t.eof, t.interrupt = false, false, nil
	in.append(t.cooked.Take())
	in.changed.Broadcast()
}

// receive processes input in canonical mode, and answers what to do once the
// lock is free. input.mu is held.
func (t *tty) receive(in *input, p []byte, echoing bool) (events []func()) {
	var echo []byte
	for _, b := range p {
		shown, ev := t.cooked.Feed(b)
		echo = append(echo, shown...)
		switch ev {
		case lineedit.Accept:
			in.append(t.cooked.Take())
			if b == '\r' || b == '\n' {
				in.append([]byte{'\n'})
			}
		case lineedit.EOF:
			t.eof = true
		case lineedit.Interrupt, lineedit.Quit:
			// As a terminal does, forget what was typed ahead and what was
			// not shown yet.
			in.drop(len(in.pending()))
			t.out.discard()
			echo = []byte(shown)
			if t.interrupt != nil {
				events = append(events, t.interrupt)
			}
		case lineedit.Suspend:
			echo = append(echo, "\r\nmirage: no job control\r\n"...)
		case lineedit.None:
		}
	}
	if echoing {
		t.out.echo(echo)
	}
	return events
}
