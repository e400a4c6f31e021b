package programs

import (
	"context"
	"path"
	"strconv"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/number"
	"mirage/shell/program/stream"
	"mirage/vfs"
)

var dfSpec = getopt.Spec{
	Name:     "df",
	Synopsis: []string{"[OPTION]... [FILE]..."},
	Summary: "Show information about the file system on which each FILE resides,\n" +
		"or all file systems by default.",
	Options: []getopt.Option{
		{Short: "a", Long: "all", Help: "include pseudo, duplicate, inaccessible file systems"},
		{Short: "B", Long: "block-size", Arg: getopt.Required, Meta: "SIZE", Help: "scale sizes by SIZE before printing them"},
		{Short: "h", Long: "human-readable", Help: "print sizes in powers of 1024 (e.g., 1023M)"},
		{Short: "H", Long: "si", Help: "print sizes in powers of 1000 (e.g., 1.1G)"},
		{Short: "i", Long: "inodes", Help: "list inode information instead of block usage"},
		{Short: "k", Help: "like --block-size=1K"},
		{Short: "l", Long: "local", Help: "limit listing to local file systems"},
		{Short: "P", Long: "portability", Help: "use the POSIX output format"},
		{Short: "t", Long: "type", Arg: getopt.Required, Meta: "TYPE", Help: "limit listing to file systems of type TYPE"},
		{Short: "T", Long: "print-type", Help: "print file system type"},
		{Short: "x", Long: "exclude-type", Arg: getopt.Required, Meta: "TYPE", Help: "limit listing to file systems not of type TYPE"},
		{Long: "total", Help: "produce a grand total"},
	},
}

type dfRun struct {
	inv                         *program.Invocation
	block                       number.Format
	inodes, posix, types, total bool
	only, except                map[string]bool
	rows                        [][]string
	sumSize, sumUsed, sumAvail  int64
}

func runDf(ctx context.Context, inv *program.Invocation) int {
	d := dfRun{inv: inv, block: number.DefaultBlock(inv.LookupEnv, "DF_BLOCK_SIZE"), only: map[string]bool{}, except: map[string]bool{}}
	p := dfSpec.Parse(inv)
	for p.Next() {
		switch p.Opt.Name {
		case "B":
			f, err := number.ParseBlockSize(p.Opt.Value)
			if err != nil {
				return p.Fail("invalid --block-size argument %s", inv.QuoteArg(p.Opt.Value))
			}
			d.block = f
		case "h":
			d.block = number.Human
		case "H":
			d.block = number.SI
		case "i":
			d.inodes = true
		case "k":
			d.block = number.Format{Block: 1024}
		case "P":
			d.posix = true
		case "t":
			d.only[p.Opt.Value] = true
		case "T":
			d.types = true
		case "x":
			d.except[p.Opt.Value] = true
		case "total":
			d.total = true
		}
	}
	if p.Stopped {
		return p.Status
	}
	d.head()
	status := 0
	if len(p.Operands) == 0 {
		for _, m := range inv.FS.Mounts() {
			d.row(ctx, m)
		}
	}
	for _, operand := range p.Operands {
		name, err := inv.FS.RealPath(ctx, inv.Path(operand))
		if err != nil {
			inv.FileError(operand, err)
			status = 1
			continue
		}
		d.row(ctx, inv.FS.MountOf(name))
	}
	if len(d.rows) == 1 {
		if status == 0 {
			inv.Errorf("no file systems processed")
		}
		return 1
	}
	if d.total {
		d.add("total", "-", "-", d.sumSize, d.sumUsed, d.sumAvail)
	}
	out := stream.Stdout(inv)
	d.print(out)
	return out.Close(inv, status)
}

// head writes the line of column names.
func (d *dfRun) head() {
	size := "1K-blocks"
	switch {
	case d.inodes:
		size = "Inodes"
	case d.block.Auto:
		size = "Size"
	case d.posix:
		size = strconv.FormatUint(d.block.Block, 10) + "-blocks"
	case d.block.Block != 1024:
		size = strings.TrimSuffix(number.Human.String(d.block.Block), "B") + "-blocks"
		if d.block.Block < 1024 {
			size = strconv.FormatUint(d.block.Block, 10) + "B-blocks"
		}
	}
	row := []string{"Filesystem"}
	if d.types {
		row = append(row, "Type")
	}
	row = append(row, size)
	switch {
	case d.inodes:
		row = append(row, "IUsed", "IFree", "IUse%")
	case d.posix:
		row = append(row, "Used", "Available", "Capacity")
	case d.block.Auto:
		row = append(row, "Used", "Avail", "Use%")
	default:
		row = append(row, "Used", "Available", "Use%")
	}
	d.rows = append(d.rows, append(row, "Mounted on"))
}

// row adds one mount; figures that its backend does not know read "-".
func (d *dfRun) row(ctx context.Context, m vfs.MountInfo) {
	if len(d.only) > 0 && !d.only[m.Kind] || d.except[m.Kind] {
		return
	}
	u, err := d.inv.FS.StatFS(ctx, m.Prefix)
	if err != nil {
		u = vfs.Usage{Total: -1, Free: -1, Avail: -1, Files: -1, FilesFree: -1}
	}
	total, used, avail := u.Total, u.Total-u.Free, u.Avail
	if d.inodes {
		total, used, avail = u.Files, u.Files-u.FilesFree, u.FilesFree
	}
	if total < 0 || used < 0 || avail < 0 {
		total, used, avail = -1, -1, -1
	} else {
		d.sumSize += total
		d.sumUsed += used
		d.sumAvail += avail
	}
	d.add(m.Kind, m.Kind, path.Clean(m.Prefix), total, used, avail)
}

func (d *dfRun) add(name, kind, on string, total, used, avail int64) {
	show := func(n int64) string {
		switch {
		case n < 0:
			return "-"
		case d.inodes && !d.block.Auto:
			return strconv.FormatInt(n, 10)
		}
		return d.block.String(uint64(n))
	}
	percent := "-"
	if used >= 0 && used+avail > 0 {
		percent = strconv.FormatInt((used*100+used+avail-1)/(used+avail), 10) + "%"
	}
	row := []string{name}
	if d.types {
		row = append(row, kind)
	}
	d.rows = append(d.rows, append(row, show(total), show(used), show(avail), percent, on))
}

// print writes the table: names to the left, figures to the right.
func (d *dfRun) print(out *stream.Writer) {
	width := make([]int, len(d.rows[0]))
	for _, row := range d.rows {
		for i, cell := range row {
			width[i] = max(width[i], len(cell))
		}
	}
	width[0] = max(width[0], 14)
	left := 1
	if d.types {
		left = 2
	}
	for i := left; i < len(width)-2; i++ {
		width[i] = max(width[i], 5)
	}
	for _, row := range d.rows {
		for i, cell := range row {
			pad := strings.Repeat(" ", width[i]-len(cell))
			switch {
			case i == len(row)-1:
				_, _ = out.WriteString(" " + cell + "\n")
			case i == 0:
				_, _ = out.WriteString(cell + pad)
			case i < left:
				_, _ = out.WriteString(" " + cell + pad)
			default:
				_, _ = out.WriteString(" " + pad + cell)
			}
		}
	}
}
