package programs

import (
	"context"
	"strconv"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
	"mirage/shell/program/walk"
	"mirage/vfs"
)

// chownSpec is the command line of chown or chgrp.
func chownSpec(name string) *getopt.Spec {
	s := &getopt.Spec{
		Name:     name,
		Synopsis: []string{"[OPTION]... [OWNER][:[GROUP]] FILE...", "[OPTION]... --reference=RFILE FILE..."},
		Summary: "Change the owner and/or group of each FILE to OWNER and/or GROUP.\n" +
			"With --reference, change the owner and group of each FILE to those of RFILE.",
		Options: []getopt.Option{
			{Short: "c", Long: "changes", Help: "like verbose but report only when a change is made"},
			{Short: "f", Long: "silent", Help: "suppress most error messages"},
			{Long: "quiet", Name: "f", Help: "like -f"},
			{Short: "v", Long: "verbose", Help: "output a diagnostic for every file processed"},
			{Long: "dereference", Help: "affect the referent of each symbolic link (this is\nthe default), rather than the symbolic link itself"},
			{Short: "h", Long: "no-dereference", Help: "affect symbolic links instead of any referenced file"},
			{Long: "from", Arg: getopt.Required, Meta: "CURRENT_OWNER:CURRENT_GROUP", Help: "change the owner and/or group of each file only if\nits current owner and/or group match those specified\nhere.  Either may be omitted"},
			{Long: "no-preserve-root", Help: "do not treat '/' specially (the default)"},
			{Long: "preserve-root", Help: "fail to operate recursively on '/'"},
			{Long: "reference", Arg: getopt.Required, Meta: "RFILE", Help: "use RFILE's owner and group rather than\nspecifying OWNER:GROUP values"},
			{Short: "R", Long: "recursive", Help: "operate on files and directories recursively"},
			{Short: "H", Help: "if a command line argument is a symbolic link\nto a directory, traverse it"},
			{Short: "L", Help: "traverse every symbolic link to a directory\nencountered"},
			{Short: "P", Help: "do not traverse any symbolic links (default)"},
		},
	}
	if name == "chgrp" {
		s.Synopsis = []string{"[OPTION]... GROUP FILE...", "[OPTION]... --reference=RFILE FILE..."}
		s.Summary = "Change the group of each FILE to GROUP.\n" +
			"With --reference, change the group of each FILE to that of RFILE."
		s.Options = append(s.Options[:6:6], s.Options[7:]...)
	}
	return s
}

// chownProgs makes chown and chgrp.
func chownProgs() []*program.Program {
	var list []*program.Program
	for _, name := range []string{"chgrp", "chown"} {
		list = append(list, chownSpec(name).Program(func(ctx context.Context, inv *program.Invocation) int {
			return runChown(ctx, inv, name == "chgrp")
		}))
	}
	return list
}

// chownIDs are an owner and a group; -1 is none.
type chownIDs struct{ uid, gid int }

type chown struct {
	inv                               *program.Invocation
	out                               *stream.Writer
	want, from                        chownIDs
	group                             bool // chgrp
	changes, silent, verbose, recurse bool
	link                              bool // -h: a link itself is changed
	walk                              walk.Options
}

func runChown(ctx context.Context, inv *program.Invocation, group bool) int {
	c := &chown{inv: inv, group: group, out: stream.Stdout(inv), want: chownIDs{-1, -1}, from: chownIDs{-1, -1}}
	reference, hasReference, preserveRoot, dereference := "", false, false, false
	name := "chown"
	if group {
		name = "chgrp"
	}
	p := chownSpec(name).Parse(inv)
	for p.Next() {
		switch p.Opt.Name {
		case "c":
			c.changes = true
		case "f":
			c.silent = true
		case "v":
			c.verbose = true
		case "dereference":
			dereference, c.link = true, false
		case "h":
			dereference, c.link = false, true
		case "from":
			ids, complaint := c.parse(p.Opt.Value)
			if complaint != "" {
				return p.Fail("%s", complaint)
			}
			c.from = ids
		case "preserve-root":
			preserveRoot = true
		case "no-preserve-root":
			preserveRoot = false
		case "reference":
			reference, hasReference = p.Opt.Value, true
		case "R":
			c.recurse = true
		case "H":
			c.walk.Follow = walk.FollowOperands
		case "L":
			c.walk.Follow = walk.FollowAlways
		case "P":
			c.walk.Follow = walk.FollowNever
		}
	}
	if p.Stopped {
		return p.Status
	}
	if least := 2; len(p.Operands) < least && (!hasReference || len(p.Operands) == 0) {
		return p.Missing()
	}
	switch {
	case !c.recurse && c.link:
		c.walk = walk.Options{Follow: walk.FollowNever}
	case !c.recurse:
		c.walk = walk.Options{Follow: walk.FollowOperands}
	default:
		c.walk.Post = true
		if c.walk.MaxDepth = -1; c.walk.Follow == walk.FollowNever {
			if dereference {
				return p.Fail("-R --dereference requires either -H or -L")
			}
			c.link = true
		}
	}
	files := p.Operands
	if hasReference {
		info, err := inv.FS.Stat(ctx, inv.Path(reference))
		if err != nil {
			inv.Fail(err, "failed to get attributes of %s", inv.Quote(reference))
			return 1
		}
		if c.want.gid = info.GID; !group {
			c.want.uid = info.UID
		}
	} else {
		complaint := ""
		if c.want, complaint = c.parse(files[0]); complaint != "" {
			return p.Fail("%s", complaint)
		}
		files = files[1:]
	}
	status := 0
	for _, file := range files {
		if c.recurse && preserveRoot && inv.IsRoot(ctx, file) {
			inv.Errorf("it is dangerous to operate recursively on %s", inv.QuoteRoot(file))
			inv.Errorf("use --no-preserve-root to override this failsafe")
			status = 1
			continue
		}
		if ctx.Err() != nil || !c.tree(ctx, file) {
			status = 1
		}
	}
	return c.out.Close(inv, status)
}

// parse reads OWNER[:[GROUP]], or GROUP alone for chgrp. It words what is
// wrong.
func (c *chown) parse(s string) (ids chownIDs, complaint string) {
	ids = chownIDs{-1, -1}
	lookup := func(name string) (int, bool) {
		if id, ok := c.inv.LookupOwner(name); ok {
			return id, true
		}
		id, err := strconv.ParseUint(strings.TrimPrefix(name, "+"), 10, 31)
		return int(id), err == nil
	}
	owner, group, both := strings.Cut(s, ":")
	if c.group {
		owner, group, both = "", s, true
	} else if !both {
		// A dot is what a colon was once.
		if o, g, ok := strings.Cut(s, "."); ok {
			if _, known := lookup(s); !known {
				owner, group, both = o, g, true
				c.inv.Errorf("warning: '.' should be ':': %s", c.inv.QuoteArg(s))
			}
		}
	}
	ok := true
	if owner != "" {
		if ids.uid, ok = lookup(owner); !ok {
			return ids, "invalid user: " + c.inv.QuoteArg(s)
		}
	}
	switch {
	case group != "":
		if ids.gid, ok = lookup(group); !ok {
			return ids, "invalid group: " + c.inv.QuoteArg(s)
		}
	case both && owner != "":
		if _, err := strconv.Atoi(owner); err == nil {
			return ids, "invalid spec: " + c.inv.QuoteArg(s)
		}
		ids.gid = ids.uid // the login group has the user's name
	}
	return ids, ""
}

func (c *chown) tree(ctx context.Context, file string) bool {
	ok := true
	for e := range walk.Tree(ctx, c.inv, file, c.walk) {
		switch {
		case e.Err != nil && e.Listing:
			c.complain(e.Err, "cannot read directory %s", e.Path)
			ok, e.Data = false, true
		case e.Err != nil:
			c.complain(e.Err, "cannot access %s", e.Path)
			ok = false
		case e.Info.IsLink() && !c.link && e.Depth == 0:
			_, err := c.inv.FS.Stat(ctx, c.inv.Path(e.Path))
			c.complain(err, "cannot dereference %s", e.Path)
			ok = false
		case c.recurse && e.Info.IsDir() && (!e.Post || e.Data != nil):
			// A directory's turn comes after what is in it, if that was seen.
		default:
			ok = c.one(ctx, e.Path, e.Info) && ok
		}
	}
	return ok && ctx.Err() == nil
}

func (c *chown) complain(err error, text, file string) {
	if !c.silent {
		c.inv.Fail(err, text, c.inv.Quote(file))
	}
}

// noun is what the messages call that which changes.
func (c *chown) noun() string {
	if c.group || c.want.uid < 0 && c.want.gid >= 0 {
		return "group"
	}
	return "ownership"
}

// show words ids as the messages have them.
func (c *chown) show(ids chownIDs) string {
	owner, group := "", ""
	if ids.uid >= 0 {
		owner = c.inv.Owner(ids.uid)
	}
	if ids.gid >= 0 {
		group = c.inv.Group(ids.gid)
	}
	switch {
	case c.noun() == "group":
		return group
	case ids.gid < 0:
		return owner
	}
	return owner + ":" + group
}

func (c *chown) one(ctx context.Context, file string, info vfs.Info) bool {
	old := chownIDs{info.UID, info.GID}
	attr, changed := vfs.Attr{}, false
	shown := old
	other := c.from.uid >= 0 && c.from.uid != old.uid || c.from.gid >= 0 && c.from.gid != old.gid
	if c.want.uid >= 0 {
		attr.UID = &c.want.uid
		changed = old.uid != c.want.uid
	} else {
		shown.uid = -1
	}
	if c.want.gid >= 0 {
		attr.GID = &c.want.gid
		changed = changed || old.gid != c.want.gid
	} else {
		shown.gid = -1
	}
	if other {
		changed = false
	} else if !attr.IsZero() {
		if err := c.inv.FS.SetAttr(ctx, c.inv.Path(file), attr, !info.IsLink()); err != nil {
			noun := "ownership"
			if c.group {
				noun = "group"
			}
			c.complain(err, "changing "+noun+" of %s", file)
			if c.verbose {
				c.out.WriteString("failed to change " + c.noun() + " of " + c.inv.Quote(file) + " from " + c.show(shown) + " to " + c.show(c.want) + "\n")
			}
			return false
		}
	}
	switch {
	case changed && (c.verbose || c.changes):
		c.out.WriteString("changed " + c.noun() + " of " + c.inv.Quote(file) + " from " + c.show(shown) + " to " + c.show(c.want) + "\n")
	case !changed && c.verbose && attr.IsZero():
		c.out.WriteString("ownership of " + c.inv.Quote(file) + " retained\n")
	case !changed && c.verbose:
		c.out.WriteString(c.noun() + " of " + c.inv.Quote(file) + " retained as " + c.show(shown) + "\n")
	}
	return true
}
