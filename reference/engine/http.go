package engine

import (
	"cmp"
	"net"
	"net/http"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/httpserve"
	"github.com/mcpcheck/mcpcheck/reference/internal/loopback"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// ServeHTTP serves Streamable HTTP at /mcp and HTTP+SSE at /sse and /message.
func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if e.Closed() {
		panic(http.ErrAbortHandler) // as if the process were gone
	}
	e.observe(w, r)
}

// observe notes a request before it is acted on, and what is written in answer.
func (e *Engine) observe(w http.ResponseWriter, r *http.Request) {
	v := &visit{
		ResponseWriter: w, engine: e,
		entry: journal.Entry{Transport: hook.HTTP, Session: first(r.Header, headerSession),
			Connection: r.RemoteAddr, Kind: journal.HTTPRequest},
		asked: journal.HTTP{Method: r.Method, Path: r.URL.RequestURI(), Header: r.Header},
	}
	entry := &v.entry
	entry.HTTP = &v.asked
	if r.URL.Path == PathEvents || r.URL.Path == PathMessages {
		entry.Transport, entry.Session = hook.SSE, r.URL.Query().Get("sessionId")
	}
	if s := e.find(entry.Session); s != nil {
		entry.Revision = s.Revision()
	}
	entry.Revision = cmp.Or(entry.Revision, first(r.Header, headerVersion))
	v.Traced = hook.Traced{Context: r.Context(), Trace: &v.trace}
	r = r.WithContext(v)
	r.Body = httpserve.Pace(w, r.Body)
	if r.Method == http.MethodPost && (r.URL.Path == PathStreamable || r.URL.Path == PathMessages) {
		if r.Body != nil {
			v.body.readAhead(r)
		}
		v.body.in.parse(v.body.data)
		v.body.in.describe(entry)
		e.busy.Add(1)
		v.busy.Store(&e.busy)
		defer v.settled()
	}
	token := journal.Token(r.Header)
	e.came(&v.trace, entry, token, &v.body.in)
	v.trace.Header = r.Header
	if entry.Kind == journal.HTTPRequest {
		v.trace.Method = r.Method
	}
	defer v.end()
	if !e.access().Share(v, r, "GET, POST, DELETE") { // a preflight carries no token for a guard
		e.web.ServeHTTP(v, r)
	}
	v.returned = true
}

// WrapConn is what a server with these endpoints has to use instead of a connection
// that it accepted, for hooks that look at the bytes themselves.
func (e *Engine) WrapConn(c net.Conn) net.Conn {
	if wrap := e.config.Hooks.Conn; wrap != nil {
		return wrap(c)
	}
	return c
}

// ListensAt reports whether the endpoints are to be had at a host of the machine:
// unless a hook has it otherwise, at loopback addresses only.
func (e *Engine) ListensAt(host string) bool {
	return e.config.Hooks.Public.Holds(nil) || loopback.Host(host)
}

// serveHTTP is the innermost handler of requests over HTTP.
func (e *Engine) serveHTTP(w http.ResponseWriter, r *http.Request) {
	streamable := r.URL.Path == PathStreamable
	if !streamable && r.URL.Path != PathEvents && r.URL.Path != PathMessages {
		http.Error(w, "there is no endpoint at this path, and no namespace of this name", http.StatusNotFound)
		return
	}
	if why := e.access().Refusal(r); why != "" {
		refuseHTTP(w, failAt(http.StatusForbidden, codeInvalidRequest, "Forbidden: "+why))
		return
	}
	if streamable {
		e.streamable(w, r)
	} else {
		e.sse(w, r)
	}
}

// access says who may call the endpoints.
func (e *Engine) access() loopback.Access {
	return loopback.Access{Hosts: e.config.AllowedHosts, Origins: e.config.AllowedOrigins}
}
