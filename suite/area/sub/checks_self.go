package sub

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// stillByItself skips what takes a resource that changes by itself, and often.
func stillByItself(r *recording.Recording, v *verdict.Verdict) bool {
	if slices.ContainsFunc(r.Steps(recording.StepUnchanged), func(x *recording.Exchange) bool { return x.Tags[recording.TagName] == "next" }) {
		return false
	}
	v.Skip(recording.CodeNeedsConfig, scenario.NothingChanges)
	return true
}

// toldByItself: a target that tells of the changes of a resource goes on to do so while it is
// subscribed. What happened just before has a name.
func toldByItself(r *recording.Recording, v *verdict.Verdict, happened map[string]string) {
	changeUntold(r, v)
	if stillByItself(r, v) {
		return
	}
	for _, before := range r.Steps(recording.StepUnchanged) {
		what, asked := happened[before.Tags[recording.TagName]]
		if !asked {
			continue
		}
		if before.Tags[recording.TagHeard] != "" {
			v.Holds()
			continue
		}
		if later := changedSince(r, before); later != nil && !verdict.LostSession(r, v, before.Session) {
			v.Fail(verdict.Finding{
				Expected: verdict.Updated + " for " + before.Tags[recording.TagURI] +
					", which is subscribed and changes by itself, as before",
				Actual: "none came any more, although other contents are read, " + what,
				Frames: append(before.Evidence(), later.Evidence()...),
				Warn:   true,
				Downgraded: "that its contents were changed, and not made for each read, is seen from " +
					"outside only by two reads that yield the same",
				Hint: "keep a set of subscribed URIs for each session, to which a subscription adds, " +
					"and out of which only its own end takes",
			})
		}
	}
}

// changeUntold remarks upon a resource that is subscribed and changes by itself, without a word. It is no
// more than a remark, as an update may be late, and comprise several changes.
func changeUntold(r *recording.Recording, v *verdict.Verdict) {
	for _, before := range r.Steps(recording.StepUnchanged) {
		said, asked := map[string]string{"untold": "no update", "once": "no further update"}[before.Tags[recording.TagName]]
		if later := changedSince(r, before); asked && later != nil && before.Tags[recording.TagHeard] == "" {
			v.Observe("change-untold", said+" of "+before.Tags[recording.TagURI]+" came within a second, although it is subscribed, and reads meanwhile yield other contents",
				append(before.Evidence(), later.Evidence()...)...)
		}
	}
}

// givenUpByThen: what was subscribed as well, and was given up, brings no updates when another resource changes.
func givenUpByThen(r *recording.Recording, v *verdict.Verdict) {
	if stillByItself(r, v) {
		return
	}
	strays := map[string][]int{}
	for _, x := range r.Steps(recording.StepUnsubscribe) {
		uri := x.Tags[recording.TagURI]
		if !x.Succeeded() || len(x.Replies) == 0 || related(uri, r.Step(recording.StepUnchanged).Tags[recording.TagURI]) {
			continue
		}
		since := r.Frame(x.Replies[0])
		for _, h := range verdict.Only(verdict.Hear(r, x.Session, since.Number), verdict.Updated) {
			if h.URI() == uri && h.Frame.At-since.At > underWay {
				strays[uri] = append(strays[uri], h.Frame.Number)
			}
		}
	}
	tellStrays(strays, "what is subscribed and what lies below it", v)
	v.Holds()
}

// changedSince is a read that yields other contents than one before, and the same as the read next to it: what
// is made anew for each read, such as the time, is no change of the resource. It is nil if there is none.
func changedSince(r *recording.Recording, before *recording.Exchange) *recording.Exchange {
	old, last := contentsOf(before), ""
	for _, x := range r.Steps(recording.StepLater) {
		if x.Tags[recording.TagName] != before.Tags[recording.TagName] {
			continue
		}
		now := contentsOf(x)
		if old != "" && now != "" && now == last && now != old {
			return x
		}
		last = now
	}
	return nil
}

// silentByThen: what changes by itself, and is no longer subscribed, brings no more updates. That it does
// is said of all sessions together.
func silentByThen(r *recording.Recording, v *verdict.Verdict) {
	if stillByItself(r, v) {
		return
	}
	settled := r.Step(recording.StepSettled)
	from, began := r.Mark(recording.MarkSilenced)
	until, ended := r.Mark(recording.MarkSilenceHeard)
	if settled == nil || !settled.Succeeded() || !began || !ended {
		v.NotExercised("the subscription of what changes by itself could not be given up")
		return
	}
	if !slices.ContainsFunc(verdict.Only(verdict.Hear(r, settled.Session, from.After), verdict.Updated), func(h verdict.Heard) bool {
		return h.Frame.Number <= until.After && h.Frame.At-from.At > underWay
	}) {
		v.Holds()
	}
}

// apartByThemselves: of several streams that watch a resource which changes by itself, each gets its updates.
func apartByThemselves(r *recording.Recording, v *verdict.Verdict) {
	v.Skip(recording.CodeNeedsConfig, "no resource that several streams watch changed by itself again and again: say in the target file how to make one change (triggers.update)")
	byThemselves(r, func(uri string, most []verdict.Heard, x *recording.Exchange, its, others []verdict.Heard) {
		if len(its)+len(others) > 0 { // which of its resources are watched is judged elsewhere
			v.Holds()
		} else if !verdict.LostSession(r, v, x.Session) {
			v.Fail(verdict.Finding{
				Expected: "an update on each stream that watches the resource, under its own id",
				Actual: strconv.Itoa(len(most)) + " for " + uri +
					" on another stream, and none for the subscription " + string(x.ID),
				Frames: append(verdict.Evidence(r, x), verdict.FrameNumbers(most)...),
				Hint: "keep filter and id with each subscription, and send an update on every stream " +
					"that watches the resource",
			})
		}
	})
}

// eachByItself: of several resources in one filter that change by themselves every one is watched.
func eachByItself(r *recording.Recording, v *verdict.Verdict) {
	changeUntold(r, v)
	v.Skip(recording.CodeNeedsConfig, "no resource that several streams watch changed by itself again and again: say in the target file how to make one change (triggers.update)")
	byThemselves(r, func(uri string, most []verdict.Heard, x *recording.Exchange, its, others []verdict.Heard) {
		if len(its) > 0 {
			v.Holds()
		} else if comesAgain(others) && !verdict.LostSession(r, v, x.Session) { // what gets nothing at all is judged elsewhere
			v.Fail(verdict.Finding{
				Expected: "updates of each resource that the acknowledgment names",
				Actual: strconv.Itoa(len(most)) + " for " + uri +
					" on another stream, and none for the subscription " + string(x.ID) +
					", which brings those of another resource",
				Frames: append(verdict.Evidence(r, x), verdict.FrameNumbers(append(others, most...))...),
				Hint:   "compare the URI of the change with every one in the filter of each stream",
			})
		}
	})
}

// comesAgain reports whether updates tell of the same resource twice: a stream on which they do is not merely behind, or
// bounded in how much it brings at a time.
func comesAgain(all []verdict.Heard) bool {
	seen := map[string]bool{}
	return slices.ContainsFunc(all, func(h verdict.Heard) bool {
		again := seen[h.URI()]
		seen[h.URI()] = true
		return again
	})
}

// byThemselves calls a function for each resource that several streams watch and of which updates came again and again on
// one of them: with these and, for each stream, with its own updates of it, or of what it is related to, and of other resources.
func byThemselves(r *recording.Recording, judge func(uri string, most []verdict.Heard, x *recording.Exchange, its, others []verdict.Heard)) {
	watching := map[string][]*recording.Exchange{}
	since := 0 // all streams that are looked at stand
	for _, x := range verdict.StreamsNamed(r, "full", "uris", "unsupported") {
		ack, ok := verdict.AckOf(r, x)
		if !ok || x.Tags[recording.TagEnded] != "" || x.Tags[recording.TagStopped] != "" {
			continue
		}
		since = max(since, ack.Frame.Number)
		for _, uri := range ack.Msg.Get("params.notifications.resourceSubscriptions").Array() {
			watching[uri.Str] = append(watching[uri.Str], x)
		}
	}
	updates := func(x *recording.Exchange, fits func(uri string) bool) []verdict.Heard {
		return recording.Keep(verdict.Only(on(verdict.Hear(r, x.Session, since), r, x), verdict.Updated), func(h verdict.Heard) bool { return fits(h.URI()) })
	}
	for _, uri := range slices.Sorted(maps.Keys(watching)) {
		var most []verdict.Heard
		for _, x := range watching[uri] {
			if its := updates(x, func(of string) bool { return of == uri }); len(its) > len(most) {
				most = its
			}
		}
		const apart = 50 * time.Millisecond // that long the same update may take longer on another connection
		if len(watching[uri]) < 2 || len(most) < 2 || most[len(most)-1].Frame.At-most[0].Frame.At < apart {
			continue
		}
		for _, x := range watching[uri] {
			judge(uri, most, x, updates(x, func(of string) bool { return related(of, uri) }), updates(x, func(of string) bool { return !related(of, uri) }))
		}
	}
}
