package reference_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/guard"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/operation"
)

// spaceOf is a namespace with one resource of its own.
func spaceOf(t *testing.T, s *reference.TestServer, name, text string) *reference.Server {
	t.Helper()
	w := reference.World{Name: name, Resources: []reference.Resource{{URI: "note:" + name, Name: name,
		Text: &text}}}
	inner, err := s.AddNamespace(name, reference.NamespaceOptions{World: &w})
	if err != nil {
		t.Fatal(err)
	}
	return inner
}

// listed asks for the resources without a session, and returns status and body.
func listed(t *testing.T, url string, header http.Header) (int, string) {
	t.Helper()
	const meta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/` +
		`clientCapabilities":{}}`
	body := `{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"_meta":` + meta + `}}`
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if header != nil {
		r.Header = header.Clone()
	}
	for name, value := range map[string]string{"Content-Type": "application/json",
		"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28",
		"Mcp-Method": "resources/list"} {
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

func TestNamespacesShareNothing(t *testing.T) {
	s := reference.Start(t, reference.DefaultWorld())
	a, b := spaceOf(t, s, "a", "one"), spaceOf(t, s, "b", "two")
	if _, err := a.AddRule(control.Rule{Fail: &control.Failure{Status: 503},
		Limits: control.Limits{Method: "resources/list"}}); err != nil {
		t.Fatal(err)
	}
	if status, body := listed(t, s.URL()+"/a", nil); status != 503 {
		t.Errorf("a: %d %s", status, body)
	}
	if status, body := listed(t, s.URL()+"/b", nil); status != 200 || !strings.Contains(body, "note:b") ||
		strings.Contains(body, "note:a") {
		t.Errorf("b: %d %s", status, body)
	}
	if status, body := listed(t, s.URL(), http.Header{"Mockserver-Namespace": {"b"}}); status != 200 ||
		!strings.Contains(body, "note:b") {
		t.Errorf("b by the header: %d %s", status, body)
	}
	if status, body := listed(t, s.URL(), nil); status != 200 || !strings.Contains(body, "note:shopping") {
		t.Errorf("no namespace: %d %s", status, body)
	}
	for name, want := range map[*reference.Server]int{a: 1, b: 2, s.Server: 1} {
		if err := name.Journal().Exactly(journal.Received("resources/list"), want); err != nil {
			t.Error(err)
		}
	}
	text := "more"
	if err := b.Put(reference.Resource{URI: "note:more", Name: "more", Text: &text}); err != nil {
		t.Fatal(err)
	}
	if err := a.Reset(); err != nil {
		t.Fatal(err)
	}
	if w := b.World(); len(a.Rules()) != 0 || w.Resource("note:more") == nil {
		t.Error("a reset of one namespace is one of another, or of none")
	}
	if all := s.Namespaces(); len(all) != 2 || all[0].Name != "a" || all[1].Path != "/mcp/b" ||
		all[1].World != "b" {
		t.Errorf("%+v", all)
	}
	if !s.RemoveNamespace("a") || s.RemoveNamespace("a") {
		t.Error("a is not removed once")
	}
	for _, path := range []string{"/a", "/nobody"} {
		if status, body := listed(t, s.URL()+path, nil); status != 404 ||
			!strings.Contains(body, "no namespace of this name") {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if status, body := listed(t, s.URL(), http.Header{"Mockserver-Namespace": {"nobody"}}); status != 404 {
		t.Errorf("nobody by the header: %d %s", status, body)
	}
}

func TestNamespacesAreBounded(t *testing.T) {
	s := reference.Start(t, reference.World{})
	if _, err := s.AddNamespace("a", reference.NamespaceOptions{}); err != nil {
		t.Fatal(err)
	}
	inner, _ := s.Namespace("a")
	for _, test := range []struct {
		of   *reference.Server
		name string
		o    reference.NamespaceOptions
		want string
	}{
		{s.Server, "a", reference.NamespaceOptions{}, "already"},
		{s.Server, "", reference.NamespaceOptions{}, "no name"},
		{s.Server, "..", reference.NamespaceOptions{}, "no name"},
		{s.Server, "a/b", reference.NamespaceOptions{}, "no name"},
		{s.Server, strings.Repeat("x", 65), reference.NamespaceOptions{}, "no name"},
		{s.Server, "b", reference.NamespaceOptions{Faults: []string{"http-26-one-spelling"}}, "share"},
		{s.Server, "b", reference.NamespaceOptions{Revisions: []string{"1999"}}, "unknown revision"},
		{s.Server, "b",
			reference.NamespaceOptions{World: &reference.World{
				Timeline: []reference.Step{{Refuse: time.Second}}}}, "share"},
		{s.Server, "b",
			reference.NamespaceOptions{World: &reference.World{
				Timeline: []reference.Step{{ExpireTokens: []string{"*"}}}}}, "share"},
		{s.Server, "b",
			reference.NamespaceOptions{World: &reference.World{
				Timeline: []reference.Step{{
					PutRule: &operation.Rule{Fault: "http-26-one-spelling"}}}}}, "share"},
		{inner, "b", reference.NamespaceOptions{}, "of its own"},
	} {
		if _, err := test.of.AddNamespace(test.name, test.o); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v", test.name, err)
		}
	}
	if _, err := inner.AddRule(control.Rule{Fault: "sec-06-everywhere"}); err == nil {
		t.Error("a rule of connections is one of a namespace")
	}
	for i := 1; i < reference.MaxNamespaces; i++ {
		if _, err := s.AddNamespace(fmt.Sprintf("n%d", i), reference.NamespaceOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.AddNamespace("more", reference.NamespaceOptions{}); err == nil {
		t.Error("there is no bound")
	}
}

// TestNamespaceOfEvents: HTTP+SSE tells the path of the namespace to post to.
func TestNamespaceOfEvents(t *testing.T) {
	s := reference.Start(t, reference.DefaultWorld())
	spaceOf(t, s, "a", "one")
	resp, err := http.Get(s.SSEURL() + "/a")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			if !strings.HasPrefix(data, "/message/a?sessionId=") {
				t.Errorf("%q", data)
			}
			return
		}
	}
	t.Error("there is no endpoint")
}

func TestNamespaceOfTokens(t *testing.T) {
	g, err := guard.New(guard.Options{Tokens: []guard.Token{{Secret: "alices-secret", Identity: "alice"}}})
	if err != nil {
		t.Fatal(err)
	}
	s := reference.Start(t, reference.DefaultWorld(),
		reference.WithOptions(func(o *reference.Options) { o.Guard = g }))
	spaceOf(t, s, "a", "one")
	base := strings.TrimSuffix(s.URL(), "/mcp")
	resp, err := http.Post(base+"/mcp/a", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	where := base + "/.well-known/oauth-protected-resource/mcp/a"
	if resp.StatusCode != 401 || !strings.Contains(resp.Header.Get("WWW-Authenticate"), where) {
		t.Errorf("%d %v", resp.StatusCode, resp.Header)
	}
	if resp, err = http.Get(where); err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	var metadata struct{ Resource string }
	if err := json.NewDecoder(resp.Body).Decode(&metadata); err != nil || metadata.Resource != base+"/mcp/a" {
		t.Errorf("%+v, %v", metadata, err)
	}
	alices := http.Header{"Authorization": {"Bearer alices-secret"}}
	if status, body := listed(t, base+"/mcp/a", alices); status != 200 || !strings.Contains(body, "note:a") {
		t.Errorf("%d %s", status, body)
	}
	g.Expire("alice")
	if a, _ := s.Namespace("a"); a.Reset() != nil {
		t.Error("the namespace is not reset")
	}
	if status, body := listed(t, base+"/mcp", alices); status != 401 {
		t.Errorf("the reset of a namespace has renewed the tokens of all: %d %s", status, body)
	}
	if err := s.Reset(); err != nil {
		t.Fatal(err)
	}
	if status, body := listed(t, base+"/mcp", alices); status != 200 {
		t.Errorf("after the reset of the server: %d %s", status, body)
	}
}

// BenchmarkNamespace says what a namespace takes after it has been used.
func BenchmarkNamespace(b *testing.B) {
	const many = reference.MaxNamespaces
	const shake = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	for b.Loop() {
		s, err := reference.New(reference.DefaultWorld(), reference.Options{})
		if err != nil {
			b.Fatal(err)
		}
		handler := s.Handler()
		post := func(name, session, body string) *httptest.ResponseRecorder {
			r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp/"+name, strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Mcp-Session-Id", session)
			w := httptest.NewRecorder()
			if handler.ServeHTTP(w, r); w.Code >= 300 {
				b.Fatal(w.Code, w.Body)
			}
			return w
		}
		before := inUse()
		for i := range many {
			name := fmt.Sprintf("suite-%d", i)
			if _, err := s.AddNamespace(name, reference.NamespaceOptions{}); err != nil {
				b.Fatal(err)
			}
			session := post(name, "", shake).Header().Get("Mcp-Session-Id")
			post(name, session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			post(name, session, `{"jsonrpc":"2.0","id":2,"method":"resources/list"}`)
			post(name, session,
				`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"note:shopping"}}`)
		}
		b.ReportMetric(float64(inUse()-before)/many, "B/namespace")
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// inUse is the memory of the heap that is in use, in bytes.
func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
