package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// call is one HTTP request and what comes back.
type call struct {
	client  *client
	request *request
	channel string
	ctx     context.Context
	cancel  context.CancelFunc
	done    chan struct{}
	// heard is told the events of the response, if it is an event stream;
	// may be nil.
	heard func(wire.Frame)

	mu     sync.Mutex
	status int
	header http.Header
	err    error
}

// do starts the HTTP request of a message on the given channel; if that is empty, on one named
// after the method. It returns when the request is written, the answer
// has begun, or the context has ended; the rest goes on by itself.
func (c *client) do(ctx context.Context, m Message, to *url.URL, channel string,
	heard func(wire.Frame)) (*call, error) {
	r, err := c.newRequest(m, to)
	if err != nil {
		return nil, err
	}
	if err := c.Err(); err != nil {
		return nil, unsent(err)
	}
	channel, ok := c.begin(r.Method, channel)
	if !ok {
		return nil, unsent(ErrClosed)
	}
	x := &call{client: c, request: r, channel: channel, done: make(chan struct{}), heard: heard}
	x.ctx, x.cancel = context.WithCancel(c.ctx)
	s := &sending{written: make(chan struct{}), stray: x.unasked}
	c.emit(r.outFrame(channel))
	go func() {
		defer c.wg.Done()
		defer close(x.done)
		defer x.cancel()
		x.run(s)
	}()
	select {
	case <-s.written:
	case <-x.done:
	case <-ctx.Done():
		x.cancel()
		<-x.done
		return nil, fmt.Errorf("could not send to %s: %w", r.URL.Redacted(), ended(ctx))
	}
	if isClosed(s.written) {
		return x, nil
	}
	return x, x.failure() // it never went out
}

// refusalTime is how long the body of a response is read whose status says that the target is busy: the
// status is what counts, and the message is sent again.
const refusalTime = time.Second

func (x *call) run(s *sending) {
	resp, err := x.client.roundTrip(x.ctx, x.request, x.channel, s)
	if err != nil {
		x.fail(x.explain(err))
		return
	}
	defer func() { _ = resp.Body.Close() }() // its errors were seen by reading
	decode(resp)
	x.mu.Lock()
	x.status, x.header = resp.StatusCode, resp.Header
	x.mu.Unlock()
	s.wrote()
	if resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable {
		defer time.AfterFunc(refusalTime, x.cancel).Stop()
	}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		// What follows is of another protocol, and a read of it does not end with the context.
		_ = resp.Body.Close()
		resp.Body = http.NoBody
	}
	head := &wire.HTTP{Status: resp.StatusCode, Header: resp.Header}
	body := x.client.meter(resp.Body)
	if mediaType(resp.Header) == "text/event-stream" {
		x.readEvents(head, body)
	} else {
		x.readBody(head, body)
	}
	if s.use != nil {
		x.behind(resp, s.use)
	}
}

// behind notes bytes that came behind the response, if its length is known: where the response
// says it, and the body was read to its end.
func (x *call) behind(resp *http.Response, u *use) {
	n := u.end(max(resp.ContentLength, 0))
	bodiless := x.request.Method == http.MethodHead || resp.StatusCode < http.StatusOK ||
		resp.StatusCode == http.StatusNoContent || resp.StatusCode == http.StatusNotModified
	if n > 0 && resp.ContentLength >= 0 && !bodiless && x.failure() == nil {
		x.surplus(fmt.Sprintf(plural.Of(int(n),
			"%d {byte|bytes} came behind the response, which has a Content-Length of %d"), n,
			resp.ContentLength))
	}
}

// unasked notes bytes that came between two exchanges.
func (x *call) unasked(bytes int) {
	x.surplus(fmt.Sprintf(plural.Of(bytes,
		"%d {byte|bytes} came on a connection on which nothing was asked for any more"), bytes))
}

// surplus records that something came which belongs to no response, unless the connection is closed.
func (x *call) surplus(text string) {
	if _, ok := x.client.begin("", x.channel); !ok {
		return
	}
	defer x.client.wg.Done()
	x.client.emit(wire.Frame{Channel: x.channel, Dir: wire.Note, Text: text,
		Flaws: []wire.Flaw{{Code: wire.FlawSurplus, Detail: text}}})
}

// sent is the caller's view of the call.
func (x *call) sent(channel string) *Sent {
	return &Sent{
		Channel: channel,
		Request: x.channel,
		Done:    x.done,
		Status:  func() int { x.mu.Lock(); defer x.mu.Unlock(); return x.status },
		Header:  func() http.Header { x.mu.Lock(); defer x.mu.Unlock(); return x.header },
		Err:     x.failure,
		Cancel:  x.cancel,
	}
}

func (x *call) failure() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.err
}

// fail notes why the response did not come, or not whole.
func (x *call) fail(err error) {
	x.mu.Lock()
	x.err = err
	x.mu.Unlock()
	x.client.note(x.channel, err.Error())
}

// explain says in one sentence what an error of the request or the response means.
func (x *call) explain(err error) error {
	switch limit := x.client.limitErr(); {
	case limit != nil:
		return limit
	case x.client.ctx.Err() != nil:
		return ErrClosed
	case x.ctx.Err() != nil:
		return errCancelled
	}
	if fallen := x.client.fallen(); fallen != nil {
		return fallen
	}
	return httpError(x.request.URL, err)
}

// errCancelled is why a response that we dropped did not come whole.
var errCancelled = errors.New("we dropped the request and closed its stream")

func (x *call) in(f wire.Frame) {
	f.Channel, f.Dir = x.channel, wire.In
	x.client.emit(f)
}

// readBody reads a response that is no event stream: one message, or none.
func (x *call) readBody(head *wire.HTTP, body io.Reader) {
	limit := x.client.limits.Message
	raw, size, err := x.client.limits.Turns.ReadUpTo(x.ctx, body, limit)
	f := wire.Frame{HTTP: head, Raw: raw, Size: size}
	if err != nil {
		err = x.explain(err)
	}
	switch {
	case size > limit:
		f.Truncated = true
		f.AddFlaw(wire.FlawTooLong, "more than %d bytes; the rest was not read", limit)
		x.in(f)
		x.fail(beyond("the body of the response is longer than %d bytes, the limit for one message "+
			"(--message-bytes)", limit))
		return
	case err != nil && len(raw) > 0 && x.ctx.Err() != nil:
		f.Truncated = true // we ended it, so what is missing is not the target's fault
	case err != nil && len(raw) > 0:
		f.AddFlaw(wire.FlawUnterminated, "after %d bytes of the body: %v", len(raw), err)
	}
	if len(raw) > 0 {
		x.client.inspect(&f)
		coded(&f)
		x.cutForeign(&f)
	}
	x.in(f)
	if err != nil {
		x.fail(err)
	}
}

// cutForeign keeps only the beginning of a body that is no message, such as the
// error page of a proxy.
func (x *call) cutForeign(f *wire.Frame) {
	if t := mediaType(f.HTTP.Header); t == "application/json" || strings.HasSuffix(t, "+json") {
		return
	}
	if f.HasFlaw(wire.FlawNotJSON) && len(f.Raw) > foreignKept {
		f.Raw, f.Truncated = append([]byte(nil), f.Raw[:foreignKept]...), true
	}
}

// readEvents reads an event stream: a frame for its head, and one for each event.
func (x *call) readEvents(head *wire.HTTP, body io.Reader) {
	x.in(wire.Frame{HTTP: head})
	r := wire.NewEventReader(body, x.client.limits.Message)
	r.Turns = x.client.limits.Turns
	for {
		f, err := r.Next()
		if err == nil && f.HasFlaw(wire.FlawUnterminated) &&
			(x.ctx.Err() != nil || x.client.limitErr() != nil) {
			continue // cut by us, in the middle of an event
		}
		switch {
		case errors.Is(err, io.EOF):
			x.client.note(x.channel, "the target ended the event stream")
			return
		case err != nil:
			x.fail(x.explain(err))
			return
		}
		// The endpoint event of HTTP+SSE carries a URI, not a message.
		if len(f.Raw) > 0 && (x.heard == nil || f.Event.Type != "endpoint") {
			x.client.inspect(&f)
		}
		x.in(f)
		if x.heard != nil {
			x.heard(f)
		}
	}
}

// mediaType is the type of a body without its parameters, in lower case; empty
// if it is missing or malformed.
func mediaType(h http.Header) string {
	t, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		return ""
	}
	return t
}

// watchedConn is a connection on which it is seen what belongs to no response.
type watchedConn struct {
	net.Conn

	mu    sync.Mutex
	use   *use            // the exchange under way; nil between two
	stray func(bytes int) // told what comes between two; nil before the first
}

var idleTimeout = regexp.MustCompile(`^HTTP/1\.[01] 408`)

// Read tells apart what belongs to an exchange from what nobody asked for: package net/http drops
// that, and closes the connection.
func (c *watchedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	use, stray := c.use, c.stray
	if use != nil {
		use.take(p[:n])
	}
	c.mu.Unlock()
	// Servers that close an idle connection may say so (RFC 9110, section 15.5.9).
	if n > 0 && use == nil && stray != nil && !idleTimeout.Match(p[:n]) {
		stray(n)
	}
	return n, err
}

// begin has what comes from now on belong to an exchange; what comes after it is told to stray.
func (c *watchedConn) begin(stray func(bytes int)) *use {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.use, c.stray = &use{conn: c}, stray
	return c.use
}

// use is an exchange over a connection. It looks for the end of the head of the response, behind
// which the body begins.
type use struct {
	conn   *watchedConn
	bytes  int64  // that have come
	head   int64  // of these, the response without its body; 0 while that goes on
	status []byte // the beginning of the status line
	line   int    // bytes of the line so far, without carriage returns
}

// take looks at bytes that have come.
func (u *use) take(p []byte) {
	for i := 0; i < len(p) && u.head == 0; i++ {
		if len(u.status) < len("HTTP/1.1 1") {
			u.status = append(u.status, p[i])
		}
		switch {
		case p[i] == '\r':
		case p[i] != '\n':
			u.line++
		case u.line > 0:
			u.line = 0
		case bytes.HasSuffix(u.status, []byte(" 1")):
			u.status = nil // another response follows an informational one (RFC 9110, section 15.2)
		default:
			u.head = u.bytes + int64(i) + 1
		}
	}
	u.bytes += int64(len(p))
}

// end ends the exchange. It returns how many bytes have come behind a body of that length.
func (u *use) end(body int64) int64 {
	u.conn.mu.Lock()
	defer u.conn.mu.Unlock()
	if u.conn.use == u {
		u.conn.use = nil
	}
	if u.head == 0 {
		return 0
	}
	return u.bytes - u.head - body
}
