package hook

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// reply runs a call through the handle hooks.
func reply(h Hooks, c *Call, r *Reply) *Reply {
	next := func(context.Context, *Call) *Reply { return r }
	if h.Handle == nil {
		return next(context.Background(), c)
	}
	return h.Handle(next)(context.Background(), c)
}

func TestMatches(t *testing.T) {
	tests := []struct {
		pattern, method string
		want            bool
	}{
		{
			"",
			"x",
			true,
		}, {"*", "x", true}, {"a/*", "a/b", true}, {"a/*", "b/a", false}, {"a|b", "b", true},
		{"a|b", "c", false}, {"a", "a/b", false},
	}
	for _, test := range tests {
		if got := MethodsOf(test.pattern).Has(test.method); got != test.want {
			t.Errorf("%q on %q: %t", test.pattern, test.method, got)
		}
	}
}

func TestEditingKeepsTheRest(t *testing.T) {
	raw := []byte(`{"a":9007199254740993,"b":1.10,"c":"<&>","d":null,"e":[{"f":1e2}]}`)
	o, _ := DecodeObject(raw)
	o["z"] = true
	if want := strings.TrimSuffix(string(raw), "}") + `,"z":true}`; string(Encode(o)) != want {
		t.Errorf("edited %s, want %s", Encode(o), want)
	}
}

func TestEditorsOfReplies(t *testing.T) {
	list := func() *Reply {
		return &Reply{Result: Object{"resources": []any{Object{"name": "a"}, Object{"name": "b"}}}}
	}
	c := &Call{Method: MethodList, ID: json.RawMessage("1")}
	r := reply(
		EditEach(MethodList, "resources", func(i int, o Object) { o["i"] = Number(int64(i)) }),
		c,
		list(),
	)
	if second := r.Result["resources"].([]any)[1].(Object); second["i"] != json.Number("1") {
		t.Errorf("entries: %v", r.Result)
	}
	if r := reply(EditReply("resources/*", func(_ *Call, r *Reply) { r.Silent = true }), c,
		list()); !r.Silent {
		t.Error("not dropped")
	}
	if r := reply(OnMethod(MethodRead, func(Calling) *Reply { return nil }), c, list()); r == nil {
		t.Error("replaced the reply of another method")
	}
}

func TestEditedParams(t *testing.T) {
	c := (&Call{Method: "m"}).With("x", Number(1))
	if string(c.Params) != `{"x":1}` {
		t.Errorf("params %s", c.Params)
	}
	c = c.With("_meta", Object{"k": "v"}).With("y", 1).With("y", nil)
	if c.Meta("k") != "v" || c.Param("x") != json.Number("1") || c.Param("y") != nil {
		t.Errorf("params %s", c.Params)
	}
}

// inOrder writes a word into notifications.
func inOrder(word string) Hooks {
	return OnNotification("n", func(m Sending) error {
		n, _ := DecodeObject(m.Raw)
		ObjectAt(n, "params")["order"] = word
		return m.Send(m.With(Encode(n)))
	})
}

// twice sends answers to the methods of a pattern twice.
func twice(pattern string) Hooks {
	return OnResponse(pattern, func(m Sending) error {
		return errors.Join(m.Next(), m.Next())
	})
}

func TestEmitHooks(t *testing.T) {
	var sent []string
	send := func(h Hooks, m Message) {
		sent = nil
		m = m.To(func(_ context.Context, m Message) error { sent = append(sent, string(m.Raw)); return nil })
		if err := h.Emit(Deliver)(context.Background(), m); err != nil {
			t.Fatal(err)
		}
	}
	note := NewNotification("n", Object{"a": true})
	send(OnNotification("n", func(Sending) error { return nil }), note)
	if len(sent) != 0 {
		t.Errorf("dropped: %q", sent)
	}
	send(twice(""), note)
	if len(sent) != 1 {
		t.Errorf("a notification is no response: %q", sent)
	}
	send(twice(""), Message{Kind: Response, Raw: []byte("{}")})
	if len(sent) != 2 {
		t.Errorf("repeated: %q", sent)
	}
	both := Join(
		inOrder("outer"), inOrder("inner"),
	)
	send(both, note)
	if !slices.Equal(sent, []string{`{"jsonrpc":"2.0","method":"n","params":{"a":true,"order":"inner"}}`}) {
		t.Errorf("joined: %q", sent)
	}
}

func TestHTTPHooks(t *testing.T) {
	handler := func(contentType string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(http.StatusAccepted)
			_, _ = w.Write([]byte("body"))
		})
	}
	run := func(h Hooks, contentType string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.HTTP(
			handler(contentType),
		).ServeHTTP(
			w,
			httptest.NewRequest("POST", "/mcp", strings.NewReader("request")),
		)
		return w
	}
	if w := run(EditHead(func(*http.Request, int, http.Header) int {
		return 418
	}), "text/event-stream"); w.Code != 418 ||
		w.Body.String() != "body" {
		t.Errorf("status %d %q", w.Code, w.Body)
	}
	edit := EditAnswer(func(_ *http.Request, body []byte, a *Answer) {
		a.Status, a.Body = 500, append(a.Body, body...)
	})
	if w := run(edit, "application/json"); w.Code != 500 || w.Body.String() != "bodyrequest" ||
		w.Header().Get("Content-Length") != "11" {
		t.Errorf("answer %d %q", w.Code, w.Body)
	}
	if w := run(edit, "text/event-stream"); w.Code != 202 || w.Body.String() != "body" {
		t.Errorf("an event stream was edited: %d %q", w.Code, w.Body)
	}
}

// Hooks get in one piece what they match; the rest passes as it is.
func TestWhoLooksGetsItInOnePiece(t *testing.T) {
	rendered := func() *Reply { return &Reply{Rendered: journal.NewShared([]byte(`"result":{"n":1}}`))} }
	matching := OnMethod("a", func(c Calling) *Reply {
		r := c.Next()
		if r.Result["n"] != Number(1) || r.Rendered != nil {
			t.Errorf("%s: not in one piece", c.Method)
		}
		return r
	})
	both := Join(matching, EditReply("a", func(*Call, *Reply) {}), EditCall("", func(*Call) {}))
	for name, hooks := range map[string]Hooks{"one": matching, "two": both} {
		h := hooks.Handle(func(context.Context, *Call) *Reply { return rendered() })
		h(t.Context(), &Call{Method: "a"})
		if r := h(t.Context(), &Call{Method: "b"}); r.Rendered == nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for pattern, looked := range map[string]bool{"a": false, "": true} {
		n := 0
		send := twice(pattern).Emit(func(_ context.Context, m Message) error {
			if n++; string(m.Raw)+string(m.Tail.Bytes()) != `{"result":{"n":1}}` ||
				(m.Tail == nil) != looked {
				t.Errorf("%q: %s %s", pattern, m.Raw, m.Tail.Bytes())
			}
			return nil
		})
		if err := send(t.Context(), Message{Raw: []byte(`{`), Tail: rendered().Rendered,
			Call: &Call{Method: "b"}}); err != nil ||
			n == 0 {
			t.Error(pattern, n, err)
		}
	}
}

// TestWhatIsWrittenInTheEndPassesAll: who wraps the output of a connection lets go of it when those within
// have written.
func TestWhatIsWrittenInTheEndPassesAll(t *testing.T) {
	named := func(name string) Hooks {
		return Hooks{
			Stdio: func(_ context.Context, in io.Reader, out io.Writer) (io.Reader, io.Writer, func()) {
				return in, out, func() { _, _ = io.WriteString(out, name) }
			},
		}
	}
	var got strings.Builder
	silent := Hooks{
		Stdio: func(_ context.Context, in io.Reader, out io.Writer) (io.Reader, io.Writer, func()) {
			return in, out, nil
		},
	}
	_, _, end := Join(
		named("outer "),
		named("middle "),
		silent,
		named("inner "),
	).Stdio(
		t.Context(),
		nil,
		&got,
	)
	end()
	if got.String() != "inner middle outer " {
		t.Errorf("ends in the order %q", got.String())
	}
}
