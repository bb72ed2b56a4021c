package oauth_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/guard"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/oauth"
)

// clock is a time that passes when it is told to.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// mock is a protected server with its authorization server.
type mock struct {
	t      *testing.T
	as     *oauth.Server
	server *reference.TestServer
	base   string
	time   *clock
	http   *http.Client
}

func started(t *testing.T, o oauth.Options) *mock {
	t.Helper()
	m := &mock{t: t, time: &clock{now: time.Now()}}
	o.Now = m.time.Now
	var err error
	if m.as, err = oauth.New(o); err != nil {
		t.Fatal(err)
	}
	w := reference.DefaultWorld()
	text := "for alice"
	w.Resources = append(w.Resources, reference.Resource{URI: "note:private", Name: "private", Text: &text,
		Identities: []string{"alice"}})
	m.server = reference.Start(t, w, reference.WithOptions(func(to *reference.Options) { to.OAuth = m.as }))
	m.base = strings.TrimSuffix(m.server.URL(), "/mcp")
	m.http = &http.Client{Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return m
}

// do makes a request and returns the answer with its body.
func (m *mock) do(r *http.Request) (*http.Response, string) {
	m.t.Helper()
	resp, err := m.http.Do(r)
	if err != nil {
		m.t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		m.t.Fatal(err)
	}
	return resp, string(data)
}

func (m *mock) request(method, path, contentType, body string) *http.Request {
	m.t.Helper()
	r, err := http.NewRequestWithContext(m.t.Context(), method, m.base+path, strings.NewReader(body))
	if err != nil {
		m.t.Fatal(err)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	return r
}

func (m *mock) register(metadata string) (int, map[string]any) {
	m.t.Helper()
	resp, body := m.do(m.request("POST", "/register", "application/json", metadata))
	return resp.StatusCode, object(m.t, body)
}

func object(t *testing.T, body string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return v
}

const verifier = "0123456789012345678901234567890123456789abc"

// asking are the parameters of a request that is fine, with some changed; an empty value takes one away.
func asking(client string, changes ...string) url.Values {
	hash := sha256.Sum256([]byte(verifier))
	v := url.Values{
		"response_type": {"code"}, "client_id": {client}, "redirect_uri": {"http://127.0.0.1:7000/cb?x=1"},
		"state":          {"s t"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(hash[:])}, "code_challenge_method": {"S256"},
	}
	for i := 0; i < len(changes); i += 2 {
		if v.Set(changes[i], changes[i+1]); changes[i+1] == "" {
			v.Del(changes[i])
		}
	}
	return v
}

// authorize asks for a code and returns what the client is told.
func (m *mock) authorize(v url.Values) url.Values {
	m.t.Helper()
	resp, body := m.do(m.request("GET", "/authorize?"+v.Encode(), "", ""))
	to, err := url.Parse(resp.Header.Get("Location"))
	if err != nil || resp.StatusCode != http.StatusFound || to.Path != "/cb" {
		m.t.Fatalf("%d %s %s", resp.StatusCode, resp.Header.Get("Location"), body)
	}
	return to.Query()
}

func (m *mock) post(path string, v url.Values) (int, map[string]any) {
	m.t.Helper()
	resp, body := m.do(m.request("POST", path, "application/x-www-form-urlencoded", v.Encode()))
	if body == "" {
		return resp.StatusCode, nil
	}
	return resp.StatusCode, object(m.t, body)
}

// client registers a public client and returns its id.
func (m *mock) client() string {
	m.t.Helper()
	status, c := m.register(`{"client_name":"c","redirect_uris":["http://127.0.0.1:9/cb?x=1"],` +
		`"grant_types":["authorization_code","refresh_token"],"token_endpoint_auth_method":"none"}`)
	if status != http.StatusCreated || c["client_secret"] != nil {
		m.t.Fatalf("%d %v", status, c)
	}
	return c["client_id"].(string)
}

// redeemed exchanges a code, with changes.
func (m *mock) redeem(client, code string, changes ...string) (int, map[string]any) {
	m.t.Helper()
	v := url.Values{"grant_type": {"authorization_code"}, "client_id": {client}, "code": {code},
		"code_verifier": {verifier}, "redirect_uri": {"http://127.0.0.1:7000/cb?x=1"}}
	for i := 0; i < len(changes); i += 2 {
		v.Set(changes[i], changes[i+1])
	}
	return m.post("/token", v)
}

// read reads the private resource by a token and returns the status.
func (m *mock) read(token, path string) (int, string) {
	m.t.Helper()
	const meta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/` +
		`clientCapabilities":{}}`
	r := m.request("POST", path, "application/json",
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"note:private","_meta":`+meta+`}}`)
	for name, value := range map[string]string{"Authorization": "Bearer " + token,
		"Mcp-Method": "resources/read", "Mcp-Name": "note:private", "MCP-Protocol-Version": "2026-07-28"} {
		r.Header.Set(name, value)
	}
	resp, body := m.do(r)
	return resp.StatusCode, body
}

// TestTheWholeFlow: from the challenge to the metadata, a code, tokens, a refresh and the end.
func TestTheWholeFlow(t *testing.T) {
	m := started(t, oauth.Options{User: "alice"})
	resp, _ := m.do(m.request("POST", "/mcp", "application/json", "{}"))
	if resp.StatusCode != 401 || !strings.Contains(resp.Header.Get("WWW-Authenticate"),
		m.base+"/.well-known/oauth-protected-resource/mcp") {
		t.Fatalf("%d %v", resp.StatusCode, resp.Header)
	}
	_, body := m.do(m.request("GET", "/.well-known/oauth-protected-resource/mcp", "", ""))
	if protected := object(t, body); protected["authorization_servers"].([]any)[0] != m.base ||
		protected["resource"] != m.base+"/mcp" {
		t.Errorf("%v", protected)
	}
	_, body = m.do(m.request("GET", "/.well-known/oauth-authorization-server", "", ""))
	if as := object(t, body); as["issuer"] != m.base || as["token_endpoint"] != m.base+"/token" ||
		as["registration_endpoint"] == nil {
		t.Errorf("%v", as)
	}
	id := m.client()
	told := m.authorize(asking(id, "resource", m.base+"/mcp"))
	if told.Get("state") != "s t" || told.Get("iss") != m.base || told.Get("x") != "1" ||
		told.Get("code") == "" {
		t.Fatalf("%v", told)
	}
	status, first := m.redeem(id, told.Get("code"), "resource", m.base+"/mcp")
	if status != 200 || first["token_type"] != "Bearer" || first["expires_in"] != 3600.0 ||
		first["scope"] != "resources:read resources:subscribe" {
		t.Fatalf("%d %v", status, first)
	}
	token := first["access_token"].(string)
	if status, body := m.read(token, "/mcp"); status != 200 || !strings.Contains(body, "for alice") {
		t.Errorf("%d %s", status, body)
	}
	m.time.pass(2 * time.Hour)
	if status, _ := m.read(token, "/mcp"); status != 401 {
		t.Errorf("expired: %d", status)
	}
	renewing := url.Values{"grant_type": {"refresh_token"}, "client_id": {id},
		"refresh_token": {first["refresh_token"].(string)}}
	status, second := m.post("/token", renewing)
	if status != 200 || second["access_token"] == token || second["refresh_token"] == first["refresh_token"] {
		t.Fatalf("%d %v", status, second)
	}
	if status, _ := m.read(second["access_token"].(string), "/mcp"); status != 200 {
		t.Errorf("refreshed: %d", status)
	}
	if n := m.as.Expire("", false); n != 1 {
		t.Errorf("%d have expired", n)
	}
	if status, _ := m.read(second["access_token"].(string), "/mcp"); status != 401 {
		t.Errorf("made to expire: %d", status)
	}
	status, third := m.post("/token", url.Values{"grant_type": {"refresh_token"}, "client_id": {id},
		"refresh_token": {second["refresh_token"].(string)}})
	if all := m.as.Grants(); status != 200 || len(all) != 1 || all[0].Refreshed != 2 ||
		all[0].User != "alice" {
		t.Fatalf("%d %+v", status, all)
	}
	// Who comes with what has been used before ends it for all.
	if status, v := m.post("/token", renewing); status != 400 || v["error"] != "invalid_grant" {
		t.Errorf("%d %v", status, v)
	}
	if status, _ := m.read(third["access_token"].(string), "/mcp"); status != 401 {
		t.Errorf("revoked: %d", status)
	}
	for _, e := range m.server.Journal().Query(journal.Query{}) {
		if strings.Contains(string(e.Raw), token) || e.HTTP != nil && strings.Contains(e.HTTP.Path, "code") {
			t.Errorf("the journal has secrets: %+v", e)
		}
	}
	m.server.WaitForEntries(journal.Query{Direction: journal.In, Match: func(e *journal.Entry) bool {
		return e.HTTP != nil && e.HTTP.Path == "/token"
	}}, 4)
}

func TestRegistrationsThatAreRefused(t *testing.T) {
	m := started(t, oauth.Options{})
	for metadata, want := range map[string]string{
		`[]`: "invalid_client_metadata", `{}`: "invalid_redirect_uri",
		`{"redirect_uris":["http://evil.example/cb"]}`: "invalid_redirect_uri",
		`{"redirect_uris":["javascript:alert(1)"]}`:    "invalid_redirect_uri",
		`{"redirect_uris":["https://a.example/#f"]}`:   "invalid_redirect_uri",
		`{"redirect_uris":["https://u@a.example/"]}`:   "invalid_redirect_uri",
		`{"redirect_uris":["/cb"]}`:                    "invalid_redirect_uri",
		`{"redirect_uris":["https://a.example/"],` +
			`"token_endpoint_auth_method":"private_key_jwt"}`: "invalid_client_metadata",
		`{"redirect_uris":["https://a.example/"],` +
			`"grant_types":["client_credentials"]}`: "invalid_client_metadata",
		`{"redirect_uris":["https://a.example/"],` +
			`"response_types":["token"]}`: "invalid_client_metadata",
		`{"redirect_uris":["com.example.app:/cb"]}`: "invalid_redirect_uri",
		`{"redirect_uris":["com.example.app:/cb"],` +
			`"application_type":"web"}`: "invalid_redirect_uri",
		`{"redirect_uris":["app:/cb"],` +
			`"application_type":"native"}`: "invalid_redirect_uri",
		`{"redirect_uris":["javascript:alert(1)"],` +
			`"application_type":"native"}`: "invalid_redirect_uri",
		`{"redirect_uris":["com.example.app:/cb#"],` +
			`"application_type":"native"}`: "invalid_redirect_uri",
		`{"redirect_uris":["com.example.app:cb"],` +
			`"application_type":"native"}`: "invalid_redirect_uri",
		`{"redirect_uris":["https://a.example/"],` +
			`"application_type":"app"}`: "invalid_client_metadata",
	} {
		if status, v := m.register(metadata); status != 400 || v["error"] != want ||
			v["error_description"] == "" {
			t.Errorf("%s: %d %v", metadata, status, v)
		}
	}
	for range 1010 {
		if status, _ := m.register(`{"redirect_uris":["https://a.example/"]}`); status != http.StatusCreated {
			t.Fatal(status)
		}
	}
	if n := len(m.as.Clients()); n != 1000 {
		t.Errorf("%d clients are kept", n)
	}
}

// TestNativeClients: a program on the user's machine is sent to by its own scheme, exactly as it has
// registered.
func TestNativeClients(t *testing.T) {
	m := started(t, oauth.Options{})
	status, c := m.register(`{"redirect_uris":["com.example.app:/cb?x=1","com.example.app://host/cb"],` +
		`"application_type":"native","token_endpoint_auth_method":"none"}`)
	if status != http.StatusCreated || c["application_type"] != "native" {
		t.Fatalf("%d %v", status, c)
	}
	id := c["client_id"].(string)
	code := m.authorize(asking(id, "redirect_uri", "com.example.app:/cb?x=1")).Get("code")
	if status, got := m.redeem(id, code, "redirect_uri", "com.example.app:/cb?x=1"); status != http.StatusOK {
		t.Errorf("%d %v", status, got)
	}
	for _, other := range []string{"com.example.app:/cb", "com.example.app:/other",
		"com.example.other:/cb?x=1", "com.example.app://host:7000/cb", "COM.example.app:/cb?x=1"} {
		if resp, _ := m.do(m.request("GET", "/authorize?"+asking(id, "redirect_uri", other).Encode(), "",
			"")); resp.StatusCode != http.StatusBadRequest || resp.Header.Get("Location") != "" {
			t.Errorf("%s: %d %s", other, resp.StatusCode, resp.Header.Get("Location"))
		}
	}
}

// TestNobodyIsSentElsewhere: where client or address are not right nobody is redirected.
func TestNobodyIsSentElsewhere(t *testing.T) {
	m := started(t, oauth.Options{})
	id := m.client()
	for _, v := range []url.Values{
		asking("nobody"), asking(id, "redirect_uri", "https://evil.example/cb"),
		asking(id, "redirect_uri", "http://127.0.0.1:7000/other"),
		asking(id, "redirect_uri", "http://127.0.0.1:7000/cb?x=1&y=2"),
		asking(id, "redirect_uri", "http://localhost:7000/cb?x=1"),
		asking(id, "redirect_uri", "http://127.0.0.1:7000@evil.example/cb?x=1"),
		asking(id, "redirect_uri", "//evil.example"),
		{"client_id": {id, id}}, {"client_id": {id}, "redirect_uri": {"http://127.0.0.1:7000/cb?x=1",
			"https://evil.example/"}},
	} {
		resp, body := m.do(m.request("GET", "/authorize?"+v.Encode(), "", ""))
		if resp.StatusCode != 400 || resp.Header.Get("Location") != "" ||
			!strings.Contains(body, "cannot be authorized") {
			t.Errorf("%v: %d %s", v, resp.StatusCode, resp.Header.Get("Location"))
		}
	}
	for _, test := range []struct{ name, value, want string }{
		{"response_type", "token", "unsupported_response_type"}, {"code_challenge_method", "plain",
			"invalid_request"},
		{"code_challenge_method", "", "invalid_request"}, {"code_challenge", "short", "invalid_request"},
		{"scope", "none", "invalid_scope"},
		{"resource", "https://other.example/mcp", "invalid_target"},
		{"resource", m.base + ".evil.example/mcp", "invalid_target"},
		{"resource", m.base + "/other", "invalid_target"},
	} {
		if told := m.authorize(asking(id, test.name, test.value)); told.Get("error") != test.want ||
			told.Get("code") != "" || told.Get("state") != "s t" {
			t.Errorf("%s=%s: %v", test.name, test.value, told)
		}
	}
}

func TestTokensThatAreRefused(t *testing.T) {
	m := started(t, oauth.Options{})
	id, other := m.client(), m.client()
	code := func() string { return m.authorize(asking(id, "resource", m.base+"/mcp")).Get("code") }
	for _, test := range []struct{ name, value, want string }{
		{"code_verifier", strings.Repeat("x", 43), "invalid_grant"}, {"code_verifier", "", "invalid_grant"},
		{"code", "none", "invalid_grant"},
		{"redirect_uri", "http://127.0.0.1:7001/cb?x=1", "invalid_grant"},
		{"client_id", other, "invalid_grant"}, {"client_id", "nobody", "invalid_client"},
		{"grant_type", "password", "unsupported_grant_type"}, {"resource", m.base + "/sse", "invalid_target"},
		{"scope", "none", "invalid_scope"},
		{"client_secret", "none", "invalid_client"},
	} {
		if status, v := m.redeem(id, code(), test.name, test.value); v["error"] != test.want || status < 400 {
			t.Errorf("%s=%s: %d %v", test.name, test.value, status, v)
		}
	}
	late := code()
	m.time.pass(2 * time.Minute)
	if _, v := m.redeem(id, late); v["error"] != "invalid_grant" {
		t.Errorf("late: %v", v)
	}
	twice := code()
	_, first := m.redeem(id, twice)
	if _, v := m.redeem(id, twice); v["error"] != "invalid_grant" {
		t.Errorf("twice: %v", v)
	}
	if status, _ := m.read(first["access_token"].(string), "/mcp"); status != 401 {
		t.Errorf("what a code gave that came twice: %d", status)
	}
	resp, body := m.do(m.request("POST", "/token", "application/json", `{"grant_type":"authorization_code"}`))
	if resp.StatusCode != 400 || object(t, body)["error"] != "invalid_request" {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}

// TestWhatATokenIsGoodFor: the resource that was asked for, the scopes that were granted, the client that has
// it.
func TestWhatATokenIsGoodFor(t *testing.T) {
	m := started(t, oauth.Options{User: "alice"})
	if _, err := m.server.AddNamespace("a", reference.NamespaceOptions{}); err != nil {
		t.Fatal(err)
	}
	id := m.client()
	get := func(changes ...string) string {
		_, v := m.redeem(id, m.authorize(asking(id, changes...)).Get("code"))
		token, _ := v["access_token"].(string)
		return token
	}
	for _, test := range []struct {
		token, path string
		want        int
	}{
		{get("resource", m.base+"/mcp/a"), "/mcp/a", 200}, {get("resource", m.base+"/mcp/a"), "/mcp", 401},
		{get("resource", m.base+"/sse"), "/mcp", 401},
		{get("resource", m.base+"/"), "/mcp/a", 200}, {get(), "/mcp", 200},
		{get("scope", "resources:subscribe"), "/mcp", 403}, {"none", "/mcp", 401},
	} {
		if status, body := m.read(test.token, test.path); status != test.want {
			t.Errorf("%s: %d, not %d: %s", test.path, status, test.want, body)
		}
	}
	token := get()
	if status, _ := m.post("/revoke", url.Values{"client_id": {m.client()},
		"token": {token}}); status != 200 {
		t.Error(status)
	}
	if status, _ := m.read(token, "/mcp"); status != 200 {
		t.Errorf("revoked by another client: %d", status)
	}
	if status, _ := m.post("/revoke", url.Values{"client_id": {id}, "token": {token}}); status != 200 {
		t.Error(status)
	}
	if status, _ := m.read(token, "/mcp"); status != 401 {
		t.Errorf("revoked: %d", status)
	}
	m.as.Forget()
	if len(m.as.Clients())+len(m.as.Grants()) != 0 {
		t.Error("something is not forgotten")
	}
}

func TestClientsWithASecret(t *testing.T) {
	m := started(t, oauth.Options{})
	_, c := m.register(`{"redirect_uris":["http://127.0.0.1:7000/cb?x=1"]}`)
	id, secret := c["client_id"].(string), c["client_secret"].(string)
	if c["token_endpoint_auth_method"] != "client_secret_basic" || c["client_secret_expires_at"] != 0.0 {
		t.Errorf("%v", c)
	}
	for given, want := range map[string]int{secret: 200, "wrong": 401} {
		v := url.Values{"grant_type": {"authorization_code"}, "code": {m.authorize(asking(id)).Get("code")},
			"code_verifier": {verifier}}
		r := m.request("POST", "/token", "application/x-www-form-urlencoded", v.Encode())
		r.SetBasicAuth(id, given)
		resp, body := m.do(r)
		if resp.StatusCode != want || want == 401 && resp.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
		if want == 200 && object(t, body)["refresh_token"] != nil {
			t.Error("a refresh token for a client that has not registered for it")
		}
	}
	if status, v := m.redeem(id, m.authorize(asking(id)).Get("code"), "client_secret",
		secret); status != 401 {
		t.Errorf("in the body, though registered otherwise: %d %v", status, v)
	}
}

func TestConsent(t *testing.T) {
	m := started(t, oauth.Options{Consent: true})
	_, c := m.register(`{"client_name":"<b>bold</b>","redirect_uris":["http://127.0.0.1:7000/cb?x=1"],` +
		`"token_endpoint_auth_method":"none"}`)
	id := c["client_id"].(string)
	ask := func() string {
		resp, body := m.do(m.request("GET", "/authorize?"+asking(id).Encode(), "", ""))
		if resp.StatusCode != 200 || strings.Contains(body, "<b>") ||
			resp.Header.Get("X-Frame-Options") != "DENY" {
			t.Fatalf("%d %s", resp.StatusCode, body)
		}
		_, rest, _ := strings.Cut(body, `name="id" value="`)
		page, _, _ := strings.Cut(rest, `"`)
		return page
	}
	decide := func(page, decision, origin string) *http.Response {
		r := m.request("POST", "/authorize/consent", "application/x-www-form-urlencoded",
			url.Values{"id": {page}, "decision": {decision}}.Encode())
		r.Header.Set("Origin", origin)
		resp, _ := m.do(r)
		return resp
	}
	page := ask()
	if resp := decide(page, "approve", "https://evil.example"); resp.StatusCode != 403 {
		t.Errorf("from elsewhere: %d", resp.StatusCode)
	}
	if resp := decide(page, "approve", m.base); resp.StatusCode != 302 ||
		!strings.Contains(resp.Header.Get("Location"), "code=") {
		t.Errorf("%d %v", resp.StatusCode, resp.Header)
	}
	if resp := decide(page, "approve", m.base); resp.StatusCode != 400 {
		t.Errorf("twice: %d", resp.StatusCode)
	}
	if resp := decide(ask(), "deny", m.base); !strings.Contains(resp.Header.Get("Location"),
		"error=access_denied") {
		t.Errorf("%v", resp.Header)
	}
}

// TestWhoMayAsk: hosts and origins are those of this machine, or those that are allowed.
func TestWhoMayAsk(t *testing.T) {
	as, err := oauth.New(oauth.Options{AllowedOrigins: []string{"https://app.example"},
		AllowedHosts: []string{"mock"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		host, origin string
		want         int
	}{
		{"localhost", "", 400}, {"mock:80", "", 400}, {"evil.example", "", 403},
		{"localhost", "https://evil.example", 403},
		{"app.example", "https://app.example", 400}, {"localhost", "null", 403},
		{"localhost", "https://app.example", 400}, {"mock:80", "http://mock:80", 400},
	} {
		r := httptest.NewRequest("POST", "/token", strings.NewReader(""))
		r.Host = test.host
		if test.origin != "" {
			r.Header.Set("Origin", test.origin)
		}
		w := httptest.NewRecorder()
		if as.ServeHTTP(w, r); w.Code != test.want ||
			(w.Header().Get("Access-Control-Allow-Origin") == test.origin) != (test.origin == "" ||
				test.want == 400) {
			t.Errorf("%+v: %d %v", test, w.Code, w.Header())
		}
	}
	for path, want := range map[string]int{"/token": 204, "/authorize": 405} {
		r := httptest.NewRequest("OPTIONS", path, nil)
		r.Host = "localhost"
		r.Header = http.Header{"Origin": {"https://app.example"}, "Access-Control-Request-Method": {"POST"}}
		w := httptest.NewRecorder()
		if as.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	// which links lead to
	for path, want := range map[string]int{"/.well-known/oauth-authorization-server": 403,
		"/authorize": 400} {
		r := httptest.NewRequest("GET", path, nil)
		r.Host = "localhost"
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		w := httptest.NewRecorder()
		if as.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%s from another site: %d", path, w.Code)
		}
	}
	if _, err := oauth.New(oauth.Options{Expires: -1}); err == nil {
		t.Error("tokens that expire before they are issued")
	}
	if all := guard.Scopes(nil); len(all) != 2 {
		t.Errorf("%v", all)
	}
}
