package rpc

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// anotherID is the cause of what is wrong with a response that does not have the id of its request.
const anotherID = "an id that comes back as another one"

// usableID: the request under an id was answered under that id.
func usableID(x *recording.Exchange, v *verdict.Verdict) {
	sent := gjson.ParseBytes(x.ID)
	expected, shared, hint := "an answer to a request with the id "+judge.Short(sent, 60), "", ""
	if x.Step == stepChunked {
		expected += ", whose body comes in two chunks"
		shared, hint = cutCharacter, wholeBody
	}
	got, late := x.Message().Get("id"), len(x.Replies) > 0
	switch {
	case x.Outcome == recording.Replied:
		if got.String() != sent.String() {
			shared = cmp.Or(shared, anotherID)
		}
		v.That(x, got.String() == sent.String() && got.Exists() && !idRefused(x), expected,
			"%v under the id %v%s", x, got, altered(sent.Str, got.Str)).
			WarnIf(x.Step == stepEmpty).SharedCause(shared).Hint(hint)
	case late && (x.Outcome == recording.Silent || x.Outcome == recording.Lost):
		v.Block(x, recording.CodeNoAnswer, "the request with the id %s was answered too late: %s", x.ID,
			x.Reason)
	case x.Outcome == recording.Silent, x.Outcome == recording.Lost,
		x.Outcome == recording.HTTPOnly && (x.Status < 300 || x.Status == 400):
		v.Fail(x, expected, "%v", x).WarnIf(x.Step == stepEmpty).SharedCause(shared).Hint(hint)
	default:
		v.Answered(x)
	}
}

// oneKindRefused: where requests under all ids that are strings fail, and those under
// numbers do not, the reason is the id, whatever the error says.
func oneKindRefused(all []*recording.Exchange, v *verdict.Verdict) {
	var texts, served []*recording.Exchange
	for _, x := range all {
		switch text := len(x.ID) > 0 && x.ID[0] == '"'; {
		case text && x.Outcome == recording.Replied && !x.Failed():
			return
		case text && x.Failed() && !idRefused(x): // the others are judged one by one
			texts = append(texts, x)
		case !text && x.Succeeded():
			served = append(served, x)
		}
	}
	if len(texts) < 2 || len(served) < 2 {
		return
	}
	v.Fail(verdict.Several{texts[0], served[0]}, "requests under strings to be served like those under "+
		"numbers", "%v to every request whose id is a string, and none to those with numbers", texts[0]).
		Hint("keep the id as it came, whether it is a string or a number")
}

// idRefused reports whether a request was refused as invalid, which a list request
// is only for its id.
func idRefused(x *recording.Exchange) bool {
	code, _ := x.Code()
	return x.Failed() && (code == -32600 || code == -32700)
}

// freshIDs: requests of the server have string or integer ids, each used once in a
// session.
func freshIDs(v *verdict.Verdict) {
	v.NotExercised("the target asked for nothing, and need not")
	used := map[string]recording.Message{}
	for _, m := range v.OwnRequests() {
		id := m.Get("id")
		if !v.That(m, judge.IsString(id) || judge.IsInteger(id), "a request with an id that is a "+
			"string or an integer", "%s with the id %v", m.Said(), id).Held() {
			continue
		}
		key := m.Frame.Session + " " + judge.TypeName(id) + " " + id.String()
		if first, twice := used[key]; twice && first.Frame.Number != m.Frame.Number {
			v.Fail(verdict.Several{first, m}, "an id that the server has not used before",
				"the id %v was used for %s already", id, first.Said())
			continue
		}
		used[key] = m
	}
}

// unusualIDTypes: whatever id a list has, its response has one of the same type.
func unusualIDTypes(v *verdict.Verdict) {
	for _, x := range v.Steps(stepID, stepDigits, stepEmpty) {
		if v.Answered(x) {
			idType(v, x)
		}
	}
}

// idTypes: so does the response to each other request.
func idTypes(v *verdict.Verdict) {
	var respelt verdict.Sightings
	for _, x := range v.Exchanges {
		idType(v, x)
		got, sent := x.Message().Get("id"), gjson.ParseBytes(x.ID)
		if x.Outcome == recording.Replied && got.Type == gjson.Number && sent.Type == gjson.Number &&
			got.Num == sent.Num && got.Raw != sent.Raw {
			respelt.Add(x, "%s as %s", sent.Raw, judge.Short(got, 60))
		}
	}
	respelt.Observe(v, "id-respelt",
		"%d {number comes|numbers come} back as {an id|ids} written in another way, by which clients that "+
			"keep {it as a text do not find it|them as texts do not find them}: %s")
}

// idType compares the types of an id that was sent and of one that came back and looks alike: another
// one altogether is judged elsewhere, and so is a refusal of the empty string, which bears no id.
func idType(v *verdict.Verdict, x *recording.Exchange) {
	got, sent := x.Message().Get("id"), gjson.ParseBytes(x.ID)
	if x.Outcome != recording.Replied || !got.Exists() || got.String() != sent.String() ||
		got.Type == gjson.Null && x.Failed() || got.Type != sent.Type && v.Doubles() {
		return // or the second answer to a request under an id that looks alike
	}
	v.That(x, got.Type == sent.Type, "the id "+judge.Short(sent, 60)+" as "+judge.TypeName(sent),
		"it came back as %v to %s", got, x.Method)
}

// altered says, behind a string that came back, how it was made of the one that was sent; empty if it was
// not.
func altered(sent, got string) string {
	switch {
	case got == sent || strings.TrimSpace(got) == "":
	case got == strings.TrimSpace(sent):
		return ", without the blanks around it"
	case strings.EqualFold(got, sent):
		return ", in letters of another case"
	case strings.TrimSpace(got) == strings.TrimSpace(strings.ReplaceAll(sent, apart, joined)):
		return ", with the accent joined to its letter"
	}
	return ""
}

// unanswered blocks, and reports, where requests under ids of all kinds get no answer: it is not the
// id that keeps them from one, and RPC-09 tells of it.
func unanswered(all []*recording.Exchange, v *verdict.Verdict) bool {
	const few = 3
	if len(all) < few || slices.ContainsFunc(all, func(x *recording.Exchange) bool {
		return len(x.Replies) > 0 || x.Outcome != recording.Silent && (x.Outcome != recording.HTTPOnly ||
			x.Status >= 300)
	}) {
		return false
	}
	x := all[0]
	v.Block(x, recording.CodeNoAnswer, "whatever its id, %s gets no answer: %v (see RPC-09)", v.What(x), x)
	return true
}
