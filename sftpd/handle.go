package sftpd

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"sync"
	"syscall"

	"mirage/vfs"
)

// handle is an open file or directory. Its requests wait in a queue that one
// goroutine at a time works off, started when the first comes and gone with
// the last.
type handle struct {
	file     vfs.File
	writable bool
	path     string // as opened

	// Of a directory: what is still to be listed.
	dir     bool
	entries []vfs.Info
	listed  int // entries that listing counts

	mu      sync.Mutex // guards the rest
	queue   []request
	working bool
}

// request is a request on a handle, waiting.
type request struct {
	id     uint32
	d      decoder
	body   *buffer
	weight int64
	run    func(s *server, h *handle, id uint32, d *decoder) error
}

// handleRequests lists the requests that name a handle.
var handleRequests = map[byte]func(*server, *handle, uint32, *decoder) error{
	typeClose:    (*server).closeHandle,
	typeRead:     (*server).readFile,
	typeWrite:    (*server).writeFile,
	typeFstat:    (*server).fstat,
	typeFsetstat: (*server).fsetstat,
	typeReaddir:  (*server).readdir,
}

// maxListed bounds the entries that the open directories of a channel hold
// for READDIR, a few hundred bytes each: a directory is easily made and can be
// opened as often as there are handles. One directory is listed however large
// it is.
const maxListed = 1 << 16

// list counts the entries of a new directory handle; false where the channel
// holds too many already.
func (s *server) list(h *handle) bool {
	n := int64(len(h.entries))
	if held := s.listed.Add(n); held > maxListed && held != n {
		s.listed.Add(-n)
		return false
	}
	h.listed = int(n)
	return true
}

// unlist drops what is left of a listing.
func (s *server) unlist(h *handle) {
	s.listed.Add(-int64(h.listed))
	h.entries, h.listed = nil, 0
}

// add makes a handle known to the client.
func (s *server) add(h *handle) (name string, err error) {
	if len(s.handles) >= maxHandles {
		h.close()
		return "", syscall.EMFILE
	}
	if !s.list(h) {
		return "", syscall.ENOMEM
	}
	s.last++
	s.handles[s.last] = h
	return string(binary.BigEndian.AppendUint64(nil, s.last)), nil
}

// take reads the name of a handle from a request.
func (s *server) take(d *decoder) (number uint64, h *handle) {
	name := d.bytes()
	if len(name) != 8 {
		return 0, nil
	}
	number = binary.BigEndian.Uint64(name)
	return number, s.handles[number]
}

// onHandle queues a request for its handle.
func (s *server) onHandle(typ byte, id uint32, d decoder, body *buffer, run func(*server, *handle, uint32, *decoder) error) error {
	number, h := s.take(&d)
	if h == nil {
		body.free()
		if d.bad {
			return s.fail(id, errMalformed)
		}
		return s.status(id, statusFailure, "invalid handle")
	}
	if typ == typeClose {
		delete(s.handles, number)
	}
	weight := int64(cap(body.b))
	if ask := d; typ == typeRead {
		ask.uint64()
		weight += int64(min(ask.uint32(), maxData))
	}
	return s.queue(h, request{id: id, d: d, body: body, weight: weight, run: run})
}

// queue puts a request at the end of a handle's queue. It waits while too
// many bytes are under way.
func (s *server) queue(h *handle, r request) error {
	if err := s.flight.Acquire(s.ctx, r.weight); err != nil {
		r.body.free()
		return err
	}
	s.pending.Add(1)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.queue = append(h.queue, r)
	if !h.working {
		h.working = true
		go s.work(h)
	}
	return nil
}

// work carries out the requests of a handle until none is left.
func (s *server) work(h *handle) {
	for {
		h.mu.Lock()
		if len(h.queue) == 0 {
			h.working, h.queue = false, nil
			h.mu.Unlock()
			return
		}
		r := h.queue[0]
		h.queue = h.queue[1:]
		h.mu.Unlock()
		// A broken stream shows at the reading end too.
		_ = s.guarded(r.id, func() error { return r.run(s, h, r.id, &r.d) })
		r.body.free()
		s.flight.Release(r.weight)
		s.pending.Done()
	}
}

// close closes what the handle holds. What was written is synced first, where
// the backend has a disk to sync to: an upload that CLOSE has acknowledged
// survives a power cut. It reports deferred write errors.
func (h *handle) close() error {
	if h.file == nil {
		return nil
	}
	var err error
	if h.writable {
		err = h.file.Sync()
	}
	return errors.Join(err, h.file.Close())
}

func (s *server) closeHandle(h *handle, id uint32, _ *decoder) error {
	s.unlist(h)
	if err := h.close(); err != nil {
		return err
	}
	return s.ok(id)
}

// readFile answers up to the asked number of bytes, fewer only at the end of
// the file or beyond what one packet holds.
func (s *server) readFile(h *handle, id uint32, d *decoder) error {
	off, n := d.uint64(), d.uint32()
	switch {
	case d.bad:
		return errMalformed
	case h.dir, off > 1<<63-1:
		return syscall.EINVAL
	}
	const head = 4 + 1 + 4 + 4
	want := int(min(n, maxData))
	buf := getBuffer(head + want)
	defer buf.free()
	got, err := readAt(h.file, buf.b[head:], int64(off))
	if got == 0 && (err != nil || want > 0) {
		if err == nil {
			err = io.EOF
		}
		return err
	}
	e := newReply(buf.b, typeData, id)
	e.uint32(uint32(got))
	e.b = buf.b[:head+got]
	return s.send(e.finish())
}

// readAt fills p as far as the file goes.
func readAt(f vfs.File, p []byte, off int64) (n int, err error) {
	for n < len(p) && err == nil {
		var m int
		m, err = f.ReadAt(p[n:], off+int64(n))
		n += m
		if m == 0 && err == nil {
			break
		}
	}
	return n, err
}

func (s *server) writeFile(h *handle, id uint32, d *decoder) error {
	off, data := d.uint64(), d.bytes()
	switch {
	case d.bad:
		return errMalformed
	case h.dir, off > 1<<63-1-maxPacket:
		return syscall.EINVAL
	case !h.writable:
		return syscall.EBADF
	}
	if len(data) > 0 {
		if _, err := h.file.WriteAt(data, int64(off)); err != nil {
			return err
		}
	}
	return s.ok(id)
}

func (s *server) fstat(h *handle, id uint32, _ *decoder) error {
	info, err := h.stat(s)
	if err != nil {
		return err
	}
	return s.sendAttrs(id, info)
}

func (h *handle) stat(s *server) (vfs.Info, error) {
	if h.dir {
		return s.View.Stat(s.ctx, h.path)
	}
	return h.file.Stat()
}

func (s *server) fsetstat(h *handle, id uint32, d *decoder) error {
	a := d.attrs()
	if d.bad {
		return errMalformed
	}
	if h.dir {
		if err := s.setattr(s.View, h.path, a, true); err != nil {
			return err
		}
		return s.ok(id)
	}
	if a.size != nil {
		if !h.writable {
			return syscall.EBADF
		}
		if *a.size > 1<<63-1 {
			return syscall.EFBIG
		}
		if err := h.file.Truncate(int64(*a.size)); err != nil {
			return err
		}
	}
	if a.Attr != (vfs.Attr{}) {
		if _, err := vfs.SetFileAttr(h.file, a.Attr); err != nil {
			return err
		}
	}
	return s.ok(id)
}

// maxNames bounds the bytes of one NAME reply.
const maxNames = 30 << 10

func (s *server) readdir(h *handle, id uint32, _ *decoder) error {
	switch {
	case !h.dir:
		return syscall.ENOTDIR
	case len(h.entries) == 0:
		s.unlist(h) // it can be read no further
		return io.EOF
	}
	buf := getBuffer(33 << 10)
	defer buf.free()
	e := newReply(buf.b, typeName, id)
	at := len(e.b)
	e.uint32(0)
	count, now := uint32(0), s.Now()
	for len(h.entries) > 0 && len(e.b) < maxNames {
		i := h.entries[0]
		h.entries = h.entries[1:]
		e.string(i.Name)
		e.string(s.names.longname(i, now))
		e.attrs(i)
		count++
	}
	binary.BigEndian.PutUint32(e.b[at:], count)
	return s.send(e.finish())
}

// openFlags turns the flags of OPEN into those of vfs.FS.Open.
func openFlags(pflags uint32) int {
	flag := os.O_RDONLY
	switch {
	case pflags&openWrite != 0 && pflags&openRead != 0:
		flag = os.O_RDWR
	case pflags&openWrite != 0:
		flag = os.O_WRONLY
	}
	for bit, f := range map[uint32]int{openAppend: os.O_APPEND, openCreate: os.O_CREATE, openTrunc: os.O_TRUNC, openExcl: os.O_EXCL} {
		if pflags&bit != 0 {
			flag |= f
		}
	}
	return flag
}
