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
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// split tells the updates that a stream brought of the resource that is changed from those of the other
// resource, where it watches that as well: those that name it, or a part of it, and whatever came before
// anything else was changed.
func (s *subscription) split() (own, others messages) {
	for _, h := range s.came(s.first()).of(updated) {
		of := s.ofOther(h.URI())
		switch {
		case s.asksFor(s.other()) && (of || h.Frame.Number <= s.changedAt()):
			others = append(others, h)
		case !of:
			own = append(own, h)
		}
	}
	return own, others
}

// eachWatched: of several resources in one filter every one is watched. Which of them are not shows on a
// stream that does bring the updates of another one.
func eachWatched(r *view, streams []*subscription) {
	_, fired := r.Mark(scenario.MarkOther)
	for _, s := range streams {
		missed, mark := s.other(), scenario.MarkOther
		if !fired || !slices.Contains(s.uris, missed) || related(missed, s.uri()) || s.ended() {
			continue // an update for one that lies below the other may name either
		}
		own, others := s.split()
		heard := len(own)+len(s.inSession().between(r.changedAt(), math.MaxInt)) > 0 // somewhere
		if len(own) > 0 == (len(others) > 0) || !heard || r.LostSession(s.Session) {
			continue // what gets nothing at all is judged elsewhere
		}
		if len(own) == 0 {
			missed, mark = s.uri(), recording.MarkUpdate
		}
		r.Fail(verdict.Several{s.evidence(), own.frames(), others.frames()}, eachOfFilter,
			"none came for %s%s on a stream that brings those of another one", missed, r.WithTrigger(mark)).
			Hint(everyURI)
	}
}

const (
	eachOfFilter = "updates of each resource that the acknowledgment names"
	everyURI     = "compare the URI of the change with every one in the filter of each stream"
	eachStream   = "an update on each stream that watches the resource, "
)

// bearsItsID: every change notification bears the id of its subscription.
func bearsItsID(r *view) {
	told := r.said(r.Watcher(), 0).of(updated, listUpdated)
	for _, h := range told {
		on, its := false, false
		for _, s := range r.streams() {
			if s.Session == h.Frame.Session && (!r.OnHTTP() || s.carries(h)) {
				on, its = true, its || s.is(h.Subscription())
				r.RestsOn(s.Exchange)
			}
		}
		if on { // what comes on no stream at all is judged elsewhere
			r.That(h, its, "subscriptionId in _meta of "+h.Method()+", equal to the id of the listen request",
				"subscriptionId is %v", h.Subscription())
		}
	}
	if len(told) == 0 {
		r.NotExercised("no change was notified")
	}
}

// typeOf is the member of the filter that asks for a notification, by its method.
var typeOf = map[string]string{
	updated:                              "resourceSubscriptions",
	listUpdated:                          "resourcesListChanged",
	"notifications/tools/list_changed":   "toolsListChanged",
	"notifications/prompts/list_changed": "promptsListChanged",
}

// requestedTypes: a stream brings the types of notifications that were requested.
func requestedTypes(r *view) {
	all := r.said(r.Watcher(), 0)
	for s := range r.acked(r.streams("uris", "list", "none")) {
		for _, h := range s.came(0) {
			// Acknowledgments, cancellations, and what belongs to other
			// requests are no types of the filter.
			if m := h.Method(); strings.HasSuffix(m, "/list_changed") || m == updated {
				r.That(h, verdict.Granted(s.Param("notifications."+typeOf[m])),
					"only what the listen request asks for, "+
						judge.Brief(s.Param("notifications")), "%s on this subscription", m).
					Before(s.evidence()).Cause("what was not asked for")
			}
		}
		// What is to stay off the other streams must be seen somewhere.
		other := map[string]string{"uris": listUpdated, "list": updated}[s.Tags[recording.TagName]]
		if other != "" && len(all.of(other)) > 0 {
			r.Holds()
		}
	}
	r.NotExercised("it takes updates and changes of the list, and streams that ask for one of them only")
}

// watchedOnly: updates come for the watched resource, and those below it. Those of another one that was made
// to change count in full. Without any URI in the filter it is the type that was not asked for.
func watchedOnly(r *view) {
	_, fired := r.Mark(scenario.MarkOther)
	for _, s := range r.streams() {
		if s.ack.Frame == nil || len(s.asked()) == 0 {
			continue
		}
		for _, h := range s.came(s.ack.Frame.Number).of(updated) {
			if uri := h.URI(); uri != "" && !s.asksFor(uri) {
				r.Fail(h, "updates for what the filter names and what lies below it",
					"%s for %s, which was not asked for", updated, uri).Before(s.evidence()).
					WarnIf(!fired || uri != s.other())
			}
		}
	}
	if r.Scenario == recording.Listening {
		return
	}
	for _, s := range r.watching() {
		switch {
		case !fired:
		case related(s.other(), s.uri()):
			r.Skip(recording.CodeNeedsConfig, "%s", otherBelow)
		case s.asksFor(s.other()):
		case len(s.came(r.first()).of(updated)) > 0:
			r.Holds()
		default:
			r.NotExercised("no update came for the watched resource either")
		}
	}
}

// streamsApart: two streams for one resource both get its updates, each under its
// own id.
func streamsApart(r *view) {
	streams, asked := r.watching(), r.streams("uris", "off")
	if len(streams) < 2 {
		if len(streams) == 1 && len(asked) == 2 && asked[0] == streams[0] && asked[1].Failed() {
			r.Fail(asked[1], "a second subscription beside the first", "%v", asked[1].Exchange).Warn()
		}
		return
	}
	got := streams[0].inSession()
	missed := func(s *subscription) bool { // what brings updates of another resource is judged elsewhere
		own, others := s.split()
		return len(own)+len(others) == 0
	}
	switch {
	case len(got) == 0:
		r.NotExercised("no update came at all")
		return
	case slices.ContainsFunc(got, func(h heard) bool { return !h.Subscription().Exists() }) && !r.OnHTTP():
		r.NotExercised("the updates do not say which subscription they belong to")
		return
	case slices.ContainsFunc(streams, missed) && r.LostSession(streams[0].Session):
		return
	}
	for _, s := range streams {
		if s.ended() {
			r.NotExercised("the target ended one of the streams")
			continue
		}
		r.That(verdict.Several{s.evidence(), got.frames()}, !missed(s), eachStream+"under its own id",
			"none for the subscription %s, while another one got it", s.ID)
	}
	outlives(streams[0], streams[1])
	apartByClient(streams[1])
}

// outlives: a subscription stands when another one is cancelled.
func outlives(gone, stands *subscription) {
	if gone.Tags[scenario.TagStopped] != "" && !stands.ended() &&
		stands.lapsed(scenario.MarkSilenced, false) {
		gone.warn("updates on a stream that watches the resource, after another one was cancelled",
			"none for the subscription "+string(stands.ID)+gone.WithTrigger(scenario.MarkSilenced)+
				", although they came before the other one ended",
			"an update may be late, and whether the last change was one is not seen",
			"end no subscription but the one that is cancelled",
			stands.evidence(), gone.evidence())
	}
}

// byStream is the hint for servers that take the ids of two clients for one.
const byStream = "keep subscriptions by stream: the ids of two clients have nothing to do with each other"

// apartByClient: a stream that brought updates right before stands beside one of another client that has the
// same id.
func apartByClient(own *subscription) {
	before, at, _ := own.around(scenario.MarkShared)
	if len(own.mine().between(before, at)) == 0 {
		return
	}
	for _, foreign := range own.streams("foreign") {
		if slices.Contains(foreign.uris, own.uri()) {
			bothTold(own, foreign)
		} else if foreign.Failed() {
			own.warn("a subscription of another client beside the first, under the same id",
				matcher.Describe(foreign.Exchange), "", byStream,
				own.evidence(), foreign)
		}
	}
}

// bothTold: where one of two streams brings a change, so does the other one.
func bothTold(own, foreign *subscription) {
	r, untold := own.view, own
	mark, fired := r.Mark(scenario.MarkShared)
	here, there := own.own(own.came(mark.After)), foreign.own(foreign.came(mark.After))
	if len(there) == 0 {
		untold = foreign
	}
	switch {
	case !fired || len(here)+len(there) == 0:
	case len(here) > 0 && len(there) > 0:
		r.Holds()
	case !r.LostSession(untold.Session):
		// A stream that has ended, as it may at any time, may be opened again, and who knows clients by their
		// credentials takes both for one.
		f := r.Frame(foreign.Request)
		authorised := f != nil && f.HTTP != nil && f.HTTP.Header.Get("Authorization") != ""
		r.Fail(verdict.Several{own.evidence(), foreign.evidence(), here.frames(), there.frames()},
			eachStream+"whatever ids other clients use", "none for %s%s on one of two streams of "+
				"different clients, which have the id %s", own.uri(), r.WithTrigger(scenario.MarkShared),
			own.ID).WarnIf(untold.ended() || untold.Succeeded() || authorised).
			Cause("the stream of another client with the same id").Hint(byStream)
	}
}

// afterCancelled is what is expected of a stream that was given up.
const afterCancelled = "silence after notifications/cancelled for a subscription"

// cancelledSilent: nothing is sent for a stream that the client has cancelled.
func cancelledSilent(r *view) {
	streams := r.watching()
	last, fired := r.Mark(scenario.MarkSilenced)
	if len(streams) < 2 || !fired {
		return
	}
	gone, control := streams[0], streams[1]
	stopped, err := strconv.Atoi(gone.Tags[scenario.TagStopped])
	switch {
	case err != nil || gone.ended() || len(gone.mine()) == 0:
		r.NotExercised("the subscription that was cancelled had brought no update before")
		return
	case len(control.inSession().between(last.After, math.MaxInt)) == 0:
		r.NotExercised("no update came after the cancellation on the other stream either")
		return
	}
	given := gone.evidence()
	if i := slices.IndexFunc(r.Frames, func(f wire.Frame) bool {
		return f.Number > stopped && f.Session == gone.Session && f.Dir == wire.Out &&
			strings.Contains(string(f.Raw), "notifications/cancelled")
	}); i >= 0 {
		given = append(given, r.Frames[i].Number)
	}
	for _, h := range gone.came(0) {
		switch {
		case h.Frame.Number > stopped && !h.Get("method").Exists():
			late := "a late result"
			if h.Get("error").Exists() {
				late = "a late error"
			}
			r.Fail(verdict.Several{given, h}, afterCancelled, "%s", late).Warn()
		case h.Frame.Number > last.After:
			r.Fail(verdict.Several{given, h}, afterCancelled, "%s for the subscription %s", h.Method(),
				gone.ID)
		}
	}
	r.Holds()
}

// silentByItself: the same of a target that changes by itself. What comes a while after the answer to a
// request that followed the cancellation was not under way any more.
func silentByItself(r *view) {
	const underWay = 200 * time.Millisecond // long, as our reading may be held up on a busy machine
	settled := r.Step(scenario.StepSettled)
	for _, s := range r.streams("uris") {
		if s.Tags[scenario.TagStopped] == "" || settled == nil || len(settled.Replies) == 0 {
			continue
		}
		since := r.Frame(settled.Replies[0])
		late := func(all messages) messages {
			all = all.of(updated, listUpdated)
			return all.keep(func(h heard) bool { return h.Frame.At-since.At >= underWay })
		}
		if strays := late(s.came(since.Number)); len(strays) > 0 {
			r.Fail(verdict.Several{s.evidence(), settled, strays.frames()}, afterCancelled,
				"%s for the subscription %s", strays[0].Method(), s.ID)
		} else if len(late(r.said(s.Session, since.Number))) > 0 {
			r.Holds()
		}
	}
	r.NotExercised("nothing changed by itself after a subscription was cancelled")
}

// falseFlag: a flag that is false asks for nothing.
func falseFlag(r *view) {
	_, added := r.Mark(scenario.MarkAdd)
	if _, removed := r.Mark(scenario.MarkRemove); !added && !removed {
		return
	}
	for s := range r.acked(r.streams("off")) {
		r.That(s.evidence(), !verdict.Grants(s.ack, "resourcesListChanged"),
			"no resourcesListChanged in the acknowledgment of a request that sets it to false",
			"resourcesListChanged: true")
		strays := s.came(0).of(listUpdated)
		r.That(verdict.Several{s.evidence(), strays.frames()}, len(strays) == 0,
			"no "+listUpdated+" where resourcesListChanged is false", "%s for the subscription %s",
			listUpdated, s.ID)
	}
}

// noListenNoChange: a connection without a listen request hears of no change. Over HTTP whatever comes on the
// stream of another request is judged there.
func noListenNoChange(r *view) {
	const expected = "no change notifications on a connection without a listen request"
	const unasked = " on a connection that did not listen"
	session := r.Role("bystander")
	strays := r.elsewhere(updated, listUpdated).keep(func(h heard) bool {
		return r.unasked(h) && (r.Scenario == recording.Everything || h.Frame.Session == session)
	})
	switch {
	case r.Scenario == recording.Everything:
		for _, h := range strays {
			if !r.OnHTTP() {
				r.Fail(h, expected, "%s%s", h.Method(), unasked)
			}
		}
	case session == "":
		r.NotExercised("there is one session at a time, so nobody can listen beside")
	case len(strays) > 0 && r.OnHTTP(): // each came on the stream of another request
		r.NotExercised("changes are told on the streams of other requests: see HTTP-10")
	case len(strays) > 0:
		r.Fail(strays.frames(), expected, "%s%s", strays[0].Method(), unasked)
	case len(r.said(r.Watcher(), 0).of(updated, listUpdated)) == 0 && len(r.streams()) > 0:
		r.NotExercised("no change was notified on the connection that listens either")
	default:
		r.Holds()
	}
}

// announcedEnd: a target that ends a subscription says so.
func announcedEnd(r *view) {
	const expected = "a result of the listen request (or, on stdio, notifications/cancelled) when the " +
		"target ends a subscription"
	for s := range r.acked(r.streams()) {
		_, fired := r.Mark(markShutdown)
		switch {
		case !fired:
		case s.ended() || s.Tags[tagCanceled] != "":
			r.Holds()
		case r.CutSession(s.Session):
		case s.Tags[tagLost] != "":
			r.Fail(s.evidence(), expected, "the connection ended without one%s", r.WithTrigger(markShutdown)).
				Hint("answer open listen requests before the process ends")
		case s.Tags[tagUpdate] == "missed":
			r.Fail(s.evidence(), expected, "nothing%s, and updates no longer come",
				r.WithTrigger(markShutdown))
		default:
			r.NotExercised("triggers.shutdown did not end the subscription")
		}
	}
}

// closingResult: the result that ends a subscription names it, and does end it.
func closingResult(r *view) {
	for _, s := range r.streams() {
		over := 0 // the first result
		for _, h := range s.came(0) {
			result := h.Get("result")
			if over > 0 && typeOf[h.Method()] != "" {
				r.Fail(verdict.Frames{over, h.Frame.Number}, "no notifications of a subscription that its "+
					"result has closed", "%s for the subscription %s after its result", h.Method(), s.ID).
					Before(s.evidence()).
					Warn("the result closes the stream, but that nothing comes on it any more is only " +
						"recommended").Cause("what follows the result").
					Hint("answer subscriptions/listen when nothing more is to be sent for it, and not before")
				break
			}
			if h.Get("method").Exists() || !result.Exists() {
				continue
			}
			over = cmp.Or(over, h.Frame.Number)
			kind := result.Get("resultType")
			r.That(h, judge.IsString(kind), "resultType as a string in the result of subscriptions/listen",
				"resultType is %s", judge.TypeName(kind))
			s.bearsID(h, "its result", "subscriptionId of the result")
		}
	}
}

// bearsID: a message of a stream bears the id of the listen request.
func (s *subscription) bearsID(h heard, of, cause string) {
	s.That(h, s.is(h.Subscription()),
		"the id of the listen request, "+string(s.ID)+", as subscriptionId in _meta of "+of,
		"subscriptionId is %v", h.Subscription()).Before(verdict.Frames{s.Request}).Cause(cause)
}

// bearsSameID: so does the acknowledgment.
func bearsSameID(s *subscription) {
	s.bearsID(s.ack, "the acknowledgment", "subscriptionId of the acknowledgment")
}
