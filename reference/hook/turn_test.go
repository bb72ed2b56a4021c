package hook

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestCompared: hooks that leave what passes as it is are not counted. Of those that do not, what came passes where they
// must not act, be it that they alter, withhold, repeat or answer it.
func TestCompared(t *testing.T) {
	for name, h := range map[string]Hooks{
		"same":     EditMessage(func(m *Message) { m.Raw = []byte(`{"a":1}`) }),
		"altered":  EditMessage(func(m *Message) { m.Raw = []byte(`{}`) }),
		"withheld": OnResponse("", func(Sending) error { return nil }),
		"repeated": twice(""),
	} {
		asked, got := 0, ""
		send := Compared(
			h,
		).Emit(
			func(_ context.Context, m Message) error { got += string(m.Raw); return nil },
		)
		err := send(
			WithTurn(t.Context(), func() bool { asked++; return false }),
			Message{Raw: []byte(`{"a":1}`)},
		)
		if err != nil || got != `{"a":1}` || (asked == 0) != (name == "same") {
			t.Errorf("%s: %q, %v, asked %d times", name, got, err, asked)
		}
	}
	for name, h := range map[string]Hooks{
		"same":     EditParams("", func(_ *Call, params Object) { params["a"] = Number(1) }),
		"params":   EditParams("", func(_ *Call, params Object) { params["a"] = Number(2) }),
		"result":   EditResult("", func(_ *Call, result Object) { result["b"] = true }),
		"answered": OnMethod("", func(Calling) *Reply { return Fail(-1, "no") }),
	} {
		asked, undone := 0, 0
		handle := Compared(Join(OnMethod("", func(c Calling) *Reply {
			Undo(c, func() { undone++ })
			return c.Next()
		}), h)).Handle(func(_ context.Context, c *Call) *Reply { return &Reply{Result: Object{"params": string(c.Params)}} })
		r := handle(
			WithTurn(t.Context(), func() bool { asked++; return false }),
			&Call{Params: []byte(`{"a":1}`)},
		)
		if r == nil || len(r.Result) != 1 || r.Result["params"] != `{"a":1}` ||
			(asked == 0) != (name == "same") ||
			undone != min(asked, 1) {
			t.Errorf("%s: %+v, asked %d times, undone %d times", name, r, asked, undone)
		}
	}
	for name, h := range map[string]Hooks{
		"same":   EditAnswer(func(_ *http.Request, _ []byte, a *Answer) { a.Status = http.StatusAccepted }),
		"header": EditRequest(func(r *http.Request) { r.Header.Set("X", "other") }),
		"head":   EditHead(func(_ *http.Request, _ int, h http.Header) int { h.Del("Y"); return http.StatusTeapot }),
		"body":   EditAnswer(func(_ *http.Request, _ []byte, a *Answer) { a.Body = []byte("other") }),
		"own":    OnHTTP(nil, func(w http.ResponseWriter, r *http.Request, _ http.Handler) { http.NotFound(w, r) }),
		"half": OnHTTP(nil, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			next.ServeHTTP(&Writer{ResponseWriter: w, Body: func(p []byte) (int, error) { return w.Write(p[:len(p)/2]) }}, r)
			Cut(r.Context())
		}),
	} {
		asked := 0
		serve := Compared(h).HTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Y", "y")
			w.WriteHeader(http.StatusAccepted)
			_, _ = w.Write([]byte("plain" + r.Header.Get("X")))
		}))
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader("{}"))
		serve.ServeHTTP(w, r.WithContext(WithTurn(t.Context(), func() bool { asked++; return false })))
		if w.Code != http.StatusAccepted || w.Body.String() != "plain" || w.Header().Get("Y") != "y" ||
			len(w.Header()) != 1 ||
			(asked == 0) != (name == "same") {
			t.Errorf("%s: %d %v %q, asked %d times", name, w.Code, w.Header(), w.Body, asked)
		}
	}
}
