package clientcheck_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// talk is the whole conversation: a session, or all requests of the modern revision.
func (c *scripted) talk() {
	if !c.modern() {
		c.handshake()
	} else {
		c.probe()
	}
	uris, templates := c.walk("resources/list", "resources", "uri"), c.walk("resources/templates/list",
		"resourceTemplates", "uriTemplate")
	c.reads(uris, templates)
	c.messages(uris)
	if !c.modern() {
		c.subscribe(uris)
	}
	if c.bad != "CL-36" {
		c.finish()
	}
	c.ask("resources/read", map[string]any{"uri": "note:nothing-of-the-kind"})
	if c.bad != "CL-36" {
		c.ask("resources/read", map[string]any{"uri": uris[0]})
	}
}

// initialize is the first request of a session.
func (c *scripted) initialize() {
	params := map[string]any{"protocolVersion": c.revision, "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "script", "version": "1"}}
	if strings.HasPrefix(c.bad, "CL-26 roots") || strings.HasPrefix(c.bad, "CL-44") {
		params["capabilities"] = map[string]any{"roots": map[string]any{}}
	}
	if c.bad == "CL-04" {
		delete(params, "clientInfo")
		c.ask("initialize", params)
		params["clientInfo"] = map[string]any{"name": "script", "version": "1"}
	}
	if c.bad == "CL-04 never" {
		params["protocolVersion"] = "2025-07-01"
	}
	c.ask("initialize", params)
}

func (c *scripted) handshake() {
	if c.bad == "CL-01" {
		c.ask("resources/list", nil)
	}
	c.initialize()
	if c.bad != "CL-03" {
		c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	switch c.bad {
	case "CL-02":
		c.initialize()
	case "CL-02 twice", "CL-02 good":
		c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	case "CL-02 bare":
		c.header = func(h http.Header, _ []byte) { h.Del("Mcp-Protocol-Version") }
		c.initialize()
		c.header = nil
	}
	if c.transport == "http" {
		c.listen(c.endpoint, nil)
	}
}

// probe asks a server of the modern revision what it can do.
func (c *scripted) probe() {
	answer := c.ask("server/discover", nil)
	refused := answer.Get("error.data.supported").Exists()
	if refused && c.bad == "CL-28" {
		c.ask("resources/list", nil)
	}
	switch {
	case refused && c.bad == "CL-28 handshake":
		c.revision = "2025-11-25"
		c.handshake()
	case refused:
		c.revision = "2026-07-28"
	case answer.Get("error").Exists():
		c.revision = "2025-11-25"
		c.handshake()
	}
	if c.bad == "CL-27" {
		c.send(`{"jsonrpc":"2.0","id":77,"result":{}}`)
	}
	if c.bad == "CL-11" {
		c.header = func(h http.Header, _ []byte) { h.Set("Mcp-Protocol-Version", "2025-11-25") }
		c.ask("resources/templates/list", nil)
		c.header = nil
	}
	if c.bad == "CL-10" {
		c.header = func(h http.Header, _ []byte) { h.Del("Mcp-Method") }
		c.ask("resources/templates/list", nil)
		c.header = nil
	}
}

// alterations are what clients do to cursors that they take for more than strings.
var alterations = map[string]func(cursor string) string{
	"CL-12":          func(cursor string) string { return cursor + "=" },
	"CL-12 encoded":  url.QueryEscape,
	"CL-12 path":     url.PathEscape,
	"CL-12 decoded":  func(cursor string) string { plain, _ := url.QueryUnescape(cursor); return plain },
	"CL-12 alphabet": strings.NewReplacer("+", "-", "/", "_").Replace,
	"CL-12 backward": strings.NewReplacer("-", "+", "_", "/").Replace,
	"CL-12 unpadded": func(cursor string) string { return strings.TrimRight(cursor, "=") },
}

// walk reads a list to its end.
func (c *scripted) walk(method, member, name string) []string {
	var found []string
	params := map[string]any{}
	if c.bad == "CL-14" {
		c.ask(method, map[string]any{"cursor": nil})
	}
	for range 50 {
		r := c.ask(method, params).Get("result")
		for _, x := range r.Get(member).Array() {
			found = append(found, x.Get(name).String())
		}
		next := r.Get("nextCursor")
		if !next.Exists() || strings.HasPrefix(c.bad, "CL-13") || c.bad == "CL-42" && next.Str == "" {
			return found
		}
		params = map[string]any{"cursor": next.String()}
		if alter := alterations[c.bad]; alter != nil {
			c.ask(method, map[string]any{"cursor": alter(next.String())})
		}
	}
	return found
}

func (c *scripted) reads(uris, templates []string) {
	if len(uris) == 0 || len(templates) == 0 {
		c.t.Error("nothing was listed")
		return
	}
	for _, uri := range uris {
		if c.bad != "" && (uri == "test://slow" || uri == "test://generated/one-mebibyte") {
			continue // whoever does all right reads them
		}
		if c.bad == "CL-15" {
			uri = strings.ReplaceAll(uri, "%20", "%2520")
		}
		c.ask("resources/read", map[string]any{"uri": uri})
	}
	expanded := strings.NewReplacer("{date}", "2025-01-02").Replace(logOfDay)
	if c.bad == "CL-16" {
		expanded = logOfDay
	}
	c.ask("resources/read", map[string]any{"uri": expanded})
	if c.bad == "CL-23" {
		c.ask("tools/list", nil)
	}
}

// messages says things that are only right or wrong by their form.
func (c *scripted) messages(uris []string) {
	read := fmt.Sprintf(`"method":"resources/read","params":{"uri":%q}}`, uris[0])
	ping := `{"jsonrpc":"2.0","id":%s,"method":"ping"}`
	if !c.modern() {
		c.ask("ping", nil)
	}
	c.complete(logOfDay, map[string]any{"name": "date", "value": "2025-01"})
	switch c.bad {
	case "CL-05", "CL-06", "CL-07", "CL-08":
		name := map[string]string{"CL-05": "Mcp-Protocol-Version", "CL-06": "Mcp-Session-Id",
			"CL-07": "Accept", "CL-08": "Content-Type"}[c.bad]
		c.header = func(h http.Header, _ []byte) { h.Del(name) }
		c.ask("resources/read", map[string]any{"uri": uris[0]})
		c.header = nil
	case "CL-07 weight":
		c.header = func(h http.Header, _ []byte) {
			h.Set("Accept",
				"application/json, text/event-stream;q=0.0")
		}
		c.ask("resources/read", map[string]any{"uri": uris[0]})
		c.header = nil
	case "CL-24 twice":
		c.send(`{"jsonrpc":"2.0","id":907,"method":"ping","params":{"_meta":{"x":1,"\u0078":2}}}`)
	case "CL-37":
		c.complete("city:{name}", map[string]any{"name": "name"})
	case "CL-37 filter":
		c.send(`{"jsonrpc":"2.0","id":908,"method":"subscriptions/listen",` +
			c.metaIn(`"params":{"_meta":{"x":1},"notifications":{"resourceSubscriptions":"note:hello"}}}`))
	case "CL-38":
		if c.modern() {
			c.ask("resources/subscribe", map[string]any{"uri": uris[0]})
		} else {
			c.ask("subscriptions/listen", map[string]any{"notifications": map[string]any{}})
		}
	case "CL-39":
		c.complete(logOfDay, map[string]any{"name": "{date}", "value": ""})
	case "CL-21 again":
		c.askAs("1", "resources/list", nil)
	case "CL-21 null":
		c.send(fmt.Sprintf(ping, "null"))
	case "CL-21 none":
		c.send(`{"jsonrpc":"2.0",` + c.metaIn(read))
	case "CL-33 never":
		c.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,` +
			`"progress":1}}`)
	case "CL-21 fraction":
		c.send(fmt.Sprintf(ping, "1.5"))
	case "CL-22":
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}}`)
	case "CL-24":
		c.send(`{"id":906,"method":"ping"}`)
	case "CL-09":
		c.ask("resources/list",
			map[string]any{"_meta": map[string]any{"io.modelcontextprotocol/protocolVersion": c.revision}})
	case "CL-24 empty":
		c.send("\n")
	case "CL-27 handshake":
		c.initialize()
	case "CL-24 line":
		c.send("{\"jsonrpc\":\"2.0\",\n\"method\":\"notifications/initialized\"}")
	case "CL-24 params":
		c.send(`{"jsonrpc":"2.0","id":901,"method":"resources/list","params":null}`)
	case "CL-25":
		c.send(`[{"jsonrpc":"2.0","id":902,"method":"ping"}]`)
	case "CL-30":
		c.lastEvent = "made-up"
	case "CL-33":
		for _, id := range []string{"903", "904"} {
			c.send(`{"jsonrpc":"2.0","id":` + id + `,` + strings.Replace(read, `"uri"`,
				`"_meta":{"progressToken":7},"uri"`, 1))
		}
	case "CL-35":
		old := c.endpoint
		c.endpoint += "?access_token=sesame-open"
		c.ask("resources/read", map[string]any{"uri": uris[0]})
		c.endpoint = old
	case "CL-31":
		c.ask("resources/list", nil)
	case "CL-40":
		c.ask("resources/read", map[string]any{"uri": "note:made-up"})
	case "CL-40 template":
		c.complete("city:{name}", map[string]any{"name": "name", "value": ""})
	case "CL-37 names":
		c.ask("resources/templates/list", map[string]any{"next_cursor": "x"})
	case "CL-41 method":
		for range 5 {
			c.ask("prompts/list", nil)
		}
	case "CL-41 GET":
		for range 5 {
			c.http(http.MethodGet, c.endpoint, nil)
		}
	case "CL-41":
		for range 40 {
			c.ask("resources/read", map[string]any{"uri": "note:nothing-of-the-kind"})
		}
	}
	c.send(`{"jsonrpc":"2.0","id":905,` + c.metaIn(strings.Replace(read, `"uri"`,
		`"_meta":{"progressToken":8},"uri"`, 1)))
	if c.transport != "http" {
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":905}}`)
	}
	if c.transport == "http" && !c.modern() && (c.bad == "" || c.bad == "CL-30") {
		c.header = func(h http.Header, body []byte) {
			if len(body) == 0 {
				h.Set("Last-Event-Id", c.lastEvent)
			}
		}
		c.mu.Lock()
		last := c.lastEvent
		c.mu.Unlock()
		if last != "" {
			c.listen(c.endpoint, nil)
		}
		c.header = nil
	}
}

// logOfDay is a template of the default world.
const logOfDay = "log://app/{date}"

func (c *scripted) complete(template string, argument map[string]any) {
	c.ask("completion/complete",
		map[string]any{"ref": map[string]any{"type": "ref/resource", "uri": template}, "argument": argument})
}

// metaIn adds the metadata of the modern revision to a request with metadata.
func (c *scripted) metaIn(request string) string {
	if !c.modern() {
		return request
	}
	return strings.Replace(request, `"_meta":{`, `"_meta":{"io.modelcontextprotocol/protocolVersion":"`+
		c.revision+
		`","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/`+
		`clientInfo":{"name":"script","version":"1"},`, 1)
}

func (c *scripted) subscribe(uris []string) {
	c.ask("resources/subscribe", map[string]any{"uri": uris[0]})
	c.ask("resources/unsubscribe", map[string]any{"uri": uris[0]})
	if c.bad == "CL-18" {
		c.ask("resources/unsubscribe", map[string]any{"uri": uris[0]})
	}
}

// finish waits for what the server has to say, and looks at the list again.
func (c *scripted) finish() {
	if !c.modern() {
		c.until(func() bool { return c.seen["notifications/resources/list_changed"] > 0 })
		if c.bad != "CL-32" && c.bad != "CL-13 once" {
			c.walk("resources/list", "resources", "uri")
		}
	}
	if wait, ends := map[string]time.Duration{"CL-43": 0, "CL-43 good": time.Second,
		"CL-30 anew": time.Second}[c.bad]; ends {
		c.until(func() bool { return c.ended }) // of its stream
		time.Sleep(wait)
		if c.bad != "CL-30 anew" {
			c.header = func(h http.Header, _ []byte) { h.Set("Last-Event-Id", c.lastEvent) }
		}
		c.listen(c.endpoint, nil)
		c.header = nil
	}
	if c.bad == "CL-17" || c.bad == "CL-17 good" {
		c.server.EndSession(c.session)
		c.ask("resources/list", nil)
		if c.bad == "CL-17" {
			c.ask("resources/list", nil)
			return
		}
		c.session = ""
		c.handshake()
		c.walk("resources/list", "resources", "uri")
	}
}

// input reads what asks for a form first, and fills it in.
func (c *scripted) input() {
	params := func() map[string]any {
		return map[string]any{"uri": "test://greeting", "_meta": map[string]any{
			"io.modelcontextprotocol/protocolVersion": c.revision,
			"io.modelcontextprotocol/clientInfo":      map[string]any{"name": "script", "version": "1"},
			"io.modelcontextprotocol/" +
				"clientCapabilities": map[string]any{"elicitation": map[string]any{"form": map[string]any{}}},
		}}
	}
	r := c.ask("resources/read", params()).Get("result")
	if r.Get("resultType").String() != "input_required" {
		c.t.Errorf("no input is asked for: %s", r.Raw)
		return
	}
	again := params()
	answers := map[string]any{}
	r.Get("inputRequests").ForEach(func(key, _ gjson.Result) bool {
		answers[key.String()] = map[string]any{"action": "accept", "content": map[string]any{"name": "Ada"}}
		return true
	})
	state := r.Get("requestState").String()
	switch c.bad {
	case "CL-34 state":
		state += "x"
	case "CL-34 input":
		answers = map[string]any{"another": map[string]any{"action": "decline"}}
	}
	again["inputResponses"], again["requestState"] = answers, state
	c.ask("resources/read", again)
}
