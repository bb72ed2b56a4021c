package engine

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

const (
	secret = "a-token"
	pieces = 3 // entries on a page
)

func pointer[T any](v T) *T { return &v }

// source is content that is fetched.
type source struct{}

func (source) Fetch(context.Context) (world.Content, error) {
	return world.Content{Data: []byte("fetched"), MIMEType: "text/plain"}, nil
}

// allKinds has a resource of every kind.
func allKinds() world.World {
	return world.World{
		Name: "kinds",
		Server: world.Implementation{Name: "kinds", Version: "1", Title: "Kinds",
			Icons: []world.Icon{{Src: "https://example.invalid/i.png"}}},
		Capabilities: pointer(world.World{}.Offered()),
		Resources: []world.Resource{
			{URI: "kind:text", Name: "text", Text: pointer("plain <&> \u2028 \"text\"\n")},
			{URI: "kind:blob", Name: "blob", Blob: pointer("AAECAw=="), MIMEType: "application/octet-stream"},
			{URI: "kind:empty", Name: "empty"},
			{URI: "kind:described", Name: "described", Title: "T", Description: "D <&>", MIMEType: "text/x",
				Text: pointer("d"), Size: pointer(int64(7)),
				Annotations: &world.Annotations{Audience: []string{"user"}, Priority: pointer(0.5),
					LastModified: "2025-01-02T03:04:05Z"},
				Icons: []world.Icon{{Src: "https://example.invalid/i.png", Sizes: []string{"any"}}},
				Meta:  map[string]any{"x/y": map[string]any{"n": 1.5}}},
			{URI: "kind:generated", Name: "generated", Generate: &world.Generate{Bytes: 3000, Line: "line"}},
			{URI: "kind:fetched", Name: "fetched", Source: source{}},
			{URI: "kind:directory", Name: "directory", Contains: []string{"kind:text", "kind:blob",
				"kind:cached"}},
			{URI: "kind:hidden", Name: "hidden", Hidden: true, Text: pointer("h")},
			{URI: "kind:cached", Name: "cached", Text: pointer("c"), Caching: &world.Caching{TTL: time.Hour,
				Scope: "public"}},
			{URI: "kind:slow", Name: "slow", Text: pointer("s"), Delay: time.Millisecond, Steps: 2},
			{URI: "kind:steps", Name: "steps", Text: pointer("s"), Steps: 2},
			{URI: "kind:fails", Name: "fails", Fails: "broken", FailCode: -32099},
			{URI: "kind:input", Name: "input", Text: pointer("hello {who}"),
				Input: &world.Input{Key: "k", Message: "Who?",
					Fields: []world.Field{{Name: "who", Default: "you"}}}},
		},
		Templates: []world.Template{
			{URITemplate: "kind:t/{x}", Name: "t", Text: pointer("t {x}")},
			{URITemplate: "kind:u/{x}", Name: "u", Text: pointer("u {x}"),
				Variables: []world.Variable{{Name: "x", Values: []string{"1"}, Closed: true}}},
			{URITemplate: "kind:v/{x}", Name: "v", Finds: "kind:{x}"},
			{URITemplate: "kind:w/{x}", Name: "w", Text: pointer("w")},
		},
	}
}

var kindURIs = []string{
	"kind:text", "kind:blob", "kind:empty", "kind:described", "kind:generated", "kind:fetched",
	"kind:directory", "kind:hidden", "kind:cached", "kind:steps", "kind:fails",
	"kind:input", "kind:private", "kind:new", "kind:gone", "kind:t/1", "kind:t/%2E%2E", "kind:u/1",
	"kind:u/2", "kind:v/text", "kind:v/gone", "no uri", "", "x:%", "=?base64?eDp5?=",
}

// pair is two servers of the same: one sends results as it keeps them, the other has a hook
// that looks at them all.
type pair struct {
	t        testing.TB
	engines  [2]*Engine
	journals [2]*journal.Journal
	sessions [2]map[string]string // by revision
}

func newPair(t testing.TB, w func() world.World, pageSize int) *pair {
	l := &pair{t: t}
	now := time.Now()
	for i, h := range []hook.Hooks{{}, hook.EditReply("", func(*hook.Call, *hook.Reply) {})} {
		l.journals[i] = journal.New(journal.Options{MaxRaw: 200})
		h.OffGrid = hook.Always
		e, err := New(Config{World: w(), PageSize: pageSize, Journal: l.journals[i], Hooks: h,
			Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = e.Close() })
		l.engines[i] = e
		l.sessions[i] = map[string]string{}
		for _, revision := range hook.Revisions()[:4] {
			l.shake(i, revision)
		}
	}
	return l
}

// shake opens the session of a revision, if it has sessions.
func (l *pair) shake(i int, revision string) {
	if !hook.Modern(revision) {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%q,`+
			`"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`, revision)
		l.sessions[i][revision] = l.send(i, asked{body: body, header: map[string]string{}}).Header().Get(
			headerSession)
	}
}

// asked is a POST; the session is that of a revision.
type asked struct {
	body, revision string
	header         map[string]string
}

func (l *pair) request(i int, a asked) *http.Request {
	r := httptest.NewRequest(http.MethodPost, PathStreamable, strings.NewReader(a.body))
	r.RemoteAddr = "client"
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if id := l.sessions[i][a.revision]; id != "" {
		r.Header.Set(headerSession, id)
	}
	for name, value := range a.header {
		r.Header.Set(name, value)
	}
	return r
}

func (l *pair) send(i int, a asked) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	l.engines[i].ServeHTTP(w, l.request(i, a))
	return w
}

// both sends a request to both and returns what both answer.
func (l *pair) both(a asked) (status int, body string, differ string) {
	one, other := l.send(0, a), l.send(1, a)
	same := func(what string, x, y any) {
		if fmt.Sprint(x) != fmt.Sprint(y) {
			differ += fmt.Sprintf("%s: %v, and with a hook %v\n", what, x, y)
		}
	}
	same("status", one.Code, other.Code)
	same("header", one.Header(), other.Header())
	same("body", one.Body, other.Body)
	same("journal", l.entries(0), l.entries(1))
	return one.Code, one.Body.String(), differ
}

// entries takes the entries out of a journal. What differs between servers is left out.
func (l *pair) entries(i int) string {
	var b strings.Builder
	for _, e := range l.journals[i].Query(journal.Query{}) {
		e.Time = time.Time{}
		raw, err := json.Marshal(e)
		if err != nil {
			l.t.Fatal(err)
		}
		b.Write(append(raw, '\n'))
	}
	l.journals[i].Clear()
	text := b.String()
	for revision, id := range l.sessions[i] {
		text = strings.ReplaceAll(text, id, "session of "+revision)
	}
	return text
}

func (l *pair) change(f func(e *Engine) error) {
	for i, e := range l.engines {
		if err := f(e); err != nil {
			l.t.Fatalf("server %d: %v", i, err)
		}
	}
}

// ask makes a well-formed request of a revision.
func ask(revision, id, method, params string) asked {
	a := asked{revision: revision, header: map[string]string{headerVersion: revision}}
	if hook.Modern(revision) {
		meta := fmt.Sprintf(`"_meta":{%q:%q,%q:{},%q:{"name":"c","version":"1"}}`, metaVersion, revision,
			metaCapabilities, metaClientInfo)
		params = strings.TrimSuffix(meta+","+params, ",")
		a.header[headerMethod] = method
	}
	a.body = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s}}`, id, method, params)
	return a
}

func askRead(revision, id, uri string) asked {
	a := ask(revision, id, hook.MethodRead, fmt.Sprintf(`"uri":%q`, uri))
	if hook.Modern(revision) {
		a.header[headerName] = uri
	}
	return a
}

// overStdio is the answer to a request on stdio.
func overStdio(t *testing.T, e *Engine, a asked) string {
	t.Helper()
	c, err := e.Pipe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	r := bufio.NewReader(c)
	say := func(line string) string {
		if _, err := c.Write([]byte(line + "\n")); err != nil {
			t.Fatal(err)
		}
		for {
			answer, err := r.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(answer, `"method"`) {
				return strings.TrimSuffix(answer, "\n")
			}
		}
	}
	if !hook.Modern(a.revision) {
		say(fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%q,`+
			`"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`, a.revision))
	}
	return say(a.body)
}
