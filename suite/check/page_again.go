package check

import (
	"fmt"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/tidwall/gjson"
)

// listsAtAll reports whether the list was to be had before bad cursors were
// sent; otherwise nothing can be learnt from them.
func listsAtAll(r *recording.Recording, v *Verdict) bool {
	before := r.Step("before")
	if !v.Answered(before) {
		return false
	}
	if !before.Succeeded() {
		v.Skip(recording.CodeNeedsSubject, "the list was refused even without a cursor: "+Describe(before))
	}
	return before.Succeeded()
}

// survives: after bad cursors the list is answered as ever.
func survives(r *recording.Recording, v *Verdict) {
	if !listsAtAll(r, v) {
		return
	}
	const expected = "resources/list without cursor is answered as ever"
	for _, x := range r.Steps("unknown", "long", "junk", "script", "number", "object", "array") {
		cursor := x.Param("cursor")
		if x.Fatal {
			v.That(false, expected, "nothing is answered any more after the cursor "+Brief(cursor)+inBrackets(x.Reason), x.Evidence()...)
			v.Hint("answer a cursor that cannot be read with error -32602")
			continue
		}
		if x.Outcome != recording.Replied {
			continue
		}
		v.Ought(judge.IsString(cursor) || !x.Succeeded(), "an error (-32602) for a cursor that is no string",
			Describe(x)+" to the cursor "+Brief(cursor)+", which is "+judge.TypeName(cursor), x.Evidence()...)
		v.Mild(lenient)
		v.Hint("check that cursor is a string, and answer anything else with error -32602")
	}
	// A list during which the session was lost is sent once more, in a fresh one.
	for _, x := range r.Steps("after/lost", "after") {
		if x.Outcome == recording.Lost || x.Outcome == recording.Silent {
			v.That(false, expected, Describe(x)+" to resources/list without cursor, after a row of bad ones", x.Evidence()...)
			v.Hint("answer a cursor that cannot be read with error -32602, and keep nothing of it")
			return
		}
	}
	v.Expect(r.Step("after")).Should(Matcher{expected, Succeed().Match}, "resources/list without cursor, after a row of bad ones")
}

// quietFirst reports whether the first page stayed the same all the time, so that
// differences elsewhere are not those of a list that changes.
func quietFirst(r *recording.Recording, steps ...string) bool {
	first := r.Step("first")
	for _, x := range r.Steps(steps...) {
		if !first.Succeeded() || !x.Succeeded() || !sameSet(first, x) {
			return false
		}
	}
	return true
}

// stableCursor: the same cursor yields the same page.
func stableCursor(r *recording.Recording, v *Verdict) {
	next, again := r.Step("next"), r.Step("next-again")
	switch {
	case !v.Answered(next) || !v.Answered(again):
		return
	case !next.Succeeded():
		v.Skip(recording.CodeNeedsSubject, "the cursor was refused the first time: "+Describe(next))
		return
	case !quietFirst(r, "second", "middle"):
		v.Skip(recording.CodeNotExercised, "the first page changes, too: cursors cannot be compared")
		return
	}
	const expected = "the same page for the same cursor"
	frames := append(next.Evidence(), again.Evidence()...)
	if !again.Succeeded() {
		v.That(false, expected, Describe(again)+" to the second use of the cursor "+Brief(again.Param("cursor")), frames...)
		v.Hint("keep cursors good for more than one request")
		return
	}
	v.That(sameSet(next, again), expected, fmt.Sprintf("%d resources, then %d others for the cursor %s",
		len(identities(next, "resources")), len(identities(again, "resources")), Brief(again.Param("cursor"))), frames...)
}

// noHiddenPosition: without cursor the list begins at its beginning.
func noHiddenPosition(r *recording.Recording, v *Verdict) {
	first := r.Step("first")
	if !v.Answered(first) || !first.Succeeded() {
		v.Skip(recording.CodeNeedsSubject, "the list was refused")
		return
	}
	const expected = "the first page for every request without cursor"
	start := identities(first, "resources")
	for _, x := range r.Steps("second", "middle") {
		if !v.Answered(x) {
			continue
		}
		page := identities(x, "resources")
		frames := append(first.Evidence(), x.Evidence()...)
		switch {
		case !x.Succeeded():
			v.Ought(false, expected, Describe(x)+" to another request without cursor", frames...)
		case sameSet(first, x):
			v.Saw()
		case len(page) == 0 || len(start) > 0 && x.Step == "second" && isNextPage(r, page):
			v.That(false, expected, fmt.Sprintf("a second request without cursor yields %d resources that go on after the first page", len(page)), frames...)
			v.Hint("keep no position between requests: the cursor says where to go on")
		default:
			v.Ought(false, expected, "another page: "+difference(uriSet(first), uriSet(x)), frames...)
		}
	}
}

// isNextPage reports whether a page is the one that the cursor of the first page
// leads to.
func isNextPage(r *recording.Recording, page []string) bool {
	for _, x := range r.Steps("page", "next", "next-again") {
		if x.Succeeded() && slices.Equal(page, identities(x, "resources")) {
			return true
		}
	}
	return false
}

// emptyCursor: a nextCursor of no characters leads on like any other.
func emptyCursor(r *recording.Recording, v *Verdict) {
	pages, member := walked(r, v), listMember(r)
	for i, x := range pages[:max(len(pages)-1, 0)] {
		if next := x.Result().Get("nextCursor"); !judge.IsString(next) || next.Str != "" {
			continue
		}
		page := pages[i+1]
		if !v.Modern() {
			v.Observe("empty-cursor", `nextCursor is "", which many clients of this revision take for the end of the list`, x.Evidence()...)
		}
		if !v.Expect(page).To(Succeed(), `the cursor "", which the page before had handed out`) {
			continue
		}
		ids := identities(page, member)
		repeats := len(ids) > 0 && (slices.Equal(ids, identities(pages[0], member)) || slices.Equal(ids, identities(x, member)))
		v.That(!repeats, `the page after the one with nextCursor ""`, "a page that was there before", append(x.Evidence(), page.Evidence()...)...)
	}
	v.Skip(recording.CodeNotExercised, `no page has the nextCursor ""`)
}

// complete: a walk delivers everything that is known to exist, each once.
func complete(pages []*recording.Exchange, member string, v *Verdict) {
	if len(pages) == 0 {
		return
	}
	last := pages[len(pages)-1]
	if !v.Answered(last) {
		return
	}
	if last.Tags["end"] != "done" {
		v.Skip(recording.CodeNotExercised, "the list could not be walked through to its end")
		return
	}
	times := map[string]int{}
	var frames []int
	for _, x := range pages {
		for _, id := range identities(x, member) {
			times[gjson.Parse(id).Str]++
		}
		frames = append(frames, x.Evidence()...)
	}
	for _, e := range gjson.Parse(last.Tags["expected"]).Array() {
		v.That(times[e.Str] > 0, Brief(e)+" in the list", fmt.Sprintf("it stands on none of the %d pages", len(pages)), frames...)
		v.Ought(times[e.Str] < 2, Brief(e)+" once in the list", fmt.Sprintf("it is listed %d times", times[e.Str]), frames...)
	}
}
