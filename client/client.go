// Package client is the Go client of the HTTP API and the types that travel
// over it.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Client speaks to one server. The zero values of HTTP and Token mean
// http.DefaultClient and no token. Safe for concurrent use.
type Client struct {
	URL   string // base, without /v1
	Token string
	HTTP  *http.Client
}

// ErrUnreachable is in the chain of errors that say no server answered.
var ErrUnreachable = errors.New("server not reachable")

// maxAnswer bounds what is read of one JSON answer.
const maxAnswer = 256 << 20

// Do sends in as JSON (no body when nil) and reads the JSON answer into out
// (dropped when nil). A status of 400 and above is an *Error.
func (c *Client) Do(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(b)
	}
	res, err := c.send(ctx, method, path, "application/json", body)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if out == nil {
		_, err := io.Copy(io.Discard, io.LimitReader(res.Body, maxAnswer))
		return err
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(out); err != nil {
		return fmt.Errorf("%s %s: the server's answer is not what the API says: %w", method, path, err)
	}
	return nil
}

// send does one request; the caller closes the body of a good answer.
func (c *Client) send(ctx context.Context, method, path, kind string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.URL, "/")+path, body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", kind)
	}
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	hc := c.HTTP
	if hc == nil {
		hc = http.DefaultClient
	}
	res, err := hc.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%w at %s: %w", ErrUnreachable, c.URL, err)
	}
	if res.StatusCode < 400 {
		return res, nil
	}
	defer res.Body.Close()
	e := &Error{Status: res.StatusCode}
	text, _ := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if json.Unmarshal(text, e) != nil || e.Detail == "" {
		e.Detail = strings.TrimSpace(string(text))
	}
	if e.Detail == "" {
		e.Detail = http.StatusText(res.StatusCode)
	}
	return nil, e
}

// Path joins segments into a path below /v1, each percent-encoded.
func Path(segments ...string) string {
	var b strings.Builder
	b.WriteString("/v1")
	for _, s := range segments {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(s))
	}
	return b.String()
}

// SessionQuery is the query that names a session, "" for the default one.
func SessionQuery(session string) string {
	if session == "" {
		return ""
	}
	return "?session_id=" + url.QueryEscape(session)
}
