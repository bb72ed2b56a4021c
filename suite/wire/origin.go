package wire

import (
	"cmp"
	"net/url"
	"strings"
)

// SameOrigin reports whether scheme, host and port of two URLs agree.
func SameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && Port(a) == Port(b)
}

// Port is that of a URL, or the usual one of its scheme.
func Port(u *url.URL) string {
	return cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
}
