package client

import (
	"context"
	"net/url"
)

// Ask is a question of a rule. While it is pending, Outcome is nil.
type Ask struct {
	ID        string   `json:"id"`
	SessionID string   `json:"session_id"`
	AgentID   string   `json:"agent_id"`
	Command   string   `json:"command"` // "" for a file that no command uses
	Argv      []string `json:"argv"`    // the words, name first; or the path
	Cwd       string   `json:"cwd"`
	Paths     []string `json:"paths"`
	Reason    string   `json:"reason"`
	Outcome   *string  `json:"outcome"` // allow or deny
	Scope     string   `json:"scope"`   // once or session
	Note      string   `json:"note"`
	// Rule identifies the rule that asks; it changes with its text.
	Rule       string   `json:"rule"`
	CreatedAt  float64  `json:"created_at"`
	AnsweredAt *float64 `json:"answered_at"`
	// Spent tells that the answer has been used up.
	Spent bool `json:"spent"`
}

// AskAnswer is the body of POST .../asks/{id}: allow or deny; once or session,
// "" = once.
type AskAnswer struct {
	Answer string `json:"answer"`
	Scope  string `json:"scope,omitempty"`
	Note   string `json:"note,omitempty"`
}

// Asks lists the questions of a workspace, oldest first: those that wait, or
// with all every one. session narrows it when not "".
func (c *Client) Asks(ctx context.Context, workspace, session string, all bool) ([]Ask, error) {
	q := url.Values{}
	if session != "" {
		q.Set("session_id", session)
	}
	if all {
		q.Set("all", "true")
	}
	path := Path("workspaces", workspace, "asks")
	if len(q) > 0 {
		path += "?" + q.Encode()
	}
	var out []Ask
	err := c.Do(ctx, "GET", path, nil, &out)
	return out, err
}

// AnswerAsk answers a question and returns it as it is then.
func (c *Client) AnswerAsk(ctx context.Context, workspace, id string, a AskAnswer) (Ask, error) {
	var out Ask
	err := c.Do(ctx, "POST", Path("workspaces", workspace, "asks", id), a, &out)
	return out, err
}
