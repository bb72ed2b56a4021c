package record

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// do makes one HTTP request. With a place it asks for an event stream from there on.
func (r *Remote) do(ctx context.Context, method, address string, body []byte, at *place) (*http.Response,
	error) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	session, version := r.session, r.version
	r.mu.Unlock()
	h := req.Header
	maps.Copy(h, r.header)
	h.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodPost {
		h.Set("Content-Type", "application/json")
	}
	if at != nil {
		h.Set("Accept", "text/event-stream")
		if at.last != "" {
			h.Set("Last-Event-Id", at.last)
		}
	}
	if session != "" {
		h.Set(headerSession, session)
	}
	if version >= hook.R20250618 {
		h.Set("Mcp-Protocol-Version", version)
	}
	mirror(h, body)
	resp, err := r.web.Do(req) // #nosec G704 -- the user names the server that is recorded
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err == nil:
		r.reached = true
	case r.ctx.Err() == nil && ctx.Err() == nil:
		r.failed = err
	}
	return resp, err
}

// stream opens an event stream from a place on; nil if the server does not offer one.
func (r *Remote) stream(ctx context.Context, at *place) *http.Response {
	resp, err := r.do(ctx, http.MethodGet, r.url, nil, at)
	if err != nil {
		return nil
	}
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"),
		"text/event-stream") {
		_ = resp.Body.Close() // is an error, or a page
		return nil
	}
	return resp
}

// Unreached says why the server has not answered anything that was sent to it; nil if it has,
// or if there was nothing to send.
func (r *Remote) Unreached() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reached || r.failed == nil {
		return nil
	}
	return fmt.Errorf("the server at %s has not been reached: %w", Describe(r.url), withoutAddress(r.failed))
}

// mirror puts into the headers what a request without session repeats there.
func mirror(h http.Header, body []byte) {
	version := gjson.GetBytes(body, `params._meta.io\.modelcontextprotocol/protocolVersion`).String()
	if version == "" {
		return
	}
	h.Set("Mcp-Protocol-Version", version)
	method := gjson.GetBytes(body, "method").String()
	h.Set("Mcp-Method", method)
	name := map[string]string{"resources/read": "params.uri", "tools/call": "params.name",
		"prompts/get": "params.name"}[method]
	if value := gjson.GetBytes(body, name); name != "" && value.Type == gjson.String {
		h.Set("Mcp-Name", wrapped(value.String()))
	}
}

// wrapped is a value as it can stand in a header.
func wrapped(s string) string {
	plain := s == strings.TrimSpace(s) && s != "" && !(strings.HasPrefix(s, "=?base64?") &&
		strings.HasSuffix(s, "?=")) &&
		!strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c > '~' })
	if plain {
		return s
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}

// place is how far an event stream has been read.
type place struct {
	last  string // event id
	retry time.Duration
}

// read reads an event stream to its end, or as far as it comes, and visits the data of messages.
func (p *place) read(body io.Reader, visit func(data []byte)) {
	p.events(body, func(kind string, data []byte) {
		if kind == "" || kind == "message" {
			visit(data)
		}
	})
}

// events visits events until there are no more.
func (p *place) events(body io.Reader, visit func(kind string, data []byte)) {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, maxMessage+(64<<10))
	var now event
	for lines.Scan() {
		line := bytes.TrimSuffix(lines.Bytes(), []byte("\r"))
		if len(line) > 0 {
			now.line(line)
			continue
		}
		if now.hasID {
			p.last = now.id
		}
		if now.hasRetry {
			p.retry = now.retry
		}
		if now.hasData {
			visit(now.kind, now.data)
		}
		now = event{}
	}
}

// endpointTimeout is how long a server may take until it has named the endpoint of HTTP+SSE.
const endpointTimeout = 5 * time.Second

// connect opens the event stream of HTTP+SSE, and reports whether the server speaks that.
func (r *Remote) connect() bool {
	r.mu.Lock()
	r.cut = false
	r.mu.Unlock()
	ctx, cancel := context.WithCancel(r.ctx)
	late := time.AfterFunc(r.patience, cancel)
	resp := r.stream(ctx, &place{})
	if resp == nil {
		cancel()
		return false
	}
	found := make(chan string, 1)
	r.streams.Go(func() {
		defer cancel()
		defer resp.Body.Close() //nolint:errcheck // has come to its end
		defer close(found)
		new(place).events(resp.Body, func(kind string, data []byte) {
			if kind == "endpoint" {
				select {
				case found <- string(data):
				default: // it has been named before
				}
			} else if kind == "" || kind == "message" {
				r.streamed(data)
			}
		})
		if ctx.Err() == nil {
			r.lost()
		}
	})
	if named := <-found; late.Stop() && r.settle(named) {
		return true
	}
	cancel()
	return false
}

// settle takes the endpoint that the server has named, and reports whether it can be used.
func (r *Remote) settle(named string) bool {
	base, err := url.Parse(r.url)
	if err != nil || strings.TrimSpace(named) == "" {
		return false
	}
	endpoint, err := base.Parse(named)
	if err != nil || endpoint.Host != base.Host || endpoint.Scheme != base.Scheme {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cut {
		return false // it has ended already
	}
	r.endpoint = endpoint.String()
	return true
}

// streamed passes on what came on the stream of HTTP+SSE. An error that names no request
// is the answer to the oldest: servers take them one by one.
func (r *Remote) streamed(message []byte) {
	if nameless(message) {
		if open := r.unanswered(); len(open) > 0 {
			message = named(message, open[0].ID)
		}
	}
	r.line(message)
}

// unanswered are the requests that have not been answered, oldest first.
func (r *Remote) unanswered() []*call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(r.open), func(c *call) bool { return c.over || len(c.ID) == 0 })
}

// isCut reports whether the stream of HTTP+SSE has ended.
func (r *Remote) isCut() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cut && r.endpoint != ""
}

// lost says that the stream of HTTP+SSE has ended. That is how a server shuts down, and a new
// stream would be another session: what waits is answered, and the output ends.
func (r *Remote) lost() {
	if r.ctx.Err() != nil {
		return
	}
	r.mu.Lock()
	r.cut = true
	began := r.endpoint != ""
	r.mu.Unlock()
	if !began {
		return // who waits for the endpoint sees that there is none
	}
	for _, c := range r.unanswered() {
		r.fail(c, "the server ended the event stream before it had answered")
	}
	r.tell("the server has ended the event stream of HTTP+SSE, and the session with it: the client has to " +
		"begin again")
	_ = r.toOut.Close() // never fails
}

// follows stops at a redirection that leads to another server, which must not get the credentials,
// or makes another request of this one.
func follows(req *http.Request, via []*http.Request) error {
	first := via[0]
	if !strings.EqualFold(req.URL.Host, first.URL.Host) || req.URL.Scheme != first.URL.Scheme ||
		req.Method != first.Method || len(via) >= 10 {
		return http.ErrUseLastResponse
	}
	return nil
}

// status is that of a response, with what to do about it.
func status(resp *http.Response) string {
	to, err := resp.Location()
	if err != nil || resp.StatusCode >= http.StatusBadRequest {
		return resp.Status
	}
	return resp.Status + ", which leads to " + Describe(to.String()) +
		": name that URL if it is to be trusted"
}

// withoutAddress is why a server cannot be reached, without its URL, which may have a secret in it.
func withoutAddress(err error) error {
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

func unreached(err error) string {
	return fmt.Sprintf("the server cannot be reached: %v", withoutAddress(err))
}
