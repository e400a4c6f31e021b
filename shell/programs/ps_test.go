package programs

import (
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mirage/shell/program"
	"mirage/shell/programs/progtest"
)

// processList is a process table that does not change.
type processList []program.Process

func (l processList) List() []program.Process { return slices.Clone(l) }

func (processList) Signal(int, int) error { return nil }

func TestPs(t *testing.T) {
	now := time.Date(2024, 1, 2, 13, 14, 15, 0, time.UTC)
	list := processList{
		{PID: 300, Group: 300, Command: "bash", State: "S", Started: now.Add(-90 * time.Minute), Terminal: "pts/0"},
		{PID: 301, PPID: 300, Group: 301, Command: "/usr/bin/sleep 100", State: "T", Started: now.Add(-50 * time.Hour), Terminal: "pts/0"},
		{PID: 302, PPID: 300, Group: 300, Command: "ps -f", State: "R", Started: now},
	}
	for _, test := range []struct {
		args, stdout, stderr string
		status               int
	}{
		{"", "    PID TTY          TIME CMD\n    300 pts/0    00:00:00 bash\n    301 pts/0    00:00:00 sleep\n    302 ?        00:00:00 ps\n", "", 0},
		{"-ef", "UID          PID    PPID  C STIME TTY          TIME CMD\nroot         300       0  0 11:44 pts/0    00:00:00 bash\n" +
			"root         301     300  0 Dec31 pts/0    00:00:00 /usr/bin/sleep 100\nroot         302     300  0 13:14 ?        00:00:00 ps -f\n", "", 0},
		{"aux", "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\nroot         300  0.0  0.0      0     0 pts/0    S    11:44   0:00 bash\n" +
			"root         301  0.0  0.0      0     0 pts/0    T    Dec31   0:00 /usr/bin/sleep 100\nroot         302  0.0  0.0      0     0 ?        R    13:14   0:00 ps -f\n", "", 0},
		{"-p 301 -o pid,ppid,pgid,stat,tty,etime,comm", "    PID    PPID    PGID STAT TT           ELAPSED COMMAND\n    301     300     301 T    pts/0     2-02:00:00 sleep\n", "", 0},
		{"-p 301,302 -o pid= -o args=", "    301 /usr/bin/sleep 100\n    302 ps -f\n", "", 0},
		{"-o pid=NUMBER -p 300", " NUMBER\n    300\n", "", 0},
		{"-C sleep -o pid --no-headers", "    301\n", "", 0},
		{"--ppid 300 -o pid= --sort=-pid", "    302\n    301\n", "", 0},
		{"300 h", "    300 pts/0    00:00:00 bash\n", "", 0},
		{"-p 999", "    PID TTY          TIME CMD\n", "", 1},
		{"-p x", "", "error: process ID list syntax error\n\nUsage:\n ps [options]\n\n Try 'ps --help'\n  for additional help text.\n", 1},
		{"-o nope", "", "error: unknown user-defined format specifier \"nope\"\n\nUsage:\n ps [options]\n\n Try 'ps --help'\n  for additional help text.\n", 1},
	} {
		w := progtest.NewWorld(t, All())
		var stdout, stderr strings.Builder
		inv := w.Invocation(progtest.Case{}, strings.NewReader(""), &stdout, &stderr)
		inv.Name, inv.Args, inv.Processes = "ps", strings.Fields(test.args), list
		inv.Now = func() time.Time { return now }
		i := slices.IndexFunc(All(), func(p *program.Program) bool { return p.Name == "ps" })
		status := All()[i].Run(t.Context(), inv)
		if stdout.String() != test.stdout || stderr.String() != test.stderr || status != test.status {
			t.Errorf("ps %s: %d\n%s%s\nwant %d\n%s%s", test.args, status, stdout.String(), stderr.String(), test.status, test.stdout, test.stderr)
		}
	}
}

func TestPrintenv(t *testing.T) {
	progtest.Run(t, All(), "printenv", []progtest.Case{
		{Args: "A B", Env: []string{"A=1", "B=x y"}, Stdout: "1\nx y\n"},
		{Args: "-0 A", Env: []string{"A=1"}, Stdout: "1\x00"},
		{Args: "A NOPE", Env: []string{"A=1"}, Stdout: "1\n", Status: 1},
		{Args: "NOPE", Status: 1},
		{Args: "-x", Stderr: "printenv: invalid option -- 'x'\nTry 'printenv --help' for more information.\n", Status: 2},
	})
}

func TestKill(t *testing.T) {
	for _, test := range []struct {
		args, stdout, stderr string
		status               int
	}{
		{"-l", "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT\nCHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH POLL PWR SYS\n", "", 0},
		{"-l 9 TERM 137", "KILL\n15\nKILL\n", "", 0},
		{"301", "", "", 0},
		{"-9 301 302", "", "kill: (302): No such process\n", 1},
		{"-s USR1 -- 301", "", "", 0},
		{"abc", "", "kill: failed to parse argument: 'abc'\n", 1},
		{"", "", killHelp, 1},
	} {
		w := progtest.NewWorld(t, All())
		var stdout, stderr strings.Builder
		inv := w.Invocation(progtest.Case{}, strings.NewReader(""), &stdout, &stderr)
		inv.Name, inv.Args, inv.Processes = "kill", strings.Fields(test.args), onlyProcess(301)
		status := killProgram().Run(t.Context(), inv)
		if stdout.String() != test.stdout || stderr.String() != test.stderr || status != test.status {
			t.Errorf("kill %s: %d %q %q, want %d %q %q", test.args, status, stdout.String(), stderr.String(), test.status, test.stdout, test.stderr)
		}
	}
}

// onlyProcess is a table of one process.
type onlyProcess int

func (onlyProcess) List() []program.Process { return nil }

func (p onlyProcess) Signal(pid, _ int) error {
	if pid != int(p) {
		return syscall.ESRCH
	}
	return nil
}
