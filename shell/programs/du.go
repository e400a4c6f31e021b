package programs

import (
	"context"
	"path"
	"strconv"
	"strings"

	"mirage/shell/pattern"
	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/number"
	"mirage/shell/program/stream"
	"mirage/shell/program/walk"
	"mirage/vfs"
)

var duSpec = getopt.Spec{
	Name:     "du",
	Synopsis: []string{"[OPTION]... [FILE]..."},
	Summary:  "Summarize device usage of the set of FILEs, recursively for directories.",
	Options: []getopt.Option{
		{Short: "0", Long: "null", Help: "end each output line with NUL, not newline"},
		{Short: "a", Long: "all", Help: "write counts for all files, not just directories"},
		{Long: "apparent-size", Help: "print apparent sizes rather than device usage"},
		{Short: "B", Long: "block-size", Arg: getopt.Required, Meta: "SIZE", Help: "scale sizes by SIZE before printing them"},
		{Short: "b", Long: "bytes", Help: "equivalent to '--apparent-size --block-size=1'"},
		{Short: "c", Long: "total", Help: "produce a grand total"},
		{Short: "D", Long: "dereference-args", Help: "dereference only symlinks that are listed on the command line"},
		{Short: "d", Long: "max-depth", Arg: getopt.Required, Meta: "N", Help: "print the total for a directory only if it is N or fewer levels below the command line argument"},
		{Short: "H", Help: "equivalent to --dereference-args (-D)"},
		{Short: "h", Long: "human-readable", Help: "print sizes in human readable format (e.g., 1K 234M 2G)"},
		{Short: "k", Help: "like --block-size=1K"},
		{Short: "L", Long: "dereference", Help: "dereference all symbolic links"},
		{Short: "l", Long: "count-links", Help: "count sizes many times if hard linked"},
		{Short: "m", Help: "like --block-size=1M"},
		{Short: "P", Long: "no-dereference", Help: "don't follow any symbolic links (this is the default)"},
		{Short: "S", Long: "separate-dirs", Help: "for directories do not include size of subdirectories"},
		{Long: "si", Help: "like -h, but use powers of 1000 not 1024"},
		{Short: "s", Long: "summarize", Help: "display only a total for each argument"},
		{Short: "t", Long: "threshold", Arg: getopt.Required, Meta: "SIZE", Help: "exclude entries smaller than SIZE if positive,\nor entries greater than SIZE if negative"},
		{Short: "x", Long: "one-file-system", Help: "skip directories on different file systems"},
		{Long: "exclude", Arg: getopt.Required, Meta: "PATTERN", Help: "exclude files that match PATTERN"},
	},
}

type duRun struct {
	inv       *program.Invocation
	block     number.Format
	apparent  bool
	all       bool
	separate  bool
	links     bool
	depth     int // -1 = no bound
	end       string
	threshold int64
	exclude   []string
	walk      walk.Options
	out       *stream.Writer
	seen      map[[2]uint64]bool // hard links counted already
	total     int64
	status    int
}

func runDu(ctx context.Context, inv *program.Invocation) int {
	d := duRun{inv: inv, block: number.DefaultBlock(inv.LookupEnv, "DU_BLOCK_SIZE"), depth: -1, end: "\n", seen: map[[2]uint64]bool{}}
	d.walk = walk.Options{Post: true, MaxDepth: -1}
	summarize, total := false, false
	p := duSpec.Parse(inv)
	for p.Next() {
		switch p.Opt.Name {
		case "0":
			d.end = "\x00"
		case "a":
			d.all = true
		case "apparent-size":
			d.apparent = true
		case "B":
			f, err := number.ParseBlockSize(p.Opt.Value)
			if err != nil {
				return p.Fail("invalid --block-size argument %s", inv.QuoteArg(p.Opt.Value))
			}
			d.block = f
		case "b":
			d.apparent, d.block = true, number.Format{Block: 1}
		case "c":
			total = true
		case "D", "H":
			d.walk.Follow = walk.FollowOperands
		case "d":
			n, err := strconv.Atoi(p.Opt.Value)
			if err != nil || n < 0 {
				return p.Usage("invalid maximum depth %s", inv.QuoteArg(p.Opt.Value))
			}
			d.depth = n
		case "h":
			d.block = number.Human
		case "k":
			d.block = number.Format{Block: 1024}
		case "L":
			d.walk.Follow = walk.FollowAlways
		case "l":
			d.links = true
		case "m":
			d.block = number.Format{Block: 1 << 20}
		case "P":
			d.walk.Follow = walk.FollowNever
		case "S":
			d.separate = true
		case "si":
			d.block = number.SI
		case "s":
			summarize = true
		case "t":
			text, negative := strings.CutPrefix(p.Opt.Value, "-")
			n, err := number.ParseInt(text, number.Blocks)
			if err != nil || negative && n == 0 {
				return p.Fail("invalid --threshold argument %s", inv.QuoteArg(p.Opt.Value))
			}
			if d.threshold = n; negative {
				d.threshold = -n
			}
		case "x":
			d.walk.OneMount = true
		case "exclude":
			d.exclude = append(d.exclude, p.Opt.Value)
		}
	}
	switch {
	case p.Stopped:
		return p.Status
	case summarize && d.all:
		return p.Usage("cannot both summarize and show all entries")
	case summarize && d.depth > 0:
		inv.Errorf("warning: summarizing conflicts with --max-depth=%d", d.depth)
		return p.Usage("")
	case summarize:
		d.depth = 0
	}
	operands := p.Operands
	if len(operands) == 0 {
		operands = []string{"."}
	}
	d.out = stream.Stdout(inv)
	for _, operand := range operands {
		d.tree(ctx, operand)
	}
	if total {
		d.print(d.total, "total", 0)
	}
	return d.out.Close(inv, d.status)
}

// duDir is what is known of a directory while its contents are visited.
type duDir struct{ own, below int64 }

func (d *duRun) tree(ctx context.Context, operand string) {
	for e := range walk.Tree(ctx, d.inv, operand, d.walk) {
		switch {
		case e.Err != nil && e.Listing:
			d.inv.Fail(e.Err, "cannot read directory %s", d.inv.Quote(e.Path))
			d.status = 1
			continue
		case e.Err != nil && e.Loop == "":
			d.inv.Fail(e.Err, "cannot access %s", d.inv.Quote(e.Path))
			d.status = 1
			continue
		case !e.Post && d.excluded(e):
			e.Skip()
			e.Data = nil
			continue
		case e.Info.IsDir() && !e.Post:
			e.Data = &duDir{own: d.size(e.Info)}
			continue
		}
		size := d.size(e.Info)
		shown := size
		if e.Post {
			dir, _ := e.Data.(*duDir)
			if dir == nil {
				continue // excluded
			}
			size = dir.own + dir.below
			shown = size
			if d.separate {
				shown = dir.own
			}
		} else if d.counted(e.Info) {
			continue
		}
		if e.Parent != nil {
			if parent, ok := e.Parent.Data.(*duDir); ok {
				if e.Post {
					parent.below += size
				} else {
					parent.own += size
				}
			}
		} else {
			d.total += size
		}
		if (e.Post || d.all || e.Depth == 0) && (d.depth < 0 || e.Depth <= d.depth) {
			d.print(shown, e.Path, e.Depth)
		}
	}
}

// size is what a file counts, in bytes.
func (d *duRun) size(i vfs.Info) int64 {
	if d.apparent {
		return max(i.Size, 0)
	}
	if i.Blocks >= 0 {
		return i.Blocks * 512
	}
	return (max(i.Size, 0) + 4095) / 4096 * 4096
}

// counted reports whether a file was counted by another of its names.
func (d *duRun) counted(i vfs.Info) bool {
	if d.links || i.Nlink < 2 || i.Ino == 0 {
		return false
	}
	key := [2]uint64{i.Dev, i.Ino}
	if d.seen[key] {
		return true
	}
	d.seen[key] = true
	return false
}

func (d *duRun) excluded(e *walk.Entry) bool {
	for _, p := range d.exclude {
		if pattern.Match(p, path.Base(e.Path), 0) || pattern.Match(p, e.Path, 0) {
			return true
		}
	}
	return false
}

func (d *duRun) print(size int64, name string, _ int) {
	if d.threshold > 0 && size < d.threshold || d.threshold < 0 && size > -d.threshold {
		return
	}
	_, _ = d.out.WriteString(d.block.String(uint64(size)) + "\t" + name + d.end)
}
