package engine_test

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/engine"
	"github.com/mcpcheck/mcpcheck/suite/trace"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/tidwall/gjson"
)

// talk is a client that keeps to the specification, and writes down what is said in every format.
type talk struct {
	t        *testing.T
	revision string
	post     func(method, uri string, message []byte) []byte // returns the response
	id       int
	lines    []line
	calls    []any // of a HAR file
}

// line is a message as it was seen.
type line struct {
	dir  string
	at   time.Time
	text string
}

func (c *talk) note(dir string, message []byte) {
	c.lines = append(c.lines, line{dir, time.Now(), string(bytes.TrimSpace(message))})
}

// ask sends a request, or a notification, and returns the result.
func (c *talk) ask(method string, params map[string]any) gjson.Result {
	message := map[string]any{"jsonrpc": "2.0", "method": method}
	if params == nil {
		params = map[string]any{}
	}
	if c.modern() {
		const key = "io.modelcontextprotocol/"
		params["_meta"] = map[string]any{key + "protocolVersion": c.revision,
			key + "clientInfo":         map[string]any{"name": "c", "version": "1"},
			key + "clientCapabilities": map[string]any{}}
	}
	message["params"] = params
	if !strings.HasPrefix(method, "notifications/") {
		c.id++
		message["id"] = c.id
	}
	raw, err := json.Marshal(message)
	if err != nil {
		c.t.Fatal(err)
	}
	uri, _ := params["uri"].(string)
	return gjson.GetBytes(c.post(method, uri, raw), "result")
}

func (c *talk) modern() bool { return c.revision >= "2026-07-28" }

// all does what clients do with resources.
func (c *talk) all() {
	if c.modern() {
		c.ask("server/discover", nil)
	} else {
		c.ask("initialize", map[string]any{"protocolVersion": c.revision, "capabilities": map[string]any{},
			"clientInfo": map[string]any{"name": "c", "version": "1"}})
		c.ask("notifications/initialized", nil)
	}
	for range 2 {
		var uris []string
		for _, method := range []string{"resources/list", "resources/templates/list"} {
			params := map[string]any(nil)
			for range 12 { // pages, of which a list may have no end
				r := c.ask(method, params)
				for _, u := range r.Get("resources.#.uri").Array() {
					uris = append(uris, u.Str)
				}
				next := r.Get("nextCursor")
				if next.Type != gjson.String {
					break
				}
				params = map[string]any{"cursor": next.Str}
			}
		}
		for _, uri := range uris[:min(len(uris), 12)] {
			c.ask("resources/read", map[string]any{"uri": uri})
		}
	}
	c.ask("completion/complete", map[string]any{"ref": map[string]any{"type": "ref/resource",
		"uri": "note:///{name}"}, "argument": map[string]any{"name": "name", "value": ""}})
}

// onPipe talks over stdio.
func onPipe(t *testing.T, s *reference.TestServer, revision string) *talk {
	pipe := s.Connect()
	in := bufio.NewReader(pipe)
	c := &talk{t: t, revision: revision}
	c.post = func(_, _ string, message []byte) []byte {
		c.note("out", message)
		if _, err := pipe.Write(append(message, '\n')); err != nil {
			t.Fatal(err)
		}
		for id := gjson.GetBytes(message, "id"); id.Exists(); {
			raw, err := in.ReadBytes('\n')
			if err != nil {
				t.Fatal(err)
			}
			c.note("in", raw)
			if m := gjson.ParseBytes(raw); gjson.ValidBytes(raw) && !m.Get("method").Exists() {
				return raw
			}
		}
		return nil
	}
	c.all()
	if err := pipe.Close(); err != nil {
		t.Fatal(err)
	}
	return c
}

// onHTTP talks over Streamable HTTP.
func onHTTP(t *testing.T, s *reference.TestServer, revision string) *talk {
	c := &talk{t: t, revision: revision}
	session := ""
	c.post = func(method, uri string, message []byte) []byte {
		q, err := http.NewRequest(http.MethodPost, s.URL(), bytes.NewReader(message))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{"Content-Type": "application/json",
			"Accept": "application/json, text/event-stream", "Mcp-Session-Id": session,
			"Authorization": "Bearer very-secret-token"} {
			if value != "" {
				q.Header.Set(name, value)
			}
		}
		if method != "initialize" {
			q.Header.Set("Mcp-Protocol-Version", revision)
		}
		if c.modern() {
			q.Header.Set("Mcp-Method", method)
			if uri != "" {
				q.Header.Set("Mcp-Name", uri)
			} else if method == "completion/complete" {
				q.Header.Set("Mcp-Name", "note:///{name}")
			}
		}
		began := time.Now()
		a, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(a.Body)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		session = cmp.Or(a.Header.Get("Mcp-Session-Id"), session)
		content := map[string]any{"mimeType": a.Header.Get("Content-Type"), "text": string(body)}
		if c.id%2 == 0 { // as some browsers do
			content["text"], content["encoding"] = base64.StdEncoding.EncodeToString(body), "base64"
		}
		c.calls = append(c.calls, map[string]any{"startedDateTime": began, "time": 1.5,
			"request": map[string]any{"method": "POST", "url": s.URL(), "headers": pairs(q.Header),
				"postData": map[string]any{"text": string(message)}},
			"response": map[string]any{"status": a.StatusCode, "headers": pairs(a.Header),
				"content": content}})
		if data, found := bytes.CutPrefix(body, []byte("data: ")); found {
			return data
		}
		for part := range strings.SplitSeq(string(body), "\n") {
			if data, found := strings.CutPrefix(part, "data: "); found && gjson.Get(data, "result").Exists() {
				return []byte(data)
			}
		}
		return body
	}
	c.all()
	return c
}

func pairs(h http.Header) (all []any) {
	for name, values := range h {
		for _, value := range values {
			all = append(all, map[string]any{"name": name, "value": value})
		}
	}
	return all
}

// formats are the traces of what was said, by kind.
func (c *talk) formats(s *reference.TestServer) map[string]string {
	var journal, lines, log bytes.Buffer
	if _, err := s.Journal().WriteTo(&journal); err != nil {
		c.t.Fatal(err)
	}
	const head = `{"format":"mockserver.recording/1","started":"2026-01-01T00:00:00Z"}` + "\n"
	made := map[string]string{"journal": journal.String(), "recording": head + journal.String()}
	var inspector []any
	for _, l := range c.lines {
		what := `"message":` + l.text
		if !gjson.Valid(l.text) {
			what = `"raw":` + encoded(c.t, l.text)
		}
		fmt.Fprintf(&lines, `{"dir":%q,"time":%q,%s}`+"\n", l.dir, l.at.Format(time.RFC3339Nano), what)
		if !gjson.Valid(l.text) {
			continue
		}
		who := map[string]string{"out": "client", "in": "server"}[l.dir]
		fmt.Fprintf(&log, "%s [demo] [info] Message from %s: %s { metadata: undefined }\n",
			l.at.Format(time.RFC3339Nano), who, l.text)
		inspector = append(inspector, map[string]any{"timestamp": l.at, "origin": who, "direction": "x",
			"message": json.RawMessage(l.text)})
	}
	if inspector != nil {
		made["messages"], made["log"] = lines.String(), log.String()
		made["inspector"] = encoded(c.t, inspector)
	}
	if c.calls != nil {
		made["har"] = encoded(c.t, map[string]any{"log": map[string]any{"entries": c.calls}})
	}
	return made
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func judged(text string, o trace.Options) (*reports.Report, error) {
	return engine.JudgeTrace(strings.NewReader(text), o, reports.Tool{}, false)
}

func judgeTrace(t *testing.T, text string) *reports.Report {
	t.Helper()
	r, err := judged(text, trace.Options{})
	if err != nil {
		t.Fatalf("%v\n%.400s", err, text)
	}
	return r
}

func red(r *reports.Report) (all []string) {
	for _, x := range r.Results {
		if x.Verdict.Red() || x.Verdict == reports.Blocked {
			all = append(all, fmt.Sprint(x.ID, " ", x.Actual, x.Reason))
		}
	}
	return all
}

// eachTrace plays against a server over both transports, and visits what was written down.
func eachTrace(t *testing.T, revision string, o []reference.Option, visit func(where, kind, text string)) {
	t.Helper()
	for name, play := range map[string]func(*testing.T, *reference.TestServer, string) *talk{
		"stdio": onPipe, "http": onHTTP} {
		if revision == "2024-11-05" && name == "http" {
			continue
		}
		s := reference.Start(t, reference.DefaultWorld(), slices.Insert(o, 0, reference.WithPageSize(5))...)
		for kind, text := range play(t, s, revision).formats(s) {
			visit(fmt.Sprint(kind, " of ", revision, " on ", name), kind, text)
		}
	}
}

// TestTraceOfTheReference: whatever a sound server says, in whatever format, nothing in it is red. A report
// on it is partial, has no secrets, and can be read again.
func TestTraceOfTheReference(t *testing.T) {
	for _, revision := range reference.Revisions() {
		quirks := []string{"priming-in-all-revisions", "foreign-events", "crlf-events", "empty-pages-between"}
		if revision != "2025-11-25" {
			quirks = nil
		}
		for _, quirk := range append(quirks, "") {
			var o []reference.Option
			if quirk != "" {
				o = append(o, reference.WithQuirk(quirk))
			}
			eachTrace(t, revision, o, func(where, kind, text string) {
				r := judgeTrace(t, text)
				all := red(r)
				if len(all) > 0 || r.Summary.Outcome != reports.Conformant || r.Summary.Pass < 45 {
					t.Errorf("%s, %s: %s, %d pass, %s", where, quirk, r.Summary.Outcome, r.Summary.Pass, all)
				}
				if r.Config.Trace != kind || r.Summary.Conformant || r.Extent() != "partial: a trace" {
					t.Errorf("%s: %q, %v, %q", where, r.Config.Trace, r.Summary.Conformant, r.Extent())
				}
				var b bytes.Buffer
				if err := reports.WriteJSON(&b, r); err != nil {
					t.Fatal(err)
				}
				whole := strings.Replace(b.String(), `"scope":"partial"`, `"scope":"full"`, 1)
				if _, err := reports.ReadJSON(strings.NewReader(whole)); err == nil || whole == b.String() {
					t.Errorf("%s: a report on a trace that calls itself full is read", where)
				}
				if strings.Contains(b.String(), "very-secret") {
					t.Errorf("%s: a secret is told", where)
				}
				if _, err := reports.ReadJSON(&b); err != nil {
					t.Errorf("%s: %v", where, err)
				}
				if strings.Contains(r.Summary.ByRevision(), "CONFORMANT") {
					t.Error(r.Summary.ByRevision())
				}
			})
		}
	}
}

// TestTraceOfAFault: what is wrong in a message turns its requirement red, in every format that shows it.
func TestTraceOfAFault(t *testing.T) {
	for fault, in := range map[string]string{
		"list-02-missing-name": "2025-06-18", "read-06-url-safe-base64": "2024-11-05",
		"tmpl-02-no-name": "2025-03-26", "life-01-no-server-info": "2025-11-25",
		"page-01-number-cursor": "2025-11-25", "meta-11-no-result-type": "2026-07-28",
		"uri-03-space-in-uri": "2026-07-28", "ann-05-priority-five": "2025-06-18",
		"cache-05-negative": "2026-07-28", "rpc-25-says-it-twice": "2025-11-25",
		"icon-03-relative-src": "2025-11-25", "page-02-last-page-cycles": "2025-06-18",
		"stdio-01-banner": "2025-06-18", "http-07-plain-text": "2025-06-18",
		"sse-02-two-messages": "2025-11-25",
	} {
		id := strings.ToUpper(strings.Join(strings.SplitN(fault, "-", 3)[:2], "-"))
		eachTrace(t, in, []reference.Option{reference.WithFault(fault)}, func(where, kind, text string) {
			for transport, only := range map[string]string{"stdio": "STDIO-01", "http": "HTTP-07 SSE-02"} {
				if strings.Contains(only, id) && !strings.HasSuffix(where, transport) {
					return
				}
			}
			if strings.Contains("RPC-25 STDIO-01", id) && (kind == "log" || kind == "inspector") {
				return // a client has read and rewritten it
			}
			if id == "STDIO-01" && kind != "messages" || id == "SSE-02" && kind != "har" {
				return // the mock notes messages, not bytes
			}
			all := red(judgeTrace(t, text))
			if !slices.ContainsFunc(all, func(x string) bool { return strings.HasPrefix(x, id+" ") }) {
				t.Errorf("%s, %s: %s", where, fault, all)
			}
		})
	}
}

// TestTraceIsCut: wherever a trace ends, nobody is accused of what is missing.
func TestTraceIsCut(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	times := map[string]int{}
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		o := []reference.Option{reference.WithQuirk("event-stream-answers")}
		eachTrace(t, revision, o, func(where, kind, text string) {
			for range 12 {
				at := random.IntN(len(text))
				r, err := judged(text[:at], trace.Options{})
				if err == nil {
					times[kind]++
				} else if strings.Contains(err.Error(), "\n") {
					t.Errorf("%s, cut at %d: %v", where, at, err)
				}
				if err == nil && len(red(r)) > 0 {
					t.Errorf("%s, cut at %d: %s", where, at, red(r))
				}
			}
			if calls := gjson.Get(text, "log.entries").Array(); len(calls) > 0 { // a capture that ended early
				c := calls[len(calls)/2].Raw
				said := gjson.Get(c, "response.content.text").Raw
				short := strings.Replace(c, said, said[:len(said)/2/4*4+1]+`"`, 1)
				if r := judgeTrace(t, strings.Replace(text, c, short, 1)); len(red(r)) > 0 {
					t.Errorf("%s, with half of a body: %s", where, red(r))
				}
			}
		})
	}
	for _, kind := range []string{"journal", "recording", "messages", "log"} {
		if times[kind] == 0 {
			t.Errorf("no %s was judged", kind)
		}
	}
}

// onSSE is a capture of HTTP+SSE: a stream, and the messages that were posted. The list has an entry without
// a name, and the last event was cut.
const onSSE = `{"log":{"entries":[
{"startedDateTime":"2026-01-01T00:00:00Z","time":900,"request":{"method":"GET","url":"http://x/sse","headers":[]},
 "response":{"status":200,"headers":[{"name":"content-type","value":"text/event-stream"}],"content":{"text":
 "event: endpoint\ndata: /message?id=1\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2024-11-05\",\"capabilities\":{\"resources\":{}},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resources\":[{\"uri\":\"a:b\"}]}}\n\ndata: {\"jso"}}},
{"startedDateTime":"2026-01-01T00:00:00.1Z","time":1,"request":{"method":"POST","url":"http://x/message?id=1","headers":[],"postData":{"text":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2024-11-05\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}"}},"response":{"status":202,"headers":[],"content":{}}},
{"startedDateTime":"2026-01-01T00:00:00.2Z","time":1,"request":{"method":"GET","url":"http://x/logo.png","headers":[]},"response":{"status":200,"headers":[],"content":{"text":"xx"}}},
{"startedDateTime":"2026-01-01T00:00:00.3Z","time":1,"request":{"method":"POST","url":"http://x/message?id=1","headers":[],"postData":{"text":"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"resources/list\"}"}},"response":{"status":202,"headers":[],"content":{}}}
]}}`

func TestTraceOfSSE(t *testing.T) {
	r := judgeTrace(t, onSSE)
	all, first := red(r), r.Results[0]
	if len(all) != 1 || !strings.HasPrefix(all[0], "LIST-02 ") || first.Transport != "sse" ||
		first.Revision != "2024-11-05" {
		t.Errorf("%s on %s: %s", r.Results[0].Revision, r.Results[0].Transport, all)
	}
}

// TestTraceOfABadClient: what follows a message that breaks the specification is not laid to the server, and
// neither is what comes after a session was begun anew.
func TestTraceOfABadClient(t *testing.T) {
	const begin = `
{"dir":"out","message":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}}
{"dir":"in","message":{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"resources":{}},"serverInfo":{"name":"s","version":"1"}}}}
`
	const nameless = `
{"dir":"in","message":{"jsonrpc":"2.0","id":2,"result":{"resources":[{"uri":"a:b"}]}}}
`
	const ask = `{"dir":"out","message":{"jsonrpc":"2.0","id":2,"method":"resources/list"%s}}`
	for asked, want := range map[string]int{
		fmt.Sprintf(ask, ""):                                       1,
		fmt.Sprintf(ask, `,"params":{"cursor":1}`):                 0,
		`{"dir":"out","raw":"junk"}` + "\n" + fmt.Sprintf(ask, ""): 0,
	} {
		for _, before := range []string{"", begin} { // a server that was started again
			for _, on := range []string{"stdio", "sse", "http"} {
				text := strings.ReplaceAll(before+begin+asked+nameless, `{"dir"`,
					`{"session":"a","transport":"`+on+`","dir"`)
				r := judgeTrace(t, text)
				if all := red(r); len(all) != want || r.Results[0].Transport != on {
					t.Errorf("%s: %s", text, all)
				}
			}
		}
	}
}

// TestTraceOfTwoClients: where two clients use one id at the same time, nothing says whose a response is. A
// message that is sent twice is no such case.
func TestTraceOfTwoClients(t *testing.T) {
	const begin = `
{"dir":"out","message":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}}
{"dir":"in","message":{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"resources":{}},"serverInfo":{"name":"s","version":"1"}}}}
{"dir":"out","message":{"jsonrpc":"2.0","id":2,"method":"resources/list"}}
`
	const other = `{"dir":"out","message":{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"a:b"}}}
{"dir":"in","message":{"jsonrpc":"2.0","id":2,"result":{"resources":[{"uri":"a:b","name":"n"}]}}}
{"dir":"in","message":{"jsonrpc":"2.0","id":2,"result":{"contents":[{"uri":"a:b","text":"x"}]}}}
`
	const twice = `{"dir":"out","message":{"jsonrpc":"2.0","id":2,"method":"resources/list"}}
{"dir":"in","message":{"jsonrpc":"2.0","id":2,"result":{"resources":[{"uri":"a:b"}]}}}
`
	for text, want := range map[string]int{begin + other: 0, begin + twice + twice: 1} {
		if all := red(judgeTrace(t, text)); len(all) != want {
			t.Errorf("%s: %s", text, all)
		}
	}
}

// TestTraceWithoutHeaders: headers that were stripped are none that the server left out.
func TestTraceWithoutHeaders(t *testing.T) {
	const text = `{"dir":"out","transport":"http","message":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}}
{"dir":"in","transport":"http","status":200,"message":{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"resources":{}},"serverInfo":{"name":"s","version":"1"}}}}
`
	if all := red(judgeTrace(t, text)); len(all) > 0 {
		t.Error(all)
	}
}

// TestTraceThatIsNone: what cannot be judged is refused in one sentence that says where and what.
func TestTraceThatIsNone(t *testing.T) {
	const badBody = `{"log":{"entries":[{"response":{"content":{"encoding":"base64","text":"!"}}}]}}`
	const list = `{"dir":"out","message":{"jsonrpc":"2.0","id":1,"method":"resources/list"}}` + "\n" +
		`{"dir":"in","message":{"jsonrpc":"2.0","id":1,"result":{"resources":[]}}}` + "\n"
	for text, want := range map[string]string{
		"":                           `the file begins with "", and is neither`,
		"hello\x1b[31m":              `the file begins with "hello`,
		`{"a":1}`:                    `HAR file, a journal or a recording of mockserver, lines with dir`,
		"[]":                         "is neither a recording",
		`[{"a":1}]`:                  "nothing to judge",
		`{"log":{"entries":[]}}`:     "is neither a recording",
		"{\"log\":{\n\"entries\":[{": "line 2: unexpected end",
		`{"log":{"entries":{}}}`:     `"log.entries" cannot be a JSON object`,
		badBody:                      "s[0].response.content.text: ",
		list + `{"dir":"up","message":{}}` + "\n":            `line 3: "dir" is "up", and not "out"`,
		list + `{"dir":"in"}` + "\n":                         `line 3: none of "message", "raw" and "base64"`,
		list + `{"dir":"in","status":"x"}` + "\n":            `line 3: "status" cannot be a JSON string`,
		list + `{"dir":"in","raw":"x","time":"noon"}` + "\n": `line 3: "time": `,
		list + "\n\nhalf\n":                                  "line 5: invalid character",
		`{"seq":1}` + "\n{\n":                                "line 2: ",
		list:                                                 "give it with --revision",
		list[:strings.Index(list, "\n")]:                     "nothing to judge",
	} {
		_, err := judged(text, trace.Options{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := judged(strings.Repeat(list, 5001), trace.Options{}); err == nil ||
		!strings.Contains(err.Error(), "more than 10000 messages: cut it into parts") {
		t.Error(err)
	}
	r, err := judged(list, trace.Options{Revision: "2025-06-18", Transport: "stdio"})
	if err != nil || r.Results[0].Revision != "2025-06-18" {
		t.Error(err)
	}
}

// TestTraceSchema: the lines that are judged here follow the schema that is published.
func TestTraceSchema(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(trace.Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("trace.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("trace.json")
	if err != nil {
		t.Fatal(err)
	}
	server := reference.Start(t, reference.DefaultWorld())
	text := onPipe(t, server, "2025-06-18").formats(server)["messages"]
	for line, want := range map[string]bool{text[:strings.Index(text, "\n")]: true, `{"dir":"in"}`: false,
		`{"dir":"in","raw":"x","time":1.5,"transport":"http","status":200,"headers":{"A":"b"}}`: true} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(v); (err == nil) != want {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// FuzzTrace: whatever stands in a trace, it is judged or refused.
func FuzzTrace(f *testing.F) {
	f.Add([]byte(onSSE))
	f.Add([]byte(`
{"dir":"out","message":[{"jsonrpc":"2.0","id":1,"method":"initialize"}],"transport":"http"}
{"dir":"in","base64":"e30=","status":200,"headers":{"authorization":"x"},"time":1e300}
`))
	f.Add([]byte(`2026-01-01T00:00:00Z [demo] [info] Message from client: {"id":1,"method":"ping"` + "\n"))
	f.Add([]byte(`[{"timestamp":"2026-01-01T00:00:00Z","origin":"client",` +
		`"message":{"id":1,"method":"resources/list"},"response":{"id":1,"result":{"resources":[{}]}},` +
		`"duration":-1}]`))
	f.Add([]byte(`{"format":"mockserver.recording/1"}
{"seq":1,"direction":"out","kind":"response","transport":"http","requestSeq":1,"http":{},"message":{"id":1,"result":{}}}
`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _ = judged(string(data), trace.Options{Revision: "2025-06-18"})
	})
}
