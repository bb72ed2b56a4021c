package operation_test

import (
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/operation"
)

// hooksOf reads operations from YAML and makes them.
func hooksOf(t *testing.T, text string) hook.Hooks {
	t.Helper()
	var file operation.Rule
	if _, err := yamlfile.Decode("do.yaml", []byte("do:\n"+text), &file); err != nil {
		t.Fatal(err)
	}
	h, err := operation.Hooks(file.Do, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// session is a connection that notes its end.
type session struct {
	hook.Session
	ended bool
}

func (p *session) ID() string       { return "S" }
func (p *session) Revision() string { return "2025-11-25" }
func (p *session) Abort()           { p.ended = true }

// TestReplies: what becomes of a reply.
func TestReplies(t *testing.T) {
	const list = `{"result":{"a":[{"n":1,"u":"x"},{"n":2}],"m":{"k":"v"}}}`
	for _, test := range []struct{ name, do, reply, want string }{
		{"a member is set", `- {set: result.m.new.er, to: 5}`, list,
			`{"result":{"a":[{"n":1,"u":"x"},{"n":2}],"m":{"k":"v","new":{"er":5}}}}`},
		{"null is the default", `- {set: result.m}`, list,
			`{"result":{"a":[{"n":1,"u":"x"},{"n":2}],"m":null}}`},
		{"no result is made", `- {set: result.m, to: 1}`, `{"error":{"code":1}}`, `{"error":{"code":1}}`},
		{"a member with a question mark is not made", `- {set: "result.x?", to: 1}`, list, list},
		{"nor an object with one", `- {set: "result.x?.y", to: 1}`, list, list},
		{"an element is dropped", `- {drop: "result.a[0]"}`, list,
			`{"result":{"a":[{"n":2}],"m":{"k":"v"}}}`},
		{"the last one", `- {drop: "result.a[-1]"}`, list,
			`{"result":{"a":[{"n":1,"u":"x"}],"m":{"k":"v"}}}`},
		{"one that is not there", `- {drop: "result.a[7].n"}`, list, list},
		{"each", `- {drop: "result.a[*].n"}`, list, `{"result":{"a":[{"u":"x"},{}],"m":{"k":"v"}}}`},
		{"an element is added", `- {set: "result.a[+]", to: {u: "${result.m.k}", n: "${result.a[0].n}"}}`,
			list, `{"result":{"a":[{"n":1,"u":"x"},{"n":2},{"n":1,"u":"v"}],"m":{"k":"v"}}}`},
		{"a value from beside it", `- {set: "result.a[*].copy", to: "${.u}"}`, list,
			`{"result":{"a":[{"copy":"x","n":1,"u":"x"},{"n":2}],"m":{"k":"v"}}}`},
		{"a text around values", `- {set: result.m, to: "<${result.m.k}|${result.none}|${result.a[1]}>"}`,
			list, `{"result":{"a":[{"n":1,"u":"x"},{"n":2}],"m":"<v||{\"n\":2}>"}}`},
		{"where tests hold", `- {set: "result.a[*].u", to: y, where: [{at: u, type: missing}]}`, list,
			`{"result":{"a":[{"n":1,"u":"x"},{"n":2,"u":"y"}],"m":{"k":"v"}}}`},
		{"elements where tests hold", `- {drop: "result.a[*]", where: [{at: n, is: 2}]}`, list,
			`{"result":{"a":[{"n":1,"u":"x"}],"m":{"k":"v"}}}`},
		{"a number becomes a string", `- {retype: "result.a[*].n", as: string}`, list,
			`{"result":{"a":[{"n":"1","u":"x"},{"n":"2"}],"m":{"k":"v"}}}`},
		{"an object becomes an array", `- {retype: result.m, as: array}`, list,
			`{"result":{"a":[{"n":1,"u":"x"},{"n":2}],"m":["v"]}}`},
		{"an array becomes its first element", `- {retype: result.a, as: element}`, list,
			`{"result":{"a":{"n":1,"u":"x"},"m":{"k":"v"}}}`},
		{"digits become a number", `- {retype: result.d, as: number}`, `{"result":{"d":"017","e":"17"}}`,
			`{"result":{"d":"017","e":"17"}}`},
		{"JSON is unpacked", `- {retype: result.d, as: json}`, `{"result":{"d":"[1,{}]"}}`,
			`{"result":{"d":[1,{}]}}`},
		{"a text is rewritten", `- {rewrite: result.d, pattern: "(b)c", with: "$1-"}`,
			`{"result":{"d":"abcbc"}}`, `{"result":{"d":"ab-b-"}}`},
		{"so is a number", `- {rewrite: result.d, pattern: "$", with: ".0"}`, `{"result":{"d":7}}`,
			`{"result":{"d":7.0}}`},
		{"a code", `- {code: -1}`, `{"error":{"code":-2,"message":"m"}}`,
			`{"error":{"code":-1,"message":"m"}}`},
		{"another code stays", `- {code: -1, was: -3}`, `{"error":{"code":-2}}`, `{"error":{"code":-2}}`},
		{"a result has none", `- {code: -1}`, list, list},
		{"large numbers stay", `- {set: result.x, to: 1}`, `{"result":{"n":9007199254740993}}`,
			`{"result":{"n":9007199254740993,"x":1}}`},
		{"another method", `- {method: "ping|tools/*", set: result, to: 1}`, "", ""},
		{"in order", "- {set: result.x, to: 1}\n- {set: result.x, to: 2, when: [{at: result.x, is: 1}]}",
			`{"result":{}}`, `{"result":{"x":2}}`},
		{"the request decides",
			`- {when: [{at: request.params.uri, matches: "^log:"}, {at: request.id, is: 7}], set: ` +
				`result.x, to: "${request.params.uri}"}`, `{"result":{}}`, `{"result":{"x":"log:1"}}`},
		{"not", `- {when: [{at: request.params.uri, matches: "^log:", not: true}], set: result.x}`,
			`{"result":{}}`, `{"result":{}}`},
		{"a name with a slash", `- {set: 'result._meta["a.b/c"].d', to: 1}`, `{"result":{}}`,
			`{"result":{"_meta":{"a.b/c":{"d":1}}}}`},
		{"the modern era", `- {era: modern, set: result.x}`, `{"result":{}}`, `{"result":{}}`},
		{"a transport", `- {transport: stdio|sse, set: result.x}`, `{"result":{}}`, `{"result":{"x":null}}`},
	} {
		if test.reply == "" {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			decoded, _ := hook.DecodeObject([]byte(test.reply))
			r := &hook.Reply{}
			r.Result, _ = decoded["result"].(hook.Object)
			r.Error, _ = decoded["error"].(hook.Object)
			c := &hook.Call{ID: json.RawMessage("7"), Method: "resources/read",
				Params: json.RawMessage(`{"uri":"log:1"}`), Transport: hook.Stdio, Session: &session{}}
			r = hooksOf(t, test.do).Handle(func(context.Context, *hook.Call) *hook.Reply {
				return r
			})(t.Context(), c)
			got := hook.Object{}
			if r.Result != nil {
				got["result"] = r.Result
			}
			if r.Error != nil {
				got["error"] = r.Error
			}
			if string(hook.Encode(got)) != test.want {
				t.Errorf("%s", hook.Encode(got))
			}
		})
	}
}

// TestRequests: what becomes of a request, and what it is answered with.
func TestRequests(t *testing.T) {
	for _, test := range []struct{ name, do, handled, answer string }{
		{"params", `- {on: request, set: params.uri, to: "b:1"}`, `{"uri":"b:1"}`, `{"ok":true}`},
		{"a member goes", `- {on: request, drop: params.uri}`, `{}`, `{"ok":true}`},
		{"tests see it as it is then",
			"- {on: request, set: params.x, to: 1}\n- {on: request, when: [{at: params.x, is: 1}], drop: " +
				"params.uri}", `{"x":1}`, `{"ok":true}`},
		{"silence", `- {on: request, silence: true}`, "", "silent"},
		{"abort", `- {on: request, abort: true}`, "", "ended"},
		{"an answer", `- {on: request, answer: {result: {uri: "${params.uri}"}}}`, "", `{"uri":"a:1"}`},
		{"an error", `- {on: request, answer: {code: -5, message: "no ${params.uri}", data: [1]}}`, "",
			`{"code":-5,"data":[1],"message":"no a:1"}`},
		{"silence of the reply", `- {silence: true}`, `{"uri":"a:1"}`, "silent"},
		{"a message before",
			`- {on: request, send: {jsonrpc: "2.0", method: notifications/message, params: {about: ` +
				`"${params.uri}", id: "${id}"}}}`, `{"uri":"a:1"}`,
			`{"ok":true}{"jsonrpc":"2.0","method":"notifications/message","params":{"about":"a:1","id":7}}`},
		{"a message that lacks something",
			`- {on: request, send: {method: x, params: {about: "${params.none}"}}}`, `{"uri":"a:1"}`,
			`{"ok":true}`},
		{"later ones only", `- {on: request, skip: 1, silence: true}`, `{"uri":"a:1"}`, `{"ok":true}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, handled, sent := &session{}, "", ""
			c := &hook.Call{
				ID: json.RawMessage("7"), Method: "resources/read", Params: json.RawMessage(`{"uri":"a:1"}`),
				Session: p,
				Emit:    func(_ context.Context, m hook.Message) error { sent += string(m.Raw); return nil },
			}
			r := hooksOf(t, test.do).Handle(func(_ context.Context, c *hook.Call) *hook.Reply {
				handled = string(c.Params)
				return &hook.Reply{Result: hook.Object{"ok": true}}
			})(t.Context(), c)
			got := string(hook.Encode(r.Result)) + sent
			switch {
			case p.ended:
				got = "ended"
			case r.Silent:
				got = "silent"
			case r.Error != nil:
				got = string(hook.Encode(r.Error))
			}
			if handled != test.handled || got != test.answer {
				t.Errorf("handled %q, answered %s", handled, got)
			}
		})
	}
}

// TestNotificationsAreNotAnswered: but by raw bytes.
func TestNotificationsAreNotAnswered(t *testing.T) {
	for do, want := range map[string]string{
		`- {on: request, answer: {code: -1}}`: "handled", `- {on: request, answer: {raw: "{}"}}`: "{}",
		`- {on: request, silence: true}`: "",
	} {
		got := ""
		r := hooksOf(t, do).Handle(
			func(context.Context, *hook.Call) *hook.Reply { got = "handled"; return nil })(t.Context(),
			&hook.Call{Method: "notifications/x"})
		if r != nil && r.Raw != nil {
			got = string(r.Raw)
		}
		if got != want {
			t.Errorf("%s: %q", do, got)
		}
	}
}

// sendAll sends messages through the Emit hook of operations.
func sendAll(t *testing.T, do string, all ...hook.Message) (sent []string) {
	t.Helper()
	emit := hooksOf(t, do).Emit(func(_ context.Context, m hook.Message) error {
		sent = append(sent,
			string(m.Raw))
		return nil
	})
	for _, m := range all {
		if err := emit(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	return sent
}

// TestMessages: what becomes of responses and notifications.
func TestMessages(t *testing.T) {
	call := &hook.Call{ID: json.RawMessage("7"), Method: "ping", Params: json.RawMessage(`{"x":1}`)}
	response := hook.Message{Kind: hook.Response, Call: call, Raw: []byte(`{"id":7,"result":{}}`)}
	batch := hook.Message{Kind: hook.Response,
		Raw: []byte(`[{"id":7,"result":{}},{"id":8,"error":{"code":1}}]`)}
	note := hook.NewNotification("notifications/a", hook.Object{"n": hook.Number(1)})
	for _, test := range []struct {
		do   string
		m    hook.Message
		want []string
	}{
		{`- {on: response, method: ping, set: error, to: {code: 1}}`, response,
			[]string{`{"error":{"code":1},"id":7,"result":{}}`}},
		{`- {on: response, drop: id}`, response, []string{`{"result":{}}`}},
		{`- {on: response, method: ping, silence: true}`, response, nil},
		{`- {on: response, method: resources/*, silence: true}`, response, []string{`{"id":7,"result":{}}`}},
		{`- {on: response, repeat: 3}`, response, []string{`{"id":7,"result":{}}`, `{"id":7,"result":{}}`,
			`{"id":7,"result":{}}`}},
		{`- {on: response, send: {x: "${request.params.x}"}}`, response,
			[]string{`{"x":1}`, `{"id":7,"result":{}}`}},
		{`- {on: response, send: {x: "${id}"}, after: true}`, response, []string{`{"id":7,"result":{}}`,
			`{"x":7}`}},
		{`- {on: response, code: 2}`, batch, []string{`[{"id":7,"result":{}},{"error":{"code":2},"id":8}]`}},
		{`- {on: response, method: ping, code: 2}`, batch, []string{string(batch.Raw)}},
		{`- {on: notification, set: params.n, to: [2]}`, note,
			[]string{`{"jsonrpc":"2.0","method":"notifications/a","params":{"n":[2]}}`}},
		{`- {on: notification, method: notifications/b, silence: true}`, note, []string{string(note.Raw)}},
		{`- {on: response, silence: true}`, note, []string{string(note.Raw)}},
	} {
		if got := sendAll(t, test.do, test.m); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q", test.do, got)
		}
	}
	got := sendAll(t, `- {on: notification, skip: 1, count: 2, silence: true}`, note, note, note, note)
	if len(got) != 2 {
		t.Errorf("%d of four are left where the second and third are withheld", len(got))
	}
	if got = sendAll(t, `- {on: notification, every: 2, silence: true}`, note, note, note, note,
		note); len(got) != 3 {
		t.Errorf("%d of five are left where every second is withheld", len(got))
	}
}

// TestTime: delays pass, and of two messages the first waits for the second.
func TestTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		h := hooksOf(t, `- {on: request, delay: 3s}`).Handle(func(context.Context, *hook.Call) *hook.Reply {
			return nil
		})
		if h(t.Context(), &hook.Call{ID: json.RawMessage("1")}); time.Since(begin) != 3*time.Second {
			t.Errorf("a request waits %s", time.Since(begin))
		}
		sent := make(chan string, 3)
		emit := hooksOf(t, `- {on: notification, reorder: 10s}`).Emit(
			func(_ context.Context, m hook.Message) error { sent <- m.Method; return nil })
		send := func(method string) {
			if err := emit(t.Context(), hook.NewNotification(method, nil)); err != nil {
				t.Error(err)
			}
		}
		go send("first")
		synctest.Wait()
		send("second")
		if got := <-sent + " " + <-sent; got != "second first" {
			t.Error(got)
		}
		begin = time.Now()
		if send("alone"); time.Since(begin) != 10*time.Second || <-sent != "alone" {
			t.Errorf("what nothing follows waits %s", time.Since(begin))
		}
	})
}

// TestHTTP: requests and answers over HTTP.
func TestHTTP(t *testing.T) {
	for _, test := range []struct{ do, want string }{
		{`- {on: http-request, set: header.x-a, to: "${body.n}"}`, `200 {"a":"7"}`},
		{`- {on: http-request, when: [{at: verb, is: POST}, {at: path, is: /mcp}, {at: header.x-b, is: ` +
			`b}], drop: header.X-B}`, `200 {"a":""}`},
		{`- {on: http-request, answer: {status: 503, header: {Retry-After: "1"}, body: later}}`,
			`503 later 1`},
		{`- {on: http-answer, set: status, to: 202}`, `202 {"a":""}`},
		{`- {on: http-answer, when: [{at: request.body.n, is: 7}, {at: status, is: 200}], set: body.a, ` +
			`to: [1]}`, `200 {"a":[1]}`},
		{"- {on: http-answer, set: body, to: gone}\n- {on: http-answer, when: [{at: request.header.X-B}]," +
			" set: header.Retry-After, to: 5}", `200 gone 5`},
		{`- {on: http-answer, transport: sse, set: status, to: 202}`, `200 {"a":""}`},
	} {
		h := hooksOf(t, test.do).HTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"a":"`+r.Header.Get("X-A")+`"}`)
		}))
		r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(`{"n":7}`))
		r.Header.Set("X-B", "b")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		got := strings.TrimSpace(strings.Join([]string{http.StatusText(w.Code), w.Body.String(),
			w.Header().Get("Retry-After")}, " "))
		want := test.want
		for code, text := range map[string]string{"200": "OK", "202": "Accepted",
			"503": "Service Unavailable"} {
			if rest, ok := strings.CutPrefix(want, code); ok {
				want = text + rest
			}
		}
		if got != want {
			t.Errorf("%s: %q", test.do, got)
		}
	}
}

// TestEvents: server-sent events.
func TestEvents(t *testing.T) {
	for do, want := range map[string]string{
		`- {on: event, when: [{at: stream, is: post}, {at: answer, is: true}], set: type, to: ` +
			`response}`: "event: response\nid: 1-2\ndata: {}\n\n",
		`- {on: event, rewrite: id, pattern: ` +
			`"^.*-"}`: "id: 2\ndata: {}\n\n",
		`- {on: event, set: data, to: ` +
			`"${data}\n${data}"}`: "id: 1-2\ndata: {}\ndata: {}\n\n",
		`- {on: event, drop: id}`: "data: {}\n\n",
		"- {on: event, set: data, to: two}\n" +
			"- {on: event, rewrite: raw, pattern: two, with: three}": "id: 1-2\ndata: three\n\n",
		`- {on: event, when: [{at: type, type: missing}], silence: true}`: "",
		`- {on: event, repeat: 2}`: "id: 1-2\ndata: {}\n\nid: " +
			"1-2\ndata: {}\n\n",
	} {
		got := ""
		err := hooksOf(t,
			do).Event(func(_ context.Context, e hook.Event) error {
			got += string(
				hook.EncodeEvent(e))
			return nil
		})(
			t.Context(), hook.Event{ID: "1-2", Data: []byte("{}"), Stream: "post", Response: true})
		if err != nil || got != want {
			t.Errorf("%s: %q, %v", do, got, err)
		}
	}
}

// TestCheck: what cannot be done is said in a sentence that names the member.
func TestCheck(t *testing.T) {
	for do, want := range map[string]string{
		`{}`: "needs exactly one of", `{set: result.a, drop: result.b}`: "needs exactly one of",
		`{on: replies, silence: true}`: `on: is "replies": known are event`,
		`{on: request, set: result.a}`: `set: "result.a" does not begin with ` +
			`method, params, header`,
		`{set: result}`: "set: a reply has either a result or " +
			"an error",
		`{set: result..a}`: `set: "result..a" is no path: a name ` +
			`is missing`,
		`{set: "result.a[x]"}`: `in brackets there is a number`,
		`{set: "result.a["}`:   "a bracket is not closed",
		`{set: 'result["a'}`:   "a quoted name does not end",
		`{set: result.}`:       "a name is missing at the end",
		`{retype: result.a, as: strng}`: `as: is "strng": known are string, ` +
			`number, array, element, json`,
		`{retype: result.a}`:                       "as: is missing",
		`{rewrite: result.a, pattern: "("}`:        "pattern: is no regular expression",
		`{drop: result.a, to: 1}`:                  "to: belongs to set, note only",
		`{on: event, method: ping, silence: true}`: "method and era cannot be told",
		`{silence: true, when: [{at: params.a}]}`: `when[0].at: "params.a" does not ` +
			`begin with`,
		`{silence: true, when: [{at: "result.a[*]"}]}`:      "leads to more than one",
		`{silence: true, when: [{at: result, type: text}]}`: `when[0].type: is "text": known are`,
		`{silence: true, when: [{at: result, matches: "["}]}`: "when[0].matches: is no regular " +
			"expression",
		`{repeat: 2}`: "repeat: cannot be done to a message " +
			"of the sort reply",
		`{on: response, repeat: 1}`:              "repeat: must be between 2 and",
		`{on: response, reorder: 2h}`:            "reorder: must be between",
		`{on: request, delay: "dribble:1KiB/s"}`: "delay: cannot be a dribble",
		`{on: request, answer: {status: 200}}`: "answer: to a request is exactly one " +
			"of result, code, raw and base64",
		`{on: request, answer: {code: 1, status: 99}}`: "answer.status: 99 is not between",
		`{on: http-request, answer: {body: x}}`:        "answer: to an http-request is a status",
		`{note: a, per: hour}`: `per: is "hour": known are connection,` +
			` session`,
		`{silence: true, when: [{at: result, in: params.a}]}`: `when[0].in: "params.a" is no path`,
		`{silence: true, skip: -1}`:                           "skip, count and every must be between",
		`{silence: true, transport: "stdio|tcp"}`: `transport: is "tcp": known are stdio,` +
			` http, sse`,
		`{set: "result.a", where: [{at: "b[0]x.", type: object}]}`: "where[0].at",
	} {
		var file operation.Rule
		if _, err := yamlfile.Decode("do.yaml", []byte("do: ["+do+"]"), &file); err != nil {
			t.Errorf("%s: %v", do, err)
			continue
		}
		found := file.Check()
		if len(found) == 0 || !strings.HasPrefix(found[0].Member, "do[0]") ||
			!strings.Contains(found[0].Error(), want) {
			t.Errorf("%s: %v, not %q", do, found, want)
		}
		if _, err := operation.Hooks(file.Do, nil); err == nil {
			t.Errorf("%s can be done", do)
		}
	}
	if len((&operation.Rule{}).Check()) == 0 {
		t.Error("a rule that does nothing is taken")
	}
}

// TestJSON: an operation is written as it is read.
func TestJSON(t *testing.T) {
	code := int64(0)
	for _, o := range []operation.Operation{
		{Set: "result.a", To: ""}, {Set: "result.a"}, {Code: &code},
		{On: operation.OnRequest, Answer: &operation.Stub{Result: map[string]any{}}},
		{On: operation.OnRequest, Delay: &operation.Delay{Kind: operation.KindFixed, Min: time.Second}},
		{On: operation.OnResponse, Reorder: operation.Duration(time.Second)},
		{Silence: true, When: []operation.Test{{At: "result.a", Is: false}}},
	} {
		data, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		var back operation.Operation
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatal(err)
		}
		if again, _ := json.Marshal(back); string(again) != string(data) || len(back.Check()) > 0 {
			t.Errorf("%s becomes %s: %v", data, again, back.Check())
		}
	}
}
