// Package ann is the area ANN: annotations on resources, templates and contents
// (server/resources#annotations).
package ann

import (
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// Checks lists the checks of annotations on resources and templates.
var Checks = []verdict.Check{
	{Requirement: "ANN-01", From: verdict.BothWalks, Needs: []verdict.Gate{verdict.Resources}, Judge: func(r *recording.Recording, v *verdict.Verdict) {
		var misspelt verdict.Sightings
		for _, i := range verdict.ListedItems(r, v) {
			if a := i.Get("annotations"); a.Exists() {
				verdict.Typed(v, i, "Resource", "annotations", "annotations.audience", "annotations.priority", "annotations.lastModified")
				misspelt.AddMisspelt(verdict.NewItem(a, "the annotations of "+i.Name, i.Frames), []string{"audience", "priority", "lastModified"})
			}
		}
		misspelt.ObserveMisspelt(v)
		v.Skip(recording.CodeNeedsSubject, "nothing that is listed has annotations")
	}},
	{Requirement: "ANN-03", From: verdict.BothWalks, Needs: []verdict.Gate{verdict.Resources}, Judge: func(r *recording.Recording, v *verdict.Verdict) {
		var twice verdict.Sightings
		for _, i := range verdict.ListedItems(r, v) {
			audience := i.Get("annotations.audience")
			if !audience.IsArray() {
				continue
			}
			v.Holds()
			seen := map[string]bool{}
			for _, role := range audience.Array() {
				known := judge.IsString(role) && (role.Str == "user" || role.Str == "assistant")
				v.That(known, `"user" or "assistant" in audience`, judge.Brief(role)+" in the audience of "+i.Name, i.Frames...)
				if seen[role.Raw] {
					twice.Add(judge.Brief(role)+" of "+i.Name, i.Frames...)
				}
				seen[role.Raw] = true
			}
		}
		twice.Observe(v, "repeated-audience", "%d named twice in an audience: %s")
		v.Skip(recording.CodeNeedsSubject, "nothing that is listed has an audience")
	}},
	{Requirement: "ANN-05", From: verdict.BothWalks, Needs: []verdict.Gate{verdict.Resources}, Judge: verdict.Each(verdict.ListedItems, func(i verdict.Item, v *verdict.Verdict) {
		if p := i.Get("annotations.priority"); judge.IsNumber(p) {
			v.That(p.Num >= 0 && p.Num <= 1, "a priority from 0 to 1", "priority of "+i.Name+" is "+judge.Brief(p), i.Frames...)
		}
	}).Or(recording.CodeNeedsSubject, "nothing that is listed has a priority")},
	{Requirement: "ANN-07", From: verdict.BothWalks, Needs: []verdict.Gate{verdict.Resources}, Judge: verdict.Each(verdict.ListedItems, func(i verdict.Item, v *verdict.Verdict) {
		if t := i.Get("annotations.lastModified"); judge.IsString(t) {
			p, bad := judge.First(judge.Timestamp(t.Str))
			v.That(!bad, "an ISO 8601 date and time such as 2025-01-12T15:00:58Z", "lastModified of "+i.Name+" is "+judge.Brief(t)+": "+p.Message, i.Frames...)
		}
	}).Or(recording.CodeNeedsSubject, "nothing that is listed has a lastModified")},
}
