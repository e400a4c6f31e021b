package httpd

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"sync"
	"time"

	"mirage/client"
)

// shellInput is what a shell request brings: the line and, with a multipart
// body, its standard input, which arrives while the line runs.
type shellInput struct {
	body      client.ShellRequest
	multipart bool
	stdin     io.Reader // nil = none

	pipe   *io.PipeReader
	done   chan struct{} // the upload has been read to its end
	failed chan struct{} // closed when the upload breaks off
	once   sync.Once
	err    error // set before done is closed
}

var errEndedEarly = badRequest("multipart body ended early")

// readShell reads the body of a shell request as far as the line needs before
// it can start: all of a JSON body; of a multipart body the request part and
// the headers of the stdin part.
func readShell(w http.ResponseWriter, r *http.Request) (*shellInput, error) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || !strings.HasPrefix(kind, "multipart/") {
		in := &shellInput{}
		body, err := readBody(w, r)
		if err != nil {
			return nil, err
		}
		return in, in.decode(body, "bad shell request")
	}
	if params["boundary"] == "" {
		return nil, badRequest("multipart body without a boundary")
	}
	in := &shellInput{multipart: true}
	parts := multipart.NewReader(r.Body, params["boundary"])
	if err := in.readRequest(parts); err != nil {
		return nil, err
	}
	part, err := parts.NextRawPart()
	switch {
	case errors.Is(err, io.EOF):
		return in, nil
	case err != nil:
		return nil, multipartError(err)
	case part.FormName() != "stdin":
		return nil, badRequest("bad multipart body: unexpected part '%s'", part.FormName())
	}
	// From here on the answer may be on its way while the upload comes in.
	_ = http.NewResponseController(w).EnableFullDuplex()
	in.pump(parts, part)
	return in, nil
}

func (in *shellInput) decode(body []byte, prefix string) error {
	if err := decode(body, prefix, &in.body); err != nil {
		return err
	}
	var keys struct {
		Command *string `json:"command"`
	}
	if err := decodeLoose(body, &keys); err != nil || keys.Command == nil {
		return badRequest("%s: command is required", prefix)
	}
	return nil
}

func (in *shellInput) readRequest(parts *multipart.Reader) error {
	part, err := parts.NextRawPart()
	switch {
	case errors.Is(err, io.EOF):
		return badRequest("multipart body missing 'request' part")
	case err != nil:
		return multipartError(err)
	case part.FormName() == "stdin":
		return badRequest("the 'request' part must come before 'stdin'")
	case part.FormName() != "request":
		return badRequest("multipart body missing 'request' part")
	}
	body, err := io.ReadAll(io.LimitReader(part, maxRequestPart+1))
	switch {
	case err != nil:
		return multipartError(err)
	case len(body) > maxRequestPart:
		return &apiError{status: http.StatusRequestEntityTooLarge, detail: "request part too large", code: "body_too_large"}
	}
	return in.decode(body, "bad request part")
}

func multipartError(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errEndedEarly
	}
	return badRequest("bad multipart body: %s", strings.TrimPrefix(err.Error(), "multipart: "))
}

// pump hands the stdin part to the line as it arrives. When the line stops
// reading, the rest of the upload is read and dropped. The body must end with
// its closing boundary.
func (in *shellInput) pump(parts *multipart.Reader, part *multipart.Part) {
	pr, pw := io.Pipe()
	in.stdin, in.pipe = pr, pr
	in.done, in.failed = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(in.done)
		buf := make([]byte, 32<<10)
		_, err := io.CopyBuffer(drain{pw}, part, buf)
		if err == nil {
			if _, err = parts.NextRawPart(); errors.Is(err, io.EOF) {
				err = nil
			} else if err == nil {
				err = errors.New("a part follows 'stdin'")
			}
		}
		if err != nil {
			in.err = multipartError(err)
			pw.CloseWithError(io.ErrUnexpectedEOF)
			close(in.failed)
			return
		}
		pw.Close()
	}()
}

// drain writes to a pipe until its reader is closed and drops the rest.
type drain struct{ pw *io.PipeWriter }

func (d drain) Write(p []byte) (int, error) {
	_, _ = d.pw.Write(p)
	return len(p), nil
}

// broken is closed when the upload breaks off.
func (in *shellInput) broken() <-chan struct{} { return in.failed }

// problem answers why the upload broke off, nil while it has not.
func (in *shellInput) problem() error {
	select {
	case <-in.failed:
		return in.err
	default:
		return nil
	}
}

// finish takes in the rest of the upload once the line has ended.
func (in *shellInput) finish(ctx context.Context) error {
	in.close()
	if in.done == nil {
		return nil
	}
	select {
	case <-in.done:
		return in.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// drainTime is how long the rest of an upload is waited for once everything has
// been answered.
const drainTime = 5 * time.Second

// drain takes in the rest of the upload and drops it. A connection that is
// closed with bytes unread is reset, and a reset can destroy the answer on its
// way to the client.
func (in *shellInput) drain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, drainTime)
	defer cancel()
	_ = in.finish(ctx)
}

// close lets the upload be dropped from here on.
func (in *shellInput) close() {
	in.once.Do(func() {
		if in.pipe != nil {
			in.pipe.Close()
		}
	})
}

// whole reads the upload to its end, at most maxResult bytes.
func (in *shellInput) whole(ctx context.Context) (io.Reader, error) {
	if in.stdin == nil {
		return nil, nil
	}
	data, err := io.ReadAll(io.LimitReader(in.stdin, maxResult+1))
	if err == nil && len(data) > maxResult {
		return nil, &apiError{status: http.StatusRequestEntityTooLarge, detail: "stdin of a background line is too large", code: "body_too_large"}
	}
	if err := in.finish(ctx); err != nil {
		return nil, err
	}
	return bytes.NewReader(data), nil
}
