package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/tidwall/gjson"
)

// Response and the others judge messages that are still to be parsed.
func (s *Set) Response(method string, raw []byte) []Violation {
	return s.ResponseIn(method, gjson.ParseBytes(raw))
}
func (s *Set) Notification(raw []byte) []Violation { return s.NotificationIn(gjson.ParseBytes(raw)) }
func (s *Set) Request(raw []byte) []Violation      { return s.RequestIn(gjson.ParseBytes(raw)) }
func (s *Set) Error(raw []byte) []Violation        { return s.ErrorIn(gjson.ParseBytes(raw)) }

func lines(found []Violation) []string {
	var all []string
	for _, v := range found {
		all = append(all, v.String())
	}
	return all
}

func TestResponses(t *testing.T) {
	const hints = `,"resultType":"complete","ttlMs":0,"cacheScope":"public"`
	cases := []struct {
		from, to       requirement.Revision
		method, result string
		want           []string
	}{
		{"", requirement.R20251125, "resources/list",
			`{"resources":[{"uri":"a:1","name":"1","title":"x","more":null}],"x":1}`, nil},
		{"", requirement.R20251125, "resources/list",
			`{"resources":[{"uri":"a:1","name":"1"},{"uri":5},{"uri":null}]}`, []string{
				`ListResourcesResult: resources[].name has to be a string and is absent (/result/resources/` +
					`1/name)`,
				`ListResourcesResult: resources[].uri has to be a string and is 5 (/result/` +
					`resources/1/uri)`}},
		{"", requirement.R20250326, "resources/list",
			`{"resources":[{"uri":"a:1","name":"1","title":5,"_meta":5,"icons":5,` +
				`"annotations":{"lastModified":5}}]}`, nil},
		{requirement.R20250618, requirement.R20250618, "resources/list",
			`{"resources":[{"uri":"a:1","name":"1","title":5,"_meta":5,"icons":5,` +
				`"annotations":{"lastModified":5}}]}`, []string{
				`ListResourcesResult: resources[]._meta has to be an object and is 5 (/result/resources/` +
					`0/_meta)`,
				`ListResourcesResult: resources[].annotations.lastModified has to be a string and is 5 (/` +
					`result/resources/0/annotations/lastModified)`,
				`ListResourcesResult: resources[].title has to be a string and is 5 (/result/resources/` +
					`0/title)`}},
		{"", "", "resources/list",
			`{"resources":[{"uri":"a:1","name":"1","annotations":{"priority":2,"audience":["user","dog"]}}]` +
				hints + `}`, []string{
				`ListResourcesResult: resources[].annotations.audience[] has to be "assistant" or ` +
					`"user" and ` +
					`is "dog" (/result/resources/0/annotations/audience/1)`,
				`ListResourcesResult: resources[].annotations.priority has to be a number from 0 to 1 ` +
					`and is ` +
					`2 (/result/resources/0/annotations/priority)`}},
		{"", "", "resources/read",
			`{"contents":[{"uri":"a:1","text":"","blob":5},{"uri":"a:1","blob":"","text":null}]` + hints +
				`}`, nil},
		{"", "", "resources/read", `{"contents":[{"uri":"a:1","text":5},5]` + hints + `}`, []string{
			`ReadResourceResult: contents[] has to be an object and is 5 (/result/contents/1)`,
			`ReadResourceResult: contents[].text has to be a string, or blob has to be one and is 5 (/` +
				`result/contents/0/text)`}},
		{requirement.R20260728, "", "resources/read", `{"contents":[],"resultType":"complete"}`, []string{
			`ReadResourceResult: cacheScope has to be "private" or "public" and is absent (/result/` +
				`cacheScope)`,
			`ReadResourceResult: ttlMs has to be an integer of 0 or more and is absent (/result/ttlMs)`}},
		{requirement.R20260728, "", "resources/read",
			`{"resultType":"input_required","inputRequests":{"a":{"method":"x"},` +
				`"b":{"method":"elicitation/create","params":{}}}}`, []string{
				`InputRequiredResult: inputRequests.*.method has to be "elicitation/create" or ` +
					`"roots/list" ` +
					`or "sampling/createMessage" and is "x" (/result/inputRequests/a/method)`,
				`InputRequiredResult: inputRequests.*.params.message has to be a string and is absent (/` +
					`result/inputRequests/b/params/message)`,
				`InputRequiredResult: inputRequests.*.params.requestedSchema has to be an object and is ` +
					`absent (/result/inputRequests/b/params/requestedSchema)`}},
		{"", requirement.R20251125, "initialize",
			`{"protocolVersion":"x","capabilities":{"experimental":{"text":1},"tools":{"listChanged":1}},` +
				`"serverInfo":{"name":"a","version":"b"}}`, []string{
				`InitializeResult: capabilities.experimental.* has to be an object and is 1 (/result/` +
					`capabilities/experimental/text)`,
				`InitializeResult: capabilities.tools.listChanged has to be a boolean and is 1 (/result/` +
					`capabilities/tools/listChanged)`}},
		{"", "", "completion/complete", `{"completion":{"values":["a"],"total":1.5},"resultType":"complete"}`,
			[]string{
				`CompleteResult: completion.total has to be an integer and is 1.5 (/result/` +
					`completion/total)`}},
		{"", requirement.R20251125, "ping", `{"_meta":[],"more":1}`,
			[]string{`EmptyResult: _meta has to be an object and is an array of 0 (/result/_meta)`}},
		{"", "", "no/such", `{"_meta":[],"resultType":"x"}`,
			[]string{`Result: _meta has to be an object and is an array of 0 (/result/_meta)`}},
		{"", "", "resources/list", `[]`,
			[]string{`JSONRPCResponse: result has to be an object and is an array of 0 (/result)`}},
	}
	for _, c := range cases {
		for _, rev := range requirement.Revisions() {
			if !(requirement.Span{Since: c.from, Until: c.to}).Holds(rev) {
				continue
			}
			got := lines(For(rev).Response(c.method,
				[]byte(`{"jsonrpc":"2.0","id":1,"result":`+c.result+`}`)))
			if !slices.Equal(got, c.want) {
				t.Errorf("%s in %s:\n%s\ngot\n%s", c.method, rev, c.result, strings.Join(got, "\n"))
			}
		}
	}
}

func TestCalls(t *testing.T) {
	s := For(requirement.R20251125)
	for _, c := range []struct {
		judge func([]byte) []Violation
		raw   string
		want  []string
	}{
		{s.Notification,
			`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:1"}}`, nil},
		{s.Notification, `{"jsonrpc":"2.0","method":"notifications/resources/updated"}`, []string{
			`ResourceUpdatedNotification: params has to be an object and is absent (/params)`}},
		{s.Notification, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":[]}`, []string{
			`JSONRPCNotification: params has to be an object and is an array of 0 (/params)`}},
		{s.Notification, `{"method":5}`, []string{
			`JSONRPCNotification: jsonrpc has to be "2.0" and is absent (/jsonrpc)`,
			`JSONRPCNotification: method has to be a string and is 5 (/method)`}},
		{s.Notification, `5`, []string{`JSONRPCNotification:  has to be an object and is 5 ()`}},
		{s.Request, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":1.5}}}`,
			[]string{
				`PingRequest: params._meta.progressToken has to be a string or an integer and is 1.5 (/` +
					`params/` +
					`_meta/progressToken)`}},
		{s.Request, `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"mode":"url",` +
			`"message":"m","url":"a:b"}}`, []string{
			`ElicitRequest: params.elicitationId has to be a string and is absent (/params/elicitationId)`}},
		{s.Error, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"m","data":null}}`, nil},
		{s.Error, `{"jsonrpc":"2.0","id":{},"error":{"code":"x"}}`, []string{
			`JSONRPCError: error.code has to be an integer and is "x" (/error/code)`,
			`JSONRPCError: error.message has to be a string and is absent (/error/message)`,
			`JSONRPCError: id has to be a string or an integer or null and is an object (/id)`}},
		{s.Error, `{"jsonrpc":"2.0","id":1,"error":{"code":-32042,"message":"m",` +
			`"data":{"elicitations":[{"mode":"url","url":"a:b","elicitationId":"1"}]}}}`, []string{
			`URLElicitationRequiredError: error.data.elicitations[].message has to be a string and is ` +
				`absent (/error/data/elicitations/0/message)`}},
	} {
		if got := lines(c.judge([]byte(c.raw))); !slices.Equal(got, c.want) {
			t.Errorf("%s\ngot\n%s", c.raw, strings.Join(got, "\n"))
		}
	}
}

// TestHostile: values of any size and depth cost neither time nor memory out of
// proportion.
func TestHostile(t *testing.T) {
	s := For(requirement.R20260728)
	for raw, want := range map[string]int{
		`1e999999999`: 0, `1e-999999999`: 1, `-1e999999999`: 1, `0e999999999`: 0,
		strings.Repeat("9", 100_000): 0, `1.` + strings.Repeat("0", 100_000): 0,
		`5` + strings.Repeat("0", 50) + `.5`: 1, `1e0000000000000000002`: 0,
		`0.` + strings.Repeat("0", 1000) + `1`:                      1,
		strings.Repeat(`[`, 100_000) + strings.Repeat(`]`, 100_000): 1,
	} {
		m := `{"jsonrpc":"2.0","id":1,"result":{"resources":[],"resultType":"complete",` +
			`"cacheScope":"public","ttlMs":` + raw + `}}`
		if got := s.Response("resources/list", []byte(m)); len(got) != want {
			t.Errorf("%.30s: %v", raw, got)
		}
	}
	deep := strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat(`}`, 100_000)
	for _, raw := range []string{``, `{`, `null`, `[1`, `{"jsonrpc":"2.0","id":1,"result":` + deep + `}`} {
		_ = s.Response("resources/list", []byte(raw))
		_, _, _ = s.Request([]byte(raw)), s.Notification([]byte(raw)), s.Error([]byte(raw))
	}
	if For("1900-01-01") != nil || Document("1900-01-01") != nil {
		t.Error("a revision that does not exist")
	}
}

// TestLaterRevisionsInherit: a revision that no definition knows has the messages of
// the one before it.
func TestLaterRevisionsInherit(t *testing.T) {
	const later = requirement.Revision("2027-01-01")
	s, latest := compile(later), For(requirement.R20260728)
	if !reflect.DeepEqual(s.defs, latest.defs) {
		t.Errorf("the schemas of %s are not those of %s", later, requirement.R20260728)
	}
}

// TestDocument: the documents are schemas for others as well.
func TestDocument(t *testing.T) {
	for _, rev := range requirement.Revisions() {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(Document(rev))))
		if err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource("x.json", doc); err != nil {
			t.Fatal(err)
		}
		for name := range doc.(node)["$defs"].(node) {
			if _, err := c.Compile("x.json#/$defs/" + name); err != nil {
				t.Errorf("%s in %s: %v", name, rev, err)
			}
		}
	}
}

func page(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","ttlMs":0,` +
		`"cacheScope":"public","resources":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"uri":"file:///project/src/%d.go","name":"%d.go","title":"File %d",`+
			`"mimeType":"text/x-go","size":%d,"annotations":{"audience":["user"],"priority":0.5}}`, i, i, i,
			i)
	}
	b.WriteString(`]}}`)
	return []byte(b.String())
}

func BenchmarkPage(b *testing.B) {
	raw, s := page(20), For(requirement.R20260728)
	for b.Loop() {
		if found := s.Response("resources/list", raw); found != nil {
			b.Fatal(found)
		}
	}
}

func BenchmarkBlob(b *testing.B) {
	blob, err := json.Marshal(strings.Repeat("QUJD", 1<<18))
	if err != nil {
		b.Fatal(err)
	}
	raw := []byte(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","ttlMs":0,` +
		`"cacheScope":"public","contents":[{"uri":"a:1","blob":` + string(blob) + `}]}}`)
	s := For(requirement.R20260728)
	for b.Loop() {
		if found := s.Response("resources/read", raw); found != nil {
			b.Fatal(found)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		_ = compile(requirement.R20260728)
	}
}

// What nobody judges is told every time, however often the same was seen before.
func TestUnjudged(t *testing.T) {
	set := For(requirement.R20251125)
	response := func(body string) gjson.Result { return gjson.Parse(`{"jsonrpc":"2.0","id":1,` + body + `}`) }
	const unjudged = `"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"a","version":"1"},` +
		`"capabilities":{"tasks":5}}`
	for range 2 {
		for _, c := range []struct {
			method, body string
			want         int
		}{
			{"initialize", unjudged, 1},
			{"ping", unjudged, 0},
			{"ping", `"result":{}`, 0},
			{"resources/list", `"result":{}`, 0}, // judged by LIST-01
			{"resources/list", `"error":{"code":1.5}`, 0},
		} {
			if got := set.Unjudged(c.method, response(c.body)); len(got) != c.want {
				t.Errorf("%s %s: %v", c.method, c.body, got)
			}
		}
	}
}

// TestKeywords: a keyword that is misspelt would be overlooked, a revision that is would hold
// for all or none.
func TestKeywords(t *testing.T) {
	known := strings.Fields("x-since x-until x-by-revision x-required x-requirement x-requirement-below " +
		"$ref type enum const items properties " +
		"required additionalProperties minimum maximum maxItems anyOf allOf if then else")
	var part func(path string, n node)
	value := func(path string, v any) {
		switch v := v.(type) {
		case node:
			part(path, v)
		case []any:
			for _, item := range v {
				if n, ok := item.(node); ok {
					part(path, n)
				}
			}
		}
	}
	part = func(path string, n node) {
		for keyword, v := range n {
			switch {
			case !slices.Contains(known, keyword):
				t.Errorf("%s: the keyword %q is not known", path, keyword)
			case keyword == keySince || keyword == keyUntil:
				if !requirement.Revision(fmt.Sprint(v)).Known() {
					t.Errorf("%s: %v is no revision", path, v)
				}
			case keyword == "properties":
				for name, member := range v.(node) {
					part(path+"."+name, member.(node))
				}
			default:
				value(path, v)
			}
		}
	}
	for _, all := range []node{types().Shared, types().Types} {
		for name, n := range all {
			part(name, n.(node))
		}
	}
	for _, table := range []map[string]string{types().Requests, types().Notifications, types().Results,
		types().Errors} {
		for of, name := range table {
			if types().Types[name] == nil {
				t.Errorf("%s: there is no type %s", of, name)
			}
		}
	}
}

// TestMember: what a type says of a place in it depends on the revision, and on nothing inside of
// the place.
func TestMember(t *testing.T) {
	for _, c := range []struct {
		rev       requirement.Revision
		of, path  string
		want      string // empty where it is not known
		required  bool
		fits, not string
	}{
		{requirement.R20251125, "Resource", "uri", "a string", true, `""`, `null`},
		{requirement.R20251125, "Resource", "size", "an integer", false, `5.0`, `1.5`},
		{requirement.R20241105, "Resource", "title", "", false, `5`, ``},
		// bounds are ANN-05's
		{requirement.R20251125, "Resource", "annotations.priority", "a number from 0 to 1", false, `5`,
			`"0.5"`},
		{requirement.R20251125, "Resource", "annotations.audience", "an array", false, `[5]`, `"user"`},
		{requirement.R20251125, "Implementation", "icons[].src", "a string", true, `"a:1"`, `{}`},
		{requirement.R20251125, "Implementation", "icons[].theme", `"dark" or "light"`, false, `"dark"`,
			`"auto"`},
		{requirement.R20251125, "Implementation", "icons[]", "an object", false, `{}`, `[]`},
		{requirement.R20260728, "ServerCapabilities", "extensions.*", "an object", false, `{}`, `true`},
		{requirement.R20251125, "ServerCapabilities", "extensions.*", "", false, `true`, ``},
		{requirement.R20251125, "ProgressNotification", "params.progressToken", "a string or an integer",
			true, `7`, `7.5`},
		{requirement.R20251125, "NoSuchType", "uri", "", false, `7`, ``},
	} {
		m := For(c.rev).Member(c.of, c.path)
		if m.Known != (c.want != "") || m.Known && m.Want != c.want || m.Required != c.required {
			t.Errorf("%s of %s in %s: %+v", c.path, c.of, c.rev, m)
		}
		if m.Known && (!m.Fits(gjson.Parse(c.fits)) || m.Fits(gjson.Parse(c.not))) {
			t.Errorf("%s of %s: %s has to fit, and %s must not", c.path, c.of, c.fits, c.not)
		}
	}
	if For("1900-01-01").Member("Resource", "uri").Known {
		t.Error("a member of a revision that does not exist")
	}
}
