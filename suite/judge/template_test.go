package judge

import (
	"reflect"
	"strings"
	"testing"

	"github.com/yosida95/uritemplate/v3"
	"pgregory.net/rapid"
)

func TestTemplate(t *testing.T) {
	for s, want := range map[string]string{
		"":                                  "",
		"file:///{path}":                    "",
		"file:///{+path}":                   "",
		"x://{a,b,c}/{d:3}/{e*}":            "",
		"x://a{/b*}{?c,d*}{&e}{#f}{;g}{.h}": "",
		"x://{a.b_c}/{%41b}/{0}":            "",
		"note://ü/{id}":                     "",
		"x://%41":                           "",
		"x://no-expression":                 "",
		"x://a[1]=(2)!*@:;$&+,~_#?":         "",
		"file:///{path":                     "unbalanced",
		"file:///path}":                     "unbalanced",
		"{":                                 "unbalanced",
		"}{":                                "unbalanced",
		"x://{}":                            "empty-expression",
		"x://{+}":                           "empty-expression",
		"x://{a{b}}":                        "nested",
		"x://{{a}}":                         "nested",
		"x://{a{b}":                         "nested unbalanced",
		"db://{$table}":                     "bad-operator",
		"x://{*a}":                          "bad-operator",
		"x://{-a}":                          "bad-operator",
		"db://{@table}":                     "reserved-operator",
		"db://{=a}{,b}{!c}{|d}":             "reserved-operator",
		"note://{note-id}":                  "bad-variable",
		"x://{a,,b}":                        "bad-variable",
		"x://{a b}":                         "bad-variable",
		"x://{ a}":                          "bad-variable",
		"x://{a.}":                          "bad-variable",
		"x://{.}":                           "empty-expression",
		"x://{a..b}":                        "bad-variable",
		"x://{ü}":                           "bad-variable",
		"x://{a%4}":                         "bad-variable",
		"x://{a\x00}":                       "bad-variable",
		"x://{id:int}":                      "bad-modifier",
		"x://{id:0}":                        "bad-modifier",
		"x://{id:10000}":                    "bad-modifier",
		"x://{id:}":                         "bad-modifier",
		"x://{id:+1}":                       "bad-modifier",
		"x://{id**}":                        "bad-modifier",
		"x://{id*:3}":                       "bad-modifier",
		"file:///my docs/{name}":            "bad-literal",
		"x://a\\b":                          "bad-literal",
		"x://a|b":                           "bad-literal",
		"x://\xff":                          "bad-literal",
		"x://\ufdd0":                        "bad-literal",
		"x://\ufffd":                        "bad-literal",
		"x://it's/{a}":                      "apostrophe",
		"x://100%/{a}":                      "bad-percent",
	} {
		if got := codes(Template(s)); got != want {
			t.Errorf("Template(%q): %q, want %q", s, got, want)
		}
	}
	for _, s := range []string{"x://it's", "db://{@table}"} {
		if _, hard := First(Template(s)); hard {
			t.Errorf("%q has a hard problem", s)
		}
	}
}

func TestVariables(t *testing.T) {
	got := Variables("x://{a}/{+b:5}{?c*,d}{bad-name}{}{e")
	want := []Variable{{Name: "a"}, {Name: "b", Operator: '+', Prefix: 5},
		{Name: "c", Operator: '?', Explode: true}, {Name: "d", Operator: '?'}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestExpand(t *testing.T) {
	values := map[string]string{"a": "b c/ü", "q": "1", "long": "abcdef", "pct": "%41b%", "e": ""}
	for s, want := range map[string]string{
		"x://{a}":        "x://b%20c%2F%C3%BC",
		"x://{+a}":       "x://b%20c/%C3%BC",
		"x://h{?q,none}": "x://h?q=1",
		"x://h{?none}":   "x://h",
		"x://{long:3}":   "x://abc",
		"x://h{/q,long}": "x://h/1/abcdef",
		"x://h{#a}":      "x://h#b%20c/%C3%BC",
		"x://ü'[]/{a:5}": "x://%C3%BC'[]/b%20c%2F%C3%BC",
		"x://{+pct:2}":   "x://%41b",
		"x://{pct}":      "x://%2541b%25",
		"x{;q,e}{?e}":    "x;q=1;e?e=",
		"x{&q,e}{.q,e}":  "x&q=1&e=.1.",
	} {
		if got, err := Expand(s, values); err != nil || got != want {
			t.Errorf("Expand(%q) = %q, %v", s, got, err)
		}
	}
	for _, s := range []string{"x://{a", "x://{a-b}", "{@a}", strings.Repeat("x", maxTemplate+1)} {
		if got, err := Expand(s, values); err == nil {
			t.Errorf("Expand(%q) = %q", clip(s, 20), got)
		}
	}
	if _, err := Expand(strings.Repeat("{a}", 1000),
		map[string]string{"a": strings.Repeat(" ", 10_000)}); err == nil {
		t.Error("the expansion is not bounded")
	}
}

// ASCII values must come out as in the library; beyond, it differs from RFC 6570.
func TestExpandAgreesWithTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		template := rapid.StringMatching(
			`[a-z]{1,5}://([a-z/.]?(\{[+#./;?&]?[a-c](:3|\*)?(,[d-f])?\})){0,4}`).Draw(t, "template")
		values := rapid.MapOf(rapid.StringMatching(`[a-f]`), rapid.StringMatching(`[ -$&-~]{0,6}`)).Draw(t,
			"values")
		library, err := uritemplate.New(template)
		if err != nil {
			t.Fatal(err)
		}
		vars := uritemplate.Values{}
		for name, value := range values {
			vars.Set(name, uritemplate.String(value))
		}
		want, err := library.Expand(vars)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Expand(template, values); err != nil || got != want {
			t.Fatalf("Expand(%q) = %q, %v; the library has %q", template, got, err, want)
		}
	})
}

func TestMatches(t *testing.T) {
	for _, test := range []struct {
		template, uri string
		want          bool
	}{
		{"file:///{path}", "file:///a.txt", true},
		{"file:///{path}", "file:///a/b", false},
		{"file:///{+path}", "file:///a/b?c#d", true},
		{"x://{a}/{b}", "x://1/2", true},
		{"x://{a}/{b}", "x://1", false},
		{"x://h{/a,b}", "x://h/1/2", true},
		{"x://h{/a}", "x://h/1/2", false},
		{"x://h{/a*}", "x://h/1/2/3", true},
		{"x://h{?q}", "x://h", true},
		{"x://h{?q}", "x://h?q=1&r=2", true},
		{"x://h{?q}", "x://hq", false},
		{"x://h?a=1{&q}", "x://h?a=1&q=2", true},
		{"x://h{#f}", "x://h#z", true},
		{"x://h{.e}", "x://h.txt", true},
		{"x://h{;p}", "x://h;p=1", true},
		{"x://a.b", "x://aXb", false},
		{"x://ü/{a}", "x://%c3%BC/1", true},
		{"x://ü/{a}", "x://ü/1", true},
		{"x://%2f{a}", "x://%2F1", true},
		{"x://{a}", "x://\n", true},
		{"x://{a", "x://1", false},
		{"x://a", "x://a\n", false},
	} {
		if got := Matches(test.template, test.uri); got != test.want {
			t.Errorf("Matches(%q, %q) = %v", test.template, test.uri, got)
		}
	}
	// Hostile input takes no long time.
	if Matches(strings.Repeat("{+a}", maxMatch/4), strings.Repeat("a", maxMatch-1)+"\n") != true {
		t.Error("many reserved variables match everything")
	}
	Matches(strings.Repeat("{/a}", maxMatch/4), strings.Repeat("/", maxMatch))
}

func TestExpansionsMatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		template := rapid.StringMatching(`[a-z]{1,5}://([a-z/üé'.%]?(\{[+#./;?&]?[a-c](:3|\*)?(,`+
			`[d-f])?\})){0,4}`).Draw(t, "template")
		template = strings.ReplaceAll(template, "%", "%C3%A9")
		if _, bad := First(Template(template)); bad {
			t.Fatalf("Template(%q): %v", template, Template(template))
		}
		values := rapid.MapOf(rapid.StringMatching(`[a-f]`), rapid.String()).Draw(t, "values")
		uri, err := Expand(template, values)
		if err != nil {
			t.Fatal(err)
		}
		if !Matches(template, uri) {
			t.Fatalf("%q does not match its expansion %q", template, uri)
		}
	})
}

func TestStartsWithScheme(t *testing.T) {
	for s, want := range map[string][2]bool{
		"file:///{p}":  {true, true},
		"my_app://{p}": {false, true},
		"/notes/{id}":  {false, true},
		"notes":        {false, true},
		"{/a}":         {false, true},
		"{+uri}":       {false, false},
		"{scheme}://x": {false, false},
		"x-{kind}://y": {false, false},
		"":             {false, true},
		"{":            {false, false},
		"a?b:c":        {false, true},
	} {
		if ok, known := StartsWithScheme(s); ok != want[0] || known != want[1] {
			t.Errorf("StartsWithScheme(%q) = %v, %v", s, ok, known)
		}
	}
	if s, ok := LiteralScheme("my_app://{x}"); s != "my_app" || !ok {
		t.Errorf("LiteralScheme: %q", s)
	}
	if _, ok := LiteralScheme("{a}:b"); ok {
		t.Error("LiteralScheme of an expression")
	}
}

func FuzzTemplate(f *testing.F) {
	for _, s := range []string{"", "x://{a}", "{{a}}", "{+a:3*}", "x{?a,b*}}", "{a%41}", "'\xff{",
		"x://ü{/a}"} {
		f.Add(s, "v")
	}
	f.Fuzz(func(t *testing.T, s, value string) {
		problems := Template(s)
		checkProblems(t, s, problems)
		_, bad := First(problems)
		variables := Variables(s)
		values := map[string]string{}
		for _, v := range variables {
			values[v.Name] = value
		}
		expanded, err := Expand(s, values)
		if bad && err == nil {
			t.Errorf("%q is malformed but expands", s)
		}
		if err == nil && len(expanded) <= maxMatch && len(s) <= maxMatch && !Matches(s, expanded) {
			t.Errorf("%q does not match %q", s, expanded)
		}
		StartsWithScheme(s)
		LiteralScheme(s)
	})
}

// TestMatcherIsMadeWhenNeeded: a template costs little for URIs that it cannot stand for.
func TestMatcherIsMadeWhenNeeded(t *testing.T) {
	for _, template := range []string{"a://{b}", "{+b}/c", "a://{b}/é", "a://%41{b}"} {
		if n := testing.AllocsPerRun(10, func() {
			m := NewMatcher(template)
			if m.Match("b://x") {
				t.Errorf("%s stands for everything", template)
			}
		}); n > 8 {
			t.Errorf("%s: %v allocations", template, n)
		}
	}
	for template, uri := range map[string]string{"a://{b}/c": "a://x/c", "{b}é": "x%C3%A9", "{b}%41": "x%41",
		"it's{b}": "it%27sx", "a": "a", "a{b}a": "aa"} {
		if !Matches(template, uri) {
			t.Errorf("%s does not stand for %s", template, uri)
		}
	}
}
