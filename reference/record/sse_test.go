package record

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// TestHTTPWithSSE: the old transport, with a server that names its endpoint by an absolute
// address: that leads to the proxy, and what was recorded is served over stdio.
func TestHTTPWithSSE(t *testing.T) {
	w, err := reference.NamedWorld("small")
	if err != nil {
		t.Fatal(err)
	}
	var base string
	s := reference.Start(t, w, reference.WithOptions(func(o *reference.Options) {
		o.Hooks = hook.EditEvent(func(e *hook.Event) {
			if e.Type == "endpoint" {
				e.Data = append([]byte(base), e.Data...)
			}
		})
	}))
	base = strings.TrimSuffix(s.SSEURL(), "/sse")
	var f file
	rec, err := NewRecorder(&f, Header{Transport: hook.HTTP}, nil)
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := rec.Proxy(s.SSEURL())
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Close()
	web := httptest.NewServer(proxy)
	defer web.Close()
	resp, err := http.Get(web.URL + proxy.Path())
	if err != nil {
		t.Fatal(err)
	}
	events := bufio.NewScanner(resp.Body)
	next := func() string {
		for events.Scan() {
			if data, ok := strings.CutPrefix(events.Text(), "data: "); ok {
				return data
			}
		}
		t.Fatal("the stream has ended")
		return ""
	}
	endpoint := next()
	if !strings.HasPrefix(endpoint, "/message?") {
		t.Fatalf("the endpoint is %s", endpoint)
	}
	talked := []string{initialize("2024-11-05"), initialized, list, read(3, "note:hello")}
	var want []string
	for _, line := range talked {
		post(t, web.URL+endpoint, "", "", line)
		if strings.Contains(line, `"id"`) {
			want = append(want, next())
		}
	}
	_ = resp.Body.Close()
	recording := f.String()
	if strings.Contains(recording, `"kind":"event","transport":"sse","message"`) ||
		!strings.Contains(recording, `"transport":"sse"`) {
		t.Error(recording)
	}
	again, _ := serve(t, recording)
	if got := talk(t, connect(t, again), talked...); !slices.Equal(got, want) {
		t.Errorf("\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	http.DefaultClient.CloseIdleConnections()
}
