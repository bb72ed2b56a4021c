package page

import (
	"slices"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// The cursors of the bad-cursors scenario: those that were handed out by nobody, those
// that a handed-out one was made into, and those that are no strings.
var (
	madeUpCursors  = []recording.Step{stepUnknown}
	alteredCursors = []recording.Step{
		stepChanged, stepFirstChanged, stepLastChanged, stepTruncated, stepAppended, stepRaised}
	hardCursors = []recording.Step{stepLong, stepJunk, stepScript, stepBlank, stepEmpty}
	illTyped    = []recording.Step{stepNumber, stepObject, scenario.StepArray, stepNull}
)

func ofList(v *verdict.Verdict, method string) *recording.Recording {
	return &recording.Recording{Scenario: v.Scenario, Combination: v.Combination, Facts: v.Facts,
		Exchanges: v.Calls(method)}
}

// eachList calls judge for the bad cursors of each list that was to be had before
// they were sent; from the others nothing can be learnt. The template list may be
// missing altogether.
func eachList(v *verdict.Verdict, judge func(r *recording.Recording)) {
	for _, method := range []string{"resources/list", "resources/templates/list"} {
		some := ofList(v, method)
		before := some.Step(recording.StepBefore)
		switch {
		case before == nil && method != "resources/list", before != nil && method != "resources/list" &&
			before.Failed():
		case !v.Answered(before):
		case !before.Succeeded():
			v.NeedsSubject("the list was refused even without a cursor: %v", before)
		default:
			judge(some)
		}
	}
}

// invalidCursors: what was never handed out is refused as invalid params. A cursor that
// a handed-out one was made into may be good by chance, one of another list or session
// may be as good there, and an old one may have expired: a result is no violation then,
// but an error is to be the right one.
func invalidCursors(v *verdict.Verdict) {
	const hint = "answer a cursor that the server did not hand out with error -32602"
	eachList(v, func(r *recording.Recording) {
		for _, x := range r.Steps(madeUpCursors...) {
			f := v.Expect(x, matcher.BeErrorReply(-32602), "a cursor that was never handed out (in %s)",
				x.Method).Hint(hint)
			if x.Failed() {
				f.Downgraded(verdict.RefusedOtherwise)
			}
		}
		unknown := r.Step(stepUnknown)
		for _, x := range r.Steps(hardCursors...) {
			// Where that is the code of any cursor it is the same defect.
			v.That(x, !x.HasCode(-32603) || unknown != nil && unknown.HasCode(-32603),
				matcher.BeErrorReply(-32602).Expected(), "%v to a cursor that cannot be read (in %s)", x,
				x.Method).Downgraded(verdict.RefusedOtherwise).OnlyCode().Hint(hint)
		}
		var meddled, foreign verdict.Sightings
		for _, x := range r.Steps(append([]recording.Step{stepOld, stepForeign}, alteredCursors...)...) {
			switch {
			case x.Failed():
				v.Expect(x, matcher.BeErrorReply(-32602), "%s (in %s)", cursorWords[x.Step], x.Method).
					Downgraded(verdict.RefusedOtherwise).Hint(hint)
			case x.Succeeded() && x.Step == stepForeign:
				foreign.Add(x, "%v in %s", x.Param("cursor"), x.Method)
			case x.Succeeded() && x.Step != stepOld:
				meddled.Add(x, "%v (%s, in %s)", x.Param("cursor"), cursorWords[x.Step], x.Method)
			}
		}
		meddled.Observe(v, "altered-cursor",
			"%d altered by the client taken as if the server had handed out what came of it: %s")
		foreign.Observe(v, "foreign-cursor", "%d of the one list taken in the other: %s")
	})
}

// cursorWords says what the cursor of a step is.
var cursorWords = map[recording.Step]string{
	stepChanged: "a cursor with one letter changed", stepFirstChanged: "a cursor with another first letter",
	stepLastChanged: "a cursor with another last letter", stepRaised: "a cursor with a much higher number",
	stepTruncated: "half a cursor", stepAppended: "a cursor with more behind it",
	stepOld: "a cursor handed out some time before", stepForeign: "a cursor of the other list",
	stepElsewhere: "a cursor handed out in another session",
}

// survives: after bad cursors the list is answered as ever.
func survives(v *verdict.Verdict) {
	var ignored verdict.Sightings
	defer func() {
		ignored.Observe(v, "cursor-of-another-type",
			"%d {cursor that is no string is|cursors that are no strings are} ignored, or taken for one: %s")
	}()
	eachList(v, func(r *recording.Recording) {
		bad := slices.Concat(madeUpCursors, hardCursors, alteredCursors,
			[]recording.Step{stepOld, stepForeign}, illTyped)
		for _, x := range r.Steps(bad...) {
			badCursor(x, v, &ignored)
		}
		method := r.Exchanges[0].Method
		expected := method + " without cursor is answered as ever"
		// A list during which the session was lost is sent once more, in a fresh one.
		for _, x := range r.Steps(stepAfter+recording.StepLost, stepAfter) {
			if x.Outcome == recording.Lost || x.Outcome == recording.Silent {
				v.Fail(x, expected, "%v to %s without cursor, after a row of bad ones", x, x.Method)
				return
			}
		}
		v.Expect(r.Step(stepAfter), matcher.Expecting(expected, matcher.BeResult()),
			"%s without cursor, after a row of bad ones", method).Warn()
	})
}

// badCursor: one bad cursor did not break the target.
func badCursor(x *recording.Exchange, v *verdict.Verdict, ignored *verdict.Sightings) {
	cursor := x.Param("cursor")
	if x.Fatal {
		v.Fail(x, x.Method+" without cursor is answered as ever", "nothing is answered any more after "+
			"the cursor %v%s", cursor, matcher.InBrackets(x.Reason)).SharedCause(v.EndedBy(x)).
			Hint("answer a cursor that cannot be read with error -32602")
		return
	}
	if judge.IsString(cursor) && verdict.NoResponse(x) { // what is no request of the schema may go unheard
		v.Fail(x, "an answer, if need be an error", "%v to %s with the cursor %v", x, x.Method, cursor).
			Hint("answer a cursor that cannot be read with error -32602")
		return
	}
	// That null stands for an absent cursor is no more than what languages without a
	// difference between the two make of it.
	if x.Outcome != recording.Replied || cursor.Type == gjson.Null {
		return
	}
	v.Holds()
	if !judge.IsString(cursor) && x.Succeeded() {
		ignored.Add(x, "%v in %s", cursor, x.Method)
	}
}

// quietFirst reports whether the first page stayed the same all the time, so that
// differences elsewhere are not those of a list that changes.
func quietFirst(v *verdict.Verdict, steps ...recording.Step) bool {
	first := v.Step(stepFirst)
	for _, x := range v.Steps(steps...) {
		if !first.Succeeded() || !x.Succeeded() || !verdict.SameSet(first, x) {
			return false
		}
	}
	return true
}

// stableCursor: the same cursor yields the same page.
func stableCursor(v *verdict.Verdict) {
	next, again := v.Step(stepNext), v.Step(stepNextAgain)
	switch {
	case !v.Answered(next) || !v.Answered(again):
		return
	case !next.Succeeded():
		freshCursor(next, v)
		return
	case quietFirst(v, stepSecond, stepMiddle):
	case again.Succeeded() && verdict.SamePage(next, again):
		v.Holds()
		return
	default:
		v.NotExercised("the first page changes, too: cursors cannot be compared")
		return
	}
	const expected = "the same page for the same cursor"
	both := verdict.Several{next, again}
	if !again.Succeeded() {
		v.Fail(both, expected, "%v to the second use of the cursor %v", again, again.Param("cursor"))
		return
	}
	if verdict.SamePage(next, again) && !verdict.SameSet(next, again) {
		v.Observe(both, "cursor-drifts", "the same cursor yields a page that differs, while the first page "+
			"stays the same: %s", verdict.Difference(verdict.URISet(next), verdict.URISet(again)))
	}
	v.That(both, verdict.SamePage(next, again), expected, "%d %s, then %d others for the cursor %v",
		len(verdict.IDsOf(next)), kindOf(next, len(verdict.IDsOf(next))), len(verdict.IDsOf(again)),
		again.Param("cursor"))
	otherConnection(v)
}

// freshCursor: the cursor of the page before is refused. Where the walk came further,
// cursors work as such, and this one was used up by somebody who was handed the same.
func freshCursor(next *recording.Exchange, v *verdict.Verdict) {
	if page := v.Step(recording.StepPage); !page.Succeeded() || !quietFirst(v, stepSecond, stepMiddle) {
		v.NeedsSubject("the cursor was refused the first time: %v", next)
		return
	}
	first := v.Step(stepFirst)
	v.Fail(verdict.Several{first, next}, "the page that the cursor stands for",
		"%v to the cursor %v, which this session was handed a moment before and had not used yet", next,
		next.Param("cursor")).Warn()
}

// otherConnection: since 2026-07-28 no connection has a list of its own, so that a
// cursor is good on all of them. Processes may have keys of their own.
func otherConnection(v *verdict.Verdict) {
	x := v.Step(stepElsewhere)
	if x == nil || !v.Modern() || v.OnStdio() || !v.Answered(x) {
		return
	}
	page := v.Step(recording.StepPage)
	if page.Succeeded() && !verdict.SamePage(page, v.Step(stepNext)) {
		return // the list has changed since the walk from which page and cursor are
	}
	const expected = "the page that the cursor stands for, on any connection"
	both := verdict.Several{page, x}
	if !x.Succeeded() {
		v.Fail(both, expected, "%v to the cursor %v, which was handed out on another connection", x,
			x.Param("cursor")).Warn().
			Hint("keep in the cursor what is needed to go on, not in the connection")
		return
	}
	v.That(both, !page.Succeeded() || verdict.SamePage(page, x), expected,
		"%d other %s on another connection", len(verdict.IDsOf(x)), kindOf(x, len(verdict.IDsOf(x)))).Warn()
}

// kindOf is the word for n entries of a page.
func kindOf(x *recording.Exchange, n int) string {
	if x.Method == "resources/templates/list" {
		return plural.Of(n, "{template|templates}")
	}
	return plural.Of(n, "{resource|resources}")
}

// noHiddenPosition: without cursor the list begins at its beginning.
func noHiddenPosition(v *verdict.Verdict) {
	first := v.Step(stepFirst)
	if !v.Answered(first) || !first.Succeeded() {
		v.NeedsSubject("the list was refused")
		return
	}
	const expected = "the first page for every request without cursor"
	start := verdict.IDsOf(first)
	for _, x := range v.Steps(stepSecond, stepMiddle) {
		if !v.Answered(x) {
			continue
		}
		page := verdict.IDsOf(x)
		both := verdict.Several{first, x}
		switch {
		case !x.Succeeded():
			v.Fail(both, expected, "%v to another request without cursor", x).Warn()
		case verdict.SamePage(first, x):
			v.Holds()
		case len(page) == 0 || len(start) > 0 && x.Step == stepSecond && isNextPage(v, page):
			v.Fail(both, expected, "a second request without cursor yields %d %s from behind the first page",
				len(page), kindOf(x, len(page))).
				Hint("keep no position between requests: the cursor says where to go on")
		default:
			v.Fail(both, expected, "another page: %s", verdict.Difference(verdict.URISet(first),
				verdict.URISet(x))).Warn()
		}
	}
}

// isNextPage reports whether a page is the one that the cursor of the first page
// leads to.
func isNextPage(v *verdict.Verdict, page []string) bool {
	return slices.ContainsFunc(v.Steps(recording.StepPage, stepNext, stepNextAgain),
		func(x *recording.Exchange) bool {
			return x.Succeeded() && slices.Equal(page, verdict.IDsOf(x))
		})
}

// emptyCursor: a nextCursor of no characters leads on like any other.
func emptyCursor(v *verdict.Verdict) {
	pages := v.Walked()
	for i, x := range pages[:max(len(pages)-1, 0)] {
		if next := x.Value("nextCursor"); !judge.IsString(next) || next.Str != "" {
			continue
		}
		page := pages[i+1]
		if !v.Modern() {
			v.Observe(x, "empty-cursor", `nextCursor is "", which many clients of this revision take for `+
				"the end of the list")
		}
		if !v.Expect(page, matcher.BeResult(), `the cursor "", which the page before had handed out`).
			Held() {
			continue
		}
		ids := verdict.IDsOf(page)
		repeats := len(ids) > 0 && (slices.Equal(ids, verdict.IDsOf(pages[0])) ||
			slices.Equal(ids, verdict.IDsOf(x)))
		v.That(verdict.Several{x, page}, !repeats, `the page after the one with nextCursor ""`,
			"a page that was there before")
	}
	v.NotExercised(`no page has the nextCursor ""`)
}

// complete: a walk delivers everything that is known to exist, each once.
func complete(pages []*recording.Exchange, v *verdict.Verdict) {
	if len(pages) == 0 {
		return
	}
	last := pages[len(pages)-1]
	if !v.Answered(last) {
		return
	}
	if last.Tags[recording.TagEnd] != "done" {
		v.NotExercised("the list could not be walked through to its end")
		return
	}
	times := map[string]int{}
	for _, x := range pages {
		for _, id := range verdict.IDsOf(x) {
			times[gjson.Parse(id).Str]++
		}
	}
	for _, e := range gjson.Parse(last.Tags[tagExpected]).Array() {
		v.That(verdict.All(pages...), times[e.Str] > 0, judge.Brief(e)+" in the list",
			plural.Of(len(pages),
				"it stands {not on the %d page|on none of the %d pages}"), len(pages)).
			Cause("an entry is missing")
		v.That(verdict.All(pages...), times[e.Str] < 2, judge.Brief(e)+" once in the list",
			"it is listed %d times", times[e.Str]).Warn().Cause("an entry is repeated")
	}
}
