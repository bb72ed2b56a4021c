package transport

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// TestCoded: of a body in a coding that is not read nobody knows whether it is UTF-8.
func TestCoded(t *testing.T) {
	for coding, want := range map[string]string{"br": `[not JSON, the Content-Encoding is "br"]`,
		"identity": "[invalid UTF-8 not JSON]", "": "[invalid UTF-8 not JSON]"} {
		f := wire.Frame{HTTP: &wire.HTTP{Header: http.Header{"Content-Encoding": {coding}}},
			Flaws: []wire.Flaw{{Code: wire.FlawUTF8}, {Code: wire.FlawNotJSON}}}
		coded(&f)
		if got := fmt.Sprint(f.Flaws); got != want {
			t.Errorf("%q: got %s, want %s", coding, got, want)
		}
	}
	plain := wire.Frame{HTTP: &wire.HTTP{Header: http.Header{"Content-Encoding": {"br"}}},
		Flaws: []wire.Flaw{{Code: wire.FlawDuplicate}}}
	if coded(&plain); !plain.HasFlaw(wire.FlawDuplicate) {
		t.Error("JSON under a header that lies is judged")
	}
}

func TestDecode(t *testing.T) {
	zipped := func(text string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = io.WriteString(z, text) // a buffer takes all
		_ = z.Close()
		return b.String()
	}
	long := strings.Repeat(`{"jsonrpc":"2.0"}`, 1000)
	for name, c := range map[string]struct {
		coding, body, want, left string
		fails                    bool
	}{
		"none":      {"", "{}", "{}", "", false},
		"gzip":      {"GZIP", zipped(long), long, "", false},
		"x-gzip":    {"x-gzip", zipped("{}"), "{}", "", false},
		"false":     {"gzip", "{}", "{}", "gzip", false},
		"empty":     {"gzip", "", "", "gzip", false},
		"other":     {"br", "{}", "{}", "br", false},
		"cut":       {"gzip", zipped(long)[:40], "", "", true},
		"two":       {"gzip, gzip", "{}", "{}", "gzip, gzip", false},
		"beginning": {"gzip", "\x1f\x8b", "", "gzip", false},
	} {
		resp := &http.Response{Header: http.Header{}, Body: io.NopCloser(strings.NewReader(c.body))}
		if c.coding != "" {
			resp.Header.Set("Content-Encoding", c.coding)
		}
		decode(resp)
		got, err := io.ReadAll(resp.Body)
		if left := resp.Header.Get("Content-Encoding"); (err != nil) != c.fails || !c.fails &&
			string(got) != c.want || left != c.left {
			t.Errorf("%s: %d bytes, %q, %v", name, len(got), left, err)
		}
	}
}
