package transport

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"testing"
)

// FuzzHead: the end of the head of a response is where package net/http has it, in however many
// parts it comes.
func FuzzHead(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}behind"))
	f.Add([]byte("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 202 Accepted\n\n"))
	f.Add([]byte("HTTP/1.0 404 \r\nA: b\r\n c\r\n\r\n\r\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		whole := (&watchedConn{}).begin(nil)
		whole.take(raw)
		parts := (&watchedConn{}).begin(nil)
		for i := range raw {
			parts.take(raw[i : i+1])
		}
		if whole.head != parts.head || whole.bytes != parts.bytes {
			t.Errorf("at once the head has %d bytes of %d, and %d of %d byte by byte", whole.head,
				whole.bytes, parts.head, parts.bytes)
		}
		in := bufio.NewReader(bytes.NewReader(raw))
		resp, err := http.ReadResponse(in, nil)
		if err != nil || resp.StatusCode < http.StatusOK || resp.StatusCode >= 600 {
			return
		}
		rest, err := io.ReadAll(in) // the body, and what is behind it
		if head := len(raw) - len(rest); err != nil || whole.head != int64(head) {
			t.Errorf("the head has %d bytes for us, and %d for net/http: %v", whole.head, head, err)
		}
	})
}
