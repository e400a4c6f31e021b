package workspace

import (
	"fmt"
	"testing"

	"mirage/accounts"
)

// Everybody hears of what they may see, and nobody is waited for.
func TestAskStreams(t *testing.T) {
	a := newAskTest(t)
	hub := a.m.asked
	mine := &Workspace{m: a.m, id: "mine", owner: "alice"}
	all, alice, mallory := a.m.AskStream(accounts.Caller{All: true}, ""), a.m.AskStream(accounts.Caller{Account: "alice"}, ""), a.m.AskStream(accounts.Caller{Account: "mallory"}, "")
	defer all.Close()
	defer mallory.Close()
	hub.publish(EventAsk, mine, Ask{ID: "1"})
	hub.publish(EventAsk, a.w, Ask{ID: "2"})
	count := func(s *AskStream) (ids string) {
		for {
			select {
			case e, ok := <-s.Events:
				if !ok {
					return ids + " ended"
				}
				ids += " " + e.Ask.ID
			default:
				return ids
			}
		}
	}
	if got := count(all) + "," + count(alice) + "," + count(mallory); got != " 1 2, 1," {
		t.Errorf("got %s", got)
	}
	// Who falls behind is dropped, and may come back for what is kept.
	for i := range eventsBehind + 1 {
		hub.publish(EventAsk, mine, Ask{ID: fmt.Sprint(i)})
		count(all)
	}
	last := ""
	for e := range alice.Events {
		last = e.ID
	}
	again := a.m.AskStream(accounts.Caller{Account: "alice"}, last)
	if got := count(again); got != fmt.Sprintf(" %d", eventsBehind) {
		t.Errorf("after %s: %s", last, got)
	}
	again.Close()
	again.Close()
	alice.Close()
	if got := count(again); got != " ended" {
		t.Errorf("closed: %s", got)
	}
	// What is kept is bounded; beyond it one starts with what is pending.
	for range keptEvents {
		hub.publish(EventAnswer, mine, Ask{ID: "x"})
		count(all)
	}
	if n := len(hub.kept); n != keptEvents {
		t.Errorf("%d events are kept", n)
	}
	a.rules.set("rm", "R")
	a.run("default", "rm -f a")
	late := a.m.AskStream(accounts.Caller{All: true}, last)
	defer late.Close()
	if e := <-late.Events; e.Type != EventAsk || e.Ask.Command != "rm -f a" || e.ID != "" {
		t.Errorf("%+v", e)
	}
	if got := count(late); got != "" {
		t.Errorf("more: %s", got)
	}
	stranger := a.m.AskStream(accounts.Caller{Account: "mallory"}, last)
	defer stranger.Close()
	if got := count(stranger); got != "" {
		t.Errorf("a stranger is told of%s", got)
	}
}
