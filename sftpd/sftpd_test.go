package sftpd

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pkg/sftp"

	"mirage/vfs"
	"mirage/vfs/ram"
)

func newView(t testing.TB) *vfs.View {
	t.Helper()
	ns, err := vfs.NewNamespace([]vfs.Mount{
		{Prefix: "/", FS: ram.New(ram.Options{}), Mode: vfs.Write, Kind: "ram"},
		{Prefix: "/ro", FS: ram.New(ram.Options{}), Mode: vfs.Read, Kind: "ram"},
	}, vfs.NamespaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return vfs.NewView(ns, vfs.AllowAll{})
}

// connect serves a view and answers a client of it. The server has ended when
// the test has.
func connect(t testing.TB, v *vfs.View) *sftp.Client {
	t.Helper()
	c, err := sftp.NewClientPipe(pipe(t, v))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// pipe serves a view on one end of a connection and answers the other.
func pipe(t testing.TB, v *vfs.View) (net.Conn, net.Conn) {
	t.Helper()
	ours, theirs := net.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- Serve(context.Background(), theirs, Config{View: v, User: "demo"})
		theirs.Close()
	}()
	t.Cleanup(func() {
		ours.Close()
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			t.Error("the server did not end with its connection")
		}
	})
	return ours, ours
}

func TestFiles(t *testing.T) {
	c := connect(t, newView(t))
	data := bytes.Repeat([]byte("0123456789abcdef"), 40_000)
	f, err := c.Create("/f")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	f, err = c.Open("f") // relative to the home
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(f)
	if err != nil || !bytes.Equal(got, data) {
		t.Errorf("read %d bytes of %d: %v", len(got), len(data), err)
	}
	if _, err := f.Write([]byte("x")); err == nil {
		t.Error("a handle opened for reading took a write")
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err == nil {
		t.Error("a handle closed twice")
	}
}

func TestOpenFlags(t *testing.T) {
	v := newView(t)
	c := connect(t, v)
	ctx := t.Context()
	if err := v.WriteFile(ctx, "/f", []byte("0123456789"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		flag int
		want error
	}{
		{"/f", os.O_WRONLY | os.O_CREATE | os.O_EXCL, errors.New("any")},
		{"/nosuch", os.O_WRONLY, fs.ErrNotExist},
		{"/nosuch", os.O_RDONLY, fs.ErrNotExist},
		{"/nosuch/f", os.O_WRONLY | os.O_CREATE, fs.ErrNotExist},
		{"/", os.O_RDONLY, errors.New("any")},
		{"/ro/f", os.O_WRONLY | os.O_CREATE, fs.ErrPermission},
		{"/f\x00", os.O_RDONLY, errors.New("any")},
		{"/" + strings.Repeat("n", 300), os.O_WRONLY | os.O_CREATE, errors.New("any")},
	} {
		f, err := c.OpenFile(tc.name, tc.flag)
		if err == nil {
			f.Close()
			t.Errorf("open %.20q %#x succeeded", tc.name, tc.flag)
		} else if tc.want.Error() != "any" && !errors.Is(err, tc.want) {
			t.Errorf("open %.20q %#x: %v, want %v", tc.name, tc.flag, err, tc.want)
		}
	}
	write := func(flag int, off int64, text, want string) {
		t.Helper()
		f, err := c.OpenFile("/f", flag)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.WriteAt([]byte(text), off)
		if err = errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		if got, _ := v.ReadFile(ctx, "/f", -1); string(got) != want {
			t.Errorf("flags %#x: %q, want %q", flag, got, want)
		}
	}
	write(os.O_WRONLY, 3, "xx", "012xx56789")
	write(os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0, "ab", "ab")
	write(os.O_RDWR, 4, "z", "ab\x00\x00z")
}

// OpenSSH sends APPEND with the offsets that it believes in: they do not count.
func TestAppendIgnoresOffsets(t *testing.T) {
	v := newView(t)
	r := newRaw(t, v)
	if err := v.WriteFile(t.Context(), "/f", []byte("start"), 0o644); err != nil {
		t.Fatal(err)
	}
	h := r.open("/f", openWrite|openAppend)
	r.want(statusOK, typeWrite, str(h), u64(0), str("-one"))
	r.want(statusOK, typeWrite, str(h), u64(1), str("-two"))
	r.want(statusOK, typeClose, str(h))
	if got, _ := v.ReadFile(t.Context(), "/f", -1); string(got) != "start-one-two" {
		t.Errorf("got %q", got)
	}
}

// A handle stays with its file, whatever becomes of the name.
func TestHandleFollowsFile(t *testing.T) {
	v := newView(t)
	c := connect(t, v)
	f, err := c.OpenFile("/a", os.O_RDWR|os.O_CREATE)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write([]byte("contents")); err != nil {
		t.Fatal(err)
	}
	if err := c.PosixRename("/a", "/b"); err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(4); err != nil {
		t.Errorf("ftruncate after a rename: %v", err)
	}
	if st, err := f.Stat(); err != nil || st.Size() != 4 {
		t.Errorf("fstat after a rename: %v, %v", st, err)
	}
	if err := f.Chmod(0o600); err != nil {
		t.Errorf("fchmod after a rename: %v", err)
	}
	if st, err := c.Stat("/b"); err != nil || st.Mode().Perm() != 0o600 || st.Size() != 4 {
		t.Errorf("stat of the new name: %v, %v", st, err)
	}
	if err := c.Remove("/b"); err != nil {
		t.Fatal(err)
	}
	if st, err := f.Stat(); err != nil || st.Size() != 4 {
		t.Errorf("fstat after unlink: %v, %v", st, err)
	}
	if _, err := f.WriteAt([]byte("more"), 4); err != nil {
		t.Errorf("write after unlink: %v", err)
	}
}

func TestTree(t *testing.T) {
	v := newView(t)
	c := connect(t, v)
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	do(c.MkdirAll("/d/e"))
	do(v.WriteFile(t.Context(), "/d/f", []byte("f"), 0o644))
	do(c.Symlink("f", "/d/link"))
	do(c.Link("/d/f", "/d/hard"))
	if got, err := c.ReadLink("/d/link"); err != nil || got != "f" {
		t.Errorf("readlink: %q, %v", got, err)
	}
	if got, err := c.RealPath("/d/./e/../link"); err != nil || got != "/d/f" {
		t.Errorf("realpath: %q, %v", got, err)
	}
	if got, err := c.RealPath("/d/new"); err != nil || got != "/d/new" {
		t.Errorf("realpath of a new name: %q, %v", got, err)
	}
	if _, err := c.RealPath("/nosuch/new"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("realpath below nothing: %v", err)
	}
	list, err := c.ReadDir("/d")
	do(err)
	var names []string
	for _, i := range list {
		names = append(names, i.Name())
	}
	if want := []string{"e", "f", "hard", "link"}; !slices.Equal(names, want) {
		t.Errorf("readdir: %q, want %q", names, want)
	}
	if st, err := c.Lstat("/d/link"); err != nil || st.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("lstat: %v, %v", st, err)
	}
	when := time.Unix(1_000_000_000, 0)
	do(c.Chtimes("/d/f", when, when))
	if st, err := c.Stat("/d/link"); err != nil || !st.ModTime().Equal(when) {
		t.Errorf("stat: %v, %v", st, err)
	}
	if err := c.Rename("/d/f", "/d/hard"); err == nil {
		t.Error("RENAME replaced a file")
	}
	do(c.PosixRename("/d/f", "/d/hard"))
	if err := c.RemoveDirectory("/d"); err == nil {
		t.Error("RMDIR removed a directory that is not empty")
	}
	if err := c.RemoveDirectory("/d/hard"); err == nil {
		t.Error("RMDIR removed a file")
	}
	do(c.RemoveDirectory("/d/e"))
	do(c.Truncate("/d/hard", 100))
	if st, err := c.Stat("/d/hard"); err != nil || st.Size() != 100 {
		t.Errorf("truncate: %v, %v", st, err)
	}
	if st, err := c.StatVFS("/"); err != nil || st.Bsize == 0 || st.Blocks < st.Bavail {
		t.Errorf("statvfs: %+v, %v", st, err)
	}
}

func TestEmptyDirectoryListsDots(t *testing.T) {
	v := newView(t)
	r := newRaw(t, v)
	typ, d := r.call(typeOpendir, str("/ro"))
	if typ != typeHandle {
		t.Fatalf("opendir answered %d", typ)
	}
	h := d.string()
	typ, d = r.call(typeReaddir, str(h))
	if typ != typeName || d.uint32() != 2 || d.string() != "." {
		t.Errorf("readdir answered %d", typ)
	}
	for range 2 { // lftp asks beyond the end
		r.want(statusEOF, typeReaddir, str(h))
	}
}

// Many readers and writers of many handles, in one channel.
func TestConcurrentHandles(t *testing.T) {
	v := newView(t)
	c := connect(t, v)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			name := path.Join("/", fmt.Sprint(i))
			data := bytes.Repeat([]byte{byte('a' + i)}, 300_000)
			for range 5 {
				f, err := c.Create(name)
				if err != nil {
					t.Error(err)
					return
				}
				_, err = f.ReadFrom(bytes.NewReader(data))
				if err = errors.Join(err, f.Close()); err != nil {
					t.Error(err)
				}
				got, err := v.ReadFile(context.Background(), name, -1)
				if err != nil || !bytes.Equal(got, data) {
					t.Errorf("%s: %d bytes, %v", name, len(got), err)
				}
			}
		})
	}
	wg.Wait()
}

// The server reads no more while its answers are not read, and ends when the
// client goes.
func TestClientThatNeverReads(t *testing.T) {
	v := newView(t)
	if err := v.WriteFile(t.Context(), "/f", make([]byte, 1<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	r := newRaw(t, v)
	h := r.open("/f", openRead)
	_ = r.conn.SetWriteDeadline(time.Now().Add(200 * time.Millisecond))
	sent := 0
	for ; sent < 10_000; sent++ {
		if _, err := r.conn.Write(packet(typeRead, uint32(sent), str(h), u64(0), u32(maxData))); err != nil {
			break
		}
	}
	if sent == 10_000 {
		t.Errorf("the server took %d reads of 255 KiB without sending one", sent)
	}
}

func TestTooManyHandles(t *testing.T) {
	v := newView(t)
	if err := v.WriteFile(t.Context(), "/f", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	r := newRaw(t, v)
	for range maxHandles {
		r.open("/f", openRead)
	}
	r.want(statusFailure, typeOpen, str("/f"), u32(openRead), u32(0))
}

// TestTooManyEntries opens a directory until the channel holds enough of its
// entries; reading one to its end, or closing it, makes room again.
func TestTooManyEntries(t *testing.T) {
	v := newView(t)
	if err := v.MkdirAll(t.Context(), "/d", 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range maxListed / 100 {
		if err := v.WriteFile(t.Context(), fmt.Sprintf("/d/%d", i), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := newRaw(t, v)
	opendir := func() string {
		typ, d := r.call(typeOpendir, str("/d"))
		if typ != typeHandle {
			return ""
		}
		return d.string()
	}
	var opened []string
	for h := opendir(); h != ""; h = opendir() {
		if opened = append(opened, h); len(opened) > 100 {
			t.Fatal("the server holds 100 listings")
		}
	}
	if len(opened) < 90 {
		t.Errorf("%d directories could be opened", len(opened))
	}
	r.want(statusOK, typeClose, str(opened[0]))
	h := opendir()
	if h == "" || opendir() != "" {
		t.Error("closing one handle must make room for one")
	}
	for typ := byte(typeName); typ == typeName; {
		typ, _ = r.call(typeReaddir, str(h))
	}
	if opendir() == "" {
		t.Error("a directory that was read to its end takes room still")
	}
}

// TestLargeDirectory lists more than the handles of a channel may hold
// together.
func TestLargeDirectory(t *testing.T) {
	s := &server{}
	large := &handle{dir: true, entries: make([]vfs.Info, 2*maxListed)}
	if !s.list(large) {
		t.Fatal("a large directory alone cannot be listed")
	}
	if s.list(&handle{dir: true, entries: make([]vfs.Info, 1)}) {
		t.Error("another one can be listed beside it")
	}
	s.unlist(large)
	if held := s.listed.Load(); held != 0 {
		t.Errorf("%d entries held after the end", held)
	}
}

// raw speaks the protocol byte by byte.
type raw struct {
	t    testing.TB
	conn net.Conn
	id   uint32
}

func newRaw(t testing.TB, v *vfs.View) *raw {
	t.Helper()
	conn, _ := pipe(t, v)
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	r := &raw{t: t, conn: conn}
	if _, err := conn.Write(packet(typeInit, version)); err != nil {
		t.Fatal(err)
	}
	if typ, _ := r.receive(); typ != typeVersion {
		t.Fatalf("INIT was answered with %d", typ)
	}
	return r
}

type part func([]byte) []byte

func str(s string) part {
	return func(b []byte) []byte { return append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...) }
}
func u32(v uint32) part {
	return func(b []byte) []byte { return binary.BigEndian.AppendUint32(b, v) }
}
func u64(v uint64) part {
	return func(b []byte) []byte { return binary.BigEndian.AppendUint64(b, v) }
}

func packet(typ byte, id uint32, parts ...part) []byte {
	e := newReply(nil, typ, id)
	for _, p := range parts {
		e.b = p(e.b)
	}
	return e.finish()
}

// call sends a request and answers the type of its reply and what follows the
// id.
func (r *raw) call(typ byte, parts ...part) (byte, *decoder) {
	r.t.Helper()
	r.id++
	if _, err := r.conn.Write(packet(typ, r.id, parts...)); err != nil {
		r.t.Fatal(err)
	}
	got, d := r.receive()
	if id := d.uint32(); id != r.id {
		r.t.Fatalf("reply to %d, not to %d", id, r.id)
	}
	return got, d
}

func (r *raw) receive() (byte, *decoder) {
	r.t.Helper()
	var head [5]byte
	if _, err := io.ReadFull(r.conn, head[:]); err != nil {
		r.t.Fatal(err)
	}
	body := make([]byte, binary.BigEndian.Uint32(head[:])-1)
	if _, err := io.ReadFull(r.conn, body); err != nil {
		r.t.Fatal(err)
	}
	return head[4], &decoder{b: body}
}

func (r *raw) open(name string, pflags uint32) (handle string) {
	r.t.Helper()
	typ, d := r.call(typeOpen, str(name), u32(pflags), u32(0))
	if typ != typeHandle {
		r.t.Fatalf("open %s answered %d", name, typ)
	}
	return d.string()
}

// want sends a request that has to be answered with a status.
func (r *raw) want(status uint32, typ byte, parts ...part) {
	r.t.Helper()
	got, d := r.call(typ, parts...)
	if code := d.uint32(); got != typeStatus || code != status {
		r.t.Errorf("request %d: reply %d with status %d %q, want status %d", typ, got, code, d.string(), status)
	}
}

// syncs counts the syncs of the files of a backend.
type syncs struct {
	vfs.FS
	n atomic.Int32
}

func (s *syncs) Open(ctx context.Context, name string, flag int, perm fs.FileMode) (vfs.File, error) {
	f, err := s.FS.Open(ctx, name, flag, perm)
	if err != nil {
		return nil, err
	}
	return syncFile{f, s}, nil
}

type syncFile struct {
	vfs.File
	s *syncs
}

func (f syncFile) Sync() error {
	f.s.n.Add(1)
	return f.File.Sync()
}

// CLOSE of an upload, and fsync, reach the disk; a download does not.
func TestCloseSyncs(t *testing.T) {
	back := &syncs{FS: ram.New(ram.Options{})}
	ns, err := vfs.NewNamespace([]vfs.Mount{{Prefix: "/", FS: back, Mode: vfs.Write}}, vfs.NamespaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	v := vfs.NewView(ns, vfs.AllowAll{})
	seed, err := back.FS.Open(t.Context(), "f", os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	_ = seed.Close()
	r := newRaw(t, v)
	for _, c := range []struct {
		flag uint32
		want int32
	}{{openRead, 0}, {openWrite, 1}, {openRead | openWrite, 2}} {
		r.want(statusOK, typeClose, str(r.open("/f", c.flag)))
		if got := back.n.Load(); got != c.want {
			t.Errorf("flags %d: %d syncs, want %d", c.flag, got, c.want)
		}
	}
	r.want(statusOK, typeExtended, str("fsync@openssh.com"), str(r.open("/f", openWrite)))
	if got := back.n.Load(); got != 3 {
		t.Errorf("fsync: %d syncs, want 3", got)
	}
}
