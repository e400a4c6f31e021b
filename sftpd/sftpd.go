// Package sftpd is an SFTP version 3 server engine over a session's files
// (draft-ietf-secsh-filexfer-02, and OpenSSH's extensions as its PROTOCOL file
// describes them).
//
// Requests on one handle are carried out in the order in which they came;
// requests on different handles may overtake each other; a request that names
// a path waits for all that came before it. So results are those of a server
// that does one thing after another.
package sftpd

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"mirage/vfs"
)

// Config is what one SFTP channel serves.
type Config struct {
	View *vfs.View
	// Begin answers the view of one request that names a path, and what is to
	// be called when it has been answered; nil = View for all of them.
	Begin func() (files *vfs.View, end func())
	Home  string // what relative paths start from; "/" when empty
	// User is the owner's name in listings.
	User string
	Now  func() time.Time // nil = time.Now
}

// maxInFlight bounds the bytes of requests and replies that one channel has
// under way.
const maxInFlight = 4 << 20

// server is one SFTP channel.
type server struct {
	Config
	ctx     context.Context
	names   names
	flight  *semaphore.Weighted
	pending sync.WaitGroup // requests in the queues of handles
	files   *vfs.View      // of the request at hand; touched by the reading goroutine only

	out struct {
		sync.Mutex
		w   io.Writer
		err error
	}

	listed atomic.Int64 // entries that directory handles hold

	// handles is touched by the reading goroutine only.
	handles map[uint64]*handle
	last    uint64 // number of the handle made last
}

// Serve speaks SFTP on rw until the client ends it (nil), the context ends,
// or the stream breaks. Reading from rw must fail once the context has ended:
// where rw is an io.Closer, Serve closes it then. Every open handle is closed
// when Serve returns.
func Serve(ctx context.Context, rw io.ReadWriter, c Config) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if c.Home == "" {
		c.Home = "/"
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	s := &server{Config: c, ctx: ctx, names: names{c.User}, flight: semaphore.NewWeighted(maxInFlight), handles: map[uint64]*handle{}}
	s.out.w = rw
	if closer, ok := rw.(io.Closer); ok {
		stop := context.AfterFunc(ctx, func() { _ = closer.Close() })
		defer stop()
	}
	defer s.closeAll()
	err = s.read(bufio.NewReaderSize(rw, 4096))
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// closeAll waits for the queues and closes what the client left open.
func (s *server) closeAll() {
	s.pending.Wait()
	for _, h := range s.handles {
		h.close()
	}
}

// read reads packets and sees to them until the stream ends.
func (s *server) read(r *bufio.Reader) error {
	var head [5]byte
	for first := true; ; first = false {
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return err
		}
		n := binary.BigEndian.Uint32(head[:4])
		if n < 1 || n > maxPacket {
			return fmt.Errorf("sftp: packet of %d bytes", n)
		}
		body := getBuffer(int(n) - 1)
		if _, err := io.ReadFull(r, body.b); err != nil {
			body.free()
			return err
		}
		if err := s.dispatch(head[4], body, first); err != nil {
			return err
		}
	}
}

// dispatch sees to one packet and frees its body when that is done. An error
// ends the session.
func (s *server) dispatch(typ byte, body *buffer, first bool) error {
	if first != (typ == typeInit) {
		body.free()
		return fmt.Errorf("sftp: packet type %d out of place", typ)
	}
	d := decoder{b: body.b}
	if first {
		defer body.free()
		d.uint32()
		if d.bad {
			return errMalformed
		}
		return s.send(versionReply())
	}
	id := d.uint32()
	if d.bad {
		body.free()
		return errMalformed
	}
	if run, ok := handleRequests[typ]; ok {
		return s.onHandle(typ, id, d, body, run)
	}
	defer body.free()
	run, ok := pathRequests[typ]
	if !ok {
		return s.status(id, statusUnsupported, "Operation unsupported")
	}
	// What a client sees by name must hold all that it was told before.
	s.pending.Wait()
	s.files = s.View
	if s.Begin != nil {
		var end func()
		s.files, end = s.Begin()
		defer end()
	}
	return s.guarded(id, func() error { return run(s, id, &d) })
}

// guarded runs a request and answers its error. A panic fails the request
// only.
func (s *server) guarded(id uint32, run func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = s.status(id, statusFailure, "internal error")
		}
	}()
	if err := run(); err != nil {
		return s.fail(id, err)
	}
	return nil
}

// streamError marks an error of the connection itself, which no status can
// tell the client of.
type streamError struct{ error }

// send writes one packet in one Write, so that it travels as one SSH packet
// where it fits.
func (s *server) send(packet []byte) error {
	s.out.Lock()
	defer s.out.Unlock()
	if s.out.err == nil {
		if _, err := s.out.w.Write(packet); err != nil {
			s.out.err = streamError{err}
		}
	}
	return s.out.err
}

// fail answers a request with the status of an error.
func (s *server) fail(id uint32, err error) error {
	var broken streamError
	switch {
	case errors.As(err, &broken):
		return err
	case errors.Is(err, io.EOF):
		return s.status(id, statusEOF, "End of file")
	case errors.Is(err, errInvalidHandle):
		return s.status(id, statusFailure, err.Error())
	case errors.Is(err, errMalformed):
		return s.status(id, statusBadMessage, "Bad message")
	}
	return s.status(id, vfs.SFTPStatus(err), vfs.Phrase(err))
}

func (s *server) status(id, code uint32, text string) error {
	var room [128]byte
	e := newReply(room[:0], typeStatus, id)
	e.uint32(code)
	e.string(text)
	e.string("en")
	return s.send(e.finish())
}

func (s *server) ok(id uint32) error { return s.status(id, statusOK, "Success") }

// path answers a client's path as the absolute name that the view takes.
func (s *server) path(d *decoder) string {
	p := d.string()
	switch {
	case p == "":
		return s.Home
	case p[0] == '/':
		return p
	}
	return s.Home + "/" + p
}
