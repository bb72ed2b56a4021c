package world_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference/world"
)

func TestParseNamesFileLineAndSuggestion(t *testing.T) {
	tests := []struct{ name, yaml, want string }{
		{"misspelt", "name: w\nresources:\n  - uri: a:b\n    nmae: x\n",
			`w.yaml:4: resources[0]: unknown member "nmae": did you mean "name"?`},
		{"camel case", "resources:\n  - uri: a:b\n    mimetype: x\n",
			`w.yaml:3: resources[0]: unknown member "mimetype": did you mean "mimeType"?`},
		{"alien", "xyzzyplughfoo: 1\n", `w.yaml:1: unknown member "xyzzyplughfoo"`},
		{"wrong type", "pageSize: many\n", `w.yaml:1: `},
		{"duplicate uri", "resources:\n  - uri: a:b\n  - uri: a:b\n",
			"w.yaml:3: resources[1].uri: a:b is listed twice"},
		{"two contents", "resources:\n  - uri: a:b\n    text: x\n    blob: eA==\n", "exclude each other"},
		{"bad base64", "resources:\n  - uri: a:b\n    blob: 'e_=='\n",
			"w.yaml:3: resources[0].blob: no standard base64"},
		{"dangling child", "resources:\n  - uri: a:b\n    contains: [a:c]\n",
			"w.yaml:3: resources[0].contains[0]: a:c is no file"},
		{"scope", "caching: {ttl: 1s, scope: all}\n", "not public or private"},
		{"template without content", "templates:\n  - uriTemplate: a:{b}\n", "needs either text or finds"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := world.Parse("w.yaml", []byte(test.yaml))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("error %v, want %q", err, test.want)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("the error has several lines: %q", err)
			}
		})
	}
}

func TestParseJSON(t *testing.T) {
	w, err := world.Parse("x/tiny.json", []byte(`{"resources":[{"uri":"a:b","name":"n","text":"t"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if w.Name != "tiny" || len(w.Resources) != 1 || *w.Resources[0].Text != "t" {
		t.Errorf("read %+v", w)
	}
}

func TestCheckURI(t *testing.T) {
	good := []string{"file:///a", "note:x", "a:", "x+y-z.1://h:80/p?q#f", "http://[::1]:8/", "http://[v1.x]/",
		"file:///a%20b", "urn:a:b", "x://u:p@h/"}
	bad := []string{"", "a", "/a", "//h/p", "1a:b", "a b:c", "a:b c", "a:é", "a:%", "a:%4", "a:%zz", "a:{b}",
		"a://h:x/", "a://[::1/", "a://[x]/", "a:b#c#d", "a:[b]", "a:b\x00", "a:\\b", "a://[::1]x/",
		"a://h[1]/"}
	for _, s := range good {
		if err := world.CheckURI(s); err != nil {
			t.Errorf("%q: %v", s, err)
		}
	}
	for _, s := range bad {
		if world.CheckURI(s) == nil {
			t.Errorf("%q passes", s)
		}
	}
}

// TestCapabilities: each capability, also one that is added, is offered by default, can be taken away, and
// stays where another is taken.
func TestCapabilities(t *testing.T) {
	all := world.World{}.Offered()
	fields := reflect.TypeFor[world.Capabilities]()
	for i := range fields.NumField() {
		var one world.Capabilities
		reflect.ValueOf(&one).Elem().Field(i).SetBool(true)
		left := all.Without(one)
		for j := range fields.NumField() {
			if got := reflect.ValueOf(left).Field(j).Bool(); got != (i != j) {
				t.Errorf("without %s, %s is %t", fields.Field(i).Name, fields.Field(j).Name, got)
			}
		}
		if none := (world.Capabilities{}).Without(one); none != (world.Capabilities{}) {
			t.Errorf("nothing without %s is %+v", fields.Field(i).Name, none)
		}
	}
}

func TestCloneIsDeep(t *testing.T) {
	w, err := world.Parse("w.yaml",
		[]byte("resources:\n  - uri: a:b\n    name: n\n    text: t\n    annotations: {audience: [user], "+
			"priority: 0.5}\n    _meta: {x/y: [1]}\ntemplates:\n  - uriTemplate: a:{v}\n    name: n\n    "+
			"text: t\n    variables: [{name: v, values: [p]}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	c := w.Clone()
	*c.Resource("a:b").Text = "changed"
	c.Resource("a:b").Annotations.Audience[0] = "changed"
	*c.Resource("a:b").Annotations.Priority = 7
	c.Resource("a:b").Meta["x/y"].([]any)[0] = "changed"
	c.Template("a:{v}").Variables[0].Values[0] = "changed"
	r := w.Resource("a:b")
	if *r.Text != "t" || r.Annotations.Audience[0] != "user" || *r.Annotations.Priority != 0.5 ||
		r.Meta["x/y"].([]any)[0] == "changed" || w.Templates[0].Variables[0].Values[0] != "p" {
		t.Error("an overlay of the copy changed the original")
	}
}

func TestGenerateAndDays(t *testing.T) {
	data, err := world.Resource{Generate: &world.Generate{Bytes: 10, Line: "abc"}}.Bytes()
	if err != nil || string(data) != "abc\nabc\nab" {
		t.Errorf("generated %q, %v", data, err)
	}
	days := world.Days{From: "2025-02-27", To: "2025-03-01"}.All()
	if strings.Join(days, " ") != "2025-02-27 2025-02-28 2025-03-01" {
		t.Errorf("days %v", days)
	}
}
