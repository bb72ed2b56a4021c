package reference_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/control"
)

// TestHTTPFailuresOverSSE: a failure with a status, limited to a method, is the answer to the POST of
// HTTP+SSE as it is to that of Streamable HTTP, and others are not touched.
func TestHTTPFailuresOverSSE(t *testing.T) {
	s := reference.Start(t, notes())
	resp, err := http.Get(s.SSEURL())
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // the stream ends with the server
	lines := bufio.NewScanner(resp.Body)
	next := func() string {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return data
			}
		}
		return ""
	}
	endpoint := strings.TrimSuffix(s.SSEURL(), "/sse") + next()
	s.Inject(control.Rule{Fail: &control.Failure{Status: http.StatusServiceUnavailable},
		Limits: control.Limits{Method: "resources/read", Count: 1}})
	for _, test := range []struct {
		message string
		status  int
		answer  string
	}{
		{strings.Replace(hello, "2025-11-25", "2024-11-05", 1), http.StatusAccepted, "serverInfo"},
		{`{"jsonrpc":"2.0","id":2,"method":"resources/list"}`, http.StatusAccepted, `"id":2`},
		{`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"note:1"}}`,
			http.StatusServiceUnavailable, ""},
		{`{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"note:1"}}`, http.StatusAccepted,
			`"id":4`},
	} {
		posted, err := http.Post(endpoint, "application/json", strings.NewReader(test.message))
		if err != nil {
			t.Fatal(err)
		}
		_ = posted.Body.Close()
		if posted.StatusCode != test.status {
			t.Errorf("%s: %s", test.message, posted.Status)
		}
		if test.answer != "" {
			want(t, next(), test.answer)
		}
	}
}
