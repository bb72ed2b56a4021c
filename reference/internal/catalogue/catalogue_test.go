package catalogue

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

func of(text string, code Code, overlays Overlays) *Catalogue {
	files := fstest.MapFS{
		"rows/a.yaml": {Data: []byte(text)},
		"rows/b.yaml": {Data: []byte("b-1:\n  summary: is there\n  do: [{silence: true}]\n")},
	}
	return New(files, []func() Code{func() Code { return code }}, overlays, func(e *Entry) error {
		if e.Aspect == "bad" {
			return errors.New("has a bad aspect")
		}
		return nil
	})
}

func TestRows(t *testing.T) {
	text := `
a-1:
  summary: everything
  needs: {pageSize: 3, revisions: [legacy], served: [modern], transports: [stdio], trigger: true}
  streams: true
  overlay: {without: {completions: true}, resources: [{uri: "a:b", name: n}], templates: [{uriTemplate: "a:{b}", name: n, text: t}]}
  do:
    - {method: ping, silence: true}
a-2:
  summary: code
  needs: {revisions: [2025-06-18..]}
`
	c := of(text, Code{"a-2": {Public: hook.Always}}, nil)
	if err := c.Err(); err != nil || len(c.All()) != 3 || c.All()[2].Name != "b-1" {
		t.Fatalf("%v, %+v", err, c.All())
	}
	one, ok := c.Find("a-1")
	if !ok || len(one.Needs.Revisions) != 4 || one.Needs.Served[0] != hook.R20260728 ||
		one.Needs.PageSize != 3 ||
		!one.Needs.Trigger {
		t.Errorf("%+v", one)
	}
	w := world.World{}
	one.Overlay(&w)
	if len(w.Resources) != 1 || len(w.Templates) != 1 || w.Capabilities.Completions ||
		!w.Capabilities.Subscribe {
		t.Errorf("%+v", w)
	}
	if h := one.HooksFor(nil); h.Handle == nil || h.EventStreams == nil {
		t.Errorf("%+v", h)
	}
	two, _ := c.Find("a-2")
	if h := two.HooksFor(nil); h.Public == nil || !slices.Equal(two.Needs.Revisions, hook.Revisions()[2:]) {
		t.Errorf("%+v, in %q", h, two.Needs.Revisions)
	}
	if _, ok := c.Find("none"); ok {
		t.Error("one of no name is found")
	}
}

func TestMistakesAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"a-1: {summary: s}": "rows/a.yaml:1:1: a-1.do: is missing, and there is no code of " +
			"this name",
		"a-1:\n  do: [{silence: true}]": "rows/a.yaml:1:1: a-1.summary: is missing",
		"a-1:\n  summary: s\n  dos: []": `rows/a.yaml:3:3: unknown field "dos" in a-1: did you mean "do"?`,
		"a-1:\n  summary: s\n  do:\n    - {silence: true}\n    - {set: params.x}": `rows/a.yaml:5:8: ` +
			`a-1.do[1].set: "params.x" does not begin with`,
		"a-1: {summary: s, do: [{silence: true}], needs: {revisions: [2025-01-01]}}": "a-1.needs: there " +
			"is no revision 2025-01-01",
		"a-1: {summary: s, do: [{silence: true}], needs: {transports: " +
			"[tcp]}}": "a-1.needs.transports: there is no transport tcp",
		"a-1: {summary: s, overlay: {without: {prompts: true}}}": `unknown field ` +
			`"prompts" in a-1.overlay.without`,
		"a-1: {summary: s, overlay: {without: {subscribe: false}}}": "rows/a.yaml:1:29: " +
			"a-1.overlay.without: takes no capability away: name one with true",
		"a-1: {summary: s, aspect: bad, do: [{silence: true}]}": "has a bad aspect",
		"b-1: {summary: s, do: [{silence: true}]}":              "b-1 is there twice",
		"a-1: [": "rows/a.yaml:1",
	} {
		c := of(text, nil, nil)
		if err := c.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, not %q", text, err, want)
		}
		if _, ok := c.Find("a-1"); ok {
			t.Errorf("%q: the row can be found", text)
		}
	}
	if err := of("", Code{"c-1": {}}, Overlays{"c-2": nil}).Err(); err == nil ||
		!strings.Contains(err.Error(), `there is code for "c-1", and no row`) ||
		!strings.Contains(err.Error(), "c-2") {
		t.Errorf("%v", err)
	}
}
