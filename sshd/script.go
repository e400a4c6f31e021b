package sshd

import (
	"errors"
	"io"
	"regexp"
	"strings"

	"mirage/workspace"
)

// shell serves a channel that asked for a shell.
func (r *runner) shell() exit {
	if r.ch.in.tty == nil {
		return r.script()
	}
	return r.interactive()
}

// script runs what comes on stdin, as bash does with a script on a pipe: each
// command as soon as it is whole, so that commands read the rest of the same
// stdin. The status is that of the last one.
func (r *runner) script() exit {
	var last exit
	var source source
	for {
		line, err := r.ch.in.readLine(r.ch.ctx)
		switch {
		case err == io.EOF:
			if source.isEmpty() {
				return last
			}
			// What is unfinished at the end is the shell's to complain about.
			end, _ := r.statement(source.take())
			return end
		case errors.Is(err, errLineTooLong):
			r.ch.complain("%s", err)
			return exit{status: 1}
		case err != nil:
			return exit{status: exitInterrupted}
		}
		more, err := source.add(string(line), r.sess.Incomplete)
		if err != nil {
			r.ch.complain("%s", err)
			return exit{status: 1}
		}
		if more {
			continue
		}
		if text := source.take(); !isNothing(text) {
			end, leave := r.statement(text)
			if last = end; leave {
				return end
			}
		}
	}
}

// statement runs one statement of a script. leave tells that the script ends
// with it.
func (r *runner) statement(text string) (end exit, leave bool) {
	res, cause := r.run(text, false)
	return r.after(res, cause)
}

// after tells how a line of a shell ends it, if it does.
func (r *runner) after(res workspace.Result, cause error) (end exit, leave bool) {
	var sig signalError
	switch {
	case r.ch.ctx.Err() != nil:
		return exit{status: exitInterrupted}, true
	case errors.As(cause, &sig) && sig != "INT":
		return exit{signal: string(sig)}, true
	case res.Signal != "":
		return exit{signal: res.Signal}, true
	}
	return exit{status: res.ExitCode}, res.Exited
}

// isNothing reports whether a statement is blank or a comment.
func isNothing(s string) bool {
	s = strings.TrimSpace(s)
	return s == "" || s[0] == '#' && !strings.Contains(s, "\n")
}

// maxStatement is the most bytes of one statement; the shell takes no more
// either.
const maxStatement = 4 << 20

// errStatementTooLong is the error of source.add for a longer one.
var errStatementTooLong = errors.New("shell input is too long")

// source gathers the lines of one statement.
type source struct {
	text    strings.Builder
	started bool
	// ends are the lines that end the here-document in whose body the text
	// stands; nil = none, or not known.
	ends map[string]bool
}

func (s *source) isEmpty() bool { return !s.started }

// take answers the text and begins anew.
func (s *source) take() string {
	text := s.text.String()
	*s = source{}
	return text
}

// add appends a line, and answers whether the statement goes on after it. After
// an error the text is gone. incomplete parses the whole text, so it is not asked within the body of a
// here-document, which may be long.
func (s *source) add(line string, incomplete func(string) bool) (more bool, err error) {
	if s.text.Len()+len(line) > maxStatement {
		s.take()
		return false, errStatementTooLong
	}
	if s.started {
		s.text.WriteByte('\n')
	}
	s.started = true
	s.text.WriteString(line)
	if s.ends != nil && !s.ends[strings.TrimLeft(line, "\t")] {
		return true, nil
	}
	s.ends = nil
	text := s.text.String()
	if !incomplete(text) {
		return false, nil
	}
	s.ends = hereDocEnds(text, incomplete)
	return true, nil
}

// hereDoc finds the delimiters of here-documents, quoted or not. It may find
// more than there are.
var hereDoc = regexp.MustCompile(`<<-?[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|\\?([^\s'"\\<>|&;()]+))`)

// hereDocEnds answers the lines that could end a here-document, if text stops
// in the body of one, else nil. In a body nothing but such a line matters: not
// even quotes, brackets and a stray semicolon make an error.
func hereDocEnds(text string, incomplete func(string) bool) map[string]bool {
	found := hereDoc.FindAllStringSubmatch(text, -1)
	if found == nil {
		return nil
	}
	for _, closer := range []string{"", "'", `"`, "`", "}", ")", "))", "]]"} {
		if !incomplete(text + "\n" + closer + "\n; ;\n") {
			return nil
		}
	}
	ends := map[string]bool{}
	for _, m := range found {
		ends[m[1]+m[2]+m[3]] = true
	}
	return ends
}
