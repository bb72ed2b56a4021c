package world_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/world"
)

func TestEncodeDecodeResource(t *testing.T) {
	priority, text, size := 0.5, "line one\nline two \"quoted\" é", int64(7)
	r := world.Resource{
		URI: "file:///a%20b", Name: "n", MIMEType: "text/plain", Text: &text, Size: &size,
		Delay: 1500 * time.Millisecond, Steps: 3,
		Annotations: &world.Annotations{Audience: []string{"user"}, Priority: &priority,
			LastModified: "2025-01-01T00:00:00Z"},
		Icons:   []world.Icon{{Src: "https://x/y.png", Sizes: []string{"48x48"}}},
		Meta:    map[string]any{"x/y": "z"},
		Caching: &world.Caching{TTL: time.Second, Scope: "public"},
		Hidden:  true,
	}
	data, err := world.EncodeResource(r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := world.DecodeResource(data)
	if err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	if !reflect.DeepEqual(got, r) {
		t.Errorf("%s\n got %+v\nwant %+v", data, got, r)
	}
	if strings.Contains(string(data), "null") || strings.Contains(string(data), `"blob"`) {
		t.Errorf("%s says what is not there", data)
	}
}

func TestMergeResource(t *testing.T) {
	text := "old"
	r := world.Resource{URI: "a:b", Name: "n", Title: "t", Text: &text,
		Annotations: &world.Annotations{LastModified: "x", Audience: []string{"user"}}}
	for _, test := range []struct {
		patch string
		want  func(r *world.Resource)
		fails string
	}{
		{patch: `{}`},
		{patch: `{"title":null}`, want: func(r *world.Resource) { r.Title = "" }},
		{patch: `{"text":"new"}`, want: func(r *world.Resource) { s := "new"; r.Text = &s }},
		{patch: `{"blob":"eA=="}`, want: func(r *world.Resource) { s := "eA=="; r.Text, r.Blob = nil, &s }},
		{patch: `{"annotations":{"lastModified":"y"}}`,
			want: func(r *world.Resource) { r.Annotations.LastModified = "y" }},
		{patch: `{"delay":"2s"}`, want: func(r *world.Resource) { r.Delay = 2 * time.Second }},
		{patch: `{"uri":"a:c"}`, fails: "cannot be changed"},
		{patch: `{"nmae":"x"}`, fails: `did you mean "name"`},
		{patch: `[]`, fails: "JSON object"},
		{patch: `{"blob":"?"}`, fails: "blob"},
	} {
		want := r.Clone()
		if test.want != nil {
			test.want(&want)
		}
		got, err := world.MergeResource(r, []byte(test.patch))
		switch {
		case test.fails != "":
			if err == nil || !strings.Contains(err.Error(), test.fails) {
				t.Errorf("%s: %v", test.patch, err)
			}
		case err != nil || !reflect.DeepEqual(got, want):
			t.Errorf("%s: %v\n got %+v\nwant %+v", test.patch, err, got, want)
		}
	}
}

func TestTimelineIsRead(t *testing.T) {
	w, err := world.Parse("w.yaml",
		[]byte("resources:\n  - {uri: 'a:b', name: n}\ntimeline:\n  - {at: 2s, update: {uri: 'a:b', text: "+
			"new}}\n  - {at: 5s, remove: 'a:b'}\n  - {every: 1s, touch: 'a:b', times: 3}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Timeline) != 3 || w.Timeline[0].First() != 2*time.Second ||
		w.Timeline[2].First() != time.Second || w.Timeline[1].String() != "remove a:b" {
		t.Errorf("%+v", w.Timeline)
	}
	for _, bad := range []string{"at: 1s", "{at: -1s, touch: x}", "{every: 1ms, touch: x}",
		"{at: 1s, touch: x, remove: y}", "{times: 2, touch: x}", "{at: 1s, update: {text: x}}"} {
		if _, err := world.Parse("w.yaml", []byte("timeline:\n  - "+bad+"\n")); err == nil ||
			!strings.Contains(err.Error(), "w.yaml:2: timeline[0]") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestRevert(t *testing.T) {
	res := func(uri, title string) world.Resource { return world.Resource{URI: uri, Name: uri, Title: title} }
	before := world.World{Resources: []world.Resource{res("a:1", ""), res("a:2", ""), res("a:3", "")},
		Instructions: "i"}
	after := world.World{Resources: []world.Resource{res("a:1", "changed"), res("a:3", "changed"),
		res("a:4", "added")}, Instructions: "j"}
	now := after.Clone()
	now.Resource("a:3").Title = "changed since"
	now.Resources = append(now.Resources, res("a:5", "new since"))
	got := world.Revert(now, before, after)
	want := []world.Resource{res("a:1", ""), res("a:3", "changed since"), res("a:5", "new since"),
		res("a:2", "")}
	if !reflect.DeepEqual(got.Resources, want) || got.Instructions != "i" {
		t.Errorf("%+v", got)
	}
}
