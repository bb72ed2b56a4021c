package world_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference/world"
)

// inspect writes a world and returns its warnings without the name of the file.
func inspect(t *testing.T, text string) (warnings []string, err error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "w.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, found, err := world.Inspect(file)
	for _, p := range found {
		if p.File != file {
			t.Errorf("%+v", p)
		}
		warnings = append(warnings, fmt.Sprintf("%d %s: %s", p.Line, p.Path, p.Text))
	}
	return warnings, err
}

// TestStatesThatNothingSets: a rule that can never apply is told, with the state that was meant.
func TestStatesThatNothingSets(t *testing.T) {
	for text, want := range map[string]string{
		"{states: {link: down}, rules: [{while: {link: dwon}," +
			" delay: 1s}]}": `rules[0].while.link: waits for "dwon", which nothing in this world sets: ` +
			`did you mean down?`,
		"{states: {link: down}, rules: [{while: {lnik: down}," +
			" delay: 1s}]}": "nothing in this world sets a state of lnik: did you mean link?",
		"{rules: [{while: {link: ''}, become: {link: a}, delay: 1s}, {while: {link: a}, delay: 1s}]}": "",
	} {
		w, err := world.Parse("w.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(w.Lint(), "; "); !strings.HasSuffix(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, not %q", text, got, want)
		}
	}
}

// TestQuestionsThatLackParams: what no client can answer is told.
func TestQuestionsThatLackParams(t *testing.T) {
	got, err := inspect(t, `prompts:
  - {name: review, arguments: [{name: tone}], messages: [{text: "A {tome} review"}]}
timeline:
  - {at: 1s, ask: {method: sampling/createMessage}}
  - {at: 1s, ask: {method: elicitation/create, params: {message: m}}}
  - {at: 1s, ask: {method: elicitation/create, params: {message: m, mode: url, url: "https://example.com"}}}
  - {at: 1s, ask: {method: elicitation/create, params: {message: m, requestedSchema: {type: object}}}}
  - {at: 1s, ask: {method: roots/lst}}
`)
	want := []string{
		`2 prompts[0].messages[0].text: has {tome} in it, which is no argument: did you mean tone?`,
		`4 timeline[0].ask.params: lacks messages and maxTokens, without which no client answers sampling/` +
			`createMessage`,
		`5 timeline[1].ask.params: lacks requestedSchema, without which no client answers elicitation/create`,
		`6 timeline[2].ask.params: lacks elicitationId, without which no client answers elicitation/create`,
		`8 timeline[4].ask.method: no client knows "roots/lst": did you mean roots/list?`,
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v\n got %q\nwant %q", err, got, want)
	}
}

// TestMethodsThatNobodySends: rules and steps that no message meets are told, with the method that was meant.
func TestMethodsThatNobodySends(t *testing.T) {
	got, err := inspect(t, `rules:
  - {method: resources/list|resources/raed, delay: 1ms}
  - {method: "resources/*", delay: 1ms}
timeline:
  - {after: {method: resource/read}, become: {a: b}}
  - {on: {method: GET}, become: {a: b}}
  - {on: {method: resources/lst}, become: {a: b}}
  - {at: 1s, putRule: {method: my/own, delay: 1ms}}
`)
	want := []string{
		`2 rules[0].method: the protocol has no method "resources/raed": did you mean resources/read or ` +
			`resources/list?`,
		`5 timeline[0].after.method: the protocol has no method "resource/read": did you mean resources/read`,
		`7 timeline[2].on.method: the protocol has no method "resources/lst": did you mean `,
		`8 timeline[3].putRule.method: the protocol has no method "my/own"`,
	}
	if err != nil || len(got) != len(want) {
		t.Fatalf("%v, %q", err, got)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("%s\nnot %s", got[i], want[i])
		}
	}
}

func TestWarningsNameLineAndMember(t *testing.T) {
	got, err := inspect(t, `server: {icons: [{src: ftp://a/b}]}
resources:
  - uri: not a uri
    name: a
  - uri: note:ü
  - name: no URI
  -
    uri: note:c
    name: c
    mimeType: nonsense
    annotations:
      priority: 1.5
      audience: [user, robot]
      lastModified: yesterday
    icons: [{src: "", theme: pink, sizes: [any, big]}, {src: nope}]
  - {uri: 'many:{n}', name: "", repeat: {count: 3}}
  - uri: note:asks
    name: asks
    text: "{nmae}"
    input: {key: k, fields: [{name: name}, {name: ""}, {name: name}]}
  - {uri: note:sized, name: n, size: 3, text: hello}
templates:
  - {uriTemplate: 'note:fixed', name: n, text: t}
  - {uriTemplate: '/x/{a}', name: n, text: t}
  - {uriTemplate: 't:{a}', name: n, text: '{a} {zz}'}
  - {uriTemplate: '{+any}', name: n, finds: 'many:{any}'}
timeline:
  - {at: 1s, touch: 'note:nope'}
  - {at: 1s, touch: 't:1'}
  - {every: 0s, touch: 'many:2'}
  - {at: 1s, ask: {method: pong}}
  - {at: 1s, removeTemplate: 'x:{y}'}
  - {at: 1s, put: {uri: 'note:new', name: n, mimeType: x}}
  - {at: 2s, update: {uri: 'note:new', annotations: {priority: -1}}}
`)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"1 server.icons[0].src: is neither an http or https URL nor a data URI",
		`3 resources[0].uri: is malformed: no scheme`,
		`5 resources[1].uri: is malformed: the character 'ü'`,
		"5 resources[1].name: is missing",
		"6 resources[2].uri: is missing",
		`10 resources[3].mimeType: is malformed: "nonsense" is not written type/subtype`,
		"12 resources[3].annotations.priority: is not between 0 and 1",
		`13 resources[3].annotations.audience[1]: is "robot", not user or assistant`,
		`14 resources[3].annotations.lastModified: is "yesterday", no timestamp of ISO 8601 such as ` +
			`2025-01-12T15:00:58Z`,
		"15 resources[3].icons[0].src: is missing",
		`15 resources[3].icons[0].sizes[1]: is "big", not any or such as 48x48`,
		`15 resources[3].icons[0].theme: is "pink", not light or dark`,
		"15 resources[3].icons[1].src: is malformed: no scheme",
		"16 resources[4].name: is missing",
		"19 resources[5].text: has {nmae} in it, which is no field: did you mean name?",
		"20 resources[5].input.fields[1].name: is missing",
		`20 resources[5].input.fields[2].name: is "name", as that of a field before it`,
		"21 resources[6].size: is 3, and the content has 5 bytes",
		"23 templates[0].uriTemplate: has no variable: it stands for one URI only",
		"24 templates[1].uriTemplate: makes no URIs: they begin with a scheme and a colon",
		"25 templates[2].text: has {zz} in it, which is no variable",
	}
	last := []string{
		"28 timeline[0].touch: there is no such resource then: note:nope",
		"30 timeline[2].every: is 0s, which is as if it were not there: the step happens once",
		`31 timeline[3].ask.method: no client knows "pong": did you mean ping?`,
		"32 timeline[4].removeTemplate: there is no such template then: x:{y}",
		`33 timeline[5].put.mimeType: is malformed: "x" is not written type/subtype`,
		"34 timeline[6].update.annotations.priority: is not between 0 and 1",
	}
	// The template of any URI matches all that is touched.
	for _, w := range append(want, last[1:]...) {
		if !strings.Contains("\n"+strings.Join(got, "\n")+"\n", "\n"+w+"\n") {
			t.Errorf("%q is not in\n%s", w, strings.Join(got, "\n"))
		}
	}
	if len(got) != len(want)+len(last)-1 {
		t.Errorf("%d warnings:\n%s", len(got), strings.Join(got, "\n"))
	}
	if got, _ := inspect(t,
		"resources: [{uri: 'a:b', name: n}]\ntimeline:\n  - {at: 1s, touch: "+
			"'note:nope'}\n"); !reflect.DeepEqual(got,
		[]string{"3 timeline[0].touch: there is no such resource then: note:nope"}) {
		t.Errorf("%q", got)
	}
}

func TestWarningsBesideErrors(t *testing.T) {
	got, err := inspect(t,
		"pageSize: ten\nresources:\n  - {uri: not a uri, name: x, size: many}\n  - {uri: 'a:b', text: t, "+
			"blob: '!'}\n")
	want := []string{"3 resources[0].uri: is malformed: no scheme", "4 resources[1].name: is missing"}
	if err == nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n got %q\nwant %q", err, got, want)
	}
}

func TestNothingMissingTwice(t *testing.T) {
	_, err := world.Parse("w.yaml", []byte("resources:\n  -\n  - null\n"))
	if err == nil || err.Error() != "w.yaml:3: resources[1].uri: is missing" {
		t.Errorf("%v", err)
	}
}

func TestEncodings(t *testing.T) {
	w, err := world.Parse("w.yaml", []byte("\uFEFFresources: [{uri: 'a:b', name: n}]\n"))
	if err != nil || len(w.Resources) != 1 {
		t.Errorf("a byte order mark: %+v, %v", w, err)
	}
	for text, want := range map[string]string{
		"name: n\nresources: [{uri: 'a:b', text: \"\xff\"}]\n": "w.yaml:2: the byte 0xff is no UTF-8: ",
		"\xff\xfen\x00": "w.yaml:1: the file is in UTF-16: ",
	} {
		if _, err := world.Parse("w.yaml", []byte(text)); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestTimestampsAndTypesThatAreLegal(t *testing.T) {
	for _, s := range []string{"2025-01-12T15:00:58Z", "2025-01-12T15:00:58.123+02:00", "2025-01-12",
		"2025-01-12T15:00Z", "20250112T150058Z"} {
		r := world.Resource{URI: "a:b", Name: "n", MIMEType: `text/plain; charset="utf-8"`,
			Annotations: &world.Annotations{LastModified: s, Audience: []string{"user", "assistant"}}}
		if found := r.Lint(); len(found) > 0 {
			t.Errorf("%s: %q", s, found)
		}
	}
}
