package oauth_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/oauth"
)

// inProcess makes requests without a network.
type inProcess struct{ http.Handler }

func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Host = r.URL.Host
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Result(), nil
}

// granted has a client of its own be granted something, and returns how it is renewed.
func (m *mock) granted(client string) url.Values {
	m.t.Helper()
	status, got := m.redeem(client, m.authorize(asking(client)).Get("code"))
	if status != http.StatusOK {
		m.t.Fatalf("%d %v", status, got)
	}
	token := got["refresh_token"].(string)
	return url.Values{"grant_type": {"refresh_token"}, "client_id": {client}, "refresh_token": {token}}
}

// TestRegistrationsMakeRoom: those that nobody has used go first, oldest first, and those in use never.
func TestRegistrationsMakeRoom(t *testing.T) {
	m := started(t, oauth.Options{})
	m.http.Transport = inProcess{m.server.Handler()}
	unused, used := m.client(), m.client()
	token := m.granted(used)
	const metadata = `{"redirect_uris":["https://a.example/"]}`
	for range 1200 {
		if status, got := m.register(metadata); status != http.StatusCreated {
			t.Fatalf("%d %v", status, got)
		}
	}
	known := func(id string) (found bool) {
		for _, c := range m.as.Clients() {
			found = found || c.ID == id
		}
		return found
	}
	if n := len(m.as.Clients()); n != 1000 || known(unused) || !known(used) {
		t.Errorf("of %d clients the unused one is %t, the used one %t", n, known(unused), known(used))
	}
	if status, got := m.post("/token", token); status != http.StatusOK {
		t.Errorf("what was granted is gone: %d %v", status, got)
	}
	for range 999 { // takes the place of one that was not used, and is used
		m.time.pass(time.Second)
		m.authorize(asking(m.client()))
	}
	for range 3 {
		status, got := m.register(metadata)
		if status != http.StatusServiceUnavailable || got["error"] != "temporarily_unavailable" {
			t.Errorf("where all are in use: %d %v", status, got)
		}
	}
	if !known(used) || len(m.as.Clients()) != 1000 {
		t.Errorf("one that was refused has pushed out another")
	}
	m.time.pass(24*time.Hour - 999*time.Second)
	status, got := m.register(metadata)
	if status != http.StatusCreated || known(used) || len(m.as.Grants()) != 999 {
		t.Errorf("a day later: %d %v, %t, %d grants", status, got, known(used), len(m.as.Grants()))
	}
	if m.as.Forget(); len(m.as.Clients()) != 0 {
		t.Error("not all are forgotten")
	}
}

// TestGrantsOfOneClient: one that is granted something again and again loses what it had, and others lose
// nothing.
func TestGrantsOfOneClient(t *testing.T) {
	m := started(t, oauth.Options{})
	m.http.Transport = inProcess{m.server.Handler()}
	other, greedy := m.granted(m.client()), m.client()
	first := m.granted(greedy)
	for range 1100 {
		m.authorize(asking(greedy))
	}
	kept := m.granted(greedy)
	for range 100 {
		status, got := m.post("/token", kept)
		if status != http.StatusOK {
			t.Fatalf("%d %v", status, got)
		}
		kept.Set("refresh_token", got["refresh_token"].(string))
	}
	if status, got := m.post("/token", other); status != http.StatusOK {
		t.Errorf("what was granted to another: %d %v", status, got)
	}
	if status, got := m.post("/token", first); status != http.StatusBadRequest || len(m.as.Grants()) != 1+20 {
		t.Errorf("the first: %d %v, and there are %d", status, got, len(m.as.Grants()))
	}
}

// TestRegistrationsAreJSON: no form or text is a registration, nor is what has more behind it.
func TestRegistrationsAreJSON(t *testing.T) {
	m := started(t, oauth.Options{})
	const metadata = `{"redirect_uris":["https://a.example/"]}`
	for _, c := range []struct {
		contentType, body string
		want              int
	}{
		{"application/json", metadata, 201}, {"application/json; charset=UTF-8", metadata, 201},
		{"", metadata, 415}, {"text/plain", metadata, 415},
		{"application/json; charset=latin1", metadata, 415},
		{"application/x-www-form-urlencoded", metadata, 415}, {"multipart/form-data", metadata, 415},
		{"application/json", metadata + "{}", 400}, {"application/json", metadata + "=x", 400},
	} {
		resp, body := m.do(m.request("POST", "/register", c.contentType, c.body))
		if got := object(t, body); resp.StatusCode != c.want || (got["error"] == nil) != (c.want == 201) {
			t.Errorf("%q %s: %d %v", c.contentType, c.body, resp.StatusCode, got)
		}
	}
	if n := len(m.as.Clients()); n != 2 {
		t.Errorf("%d have registered", n)
	}
}
