package journal_test

import (
	"net/http"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpcheck/mcpcheck/reference/journal"
)

func TestKeepHeaderIsMask(t *testing.T) {
	names := rapid.SampledFrom([]string{"Accept", "Authorization", "Cookie", "Mcp-Session-Id", "X-Api-Key", ""})
	values := rapid.SliceOfN(rapid.OneOf(rapid.String(), rapid.Just("Bearer secret")), 0, 3)
	rapid.Check(t, func(t *rapid.T) {
		h := http.Header(rapid.MapOf(names, values).Draw(t, "header"))
		j, want := journal.New(journal.Options{}), journal.Mask(h)
		e := &journal.Entry{Kind: journal.HTTPRequest, HTTP: &journal.HTTP{}}
		e.HTTP.KeepHeader(h)
		j.Note(e, nil)
		for range 2 { // whoever looks a second time sees the same
			seen := j.Query(journal.Query{})
			if len(seen) != 1 || len(seen[0].HTTP.Header) != len(want) {
				t.Fatalf("%q became %+v", want, seen)
			}
			for name, v := range want {
				if got := seen[0].HTTP.Header[name]; len(got) != len(v) || len(v) > 0 && !reflect.DeepEqual(got, v) {
					t.Fatalf("%q: %q became %q", name, v, got)
				}
			}
		}
	})
}

func TestKeepHeaderIsSeenByTheTap(t *testing.T) {
	var seen string
	j := journal.New(journal.Options{Tap: func(e *journal.Entry, _ []byte) { seen = e.Header("Accept") }})
	e := &journal.Entry{HTTP: &journal.HTTP{}}
	e.HTTP.KeepHeader(http.Header{"Accept": {"text/plain"}})
	j.Note(e, nil)
	if seen != "text/plain" {
		t.Errorf("the tap saw %q", seen)
	}
}
