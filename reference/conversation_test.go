package reference_test

import (
	"encoding/base64"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/hook"
)

func pause() { time.Sleep(10 * time.Millisecond) }

// everywhere runs a test for all revisions on all transports that can carry
// them, those included on which the specification does not define them.
func everywhere(t *testing.T, o reference.Options, test func(t *testing.T, c *client)) {
	t.Helper()
	o.Quirks = append(o.Quirks, "off-grid-revisions")
	for _, revision := range reference.Revisions() {
		for _, transport := range []string{hook.Stdio, hook.HTTP, hook.SSE} {
			if hook.Modern(revision) && transport == hook.SSE {
				continue
			}
			t.Run(revision+" on "+transport, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c := connect(t, serve(t, o), revision, transport)
					defer c.close()
					test(t, c)
				})
			})
		}
	}
}

// serve starts a server that ends with the test.
func serve(t *testing.T, o reference.Options) *reference.Server {
	t.Helper()
	server, err := reference.New(reference.DefaultWorld(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return server
}

func walk(c *client, method, member string) (all []object, pages int) {
	params := object{}
	for pages < 100 {
		r := c.result(method, params)
		pages++
		all = append(all, list(r, member)...)
		next, more := r["nextCursor"]
		if !more {
			return all, pages
		}
		params = object{"cursor": next}
	}
	c.t.Fatal("the walk does not end")
	return nil, 0
}

func TestListsAndReads(t *testing.T) {
	everywhere(t, reference.Options{PageSize: 5}, func(t *testing.T, c *client) {
		resources, pages := walk(c, "resources/list", "resources")
		world := reference.DefaultWorld()
		if len(resources) != len(world.Resources) || pages != (len(resources)+4)/5 {
			t.Errorf("%d resources on %d pages, want %d", len(resources), pages, len(world.Resources))
		}
		for i, r := range resources {
			if r["uri"] != world.Resources[i].URI {
				t.Errorf("resource %d is %v", i, r["uri"])
			}
			checkMembers(t, c.revision, r)
			if r["uri"] != "test://greeting" {
				checkRead(t, c, r)
			}
		}
		templates, _ := walk(c, "resources/templates/list", "resourceTemplates")
		if len(templates) != len(world.Templates) {
			t.Errorf("%d templates", len(templates))
		}
	})
}

// checkMembers looks for members of later revisions.
func checkMembers(t *testing.T, revision string, r object) {
	t.Helper()
	_, title := r["title"]
	_, icons := r["icons"]
	_, modified := hook.ObjectAt(r, "annotations")["lastModified"]
	if revision < hook.R20250618 && (title || modified) || revision < hook.R20251125 && icons {
		t.Errorf("%v has members of a later revision", r)
	}
}

// checkRead reads a listed resource and compares what both say of it.
func checkRead(t *testing.T, c *client, r object) {
	t.Helper()
	result := c.result("resources/read", object{"uri": r["uri"]})
	contents := list(result, "contents")
	if r["mimeType"] == "inode/directory" {
		if len(contents) != 3 {
			t.Errorf("the directory has %d contents", len(contents))
		}
		return
	}
	if len(contents) != 1 || contents[0]["uri"] != r["uri"] || contents[0]["mimeType"] != r["mimeType"] {
		t.Errorf("read of %v: %v", r["uri"], contents)
		return
	}
	var length int
	if text, ok := contents[0]["text"].(string); ok {
		length = len(text)
	} else {
		data, err := base64.StdEncoding.Strict().DecodeString(contents[0]["blob"].(string))
		if err != nil {
			t.Errorf("blob of %v: %v", r["uri"], err)
		}
		length = len(data)
	}
	if r["size"] != hook.Number(int64(length)) {
		t.Errorf("%v: size %v, but %d bytes", r["uri"], r["size"], length)
	}
}

func TestErrors(t *testing.T) {
	everywhere(t, reference.Options{PageSize: 5}, func(t *testing.T, c *client) {
		missing := "-32002"
		if hook.Modern(c.revision) {
			missing = "-32602"
		}
		tests := []struct {
			method string
			params object
			want   string
		}{
			{"resources/read", object{"uri": "file:///project/src/none.rs"}, missing},
			{"resources/read", object{"uri": "file:///project%2F..%2Fetc%2Fpasswd"}, missing},
			{"resources/read", object{"uri": "file:///..%2f..%2fetc%2fpasswd"}, missing},
			{"resources/read", object{"uri": "log://app/2024-12-31"}, missing},
			{"resources/read", object{"uri": "unknown:x"}, missing},
			{"resources/read", object{"uri": "not a uri"}, "-32602"},
			{"resources/read", object{"uri": ""}, "-32602"},
			{"resources/read", object{"uri": json.Number("42")}, "-32602"},
			{"resources/read", object{}, "-32602"},
			{"resources/list", object{"cursor": "bogus"}, "-32602"},
			{"resources/list", object{"cursor": ""}, "-32602"},
			{"resources/list", object{"cursor": nil}, "-32602"},
			{"resources/list", object{"cursor": json.Number("1")}, "-32602"},
			{"resources/templates/list", object{"cursor": object{}}, "-32602"},
			{"x-unknown/y", object{}, "-32601"},
			{"tools/list", object{}, "-32601"},
			{"completion/complete", object{"ref": object{"type": "ref/resource", "uri": "none:{x}"},
				"argument": object{"name": "x", "value": ""}}, "-32602"},
			{"completion/complete", object{"ref": object{"type": "ref/prompt", "name": "p"},
				"argument": object{"name": "x", "value": ""}}, "-32602"},
			{"completion/complete", object{"argument": object{"name": "x", "value": ""}}, "-32602"},
			{"completion/complete", object{"ref": object{"type": "ref/resource", "uri": "log://app/{date}"}},
				"-32602"},
		}
		for _, test := range tests {
			if got := c.code(test.method, test.params); got != test.want {
				t.Errorf("%s %v: code %s, want %s", test.method, test.params, got, test.want)
			}
		}
		r := c.call("resources/read", object{"uri": "file:///none"})
		if at(r, "error", "data", "uri") != "file:///none" {
			t.Errorf("not found without the URI: %v", r)
		}
		cursor := c.result("resources/list", nil)["nextCursor"].(string)
		altered := []byte(cursor)
		altered[0] ^= 1
		if got := c.code("resources/list", object{"cursor": string(altered)}); got != "-32602" {
			t.Errorf("altered cursor: %s", got)
		}
		if got := c.code("resources/templates/list", object{"cursor": cursor}); got != "-32602" {
			t.Errorf("cursor of another list: %s", got)
		}
	})
}

func TestTemplatesAndCompletion(t *testing.T) {
	everywhere(t, reference.Options{}, func(t *testing.T, c *client) {
		reads := map[string]string{
			"log://app/2025-02-28":               "2025-02-28 00:00:00 INFO a new day\n",
			"db://staff/tables/employees":        `{"database":"staff","table":"employees"}`,
			"search://catalogue":                 "q= limit=10\n",
			"search://catalogue?limit=50":        "q= limit=50\n",
			"search://catalogue?q=gr%C3%BC%20n":  "q=grü n limit=10\n",
			"search://catalogue?limit=5&q=a%2Fb": "q=a/b limit=5\n",
			"file:///project%2FREADME.md": "# Project\n\nA program that says hello, and its " +
				"documentation.\n",
		}
		for uri, want := range reads {
			contents := list(c.result("resources/read", object{"uri": uri}), "contents")
			if len(contents) != 1 || contents[0]["text"] != want || contents[0]["uri"] != uri {
				t.Errorf("read of %s: %v", uri, contents)
			}
		}
		complete := func(uri, name, value string, context object) object {
			params := object{"ref": object{"type": "ref/resource", "uri": uri},
				"argument": object{"name": name, "value": value}}
			if context != nil {
				params["context"] = object{"arguments": context}
			}
			return hook.ObjectAt(c.result("completion/complete", params), "completion")
		}
		days := complete("log://app/{date}", "date", "", nil)
		if len(days["values"].([]any)) != 100 || days["total"] != json.Number("365") ||
			days["hasMore"] != true {
			t.Errorf("days: %d values, total %v, hasMore %v", len(days["values"].([]any)), days["total"],
				days["hasMore"])
		}
		march := complete("log://app/{date}", "date", "2025-03", nil)
		if len(march["values"].([]any)) != 31 || march["hasMore"] != false {
			t.Errorf("march: %v", march)
		}
		tables := complete("db://{database}/tables/{table}", "table", "", object{"database": "shop"})
		want := 3
		if c.revision < hook.R20250618 {
			want = 5
		}
		if len(tables["values"].([]any)) != want {
			t.Errorf("tables: %v", tables)
		}
	})
}

func TestLegacySubscriptions(t *testing.T) {
	everywhere(t, reference.Options{}, func(t *testing.T, c *client) {
		if hook.Modern(c.revision) {
			if got := c.code("resources/subscribe", object{"uri": "note:shopping"}); got != "-32601" {
				t.Errorf("subscribe: %s", got)
			}
			return
		}
		const updated = "notifications/resources/updated"
		if r := c.result("resources/subscribe", object{"uri": "note:shopping"}); len(r) != 0 {
			t.Errorf("subscribe: %v", r)
		}
		c.server.Touch("log://app/current")
		c.server.Touch("note:shopping")
		if got := c.notes(updated); len(got) != 1 || at(got[0], "params", "uri") != "note:shopping" {
			t.Errorf("after one change: %v", got)
		}
		c.result("resources/unsubscribe", object{"uri": "note:shopping"})
		c.server.Touch("note:shopping")
		if got := c.notes(updated); len(got) != 1 {
			t.Errorf("after unsubscribing: %v", got)
		}
		c.server.Remove("note:shopping")
		if got := c.notes("notifications/resources/list_changed"); len(got) != 1 {
			t.Errorf("after removal: %v", got)
		}
		if got := c.code("resources/subscribe", object{"uri": "note:shopping"}); got != "-32002" {
			t.Errorf("subscribing what is gone: %s", got)
		}
		c.result("ping", nil)
		c.result("logging/setLevel", object{"level": "warning"})
		if got := c.code("logging/setLevel", object{"level": "loud"}); got != "-32602" {
			t.Errorf("unknown level: %s", got)
		}
	})
}

func TestProgressAndCancellation(t *testing.T) {
	everywhere(t, reference.Options{}, func(t *testing.T, c *client) {
		c.result("resources/read", object{"uri": "test://slow", "_meta": object{"progressToken": "tok"}})
		notes := c.notes("notifications/progress")
		if len(notes) != 3 {
			t.Fatalf("progress: %v", notes)
		}
		for i, n := range notes {
			if at(n, "params", "progress") != hook.Number(int64(i+1)) ||
				at(n, "params", "progressToken") != "tok" {
				t.Errorf("progress %d: %v", i, n)
			}
			if _, there := hook.ObjectAt(n, "params")["message"]; there != (c.revision >= hook.R20250326) {
				t.Errorf("message: %v", n)
			}
		}
		if c.transport == hook.HTTP {
			return // start would wait for the response
		}
		id := c.start("resources/read", object{"uri": "test://slow"})
		c.notify("notifications/cancelled", object{"requestId": id})
		before := c.received()
		time.Sleep(time.Second)
		if c.received() != before {
			t.Errorf("an answer to a cancelled request: %v", c.last())
		}
		c.notify("notifications/cancelled", object{"requestId": "unknown"})
		c.notify("notifications/cancelled", object{})
		c.notify("notifications/x-unknown", nil)
		if c.received() != before {
			t.Errorf("a notification was answered: %v", c.last())
		}
		c.result("resources/list", nil)
	})
}

func TestCursorsSurviveChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := serve(t, reference.Options{PageSize: 4})
		c := connect(t, server, hook.R20251125, hook.Stdio)
		defer c.close()
		page := c.result("resources/list", nil)
		cursor := page["nextCursor"]
		last := list(page, "resources")[3]["uri"].(string)
		next := list(c.result("resources/list", object{"cursor": cursor}), "resources")
		server.Remove(last)
		server.Remove(list(page, "resources")[0]["uri"].(string))
		text := "new"
		if err := server.Put(reference.Resource{URI: "note:new", Name: "new", Text: &text}); err != nil {
			t.Fatal(err)
		}
		other := connect(t, server, hook.R20260728, hook.HTTP)
		defer other.close()
		again := list(other.result("resources/list", object{"cursor": cursor}), "resources")
		if len(again) != len(next) || again[0]["uri"] != next[0]["uri"] || again[3]["uri"] != next[3]["uri"] {
			t.Errorf("the page changed: %v, was %v", again, next)
		}
		all, _ := walk(c, "resources/list", "resources")
		if all[len(all)-1]["uri"] != "note:new" {
			t.Errorf("the new resource is not the last: %v", all[len(all)-1])
		}
		fresh := connect(t, serve(t, reference.Options{PageSize: 4}), hook.R20260728, hook.Stdio)
		defer fresh.close()
		if got := list(fresh.result("resources/list", object{"cursor": cursor}),
			"resources"); got[0]["uri"] != next[0]["uri"] {
			t.Errorf("in another process: %v", got[0])
		}
	})
}

func TestNegotiation(t *testing.T) {
	hello := func(version any) object {
		return object{"protocolVersion": version, "capabilities": object{}, "clientInfo": object{"name": "c",
			"version": "1"}}
	}
	for _, transport := range []string{hook.Stdio, hook.HTTP, hook.SSE} {
		t.Run(transport, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := serve(t, reference.Options{})
				newest := map[string]string{hook.Stdio: hook.R20251125, hook.HTTP: hook.R20251125,
					hook.SSE: hook.R20241105}[transport]
				c := open(t, server, newest, transport)
				defer c.close()
				if transport != hook.HTTP {
					if got := c.code("resources/list", nil); got != "-32600" {
						t.Errorf("before the handshake: %s", got)
					}
					c.result("ping", nil)
				}
				if got := c.code("initialize", object{}); got != "-32602" {
					t.Errorf("empty initialize: %s", got)
				}
				if got := c.result("initialize", hello("1900-01-01"))["protocolVersion"]; got != newest {
					t.Errorf("counter-offer: %v", got)
				}
				if got := c.code("initialize", hello(newest)); got != "-32600" {
					t.Errorf("second initialize: %s", got)
				}
				c.result("resources/list", nil)
			})
		})
	}
}

func TestBatches(t *testing.T) {
	everywhere(t, reference.Options{}, func(t *testing.T, c *client) {
		c.sendRaw([]byte(`[{"jsonrpc":"2.0","id":901,"method":"ping"},{"jsonrpc":"2.0",` +
			`"method":"notifications/x"},{"jsonrpc":"2.0","id":"902","method":"resources/list"},1]`))
		if c.revision != hook.R20250326 {
			if got := c.last(); at(got, "error", "code") != json.Number("-32600") {
				t.Errorf("a batch: %v", got)
			}
			return
		}
		batch, _ := c.last()["batch"].([]any)
		if len(batch) != 3 {
			t.Errorf("a batch: %v", c.last())
		}
		before := c.received()
		c.sendRaw([]byte(`[{"jsonrpc":"2.0","method":"notifications/x"}]`))
		if c.received() != before {
			t.Errorf("a batch of notifications: %v", c.last())
		}
		c.sendRaw([]byte(`[]`))
		if got := c.last(); at(got, "error", "code") != json.Number("-32600") {
			t.Errorf("an empty batch: %v", got)
		}
		c.sendRaw([]byte(`[{"jsonrpc":"2.0","id":903,"method":"initialize","params":{}}]`))
		batch, _ = c.last()["batch"].([]any)
		if len(batch) != 1 || at(batch[0].(object), "error", "code") != json.Number("-32600") {
			t.Errorf("initialize in a batch: %v", c.last())
		}
	})
}

func TestUnreadableInput(t *testing.T) {
	for _, revision := range reference.Revisions() {
		t.Run(revision, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := connect(t, serve(t, reference.Options{}), revision, hook.Stdio)
				defer c.close()
				for raw, want := range map[string]string{
					`{"jsonrpc":"2.0","id":1,`:                            "-32700",
					"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\xff\"}": "-32700",
					`5`:                            "-32600",
					`{"jsonrpc":"2.0","method":7}`: "-32600",
					`{"jsonrpc":"2.0","id":null,"method":"ping"}`: "-32600",
					`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`:  "-32600",
					`{"jsonrpc":"1.0","method":"ping"}`:           "-32600",
				} {
					c.sendRaw([]byte(raw))
					got := c.last()
					id, there := got["id"]
					if at(got, "error", "code") != json.Number(want) || id != nil ||
						there != (revision < hook.R20251125) {
						t.Errorf("%s: %v", raw, got)
					}
				}
				c.sendRaw([]byte(`{"jsonrpc":"2.0","id":"x","method":7}`))
				if got := c.last(); got["id"] != "x" || at(got, "error", "code") != json.Number("-32600") {
					t.Errorf("readable id: %v", got)
				}
				before := c.received()
				c.sendRaw([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`))
				c.sendRaw([]byte(``))
				if c.received() != before {
					t.Errorf("a response was answered: %v", c.last())
				}
				for _, id := range []any{json.Number("0"), json.Number("-1"), "", "7",
					json.Number("9007199254740991")} {
					c.send(object{"jsonrpc": "2.0", "id": id, "method": "resources/list",
						"params": c.withMeta(object{})})
					if got := c.last(); got["id"] != id || got["result"] == nil {
						t.Errorf("id %v: %v", id, got["id"])
					}
				}
			})
		})
	}
}

func TestLatencyAndConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, serve(t, reference.Options{Latency: time.Second}), hook.R20260728, hook.Stdio)
		defer c.close()
		begin := time.Now()
		var ids []json.Number
		for range 20 {
			ids = append(ids, c.start("resources/list", nil))
		}
		for _, id := range ids {
			c.answer(id)
		}
		if took := time.Since(begin); took < time.Second || took > 2*time.Second {
			t.Errorf("20 requests side by side took %s", took)
		}
	})
}
