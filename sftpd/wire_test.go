package sftpd

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"io/fs"
	"testing"
	"time"

	"mirage/vfs"
)

// Whatever a request holds, it gets one answer and the channel lives.
func TestMalformedRequests(t *testing.T) {
	r := newRaw(t, newView(t))
	for typ := typeOpen; typ <= typeSymlink; typ++ {
		got, d := r.call(byte(typ))
		if code := d.uint32(); got != typeStatus || code != statusBadMessage {
			t.Errorf("empty request %d: reply %d, status %d", typ, got, code)
		}
	}
	big := u32(1 << 31)
	for _, c := range []struct {
		typ   byte
		parts []part
		want  uint32
	}{
		{typeSetstat, []part{str("/"), u32(attrSize)}, statusBadMessage},
		{typeSetstat, []part{str("/"), u32(attrExtended), big}, statusBadMessage},
		{typeSetstat, []part{big}, statusBadMessage},
		{typeFstat, []part{str("no")}, statusFailure},
		{typeFstat, []part{str("12345678")}, statusFailure},
		{typeClose, []part{str("")}, statusFailure},
		{typeOpen, []part{str("/x"), u32(0), u32(0)}, statusFailure},
		{typeStat, []part{str("/a\x00b")}, statusFailure},
		{typeStat, []part{str("../../../nosuch")}, statusNoSuchFile},
		{typeExtended, []part{str("nosuch@example.com")}, statusUnsupported},
		{typeExtended, []part{}, statusBadMessage},
		{typeExtended, []part{str("fsync@openssh.com"), str("x")}, statusFailure},
		{typeExtended, []part{str("copy-data"), str("x")}, statusFailure},
		{typeExtended, []part{str("users-groups-by-id@openssh.com"), str("abc"), str("")}, statusBadMessage},
		{99, nil, statusUnsupported},
		{typeInit + 1, nil, statusUnsupported},
	} {
		got, d := r.call(c.typ, c.parts...)
		if code := d.uint32(); got != typeStatus || code != c.want {
			t.Errorf("request %d: reply %d, status %d %q, want %d", c.typ, got, code, d.string(), c.want)
		}
	}
	if typ, _ := r.call(typeStat, str("/")); typ != typeAttrs {
		t.Errorf("stat answered %d afterwards", typ)
	}
}

// A stream that is no SFTP ends the channel and nothing else.
func TestNoSFTP(t *testing.T) {
	for name, stream := range map[string][]byte{
		"empty":        nil,
		"zero length":  {0, 0, 0, 0},
		"huge length":  {0xff, 0xff, 0xff, 0xff, 1},
		"http":         []byte("GET / HTTP/1.1\r\n\r\n"),
		"no init":      packet(typeStat, 1, str("/")),
		"init twice":   append(packet(typeInit, 3), packet(typeInit, 3)...),
		"short init":   {0, 0, 0, 1, typeInit},
		"half request": append(packet(typeInit, 3), 0, 0, 0, 9, typeStat, 0),
	} {
		done := make(chan error, 1)
		go func() {
			done <- Serve(context.Background(), &twoWay{bytes.NewReader(stream), io.Discard}, Config{View: newView(t)})
		}()
		select {
		case err := <-done:
			if (err == nil) != (name == "empty") {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("%s: the server hangs", name)
		}
	}
}

type twoWay struct {
	io.Reader
	io.Writer
}

func TestLongname(t *testing.T) {
	now := time.Date(2026, 3, 7, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		info vfs.Info
		want string
	}{
		{vfs.Info{Name: "f", Size: 1234, Mode: 0o644, Nlink: 1, ModTime: now.Add(-time.Hour)}, "-rw-r--r--    1 demo     demo         1234 Mar  7 11:00 f"},
		{vfs.Info{Name: "d", Size: 0, Mode: fs.ModeDir | fs.ModeSticky | 0o777, Nlink: 2, UID: 7, GID: 8, ModTime: now.AddDate(-1, 0, 0)}, "drwxrwxrwt    2 7        8               0 Mar  7  2025 d"},
		{vfs.Info{Name: "l", Size: -1, Mode: fs.ModeSymlink | 0o777, ModTime: now}, "lrwxrwxrwx    1 demo     demo            0 Mar  7 12:00 l"},
		{vfs.Info{Name: "s", Mode: fs.ModeSetuid | fs.ModeSetgid | 0o654, ModTime: now}, "-rwSr-sr--    1 demo     demo            0 Mar  7 12:00 s"},
	} {
		if got := (names{"demo"}).longname(c.info, now); got != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
}

func FuzzServe(f *testing.F) {
	add := func(packets ...[]byte) {
		f.Add(bytes.Join(append([][]byte{packet(typeInit, 3)}, packets...), nil))
	}
	first := str(string(binary.BigEndian.AppendUint64(nil, 1)))
	add(packet(typeOpen, 1, str("/f"), u32(openRead|openWrite|openCreate), u32(attrPermissions), u32(0o644)),
		packet(typeWrite, 2, first, u64(0), str("data")), packet(typeRead, 3, first, u64(0), u32(100)), packet(typeClose, 4, first))
	add(packet(typeMkdir, 1, str("d"), u32(0)), packet(typeRename, 2, str("d"), str("e")), packet(typeOpendir, 3, str(".")), packet(typeReaddir, 4, first))
	add(packet(typeExtended, 1, str("copy-data"), first, u64(0), u64(0), first, u64(0)))
	add(packet(typeSetstat, 1, str("f"), u32(attrSize|attrUIDGID|attrPermissions|attrTimes), u64(9), u32(1), u32(2), u32(3), u32(4), u32(5)))
	f.Fuzz(func(t *testing.T, stream []byte) {
		var out bytes.Buffer
		_ = Serve(t.Context(), &twoWay{bytes.NewReader(stream), &out}, Config{View: newView(t)})
		// Every answer is a whole packet.
		for b := out.Bytes(); len(b) > 0; {
			if len(b) < 5 {
				t.Fatalf("%d bytes are no packet", len(b))
			}
			n := int(binary.BigEndian.Uint32(b))
			if n < 1 || n > len(b)-4 {
				t.Fatalf("a packet of %d bytes in %d", n, len(b)-4)
			}
			b = b[4+n:]
		}
	})
}

func BenchmarkStat(b *testing.B) {
	c := connect(b, newView(b))
	for b.Loop() {
		if _, err := c.Stat("/"); err != nil {
			b.Fatal(err)
		}
	}
}
