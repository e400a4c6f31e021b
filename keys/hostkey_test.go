package keys

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/ssh"
)

func TestHostKeyIsMadeOnceAndKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ssh", "host_ed25519_key")
	blobs := make([][]byte, 8)
	var wg sync.WaitGroup
	for i := range blobs {
		wg.Go(func() {
			signer, err := HostKey(path)
			if err != nil {
				t.Error(err)
				return
			}
			blobs[i] = signer.PublicKey().Marshal()
		})
	}
	wg.Wait()
	for _, b := range blobs {
		if !bytes.Equal(b, blobs[0]) {
			t.Fatal("two servers that started at once have different keys")
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(text), "-----BEGIN OPENSSH PRIVATE KEY-----\n") {
		t.Errorf("not in OpenSSH's format: %.40q", text)
	}
	for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: mode %v, want %v", filepath.Base(name), info.Mode().Perm(), want)
		}
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestHostKeyRefusesFile(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good")
	if _, err := HostKey(good); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "readable"), string(text), 0o644)
	write(t, filepath.Join(dir, "group"), string(text), 0o640)
	write(t, filepath.Join(dir, "garbage"), "garbage", 0o600)
	write(t, filepath.Join(dir, "empty"), "", 0o600)
	write(t, filepath.Join(dir, "cut"), string(text[:100]), 0o600)
	write(t, filepath.Join(dir, "locked"), string(pem.EncodeToMemory(block)), 0o600)
	for name, want := range map[string]string{
		"readable": "permissions 0644 are too open", "group": "permissions 0640 are too open",
		"garbage": "not a private key", "empty": "not a private key", "cut": "not a private key",
		"locked": "passphrase", ".": "not a regular file",
	} {
		before, _ := os.ReadFile(filepath.Join(dir, name))
		if _, err := HostKey(filepath.Join(dir, name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", name, err, want)
		}
		if after, _ := os.ReadFile(filepath.Join(dir, name)); !bytes.Equal(before, after) {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

func TestRSAHostKeySignsWithoutSHA1(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(key, "")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "rsa")
	write(t, path, string(pem.EncodeToMemory(block)), 0o600)
	signer, err := HostKey(path)
	if err != nil {
		t.Fatal(err)
	}
	multi, ok := signer.(ssh.MultiAlgorithmSigner)
	if !ok {
		t.Fatalf("%T does not restrict its algorithms", signer)
	}
	for _, algo := range multi.Algorithms() {
		if algo == ssh.KeyAlgoRSA {
			t.Error("ssh-rsa (SHA-1) is offered")
		}
	}
}
