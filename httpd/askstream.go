package httpd

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"mirage/client"
	"mirage/workspace"
)

// The bounds of event streams.
const (
	maxStreams = 256
	// keepalive is how often a quiet stream says that it is there.
	keepalive = 15 * time.Second
	// slowestReader is how long one event may take to reach the client.
	slowestReader = 30 * time.Second
)

// askStream tells of questions and answers as server-sent events (the HTML
// standard, "Server-sent events"): `ask` when one is raised, `answer` when one
// is answered, in every workspace that the caller may see. Last-Event-ID, a
// header or ?last_event_id=, brings what came after that event, or, when it is
// no longer known, what is pending now. A client that does not keep up is
// dropped, and does well to come again with the last id that it has seen.
func (s *server) askStream(w http.ResponseWriter, r *http.Request) error {
	if s.streams.Add(1) > maxStreams {
		s.streams.Add(-1)
		return &apiError{status: http.StatusServiceUnavailable, detail: "too many event streams", code: "too_many_streams"}
	}
	defer s.streams.Add(-1)
	after := r.Header.Get("Last-Event-ID")
	if after == "" {
		after = r.URL.Query().Get("last_event_id")
	}
	events := s.Manager.AskStream(callerOf(r.Context()), after)
	defer events.Close()

	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // proxies are to pass events on at once
	w.WriteHeader(http.StatusOK)
	out := http.NewResponseController(w)
	send := func(text string) bool {
		// Not every ResponseWriter has deadlines; those of net/http do.
		_ = out.SetWriteDeadline(time.Now().Add(slowestReader))
		if _, err := w.Write([]byte(text)); err != nil {
			return false
		}
		return out.Flush() == nil
	}
	if !send(": questions and answers\n\n") {
		return nil
	}
	tick := time.NewTicker(keepalive)
	defer tick.Stop()
	for {
		text := ""
		select {
		case <-r.Context().Done():
			return nil
		case <-s.stopping:
			return nil
		case <-tick.C:
			text = ": still here\n\n"
		case e, ok := <-events.Events:
			if !ok {
				return nil // too slow
			}
			text = eventText(e)
		}
		if !send(text) {
			return nil
		}
	}
}

// eventText is an event on the wire.
func eventText(e workspace.AskEvent) string {
	// JSON as encoding/json writes it has no line ends.
	data, err := json.Marshal(AskEvent(e))
	if err != nil {
		return ""
	}
	id := ""
	if e.ID != "" {
		id = "id: " + e.ID + "\n"
	}
	return fmt.Sprintf("%sevent: %s\ndata: %s\n\n", id, e.Type, data)
}

// AskEvent is an event as the API shows it, to streams and webhooks.
func AskEvent(e workspace.AskEvent) client.AskEvent {
	return client.AskEvent{ID: e.ID, Event: e.Type, WorkspaceID: e.Ask.Workspace, Ask: ask(e.Ask)}
}
