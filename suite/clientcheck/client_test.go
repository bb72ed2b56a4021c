package clientcheck_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/reference"
)

// scripted is a small scripted client that writes its own bytes. It does all that it
// should, unless bad names a mistake that it is to make.
type scripted struct {
	t                            *testing.T
	server                       *reference.TestServer
	transport, revision, bad     string
	conn                         io.ReadWriteCloser
	web                          *http.Client // with connections of its own, so that it can leave none behind
	endpoint, session, lastEvent string
	token                        string
	cancel                       context.CancelFunc
	readers                      sync.WaitGroup
	ctx                          context.Context

	mu     sync.Mutex
	id     int
	wait   map[string]chan gjson.Result
	seen   map[string]int // notifications
	asked  int
	status int
	ended  bool                            // a stream that GET opened
	header func(h http.Header, raw []byte) // changes what is sent
}

func newClient(t *testing.T, server *reference.TestServer, transport, revision, bad string) *scripted {
	c := &scripted{t: t, server: server, transport: transport, revision: revision, bad: bad,
		web: &http.Client{Transport: &http.Transport{}}, wait: map[string]chan gjson.Result{},
		seen: map[string]int{}}
	c.ctx, c.cancel = context.WithCancel(t.Context())
	switch transport {
	case "stdio":
		c.conn = server.Connect()
		c.readers.Go(func() {
			for lines := scan(c.conn); lines.Scan(); {
				c.dispatch(lines.Bytes())
			}
		})
	case "sse":
		ready := make(chan struct{})
		c.listen(server.SSEURL(), func(event, data string) {
			if event == "endpoint" {
				c.endpoint = strings.TrimSuffix(server.SSEURL(), "/sse") + data
				close(ready)
			}
		})
		<-ready
	default:
		c.endpoint = server.URL()
	}
	return c
}

// close ends the conversation in order.
func (c *scripted) close() {
	if c.session != "" && c.bad != "CL-29" {
		c.http(http.MethodDelete, c.endpoint, nil)
	}
	c.cancel()
	if c.conn != nil {
		if w, ok := c.conn.(reference.Conn); ok {
			_ = w.CloseWrite()
		}
		time.Sleep(10 * time.Millisecond)
		_ = c.conn.Close()
	}
	c.readers.Wait()
	c.web.CloseIdleConnections() // a server waits for one that it never saw a request on
}

func (c *scripted) modern() bool { return c.revision >= "2026" }

// send sends a message.
func (c *scripted) send(raw string) {
	if c.conn != nil {
		_, _ = io.WriteString(c.conn, raw+"\n")
		return
	}
	c.http(http.MethodPost, c.endpoint, []byte(raw))
}

func (c *scripted) http(method, address string, body []byte) {
	r, err := http.NewRequestWithContext(c.ctx, method, address, bytes.NewReader(body))
	if err != nil {
		c.t.Error(err)
		return
	}
	c.fill(r.Header, method, body)
	resp, err := c.web.Do(r)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	c.mu.Lock()
	c.status = resp.StatusCode
	c.mu.Unlock()
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		c.events(resp.Body, nil)
		return
	}
	data, _ := io.ReadAll(resp.Body)
	if len(data) > 0 {
		c.dispatch(data)
	}
}

// fill sets the headers of a request.
func (c *scripted) fill(h http.Header, method string, body []byte) {
	m := gjson.ParseBytes(body)
	h.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodPost {
		h.Set("Content-Type", "application/json")
	}
	switch {
	case c.transport == "sse":
	case c.modern():
		h.Set("Mcp-Protocol-Version", c.revision)
		if m.Get("method").Exists() {
			h.Set("Mcp-Method", m.Get("method").String())
		}
		if m.Get("method").String() == "resources/read" {
			h.Set("Mcp-Name", m.Get("params.uri").String())
		}
	case c.session != "":
		h.Set("Mcp-Session-Id", c.session)
		if c.revision >= "2025-06-18" {
			h.Set("Mcp-Protocol-Version", c.revision)
		}
	}
	if c.token != "" {
		h.Set("Authorization", "Bearer "+c.token)
	}
	if c.header != nil {
		c.header(h, body)
	}
}

// listen opens an event stream of its own.
func (c *scripted) listen(address string, event func(event, data string)) {
	r, err := http.NewRequestWithContext(c.ctx, http.MethodGet, address, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	c.fill(r.Header, http.MethodGet, nil)
	resp, err := c.web.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	c.readers.Go(func() {
		defer resp.Body.Close()
		c.events(resp.Body, event)
		c.mu.Lock()
		c.ended = true
		c.mu.Unlock()
	})
}

func (c *scripted) events(body io.Reader, visit func(event, data string)) {
	event := ""
	for lines := scan(body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case name == "event":
			event = value
		case name == "id":
			c.mu.Lock()
			c.lastEvent = value
			c.mu.Unlock()
		case name == "data" && event == "endpoint" && visit != nil:
			visit(event, value)
		case name == "data" && value != "":
			c.dispatch([]byte(value))
		case name == "":
			event = ""
		}
	}
}

// dispatch takes a message of the server.
func (c *scripted) dispatch(raw []byte) {
	m := gjson.Parse(string(raw))
	id, method := m.Get("id"), m.Get("method").String()
	switch {
	case method != "" && id.Exists():
		c.mu.Lock()
		c.asked++
		c.mu.Unlock()
		answer := `"result":{}`
		if method != "ping" {
			answer = `"error":{"code":-32601,"message":"unknown"}`
		}
		if c.bad == "CL-26 roots good" && method == "roots/list" {
			answer = `"result":{"roots":[]}`
		}
		if root, has := map[string]string{"CL-44": "/home/x", "CL-44 good": "file:///home/x"}[c.bad]; has &&
			method == "roots/list" {
			answer = `"result":{"roots":[{"uri":"` + root + `"}]}`
		}
		if c.bad == "CL-24 result" {
			answer = `"result":null`
		}
		if c.bad == "CL-20 never" && method == "ping" || c.bad == "CL-26" && method != "ping" {
			return
		}
		answer = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, id.Raw, answer)
		if c.bad == "CL-20 id" {
			answer = strings.Replace(answer, id.Raw, `"another"`, 1)
		}
		c.send(answer)
		if c.bad == "CL-20 twice" {
			c.send(answer)
		}
	case method != "":
		c.mu.Lock()
		c.seen[method]++
		c.mu.Unlock()
		if c.bad == "CL-19" {
			c.send(`{"jsonrpc":"2.0","id":null,"result":{}}`)
		}
	default:
		c.mu.Lock()
		if ch := c.wait[id.Raw]; ch != nil {
			ch <- m
		}
		c.mu.Unlock()
	}
}

// number is a new request id.
func (c *scripted) number() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.id++
	return fmt.Sprint(c.id)
}

// ask sends a request and waits for the answer; what does not come is nothing.
func (c *scripted) ask(method string, params map[string]any) gjson.Result {
	return c.askAs(c.number(), method, params)
}

func (c *scripted) askAs(id, method string, params map[string]any) gjson.Result {
	if params == nil {
		params = map[string]any{}
	}
	if c.modern() && params["_meta"] == nil {
		params["_meta"] = map[string]any{
			"io.modelcontextprotocol/protocolVersion":    c.revision,
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
			"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "script", "version": "1"},
		}
	}
	text, err := json.Marshal(params)
	if err != nil {
		c.t.Fatal(err)
	}
	ch := make(chan gjson.Result, 4)
	c.mu.Lock()
	c.wait[id] = ch
	c.mu.Unlock()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, text))
	select {
	case m := <-ch: // it is not left to chance whether time is up first
		return m
	default:
	}
	patience := time.Second
	if c.conn == nil && c.transport == "http" {
		patience = time.Millisecond // the answer has come with the response, or will not come
	}
	select {
	case m := <-ch:
		return m
	case <-time.After(patience):
		return gjson.Result{}
	}
}

// scan reads lines, long ones as well.
func scan(r io.Reader) *bufio.Scanner {
	s := bufio.NewScanner(r)
	s.Buffer(nil, 16<<20)
	return s
}

// until waits for something to happen, for a while.
func (c *scripted) until(happened func() bool) {
	for range 200 {
		c.mu.Lock()
		yes := happened()
		c.mu.Unlock()
		if yes {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}
