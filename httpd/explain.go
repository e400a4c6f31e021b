package httpd

import (
	"net/http"
	"path"

	"mirage/client"
	"mirage/policy"
	"mirage/shell"
	"mirage/vfs"
	"mirage/workspace"
)

// errExplain refuses what cannot be explained along with a line.
var errExplain = badRequest("explain takes the line alone: no stdin, cwd, runtime or background")

// shellExplain answers what the rules would make of a line.
func (s *server) shellExplain(w http.ResponseWriter, r *http.Request, ses *workspace.Session, in *shellInput) error {
	body := in.body
	if in.multipart || body.Cwd != "" || body.Runtime != "" || body.Env != nil {
		return errExplain
	}
	x, err := ses.Explain(r.Context(), body.Command)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, client.Explanation{
		Line: body.Command, Verdict: verdict(x.Answer), ExitCode: x.Status, Stderr: x.Stderr,
		Node: &client.ExplainNode{Type: "line", Text: body.Command, Children: explainNodes(x, x.Nodes)},
	})
}

// vfsExplain answers what the rules would make of a VFS call.
func (s *server) vfsExplain(w http.ResponseWriter, r *http.Request, ws *workspace.Workspace, name string, run call, body []byte) error {
	var probe *workspace.Probe
	_, err := run(r.Context(), files{prefix: "invalid arguments for vfs/" + name, open: func() (*vfs.View, error) {
		ses, err := ws.Session(r.Context(), r.URL.Query().Get("session_id"))
		if err != nil {
			return nil, err
		}
		probe = ses.Probe()
		return probe.View(), nil
	}}, body)
	if probe == nil {
		return err
	}
	answer, err := probe.Verdict(r.Context(), err)
	x := client.CallExplanation{Call: name, Paths: pathsOf(body), Verdict: verdict(answer)}
	if err != nil {
		x.Error = vfs.ErrnoName(err)
	}
	return writeJSON(w, http.StatusOK, x)
}

// pathsOf answers the paths among the arguments of a call, as they were given.
func pathsOf(body []byte) []string {
	var args struct{ Path, Src, Dst *string }
	_ = decodeLoose(body, &args) // they have been read before
	paths := []string{}
	for _, p := range []*string{args.Path, args.Src, args.Dst} {
		if p != nil {
			paths = append(paths, *p)
		}
	}
	return paths
}

func explainNodes(x workspace.Explanation, nodes []*shell.Node) []*client.ExplainNode {
	list := make([]*client.ExplainNode, 0, len(nodes))
	for _, n := range nodes {
		node := &client.ExplainNode{Type: n.Kind, Text: n.Text, Children: explainNodes(x, n.Children)}
		switch n.Kind {
		case "command":
			node.ExplainCommand = explainCommand(n, x.Operands[n])
			node.Limit = explainLimit(x.Limits[n])
		case "redirect":
			node.ExplainCommand = explainRedirect(n)
		}
		list = append(list, node)
	}
	return list
}

func explainCommand(n *shell.Node, operands []policy.Operand) *client.ExplainCommand {
	c := &client.ExplainCommand{
		Argv: []string{}, Verdict: verdict(n.Answer), ExitCode: n.Status, Stderr: n.Stderr, Runtime: "workspace", Operands: []client.ExplainOperand{},
	}
	if words := n.Command.Argv; len(words) > 0 {
		c.Command, c.Argv = words[0], append(c.Argv, words[1:]...)
	}
	for _, o := range operands {
		c.Operands = append(c.Operands, client.ExplainOperand(o))
	}
	return c
}

func explainLimit(l policy.Limit) *client.ExplainLimit {
	if l.IsZero() {
		return nil
	}
	x := &client.ExplainLimit{MaxLines: l.MaxLines, MaxBytes: l.MaxBytes, OnExceed: "truncate"}
	if l.Timeout != nil {
		seconds := l.Timeout.Seconds()
		x.TimeoutSeconds = &seconds
	}
	if l.Refuse {
		x.OnExceed = "error"
	}
	return x
}

func explainRedirect(n *shell.Node) *client.ExplainCommand {
	return &client.ExplainCommand{
		Command: n.Redirect.Op, Argv: []string{n.Redirect.Word}, Verdict: verdict(n.Answer), ExitCode: n.Status, Stderr: n.Stderr, Runtime: "workspace",
		Operands: []client.ExplainOperand{{Text: n.Redirect.Word, Path: path.Clean(n.Redirect.Path), Matched: n.Answer.Outcome == policy.Deny}},
	}
}

// verdict turns an answer of the rules into JSON. A word that is no command
// is denied, for no reason that is told.
func verdict(a policy.Answer) client.Verdict {
	v := client.Verdict{Outcome: "allow", Answers: []client.Answer{}, Reason: a.Reason, Source: a.Source}
	switch a.Outcome {
	case policy.Absent:
		v.Outcome = "deny"
	case policy.Deny:
		v.Outcome = "deny"
		v.Answers = append(v.Answers, client.Answer{Kind: "deny", Reason: a.Reason, Policy: a.Policy})
	case policy.Ask:
		v.Outcome = "ask"
		for _, q := range a.Asks {
			v.Answers = append(v.Answers, client.Answer{Kind: "ask", Reason: q.Reason, Policy: q.Policy})
		}
	}
	v.Refusal = refusal(a.Refusal())
	return v
}

// refusal is the record of a refusal as the API shows it, nil for none.
func refusal(r *policy.Refusal) *client.Refusal {
	if r == nil {
		return nil
	}
	return &client.Refusal{Kind: r.Kind, Reason: r.Reason, Policy: r.Policy, Scope: string(r.Scope), AskID: r.AskID}
}
