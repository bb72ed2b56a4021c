package check

import (
	"fmt"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/tidwall/gjson"
)

func init() { add(relistChecks...) }

// The checks of server/resources, listing, that compare the list with reads or
// with another look at it.
var relistChecks = []Check{{
	Requirement: "LIST-08",
	From:        []recording.Name{recording.Relist},
	Needs:       []Gate{resources},
	Judge: func(r *recording.Recording, v *Verdict) {
		again := listedAgain(r, v)
		for _, read := range readings(r, v, "read") {
			said := read.Tags["size"]
			if said == "" || len(read.contents) != 1 || again[read.Tags["uri"]].Get("size").Raw != said {
				continue
			}
			length, ok := rawLength(read.contents[0])
			if !ok {
				continue
			}
			v.That(gjson.Parse(said).Num == float64(length), fmt.Sprintf("a size of %d, which is what a read yields", length),
				"size of "+Brief(read.Param("uri"))+" is "+said+" in the list", read.Evidence()...)
			v.Hint("give the number of bytes before base64 encoding, or no size if it is not known")
		}
		v.Skip(recording.CodeNeedsSubject, "no resource with a size could be read")
	},
}, {
	Requirement: "LIST-15",
	From:        []recording.Name{recording.Relist},
	Needs:       []Gate{resources},
	Judge:       readableAsListed,
}, {
	Requirement: "LIST-13",
	From:        []recording.Name{recording.ListParams},
	Needs:       []Gate{resources},
	Judge: func(r *recording.Recording, v *Verdict) {
		with, without, again := r.Step("with"), r.Step("without"), r.Step("with-again")
		switch {
		case !v.Answered(with):
			return
		case !with.Succeeded():
			v.Skip(recording.CodeNeedsSubject, "the list was refused: "+Describe(with))
			return
		}
		ok := v.Expect(without).To(Succeed(), "resources/list without params, which are optional in this revision")
		if !ok || again == nil || !again.Succeeded() || !sameSet(with, again) {
			return
		}
		v.That(sameSet(with, without), "the same resources with empty params and without params",
			fmt.Sprintf("%d resources with, %d without", len(identities(with, "resources")), len(identities(without, "resources"))),
			append(with.Evidence(), without.Evidence()...)...)
	},
}, {
	Requirement: "LIST-10",
	From:        []recording.Name{recording.SameList},
	Needs:       []Gate{resources},
	Judge:       sameForAll,
}, {
	Requirement: "LIST-11",
	From:        []recording.Name{recording.SameList},
	Needs:       []Gate{resources},
	Judge:       unchangedByOthers,
}}

// listedAgain lists the entries of the second walk by URI.
func listedAgain(r *recording.Recording, v *Verdict) map[string]gjson.Result {
	found := map[string]gjson.Result{}
	for _, x := range r.Steps("again") {
		if !v.Answered(x) {
			continue
		}
		for _, i := range entries(x, "resources") {
			if uri := i.Get("uri"); judge.IsString(uri) {
				found[uri.Str] = i.Result
			}
		}
	}
	return found
}

// rawLength is the number of bytes of a content.
func rawLength(content item) (n int, ok bool) {
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
func readableAsListed(r *recording.Recording, v *Verdict) {
	again := listedAgain(r, v)
	rereads := map[string]*recording.Exchange{}
	for _, x := range r.Steps("reread") {
		rereads[x.Tags["uri"]] = x
	}
	var others sightings
	for _, x := range r.Steps("read") {
		uri := x.Tags["uri"]
		switch {
		case !v.Answered(x):
		case x.Succeeded():
			v.Saw()
		case asksForCapability(x):
			v.Skip(recording.CodeNeedsSubject, "the target asks for a capability that we do not have")
		case judge.HasScheme(uri, "https"):
			v.Skip(recording.CodeNeedsSubject, "https URIs may be for clients to load from the web")
		case !notFound(x):
			others.add(Brief(x.Param("uri"))+" ("+Describe(x)+")", x.Evidence()...)
		case rereads[uri] != nil && notFound(rereads[uri]) && again[uri].Exists():
			unreadable(r, v, x, rereads[uri])
		default:
			v.Skip(recording.CodeNotExercised, "what could not be read at first was gone from the list, or could be read, at the second look")
		}
	}
	unstable(r, v)
	others.observe(v, "unreadable", "%d listed but not readable, with an error that does not say that it is missing: %s")
}

// unstable remarks on resources of which two reads in a row differ.
func unstable(r *recording.Recording, v *Verdict) {
	var seen sightings
	first := map[string]*recording.Exchange{}
	for _, x := range r.Steps("read") {
		first[x.Tags["uri"]] = x
	}
	for _, x := range r.Steps("repeat") {
		before := first[x.Tags["uri"]]
		if before == nil || x.Outcome != recording.Replied || asksForInput(before) || asksForInput(x) {
			continue
		}
		if !x.Succeeded() || !slices.Equal(bodies(before), bodies(x)) {
			seen.add(Brief(x.Param("uri")), append(before.Evidence(), x.Evidence()...)...)
		}
	}
	seen.observe(v, "unstable-read", "%d read differently the second time, although nothing was made to change: %s")
}

// unreadable notes that a resource cannot be read although it is listed. Where we
// come with credentials, hiding it may be a way to refuse it.
func unreadable(r *recording.Recording, v *Verdict, x, reread *recording.Exchange) {
	const expected = "contents for a URI that is listed"
	actual := Describe(reread) + " to two reads of " + Brief(x.Param("uri")) + ", which was listed before and after"
	frames := append(x.Evidence(), reread.Evidence()...)
	if f := r.Frame(x.Request); f != nil && f.HTTP != nil && f.HTTP.Header.Get("Authorization") != "" {
		v.Ought(false, expected, actual, frames...)
	} else {
		v.That(false, expected, actual, frames...)
	}
	v.Hint("accept the URI in resources/read byte for byte as resources/list gives it")
}

// notFound reports whether an error says that a resource does not exist: the code
// of the legacy revisions, or that of 2026-07-28.
func notFound(x *recording.Exchange) bool {
	code, ok := x.Code()
	return ok && (code == -32002 || code == -32602)
}

// asksForCapability reports whether an error asks for something that the client
// has to bring: a capability (2026-07-28), or a visit to a page (2025-11-25).
func asksForCapability(x *recording.Exchange) bool {
	code, ok := x.Code()
	return ok && (code == -32021 || code == -32042)
}

// sameSet reports whether two pages list the same URIs, in any order.
func sameSet(a, b *recording.Exchange) bool {
	return slices.Equal(uriSet(a), uriSet(b))
}

// uriSet is the sorted set of the URIs on pages.
func uriSet(pages ...*recording.Exchange) []string {
	var all []string
	for _, x := range pages {
		all = append(all, idsOf(x)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// wholeList is the set of URIs that a walk found; ok is false, with the reason
// noted, if the walk did not get to the end.
func wholeList(r *recording.Recording, v *Verdict, step string) (set []string, frames []int, ok bool) {
	pages := r.Steps(step)
	if len(pages) == 0 {
		v.Skip(recording.CodeNotExercised, "the list was not looked at often enough")
		return nil, nil, false
	}
	last := pages[len(pages)-1]
	if !v.Answered(last) {
		return nil, nil, false
	}
	if end := last.Tags["end"]; end != "done" {
		v.Skip(recording.CodeNotExercised, "the list could not be walked through to its end")
		return nil, nil, false
	}
	return uriSet(pages...), last.Evidence(), true
}

// sameForAll: two connections are given the same list.
func sameForAll(r *recording.Recording, v *Verdict) {
	one, f1, ok1 := wholeList(r, v, "one")
	other, f2, ok2 := wholeList(r, v, "other")
	again, f3, ok3 := wholeList(r, v, "one-again")
	if !ok1 || !ok2 || !ok3 {
		return
	}
	frames := slices.Concat(f1, f2, f3)
	switch {
	case slices.Equal(one, other):
		v.Saw()
	case !slices.Equal(one, again):
		v.Skip(recording.CodeNotExercised, "the list changed while the connections were compared")
	case v.Facts.Combination.Transport == "stdio":
		v.Observe("list-by-process", "two processes list different resources: "+difference(one, other), frames...)
		v.Skip(recording.CodeNotExercised, "two processes may hold data of their own")
	default:
		v.That(false, "the same resources on each connection", "two connections are given different lists: "+difference(one, other), frames...)
		v.Hint("let the list depend on the credentials of the request alone")
	}
}

// unchangedByOthers: reads, completions and failed requests do not change the
// list of their connection.
func unchangedByOthers(r *recording.Recording, v *Verdict) {
	before, f1, ok1 := wholeList(r, v, "one")
	after, f2, ok2 := wholeList(r, v, "one-again")
	switch {
	case !ok1 || !ok2:
		return
	case slices.Equal(before, after):
		v.Saw()
		return
	}
	other, f3, ok3 := wholeList(r, v, "other-again")
	if !ok3 {
		return
	}
	const expected = "the same resources before and after reads, completions and failed requests"
	actual := "the list changed: " + difference(before, after)
	frames := slices.Concat(f1, f2, f3)
	switch {
	case slices.Equal(other, after):
		v.Ought(false, expected, actual+"; another connection sees the change, too", frames...)
	case slices.Equal(other, before):
		v.That(false, expected, actual+"; another connection does not see the change", frames...)
		v.Hint("keep what a client did out of the list that it is given")
	default:
		v.Skip(recording.CodeNotExercised, "the list changes by itself")
	}
}

// difference says in a few words how two sets of URIs differ.
func difference(a, b []string) string {
	only := func(a, b []string) []string {
		var rest []string
		for _, x := range a {
			if _, in := slices.BinarySearch(b, x); !in {
				rest = append(rest, Brief(gjson.Parse(x)))
			}
		}
		return rest
	}
	text := fmt.Sprintf("%d resources and %d", len(a), len(b))
	if gone := only(a, b); len(gone) > 0 {
		text += ", the second without " + few(gone)
	}
	if fresh := only(b, a); len(fresh) > 0 {
		text += ", the second also with " + few(fresh)
	}
	return text
}
