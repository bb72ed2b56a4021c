package check

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// The checks of basic/patterns/subscriptions (2026-07-28) on streams while the
// target is made to change, and while it ends them.
func init() {
	changes := []recording.Name{recording.Changes}
	add(Check{
		Requirement: "SUB-28", From: changes, Needs: []Gate{subscribe}, Judge: watchedUpdate,
	}, Check{
		Requirement: "SUB-29", From: []recording.Name{recording.Changes, recording.Listening}, Needs: []Gate{listenable}, Judge: bearsItsID,
	}, Check{
		Requirement: "SUB-30", From: []recording.Name{recording.Changes, recording.Listening}, Needs: []Gate{listenable}, Judge: requestedTypes,
	}, Check{
		Requirement: "SUB-31", From: changes, Needs: []Gate{subscribe}, Judge: watchedOnly,
	}, Check{
		Requirement: "SUB-32", From: changes, Needs: []Gate{subscribe}, Judge: streamsApart,
	}, Check{
		Requirement: "SUB-33", From: changes, Needs: []Gate{subscribe}, Judge: cancelledSilent,
	}, Check{
		Requirement: "SUB-42", From: changes, Needs: []Gate{subscribe, listChanged}, Judge: falseFlag,
	}, Check{
		Requirement: "SUB-43", From: []recording.Name{recording.Changes, recording.Everything}, Judge: noListenNoChange,
	}, Check{
		Requirement: "SUB-34", From: []recording.Name{recording.Shutdown}, Judge: announcedEnd,
	}, Check{
		Requirement: "SUB-35",
		From:        []recording.Name{recording.Shutdown, recording.Listening, recording.Changes},
		Judge:       closingResult,
	})
}

// watchers are the streams of a recording of changes whose acknowledgment grants
// updates for the resource that is changed, and what the watching session heard
// since. Where there are none the verdict says why.
func watchers(r *recording.Recording, v *Verdict) (streams []*recording.Exchange, all []heard) {
	mark, fired := r.Mark(recording.MarkUpdate)
	asked := streamsNamed(r, "uris", "off")
	if len(asked) == 0 || !fired {
		v.Expect(nil)
		return nil, nil
	}
	for _, x := range asked {
		ack, ok := ackOf(r, x)
		switch {
		case !ok:
			unacknowledged(x, v)
		case !grantsURI(ack, x.Tags["uri"]):
			v.Skip(recording.CodeNeedsConfig, "the target does not let "+x.Tags["uri"]+" be watched: name another resource in triggers.update")
		default:
			streams = append(streams, x)
		}
	}
	return streams, hear(r, asked[0].Session, first(r, mark.After))
}

// mine keeps the updates of the resource that is changed, or of one related to
// it: all but those of the other resource.
func mine(all []heard, x *recording.Exchange) []heard {
	return slices.DeleteFunc(only(all, updated), func(h heard) bool { return x.Tags["other"] != "" && h.uri() == x.Tags["other"] })
}

// watchedUpdate: the change of a watched resource is notified.
func watchedUpdate(r *recording.Recording, v *Verdict) {
	streams, all := watchers(r, v)
	if len(streams) == 0 {
		return
	}
	x := streams[0]
	switch {
	case len(mine(all, x)) > 0:
		v.Saw()
	case lostSession(r, v, x.Session):
	case !slices.ContainsFunc(streams, func(x *recording.Exchange) bool { return x.Tags["ended"] == "" }):
		v.Skip(recording.CodeNotExercised, "the target ended the streams before the resource was changed")
	default:
		v.That(false, updated+" after triggers.update has changed the watched resource", "none came for "+x.Tags["uri"]+withTrigger(r, recording.MarkUpdate), evidence(r, x)...)
		v.Hint("send %s on every stream whose acknowledgment names the resource", updated)
	}
}

// bearsItsID: every change notification bears the id of its subscription.
func bearsItsID(r *recording.Recording, v *Verdict) {
	session := watcherOf(r)
	streams := r.Steps("listen")
	for _, h := range only(hear(r, session, 0), updated, listUpdated) {
		own := slices.DeleteFunc(slices.Clone(streams), func(x *recording.Exchange) bool {
			return x.Session != h.frame.Session || onHTTP(r) && len(on([]heard{h}, r, x)) == 0
		})
		if len(own) == 0 {
			continue // on no stream at all: that is judged elsewhere
		}
		v.That(slices.ContainsFunc(own, func(x *recording.Exchange) bool { return sameID(h.subscription(), x) }),
			"subscriptionId in _meta of "+h.method()+", equal to the id of the listen request", "subscriptionId is "+Brief(h.subscription()), h.frame.Number)
	}
	if len(only(hear(r, session, 0), updated, listUpdated)) == 0 {
		v.Skip(recording.CodeNotExercised, "no change was notified")
	}
}

// typeOf is the member of the filter that asks for a notification.
func typeOf(method string) string {
	switch method {
	case updated:
		return "resourceSubscriptions"
	case listUpdated:
		return "resourcesListChanged"
	case "notifications/tools/list_changed":
		return "toolsListChanged"
	case "notifications/prompts/list_changed":
		return "promptsListChanged"
	}
	return ""
}

// requestedTypes: a stream brings the types of notifications that were requested.
func requestedTypes(r *recording.Recording, v *Verdict) {
	all := hear(r, watcherOf(r), 0)
	// What is to stay off the other streams must be seen somewhere.
	seen := map[string]bool{updated: len(only(all, updated)) > 0, listUpdated: len(only(all, listUpdated)) > 0}
	for _, x := range streamsNamed(r, "uris", "list") {
		if _, ok := ackOf(r, x); !ok {
			unacknowledged(x, v)
			continue
		}
		for _, h := range on(all, r, x) {
			// Acknowledgments, cancellations, and what belongs to other
			// requests are no types of the filter.
			if m := h.method(); strings.HasSuffix(m, "/list_changed") || m == updated {
				v.That(granted(x.Param("notifications."+typeOf(m))), "only what the listen request asks for, "+Brief(x.Param("notifications")), m+" on this subscription", h.frame.Number)
			}
		}
		if x.Tags["name"] == "uris" && seen[listUpdated] || x.Tags["name"] == "list" && seen[updated] {
			v.Saw()
		}
	}
	v.Skip(recording.CodeNotExercised, "it takes updates and changes of the list, and streams that ask for one of them only")
}

// watchedOnly: updates come for the watched resource, and those below it.
func watchedOnly(r *recording.Recording, v *Verdict) {
	streams, all := watchers(r, v)
	_, fired := r.Mark(recording.MarkOther)
	for _, x := range streams {
		got := only(on(all, r, x), updated)
		for _, h := range got {
			if h.uri() != "" && !related(h.uri(), x.Tags["uri"]) {
				note := v.Ought
				if fired && h.uri() == x.Tags["other"] {
					note = v.That
				}
				note(false, "updates for "+x.Tags["uri"]+" and what lies below it", updated+" for "+h.uri()+", which was not asked for", h.frame.Number)
				v.Hint("compare the URI with the filter of each stream")
			}
		}
		switch {
		case !fired:
			v.Expect(nil)
		case related(x.Tags["other"], x.Tags["uri"]):
			v.Skip(recording.CodeNeedsConfig, "one of the resources of triggers.update and triggers.update-other lies below the other")
		case len(got) > 0:
			v.Saw()
		default:
			v.Skip(recording.CodeNotExercised, "no update came for the watched resource either")
		}
	}
}

// streamsApart: two streams for one resource both get its updates, each under its
// own id.
func streamsApart(r *recording.Recording, v *Verdict) {
	streams, all := watchers(r, v)
	asked := streamsNamed(r, "uris", "off")
	if len(streams) == 1 && len(asked) == 2 {
		if x := asked[1]; asked[0] == streams[0] && x.Failed() {
			v.Ought(false, "a second subscription beside the first", Describe(x), x.Evidence()...)
		}
		return
	}
	if len(streams) < 2 {
		return
	}
	got := mine(all, streams[0])
	if len(got) == 0 {
		v.Skip(recording.CodeNotExercised, "no update came at all")
		return
	}
	if slices.ContainsFunc(got, func(h heard) bool { return !h.subscription().Exists() }) && !onHTTP(r) {
		v.Skip(recording.CodeNotExercised, "the updates do not say which subscription they belong to")
		return
	}
	for _, x := range streams {
		if x.Tags["ended"] != "" {
			v.Skip(recording.CodeNotExercised, "the target ended one of the streams")
			continue
		}
		v.That(len(mine(on(all, r, x), x)) > 0, "an update on each stream that watches the resource, under its own id", "none for the subscription "+string(x.ID)+", while another one got it", evidence(r, x)...)
	}
}

// cancelledSilent: nothing is sent for a stream that the client has cancelled.
func cancelledSilent(r *recording.Recording, v *Verdict) {
	streams, all := watchers(r, v)
	last, fired := r.Mark(recording.MarkSilenced)
	if len(streams) < 2 || !fired {
		v.Expect(nil)
		return
	}
	gone, control := streams[0], streams[1]
	stopped, err := strconv.Atoi(gone.Tags["stopped"])
	late := slices.DeleteFunc(slices.Clone(all), func(h heard) bool { return h.frame.Number <= last.After })
	switch {
	case err != nil || gone.Tags["ended"] != "" || len(mine(on(all, r, gone), gone)) == 0:
		v.Skip(recording.CodeNotExercised, "the subscription that was cancelled had brought no update before")
		return
	case len(mine(late, control)) == 0:
		v.Skip(recording.CodeNotExercised, "no update came after the cancellation on the other stream either")
		return
	}
	for _, h := range on(all, r, gone) {
		switch {
		case h.frame.Number > stopped && h.msg.Get("result").Exists():
			v.Ought(false, "silence after notifications/cancelled for a subscription", "a late result", h.frame.Number)
		case h.frame.Number > last.After:
			v.That(false, "silence after notifications/cancelled for a subscription", h.method()+" for the subscription "+string(gone.ID), h.frame.Number)
			v.Hint("end a subscription when notifications/cancelled names its request")
		}
	}
	v.Saw()
}

// falseFlag: a flag that is false asks for nothing.
func falseFlag(r *recording.Recording, v *Verdict) {
	_, added := r.Mark(recording.MarkAdd)
	_, removed := r.Mark(recording.MarkRemove)
	if !added && !removed {
		v.Expect(nil)
		return
	}
	all := only(hear(r, watcherOf(r), 0), listUpdated)
	for _, x := range streamsNamed(r, "off") {
		ack, ok := ackOf(r, x)
		if !ok {
			unacknowledged(x, v)
			continue
		}
		v.That(!grants(ack, "resourcesListChanged"), "no resourcesListChanged in the acknowledgment of a request that sets it to false", "resourcesListChanged: true", evidence(r, x)...)
		strays := on(all, r, x)
		v.That(len(strays) == 0, "no "+listUpdated+" where resourcesListChanged is false", listUpdated+" for the subscription "+string(x.ID), frameNumbers(strays)...)
	}
}

// noListenNoChange: a connection without a listen request hears of no change.
func noListenNoChange(r *recording.Recording, v *Verdict) {
	if r.Scenario == recording.Everything {
		unlistened(r, v)
		return
	}
	session := bystanderOf(r)
	strays := only(hear(r, session, 0), updated, listUpdated)
	switch {
	case session == "":
		v.Skip(recording.CodeNotExercised, "the target file allows one instance only, so nobody can listen beside")
	case len(strays) > 0:
		v.That(false, "no change notifications on a connection without a listen request", strays[0].method()+" on a connection that did not listen", frameNumbers(strays)...)
		v.Hint("send change notifications on listen streams only")
	case len(only(hear(r, watcherOf(r), 0), updated, listUpdated)) == 0 && len(r.Steps("listen")) > 0:
		v.Skip(recording.CodeNotExercised, "no change was notified on the connection that listens either")
	default:
		v.Saw()
	}
}

// announcedEnd: a target that ends a subscription says so.
func announcedEnd(r *recording.Recording, v *Verdict) {
	const expected = "a result of the listen request (or, on stdio, notifications/cancelled) when the target ends a subscription"
	x := r.Step("listen")
	if _, ok := r.Mark(recording.MarkShutdown); x == nil || !ok {
		if x != nil && x.Tags["ack"] == "" {
			unacknowledged(x, v)
		}
		return
	}
	switch {
	case x.Tags["ended"] != "" || x.Tags["canceled"] != "":
		v.Saw()
	case x.Tags["lost"] != "":
		v.That(false, expected, "the connection ended without one"+withTrigger(r, recording.MarkShutdown), evidence(r, x)...)
		v.Hint("answer open listen requests before the process ends")
	case x.Tags["update"] == "missed":
		v.That(false, expected, "nothing"+withTrigger(r, recording.MarkShutdown)+", and updates no longer come", evidence(r, x)...)
		v.Hint("answer the listen request when its subscription ends")
	default:
		v.Skip(recording.CodeNotExercised, "triggers.shutdown did not end the subscription")
	}
}

// closingResult: the result that ends a subscription names it.
func closingResult(r *recording.Recording, v *Verdict) {
	for _, x := range r.Steps("listen") {
		for _, h := range on(hear(r, x.Session, x.Request), r, x) {
			result := h.msg.Get("result")
			if h.msg.Get("method").Exists() || !result.Exists() {
				continue
			}
			v.That(judge.IsString(result.Get("resultType")), "resultType as a string in the result of subscriptions/listen", "resultType is "+judge.TypeName(result.Get("resultType")), h.frame.Number)
			v.That(sameID(h.subscription(), x), "the id of the listen request, "+string(x.ID)+", as subscriptionId in _meta of its result", "subscriptionId is "+Brief(h.subscription()), h.frame.Number)
		}
	}
}

// onHTTP reports whether every message has a channel of its own.
func onHTTP(r *recording.Recording) bool { return r.Combination.Transport == requirement.HTTP }
