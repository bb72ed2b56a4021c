package record

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// Remote is a server at a URL that is spoken to as one on stdio is: what is written to it, a
// message per line, is sent there over Streamable HTTP, or over HTTP+SSE if the server speaks
// nothing else, and what the server says can be read, a message per line.
type Remote struct {
	url    string
	header http.Header
	web    *http.Client
	tell   func(sentence string)

	ctx    context.Context
	cancel context.CancelFunc
	lines  splitter
	out    *io.PipeReader
	toOut  *io.PipeWriter
	ending sync.Once

	writing sync.Mutex // of a line to out

	mu       sync.Mutex
	session  string
	version  string        // that was agreed on
	endpoint string        // of HTTP+SSE; empty for Streamable HTTP
	cut      bool          // the stream of HTTP+SSE has ended
	open     []*call       // requests that are under way, oldest first
	reached  bool          // the server has answered
	failed   error         // why it could not be reached last
	patience time.Duration // with HTTP+SSE, until it has named its endpoint

	requests sync.WaitGroup
	streams  sync.WaitGroup // that last until the end
}

// call is a request that is under way.
type call struct {
	journal.Entry // of it, or of the batch that it is
	ctx           context.Context
	cancel        context.CancelFunc
	over          bool // it has been answered, or is being answered by us
	// passed ends the context when the answer has been passed on, if nothing else does before.
	answered context.Context
	passed   context.CancelFunc
}

// RemoteOptions are the choices of a Remote.
type RemoteOptions struct {
	// Header goes along with each request: credentials, say.
	Header http.Header
	// Tell is told in a sentence of what the client cannot be told; nil for nobody.
	Tell func(sentence string)
}

// Dial makes a Remote. Nothing is sent before there is something to send.
func Dial(server string, o RemoteOptions) (*Remote, error) {
	if _, err := parseServer(server); err != nil {
		return nil, err
	}
	r := &Remote{
		url: server, header: o.Header, tell: o.Tell, patience: endpointTimeout,
		web: &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone(), CheckRedirect: follows},
	}
	if r.tell == nil {
		r.tell = func(string) {}
	}
	r.lines.each = r.send
	r.out, r.toOut = io.Pipe()
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r, nil
}

// Read reads what the server says.
func (r *Remote) Read(p []byte) (int, error) { return r.out.Read(p) }

// Write sends what has become whole lines.
func (r *Remote) Write(p []byte) (int, error) {
	r.lines.feed(p)
	return len(p), nil
}

// Close ends the input: requests are waited for, then the session is ended, and after that
// Read returns io.EOF.
func (r *Remote) Close() error {
	r.lines.end()
	r.requests.Wait()
	r.End()
	return nil
}

// endTimeout is how long the end of a session may take.
const endTimeout = 2 * time.Second

// End ends everything at once.
func (r *Remote) End() {
	r.ending.Do(func() {
		r.cancel()
		_ = r.toOut.Close() // never fails; a line that nobody reads is let go
		r.streams.Wait()
		r.mu.Lock()
		session := r.session
		r.mu.Unlock()
		if session != "" {
			ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
			defer cancel()
			if resp, err := r.do(ctx, http.MethodDelete, r.url, nil, nil); err == nil {
				_ = resp.Body.Close() // a server need not take notice
			}
		}
		r.web.CloseIdleConnections()
	})
}

// send sends a message. The next one is not sent before this one has been: a cancellation must not
// overtake its request.
func (r *Remote) send(line []byte) {
	line = bytes.Clone(line)
	var e journal.Entry
	e.Classify(line)
	switch {
	case r.ctx.Err() != nil:
	case e.Kind == journal.Request || e.Kind == journal.Batch:
		r.request(&e, line)
	case e.Method == "notifications/cancelled" && r.abort(line):
	default:
		r.notify(&e, line)
	}
}

// abort cancels a request of a revision without sessions: over HTTP that is done by leaving.
func (r *Remote) abort(line []byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.underWay([]byte(gjson.GetBytes(line, "params.requestId").Raw))
	if c == nil || r.version != "" {
		return false
	}
	c.cancel()
	return true
}

// notify sends what gets no answer.
func (r *Remote) notify(e *journal.Entry, line []byte) {
	resp, err := r.do(r.ctx, http.MethodPost, r.address(), line, nil)
	if err != nil {
		if r.ctx.Err() == nil {
			r.tell(unreached(err))
		}
		return
	}
	_ = resp.Body.Close() // has nothing in it
	if resp.StatusCode >= http.StatusMultipleChoices {
		r.tell(fmt.Sprintf("the server answered %s with HTTP %s", e.Method, status(resp)))
	}
	r.mu.Lock()
	stream := e.Method == "notifications/initialized" && r.endpoint == "" &&
		resp.StatusCode < http.StatusMultipleChoices
	r.mu.Unlock()
	if stream {
		r.streams.Go(r.listen)
	}
}

// address is where messages are sent.
func (r *Remote) address() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return cmp.Or(r.endpoint, r.url)
}

// request sends a request and has its answer waited for.
func (r *Remote) request(e *journal.Entry, line []byte) {
	ctx, cancel := context.WithCancel(r.ctx)
	written, sent := context.WithCancel(ctx)
	c := &call{Entry: *e, cancel: cancel}
	c.answered, c.passed = context.WithCancel(ctx)
	c.ctx = httptrace.WithClientTrace(ctx,
		&httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { sent() }})
	r.mu.Lock()
	r.open = append(r.open, c)
	r.mu.Unlock()
	done := make(chan struct{})
	r.requests.Go(func() {
		defer close(done)
		r.exchange(c, line)
		cancel()
		r.mu.Lock()
		r.open = slices.DeleteFunc(r.open, func(other *call) bool { return other == c })
		r.mu.Unlock()
	})
	if e.Method == "initialize" {
		<-done // what comes next needs the session
		return
	}
	select {
	case <-written.Done():
	case <-done:
	}
}

// exchange sends a request and passes on all that comes in answer to it.
func (r *Remote) exchange(c *call, line []byte) {
	if r.isCut() {
		r.fail(c, "the server has ended the event stream, on which answers come: begin again")
		return
	}
	resp, err := r.do(c.ctx, http.MethodPost, r.address(), line, nil)
	if err == nil && c.Method == "initialize" && older(resp.StatusCode) {
		resp = kept(resp) // what it says counts if it does not know HTTP+SSE either
		if r.connect() {
			resp, err = r.do(c.ctx, http.MethodPost, r.address(), line, nil)
		}
	}
	switch {
	case c.ctx.Err() != nil:
		if err == nil {
			_ = resp.Body.Close()
		}
		return
	case err != nil:
		r.fail(c, unreached(err))
		return
	}
	defer resp.Body.Close() //nolint:errcheck // has been read as far as it matters
	r.mu.Lock()
	if session := resp.Header.Get(headerSession); session != "" && c.Method == "initialize" {
		r.session = session
	}
	old := r.endpoint != ""
	r.mu.Unlock()
	kind := resp.Header.Get("Content-Type")
	switch {
	case old && resp.StatusCode < http.StatusMultipleChoices:
		if c.Kind == journal.Request {
			<-c.answered.Done() // which comes on the stream
		}
	case strings.HasPrefix(kind, "text/event-stream"):
		r.follow(c, resp)
	default:
		body, err := io.ReadAll(io.LimitReader(resp.Body, maxMessage))
		if c.ctx.Err() != nil {
			return
		}
		if err != nil || !strings.HasPrefix(kind, "application/json") || !gjson.ValidBytes(body) ||
			len(bytes.TrimSpace(body)) == 0 {
			r.fail(c, "the server answered with HTTP "+status(resp))
			return
		}
		r.say(c, body)
	}
}

// kept is a response whose body has been read.
func kept(resp *http.Response) *http.Response {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxMessage)) // what is cut off shows when it is looked at
	_ = resp.Body.Close()                                        // likewise
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp
}

// older reports whether a status is that of a server which does not know Streamable HTTP.
func older(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusNotFound ||
		status == http.StatusMethodNotAllowed
}

// follow passes on an event stream until it has the answer, and takes it up again where it
// broke.
func (r *Remote) follow(c *call, resp *http.Response) {
	place := place{retry: time.Second}
	for {
		got := false
		place.read(resp.Body, func(data []byte) { got = r.say(c, data) || got })
		switch {
		case got || c.ctx.Err() != nil:
			return
		case place.last == "":
			r.fail(c, "the server ended the event stream before it had answered")
			return
		}
		if !hook.Pause(c.ctx, place.retry) {
			return
		}
		if resp = r.stream(c.ctx, &place); resp == nil {
			r.fail(c, "the server ended the event stream before it had answered, and does not resume it")
			return
		}
		defer resp.Body.Close() //nolint:errcheck,gocritic // as above; there are few of them
	}
}

// listen opens the stream on which a server speaks unasked, and reopens it, as long as the
// server offers it.
func (r *Remote) listen() {
	place := place{retry: time.Second}
	for r.ctx.Err() == nil {
		resp := r.stream(r.ctx, &place)
		if resp == nil {
			return
		}
		place.read(resp.Body, r.line)
		_ = resp.Body.Close() // has come to its end
		hook.Pause(r.ctx, place.retry)
	}
}

// say passes on what came in answer to a request, and reports whether it is the answer.
func (r *Remote) say(c *call, message []byte) bool {
	if c.Kind == journal.Request && nameless(message) {
		message = named(message, c.ID) // it is the answer to the one that it came for
	}
	m := gjson.ParseBytes(message)
	if version := m.Get("result.protocolVersion"); c.Method == "initialize" && version.Exists() {
		r.mu.Lock()
		r.version = version.String()
		r.mu.Unlock()
	}
	r.line(message)
	return c.Kind == journal.Batch || !m.Get("method").Exists() &&
		idKey(m.Get("id").Raw) == idKey(c.ID)
}

// named is an answer with the id of a request.
func named(message []byte, id json.RawMessage) []byte {
	o, ok := hook.DecodeObject(message)
	if !ok {
		return message
	}
	o["id"] = id
	return hook.Encode(o)
}

// inLine is a message on one line.
func inLine(message []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, message) != nil {
		return []byte(strings.NewReplacer("\r", " ", "\n", " ").Replace(string(message)))
	}
	return b.Bytes()
}

// line gives the client a message.
func (r *Remote) line(message []byte) {
	message = bytes.TrimSpace(message)
	if len(message) == 0 {
		return // an event without a message keeps a connection alive, or marks a place
	}
	if bytes.ContainsAny(message, "\r\n") {
		message = inLine(message)
	}
	c := r.asked(message)
	r.writing.Lock()
	_, _ = r.toOut.Write(append(bytes.Clone(message), '\n')) // nobody reads after the end
	r.writing.Unlock()
	if c != nil {
		c.passed()
	}
}

// underWay is the newest request with an id that is under way; nil if there is none. The caller holds mu.
func (r *Remote) underWay(id []byte) *call {
	key := idKey(id)
	for _, c := range slices.Backward(r.open) {
		if idKey(c.ID) == key {
			return c
		}
	}
	return nil
}

// asked is the request that a message answers, which is over with that; nil if there is none.
func (r *Remote) asked(message []byte) *call {
	m := gjson.ParseBytes(message)
	if m.Get("method").Exists() || !m.Get("id").Exists() {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.underWay([]byte(m.Get("id").Raw))
	if c != nil {
		c.over = true
	}
	return c
}

// codeUnreachable is that of an error with which a request is answered because the server
// has not.
const codeUnreachable = -32000

// fail answers a request in place of the server, if it has not been answered.
func (r *Remote) fail(c *call, why string) {
	if c.Kind != journal.Request {
		r.tell(why)
		return
	}
	r.mu.Lock()
	over := c.over
	c.over = true
	r.mu.Unlock()
	if over {
		return
	}
	r.line(hook.Encode(hook.Object{"jsonrpc": "2.0", "id": c.ID,
		"error": hook.Object{"code": hook.Number(codeUnreachable), "message": why}}))
}
