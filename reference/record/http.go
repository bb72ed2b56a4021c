package record

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/loopback"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

const headerSession = "Mcp-Session-Id"

// Proxy passes HTTP requests on to a server and records them.
type Proxy struct {
	recorder *Recorder
	upstream *url.URL
	reverse  *httputil.ReverseProxy
	serial   atomic.Int64
	// Header is added to each request that has no such header.
	Header http.Header
}

// Proxy makes a proxy to the server at a URL. A request goes to the path of the server that it
// names, so that clients find the endpoint of the server at the same path here. Bodies go on as
// they are, with one exception: an endpoint event of HTTP+SSE that names an absolute
// address leads here.
func (r *Recorder) Proxy(server string) (*Proxy, error) {
	u, err := parseServer(server)
	if err != nil {
		return nil, err
	}
	p := &Proxy{recorder: r, upstream: u}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableCompression = true
	p.reverse = &httputil.ReverseProxy{
		Transport: transport, FlushInterval: -1, Rewrite: p.rewrite, ModifyResponse: p.answered,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			if errors.Is(err, http.ErrAbortHandler) {
				panic(err)
			}
			why := "the recorded server cannot be reached: " + r.journal.Hide(err.Error())
			http.Error(w, why, http.StatusBadGateway)
		},
	}
	return p, nil
}

// parseServer reads the URL of a server.
func parseServer(server string) (*url.URL, error) {
	u, err := url.Parse(server)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%q is no http or https URL", Describe(server))
	}
	return u, nil
}

// admit reports whether a request is to be served. One that must not come from where it comes from has been
// refused, and a preflight has been answered: neither gets our credentials, nor is it recorded.
func (r *Recorder) admit(w http.ResponseWriter, req *http.Request) bool {
	access := loopback.Access{Hosts: r.AllowedHosts, Origins: r.AllowedOrigins}
	if why := access.Refusal(req); why != "" {
		http.Error(w, why, http.StatusForbidden)
		return false
	}
	return !access.Share(w, req, "GET, POST, DELETE")
}

// arrived reads the body of a request, and makes the entry about it, which is nil if the request has
// been answered because the body cannot be had.
func (r *Recorder) arrived(w http.ResponseWriter, req *http.Request) (*journal.Entry, []byte) {
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxMessage))
	if err != nil {
		http.Error(w, "the body could not be read, or is too long to be recorded",
			http.StatusRequestEntityTooLarge)
		return nil, nil
	}
	return &journal.Entry{
		Direction: journal.In, Transport: hook.HTTP, Session: req.Header.Get(headerSession),
		Connection: req.RemoteAddr,
		Revision:   req.Header.Get("Mcp-Protocol-Version"),
		HTTP:       &journal.HTTP{Method: req.Method, Path: req.URL.RequestURI(), Header: req.Header},
	}, body
}

// Path is that of the endpoint of the server.
func (p *Proxy) Path() string {
	if p.upstream.Path == "" {
		return "/"
	}
	return p.upstream.EscapedPath()
}

// Close lets go of idle connections.
func (p *Proxy) Close() { p.reverse.Transport.(*http.Transport).CloseIdleConnections() }

func (p *Proxy) rewrite(r *httputil.ProxyRequest) {
	r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = p.upstream.Scheme, p.upstream.Host, ""
	r.Out.URL.User = p.upstream.User
	if p.upstream.RawQuery != "" && r.In.URL.Path == p.upstream.Path {
		r.Out.URL.RawQuery = strings.TrimPrefix(r.Out.URL.RawQuery+"&"+p.upstream.RawQuery, "&")
	}
	for name, values := range p.Header {
		if r.Out.Header.Get(name) == "" {
			r.Out.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	r.Out.Header.Del("Accept-Encoding") // what is compressed could not be written down
}

// ServeHTTP records a request and passes it on.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !p.recorder.admit(w, r) {
		return
	}
	e, body := p.recorder.arrived(w, r)
	if e == nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	if e.Session == "" {
		e.Session = fmt.Sprintf("post-%d", p.serial.Add(1)) // so that ids of several clients stay apart
	}
	if id := p.recorder.endpoint(r.URL.RequestURI()); id != "" {
		e.Transport, e.Session = hook.SSE, id
	}
	if len(body) == 0 {
		e.Kind = journal.HTTPRequest
	}
	p.recorder.note(e, body)
	p.reverse.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), entryKey{}, e)))
}

// answered has the body of a response recorded while it is passed on.
func (p *Proxy) answered(resp *http.Response) error {
	request := entryOf(resp.Request.Context())
	if request == nil {
		return nil
	}
	// Which pages may read it is ours to say. These get no cookies: all programs at this address would.
	page := len(resp.Request.Header["Origin"]) > 0
	maps.DeleteFunc(resp.Header, func(name string, _ []string) bool {
		return strings.HasPrefix(name, "Access-Control-") || page && name == "Set-Cookie"
	})
	head := &journal.HTTP{Status: resp.StatusCode, Header: resp.Header}
	if id := resp.Header.Get(headerSession); id != "" && request.Session != id {
		p.recorder.adopt(request.Session, id)
		request.Session = id
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		opened := request.Following(journal.Opened)
		opened.Scope, opened.HTTP = journal.ScopeStream, head
		p.recorder.journal.Note(opened, nil)
		resp.Body = &events{proxy: p, from: resp.Body, reader: bufio.NewReaderSize(resp.Body, 32<<10),
			request: request}
		return nil
	}
	resp.Body = &whole{from: resp.Body, done: func(body []byte) {
		e := request.Following(journal.HTTPAnswer)
		e.Direction, e.HTTP = journal.Out, head
		p.recorder.note(e, body)
	}}
	return nil
}

// whole keeps a body and tells when it has ended.
type whole struct {
	from io.ReadCloser
	body []byte
	done func(body []byte)
}

// Read reads on, and notes the body before it says that it has ended.
func (b *whole) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if len(b.body) <= maxMessage {
		b.body = append(b.body, p[:n]...)
	}
	if err != nil {
		b.finish()
	}
	return n, err
}

// Close notes what has come so far.
func (b *whole) Close() error {
	b.finish()
	return b.from.Close()
}

func (b *whole) finish() {
	if b.done != nil {
		b.done(b.body)
		b.done = nil
	}
}

// events records an event stream while it is read.
type events struct {
	proxy   *Proxy
	from    io.ReadCloser
	reader  *bufio.Reader
	request *journal.Entry

	held   []byte // what belongs to an event that has not ended
	out    []byte // what has been recorded and not been read yet
	closed bool

	now     event
	partial bool // the line before this one was the beginning of it
	isData  bool // and had data
}

// Read passes the stream on, an event at a time: what a client has got has been noted. Of an
// event that is too long to be noted whole the parts are passed on as they come.
func (s *events) Read(p []byte) (int, error) {
	for len(s.out) == 0 {
		line, err := s.reader.ReadSlice('\n')
		if len(line) > 0 {
			s.held = append(s.held, s.line(append([]byte(nil), line...))...)
			over := len(bytes.TrimRight(line, "\r\n")) == 0 && !s.partial
			begun := s.now.hasData || s.now.kind != "" || s.now.id != ""
			if over || !begun || len(s.held) > maxMessage {
				s.out, s.held = s.held, nil
			}
			continue
		}
		if err != nil && len(s.held) > 0 {
			s.out, s.held = s.held, nil
			break
		}
		if err != nil {
			s.close("server")
			return 0, err
		}
	}
	n := copy(p, s.out)
	s.out = s.out[n:]
	return n, nil
}

// Close notes that the stream has ended.
func (s *events) Close() error {
	s.close("client")
	return s.from.Close()
}

func (s *events) close(reason string) {
	if s.closed {
		return
	}
	s.closed = true
	e := s.request.Following(journal.Closed)
	e.Scope, e.Reason = journal.ScopeStream, reason
	s.proxy.recorder.journal.Note(e, nil)
}

// line takes a line and returns it as it is to be passed on.
func (s *events) line(line []byte) []byte {
	text := bytes.TrimRight(line, "\r\n")
	goesOn := s.partial
	s.partial = !bytes.HasSuffix(line, []byte("\n"))
	if goesOn {
		if s.isData && len(s.now.data) <= maxMessage {
			s.now.data = append(s.now.data, text...)
		}
		return line
	}
	if len(text) == 0 {
		s.event()
		return line
	}
	name, value := s.now.line(text)
	if s.isData = name == "data"; s.isData && s.now.kind == "endpoint" {
		return s.endpoint(line, value)
	}
	return line
}

// endpoint makes an address of the server one of ours.
func (s *events) endpoint(line, value []byte) []byte {
	u, err := url.Parse(string(value))
	if err != nil {
		return line
	}
	to := u.RequestURI()
	if !strings.HasPrefix(to, "/") || u.Host == "" && !strings.HasPrefix(string(value), "/") {
		to = s.proxy.upstream.ResolveReference(u).RequestURI()
	}
	s.request.Transport = hook.SSE
	s.request.Session = s.proxy.recorder.learn(to, fmt.Sprintf("sse-%d", s.proxy.serial.Add(1)))
	if u.Host == "" || !strings.EqualFold(u.Host, s.proxy.upstream.Host) {
		return line
	}
	return bytes.Replace(line, value, []byte(to), 1)
}

// event notes an event.
func (s *events) event() {
	if s.now.hasData || s.now.id != "" {
		e := s.request.Following(journal.Event)
		e.Direction, e.EventID, e.Stream = journal.Out, s.now.id, "post"
		switch {
		case s.request.Transport == hook.SSE:
			e.Stream = "sse"
		case s.request.Kind == journal.HTTPRequest:
			e.Stream = "get"
		}
		if s.now.kind == "endpoint" {
			e.Size = len(s.now.data) // the address is a secret of the session
		} else {
			e.Method, e.URI = "", "" // are those of the message
			s.proxy.recorder.note(e, s.now.data)
		}
	}
	s.now = event{}
}
