package reference_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/fault"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/quirk"
)

// seen connects to a server with one fault and reports whether it shows.
var seen = map[string]struct {
	revision, transport string
	shows               func(c *client) bool
}{
	"rpc-01-error-without-jsonrpc": {hook.R20241105, hook.SSE, func(c *client) bool {
		_, there := c.call("x/y", nil)["jsonrpc"]
		_, other := c.call("ping", nil)["jsonrpc"]
		return !there && other
	}},
	"page-01-null-cursor": {hook.R20250618, hook.Stdio, func(c *client) bool {
		next, there := c.result("resources/list", nil)["nextCursor"]
		return there && next == nil
	}},
	"page-02-last-page-cycles": {hook.R20251125, hook.HTTP, func(c *client) bool {
		params := object{}
		for range 50 {
			next, more := c.result("resources/list", params)["nextCursor"]
			if !more {
				return false
			}
			params = object{"cursor": next}
		}
		return true
	}},
	"list-02-missing-name": {hook.R20260728, hook.HTTP, func(c *client) bool {
		all := list(c.result("resources/list", nil), "resources")
		return all[0]["name"] != nil && all[1]["name"] == nil
	}},
	"read-06-url-safe-base64": {hook.R20250326, hook.Stdio, func(c *client) bool {
		contents := list(c.result("resources/read", object{"uri": "file:///project/src/odd.bin"}), "contents")
		return contents[0]["blob"] == "-_-_AD4__g=="
	}},
	"sub-20-no-ack": {hook.R20260728, hook.Stdio, func(c *client) bool {
		c.start("subscriptions/listen", object{"notifications": object{"resourcesListChanged": true}})
		c.server.ListChanged()
		return len(c.notes("notifications/subscriptions/acknowledged")) == 0 &&
			len(c.notes("notifications/resources/list_changed")) == 1
	}},
	"err-01-wrong-code": {hook.R20260728, hook.Stdio, func(c *client) bool {
		return c.code("resources/read", object{"uri": "note:none"}) == "-32603"
	}},
	"cap-01-undeclared-resources": {hook.R20260728, hook.HTTP, func(c *client) bool {
		return at(c.result("server/discover", nil), "capabilities", "resources") == nil
	}},
	"stdio-01-banner": {hook.R20241105, hook.Stdio, func(c *client) bool {
		return strings.HasPrefix(string(c.raw[0]), "Server running")
	}},
	"http-05-notification-200": {hook.R20251125, hook.HTTP, func(c *client) bool {
		w := exchange(c.server.Handler(), "POST", "/mcp", []byte(noticeOf),
			header("Mcp-Session-Id", c.session))
		return w.Code == 200 && w.Body.String() == "{}"
	}},
	"uri-03-space-in-uri": {hook.R20250618, hook.Stdio, func(c *client) bool {
		all := list(c.result("resources/list", nil), "resources")
		c.result("resources/read", object{"uri": all[len(all)-1]["uri"]})
		return strings.Contains(all[len(all)-1]["uri"].(string), " ")
	}},
	"sec-63-dies-of-garbage": {hook.R20250618, hook.Stdio, func(c *client) bool {
		c.sendRaw([]byte("{"))
		_, err := c.conn.Write([]byte("{}\n"))
		return err != nil
	}},
	"sse-03-event-type": {hook.R20251125, hook.HTTP, func(c *client) bool {
		w := exchange(c.server.Handler(), "POST", "/mcp", []byte(listing),
			header("Mcp-Session-Id", c.session))
		return strings.Contains(w.Body.String(), "event: response\n")
	}},
}

func TestFaultsShow(t *testing.T) {
	for name, s := range seen {
		t.Run(name, func(t *testing.T) {
			f, ok := fault.Find(name)
			if !ok {
				t.Fatal("not registered")
			}
			for _, faulty := range []bool{true, false} {
				synctest.Test(t, func(t *testing.T) {
					o := reference.Options{PageSize: f.Needs.PageSize}
					if faulty {
						o.Faults = []string{name}
					}
					c := connect(t, serve(t, o), s.revision, s.transport)
					defer c.close()
					if got := s.shows(c); got != faulty {
						t.Errorf("with the fault %t: it shows %t", faulty, got)
					}
				})
			}
		})
	}
}

func TestQuirkLongCursors(t *testing.T) {
	everywhere(t, reference.Options{PageSize: 3, Quirks: []string{"long-cursors"}},
		func(t *testing.T, c *client) {
			all, _ := walk(c, "resources/list", "resources")
			if len(all) != len(reference.DefaultWorld().Resources) {
				t.Errorf("%d resources", len(all))
			}
			if got := c.code("resources/list", object{"cursor": "x"}); got != "-32602" {
				t.Errorf("bogus cursor: %s", got)
			}
		})
}

// TestEveryFaultAndQuirkStarts makes a server of each and shakes hands where that
// still works; it must neither panic nor leave anything behind.
func TestEveryFaultAndQuirkStarts(t *testing.T) {
	var all []reference.Options
	for _, f := range fault.All() {
		all = append(all, reference.Options{Faults: []string{f.Name}, PageSize: f.Needs.PageSize,
			Revisions: f.Needs.Served})
	}
	for _, q := range quirk.All() {
		all = append(all, reference.Options{Quirks: []string{q.Name}, PageSize: q.Needs.PageSize})
	}
	for _, o := range all {
		t.Run(strings.Join(append(o.Faults, o.Quirks...), ""), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := open(t, serve(t, o), hook.R20251125, hook.Stdio)
				defer c.close()
				_, _ = c.conn.Write([]byte(hello + "\n" + listing + "\n")) // the fault may be to hang up
				synctest.Wait()
			})
		})
	}
}

func TestNewRefusesUnknownNames(t *testing.T) {
	for _, o := range []reference.Options{
		{Faults: []string{"none"}}, {Quirks: []string{"none"}}, {Revisions: []string{"2024-01-01"}},
		{PageSize: -1},
	} {
		if _, err := reference.New(reference.DefaultWorld(), o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

func TestWorldsAreSound(t *testing.T) {
	for _, name := range reference.WorldNames() {
		w, err := reference.NamedWorld(name)
		if err != nil {
			t.Fatal(err)
		}
		if found := w.Lint(); len(found) > 0 {
			t.Errorf("%s: %v", name, found)
		}
	}
	if _, err := reference.LoadWorld("nowhere"); err == nil || !strings.Contains(err.Error(), "default") {
		t.Errorf("unknown world: %v", err)
	}
}

func TestMutationNotifications(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, serve(t, reference.Options{}), hook.R20251125, hook.Stdio)
		defer c.close()
		c.result("resources/subscribe", object{"uri": "note:shopping"})
		text := "bread\nmilk\neggs\n"
		if err := c.server.Put(reference.Resource{URI: "note:shopping", Name: "shopping",
			Text: &text}); err != nil {
			t.Fatal(err)
		}
		if len(c.notes("notifications/resources/updated")) != 1 ||
			len(c.notes("notifications/resources/list_changed")) != 1 {
			t.Error("a changed resource of another size is not announced")
		}
		if got := list(c.result("resources/read", object{"uri": "note:shopping"}),
			"contents"); got[0]["text"] != text {
			t.Errorf("read: %v", got)
		}
		if c.server.Touch("note:none") || c.server.Remove("note:none") {
			t.Error("what is not there was changed")
		}
		bad := "x"
		if c.server.Put(reference.Resource{URI: "note:x", Text: &bad, Blob: &bad}) == nil {
			t.Error("two contents are accepted")
		}
		if got := at(c.call("ping", nil), "id"); got == json.Number("0") {
			t.Error("no answer")
		}
	})
}
