package badtarget

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
)

// echo is what the mode "echo" adds to its answers: everything it was told, in
// each of the encodings in which a secret can cross the wire.
func (s *server) echo() string {
	if s.mode != "echo" {
		return ""
	}
	told := s.told
	for _, pair := range os.Environ() {
		if name, value, ok := strings.Cut(pair, "="); ok && strings.HasPrefix(name, "CANARY") {
			told += " " + value
		}
	}
	words := strings.Fields(told)
	slices.Sort(words)
	var b strings.Builder
	for _, w := range slices.Compact(words) {
		b.WriteString(" plain " + w)
		b.WriteString(" percent " + percent(w) + " test://host/path?key=" + url.QueryEscape(w))
		for shift := range 3 {
			text := strings.Repeat("-", shift) + w
			b.WriteString(" base64 " + base64.StdEncoding.EncodeToString([]byte(text)) + " " + base64.RawURLEncoding.EncodeToString([]byte(text)))
		}
		b.WriteString(" json " + quote(w))
	}
	return b.String()
}

// percent encodes every byte.
func percent(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, "%%%02x", c)
	}
	return b.String()
}
