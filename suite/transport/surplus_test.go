package transport

import (
	"bufio"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// rawServer answers each request on each connection with these bytes, and says where it listens.
func rawServer(t *testing.T, answer string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				for in := bufio.NewReader(c); ; {
					r, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, r.Body)
					_, _ = io.WriteString(c, answer)
				}
			}()
		}
	}()
	return "http://" + listener.Addr().String()
}

// TestHTTPSurplus: what comes behind a response is told, and only that.
func TestHTTPSurplus(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	for name, c := range map[string]struct{ answer, want string }{
		"nothing":    {head + "Content-Length: 2\r\n\r\n{}", ""},
		"chunks":     {head + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", ""},
		"no content": {"HTTP/1.1 204 No Content\r\n\r\n", ""},
		"an interim response": {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" +
			head + "Content-Length: 2\r\n\r\n{}", ""},
		"newlines": {strings.ReplaceAll(head, "\r\n", "\n") + "Content-Length: 2\n\n{}", ""},
		"a short length": {head + "Content-Length: 2\r\n\r\n{}abc",
			"3 bytes came behind the response, which has a Content-Length of 2"},
		"another response": {head + "Content-Length: 2\r\n\r\n{}" + head + "Content-Length: 0\r\n\r\n",
			"came behind the response"},
		"behind nothing": {"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\nHTTP/1.1 500 " +
			"No\r\nContent-Length: 0\r\n\r\n", "came behind the response"},
		"behind newlines": {"HTTP/1.1 100 Continue\n\n" + strings.ReplaceAll(head, "\r\n", "\n") +
			"Content-Length: 2\n\n{}\n", "1 byte came behind"},
	} {
		t.Run(name, func(t *testing.T) {
			conn, l := dial(t, &HTTP{URL: rawServer(t, c.answer)})
			finished(t, "the response", send(t, conn, Message{Body: []byte("{}")}).Done)
			conn.Close(t.Context())
			told := ""
			for _, f := range l.all() {
				if f.HasFlaw(wire.FlawSurplus) {
					told += f.Text
				}
			}
			if !strings.Contains(told, c.want) || c.want == "" && told != "" {
				t.Errorf("told is %q:\n%s", told, l)
			}
		})
	}
}

// TestHTTPSSurplus: TLS hides nothing of that.
func TestHTTPSSurplus(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(c,
			"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}abc")
		_ = c.Close()
	}))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file,
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
		0o600); err != nil {
		t.Fatal(err)
	}
	conn, l := dial(t, &HTTP{URL: server.URL, Client: Client{CAFile: file}})
	finished(t, "the response", send(t, conn, Message{Body: []byte("{}")}).Done)
	l.await(t, "the note", noted("3 bytes came behind the response"))
}

// TestHTTPUnasked: what comes between two exchanges is told, but not that an idle connection ends.
func TestHTTPUnasked(t *testing.T) {
	for notice, want := range map[string]bool{
		"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n": true,
		"x": true,
		"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n":  false,
		"HTTP/1.0 408 Request Time-out\r\nConnection: close\r\n\r\n": false,
	} {
		told := make(chan int, 1)
		ours, theirs := net.Pipe()
		c := &watchedConn{Conn: ours}
		use := c.begin(func(n int) { told <- n })
		go func() {
			_, _ = io.WriteString(theirs, "HTTP/1.1 200 OK\r\n\r\n{}")
			_, _ = io.WriteString(theirs, notice)
			_ = theirs.Close()
		}()
		b := make([]byte, 1000)
		if _, err := c.Read(b); err != nil || use.end(2) != 0 {
			t.Errorf("%v", err)
		}
		_, _ = io.Copy(io.Discard, c)
		select {
		case n := <-told:
			if !want || n != len(notice) {
				t.Errorf("%q: %d bytes are told", notice, n)
			}
		default:
			if want {
				t.Errorf("%q is not told", notice)
			}
		}
	}
}
