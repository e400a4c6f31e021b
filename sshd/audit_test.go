package sshd

import (
	"context"
	"slices"
	"sync"
	"testing"

	"golang.org/x/crypto/ssh"

	"mirage/audit"
)

// auditSink collects events.
type auditSink struct {
	mu     sync.Mutex
	events []audit.Event
	came   chan struct{}
}

func (s *auditSink) Record(_ context.Context, e audit.Event) {
	s.mu.Lock()
	s.events = append(s.events, e)
	s.mu.Unlock()
	s.came <- struct{}{}
}

func TestAuditOfLogins(t *testing.T) {
	sink := &auditSink{came: make(chan struct{}, 100)}
	f := newFixture(t, `mirage-account="alice"`, func(c *Config) { c.Audit = sink })
	stranger, _ := newSigner(t)
	bad := f.clientConfig("demo")
	bad.Auth = []ssh.AuthMethod{ssh.PublicKeys(stranger)}
	if _, err := ssh.Dial("tcp", f.addr, bad); err == nil {
		t.Fatal("a stranger logs in")
	}
	// A client that tries a wrong key first logs in once.
	both := f.clientConfig("alices")
	both.Auth = []ssh.AuthMethod{ssh.PublicKeys(stranger, f.key)}
	c, err := ssh.Dial("tcp", f.addr, both)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	for range 3 {
		<-sink.came
	}
	sink.mu.Lock()
	defer sink.mu.Unlock()
	byKind := func(k audit.Kind, outcome string) (list []audit.Event) {
		for _, e := range sink.events {
			if e.Kind == k && e.Outcome == outcome {
				list = append(list, e)
			}
		}
		return list
	}
	ok, no := byKind(audit.Login, audit.OK), byKind(audit.Login, audit.Refused)
	if len(ok) != 1 || ok[0].Account != "alice" || ok[0].Key != ssh.FingerprintSHA256(f.key.PublicKey()) || ok[0].Workspace != "alices" || ok[0].Remote != c.LocalAddr().String() {
		t.Errorf("accepted: %+v", ok)
	}
	if len(no) != 1 || no[0].Account != "" || no[0].Key != "" || no[0].Workspace != "demo" || no[0].Remote == "" {
		t.Errorf("refused: %+v", no)
	}
	if !slices.ContainsFunc(byKind(audit.Admin, audit.OK), func(e audit.Event) bool { return e.Action == "keys.read" && e.Detail["keys"] == "1" }) {
		t.Errorf("the keys: %+v", sink.events)
	}
}
