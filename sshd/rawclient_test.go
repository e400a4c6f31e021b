package sshd

import (
	"bufio"
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math/big"
	"net"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// Messages of RFC 4253, 4252 and 4254.
const (
	msgDisconnect      = 1
	msgServiceRequest  = 5
	msgServiceAccept   = 6
	msgKexInit         = 20
	msgNewKeys         = 21
	msgKexECDHInit     = 30
	msgKexECDHReply    = 31
	msgAuthRequest     = 50
	msgAuthFailure     = 51
	msgAuthSuccess     = 52
	msgAuthPKOK        = 60
	msgGlobalRequest   = 80
	msgRequestFailure  = 82
	msgChannelOpen     = 90
	msgChannelConfirm  = 91
	msgChannelFailure  = 92
	msgChannelData     = 94
	msgChannelExtended = 95
	msgChannelEOF      = 96
	msgChannelClose    = 97
	msgChannelRequest  = 98
	msgChannelSuccess  = 99
	msgChannelNo       = 100
)

// rawClient speaks SSH packet by packet, so that a test can do what a proper
// client never does. It has one algorithm of each kind and does not check who
// the server is.
type rawClient struct {
	t         testing.TB
	conn      net.Conn
	r         *bufio.Reader
	sessionID []byte
	in, out   direction
}

type direction struct {
	stream cipher.Stream
	mac    []byte
	seq    uint32
}

// dialRaw connects and exchanges keys.
func (f *fixture) dialRaw() *rawClient {
	f.t.Helper()
	conn, err := net.Dial("tcp", f.addr)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	c := &rawClient{t: f.t, conn: conn, r: bufio.NewReader(conn)}
	c.exchangeKeys()
	return c
}

// readFrom makes what c reads come from r.
func (c *rawClient) readFrom(r io.Reader) { c.r = bufio.NewReader(r) }

func (c *rawClient) exchangeKeys() {
	c.t.Helper()
	const ident = "SSH-2.0-raw"
	if _, err := io.WriteString(c.conn, ident+"\r\n"); err != nil {
		c.t.Fatal(err)
	}
	theirs, err := c.r.ReadString('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	theirs = theirs[:len(theirs)-2]
	list := []string{"curve25519-sha256"}
	cipherList, macList, none := []string{"aes128-ctr"}, []string{"hmac-sha2-256"}, []string{"none"}
	mine := ssh.Marshal(struct {
		Cookie                 [16]byte `sshtype:"20"`
		Kex, HostKey           []string
		Cipher1, Cipher2       []string
		MAC1, MAC2             []string
		Compress1, Compress2   []string
		Languages1, Languages2 []string
		First                  bool
		Reserved               uint32
	}{Kex: list, HostKey: []string{"ssh-ed25519"}, Cipher1: cipherList, Cipher2: cipherList,
		MAC1: macList, MAC2: macList, Compress1: none, Compress2: none})
	c.send(mine)
	kexInit := c.expect(msgKexInit)
	private, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		c.t.Fatal(err)
	}
	pub := private.PublicKey().Bytes()
	c.send(ssh.Marshal(struct {
		Pub string `sshtype:"30"`
	}{string(pub)}))
	var reply struct {
		HostKey, Pub, Signature string `sshtype:"31"`
	}
	c.unmarshal(c.expect(msgKexECDHReply), &reply)
	peer, err := ecdh.X25519().NewPublicKey([]byte(reply.Pub))
	if err != nil {
		c.t.Fatal(err)
	}
	secret, err := private.ECDH(peer)
	if err != nil {
		c.t.Fatal(err)
	}
	k := ssh.Marshal(struct{ K *big.Int }{new(big.Int).SetBytes(secret)})
	h := sha256.New()
	for _, s := range []string{ident, theirs, string(mine), string(kexInit), reply.HostKey, string(pub), reply.Pub} {
		h.Write(ssh.Marshal(struct{ S string }{s}))
	}
	h.Write(k)
	c.sessionID = h.Sum(nil)
	c.send([]byte{msgNewKeys})
	c.expect(msgNewKeys)
	c.out.setKeys(k, c.sessionID, "ACE")
	c.in.setKeys(k, c.sessionID, "BDF")
}

// setKeys derives IV, key and MAC key (RFC 4253, section 7.2).
func (d *direction) setKeys(k, h []byte, letters string) {
	derive := func(letter byte) []byte {
		sum := sha256.Sum256(bytes.Join([][]byte{k, h, {letter}, h}, nil))
		return sum[:]
	}
	block, err := aes.NewCipher(derive(letters[1])[:16])
	if err != nil {
		panic(err)
	}
	d.stream = cipher.NewCTR(block, derive(letters[0])[:16])
	d.mac = derive(letters[2])
}

func (d *direction) sum(packet []byte) []byte {
	m := hmac.New(sha256.New, d.mac)
	_ = binary.Write(m, binary.BigEndian, d.seq)
	m.Write(packet)
	return m.Sum(nil)
}

// send sends one packet.
func (c *rawClient) send(payload []byte) {
	c.t.Helper()
	padding := 16 - (5+len(payload))%16
	if padding < 4 {
		padding += 16
	}
	packet := binary.BigEndian.AppendUint32(nil, uint32(1+len(payload)+padding))
	packet = append(append(append(packet, byte(padding)), payload...), make([]byte, padding)...)
	var mac []byte
	if c.out.stream != nil {
		mac = c.out.sum(packet)
		c.out.stream.XORKeyStream(packet, packet)
	}
	c.out.seq++
	if _, err := c.conn.Write(append(packet, mac...)); err != nil {
		c.t.Logf("send: %v", err)
	}
}

// receive reads one packet; io.EOF and the like when the server is gone.
func (c *rawClient) receive() ([]byte, error) {
	head := make([]byte, 16)
	if c.in.stream == nil {
		head = head[:5]
	}
	if _, err := io.ReadFull(c.r, head); err != nil {
		return nil, err
	}
	if c.in.stream != nil {
		c.in.stream.XORKeyStream(head, head)
	}
	length := int(binary.BigEndian.Uint32(head))
	packet := append(head, make([]byte, 4+length-len(head))...)
	rest := packet[len(head):]
	if _, err := io.ReadFull(c.r, rest); err != nil {
		return nil, err
	}
	if c.in.stream != nil {
		c.in.stream.XORKeyStream(rest, rest)
		mac := make([]byte, sha256.Size)
		if _, err := io.ReadFull(c.r, mac); err != nil {
			return nil, err
		}
		if !hmac.Equal(mac, c.in.sum(packet)) {
			return nil, fmt.Errorf("wrong MAC")
		}
	}
	c.in.seq++
	return packet[5 : 4+length-int(packet[4])], nil
}

// expect reads one packet, which must be of a kind.
func (c *rawClient) expect(kind byte) []byte {
	c.t.Helper()
	p, err := c.receive()
	if err != nil {
		c.t.Fatalf("waiting for message %d: %v", kind, err)
	}
	if p[0] != kind {
		c.t.Fatalf("message %d (%q), want %d", p[0], p, kind)
	}
	return p
}

func (c *rawClient) unmarshal(p []byte, v any) {
	c.t.Helper()
	if err := ssh.Unmarshal(p, v); err != nil {
		c.t.Fatal(err)
	}
}

// startAuth asks for the authentication service.
func (c *rawClient) startAuth() {
	c.t.Helper()
	c.send(ssh.Marshal(struct {
		Name string `sshtype:"5"`
	}{"ssh-userauth"}))
	c.expect(msgServiceAccept)
}

type publicKeyRequest struct {
	User, Service, Method string `sshtype:"50"`
	HasSignature          bool
	Algorithm, Key        string
}

func authRequest(user string, key ssh.PublicKey, signed bool) publicKeyRequest {
	return publicKeyRequest{user, "ssh-connection", "publickey", signed, key.Type(), string(key.Marshal())}
}

// query asks whether a key would do, and answers the kind of the reply.
func (c *rawClient) query(user string, key ssh.PublicKey) byte {
	c.t.Helper()
	c.send(ssh.Marshal(authRequest(user, key, false)))
	p, err := c.receive()
	if err != nil {
		c.t.Fatal(err)
	}
	return p[0]
}

// signed logs in with a signature over signedUser's request, sent as user's.
func (c *rawClient) signed(user, signedUser string, key ssh.PublicKey, by ssh.Signer) (byte, error) {
	c.t.Helper()
	data := ssh.Marshal(struct{ ID string }{string(c.sessionID)})
	sig, err := by.Sign(rand.Reader, append(data, ssh.Marshal(authRequest(signedUser, key, true))...))
	if err != nil {
		c.t.Fatal(err)
	}
	c.send(append(ssh.Marshal(authRequest(user, key, true)), ssh.Marshal(struct{ Sig string }{string(ssh.Marshal(sig))})...))
	p, err := c.receive()
	if err != nil {
		return 0, err
	}
	return p[0], nil
}

// login logs in, or fails the test.
func (c *rawClient) login(user string, key ssh.Signer) {
	c.t.Helper()
	c.startAuth()
	if got, err := c.signed(user, user, key.PublicKey(), key); got != msgAuthSuccess {
		c.t.Fatalf("login: message %d, %v", got, err)
	}
}

// openChannel opens a channel whose number is id on both sides when channels
// are opened in order from 0.
func (c *rawClient) openChannel(id uint32) byte {
	c.t.Helper()
	c.send(ssh.Marshal(struct {
		Type            string `sshtype:"90"`
		ID, Window, Max uint32
	}{"session", id, 1 << 21, 1 << 15}))
	p, err := c.receive()
	if err != nil {
		c.t.Fatal(err)
	}
	return p[0]
}

// channelRequest sends a request on a channel.
func (c *rawClient) channelRequest(id uint32, name string, reply bool, data ...[]byte) {
	c.t.Helper()
	c.send(append(ssh.Marshal(struct {
		ID    uint32 `sshtype:"98"`
		Name  string
		Reply bool
	}{id, name, reply}), bytes.Join(data, nil)...))
}

// text is an SSH string.
func text(s string) []byte { return ssh.Marshal(struct{ S string }{s}) }
