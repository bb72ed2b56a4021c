package sub

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// The checks of basic/patterns/subscriptions (2026-07-28) on streams while the
// target is made to change, and while it ends them.
var subChangesChecks = []verdict.Check{
	{Requirement: "SUB-28", From: []recording.Name{recording.Changes, recording.Listening},
		Needs: verdict.Subscribe,
		Judge: verdict.InScenario(recording.Listening, eachByItself, watchedUpdate)},
	{Requirement: "SUB-29", From: []recording.Name{recording.Changes, recording.Listening}, Needs: listenable,
		Judge: bearsItsID},
	{Requirement: "SUB-30", From: []recording.Name{recording.Changes, recording.Listening}, Needs: listenable,
		Judge: requestedTypes},
	{Requirement: "SUB-31", From: []recording.Name{recording.Changes, recording.Listening},
		Needs: verdict.Subscribe, Judge: watchedOnly},
	{Requirement: "SUB-32", From: []recording.Name{recording.Changes, recording.Listening},
		Needs: verdict.Subscribe,
		Judge: verdict.InScenario(recording.Listening, apartByThemselves, streamsApart)},
	{Requirement: "SUB-33", From: []recording.Name{recording.Changes, recording.Listening},
		Needs: verdict.Subscribe,
		Judge: verdict.InScenario(recording.Listening, silentByItself, cancelledSilent)},
	{Requirement: "SUB-42", From: []recording.Name{recording.Changes},
		Needs: slices.Concat(verdict.Subscribe, verdict.ListChanged), Judge: falseFlag},
	{Requirement: "SUB-43", From: []recording.Name{recording.Changes, recording.Everything}, With: []recording.Name{recording.Listening}, Judge: noListenNoChange},
	{Requirement: "SUB-34", From: []recording.Name{Shutdown}, Judge: announcedEnd},
	{Requirement: "SUB-35", From: []recording.Name{Shutdown, recording.Listening, recording.Changes}, Judge: closingResult},
}

// watchers are the streams of a recording of changes whose acknowledgment grants
// updates for the resource that is changed, and what the watching session heard
// since. Where there are none the verdict says why.
func watchers(r *recording.Recording, v *verdict.Verdict) (streams []*recording.Exchange, all []verdict.Heard) {
	mark, fired := r.Mark(recording.MarkUpdate)
	asked := verdict.StreamsNamed(r, "uris", "off")
	if len(asked) == 0 || !fired {
		v.Expect(nil)
		return nil, nil
	}
	for _, x := range asked {
		ack, ok := verdict.AckOf(r, x)
		switch {
		case !ok:
			verdict.Unacknowledged(x, v)
		case !grantsURI(ack, x.Tags[recording.TagURI]):
			v.Skip(recording.CodeNeedsConfig, "the target does not let "+x.Tags[recording.TagURI]+" be watched: name another resource in triggers.update")
		default:
			streams = append(streams, x)
		}
	}
	return streams, verdict.Hear(r, asked[0].Session, first(r, mark.After))
}

// mine keeps the updates of the resource that is changed, or of one related to
// it: all but those of the other resource and its parts.
func mine(all []verdict.Heard, x *recording.Exchange) []verdict.Heard {
	return slices.DeleteFunc(verdict.Only(all, verdict.Updated), func(h verdict.Heard) bool { return ofOther(h, x) })
}

// ofOther reports whether an update is about the other resource, or a part of it.
func ofOther(h verdict.Heard, x *recording.Exchange) bool {
	other := x.Tags[recording.TagOther]
	return other != "" && strings.HasPrefix(h.URI(), other) && !strings.HasPrefix(h.URI(), x.Tags[recording.TagURI])
}

// watchedUpdate: the change of a watched resource is notified.
func watchedUpdate(r *recording.Recording, v *verdict.Verdict) {
	streams, all := watchers(r, v)
	if len(streams) == 0 {
		return
	}
	x := streams[0]
	switch {
	case len(mine(all, x)) > 0:
		if namesChanged(r, x, mine(all, x), v) {
			v.Holds()
			eachWatched(r, streams, all, v)
		}
	case verdict.LostSession(r, v, x.Session):
	case !slices.ContainsFunc(streams, func(x *recording.Exchange) bool { return x.Tags[recording.TagEnded] == "" }):
		v.NotExercised("the target ended the streams before the resource was changed")
	default:
		v.Fail(verdict.Finding{
			Expected: verdict.Updated + " after triggers.update has changed the watched resource",
			Actual: "none came for " + x.Tags[recording.TagURI] +
				verdict.WithTrigger(r, recording.MarkUpdate),
			Frames: verdict.Evidence(r, x),
			Hint:   "send " + verdict.Updated + " on every stream whose acknowledgment names the resource",
		})
	}
}

// eachWatched: of several resources in one filter every one is watched. Which of them are not shows on a stream
// that does bring the updates of another one.
func eachWatched(r *recording.Recording, streams []*recording.Exchange, all []verdict.Heard, v *verdict.Verdict) {
	_, fired := r.Mark(recording.MarkOther)
	for _, x := range streams {
		other, changed := x.Tags[recording.TagOther], x.Tags[recording.TagURI]
		if ack, _ := verdict.AckOf(r, x); !fired || !grantsURI(ack, other) || related(other, changed) || x.Tags[recording.TagEnded] != "" {
			continue // an update for one that lies below the other may name either
		}
		others := otherUpdates(r, on(all, r, x), x)
		own := slices.DeleteFunc(mine(on(all, r, x), x), func(h verdict.Heard) bool { return slices.Contains(verdict.FrameNumbers(others), h.Frame.Number) })
		missed, mark := other, recording.MarkOther
		if len(own) == 0 {
			missed, mark = changed, recording.MarkUpdate
		}
		heard := len(own) > 0 || cameBetween(mine(all, x), sinceMark(r, recording.MarkUpdate, 0), math.MaxInt) // somewhere
		if len(own) > 0 == (len(others) > 0) || !heard || verdict.LostSession(r, v, x.Session) {
			continue // what gets nothing at all is judged elsewhere
		}
		v.Fail(verdict.Finding{
			Expected: "updates of each resource that the acknowledgment names",
			Actual: "none came for " + missed + verdict.WithTrigger(r, mark) +
				" on a stream that brings those of another one",
			Frames: append(verdict.Evidence(r, x), verdict.FrameNumbers(append(own, others...))...),
			Hint:   "compare the URI of the change with every one in the filter of each stream",
		})
	}
}

// otherUpdates keeps the updates of the other resource, where a stream watches it as well: those that name it, or a part of it,
// and whatever came before anything else was changed.
func otherUpdates(r *recording.Recording, all []verdict.Heard, x *recording.Exchange) []verdict.Heard {
	return recording.Keep(verdict.Only(all, verdict.Updated), func(h verdict.Heard) bool {
		return asksFor(x, x.Tags[recording.TagOther]) && (ofOther(h, x) || h.Frame.Number <= sinceMark(r, recording.MarkUpdate, 0))
	})
}

// bearsItsID: every change notification bears the id of its subscription.
func bearsItsID(r *recording.Recording, v *verdict.Verdict) {
	session := verdict.WatcherOf(r)
	streams := r.Steps(recording.StepListen)
	for _, h := range verdict.Only(verdict.Hear(r, session, 0), verdict.Updated, verdict.ListUpdated) {
		own := slices.DeleteFunc(slices.Clone(streams), func(x *recording.Exchange) bool {
			return x.Session != h.Frame.Session || onHTTP(r) && len(on([]verdict.Heard{h}, r, x)) == 0
		})
		if len(own) == 0 {
			continue // on no stream at all: that is judged elsewhere
		}
		v.That(slices.ContainsFunc(own, func(x *recording.Exchange) bool { return sameID(h.Subscription(), x) }),
			"subscriptionId in _meta of "+h.Method()+", equal to the id of the listen request", "subscriptionId is "+judge.Brief(h.Subscription()), h.Frame.Number)
	}
	if len(verdict.Only(verdict.Hear(r, session, 0), verdict.Updated, verdict.ListUpdated)) == 0 {
		v.NotExercised("no change was notified")
	}
}

// typeOf is the member of the filter that asks for a notification.
func typeOf(method string) string {
	switch method {
	case verdict.Updated:
		return "resourceSubscriptions"
	case verdict.ListUpdated:
		return "resourcesListChanged"
	case "notifications/tools/list_changed":
		return "toolsListChanged"
	case "notifications/prompts/list_changed":
		return "promptsListChanged"
	}
	return ""
}

// requestedTypes: a stream brings the types of notifications that were requested.
func requestedTypes(r *recording.Recording, v *verdict.Verdict) {
	all := verdict.Hear(r, verdict.WatcherOf(r), 0)
	// What is to stay off the other streams must be seen somewhere.
	seen := map[string]bool{verdict.Updated: len(verdict.Only(all, verdict.Updated)) > 0, verdict.ListUpdated: len(verdict.Only(all, verdict.ListUpdated)) > 0}
	for _, x := range verdict.StreamsNamed(r, "uris", "list", "none") {
		if _, ok := verdict.AckOf(r, x); !ok {
			verdict.Unacknowledged(x, v)
			continue
		}
		for _, h := range on(all, r, x) {
			// Acknowledgments, cancellations, and what belongs to other
			// requests are no types of the filter.
			if m := h.Method(); strings.HasSuffix(m, "/list_changed") || m == verdict.Updated {
				v.FailUnless(verdict.Granted(x.Param("notifications."+typeOf(m))), verdict.Finding{
					Expected: "only what the listen request asks for, " +
						judge.Brief(x.Param("notifications")),
					Actual: m + " on this subscription",
					Frames: []int{h.Frame.Number},
					Cause:  "what was not asked for",
				})
			}
		}
		if x.Tags[recording.TagName] == "uris" && seen[verdict.ListUpdated] || x.Tags[recording.TagName] == "list" && seen[verdict.Updated] {
			v.Holds()
		}
	}
	v.NotExercised("it takes updates and changes of the list, and streams that ask for one of them only")
}

// watchedOnly: updates come for the watched resource, and those below it.
func watchedOnly(r *recording.Recording, v *verdict.Verdict) {
	if r.Scenario == recording.Listening {
		watchedStreams(r, v)
		return
	}
	streams, all := watchers(r, v)
	_, fired := r.Mark(recording.MarkOther)
	for _, x := range streams {
		got := verdict.Only(on(all, r, x), verdict.Updated)
		for _, h := range got {
			if h.URI() != "" && !asksFor(x, h.URI()) {
				v.Fail(verdict.Finding{
					Expected: "updates for what the filter names and what lies below it",
					Actual:   verdict.Updated + " for " + h.URI() + ", which was not asked for",
					Frames:   []int{h.Frame.Number},
					Warn:     !(fired && h.URI() == x.Tags[recording.TagOther]),
				})
			}
		}
		switch {
		case !fired:
			v.Expect(nil)
		case related(x.Tags[recording.TagOther], x.Tags[recording.TagURI]):
			v.Skip(recording.CodeNeedsConfig, "one of the resources of triggers.update and triggers.update-other lies below the other")
		case asksFor(x, x.Tags[recording.TagOther]):
		case len(got) > 0:
			v.Holds()
		default:
			v.NotExercised("no update came for the watched resource either")
		}
	}
}

// streamsApart: two streams for one resource both get its updates, each under its
// own id.
func streamsApart(r *recording.Recording, v *verdict.Verdict) {
	streams, all := watchers(r, v)
	asked := verdict.StreamsNamed(r, "uris", "off")
	if len(streams) == 1 && len(asked) == 2 {
		if x := asked[1]; asked[0] == streams[0] && x.Failed() {
			v.WarnUnless(false, "a second subscription beside the first", matcher.Describe(x), x.Evidence()...)
		}
		return
	}
	if len(streams) < 2 {
		return
	}
	got := mine(all, streams[0])
	if len(got) == 0 {
		v.NotExercised("no update came at all")
		return
	}
	if slices.ContainsFunc(got, func(h verdict.Heard) bool { return !h.Subscription().Exists() }) && !onHTTP(r) {
		v.NotExercised("the updates do not say which subscription they belong to")
		return
	}
	missed := func(x *recording.Exchange) bool { // what brings updates of another resource is judged elsewhere
		return len(mine(on(all, r, x), x)) == 0 && len(otherUpdates(r, on(all, r, x), x)) == 0
	}
	if slices.ContainsFunc(streams, missed) && verdict.LostSession(r, v, streams[0].Session) {
		return
	}
	for _, x := range streams {
		if x.Tags[recording.TagEnded] != "" {
			v.NotExercised("the target ended one of the streams")
			continue
		}
		v.That(!missed(x), "an update on each stream that watches the resource, under its own id", "none for the subscription "+string(x.ID)+", while another one got it", verdict.Evidence(r, x)...)
	}
	outlives(r, streams[0], streams[1], all, v)
	apartByClient(r, streams[1], all, v)
}

// outlives: a subscription stands when another one is cancelled.
func outlives(r *recording.Recording, gone, stands *recording.Exchange, all []verdict.Heard, v *verdict.Verdict) {
	last, fired := r.Mark(recording.MarkSilenced)
	got := mine(on(all, r, stands), stands)
	if !fired || gone.Tags[recording.TagStopped] == "" || stands.Tags[recording.TagEnded] != "" || len(got) == 0 || cameBetween(got, last.After, sinceMark(r, recording.MarkShared, math.MaxInt)) || verdict.LostSession(r, v, stands.Session) {
		return
	}
	v.Fail(verdict.Finding{
		Expected: "updates on a stream that watches the resource, after another one was cancelled",
		Actual: "none for the subscription " + string(stands.ID) +
			verdict.WithTrigger(r, recording.MarkSilenced) +
			", although they came before the other one ended",
		Frames:     append(verdict.Evidence(r, stands), verdict.Evidence(r, gone)...),
		Warn:       true,
		Downgraded: "an update may be late, and whether the last change was one is not seen",
		Hint:       "end no subscription but the one that is cancelled",
	})
}

// byStream is what those are told who take the ids of two clients for one.
const byStream = "keep subscriptions by stream: the ids of two clients have nothing to do with each other"

// apartByClient: a stream that brought updates right before stands beside one of another client that has the same id.
func apartByClient(r *recording.Recording, own *recording.Exchange, all []verdict.Heard, v *verdict.Verdict) {
	if !cameBetween(mine(on(all, r, own), own), sinceMark(r, recording.MarkSilenced, 0), sinceMark(r, recording.MarkShared, math.MaxInt)) {
		return
	}
	for _, foreign := range verdict.StreamsNamed(r, "foreign") {
		if ack, ok := verdict.AckOf(r, foreign); ok && grantsURI(ack, own.Tags[recording.TagURI]) {
			bothTold(r, own, foreign, v)
		} else if foreign.Failed() {
			v.Fail(verdict.Finding{
				Expected: "a subscription of another client beside the first, under the same id",
				Actual:   matcher.Describe(foreign),
				Frames:   append(verdict.Evidence(r, own), foreign.Evidence()...),
				Warn:     true,
				Hint:     byStream,
			})
		}
	}
}

// bothTold: where one of two streams is told of a change, the other one is as well.
func bothTold(r *recording.Recording, own, foreign *recording.Exchange, v *verdict.Verdict) {
	mark, fired := r.Mark(recording.MarkShared)
	here, there := mine(on(verdict.Hear(r, own.Session, mark.After), r, own), own), mine(on(verdict.Hear(r, foreign.Session, mark.After), r, foreign), foreign)
	untold := own
	if len(there) == 0 {
		untold = foreign
	}
	switch {
	case !fired || len(here)+len(there) == 0:
	case len(here) > 0 && len(there) > 0:
		v.Holds()
	case !verdict.LostSession(r, v, untold.Session):
		// A stream that has ended, as it may at any time, may be opened again, and who knows clients by their credentials takes both for one.
		v.Fail(verdict.Finding{
			Expected: "an update on each stream that watches the resource, whatever ids other clients use",
			Actual: "none for " + own.Tags[recording.TagURI] + verdict.WithTrigger(r, recording.MarkShared) +
				" on one of two streams of different clients, which have the id " + string(own.ID),
			Frames: append(append(verdict.Evidence(r, own), verdict.Evidence(r, foreign)...),
				verdict.FrameNumbers(append(here, there...))...),
			Warn: !(untold.Tags[recording.TagEnded] == "" && !untold.Succeeded() &&
				!authorised(r, foreign)),
			Cause: "the stream of another client with the same id",
			Hint:  byStream,
		})
	}
}

// authorised reports whether a request was sent with credentials.
func authorised(r *recording.Recording, x *recording.Exchange) bool {
	f := r.Frame(x.Request)
	return f != nil && f.HTTP != nil && f.HTTP.Header.Get("Authorization") != ""
}

// cancelledSilent: nothing is sent for a stream that the client has cancelled.
func cancelledSilent(r *recording.Recording, v *verdict.Verdict) {
	streams, all := watchers(r, v)
	last, fired := r.Mark(recording.MarkSilenced)
	if len(streams) < 2 || !fired {
		v.Expect(nil)
		return
	}
	gone, control := streams[0], streams[1]
	stopped, err := strconv.Atoi(gone.Tags[recording.TagStopped])
	late := slices.DeleteFunc(slices.Clone(all), func(h verdict.Heard) bool { return h.Frame.Number <= last.After })
	switch {
	case err != nil || gone.Tags[recording.TagEnded] != "" || len(mine(on(all, r, gone), gone)) == 0:
		v.NotExercised("the subscription that was cancelled had brought no update before")
		return
	case len(mine(late, control)) == 0:
		v.NotExercised("no update came after the cancellation on the other stream either")
		return
	}
	for _, h := range on(all, r, gone) {
		switch {
		case h.Frame.Number > stopped && !h.Msg.Get("method").Exists():
			late := "a late result"
			if h.Msg.Get("error").Exists() {
				late = "a late error"
			}
			v.WarnUnless(false, "silence after notifications/cancelled for a subscription", late, h.Frame.Number)
		case h.Frame.Number > last.After:
			v.That(false, "silence after notifications/cancelled for a subscription", h.Method()+" for the subscription "+string(gone.ID), h.Frame.Number)
		}
	}
	v.Holds()
}

// silentByItself: the same of a target that changes by itself. What comes a while after the answer to a
// request that followed the cancellation was not under way any more.
func silentByItself(r *recording.Recording, v *verdict.Verdict) {
	const underWay = 200 * time.Millisecond // long, as our reading may be held up on a busy machine
	settled := r.Step(recording.StepSettled)
	for _, x := range verdict.StreamsNamed(r, "uris") {
		if x.Tags[recording.TagStopped] == "" || settled == nil || len(settled.Replies) == 0 {
			continue
		}
		since := r.Frame(settled.Replies[0])
		late := slices.DeleteFunc(verdict.Only(verdict.Hear(r, x.Session, since.Number), verdict.Updated, verdict.ListUpdated),
			func(h verdict.Heard) bool { return h.Frame.At-since.At < underWay })
		strays := on(late, r, x)
		if len(strays) > 0 {
			v.That(false, "silence after notifications/cancelled for a subscription", strays[0].Method()+" for the subscription "+string(x.ID),
				append(append(verdict.Evidence(r, x), settled.Evidence()...), verdict.FrameNumbers(strays)...)...)
		} else if len(late) > 0 {
			v.Holds()
		}
	}
	v.NotExercised("nothing changed by itself after a subscription was cancelled")
}

// falseFlag: a flag that is false asks for nothing.
func falseFlag(r *recording.Recording, v *verdict.Verdict) {
	_, added := r.Mark(recording.MarkAdd)
	_, removed := r.Mark(recording.MarkRemove)
	if !added && !removed {
		v.Expect(nil)
		return
	}
	all := verdict.Only(verdict.Hear(r, verdict.WatcherOf(r), 0), verdict.ListUpdated)
	for _, x := range verdict.StreamsNamed(r, "off") {
		ack, ok := verdict.AckOf(r, x)
		if !ok {
			verdict.Unacknowledged(x, v)
			continue
		}
		v.That(!verdict.Grants(ack, "resourcesListChanged"), "no resourcesListChanged in the acknowledgment of a request that sets it to false", "resourcesListChanged: true", verdict.Evidence(r, x)...)
		strays := on(all, r, x)
		v.That(len(strays) == 0, "no "+verdict.ListUpdated+" where resourcesListChanged is false", verdict.ListUpdated+" for the subscription "+string(x.ID), verdict.FrameNumbers(strays)...)
	}
}

// noListenNoChange: a connection without a listen request hears of no change.
func noListenNoChange(r *recording.Recording, v *verdict.Verdict) {
	if r.Scenario == recording.Everything {
		unlistened(r, v)
		return
	}
	session := bystanderOf(r)
	strays := verdict.Only(verdict.Hear(r, session, 0), verdict.Updated, verdict.ListUpdated)
	for _, x := range verdict.StreamsNamed(r, "foreign") { // from then on it listens
		strays = slices.DeleteFunc(strays, func(h verdict.Heard) bool { return h.Frame.Number > x.Request })
	}
	switch {
	case session == "":
		v.NotExercised("there is one session at a time, so nobody can listen beside")
	case len(strays) > 0 && onHTTP(r): // each came on the stream of another request
		v.NotExercised("changes are told on the streams of other requests: see HTTP-10")
	case len(strays) > 0:
		v.That(false, "no change notifications on a connection without a listen request", strays[0].Method()+" on a connection that did not listen", verdict.FrameNumbers(strays)...)
	case len(verdict.Only(verdict.Hear(r, verdict.WatcherOf(r), 0), verdict.Updated, verdict.ListUpdated)) == 0 && len(r.Steps(recording.StepListen)) > 0:
		v.NotExercised("no change was notified on the connection that listens either")
	default:
		v.Holds()
	}
}

// announcedEnd: a target that ends a subscription says so.
func announcedEnd(r *recording.Recording, v *verdict.Verdict) {
	const expected = "a result of the listen request (or, on stdio, notifications/cancelled) when the target ends a subscription"
	x := r.Step(recording.StepListen)
	if _, ok := r.Mark(markShutdown); x == nil || !ok {
		if x != nil && x.Tags[recording.TagAck] == "" {
			verdict.Unacknowledged(x, v)
		}
		return
	}
	switch {
	case x.Tags[recording.TagEnded] != "" || x.Tags[tagCanceled] != "":
		v.Holds()
	case verdict.CutSession(r, v, x.Session):
	case x.Tags[tagLost] != "":
		v.Fail(verdict.Finding{
			Expected: expected,
			Actual:   "the connection ended without one" + verdict.WithTrigger(r, markShutdown),
			Frames:   verdict.Evidence(r, x),
			Hint:     "answer open listen requests before the process ends",
		})
	case x.Tags[tagUpdate] == "missed":
		v.That(false, expected, "nothing"+verdict.WithTrigger(r, markShutdown)+", and updates no longer come", verdict.Evidence(r, x)...)
	default:
		v.NotExercised("triggers.shutdown did not end the subscription")
	}
}

// closingResult: the result that ends a subscription names it, and does end it.
func closingResult(r *recording.Recording, v *verdict.Verdict) {
	for _, x := range r.Steps(recording.StepListen) {
		over := 0 // the first result
		for _, h := range on(verdict.Hear(r, x.Session, x.Request), r, x) {
			result := h.Msg.Get("result")
			if over > 0 && typeOf(h.Method()) != "" {
				v.Fail(verdict.Finding{
					Expected: "no notifications of a subscription that its result has closed",
					Actual:   h.Method() + " for the subscription " + string(x.ID) + " after its result",
					Frames:   []int{over, h.Frame.Number},
					Warn:     true,
					Cause:    "what follows the result",
					Downgraded: "the result closes the stream, but that nothing comes on it any more is " +
						"only recommended",
					Hint: "answer subscriptions/listen when nothing more is to be sent for it, and " +
						"not before",
				})
				break
			}
			if h.Msg.Get("method").Exists() || !result.Exists() {
				continue
			}
			over = cmp.Or(over, h.Frame.Number)
			v.That(judge.IsString(result.Get("resultType")), "resultType as a string in the result of subscriptions/listen", "resultType is "+judge.TypeName(result.Get("resultType")), h.Frame.Number)
			v.FailUnless(sameID(h.Subscription(), x), verdict.Finding{
				Expected: "the id of the listen request, " + string(x.ID) +
					", as subscriptionId in _meta of its result",
				Actual: "subscriptionId is " + judge.Brief(h.Subscription()),
				Frames: []int{h.Frame.Number},
				Cause:  "subscriptionId of the result",
			})
		}
	}
}

// onHTTP reports whether every message has a channel of its own.
func onHTTP(r *recording.Recording) bool { return r.Combination.Transport == requirement.HTTP }
