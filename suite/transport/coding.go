package transport

import (
	"bufio"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
)

// decode undoes the content coding gzip, which a server may use as our requests say nothing about codings (RFC 9110, section
// 12.5.3), and takes the header away that names it. The header stays where the body is in another coding, or in none.
func decode(resp *http.Response) {
	coding := strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding")))
	if coding != "gzip" && coding != "x-gzip" {
		return
	}
	plain := bufio.NewReader(resp.Body)
	body := struct {
		io.Reader
		io.Closer
	}{plain, resp.Body}
	if magic, _ := plain.Peek(2); string(magic) == "\x1f\x8b" { // whoever reads the body sees the error
		if z, err := gzip.NewReader(plain); err == nil {
			body.Reader = z
			resp.Header.Del("Content-Encoding")
		}
	}
	resp.Body = body
}
