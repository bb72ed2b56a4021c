// Package list is the area LIST: resources/list and what it lists
// (server/resources#listing-resources).
package list

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// The scenarios of the area.
const (
	// the list, the reads, the list again, and reads that failed once more
	Relist     recording.Name = "relist"
	SameList   recording.Name = "same-list"   // the list on two connections, before and after other requests
	ListParams recording.Name = "list-params" // resources/list with and without params
)

// Checks lists the checks of the area.
var Checks = verdict.Join(listChecks, relistChecks).Needing(verdict.Resources)

// Scenarios lists the scripts of this area.
var Scenarios = []*scenario.Scenario{relistScenario, listParamsScenario, sameListScenario}

// The steps of the area's scripts. "again" walks the list once more; "reread" is a read that was refused,
// "repeat" one that was not. "with" and "without" are lists with empty params and with none. "one" and
// "other" are lists on two connections, and "between" is what is asked between two lists, which a third
// connection repeats.
const (
	stepAgain, stepRepeat, stepReread, stepWith    recording.Step = "again", "repeat", "reread", "with"
	stepWithout, stepWithAgain, stepOne, stepOther recording.Step = "without", "with-again", "one", "other"
	stepBetween, stepOneAgain, stepOtherAgain      recording.Step = "between", "one-again", "other-again"
	stepOtherLater, stepOtherLater2                recording.Step = "other-later", "other-later-2"
	stepOtherLater3, stepThird, stepThirdAgain     recording.Step = "other-later-3", "third", "third-again"
)

// laterLooks are the looks at a list that changed while nothing is asked that could change it.
var laterLooks = []recording.Step{stepOtherLater, stepOtherLater2, stepOtherLater3}

// The checks of server/resources, listing.
var listChecks = verdict.Checks{
	"LIST-01": {From: verdict.ResourceWalk,
		Judge: verdict.Each(verdict.PagesOf, verdict.TypedResult("ListResourcesResult", "resources"))},
	"LIST-02": {From: verdict.ResourceWalk,
		Judge: verdict.Each(verdict.ListedItems, func(i verdict.Item, v *verdict.Verdict) {
			if v.That(i, i.IsObject(), "an object for each resource", "%s is %s", i.Name,
				judge.TypeName(i.Result)).Held() {
				v.Typed(i, "Resource", "uri", "name")
			}
		})},
	"LIST-05": {From: verdict.ResourceWalk,
		Judge: func(v *verdict.Verdict) {
			items := verdict.ListedItems(v)
			for _, i := range items {
				v.Typed(i, "Resource", "description", "mimeType", "title", "size")
				if size := i.Get("size"); judge.IsInteger(size) {
					v.That(i, !strings.HasPrefix(size.Raw, "-") || size.Num == 0,
						"a size that is not negative", "size of %s is %v", i.Name, size).Warn()
				}
			}
			v.Remarks(items, resourceMembers)
		}},
	"LIST-14": {From: verdict.ResourceWalk, Judge: uniqueURIs},
	"LIST-16": {From: verdict.ResourceWalk,
		Judge: func(v *verdict.Verdict) {
			var web verdict.Sightings
			for _, i := range verdict.ListedItems(v) {
				if uri := i.Get("uri"); judge.IsString(uri) && judge.HasScheme(uri.Str, "https") {
					web.Add(i, "%v", uri)
				}
			}
			if len(web.Names) == 0 {
				v.NeedsSubject("no resource has an https URI")
			}
			web.Observe(v, "https-uri",
				"%d listed under an https URI, which tells clients that they can load it from the web by "+
					"themselves: %s")
		}},
	"LIST-18": {From: recording.Names{recording.WalkResources, recording.WalkTemplates,
		recording.Reads},
		Judge: func(v *verdict.Verdict) {
			var items []verdict.Item
			if v.Scenario != recording.Reads {
				items = verdict.ListedItems(v)
			}
			for _, read := range v.Readings(recording.StepRead) {
				items = append(items, read.Contents...)
			}
			for _, i := range items {
				mime := i.Get("mimeType")
				if !judge.IsString(mime) {
					continue
				}
				p, bad := judge.First(judge.MIME(mime.Str))
				v.That(i, !bad, "a MIME type such as text/plain", "mimeType of %s is %v: %s", i.Name, mime,
					p.Message)
			}
			v.NeedsSubject("nothing has a mimeType")
		}},
}

// uniqueURIs: no URI comes twice on a page; across pages it is remarked upon.
func uniqueURIs(v *verdict.Verdict) {
	const expected = "each URI once"
	seenOn := map[string]int{}
	var across verdict.Sightings
	for n, x := range verdict.PagesOf(v) {
		onPage := map[string]bool{}
		for _, i := range verdict.Entries(x) {
			uri := i.Get("uri")
			if !judge.IsString(uri) {
				continue
			}
			v.That(i, !onPage[uri.Str], expected, "%v is listed twice on page %v", uri, n+1)
			if first, before := seenOn[uri.Str]; before && !onPage[uri.Str] {
				across.Add(i, "%v (on pages %d and %d)", uri, first+1, n+1)
			} else if !before {
				seenOn[uri.Str] = n
			}
			onPage[uri.Str] = true
		}
	}
	if len(seenOn) == 0 {
		v.NeedsSubject("nothing is listed")
	}
	across.Observe(v, "duplicate-across-pages", "%d listed on more than one page: %s")
}

// The members that have a meaning.
var resourceMembers = []string{"uri", "name", "title", "description", "mimeType", "size", "annotations",
	"icons", "lastModified", "_meta"}

// The checks of server/resources, listing, that compare the list with reads or
// with another look at it.
var relistChecks = verdict.Checks{
	"LIST-08": {From: recording.Names{Relist},
		Judge: func(v *verdict.Verdict) {
			again := listedAgain(v)
			for _, read := range v.Readings(recording.StepRead) {
				said, listed := read.Tags[scenario.TagSize], again[read.URI()]
				if said == "" || len(read.Contents) != 1 || listed.Get("size").Raw != said {
					continue
				}
				length, ok := rawLength(read.Contents[0])
				if !ok {
					continue
				}
				v.That(verdict.Several{read, listed}, gjson.Parse(said).Num == float64(length),
					fmt.Sprintf("a size of %d, which is what a read yields", length),
					"size of %v is %s in the list", read.Param("uri"), said).Cause("the size")
			}
			v.NeedsSubject("no resource with a size could be read")
		}},
	"LIST-15": {From: recording.Names{Relist},
		Judge: readableAsListed},
	"LIST-13": {From: recording.Names{ListParams},
		Judge: func(v *verdict.Verdict) {
			with, without, again := v.Step(stepWith), v.Step(stepWithout), v.Step(stepWithAgain)
			switch {
			case !v.Answered(with):
				return
			case !with.Succeeded():
				v.NeedsSubject("the list was refused: %v", with)
				return
			}
			ok := v.Expect(without, matcher.BeResult(), "resources/list without params, which are "+
				"optional in this revision").Held()
			if !ok || again == nil || !again.Succeeded() || !verdict.SameSet(with, again) {
				return
			}
			same := verdict.SameSet
			if verdict.LeadsOn(with) || verdict.LeadsOn(without) {
				same = verdict.SamePage
				if len(verdict.IDsOf(with)) == 0 || len(verdict.IDsOf(without)) == 0 {
					v.NotExercised("the first page of resources/list is empty and has a nextCursor, so " +
						"that nothing can be compared")
					return
				}
			}
			v.That(verdict.Several{with, without}, same(with, without),
				"the same resources with empty params and without params",
				plural.Of(len(verdict.IDsOf(with)), "%d {resource|resources} with, %d without"),
				len(verdict.IDsOf(with)), len(verdict.IDsOf(without)))
		}},
	"LIST-10": {From: recording.Names{SameList}, Judge: sameForAll},
	"LIST-11": {From: recording.Names{SameList},
		Judge: unchangedByOthers},
}

// listedAgain lists the entries of the second walk by URI.
func listedAgain(v *verdict.Verdict) map[string]verdict.Item {
	found := map[string]verdict.Item{}
	for _, x := range v.Steps(stepAgain) {
		if !v.Answered(x) {
			continue
		}
		for _, i := range verdict.Entries(x) {
			if uri := i.Get("uri"); judge.IsString(uri) {
				found[uri.Str] = i
			}
		}
	}
	return found
}

// rawLength is the number of bytes of a content.
func rawLength(content verdict.Item) (n int, ok bool) {
	if text := content.Get("text"); judge.IsString(text) {
		return len(text.Str), true
	}
	blob := content.Get("blob")
	if !judge.IsString(blob) {
		return 0, false
	}
	data, err := judge.Decode(blob.Str)
	return len(data), err == nil
}

// readableAsListed: a read of a listed URI does not end in "not found".
func readableAsListed(v *verdict.Verdict) {
	again := listedAgain(v)
	rereads := map[string]*recording.Exchange{}
	for _, x := range v.Steps(stepReread) {
		rereads[x.URI()] = x
	}
	var others verdict.Sightings
	for _, x := range v.Steps(recording.StepRead) {
		uri := x.URI()
		switch {
		case !v.Answered(x):
		case x.Succeeded():
			v.Holds()
		case x.HasCode(-32021, -32042): // for a capability (2026-07-28), or a visit to a page (2025-11-25)
			v.NeedsSubject("the target asks for a capability that we do not have")
		case judge.HasScheme(uri, "https"):
			v.NeedsSubject("https URIs may be for clients to load from the web")
		case !verdict.NotFound(x):
			others.Add(x, "%v (%v)", x.Param("uri"), x)
			v.NeedsSubject("what could not be read ended in an error that does not say that it is missing: " +
				"see the observation unreadable")
		case rereads[uri] != nil && verdict.NotFound(rereads[uri]) && again[uri].Exists():
			unreadable(v, x, rereads[uri], again[uri])
		default:
			v.NotExercised("what could not be read at first was gone from the list, or could be read, at " +
				"the second look")
		}
	}
	unstable(v)
	others.Observe(v, "unreadable",
		"%d listed but not readable, with an error that does not say that it is missing: %s")
}

// unstable remarks on resources of which two reads in a row differ.
func unstable(v *verdict.Verdict) {
	var seen verdict.Sightings
	first := map[string]*recording.Exchange{}
	for _, x := range v.Steps(recording.StepRead) {
		first[x.URI()] = x
	}
	for _, x := range v.Steps(stepRepeat) {
		before := first[x.URI()]
		if before == nil || before.Outcome != recording.Replied || x.Outcome != recording.Replied ||
			verdict.AsksForInput(before) || verdict.AsksForInput(x) {
			continue
		}
		if !x.Succeeded() || !slices.Equal(verdict.Bodies(before), verdict.Bodies(x)) {
			seen.Add(verdict.Several{before, x}, "%v", x.Param("uri"))
		}
	}
	seen.Observe(v, "unstable-read",
		"%d read differently the second time, although nothing was made to change: %s")
}

// unreadable notes that a resource cannot be read although it is listed. Where we
// come with credentials, hiding it may be a way to refuse it.
func unreadable(v *verdict.Verdict, x, reread *recording.Exchange,
	listed verdict.Item) {
	f := v.Frame(x.Request)
	v.Fail(verdict.Several{x, reread, listed}, "contents for a URI that is listed",
		"%v to two reads of %v, which was listed before and after", reread, x.Param("uri")).
		Member("uri of " + listed.Name).
		WarnIf(f != nil && f.HTTP != nil && f.HTTP.Header.Get("Authorization") != "")
}

// wholeList is the set of URIs that a walk found; ok is false, with the reason
// noted, if the walk did not get to the end.
func wholeList(v *verdict.Verdict, step recording.Step) (set []string,
	last *recording.Exchange, ok bool) {
	pages := v.Steps(step)
	if len(pages) == 0 {
		v.NotExercised("the list was not looked at often enough")
		return nil, nil, false
	}
	last = pages[len(pages)-1]
	if !v.Answered(last) {
		return nil, nil, false
	}
	if end := last.Tags[recording.TagEnd]; end != "done" {
		v.NotExercised("the list could not be walked through to its end")
		return nil, nil, false
	}
	return verdict.URISet(pages...), last, true
}

// sameForAll: two connections are given the same list.
func sameForAll(v *verdict.Verdict) {
	one, x1, ok1 := wholeList(v, stepOne)
	other, x2, ok2 := wholeList(v, stepOther)
	again, x3, ok3 := wholeList(v, stepOneAgain)
	if !ok1 || !ok2 || !ok3 {
		return
	}
	on := verdict.Several{x1, x2, x3}
	switch {
	case slices.Equal(one, other):
		v.Holds()
	case !slices.Equal(one, again):
		v.NotExercised("the list changed while the connections were compared")
	case !still(v, other, stepOtherAgain) || !still(v, other, laterLooks...):
	case v.OnStdio():
		v.Observe(on, "list-by-process", "two processes list different resources: %s",
			verdict.Difference(one,
				other))
		v.NotExercised("two processes may hold data of their own")
	default:
		v.Fail(on, "the same resources on each connection", "two connections are given different lists: %s",
			verdict.Difference(one, other))
	}
}

// still reports whether each look at the list that was taken found the same. If it is known that none
// did, or not known whether one did, the verdict says so.
func still(v *verdict.Verdict, same []string, looks ...recording.Step) bool {
	for _, step := range looks {
		if len(v.Steps(step)) == 0 {
			continue
		}
		found, _, ok := wholeList(v, step)
		if ok && !slices.Equal(found, same) {
			v.NotExercised("the list changes by itself")
		}
		if !ok || !slices.Equal(found, same) {
			return false
		}
	}
	return true
}

// comesAgain reports whether the list changed once more when a third connection made the same requests,
// in the same way if only the connection that makes them sees the change.
func comesAgain(v *verdict.Verdict, before, after []string, alone bool) bool {
	if len(v.Steps(stepThird)) == 0 {
		return v.Broken == nil
	}
	first, _, ok1 := wholeList(v, stepThird)
	second, _, ok2 := wholeList(v, stepThirdAgain)
	if !ok1 || !ok2 {
		return false
	}
	again := !slices.Equal(first, second)
	if alone {
		again = slices.Equal(first, before) && slices.Equal(second, after)
	}
	if !again {
		v.NotExercised("the list changed once, and not when the same requests came again: it may have " +
			"changed by itself")
	}
	return again
}

// unchangedByOthers: reads, completions and failed requests do not change the
// list of their connection. A list that changes by itself shows nothing.
func unchangedByOthers(v *verdict.Verdict) {
	before, x1, ok1 := wholeList(v, stepOne)
	after, x2, ok2 := wholeList(v, stepOneAgain)
	switch {
	case !ok1 || !ok2:
		return
	case slices.Equal(before, after):
		v.Holds()
		return
	}
	other, x3, ok3 := wholeList(v, stepOtherAgain)
	if !ok3 || !still(v, other, laterLooks...) {
		return
	}
	alone := slices.Equal(other, before)
	switch {
	case !alone && !slices.Equal(other, after):
		v.NotExercised("the list changes by itself")
	case !comesAgain(v, before, after, alone):
	default:
		sees := map[bool]string{true: "does not see the change", false: "sees the change, too"}[alone]
		v.Fail(verdict.Several{x1, x2, x3},
			"the same resources before and after reads, completions and failed requests",
			"the list changed: %s; another connection %s", verdict.Difference(before, after), sees).
			WarnIf(!alone).Before(verdict.All(v.Steps(stepBetween)...))
	}
}
