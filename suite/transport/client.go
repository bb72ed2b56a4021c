package transport

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// Client says how HTTP requests go out. The zero value is ready for use.
type Client struct {
	// Handler serves the requests in process, without any network: over
	// in-memory connections, by a server that lives as long as the
	// connection. It works inside a testing/synctest bubble.
	Handler http.Handler
	// CAFile names a file with PEM certificates that are trusted beside the system's.
	CAFile string
	// Server is the program that serves the URL, if it is started by us: it runs before
	// a connection is made, and the connection ends with it.
	Server *Server
}

const (
	// handshakeWait is how long a TLS handshake may take.
	handshakeWait = 10 * time.Second
	// maxHead is how many bytes of the head of a response are read.
	maxHead = 1 << 20
	// idleWait is how long an unused connection is kept. Common servers
	// close theirs after 5 s; we are first, so no request gets lost in the race.
	idleWait = 2 * time.Second
	// fresh is how often a request is sent again that went over a connection which had served others,
	// each time over a new one where there is none left that waits.
	fresh = 3
	// foreignKept is how much of a body that is no JSON is kept, in bytes.
	foreignKept = 64 << 10
)

// client sends the HTTP requests of one connection. Redirects are not followed:
// they are an answer like any other. Bodies are asked for uncompressed, and only
// HTTP/1.1 is spoken, where header names go out as they are spelled.
type client struct {
	*line
	home   *url.URL // what the user gave
	base   http.Header
	rt     *http.Transport
	server *inProcess
	run    *serverRun      // nil if it is not ours
	ctx    context.Context // ends with the connection
	cancel context.CancelFunc
	wg     sync.WaitGroup

	countMu sync.Mutex
	closed  bool
	counts  map[string]int
}

// dialFunc opens a network connection.
type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// whileOpen ties the connections that dial opens to the life of the client. The HTTP library
// goes on dialing when a request is cancelled, in the hope of using the connection later.
func (c *client) whileOpen(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(c.ctx, cancel)()
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &watchedConn{Conn: conn}, nil
	}
}

// secured has TLS spoken over the connections that dial opens. Left to the HTTP library, this
// would hide from [watchedConn] what comes inside of it.
func secured(dial dialFunc, config *tls.Config) dialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(ctx, handshakeWait)
		defer cancel()
		own := config.Clone()
		own.ServerName, _, _ = net.SplitHostPort(addr) // it has been dialled
		inside := tls.Client(conn, own)
		if err := inside.HandshakeContext(ctx); err != nil {
			_ = conn.Close() // a handshake that failed
			return nil, err
		}
		return inside, nil
	}
}

// open prepares a client, for a handler with the URL that stands for an empty one.
func (h *HTTP) open(ctx context.Context, sink Sink, inProcess string) (*client, error) {
	home, err := h.endpoint(inProcess)
	if err != nil {
		return nil, err
	}
	o := h.Client
	config, err := o.tlsConfig()
	if err != nil {
		return nil, err
	}
	c := &client{line: newLine(sink, h.Limits), home: home, base: h.Header, counts: map[string]int{}}
	if o.Server != nil {
		if c.run, err = o.Server.running(ctx); err != nil {
			return nil, err
		}
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	if c.run != nil {
		c.wg.Go(c.watchServer)
	}
	c.exceeded = c.cancel
	dial := (&net.Dialer{Timeout: 30 * time.Second}).DialContext
	if o.Handler != nil {
		c.server = serveInProcess(o.Handler)
		dial = c.server.dial
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	c.rt = &http.Transport{
		Proxy:                  http.ProxyFromEnvironment, // never for loopback addresses
		DialContext:            c.whileOpen(dial),
		DialTLSContext:         c.whileOpen(secured(dial, config)),
		TLSClientConfig:        config, // behind a proxy
		TLSHandshakeTimeout:    handshakeWait,
		DisableCompression:     true,
		MaxIdleConnsPerHost:    16,
		IdleConnTimeout:        idleWait,
		MaxResponseHeaderBytes: maxHead,
		Protocols:              protocols,
	}
	c.limits.Reuse.join(c)
	if o.Handler != nil {
		c.rt.Proxy = nil
		c.rt.DialTLSContext = c.rt.DialContext // https in name only
	}
	return c, nil
}

// tlsConfig trusts the system's certificates, and those of the file.
func (o Client) tlsConfig() (*tls.Config, error) {
	if o.CAFile == "" {
		return &tls.Config{}, nil
	}
	pem, err := os.ReadFile(o.CAFile)
	if err != nil {
		return nil, fmt.Errorf("cannot read the CA certificates: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("the file %s holds no PEM certificate", o.CAFile)
	}
	return &tls.Config{RootCAs: pool}, nil
}

// watchServer ends the connection when the server that was started ends.
func (c *client) watchServer() {
	select {
	case <-c.run.ended:
		err := c.run.failure()
		c.note(channelServer, err.Error())
		c.finish(err)
	case <-c.ctx.Done():
	}
}

// channelServer is the channel of notes about a server that was started.
const channelServer = "server"

// reaping is how long after a failed exchange the end of a server is waited for.
const reaping = 250 * time.Millisecond

// fallen is the end of a server that was started, where an exchange has failed: most often
// it is the cause, seen a moment before the process was reaped. Nil if it goes on running.
func (c *client) fallen() error {
	if c.run == nil || !within(reaping, c.run.ended) {
		return nil
	}
	err := c.run.failure()
	c.finish(err)
	return err
}

// shutdown cancels all requests and waits until nothing of them is left.
func (c *client) shutdown(ctx context.Context) {
	c.finish(ErrClosed)
	c.countMu.Lock()
	c.closed = true
	c.countMu.Unlock()
	c.cancel()
	c.wg.Wait()
	c.limits.Reuse.leave(c)
	c.rt.CloseIdleConnections() // and whatever becomes idle from now on
	if c.server != nil {
		c.server.close(ctx)
	}
}

// begin counts a request as running and names its channel: the given one, or
// the method with a number, "post:1". False if the connection is closed.
func (c *client) begin(method, channel string) (string, bool) {
	c.countMu.Lock()
	defer c.countMu.Unlock()
	if c.closed {
		return "", false
	}
	c.wg.Add(1)
	if channel == "" {
		name := strings.ToLower(method)
		c.counts[name]++
		channel = fmt.Sprintf("%s:%d", name, c.counts[name])
	}
	return channel, true
}

// request is what goes out for one message.
type request struct {
	*http.Request
	body []byte
}

// newRequest builds the HTTP request of a message.
func (c *client) newRequest(m Message, to *url.URL) (*request, error) {
	method := m.Method
	if method == "" {
		method = http.MethodPost
	}
	if m.URL != "" {
		ref, err := to.Parse(m.URL)
		if err != nil {
			return nil, unsent(err)
		}
		to = ref
	}
	var body io.Reader
	if method != http.MethodGet || len(m.Body) > 0 {
		body = bytes.NewReader(m.Body)
	}
	req, err := http.NewRequest(method, to.String(), body)
	if err != nil {
		return nil, unsent(err)
	}
	c.setHeader(req, m)
	c.limits.Reuse.mark(req)
	if m.Chunked && len(m.Body) > 0 {
		chunked(req, m.Body)
	}
	return &request{req, m.Body}, nil
}

// chunked hides the length of the body, so that it goes out in chunks: its halves or, if it has a
// character of several bytes, what ends within that and the rest.
func chunked(req *http.Request, body []byte) {
	half := (len(body) + 1) / 2
	if i := bytes.IndexFunc(body, func(r rune) bool { return r >= utf8.RuneSelf }); i >= 0 {
		half = i + 1
	}
	req.GetBody = func() (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(bytes.NewReader(body[:half]), bytes.NewReader(body[half:]))), nil
	}
	req.Body, _ = req.GetBody() // it never fails
	req.ContentLength = -1
}

// trusts reports whether the configured headers may go to u: to their own origin only.
func (c *client) trusts(u *url.URL) bool { return wire.SameOrigin(u, c.home) }

// setHeader lays the headers over each other: ours, the configured ones, those
// of the message. The configured ones may hold credentials, which are nobody
// else's business.
func (c *client) setHeader(req *http.Request, m Message) {
	h := req.Header
	h.Set("User-Agent", "mcpcheck")
	// bodies are judged as they come: a server may compress them if nothing is said
	h.Set("Accept-Encoding", "identity")
	switch req.Method {
	case http.MethodPost:
		h.Set("Content-Type", "application/json")
		h.Set("Accept", "application/json, text/event-stream")
	case http.MethodGet:
		h.Set("Accept", "text/event-stream")
	}
	trusted := c.trusts(req.URL)
	if password, ok := req.URL.User.Password(); ok && trusted {
		req.SetBasicAuth(req.URL.User.Username(), password)
	}
	layers := []http.Header{m.Header}
	if trusted {
		layers = []http.Header{c.base, m.Header}
	}
	for _, layer := range layers {
		for name, values := range layer {
			h[http.CanonicalHeaderKey(name)] = slices.Clone(values)
		}
	}
	for _, name := range m.Omit {
		h.Del(name)
	}
	if host := h.Get("Host"); host != "" {
		req.Host = host // net/http takes it from there alone
		h.Del("Host")
	}
	if _, ok := h["User-Agent"]; !ok {
		h["User-Agent"] = []string{""} // absent would mean Go's own
	}
	for _, line := range m.Exact {
		h[line[0]] = append(h[line[0]], line[1])
	}
}

// outFrame records a request as it is about to go out.
func (r *request) outFrame(channel string) wire.Frame {
	h := r.Header.Clone()
	if slices.Equal(h["User-Agent"], []string{""}) {
		delete(h, "User-Agent")
	}
	if r.ContentLength < 0 {
		h.Set("Transfer-Encoding", "chunked")
	}
	if r.Host != r.URL.Host {
		h.Set("Host", r.Host)
	}
	shown := *r.URL
	shown.User = nil
	return wire.Frame{Channel: channel, Dir: wire.Out, Raw: r.body,
		HTTP: &wire.HTTP{Method: r.Method, URL: shown.String(), Header: h}}
}

// sending watches a request go out.
type sending struct {
	once    sync.Once
	written chan struct{} // closed when the request was written, or answered early
	stale   bool          // it went over a connection that had served another request
	use     *use          // of the connection; nil over TLS behind a proxy, where it cannot be seen
	stray   func(int)     // told what comes over the connection behind the response
}

func (s *sending) wrote() { s.once.Do(func() { close(s.written) }) }

func (s *sending) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(i httptrace.GotConnInfo) {
			s.stale = i.Reused
			if conn, ok := i.Conn.(*watchedConn); ok {
				s.use = conn.begin(s.stray)
			}
		},
		WroteRequest: func(i httptrace.WroteRequestInfo) {
			if i.Err == nil {
				s.wrote()
			}
		},
	})
}

// roundTrip sends the request, and again if the target had closed the kept-alive connection while we were
// about to use it, which it may at any time, also right behind a response (RFC 9112, section 9.5). What ends
// a new connection as well is put down to the request.
func (c *client) roundTrip(ctx context.Context, r *request, channel string, s *sending) (*http.Response,
	error) {
	req := r.WithContext(s.trace(ctx))
	for n := 0; ; n++ {
		resp, err := c.rt.RoundTrip(req)
		if err == nil || ctx.Err() != nil || n == fresh || !s.stale || !cutOff(err) {
			return resp, err
		}
		c.note(channel, "sent again: the target had closed the connection, which had served another request")
		c.rt.CloseIdleConnections() // it may have closed them as well
		if req, err = rewind(req); err != nil {
			return nil, err
		}
	}
}

func rewind(req *http.Request) (*http.Request, error) {
	again := req.Clone(req.Context())
	if req.GetBody == nil {
		return again, nil
	}
	body, err := req.GetBody()
	again.Body = body
	return again, err
}

// cutOff reports whether the connection ended without an answer.
func cutOff(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE) || strings.Contains(err.Error(), "server closed idle connection")
}
