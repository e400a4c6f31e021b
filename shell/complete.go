package shell

import (
	"context"
	"path"
	"slices"
	"strings"
)

// maxCandidates bounds the answer of Complete.
const maxCandidates = 1000

// Complete answers the completions of the word that ends source: the byte
// offset where the word starts, and the candidates, sorted. A directory ends
// in a slash; what is complete does not end in a space. Names are quoted with
// backslashes where the shell needs it.
func (sh *Shell) Complete(ctx context.Context, source string) (start int, words []string) {
	e := sh.e
	start, command := wordStart(source)
	word := source[start:]
	defer func() {
		slices.Sort(words)
		words = slices.Compact(words)
		if len(words) > maxCandidates {
			words = words[:maxCandidates]
		}
	}()
	if i := strings.LastIndexByte(word, '$'); i >= 0 && !strings.ContainsAny(word[i:], "/}(") {
		return start, e.completeVars(word[:i+1], word[i+1:])
	}
	if command && !strings.Contains(word, "/") {
		words = e.completeCommands(word)
	}
	if !command || strings.Contains(word, "/") {
		words = append(words, e.completeFiles(ctx, word, command)...)
	}
	return start, words
}

// wordStart finds the word that ends source, and whether it stands where a
// command is expected.
func wordStart(source string) (start int, command bool) {
	command = true
	quote := byte(0)
	for i := 0; i < len(source); i++ {
		c := source[i]
		switch {
		case c == '\\' && quote != '\'':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case strings.IndexByte(" \t\n;|&()<>", c) >= 0:
			word := source[start:i]
			switch {
			case c == '\n' || c == ';' || c == '|' || c == '&' || c == '(' || c == ')':
				command = true
			case c == '<' || c == '>':
				command = false
			case word == "":
			case !isAssignment(word) && !leadsCommand(word):
				command = false
			}
			start = i + 1
		}
	}
	return min(start, len(source)), command
}

func isAssignment(word string) bool {
	i := strings.IndexByte(word, '=')
	return i > 0 && !strings.ContainsAny(word[:i], "/$\"'")
}

// leadsCommand reports whether the word after this one is a command.
func leadsCommand(word string) bool {
	switch word {
	case "if", "then", "else", "elif", "while", "until", "do", "{", "!", "time", "sudo", "env", "xargs", "command",
		"exec", "nohup", "timeout":
		return true
	}
	return false
}

func (e *Executor) completeVars(before, prefix string) []string {
	closer := ""
	if strings.HasPrefix(prefix, "{") {
		before, prefix, closer = before+"{", prefix[1:], "}"
	}
	var words []string
	for _, n := range e.vars.Names() {
		if strings.HasPrefix(n, prefix) && (e.cfg.Judge == nil || !e.cfg.Judge.VarHidden(n)) {
			words = append(words, before+n+closer)
		}
	}
	return words
}

func (e *Executor) completeCommands(prefix string) []string {
	var words []string
	add := func(name string) {
		if strings.HasPrefix(name, prefix) && e.visible(name) {
			words = append(words, name)
		}
	}
	for name := range e.cfg.Programs {
		add(name)
	}
	for _, name := range []string{"bash", "sh"} {
		add(name)
	}
	for _, name := range builtinNames {
		add(name)
	}
	for _, name := range keywords {
		add(name)
	}
	for name := range e.funcs {
		add(name)
	}
	for name := range e.aliases {
		add(name)
	}
	return words
}

// completeFiles completes a path; only directories and executables where a
// command is expected.
func (e *Executor) completeFiles(ctx context.Context, word string, command bool) []string {
	plain := unquoteWord(word)
	dir, base := path.Split(plain)
	look := dir
	switch {
	case strings.HasPrefix(dir, "~/"):
		look = e.vars.Get("HOME") + dir[1:]
	case dir == "":
		look = "."
	}
	entries, err := e.view().ReadDir(ctx, e.abs(look))
	if err != nil {
		return nil
	}
	var words []string
	for _, info := range entries {
		if !strings.HasPrefix(info.Name, base) || base == "" && strings.HasPrefix(info.Name, ".") {
			continue
		}
		isDir := info.IsDir()
		if info.IsLink() {
			if target, err := e.view().Stat(ctx, e.abs(look+"/"+info.Name)); err == nil {
				isDir = target.IsDir()
			}
		}
		if command && !isDir && info.Mode&0o111 == 0 {
			continue
		}
		name := escapeWord(dir + info.Name)
		if isDir {
			name += "/"
		}
		words = append(words, name)
		if len(words) >= maxCandidates {
			break
		}
	}
	return words
}

func unquoteWord(word string) string {
	var b strings.Builder
	for i := 0; i < len(word); i++ {
		switch c := word[i]; {
		case c == '\\' && i+1 < len(word):
			i++
			b.WriteByte(word[i])
		case c == '\'' || c == '"':
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func escapeWord(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(" \t\n\\'\"$`&|;<>()*?[]#!{}", s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
