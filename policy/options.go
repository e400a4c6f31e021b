package policy

import (
	"slices"
	"strings"
)

// optionRule tells which options of a command take a value, and which of the
// values are files that the command opens or writes to.
type optionRule struct {
	values string   // short options with a value of another kind
	files  string   // short options with a file
	long   []string // long options with a file, without "--"
	other  []string // options whose whole name begins one of long
	// ordered marks commands whose options end at the first operand.
	ordered bool
}

// optionRules lists the commands of operandRules that have such options. Files
// that are only looked at (--reference) are not here.
var optionRules = map[string]optionRule{
	"awk":      {values: "Fev", files: "f", long: []string{"file"}, ordered: true},
	"cp":       {values: "S", files: "t", long: []string{"target-directory"}},
	"cut":      {values: "bcdf"},
	"diff":     {values: "CDFILUWx", files: "SX", long: []string{"starting-file", "exclude-from", "from-file", "to-file"}, other: []string{"exclude"}},
	"egrep":    grepOptions,
	"fgrep":    grepOptions,
	"fold":     {values: "w"},
	"grep":     grepOptions,
	"head":     {values: "cn"},
	"install":  {values: "Sgmo", files: "t", long: []string{"target-directory"}},
	"join":     {values: "12aejotv"},
	"ln":       {values: "S", files: "t", long: []string{"target-directory"}},
	"mkdir":    {values: "m"},
	"mv":       {values: "S", files: "t", long: []string{"target-directory"}},
	"nl":       {values: "bdfhilnsvw"},
	"od":       {values: "ANSjt"},
	"paste":    {values: "d"},
	"patch":    {values: "BDFVYgpz", files: "dior", long: []string{"directory", "input", "output", "reject-file"}},
	"sed":      {values: "el", files: "f", long: []string{"file"}},
	"shuf":     {values: "in", files: "o", long: []string{"output", "random-source"}},
	"sort":     {values: "Skt", files: "To", long: []string{"output", "temporary-directory", "random-source", "files0-from"}},
	"split":    {values: "Cablnt"},
	"tac":      {values: "s"},
	"tail":     {values: "cns"},
	"touch":    {values: "drt"},
	"truncate": {values: "rs"},
	"uniq":     {values: "fsw"},
	"wc":       {long: []string{"files0-from"}},
	"zgrep":    grepOptions,
}

var grepOptions = optionRule{values: "ABCDdem", files: "f", long: []string{"file", "exclude-from"}, other: []string{"exclude"}}

// value is what an option word says of files.
type value int

const (
	noValue    value = iota // an option alone, or with something else attached
	fileHere                // with a file attached
	fileNext                // the next word is a file
	otherNext               // the next word is something else
	maybeValue              // nobody told us
)

// option reads an option word: "-x", a cluster, or "--long=value". file is
// what is attached, where it is a file.
func option(name, word string) (v value, file string) {
	rule, listed := optionRules[name]
	if long, ok := strings.CutPrefix(word, "--"); ok {
		long, file, attached := strings.Cut(long, "=")
		switch {
		case !listed && attached && strings.HasPrefix(file, "/"):
			return maybeValue, file
		case !listed:
			return maybeValue, ""
		case slices.Contains(rule.other, long):
			return noValue, ""
		}
		// An abbreviation may mean any option that begins so.
		for _, l := range rule.long {
			if long != "" && strings.HasPrefix(l, long) {
				if attached {
					return fileHere, file
				}
				return noValue, "" // the next word counts as an operand: a file too
			}
		}
		return noValue, ""
	}
	if !listed {
		return maybeValue, ""
	}
	for i := 1; i < len(word); i++ {
		rest := word[i+1:]
		switch {
		case strings.IndexByte(rule.files, word[i]) >= 0:
			if rest == "" {
				return fileNext, ""
			}
			return fileHere, rest
		case strings.IndexByte(rule.values, word[i]) >= 0:
			if rest == "" {
				return otherNext, ""
			}
			return noValue, ""
		}
	}
	return noValue, ""
}

// gives reports whether an option word is or holds one of options, written
// "-e" or "--regexp".
func gives(name, word string, options []string) bool {
	if len(options) == 0 {
		return false
	}
	if long, ok := strings.CutPrefix(word, "--"); ok {
		long, _, _ = strings.Cut(long, "=")
		return slices.ContainsFunc(options, func(o string) bool {
			return o == "--"+long || len(long) > 2 && strings.HasPrefix(o, "--"+long)
		})
	}
	rule := optionRules[name]
	for i := 1; i < len(word); i++ {
		if slices.Contains(options, "-"+word[i:i+1]) {
			return true
		}
		if strings.IndexByte(rule.values+rule.files, word[i]) >= 0 {
			return false
		}
	}
	return false
}
