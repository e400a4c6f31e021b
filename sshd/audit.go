package sshd

import (
	"context"
	"strconv"

	"mirage/audit"
	"mirage/keys"
)

// record notes an event of a connection.
func (c *connection) record(e audit.Event) {
	if sink := c.srv.cfg.Audit; sink != nil {
		e.Door = "ssh"
		if e.Kind == audit.Login {
			e.Remote = c.remote()
		}
		sink.Record(context.Background(), e)
	}
}

// accepted notes a login.
func (c *connection) accepted(user string) {
	e := audit.Event{Kind: audit.Login, Outcome: audit.OK}
	e.Workspace = user
	if c.proved != nil {
		e.Account, e.Key = c.proved.key.Options.Account, c.proved.key.Fingerprint()
	}
	c.user = ""
	c.record(e)
}

// rejected notes, once the handshake is over, that a client asked for a name
// and did not get in. Clients try many keys before the right one: those tries
// are no events of their own.
func (c *connection) rejected() {
	if c.user == "" {
		return
	}
	e := audit.Event{Kind: audit.Login, Outcome: audit.Refused, Reason: "no key was accepted"}
	e.Workspace = c.user
	c.record(e)
}

// keysChanged notes that authorized_keys says something new, whoever wrote it.
func (c *connection) keysChanged(list *keys.AuthorizedKeys) {
	c.record(audit.Event{Kind: audit.Admin, Action: "keys.read", Outcome: audit.OK, Detail: map[string]string{
		"keys": strconv.Itoa(len(list.Keys)), "refused_lines": strconv.Itoa(len(list.Refused)),
	}})
}

// audited adds to a context for whom the channel works.
func (ch *channel) audited(ctx context.Context) context.Context {
	if ch.conn.srv.cfg.Audit == nil || ch.login == nil {
		return ctx
	}
	return audit.With(ctx, audit.Origin{
		Account: ch.login.key.Options.Account, Key: ch.login.key.Fingerprint(), Remote: ch.conn.remote(), Door: "ssh",
	})
}
