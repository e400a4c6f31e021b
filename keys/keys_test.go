package keys

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// newKey makes a fresh ed25519 key and its authorized_keys text.
func newKey(t testing.TB) (ssh.PublicKey, string) {
	t.Helper()
	pub, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewPublicKey(pub)
	if err != nil {
		t.Fatal(err)
	}
	return key, strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
}

var (
	home  = &net.TCPAddr{IP: net.ParseIP("127.0.0.1"), Port: 40000}
	today = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
)

func TestParseLine(t *testing.T) {
	_, line := newKey(t)
	blob := strings.Fields(line)[1]
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ecPub, err := ssh.NewPublicKey(&ec.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	ecLine := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(ecPub)))

	for _, tc := range []struct {
		name, line string
		refused    string // part of the reason; "" = accepted
		comment    string
	}{
		{name: "plain", line: line},
		{name: "ecdsa", line: ecLine},
		{name: "comment", line: line + " alice@laptop", comment: "alice@laptop"},
		{name: "comment of words", line: line + "  the old  laptop ", comment: "the old  laptop"},
		{name: "leading blanks", line: " \t" + line},
		{name: "tabs", line: strings.Replace(line, " ", "\t", 1) + "\tx", comment: "x"},
		{name: "carriage return", line: line + "\r"},
		{name: "carriage return after a comment", line: line + " x\r", comment: "x"},
		{name: "comment of 5000 bytes", line: line + " " + strings.Repeat("n", 5000), comment: strings.Repeat("n", 5000)},
		{name: "comment that is not UTF-8", line: line + " \xff\xfe", comment: "\xff\xfe"},
		{name: "quote in the comment", line: line + ` say "hi`, comment: `say "hi`},

		{name: "no options before the key", line: "  , " + line, refused: "unknown key option"},
		{name: "NUL", line: line + " a\x00b", refused: "NUL"},
		{name: "options and nothing else", line: "no-pty", refused: "no key"},
		{name: "type and nothing else", line: "ssh-ed25519", refused: "malformed base64"},
		{name: "unknown type", line: "no-pty ssh-foo " + blob, refused: "no key"},
		{name: "DSA", line: "ssh-dss " + blob, refused: "unknown key option"},
		{name: "cut short", line: line[:len(line)-10], refused: "malformed"},
		{name: "not base64", line: "ssh-ed25519 AAAA%%%%", refused: "malformed base64"},
		{name: "base64 of nonsense", line: "ssh-ed25519 bm9uc2Vuc2U=", refused: "malformed key"},
		{name: "type of another key", line: "ssh-rsa " + blob, refused: "type mismatch"},
		{name: "type of another curve", line: "ecdsa-sha2-nistp384 " + strings.Fields(ecLine)[1], refused: "type mismatch"},
		{name: "certificate", line: "ssh-ed25519-cert-v01@openssh.com " + blob, refused: "unknown key option"},
		{name: "unclosed quote", line: `command="ls ` + line, refused: "missing end quote"},
		{name: "protocol 1", line: "1024 35 15565", refused: "unknown key option"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			key, ok, err := parseLine([]byte(tc.line))
			if tc.refused != "" {
				if err == nil || !strings.Contains(err.Error(), tc.refused) {
					t.Fatalf("error %v, want one with %q", err, tc.refused)
				}
				return
			}
			if err != nil || !ok {
				t.Fatalf("ok %v, error %v", ok, err)
			}
			if key.Comment != tc.comment {
				t.Errorf("comment %q, want %q", key.Comment, tc.comment)
			}
		})
	}
}

func TestCertificateIsRefused(t *testing.T) {
	pub, _ := newKey(t)
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert := &ssh.Certificate{Key: pub, CertType: ssh.UserCert, ValidBefore: ssh.CertTimeInfinity, ValidPrincipals: []string{"a"}}
	if err := cert.SignCert(rand.Reader, signer); err != nil {
		t.Fatal(err)
	}
	line := ssh.MarshalAuthorizedKey(cert)
	if _, ok, err := parseLine(line); ok || err == nil {
		t.Fatalf("a certificate was accepted as a key: ok %v, error %v", ok, err)
	}
}

func TestMalformedLineRefusesOnlyItself(t *testing.T) {
	first, firstLine := newKey(t)
	second, secondLine := newKey(t)
	text := strings.Join([]string{
		"# a comment", "", "   ", "garbage",
		firstLine, `environment="A=b" ` + firstLine, "\x00\x01", secondLine + " last\r",
	}, "\n")
	a := ParseAuthorizedKeys([]byte(text))
	if len(a.Keys) != 2 || a.Keys[0].Line != 5 || a.Keys[1].Line != 8 || a.Keys[1].Comment != "last" {
		t.Fatalf("keys %+v", a.Keys)
	}
	var lines []int
	for _, err := range a.Refused {
		lines = append(lines, err.(*LineError).Line)
	}
	if got, want := fmt.Sprint(lines), "[4 6 7]"; got != want {
		t.Errorf("refused lines %s, want %s", got, want)
	}
	for _, pub := range []ssh.PublicKey{first, second} {
		if _, ok := a.Find(pub, home, today); !ok {
			t.Errorf("key %s not found", ssh.FingerprintSHA256(pub))
		}
	}
	stranger, _ := newKey(t)
	if _, ok := a.Find(stranger, home, today); ok {
		t.Error("a key that is not in the file was found")
	}
}

// A key listed twice: the first line that lets it in counts.
func TestFindTakesFirstLineThatAllows(t *testing.T) {
	pub, line := newKey(t)
	a := ParseAuthorizedKeys([]byte(strings.Join([]string{
		`expiry-time="20200101" ` + line,
		`from="10.0.0.0/8",mirage-profile="far" ` + line,
		`mirage-profile="near" ` + line,
		`mirage-profile="last" ` + line,
	}, "\n")))
	got, ok := a.Find(pub, home, today)
	if !ok || got.Options.Profile != "near" {
		t.Fatalf("found %v %+v, want profile near", ok, got.Options)
	}
	far := &net.TCPAddr{IP: net.ParseIP("10.1.2.3"), Port: 1}
	if got, ok := a.Find(pub, far, today); !ok || got.Options.Profile != "far" {
		t.Fatalf("found %v %+v, want profile far", ok, got.Options)
	}
}

func BenchmarkParse5000Keys(b *testing.B) {
	var text strings.Builder
	for i := range 5000 {
		_, line := newKey(b)
		fmt.Fprintf(&text, "mirage-account=\"account-%d\",no-pty %s user-%d\n", i, line, i)
	}
	in := []byte(text.String())
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if a := ParseAuthorizedKeys(in); len(a.Keys) != 5000 {
			b.Fatal(len(a.Keys))
		}
	}
}

func FuzzParseAuthorizedKeys(f *testing.F) {
	_, line := newKey(f)
	f.Add([]byte(line))
	f.Add([]byte(`from="*.x,!10.0.0.0/8",command="echo \"hi\" there",restrict,pty,expiry-time="20300101Z" ` + line + " comment\r\n# x\n"))
	f.Add([]byte("mirage-account,mirage-account=\"a\" " + line))
	f.Add([]byte("command=\"\\\"\x00\n\n,=\"\\"))
	f.Fuzz(func(t *testing.T, text []byte) {
		a := ParseAuthorizedKeys(text)
		for _, k := range a.Keys {
			if k.PublicKey == nil || k.Line < 1 {
				t.Fatalf("half a key: %+v", k)
			}
			k.Options.allowsFrom(home)
			// What was accepted is accepted again, alone and with its comment.
			again := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(k.PublicKey))) + " " + k.Comment
			if b := ParseAuthorizedKeys([]byte(again)); len(b.Keys) != 1 {
				t.Fatalf("%q: refused when alone: %v", again, b.Refused)
			}
		}
		if lines := len(strings.Split(string(text), "\n")); len(a.Keys)+len(a.Refused) > lines {
			t.Fatalf("%d keys and %d refusals in %d lines", len(a.Keys), len(a.Refused), lines)
		}
	})
}
