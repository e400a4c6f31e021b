package main

import (
	"bytes"
	"fmt"
	"os"
	"os/user"
	"time"

	"mirage/audit"
	"mirage/internal/settings"
	"mirage/keys"
)

// auditOptions is how the settings say the audit log is kept.
func auditOptions(s *settings.Settings, getenv func(string) string) (o audit.Options, err error) {
	o.Dir = s.Path("audit")
	size, _ := s.Number("audit_max_size")
	hours, _ := s.Number("audit_max_age")
	o.Limits.Keep, _ = s.Number("audit_keep")
	if o.Limits.Keep == 0 {
		o.Limits.Keep = -1
	}
	o.Limits.MaxSize, o.Limits.MaxAge = int64(size)<<20, time.Duration(hours)*time.Hour
	if s.Get("audit_key_file").Text != "" {
		o.Key, err = readChainKey(s.File("audit_key_file", getenv))
	}
	return o, err
}

// shortestKey is the least that a key of a chain may be.
const shortestKey = 16

func readChainKey(name string) ([]byte, error) {
	key, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("audit_key_file: %w", err)
	}
	if key = bytes.TrimRight(key, "\r\n"); len(key) < shortestKey {
		return nil, fmt.Errorf("audit_key_file: %s holds %d bytes, a key has %d at least", name, len(key), shortestKey)
	}
	return key, nil
}

// openAudit opens the server's log, unless it is switched off. The sink is nil
// then.
func (s *server) openAudit(o serverOptions) (audit.Sink, error) {
	if !o.settings.Bool("audit") {
		return nil, nil
	}
	ao, err := auditOptions(o.settings, o.getenv)
	if err != nil {
		return nil, err
	}
	ao.Log = o.log
	ao.Detail = map[string]string{"version": version, "http": s.http.Addr().String(), "auth_mode": o.settings.Get("auth_mode").Text}
	if s.ssh != nil {
		ao.Detail["ssh"] = s.ssh.Addr().String()
	}
	if o.minted {
		ao.Detail["auth_token"] = "created"
	}
	if s.audit, err = audit.Open(ao); err != nil {
		return nil, err
	}
	return s.audit, nil
}

// noteAct puts what was done here, beside the server, into its audit log. It has
// been done, so a log that cannot be written is a warning.
func noteAct(e env, action string, event audit.Event) {
	s, err := settings.Load(e.getenv)
	if err == nil && !s.Bool("audit") {
		return
	}
	var o audit.Options
	if err == nil {
		o, err = auditOptions(s, e.getenv)
	}
	if err == nil {
		event.Kind, event.Action, event.Outcome, event.Door = audit.Admin, action, audit.OK, "cli"
		if u, err := user.Current(); err == nil {
			event.Account = u.Username
		}
		err = audit.Append(o, event)
	}
	if err != nil {
		fmt.Fprintf(e.stderr, "mirage: warning: not in the audit log: %v\n", err)
	}
}

func keyEvent(k keys.Key) audit.Event {
	ev := audit.Event{Detail: map[string]string{"comment": k.Comment}}
	ev.Key = k.Fingerprint()
	for name, value := range map[string]string{"account": k.Options.Account, "profile": k.Options.Profile} {
		if value != "" {
			ev.Detail[name] = value
		}
	}
	return ev
}

func settingEvent(name, value string) audit.Event {
	if k, ok := settings.Lookup(name); ok && k.Secret && value != "" {
		value = "***"
	}
	return audit.Event{Detail: map[string]string{"key": name, "value": value}}
}
