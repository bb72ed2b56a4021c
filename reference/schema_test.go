package reference_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/yosida95/uritemplate/v3"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// schemas compiles definitions of the published schema of a revision. The test is
// skipped unless MCP_SCHEMA_DIR names the directory of the schemas.
func schemas(t *testing.T, revision string) func(definition string) *jsonschema.Schema {
	t.Helper()
	dir := os.Getenv("MCP_SCHEMA_DIR")
	if dir == "" {
		t.Skip("MCP_SCHEMA_DIR is not set")
	}
	file := filepath.Join(dir, revision+".json")
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := hook.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	place := "definitions"
	if _, ok := doc.(object)["$defs"]; ok {
		place = "$defs"
	}
	compiler := jsonschema.NewCompiler()
	// The library takes URI templates for URIs and refuses a variable in the host.
	compiler.RegisterFormat(&jsonschema.Format{Name: "uri-template", Validate: func(v any) error {
		s, ok := v.(string)
		if !ok {
			return nil
		}
		_, err := uritemplate.New(s)
		return err
	}})
	if err := compiler.AddResource("mcp.json", doc); err != nil {
		t.Fatal(err)
	}
	return func(definition string) *jsonschema.Schema {
		s, err := compiler.Compile("mcp.json#/" + place + "/" + definition)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

func TestPublishedSchemas(t *testing.T) {
	requests := []struct {
		method, definition string
		params             object
		legacy, modern     bool
	}{
		{"resources/list", "ListResourcesResult", nil, true, true},
		{"resources/templates/list", "ListResourceTemplatesResult", nil, true, true},
		{"resources/read", "ReadResourceResult", object{"uri": "file:///project/src/"}, true, true},
		{"resources/read", "ReadResourceResult", object{"uri": "file:///project/logo.png"}, true, true},
		{"completion/complete", "CompleteResult",
			object{"ref": object{"type": "ref/resource", "uri": "log://app/{date}"},
				"argument": object{"name": "date", "value": "2025"}}, true, true},
		{"resources/subscribe", "EmptyResult", object{"uri": "note:shopping"}, true, false},
		{"ping", "EmptyResult", nil, true, false},
		{"server/discover", "DiscoverResult", nil, false, true},
		{"resources/read", "InputRequiredResult", object{"uri": "test://greeting"}, false, true},
	}
	for _, revision := range reference.Revisions() {
		t.Run(revision, func(t *testing.T) {
			schema := schemas(t, revision)
			synctest.Test(t, func(t *testing.T) {
				c := connect(t, serve(t, reference.Options{PageSize: 6}), revision, hook.Stdio)
				defer c.close()
				c.caps = object{"elicitation": object{"form": object{}}}
				modern := hook.Modern(revision)
				for _, r := range requests {
					if modern && !r.modern || !modern && !r.legacy {
						continue
					}
					if err := schema(r.definition).Validate(c.result(r.method, r.params)); err != nil {
						t.Errorf("%s: %v", r.method, err)
					}
				}
				everyMessage(t, c, schema)
			})
		})
	}
}

// everyMessage provokes errors and notifications, and then validates all that
// has come as messages.
func everyMessage(t *testing.T, c *client, schema func(string) *jsonschema.Schema) {
	t.Helper()
	c.call("resources/read", object{"uri": "note:none"})
	c.call("x/y", object{})
	c.result("resources/read", object{"uri": "test://slow", "_meta": object{"progressToken": "p"}})
	if hook.Modern(c.revision) {
		c.start("subscriptions/listen",
			object{"notifications": object{"resourcesListChanged": true,
				"resourceSubscriptions": []any{"note:shopping"}}})
	}
	c.server.Touch("note:shopping")
	c.server.ListChanged()
	if c.revision >= hook.R20251125 {
		c.sendRaw([]byte("{"))
	}
	if err := c.server.Close(); err != nil {
		t.Error(err)
	}
	message := schema("JSONRPCMessage")
	notes := map[string]string{
		"notifications/resources/updated":          "ResourceUpdatedNotification",
		"notifications/resources/list_changed":     "ResourceListChangedNotification",
		"notifications/progress":                   "ProgressNotification",
		"notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
		"notifications/cancelled":                  "CancelledNotification",
	}
	seen := map[string]bool{}
	for i := range c.received() {
		m := c.inbox[i]
		if err := message.Validate(m); err != nil {
			t.Errorf("%v: %v", m, err)
		}
		method, _ := m["method"].(string)
		if definition, ok := notes[method]; ok {
			seen[method] = true
			if err := schema(definition).Validate(m); err != nil {
				t.Errorf("%v: %v", m, err)
			}
		}
	}
	want := 3
	if hook.Modern(c.revision) {
		want = 5
	}
	if len(seen) != want {
		t.Errorf("seen only %v", seen)
	}
}
