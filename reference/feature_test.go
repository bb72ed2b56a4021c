package reference_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

const offering = `
pageSize: 2
resources:
  - {uri: "doc:1", name: one, title: The first, mimeType: text/plain, annotations: {priority: 0.5}, text: "One.\n"}
  - {uri: "doc:2", name: two, blob: AAE=}
  - {uri: "doc:all", name: all, contains: ["doc:1", "doc:2"]}
  - {uri: "doc:asks", name: asks, text: "For {who}.", input: {key: k, fields: [{name: who, default: nobody}]}}
  - {uri: "doc:mine", name: mine, text: Secret, identities: [alice]}
tools:
  - {name: all, title: All, _meta: {a.example/b: 1}, content: [{text: Here, annotations: {audience: [user]}}, {link: "doc:1"}, {link: "doc:gone"}, {embed: "doc:all"}, {embed: "doc:asks"}]}
  - {name: none, inputSchema: {type: object, properties: {a: {type: string}}}}
  - {name: gone, content: [{embed: "doc:gone"}], isError: true}
  - {name: mine, content: [{embed: "doc:mine"}]}
prompts:
  - {name: both, title: Both, arguments: [{name: x, title: X}], messages: [{text: "{x}"}, {link: "doc:1"}, {role: assistant, embed: "doc:2"}]}
`

// TestToolsAndPrompts: their messages fit the schema of each revision, page by page, and is in the
// journal.
func TestToolsAndPrompts(t *testing.T) {
	for _, revision := range reference.Revisions() {
		t.Run(revision, func(t *testing.T) {
			var published func(definition string) *jsonschema.Schema
			if os.Getenv("MCP_SCHEMA_DIR") != "" {
				published = schemas(t, revision)
			}
			synctest.Test(t, func(t *testing.T) {
				server := reference.Start(t, parse(t, offering))
				c := connect(t, server.Server, revision, hook.Stdio)
				defer c.close()
				schema := func(definition string, result object) {
					if published == nil {
						return
					}
					if err := published(definition).Validate(result); err != nil {
						t.Errorf("%s: %v", definition, err)
					}
				}
				var names []string
				for params := (object{}); params != nil; {
					page := c.result("tools/list", params)
					schema("ListToolsResult", page)
					for _, tool := range list(page, "tools") {
						names = append(names, tool["name"].(string))
					}
					cursor := page["nextCursor"]
					if params = nil; cursor != nil {
						params = object{"cursor": cursor}
					}
				}
				if !slices.Equal(names, []string{"all", "none", "gone", "mine"}) {
					t.Errorf("tools %q", names)
				}
				schema("ListPromptsResult", c.result("prompts/list", nil))
				prompt := c.result("prompts/get", object{"name": "both", "arguments": object{"x": "1"}})
				schema("GetPromptResult", prompt)
				called := c.result("tools/call", object{"name": "all", "arguments": object{}})
				schema("CallToolResult", called)
				schema("CallToolResult", c.result("tools/call", object{"name": "none"}))
				linked := "resource_link The first"
				if revision < hook.R20250618 {
					linked = "text <nil>"
				}
				blocks := list(called, "content")
				if len(blocks) != 6 || fmt.Sprint(blocks[1]["type"], " ", blocks[1]["title"]) != linked ||
					at(blocks[4], "resource", "blob") != "AAE=" ||
					at(blocks[5], "resource", "text") != "For nobody." {
					t.Errorf("called: %v", blocks)
				}
				for params, code := range map[string]string{`{"name":"gone"}`: "-32603",
					`{"name":"mine"}`: "-32603", `{"name":7}`: "-32602",
					`{"name":"all","arguments":[]}`: "-32602", `{}`: "-32602"} {
					o, _ := hook.DecodeObject([]byte(params))
					if got := c.code("tools/call", o); got != code {
						t.Errorf("%s: %s", params, got)
					}
				}
				if calls := server.Journal().Query(journal.Query{Direction: journal.In,
					Method: "tools/call"}); len(calls) != 7 {
					t.Errorf("%d calls in the journal", len(calls))
				}
			})
		})
	}
}

// TestNothingIsOfferedThatIsNotThere: without tools and prompts there are no such methods, nor capabilities.
func TestNothingIsOfferedThatIsNotThere(t *testing.T) {
	server := reference.Start(t, parse(t, offering)).Server
	bare := reference.Start(t, reference.World{}).Server
	for _, test := range []struct {
		server       *reference.Server
		method, want string
	}{
		{server, hook.MethodDiscover, `"tools":{}`}, {server, hook.MethodDiscover, `"prompts":{}`},
		{bare, "tools/list", "-32601"}, {bare, "tools/call", "-32601"}, {bare, "prompts/get", "-32601"},
		{server, "tools/list", `"ttlMs"`}, {server, "tools/call", "-32602"},
	} {
		if got := ask(t, test.server, "", test.method, ""); !strings.Contains(got, test.want) {
			t.Errorf("%s: %s", test.method, got)
		}
	}
	if got := ask(t, bare, "", hook.MethodDiscover, ""); strings.Contains(got, "tools") ||
		strings.Contains(got, "prompts") {
		t.Errorf("declared: %s", got)
	}
	for name, code := range map[string]int{"all": http.StatusOK, "none": http.StatusBadRequest,
		"": http.StatusBadRequest} {
		h := header("Mcp-Protocol-Version", hook.R20260728, "Mcp-Method", "tools/call")
		if name != "" {
			h.Set("Mcp-Name", name)
		}
		if w := exchange(server.Handler(), http.MethodPost, "/mcp", modern("tools/call", `"name":"all"`),
			h); w.Code != code {
			t.Errorf("the header names %q: %d %s", name, w.Code, w.Body)
		}
	}
}

// TestMistakesInToolsAndPrompts: they are told with the member.
func TestMistakesInToolsAndPrompts(t *testing.T) {
	for text, want := range map[string]string{
		"tools: [{name: a}, {name: a}]\n": `tools[1].name: is "a", as that of a ` +
			`tool before it`,
		"tools: [{name: a, content: [{text: a, link: 'b:c'}]}]\n": "tools[0].content[0]: needs one of " +
			"text, link and embed",
		"prompts: [{messages: []}]\n": "prompts[0].name: is missing",
		"prompts: [{name: a, messages: [{role: usr, text: b}]}]\n": `prompts[0].messages[0].role: is ` +
			`"usr": known are user, assistant: did you mean user?`,
		"prompts: [{name: a, messages: [{txt: b}]}]\n":              `did you mean "text"?`,
		"tools: [{name: a, content: [{text: 5, embed: ''}, {}]}]\n": "tools[0].content[1]: needs one of",
	} {
		if _, err := world.Parse("w.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	w := parse(t, "tools: [{name: a, content: [{link: 'b:c'}]}]\ntimeline: [{at: 1s, put: {uri: 'b:c', "+
		"name: c, text: d}}]\n")
	if got := w.Lint(); len(got) > 0 {
		t.Errorf("a resource that comes later: %q", got)
	}
	w = parse(t, "tools: [{name: a, inputSchema: {type: string}, content: [{link: 'b:c'}]}]\n")
	if got := strings.Join(w.Lint(), "\n"); !strings.Contains(got,
		"tools[0].inputSchema.type: is not object") ||
		!strings.Contains(got, "tools[0].content[0].link: there is no such resource: b:c") {
		t.Error(got)
	}
}
