package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/textproto"
	"net/url"
)

// Stream runs a line and copies its output to stdout and stderr as it
// appears. stdin is sent while the line runs; nil sends none. It answers the
// last record. When ctx ends, the connection is dropped, which cancels the
// line, and the error is ctx's.
func (c *Client) Stream(ctx context.Context, workspace, session string, in ShellRequest, stdin io.Reader, stdout, stderr io.Writer) (Record, error) {
	q := url.Values{"stream": {"true"}}
	if session != "" {
		q.Set("session_id", session)
	}
	path := Path("workspaces", workspace, "shell") + "?" + q.Encode()
	body, kind, err := shellBody(in, stdin)
	if err != nil {
		return Record{}, err
	}
	res, err := c.send(ctx, "POST", path, kind, body)
	if err != nil {
		return Record{}, err
	}
	defer res.Body.Close()
	last, err := copyRecords(res.Body, stdout, stderr)
	if err != nil && ctx.Err() != nil {
		return Record{}, ctx.Err()
	}
	return last, err
}

// shellBody makes the body of a shell request: JSON alone, or multipart with
// stdin behind it. A reader that fails ends the body early, which the server
// takes as a cancel.
func shellBody(in ShellRequest, stdin io.Reader) (body io.Reader, kind string, err error) {
	text, err := json.Marshal(in)
	if err != nil {
		return nil, "", err
	}
	pr, pw := io.Pipe()
	if stdin == nil {
		go func() {
			_, err := pw.Write(text)
			pw.CloseWithError(err)
		}()
		return pr, "application/json", nil
	}
	mw := multipart.NewWriter(pw)
	go func() {
		pw.CloseWithError(writeParts(mw, text, stdin))
	}()
	return pr, mw.FormDataContentType(), nil
}

func writeParts(mw *multipart.Writer, request []byte, stdin io.Reader) error {
	h := textproto.MIMEHeader{}
	h.Set("Content-Disposition", `form-data; name="request"`)
	h.Set("Content-Type", "application/json")
	w, err := mw.CreatePart(h)
	if err != nil {
		return err
	}
	if _, err := w.Write(request); err != nil {
		return err
	}
	h = textproto.MIMEHeader{}
	h.Set("Content-Disposition", `form-data; name="stdin"; filename="stdin"`)
	h.Set("Content-Type", "application/octet-stream")
	if w, err = mw.CreatePart(h); err != nil {
		return err
	}
	if _, err := io.Copy(w, stdin); err != nil {
		return err
	}
	return mw.Close()
}

// copyRecords reads a streamed answer to its last record.
func copyRecords(r io.Reader, stdout, stderr io.Writer) (Record, error) {
	lines := bufio.NewReaderSize(r, 64<<10)
	for {
		text, err := lines.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return Record{}, errors.New("the server sent a record that is too long")
		}
		if err != nil {
			return Record{}, fmt.Errorf("the answer ended before its last record: %w", err)
		}
		var rec Record
		if err := json.Unmarshal(text, &rec); err != nil {
			return Record{}, fmt.Errorf("the server sent a record that is not JSON: %w", err)
		}
		if rec.Status != "" {
			return rec, nil
		}
		to := stdout
		if rec.Stream == "stderr" {
			to = stderr
		}
		if _, err := to.Write(rec.Data); err != nil {
			return Record{}, &WriteError{Err: err}
		}
	}
}

// WriteError tells that output could not be handed on (a closed pipe).
type WriteError struct{ Err error }

func (e *WriteError) Error() string { return "write error: " + e.Err.Error() }
func (e *WriteError) Unwrap() error { return e.Err }
