package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	odduris "github.com/mcpcheck/mcpcheck/fixtures/uris"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// listedAs is what a walk found that lists these URIs, or templates.
func listedAs(member, id string, names ...string) *recording.Recording {
	var items []string
	for _, n := range names {
		items = append(items, fmt.Sprintf(`{%q:%q}`, id, n))
	}
	x := &recording.Exchange{Step: "page", Outcome: recording.Replied}
	x.Attach(wire.ObjectOf(`{"result":{"` + member + `":[` + strings.Join(items, ",") + `]}}`))
	return &recording.Recording{Exchanges: []*recording.Exchange{x}}
}

func TestSpelt(t *testing.T) {
	for _, c := range []struct {
		listed []string
		want   map[string]string // some of the values
	}{
		{nil, nil},
		{[]string{"not a uri", "https://a/b"}, nil},
		{[]string{"note:shopping", "file:///srv/a%c3.txt"}, map[string]string{
			"uri": "file:///srv/a%c3.txt", "stem": "file:///srv/a%c3.tx", "SCHEME": "FILE",
			"rest": "///srv/a%c3.txt", "head": "file://",
			"PATH": "/SRV/A%c3.TXT", "dir": "file:///srv", "name": "a%c3.txt", "NAME": "A%c3.TXT",
			"name-encoded":       "%61%c3.txt",
			"name-encoded-twice": "%2561%c3.txt", "name-fullwidth": "ａ%c3.txt", "authority": ""}},
		{[]string{"db://host/x/y?z", "db://host/x/y"}, map[string]string{"uri": "db://host/x/y",
			"authority": "host", "AUTHORITY": "HOST", "head": "db://host", "path": "/x/y"}},
		{[]string{"note:shopping"}, map[string]string{"uri": "note:shopping", "rest": "shopping",
			"head": "note:", "PATH": "SHOPPING", "dir": "", "name": ""}},
		{[]string{"file:///srv/"}, map[string]string{"uri": "file:///srv/", "dir": ""}},
	} {
		r := listedAs("resources", "uri", c.listed...)
		got := spelt(listed(r, "resources", "uri").all)
		if (got == nil) != (c.want == nil) {
			t.Errorf("%v: %v", c.listed, got)
		}
		for name, want := range c.want {
			if got[name] != want {
				t.Errorf("%v: %s is %q instead of %q", c.listed, name, got[name], want)
			}
		}
	}
}

// Every entry of the corpus can be made for a target that lists a file and names a
// root, and most of them for one that lists nothing.
func TestCorpusIsMade(t *testing.T) {
	everything := []odduris.Class{odduris.Malformed, odduris.Stranger, odduris.Odd, odduris.Variant,
		odduris.Dots, odduris.Encoded, odduris.Trick, odduris.System}
	all, err := odduris.Corpus()
	if err != nil {
		t.Fatal(err)
	}
	earlier := map[recording.Name]*recording.Recording{
		recording.WalkResources: listedAs("resources", "uri", "__proto__"),
		recording.WalkTemplates: listedAs("resourceTemplates", "uriTemplate", "data:{+all}"),
	}
	played := &Scenario{Name: "test", After: slices.Collect(maps.Keys(earlier)),
		Script: func(p *Play) {
			values, depth := outside("file:///srv/data/", "etc/passwd")
			maps.Copy(values, spelt(listed(listedAs("resources", "uri", "file://host/srv/data/a.txt"),
				"resources", "uri").all))
			always := map[string]bool{}
			for _, e := range all {
				if uri, ok := e.Fill(values, depth); ok && e.Always {
					always[uri] = true
				}
			}
			made := corpus(p, values, depth, everything...)
			if len(made) != len(all) {
				t.Errorf("%d of %d entries", len(made), len(all))
			}
			// a row breaks off after what is sent in any case
			for _, classes := range [][]odduris.Class{everything[:4], everything[4:]} {
				for i, a := range corpus(p, values, depth, classes...) {
					if always[a.URI] && i >= corpusLeast {
						t.Errorf("%.80s stands for others, and comes as number %d", a.URI, i+1)
					}
				}
			}
			if n := len(corpus(p, nil, 0, everything...)); n < 100 {
				t.Errorf("only %d entries need nothing", n)
			}
			served := 0
			for _, a := range made {
				if a.Tags["served"] != "" {
					served++
				}
			}
			if served != 2 {
				t.Errorf("%d are served", served)
			}
		}}
	st := &Stage{Facts: &recording.Facts{}, Target: &target.Target{}, SecurityProbes: true}
	if rec := Perform(t.Context(), st, played, earlier); rec.Broken != nil {
		t.Error(rec.Broken.Reason)
	}
}
