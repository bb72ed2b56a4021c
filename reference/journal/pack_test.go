package journal_test

import (
	"net/http"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// TestHeadersAreKept: each header as it came, whether somebody looks on or not, but for credentials.
func TestHeadersAreKept(t *testing.T) {
	names := rapid.SampledFrom([]string{"Accept", "Authorization", "Cookie", "Mcp-Session-Id", "X-Api-Key",
		""})
	values := rapid.SliceOfN(rapid.OneOf(rapid.StringMatching("[^=@]*"), rapid.Just("Bearer secret")), 0, 3)
	rapid.Check(t, func(t *rapid.T) {
		h := http.Header(rapid.MapOf(names, values).Draw(t, "header"))
		came := h.Clone()
		var tapped http.Header
		for _, o := range []journal.Options{{},
			{Tap: func(e *journal.Entry, _ []byte) { tapped = e.HTTP.Header }}} {
			j := journal.New(o)
			j.Note(&journal.Entry{Kind: journal.HTTPRequest, HTTP: &journal.HTTP{Header: h}}, nil)
			for range 2 { // whoever looks a second time sees the same
				seen := j.Query(journal.Query{})
				if len(seen) != 1 || len(seen[0].HTTP.Header) != len(h) || tapped != nil &&
					!reflect.DeepEqual(tapped, seen[0].HTTP.Header) {
					t.Fatalf("%q became %+v", h, seen)
				}
				for name, v := range h {
					for i, got := range seen[0].HTTP.Header[name] {
						secret := name == "Authorization" || name == "Cookie" || name == "X-Api-Key"
						if secret == (got == v[i]) {
							t.Fatalf("%q: %q became %q", name, v[i], got)
						}
					}
				}
			}
			if !reflect.DeepEqual(h, came) {
				t.Fatalf("the request was changed: %q", h)
			}
		}
	})
}
