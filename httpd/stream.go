package httpd

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"sync"

	"mirage/client"
	"mirage/workspace"
)

// maxRecord is how many bytes of output one record carries.
const maxRecord = 32 << 10

// shellStream answers with one JSON record a line: output as it appears, in
// order, then exactly one record with the job's status. The client's pace is
// the line's.
func (s *server) shellStream(w http.ResponseWriter, r *http.Request, ses *workspace.Session, in *shellInput) error {
	l, err := line(in.body)
	if err != nil {
		return err
	}
	_ = http.NewResponseController(w).EnableFullDuplex()
	out := &recordWriter{w: bufio.NewWriter(w), flush: http.NewResponseController(w).Flush, begun: make(chan struct{})}
	l.Stdin, l.Stdout, l.Stderr = in.stdin, out.stream("stdout"), out.stream("stderr")
	job, err := ses.Submit(r.Context(), l)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/x-ndjson")
	h.Set(headerJob, job.ID())
	h.Set("Connection", "close")
	w.WriteHeader(http.StatusOK)
	_ = out.flush()
	close(out.begun)

	rec := s.await(r.Context(), job, in)
	last := client.Record{Status: string(rec.Status)}
	if err := in.problem(); err != nil {
		text := err.Error()
		last.Error = &text
	}
	if rec.Result != nil {
		res := *rec.Result
		// Output is in the records; the result would repeat it cut short.
		res.Stdout, res.Stderr, res.Truncated = nil, nil, res.Limited
		last.Result = result(res)
	}
	if rec.Error != "" {
		last.Error = &rec.Error
	}
	out.end(last)
	return nil
}

// recordWriter writes records to one response.
type recordWriter struct {
	begun chan struct{} // closed when the header is out
	flush func() error

	mu  sync.Mutex // guards the rest
	w   *bufio.Writer
	err error
}

type recordStream struct {
	*recordWriter
	prefix string
}

func (rw *recordWriter) stream(name string) io.Writer {
	return recordStream{rw, `{"stream":"` + name + `","data":"`}
}

// Write writes p as one or more records. Nothing of a record is ever left
// out: a write error ends the stream.
func (s recordStream) Write(p []byte) (int, error) {
	<-s.begun
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := 0; n < len(p); {
		if s.err != nil {
			return n, s.err
		}
		piece := p[n:min(n+maxRecord, len(p))]
		_, _ = s.w.WriteString(s.prefix)
		enc := base64.NewEncoder(base64.StdEncoding, s.w)
		_, _ = enc.Write(piece)
		_ = enc.Close()
		_, _ = s.w.WriteString("\"}\n")
		if s.err = s.w.Flush(); s.err == nil {
			s.err = s.flush()
		}
		n += len(piece)
	}
	return len(p), s.err
}

// end writes the last record.
func (rw *recordWriter) end(last client.Record) {
	rw.mu.Lock()
	defer rw.mu.Unlock()
	if rw.err != nil {
		return
	}
	rw.err = io.ErrClosedPipe // a background job of the line may go on writing
	// The last record always has its three keys.
	body, err := json.Marshal(map[string]any{"status": last.Status, "result": last.Result, "error": last.Error})
	if err != nil {
		return
	}
	_, _ = rw.w.Write(append(body, '\n'))
	if rw.w.Flush() == nil {
		_ = rw.flush()
	}
}
