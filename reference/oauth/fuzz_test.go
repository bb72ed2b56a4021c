package oauth_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference/oauth"
)

// FuzzForms: whatever is asked for, by a form or in the query, is answered or refused in JSON or by a
// page, and nobody is sent to an address that is not registered. CLIENT stands for the id of a client.
func FuzzForms(f *testing.F) {
	paths := []string{"/token", "/revoke", "/authorize", "/authorize/consent", "/register"}
	f.Add(uint8(0), "grant_type=authorization_code&client_id=CLIENT&code=x&code_verifier="+verifier, "")
	f.Add(uint8(0),
		"grant_type=refresh_token&client_id=CLIENT&refresh_token=x&scope=a+b&resource=http://127.0.0.1/mcp",
		"Basic Og==")
	f.Add(uint8(1), "token=x&token_type_hint=access_token&client_id=CLIENT", "Basic !")
	f.Add(uint8(2), asking("CLIENT").Encode(), "")
	f.Add(uint8(3), "id=x&approve=yes", "")
	f.Add(uint8(4), `{"redirect_uris":["http://[::1]:9/cb"],`+
		`"token_endpoint_auth_method":"client_secret_basic"}`, "")
	f.Fuzz(func(t *testing.T, at uint8, text, authorization string) {
		s, err := oauth.New(oauth.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ask := func(path, text, authorization string) *httptest.ResponseRecorder {
			r := &http.Request{Method: http.MethodPost, URL: &url.URL{Path: path}, Host: "127.0.0.1",
				Header: http.Header{}, Body: io.NopCloser(strings.NewReader(text))}
			switch path {
			case "/authorize":
				r.Method, r.URL.RawQuery, r.Body = http.MethodGet, text, http.NoBody
			case "/register":
				r.Header.Set("Content-Type", "application/json")
			default:
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			}
			if authorization != "" {
				r.Header.Set("Authorization", authorization)
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			return w
		}
		var c struct {
			ID string `json:"client_id"`
		}
		w := ask("/register",
			`{"redirect_uris":["http://127.0.0.1:9/cb?x=1"],"token_endpoint_auth_method":"none"}`, "")
		if err := json.Unmarshal(w.Body.Bytes(), &c); err != nil || c.ID == "" {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		w = ask(paths[int(at)%len(paths)], strings.ReplaceAll(text, "CLIENT", c.ID), authorization)
		to, err := url.Parse(w.Header().Get("Location"))
		switch {
		case w.Code >= http.StatusInternalServerError:
			t.Errorf("%d %s", w.Code, w.Body)
		case strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") &&
			!json.Valid(w.Body.Bytes()):
			t.Errorf("no JSON: %s", w.Body)
		case err != nil || to.Host != "" && (to.Hostname() != "127.0.0.1" || to.Path != "/cb"):
			t.Errorf("sent to %s, %v", to, err)
		}
	})
}
