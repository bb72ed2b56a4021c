package adminclient

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/admin"
	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/guard"
	"github.com/mcpcheck/mcpcheck/reference/oauth"
	"github.com/mcpcheck/mcpcheck/reference/operation"
	"github.com/mcpcheck/mcpcheck/reference/world"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/clientcheck"
)

// checker holds every answer against the document, and counts the routes.
type checker struct {
	t        *testing.T
	document map[string]any
	compiler *jsonschema.Compiler
	next     http.RoundTripper

	mu   sync.Mutex
	seen map[string]bool
}

func newChecker(t *testing.T) *checker {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(admin.OpenAPI()))
	if err != nil {
		t.Fatal(err)
	}
	c := &checker{t: t, document: v.(map[string]any), compiler: jsonschema.NewCompiler(),
		next: http.DefaultTransport.(*http.Transport).Clone(), seen: map[string]bool{}}
	c.compiler.DefaultDraft(jsonschema.Draft2020)
	if err := c.compiler.AddResource("doc.json", v); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.next.(*http.Transport).CloseIdleConnections)
	return c
}

// route finds the path of the document to which a path belongs.
func (c *checker) route(path string) string {
	paths := c.document["paths"].(map[string]any)
	if paths[path] != nil {
		return path
	}
	for p := range paths {
		want, got := strings.Split(p, "/"), strings.Split(path, "/")
		same := len(want) == len(got)
		for i := range min(len(want), len(got)) {
			same = same && (want[i] == got[i] || strings.HasPrefix(want[i], "{"))
		}
		if same {
			return p
		}
	}
	return ""
}

// RoundTrip makes a request and judges the answer.
func (c *checker) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(data))
	if err != nil {
		return resp, nil
	}
	path, method := c.route(r.URL.EscapedPath()), strings.ToLower(r.Method)
	if path == "" {
		return resp, nil
	}
	methods := c.document["paths"].(map[string]any)[path].(map[string]any)
	responses := methods[method].(map[string]any)["responses"].(map[string]any)
	status := fmt.Sprint(resp.StatusCode)
	if responses[status] == nil {
		if resp.StatusCode < 400 {
			c.t.Errorf("%s %s: status %s is not in the document", r.Method, path, status)
		}
		status = "default"
	} else {
		c.mu.Lock()
		c.seen[method+" "+path] = true
		c.mu.Unlock()
	}
	content, _ := responses[status].(map[string]any)["content"].(map[string]any)
	if content == nil {
		if len(data) > 0 {
			c.t.Errorf("%s %s: a body where none is due: %s", r.Method, path, data)
		}
		return resp, nil
	}
	pointer := strings.NewReplacer("~", "~0", "/", "~1")
	schema, err := c.compiler.Compile("doc.json#/paths/" + pointer.Replace(path) + "/" + method +
		"/responses/" + status + "/content/application~1json/schema")
	if err != nil {
		c.t.Errorf("%s %s: %v", r.Method, path, err)
		return resp, nil
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err == nil {
		err = schema.Validate(v)
	}
	if err != nil {
		c.t.Errorf("%s %s: %v\n%s", r.Method, path, err, data)
	}
	return resp, nil
}

// judged judges the client of a journal as mockserver does.
func judged(journal io.Reader, how admin.Verify) (*reports.Report, error) {
	for _, id := range how.Only {
		if _, ok := clientcheck.Catalogue().Find(id); !ok {
			return nil, &admin.Problem{Code: admin.CodeInvalid, Field: "only",
				Message: "there is no requirement " + id}
		}
	}
	j, err := clientcheck.Read(journal)
	if err != nil {
		return nil, err
	}
	return clientcheck.Judge(j, clientcheck.Options{Name: how.Name, SingleClient: how.SingleClient}), nil
}

func ptr[T any](v T) *T { return &v }

// started is a server, its interface and a client of that.
func started(t *testing.T, o reference.Options, token string) (*reference.TestServer, *Client, *checker) {
	t.Helper()
	s := reference.Start(t, reference.DefaultWorld(),
		reference.WithOptions(func(to *reference.Options) { *to = o }))
	web := httptest.NewServer(admin.New(s.Server, admin.Options{Token: token, Judge: judged}))
	t.Cleanup(web.Close)
	check := newChecker(t)
	c, err := New(web.URL, Options{Token: token, HTTP: &http.Client{Transport: check}})
	if err != nil {
		t.Fatal(err)
	}
	return s, c, check
}

// talker is a client on a pipe that has shaken hands and answers what it is asked.
func talker(t *testing.T, s *reference.TestServer) (send func(format string, args ...any)) {
	t.Helper()
	conn := s.Connect()
	t.Cleanup(func() { _ = conn.Close() })
	send = func(format string, args ...any) {
		if _, err := fmt.Fprintf(conn, format+"\n", args...); err != nil {
			t.Error(err)
		}
	}
	go func() {
		for lines := bufio.NewScanner(conn); lines.Scan(); {
			var m struct {
				ID     json.RawMessage `json:"id"`
				Method string          `json:"method"`
			}
			if json.Unmarshal(lines.Bytes(), &m) == nil && m.ID != nil && m.Method != "" &&
				m.Method != "sleep" {
				_, _ = fmt.Fprintf(conn, `{"jsonrpc":"2.0","id":%s,"result":{"roots":[]}}`+"\n", m.ID)
			}
		}
	}()
	send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"1"}}}`)
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	s.WaitFor("notifications/initialized", 1)
	return send
}

// TestEveryRoute calls all routes by the client; the answers are held against the document.
func TestEveryRoute(t *testing.T) {
	g, err := guard.New(guard.Options{Tokens: []guard.Token{{Secret: "alices-secret", Identity: "alice"}}})
	if err != nil {
		t.Fatal(err)
	}
	as, err := oauth.New(oauth.Options{User: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	s, c, check := started(t, reference.Options{Guard: g, OAuth: as}, "")
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	_, err = c.OpenAPI(ctx)
	must(err)
	send := talker(t, s)
	t.Run("world", func(t *testing.T) { worldRoutes(t, c) })
	t.Run("rules", func(t *testing.T) { ruleRoutes(t, c) })
	t.Run("sessions", func(t *testing.T) { sessionRoutes(t, c) })
	t.Run("journal", func(t *testing.T) { journalRoutes(t, c, send) })
	t.Run("namespaces", func(t *testing.T) { namespaceRoutes(t, c) })
	t.Run("oauth", func(t *testing.T) { oauthRoutes(t, c, as) })
	owners, err := c.Identities(ctx)
	must(err)
	if len(owners) != 1 || owners[0].Identity != "alice" || owners[0].Fingerprint == "" {
		t.Errorf("%+v", owners)
	}
	report, err := c.Verify(ctx, admin.Verify{Name: "talker", SingleClient: true})
	must(err)
	if report != nil && (report.Target.Name != "talker" || len(report.Results) == 0) {
		t.Errorf("%+v", report.Target)
	}
	if _, err := c.Verify(ctx, admin.Verify{Only: []string{"no-such"}}); err == nil {
		t.Error("a requirement that there is not")
	}
	must(c.Reset(ctx))
	must(c.ClearJournal(ctx))
	h, err := c.Health(ctx)
	must(err)
	if h.Status != "ok" || h.World == "" {
		t.Errorf("%+v", h)
	}
	for path, methods := range check.document["paths"].(map[string]any) {
		for method := range methods.(map[string]any) {
			if !check.seen[method+" "+path] {
				t.Errorf("%s %s has not been tried with success", method, path)
			}
		}
	}
}

func oauthRoutes(t *testing.T, c *Client, as *oauth.Server) {
	ctx := t.Context()
	web := httptest.NewServer(as)
	defer web.Close()
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	resp, err := browser.Post(web.URL+"/register", "application/json",
		strings.NewReader(`{"client_name":"c","redirect_uris":["http://localhost/cb"],`+
			`"token_endpoint_auth_method":"none"}`))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	clients, err := c.OAuthClients(ctx)
	if err != nil || len(clients) != 1 || clients[0].Name != "c" {
		t.Fatalf("%+v, %v", clients, err)
	}
	// RFC 7636, appendix B
	const verifier, challenge = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
		"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	if resp, err = browser.Get(web.URL +
		"/authorize?response_type=code&code_challenge_method=S256&code_challenge=" + challenge +
		"&client_id=" + clients[0].ID); err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	to, err := resp.Location()
	if err != nil {
		t.Fatal(err)
	}
	if resp, err = browser.PostForm(web.URL+"/token", url.Values{
		"grant_type": {"authorization_code"}, "client_id": {clients[0].ID}, "code": to.Query()["code"],
		"code_verifier": {verifier},
	}); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", resp, err)
	}
	_ = resp.Body.Close()
	grants, err := c.Grants(ctx)
	if err != nil || len(grants) != 1 || grants[0].Client != "c" || grants[0].Fingerprint == "" {
		t.Fatalf("%+v, %v", grants, err)
	}
	if n, err := c.ExpireTokens(ctx, admin.Expire{Grant: grants[0].ID}); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if err := c.RevokeGrant(ctx, grants[0].ID); err != nil {
		t.Error(err)
	}
	if err := c.RevokeGrant(ctx, grants[0].ID); !NotFound(err) {
		t.Errorf("%v", err)
	}
	if err := c.ForgetOAuth(ctx); err != nil {
		t.Error(err)
	}
	if clients, err = c.OAuthClients(ctx); err != nil || len(clients) != 0 {
		t.Errorf("%+v, %v", clients, err)
	}
}

func namespaceRoutes(t *testing.T, c *Client) {
	ctx := t.Context()
	for name, w := range map[string]string{"ready": `"small"`,
		"own": `{"resources":[{"uri":"a:b","name":"b","text":"c"}]}`, "same": ``} {
		if made, err := c.AddNamespace(ctx,
			admin.NewNamespace{Name: name, World: json.RawMessage(w)}); err != nil ||
			made.Path != "/mcp/"+name {
			t.Errorf("%s: %+v, %v", name, made, err)
		}
	}
	own := c.In("own")
	if list, err := own.Resources(ctx, 0, 0); err != nil || list.Total != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := own.AddRule(ctx, control.Rule{ID: "a/b", Fault: "reset"}); err != nil {
		t.Error(err)
	}
	if r, err := own.Rule(ctx, "a/b"); err != nil || r.Fault != "reset" {
		t.Errorf("%+v, %v", r, err)
	}
	for name, in := range map[string]*Client{"same": c.In("same"), "the server": c} {
		if rules, err := in.Rules(ctx); err != nil || len(rules) != 0 {
			t.Errorf("%s has the rules of another: %+v, %v", name, rules, err)
		}
	}
	if all, err := c.Namespaces(ctx); err != nil || len(all) != 3 || all[0].Name != "own" {
		t.Errorf("%+v, %v", all, err)
	}
	if n, err := c.Namespace(ctx, "ready"); err != nil || n.World != "small" {
		t.Errorf("%+v, %v", n, err)
	}
	if err := c.RemoveNamespace(ctx, "own"); err != nil {
		t.Error(err)
	}
	for _, err := range []error{c.RemoveNamespace(ctx, "own"), own.Reset(ctx),
		c.In("same").RemoveNamespace(ctx, "ready")} {
		if !NotFound(err) {
			t.Errorf("%v", err)
		}
	}
	if _, err := c.Namespace(ctx, "own"); !NotFound(err) {
		t.Errorf("%v", err)
	}
}

func worldRoutes(t *testing.T, c *Client) {
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	must(c.PutResource(ctx, world.Resource{
		URI: "note:new#1", Name: "new", Text: ptr("one"), Annotations: &world.Annotations{Priority: ptr(0.5)},
		Delay:   5 * time.Millisecond,
		Caching: &world.Caching{TTL: time.Second, Scope: "private"}, Identities: []string{"alice"},
		Meta: map[string]any{"a": "b"},
	}))
	r, err := c.Resource(ctx, "note:new#1")
	must(err)
	if r.Text == nil || *r.Text != "one" || len(r.Identities) != 1 || r.Identities[0] == "alice" {
		t.Errorf("%+v", r)
	}
	r, err = c.PatchResource(ctx, "note:new#1", map[string]any{"text": "two", "delay": nil, "title": "T"})
	must(err)
	if r.Text == nil || *r.Text != "two" || r.Delay != 0 || r.Title != "T" {
		t.Errorf("%+v", r)
	}
	list, err := c.Resources(ctx, 0, 0)
	must(err)
	if list.Total != len(list.Resources) || list.Resources[list.Total-1].URI != "note:new#1" {
		t.Errorf("%+v", list)
	}
	if list, err = c.Resources(ctx, list.Total-1, 5); err != nil || len(list.Resources) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	must(c.Touch(ctx, "note:new#1"))
	must(c.ListChanged(ctx))
	must(c.EndSubscriptions(ctx))
	must(c.DeleteResource(ctx, "note:new#1"))
	for _, err := range []error{c.DeleteResource(ctx, "note:new#1"), c.Touch(ctx, "note:new#1"),
		c.DeleteTemplate(ctx, "none:{x}")} {
		if !NotFound(err) {
			t.Errorf("%v", err)
		}
	}
	const memo = "memo:{name}"
	must(c.PutTemplate(ctx, world.Template{URITemplate: memo, Name: "memo", Text: ptr("{name}"),
		Variables: []world.Variable{{Name: "name", Values: []string{"a"}}}}))
	templates, err := c.Templates(ctx)
	must(err)
	if len(templates) == 0 || templates[len(templates)-1].URITemplate != memo {
		t.Errorf("%+v", templates)
	}
	changed, err := c.PatchTemplate(ctx, memo, map[string]any{"title": "Memo"})
	must(err)
	found, err := c.Template(ctx, memo)
	must(err)
	if changed.Title != "Memo" || found.Title != "Memo" || found.Text == nil {
		t.Errorf("%+v, %+v", changed, found)
	}
	must(c.DeleteTemplate(ctx, memo))
}

func ruleRoutes(t *testing.T, c *Client) {
	ctx := t.Context()
	all, err := c.Deviations(ctx)
	if err != nil || len(all.Faults) < 100 || len(all.Quirks) < 10 {
		t.Errorf("%d faults, %d quirks, %v", len(all.Faults), len(all.Quirks), err)
	}
	for _, r := range []control.Rule{
		{Fault: "page-01-null-cursor"},
		{Quirk: "long-cursors"},
		{ID: "busy/1", Fail: &control.Failure{Code: -32603, Message: "busy",
			Data: json.RawMessage(`{"a":1}`)}, Limits: control.Limits{Method: "resources/read", Count: 2,
			Identity: "alice"}},
		{Delay: &control.Delay{Kind: operation.KindUniform, Min: time.Millisecond,
			Max: 2 * time.Millisecond}},
		{Do: []operation.Operation{{Method: "resources/read", Set: "result.n",
			To: json.Number("9007199254740993")}, {Set: "result.x", To: false}}},
	} {
		added, err := c.AddRule(ctx, r)
		if err != nil || added.ID == "" {
			t.Fatalf("%+v, %v", added, err)
		}
		found, err := c.Rule(ctx, added.ID)
		if err != nil || found.Name != added.Name {
			t.Errorf("%+v, %v", found, err)
		}
	}
	if steps, err := c.Timeline(ctx); err != nil || len(steps) != 0 {
		t.Errorf("%v, %v", steps, err)
	}
	if err := c.SetStates(ctx, map[string]string{"link": "down"}); err != nil {
		t.Error(err)
	}
	if states, err := c.States(ctx); err != nil || states["link"] != "down" || len(states) != 1 {
		t.Errorf("%v, %v", states, err)
	}
	rules, err := c.Rules(ctx)
	if err != nil || len(rules) != 5 {
		t.Errorf("%+v, %v", rules, err)
	}
	if err := c.RemoveRule(ctx, "busy/1"); err != nil {
		t.Error(err)
	}
	if err := c.RemoveRule(ctx, "busy/1"); !NotFound(err) {
		t.Error(err)
	}
	if err := c.ClearRules(ctx); err != nil {
		t.Error(err)
	}
}

func sessionRoutes(t *testing.T, c *Client) {
	ctx := t.Context()
	sessions, err := c.Sessions(ctx)
	if err != nil || len(sessions) != 1 {
		t.Fatalf("%+v, %v", sessions, err)
	}
	id := sessions[0].ID
	answer, err := c.Ask(ctx, id, admin.Ask{Method: "roots/list"})
	if err != nil || string(answer.Result) != `{"roots":[]}` {
		t.Errorf("%+v, %v", answer, err)
	}
	for _, test := range []struct {
		id, code string
		ask      admin.Ask
	}{
		{id, admin.CodeConflict, admin.Ask{Method: "sampling/createMessage", Params: json.RawMessage(`{}`)}},
		{id, admin.CodeTimeout, admin.Ask{Method: "sleep", Timeout: admin.Duration(20 * time.Millisecond)}},
		{id, admin.CodeInvalid, admin.Ask{}},
		{id, admin.CodeInvalid, admin.Ask{Method: "ping", Params: json.RawMessage(`[]`)}},
		{id, admin.CodeInvalid, admin.Ask{Method: "ping", Timeout: admin.Duration(time.Hour)}},
		{"none", admin.CodeNotFound, admin.Ask{Method: "ping"}},
	} {
		_, err := c.Ask(ctx, test.id, test.ask)
		var refused *Error
		if !errors.As(err, &refused) || refused.Code != test.code {
			t.Errorf("%+v: %v", test.ask, err)
		}
	}
	if _, err := c.Ask(ctx, id, admin.Ask{Method: "sampling/createMessage", Params: json.RawMessage(`{}`),
		Undeclared: true}); err != nil {
		t.Error(err)
	}
	if err := c.EndSession(ctx, "none"); !NotFound(err) {
		t.Error(err)
	}
	list, err := c.Journal(ctx, admin.Query{Direction: "in", Kinds: nil, Session: id})
	if err != nil || len(list.Entries) < 3 {
		t.Errorf("%+v, %v", list, err)
	}
	if err := c.EndSession(ctx, id); err != nil {
		t.Error(err)
	}
}

func journalRoutes(t *testing.T, c *Client, send func(string, ...any)) {
	ctx := t.Context()
	met := func(want bool, o admin.Outcome, err error) {
		t.Helper()
		if err != nil || o.Met != want || want == (o.Message != "") {
			t.Errorf("%+v, %v", o, err)
		}
	}
	o, err := c.Wait(ctx, admin.Wait{Query: admin.Query{Method: "initialize", Direction: "in"}})
	met(true, o, err)
	if len(o.Entries) != 1 || o.Entries[0].Revision != "" {
		t.Errorf("%+v", o.Entries)
	}
	o, err = c.Wait(ctx, admin.Wait{Query: admin.Query{Method: "initialize"}, Count: 9,
		Timeout: admin.Duration(10 * time.Millisecond)})
	met(false, o, err)
	o, err = c.Assert(ctx, admin.Assertion{Query: admin.Query{Method: "initialize", Direction: "in"},
		Exactly: ptr(1)})
	met(true, o, err)
	o, err = c.Assert(ctx, admin.Assertion{Query: admin.Query{Method: "initialize"}, AtLeast: ptr(5)})
	met(false, o, err)
	o, err = c.Assert(ctx,
		admin.Assertion{InOrder: []admin.Query{{Method: "initialize"},
			{Method: "notifications/initialized"}}})
	met(true, o, err)
	list, err := c.Journal(ctx, admin.Query{Limit: 1, Newest: true, Kinds: nil, Since: 1})
	if err != nil || len(list.Entries) != 1 || list.Last == 0 {
		t.Errorf("%+v, %v", list, err)
	}
	_ = send
}

func TestTokenAndErrors(t *testing.T) {
	_, c, _ := started(t, reference.Options{}, "a-long-secret")
	ctx := t.Context()
	if _, err := c.Health(ctx); err != nil {
		t.Error(err)
	}
	other, err := New(c.base, Options{Token: "another", HTTP: c.http})
	if err != nil {
		t.Fatal(err)
	}
	var refused *Error
	if _, err := other.Health(ctx); !errors.As(err, &refused) || refused.Status != http.StatusUnauthorized ||
		refused.Code != admin.CodeUnauthorized {
		t.Error(err)
	}
	for _, address := range []string{"", "127.0.0.1:1", "https://127.0.0.1:1", "http://127.0.0.1:1/mcp"} {
		if _, err := New(address, Options{}); err == nil {
			t.Errorf("%q is taken", address)
		}
	}
	stranger := httptest.NewServer(http.NotFoundHandler())
	defer stranger.Close()
	lost, err := New(stranger.URL, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer lost.Close()
	if _, err := lost.Health(ctx); err == nil || !strings.Contains(err.Error(), "is the address right") {
		t.Error(err)
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := c.Health(over); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
