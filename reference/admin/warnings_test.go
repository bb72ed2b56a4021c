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
	api := New(reference.Start(t, reference.DefaultWorld()).Server, Options{})
	for _, test := range []struct {
		method, path, body string
		status             int
		want               string // "!" in front: must not be in the answer
	}{
		{"POST", "/rules", `{"fail":{"code":-1},"method":"resources/raed"}`, 201,
			`the protocol has no method \"resources/raed\": did you mean resources/read`},
		{"POST", "/rules", `{"fail":{"code":-1},"method":"resources/read","id":"fine"}`, 201, `!warnings`},
		{"POST", "/rules", `{"fault":"page-02-last-page-cycles"}`, 201, `start it with --page-size`},
		{"POST", "/rules", `{"fault":"page-02-last-page-cycle"}`, 422,
			`did you mean page-02-last-page-cycles`},
		{"PUT", "/resource", `{"uri":"no scheme"}`, 200,
			`"warnings":["uri: is malformed: no scheme","name: is missing"]`},
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
		rec := answer(t, api, test.method, test.path, test.body)
		want, absent := strings.CutPrefix(test.want, "!")
		if rec.Code != test.status || strings.Contains(rec.Body.String(), want) == absent {
			t.Errorf("%s %s %s: %d %s", test.method, test.path, test.body, rec.Code, rec.Body)
		}
	}
}

// TestPageSizesWarn: a fault or a quirk that does not show with the pages of the server is told, in whichever
// way the server has got its page size.
func TestPageSizesWarn(t *testing.T) {
	for n, warned := range map[int]map[string]bool{
		0: {`{"fault":"page-02-last-page-cycles"}`: true, `{"quirk":"all-on-one-page"}`: false,
			`{"quirk":"single-entries"}`: true, `{"quirk":"long-cursors"}`: true},
		3: {`{"fault":"page-02-last-page-cycles"}`: false, `{"quirk":"all-on-one-page"}`: true,
			`{"quirk":"single-entries"}`: true, `{"quirk":"long-cursors"}`: false},
		5: {`{"fault":"page-02-last-page-cycles"}`: true, `{"quirk":"all-on-one-page"}`: true,
			`{"quirk":"single-entries"}`: true, `{"quirk":"long-cursors"}`: false},
	} {
		for rule, want := range warned {
			api := New(reference.Start(t, reference.DefaultWorld(), reference.WithPageSize(n)).Server,
				Options{})
			if rec := answer(t, api, "POST", "/rules", rule); rec.Code != 201 ||
				strings.Contains(rec.Body.String(), "start it with --page-size") != want {
				t.Errorf("page size %d, %s: %d %s", n, rule, rec.Code, rec.Body)
			}
		}
	}
}

// answer is what the API answers.
func answer(t *testing.T, api http.Handler, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), method, "http://127.0.0.1"+path,
		strings.NewReader(body))
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	rec := httptest.NewRecorder()
	api.ServeHTTP(rec, req)
	return rec
}
