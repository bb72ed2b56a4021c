package transport

import (
	"bufio"
	"compress/gzip"
	"io"
	"net/http"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// decode undoes the content coding gzip, which some servers use although our requests ask for none,
// and takes the header away that names it. The header stays where the body is in another coding, or in none.
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

// coded leaves of the flaws of a body in a coding that is not read only that it is no JSON: what
// its characters are is not known.
func coded(f *wire.Frame) {
	coding := wire.Coding(f.HTTP.Header)
	if coding == "" || !f.HasFlaw(wire.FlawNotJSON) {
		return
	}
	f.Flaws = nil
	f.AddFlaw(wire.FlawNotJSON, "the Content-Encoding is %s", wire.Excerpt([]byte(coding), 40))
}
