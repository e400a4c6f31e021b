package httpd

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"os"
	"strings"

	"mirage/accounts"
)

// Auth says which requests are answered. The zero Auth answers none.
type Auth struct {
	// Token is the one accepted bearer token.
	Token string
	// Open answers every request without a token (auth_mode none).
	Open bool
}

// public lists the paths that need no token.
var public = map[string]bool{
	"/v1/health":                            true,
	"/.well-known/oauth-protected-resource": true,
}

// caller answers who sent the request. Errors are for the log only.
func (a Auth) caller(r *http.Request) (accounts.Caller, error) {
	if public[r.URL.Path] {
		return accounts.Caller{}, nil
	}
	if a.Open {
		return accounts.Caller{All: true}, nil
	}
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if token = strings.TrimSpace(token); !ok || token == "" {
		return accounts.Caller{}, errors.New("missing bearer token")
	}
	// Hashing first makes the comparison independent of both lengths.
	got, want := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(a.Token))
	if a.Token == "" || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
		return accounts.Caller{}, errors.New("bearer mismatch")
	}
	return accounts.Caller{All: true}, nil
}

type callerKey struct{}

func withCaller(ctx context.Context, c accounts.Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

func callerOf(ctx context.Context) accounts.Caller {
	c, _ := ctx.Value(callerKey{}).(accounts.Caller)
	return c
}

func hostSet(hosts []string) map[string]bool {
	if len(hosts) == 0 {
		hosts = []string{"127.0.0.1", "localhost", "::1"}
	}
	set := make(map[string]bool, len(hosts))
	for _, h := range hosts {
		set[h] = true
	}
	return set
}

// hostAllowed compares the name in a Host header, exactly. The shapes name,
// name:digits, [v6] and [v6]:digits are taken apart; anything else is compared
// as it stands.
func hostAllowed(set map[string]bool, host string) bool {
	if set["*"] {
		return true
	}
	return host != "" && set[hostName(host)]
}

func hostName(host string) string {
	if rest, ok := strings.CutPrefix(host, "["); ok {
		name, port, ok := strings.Cut(rest, "]")
		if ok && (port == "" || port[0] == ':' && digits(port[1:])) {
			return name
		}
		return host
	}
	if name, port, ok := strings.Cut(host, ":"); ok && digits(port) {
		return name
	}
	return host
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

func pid() int { return os.Getpid() }
