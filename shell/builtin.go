package shell

import (
	"strings"
)

// builtinFunc is a builtin: args[0] is its name; the result is the exit
// status.
type builtinFunc func(e *Executor, args []string) int

// lookupBuiltin answers the builtin of a name, nil when there is none. It is
// the list of all builtins; builtinNames has the same names in order.
func lookupBuiltin(name string) builtinFunc {
	switch name {
	case ".", "source":
		return builtinSource
	case ":", "true":
		return builtinTrue
	case "false":
		return builtinFalse
	case "[":
		return builtinBracket
	case "test":
		return builtinTest
	case "alias":
		return builtinAlias
	case "unalias":
		return builtinUnalias
	case "bg":
		return builtinBg
	case "bind", "complete", "compgen", "compopt", "suspend":
		return builtinUnsupported
	case "break", "continue":
		return builtinBreak
	case "builtin":
		return builtinBuiltin
	case "caller":
		return builtinCaller
	case "cd":
		return builtinCd
	case "command":
		return builtinCommand
	case "declare", "typeset", "local", "export", "readonly":
		return builtinDeclare
	case "dirs":
		return builtinDirs
	case "pushd":
		return builtinPushd
	case "popd":
		return builtinPopd
	case "disown":
		return builtinDisown
	case "echo":
		return builtinEcho
	case "enable":
		return builtinEnable
	case "eval":
		return builtinEval
	case "exec":
		return builtinExec
	case "exit", "logout":
		return builtinExit
	case "fc":
		return builtinFc
	case "history":
		return builtinHistory
	case "fg":
		return builtinFg
	case "getopts":
		return builtinGetopts
	case "hash":
		return builtinHash
	case "help":
		return builtinHelp
	case "jobs":
		return builtinJobs
	case "kill":
		return builtinKill
	case "let":
		return builtinLet
	case "mapfile", "readarray":
		return builtinMapfile
	case "printf":
		return builtinPrintf
	case "pwd":
		return builtinPwd
	case "read":
		return builtinRead
	case "return":
		return builtinReturn
	case "set":
		return builtinSet
	case "shift":
		return builtinShift
	case "shopt":
		return builtinShopt
	case "times":
		return builtinTimes
	case "trap":
		return builtinTrap
	case "type":
		return builtinType
	case "ulimit":
		return builtinUlimit
	case "umask":
		return builtinUmask
	case "unset":
		return builtinUnset
	case "wait":
		return builtinWait
	}
	return nil
}

// builtinNames lists the builtins as `enable -a` does.
var builtinNames = []string{
	".", ":", "[", "alias", "bg", "bind", "break", "builtin", "caller", "cd", "command", "compgen", "complete",
	"compopt", "continue", "declare", "dirs", "disown", "echo", "enable", "eval", "exec", "exit", "export", "false",
	"fc", "fg", "getopts", "hash", "help", "history", "jobs", "kill", "let", "local", "logout", "mapfile", "popd",
	"printf", "pushd", "pwd", "read", "readarray", "readonly", "return", "set", "shift", "shopt", "source", "suspend",
	"test", "times", "trap", "true", "type", "typeset", "ulimit", "umask", "unalias", "unset", "wait",
}

// isSpecialBuiltin reports whether POSIX calls the builtin special: in posix
// mode its errors end the shell and its assignments stay.
func isSpecialBuiltin(name string) bool {
	switch name {
	case ".", ":", "break", "continue", "eval", "exec", "exit", "export", "readonly", "return", "set", "shift",
		"source", "times", "trap", "unset":
		return true
	}
	return false
}

// isKeyword reports whether a word is reserved.
func isKeyword(word string) bool {
	switch word {
	case "if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do", "done", "in",
		"function", "time", "{", "}", "!", "[[", "]]", "coproc":
		return true
	}
	return false
}

// keywords lists the reserved words.
var keywords = []string{
	"if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do", "done", "in",
	"function", "time", "{", "}", "!", "[[", "]]", "coproc",
}

// usageError reports a wrong option as bash does and answers status 2.
func (e *Executor) usageError(name, option, problem string) int {
	e.errorf("%s: %s: %s", name, option, problem)
	return e.usage(name)
}

// usage prints the synopsis of a builtin and answers status 2.
func (e *Executor) usage(name string) int {
	e.writeFD(2, name+": usage: "+synopsis(name)+"\n")
	return 2
}

// flags are the options that a builtin was given: letter to count, and the
// argument of the last one.
type flags struct {
	on  [128]bool
	arg [128]string
}

// parseFlags reads options as bash's builtins do: clustered letters, spec as
// in getopts ("a:b"), up to the first operand or "--". ok is false after a
// usage error, which has been reported.
func (e *Executor) parseFlags(args []string, spec string) (f flags, rest []string, ok bool) {
	name, rest := args[0], args[1:]
	for len(rest) > 0 && len(rest[0]) > 1 && rest[0][0] == '-' {
		word := rest[0]
		rest = rest[1:]
		if word == "--" {
			return f, rest, true
		}
		for i := 1; i < len(word); i++ {
			c := word[i]
			at := strings.IndexByte(spec, c)
			if c == ':' || c >= 128 || at < 0 {
				e.usageError(name, "-"+string(rune(c)), "invalid option")
				return f, rest, false
			}
			f.on[c] = true
			if at+1 < len(spec) && spec[at+1] == ':' {
				switch {
				case i+1 < len(word):
					f.arg[c] = word[i+1:]
				case len(rest) > 0:
					f.arg[c] = rest[0]
					rest = rest[1:]
				default:
					e.usageError(name, "-"+string(rune(c)), "option requires an argument")
					return f, rest, false
				}
				break
			}
		}
	}
	return f, rest, true
}

func builtinTrue(*Executor, []string) int  { return 0 }
func builtinFalse(*Executor, []string) int { return 1 }

// builtinUnsupported answers for builtins that need a line editor or the
// stopping of a terminal's shell.
func builtinUnsupported(e *Executor, args []string) int {
	e.writeFD(2, "mirage: unsupported builtin: "+args[0]+"\n")
	return 2
}
