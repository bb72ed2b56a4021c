package record

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference"
)

// upstream is a server that lets every page in, and counts the requests that came with our credential.
type upstream struct {
	*httptest.Server
	asked atomic.Int32
}

func newUpstream(t *testing.T) *upstream {
	t.Helper()
	u := &upstream{}
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer of-ours-alone" {
			u.asked.Add(1)
		}
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Allow-Credentials", "true")
		h.Set("Set-Cookie", "sid=of-the-server")
		h.Set("Vary", "Accept")
		if strings.HasSuffix(r.URL.Path, "/sse") {
			h.Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "event: endpoint\ndata: /message?sessionId=1\n\n")
			return
		}
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	}))
	t.Cleanup(u.Close)
	return u
}

// ask sends a request with headers, and returns the head of its answer.
func ask(t *testing.T, method, url, host string, header http.Header) *http.Response {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(""))
	if err != nil {
		t.Fatal(err)
	}
	r.Header, r.Host = header.Clone(), host
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close() // a stream would not end
	return resp
}

// TestOrigins: who lets pages call a server lets in the same ones, and nothing of the others gets through.
func TestOrigins(t *testing.T) {
	server := newUpstream(t)
	recorder, err := NewRecorder(&file{}, Header{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	recorder.AllowedOrigins, recorder.AllowedHosts = []string{"https://app.example"}, []string{"recorder"}
	proxy, err := recorder.Proxy(server.URL + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	proxy.Header = http.Header{"Authorization": {"Bearer of-ours-alone"}}
	t.Cleanup(proxy.Close)
	sessions := recorder.Sessions(func() (Process, error) { return Process{}, io.EOF })
	t.Cleanup(sessions.Close)
	s := small(t)
	_, talk := recorded(t, s, nil, initialize("2025-11-25"), initialized, list)
	rec, err := Read("talk", strings.NewReader(talk))
	if err != nil {
		t.Fatal(err)
	}
	replayed, err := rec.Serve(reference.Options{AllowedOrigins: recorder.AllowedOrigins,
		AllowedHosts: recorder.AllowedHosts})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = replayed.Close() })
	handlers := map[string]http.Handler{"proxy": proxy, "sessions": sessions, "replay": replayed.Handler()}
	for name, test := range map[string]struct {
		host   string
		header http.Header
		in     bool
	}{
		"no browser":          {"", nil, true},
		"loopback":            {"", http.Header{"Origin": {"http://localhost:3000"}}, true},
		"loopback, other":     {"", http.Header{"Origin": {"https://127.0.0.1"}}, true},
		"loopback, capitals":  {"LOCALHOST:1", http.Header{"Origin": {"HTTP://LOCALHOST:3000"}}, true},
		"allowed":             {"", http.Header{"Origin": {"https://app.example"}}, true},
		"allowed host":        {"recorder:80", nil, true},
		"host of the origin":  {"app.example", http.Header{"Origin": {"https://app.example"}}, true},
		"IPv6":                {"[::1]:1", nil, true},
		"typed in":            {"", http.Header{"Sec-Fetch-Site": {"none"}}, true},
		"foreign":             {"", http.Header{"Origin": {"https://evil.example"}}, false},
		"null":                {"", http.Header{"Origin": {"null"}}, false},
		"empty":               {"", http.Header{"Origin": {""}}, false},
		"other port":          {"", http.Header{"Origin": {"https://app.example:8443"}}, false},
		"other scheme":        {"", http.Header{"Origin": {"http://app.example"}}, false},
		"subdomain":           {"", http.Header{"Origin": {"https://x.app.example"}}, false},
		"address as a prefix": {"", http.Header{"Origin": {"http://127.0.0.1.evil.example"}}, false},
		"name as a prefix":    {"", http.Header{"Origin": {"http://localhost.evil.example:80"}}, false},
		"name as a user":      {"", http.Header{"Origin": {"http://localhost@evil.example"}}, false},
		"a file":              {"", http.Header{"Origin": {"file://localhost"}}, false},
		"second one foreign": {"", http.Header{"Origin": {"https://app.example", "https://evil.example"}},
			false},
		"two in one": {"", http.Header{"Origin": {"https://app.example, https://evil.example"}},
			false},
		"image": {"", http.Header{"Sec-Fetch-Site": {"cross-site"}}, false},
		"image, other port": {"", http.Header{"Sec-Fetch-Site": {"same-site"},
			"Sec-Fetch-Mode": {"no-cors"}}, false},
		"rebound":           {"evil.example", nil, false},
		"rebound, own page": {"evil.example:80", http.Header{"Origin": {"http://evil.example:80"}}, false},
		"rebound, loopback": {"evil.example", http.Header{"Origin": {"http://localhost"}}, false},
		"prefix of a host":  {"127.0.0.1.evil.example", nil, false},
	} {
		for what, h := range handlers {
			web := httptest.NewServer(h)
			for _, call := range []string{
				"POST /mcp", "GET /mcp", "DELETE /mcp", "OPTIONS /mcp", "HEAD /mcp", "PUT /mcp", "GET /sse",
				"POST /message?sessionId=1",
				"GET /.well-known/oauth-protected-resource", "POST /token", "preflight /mcp",
				"preflight /sse",
			} {
				method, path, _ := strings.Cut(call, " ")
				header, origin := test.header.Clone(), test.header.Get("Origin")
				preflight := method == "preflight"
				if preflight {
					if origin == "" {
						continue // browsers send it
					}
					method = http.MethodOptions
					header.Set("Access-Control-Request-Method", "POST")
					header.Set("Access-Control-Request-Headers", "mcp-session-id")
				}
				before := server.asked.Load()
				resp := ask(t, method, web.URL+path, test.host, header)
				passed := server.asked.Load() > before
				readable := resp.Header.Get("Access-Control-Allow-Origin")
				served := what != "replay" || path == "/mcp" || path == "/sse" ||
					strings.HasPrefix(path, "/message")
				if refused := resp.StatusCode == http.StatusForbidden; refused == test.in && served {
					t.Errorf("%s, %s: %s: %s", what, name, call, resp.Status)
				}
				if want := test.in && what == "proxy" && !preflight; passed != want {
					t.Errorf("%s, %s: %s: the server was asked: %t", what, name, call, passed)
				}
				if preflight && test.in && (resp.StatusCode != http.StatusNoContent ||
					resp.Header.Get("Access-Control-Allow-Headers") != "mcp-session-id") {
					t.Errorf("%s, %s: %s: %s %v", what, name, call, resp.Status, resp.Header)
				}
				if want := origin; !test.in && readable != "" || test.in && readable != want {
					t.Errorf("%s, %s: %s: pages of %q may read it", what, name, call, readable)
				}
				if resp.Header.Get("Access-Control-Allow-Credentials") != "" || origin != "" &&
					resp.Header.Get("Set-Cookie") != "" {
					t.Errorf("%s, %s: %s: %v", what, name, call, resp.Header)
				}
				if what == "proxy" && passed && origin == "" && resp.Header.Get("Set-Cookie") == "" {
					t.Errorf("%s, %s: %s: a client gets no cookie", what, name, call)
				}
			}
			web.Close()
		}
	}
}
