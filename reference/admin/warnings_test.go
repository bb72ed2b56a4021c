package admin

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference"
)

// TestAnswersWarn: what is taken although it is most likely a mistake is told.
func TestAnswersWarn(t *testing.T) {
	s := reference.Start(t, reference.DefaultWorld())
	api := New(s.Server, Options{})
	for _, test := range []struct {
		method, path, body string
		status             int
		want               string // "!" in front: must not be in the answer
	}{
		{"POST", "/rules", `{"fail":{"code":-1},"method":"resources/raed"}`, 201, `the protocol has no method \"resources/raed\": did you mean resources/read`},
		{"POST", "/rules", `{"fail":{"code":-1},"method":"resources/read","id":"fine"}`, 201, `!warnings`},
		{"POST", "/rules", `{"fault":"page-02-last-page-cycles"}`, 201, `start it with --page-size`},
		{"POST", "/rules", `{"fault":"page-02-last-page-cycle"}`, 422, `did you mean page-02-last-page-cycles`},
		{"PUT", "/resource", `{"uri":"no scheme"}`, 200, `"warnings":["uri: is malformed: no scheme","name: is missing"]`},
		{"PUT", "/resource", `{"uri":"note:fine","name":"n"}`, 200, `!warnings`},
		{"PATCH", "/resource?uri=note:fine", `{"mimeType":"x"}`, 200, `"warnings":["mimeType: is malformed`},
		{"PUT", "/template", `{"uriTemplate":"note:fixed","name":"n","text":"t"}`, 200, `has no variable`},
		{"POST", "/journal/wait", `{"query":{"method":"none"},"timeout":"20ms"}`, 200, `not within 20ms`},
		{"POST", "/journal/wait", `{"query":{"kind":"request"},"timeout":"20ms"}`, 200, `"met":false`},
		{"POST", "/journal/wait", `{"query":{"kind":"requests"}}`, 422, `no entries of the kind`},
		{"GET", "/journal?kinds=request&kinds=response", "", 200, `"entries"`},
		{"GET", "/journal?kind=request&kind=response", "", 200, `"entries"`},
		{"GET", "/journal?kinds=requests", "", 400, `no entries of the kind`},
	} {
		req := httptest.NewRequestWithContext(t.Context(), test.method, "http://127.0.0.1"+test.path, strings.NewReader(test.body))
		if test.body != "" {
			req.Header.Set("Content-Type", "application/json")
		}
		rec := httptest.NewRecorder()
		http.Handler(api).ServeHTTP(rec, req)
		want, absent := strings.CutPrefix(test.want, "!")
		if rec.Code != test.status || strings.Contains(rec.Body.String(), want) == absent {
			t.Errorf("%s %s %s: %d %s", test.method, test.path, test.body, rec.Code, rec.Body)
		}
	}
}
