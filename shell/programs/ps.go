package programs

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"mirage/shell/program"
	"mirage/shell/program/stream"
)

const psHelp = `Usage: ps [options]

Report the processes of the session.

 -A, -e                 all of them, as without this option
 a, x, -a, g, r         accepted: a session has no other processes
 -p, p, --pid LIST      those with these numbers
 --ppid LIST            the children of these
 -C LIST                those of these commands
 -u, -U, --user LIST    those of these users
 -f                     full-format listing
 u                      user-oriented format
 -o, o, --format LIST   user-defined format: pid, ppid, pgid, user, uid, stat,
                        s, tty, time, etime, etimes, start, comm, args, cmd,
                        ni, pcpu, pmem, vsz, rss; NAME=HEADER renames one
 --sort LIST            sort by these columns, -NAME the other way round
 --no-headers, h        no header
     --help     display this help and exit
     --version  output version information and exit
`

// psRun is one run of ps.
type psRun struct {
	inv       *program.Invocation
	columns   []psColumn
	pids      []int
	parents   []int
	commands  []string
	users     []string
	selected  bool // some option selects
	headerOff bool
	sort      []string
}

// psColumn is a column of the listing. The last one is not padded.
type psColumn struct {
	header string
	width  int  // negative for text on the left
	own    bool // the header was given
	value  func(r *psRun, p program.Process) string
}

var psColumns = map[string]psColumn{
	"pid":    {header: "PID", width: 7, value: func(_ *psRun, p program.Process) string { return strconv.Itoa(p.PID) }},
	"ppid":   {header: "PPID", width: 7, value: func(_ *psRun, p program.Process) string { return strconv.Itoa(p.PPID) }},
	"pgid":   {header: "PGID", width: 7, value: func(_ *psRun, p program.Process) string { return strconv.Itoa(p.Group) }},
	"user":   {header: "USER", width: -8, value: func(r *psRun, _ program.Process) string { return r.inv.User }},
	"uid":    {header: "UID", width: 5, value: func(*psRun, program.Process) string { return strconv.Itoa(program.UID) }},
	"stat":   {header: "STAT", width: -4, value: func(_ *psRun, p program.Process) string { return p.State }},
	"s":      {header: "S", width: -1, value: func(_ *psRun, p program.Process) string { return p.State }},
	"tty":    {header: "TT", width: -8, value: func(_ *psRun, p program.Process) string { return cmp.Or(p.Terminal, "?") }},
	"time":   {header: "TIME", width: 8, value: func(*psRun, program.Process) string { return "00:00:00" }},
	"etime":  {header: "ELAPSED", width: 11, value: func(r *psRun, p program.Process) string { return psElapsed(r.age(p)) }},
	"etimes": {header: "ELAPSED", width: 7, value: func(r *psRun, p program.Process) string { return strconv.Itoa(int(r.age(p).Seconds())) }},
	"start":  {header: "STARTED", width: 8, value: func(r *psRun, p program.Process) string { return p.Started.In(r.inv.Location).Format("15:04:05") }},
	"stime":  {header: "STIME", width: -5, value: func(r *psRun, p program.Process) string { return r.began(p) }},
	"comm":   {header: "COMMAND", width: -15, value: func(_ *psRun, p program.Process) string { return psName(p) }},
	"args":   {header: "COMMAND", width: -27, value: func(_ *psRun, p program.Process) string { return p.Command }},
	"cmd":    {header: "CMD", width: -27, value: func(_ *psRun, p program.Process) string { return p.Command }},
	"ni":     {header: "NI", width: 3, value: func(*psRun, program.Process) string { return "0" }},
	"pcpu":   {header: "%CPU", width: 4, value: func(*psRun, program.Process) string { return "0.0" }},
	"pmem":   {header: "%MEM", width: 4, value: func(*psRun, program.Process) string { return "0.0" }},
	"vsz":    {header: "VSZ", width: 6, value: func(*psRun, program.Process) string { return "0" }},
	"rss":    {header: "RSS", width: 5, value: func(*psRun, program.Process) string { return "0" }},
	// Of the listings that have a name only.
	"c":       {header: "C", width: 2, value: func(*psRun, program.Process) string { return "0" }},
	"UID":     {header: "UID", width: -8, value: func(r *psRun, _ program.Process) string { return r.inv.User }},
	"TTY":     {header: "TTY", width: -8, value: func(_ *psRun, p program.Process) string { return cmp.Or(p.Terminal, "?") }},
	"CMD":     {header: "CMD", width: -15, value: func(_ *psRun, p program.Process) string { return psName(p) }},
	"START":   {header: "START", width: -5, value: func(r *psRun, p program.Process) string { return r.began(p) }},
	"bsdtime": {header: "TIME", width: 6, value: func(*psRun, program.Process) string { return "0:00" }},
}

// psNames are other names of columns.
var psNames = map[string]string{
	"command": "args", "ucmd": "comm", "ucomm": "comm", "pgrp": "pgid", "state": "s", "tt": "tty", "tname": "tty", "cputime": "time", "nice": "ni",
	"euser": "user", "uname": "user", "ruser": "user", "euid": "uid", "%cpu": "pcpu", "%mem": "pmem", "rssize": "rss", "start_time": "stime",
}

func psListing(names ...string) (list []psColumn) {
	for _, n := range names {
		list = append(list, psColumns[n])
	}
	return list
}

func (r *psRun) age(p program.Process) time.Duration { return max(r.inv.Now().Sub(p.Started), 0) }

// began is when a process started: the time of today, else the day.
func (r *psRun) began(p program.Process) string {
	at, now := p.Started.In(r.inv.Location), r.inv.Now().In(r.inv.Location)
	if at.YearDay() == now.YearDay() && at.Year() == now.Year() {
		return at.Format("15:04")
	}
	return at.Format("Jan02")
}

// psElapsed is [[DD-]hh:]mm:ss.
func psElapsed(d time.Duration) string {
	s := int(d.Seconds())
	days, h, m := s/86400, s/3600%24, s/60%60
	switch {
	case days > 0:
		return fmt.Sprintf("%d-%02d:%02d:%02d", days, h, m, s%60)
	case h > 0:
		return fmt.Sprintf("%02d:%02d:%02d", h, m, s%60)
	}
	return fmt.Sprintf("%02d:%02d", m, s%60)
}

// psName is the name of a process: that of its program.
func psName(p program.Process) string {
	name, _, _ := strings.Cut(p.Command, " ")
	return path.Base(name)
}

func runPs(_ context.Context, inv *program.Invocation) int {
	r := &psRun{inv: inv, columns: psListing("pid", "TTY", "time", "CMD")}
	if status, done := r.parse(inv.Args); done {
		return status
	}
	var rows []program.Process
	if inv.Processes != nil {
		rows = slices.DeleteFunc(inv.Processes.List(), func(p program.Process) bool { return !r.picks(p) })
	}
	for _, key := range slices.Backward(r.sort) {
		r.order(rows, key)
	}
	out := stream.Stdout(inv)
	if !r.headerOff && slices.ContainsFunc(r.columns, func(c psColumn) bool { return c.header != "" }) {
		r.line(out, func(c psColumn) string { return c.header })
	}
	for _, p := range rows {
		r.line(out, func(c psColumn) string { return c.value(r, p) })
	}
	status := 0
	if len(rows) == 0 {
		status = 1
	}
	return out.Close(inv, status)
}

// line writes a line of the listing.
func (r *psRun) line(out *stream.Writer, text func(psColumn) string) {
	for i, c := range r.columns {
		if i > 0 {
			out.WriteByte(' ')
		}
		s := text(c)
		width := c.width
		if c.own { // a longer header widens its column
			if n := len(c.header); width < 0 {
				width = min(width, -n)
			} else {
				width = max(width, n)
			}
		}
		if i == len(r.columns)-1 && width < 0 {
			out.WriteString(s)
			continue
		}
		fmt.Fprintf(out, "%*s", width, s)
	}
	out.WriteByte('\n')
}

// picks reports whether a process is to be listed.
func (r *psRun) picks(p program.Process) bool {
	return !r.selected || slices.Contains(r.pids, p.PID) || slices.Contains(r.parents, p.PPID) || slices.Contains(r.commands, psName(p)) ||
		slices.ContainsFunc(r.users, func(u string) bool { return u == r.inv.User || u == strconv.Itoa(program.UID) })
}

// order sorts by a column; "-" in front turns the order round.
func (r *psRun) order(rows []program.Process, key string) {
	name := strings.TrimLeft(key, "+-")
	c := psColumns[psColumnName(name)]
	slices.SortStableFunc(rows, func(a, b program.Process) int {
		x, y := c.value(r, a), c.value(r, b)
		m, errX := strconv.ParseFloat(x, 64)
		n, errY := strconv.ParseFloat(y, 64)
		d := strings.Compare(x, y)
		if errX == nil && errY == nil {
			d = cmp.Compare(m, n)
		}
		if strings.HasPrefix(key, "-") {
			return -d
		}
		return d
	})
}

func psColumnName(name string) string {
	if other, ok := psNames[name]; ok {
		return other
	}
	return name
}
