package client

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"
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

// AskEvent tells that a question was raised (Event is ask) or answered
// (answer). It is what GET /v1/asks/stream sends and what a webhook is sent.
type AskEvent struct {
	ID          string `json:"id,omitempty"` // for Last-Event-ID; "" = none
	Event       string `json:"event"`
	WorkspaceID string `json:"workspace_id"`
	Ask         Ask    `json:"ask"`
}

// WatchAsks calls fn for each event of the stream of questions and answers,
// until fn or the stream fails, or ctx ends: it never answers nil. With after,
// the id of the last event seen, it begins where that left off. The stream ends
// (io.ErrUnexpectedEOF) when the server stops or fn is too slow; call again with
// the last id.
func (c *Client) WatchAsks(ctx context.Context, after string, fn func(AskEvent) error) error {
	path := Path("asks", "stream")
	if after != "" {
		path += "?last_event_id=" + url.QueryEscape(after)
	}
	res, err := c.send(ctx, "GET", path, "", nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, maxEvent)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue // the data repeats the name and the id
		}
		var e AskEvent
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			return fmt.Errorf("the server's event is not what the API says: %w", err)
		}
		if err := fn(e); err != nil {
			return err
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case lines.Err() != nil:
		return lines.Err()
	}
	return io.ErrUnexpectedEOF
}

// maxEvent bounds the text of one event.
const maxEvent = 1 << 20
