package sshd

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	charm "charm.land/ssh"
	"golang.org/x/crypto/ssh"
)

// identification is what the server calls itself (RFC 4253, section 4.2).
const identification = "SSH-2.0-mirage"

// maxIdentification is the most bytes of the client's identification with its
// line end (RFC 4253, section 4.2).
const maxIdentification = 255

// maxKexInit bounds the first packet that is looked at; OpenSSH's has about
// 1,500 bytes.
const maxKexInit = 16 << 10

// errNotSSH is what a client gets that does not speak SSH: nothing.
var errNotSSH = errors.New("not an SSH identification")

// exchangeIdentification sends our identification and reads the client's
// ahead, and, where the client is known to send it without waiting for ours,
// its first packet with the algorithms it has.
//
// The client's order of ciphers decides, and OpenSSH's begins with
// chacha20-poly1305, which here is several times slower than AES-GCM. So a
// client that offers AES-GCM is offered nothing else.
func (c *connection) exchangeIdentification() error {
	if _, err := c.Conn.Write([]byte(identification + "\r\n")); err != nil {
		return err
	}
	c.greeted = true
	ident, err := c.peekLine()
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(ident, []byte("SSH-2.0-")) && !bytes.HasPrefix(ident, []byte("SSH-1.99-")) {
		return errNotSSH
	}
	if !sendsKexInitFirst(string(ident)) {
		return nil
	}
	packet, err := c.peekPacket(len(ident))
	if err != nil {
		return err
	}
	c.gcmOnly = offersGCM(packet)
	return nil
}

// peek reads until n bytes are read ahead.
func (c *connection) peek(n int) error {
	if len(c.peeked) >= n {
		return nil
	}
	have := len(c.peeked)
	c.peeked = slices.Grow(c.peeked, max(n-have, 2048))
	m, err := io.ReadAtLeast(c.Conn, c.peeked[have:cap(c.peeked)], n-have)
	c.peeked = c.peeked[:have+m]
	return err
}

// peekLine answers the first line, with its line end.
func (c *connection) peekLine() ([]byte, error) {
	for {
		if i := bytes.IndexByte(c.peeked, '\n'); i >= 0 && i < maxIdentification {
			return c.peeked[:i+1], nil
		}
		if len(c.peeked) >= maxIdentification {
			return nil, errNotSSH
		}
		if err := c.peek(len(c.peeked) + 1); err != nil {
			return nil, err
		}
	}
}

// peekPacket answers the payload of the unencrypted packet at an offset
// (RFC 4253, section 6), nil when it is not one.
func (c *connection) peekPacket(at int) ([]byte, error) {
	if err := c.peek(at + 5); err != nil {
		return nil, err
	}
	length := int(binary.BigEndian.Uint32(c.peeked[at:]))
	padding := int(c.peeked[at+4])
	if length < padding+2 || length > maxKexInit {
		return nil, nil // x/crypto will word the error
	}
	if err := c.peek(at + 4 + length); err != nil {
		return nil, err
	}
	return c.peeked[at+5 : at+4+length-padding], nil
}

// sendsKexInitFirst reports whether a client is one that sends its first
// packet right after its identification: OpenSSH from 6.2 on, the first with
// AES-GCM.
func sendsKexInitFirst(ident string) bool {
	version, ok := strings.CutPrefix(ident, "SSH-2.0-OpenSSH_")
	if !ok {
		return false
	}
	version = strings.TrimPrefix(version, "for_Windows_")
	major, rest, _ := strings.Cut(version, ".")
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if end >= 0 {
		rest = rest[:end]
	}
	a, err := strconv.Atoi(major)
	b, err2 := strconv.Atoi(rest)
	return err == nil && err2 == nil && (a > 6 || a == 6 && b >= 2)
}

// offersGCM reports whether an SSH_MSG_KEXINIT (RFC 4253, section 7.1) lists
// AES-GCM in both directions.
func offersGCM(payload []byte) bool {
	var msg struct {
		Cookie             [16]byte `sshtype:"20"`
		Kex, HostKey       []string
		ToServer, ToClient []string
		Rest               []byte `ssh:"rest"`
	}
	if ssh.Unmarshal(payload, &msg) != nil {
		return false
	}
	isGCM := func(name string) bool { return slices.Contains(gcmCiphers, name) }
	return slices.ContainsFunc(msg.ToServer, isGCM) && slices.ContainsFunc(msg.ToClient, isGCM)
}

var gcmCiphers = []string{ssh.CipherAES128GCM, ssh.CipherAES256GCM}

// keyExchanges leaves out those with SHA-1, and group exchange, which lets
// anybody make the server compute large powers before a login.
var keyExchanges = []string{
	ssh.KeyExchangeMLKEM768X25519, ssh.KeyExchangeCurve25519,
	ssh.KeyExchangeECDHP256, ssh.KeyExchangeECDHP384, ssh.KeyExchangeECDHP521,
	ssh.KeyExchangeDH14SHA256, ssh.KeyExchangeDH16SHA512,
}

var macs = []string{ssh.HMACSHA256ETM, ssh.HMACSHA512ETM, ssh.HMACSHA256, ssh.HMACSHA512}

// userKeyAlgorithms leaves out signatures with SHA-1.
var userKeyAlgorithms = []string{
	ssh.KeyAlgoED25519, ssh.KeyAlgoSKED25519, ssh.KeyAlgoSKECDSA256,
	ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521,
	ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256,
}

// serverConfig is the library's ServerConfigCallback: one configuration for
// each connection. The library adds the host key.
func (s *Server) serverConfig(ctx charm.Context) *ssh.ServerConfig {
	conn := connectionOf(ctx)
	ciphers := ssh.SupportedAlgorithms().Ciphers
	if conn.gcmOnly {
		ciphers = gcmCiphers
	}
	return &ssh.ServerConfig{
		Config:                    ssh.Config{Ciphers: ciphers, KeyExchanges: keyExchanges, MACs: macs},
		ServerVersion:             identification,
		PublicKeyAuthAlgorithms:   userKeyAlgorithms,
		MaxAuthTries:              maxAuthTries,
		PublicKeyCallback:         conn.checkKey,
		VerifiedPublicKeyCallback: conn.keyVerified,
		AuthLogCallback:           conn.logAuth,
	}
}
