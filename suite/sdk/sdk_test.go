package sdk

import (
	"cmp"
	"slices"
	"strings"
	"testing"
)

func TestRecognize(t *testing.T) {
	const (
		zod = `{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"[\n  {\n  ` +
			`  \"code\": \"invalid_type\""}}`
		empty = `{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid request parameters",` +
			`"data":""}}`
		named = `{"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"Method not found","data":"no/` +
			`such"}}`
		plain = `{"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"Method not found"}}`
	)
	for _, c := range []struct {
		messages []string
		red      string
		want     string
	}{
		{nil, "", ""},
		{[]string{plain, `{"jsonrpc":"2.0","id":1,"result":{"error":1}}`, `no JSON but "error"`, `["error"]`},
			"", ""},
		{[]string{plain, zod}, "", "MCP SDK for TypeScript 1"},
		{[]string{strings.Replace(zod, "-32603", "-32602", 1)}, "", ""},
		{[]string{plain, empty}, "RPC-13", "MCP SDK for Python 1"},
		{[]string{plain, empty}, "", ""}, // no unknown method was asked for
		{[]string{named}, "", ""},
		{[]string{named, empty}, "", "MCP SDK for Python 2"},
	} {
		got := ""
		s := Recognize(func(yield func([]byte) bool) {
			for _, m := range c.messages {
				if !yield([]byte(m)) {
					return
				}
			}
		}, func(id string) bool { return c.red == id })
		if s != nil {
			got = s.Name
		}
		if got != c.want {
			t.Errorf("%q: recognized %q, want %q", c.messages, got, c.want)
		}
	}
}

func TestExplains(t *testing.T) {
	two := &All()[1]
	if said := two.Explains("ERR-01", "stdio", two.Known[2].Causes[0],
		"error 0 (\"Unknown resource\")"); said != "" {
		t.Errorf("another code is explained: %q", said)
	}
	for i := range All() {
		s := &All()[i]
		if len(s.Servers) == 0 || len(s.Signs) == 0 || len(s.Known) == 0 || s.Package == "" || s.Seen == "" {
			t.Errorf("%s is incomplete: %+v", s.Name, s)
		}
		for _, d := range s.Known {
			said := ""
			for _, actual := range []string{"error 0", "error -32600", "error -32602", "error -32603",
				"a result", "-32002"} {
				said = cmp.Or(said, s.Explains(d.ID, d.Transports[0], d.Causes[0], actual+" (…)"))
			}
			if !strings.Contains(said, s.Name) || !strings.Contains(said, d.Does) ||
				!strings.HasSuffix(said, d.Does) && d.Issue == "" {
				t.Errorf("%s: %q", d.ID, said)
			}
			if said := s.Explains(d.ID, d.Transports[0], "another-cause", "a result"); said != "" {
				t.Errorf("%s with another cause: %q", d.ID, said)
			}
			if !slices.Contains(d.Transports, "sse") && s.Explains(d.ID, "sse", d.Causes[0],
				"a result") != "" {
				t.Errorf("%s on another transport is explained", d.ID)
			}
		}
	}
}
