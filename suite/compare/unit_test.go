package compare

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/tidwall/gjson"
)

// TestDeltas: what means the same is the same, and where values differ is told.
func TestDeltas(t *testing.T) {
	for _, x := range []struct{ a, b, want string }{
		{`{"a":1,"b":[true,null]}`, ` { "b" : [ true , null ], "a" : 1.0e0 } `, ""},
		{`"\u00e9\/"`, `"é/"`, ""},
		{`100`, `1e2`, ""},
		{`-0`, `0.0`, ""},
		{`0.1`, `0.10000000000000001`, ""},
		{`9007199254740993`, `9007199254740992`, "="},
		{`1e999999999999999999`, `1e999999999999999998`, "="},
		{`{"a":1}`, `{"a":"1"}`, "a="},
		{`{"a":null}`, `{}`, "a="},
		{`{"a":{"b.c":[1,2]}}`, `{"a":{"b.c":[1]}}`, `a."b.c"[1]=`},
		{`{"audience":["user","assistant"]}`, `{"audience":["assistant","user"]}`, ""},
		{`{"audience":["user","assistant"]}`, `{"audience":["all","assistant"]}`,
			"audience[all]= audience[user]="},
		{`{"supportedVersions":["2024-11-05","2025-03-26","draft"]}`,
			`{"supportedVersions":["2025-03-26","other"]}`,
			"supportedVersions[draft]= supportedVersions[other]="},
		{`{"x":["user","assistant"]}`, `{"x":["assistant","user"]}`, "x[0]= x[1]="},
		{`{"blob":"AAEC"}`, `{"blob":"AAECAw=="}`, "blob="},
		{`true`, `false`, "="},
		{`[]`, `{}`, "="},
	} {
		var got []string
		for _, d := range (names{}).diff(key{}, gjson.Parse(x.a), gjson.Parse(x.b)) {
			got = append(got, pathText(d.path)+"=")
		}
		if s := strings.Join(got, " "); s != x.want {
			t.Errorf("%s and %s: %q, not %q", x.a, x.b, s, x.want)
		}
	}
}

// TestDeltasAreBounded: a hostile value costs no more than is worth reading.
func TestDeltasAreBounded(t *testing.T) {
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	other := strings.Replace(deep, "[]", "[1]", 1)
	if got := (names{}).diff(key{}, gjson.Parse(deep), gjson.Parse(other)); len(got) != 1 {
		t.Errorf("%d places", len(got))
	}
	wide := "[" + strings.Repeat("1,", 10_000) + "1]"
	if got := (names{}).diff(key{}, gjson.Parse(wide), gjson.Parse("[]")); len(got) != maxDeltas {
		t.Errorf("%d places", len(got))
	}
}

// TestRenames: the longest prefix decides, in both directions.
func TestRenames(t *testing.T) {
	r := renames{{"file://", "a+file://"}, {"file:///x/", "x:"}, {"", "gw:"}}
	for from, to := range map[string]string{"file:///y": "a+file:///y", "file:///x/1": "x:1",
		"note:1": "gw:note:1"} {
		if got := r.forward(from); got != to {
			t.Errorf("%s becomes %s", from, got)
		}
		if got := r.back(to); got != from {
			t.Errorf("%s was %s", to, got)
		}
	}
	for _, bad := range []string{"a", "", "a=>a", "=>"} {
		if _, err := ParseRename(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// listing is what a side answered that lists some names.
func listing(end string, names ...string) *book {
	var items []string
	for _, name := range names {
		items = append(items, `{"uri":"`+name+`"}`)
	}
	x := said("resources/list", `{"result":{"resources":[`+strings.Join(items, ",")+`]}}`)
	x.Step, x.Tags = recording.StepPage, recording.Tags{recording.TagEnd: end}
	rec := &recording.Recording{Exchanges: []*recording.Exchange{x}}
	return (&talk{}).read(takes{recording.WalkResources: rec})
}

// TestListsThatDoNotEnd: what a walk lacks that was not followed to its end is not
// dropped.
func TestListsThatDoNotEnd(t *testing.T) {
	for _, x := range []struct {
		a, b *book
		want int
	}{
		{listing("done", "a", "b"), listing("done", "a"), 1},
		{listing("done", "a", "b"), listing("bound", "a"), 0},
		{listing("bound", "a"), listing("done", "a", "b"), 0},
		{listing("done", "a"), listing("cycle", "a", "a"), 2},
		{listing("done", "a"), listing("bound", "a", "a"), 1},
		{listing("bound", "a"), listing("done", "a", "a"), 0},
		{listing("done", "a", "b", "c"), listing("done", "c", "a", "b"), 1},
	} {
		if got := (names{}).compare(x.a, x.b); len(got) != x.want {
			t.Errorf("%v and %v: %+v", x.a.keys, x.b.keys, got)
		}
	}
}

func TestAlikeNotesAreJoined(t *testing.T) {
	got := joined([]string{"2025-06-18: a: b", "--ignore x fits no difference", "2025-11-25: c",
		"2025-11-25: a: b", "1999-01-01: c"})
	if want := []string{"2025-06-18, 2025-11-25: a: b", "--ignore x fits no difference", "2025-11-25: c",
		"1999-01-01: c"}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

// hostile is what a side might send to whoever reads a report.
const hostile = "\x1b[31m`|`\n# x <script> \u202e\xff](http://x) "

// hostileReport is a comparison of two sides that send such things.
func hostileReport() *Report {
	end := &target.Target{Endpoints: []target.Endpoint{{Command: []string{"x"}}}}
	c := &comparison{cfg: Config{Direct: end, Through: end, Ignore: []string{"nothing"}}.withDefaults(),
		index: map[string]int{}, direct: &side{target: end}, through: &side{target: end}}
	c.report = c.newReport(time.Now())
	huge := strings.Repeat("x", 50_000)
	c.add("2025-11-25", finding{key: key{part: requests[0], subject: hostile}, path: []string{hostile},
		kind: Changed, direct: quoted(huge + "1" + hostile), through: quoted(huge + "2")})
	c.add("2025-06-18", finding{key: key{part: requests[0], subject: strings.Repeat("u", 10_000)},
		kind: Dropped, direct: quoted(hostile)})
	c.unsteady("2025-06-18", finding{key: key{part: requests[0], subject: hostile}, kind: Added,
		through: quoted(hostile)}, "the server's own answers differ")
	c.gap("2025-11-25", Read, hostile, hostile)
	c.note(hostile)
	c.report.Direct.Address = hostile
	c.finish()
	return c.report
}

// TestHostileStrings: nothing that a side sends means anything where it is shown.
func TestHostileStrings(t *testing.T) {
	r := hostileReport()
	for _, write := range []func(*strings.Builder) error{
		func(b *strings.Builder) error { return WriteConsole(b, r, ConsoleOptions{}) },
		func(b *strings.Builder) error { return WriteConsole(b, r, ConsoleOptions{Verbose: true}) },
		func(b *strings.Builder) error { return WriteMarkdown(b, r) },
		func(b *strings.Builder) error { return WriteJSON(b, r) },
	} {
		var b strings.Builder
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		out := b.String()
		if (strings.ContainsAny(out, "\x1b\u202e") || !utf8.ValidString(out)) &&
			!strings.HasPrefix(out, "{") || strings.Contains(out, "\n# x") || len(out) > 20_000 {
			t.Errorf("%d characters: %.3000q", len(out), out)
		}
		if strings.HasPrefix(out, "## ") {
			for _, l := range strings.Split(out, "\n") {
				if strings.HasPrefix(l, "| **") && strings.Count(strings.ReplaceAll(l, `\|`, ""), "|") != 6 {
					t.Errorf("a row falls apart: %s", l)
				}
			}
		}
	}
	if d := r.Differences[0]; d.Part < 50_000 && r.Differences[1].Part < 50_000 {
		t.Errorf("where the long texts part is not told: %d", d.Part)
	}
}
