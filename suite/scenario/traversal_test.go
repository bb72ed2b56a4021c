package scenario

import (
	"slices"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// TestWaysThroughTemplates: a directory that is served under another scheme gets every trick by
// its template, each once, and of the file URIs a few only.
func TestWaysThroughTemplates(t *testing.T) {
	root := target.Root{Root: "file:///srv/notes", Template: "notes:///{+path}",
		Sibling: "file:///srv/notes-old/canary.txt", Symlink: "file:///srv/notes/sub/link.txt",
		ForbidLinks: true, Canary: &target.Canary{Path: "/srv/canary.txt", Content: "canary-5f0c9d2e"}}
	by := func(template string) *target.Root { r := root; r.Template = template; return &r }
	listing := func(templates ...string) map[recording.Name]*recording.Recording {
		return map[recording.Name]*recording.Recording{
			recording.WalkResources: listedAs("resources", "uri", "notes:///a.txt"),
			recording.WalkTemplates: listedAs("resourceTemplates", "uriTemplate", templates...),
		}
	}
	sibling, link := "notes:///../notes-old/canary.txt", "notes:///sub/link.txt"
	const twice = "notes:///%252e%252e%252f%252e%252e%252f"
	for name, c := range map[string]struct {
		root     *target.Root
		earlier  map[recording.Name]*recording.Recording
		want     []string
		none     []string
		unserved bool
	}{
		"configured": {&root, listing(), []string{sibling, link, root.Sibling, root.Symlink}, nil, false},
		"listed":     {by(""), listing("notes:///{+path}"), []string{sibling, link}, nil, false},
		"no slashes": {by("notes:///{path}"), listing(), []string{"notes:///..%2Fnotes-old%2Fcanary.txt",
			"notes:///sub%2Flink.txt"}, []string{sibling}, false},
		"risky": {by("delete:///{+path}"), listing(), []string{root.Sibling},
			[]string{"delete:///sub/link.txt"}, true},
		"none": {by(""), listing(), []string{root.Sibling}, []string{sibling}, true},
		"listed files": {by(""), listing("notes:///{+path}", "file:///{+path}"),
			[]string{"file:///sub/link.txt"}, []string{sibling}, false},
	} {
		played := &Scenario{Name: "test", After: []recording.Name{recording.WalkResources,
			recording.WalkTemplates}, Script: func(p *Play) {
			all := waysOut(p, c.root)
			var uris []string
			files := 0
			for _, one := range all {
				if slices.Contains(uris, one.URI) {
					t.Errorf("%s: %s comes twice", name, one.URI)
				}
				uris = append(uris, one.URI)
				if one.Tags[recording.TagTemplate] == "" {
					files++
				}
				if (one.Tags[TagUnserved] != "") != c.unserved {
					t.Errorf("%s: unserved is not %t for %s", name, c.unserved, one.URI)
				}
				if slices.Contains([]string{sibling, link}, one.URI) && one.Step != StepTemplate {
					t.Errorf("%s: %s is of the step %s", name, one.URI, one.Step)
				}
			}
			for _, uri := range c.want {
				if !slices.Contains(uris, uri) {
					t.Errorf("%s: %s is not tried", name, uri)
				}
			}
			for _, uri := range c.none {
				if slices.Contains(uris, uri) {
					t.Errorf("%s: %s is tried", name, uri)
				}
			}
			encoded := slices.ContainsFunc(uris, func(uri string) bool {
				return len(uri) > len(twice) && uri[:len(twice)] == twice
			})
			if name == "configured" && (!encoded || files > 35 || len(all) < 60) {
				t.Errorf("%d URIs, %d of files, encoded twice: %t", len(all), files, encoded)
			}
		}}
		st := &Stage{Facts: &recording.Facts{}, Target: &target.Target{}, SecurityProbes: true}
		if rec := Perform(t.Context(), st, played, c.earlier); rec.Broken != nil {
			t.Error(name, rec.Broken.Reason)
		}
	}
}
