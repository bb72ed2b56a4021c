package reference_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/hook"
)

type object = map[string]any

// client is a client of the reference server for tests: it speaks one revision
// over one transport and keeps everything that comes.
type client struct {
	t         *testing.T
	server    *reference.Server
	revision  string
	transport string
	caps      object // client capabilities
	id        int

	conn     reference.Conn // stdio
	session  string         // http
	endpoint string         // sse
	stop     []context.CancelFunc

	mu    sync.Mutex
	inbox []object // everything received, oldest first
	raw   [][]byte
}

// connect opens a connection and, for legacy revisions, shakes hands.
func connect(t *testing.T, server *reference.Server, revision, transport string) *client {
	t.Helper()
	c := open(t, server, revision, transport)
	if !hook.Modern(revision) {
		c.handshake()
	}
	return c
}

func open(t *testing.T, server *reference.Server, revision, transport string) *client {
	t.Helper()
	c := &client{t: t, server: server, revision: revision, transport: transport, caps: object{}}
	switch transport {
	case hook.Stdio:
		conn, err := server.Pipe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		c.conn = conn
		go c.readLines()
	case hook.SSE:
		body := c.stream(http.MethodGet, "/sse", nil, nil)
		go c.readEvents(body)
		synctest.Wait()
		if c.endpoint == "" {
			t.Fatal("no endpoint event")
		}
	}
	return c
}

func (c *client) close() {
	for _, stop := range c.stop {
		stop()
	}
	if c.conn != nil {
		_ = c.conn.Close()
	}
	synctest.Wait()
}

func (c *client) handshake() {
	c.t.Helper()
	r := c.call("initialize", object{
		"protocolVersion": c.revision, "capabilities": object{}, "clientInfo": object{"name": "test",
			"version": "1"},
	})
	if got := at(r, "result", "protocolVersion"); got != c.revision {
		c.t.Fatalf("initialize in %s: %v", c.revision, r)
	}
	c.notify("notifications/initialized", nil)
	if c.transport == hook.HTTP {
		go c.readEvents(c.stream(http.MethodGet, "/mcp", nil, nil))
	}
	synctest.Wait()
}

// call sends a request and waits for the answer.
func (c *client) call(method string, params object) object {
	c.t.Helper()
	id := c.start(method, params)
	return c.answer(id)
}

// result is call for requests that must succeed.
func (c *client) result(method string, params object) object {
	c.t.Helper()
	r := c.call(method, params)
	result, ok := r["result"].(object)
	if !ok {
		c.t.Fatalf("%s on %s: %s %v: %v", c.revision, c.transport, method, params, r)
	}
	return result
}

// code is call for requests that must fail: the error code.
func (c *client) code(method string, params object) string {
	c.t.Helper()
	r := c.call(method, params)
	code, ok := at(r, "error", "code").(json.Number)
	if !ok {
		c.t.Errorf("%s on %s: %s %v is no error: %v", c.revision, c.transport, method, params, r)
	}
	return code.String()
}

// start sends a request.
func (c *client) start(method string, params object) json.Number {
	c.id++
	id := hook.Number(int64(c.id))
	message := object{"jsonrpc": "2.0", "id": id, "method": method}
	if p := c.withMeta(params); p != nil {
		message["params"] = p
	}
	c.send(message)
	return id
}

func (c *client) withMeta(params object) object {
	if !hook.Modern(c.revision) {
		return params
	}
	full := object{}
	for k, v := range params {
		full[k] = v
	}
	meta := object{
		"io.modelcontextprotocol/protocolVersion":    c.revision,
		"io.modelcontextprotocol/clientCapabilities": c.caps,
	}
	if given, ok := params["_meta"].(object); ok {
		for k, v := range given {
			meta[k] = v
		}
	}
	full["_meta"] = meta
	return full
}

func (c *client) notify(method string, params object) {
	message := object{"jsonrpc": "2.0", "method": method}
	if params != nil {
		message["params"] = params
	}
	c.send(message)
}

func (c *client) send(message object) { c.sendRaw(hook.Encode(message)) }

func (c *client) sendRaw(raw []byte) {
	c.t.Helper()
	switch c.transport {
	case hook.Stdio:
		if _, err := c.conn.Write(append(raw, '\n')); err != nil {
			c.t.Fatal(err)
		}
	case hook.HTTP:
		body := c.stream(http.MethodPost, "/mcp", raw, nil)
		if body != nil {
			go c.readEvents(body)
		}
	case hook.SSE:
		w := exchange(c.server.Handler(), http.MethodPost, c.endpoint, raw, nil)
		if w.Code != http.StatusAccepted {
			c.t.Fatalf("POST %s: %d %s", raw, w.Code, w.Body)
		}
	}
	synctest.Wait()
}

// headers are those that a correct client sends with a message over HTTP.
func (c *client) headers(raw []byte) http.Header {
	h := http.Header{}
	if c.session != "" {
		h.Set("Mcp-Session-Id", c.session)
	}
	if c.revision >= hook.R20250618 && (c.session != "" || hook.Modern(c.revision)) {
		h.Set("MCP-Protocol-Version", c.revision)
	}
	if !hook.Modern(c.revision) {
		return h
	}
	m, _ := hook.DecodeObject(raw)
	if method, ok := m["method"].(string); ok {
		h.Set("Mcp-Method", method)
		for _, member := range []string{"uri", "name"} {
			if name, ok := at(m, "params", member).(string); ok {
				h.Set("Mcp-Name", wrapName(name))
			}
		}
	}
	return h
}

func wrapName(s string) string {
	for _, r := range s {
		if r <= ' ' || r > '~' {
			return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
		}
	}
	return s
}

// stream makes an HTTP request. The body of an event stream is returned to be
// read; a JSON answer goes to the inbox.
func (c *client) stream(method, path string, raw []byte, extra http.Header) io.Reader {
	c.t.Helper()
	ctx, cancel := context.WithCancel(c.t.Context())
	c.stop = append(c.stop, cancel)
	r := httptest.NewRequest(method, path, bytes.NewReader(raw)).WithContext(ctx)
	for name, values := range c.headers(raw) {
		r.Header[name] = values
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	if raw != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, values := range extra {
		r.Header[name] = values
	}
	w := newLiveResponse()
	go func() {
		defer w.finish()
		c.server.Handler().ServeHTTP(w, r)
	}()
	select {
	case <-w.headed:
	case <-ctx.Done():
		return nil
	}
	if id := w.Header().Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	if w.Header().Get("Content-Type") == "text/event-stream" {
		return w.body
	}
	all, err := io.ReadAll(w.body)
	if err != nil {
		c.t.Fatal(err)
	}
	if len(all) > 0 {
		c.take(all)
	}
	return nil
}

func (c *client) readLines() {
	r := bufio.NewReader(c.conn)
	for {
		line, err := r.ReadBytes('\n')
		if len(line) > 0 {
			c.take(bytes.TrimSuffix(line, []byte("\n")))
		}
		if err != nil {
			return
		}
	}
}

func (c *client) readEvents(body io.Reader) {
	r := bufio.NewReader(body)
	kind, data := "", ""
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "" && kind == "endpoint":
			c.endpoint = data
			kind, data = "", ""
		case line == "":
			if data != "" {
				c.take([]byte(data))
			}
			kind, data = "", ""
		case strings.HasPrefix(line, "event: "):
			kind = line[7:]
		case strings.HasPrefix(line, "data: "):
			data += line[6:]
		}
	}
}

func (c *client) take(raw []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw = append(c.raw, bytes.Clone(raw))
	v, err := hook.Decode(raw)
	if err != nil {
		c.inbox = append(c.inbox, object{"unreadable": string(raw)})
		return
	}
	switch v := v.(type) {
	case object:
		c.inbox = append(c.inbox, v)
	case []any:
		c.inbox = append(c.inbox, object{"batch": v})
	}
}

// answer waits until the response to a request has come.
func (c *client) answer(id json.Number) object {
	c.t.Helper()
	for range 200 {
		synctest.Wait()
		c.mu.Lock()
		for _, m := range c.inbox {
			if _, request := m["method"]; !request && m["id"] == id {
				c.mu.Unlock()
				return m
			}
		}
		c.mu.Unlock()
		pause()
	}
	c.t.Fatalf("%s on %s: no answer to request %s", c.revision, c.transport, id)
	return nil
}

// notes lists the notifications of a method that have come.
func (c *client) notes(method string) []object {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	var found []object
	for _, m := range c.inbox {
		if m["method"] == method {
			found = append(found, m)
		}
	}
	return found
}

func (c *client) received() int {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.inbox)
}

func (c *client) last() object {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.inbox) == 0 {
		return nil
	}
	return c.inbox[len(c.inbox)-1]
}

func at(o object, names ...string) any {
	var v any = o
	for _, name := range names {
		next, ok := v.(object)
		if !ok {
			return nil
		}
		v = next[name]
	}
	return v
}

func list(o object, name string) []object {
	var all []object
	entries, _ := o[name].([]any)
	for _, e := range entries {
		if entry, ok := e.(object); ok {
			all = append(all, entry)
		}
	}
	return all
}

// exchange makes one HTTP request and waits for the whole response.
func exchange(h http.Handler, method, path string, body []byte,
	header http.Header) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, bytes.NewReader(body))
	r.Header.Set("Accept", "application/json, text/event-stream")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, values := range header {
		if values == nil {
			r.Header.Del(name)
			continue
		}
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// liveResponse is a ResponseWriter whose body can be read while it is written.
type liveResponse struct {
	header http.Header
	status int
	headed chan struct{}
	once   sync.Once
	body   *io.PipeReader
	out    *io.PipeWriter
}

func newLiveResponse() *liveResponse {
	r, w := io.Pipe()
	return &liveResponse{header: http.Header{}, headed: make(chan struct{}), body: r, out: w}
}

func (w *liveResponse) Header() http.Header { return w.header }
func (w *liveResponse) Flush()              {}

func (w *liveResponse) WriteHeader(status int) {
	w.once.Do(func() {
		w.status = status
		close(w.headed)
	})
}

func (w *liveResponse) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.out.Write(p)
}

func (w *liveResponse) finish() {
	w.WriteHeader(http.StatusOK)
	_ = w.out.Close()
}
