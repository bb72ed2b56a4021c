package admin

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// BenchmarkPing is a ping, over HTTP and in process, while requests of the interface wait for what does not
// come. It takes as long with many of them as with none.
func BenchmarkPing(b *testing.B) {
	for _, waits := range []int{0, 10, 330} {
		server := reference.Start(b, reference.DefaultWorld())
		h := server.Handler()
		web := httptest.NewServer(h)
		b.Cleanup(web.Close)
		inProcess := func(r *http.Request) (*http.Response, error) {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w.Result(), nil
		}
		session := ""
		ping := func(b *testing.B, do func(r *http.Request) (*http.Response, error)) {
			resp, err := do(message(b, web.URL, session, `{"jsonrpc":"2.0","id":1,"method":"ping"}`))
			if err != nil || resp.Body.Close() != nil || resp.StatusCode != http.StatusOK {
				b.Fatal(resp, err)
			}
		}
		resp, err := inProcess(message(b, web.URL, "", `{"jsonrpc":"2.0","id":1,"method":"initialize",`+
			`"params":{"protocolVersion":"2025-11-25","capabilities":{},`+
			`"clientInfo":{"name":"b","version":"1"}}}`))
		if err != nil {
			b.Fatal(err)
		}
		session = resp.Header.Get("Mcp-Session-Id")
		waitInVain(b, New(server.Server, Options{}), waits)
		for range journal.DefaultEntries { // has the journal be full, and lets the waits begin
			ping(b, inProcess)
		}
		for over, do := range map[string]func(r *http.Request) (*http.Response, error){
			"HTTP": web.Client().Do, "process": inProcess,
		} {
			b.Run(fmt.Sprintf("%s/%d", over, waits), func(b *testing.B) {
				for b.Loop() {
					ping(b, do)
				}
			})
		}
	}
}

func message(b *testing.B, base, session, body string) *http.Request {
	r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, base+"/mcp", strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	return r
}

// waitInVain has requests of the interface wait until the benchmark ends: for another method, for pings of
// other sessions, and for pings that are no requests.
func waitInVain(b *testing.B, api *API, n int) {
	ctx, cancel := context.WithCancel(b.Context())
	var all sync.WaitGroup
	for i := range n {
		query := []string{
			`"kind":"request","method":"resources/read"`,
			fmt.Sprintf(`"direction":"in","method":"ping","session":"none-%d"`, i),
			`"kind":"notification","method":"ping"`,
		}[i%3]
		all.Go(func() {
			body := strings.NewReader(`{"timeout":"60s","query":{` + query + `}}`)
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1/journal/wait", body)
			r.Header.Set("Content-Type", "application/json")
			api.ServeHTTP(httptest.NewRecorder(), r)
		})
	}
	b.Cleanup(func() {
		cancel()
		all.Wait()
	})
}
