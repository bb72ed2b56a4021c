package check

import (
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/tidwall/gjson"
)

func init() { add(annotationChecks...) }

// The checks of annotations on resources and templates.
var annotationChecks = []Check{{
	Requirement: "ANN-01",
	From:        bothWalks,
	Needs:       []Gate{resources},
	Judge: func(r *recording.Recording, v *Verdict) {
		for _, i := range listedItems(r, v) {
			if !typed(v, i, "annotations", judge.IsObject, "an object") {
				continue
			}
			a := annotationsOf(i)
			typed(v, a, "audience", judge.IsArray, "an array")
			typed(v, a, "priority", judge.IsNumber, "a number")
			if v.Revision() >= requirement.R20250618 {
				typed(v, a, "lastModified", judge.IsString, "a string")
			}
		}
		v.Skip(recording.CodeNeedsSubject, "nothing that is listed has annotations")
	},
}, {
	Requirement: "ANN-03",
	From:        bothWalks,
	Needs:       []Gate{resources},
	Judge: func(r *recording.Recording, v *Verdict) {
		var twice sightings
		for _, i := range listedItems(r, v) {
			audience := annotationsOf(i).Get("audience")
			if !audience.IsArray() {
				continue
			}
			v.Saw()
			seen := map[string]bool{}
			for _, role := range audience.Array() {
				known := judge.IsString(role) && (role.Str == "user" || role.Str == "assistant")
				v.That(known, `"user" or "assistant" in audience`, Brief(role)+" in the audience of "+i.name, i.frames...)
				if seen[role.Raw] {
					twice.add(Brief(role)+" of "+i.name, i.frames...)
				}
				seen[role.Raw] = true
			}
		}
		twice.observe(v, "repeated-audience", "%d named twice in an audience: %s")
		v.Skip(recording.CodeNeedsSubject, "nothing that is listed has an audience")
	},
}, {
	Requirement: "ANN-05",
	From:        bothWalks,
	Needs:       []Gate{resources},
	Judge: func(r *recording.Recording, v *Verdict) {
		for _, i := range listedItems(r, v) {
			if p := annotationsOf(i).Get("priority"); judge.IsNumber(p) {
				v.That(p.Num >= 0 && p.Num <= 1, "a priority from 0 to 1", "priority of "+i.name+" is "+Brief(p), i.frames...)
			}
		}
		v.Skip(recording.CodeNeedsSubject, "nothing that is listed has a priority")
	},
}, {
	Requirement: "ANN-07",
	From:        bothWalks,
	Needs:       []Gate{resources},
	Judge: func(r *recording.Recording, v *Verdict) {
		for _, i := range listedItems(r, v) {
			if t := annotationsOf(i).Get("lastModified"); judge.IsString(t) {
				p, bad := judge.First(judge.Timestamp(t.Str))
				v.That(!bad, "an ISO 8601 date and time such as 2025-01-12T15:00:58Z", "lastModified of "+i.name+" is "+Brief(t)+": "+p.Message, i.frames...)
			}
		}
		v.Skip(recording.CodeNeedsSubject, "nothing that is listed has a lastModified")
	},
}}

// annotationsOf is the annotations of an entry, as an item of its own; without
// members if they are no object.
func annotationsOf(i item) item {
	a := i.Get("annotations")
	if !a.IsObject() {
		a = gjson.Result{}
	}
	return newItem(a, "the annotations of "+i.name, i.frames)
}
