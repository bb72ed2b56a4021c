package journal

import (
	"bytes"
	"encoding/binary"
	"net/http"
	"slices"
	"strings"
)

// KeepHeader keeps headers, masked as by [Mask], for those who look at the entry. A
// journal holds thousands of entries of which few are looked at: until then they are
// one piece of memory, which costs the garbage collector nothing to pass by.
func (h *HTTP) KeepHeader(header http.Header) {
	if len(header) == 0 {
		return
	}
	var room [512]byte
	b := room[:0]
	text := func(s string) {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	for name, values := range header {
		text(name)
		b = binary.AppendUvarint(b, uint64(len(values)))
		secret := slices.Contains(masked, name)
		for _, v := range values {
			if secret {
				v = hidden(name, v)
			}
			text(v)
		}
	}
	h.packed = bytes.Clone(b)
}

// unpack puts the headers of an entry where they are looked for.
func (e *Entry) unpack() {
	if e.HTTP == nil || e.HTTP.packed == nil {
		return
	}
	b := string(e.HTTP.packed)
	e.HTTP.packed = nil
	number := func() int {
		n, width := uvarint(b)
		b = b[width:]
		return n
	}
	text := func() string {
		n := number()
		s := b[:n]
		b = b[n:]
		return s
	}
	e.HTTP.Header = http.Header{}
	for b != "" {
		name := text()
		values := make([]string, number())
		for i := range values {
			values[i] = text()
		}
		e.HTTP.Header[name] = values
	}
}

// uvarint is binary.Uvarint of a string.
func uvarint(s string) (n, width int) {
	value, width := binary.Uvarint([]byte(s[:min(len(s), binary.MaxVarintLen64)]))
	return int(value), width
}

// hidden is what is left of the value of a header that carries credentials: of
// Authorization the scheme.
func hidden(name, value string) string {
	if scheme, _, ok := strings.Cut(value, " "); ok && strings.HasSuffix(name, "Authorization") {
		return scheme + " ***"
	}
	return "***"
}
