package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"

	"mirage/accounts"
	"mirage/httpd"
	"mirage/internal/settings"
	"mirage/internal/webhook"
	"mirage/workspace"
)

// askHook makes the hook that the settings name; nil when they name none.
func askHook(s *settings.Settings) (*webhook.Hook, error) {
	target := s.Get("ask_webhook")
	if target.Text == "" {
		return nil, nil
	}
	h, err := webhook.New(target.Text, s.Get("ask_webhook_secret").Text)
	if err != nil {
		return nil, fmt.Errorf("ask_webhook: %w (set by %s)", err, target.Origin)
	}
	return h, nil
}

// postAsks sends the questions of every workspace, and the answers, to a hook,
// one after another, until stop. Nobody waits for it; when it falls too far
// behind, what it has missed is lost, and the log says so.
func postAsks(m *workspace.Manager, h *webhook.Hook, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		last := ""
		for ctx.Err() == nil {
			events := m.AskStream(accounts.Caller{All: true}, last)
			last = postEvents(ctx, events, h, log, last)
			events.Close()
			if ctx.Err() == nil {
				log.Warn("ask_webhook is too slow", "after", last)
			}
		}
	})
	return func() {
		cancel()
		done.Wait()
	}
}

// postEvents sends events until the stream or ctx ends, and answers the id of
// the last one.
func postEvents(ctx context.Context, s *workspace.AskStream, h *webhook.Hook, log *slog.Logger, last string) string {
	for {
		select {
		case <-ctx.Done():
			return last
		case e, ok := <-s.Events:
			if !ok {
				return last
			}
			if e.ID != "" {
				last = e.ID
			}
			body, err := json.Marshal(httpd.AskEvent(e))
			if err == nil {
				err = h.Post(ctx, e.Type, body)
			}
			if err != nil && ctx.Err() == nil {
				log.Warn("ask_webhook was not delivered", "workspace", e.Ask.Workspace, "ask", e.Ask.ID, "err", err)
			}
		}
	}
}
