package check

import (
	"fmt"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/tidwall/gjson"
)

func init() { add(listChecks...) }

// The checks of server/resources, listing.
var listChecks = []Check{{
	Requirement: "LIST-01",
	From:        resourceWalk,
	Needs:       []Gate{resources},
	Judge: func(r *recording.Recording, v *Verdict) {
		for _, x := range pagesOf(r, v) {
			list := x.Result().Get("resources")
			v.That(list.IsArray(), "resources as an array on every page", "resources is "+judge.TypeName(list), x.Evidence()...)
			v.Hint("send an empty array if there is nothing to list")
		}
	},
}, {
	Requirement: "LIST-02",
	From:        resourceWalk,
	Needs:       []Gate{resources},
	Judge: func(r *recording.Recording, v *Verdict) {
		for _, i := range listedItems(r, v) {
			if !v.That(i.IsObject(), "an object for each resource", i.name+" is "+judge.TypeName(i.Result), i.frames...) {
				continue
			}
			for _, member := range []string{"uri", "name"} {
				m := i.Get(member)
				v.That(judge.IsString(m), "a string "+member, member+" of "+i.name+" is "+judge.TypeName(m), i.frames...)
				v.Hint("give each resource a uri and a name, both as strings")
			}
		}
	},
}, {
	Requirement: "LIST-05",
	From:        resourceWalk,
	Needs:       []Gate{resources},
	Judge: func(r *recording.Recording, v *Verdict) {
		items := listedItems(r, v)
		for _, i := range items {
			typed(v, i, "description", judge.IsString, "a string")
			typed(v, i, "mimeType", judge.IsString, "a string")
			if v.Revision() >= requirement.R20250618 {
				typed(v, i, "title", judge.IsString, "a string")
			}
			if typed(v, i, "size", judge.IsInteger, "an integer") {
				size := i.Get("size")
				v.Ought(!strings.HasPrefix(size.Raw, "-") || size.Num == 0, "a size that is not negative", "size of "+i.name+" is "+Brief(size), i.frames...)
			}
			v.Saw()
		}
		remarks(items, resourceMembers, v)
	},
}, {
	Requirement: "LIST-14",
	From:        resourceWalk,
	Needs:       []Gate{resources},
	Judge:       uniqueURIs,
}, {
	Requirement: "LIST-16",
	From:        resourceWalk,
	Needs:       []Gate{resources},
	Judge: func(r *recording.Recording, v *Verdict) {
		var web sightings
		for _, i := range listedItems(r, v) {
			if uri := i.Get("uri"); judge.IsString(uri) && judge.HasScheme(uri.Str, "https") {
				web.add(Brief(uri), i.frames...)
			}
		}
		if len(web.names) == 0 {
			v.Skip(recording.CodeNeedsSubject, "no resource has an https URI")
		}
		web.observe(v, "https-uri", "%d listed under an https URI, which tells clients that they can load it from the web by themselves: %s")
	},
}, {
	Requirement: "LIST-18",
	From:        []recording.Name{recording.WalkResources, recording.WalkTemplates, recording.Reads},
	Needs:       []Gate{resources},
	Judge: func(r *recording.Recording, v *Verdict) {
		var items []item
		if r.Scenario != recording.Reads {
			items = listedItems(r, v)
		}
		for _, read := range readings(r, v, "read") {
			items = append(items, read.contents...)
		}
		for _, i := range items {
			mime := i.Get("mimeType")
			if !judge.IsString(mime) {
				continue
			}
			p, bad := judge.First(judge.MIME(mime.Str))
			v.That(!bad, "a MIME type such as text/plain", "mimeType of "+i.name+" is "+Brief(mime)+": "+p.Message, i.frames...)
		}
		v.Skip(recording.CodeNeedsSubject, "nothing has a mimeType")
	},
}}

// uniqueURIs: no URI comes twice on a page; across pages it is remarked upon.
func uniqueURIs(r *recording.Recording, v *Verdict) {
	const expected = "each URI once"
	seenOn := map[string]int{}
	var across sightings
	for n, x := range pagesOf(r, v) {
		onPage := map[string]bool{}
		for _, i := range entries(x, "resources") {
			uri := i.Get("uri")
			if !judge.IsString(uri) {
				continue
			}
			v.That(!onPage[uri.Str], expected, Brief(uri)+" is listed twice on page "+fmt.Sprint(n+1), i.frames...)
			if first, before := seenOn[uri.Str]; before && !onPage[uri.Str] {
				across.add(fmt.Sprintf("%s (on pages %d and %d)", Brief(uri), first+1, n+1), i.frames...)
			} else if !before {
				seenOn[uri.Str] = n
			}
			onPage[uri.Str] = true
		}
	}
	if len(seenOn) == 0 {
		v.Skip(recording.CodeNeedsSubject, "nothing is listed")
	}
	across.observe(v, "duplicate-across-pages", "%d listed on more than one page: %s")
}

// remarks notes what an author of resources or templates would want to know about
// the list.
func remarks(items []item, members []string, v *Verdict) {
	var bare, misspelt sightings
	for _, i := range items {
		if description := i.Get("description"); i.IsObject() && (!description.Exists() || description.Str == "" && description.Type == gjson.String) {
			bare.add(i.name, i.frames...)
		}
		misspelt.addMisspelt(i, members)
	}
	bare.observe(v, "no-description", "%d listed without a description, by which users and models choose: %s")
	misspelt.observeMisspelt(v)
}
