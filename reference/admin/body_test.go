package admin

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
)

// TestSlowBodies: a body that does not come is waited for as long as at the other port, whatever is to become
// of the request, and then its connection is closed.
func TestSlowBodies(t *testing.T) {
	const head = " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 17\r\n"
	const json = "Content-Type: application/json\r\n"
	drip := strings.Split(strings.Repeat(" ", 14), "")
	drip[0] = "POST /rules" + head + json + "\r\n"
	for name, c := range map[string]struct {
		send   []string // 9 seconds between them
		status string
		took   time.Duration
	}{
		"stalled": {[]string{"POST /rules" + head + json + "\r\n{"}, "408", 10 * time.Second},
		"nothing": {[]string{"POST /reset" + head + json + "\r\n"}, "408", 10 * time.Second},
		"in chunks": {[]string{
			"POST /rules HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n" + json + "\r\n1\r\n{",
		}, "408", 10 * time.Second},
		"not read": {[]string{"POST /nowhere" + head + "\r\n{"}, "404", 10 * time.Second},
		"no JSON":  {[]string{"POST /reset" + head + "\r\n{"}, "415", 10 * time.Second},
		"refused":  {[]string{"POST /reset" + head + "Origin: null\r\n\r\n{"}, "403", 10 * time.Second},
		"endless":  {drip, "408", 90 * time.Second},
		"slow": {[]string{
			"POST /journal/wait" + head + json + "Connection: close\r\n\r\n{", `"timeout"`, `:"30s"}`,
		}, "200", 48 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := reference.Start(t, reference.DefaultWorld())
				ours, theirs := net.Pipe()
				l := make(oneConn, 1)
				l <- theirs
				ctx, end := context.WithCancel(t.Context())
				var serving, sending sync.WaitGroup
				defer serving.Wait() // within the test, where the clock goes on
				defer end()
				defer sending.Wait()
				serving.Go(func() { _ = New(s.Server, Options{}).Serve(ctx, l) })
				begin := time.Now()
				sending.Go(func() {
					for _, part := range c.send {
						_, _ = io.WriteString(ours, part) // the server may have closed it
						time.Sleep(9 * time.Second)
					}
				})
				answer, err := io.ReadAll(ours)
				took, right := time.Since(begin), strings.HasPrefix(string(answer), "HTTP/1.1 "+c.status)
				if err != nil || took != c.took || !right {
					t.Errorf("after %s: %v\n%s", took, err, answer)
				}
			})
		})
	}
}

// oneConn is a listener with the connections that are in it.
type oneConn chan net.Conn

func (l oneConn) Accept() (net.Conn, error) {
	if c, ok := <-l; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (l oneConn) Close() error   { close(l); return nil }
func (l oneConn) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// TestMediaTypes: no request that a page of another origin can make without a preflight changes anything,
// with a body or without, and no charset is passed over.
func TestMediaTypes(t *testing.T) {
	s := reference.Start(t, reference.DefaultWorld())
	if _, err := s.AddNamespace("a", reference.NamespaceOptions{}); err != nil {
		t.Fatal(err)
	}
	api := New(s.Server, Options{})
	ask := func(method, path, body string, types []string) int {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Host, r.Header["Content-Type"] = "localhost", types
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		return w.Code
	}
	refused := strings.Split(`
text/plain
text/plain; charset=utf-8
application/x-www-form-urlencoded
multipart/form-data; boundary=x
text/json
application/json5
application/x+json
application/octet-stream
*/*
application
text/plain, application/json
application/json, text/plain
application/json, application/json
text/plain; application/json
application/json; =
application/merge-patch+json
application/json; charset=latin1
application/json; charset=utf-16
application/json;charset=UTF-7
application/json; CHARSET=utf-32
application/json; charset="iso-8859-1"
application/json; charset='utf-8'
application/json; charset=
application/json; charset=""
application/json; charset=us-ascii
application/json; charset=utf-8 utf-16
application/json; charset=utf-8; charset=utf-16
application/json; charset=utf-8; Charset=utf-7
application/json; charset=utf-8, application/json
application/json; charset*=utf-8''utf-16
application/json; charset*=utf-16''x
application/json; charset=utf-8; charset*=utf-16''x
application/json; charset*0=utf; charset*1=-16`, "\n")
	taken := strings.Split(`application/json
Application/JSON
application/json;
 application/json 
application/json; charset=utf-8
application/json;charset=UTF-8
application/json; Charset="Utf-8"
application/json; charset=utf8
application/json; q=1`, "\n")
	for i, contentType := range append(refused, taken...) {
		want := http.StatusUnsupportedMediaType
		if i >= len(refused) {
			want = http.StatusNoContent
		}
		for _, body := range []string{"", "{}"} {
			if got := ask("POST", "/reset", body, []string{contentType}); got != want {
				t.Errorf("%q with the body %q: %d", contentType, body, got)
			}
		}
	}
	for _, to := range routes {
		if to.method == http.MethodGet {
			continue
		}
		path := to.path + "?"
		for _, p := range to.params {
			path += strings.TrimSuffix(p, "!") + "=x"
		}
		path = strings.NewReplacer("{", "", "}", "").Replace(path)
		for _, types := range [][]string{
			nil, {"text/plain"}, {"application/json; charset=utf-16"}, {"application/json", "text/plain"},
		} {
			if got := ask(to.method, path, "", types); got != 415 {
				t.Errorf("%s %s with %q: %d", to.method, path, types, got)
			}
			if strings.HasPrefix(path, "/namespaces") {
				continue
			}
			if got := ask(to.method, "/namespaces/a"+path, "", types); got != 415 {
				t.Errorf("%s %s of a namespace with %q: %d", to.method, path, types, got)
			}
		}
	}
	merge := []string{"application/merge-patch+json; charset=UTF-8"}
	if got := ask("PATCH", "/resource?uri=none:1", "{}", merge); got != 404 {
		t.Errorf("a merge patch: %d", got)
	}
	for _, body := range []string{`{"a":1}`, "[]", "x", `"x"`} {
		if got := ask("POST", "/reset", body, []string{"application/json"}); got != 400 && got != 422 {
			t.Errorf("%s: %d", body, got)
		}
	}
}
