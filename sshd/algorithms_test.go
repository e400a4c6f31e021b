package sshd

import (
	"bytes"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"golang.org/x/crypto/ssh"
)

func TestSendsKexInitFirst(t *testing.T) {
	for ident, want := range map[string]bool{
		"SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u10\r\n": true,
		"SSH-2.0-OpenSSH_10.0\r\n":                    true,
		"SSH-2.0-OpenSSH_6.2\n":                       true,
		"SSH-2.0-OpenSSH_for_Windows_9.5\r\n":         true,
		"SSH-2.0-OpenSSH_6.1p1\r\n":                   false,
		"SSH-2.0-OpenSSH_5.9p1\r\n":                   false,
		"SSH-2.0-OpenSSH_\r\n":                        false,
		"SSH-2.0-OpenSSH_nine.two\r\n":                false,
		"SSH-2.0-paramiko_2.12.0\r\n":                 false,
		"SSH-2.0-libssh2_1.10.0\r\n":                  false,
		"SSH-2.0-Go\r\n":                              false,
	} {
		if got := sendsKexInitFirst(ident); got != want {
			t.Errorf("%q: %v, want %v", ident, got, want)
		}
	}
}

// kexInit is the first packet of a client with certain ciphers.
func kexInit(toServer, toClient []string) []byte {
	none := []string{"none"}
	payload := ssh.Marshal(struct {
		Cookie                 [16]byte `sshtype:"20"`
		Kex, HostKey           []string
		ToServer, ToClient     []string
		MAC1, MAC2             []string
		Compress1, Compress2   []string
		Languages1, Languages2 []string
		First                  bool
		Reserved               uint32
	}{Kex: none, HostKey: none, ToServer: toServer, ToClient: toClient})
	const padding = 8
	packet := []byte{0, 0, byte((len(payload) + 1 + padding) >> 8), byte(len(payload) + 1 + padding), padding}
	return append(append(packet, payload...), make([]byte, padding)...)
}

// fakeConn is a net.Conn that reads a text and drops what is written.
type fakeConn struct {
	net.Conn
	io.Reader
	written bytes.Buffer
}

func (c *fakeConn) Read(p []byte) (int, error)  { return c.Reader.Read(p) }
func (c *fakeConn) Write(p []byte) (int, error) { return c.written.Write(p) }

func TestExchangeIdentification(t *testing.T) {
	gcm, chacha := []string{"chacha20-poly1305@openssh.com", "aes256-gcm@openssh.com"}, []string{"chacha20-poly1305@openssh.com", "aes128-ctr"}
	const openSSH = "SSH-2.0-OpenSSH_9.2p1\r\n"
	for _, tc := range []struct {
		name, sent string
		gcmOnly    bool
		err        bool
	}{
		{"OpenSSH", openSSH + string(kexInit(gcm, gcm)), true, false},
		{"OpenSSH told to use something else", openSSH + string(kexInit(chacha, chacha)), false, false},
		{"one direction only", openSSH + string(kexInit(gcm, chacha)), false, false},
		{"another client", "SSH-2.0-paramiko_2.12.0\r\n", false, false},
		{"another client that has GCM", "SSH-2.0-libssh_0.10\r\n" + string(kexInit(gcm, gcm)), false, false},
		{"an old name for version 2", "SSH-1.99-x\r\n", false, false},
		{"version 1", "SSH-1.5-x\r\n", false, true},
		{"HTTP", "GET / HTTP/1.1\r\n", false, true},
		{"endless name", "SSH-2.0-" + strings.Repeat("x", 300), false, true},
		{"cut off", "SSH-2.0-Ope", false, true},
		{"cut off in the packet", openSSH + "\x00\x00\x03", false, true},
		{"packet of a wrong length", openSSH + "\xff\xff\xff\xff\x04\x14", false, false},
		{"packet shorter than its padding", openSSH + "\x00\x00\x00\x05\x09\x14", false, false},
		{"empty packet", openSSH + "\x00\x00\x00\x00\x00", false, false},
		{"another packet", openSSH + "\x00\x00\x00\x08\x04\x01\x00\x00\x00\x00\x00\x00", false, false},
	} {
		for reader, wrap := range map[string]func(io.Reader) io.Reader{
			"at once": func(r io.Reader) io.Reader { return r }, "byte by byte": iotest.OneByteReader,
		} {
			t.Run(tc.name+" "+reader, func(t *testing.T) {
				fake := &fakeConn{Reader: wrap(strings.NewReader(tc.sent))}
				c := newConnection(&Server{now: time.Now}, fake)
				err := c.exchangeIdentification()
				if (err != nil) != tc.err || c.gcmOnly != tc.gcmOnly {
					t.Fatalf("GCM only %v, error %v; want %v, %v", c.gcmOnly, err, tc.gcmOnly, tc.err)
				}
				if err != nil {
					return
				}
				// x/crypto then writes its identification and reads everything.
				if _, err := c.Write([]byte(identification + "\r\n")); err != nil {
					t.Fatal(err)
				}
				if got := fake.written.String(); got != identification+"\r\n" {
					t.Errorf("wrote %q", got)
				}
				if all, err := io.ReadAll(c); err != nil || string(all) != tc.sent {
					t.Errorf("read %q, %v; want %q", all, err, tc.sent)
				}
			})
		}
	}
}

func FuzzExchangeIdentification(f *testing.F) {
	f.Add([]byte("SSH-2.0-OpenSSH_9.2p1\r\n"), kexInit([]string{"aes128-gcm@openssh.com"}, nil))
	f.Add([]byte("SSH-2.0-x\n"), []byte{})
	f.Fuzz(func(t *testing.T, ident, packet []byte) {
		sent := append(ident, packet...)
		c := newConnection(&Server{now: time.Now}, &fakeConn{Reader: bytes.NewReader(sent)})
		err := c.exchangeIdentification()
		if len(c.peeked) > maxIdentification+maxKexInit+4096 {
			t.Fatalf("%d bytes read ahead", len(c.peeked))
		}
		if all, _ := io.ReadAll(c); err == nil && !bytes.Equal(all, sent) {
			t.Fatalf("read %q, want %q", all, sent)
		}
	})
}

// What the server offers: nothing with SHA-1, and GCM alone for those who
// have it.
func TestOffers(t *testing.T) {
	f := newFixture(t, "", nil)
	for ident, wantGCMOnly := range map[string]bool{"SSH-2.0-OpenSSH_9.2p1": true, "SSH-2.0-other": false} {
		c := dialTCP(t, f.addr)
		gcm := []string{"aes128-gcm@openssh.com"}
		if _, err := c.Write(append([]byte(ident+"\r\n"), kexInit(gcm, gcm)...)); err != nil {
			t.Fatal(err)
		}
		raw := &rawClient{t: t, conn: c}
		greeting := make([]byte, len(identification)+2)
		if _, err := io.ReadFull(c, greeting); err != nil {
			t.Fatal(err)
		}
		raw.readFrom(c)
		var msg struct {
			Cookie             [16]byte `sshtype:"20"`
			Kex, HostKey       []string
			ToServer, ToClient []string
			MAC1, MAC2         []string
			Rest               []byte `ssh:"rest"`
		}
		raw.unmarshal(raw.expect(msgKexInit), &msg)
		for _, name := range slices.Concat(msg.Kex, msg.HostKey, msg.ToServer, msg.ToClient, msg.MAC1, msg.MAC2) {
			if strings.Contains(name, "sha1") || strings.Contains(name, "cbc") || strings.Contains(name, "arcfour") || name == "ssh-rsa" {
				t.Errorf("%s: %s is offered", ident, name)
			}
		}
		if msg.Kex[0] != "mlkem768x25519-sha256" || !slices.Contains(msg.Kex, "kex-strict-s-v00@openssh.com") {
			t.Errorf("%s: key exchanges %v", ident, msg.Kex)
		}
		if got := !slices.Contains(msg.ToClient, "aes128-ctr"); got != wantGCMOnly {
			t.Errorf("%s: ciphers %v", ident, msg.ToClient)
		}
	}
}
