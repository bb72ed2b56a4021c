package admin

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	_ "embed" // the OpenAPI document
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/internal/httpserve"
	"github.com/mcpcheck/mcpcheck/reference/internal/loopback"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reports"
)

//go:embed openapi.json
var openAPI []byte

// OpenAPI is the document that describes the interface.
func OpenAPI() []byte { return slices.Clone(openAPI) }

// Options are the choices of the interface.
type Options struct {
	// Token is demanded of every request as a bearer token; empty demands none.
	Token string
	// AllowedHosts are names, "*" for all, by which the interface may be called beside those
	// of loopback addresses.
	AllowedHosts []string
	// Judge makes the report that POST /verify answers with of a journal, one JSON object
	// a line. An error that is a [*Problem] is told as such. Nil answers that there is
	// nobody to judge.
	Judge func(journal io.Reader, how Verify) (*reports.Report, error)
}

// API is the interface, an http.Handler.
type API struct {
	server  *reference.Server
	options Options
	token   *[sha256.Size]byte
	mux     *http.ServeMux
}

// New makes the interface of a server.
func New(server *reference.Server, o Options) *API {
	a := &API{server: server, options: o, mux: http.NewServeMux()}
	if o.Token != "" {
		sum := sha256.Sum256([]byte(o.Token))
		a.token = &sum
	}
	allowed := map[string][]string{}
	for _, r := range routes {
		allowed[r.path] = append(allowed[r.path], r.method)
		a.mux.HandleFunc(r.method+" "+r.path,
			func(w http.ResponseWriter, req *http.Request) { a.serve(w, req, r) })
	}
	for path, methods := range allowed {
		a.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Allow", strings.Join(methods, ", "))
			fail(w, problem(CodeMethod, "", "%s takes %s, not %s", r.URL.Path, strings.Join(methods, ", "),
				r.Method))
		})
	}
	a.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, problem(CodeNotFound, "", "there is nothing at %s: see /openapi.json", r.URL.Path))
	})
	return a
}

// ServeHTTP handles a request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if err := a.admit(r); err != nil {
		if err.Code == CodeUnauthorized {
			h.Set("WWW-Authenticate", `Bearer realm="mockserver admin"`)
		}
		fail(w, err)
		return
	}
	if !a.within(w, r) {
		a.mux.ServeHTTP(w, r)
	}
}

// admit says why a request may not be made.
func (a *API) admit(r *http.Request) *Problem {
	known := loopback.Host(r.Host) || loopback.Among(r.Host, a.options.AllowedHosts)
	if !known && (a.token == nil || !loopback.Remote(r)) { // no page has the token
		return problem(CodeForbidden, "",
			"the host name %q is not allowed: call this interface by a loopback address or localhost", r.Host)
	}
	for _, origin := range r.Header.Values("Origin") {
		if origin != "http://"+r.Host {
			return problem(CodeForbidden, "", "the origin %q is not allowed", origin)
		}
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
		return problem(CodeForbidden, "", "requests of pages of other origins are not allowed")
	}
	if a.token != nil {
		sum := sha256.Sum256([]byte(journal.Token(r.Header)))
		if subtle.ConstantTimeCompare(sum[:], a.token[:]) != 1 {
			return problem(CodeUnauthorized, "", "the token of this interface is required as a bearer token")
		}
	}
	return nil
}

// call is a request that has been admitted.
type call struct {
	*http.Request
	server *reference.Server
	judge  func(journal io.Reader, how Verify) (*reports.Report, error)
	body   []byte
}

// named is a parameter of the path or of the query; empty if it is not there.
func (c *call) named(name string) string { return cmp.Or(c.PathValue(name), c.URL.Query().Get(name)) }

// serve handles a request of a route.
func (a *API) serve(w http.ResponseWriter, r *http.Request, to route) {
	v, err := a.answer(w, &call{Request: r, server: a.serverOf(r), judge: a.options.Judge}, to)
	switch {
	case err != nil:
		fail(w, err)
	case to.status == http.StatusNoContent:
		w.WriteHeader(to.status)
	default:
		respond(w, to.status, v)
	}
}

func (a *API) answer(w http.ResponseWriter, c *call, to route) (v any, err error) {
	query := c.URL.Query()
	for name, values := range query {
		if !slices.ContainsFunc(to.params, func(p string) bool {
			return strings.TrimSuffix(p, "!") == name
		}) {
			return nil, problem(CodeParameter, name, "unknown query parameter %q", name)
		}
		if len(values) > 1 && name != "kind" && name != "kinds" {
			return nil, problem(CodeParameter, name, "the query parameter %q is there twice", name)
		}
	}
	for _, p := range to.params {
		if name, required := strings.CutSuffix(p, "!"); required && query.Get(name) == "" {
			return nil, problem(CodeParameter, name, "the query parameter %q is missing", name)
		}
	}
	if c.body, err = body(w, c.Request, to); err != nil {
		return nil, err
	}
	return to.handle(c)
}

// body reads the body of a request. What can change something has to be said to be JSON, even if it is empty.
func body(w http.ResponseWriter, r *http.Request, to route) ([]byte, error) {
	if to.method != http.MethodGet {
		if why := httpserve.NotJSON(r, to.method == http.MethodPatch); why != "" {
			return nil, problem(CodeMediaType, "", "%s", why)
		}
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.Header().Set("Connection", "close")
		return nil, problem(CodeSlow, "", "the body did not come in time")
	case errors.As(err, &tooLarge):
		return nil, problem(CodeTooLarge, "", "the body is longer than %d bytes", MaxBody)
	case err != nil:
		return nil, problem(CodeInvalidJSON, "", "the body could not be read: %s", err)
	case to.request == nil && len(data) > 0:
		return nil, decode(data, &struct{}{}) // {} says nothing more than no body
	}
	return data, nil
}

func respond(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		fail(w, problem(CodeInternal, "", "the answer cannot be written: %s", err))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // a client that has gone needs no answer
}

func fail(w http.ResponseWriter, err error) {
	p, ok := errors.AsType[*Problem](err)
	if !ok {
		p = problem(CodeInternal, "", "%s", err)
	}
	respond(w, statuses[p.Code], Refusal{Error: *p})
}

const shutdownTimeout = time.Second

// Listen listens on a TCP address, say "127.0.0.1:0", for an interface with these options. Without a
// token all are refused that are not of this machine alone.
func Listen(ctx context.Context, addr string, o Options) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("the admin address %q is not written HOST:PORT, as 127.0.0.1:0 is: %w", addr,
			err)
	}
	remote := o.Token != ""
	if !remote && !loopback.Host(host) {
		return nil, fmt.Errorf("%q is no loopback address, as 127.0.0.1:0 is, and without a token "+
			"(--admin-token-env) the admin interface is for this machine only", addr)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	if at, ok := l.Addr().(*net.TCPAddr); !remote && (!ok || !at.IP.IsLoopback()) {
		return nil, fmt.Errorf("%q leads to %s, and without a token (--admin-token-env) the admin "+
			"interface is for this machine only (%w)", addr, l.Addr(), closed(l))
	}
	return l, nil
}

// closed closes a listener that nobody must use.
func closed(l net.Listener) error {
	if err := l.Close(); err != nil {
		return err
	}
	return net.ErrClosed
}

// Serve serves the interface on a listener until the context ends. Requests that wait for
// something end with it.
func (a *API) Serve(ctx context.Context, l net.Listener) error {
	return httpserve.Until(ctx, l, a, shutdownTimeout)
}
