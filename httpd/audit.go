package httpd

import (
	"context"
	"net/http"

	"mirage/audit"
)

// origin is where a request comes from.
func origin(ctx context.Context, r *http.Request) audit.Origin {
	return audit.Origin{Account: callerOf(ctx).Account, Remote: r.RemoteAddr, Door: "http"}
}

// record notes an event of a request.
func (s *server) record(r *http.Request, e audit.Event) {
	if s.Audit != nil {
		s.Audit.Record(audit.With(r.Context(), origin(r.Context(), r)), e)
	}
}

// audited adds to a context where its request comes from.
func (s *server) audited(ctx context.Context, r *http.Request) context.Context {
	if s.Audit == nil {
		return ctx
	}
	return audit.With(ctx, origin(ctx, r))
}
