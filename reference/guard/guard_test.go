package guard_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/guard"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

func TestParse(t *testing.T) {
	tokens, err := guard.Parse("alices-secret@alice, bobs-secret@bob resources:read notes\nthird==")
	if err != nil || len(tokens) != 3 || tokens[0].Identity != "alice" || len(tokens[1].Scopes) != 2 ||
		tokens[2].Secret != "third==" {
		t.Errorf("%+v, %v", tokens, err)
	}
	for _, test := range []struct{ text, want string }{
		{"", "there is no token"}, {",,", "there is no token"}, {"abc", "token 1: a token has"},
		{"good-one, bad!one", "token 2: a token consists"},
		{"good-one@", "token 1: the name"}, {"good-one, good-one", "token 2: it has been given before"},
		{`good-one a"b`, "is no scope"}, {"go=od-one", "token 1: a token consists"},
	} {
		if _, err := guard.Parse(test.text); err == nil || !strings.Contains(err.Error(), test.want) ||
			strings.Contains(err.Error(), "bad!one") {
			t.Errorf("%q: %v", test.text, err)
		}
	}
	if d, err := guard.ParseDemand("notes:x=resources/read:note:**"); err != nil ||
		d != (guard.Demand{Scope: "notes:x", Method: "resources/read", URI: "note:**"}) {
		t.Errorf("%+v, %v", d, err)
	}
	for _, text := range []string{"", "a", "a=", "=b", "a=b:{", `a"=b`} {
		if _, err := guard.ParseDemand(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	for _, o := range []guard.Options{{}, {Tokens: []guard.Token{{}}},
		{Tokens: tokens, AuthorizationServer: "ftp://x"},
		{Tokens: tokens, Demands: []guard.Demand{{URI: "{"}}}} {
		if _, err := guard.New(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

// protected is a server with two tokens and a demand for notes.
func protected(t *testing.T, faults ...string) (*reference.TestServer, string) {
	t.Helper()
	g, err := guard.New(guard.Options{
		Tokens: []guard.Token{{Secret: "alices-secret", Identity: "alice"},
			{Secret: "bobs-secret", Identity: "bob", Scopes: []string{"read"}}},
		Demands: []guard.Demand{{Scope: "read", Method: "resources/*"},
			{Scope: "notes", Method: "resources/read", URI: hook.ProtectedURI}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w := reference.DefaultWorld()
	text := "for alice"
	w.Resources = append(w.Resources, reference.Resource{URI: "note:private", Name: "private", Text: &text,
		Identities: []string{"alice"}})
	s := reference.Start(t, w, reference.WithOptions(func(o *reference.Options) {
		o.Guard, o.Faults = g,
			faults
	}))
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	return s, web.URL
}

type answer struct {
	status    int
	challenge string
	session   string
	body      string
}

func send(t *testing.T, method, url, token, session, body string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": "application/json",
		"Accept": "application/json, text/event-stream", "Mcp-Session-Id": session} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	http.DefaultClient.CloseIdleConnections()
	return answer{resp.StatusCode, resp.Header.Get("WWW-Authenticate"), resp.Header.Get("Mcp-Session-Id"),
		string(data)}
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
	`"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`

func reading(uri string) string {
	return `{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"` + uri + `"}}`
}

func TestWhoMayDoWhat(t *testing.T) {
	_, base := protected(t)
	url := base + "/mcp"
	for _, token := range []string{"", "unknown-token", hook.TokenFull, hook.TokenWeak, hook.TokenForeign} {
		a := send(t, "POST", url, token, "", hello)
		if a.status != 401 || !strings.Contains(a.challenge, `resource_metadata="`+base+hook.PathMetadata+
			`/mcp"`) || strings.Contains(a.challenge, "invalid_token") != (token != "") {
			t.Errorf("%q: %+v", token, a)
		}
	}
	for path, resource := range map[string]string{"": "/mcp", "/mcp": "/mcp", "/sse": "/sse"} {
		a := send(t, "GET", base+hook.PathMetadata+path, "", "", "")
		var m struct {
			Resource string   `json:"resource"`
			Servers  []string `json:"authorization_servers"`
			Scopes   []string `json:"scopes_supported"`
		}
		if err := json.Unmarshal([]byte(a.body), &m); err != nil || a.status != 200 ||
			m.Resource != base+resource || len(m.Servers) != 1 || len(m.Scopes) != 2 {
			t.Errorf("%s: %+v %v", path, a, err)
		}
	}
	if a := send(t, "GET", base+hook.PathMetadata+"/other", "", "", ""); a.status != 404 {
		t.Errorf("%+v", a)
	}
	if a := send(t, "GET", base+"/sse", "", "", ""); a.status != 401 ||
		!strings.Contains(a.challenge, hook.PathMetadata+"/sse") {
		t.Errorf("%+v", a)
	}
	alice, bob := send(t, "POST", url, "alices-secret", "", hello), send(t, "POST", url, "bobs-secret", "",
		hello)
	if alice.status != 200 || bob.status != 200 {
		t.Fatalf("%+v %+v", alice, bob)
	}
	for _, test := range []struct {
		name, token, session, uri string
		status                    int
		want                      string
	}{
		{"all rights", "alices-secret", alice.session, hook.ProtectedURI, 200, "contents"},
		{"scope lacking", "bobs-secret", bob.session, hook.ProtectedURI, 403, "insufficient_scope"},
		{"scope there", "bobs-secret", bob.session, "note:todo", 200, ""},
		{"private", "alices-secret", alice.session, "note:private", 200, "for alice"},
		{"private of another", "bobs-secret", bob.session, "note:private", 200, "not found"},
		{"session of another", "bobs-secret", alice.session, "note:todo", 404, ""},
	} {
		a := send(t, "POST", url, test.token, test.session, reading(test.uri))
		if a.status != test.status || !strings.Contains(a.body, test.want) {
			t.Errorf("%s: %+v", test.name, a)
		}
		if test.status == 403 && (!strings.Contains(a.challenge, `scope="notes"`) ||
			!strings.Contains(a.challenge, `error="insufficient_scope"`) ||
			!strings.Contains(a.challenge, "resource_metadata=")) {
			t.Errorf("%s: %s", test.name, a.challenge)
		}
	}
	batch := `[` + reading("note:todo") + `,` + reading(hook.ProtectedURI) + `]`
	if a := send(t, "POST", url, "bobs-secret", bob.session, batch); a.status != 403 {
		t.Errorf("batch: %+v", a)
	}
}

// TestOwnersWithSeveralTokens: what belongs to an owner belongs to all tokens of the owner, such
// as one that was refreshed.
func TestOwnersWithSeveralTokens(t *testing.T) {
	tokens, err := guard.Parse("first-token@alice, second-token@alice, bobs-secret@bob, other-token, " +
		"last-token")
	if err != nil {
		t.Fatal(err)
	}
	g, err := guard.New(guard.Options{Tokens: tokens})
	if err != nil {
		t.Fatal(err)
	}
	w := reference.DefaultWorld()
	text := "for alice"
	w.Resources = append(w.Resources, reference.Resource{URI: "note:private", Name: "private", Text: &text,
		Identities: []string{"alice"}})
	s := reference.Start(t, w, reference.WithOptions(func(o *reference.Options) { o.Guard = g }))
	web := httptest.NewServer(s.Handler())
	defer web.Close()
	url := web.URL + "/mcp"
	begin := func(token string) string { return send(t, "POST", url, token, "", hello).session }
	alices, bobs, others := begin("first-token"), begin("bobs-secret"), begin("other-token")
	for _, test := range []struct {
		token, session, want string
		status               int
	}{
		{"first-token", alices, "for alice", 200}, {"second-token", alices, "for alice", 200},
		{"bobs-secret", alices, "", 404},
		{"other-token", others, "not found", 200}, {"last-token", others, "", 404},
		{"second-token", others, "", 404},
	} {
		if a := send(t, "POST", url, test.token, test.session,
			reading("note:private")); a.status != test.status || !strings.Contains(a.body, test.want) {
			t.Errorf("%s: %+v", test.token, a)
		}
	}
	if got := len(s.Journal().Query(journal.Query{Method: hook.MethodRead, Direction: journal.In,
		Identity: s.Fingerprint("alice")})); got != 3 {
		t.Errorf("the journal has %d reads of Alice's", got)
	}
	if _, err := s.AddRule(control.Rule{Fail: &control.Failure{Code: -32603, Message: "busy"},
		Limits: control.Limits{Identity: "alice"}}); err != nil {
		t.Fatal(err)
	}
	for token, session := range map[string]string{"first-token": alices, "second-token": alices,
		"bobs-secret": bobs} {
		if a := send(t, "POST", url, token, session, reading("note:private")); strings.Contains(a.body,
			"busy") != (session == alices) {
			t.Errorf("%s under a rule for Alice: %+v", token, a)
		}
	}
}

// TestConnectionsOfAnother: over HTTP+SSE, too, only who has opened a connection may speak on it.
func TestConnectionsOfAnother(t *testing.T) {
	_, base := protected(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/sse", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer alices-secret")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // the connection ends with the test
	lines := bufio.NewScanner(resp.Body)
	endpoint := ""
	for endpoint == "" && lines.Scan() {
		endpoint, _ = strings.CutPrefix(lines.Text(), "data: ")
		endpoint = strings.TrimPrefix(endpoint, "event: endpoint")
	}
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, test := range []struct {
		token string
		want  int
	}{{"bobs-secret", 404}, {"", 401}, {"alices-secret", 202}} {
		if a := send(t, "POST", base+endpoint, test.token, "", ping); a.status != test.want {
			t.Errorf("%q at %s: %+v", test.token, endpoint, a)
		}
	}
}

// TestFaultsOfAuthorization: faults that need tokens show with the tokens of the guard.
func TestFaultsOfAuthorization(t *testing.T) {
	for _, test := range []struct {
		fault string
		token string
		uri   string
		check func(hello, read answer) bool
	}{
		{"sec-08-no-challenge", "", "note:todo", func(h, _ answer) bool {
			return h.status == 401 && h.challenge == ""
		}},
		{"sec-10-invalid-403", "unknown-token", "note:todo", func(h, _ answer) bool {
			return h.status == 403
		}},
		{"sec-11-scope-401", "bobs-secret", hook.ProtectedURI, func(_, r answer) bool {
			return r.status == 401
		}},
		{"sec-12-readable", "bobs-secret", hook.ProtectedURI, func(_, r answer) bool {
			return r.status == 200 && strings.Contains(r.body, "contents")
		}},
		{"sec-12-checked-once", "bobs-secret", hook.ProtectedURI, func(_, r answer) bool {
			return r.status == 200 && strings.Contains(r.body, "contents")
		}},
		{"sec-15-ok-with-error", "", "note:todo", func(h, _ answer) bool {
			return h.status == 200 && strings.Contains(h.body, "-32001")
		}},
		{"sec-61-any-audience", hook.TokenForeign, "note:todo", func(h, _ answer) bool {
			return h.status == 200 && strings.Contains(h.body, "serverInfo")
		}},
	} {
		_, base := protected(t, test.fault)
		opened := send(t, "POST", base+"/mcp", test.token, "", hello)
		read := send(t, "POST", base+"/mcp", test.token, opened.session, reading(test.uri))
		if !test.check(opened, read) {
			t.Errorf("%s: %+v %+v", test.fault, opened, read)
		}
	}
	s, base := protected(t)
	if _, err := s.AddRule(control.Rule{Fault: "sec-08-no-challenge"}); err != nil {
		t.Fatal(err)
	}
	if a := send(t, "POST", base+"/mcp", "alices-secret", "", hello); a.status != 200 {
		t.Errorf("switched on later: %+v", a)
	}
	if a := send(t, "POST", base+"/mcp", "", "", hello); a.challenge != "" {
		t.Errorf("switched on later: %+v", a)
	}
}

// TestOwnersAreNotForgotten: however many connections others open, a session is that of whom has opened it.
func TestOwnersAreNotForgotten(t *testing.T) {
	s, base := protected(t)
	session := send(t, "POST", base+"/mcp", "alices-secret", "", hello).session
	over, end := context.WithCancel(t.Context())
	end()
	for range 5000 { // each is opened, told its endpoint, and closed
		r := httptest.NewRequestWithContext(over, http.MethodGet, base+"/sse", nil)
		r.Header.Set("Authorization", "Bearer bobs-secret")
		s.Handler().ServeHTTP(httptest.NewRecorder(), r)
	}
	for token, want := range map[string]int{"bobs-secret": 404, "alices-secret": 200} {
		a := send(t, "POST", base+"/mcp", token, session, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		if a.status != want {
			t.Errorf("%s: %+v", token, a)
		}
	}
}
