// Package webhook posts JSON to one URL, signed, with a few tries.
package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// Signature is the header that carries "sha256=" and the HMAC-SHA256 of the
// body under the secret, in hex. Event is the one that names what is sent.
const (
	Signature = "X-Mirage-Signature"
	Event     = "X-Mirage-Event"
)

// The bounds of a delivery.
const (
	deadline = 5 * time.Second // of one try
	tries    = 5
	backoff  = time.Second // before the second try; doubled each time
)

// Hook is where things are posted.
type Hook struct {
	url    string
	secret string
	client *http.Client
	sleep  func(context.Context, time.Duration) error
}

// New makes a hook of an absolute http or https URL. With an empty secret
// nothing is signed.
func New(target, secret string) (*Hook, error) {
	u, err := url.Parse(target)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("not an http or https URL: '%s'", target)
	}
	return &Hook{url: target, secret: secret, sleep: sleep, client: &http.Client{
		Timeout: deadline,
		// What is meant for one place goes to no other.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// errRefused is an answer that another try would get again.
type errRefused struct{ status int }

func (e errRefused) Error() string { return fmt.Sprintf("the answer is %d", e.status) }

// Post sends a body, at most five times: again after 1, 2, 4 and 8 seconds
// while there is no answer within 5 seconds, or it is 408, 429 or a 5xx. Any
// 2xx is success.
func (h *Hook) Post(ctx context.Context, event string, body []byte) error {
	wait := backoff
	for try := 1; ; try++ {
		err := h.post(ctx, event, body)
		var refused errRefused
		if err == nil || try == tries || errors.As(err, &refused) && !refused.passes() {
			return err
		}
		if h.sleep(ctx, wait) != nil {
			return err
		}
		wait *= 2
	}
}

// passes reports whether the trouble may be over soon.
func (e errRefused) passes() bool {
	return e.status >= 500 || e.status == http.StatusTooManyRequests || e.status == http.StatusRequestTimeout
}

func (h *Hook) post(ctx context.Context, event string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, "POST", h.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "mirage")
	req.Header.Set(Event, event)
	if h.secret != "" {
		mac := hmac.New(sha256.New, []byte(h.secret))
		mac.Write(body)
		req.Header.Set(Signature, "sha256="+hex.EncodeToString(mac.Sum(nil)))
	}
	res, err := h.client.Do(req)
	if err != nil {
		// Some URLs are secrets, and errors go into logs.
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return err
	}
	defer res.Body.Close()
	// A short answer read to its end lets the connection be used again.
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10))
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return errRefused{res.StatusCode}
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
