package programs

import (
	"errors"
	"fmt"
	"strings"
)

// envSplit splits the argument of env -S: words at blanks, both kinds of
// quotes, backslash escapes, "#" comments and ${NAME}.
func envSplit(s string, lookup func(string) (string, bool)) ([]string, error) {
	e := envSplitter{rest: s, lookup: lookup}
	for e.rest != "" && !e.done {
		if err := e.step(); err != nil {
			return nil, err
		}
	}
	if e.quote != 0 {
		return nil, errors.New("no terminating quote in -S string")
	}
	e.end()
	return e.words, nil
}

type envSplitter struct {
	rest   string
	lookup func(string) (string, bool)
	words  []string
	word   strings.Builder
	inWord bool
	quote  byte
	done   bool // by \c or a comment
}

func (e *envSplitter) put(s string) {
	e.word.WriteString(s)
	e.inWord = true
}

func (e *envSplitter) end() {
	if e.inWord {
		e.words = append(e.words, e.word.String())
	}
	e.word.Reset()
	e.inWord = false
}

func (e *envSplitter) step() error {
	c := e.rest[0]
	switch {
	case c == '\\':
		return e.escape()
	case c == '$' && e.quote != '\'':
		return e.variable()
	case e.quote != 0 && c == e.quote:
		e.quote = 0
	case e.quote != 0:
		e.put(e.rest[:1])
	case c == '\'' || c == '"':
		e.quote = c
		e.inWord = true
	case strings.IndexByte(" \t\n\v\f\r", c) >= 0:
		e.end()
	case c == '#' && !e.inWord:
		e.done = true
	default:
		e.put(e.rest[:1])
	}
	e.rest = e.rest[1:]
	return nil
}

func (e *envSplitter) escape() error {
	if len(e.rest) < 2 {
		if e.quote == '\'' {
			e.put(`\`)
			e.rest = ""
			return nil
		}
		return errors.New("invalid backslash at end of string in -S")
	}
	c := e.rest[1]
	if e.quote == '\'' && c != '\\' && c != '\'' {
		e.put(`\`)
		e.rest = e.rest[1:]
		return nil
	}
	e.rest = e.rest[2:]
	switch c {
	case '"', '#', '$', '\'', '\\':
		e.put(string(c))
	case '_':
		if e.quote == '"' {
			e.put(" ")
		} else {
			e.end()
		}
	case 'c':
		if e.quote == '"' {
			return errors.New("'\\c' must not appear in double-quoted -S string")
		}
		e.done = true
	case 'f':
		e.put("\f")
	case 'n':
		e.put("\n")
	case 'r':
		e.put("\r")
	case 't':
		e.put("\t")
	case 'v':
		e.put("\v")
	default:
		return fmt.Errorf("invalid sequence '\\%c' in -S", c)
	}
	return nil
}

func (e *envSplitter) variable() error {
	name := ""
	if strings.HasPrefix(e.rest, "${") {
		if i := strings.IndexByte(e.rest, '}'); i > 2 {
			name = e.rest[2:i]
		}
	}
	for i := range len(name) {
		c := name[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			name = ""
			break
		}
	}
	if name == "" {
		return fmt.Errorf("only ${VARNAME} expansion is supported, error at: %s", e.rest)
	}
	e.rest = e.rest[len(name)+3:]
	if v, ok := e.lookup(name); ok {
		e.put(v)
	}
	return nil
}
