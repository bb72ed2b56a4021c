// Package list is the area LIST: resources/list and what it lists
// (server/resources#listing-resources).
package list

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string

// The scenarios of the area.
const (
	Relist     recording.Name = "relist"      // the list, the reads, the list again, and reads that failed once more
	SameList   recording.Name = "same-list"   // the list on two connections, before and after other requests
	ListParams recording.Name = "list-params" // resources/list with and without params
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return slices.Concat(listChecks, relistChecks) }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario {
	return []*scenario.Scenario{relistScenario, listParamsScenario, sameListScenario}
}

// The steps of the area's scripts, which say what they mean.
const (
	stepAgain, stepRepeat, stepReread, stepWith    recording.Step = "again", "repeat", "reread", "with"
	stepWithout, stepWithAgain, stepOne, stepOther recording.Step = "without", "with-again", "one", "other"
	stepBetween, stepOneAgain, stepOtherAgain      recording.Step = "between", "one-again", "other-again"
)

// The checks of server/resources, listing.
var listChecks = []verdict.Check{
	{Requirement: "LIST-01", From: verdict.ResourceWalk, Needs: []verdict.Gate{verdict.Resources}, Judge: func(r *recording.Recording, v *verdict.Verdict) {
		for _, x := range verdict.PagesOf(r, v) {
			list := x.Result().Get("resources")
			v.That(list.IsArray(), "resources as an array on every page", "resources is "+judge.TypeName(list), x.Evidence()...)
			v.Hint("send an empty array if there is nothing to list")
		}
	}},
	{Requirement: "LIST-02", From: verdict.ResourceWalk, Needs: []verdict.Gate{verdict.Resources}, Judge: func(r *recording.Recording, v *verdict.Verdict) {
		for _, i := range verdict.ListedItems(r, v) {
			if !v.That(i.IsObject(), "an object for each resource", i.Name+" is "+judge.TypeName(i.Result), i.Frames...) {
				continue
			}
			for _, member := range []string{"uri", "name"} {
				m := i.Get(member)
				v.That(judge.IsString(m), "a string "+member, member+" of "+i.Name+" is "+judge.TypeName(m), i.Frames...)
				v.Hint("give each resource a uri and a name, both as strings")
			}
		}
	}},
	{Requirement: "LIST-05", From: verdict.ResourceWalk, Needs: []verdict.Gate{verdict.Resources}, Judge: func(r *recording.Recording, v *verdict.Verdict) {
		items := verdict.ListedItems(r, v)
		for _, i := range items {
			verdict.Typed(v, i, "Resource", "description", "mimeType", "title")
			if verdict.Typed(v, i, "Resource", "size") {
				size := i.Get("size")
				v.WarnUnless(!strings.HasPrefix(size.Raw, "-") || size.Num == 0, "a size that is not negative", "size of "+i.Name+" is "+judge.Brief(size), i.Frames...)
			}
			v.Holds()
		}
		verdict.Remarks(items, resourceMembers, v)
	}},
	{Requirement: "LIST-14", From: verdict.ResourceWalk, Needs: []verdict.Gate{verdict.Resources}, Judge: uniqueURIs},
	{Requirement: "LIST-16", From: verdict.ResourceWalk, Needs: []verdict.Gate{verdict.Resources}, Judge: func(r *recording.Recording, v *verdict.Verdict) {
		var web verdict.Sightings
		for _, i := range verdict.ListedItems(r, v) {
			if uri := i.Get("uri"); judge.IsString(uri) && judge.HasScheme(uri.Str, "https") {
				web.Add(judge.Brief(uri), i.Frames...)
			}
		}
		if len(web.Names) == 0 {
			v.Skip(recording.CodeNeedsSubject, "no resource has an https URI")
		}
		web.Observe(v, "https-uri", "%d listed under an https URI, which tells clients that they can load it from the web by themselves: %s")
	}},
	{Requirement: "LIST-18", From: []recording.Name{recording.WalkResources, recording.WalkTemplates, recording.Reads}, Needs: []verdict.Gate{verdict.Resources},
		Judge: func(r *recording.Recording, v *verdict.Verdict) {
			var items []verdict.Item
			if r.Scenario != recording.Reads {
				items = verdict.ListedItems(r, v)
			}
			for _, read := range verdict.Readings(r, v, recording.StepRead) {
				items = append(items, read.Contents...)
			}
			for _, i := range items {
				mime := i.Get("mimeType")
				if !judge.IsString(mime) {
					continue
				}
				p, bad := judge.First(judge.MIME(mime.Str))
				v.That(!bad, "a MIME type such as text/plain", "mimeType of "+i.Name+" is "+judge.Brief(mime)+": "+p.Message, i.Frames...)
			}
			v.Skip(recording.CodeNeedsSubject, "nothing has a mimeType")
		}},
}

// uniqueURIs: no URI comes twice on a page; across pages it is remarked upon.
func uniqueURIs(r *recording.Recording, v *verdict.Verdict) {
	const expected = "each URI once"
	seenOn := map[string]int{}
	var across verdict.Sightings
	for n, x := range verdict.PagesOf(r, v) {
		onPage := map[string]bool{}
		for _, i := range verdict.Entries(x, "resources") {
			uri := i.Get("uri")
			if !judge.IsString(uri) {
				continue
			}
			v.That(!onPage[uri.Str], expected, judge.Brief(uri)+" is listed twice on page "+fmt.Sprint(n+1), i.Frames...)
			if first, before := seenOn[uri.Str]; before && !onPage[uri.Str] {
				across.Add(fmt.Sprintf("%s (on pages %d and %d)", judge.Brief(uri), first+1, n+1), i.Frames...)
			} else if !before {
				seenOn[uri.Str] = n
			}
			onPage[uri.Str] = true
		}
	}
	if len(seenOn) == 0 {
		v.Skip(recording.CodeNeedsSubject, "nothing is listed")
	}
	across.Observe(v, "duplicate-across-pages", "%d listed on more than one page: %s")
}

// The members that have a meaning.
var (
	resourceMembers = []string{"uri", "name", "title", "description", "mimeType", "size", "annotations", "icons", "lastModified", "_meta"}
)
