package sshd

import (
	"mirage/internal/lineedit"
)

const ctrlD = 0x04

// maxEnds bounds how many Ctrl-D may wait.
const maxEnds = 1000

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
	interrupt func()
	cooked    lineedit.Cooked
	// ends are the places of Ctrl-D in what waits: how many bytes come
	// before each. A read stops there, and one that starts there finds the
	// end of its input, once.
	ends []int
}

// readable is how many of n bytes that wait one read may take.
func (t *tty) readable(n int) int {
	if t != nil && len(t.ends) > 0 {
		return t.ends[0]
	}
	return n
}

// atEnd reports whether a Ctrl-D comes next.
func (t *tty) atEnd() bool { return t != nil && len(t.ends) > 0 && t.ends[0] == 0 }

// taken accounts for n bytes that were read.
func (t *tty) taken(n int) {
	if t == nil {
		return
	}
	for i := range t.ends {
		t.ends[i] = max(t.ends[i]-n, 0)
	}
}

// begin puts the terminal into canonical mode for a line, which interrupt
// cancels. Input that came before is not echoed again.
func (in *input) beginLine(interrupt func()) {
	if in.tty == nil {
		return
	}
	in.mu.Lock()
	t := in.tty
	t.running, t.interrupt = true, interrupt
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
// is the editor's, Ctrl-D and an unfinished line included.
func (in *input) endLine() {
	if in.tty == nil {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	t := in.tty
	t.running, t.interrupt = false, nil
	waiting, rest := []byte(nil), in.pending()
	for at, end := range t.ends {
		n := end
		if at > 0 {
			n -= t.ends[at-1]
		}
		waiting = append(append(waiting, rest[:n]...), ctrlD)
		rest = rest[n:]
	}
	waiting = append(append(waiting, rest...), t.cooked.Take()...)
	in.buf, in.off, t.ends = waiting, 0, nil
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
			if len(t.ends) < maxEnds {
				t.ends = append(t.ends, len(in.pending()))
			}
		case lineedit.Interrupt, lineedit.Quit:
			// As a terminal does, forget what was typed ahead and what was
			// not shown yet.
			in.drop(len(in.pending()))
			t.ends = nil
			t.out.discard()
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
