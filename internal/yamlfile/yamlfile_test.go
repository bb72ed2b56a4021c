package yamlfile

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

type word string

func (w *word) UnmarshalText(b []byte) error {
	if string(b) == "bad" {
		return errors.New("that is a bad word")
	}
	*w = word("<" + string(b) + ">")
	return nil
}

type item struct {
	URI  string  `yaml:"uri"`
	Text *string `yaml:"text"`
}

type doc struct {
	Name      string            `yaml:"name"`
	Endpoints []item            `yaml:"endpoints"`
	Env       map[string]string `yaml:"env"`
	Wait      time.Duration     `yaml:"wait"`
	Count     int               `yaml:"count"`
	Small     int8              `yaml:"small"`
	Rate      float64           `yaml:"rate"`
	On        bool              `yaml:"on"`
	Word      word              `yaml:"word"`
	Any       map[string]any    `yaml:"any"`
	Sub       *doc              `yaml:"sub"`
	Hidden    string            `yaml:"-"`
	Untagged  string
}

func TestDecode(t *testing.T) {
	src := `# comment
name: 2025-11-25
endpoints:
  - uri: a
    text: ""
  - &x
    uri: "b: c"
  - *x
env: {PORT: 8080, ON: true, V: 1.10}
wait: 1m30s
count: 0x10
rate: 2
on: true
word: hello
any:
  s: x
  n: 1
  f: 1.5
  b: false
  z: null
  l: [1, two, {three: 3}]
sub:
  name: |
    two
    lines
`
	var got doc
	x, err := Decode("f.yaml", []byte(src), &got)
	if err != nil {
		t.Fatal(err)
	}
	empty := ""
	want := doc{
		Name:      "2025-11-25",
		Endpoints: []item{{URI: "a", Text: &empty}, {URI: "b: c"}, {URI: "b: c"}},
		Env:       map[string]string{"PORT": "8080", "ON": "true", "V": "1.10"},
		Wait:      90 * time.Second, Count: 16, Rate: 2, On: true, Word: "<hello>",
		Any: map[string]any{
			"s": "x", "n": uint64(1), "f": 1.5, "b": false, "z": nil,
			"l": []any{uint64(1), "two", map[string]any{"three": uint64(3)}},
		},
		Sub: &doc{Name: "two\nlines\n"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	for path, line := range map[string]int{"name": 2, "endpoints[0].text": 5, "endpoints[0].nothing": 4,
		"env.PORT": 9, "sub.name": 23, "nowhere": 2} {
		if p := x.At(path); p.Line != line {
			t.Errorf("At(%q) = line %d, want %d", path, p.Line, line)
		}
	}
	if x.Has("sub.wait") || !x.Has("sub") {
		t.Error("Has does not tell what the file contains")
	}
}

func TestDecodeNothing(t *testing.T) {
	for _, src := range []string{"", "\n", "# only a comment\n", "---\n", "name:\nendpoints:\n  # - none\n",
		"{}"} {
		var got doc
		if _, err := Decode("f", []byte(src), &got); err != nil || !reflect.DeepEqual(got, doc{}) {
			t.Errorf("%q: %+v, %v", src, got, err)
		}
	}
	if _, err := Decode("f", nil, doc{}); err == nil {
		t.Error("a struct that is no pointer was accepted")
	}
}

func TestDecodeErrors(t *testing.T) {
	for src, want := range map[string]string{
		"name: x\nendponts: []": `f.yaml:2:1: unknown field "endponts": did you mean ` +
			`"endpoints"?`,
		"endpoint: []": `f.yaml:1:1: unknown field "endpoint": did you mean ` +
			`"endpoints"?`,
		"endpoints:\n- URI: x": `f.yaml:2:3: unknown field "URI" in endpoints[0]: did you ` +
			`mean "uri"?`,
		strings.Repeat("k", 2<<20) + ": 1": `f.yaml:1:1: unknown field "` + strings.Repeat("k", 100) +
			`…": the fields here are`,
		"endpoints:\n- {qqqqqq: x}": `f.yaml:2:4: unknown field "qqqqqq" in endpoints[0]: the ` +
			`fields here are uri, text`,
		"name.of.it: x": `f.yaml:1:1: unknown field "name.of.it": write name: {of: ` +
			`{it: …}}`,
		"Hidden: x":   `f.yaml:1:1: unknown field "Hidden": the fields here are`,
		"Untagged: x": `f.yaml:1:1: unknown field "Untagged"`,
		"endpoints:\n  - uri: x\n text: y": "f.yaml:3:2: value is not allowed in this context (is the " +
			"line indented like the one before?)",
		"import json\nfor x in y:\n    z": "f.yaml:1:1: unexpected key name (is this YAML, with a " +
			"field and its value on a line?)",
		"name: [a]":                           `f.yaml:1:7: name must be a single value, not a list`,
		"name: {a: b}":                        `name must be a single value, not a mapping`,
		"endpoints: x":                        `f.yaml:1:12: endpoints must be a list, not "x"`,
		"endpoints:\n\t- uri: x":              `(indent with spaces, not with tabs)`,
		"endpoints: [x]":                      `endpoints[0] must have fields, such as "uri", not "x"`,
		"env: [x]":                            `env must map names to values, not be a list`,
		"wait: 10":                            `wait must be a duration such as "10s" or "1m30s", not "10"`,
		"count: many":                         `count must be a whole number, not "many"`,
		"count: 1.5":                          `count must be a whole number, not "1.5"`,
		"count: 18446744073709551615":         `count must be a whole number`,
		"small: 300":                          `small must be a whole number, not "300"`,
		"rate: .inf":                          `rate must be a number`,
		"on: maybe":                           `on must be true or false, not "maybe"`,
		"word: bad":                           `f.yaml:1:7: word: that is a bad word`,
		"name: a\nname: b":                    `f.yaml:2:1: `,
		"name: *nope":                         `no anchor &nope`,
		"<<: x":                               `<< takes a mapping`,
		"name: \xff":                          `the byte 0xff is no UTF-8`,
		"name: !!binary aGk=":                 `the tag !!binary is not supported`,
		"name: a\n---\nname: b":               `more than one document`,
		strings.Repeat("---\n", maxMarkers+1): `f.yaml:2:1: the file holds more than one document`,
		"any: {x: .nan}":                      `any.x: .nan is no number in JSON`,
		"- x":                                 `the file must have fields, such as "name", not a list`,
		"name: \"x":                           `f.yaml:1:7: `,
		"name: x\n  bad: y":                   `f.yaml:1:`,
		strings.Repeat("[", 5000):             `nested too deeply`,
		strings.Repeat("- ", 5000):            `nested too deeply`,
		"any: &a {x: *a}":                     `contains itself`,
		"sub: " + strings.Repeat("{sub: ", 60) + strings.Repeat("}", 60): `nested too deeply`,
		"name: " + strings.Repeat("x", MaxSize):                          `larger than 32 MiB`,
	} {
		var got doc
		_, err := Decode("f.yaml", []byte(src), &got)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q:\n got %v\nwant %s", src, err, want)
			continue
		}
		if _, ok := errors.AsType[*Error](err); !ok {
			t.Errorf("%.60q: the error is a %T", src, err)
		}
	}
}

func TestDecodeReportsAllProblems(t *testing.T) {
	var got doc
	_, err := Decode("f", []byte("a: 1\ncount: x\nwait: y\n"), &got)
	e, ok := errors.AsType[*Error](err)
	if !ok || len(e.Problems) != 3 || e.Problems[1].Path != "count" {
		t.Errorf("got %v", err)
	}
	var many strings.Builder
	for i := range 100 {
		many.WriteString("zz" + strings.Repeat("z", i) + ": 1\n")
	}
	_, err = Decode("f", []byte(many.String()), &got)
	if e, ok := errors.AsType[*Error](err); !ok || len(e.Problems) != maxProblems {
		t.Errorf("the number of problems is not bounded: %v", err)
	}
}

// TestAliasBomb: aliases that multiply are cut off by the bound on values.
func TestAliasBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("any:\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 12; i++ {
		prev := "*a" + string(rune('0'+(i-1)%10))
		b.WriteString("  a" + string(rune('0'+i%10)) + "x" + strings.Repeat("y", i) + ": &a" +
			string(rune('0'+i%10)) + " [" + strings.TrimSuffix(strings.Repeat(prev+", ", 10), ", ") + "]\n")
	}
	var got doc
	if _, err := Decode("f", []byte(b.String()), &got); err == nil ||
		!strings.Contains(err.Error(), "too many") {
		t.Errorf("got %v", err)
	}
}

func TestNearest(t *testing.T) {
	known := []string{"uri", "mime-type", "command", "headers", "ca-file"}
	for given, want := range map[string]string{
		"url": "uri", "mimeType": "mime-type", "comand": "command", "commnad": "command", "header": "headers",
		"CA_FILE": "ca-file", "xyz": "", "": "", strings.Repeat("uri", 50): "",
	} {
		if got := Nearest(given, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", given, got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{"name: x", "endpoints: [{uri: a}]", "any: {a: &x [1], b: *x}", "- ? :",
		"a: |\n  b", "<<: *x", "!!str x", "'", "{", "env:\n\ta: b"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var got doc
		if _, err := Decode("f", data, &got); err != nil {
			if _, ok := errors.AsType[*Error](err); !ok {
				t.Errorf("the error is a %T", err)
			}
		}
	})
}
