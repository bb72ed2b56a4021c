package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
)

// FuzzBody: whatever a body holds, it is taken, or refused in words and as JSON; and what was taken,
// such as a rule, does not stop the server from answering others. GET has no body, and what waits
// does so no longer than the request is under way.
func FuzzBody(f *testing.F) {
	paths := []string{"PUT /resource", "PATCH /resource?uri=note:shopping", "PUT /template", "POST /touch",
		"POST /rules", "PUT /states",
		"POST /journal/wait", "POST /journal/assert", "POST /verify", "POST /namespaces"}
	for i, body := range []string{`{"uri":"a:b","name":"n","text":"t"}`,
		`{"title":null,"annotations":{"priority":2}}`, `{"uriTemplate":"a:{b}","name":"n"}`,
		`{"uri":"note:shopping"}`,
		`{"do":[{"method":"resources/read","set":"result.contents[*].text","to":"${request.params.uri}"}]}`,
		`{"states":{"a":"b"}}`,
		`{"query":{"kinds":["request"]},"timeout":"1ms"}`, `{"inOrder":[{"limit":1}]}`, `{"strict":true}`,
		`{"name":"a","world":{"resources":[]}}`} {
		f.Add(uint8(i), []byte(body))
	}
	f.Add(uint8(4), []byte(`{"fault":"page-02-last-page-cycles","count":2}`))
	f.Add(uint8(4), []byte(`{"delay":"1ms","chance":0.5,"while":{"a":"b"}}`))
	f.Fuzz(func(t *testing.T, which uint8, body []byte) {
		server, err := reference.New(reference.DefaultWorld(), reference.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := server.Close(); err != nil {
				t.Error(err)
			}
		}()
		method, path, _ := strings.Cut(paths[int(which)%len(paths)], " ")
		w := answerOf(t, New(server, Options{}), httptest.NewRequest(method, path, bytes.NewReader(body)))
		if got := w.Body.Bytes(); w.Code >= 500 || len(got) > 0 && !json.Valid(got) {
			t.Errorf("%d %q", w.Code, got)
		}
		start := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
			`"capabilities":{},"clientInfo":{"name":"f","version":"1"}}}`
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(start))
		r.Header.Set("Accept", "application/json, text/event-stream")
		answerOf(t, server.Handler(), r)
	})
}

// answerOf is the answer to a request that is given up after a moment.
func answerOf(t *testing.T, h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	r.Host = "localhost:1"
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r.WithContext(ctx))
	return w
}
