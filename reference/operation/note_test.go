package operation_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// guest is a session on a network connection.
type guest struct {
	hook.Session
	id   string
	sent []string
}

func (g *guest) ID() string       { return g.id }
func (g *guest) Revision() string { return "2025-11-25" }

func (g *guest) Send(_ context.Context, raw []byte) error {
	g.sent = append(g.sent, string(raw))
	return nil
}

// TestNotes: what is noted is remembered for the server, or for each connection, session or revision.
func TestNotes(t *testing.T) {
	const seen = `
- {on: request, when: [{at: params.uri, in: noted.seen}], answer: {code: -1, message: "seen ${noted.seen[0]} first, ${noted.seen[-1]} last"}}
- {on: request, note: seen, to: "${params.uri}"`
	asked := [][3]string{{"S", "1", "a"}, {"S", "2", "b"}, {"T", "1", "a"}, {"T", "3", "b"}, {"S", "2", "b"}}
	for _, test := range []struct{ do, want string }{
		{seen + "}", ". . seen a first, b last seen a first, b last seen a first, b last "},
		{seen + ", per: session}", ". . . . seen a first, b last "},
		{seen + ", per: connection}", ". . seen a first, a last . seen b first, b last "},
		{seen + ", per: revision}", ". . seen a first, a last . seen b first, b last "},
		{`- {when: [{at: "noted.count[2]"}], set: result.x, to: "after ${noted.count[2]}"}` +
			"\n- {note: count, to: 7}", ". . . after 7 after 7 "},
		{"- {on: request, set: params.uri, to: c}\n" + `- {set: result.x, to: "${request.params.uri}"}`,
			"a b a b b "},
	} {
		got := ""
		handle := hooksOf(t, test.do).Handle(func(context.Context, *hook.Call) *hook.Reply {
			return &hook.Reply{Result: hook.Object{"x": "."}}
		})
		for _, a := range asked {
			r := handle(t.Context(), &hook.Call{
				ID: json.RawMessage("7"), Method: "resources/read",
				Params:  json.RawMessage(`{"uri":"` + a[2] + `"}`),
				Session: &guest{id: a[0]}, Trace: &hook.Trace{Connection: a[1]}, Revision: a[1],
			})
			text, _ := r.Result["x"].(string)
			if r.Error != nil {
				text, _ = r.Error["message"].(string)
			}
			got += text + " "
		}
		if got != test.want {
			t.Errorf("%s: %s", test.do, got)
		}
	}
}

// TestApart: a message that belongs to no request goes past it.
func TestApart(t *testing.T) {
	g := &guest{id: "S"}
	c := &hook.Call{ID: json.RawMessage("7"), Method: "ping", Session: g}
	m := hook.Message{Kind: hook.Response, Call: c, Session: g, Raw: []byte(`{"id":7,"result":{}}`)}
	if got := sendAll(t, `- {on: response, send: {x: "${id}"}, apart: true}`, m); len(got) != 1 ||
		got[0] != string(m.Raw) {
		t.Errorf("sent with the request: %q", got)
	}
	hooksOf(t, `- {on: request, send: {y: 1}, apart: true}`).Handle(
		func(context.Context, *hook.Call) *hook.Reply { return &hook.Reply{} })(t.Context(), c)
	if len(g.sent) != 2 || g.sent[0] != `{"x":7}` || g.sent[1] != `{"y":1}` {
		t.Errorf("sent apart: %q", g.sent)
	}
}
