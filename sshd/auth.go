package sshd

import (
	"bytes"
	"errors"
	"net"

	"golang.org/x/crypto/ssh"

	"mirage/accounts"
	"mirage/keys"
)

// maxAuthTries is sshd_config(5)'s default.
const maxAuthTries = 6

// errRefused is the one answer to every key that does not log in: the client
// learns nothing about users, workspaces or why.
var errRefused = errors.New("permission denied")

// login is the verdict of an authentication: who asked for which workspace,
// and the key that was proved. It travels in Permissions.ExtraData, which
// x/crypto hands over only for the attempt that succeeded.
type login struct {
	user string
	key  keys.Key
}

// loginKey is where ExtraData holds the *login.
type loginKey struct{}

// checkKey is x/crypto's PublicKeyCallback. The username plays no part in the
// decision: a key of the file may ask for any name, and what it may open is
// decided when a channel opens. So known and unknown names cannot be told
// apart, not even by the time that an answer takes.
func (c *connection) checkKey(meta ssh.ConnMetadata, pub ssh.PublicKey) (*ssh.Permissions, error) {
	c.keysOnce.Do(c.readKeys)
	if c.keys == nil {
		return nil, errRefused
	}
	key, ok := c.keys.Find(pub, c.RemoteAddr(), c.srv.now())
	if !ok {
		return nil, errRefused
	}
	verdict := &login{user: meta.User(), key: key}
	return &ssh.Permissions{ExtraData: map[any]any{loginKey{}: verdict}}, nil
}

// keyVerified is x/crypto's VerifiedPublicKeyCallback: the client has proved
// that it holds the key. It makes the verdict anew from this very attempt
// instead of trusting that the earlier one was for the same name and key.
func (c *connection) keyVerified(meta ssh.ConnMetadata, pub ssh.PublicKey, p *ssh.Permissions, _ string) (*ssh.Permissions, error) {
	verdict := loginOf(p)
	if verdict == nil || verdict.user != meta.User() ||
		!bytes.Equal(verdict.key.PublicKey.Marshal(), pub.Marshal()) {
		return nil, errRefused
	}
	c.proved = verdict
	return p, nil
}

// loginOf answers the verdict in permissions, nil when there is none.
func loginOf(p *ssh.Permissions) *login {
	if p == nil {
		return nil
	}
	verdict, _ := p.ExtraData[loginKey{}].(*login)
	return verdict
}

// readKeys reads authorized_keys once for a connection.
func (c *connection) readKeys() {
	log := c.srv.cfg.Log
	list, changed, err := c.srv.keys.Load()
	if err != nil {
		log.Warn("ssh: authorized_keys cannot be read, every key is refused", "error", err)
		return
	}
	if changed {
		c.keysChanged(list)
		for i, err := range list.Refused {
			if i == maxRefusedLogged {
				log.Warn("ssh: authorized_keys has more refused lines", "count", len(list.Refused)-i)
				break
			}
			log.Warn("ssh: authorized_keys: refused key", "error", err)
		}
	}
	c.keys = list
}

// maxRefusedLogged bounds what one text of authorized_keys puts into the log.
const maxRefusedLogged = 20

// logAuth is x/crypto's AuthLogCallback.
func (c *connection) logAuth(meta ssh.ConnMetadata, method string, err error) {
	if err == nil {
		c.accepted(meta.User())
		c.loggedIn()
		return
	}
	c.user = meta.User()
	if !errors.Is(err, ssh.ErrNoAuth) {
		c.srv.cfg.Log.Debug("ssh: refused", "user", meta.User(), "method", method, "remote", c.remote(), "error", err)
	}
}

// logFailure is the library's ConnectionFailedCallback.
func (s *Server) logFailure(c net.Conn, err error) {
	s.cfg.Log.Info("ssh: no login", "remote", c.RemoteAddr().String(), "error", err)
}

// caller is what a login may see. A key whose mirage-account is malformed
// sees nothing, like one without the option where accounts are asked for.
func (l *login) caller(allWorkspaces bool) accounts.Caller {
	switch o := l.key.Options; {
	case o.BadAccount:
		return accounts.Caller{}
	case o.HasAccount:
		return accounts.Caller{Account: o.Account}
	default:
		return accounts.Caller{All: allWorkspaces}
	}
}
