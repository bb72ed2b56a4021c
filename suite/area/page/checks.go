// Package page is the area PAGE: pagination of the two lists
// (server/utilities/pagination).
package page

import (
	"slices"
	"strconv"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// The scenarios of the area.
const (
	// the same pages asked for again and again, on their own session
	Paging         recording.Name = "paging"
	TemplatePaging recording.Name = "template-paging" // the same pages of templates asked for again and again
	BadCursors     recording.Name = "bad-cursors"     // cursors that were never handed out
	CompleteWalks  recording.Name = "complete-walks"  // walks through lists whose entries are known
)

// Scenarios lists the scripts of this area.
var Scenarios = []*scenario.Scenario{completeWalksScenario,
	paging(Paging, recording.WalkResources, "resources/list", ""),
	paging(TemplatePaging, recording.WalkTemplates, "resources/templates/list", " of templates"),
	badCursorsScenario,
}

// The steps and tags of the area's scripts. "first" and "second" ask for the first page twice, "next" and
// "next-again" for the one behind it, "middle" for the first one once more; "elsewhere" has a cursor of
// another session. The rest, but for the request "after" them, have bad cursors: "old" is one that was handed
// out before, "foreign" one of the other list, "changed", "first-changed", "last-changed", "raised",
// "appended" and "truncated" are altered ones.
const (
	stepFirst, stepSecond, stepNext, stepNextAgain   recording.Step = "first", "second", "next", "next-again"
	stepMiddle, stepElsewhere, stepUnknown, stepLong recording.Step = "middle", "elsewhere", "unknown", "long"
	stepJunk, stepScript, stepBlank, stepEmpty       recording.Step = "junk", "script", "blank", "empty"
	stepOld, stepForeign, stepNumber, stepObject     recording.Step = "old", "foreign", "number", "object"
	stepNull, stepAfter, stepChanged, stepAppended   recording.Step = "null", "after", "changed", "appended"
	stepTruncated, stepRaised                        recording.Step = "truncated", "raised"
	stepFirstChanged, stepLastChanged                recording.Step = "first-changed", "last-changed"
	tagExpected                                      recording.Tag  = "expected"
)

// Checks lists the checks of server/utilities/pagination.
var Checks = verdict.Checks{
	"PAGE-01": {From: verdict.BothWalks,
		Judge: func(v *verdict.Verdict) {
			var misspelt verdict.Sightings
			for _, x := range v.Steps(recording.StepPage) {
				if !v.Answered(x) || !x.Succeeded() {
					continue
				}
				verdict.TypedResult("ListResourcesResult", "nextCursor")(x, v)
				misspelt.AddMisspelt(verdict.NewItem(x.Result(), "the result of "+x.Method, x.Evidence()),
					[]string{"nextCursor", verdict.MemberOf(x)})
			}
			misspelt.ObserveMisspelt(v)
		}},
	"PAGE-02": {From: verdict.ResourceWalk,
		Judge: func(v *verdict.Verdict) { ending(v.Walked(), v) }},
	"PAGE-03": {From: verdict.ResourceWalk,
		Judge: func(v *verdict.Verdict) { ownCursors(v.Walked(), v) }},
	"PAGE-04": {From: verdict.ResourceWalk,
		Judge: func(v *verdict.Verdict) { advancing(v.Walked(), v) }},
	"PAGE-05": {From: recording.Names{BadCursors, Paging, TemplatePaging},
		Judge: verdict.InScenario(BadCursors, invalidCursors,
			func(v *verdict.Verdict) {
				// that it is refused is judged by PAGE-07
				if x := v.Step(stepElsewhere); x != nil && x.Failed() {
					v.Expect(x, matcher.BeErrorReply(-32602), "%s (in %s)", cursorWords[x.Step], x.Method).
						Downgraded(verdict.RefusedOtherwise)
				}
			})},
	"PAGE-06": {From: recording.Names{BadCursors}, Judge: survives},
	"PAGE-07": {From: recording.Names{Paging, TemplatePaging},
		Judge: stableCursor},
	"PAGE-08": {From: recording.Names{Paging},
		Judge: noHiddenPosition},
	"PAGE-09": {From: verdict.BothWalks, Judge: emptyCursor},
	"PAGE-12": {From: recording.Names{recording.WalkTemplates, TemplatePaging},
		Judge: verdict.InScenario(TemplatePaging, noHiddenPosition,
			func(v *verdict.Verdict) {
				pages := v.Walked()
				ownCursors(pages, v)
				advancing(pages, v)
				ending(pages, v)
			})},
	"PAGE-13": {From: recording.Names{CompleteWalks},
		Judge: func(v *verdict.Verdict) {
			complete(v.Steps(recording.StepPage), v)
			complete(v.Steps(scenario.StepTemplate), v)
		}},
}.Needing(verdict.Resources)

// ending: a walk comes to an end.
func ending(pages []*recording.Exchange, v *verdict.Verdict) {
	if len(pages) == 0 {
		return
	}
	last := pages[len(pages)-1]
	member := verdict.MemberOf(last)
	switch last.Tags[recording.TagEnd] {
	case "done":
		v.Holds()
		if n := len(pages); n > 1 && last.Succeeded() && !last.Value(member+".0").Exists() {
			v.Observe(verdict.Several{pages[n-2], last}, "empty-last-page", "page %d, the last one, is "+
				"empty: page %d need not have handed out a cursor, %v, behind which nothing follows", n, n-1,
				pages[n-2].Value("nextCursor"))
		}
	case "bound":
		v.NotExercised("the list goes on after %d pages: its end was not looked for (--pages)", len(pages))
	case "idle":
		idle(pages, member, v)
	case "cycle":
		next := last.Value("nextCursor")
		earlier, on := "an earlier page", verdict.Several{last}
		if n := len(pages); n > 1 { // its cursor leads back
			on = verdict.Several{pages[n-2], last}
		}
		for i, x := range pages[:len(pages)-1] {
			if x.Value("nextCursor").Raw == next.Raw &&
				x.Value(member).Raw == last.Value(member).Raw {
				earlier, on = "page "+strconv.Itoa(i+1), append(verdict.Several{x}, on...)
				break
			}
		}
		v.Fail(on, "a last page without nextCursor", "page %d repeats %s together with its nextCursor %v, "+
			"so that the walk never ends", len(pages), earlier, next).
			WarnIf(!last.Value(member + ".0").Exists()).SharedCause(repeatsLast(pages))
	}
}

// ignoredCursor is the cause of a walk without end in which a page is the same as the one before it.
const ignoredCursor = "the cursor of the request is not taken into account"

// repeatsLast is the cause of a walk that ended since its last page was the same as the one before; empty
// for others.
func repeatsLast(pages []*recording.Exchange) string {
	n := len(pages)
	if n > 1 && pages[n-1].Tags[recording.TagEnd] == "cycle" &&
		slices.Equal(verdict.IDsOf(pages[n-1]), verdict.IDsOf(pages[n-2])) {
		return ignoredCursor
	}
	return ""
}

// idle: a walk was given up after many pages in a row that were as earlier ones. Empty pages are legal, and
// what a filter leaves of a long list may be that thin: it cannot be told from a list without end.
func idle(pages []*recording.Exchange, member string, v *verdict.Verdict) {
	n := len(pages)
	first := n
	for first > 0 && !pages[first-1].Value(member+".0").Exists() {
		first--
	}
	if n-first < scenario.RepeatedPages { // entries that come again are judged elsewhere
		v.NotExercised("the walk was given up at page %d, after many pages in a row that list what stood "+
			"on earlier ones", n)
		return
	}
	v.Fail(verdict.Several{pages[n-2], pages[n-1]}, "a last page without nextCursor",
		"pages %d to %d are all empty, and the walk was given up there, since each has yet another "+
			"nextCursor, the last one %v", first+1, n, pages[n-1].Value("nextCursor")).Warn().
		Hint("leave nextCursor out once no entries are left")
}

// ownCursors: a cursor that was just handed out is accepted.
func ownCursors(pages []*recording.Exchange, v *verdict.Verdict) {
	for i, x := range pages {
		if i > 0 {
			v.Expect(x, matcher.BeResult(), "the cursor %v, which page %d had just handed out",
				pages[i-1].Value("nextCursor"), i)
		}
	}
}

// advancing: a page goes on after the one before and does not repeat it.
func advancing(pages []*recording.Exchange, v *verdict.Verdict) {
	seen := map[string]bool{}
	for i, x := range pages {
		if !x.Succeeded() {
			continue
		}
		this := verdict.IDsOf(x)
		fresh := len(this) == 0 // an empty page is legal
		for _, id := range this {
			fresh = fresh || !seen[id]
			seen[id] = true
		}
		if i == 0 {
			continue
		}
		const expected = "a page that goes on after the one before it"
		both := verdict.Several{pages[i-1], x}
		switch {
		case len(this) > 0 && slices.Equal(this, verdict.IDsOf(pages[i-1])):
			// One entry may be listed twice in a row, which LIST-14 remarks upon, unless the walk never gets
			// beyond it.
			v.Fail(both, expected, plural.Of(len(this),
				"page %d lists the same %d {item|items} as page %d"), i+1, len(this), i).
				WarnIf(len(this) < 2 && pages[len(pages)-1].Tags[recording.TagEnd] == "done").
				SharedCause(repeatsLast(pages))
		case x.Tags[recording.TagEnd] == "cycle":
			// That the walk came back to an earlier page is judged elsewhere.
		default:
			v.That(both, fresh, expected, "page %d lists nothing but what stood on earlier pages", i+1).Warn()
		}
	}
}
