package target

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/fixtures/targets"
	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"pgregory.net/rapid"
)

// known is a catalogue of the requirements that the files of the tests name.
func known(t rapid.TB) *requirement.Catalogue {
	t.Helper()
	var areas []requirement.Area
	for _, id := range []string{"LIST-08", "PAGE-02", "SEC-06"} {
		name, _, _ := strings.Cut(id, "-")
		areas = append(areas, requirement.Area{Name: name, Rows: []requirement.Requirement{{ID: id}}})
	}
	c, err := requirement.NewCatalogue(areas...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// exampleEnv sets the variables that the shipped files refer to.
func exampleEnv(t *testing.T) {
	t.Helper()
	for name, value := range map[string]string{
		"MCPCHECK_EXAMPLE_KEY": "key-0123456789", "MCPCHECK_EXAMPLE_TOKEN": "token-0123456789",
		"MCPCHECK_EXAMPLE_GUEST": "guest-0123456789",
		"TOKEN":                  "t-0123456789", "GUEST_TOKEN": "g-0123456789",
		"MY_SERVER_TOKEN": "m-0123456789",
	} {
		t.Setenv(name, value)
	}
}

func TestShippedFiles(t *testing.T) {
	exampleEnv(t)
	for _, name := range targets.Names() {
		data, err := targets.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Parse(name, data, known(t))
		if name == targets.Reference {
			// The program that embeds the reference adds the endpoint.
			reference := &Target{}
			if _, err := yamlfile.Decode(name, data, reference); err != nil {
				t.Error(err)
			}
			reference.Endpoints = []Endpoint{{URL: "http://127.0.0.1/mcp"}}
			got, err = reference, reference.Validate(known(t))
		}
		if err != nil {
			t.Errorf("%v", err)
		} else if len(got.Endpoints) == 0 {
			t.Errorf("%s has no endpoint", name)
		}
	}
}

// TestAnnotatedIsComplete: the annotated file shows every field of the schema.
func TestAnnotatedIsComplete(t *testing.T) {
	data, err := targets.Read(targets.Annotated)
	if err != nil {
		t.Fatal(err)
	}
	index, err := yamlfile.Decode(targets.Annotated, data, &Target{})
	if err != nil {
		t.Fatal(err)
	}
	shown := make(map[string]bool)
	number := regexp.MustCompile(`\[\d+\]`)
	for _, p := range index.Paths() {
		shown[number.ReplaceAllString(p, "[]")] = true
	}
	for _, want := range schema(reflect.TypeFor[Target](), "") {
		// A field that all triggers have need not be shown for each.
		want = regexp.MustCompile(`^(triggers\.)[^.]+(\..+)`).ReplaceAllString(want, "$1*$2")
		pattern := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(want), `\*`, "[^.]+") + "$")
		found := false
		for p := range shown {
			found = found || pattern.MatchString(p)
		}
		if !found {
			t.Errorf("%s does not show %s", targets.Annotated, want)
		}
	}
}

// schema lists the paths of all fields below a type; "*" is any name in a map.
func schema(typ reflect.Type, path string) []string {
	switch typ.Kind() {
	case reflect.Pointer:
		return schema(typ.Elem(), path)
	case reflect.Slice:
		return schema(typ.Elem(), path+"[]")
	case reflect.Map:
		return schema(typ.Elem(), path+".*")
	case reflect.Struct:
	default:
		return []string{path}
	}
	paths := []string{}
	if path != "" {
		paths = append(paths, path)
	}
	for i := range typ.NumField() {
		name := typ.Field(i).Tag.Get("yaml")
		if name == "" || name == "-" || typ == reflect.TypeFor[Value]() {
			continue
		}
		paths = append(paths, schema(typ.Field(i).Type, strings.TrimPrefix(path+"."+name, "."))...)
	}
	return paths
}

func TestParse(t *testing.T) {
	exampleEnv(t)
	got, err := Parse("t.yaml", []byte(`
name: n
endpoints:
  - command: [srv, -x]
    env: {A: "1", B: {env: TOKEN}}
    instances: 1
  - url: https://h/mcp
    transport: auto
    headers: {X-Key: "k-${GUEST_TOKEN}"}
revisions: [2025-11-25]
subjects:
  texts: [{uri: "a:b", text: ""}]
  slow: {uri: "s:1", at-least: 500ms}
triggers:
  update: {uri: "a:b", wait: {for: 5s}}
identities: [{name: w, rights: weaker, headers: {X-Key: other}}]
allow: [any-origin]
opt-out: [{id: PAGE-02, reason: because}]
`), known(t))
	if err != nil {
		t.Fatal(err)
	}
	if got.File != "t.yaml" || got.Endpoints[1].Transport() != "" || *got.Subjects.Texts[0].Text != "" ||
		got.Subjects.Slow.AtLeast != 500*time.Millisecond {
		t.Errorf("got %+v", got)
	}
	if want := map[string]bool{"subjects.texts": true, "subjects.slow": true, "triggers.update": true,
		"identities": true, "identities.weaker": true}; !reflect.DeepEqual(got.Configured(), want) {
		t.Errorf("Configured() = %v", got.Configured())
	}
	if !reflect.DeepEqual(got.Allowed(), map[string]bool{"any-origin": true}) {
		t.Errorf("Allowed() = %v", got.Allowed())
	}
	for id, want := range map[string]string{"PAGE-02": "because",
		"SEC-01": "the target file allows any-origin", "SEC-06": ""} {
		if reason, ok := got.OptedOut(id); reason != want || ok != (want != "") {
			t.Errorf("OptedOut(%s) = %q, %v", id, reason, ok)
		}
	}
	if e := &got.Endpoints[0]; !got.Wants(e, requirement.R20251125) || got.Wants(e, requirement.R20241105) {
		t.Error("the limit on revisions is not kept")
	}
	if got.Identity("w") == nil || got.Identity("x") != nil || got.WithRights(RightsWeaker) == nil ||
		got.WithRights(RightsNone) != nil {
		t.Error("identities are not found by name and rights")
	}
	want := []string{"1", "g-0123456789", "k-g-0123456789", "other", "t-0123456789"}
	if !slices.Equal(got.stated(), want) {
		t.Errorf("Secrets() = %q, want %q", got.stated(), want)
	}
}

const oneEndpoint = "endpoints: [{command: [srv]}]\n"

func TestParseErrors(t *testing.T) {
	for src, want := range map[string]string{
		`{"schema":"mcpcheck.report/1"}`: "target.yaml: this is no target file, but was written by " +
			"mcpcheck (mcpcheck.report/1)",
		"": `target.yaml: endpoints must name at least one way`,
		"name: x\n\n\n\n\n\nendponts: []": `target.yaml:7: unknown field "endponts": did you mean ` +
			`"endpoints"?`,
		"endpoints: [{}]": `target.yaml:1: endpoints[0] must have a command, a url, or ` +
			`both for a server that is to be started`,
		"endpoints: [{command: [a], url: " +
			"'http://h'}]": `endpoints[0].url must name this machine`,
		"endpoints:\n- command: ['']": `target.yaml:2: endpoints[0].command must begin with a program`,
		"endpoints:\n- url: http://h\n  " +
			"env: {A: b}": `target.yaml:3: endpoints[0].env needs a command`,
		"endpoints:\n- command: [a]\n  " +
			"headers: {A: b}": `target.yaml:3: endpoints[0].headers needs a url`,
		"endpoints: [{command: [a], " +
			"transport: http}]": `endpoints[0].transport cannot be "http"`,
		"endpoints: [{command: [a], " +
			"instances: -1}]": `endpoints[0].instances must be 0`,
		"endpoints: [{url: 'ftp://h'}]":     `endpoints[0].url must begin with http:// or https://`,
		"endpoints: [{url: 'http://'}]":     `endpoints[0].url must name a host`,
		"endpoints: [{url: 'http://h/#f'}]": `must not have a fragment`,
		"endpoints: [{url: 'http://h:x/'}]": `endpoints[0].url is not a URL`,
		"endpoints: [{url: 'http://h', " +
			"transport: ws}]": `transport must be auto, http or sse, not "ws"`,
		"endpoints: [{url: 'http://h', headers: {'A " +
			"B': c}}]": `must not name a header "A B"`,
		"endpoints: [{url: 'http://h', headers: {a: c, " +
			"A: d}}]": `names the header A a second time`,
		"endpoints: [{url: 'http://h', headers: " +
			"{a: \"c\\nd\"}}]": `must not contain a line break`,
		"endpoints: [{url: 'http://h', headers: {a: {env: " +
			"MCPCHECK_UNSET_VARIABLE}}}]": `endpoints[0].headers.a cannot be used: the environment ` +
			`variable MCPCHECK_UNSET_VARIABLE is not set`,
		"endpoints: [{url: 'http://h', headers: {a: " +
			"'${MCPCHECK_UNSET_VARIABLE}'}}]": `is not set`,
		"endpoints: [{url: 'http://h', headers: {a: " +
			"'${MCPCHECK_UNSET_VARIABLE-x}'}}]": `the environment variable MCPCHECK_UNSET_VARIABLE-x is ` +
			`not set`,
		"endpoints: [{url: 'http://h', headers: {a: " +
			"'${X:-${Y}}'}}]": `the default of X must not contain {`,
		"endpoints: [{url: 'http://h', headers: {a: " +
			"'${X'}}]": `is not closed by }`,
		"endpoints: [{url: 'http://h', headers: {a: {env: A, " +
			"value: b}}}]": `must have either a value or env`,
		"endpoints: [{command: [a], env: " +
			"{'A=B': c}}]": `must not name a variable "A=B"`,
		"endpoints: [{name: x, command: [a]}, {name: x, " +
			"command: [b]}]": `endpoints[1].name "x" is the name of another endpoint too`,
		oneEndpoint +
			"revisions: [2025-01-01]": `target.yaml:2: revisions[0] must be a revision of the protocol ` +
			`(2024-11-05,`,
		oneEndpoint +
			"subjects: {texts: [{uri: notes.txt}]}": `subjects.texts[0].uri must be an absolute URI`,
		oneEndpoint +
			"subjects: {texts: [{text: x}]}": `subjects.texts[0].uri must be given`,
		oneEndpoint + "subjects: {texts: [{uri: 'a:b', contains: " +
			"true}]}": `contains needs a text`,
		oneEndpoint +
			"subjects: {blobs: [{uri: 'a:b'}]}": `must have either base64 or sha256`,
		oneEndpoint + "subjects: {blobs: [{uri: 'a:b', base64: " +
			"'!!!!'}]}": `standard alphabet`,
		oneEndpoint + "subjects: {blobs: [{uri: 'a:b', base64: 'AAAA', " +
			"size: 4}]}": `size is 4, but base64 holds 3 bytes`,
		oneEndpoint + "subjects: {blobs: [{uri: 'a:b', sha256: " +
			"'AAAA'}]}": `must be 64 hexadecimal digits`,
		oneEndpoint + "subjects: {blobs: [{uri: 'a:b', base64: 'AAAA', " +
			"size: -1}]}": `must not be negative`,
		oneEndpoint +
			"subjects: {missing: note:///a%20b}": `subjects.missing must be a list, not "note:///a%20b": ` +
			`write [note:///a%20b]`,
		oneEndpoint +
			"subjects.missing: [note:///a]": `unknown field "subjects.missing": write subjects: {missing: …}`,
		oneEndpoint + "subjects: {texts: [{uri: 'a:b'}], missing: " +
			"['a:b']}": `subjects.missing[0] is also given as a resource that exists, in subjects.texts[0]`,
		oneEndpoint +
			"subjects: {complete: ['a:b', 'a:b']}": `listed twice`,
		oneEndpoint + "subjects: {templates: [{template: " +
			"'a:{b'}]}": `is no URI template`,
		oneEndpoint + "subjects: {templates: [{template: 'a:{path}', arguments: [{vars: {pth: " +
			"x}}]}]}": `"pth" is no variable of the template: did you mean "path"?`,
		oneEndpoint + "subjects: {templates: [{template: 'a:{b}', arguments: [{text: x, missing: " +
			"true}]}]}": `cannot both be missing and have a text`,
		oneEndpoint + "subjects: {completions: [{template: 'a:{b}', " +
			"argument: b}]}": `must have values`,
		oneEndpoint + "subjects: {completions: [{template: 'a:{b}', argument: zzz, " +
			"values: [x]}]}": `"zzz" is no variable of the template: they are b`,
		oneEndpoint + "subjects: {completions: [{template: 'a:{b}', argument: b, values: [x]," +
			" never: [x]}]}": `is also among the values expected`,
		oneEndpoint +
			"subjects: {slow: {uri: 'a:b'}}": `subjects.slow.at-least must say how long`,
		oneEndpoint + "subjects: {protected: [{uri: 'a:b', " +
			"identity: x}]}": `identity must be the name of one of the identities (there are none), not "x"`,
		oneEndpoint +
			"subjects: {roots: [{root: 'a:b'}]}": `root must be a file: URI, not "a:b": it is the ` +
			`directory on disk`,
		oneEndpoint + "subjects: {roots: [{root: " +
			"'notes:///'}]}": `root must be a file: URI, not "notes:///": it is the directory on disk; ` +
			`name the template that leads into it as template: notes:///{+path}`,
		oneEndpoint + "subjects: {roots: [{root: 'file:///r', sibling: 'file:///r/x', canary: {path: /c, " +
			"content: 12345678}}]}": `sibling must begin with the root`,
		oneEndpoint + "subjects: {roots: [{root: 'file:///r', symlink: " +
			"'notes:///l'}]}": `symlink must be a file: URI, not "notes:///l": it is the link on disk, as ` +
			`file:///r/link`,
		oneEndpoint + "subjects: {roots: [{root: 'file:///r', sibling: " +
			"'notes:///l'}]}": `sibling must be a file: URI, not "notes:///l": it is the file on disk, as ` +
			`file:///r-old/file`,
		oneEndpoint + "subjects: {roots: [{root: 'file:///r', symlink: " +
			"'file:///s'}]}": `symlink must lie in the root`,
		oneEndpoint + "subjects: {roots: [{root: 'file:///r', canary: {path: /c, content: " +
			"short}}]}": `marker of at least 8 bytes`,
		oneEndpoint + "subjects: {roots: [{root: 'file:///r', canary: {content: " +
			"12345678}}]}": `either a uri or a path`,
		oneEndpoint + "subjects: {roots: [{root: 'file:///r', canary: {path: /c-12345678, content: " +
			"12345678}}]}": `content must not stand in canary.path`,
		oneEndpoint + "subjects: {roots: [{root: 'file:///r', canary: {uri: 'file:///c%20canary'," +
			" content: 'c canary'}}]}": `content must not stand in canary.uri`,
		oneEndpoint + "triggers: {update: {exec: " +
			"{command: [a]}}}": `triggers.update.uri must be given`,
		oneEndpoint +
			"triggers: {add: {}}": `triggers.add must have exactly one of exec, http, tool and wait`,
		oneEndpoint +
			"triggers: {add: {exec: {command: []}}}": `command must begin with a program`,
		oneEndpoint + "triggers: {add: {exec: {command: [a], " +
			"timeout: -1s}}}": `timeout must be between 0 and`,
		oneEndpoint +
			"triggers: {add: {http: {url: x}}}": `triggers.add.http.url must begin with`,
		oneEndpoint + "triggers: {add: {http: {url: 'http://h', method: " +
			"'A B'}}}": `must be a method`,
		oneEndpoint +
			"triggers: {add: {tool: {}}}": `triggers.add.tool.name must be given`,
		oneEndpoint +
			"triggers: {add: {wait: {for: 0s}}}": `wait.for must be a time`,
		oneEndpoint + "triggers: {update: {uri: 'a:b', wait: {for: 1s}}, update-other: {uri: 'a:b', wait: " +
			"{for: 1s}}}": `must be another resource`,
		oneEndpoint +
			"identities: [{headers: {a: b}}]": `identities[0].name must be given`,
		oneEndpoint +
			"identities: [{name: a}]": `must have headers or env`,
		oneEndpoint + "identities: [{name: a, rights: none}, {name: a, " +
			"rights: none}]": `name of another identity`,
		oneEndpoint +
			"identities: [{name: a, rights: week}]": `rights must be one of equal, weaker, foreign, none,` +
			` not "week"`,
		oneEndpoint +
			"authorization: oauth": `authorization must be one of protocol, own, none`,
		oneEndpoint +
			"origins: [example.com]": `must be an origin such as`,
		oneEndpoint +
			"allow: [any-origins]": `not "any-origins": did you mean "any-origin"?`,
		oneEndpoint +
			"opt-out: [{id: PAGE-2, reason: x}]": `"PAGE-2" is no requirement of this release: did you mean`,
		oneEndpoint +
			"opt-out: [{id: PAGE-02}]": `must say why PAGE-02 is not to be judged`,
		oneEndpoint + "opt-out: [{id: PAGE-02, reason: x}, {id: PAGE-02, " +
			"reason: x}]": `PAGE-02 is listed twice`,
		oneEndpoint +
			"limits: {timeout: -1s}": `limits.timeout must not be negative`,
		oneEndpoint +
			"limits: {jobs: -1}": `limits.jobs must not be negative`,
		oneEndpoint + "secrets: [{env: " +
			"MCPCHECK_UNSET_VARIABLE}]": `secrets[0] cannot be used`,
	} {
		_, err := Parse("target.yaml", []byte(src), known(t))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", src, err, want)
			continue
		}
		e, ok := errors.AsType[*ConfigError](err)
		if !ok || len(e.Problems) == 0 || e.File != "target.yaml" {
			t.Errorf("%s: the error is %#v", src, err)
		}
	}
}

func TestParseReportsAllProblemsInOrder(t *testing.T) {
	_, err := Parse("t",
		[]byte("allow: [x]\nendpoints:\n- url: http://h\n  env: {A: b}\n  dir: x\n  instances: "+
			"1\nauthorization: x\n"), known(t))
	e, ok := errors.AsType[*ConfigError](err)
	if !ok {
		t.Fatalf("got %v", err)
	}
	var lines []int
	for _, p := range e.Problems {
		lines = append(lines, p.Line)
	}
	if !slices.Equal(lines, []int{1, 4, 5, 7}) {
		t.Errorf("the problems stand in lines %v:\n%v", lines, err)
	}
}

func TestLoad(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "target")
	path := filepath.Join(dir, "t.yaml")
	src := "endpoints:\n- {command: [srv], dir: sub}\n- {url: 'http://h', ca-file: ca.pem}\n- {command: " +
		"[srv], dir: " + dir + "}\ntriggers: {add: {exec: {command: [x], dir: ../y}}}\n"
	if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Load(path, known(t))
	want := path + ":3: endpoints[1].ca-file names \"" + filepath.Join(dir, "ca.pem") +
		"\", which is no file\n" +
		path + ":5: triggers.add.exec.dir names \"" + filepath.Join(filepath.Dir(dir), "y") +
		"\", which is no directory"
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "ca.pem"), nil, 0o600),
		os.Mkdir(filepath.Join(filepath.Dir(dir), "y"), 0o700)); err != nil {
		t.Fatal(err)
	}
	got, err := Load(path, known(t))
	if err != nil {
		t.Fatal(err)
	}
	if got.Endpoints[0].Dir != filepath.Join(dir, "sub") || got.Endpoints[1].CAFile != filepath.Join(dir,
		"ca.pem") || got.Endpoints[2].Dir != dir ||
		got.Triggers.Add.Exec.Dir != filepath.Join(filepath.Dir(dir), "y") {
		t.Errorf("got %+v", got)
	}
	for _, bad := range []string{filepath.Join(dir, "none.yaml"), dir} {
		_, err := Load(bad, known(t))
		if _, ok := errors.AsType[*ConfigError](err); !ok || strings.Count(err.Error(), bad) != 1 {
			t.Errorf("Load(%s): %v", bad, err)
		}
	}
}

func TestValidate(t *testing.T) {
	err := (&Target{}).Validate(known(t))
	if err == nil || !strings.HasPrefix(err.Error(), "target: endpoints must name") {
		t.Errorf("got %v", err)
	}
	if err := (&Target{Endpoints: []Endpoint{{Command: []string{"x"}}}}).Validate(known(t)); err != nil {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range targets.Names() {
		data, err := targets.Read(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("endpoints: [{url: 'http://h', headers: {a: '$${${X}'}}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := Parse("f", data, known(t))
		if err != nil {
			if _, ok := errors.AsType[*ConfigError](err); !ok {
				t.Errorf("the error is a %T", err)
			}
			return
		}
		got.stated()
		for i := range got.Endpoints {
			got.Endpoints[i].Address()
		}
		var b strings.Builder
		if err := WriteAnnotated(&b, got, Found{}); err != nil {
			t.Fatal(err)
		}
		if _, err := Parse("f", []byte(b.String()), known(t)); err != nil {
			t.Errorf("the written file is not read back: %v\n%s", err, b.String())
		}
	})
}

// TestOutsideOnDisk: a canary that is not there proves nothing, which can be told where we start
// the target and its root is on this machine.
func TestOutsideOnDisk(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "notes"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "canary"), []byte("the marker-1234\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const command, url = "{command: [server]}", "{url: 'http://127.0.0.1:1/mcp'}"
	for _, c := range []struct{ endpoint, root, canary, content, more, want string }{
		{command, "notes", "canary", "marker-1234", "", ""},
		{command, "notes", "missing", "marker-1234", "", "canary.path names "},
		{command, "notes", "canary", "marker-9999", "", "does not contain the text of canary.content"},
		{command, "notes", "canary", "marker-1234", "/notes-old/x", "sibling names "},
		{command, "elsewhere", "missing", "marker-1234", "", ""},
		{url, "notes", "missing", "marker-1234", "", ""},
		{"{command: [docker, run, image]}", "notes", "missing", "marker-1234", "", ""},
	} {
		sibling := ""
		if c.more != "" {
			sibling = ", sibling: 'file://" + filepath.ToSlash(dir) + c.more + "'"
		}
		_, err := Parse("t.yaml",
			fmt.Appendf(nil,
				"endpoints: [%s]\nsubjects: {roots: [{root: 'file://%s', canary: {path: '%s', content: "+
					"%s}%s}]}\n",
				c.endpoint, filepath.ToSlash(filepath.Join(dir, c.root)), filepath.Join(dir, c.canary),
				c.content,
				sibling), nil)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
