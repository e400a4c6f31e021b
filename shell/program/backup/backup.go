// Package backup names the backups that cp, mv and ln make of what they are
// about to replace ("Backup options" of the GNU coreutils manual).
package backup

import (
	"context"
	"strconv"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/vfs"
)

// Method is a way to name backups; the zero value makes none.
type Method int

// The methods.
const (
	None     Method = iota
	Simple          // f~
	Existing        // numbered where numbered ones exist, else simple
	Numbered        // f.~1~
)

// Options are the rows of a program's table; Control reads them.
var Options = []getopt.Option{
	{Long: "backup", Arg: getopt.Optional, Meta: "CONTROL", Help: "make a backup of each existing destination file"},
	{Short: "b", Help: "like --backup but does not accept an argument"},
	{Short: "S", Long: "suffix", Arg: getopt.Required, Meta: "SUFFIX", Help: "override the usual backup suffix"},
}

// Control gathers the backup options of a command line.
type Control struct {
	on      bool
	word    string
	hasWord bool
	suffix  string
}

// Option takes an option of Options; false means that it is not one.
func (c *Control) Option(o getopt.Opt) bool {
	switch o.Name {
	case "b", "backup":
		c.on = true
		if o.HasValue {
			c.word, c.hasWord = o.Value, true
		}
	case "S":
		c.on = true
		c.suffix = o.Value
	default:
		return false
	}
	return true
}

// Policy settles method and suffix from the options and the environment. A
// wrong word has been reported when the parser has stopped.
func (c *Control) Policy(p *getopt.Parser, inv *program.Invocation) Policy {
	if !c.on {
		return Policy{}
	}
	policy := Policy{Method: Existing, Suffix: c.suffix}
	if policy.Suffix == "" {
		policy.Suffix = inv.Getenv("SIMPLE_BACKUP_SUFFIX")
	}
	if policy.Suffix == "" || strings.Contains(policy.Suffix, "/") {
		policy.Suffix = "~"
	}
	context, word := "backup type", c.word
	if !c.hasWord {
		context, word = "$VERSION_CONTROL", inv.Getenv("VERSION_CONTROL")
		if word == "" {
			return policy
		}
	}
	match, _ := p.Match(context, word, "none off", "simple never", "existing nil", "numbered t")
	switch match {
	case "none":
		policy.Method = None
	case "simple":
		policy.Method = Simple
	case "numbered":
		policy.Method = Numbered
	}
	return policy
}

// Policy is how backups are named.
type Policy struct {
	Method Method
	Suffix string // of simple ones
}

// Name answers the name for a backup of path, "" when none is to be made.
func (p Policy) Name(ctx context.Context, inv *program.Invocation, path string) (string, error) {
	path = strings.TrimRight(path, "/")
	if p.Method == None {
		return "", nil
	}
	if p.Method == Simple {
		return path + p.Suffix, nil
	}
	dir, base := ".", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		dir, base = path[:i+1], path[i+1:]
	}
	list, err := inv.FS.ReadNames(ctx, inv.Path(dir))
	if err != nil {
		return "", err
	}
	highest := highestNumber(list, base)
	if highest == 0 && p.Method == Existing {
		return path + p.Suffix, nil
	}
	return path + ".~" + strconv.FormatUint(highest+1, 10) + "~", nil
}

// highestNumber finds the highest N of base.~N~ in a listing.
func highestNumber(list []vfs.Info, base string) uint64 {
	highest := uint64(0)
	for _, info := range list {
		digits, ok := strings.CutPrefix(info.Name, base+".~")
		if !ok || !strings.HasSuffix(digits, "~") {
			continue
		}
		n, err := strconv.ParseUint(strings.TrimSuffix(digits, "~"), 10, 63)
		if err == nil && digits[0] != '0' && n > highest {
			highest = n
		}
	}
	return highest
}
