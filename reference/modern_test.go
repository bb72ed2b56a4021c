package reference_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

func TestModernResultsAreComplete(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, serve(t, reference.Options{}), hook.R20260728, hook.Stdio)
		defer c.close()
		for method, params := range map[string]object{
			"server/discover": {}, "resources/list": {}, "resources/templates/list": {},
			"resources/read": {"uri": "note:shopping"},
		} {
			r := c.result(method, params)
			ttl, _ := r["ttlMs"].(json.Number)
			if r["resultType"] != "complete" || ttl == "" || r["cacheScope"] == nil ||
				at(r, "_meta", "io.modelcontextprotocol/serverInfo", "name") != "mockserver" {
				t.Errorf("%s: %v", method, r)
			}
		}
	})
}

func TestListenStreams(t *testing.T) {
	everywhere(t, reference.Options{}, func(t *testing.T, c *client) {
		if !hook.Modern(c.revision) {
			return
		}
		first := c.start("subscriptions/listen", object{"notifications": object{
			"resourceSubscriptions": []any{"note:shopping", "none:x", "not a uri"}, "toolsListChanged": true,
		}})
		second := c.start("subscriptions/listen", object{"notifications": object{
			"resourcesListChanged": true, "resourceSubscriptions": []any{"log://app/current"},
		}})
		acks := c.notes("notifications/subscriptions/acknowledged")
		if len(acks) != 2 || subscription(acks[0]) != first || subscription(acks[1]) != second {
			t.Fatalf("acknowledgments: %v", acks)
		}
		granted := hook.ObjectAt(acks[0], "params", "notifications")
		if uris := granted["resourceSubscriptions"].([]any); len(granted) != 1 ||
			!slices.Equal(uris, []any{"note:shopping"}) {
			t.Errorf("granted: %v", granted)
		}
		c.server.Touch("note:shopping")
		c.server.Touch("file:///project/README.md")
		c.server.ListChanged()
		updated, changed := c.notes("notifications/resources/updated"),
			c.notes("notifications/resources/list_changed")
		if len(updated) != 1 || subscription(updated[0]) != first || len(changed) != 1 ||
			subscription(changed[0]) != second {
			t.Errorf("updated %v, list_changed %v", updated, changed)
		}
		c.result("resources/list", nil)
		if c.transport == hook.Stdio {
			c.notify("notifications/cancelled", object{"requestId": first})
		} else {
			c.stop[0]()
			synctest.Wait()
		}
		c.server.Touch("note:shopping")
		if got := c.notes("notifications/resources/updated"); len(got) != 1 {
			t.Errorf("after cancellation: %v", got)
		}
		if err := c.server.Close(); err != nil {
			t.Error(err)
		}
		end := c.answer(second)
		if at(end, "result", "resultType") != "complete" ||
			at(end, "result", "_meta", "io.modelcontextprotocol/subscriptionId") != second {
			t.Errorf("end of the stream: %v", end)
		}
	})
}

func subscription(m object) any {
	return at(m, "params", "_meta", "io.modelcontextprotocol/subscriptionId")
}

func TestListenRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, serve(t, reference.Options{}), hook.R20260728, hook.Stdio)
		defer c.close()
		for _, params := range []object{
			{}, {"notifications": json.Number("5")}, {"notifications": object{"resourceSubscriptions": "x"}},
			{"notifications": object{"resourceSubscriptions": []any{json.Number("1")}}},
			{"notifications": object{"resourcesListChanged": "yes"}},
		} {
			if got := c.code("subscriptions/listen", params); got != "-32602" {
				t.Errorf("%v: %s", params, got)
			}
		}
	})
}

// TestRoundsOfInput: a read asks in several rounds, by a form, at a URL, a model and for roots, each only of
// clients that can; what they yield is in the text, and clients of other revisions get the defaults.
func TestRoundsOfInput(t *testing.T) {
	w, err := world.Parse("w.yaml", []byte(`
resources:
  - uri: "trip:plan"
    name: plan
    text: "{name} goes from {places} to {city}.\n"
    input:
      key: who
      message: Who?
      fields: [{name: name, default: nobody}]
      then: {key: pay, kind: url, message: Pay first, url: "https://pay.example/1", then: {key: city, kind: sampling, message: Which city?, default: Rome, then: {key: places, kind: roots, default: here}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		server := reference.Start(t, w)
		c := connect(t, server.Server, hook.R20260728, hook.HTTP)
		defer c.close()
		all := object{"elicitation": object{"form": object{}, "url": object{}}, "sampling": object{},
			"roots": object{}}
		params, steps := object{"uri": "trip:plan"}, []struct {
			key, method string
			lacks       string
			answer      object
		}{
			{"who", "elicitation/create", "elicitation",
				object{"action": "accept", "content": object{"name": "Ada"}}},
			{"pay", "elicitation/create", "elicitation", object{"action": "accept"}},
			{"city", "sampling/createMessage", "sampling", object{"role": "assistant", "model": "m",
				"content": object{"type": "text", "text": "Oslo"}}},
			{"places", "roots/list", "roots",
				object{"roots": []any{object{"uri": "file:///a"}, object{"uri": "file:///b"}}}},
		}
		for _, step := range steps {
			c.caps = maps.Clone(all)
			delete(c.caps, step.lacks)
			if r := c.call("resources/read", params); at(r, "error", "data", "requiredCapabilities",
				step.lacks) == nil {
				t.Errorf("%s without the capability: %v", step.key, r)
			}
			c.caps = all
			asked := c.result("resources/read", params)
			if asked["resultType"] != "input_required" || at(asked, "inputRequests", step.key,
				"method") != step.method {
				t.Fatalf("%s: %v", step.key, asked)
			}
			params = object{"uri": "trip:plan", "requestState": asked["requestState"],
				"inputResponses": object{step.key: object{}}}
			if step.key != "pay" && step.key != "who" {
				if code := c.code("resources/read", params); code != "-32602" {
					t.Errorf("%s with a malformed answer: %s", step.key, code)
				}
			}
			params["inputResponses"] = object{step.key: step.answer}
		}
		if text := list(c.result("resources/read", params),
			"contents")[0]["text"]; text != "Ada goes from file:///a, file:///b to Oslo.\n" {
			t.Errorf("%v", text)
		}
		old := connect(t, server.Server, hook.R20251125, hook.Stdio)
		defer old.close()
		if text := list(old.result("resources/read", object{"uri": "trip:plan"}),
			"contents")[0]["text"]; text != "nobody goes from here to Rome.\n" {
			t.Errorf("%v", text)
		}
	})
	for input, want := range map[string]string{
		"{key: a, kind: samplng}": "input.kind: is \"samplng\": known are " +
			"form, url, sampling, roots: did you mean sampling?",
		"{key: a, kind: url}": "input.url: is there for the kind url",
		"{key: a, kind: url, url: 'https://x.test', default: b}": "input.default: belongs to a model or " +
			"to roots",
		"{key: a, kind: roots, then: {key: b}}": "input.then: needs a key and, if it is " +
			"a form, at least one field",
	} {
		if _, err := world.Parse("w.yaml", []byte("resources: [{uri: 'a:b', name: n, text: t, input: "+input+
			"}]")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", input, err)
		}
	}
}

func TestInput(t *testing.T) {
	everywhere(t, reference.Options{}, func(t *testing.T, c *client) {
		read := object{"uri": "test://greeting"}
		if !hook.Modern(c.revision) {
			contents := list(c.result("resources/read", read), "contents")
			if contents[0]["text"] != "Hello, stranger!\n" {
				t.Errorf("legacy: %v", contents)
			}
			return
		}
		r := c.call("resources/read", read)
		if at(r, "error", "code") != json.Number("-32021") || at(r, "error", "data", "requiredCapabilities",
			"elicitation") == nil {
			t.Errorf("without capability: %v", r)
		}
		c.caps = object{"elicitation": object{}}
		asked := c.result("resources/read", read)
		state, _ := asked["requestState"].(string)
		if asked["resultType"] != "input_required" || state == "" || at(asked, "inputRequests", "who",
			"method") != "elicitation/create" || asked["ttlMs"] != nil {
			t.Fatalf("asked: %v", asked)
		}
		answers := object{"who": object{"action": "accept", "content": object{"name": "Ada"}},
			"other": json.Number("1")}
		done := c.result("resources/read", object{"uri": "test://greeting", "requestState": state,
			"inputResponses": answers})
		if list(done, "contents")[0]["text"] != "Hello, Ada!\n" {
			t.Errorf("answered: %v", done)
		}
		again := c.result("resources/read", object{"uri": "test://greeting", "requestState": state,
			"inputResponses": object{}})
		if again["resultType"] != "input_required" {
			t.Errorf("without answers: %v", again)
		}
		for what, params := range map[string]object{
			"tampered": {"uri": "test://greeting", "requestState": "A" + state[1:],
				"inputResponses": answers},
			"declined": {"uri": "test://greeting", "requestState": state,
				"inputResponses": object{"who": object{"action": "decline"}}},
			"malformed": {"uri": "test://greeting", "requestState": state,
				"inputResponses": object{"who": "Ada"}},
			"no object": {"uri": "test://greeting", "requestState": state, "inputResponses": "Ada"},
		} {
			if what == "tampered" && state[0] == 'A' {
				params["requestState"] = "B" + state[1:]
			}
			if got := c.code("resources/read", params); got != "-32602" {
				t.Errorf("%s: %s", what, got)
			}
		}
		time.Sleep(time.Hour)
		if got := c.code("resources/read", object{"uri": "test://greeting", "requestState": state,
			"inputResponses": answers}); got != "-32602" {
			t.Errorf("expired: %s", got)
		}
	})
}

func TestModernOnly(t *testing.T) {
	for _, transport := range []string{hook.Stdio, hook.HTTP} {
		t.Run(transport, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := serve(t, reference.Options{Revisions: []string{hook.R20260728}})
				legacy := open(t, server, hook.R20251125, transport)
				defer legacy.close()
				r := legacy.call("initialize", object{"protocolVersion": "2025-11-25",
					"capabilities": object{}, "clientInfo": object{"name": "c", "version": "1"}})
				if got := fmt.Sprint(at(r, "error", "data", "supported")); got != "[2026-07-28]" {
					t.Errorf("initialize: %v", r)
				}
				c := connect(t, server, hook.R20260728, transport)
				defer c.close()
				if got := fmt.Sprint(c.result("server/discover",
					nil)["supportedVersions"]); got != "[2026-07-28]" {
					t.Errorf("discover: %v", got)
				}
			})
		})
	}
}

func TestModernMetadata(t *testing.T) {
	const prefix = "io.modelcontextprotocol/"
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, serve(t, reference.Options{}), hook.R20260728, hook.Stdio)
		defer c.close()
		raw := func(meta any) object {
			c.id++
			id := hook.Number(int64(c.id))
			c.send(object{"jsonrpc": "2.0", "id": id, "method": "resources/list",
				"params": object{"_meta": meta}})
			return c.answer(id)
		}
		tests := []struct {
			name string
			meta object
			want string
		}{
			{"no version", object{prefix + "clientCapabilities": object{}}, "-32602"},
			{"no capabilities", object{prefix + "protocolVersion": "2026-07-28"}, "-32602"},
			{"capabilities of another type", object{prefix + "protocolVersion": "2026-07-28",
				prefix + "clientCapabilities": []any{}}, "-32602"},
			{"version of another type", object{prefix + "protocolVersion": json.Number("1"),
				prefix + "clientCapabilities": object{}}, "-32602"},
			{"bad client", object{prefix + "protocolVersion": "2026-07-28",
				prefix + "clientCapabilities": object{}, prefix + "clientInfo": "x"}, "-32602"},
			{"bad level", object{prefix + "protocolVersion": "2026-07-28",
				prefix + "clientCapabilities": object{}, prefix + "logLevel": "loud"}, "-32602"},
			{"unknown version", object{prefix + "protocolVersion": "1900-01-01",
				prefix + "clientCapabilities": object{}}, "-32022"},
			{"legacy version", object{prefix + "protocolVersion": "2025-11-25",
				prefix + "clientCapabilities": object{}}, "-32022"},
		}
		for _, test := range tests {
			r := raw(test.meta)
			if at(r, "error", "code") != json.Number(test.want) {
				t.Errorf("%s: %v", test.name, r)
			}
			if test.want == "-32022" {
				supported, _ := at(r, "error", "data", "supported").([]any)
				requested := at(r, "error", "data", "requested")
				if len(supported) == 0 || slices.Contains(supported, requested) ||
					requested != test.meta[prefix+"protocolVersion"] {
					t.Errorf("%s: %v", test.name, r)
				}
			}
		}
		c.result("resources/list",
			object{"_meta": object{"com.example/unknown": json.Number("1"),
				"traceparent": "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"}})
	})
}

func TestBothErasOnOneConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := serve(t, reference.Options{})
		c := connect(t, server, hook.R20250326, hook.Stdio)
		defer c.close()
		c.revision = hook.R20260728
		if r := c.result("resources/list", nil); r["resultType"] != "complete" {
			t.Errorf("modern after a handshake: %v", r["resultType"])
		}
		c.revision = hook.R20250326
		if r := c.result("resources/list", nil); r["resultType"] != nil {
			t.Errorf("legacy again: %v", r["resultType"])
		}
		if got := c.code("server/discover", nil); got != "-32601" {
			t.Errorf("discover without metadata in a legacy session: %s", got)
		}
	})
}
