package engine

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

func TestReadAheadPutsTheBodyBack(t *testing.T) {
	for _, test := range []struct {
		name string
		body io.Reader
		want int
		err  error
	}{
		{"short", strings.NewReader("abc"), 3, nil},
		{"empty", strings.NewReader(""), 0, nil},
		{"of unknown length", struct{ io.Reader }{strings.NewReader(strings.Repeat("x", 5000))}, 5000, nil},
		{"as long as may be", strings.NewReader(strings.Repeat("x", maxBody)), maxBody, nil},
		{"a byte longer", strings.NewReader(strings.Repeat("x", maxBody+1)), maxBody + 1, nil},
		{"that ends with its last bytes", iotest.DataErrReader(strings.NewReader(strings.Repeat("x", maxBody+1))), maxBody + 1, nil},
		{"long", strings.NewReader(strings.Repeat("x", maxBody+100)), maxBody + 100, nil},
		{"broken", io.MultiReader(strings.NewReader("abc"), failing{io.ErrUnexpectedEOF}), 3, io.ErrUnexpectedEOF},
	} {
		r := httptest.NewRequest(http.MethodPost, "/mcp", test.body)
		var got readBody
		got.readAhead(r)
		if len(got.data) != min(test.want, maxBody+1) || got.whole() != (test.err == nil && test.want <= maxBody) {
			t.Errorf("%s: %d bytes were read ahead, the whole: %t", test.name, len(got.data), got.whole())
		}
		all, err := io.ReadAll(r.Body)
		if len(all) != test.want || !errors.Is(err, test.err) {
			t.Errorf("%s: %d bytes, %v", test.name, len(all), err)
		}
	}
}

// BenchmarkPing is what the journal costs a request: with one and without.
func BenchmarkPing(b *testing.B) {
	for name, j := range map[string]*journal.Journal{"journal": journal.New(journal.Options{}), "none": nil} {
		b.Run(name, func(b *testing.B) {
			e, err := New(Config{World: world.World{Name: "w"}, Journal: j})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = e.Close() }()
			handler := e
			s := e.provisional()
			s.revision = hook.R20251125
			if err := e.register(s); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequest(http.MethodPost, PathStreamable, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set(headerSession, s.id)
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, r)
				if w.Code != http.StatusOK {
					b.Fatal(w.Code, w.Body)
				}
			}
		})
	}
}
