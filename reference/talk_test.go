package reference_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// talk is the conversation: what every client says, then what some say, then what none should.
func (c *talker) talk(ctx context.Context) {
	c.open(ctx)
	c.lists(ctx)
	c.reads(ctx)
	c.watches(ctx)
	c.slow(ctx)
	if c.transport == hook.HTTP {
		c.exchanges(ctx)
	}
	c.malformed(ctx)
}

func (c *talker) modern() bool { return hook.Modern(c.revision) }

func (c *talker) open(ctx context.Context) {
	switch c.transport {
	case hook.Stdio:
		conn, err := c.server.Pipe(ctx)
		if err != nil {
			c.t.Fatal(err)
		}
		c.conn = conn
		c.step("connect", func() {
			buf := make([]byte, 64<<10)
			for {
				n, err := conn.Read(buf)
				c.take("out", buf[:n])
				if err != nil {
					c.take("out", []byte(" end"))
					return
				}
			}
		})
	case hook.SSE:
		c.step("GET", func() { c.web(ctx, http.MethodGet, "/sse", "", nil) })
	}
	if c.modern() {
		c.ask(ctx, "server/discover", nil)
		return
	}
	c.ask(ctx, "ping", nil)
	c.initialize(ctx, c.revision)
	c.tell(ctx, "notifications/initialized", nil)
	c.tell(ctx, "notifications/initialized", nil)
	c.ask(ctx, "ping", nil)
	if c.transport == hook.HTTP {
		c.step("GET", func() { c.web(ctx, http.MethodGet, "/mcp", "", c.headers("")) })
	}
}

func (c *talker) initialize(ctx context.Context, version string) {
	c.ask(ctx, "initialize", object{"protocolVersion": version, "capabilities": object{},
		"clientInfo": object{"name": "test", "version": "1"}})
}

// lists walks both lists, twice, and tries cursors.
func (c *talker) lists(ctx context.Context) {
	for _, method := range []string{"resources/list", "resources/templates/list", "resources/list"} {
		var params object
		cursor := ""
		for range 8 {
			found := cursorIn.FindStringSubmatch(c.ask(ctx, method, params))
			if found == nil {
				break
			}
			cursor = found[1]
			params = object{"cursor": cursor}
		}
		for _, odd := range []string{cursor, cursor[:len(cursor)/2], cursor + "mcpcheck",
			strings.Repeat("A", 5000), "bogus"} {
			c.ask(ctx, method, object{"cursor": odd})
		}
		c.ask(ctx, "resources/list", object{"cursor": cursor})
		c.ask(ctx, method, object{"cursor": ""})
		c.ask(ctx, method, object{"cursor": nil})
		c.ask(ctx, method, object{"cursor": hook.Number(1)})
	}
	c.ask(ctx, "resources/list", object{})
	c.ask(ctx, "no/such", nil)
}

func (c *talker) reads(ctx context.Context) {
	const canary = "outside/canary.txt"
	for _, uri := range []string{
		"file:///project/README.md", "none:1", "file:///project/logo.png", "file:///project/src/",
		"file:///project/src/odd.bin", "file:///project/src/main.rs",
		"file:///project/empty.txt", "file:///project/src/windows.txt", "file:///project/empty.bin",
		"file:///project/docs/scripts%20of%20the%20world.txt",
		"log://app/2025-01-02", "search://catalogue?q=tea&limit=10", "search://catalogue?q=gr%C3%BCn",
		"search://catalogue?limit=50", "search://catalogue", "db://shop/tables/orders",
		"note:shopping", "test://greeting", "file:///project/README.md", "FILE:///project/README.md",
		"note:shopping",
		"", "constructor", "data:,x", "x-y:1", "note:%7B", "note:ü", "note:\x00", "note:a b",
		"file:///project/link.txt", "file:///project-old/canary.txt", "file:///etc/passwd",
		"file:///project/../" + canary, "file:///project/..%2f" + canary, "file:///project/%2e%2e/" + canary,
		"file:///project/%252e%252e%252f" + canary, "file:///project/..%252f" + canary,
		"file:///project/%c0%ae%c0%ae%c0%af" + canary, "file:///..%2F" + canary,
		"file:///%2Foutside%2Fcanary.txt", `file:///project/..\` + canary,
		"file:///project/../" + canary + "%00.txt",
		"file:///project/\uFF0E\uFF0E\uFF0F" + canary, "file:///project/....//" + canary,
		"log://app/..%2Foutside%2Fcanary.txt", "file:///project/sub/..%2f..%2f" + canary,
		"note:" + strings.Repeat("x", 9000),
	} {
		c.ask(ctx, "resources/read", object{"uri": uri})
	}
	for _, uri := range []any{nil, hook.Number(5), object{}} {
		c.ask(ctx, "resources/read", object{"uri": uri})
	}
	c.ask(ctx, "resources/read", nil)
	c.ask(ctx, "resources/read", object{"uri": "note:shopping", "_meta": object{"com.example/probe": true,
		"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}})
	for _, level := range []string{"error", "debug", "loud"} {
		c.ask(ctx, "resources/read",
			object{"uri": "note:shopping", "_meta": object{"io.modelcontextprotocol/logLevel": level}})
		c.ask(ctx, "logging/setLevel", object{"level": level})
	}
	able := object{"io.modelcontextprotocol/clientCapabilities": object{"elicitation": object{}}}
	c.ask(ctx, "resources/read", object{"uri": "test://greeting", "_meta": able})
	c.ask(ctx, "resources/read", object{"uri": "test://greeting", "_meta": able, "inputResponses": object{},
		"requestState": "forged"})
	c.ask(ctx, "resources/read", object{"uri": "test://greeting", "_meta": able, "inputResponses": object{}})
	c.ask(ctx, "resources/read", object{"uri": "note:shopping", "inputResponses": "odd"})
	for _, argument := range []any{object{"name": "date", "value": "2025"},
		object{"name": "date", "value": ""}, object{"name": "none", "value": "x"},
		object{"name": "date", "value": hook.Number(1)}, object{"name": "date"}, nil} {
		c.ask(ctx, "completion/complete",
			object{"ref": object{"type": "ref/resource", "uri": "log://app/{date}"}, "argument": argument})
	}
	c.ask(ctx, "completion/complete",
		object{"ref": object{"type": "ref/resource", "uri": "log://app/{date}"}})
	c.ask(ctx, "completion/complete", object{"ref": object{"type": "ref/resource", "uri": "none:{x}"},
		"argument": object{"name": "x", "value": ""}})
	c.ask(ctx, "completion/complete", object{"ref": object{"type": "ref/other", "uri": "x"},
		"argument": object{"name": "x", "value": ""}})
	for _, context := range []object{{"arguments": object{"database": "shop"}},
		{"arguments": object{"database": "staff"}}} {
		c.ask(ctx, "completion/complete",
			object{"ref": object{"type": "ref/resource", "uri": "db://{database}/tables/{table}"},
				"argument": object{"name": "table", "value": ""}, "context": context})
	}
	c.ask(ctx, "completion/complete",
		object{"ref": object{"type": "ref/resource", "uri": "db://{database}/tables/{table}"},
			"argument": object{"name": "table", "value": ""}})
}

// changes has the world change.
func (c *talker) changes() {
	c.step("an update", func() { c.server.Touch("note:shopping") })
	c.step("another update", func() { c.server.Touch("log://app/current") })
	c.step("a third update", func() { c.server.Touch("file:///project/README.md") })
	c.step("a change of the list", func() { c.server.ListChanged() })
	c.step("a resource that goes", func() { c.server.Remove("file:///project/empty.bin") })
	c.step("two changes of the list", func() { c.server.ListChanged(); c.server.ListChanged() })
}

func (c *talker) watches(ctx context.Context) {
	if c.modern() {
		c.listens(ctx)
		return
	}
	for _, uri := range []any{"note:shopping", "log://app/current", "none:1", "no uri", hook.Number(1), nil,
		"note:shopping"} {
		c.ask(ctx, "resources/subscribe", object{"uri": uri})
	}
	c.changes()
	c.ask(ctx, "resources/unsubscribe", object{"uri": "note:shopping"})
	c.ask(ctx, "resources/unsubscribe", object{"uri": "none:1"})
	c.changes()
	c.ask(ctx, "resources/list", nil)
}

func (c *talker) listens(ctx context.Context) {
	listen := func(filter any) {
		c.ask(ctx, "subscriptions/listen", object{"notifications": filter})
	}
	listen(object{"resourcesListChanged": true})
	c.changes()
	listen(object{"resourceSubscriptions": []any{"note:shopping", "log://app/current"}})
	id := c.id
	c.changes()
	listen(object{"resourceSubscriptions": []any{"note:shopping"}, "toolsListChanged": true})
	c.changes()
	listen(object{"resourcesListChanged": false})
	c.ask(ctx, "subscriptions/listen", nil)
	c.changes()
	listen(object{})
	listen(nil)
	listen(object{"resourceSubscriptions": []any{"no uri"}})
	c.tell(ctx, "notifications/cancelled", object{"requestId": hook.Number(int64(id))})
	c.changes()
	c.ask(ctx, "resources/list", nil)
}

// slow reads what takes time, with progress, and cancels.
func (c *talker) slow(ctx context.Context) {
	read := func(meta object, behind func(id int)) {
		c.id++
		id := c.id
		k := client{revision: c.revision, caps: object{}}
		text := string(hook.Encode(object{"jsonrpc": "2.0", "id": hook.Number(int64(id)),
			"method": "resources/read", "params": k.withMeta(object{"uri": "test://slow", "_meta": meta})}))
		c.step("resources/read test://slow", func() {
			go c.write(ctx, text, c.headers(text))
			time.Sleep(70 * time.Millisecond)
			behind(id)
		})
	}
	cancel := func(params object) func(id int) {
		return func(id int) {
			if params["requestId"] == nil && params["reason"] == nil {
				params = object{"requestId": hook.Number(int64(id))}
			}
			text := string(hook.Encode(object{"jsonrpc": "2.0", "method": "notifications/cancelled",
				"params": params}))
			c.write(ctx, text, c.headers(text))
		}
	}
	nothing := func(int) {}
	read(object{}, nothing)
	read(object{"progressToken": "t"}, nothing)
	read(object{"progressToken": hook.Number(9)}, nothing)
	read(object{}, cancel(object{}))
	read(object{"progressToken": "u"}, cancel(object{}))
	read(object{}, cancel(object{"requestId": "none"}))
	read(object{}, cancel(object{"reason": "no id"}))
	for range 4 {
		c.tell(ctx, "notifications/cancelled", object{"requestId": "none"})
	}
	c.ask(ctx, "resources/list", nil)
	c.step("several at once", func() {
		k := client{revision: c.revision, caps: object{}}
		for i := range 6 {
			m := object{"jsonrpc": "2.0", "id": hook.Number(int64(5000 + i)), "method": "resources/list",
				"params": k.withMeta(object{})}
			if i > 3 {
				m["method"], m["params"] = "resources/read",
					k.withMeta(object{"uri": []any{"note:shopping", "log://app/current"}[i-4]})
			}
			text := string(hook.Encode(m))
			if c.transport == hook.Stdio {
				c.write(ctx, text, nil)
			} else {
				go c.write(ctx, text, c.headers(text))
			}
			time.Sleep(time.Millisecond)
		}
	})
}

// exchanges are requests over HTTP that are odd as such.
func (c *talker) exchanges(ctx context.Context) {
	c.id++
	k := client{revision: c.revision, caps: object{}}
	message := func(method string, params object) string {
		m := object{"jsonrpc": "2.0", "id": hook.Number(int64(c.id)), "method": method}
		if p := k.withMeta(params); p != nil {
			m["params"] = p
		}
		return string(hook.Encode(m))
	}
	for _, text := range []string{message("resources/read", object{"uri": "note:shopping"}),
		message("resources/list", nil), message("resources/read", object{"uri": "note:ü"})} {
		for _, change := range [][2]string{
			{"Accept", "application/json, text/event-stream;q=0.9"},
			{"Accept", "text/event-stream, application/json"},
			{"Content-Type", "application/json; charset=utf-8"},
			{"Origin", "http://evil.example"}, {"Origin", "http://localhost"}, {"Mcp-Protocol-Version", ""},
			{"Mcp-Protocol-Version", "1900-01-01"}, {"Mcp-Protocol-Version", "2025-06-18"},
			{"Mcp-Method", ""}, {"Mcp-Method", "ping"}, {"Mcp-Method", strings.ToUpper("resources/list")},
			{"Mcp-Name", ""}, {"Mcp-Name", "none:1"}, {"Mcp-Name", "=?base64?bm90ZTpzaG9wcGluZw==?="},
			{"Mcp-Name", "=?base64?!!!?="},
			{"Mcp-Session-Id", "5ca1ab1e-0000-4000-8000-000000000000"}, {"Mcp-Session-Id", ""},
			{"Last-Event-Id", "1-1"},
			{"Authorization", "Bearer " + hook.TokenFull}, {"Authorization", "Bearer " + hook.TokenWeak},
			{"Authorization", "Bearer " + hook.TokenForeign},
		} {
			h := c.headers(text)
			if h.Set(change[0], change[1]); change[1] == "" {
				h.Del(change[0])
			}
			c.step(fmt.Sprint("POST with ", change), func() { c.web(ctx, http.MethodPost, "/mcp", text, h) })
		}
	}
	for _, verb := range []string{http.MethodGet, http.MethodPut} {
		for _, path := range []string{"/mcp", "/", hook.PathMetadata} {
			c.step(verb+" "+path, func() { c.web(ctx, verb, path, "", nil) })
		}
	}
	h := c.headers("")
	for _, change := range [][2]string{{"Mcp-Protocol-Version", "1900-01-01"}, {"Last-Event-Id", "1-0"},
		{"Last-Event-Id", "none"}} {
		other := h.Clone()
		other.Set(change[0], change[1])
		c.step(fmt.Sprint("GET with ", change), func() { c.web(ctx, http.MethodGet, "/mcp", "", other) })
	}
	c.step("GET", func() { c.web(ctx, http.MethodGet, "/mcp", "", h) })
	c.step("an update", func() { c.server.Touch("log://app/current") })
	if c.session = ""; !c.modern() {
		c.initialize(ctx, "1900-01-01")
		c.session = ""
		c.initialize(ctx, hook.R20251125)
		c.session = ""
		c.initialize(ctx, c.revision)
	}
	other := h.Clone()
	other.Set("Mcp-Protocol-Version", "1900-01-01")
	c.step("DELETE with an odd version", func() { c.web(ctx, http.MethodDelete, "/mcp", "", other) })
	c.step("DELETE", func() { c.web(ctx, http.MethodDelete, "/mcp", "", h) })
	c.step("POST to what has ended",
		func() { c.web(ctx, http.MethodPost, "/mcp", message("resources/list", nil), h) })
	c.step("GET of what has ended", func() { c.web(ctx, http.MethodGet, "/mcp", "", h) })
	if c.session = ""; !c.modern() {
		c.initialize(ctx, c.revision)
	}
}

// malformed says what is no message, or none that a client sends.
func (c *talker) malformed(ctx context.Context) {
	if !c.modern() {
		for _, params := range []object{
			{"protocolVersion": "1900-01-01", "capabilities": object{}, "clientInfo": object{"name": "test",
				"version": "1"}},
			{"protocolVersion": hook.R20251125, "capabilities": object{}, "clientInfo": object{"name": "test",
				"version": "1"}},
			{"protocolVersion": c.revision, "capabilities": object{}}, {"capabilities": object{}}, {},
		} {
			c.ask(ctx, "initialize", params)
		}
	}
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/` +
		`clientCapabilities":{}}`
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":"text","method":"resources/list","params":{` + meta + `}}`,
		`{"jsonrpc":"2.0","id":"77","method":"resources/list","params":{` + meta + `}}`,
		`{"jsonrpc":"2.0","id":0,"method":"resources/list","params":{` + meta + `}}`,
		`{"jsonrpc":"2.0","method":"notifications/mcpcheck/none"}`,
		`{"jsonrpc":"2.0","id":4321,"method":"resources/list","params":{` + meta + `}}`,
		`{"jsonrpc":"2.0","id":-1,"method":"resources/templates/list","params":{` + meta + `}}`,
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"resources/list","params":{` + meta + `}}`,
		`{"jsonrpc":"2.0","id":7,"method":"resources/list","params":{"_meta":{"io.modelcontextprotocol/` +
			`clientCapabilities":{}}}}`,
		`{"jsonrpc":"2.0","id":7,"method":"resources/list","params":{"_meta":{"io.modelcontextprotocol/` +
			`protocolVersion":"2026-07-28"}}}`,
		`{"jsonrpc":"2.0","id":7,"method":"resources/list","params":{"_meta":{"io.modelcontextprotocol/` +
			`protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":"odd"}}}`,
		`{"jsonrpc":"2.0","id":7,"method":"resources/list","params":{"_meta":{"io.modelcontextprotocol/` +
			`protocolVersion":"1900-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		`{"jsonrpc":"2.0","id":7,"method":"resources/list","params":{"_meta":[]}}`,
		`{"jsonrpc":"2.0","id":7,"method":"resources/list"}`,
		`{"jsonrpc":"2.0","id":7,"method":"resources/templates/list"}`,
		`{"jsonrpc":"2.0","id":7,"method":"resources/list","params":[]}`,
		`{"jsonrpc":"2.0","id":7,"method":"resources/list","params":"x"}`,
		`{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{` + meta + `}}`,
		`{"jsonrpc":"2.0","id":7,"method":"prompts/list","params":{` + meta + `}}`,
		`{"jsonrpc":"2.0","id":7,"method":"resources/subscribe","params":{"uri":"note:shopping",` + meta +
			`}}`, `{"jsonrpc":"2.0","id":7,"method":"initialize","params":{` + meta + `}}`,
		`{"jsonrpc":"2.0","id":7,"method":"ping","params":{` + meta + `}}`,
		`{"jsonrpc":"2.0","method":"notifications/none"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}`,
		`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`,
		`{"jsonrpc":"2.0","method":"resources/list"}`,
		`{"jsonrpc":"2.0","id":99,"result":{}}`, `{"jsonrpc":"2.0","id":99,"error":{"code":1,"message":"x"}}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}`,
		`{"jsonrpc":"2.0","id":null,"method":"resources/list"}`,
		`{"jsonrpc":"2.0","id":{},"method":"resources/list"}`,
		`{"jsonrpc":"2.0","id":1.5,"method":"resources/list"}`,
		`{"jsonrpc":"2.0","id":7}`, `{"id":7,"method":"resources/list"}`,
		`{"jsonrpc":"1.0","id":7,"method":"resources/list"}`, `{"jsonrpc":"2.0","id":7,"method":5}`,
		`{"jsonrpc":"2.0","id":7,"method":"resources/list","params":null}`,
		`[{"jsonrpc":"2.0","id":11,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/none"},` +
			`{"jsonrpc":"2.0","id":12,"method":"resources/templates/list"}]`,
		`[{"jsonrpc":"2.0","method":"notifications/none"}]`, `[{"jsonrpc":"2.0","id":11,"method":"ping"}]`,
		`[{"jsonrpc":"2.0","id":11,"method":"ping"},1]`, `[1]`, `[]`,
		`{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":"` + strings.Repeat("x", 70<<10) + `"}}`,
		`5`, `"x"`, `null`, "\xff\xfe", `{`, "",
	} {
		c.raw(ctx, fmt.Sprintf("%.60s", text), text)
	}
	c.ask(ctx, "resources/templates/list", nil)
	c.step("the end of the server", func() { _ = c.server.Close() })
}
