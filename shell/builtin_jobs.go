package shell

import (
	"slices"
	"strings"
)

// jobControl reports whether fg and bg work: on a front end's line, and with
// set -m.
func (e *Executor) jobControl(name string) bool {
	if e.origin == fromLine || e.opts[optMonitor] {
		return true
	}
	e.errorf("%s: no job control", name)
	return false
}

// builtinBg lets stopped jobs go on in the background.
func builtinBg(e *Executor, args []string) int {
	_, rest, ok := e.parseFlags(args, "")
	if !ok {
		return 2
	}
	if !e.jobControl("bg") {
		return 1
	}
	if len(rest) == 0 {
		rest = []string{"%+"}
		if e.jobs.nth(1) == nil {
			e.errorf("bg: current: no such job")
			return 1
		}
	}
	status := 0
	for _, spec := range rest {
		j := e.jobOf("bg", spec)
		if j == nil {
			status = 1
			continue
		}
		if !j.proc.frozen.Load() {
			e.errorf("bg: job %d already in background", j.id)
			continue
		}
		e.write("bg", []byte("["+itoa(j.id)+"]"+e.jobs.mark(j)+" "+j.command+" &\n"))
		j.proc.deliver(sigCONT)
	}
	return status
}

// jobOf finds the job that an operand of a job builtin names.
func (e *Executor) jobOf(name, spec string) *job {
	s := spec
	if !strings.HasPrefix(s, "%") {
		if n, ok := atoi(s); ok {
			if j := e.jobs.byPID(n); j != nil {
				return j
			}
		}
		s = "%" + s
	}
	j, ambiguous := e.jobs.find(s)
	if ambiguous {
		e.errorf("%s: %s: ambiguous job spec", name, spec)
	}
	if j == nil {
		e.errorf("%s: %s: no such job", name, spec)
	}
	return j
}

func builtinJobs(e *Executor, args []string) int {
	f, rest, ok := e.parseFlags(args, "lnprsx")
	if !ok {
		return 2
	}
	if f.on['x'] {
		words := slices.Clone(rest)
		for i, w := range words {
			if strings.HasPrefix(w, "%") {
				if j, _ := e.jobs.find(w); j != nil {
					words[i] = itoa(j.proc.pid)
				}
			}
		}
		if len(words) == 0 {
			return 0
		}
		return e.spawn(e.resolve(words))
	}
	list := slices.Clone(e.jobs.jobs)
	if len(list) == 0 {
		list = e.jobs.inherited
	}
	if !e.controls() {
		list = nil
	}
	if len(rest) > 0 {
		list = nil
		for _, spec := range rest {
			j := e.jobOf("jobs", spec)
			if j == nil {
				return 1
			}
			list = append(list, j)
		}
	}
	var b strings.Builder
	for _, j := range list {
		ended := j.proc.ended()
		stopped := j.proc.frozen.Load()
		if f.on['r'] && (ended || stopped) || f.on['s'] && !stopped {
			continue
		}
		if f.on['p'] {
			b.WriteString(itoa(j.proc.pid) + "\n")
			continue
		}
		b.WriteString(e.jobLine(j, f.on['l']) + "\n")
		if ended && slices.Contains(e.jobs.jobs, j) {
			j.reported = true
			defer e.jobs.remove(j)
		}
	}
	if b.Len() > 0 && !e.write("jobs", []byte(b.String())) {
		return 1
	}
	return 0
}

// jobLine words the state of a job as jobs does.
func (e *Executor) jobLine(j *job, long bool) string {
	state := "Running"
	amp := " &"
	switch {
	case j.proc.ended():
		amp = ""
		switch {
		case j.proc.killer != 0:
			state = j.proc.killer.text()
		case j.proc.status != 0:
			state = "Exit " + itoa(j.proc.status)
		default:
			state = "Done"
		}
	case j.proc.frozen.Load():
		state, amp = "Stopped", ""
	}
	pid := ""
	if long {
		pid = " " + itoa(j.proc.pid)
		return "[" + itoa(j.id) + "]" + e.jobs.mark(j) + pid + " " + padRight(state, 23) + j.command + amp
	}
	return "[" + itoa(j.id) + "]" + e.jobs.mark(j) + "  " + padRight(state, 23) + " " + j.command + amp
}

func builtinWait(e *Executor, args []string) int {
	f, rest, ok := e.parseFlags(args, "fnp:")
	if !ok {
		return 2
	}
	if f.on['p'] {
		e.x.UnsetRef(e.ctx, f.arg['p'])
	}
	setPID := func(pid int) {
		if f.on['p'] {
			e.x.SetRef(e.ctx, f.arg['p'], itoa(pid))
		}
	}
	if f.on['n'] {
		return e.waitAny(rest, setPID)
	}
	if len(rest) == 0 {
		for _, j := range slices.Clone(e.jobs.jobs) {
			if !e.waitProcess(e.ctx, j.proc) {
				return e.waitInterrupted()
			}
			j.reported = true
			e.jobs.remove(j)
			e.reportKilled(j.proc, j.command)
		}
		if p := e.procSubst; p != nil && e.lastJob == p.pid {
			if !e.waitProcess(e.ctx, p) {
				return e.waitInterrupted()
			}
		}
		return 0
	}
	status := 0
	for _, spec := range rest {
		status = e.waitOne(spec, setPID)
		if e.flow != flowNone || e.pending.Load() != 0 {
			return status
		}
	}
	return status
}

// waitOne waits for one process or job.
func (e *Executor) waitOne(spec string, setPID func(int)) int {
	if !strings.HasPrefix(spec, "%") {
		n, ok := atoi(spec)
		if !ok {
			e.errorf("wait: `%s': not a pid or valid job spec", spec)
			return 1
		}
		j := e.jobs.byPID(n)
		if j == nil {
			if p := e.procSubst; p != nil && p.pid == n {
				if !e.waitProcess(e.ctx, p) {
					return e.waitInterrupted()
				}
				setPID(n)
				return p.status
			}
			if status, ok := e.jobs.ended[n]; ok {
				setPID(n)
				return status
			}
			e.errorf("wait: pid %d is not a child of this shell", n)
			return 127
		}
		return e.waitJob(j, setPID)
	}
	j, _ := e.jobs.find(spec)
	if j == nil {
		e.errorf("wait: %s: no such job", spec)
		return 127
	}
	return e.waitJob(j, setPID)
}

func (e *Executor) waitJob(j *job, setPID func(int)) int {
	if !e.waitProcess(e.ctx, j.proc) {
		return e.waitInterrupted()
	}
	j.reported = true
	setPID(j.proc.pid)
	e.jobs.remove(j)
	e.reportKilled(j.proc, j.command)
	return j.proc.status
}

// waitInterrupted is the status of a wait that a trapped signal ended.
func (e *Executor) waitInterrupted() int {
	if e.ctx.Err() != nil {
		e.stopKilled()
		return e.status
	}
	mask := e.pending.Load()
	for s := 1; s <= 64; s++ {
		if mask&(1<<(s-1)) != 0 {
			return 128 + s
		}
	}
	return 128
}

// waitAny is wait -n: the first of the given jobs, or of all, to end.
func (e *Executor) waitAny(specs []string, setPID func(int)) int {
	list := e.jobs.jobs
	if len(specs) > 0 {
		list = nil
		for _, spec := range specs {
			j, _ := e.jobs.find(spec)
			if n, ok := atoi(spec); ok {
				j = e.jobs.byPID(n)
			}
			if j == nil {
				e.errorf("wait: %s: no such job", spec)
				continue
			}
			list = append(list, j)
		}
	}
	if len(list) == 0 {
		return 127
	}
	list = slices.Clone(list)
	stop := make(chan struct{})
	defer close(stop)
	first := make(chan *job, len(list))
	for _, j := range list {
		if j.proc.ended() {
			return e.waitJob(j, setPID)
		}
		go func() {
			select {
			case <-j.proc.done:
				first <- j
			case <-stop:
			}
		}()
	}
	for {
		select {
		case j := <-first:
			return e.waitJob(j, setPID)
		case <-e.ctx.Done():
			return e.waitInterrupted()
		case <-e.wakeup:
			if e.pending.Load() != 0 {
				return e.waitInterrupted()
			}
		}
	}
}

func builtinFg(e *Executor, args []string) int {
	_, rest, ok := e.parseFlags(args, "")
	if !ok {
		return 2
	}
	if !e.jobControl("fg") {
		return 1
	}
	var j *job
	if len(rest) == 0 {
		if j = e.jobs.nth(1); j == nil {
			e.errorf("fg: current: no such job")
			return 1
		}
	} else if j = e.jobOf("fg", rest[0]); j == nil {
		return 1
	}
	e.write("fg", []byte(j.command+"\n"))
	j.proc.deliver(sigCONT)
	return e.waitJob(j, func(int) {})
}

func builtinDisown(e *Executor, args []string) int {
	f, rest, ok := e.parseFlags(args, "ahr")
	if !ok {
		return 2
	}
	var list []*job
	switch {
	case len(rest) > 0:
		for _, spec := range rest {
			j := e.jobOf("disown", spec)
			if j == nil {
				return 1
			}
			list = append(list, j)
		}
	case f.on['a'] || f.on['r']:
		list = slices.Clone(e.jobs.jobs)
	default:
		j := e.jobs.nth(1)
		if j == nil {
			e.errorf("disown: current: no such job")
			return 1
		}
		list = []*job{j}
	}
	for _, j := range list {
		if f.on['r'] && j.proc.ended() {
			continue
		}
		if f.on['h'] {
			j.nohup = true
			continue
		}
		j.disowned = true
		e.jobs.remove(j)
	}
	return 0
}

func builtinKill(e *Executor, args []string) int {
	rest := args[1:]
	if len(rest) == 0 {
		return e.usage("kill")
	}
	sig := sigTERM
	for len(rest) > 0 {
		w := rest[0]
		switch {
		case w == "-l" || w == "-L":
			return e.killList(rest[1:])
		case w == "--":
			rest = rest[1:]
		case w == "-s" || w == "-n":
			if len(rest) < 2 {
				e.errorf("kill: %s: option requires an argument", w)
				return e.usage("kill")
			}
			s, ok := parseSignal(rest[1])
			if !ok {
				e.errorf("kill: %s: invalid signal specification", rest[1])
				return 1
			}
			sig, rest = s, rest[2:]
			continue
		case len(w) > 1 && w[0] == '-':
			name := w[1:]
			if len(name) > 1 && (name[0] == 's' || name[0] == 'n') && (name[1] >= 'A' && name[1] <= 'Z' || name[1] >= '0' && name[1] <= '9') {
				name = name[1:]
			}
			s, ok := parseSignal(name)
			if !ok {
				e.errorf("kill: %s: invalid signal specification", w[1:])
				return 1
			}
			sig, rest = s, rest[1:]
			if len(rest) > 0 && rest[0] == "--" {
				rest = rest[1:]
			}
		}
		break
	}
	if len(rest) == 0 {
		return e.usage("kill")
	}
	status := 0
	for _, target := range rest {
		if !e.killOne(target, sig) {
			status = 1
		}
		if e.interrupted() {
			return e.status
		}
	}
	return status
}

func (e *Executor) killOne(target string, sig signal) bool {
	if strings.HasPrefix(target, "%") {
		j, _ := e.jobs.find(target)
		if j == nil || !e.controls() {
			e.errorf("kill: %s: no such job", target)
			return false
		}
		if j.proc.ended() {
			e.errorf("kill: (%d) - No such process", j.proc.pid)
			return false
		}
		e.signalJob(j, sig)
		return true
	}
	n, ok := number(target)
	if !ok {
		e.errorf("kill: %s: arguments must be process or job IDs", target)
		return false
	}
	if !e.controls() || e.s.table.signal(e.proc, n, sig) != nil {
		e.errorf("kill: (%d) - No such process", n)
		return false
	}
	return true
}

// signalJob signals every process of a job.
func (e *Executor) signalJob(j *job, sig signal) {
	if sig != 0 {
		j.proc.deliver(sig)
	}
}

// killList is kill -l.
func (e *Executor) killList(names []string) int {
	if len(names) == 0 {
		e.listSignals("kill")
		return 0
	}
	status := 0
	for _, n := range names {
		if num, ok := atoi(n); ok {
			if num > 128 {
				num -= 128
			}
			name := signal(num).String()
			if num == 0 {
				name = "EXIT"
			}
			if name == "" {
				e.errorf("kill: %s: invalid signal specification", n)
				status = 1
				continue
			}
			e.write("kill", []byte(name+"\n"))
			continue
		}
		s, ok := parseSignal(n)
		if !ok {
			e.errorf("kill: %s: invalid signal specification", n)
			status = 1
			continue
		}
		e.write("kill", []byte(itoa(int(s))+"\n"))
	}
	return status
}
