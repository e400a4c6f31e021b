package workspace

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mirage/accounts"
)

// The types of an AskEvent.
const (
	EventAsk    = "ask"    // a question was raised
	EventAnswer = "answer" // one was answered
)

// AskEvent tells of a question of some workspace.
type AskEvent struct {
	// ID names the event, for those who have seen it and want what came after.
	ID   string
	Type string // EventAsk or EventAnswer
	Ask  Ask

	owner  string
	number uint64
}

// What is remembered of events, and how many a subscriber may be behind.
const (
	keptEvents   = 1024
	eventsBehind = 256
)

// askHub passes events on to whoever listens. Nobody who raises or answers a
// question ever waits for it.
type askHub struct {
	process string // tells the events of this process from those of another

	mu     sync.Mutex
	number uint64 // of the last event
	kept   []AskEvent
	subs   map[*AskStream]struct{}
}

func newAskHub() *askHub {
	return &askHub{process: randomID("", 8), subs: map[*AskStream]struct{}{}}
}

// AskStream is a subscription to the questions of every workspace that its
// caller may see.
type AskStream struct {
	// Events are what happens. It is closed when the subscriber falls too far
	// behind, and by Close.
	Events chan AskEvent

	hub    *askHub
	caller accounts.Caller
	ended  bool // guarded by the hub's mu
}

// AskStream subscribes. With the id of an event that is still known, what came
// after it comes first; with another one, the questions that are pending in
// the workspaces in memory.
func (m *Manager) AskStream(c accounts.Caller, after string) *AskStream {
	var pending []AskEvent
	h := m.asked
	s := &AskStream{hub: h, caller: c}
	h.mu.Lock()
	missed, known := h.since(after)
	if after != "" && !known {
		h.mu.Unlock()
		pending = m.pendingAsks(c)
		h.mu.Lock()
	}
	defer h.mu.Unlock()
	for _, e := range missed {
		if c.Sees(e.owner) {
			pending = append(pending, e)
		}
	}
	s.Events = make(chan AskEvent, len(pending)+eventsBehind)
	for _, e := range pending {
		s.Events <- e
	}
	h.subs[s] = struct{}{}
	return s
}

// since answers the events after the one of an id; known is false when it is
// not one that the hub remembers, or not its last. mu is held.
func (h *askHub) since(id string) (list []AskEvent, known bool) {
	process, text, _ := strings.Cut(id, "-")
	number, err := strconv.ParseUint(text, 10, 64)
	if err != nil || process != h.process || number > h.number || number+keptEvents < h.number {
		return nil, false
	}
	for _, e := range h.kept {
		if e.number > number {
			list = append(list, e)
		}
	}
	return list, true
}

// pendingAsks answers the pending questions of the workspaces in memory as
// events, oldest first. A subscriber may be told of one again when it is
// raised just now.
func (m *Manager) pendingAsks(c accounts.Caller) []AskEvent {
	m.mu.Lock()
	var seen []*Workspace
	for _, e := range m.entries {
		if e.phase == live && c.Sees(e.w.owner) {
			seen = append(seen, e.w)
		}
	}
	m.mu.Unlock()
	var list []AskEvent
	for _, w := range seen {
		for _, a := range w.asks.list("", false) {
			list = append(list, AskEvent{Type: EventAsk, Ask: a, owner: w.owner})
		}
	}
	slices.SortStableFunc(list, func(a, b AskEvent) int {
		return cmp.Or(a.Ask.Created.Compare(b.Ask.Created), cmp.Compare(a.Ask.Workspace, b.Ask.Workspace))
	})
	return list
}

// Close ends the subscription. Safe to call twice.
func (s *AskStream) Close() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.hub.drop(s)
}

func (h *askHub) drop(s *AskStream) {
	if !s.ended {
		s.ended = true
		delete(h.subs, s)
		close(s.Events)
	}
}

// publish tells everybody. The ledger's mu may be held.
func (h *askHub) publish(kind string, w *Workspace, a Ask) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.number++
	e := AskEvent{ID: h.process + "-" + strconv.FormatUint(h.number, 10), Type: kind, Ask: a, owner: w.owner, number: h.number}
	if len(h.kept) == keptEvents {
		h.kept = slices.Delete(h.kept, 0, 1)
	}
	h.kept = append(h.kept, e)
	for s := range h.subs {
		if !s.caller.Sees(e.owner) {
			continue
		}
		select {
		case s.Events <- e:
		default:
			h.drop(s) // it is too slow
		}
	}
}
