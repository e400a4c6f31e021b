package settings

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Check reports what is wrong with a value: whatever a server or the CLI would
// refuse to start with, so that nothing else is ever written to the file.
func (k Key) Check(text string) error {
	if k.Unsupported {
		return fmt.Errorf("not supported yet: %s", k.Name)
	}
	switch k.Kind {
	case Number:
		if err := k.inRange(text); err != nil {
			return err
		}
	case Bool:
		if text != "true" && text != "false" {
			return fmt.Errorf("%s must be true or false, got '%s'", k.Name, text)
		}
	case Duration:
		if d, err := time.ParseDuration(text); err != nil || d < 0 {
			return fmt.Errorf("%s must be a time such as 30s or 5m, got '%s'", k.Name, text)
		}
	}
	if k.valid != nil {
		return k.valid(text)
	}
	return nil
}

func (k Key) inRange(text string) error {
	n, err := strconv.Atoi(text)
	switch {
	case errors.Is(err, strconv.ErrSyntax):
		return fmt.Errorf("%s must be a number, got '%s'", k.Name, text)
	case k.max > 0 && (err != nil || n < k.min || n > k.max):
		return fmt.Errorf("%s must be between %d and %d, got '%s'", k.Name, k.min, k.max, text)
	case err != nil:
		return fmt.Errorf("%s is out of range: '%s'", k.Name, text)
	case n < k.min:
		return fmt.Errorf("%s must not be negative, got '%s'", k.Name, text)
	}
	return nil
}

func validURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("url must be such as http://127.0.0.1:8765, got '%s'", text)
	}
	return nil
}

// validAuthMode names the variable, as the servers that clients know do.
func validAuthMode(text string) error {
	switch strings.ToLower(text) {
	case "local", "token", "none":
		return nil
	case "jwt":
		return errors.New("not supported yet: auth_mode jwt")
	}
	return fmt.Errorf("MIRAGE_AUTH_MODE must be one of (local, token, none), got '%s'", text)
}
