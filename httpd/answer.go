package httpd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"mirage/vfs"
	"mirage/workspace"
)

// apiError is a failure that a client is to read.
type apiError struct {
	status  int
	detail  string
	code    string
	errno   string
	refusal any
}

func (e *apiError) Error() string { return e.detail }

// statusCanceled is what a request gets whose job was canceled (the code that
// nginx gives to a request that its client abandoned).
const statusCanceled = 499

func badRequest(format string, args ...any) error {
	return &apiError{status: http.StatusBadRequest, detail: fmt.Sprintf(format, args...), code: "bad_request"}
}

// toAPI words any error for a client. What is not known to be fit for a
// client's eyes becomes "internal server error"; known is then false.
func toAPI(err error) (e *apiError, known bool) {
	if errors.As(err, &e) {
		return e, true
	}
	var we *workspace.Error
	if errors.As(err, &we) {
		status := map[workspace.Kind]int{
			workspace.NotFound: http.StatusNotFound,
			workspace.Conflict: http.StatusConflict,
			workspace.Invalid:  http.StatusBadRequest,
			workspace.Refused:  http.StatusUnprocessableEntity,
			workspace.Canceled: statusCanceled,
			workspace.Limited:  http.StatusTooManyRequests,
		}[we.Kind]
		if status == 0 {
			status = http.StatusInternalServerError
		}
		return &apiError{status: status, detail: we.Detail, code: we.Code}, true
	}
	if errno := vfs.Errno(err); errno != 0 {
		return &apiError{status: vfs.HTTPStatus(err), detail: vfs.Phrase(err), errno: vfs.ErrnoName(err)}, true
	}
	return &apiError{status: http.StatusInternalServerError, detail: "internal server error", code: "internal"}, false
}

// fail answers a request with an error, unless its client has left.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	e, known := toAPI(err)
	if !known && !clientGone(r.Context()) {
		s.Log.Error("request failed", "method", r.Method, "route", r.Pattern, "err", err)
	}
	writeError(w, e)
}

func writeError(w http.ResponseWriter, e *apiError) {
	body := map[string]any{"detail": e.detail}
	if e.code != "" {
		body["code"] = e.code
	}
	if e.errno != "" {
		body["errno"] = e.errno
	}
	if e.refusal != nil {
		body["refusal"] = e.refusal
	}
	_ = writeJSON(w, e.status, body)
}

func writeJSON(w http.ResponseWriter, status int, v any) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	// A client that has left is nobody to report a write error to.
	_ = enc.Encode(v)
	return nil
}

// readJSON reads a body of at most 4 MiB into v, a pointer to a struct. Keys
// that v does not have and anything after the object are errors. what names
// the request in messages; an empty body is an error unless optional is set.
func readJSON(w http.ResponseWriter, r *http.Request, what string, optional bool, v any) error {
	body, err := readBody(w, r)
	if err != nil {
		return err
	}
	if optional && len(body) == 0 {
		return nil
	}
	return decode(body, "bad "+what+" request", v)
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, &apiError{status: http.StatusRequestEntityTooLarge, detail: "request body too large", code: "body_too_large"}
	case err != nil:
		return nil, badRequest("the request body ended early")
	}
	return body, nil
}

// unix is a time as the API writes it: float Unix seconds.
func unix(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

// unixOrNil is unix of a time that may not have come yet.
func unixOrNil(t time.Time) *float64 {
	if t.IsZero() {
		return nil
	}
	u := unix(t)
	return &u
}
