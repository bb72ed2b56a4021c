package reference_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/guard"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/oauth"
)

const (
	hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	listing  = `{"jsonrpc":"2.0","id":2,"method":"resources/list"}`
	modernOf = `{"jsonrpc":"2.0","id":3,"method":"METHOD",` +
		`"params":{PARAMS"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{}}}}`
	noticeOf  = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	slowWrite = `{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"test://slow",` +
		`"_meta":{"progressToken":1}}}`
)

func modern(method, params string) []byte {
	if params != "" {
		params += ","
	}
	return []byte(strings.NewReplacer("METHOD", method, "PARAMS", params).Replace(modernOf))
}

func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}

// initialized opens a session and returns its id.
func initialized(t *testing.T, h http.Handler) string {
	t.Helper()
	w := exchange(h, "POST", "/mcp", []byte(hello), nil)
	id := w.Header().Get("Mcp-Session-Id")
	if w.Code != 200 || id == "" || w.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("initialize: %d %v %s", w.Code, w.Header(), w.Body)
	}
	for _, r := range id {
		if r < 0x21 || r > 0x7e {
			t.Errorf("session id %q", id)
		}
	}
	return id
}

func TestHTTPStatus(t *testing.T) {
	server := serve(t, reference.Options{AllowedOrigins: []string{"https://app.example"}})
	h := server.Handler()
	session := initialized(t, h)
	gone := initialized(t, h)
	if w := exchange(h, "DELETE", "/mcp", nil, header("Mcp-Session-Id", gone)); w.Code != 204 {
		t.Fatalf("DELETE: %d", w.Code)
	}
	in := func(id string, more ...string) http.Header { return header(append(more, "Mcp-Session-Id", id)...) }
	tests := []struct {
		name, method, path, body string
		header                   http.Header
		want                     int
	}{
		{"list", "POST", "/mcp", listing, in(session), 200},
		{"list with version", "POST", "/mcp", listing, in(session, "MCP-Protocol-Version", "2025-11-25"),
			200},
		{"unsupported version", "POST", "/mcp", listing, in(session, "MCP-Protocol-Version", "1900-01-01"),
			400},
		{"alien version", "POST", "/mcp", listing, in(session, "MCP-Protocol-Version", "not-a-version"), 400},
		{"notification", "POST", "/mcp", noticeOf, in(session), 202},
		{"stray response", "POST", "/mcp", `{"jsonrpc":"2.0","id":9,"result":{}}`, in(session), 202},
		{"no session", "POST", "/mcp", listing, nil, 400},
		{"no session, notification", "POST", "/mcp", noticeOf, nil, 400},
		{"unknown session", "POST", "/mcp", listing, in("nobody"), 404},
		{"ended session", "POST", "/mcp", listing, in(gone), 404},
		{"ended session, notification", "POST", "/mcp", noticeOf, in(gone), 404},
		{"ended session, GET", "GET", "/mcp", "", in(gone), 404},
		{"ended session, DELETE", "DELETE", "/mcp", "", in(gone), 404},
		{"GET without session", "GET", "/mcp", "", nil, 400},
		{"GET, modern", "GET", "/mcp", "", header("MCP-Protocol-Version", "2026-07-28"), 405},
		{"PUT", "PUT", "/mcp", "", nil, 405},
		{"broken JSON", "POST", "/mcp", "{", in(session), 400},
		{"broken JSON, no session", "POST", "/mcp", "{", nil, 400},
		{"a number", "POST", "/mcp", "5", nil, 400},
		{"empty", "POST", "/mcp", " ", nil, 400},
		{"batch", "POST", "/mcp", "[" + listing + "]", in(session), 400},
		{"too long", "POST", "/mcp", strings.Repeat(" ", 5<<20), in(session), 413},
		{"Accept order", "POST", "/mcp", listing,
			in(session, "Accept", "text/event-stream;q=0.5, APPLICATION/json;q=0.9"), 200},
		{"Accept wildcard", "POST", "/mcp", listing, in(session, "Accept", "*/*"), 200},
		{"Accept absent", "POST", "/mcp", listing, http.Header{"Mcp-Session-Id": {session}, "Accept": nil},
			200},
		{"Accept JSON only", "POST", "/mcp", listing, in(session, "Accept", "application/json"), 406},
		{"Accept refusing", "POST", "/mcp", listing, in(session, "Accept", "*/*, text/event-stream;q=0"),
			406},
		{"GET Accept", "GET", "/mcp", "", in(session, "Accept", "application/json"), 406},
		{"charset", "POST", "/mcp", listing, in(session, "Content-Type", "application/json; charset=UTF-8"),
			200},
		{"other charset", "POST", "/mcp", listing,
			in(session, "Content-Type", "application/json; charset=latin1"), 415},
		{"other type", "POST", "/mcp", listing, in(session, "Content-Type", "text/plain"), 415},
		{"charset*", "POST", "/mcp", "{}", in(session, "Content-Type", "application/json; charset*=x"), 415},
		{"utf8", "POST", "/mcp", listing, in(session, "Content-Type", "application/json; charset=utf8"), 200},
		{"foreign origin", "POST", "/mcp", listing, in(session, "Origin", "http://evil.example.invalid"),
			403},
		{"foreign origin, DELETE", "DELETE", "/mcp", "", in(session, "Origin", "http://evil.example.invalid"),
			403},
		{"foreign origin, SSE", "GET", "/sse", "", header("Origin", "http://evil.example.invalid"), 403},
		{"null origin", "POST", "/mcp", listing, in(session, "Origin", "null"), 403},
		{"tricky origin", "POST", "/mcp", listing, in(session, "Origin", "http://localhost.evil.example"),
			403},
		{"loopback origin", "POST", "/mcp", listing, in(session, "Origin", "http://localhost:3000"), 200},
		{"allowed origin", "POST", "/mcp", listing, in(session, "Origin", "https://app.example"), 200},
		{"elsewhere", "GET", "/", "", nil, 404},
		{"message without connection", "POST", "/message", listing, nil, 400},
		{"message to nobody", "POST", "/message?sessionId=x", listing, nil, 404},
		{"message by GET", "GET", "/message", "", nil, 405},
		{"resuming nothing", "GET", "/mcp", "", in(session, "Last-Event-ID", "99-0"), 400},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var body []byte
			if test.body != "" {
				body = []byte(test.body)
			}
			w := exchange(h, test.method, test.path, body, test.header)
			if w.Code != test.want {
				t.Errorf("status %d, want %d: %s", w.Code, test.want, w.Body)
			}
			if w.Code == 202 && w.Body.Len() > 0 {
				t.Errorf("202 with a body: %s", w.Body)
			}
		})
	}
}

func TestModernHTTP(t *testing.T) {
	h := serve(t, reference.Options{}).Handler()
	read := string(modern("resources/read", `"uri":"note:shopping"`))
	list := string(modern("resources/list", ""))
	tests := []struct {
		name, body string
		header     http.Header
		status     int
		code       string
	}{
		{"list", list, header("Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "resources/list"), 200, ""},
		{"unknown session id", list, header("Mcp-Protocol-Version", "2026-07-28", "Mcp-Method",
			"resources/list", "Mcp-Session-Id", "x", "Last-Event-ID", "5"), 200, ""},
		{"no version header", list, header("Mcp-Method", "resources/list"), 400, "-32020"},
		{"other version header", list, header("Mcp-Protocol-Version", "2025-11-25", "Mcp-Method",
			"resources/list"), 400, "-32020"},
		{"unknown version", strings.ReplaceAll(list, "2026-07-28", "1900-01-01"),
			header("Mcp-Protocol-Version", "1900-01-01", "Mcp-Method", "resources/list"), 400, "-32022"},
		{"no method header", list, header("Mcp-Protocol-Version", "2026-07-28"), 400, "-32020"},
		{"other method header", list, header("Mcp-Protocol-Version", "2026-07-28", "Mcp-Method",
			"resources/templates/list"), 400, "-32020"},
		{"method header in capitals", list, header("Mcp-Protocol-Version", "2026-07-28", "Mcp-Method",
			"RESOURCES/LIST"), 400, "-32020"},
		{"no capabilities", strings.Replace(list, `,"io.modelcontextprotocol/clientCapabilities":{}`, "", 1),
			header("Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "resources/list"), 400, "-32602"},
		{"no metadata", listing, header("Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "resources/list"),
			400, "-32602"},
		{"unknown method", string(modern("x-unknown/y", "")), header("Mcp-Protocol-Version", "2026-07-28",
			"Mcp-Method", "x-unknown/y"), 404, "-32601"},
		{"missing resource", string(modern("resources/read", `"uri":"note:none"`)),
			header("Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "resources/read", "Mcp-Name",
				"note:none"), 200, "-32602"},
		{"read", read, header("Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "resources/read",
			"Mcp-Name", "note:shopping"), 200, ""},
		{"read, wrapped", read, header("Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "resources/read",
			"Mcp-Name", "=?base64?bm90ZTpzaG9wcGluZw==?="), 200, ""},
		{"read, wrapped badly", read, header("Mcp-Protocol-Version", "2026-07-28", "Mcp-Method",
			"resources/read", "Mcp-Name", "=?base64?!!!?="), 400, "-32020"},
		{"read, no name", read, header("Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "resources/read"),
			400, "-32020"},
		{"read, other name", read, header("Mcp-Protocol-Version", "2026-07-28", "Mcp-Method",
			"resources/read", "Mcp-Name", "log://app/current"), 400, "-32020"},
		{"read needing input", string(modern("resources/read", `"uri":"test://greeting"`)),
			header("Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "resources/read", "Mcp-Name",
				"test://greeting"), 400, "-32021"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := exchange(h, "POST", "/mcp", []byte(test.body), test.header)
			reply, ok := hook.DecodeObject(w.Body.Bytes())
			code, _ := at(reply, "error", "code").(json.Number)
			if !ok || w.Code != test.status || code.String() != test.code {
				t.Errorf("%d %s, want %d %s", w.Code, w.Body, test.status, test.code)
			}
			if want := json.Number(test.body[strings.Index(test.body, `"id":`)+5:][:1]); reply["id"] != want {
				t.Errorf("id %v, want %v", reply["id"], want)
			}
			if w.Header().Get("Mcp-Session-Id") != "" {
				t.Error("a session id in a modern response")
			}
		})
	}
	notice := exchange(h, "POST", "/mcp", []byte(noticeOf), header("Mcp-Protocol-Version", "2026-07-28"))
	if notice.Code != 202 {
		t.Errorf("notification: %d", notice.Code)
	}
}

// TestVersionHeaderIsWrittenAsInTheSpecification, whatever the spelling that net/http finds it by.
func TestVersionHeaderIsWrittenAsInTheSpecification(t *testing.T) {
	h := serve(t, reference.Options{}).Handler()
	for _, hdr := range []http.Header{header("Mcp-Method", "resources/list"),
		header("mcp-protocol-version", "2025-11-25", "Mcp-Method", "resources/list")} {
		if w := exchange(h, "POST", "/mcp", modern("resources/list", ""),
			hdr); !strings.Contains(w.Body.String(), "the header MCP-Protocol-Version ") {
			t.Error(w.Body)
		}
	}
}

func TestModernOnlyHTTP(t *testing.T) {
	h := serve(t, reference.Options{Revisions: []string{hook.R20260728}}).Handler()
	for _, method := range []string{"GET", "DELETE"} {
		if w := exchange(h, method, "/mcp", nil, header("Mcp-Session-Id", "x")); w.Code != 405 ||
			w.Header().Get("Allow") != "POST" {
			t.Errorf("%s: %d", method, w.Code)
		}
	}
	if w := exchange(h, "GET", "/sse", nil, nil); w.Code != 404 {
		t.Errorf("/sse: %d", w.Code)
	}
	if w := exchange(h, "POST", "/mcp", []byte(hello), nil); w.Code != 400 ||
		!strings.Contains(w.Body.String(), "2026-07-28") {
		t.Errorf("initialize: %d %s", w.Code, w.Body)
	}
}

// TestLegacyRequestsToModernOnly: a client that speaks older revisions alone is told what is
// missing, and which versions there are.
func TestLegacyRequestsToModernOnly(t *testing.T) {
	h := serve(t, reference.Options{Revisions: []string{hook.R20260728}}).Handler()
	const (
		list  = `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`
		empty = `{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"_meta":{"progressToken":1}}}`
		ready = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	)
	old, other := header("Mcp-Protocol-Version", "2025-11-25", "Mcp-Session-Id", "x"),
		header("Mcp-Protocol-Version", "1900-01-01")
	for name, test := range map[string]struct {
		body string
		with http.Header
		want string
	}{
		"initialize":             {hello, nil, "-32020"},
		"initialize, versioned":  {hello, old, "-32022"},
		"no headers":             {list, nil, "-32020"},
		"no headers, metadata":   {empty, nil, "-32020"},
		"a notification":         {ready, nil, "-32020"},
		"an older version":       {list, old, "-32022"},
		"an older one, metadata": {empty, old, "-32022"},
		"of a notification":      {ready, old, "-32022"},
		"an unknown version":     {list, other, "-32022"},
		"no method":              {list, header("Mcp-Protocol-Version", "2026-07-28"), "-32020"},
		"no metadata": {list, header("Mcp-Protocol-Version", "2026-07-28", "Mcp-Method",
			"resources/list"), "-32602"},
		"no version in it": {empty, header("Mcp-Protocol-Version", "2026-07-28", "Mcp-Method",
			"resources/list"), "-32602"},
	} {
		w := exchange(h, "POST", "/mcp", []byte(test.body), test.with)
		if w.Code != 400 || !strings.Contains(w.Body.String(), test.want) ||
			(test.want == "-32022" || test.body == hello) && !strings.Contains(w.Body.String(),
				`"supported":["2026-07-28"]`) {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

func TestOneGetStreamGetsEachMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, serve(t, reference.Options{}), hook.R20250618, hook.HTTP)
		defer c.close()
		go c.readEvents(c.stream(http.MethodGet, "/mcp", nil, nil))
		synctest.Wait()
		c.result("resources/subscribe", object{"uri": "note:shopping"})
		c.server.Touch("note:shopping")
		c.server.Touch("note:shopping")
		if got := c.notes("notifications/resources/updated"); len(got) != 2 {
			t.Errorf("two changes, two streams: %d notifications", len(got))
		}
	})
}

// lockedText can be read while another goroutine writes it.
type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// rawStream opens an event stream and returns what has come when all is quiet.
func rawStream(t *testing.T, h http.Handler, method string, body []byte, hdr http.Header) (text func() string,
	leave func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := httptest.NewRequest(method, "/mcp", strings.NewReader(string(body))).WithContext(ctx)
	r.Header = hdr.Clone()
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Content-Type", "application/json")
	w := newLiveResponse()
	var all lockedText
	go func() {
		defer w.finish()
		h.ServeHTTP(w, r)
	}()
	go func() { _, _ = io.Copy(&all, w.body) }()
	return func() string { synctest.Wait(); return all.String() }, func() { cancel(); synctest.Wait() }
}

func TestResumption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := serve(t, reference.Options{})
		h := server.Handler()
		session := header("Mcp-Session-Id", initialized(t, h))
		text, leave := rawStream(t, h, "POST", []byte(slowWrite), session)
		for i := 0; i < 100 && !strings.Contains(text(), `"progress":1`); i++ {
			pause()
		}
		leave() // no cancellation before 2026-07-28
		if got := text(); !strings.HasPrefix(got, "id: 2-0\ndata: \n\n") {
			t.Errorf("no priming event: %q", got)
		}
		session.Set("Last-Event-ID", "2-1")
		rest, leave2 := rawStream(t, h, "GET", nil, session)
		defer leave2()
		for i := 0; i < 100 && !strings.Contains(rest(), `"id":4`); i++ {
			pause()
		}
		if got := rest(); strings.Contains(got, `"progress":1,`) || !strings.Contains(got, `"progress":2,`) ||
			!strings.Contains(got, "id: 2-4\n") {
			t.Errorf("resumed: %q", got)
		}
	})
}

func TestGetStreamResumption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := serve(t, reference.Options{})
		h := server.Handler()
		session := header("Mcp-Session-Id", initialized(t, h))
		text, leave := rawStream(t, h, "GET", nil, session)
		text()
		server.ListChanged()
		if got := text(); strings.Count(got, "list_changed") != 1 {
			t.Fatalf("stream: %q", got)
		}
		leave()
		server.ListChanged()
		session.Set("Last-Event-ID", "2-1")
		again, leave2 := rawStream(t, h, "GET", nil, session)
		defer leave2()
		if got := again(); strings.Count(got, "list_changed") != 1 || !strings.Contains(got, "id: 2-2\n") {
			t.Errorf("resumed: %q", got)
		}
	})
}

func TestModernDisconnectCancels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cancelled := make(chan bool, 1)
		server := serve(t,
			reference.Options{Hooks: hook.OnMethod("resources/read", func(c hook.Calling) *hook.Reply {
				r := c.Next()
				cancelled <- c.Err() != nil
				return r
			})})
		hdr := header("Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "resources/read", "Mcp-Name",
			"test://slow")
		_, leave := rawStream(t, server.Handler(), "POST", modern("resources/read", `"uri":"test://slow"`),
			hdr)
		synctest.Wait()
		leave()
		if !<-cancelled {
			t.Error("the read went on")
		}
	})
}

func TestEventStreamAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := serve(t, reference.Options{Quirks: []string{"event-stream-answers", "keep-alive-comments"}})
		for _, revision := range []string{hook.R20250326, hook.R20251125, hook.R20260728} {
			c := connect(t, server, revision, hook.HTTP)
			c.result("resources/list", nil)
			if got := c.code("resources/read", object{"uri": "none:x"}); got == "" {
				t.Error("no error")
			}
			c.close()
		}
		w := exchange(server.Handler(), "POST", "/mcp", []byte(hello), nil)
		if w.Header().Get("Content-Type") != "text/event-stream" || w.Header().Get("Mcp-Session-Id") == "" ||
			w.Header().Get("X-Accel-Buffering") != "no" {
			t.Errorf("headers: %v", w.Header())
		}
	})
}

func TestRebinding(t *testing.T) {
	server := serve(t, reference.Options{})
	web := httptest.NewServer(server.Handler())
	defer web.Close()
	for host, want := range map[string]int{
		"": 200, "localhost": 200, "[::1]:80": 200, "rebound.example:80": 403,
	} {
		r, err := http.NewRequest("POST", web.URL+"/mcp", strings.NewReader(hello))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		resp, err := web.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("host %q: %d, want %d", host, resp.StatusCode, want)
		}
	}
}

func TestCloseEndsStreams(t *testing.T) {
	server := serve(t, reference.Options{})
	web := httptest.NewServer(server.Handler())
	defer web.Close()
	resp, err := web.Client().Get(web.URL + "/sse")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	buf := make([]byte, 64)
	n, err := resp.Body.Read(buf)
	if err != nil || !strings.HasPrefix(string(buf[:n]), "event: endpoint\ndata: /message?sessionId=") {
		t.Fatalf("first event %q, %v", buf[:n], err)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Errorf("the stream broke: %v", err)
	}
	if _, err := net.Dial("tcp", web.Listener.Addr().String()); err != nil {
		t.Error(err)
	}
	if resp, err := web.Client().Get(web.URL + "/sse"); err == nil {
		_ = resp.Body.Close()
		t.Errorf("served after Close: %d", resp.StatusCode)
	}
}

// TestBrowsers: pages of admitted origins get preflights answered, also where a token is demanded,
// and may see the headers that they need; other origins get none of it.
func TestBrowsers(t *testing.T) {
	g, err := guard.New(guard.Options{Tokens: []guard.Token{{Secret: "sesame-open"}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]reference.Options{"open": {}, "guarded": {Guard: g}} {
		o.AllowedOrigins = []string{"https://app.example"}
		h := serve(t, o).Handler()
		ask := func(origin string) http.Header {
			return header("Origin", origin, "Access-Control-Request-Method", "POST",
				"Access-Control-Request-Headers", "content-type,mcp-session-id",
				"Access-Control-Request-Private-Network", "true")
		}
		for _, path := range []string{"/mcp", "/sse", "/message"} {
			for _, origin := range []string{"https://app.example", "http://localhost:5173"} {
				w := exchange(h, "OPTIONS", path, nil, ask(origin))
				got := w.Header()
				if w.Code != 204 || got.Get("Access-Control-Allow-Origin") != origin ||
					got.Get("Access-Control-Allow-Headers") != "content-type,mcp-session-id" ||
					!strings.Contains(got.Get("Access-Control-Allow-Methods"), "DELETE") ||
					got.Get("Vary") != "Origin" || got.Get("Access-Control-Allow-Private-Network") != "true" {
					t.Errorf("%s %s from %s: %d %v", name, path, origin, w.Code, got)
				}
			}
			if w := exchange(h, "OPTIONS", path, nil, ask("https://evil.example")); w.Code < 400 ||
				w.Header().Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s %s from elsewhere: %d %v", name, path, w.Code, w.Header())
			}
			if w := exchange(h, "OPTIONS", path, nil, nil); w.Code < 400 {
				t.Errorf("%s %s without an origin: %d", name, path, w.Code)
			}
		}
		w := exchange(h, "POST", "/mcp", []byte(hello), header("Origin", "https://app.example"))
		if got := w.Header(); got.Get("Access-Control-Allow-Origin") != "https://app.example" ||
			!strings.Contains(got.Get("Access-Control-Expose-Headers"), "Mcp-Session-Id") {
			t.Errorf("%s: %d %v", name, w.Code, got)
		}
		if w := exchange(h, "POST", "/mcp", []byte(hello),
			nil); w.Header().Get("Access-Control-Allow-Origin") != "" || w.Header().Get("Vary") != "" {
			t.Errorf("%s: who is no browser gets %v", name, w.Header())
		}
	}
}

// deadlined is a response over a connection that has deadlines.
type deadlined struct {
	*httptest.ResponseRecorder
	at time.Time
}

func (d *deadlined) SetReadDeadline(at time.Time) error { d.at = at; return nil }

// TestAuthorizationDoesNotWaitForBodies: who announces a registration and does not send it holds nothing up.
func TestAuthorizationDoesNotWaitForBodies(t *testing.T) {
	as, err := oauth.New(oauth.Options{})
	if err != nil {
		t.Fatal(err)
	}
	server := reference.Start(t, reference.World{},
		reference.WithOptions(func(to *reference.Options) { to.OAuth = as }))
	w, before := &deadlined{ResponseRecorder: httptest.NewRecorder()}, time.Now()
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/register", strings.NewReader(`{}`))
	r.Header.Set("Content-Type", "application/json")
	server.Handler().ServeHTTP(w, r)
	if w.at.Before(before) || w.Code != http.StatusBadRequest {
		t.Errorf("the deadline is %s, the status %d", w.at, w.Code)
	}
}
