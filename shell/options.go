package shell

import "mirage/shell/expand"

// option is a `set -o` option.
type option int

// The options of `set -o`, in the order in which bash lists them.
const (
	optAllexport option = iota
	optBraceexpand
	optEmacs
	optErrexit
	optErrtrace
	optFunctrace
	optHashall
	optHistexpand
	optHistory
	optIgnoreeof
	optInteractiveComments
	optKeyword
	optMonitor
	optNoclobber
	optNoexec
	optNoglob
	optNolog
	optNotify
	optNounset
	optOnecmd
	optPhysical
	optPipefail
	optPosix
	optPrivileged
	optVerbose
	optVi
	optXtrace
	optionCount
)

// optionNames gives each option its name and its letter of `set`, 0 for none.
var optionNames = [optionCount]struct {
	name   string
	letter byte
}{
	{"allexport", 'a'}, {"braceexpand", 'B'}, {"emacs", 0}, {"errexit", 'e'}, {"errtrace", 'E'}, {"functrace", 'T'},
	{"hashall", 'h'}, {"histexpand", 'H'}, {"history", 0}, {"ignoreeof", 0}, {"interactive-comments", 0},
	{"keyword", 'k'}, {"monitor", 'm'}, {"noclobber", 'C'}, {"noexec", 'n'}, {"noglob", 'f'}, {"nolog", 0},
	{"notify", 'b'}, {"nounset", 'u'}, {"onecmd", 't'}, {"physical", 'P'}, {"pipefail", 0}, {"posix", 0},
	{"privileged", 'p'}, {"verbose", 'v'}, {"vi", 0}, {"xtrace", 'x'},
}

// defaultOptions are what a non-interactive bash starts with.
func defaultOptions() (o [optionCount]bool) {
	o[optBraceexpand], o[optHashall], o[optInteractiveComments] = true, true, true
	return o
}

func optionByName(name string) (option, bool) {
	for i, o := range optionNames {
		if o.name == name {
			return option(i), true
		}
	}
	return 0, false
}

func optionByLetter(c byte) (option, bool) {
	for i, o := range optionNames {
		if o.letter == c && c != 0 {
			return option(i), true
		}
	}
	return 0, false
}

// setOption switches an option and tells whatever depends on it.
func (e *Executor) setOption(o option, on bool) {
	e.opts[o] = on
	switch {
	case o == optVi && on:
		e.opts[optEmacs] = false
	case o == optEmacs && on:
		e.opts[optVi] = false
	}
	e.syncOptions()
	if o == optPosix {
		if on {
			e.vars.Force("POSIXLY_CORRECT", "y", 0)
			e.shopts[shoptExpandAliases] = true
		} else {
			e.vars.Unset("POSIXLY_CORRECT")
		}
	}
}

// optionLetters answers $-.
func (e *Executor) optionLetters() string {
	var b []byte
	for _, c := range []byte("abefhkmnptuvxBCEHPT") {
		if o, ok := optionByLetter(c); ok && e.opts[o] {
			b = append(b, c)
		}
		if c == 'h' && e.interactive {
			b = append(b, 'i')
		}
	}
	switch e.origin {
	case fromCommand:
		b = append(b, 'c')
	case fromStdin:
		b = append(b, 's')
	}
	return string(b)
}

// optionList answers the names that are on, as SHELLOPTS has them.
func (e *Executor) optionList() string {
	s := ""
	for i, o := range optionNames {
		if e.opts[i] {
			if s != "" {
				s += ":"
			}
			s += o.name
		}
	}
	return s
}

// shoptList answers the names that are on, as BASHOPTS has them.
func (e *Executor) shoptList() string {
	s := ""
	for i, name := range shoptNames {
		if e.shopts[i] {
			if s != "" {
				s += ":"
			}
			s += name
		}
	}
	return s
}

// shopt is an option of shopt(1).
type shopt int

// The options of shopt, sorted by name.
const (
	shoptAutocd shopt = iota
	shoptAssocExpandOnce
	shoptCdableVars
	shoptCdspell
	shoptCheckhash
	shoptCheckjobs
	shoptCheckwinsize
	shoptCmdhist
	shoptCompat31
	shoptCompat32
	shoptCompat40
	shoptCompat41
	shoptCompat42
	shoptCompat43
	shoptCompat44
	shoptCompleteFullquote
	shoptDirexpand
	shoptDirspell
	shoptDotglob
	shoptExecfail
	shoptExpandAliases
	shoptExtdebug
	shoptExtglob
	shoptExtquote
	shoptFailglob
	shoptForceFignore
	shoptGlobasciiranges
	shoptGlobskipdots
	shoptGlobstar
	shoptGnuErrfmt
	shoptHistappend
	shoptHistreedit
	shoptHistverify
	shoptHostcomplete
	shoptHuponexit
	shoptInheritErrexit
	shoptInteractiveComments
	shoptLastpipe
	shoptLithist
	shoptLocalvarInherit
	shoptLocalvarUnset
	shoptLoginShell
	shoptMailwarn
	shoptNoEmptyCmdCompletion
	shoptNocaseglob
	shoptNocasematch
	shoptNoexpandTranslation
	shoptNullglob
	shoptPatsubReplacement
	shoptProgcomp
	shoptProgcompAlias
	shoptPromptvars
	shoptRestrictedShell
	shoptShiftVerbose
	shoptSourcepath
	shoptVarredirClose
	shoptXpgEcho
	shoptCount
)

// shoptNames lists the names in the order in which shopt prints them.
var shoptNames = [shoptCount]string{
	"autocd", "assoc_expand_once", "cdable_vars", "cdspell", "checkhash", "checkjobs", "checkwinsize", "cmdhist",
	"compat31", "compat32", "compat40", "compat41", "compat42", "compat43", "compat44", "complete_fullquote",
	"direxpand", "dirspell", "dotglob", "execfail", "expand_aliases", "extdebug", "extglob", "extquote", "failglob",
	"force_fignore", "globasciiranges", "globskipdots", "globstar", "gnu_errfmt", "histappend", "histreedit", "histverify",
	"hostcomplete", "huponexit", "inherit_errexit", "interactive_comments", "lastpipe", "lithist",
	"localvar_inherit", "localvar_unset", "login_shell", "mailwarn", "no_empty_cmd_completion", "nocaseglob",
	"nocasematch", "noexpand_translation", "nullglob", "patsub_replacement", "progcomp", "progcomp_alias", "promptvars",
	"restricted_shell", "shift_verbose", "sourcepath", "varredir_close", "xpg_echo",
}

// defaultShopts are what a non-interactive bash starts with.
func defaultShopts() (s [shoptCount]bool) {
	for _, o := range []shopt{
		shoptCheckwinsize, shoptCmdhist, shoptCompleteFullquote, shoptExtquote, shoptForceFignore, shoptGlobasciiranges,
		shoptGlobskipdots, shoptHostcomplete, shoptInteractiveComments, shoptPatsubReplacement, shoptProgcomp,
		shoptPromptvars, shoptSourcepath,
	} {
		s[o] = true
	}
	return s
}

func shoptByName(name string) (shopt, bool) {
	for i, n := range shoptNames {
		if n == name {
			return shopt(i), true
		}
	}
	return 0, false
}

// syncOptions hands the options that change expansions and variables to those
// who need them.
func (e *Executor) syncOptions() {
	s := &e.shopts
	e.xo = expand.Options{
		NoUnset: e.opts[optNounset], NoGlob: e.opts[optNoglob], NoBrace: !e.opts[optBraceexpand], Posix: e.opts[optPosix],
		NullGlob: s[shoptNullglob], FailGlob: s[shoptFailglob], DotGlob: s[shoptDotglob],
		NoCaseGlob: s[shoptNocaseglob], NoCaseMatch: s[shoptNocasematch],
		ExtGlob: s[shoptExtglob], GlobStar: s[shoptGlobstar],
		GlobSkipDots:      s[shoptGlobskipdots],
		PatsubReplacement: s[shoptPatsubReplacement], ExtQuote: s[shoptExtquote],
	}
	e.vars.AllExport = e.opts[optAllexport]
	e.vars.LocalInherit, e.vars.LocalUnset = s[shoptLocalvarInherit], s[shoptLocalvarUnset]
}
