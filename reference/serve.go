package reference

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/engine"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/httpserve"
)

// Handler serves Streamable HTTP at /mcp and HTTP+SSE at /sse and /message, and the namespaces
// beneath these.
func (s *Server) Handler() http.Handler { return endpoints{s.engine, s.dispatch} }

// endpoints are those of a server and of its namespaces. Who serves them asks the engine how it treats
// connections, and where it listens.
type endpoints struct {
	*engine.Engine
	dispatch http.HandlerFunc
}

// ServeHTTP serves a request.
func (e endpoints) ServeHTTP(w http.ResponseWriter, r *http.Request) { e.dispatch(w, r) }

// mounted are the paths that can have the name of a namespace behind them.
var mounted = []string{
	engine.PathStreamable, engine.PathEvents, engine.PathMessages,
	hook.PathMetadata + engine.PathStreamable, hook.PathMetadata + engine.PathEvents,
}

// unmount takes the name of a namespace from a path; it is empty if there is none.
func unmount(path string) (rest, name string) {
	for _, p := range mounted {
		if name, ok := strings.CutPrefix(path, p+"/"); ok && !strings.Contains(name, "/") {
			return p, name
		}
	}
	return path, ""
}

// pathHealth is for those who want to know nothing but whether the server is up: it needs no token, and is
// in no journal.
const pathHealth = "/healthz"

// dispatch hands a request to the namespace that it is for.
func (s *Server) dispatch(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == pathHealth && (r.Method == http.MethodGet || r.Method == http.MethodHead) && !s.ended() {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"status":"ok"}`+"\n") // a client that has gone needs no answer
		return
	}
	if as := s.options.OAuth; as != nil && as.Serves(r.URL.Path) && !s.ended() {
		s.authorize(as, w, r)
		return
	}
	rest, name := unmount(r.URL.Path)
	if name == "" && slices.Contains(mounted, rest) {
		name = r.Header.Get(HeaderNamespace)
	}
	if name == "" {
		s.engine.ServeHTTP(w, r)
		return
	}
	u, ctx := *r.URL, hook.WithMount(r.Context(), name)
	inner, ok := s.Namespace(name)
	if !ok { // the server itself refuses it, which is in the journal then
		inner, rest, ctx = s, rest+"/"+name, r.Context()
	}
	u.Path, u.RawPath = rest, ""
	r = r.WithContext(ctx)
	r.URL = &u
	inner.engine.ServeHTTP(w, r)
}

// settle waits until no message is being answered anywhere.
func (s *Server) settle(ctx context.Context) {
	for _, one := range append(s.inner(), s) {
		one.engine.Settle(ctx, answerTimeout)
	}
}

// Listen listens on a TCP address, say "127.0.0.1:0", for [Server.Serve]. With a
// fault that makes the server be had from everywhere it is the port on all addresses
// of the machine.
func (s *Server) Listen(ctx context.Context, addr string) (net.Listener, error) {
	const elsewhere = "192.0.2.1" // nobody's address (RFC 5737)
	if _, port, err := net.SplitHostPort(addr); err == nil && s.engine.ListensAt(elsewhere) {
		addr = net.JoinHostPort("", port)
	}
	return (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
}

// The bounds of how long Serve takes to end.
const (
	shutdownTimeout = 3 * time.Second
	answerTimeout   = 2 * time.Second // for what is being answered when the end comes
)

// Serve serves HTTP on a listener until the context ends, and then ends the server:
// it lets what is being answered finish for a few seconds before it cuts it off. The
// error is nil unless the listener failed or something had to be cut off badly.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	door := s.doors.Add(l)
	defer s.doors.Remove(door)
	web := httpserve.New(s.Handler())
	web.ConnState = door.Track
	err := httpserve.Run(ctx, hooked{door, s.options.TLS, s.engine}, web, shutdownTimeout,
		func(end context.Context) error {
			s.settle(end)
			return s.Close() // ends the event streams, which would not end by themselves
		})
	return errors.Join(err, s.Close())
}

// Refuse has the HTTP servers that Serve runs be gone for a time, as if the process were: their ports are
// closed, and so are connections, as soon as what is being answered on them has been. The ports are opened
// again afterwards. If they are closed already, they are so for this time at least.
func (s *Server) Refuse(span time.Duration) { s.doors.Shut(span) }

// hooked is a listener whose connections pass the hooks, within TLS if there is some.
type hooked struct {
	net.Listener
	tls    *tls.Config
	engine *engine.Engine
}

// Accept waits for a connection.
func (l hooked) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if l.tls != nil {
		c = tls.Server(c, l.tls)
	}
	return l.engine.WrapConn(c), nil
}
