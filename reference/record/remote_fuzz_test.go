package record

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
)

// said answers requests with one response after the other, and then not at all.
type said struct {
	mu   sync.Mutex
	left *bufio.Reader
}

func (s *said) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	resp, err := http.ReadResponse(s.left, r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body) // here: the next response comes from the same bytes
	resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), iotest.ErrReader(cmp.Or(err, io.EOF))))
	return resp, nil
}

// FuzzRemote: whatever a recorded server answers, the conversation comes to its end.
func FuzzRemote(f *testing.F) {
	const head = "HTTP/1.1 200 OK\r\nMcp-Session-Id: s\r\nContent-Type: "
	f.Add([]byte(head + "application/json\r\nContent-Length: 66\r\n\r\n" +
		`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}` +
		"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n" + head +
		"text/event-stream\r\n\r\nid: 1\nretry: 1\ndata: {}\n\n"))
	f.Add([]byte("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n" + head +
		"text/event-stream\r\n\r\nevent: endpoint\ndata: /m\n\ndata: {\"id\":1}\n\n"))
	f.Add([]byte(head + "text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nid:\r\n"))
	f.Fuzz(func(t *testing.T, answers []byte) {
		synctest.Test(t, func(t *testing.T) {
			r, err := Dial("http://127.0.0.1/mcp", RemoteOptions{})
			if err != nil {
				t.Fatal(err)
			}
			r.web.Transport = &said{left: bufio.NewReader(bytes.NewReader(answers))}
			read := make(chan struct{})
			go func() {
				defer close(read)
				_, _ = io.Copy(io.Discard, r) // what is passed on is not looked at
			}()
			_, _ = io.WriteString(r,
				strings.Join([]string{initialize("2025-11-25"),
					`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
					`{"jsonrpc":"2.0","id":2,"method":"resources/list"}`, ""}, "\n"))
			_ = r.Close() // never fails
			<-read
		})
	})
}
