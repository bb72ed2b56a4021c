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
			for params := map[string]any(nil); ; {
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
			if m := gjson.ParseBytes(raw); !m.Get("method").Exists() {
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
			"response": map[string]any{"status": a.StatusCode, "headers": pairs(a.Header), "content": content}})
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
	made := map[string]string{"journal": journal.String(), "recording": `{"format":"mockserver.recording/1",` +
		`"started":"2026-01-01T00:00:00Z"}` + "\n" + journal.String()}
	var inspector []any
	for _, l := range c.lines {
		fmt.Fprintf(&lines, `{"dir":%q,"time":%q,"message":%s}`+"\n", l.dir, l.at.Format(time.RFC3339Nano), l.text)
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

func judgeTrace(t *testing.T, text string) *reports.Report {
	t.Helper()
	r, err := engine.JudgeTrace(strings.NewReader(text), trace.Options{}, reports.Tool{}, false)
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

// TestTraceOfTheReference: whatever a sound server says, in whatever format, nothing in it is red.
func TestTraceOfTheReference(t *testing.T) {
	for _, quirk := range []string{"", "empty-pages-between", "event-stream-answers", "extra-members"} {
		for _, revision := range reference.Revisions() {
			for name, play := range map[string]func(*testing.T, *reference.TestServer, string) *talk{
				"stdio": onPipe, "http": onHTTP} {
				if revision == "2024-11-05" && name == "http" {
					continue
				}
				s := reference.Start(t, reference.DefaultWorld(), reference.WithPageSize(5))
				if quirk != "" {
					s.Quirk(quirk)
				}
				for kind, text := range play(t, s, revision).formats(s) {
					r := judgeTrace(t, text)
					if all := red(r); len(all) > 0 || r.Summary.Outcome != reports.Conformant ||
						r.Config.Trace != kind || r.Summary.Scope != reports.Partial || r.Summary.Conformant {
						t.Errorf("%s, %s, %s, %q: %s %s\n%s", revision, name, kind, quirk, r.Summary.Outcome,
							r.Config.Trace, strings.Join(all, "\n"))
					}
					t.Log(revision, name, kind, r.Summary.Pass, r.Summary.NotApplicable)
				}
			}
		}
	}
	_ = rand.IntN
	_ = slices.Contains[[]string]
}
