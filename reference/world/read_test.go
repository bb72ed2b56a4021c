package world_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/goccy/go-yaml"

	"github.com/mcpcheck/mcpcheck/fixtures"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// TestReaderAgreesWithTheLibrary: what is sound is read as the YAML library reads it.
func TestReaderAgreesWithTheLibrary(t *testing.T) {
	for _, name := range []string{"default", "small", "multilingual", "binary", "public-suites", "empty"} {
		data, err := fixtures.FS.ReadFile("worlds/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		var want world.World
		if err := yaml.UnmarshalWithOptions(data, &want, yaml.Strict()); err != nil {
			t.Fatal(err)
		}
		got, err := world.Parse("worlds/"+name+".yaml", data)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\n got %+v\nwant %+v", name, err, got, want)
		}
	}
}

func TestAllProblemsAreNamed(t *testing.T) {
	text := `name: w
pageSize: -1
caching: {ttl: 1s, scope: all}
resources:
  - uri: a:1
    text: x
    blob: eA==
  - uri: a:2
    mimeTyp: text/plain
    size: big
    annotations: {priority: high, audience: user}
    _meta: {ok: [1, {a: b}]}
  - uri: a:3
    contains: [a:1, a:9]
  - uri: a:4
    repeat: {count: 2}
    identities: [""]
    failCode: 7
  - plain
templates:
  - uriTemplate: a:{x}
  - uriTemplate: a:{y}
    finds: "a:{?y}"
    variables: [{name: y, days: {from: x, to: y}}, {name: y, valuesBy: {a: [b]}}]
timeline:
  - {at: 1s, touch: a:1, remove: a:1}
  - {every: 1ms, update: {uri: a:1, text: a, blob: b}}
alien: 1
`
	_, err := world.Parse("w.yaml", []byte(text))
	var problems world.Problems
	if !errors.As(err, &problems) {
		t.Fatalf("%v", err)
	}
	var got []string
	for _, p := range problems {
		got = append(got, fmt.Sprintf("%d %s", p.Line, p.Path))
	}
	want := []string{
		"2 pageSize", "3 caching.scope", "5 resources[0]", "9 resources[1]", "10 resources[1].size",
		"11 resources[1].annotations.priority",
		"11 resources[1].annotations.audience", "14 resources[2].contains[1]", "15 resources[3].uri",
		"17 resources[3].identities[0]", "18 resources[3].failCode",
		"19 resources[4]", "21 templates[0]", "23 templates[1].finds", "24 templates[1].variables[0].days",
		"24 templates[1].variables[1].valuesBy",
		"26 timeline[0]", "27 timeline[1].every", "27 timeline[1].update", "27 timeline[1].update.blob",
		"28 ",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s\n got %q\nwant %q", err, got, want)
	}
}

func TestSyntax(t *testing.T) {
	for text, want := range map[string]string{
		"resources: [":                "w.yaml:1: ",
		"a: b: c":                     "w.yaml:1: ",
		"name: a\nname: b\n":          "w.yaml:2: ",
		"name: *nowhere\n":            "w.yaml:1: ",
		"name: a\n---\nname: b\n":     "more than one document",
		"- a\n":                       "must have fields",
		"\tname: a\n":                 "w.yaml:1: ",
		"resources: {uri: a:b}\n":     "w.yaml:1: resources: must be a list",
		"resources: [[[[1]]]]\n":      `resources[0]: must have fields, such as "uri"`,
		"{\"name\": \"w\", \"x\": 1}": `w.yaml:1: unknown member "x"`,
	} {
		_, err := world.Parse("w.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestMistakenValuesAndNames: the reader reports a number or a truth value where a text is wanted, and so is
// a text for a number; and names that are mistaken for others lead to those.
func TestMistakenValuesAndNames(t *testing.T) {
	for text, want := range map[string]string{
		"resources: [{uri: 'a:1', text: 5}]": "resources[0].text: must be a " +
			"text, not 5: put it in quotes",
		"resources: [{uri: 'a:1', text: x, fails: true}]": "resources[0].fails: must be " +
			"a text, not true: put it in quotes",
		"templates: [{uriTemplate: 'a:{x}', variables: [{values: " +
			"[.5]}]}]": "templates[0].variables[0].values[0]: must be a text, not .5: put it in quotes",
		"resources: [{uri: 'a:1', annotations: {priority: '0.5'}}]": `annotations.priority: must ` +
			`be a number, not "0.5"`,
		"resources: [{uri: 'a:1', contents: x}]": `unknown member "contents": ` +
			`did you mean "text"?`,
		"resources: [{uri: 'a:1', Content-Type: x}]": `unknown member ` +
			`"Content-Type": did you mean "mimeType"?`,
		"templates: [{uri: 'a:{x}'}]": `unknown member "uri": did ` +
			`you mean "uriTemplate"?`,
		"rules: [{times: 3, delay: 1s}]": `unknown member "times": did ` +
			`you mean "count"?`,
		"rules: [{when: [{at: uri, equals: x}], delay: 1s}]": `unknown member "equals": did ` +
			`you mean "is"?`,
	} {
		if _, err := world.Parse("w.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestAnchorsAndMerges(t *testing.T) {
	text := "resources:\n  - &one {uri: 'a:1', name: n, mimeType: text/plain, text: &t hello}\n  - {<<: " +
		"*one, uri: 'a:2'}\n  - {uri: 'a:3', name: '5', text: *t}\n  - uri: a:4\n    name: |\n      two\n " +
		"   text: !!str 7\n"
	w, err := world.Parse("w.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	second, third, fourth := w.Resources[1], w.Resources[2], w.Resources[3]
	if second.URI != "a:2" || second.MIMEType != "text/plain" || *second.Text != "hello" ||
		third.Name != "5" || *third.Text != "hello" || fourth.Name != "two\n" || *fourth.Text != "7" {
		t.Errorf("%+v", w.Resources)
	}
}

func TestAliasesAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("resources:\n  - uri: a:b\n    _meta:\n      l0: &l0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&b, "      l%d: &l%d [%s]\n", i, i, strings.Repeat(fmt.Sprintf("*l%d, ", i-1), 10))
	}
	if _, err := world.Parse("w.yaml", []byte(b.String())); err == nil ||
		!strings.Contains(err.Error(), "nested too deeply or too many") {
		t.Errorf("%v", err)
	}
}

func TestFiles(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "worlds")
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, "sub"), 0o700),
		os.WriteFile(filepath.Join(parent, "secret"), []byte("secret"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"sub/a.md": "# a\n", "b.bin": "\x00\xff",
		"large": strings.Repeat("x", 16<<20+1)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	linked := os.Symlink("../secret", filepath.Join(dir, "link")) == nil
	load := func(file string) (world.World, error) {
		text := "resources:\n  - uri: a:b\n    name: n\n    file: " + file + "\n"
		if err := os.WriteFile(filepath.Join(dir, "w.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return world.Open(filepath.Join(dir, "w.yaml"))
	}
	w, err := load("sub/a.md")
	if err != nil || *w.Resources[0].Text != "# a\n" || w.Resources[0].MIMEType != "text/markdown" ||
		w.Resources[0].File != "" {
		t.Errorf("%+v, %v", w, err)
	}
	if w, err = load("./sub/a.md"); err != nil || *w.Resources[0].Text != "# a\n" {
		t.Errorf("%+v, %v", w, err)
	}
	if w, err = load("b.bin"); err != nil || *w.Resources[0].Blob != "AP8=" {
		t.Errorf("%+v, %v", w, err)
	}
	for file, want := range map[string]string{
		"../secret": "no path within", "/etc/passwd": "no path within", "sub/../../secret": "no path within",
		"nothing": `"nothing" cannot be read: no such file`, "sub": "no regular file", "large": "too large",
		`'a\b'`: `a\\b`,
	} {
		_, err := load(file)
		if err == nil || !strings.Contains(err.Error(), ":4: resources[0].file: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", file, err)
		}
	}
	if linked {
		if w, err := load("link"); err == nil {
			t.Errorf("a link leads out: %+v", w)
		}
	}
	if _, err := world.Parse("w.yaml", []byte("resources:\n  - {uri: 'a:b', file: x}\n")); err == nil ||
		!strings.Contains(err.Error(), "only a world that is a file") {
		t.Errorf("%v", err)
	}
	if _, err := world.DecodeResource([]byte(`{"uri":"a:b","file":"/etc/passwd"}`)); err == nil ||
		!strings.Contains(err.Error(), "only resources in world files") {
		t.Errorf("%v", err)
	}
	fsys := fstest.MapFS{"d/w.yaml": {Data: []byte("resources:\n  - {uri: 'a:b', name: n, file: x.txt}\n")},
		"d/x.txt": {Data: []byte("x")}}
	if w, err := world.Load(fsys, "d/w.yaml"); err != nil || *w.Resources[0].Text != "x" {
		t.Errorf("%+v, %v", w, err)
	}
}

func TestRepeat(t *testing.T) {
	w, err := world.Parse("w.yaml",
		[]byte("resources:\n  - {uri: 'a:{n}', name: 'no {n}', repeat: {count: 12, from: 9, width: 3}, "+
			"text: 'I am {n}.'}\n  - {uri: 'b:{n}', name: b, repeat: {count: 2}, generate: {bytes: 4,"+
			" line: '{n}'}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Resources) != 14 || w.Resources[0].URI != "a:009" || w.Resources[11].Name != "no 020" ||
		*w.Resources[11].Text != "I am 020." || w.Resources[13].URI != "b:1" {
		t.Errorf("%+v", w.Resources)
	}
	if data, err := w.Resources[13].Bytes(); err != nil || string(data) != "1\n1\n" {
		t.Errorf("%q, %v", data, err)
	}
	for text, want := range map[string]string{
		"{uri: 'a:b', repeat: {count: 2}}":                     "resources[0].uri: must have {n}",
		"{uri: 'a:{n}', repeat: {count: 0}}":                   "resources[0].repeat.count: must be between",
		"{uri: 'a:{n}', repeat: {count: 2000000}}":             "resources[0].repeat.count: must be between",
		"{uri: 'a:{n}', repeat: {count: 1, width: 99}}":        "resources[0].repeat.width",
		"{uri: 'a:{n}', repeat: {count: 3}}\n  - {uri: 'a:1'}": "resources[1].uri: a:1 is listed twice",
	} {
		if _, err := world.Parse("w.yaml", []byte("resources:\n  - "+text+"\n")); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	made := world.World{Resources: []world.Resource{{URI: "a:{n}", Repeat: &world.Repeat{Count: 3}}}}
	if got, err := made.Expand(); err != nil || len(got.Resources) != 3 || len(made.Resources) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	made.Resources[0].Repeat.Count = -1
	if _, err := made.Expand(); err == nil {
		t.Error("a negative count")
	}
}

func TestBinaryGenerate(t *testing.T) {
	g := world.Resource{Generate: &world.Generate{Bytes: 100, Line: "x", Binary: true}}
	one, err := g.Bytes()
	other, _ := g.Bytes()
	if err != nil || len(one) != 100 || string(one) != string(other) || !g.Binary() || world.IsText(one) {
		t.Errorf("%x, %v", one, err)
	}
}

func TestMIMETypes(t *testing.T) {
	for _, test := range []struct{ name, content, want string }{
		{"a.MD", "# x", "text/markdown"}, {"a.png", "", "image/png"},
		{"a.txt", "\x00", "application/octet-stream"}, {"a", "", "text/plain"},
		{"a", "\x89PNG\r\n\x1a\n", "image/png"}, {"a", "<!doctype html>", "text/html"},
		{"a", "\x00\x02", "application/octet-stream"}, {"a.json", "\xff", "application/json"},
		{"a.txt", strings.Repeat("a", world.Sniffed-1) + "ü", "text/plain"},
		{"a.txt", strings.Repeat("a", world.Sniffed-1) + "\xff", "text/plain"},
	} {
		if got := world.DetectMIMEType(test.name, []byte(test.content)); got != test.want {
			t.Errorf("%s %.10q: %s", test.name, test.content, got)
		}
	}
}

func TestLintFindsWhatNeverComesIntoPlay(t *testing.T) {
	w, err := world.Parse("w.yaml", []byte(`
caching: {ttl: 1s, scope: public}
resources:
  - {uri: 'a:1', name: n, text: t, identities: [alice]}
templates:
  - {uriTemplate: 'b:{x}', name: n, finds: 'c:{x}'}
  - {uriTemplate: 'd:{x}', name: n, text: t, variables: [{name: y}]}
  - {uriTemplate: 'e:{x}', name: n, text: t, variables: [{name: x, closed: true}]}
  - {uriTemplate: 'f:{x', name: n, text: t}
  - {uriTemplate: 'g:{x}', name: n, text: t}
  - {uriTemplate: 'g:{y}', name: n, text: t}
  - {uriTemplate: 'h:{x}', name: n, finds: 'a:{z}'}
timeline:
  - {at: 2s, update: {uri: 'a:2', text: t}}
`))
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(w.Lint(), "\n")
	for _, want := range []string{
		"templates[0].finds: leads to no resource", "templates[1].variables[0].name: there is no variable y",
		"templates[2].variables[0].closed: the template cannot be reached: variable x is closed",
		"templates[3].uriTemplate: cannot be reached: it is no URI template",
		"templates[5].uriTemplate: cannot be reached: g:{x} comes before", "templates[6].finds: has {z}",
		"timeline[0].update.uri: there is no such resource", "their scope is sent as private",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"default", "project", "public-suites"} {
		data, err := fixtures.FS.ReadFile("worlds/" + name + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("resources: [{uri: 'a:{n}', repeat: {count: 3}}]"))
	f.Add([]byte("a: &a [*a]\nresources: *a\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 10_000 || strings.Contains(string(data), "count") && len(data) > 200 {
			t.Skip()
		}
		w, err := world.Parse("w.yaml", data)
		if err != nil {
			var problems world.Problems
			if !errors.As(err, &problems) || len(problems) == 0 {
				t.Errorf("%v", err)
			}
			return
		}
		if err := w.Validate(); err != nil {
			t.Errorf("read, but not valid: %v", err)
		}
		w.Clone().Lint()
	})
}

// TestNesting: what would keep the parser busy for minutes is refused at once, and what is deep stays
// readable.
func TestNesting(t *testing.T) {
	for _, open := range []string{"[", `{"a":`, "- ", "? "} {
		for _, lead := range []string{"", "name: x\nresources:\n  "} {
			_, err := world.Parse("w.yaml", []byte(lead+strings.Repeat(open, 200_000)))
			if want := fmt.Sprintf("w.yaml:%d: the values are nested too deeply",
				1+strings.Count(lead, "\n")); err == nil || err.Error() != want {
				t.Errorf("%q after %q: %v", open, lead, err)
			}
		}
	}
	halves, braces := "resources:\n", []string(nil)
	for i := range 2500 {
		halves += fmt.Sprintf("  - {uri: 'a:%d', name: a, text: '[0,1)'}\n", i)
		braces = append(braces, fmt.Sprintf(`{"uri":"a:%d","name":"a","text":"\"{["}`, i))
	}
	for name, legal := range map[string]string{
		"texts of YAML": halves,
		"texts of JSON": `{"resources":[` + strings.Join(braces, ",") + "]}",
		"a line": "resources:\n  - uri: a:b\n    name: a\n    text: |\n      " + strings.Repeat("-",
			5000) + "\n",
	} {
		if _, err := world.Parse("w.yaml", []byte(legal)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	text := strings.Repeat("[x]{y} - ", 10_000)
	if _, err := world.Parse("w.yaml",
		[]byte("resources:\n  - {uri: 'a:b', name: a, text: \""+text+"\"}\n")); err != nil {
		t.Error(err)
	}
}
