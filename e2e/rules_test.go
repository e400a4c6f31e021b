package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
)

// ruleFiles are the files of every workspace of the table.
var ruleFiles = strings.Fields(`/data/a.csv /data/raw/c.csv /data/raw/notes /data/raw/deep/d.csv /data/c.key /keys/k /keys/pub/p /vault/s
	/vault/policies/p1 /vault/policies/p2 /app/prod.env /app/main.py /app/list.csv /docs/readme.env/x /build/tmp /build/cache/a
	/rw/f /rw/a.key /rw/private/x /rw/d/b.key /rw/frozen/z`)

// rulesBench is one profile of the table under test.
type rulesBench struct {
	s         *server
	workspace string
	sftp      *sftp.Client
}

// TestRules checks each row of the table through HTTP, SFTP, programs,
// redirections and find -exec, and that explain says the same before.
func TestRules(t *testing.T) {
	s := newServer(t)
	need(t, "ssh-keygen")
	s.makeKey("id", `mirage-profile="p"`)
	s.serve()
	rows := 0
	for i, table := range rulesTable {
		t.Run(table.name, func(t *testing.T) {
			b := newRulesBench(t, s, fmt.Sprintf("w%d", i), table.profile)
			for _, line := range strings.Split(strings.TrimSpace(table.rows), "\n") {
				verdict, rest, _ := strings.Cut(line, " ")
				action, rest, _ := strings.Cut(rest, " ")
				if action == "run" {
					for _, command := range strings.Split(rest, "; ") {
						rows++
						b.run(t, verdict, command)
					}
					continue
				}
				for _, path := range strings.Fields(rest) {
					rows++
					b.act(t, verdict, action, path)
				}
			}
		})
	}
	if rows < 400 {
		t.Errorf("%d rows, want 400 or more", rows)
	}
}

func newRulesBench(t *testing.T, s *server, workspace, profile string) *rulesBench {
	t.Helper()
	s.create(workspace, `{"mounts": {"/": {"vfs": "ram"}, "/rw": {"vfs": "ram"}, "/ro": {"vfs": "ram", "mode": "read"}}, "profiles": {"p": `+profile+`}}`)
	if status, text := s.api("POST", "/v1/workspaces/"+workspace+"/sessions", `{"session_id": "s", "profile": "p"}`); status != 201 {
		t.Fatalf("session: %d %s", status, text)
	}
	key, err := os.ReadFile(s.path("id"))
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.ParsePrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := ssh.Dial("tcp", s.ssh, &ssh.ClientConfig{
		User: workspace, Auth: []ssh.AuthMethod{ssh.PublicKeys(signer)}, HostKeyCallback: ssh.InsecureIgnoreHostKey(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	client, err := sftp.NewClient(conn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return &rulesBench{s, workspace, client}
}

// reset brings the files back, as a session without rules.
func (b *rulesBench) reset(t *testing.T) {
	t.Helper()
	line := "rm -rf /[a-z]* 2>/dev/null; mkdir -p"
	for _, f := range ruleFiles {
		line += " " + f[:strings.LastIndexByte(f, '/')]
	}
	line += " && echo text | tee " + strings.Join(ruleFiles, " ")
	if got := b.s.shell(b.workspace, line); got.status != 0 {
		t.Fatalf("reset: %v", got)
	}
}

// errnoOf is what a verdict means for a call.
var errnoOf = map[string]string{"ok": "", "denied": "EACCES", "asked": "EACCES", "blocked": "EACCES", "absent": "ENOENT", "fixed": "EROFS"}

// act tries an action through every door.
func (b *rulesBench) act(t *testing.T, verdict, action, path string) {
	t.Helper()
	want, ok := errnoOf[verdict]
	if !ok {
		t.Fatalf("no such verdict: %s", verdict)
	}
	src, dst, _ := strings.Cut(path, ":")
	b.reset(t)
	outcome, errno := b.explainCall(t, action, src, dst)
	if errno != want || (outcome == "ask") != (verdict == "asked") || outcome == "deny" && verdict != "denied" && verdict != "fixed" {
		t.Errorf("%s %s: explained as %s, %q, want %s, %q", action, path, outcome, errno, verdict, want)
	}
	if got := b.http(t, action, src, dst); got != want {
		t.Errorf("%s %s over HTTP: got %q, want %q", action, path, got, want)
	}
	b.reset(t)
	// SFTP has no status for a read-only file system.
	if got := b.overSFTP(action, src, dst); got != strings.Replace(want, "EROFS", "EACCES", 1) {
		t.Errorf("%s %s over SFTP: got %q, want %q", action, path, got, want)
	}
	for _, line := range shellDoors(verdict, action, src, dst) {
		b.reset(t)
		if got := b.line(t, line); classify(got) != want {
			t.Errorf("%s: got %v, want %q", line, got, want)
		}
	}
}

// shellDoors are lines that do an action by a program, a redirection and
// find -exec.
func shellDoors(verdict, action, src, dst string) []string {
	there := false
	for _, f := range ruleFiles {
		there = there || f == src
	}
	switch action {
	case "read":
		return []string{"cat " + src, "true < " + src, "find " + src + " -maxdepth 0 -exec cat {} ';'"}
	case "write":
		lines := []string{"true >> " + src}
		if there && verdict != "blocked" {
			lines = append(lines, "find "+src+" -maxdepth 0 -exec truncate -s 1 {} ';'")
		}
		return append(lines, "tee "+src+" < /dev/null")
	case "list":
		return []string{"ls " + src, "find " + src + " -maxdepth 1"}
	case "stat":
		return []string{"ls -d " + src, "find " + src + " -maxdepth 0"}
	case "remove":
		return []string{"find " + src + " -maxdepth 0 -delete"}
	}
	return []string{"mv -T " + src + " " + dst}
}

// classify answers the errno that a line complained of; "" when it went well.
func classify(r result) string {
	switch {
	case strings.Contains(r.stderr, "Permission denied"):
		return "EACCES"
	case strings.Contains(r.stderr, "No such file or directory"):
		return "ENOENT"
	case strings.Contains(r.stderr, "Read-only file system"):
		return "EROFS"
	case strings.Contains(r.stderr, "command not found"):
		return "" // the command is not this session's; the file is another matter
	case r.stderr != "" || r.status != 0:
		return r.String()
	}
	return ""
}

// line runs a line under the profile.
func (b *rulesBench) line(t *testing.T, line string) result {
	t.Helper()
	r, _ := b.post(t, "shell?session_id=s", map[string]any{"command": line})
	return result{fmt.Sprint(r["stdout"]), fmt.Sprint(r["stderr"]), int(r["exit_code"].(float64))}
}

func (b *rulesBench) post(t *testing.T, path string, body any) (answer map[string]any, status int) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	status, out := b.s.api("POST", "/v1/workspaces/"+b.workspace+"/"+path, string(text))
	if err := json.Unmarshal([]byte(out), &answer); err != nil {
		t.Fatalf("%s: %v: %s", path, err, out)
	}
	return answer, status
}

// call is an action as a VFS call.
func call(action, src, dst string) (string, map[string]any) {
	switch action {
	case "write":
		return "write", map[string]any{"path": src, "data_base64": "eA=="}
	case "list":
		return "readdir", map[string]any{"path": src}
	case "remove":
		return "unlink", map[string]any{"path": src}
	case "move":
		return "rename", map[string]any{"src": src, "dst": dst}
	}
	return action, map[string]any{"path": src}
}

func (b *rulesBench) http(t *testing.T, action, src, dst string) string {
	t.Helper()
	name, args := call(action, src, dst)
	answer, status := b.post(t, "vfs/"+name+"?session_id=s", args)
	if status == 200 {
		return ""
	}
	return fmt.Sprint(answer["errno"])
}

func (b *rulesBench) explainCall(t *testing.T, action, src, dst string) (outcome, errno string) {
	t.Helper()
	name, args := call(action, src, dst)
	answer, status := b.post(t, "vfs/"+name+"?explain=true&session_id=s", args)
	if status != 200 {
		t.Fatalf("explain %s %s: %d %v", action, src, status, answer)
	}
	return fmt.Sprint(answer["outcome"]), fmt.Sprint(answer["error"])
}

func (b *rulesBench) overSFTP(action, src, dst string) string {
	err := func() error {
		switch action {
		case "read":
			f, err := b.sftp.Open(src)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.Read(make([]byte, 1))
			return err
		case "write":
			f, err := b.sftp.OpenFile(src, os.O_WRONLY|os.O_CREATE)
			if err != nil {
				return err
			}
			_, err = f.Write([]byte("x"))
			return errors.Join(err, f.Close())
		case "list":
			_, err := b.sftp.ReadDir(src)
			return err
		case "stat":
			_, err := b.sftp.Lstat(src)
			return err
		case "remove":
			return b.sftp.Remove(src)
		}
		return b.sftp.PosixRename(src, dst)
	}()
	switch {
	case err == nil:
		return ""
	case errors.Is(err, os.ErrNotExist):
		return "ENOENT"
	case errors.Is(err, os.ErrPermission):
		return "EACCES"
	}
	return err.Error()
}

// run tries a command that the rules judge by its words.
func (b *rulesBench) run(t *testing.T, verdict, command string) {
	t.Helper()
	b.reset(t)
	said, _ := b.post(t, "shell?explain=true&session_id=s", map[string]any{"command": command})
	got, _ := b.post(t, "shell?session_id=s", map[string]any{"command": command})
	refusal, _ := got["refusal"].(map[string]any)
	describe := fmt.Sprintf("exit %v, stdout %q, stderr %q, refusal %v", got["exit_code"], got["stdout"], got["stderr"], refusal)
	kind, scope := fmt.Sprint(refusal["kind"]), fmt.Sprint(refusal["scope"])
	good := false
	switch verdict {
	case "ok":
		good = got["exit_code"] == 0.0 && refusal == nil && said["outcome"] == "allow"
	case "denied":
		good = got["exit_code"] == 126.0 && kind == "deny" && scope == "command" && said["outcome"] == "deny"
	case "asked":
		good = got["exit_code"] == 126.0 && kind == "pending" && said["outcome"] == "ask"
	case "sealed":
		good = got["exit_code"] != 0.0 && kind == "deny" && scope == "operand" && said["outcome"] == "deny"
	case "unknown":
		good = got["exit_code"] == 127.0 && refusal == nil && said["outcome"] == "allow"
	default:
		t.Fatalf("no such verdict: %s", verdict)
	}
	if !good || refusal != nil && got["stdout"] != "" {
		t.Errorf("%s: got %s, explained as %v, want %s", command, describe, said["outcome"], verdict)
	}
	if refusal != nil && (said["exit_code"] != got["exit_code"] || said["stderr"] != got["stderr"]) {
		t.Errorf("%s: explained as %v %q, was %v %q", command, said["exit_code"], said["stderr"], got["exit_code"], got["stderr"])
	}
}

// A policy script is asked at the doors of SSH, SFTP and HTTP.
func TestPolicyScript(t *testing.T) {
	s := newServer(t)
	need(t, "ssh", "ssh-keygen", "sftp")
	s.makeKey("id", `mirage-profile="reviewer"`)
	s.serve()
	script := s.path("reviewer.js")
	source := `
function preCommand(ctx) {
  for (const p of ctx.command.paths) {
    if (exists(p) && !isDir(p) && readFile(p).includes("curl")) return {deny: "mentions curl"};
  }
}
function preVfs(ctx) {
  if (ctx.op.write && ctx.op.path.startsWith("/released")) return {deny: "released"};
}
function preSession(ctx) {
  if (ctx.write.key === "STAGE") return "deny";
}`
	if err := os.WriteFile(script, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	s.create("demo", `{"mounts": {"/": {"vfs": "ram"}}, "profiles": {"reviewer": {"policy": {"script": "`+script+`", "runtime": "javascript"}}}}`)
	s.shell("demo", "mkdir /released; echo one > /released/v1; echo curl > /bad; echo fine > /good")
	for _, c := range []struct {
		line string
		want result
	}{
		{"cat /good", result{"fine\n", "", 0}},
		{"cat /bad", result{"", "cat: Permission denied\npolicy denied: mentions curl\n", 126}},
		{"f=/bad; cat $f", result{"", "cat: Permission denied\npolicy denied: mentions curl\n", 126}},
		{"echo two > /released/v1", result{"", "/released/v1: Permission denied\n", 1}},
		{"cat /released/v1", result{"one\n", "", 0}},
		{"export STAGE=1", result{"", "export: STAGE: permission denied\npolicy denied: denied by policy\n", 1}},
	} {
		if got := s.line("", c.line); got != c.want {
			t.Errorf("%s:\n got %v\nwant %v", c.line, got, c.want)
		}
	}
	got := s.exec("put "+script+" /released/v2\n", "sftp", "-q", "-b", "-", "-F", s.path("ssh_config"), "demo")
	if got.status == 0 || !strings.Contains(got.stderr, "Permission denied") {
		t.Errorf("sftp wrote to what the script keeps: %v", got)
	}
	same(t, "afterwards", s.line("", "ls /released").stdout, "v1\n")
}
