package wire

import (
	"cmp"
	"net/url"
	"strings"
)

// SameOrigin reports whether scheme, host and port of two URLs agree.
func SameOrigin(a, b *url.URL) bool {
	port := func(u *url.URL) string {
		return cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	}
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}
