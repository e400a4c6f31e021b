package httpd

import (
	"net/http"

	"mirage/client"
	"mirage/workspace"
)

// listAsks answers the questions of a workspace that wait for an answer, with
// ?all=true those too that have one, oldest first.
func (s *server) listAsks(w http.ResponseWriter, r *http.Request) error {
	all, err := flag(r, "all")
	if err != nil {
		return err
	}
	ws, err := s.workspaceOf(r)
	if err != nil {
		return err
	}
	list, err := ws.Asks(r.URL.Query().Get("session_id"), all)
	if err != nil {
		return err
	}
	out := make([]client.Ask, 0, len(list))
	for _, a := range list {
		out = append(out, ask(a))
	}
	return writeJSON(w, http.StatusOK, out)
}

// answerAsk answers a question.
func (s *server) answerAsk(w http.ResponseWriter, r *http.Request) error {
	ws, err := s.workspaceOf(r)
	if err != nil {
		return err
	}
	var body client.AskAnswer
	if err := readJSON(w, r, "ask", false, &body); err != nil {
		return err
	}
	a, err := ws.AnswerAsk(r.Context(), r.PathValue("ask"), workspace.Answer{Outcome: body.Answer, Scope: body.Scope, Note: body.Note})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, ask(a))
}

// ask is a question as the API shows it.
func ask(a workspace.Ask) client.Ask {
	out := client.Ask{
		ID: a.ID, SessionID: a.Session, AgentID: a.Agent, Command: a.Command, Argv: a.Argv, Cwd: a.Cwd, Paths: a.Paths, Reason: a.Reason,
		Scope: a.Scope, Note: a.Note, Rule: a.Rule, CreatedAt: unix(a.Created), AnsweredAt: unixOrNil(a.Answered), Spent: a.Spent,
	}
	if a.Outcome != "" {
		out.Outcome = &a.Outcome
	}
	if out.Argv == nil {
		out.Argv = []string{}
	}
	if out.Paths == nil {
		out.Paths = []string{}
	}
	return out
}
