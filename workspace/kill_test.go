package workspace_test

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mirage/state"
	"mirage/workspace"
)

// The kill test runs this test binary again as a server that is killed with
// SIGKILL while it works, and looks at what is left. MIRAGE_KILL_ROUNDS sets
// how many times.
const (
	killChild  = "MIRAGE_KILL_CHILD" // the folder that the child works in
	killRounds = "MIRAGE_KILL_ROUNDS"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(killChild); dir != "" {
		if err := killedServer(dir); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// killedOpen opens the store, the manager and the workspace of the kill test.
func killedOpen(dir string) (state.Store, *workspace.Manager, *workspace.Session, error) {
	store, err := state.Open(filepath.Join(dir, "state"), state.Options{Layer: 64 << 10})
	if err != nil {
		return nil, nil, nil, err
	}
	m, err := workspace.Open(bg, workspace.Options{Store: store, Root: filepath.Join(dir, "state")})
	if err != nil {
		return nil, nil, nil, err
	}
	cfg, err := workspace.ParseConfig(fmt.Appendf(nil, `{"mounts": {"/data": {"vfs": "disk", "config": {"root": %q}}}}`, filepath.Join(dir, "files")))
	if err != nil {
		return nil, nil, nil, err
	}
	w, _, err := m.Create(bg, operator, "demo", cfg)
	if err != nil {
		return nil, nil, nil, err
	}
	s, err := w.NewSession(bg, workspace.SessionOptions{ID: "named"})
	if kind(err) == workspace.Conflict {
		s, err = w.Session(bg, "named")
	}
	return store, m, s, err
}

// killedServer works until it is killed: it changes a session by lines and a
// disk mount by whole files, and prints each step once it is acknowledged.
func killedServer(dir string) error {
	_, m, s, err := killedOpen(dir)
	if err != nil {
		return err
	}
	n, _ := strconv.Atoi(s.Getenv("n"))
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		n++
		job, err := s.Submit(bg, workspace.Line{Command: fmt.Sprintf("n=%d list[%d]=%d; f() { return %d; }; cd /data", n, n%50, n, n%200)})
		if err != nil {
			return err
		}
		if rec := job.Wait(bg); rec.Status != workspace.Done || rec.Result.ExitCode != 0 {
			return fmt.Errorf("line: %+v", rec)
		}
		fmt.Println("line", n, job.ID())
		view := s.View()
		if err := view.WriteFile(bg, "/data/new", killedContent(n), 0o644); err != nil {
			return err
		}
		if err := view.Rename(bg, "/data/new", "/data/file", 0); err != nil {
			return err
		}
		if err := view.Symlink(bg, fmt.Sprint(n), fmt.Sprintf("/data/link%d", n)); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
		fmt.Println("file", n)
		if n%40 == 0 {
			id := fmt.Sprint("w", n)
			cfg, err := workspace.ParseConfig([]byte(ramConfig))
			if err != nil {
				return err
			}
			if _, _, err := m.Create(bg, operator, id, cfg); err != nil {
				return err
			}
			fmt.Println("created", n)
			if _, err := m.Delete(bg, operator, id); err != nil {
				return err
			}
			fmt.Println("deleted", n)
		}
	}
	return nil
}

func killedContent(n int) []byte {
	return []byte(strings.Repeat(fmt.Sprintf("%d\n", n), 5000))
}

func TestKill9(t *testing.T) {
	rounds := 20
	if text := os.Getenv(killRounds); text != "" {
		var err error
		if rounds, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	lines := 0
	for round := range rounds {
		acked := killOnce(t, dir)
		checkKilled(t, dir, acked)
		if t.Failed() {
			t.Fatalf("in round %d, acknowledged %v", round, acked)
		}
		lines = max(lines, acked.line)
	}
	t.Logf("%d lines acknowledged in %d rounds", lines, rounds)
	if lines == 0 {
		t.Error("nothing was ever acknowledged")
	}
}

// acked is the last of each kind that the killed server acknowledged, 0 for
// none.
type acked struct {
	line, file, created, deleted int
	job                          string
}

func killOnce(t *testing.T, dir string) (last acked) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), killChild+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// The moment is counted in steps, not in time: it falls into the work
	// however slow the machine is.
	steps := 1 + rand.IntN(60)
	in := bufio.NewScanner(out)
	for in.Scan() {
		step, text, _ := strings.Cut(in.Text(), " ")
		number, job, _ := strings.Cut(text, " ")
		n, _ := strconv.Atoi(number)
		switch step {
		case "line":
			last.line, last.job = n, job
		case "file":
			last.file = n
		case "created":
			last.created = n
		case "deleted":
			last.deleted = n
		default:
			t.Errorf("the server said %q", in.Text())
		}
		if steps--; steps == 0 {
			go cmd.Process.Signal(syscall.SIGKILL) // and read what it still says
		}
	}
	if steps > 0 {
		t.Errorf("the server ended by itself")
	}
	_ = cmd.Wait() // it was killed
	return last
}

// checkKilled looks at what a killed server has left.
func checkKilled(t *testing.T, dir string, last acked) {
	t.Helper()
	store, m, s, err := killedOpen(dir)
	if err != nil {
		t.Errorf("does not open: %v", err)
		return
	}
	defer store.Close()
	defer m.Close(bg)
	n, _ := strconv.Atoi(s.Getenv("n"))
	if last.line != 0 && n != last.line && n != last.line+1 {
		t.Errorf("n is %d after line %d was acknowledged", n, last.line)
	}
	if n > 0 {
		res, err := s.Run(bg, workspace.Line{Command: fmt.Sprintf("f; echo $? ${list[%d]}; pwd", n%50), NoRecord: true})
		if want := fmt.Sprintf("%d %d\n/data\n", n%200, n); err != nil || string(res.Stdout) != want {
			t.Errorf("session: got %q, %v; want %q", res.Stdout, err, want)
		}
		history := s.History()
		if len(history) == 0 || !strings.HasPrefix(history[len(history)-1].Command, fmt.Sprintf("n=%d ", n)) {
			t.Errorf("history of %d lines does not end with line %d", len(history), n)
		}
	}
	if last.job != "" {
		if j, err := m.Job(bg, operator, last.job); err != nil || j.Record().Status != workspace.Done {
			t.Errorf("acknowledged job %s: %v", last.job, err)
		}
	}
	jobs, err := m.Jobs(bg, operator, "demo")
	if err != nil {
		t.Error(err)
	}
	for _, j := range jobs {
		if j.Finished.IsZero() || j.Status == workspace.Failing && j.Error != "server restarted" {
			t.Errorf("job %+v", j)
		}
	}
	text, err := s.View().ReadFile(bg, "/data/file", -1)
	if err == nil {
		first, _, _ := strings.Cut(string(text), "\n")
		k, _ := strconv.Atoi(first)
		if k < last.file || k > n || string(text) != string(killedContent(k)) {
			t.Errorf("file of %d bytes holds %d after %d was acknowledged", len(text), k, last.file)
		}
	} else if last.file > 0 {
		t.Error(err)
	}
	if last.file > 0 {
		target, err := s.View().Readlink(bg, fmt.Sprintf("/data/link%d", last.file))
		if err != nil || target != fmt.Sprint(last.file) {
			t.Errorf("link: got %q, %v", target, err)
		}
	}
	if last.created > 0 {
		_, err := m.Get(bg, operator, fmt.Sprint("w", last.created))
		if deleted := last.deleted == last.created; deleted && err == nil {
			t.Errorf("w%d is there after its deletion was acknowledged", last.created)
		}
	}
}
