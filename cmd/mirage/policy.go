package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mirage/accounts"
	"mirage/client"
	"mirage/policy"
	"mirage/policy/script"
	"mirage/workspace"
)

func newPolicy(e env) *cobra.Command {
	c := &cobra.Command{Use: "policy", Short: "Check the profiles of a workspace configuration"}
	c.AddCommand(
		&cobra.Command{
			Use:   "lint CONFIG",
			Short: "Find rules that never speak, and holes",
			Long: `Read the profiles of a workspace configuration and tell of rules that can never
match, rules that others silence, holes (what looks forbidden and can be reached
in another way), and policy scripts that would refuse everything. Ends with
status 1 when it found something.`,
			Example: `  mirage policy lint workspace.yaml`,
			Args:    cobra.ExactArgs(1),
			RunE:    func(cmd *cobra.Command, args []string) error { return lintPolicy(cmd.Context(), e, args[0]) },
		},
		&cobra.Command{
			Use:   "test FILE",
			Short: "Compare profiles with a table of expectations",
			Long: `Ask the profiles of a workspace configuration about lines and file calls, and
compare the answers with a table. Nothing runs and no server is needed: every
mount is an empty one in memory. Ends with status 1 when an answer differs.

  config: workspace.yaml       # beside this file; or the configuration itself
  files:                       # made before, with their text
    /keys/k: secret
  tests:
    - {profile: agent, line: rm -r /data, outcome: deny, rule: agents do not delete}
    - {profile: agent, call: read, path: /keys/k, outcome: allow, error: ENOENT}

A line may have a cwd; a call takes its arguments by their names in the API.
The outcome is allow, deny or ask. The rule, when given, is the reason or the
source of the answer; error the errno of a call; exit the status of a line.`,
			Example: `  mirage policy test policy-tests.yaml`,
			Args:    cobra.ExactArgs(1),
			RunE:    func(cmd *cobra.Command, args []string) error { return testPolicy(cmd.Context(), e, args[0]) },
		},
	)
	return c
}

// checkScript reports why a policy script would refuse everything.
func checkScript(ctx context.Context, p *policy.Profile) error {
	source, err := readScript(p.Script.Path)
	if err != nil {
		return err
	}
	s, err := script.Load(p.Name, p.Script.Runtime, p.Script.Path, source, script.Options{Python: &script.Python{}})
	if err != nil {
		return err
	}
	return errors.Join(s.Check(ctx), s.Close())
}

func lintPolicy(ctx context.Context, e env, name string) error {
	text, err := readConfig(e, name)
	if err != nil {
		return err
	}
	cfg, err := workspace.ParseConfig(text)
	if err != nil {
		return err
	}
	findings := 0
	for _, p := range cfg.Profiles() {
		if p.Script != nil {
			if err := checkScript(ctx, p); err != nil {
				findings++
				fmt.Fprintf(e.stdout, "%s: broken: %s\n", p.Script.At.Path, err)
			}
		}
		for _, f := range p.Lint() {
			kind := "dead"
			if f.Hole {
				kind = "hole"
			}
			findings++
			fmt.Fprintf(e.stdout, "%s: %s: %s\n", f.At, kind, f.Text)
		}
	}
	if findings > 0 {
		return &exitError{code: 1}
	}
	return nil
}

// policyTable is the file of `mirage policy test`.
type policyTable struct {
	Config json.RawMessage   `json:"config"`
	Files  map[string]string `json:"files"`
	Tests  []map[string]any  `json:"tests"`
}

func testPolicy(ctx context.Context, e env, name string) (err error) {
	text, err := readDocument(e, name)
	if err != nil {
		return err
	}
	var table policyTable
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&table); err != nil {
		return usageError("%s: %s", name, strings.TrimPrefix(err.Error(), "json: "))
	}
	cfg, err := table.config(e, name)
	if err != nil {
		return err
	}
	bench, err := startBench(ctx, cfg, table.Files)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bench.stop()) }()
	failed := 0
	for i, test := range table.Tests {
		what, problem, err := bench.check(ctx, test)
		if err != nil {
			return usageError("%s: tests[%d]: %w", name, i, err)
		}
		if problem != "" {
			failed++
			fmt.Fprintf(e.stdout, "FAIL %s\n     %s\n", what, problem)
		}
	}
	fmt.Fprintf(e.stdout, "%d tests, %d failed\n", len(table.Tests), failed)
	if failed > 0 {
		return &exitError{code: 1}
	}
	return nil
}

// config answers the configuration that a table is about, with empty mounts in
// memory in place of its own.
func (t *policyTable) config(e env, name string) (*workspace.Config, error) {
	var file string
	text := t.Config
	if json.Unmarshal(t.Config, &file) == nil {
		if !filepath.IsAbs(file) && name != "-" {
			file = filepath.Join(filepath.Dir(name), file)
		}
		var err error
		if text, err = readDocument(e, file); err != nil {
			return nil, err
		}
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil || doc == nil {
		return nil, usageError("%s: config must be a file or a workspace configuration", name)
	}
	if mounts, ok := doc["mounts"].(map[string]any); ok {
		for prefix, m := range mounts {
			mount := map[string]any{"vfs": "ram"}
			if block, ok := m.(map[string]any); ok && block["mode"] != nil {
				mount["mode"] = block["mode"]
			}
			mounts[prefix] = mount
		}
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	cfg, err := workspace.ParseConfig(text)
	if err != nil {
		return nil, usageError("%s: %w", name, err)
	}
	return cfg, nil
}

// bench is a server of its own, in a folder that it leaves nothing of.
type policyBench struct {
	*server
	dir      string
	api      *client.Client
	sessions map[string]string // by profile and directory
}

func startBench(ctx context.Context, cfg *workspace.Config, files map[string]string) (b *policyBench, err error) {
	b = &policyBench{sessions: map[string]string{}}
	if b.dir, err = os.MkdirTemp("", "mirage-policy-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.stop())
		}
	}()
	vars := map[string]string{"MIRAGE_HOME": b.dir, "MIRAGE_AUDIT": "false", "MIRAGE_POLICY_PYTHON": "python3"}
	own := env{getenv: func(name string) string { return vars[name] }, stderr: io.Discard}
	o, err := readServer(own, "127.0.0.1:0", "", slog.New(slog.DiscardHandler))
	if err != nil {
		return b, err
	}
	if b.server, err = startServer(ctx, o); err != nil {
		return b, err
	}
	vars["MIRAGE_URL"] = "http://" + b.http.Addr().String()
	if b.api, err = connect(own); err != nil {
		return b, err
	}
	ws, _, err := b.manager.Create(ctx, accounts.Caller{All: true}, "policy", cfg)
	if err != nil {
		return b, err
	}
	return b, fillBench(ctx, ws, files)
}

// fillBench makes the files of a table, as nobody's session.
func fillBench(ctx context.Context, ws *workspace.Workspace, files map[string]string) error {
	view := ws.Unruled()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := view.MkdirAll(ctx, filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := view.WriteFile(ctx, name, []byte(files[name]), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (b *policyBench) stop() (err error) {
	if b.server != nil {
		err = b.server.stop()
	}
	return errors.Join(err, os.RemoveAll(b.dir))
}

// check asks one test; problem is "" when the answer is the expected one.
func (b *policyBench) check(ctx context.Context, test map[string]any) (what, problem string, err error) {
	take := func(key string) string {
		v, ok := test[key]
		delete(test, key)
		if !ok || v == nil {
			return ""
		}
		return fmt.Sprint(v)
	}
	profile, line, call, cwd := take("profile"), take("line"), take("call"), take("cwd")
	want := expectation{take("outcome"), take("rule"), take("error"), take("exit")}
	switch {
	case (line == "") == (call == ""):
		return "", "", errors.New("give a line or a call")
	case want.outcome != "allow" && want.outcome != "deny" && want.outcome != "ask":
		return "", "", fmt.Errorf("outcome must be allow, deny or ask, got '%s'", want.outcome)
	}
	session, err := b.session(ctx, profile, cwd)
	if err != nil {
		return "", "", err
	}
	what = fmt.Sprintf("%s: %s", profile, line+call)
	if call != "" {
		if p := test["path"]; p != nil {
			what += fmt.Sprint(" ", p)
		}
		var x client.CallExplanation
		if err := b.api.Do(ctx, "POST", client.Path("workspaces", "policy", "vfs", call)+explainQuery(session), test, &x); err != nil {
			return "", "", err
		}
		return what, want.differs(x.Verdict, x.Error, ""), nil
	}
	if len(test) > 0 {
		return "", "", fmt.Errorf("unknown key '%s'", slices.Sorted(maps.Keys(test))[0])
	}
	var x client.Explanation
	if err := b.api.Do(ctx, "POST", client.Path("workspaces", "policy", "shell")+explainQuery(session), client.ShellRequest{Command: line}, &x); err != nil {
		return "", "", err
	}
	return what, want.differs(x.Verdict, "", fmt.Sprint(x.ExitCode)), nil
}

// session answers a session under a profile, standing in a directory.
func (b *policyBench) session(ctx context.Context, profile, cwd string) (string, error) {
	key := profile + "\x00" + cwd
	if id := b.sessions[key]; id != "" {
		return id, nil
	}
	in := client.CreateSession{Profile: profile}
	if cwd != "" {
		text, err := json.Marshal(map[string]string{"cwd": cwd})
		if err != nil {
			return "", err
		}
		in.Permissions = text
	}
	var out client.Session
	if err := b.api.Do(ctx, "POST", client.Path("workspaces", "policy", "sessions"), in, &out); err != nil {
		return "", err
	}
	b.sessions[key] = out.SessionID
	return out.SessionID, nil
}

// expectation is what a test says of an answer; "" says nothing.
type expectation struct{ outcome, rule, errno, exit string }

// differs tells what is not as expected.
func (w expectation) differs(v client.Verdict, errno, exit string) string {
	var list []string
	if v.Outcome != w.outcome {
		list = append(list, fmt.Sprintf("outcome %s, want %s", v.Outcome, w.outcome))
	}
	if w.rule != "" && w.rule != v.Reason && w.rule != v.Source {
		list = append(list, fmt.Sprintf("rule '%s' (%s), want '%s'", v.Reason, v.Source, w.rule))
	}
	if w.errno != "" && w.errno != errno {
		list = append(list, fmt.Sprintf("error '%s', want '%s'", errno, w.errno))
	}
	if w.exit != "" && w.exit != exit {
		list = append(list, fmt.Sprintf("exit %s, want %s", exit, w.exit))
	}
	return strings.Join(list, "; ")
}
