// Package ann is the area ANN: annotations on resources and templates
// (server/resources#annotations).
package ann

import (
	"regexp"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// Checks lists the checks of annotations on resources and templates.
var Checks = verdict.Checks{
	"ANN-01": {From: verdict.BothWalks,
		Judge: func(v *verdict.Verdict) {
			var misspelt verdict.Sightings
			for _, i := range verdict.ListedItems(v) {
				if a := i.Get("annotations"); a.Exists() {
					v.Typed(i, "Resource", "annotations", "annotations.audience",
						"annotations.priority", "annotations.lastModified")
					misspelt.AddMisspelt(verdict.NewItem(a, "the annotations of "+i.Name, i.Frames),
						[]string{"audience", "priority", "lastModified"})
				}
			}
			misspelt.ObserveMisspelt(v)
			v.NeedsSubject("nothing that is listed has annotations")
		}},
	"ANN-03": {From: verdict.BothWalks,
		Judge: func(v *verdict.Verdict) {
			var twice verdict.Sightings
			for _, i := range verdict.ListedItems(v) {
				audience := i.Get("annotations.audience")
				if !audience.IsArray() {
					continue
				}
				v.Holds()
				seen := map[string]bool{}
				for _, role := range audience.Array() {
					known := judge.IsString(role) && (role.Str == "user" || role.Str == "assistant")
					v.That(i, known, `"user" or "assistant" in audience`, "%v in the audience of %s", role,
						i.Name)
					if seen[role.Raw] {
						twice.Add(i, "%v of %s", role, i.Name)
					}
					seen[role.Raw] = true
				}
			}
			twice.Observe(v, "repeated-audience", "%d named twice in an audience: %s")
			v.NeedsSubject("nothing that is listed has an audience")
		}},
	"ANN-05": {From: verdict.BothWalks,
		Judge: verdict.Each(verdict.ListedItems, func(i verdict.Item, v *verdict.Verdict) {
			if p := i.Get("annotations.priority"); judge.IsNumber(p) {
				v.That(i, p.Num >= 0 && p.Num <= 1, "a priority from 0 to 1", "priority of %s is %v", i.Name,
					p)
			}
		}).Or(recording.CodeNeedsSubject, "nothing that is listed has a priority")},
	"ANN-07": {From: verdict.BothWalks,
		Judge: func(v *verdict.Verdict) {
			var odd verdict.Sightings
			for _, i := range verdict.ListedItems(v) {
				t := i.Get("annotations.lastModified")
				if !judge.IsString(t) {
					continue
				}
				problems := judge.Timestamp(t.Str)
				p, bad := judge.First(problems)
				v.That(i, !bad, "an ISO 8601 date and time such as 2025-01-12T15:00:58Z",
					"lastModified of %s is %v: %s", i.Name, t, p.Message)
				if !bad && (len(problems) > 0 || localTime.MatchString(t.Str)) {
					odd.Add(i, "%v of %s", t, i.Name)
				}
			}
			odd.Observe(v, "timestamp-unclear",
				"%d {time|times} without an offset from UTC, or in a form that many clients do not read: %s")
			v.NeedsSubject("nothing that is listed has a lastModified")
		}},
}.Needing(verdict.Resources)

// localTime is a time of day behind a date, and nothing that says in which zone.
var localTime = regexp.MustCompile(`[Tt ][0-9:.,]+$`)
