package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"
)

// post sends a body to a server that answers with statuses, one a try, the
// last one for ever, and answers how often it was tried and what was waited.
func post(t *testing.T, secret string, statuses ...int) (got []*http.Request, bodies []string, waits []time.Duration, err error) {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got, bodies = append(got, r), append(bodies, string(body))
		status := statuses[min(len(got), len(statuses))-1]
		if status == http.StatusFound {
			w.Header().Set("Location", "/elsewhere")
		}
		w.WriteHeader(status)
	}))
	defer srv.Close()
	h, err := New(srv.URL+"/hook", secret)
	if err != nil {
		t.Fatal(err)
	}
	h.sleep = func(_ context.Context, d time.Duration) error {
		waits = append(waits, d)
		return nil
	}
	err = h.Post(t.Context(), "ask", []byte(`{"a": 1}`))
	return got, bodies, waits, err
}

func TestPost(t *testing.T) {
	for _, tt := range []struct {
		name     string
		statuses []int
		tries    int
		ok       bool
	}{
		{"at once", []int{204}, 1, true},
		{"again", []int{500, 429, 408, 200}, 4, true},
		{"in vain", []int{503}, 5, false},
		{"refused", []int{404}, 1, false},
		{"refused later", []int{502, 401}, 2, false},
		{"not led elsewhere", []int{302}, 1, false},
	} {
		got, bodies, waits, err := post(t, "", tt.statuses...)
		if len(got) != tt.tries || (err == nil) != tt.ok {
			t.Errorf("%s: %d tries, %v", tt.name, len(got), err)
		}
		all := []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}
		if !slices.Equal(waits, all[:len(got)-1]) {
			t.Errorf("%s: waited %v", tt.name, waits)
		}
		for i, r := range got {
			if r.URL.Path != "/hook" || bodies[i] != `{"a": 1}` || r.Header.Get("Content-Type") != "application/json" ||
				r.Header.Get(Event) != "ask" || r.Header.Get(Signature) != "" {
				t.Errorf("%s: %s %s %v", tt.name, r.URL, bodies[i], r.Header)
			}
		}
	}
}

func TestSignature(t *testing.T) {
	got, bodies, _, err := post(t, "s3cret", 200)
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	mac := hmac.New(sha256.New, []byte("s3cret"))
	mac.Write([]byte(bodies[0]))
	if want := "sha256=" + hex.EncodeToString(mac.Sum(nil)); got[0].Header.Get(Signature) != want {
		t.Errorf("%s, want %s", got[0].Header.Get(Signature), want)
	}
}

func TestTarget(t *testing.T) {
	for target, ok := range map[string]bool{
		"http://127.0.0.1:1/x": true, "https://a.example/": true, "": false, "a.example": false, "ftp://a.example/": false, "http://": false, "file:///etc": false,
	} {
		if _, err := New(target, ""); (err == nil) != ok {
			t.Errorf("%q: %v", target, err)
		}
	}
}

// A canceled context ends the waiting between tries.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	h, err := New("http://127.0.0.1:1/", "")
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	h.sleep = func(ctx context.Context, _ time.Duration) error {
		calls++
		cancel()
		return sleep(ctx, time.Hour)
	}
	if err := h.Post(ctx, "ask", nil); err == nil || calls != 1 {
		t.Errorf("%v after %d waits", err, calls)
	}
}
