package reference_test

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

func parse(t *testing.T, text string) reference.World {
	t.Helper()
	w, err := world.Parse("w.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// ask sends a modern request on behalf of the owner of a token, and returns the answer.
func ask(t *testing.T, server *reference.Server, token, method, uri string) string {
	t.Helper()
	params := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/` +
		`clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	if uri != "" {
		params += `,"uri":"` + uri + `"`
	}
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `}}`
	req := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(body))
	if uri != "" {
		req.Header.Set("Mcp-Name", uri)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": hook.R20260728, "Mcp-Method": method,
	} {
		req.Header.Set(name, value)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	rec := httptest.NewRecorder()
	server.Handler().ServeHTTP(rec, req)
	return rec.Body.String()
}

func TestPrivateResources(t *testing.T) {
	w := parse(t, `
caching: {ttl: 1m, scope: public}
resources:
  - {uri: 'a:all', name: all, text: for everyone}
  - {uri: 'a:alice', name: alice, text: for Alice, identities: [alice], caching: {ttl: 1m, scope: public}}
  - {uri: 'a:print', name: print, text: for Bob, identities: ["`+journal.Fingerprint("bob")+`"]}
  - {uri: 'a:both', name: both, contains: ['a:all', 'a:alice']}
templates:
  - {uriTemplate: 'b:{name}', name: t, finds: 'a:{name}'}
`)
	server := reference.Start(t, w).Server
	for _, test := range []struct {
		token, uri string
		sees       bool
	}{
		{"", "a:all", true}, {"", "a:alice", false}, {"alice", "a:alice", true}, {"bob", "a:alice", false},
		{"bob", "a:print", true}, {"alice", "a:print", false},
		{"alice", "b:alice", true}, {"bob", "b:alice", false}, {"", "b:all", true},
	} {
		got := ask(t, server, test.token, hook.MethodRead, test.uri)
		if strings.Contains(got, "for ") != test.sees || strings.Contains(got, "-32602") == test.sees {
			t.Errorf("%q reads %s: %s", test.token, test.uri, got)
		}
		list := ask(t, server, test.token, hook.MethodList, "")
		if strings.HasPrefix(test.uri, "a:") && strings.Contains(list, `"`+test.uri+`"`) != test.sees {
			t.Errorf("%q lists %s: %s", test.token, test.uri, list)
		}
		if !strings.Contains(list, `"cacheScope":"private"`) {
			t.Errorf("a list that depends on who asks is %s", list)
		}
	}
	if got := ask(t, server, "alice", hook.MethodRead, "a:alice"); !strings.Contains(got,
		`"cacheScope":"private"`) {
		t.Errorf("a private resource may be cached for all: %s", got)
	}
	if got := ask(t, server, "", hook.MethodRead, "a:both"); strings.Contains(got, "Alice") ||
		!strings.Contains(got, "everyone") {
		t.Errorf("a directory shows what is private: %s", got)
	}
	if server.Remove("a:alice") && server.Remove("a:print") {
		if list := ask(t, server, "", hook.MethodList, ""); !strings.Contains(list, `"cacheScope":"public"`) {
			t.Errorf("without private resources: %s", list)
		}
	}
}

func TestAnswersOfResourcesAndTemplates(t *testing.T) {
	w := parse(t, `
resources:
  - {uri: 'a:code', name: n, fails: busy, failCode: -32050}
  - {uri: 'a:fails', name: n, fails: broken}
  - {uri: 'a:generated', name: n, generate: {bytes: 3, line: x, binary: true}}
templates:
  - {uriTemplate: 'blob:{x}', name: n, mimeType: application/octet-stream, binary: true, text: '<{x}>'}
  - {uriTemplate: 'fails:{x}', name: n, fails: '{x} is out', failCode: -32051, text: x}
  - {uriTemplate: 'slow:{x}', name: n, delay: 3s, text: '{x}', caching: {ttl: 7s}}
`)
	synctest.Test(t, func(t *testing.T) {
		server := reference.Start(t, w).Server
		for uri, want := range map[string]string{
			"a:code":  `"code":-32050,"message":"busy"`,
			"a:fails": `"code":-32603,"message":"Internal error: broken"`, "a:generated": `"blob":"`,
			"blob:a%2Fb": `"blob":"PGEvYj4="`, "fails:x": `"code":-32051,"message":"{x} is out"`,
			"slow:x": `"cacheScope":"private","contents"`,
		} {
			begin := time.Now()
			if got := ask(t, server, "", hook.MethodRead, uri); !strings.Contains(got, want) {
				t.Errorf("%s: %s", uri, got)
			}
			if took := time.Since(begin); strings.HasPrefix(uri, "slow") != (took == 3*time.Second) {
				t.Errorf("%s took %s", uri, took)
			}
		}
	})
}

func TestRepeatedResourcesAreMadeWhenTheyAreRead(t *testing.T) {
	w := parse(t, "pageSize: 2\nresources:\n  - {uri: 'a:{n}', name: n, repeat: {count: 5000}, generate: "+
		"{bytes: 1048576, line: 'line {n}'}}\n")
	server := reference.Start(t, w) // all contents together would be 5 GiB
	if h := server.Health(); h.Resources != 5000 {
		t.Errorf("%+v", h)
	}
	if got := ask(t, server.Server, "", hook.MethodRead, "a:4999"); len(got) < 1<<20 ||
		!strings.Contains(got, "line 4999") {
		t.Errorf("%d bytes: %.200s", len(got), got)
	}
	if got := ask(t, server.Server, "", hook.MethodList, ""); !strings.Contains(got, `"size":1048576`) {
		t.Errorf("%s", got)
	}
	built := reference.Start(t,
		reference.World{Resources: []reference.Resource{{URI: "a:{n}", Name: "n",
			Repeat: &world.Repeat{Count: 3}}}})
	if h := built.Health(); h.Resources != 3 {
		t.Errorf("a world made in Go: %+v", h)
	}
}

// elsewhere is a source and a finder.
type elsewhere struct {
	content world.Content
	err     error
}

func (e *elsewhere) Fetch(context.Context) (world.Content, error) { return e.content, e.err }

func (e *elsewhere) Find(_ context.Context, values map[string]string) (reference.Resource, bool) {
	return reference.Resource{Name: "found", Source: e}, values["x"] != "nothing"
}

func (e *elsewhere) Suggest(_ context.Context, _, typed string) []string {
	return []string{typed + "-suggested"}
}

func TestSources(t *testing.T) {
	e := &elsewhere{content: world.Content{Data: []byte("fetched"), MIMEType: "text/x-fetched"}}
	server := reference.Start(t, reference.World{
		Resources: []reference.Resource{{URI: "a:b", Name: "n", MIMEType: "text/plain", Source: e}},
		Templates: []reference.Template{{URITemplate: "c:{x}", Name: "n", Source: e}},
	}).Server
	for _, uri := range []string{"a:b", "c:d"} {
		if got := ask(t, server, "", hook.MethodRead, uri); !strings.Contains(got,
			`"mimeType":"text/x-fetched","text":"fetched","uri":"`+uri) {
			t.Errorf("%s: %s", uri, got)
		}
	}
	if got := ask(t, server, "", hook.MethodRead, "c:nothing"); !strings.Contains(got, "Resource not found") {
		t.Error(got)
	}
	if got := ask(t, server, "", hook.MethodList, ""); strings.Contains(got, `"size"`) {
		t.Errorf("a size that nobody knows: %s", got)
	}
	if found, err := server.Patch("a:b", []byte(`{"title":"T"}`)); !found || err != nil {
		t.Errorf("%v, %v", found, err)
	}
	if got := ask(t, server, "", hook.MethodRead, "a:b"); !strings.Contains(got, "fetched") {
		t.Errorf("a patch of the title loses the content: %s", got)
	}
	e.err = errors.New("out of order")
	if got := ask(t, server, "", hook.MethodRead, "a:b"); !strings.Contains(got,
		`"code":-32603,"message":"Internal error: out of order"`) {
		t.Error(got)
	}
	e.err = fs.ErrNotExist
	if got := ask(t, server, "", hook.MethodRead, "a:b"); !strings.Contains(got, "Resource not found") {
		t.Error(got)
	}
}

func TestChangeTellsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, serve(t, reference.Options{}), hook.R20251125, hook.Stdio)
		defer c.close()
		c.result("resources/subscribe", object{"uri": "note:shopping"})
		text := "changed"
		put := func(uri string) reference.Resource {
			return reference.Resource{URI: uri, Name: uri, Text: &text}
		}
		if err := c.server.Change([]reference.Resource{put("a:1"), put("a:2"), put("note:shopping")},
			[]string{"test://slow", "a:none"}); err != nil {
			t.Fatal(err)
		}
		if len(c.notes("notifications/resources/updated")) != 1 ||
			len(c.notes("notifications/resources/list_changed")) != 1 {
			t.Error("not each change is told of once")
		}
		if err := c.server.Change([]reference.Resource{put("a:3"), {URI: "a:4", File: "x"}},
			nil); err == nil {
			t.Error("what cannot be served is put")
		}
	})
}

func TestResetBringsBackTheCurrentWorld(t *testing.T) {
	w := reference.World{Resources: []reference.Resource{{URI: "a:old", Name: "n"}}}
	server := reference.Start(t, w, reference.WithOptions(func(o *reference.Options) {
		o.Current = func() reference.World { return w }
	}))
	w = reference.World{Resources: []reference.Resource{{URI: "a:new", Name: "n"}}}
	if err := server.Reset(); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, server.Server, "", hook.MethodList, ""); !strings.Contains(got, "a:new") ||
		strings.Contains(got, "a:old") {
		t.Error(got)
	}
}

// TestBigStartsSmall: what is generated is not made before it is read, and resources are not held
// several times over.
func TestBigStartsSmall(t *testing.T) {
	w := parse(t, `
resources:
  - {uri: "note:{n}", name: "note {n}", text: "note {n}", repeat: {count: 10000}}
  - {uri: "log:{n}", name: "log {n}", repeat: {count: 60}, generate: {bytes: 1048576, line: "log {n}"}}
`)
	held := func() int64 {
		runtime.GC()
		runtime.GC() // what the first one found in pools
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := held()
	s, err := reference.New(w, reference.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const most = 20 << 20
	if got := held() - before; got > most {
		t.Errorf("%d MiB are held", got>>20)
	} else {
		t.Logf("%d MiB are held", got>>20)
	}
	if err := s.Close(); err != nil || len(w.Resources) != 10_060 {
		t.Error(err)
	}
}
