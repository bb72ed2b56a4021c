package judge

import (
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

func TestMetaKey(t *testing.T) {
	for key, want := range map[string]string{
		"":                   "",
		"progressToken":      "",
		"a.b-c_d":            "",
		"com.example/x":      "",
		"com.example/":       "",
		"com.ex-ample.a1/0a": "",
		"x/y":                "",
		"1acme/x":            "bad-prefix",
		"com..example/x":     "bad-prefix",
		"/x":                 "bad-prefix",
		"com.example-/x":     "bad-prefix",
		"com.-example/x":     "bad-prefix",
		"com.ex_ample/x":     "bad-prefix",
		"com.ex\xff/x":       "bad-prefix",
		"_internal":          "bad-name",
		"internal_":          "bad-name",
		"a b":                "bad-name",
		"a/b/c":              "bad-name",
		"com.example/ü":      "bad-name",
		"$x":                 "bad-name",
		"-/-":                "bad-prefix bad-name",
	} {
		if got := codes(MetaKey(key, requirement.R20250618)); got != want {
			t.Errorf("MetaKey(%q): %q, want %q", key, got, want)
		}
		if len(MetaKey(key, requirement.R20250326)) > 0 {
			t.Errorf("%q has problems before the format existed", key)
		}
	}
}

func TestReservedPrefix(t *testing.T) {
	for key, want := range map[string][2]bool{ // in 2025-06-18, since 2025-11-25
		"modelcontextprotocol.io/x":     {true, false},
		"mcp.dev/x":                     {true, false},
		"api.modelcontextprotocol.org/": {true, true},
		"tools.mcp.com/x":               {true, true},
		"io.modelcontextprotocol/x":     {false, true},
		"dev.mcp/x":                     {false, true},
		"com.example.mcp/x":             {false, false},
		"com.example.mcp.tools/x":       {true, false},
		"mcp/x":                         {false, false},
		"progressToken":                 {false, false},
		"com.example/mcp":               {false, false},
	} {
		if got := ReservedPrefix(key, requirement.R20250618); got != want[0] {
			t.Errorf("ReservedPrefix(%q) in 2025-06-18: %v", key, got)
		}
		for _, rev := range []requirement.Revision{requirement.R20251125, requirement.R20260728} {
			if got := ReservedPrefix(key, rev); got != want[1] {
				t.Errorf("ReservedPrefix(%q) in %s: %v", key, rev, got)
			}
		}
		if ReservedPrefix(key, requirement.R20241105) {
			t.Errorf("%q is reserved before the rule existed", key)
		}
	}
	if !DefinedMetaKey("io.modelcontextprotocol/serverInfo", requirement.R20260728) ||
		DefinedMetaKey("io.modelcontextprotocol/serverInfo", requirement.R20251125) ||
		!DefinedMetaKey("io.modelcontextprotocol/related-task", requirement.R20251125) ||
		DefinedMetaKey("io.modelcontextprotocol/acme-rank", requirement.R20260728) ||
		DefinedMetaKey("x", requirement.R20260728) {
		t.Error("DefinedMetaKey")
	}
}

func TestExtensionID(t *testing.T) {
	for id, want := range map[string]string{"com.example/x": "", "x": "no-prefix", "com.example/": "bad-name",
		"1a/x": "bad-prefix", "": "no-prefix"} {
		if got := codes(ExtensionID(id)); got != want {
			t.Errorf("ExtensionID(%q): %q, want %q", id, got, want)
		}
	}
}

func TestTraceContext(t *testing.T) {
	trace, parent := strings.Repeat("a1", 16), strings.Repeat("b2", 8)
	zeros := strings.Repeat("0", 32)
	for s, want := range map[string]bool{
		"00-" + trace + "-" + parent + "-01":                  true,
		"cc-" + trace + "-" + parent + "-01-more":             true,
		"00-" + trace + "-" + parent + "-01-more":             false,
		"ff-" + trace + "-" + parent + "-01":                  false,
		"00-" + zeros + "-" + parent + "-01":                  false,
		"00-" + trace + "-" + zeros[:16] + "-01":              false,
		"00-" + strings.ToUpper(trace) + "-" + parent + "-01": false,
		"none": false, "": false,
	} {
		if got := len(Traceparent(s)) == 0; got != want {
			t.Errorf("Traceparent(%q): %v", s, Traceparent(s))
		}
	}
	for s, want := range map[string]bool{
		"": true, "a=1": true, "rojo=00f067aa0ba902b7, congo=t61rcWkgMzE": true, "t@v=x": true,
		"a=1,,b=2": true,
		"a":        false, "A=1": false, "a=": false, "a=b=c": false, "a=\x01": false,
		strings.Repeat("a=1,", 33): false,
	} {
		if got := len(Tracestate(s)) == 0; got != want {
			t.Errorf("Tracestate(%q): %v", s, Tracestate(s))
		}
	}
	for s, want := range map[string]bool{
		"a=1": true, "a = 1 ; p ; q=2 , b=%20": true, "a=": true, "a=b=c": true,
		"": false, "a": false, "=1": false, "a=\"": false, "a b=1": false, "a=1,": false,
	} {
		if got := len(Baggage(s)) == 0; got != want {
			t.Errorf("Baggage(%q): %v", s, Baggage(s))
		}
	}
}

func TestLooksLikePasswd(t *testing.T) {
	if !looksLikePasswd("root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/" +
		"nologin\n") {
		t.Error("a user database is not recognised")
	}
	for _, s := range []string{"", "root: the beginning", "root:x:0:0:root:/root:/bin/bash", "a:b:c\nd:e:f",
		"PASSWD(5)\n\nThe file has one line for each user:\n\nroot:x:0:0:root:/root:/bin/" +
			"bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n\nThe fields are\nexplained below."} {
		if looksLikePasswd(s) {
			t.Errorf("%q is taken for a user database", s)
		}
	}
}

func FuzzMeta(f *testing.F) {
	for _, s := range []string{"", "com.example/x", "a/b/c", "\xff/", "00-aa", "a=1;b", "Bearer a=\"b\\",
		"Bearer , ,=", "x y z"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, rev := range requirement.Revisions() {
			checkProblems(t, s, MetaKey(s, rev))
			if DefinedMetaKey(s, rev) && rev != requirement.R20250618 && !ReservedPrefix(s, rev) {
				t.Errorf("%q is defined without being reserved", s)
			}
		}
		ExtensionID(s)
		checkProblems(t, s, Traceparent(s))
		checkProblems(t, s, Tracestate(s))
		checkProblems(t, s, Baggage(s))
		looksLikePasswd(s)
	})
}
