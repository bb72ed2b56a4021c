package sub

import (
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// verb says in a word what a client does with a resource.
func (r *view) verb() string {
	if r.Modern() {
		return "watched"
	}
	return "subscribed"
}

// watching lists the subscriptions to the resource that is changed. The verdict says why there are none.
func (r *view) watching() []*subscription {
	asked := append(r.by(recording.StepSubscribe), r.streams("uris", "off")...)
	if _, fired := r.Mark(recording.MarkUpdate); !fired {
		return nil
	}
	return recording.Keep(asked, func(s *subscription) bool {
		switch {
		case s.ack.Frame == nil && r.Modern():
			r.Unacknowledged(s.Exchange)
		case !r.Modern() && (r.sessionless(s.Exchange) || !r.Answered(s.Exchange)):
		case slices.Contains(s.uris, s.uri()) && (s.Succeeded() || r.Modern()):
			return true
		default:
			r.Skip(recording.CodeNeedsConfig, "the target does not let %s be %s: name another resource in "+
				"triggers.update", s.uri(), r.verb())
		}
		return false
	})
}

// subscribed is the confirmed subscription of the watcher; nil, and the verdict says why, if there is none.
func (r *view) subscribed() *subscription {
	for _, s := range r.watching() {
		return s
	}
	return nil
}

// updateArrives: the change of a subscribed resource is notified. On which of several streams is SUB-32's.
func updateArrives(r *view) {
	expected := updated + " after triggers.update has changed the " + r.verb() + " resource"
	streams := r.watching()
	if len(streams) == 0 {
		return
	}
	s := streams[0]
	why, none := r.NoChannel(s.Session)
	switch {
	case len(s.inSession()) > 0:
		if namesChanged(s) {
			r.Holds()
			eachWatched(r, streams)
			stillUpdated(s)
			besideOthers(s)
			sharedWith(s)
		}
	case r.LostSession(s.Session):
	case !slices.ContainsFunc(streams, func(s *subscription) bool { return !s.ended() }):
		r.NotExercised("the target ended the streams before the resource was changed")
	case none:
		r.warn(expected, "none came"+r.WithTrigger(recording.MarkUpdate)+": "+why, "",
			"answer GET with an event stream, or do not declare resources.subscribe", s.evidence())
	default:
		r.Fail(s.evidence(), expected, "%s", s.none(recording.MarkUpdate))
	}
}

// namesChanged: of the updates that come when a resource is changed, one names it, or what lies below it, in
// whatever spelling. One that does not say what it is about is judged elsewhere.
func namesChanged(s *subscription) bool {
	spelt := func(uri string) string {
		if plain, err := url.PathUnescape(uri); err == nil {
			uri = plain
		}
		return strings.TrimRight(strings.ToLower(uri), "/")
	}
	updates, changed := s.inSession(), spelt(s.uri())
	if slices.ContainsFunc(updates, func(h heard) bool {
		named := spelt(h.URI())
		return named == "" || len(named) >= len(changed) && related(named, changed)
	}) {
		return true
	}
	s.warn(updated+" that names the resource that was changed, or one below it",
		"updates came for "+verdict.Quoted(updates[0].URI())+" only, while "+s.uri()+
			" is what was subscribed"+s.WithTrigger(recording.MarkUpdate),
		"how the URI of a sub-resource relates to the one that was subscribed is the server's business, "+
			"but nothing shows that these do",
		"put the URI of the resource that has changed into params.uri, as it was subscribed",
		s, updates.frames())
	return false
}

// stillUpdated: who subscribes what is subscribed stays subscribed.
func stillUpdated(s *subscription) {
	if s.lapsed(scenario.MarkDoubled, true) {
		s.warn(updated+" after a resource that was subscribed twice has changed",
			s.none(scenario.MarkDoubled)+", although they came before the second subscription",
			"what a second subscription does is not specified, but both were confirmed",
			"let a second subscription to the same resource change nothing",
			s.evidence(scenario.StepSubscribeAgain))
	}
}

// besideOthers: who reads what is subscribed, subscribes another resource as well, and gives
// that one up, stays subscribed to the first. A second subscription that follows may restore
// what was lost: where updates come at once before and after, one that is missing is not late.
func besideOthers(s *subscription) {
	prompt := s.promptly(recording.MarkUpdate, s.mine()) && s.promptly(scenario.MarkDoubled, s.mine())
	if s.lapsed(scenario.MarkNext, !prompt) {
		next := s.view.Step(scenario.StepSubscribeNext).Tags[recording.TagURI]
		s.warn(updated+" for every resource that is subscribed, "+
			"whatever happens to the subscriptions of others",
			s.none(scenario.MarkNext)+", after it was read, and "+next+
				" was subscribed and unsubscribed in the same session", "",
			"keep a set of subscribed URIs for each session, "+
				"and take nothing out of it but what is unsubscribed",
			s.evidence(scenario.StepAtOnce, scenario.StepSubscribeNext, scenario.StepUnsubscribeNext))
	}
}

// beside lists the updates that came in the bystander's session for the change that follows its subscription
// to the same resource. ok is false if it has none.
func (r *view) beside() (told messages, ok bool) {
	_, at, _ := r.around(scenario.MarkShared)
	x := r.Step(scenario.StepForeignSubscribe)
	ok = at < math.MaxInt && x != nil && x.Succeeded() && x.Session == r.Role("bystander")
	return r.updates(r.Role("bystander"), at), ok
}

// sharedWith: a session that subscribes what another one has subscribed gets its updates as well.
func sharedWith(s *subscription) {
	r, session := s.view, s.Role("bystander")
	_, at, next := r.around(scenario.MarkShared)
	here := s.mine().between(at, next)
	told, ok := r.beside()
	_, none := r.NoChannel(session)
	if ok && !none && len(told) == 0 && r.promptly(scenario.MarkShared, here) && !r.LostSession(session) {
		r.warn(updated+" in every session that has subscribed the resource",
			"none came for "+s.uri()+" in a second session that had subscribed it"+
				r.WithTrigger(scenario.MarkShared)+", while the first one was told",
			"an update may be late", "",
			s.evidence(scenario.StepForeignSubscribe), here.frames())
	}
}

// onlyThere is what is expected of the updates that a session has subscribed to.
const onlyThere = "updates in the session that subscribed, "

// keptApart: subscriptions of another session are its own matter.
func keptApart(r *view) {
	bystanderHears(onlyThere + "and in no other one")(r)
	s := r.subscribed()
	told, ok := r.beside()
	if ok && s != nil && r.promptly(scenario.MarkShared, told) && s.lapsed(scenario.MarkShared, false) {
		r.Fail(verdict.Several{s.evidence(scenario.StepForeignSubscribe), told.frames()},
			onlyThere+"whatever other sessions subscribe", "%s, after another session had subscribed it as "+
				"well, which was told", s.none(scenario.MarkShared))
	}
	notReplayed(r)
	x := r.Step(scenario.StepForeignUnsubscribe)
	if s != nil && x != nil && (x.Succeeded() || x.Failed()) && s.lapsed(scenario.MarkForeign, true) {
		r.Fail(s.evidence(scenario.StepForeignUnsubscribe), onlyThere+"whatever other sessions give up",
			"%s, after another session had sent resources/unsubscribe for it", s.none(scenario.MarkForeign))
	}
}

// notReplayed: a GET that names an event of another session's stream brings nothing of that session.
func notReplayed(r *view) {
	for _, x := range r.Steps(scenario.StepBorrowed) {
		for _, h := range r.updates(x.Session, x.Request) {
			r.Fail(verdict.Frames{x.Request, h.Frame.Number}, onlyThere+"and in no other one",
				"an update for %s in a session that names an event of another one in Last-Event-ID",
				verdict.Quoted(h.URI())).Hint("look for the event in the session that Mcp-Session-Id names")
			return
		}
	}
}

// noUpdates is what is expected of a session that has subscribed to nothing.
const noUpdates = "no " + verdict.Updated + " in a session that has subscribed to nothing"

// bystanderHears: a session that has subscribed to nothing gets no updates. That
// it gets none means something only if the one that subscribed does.
func bystanderHears(expected string) judging {
	return func(r *view) {
		session, x := r.Role("bystander"), r.Step(recording.StepSubscribe)
		if _, fired := r.Mark(recording.MarkUpdate); !fired || session == "" {
			return
		}
		stray := r.updates(session, r.first()).keep(r.unasked)
		switch _, none := r.NoChannel(session); {
		case len(stray) > 0 && (x == nil || x.Tags[scenario.TagSessionless] == ""):
			r.Fail(stray.frames(), expected, "the other session got %s for %s", updated,
				verdict.Quoted(stray[0].URI()))
		case x == nil:
			r.Skip(recording.CodeUndeclared, "the target lets nothing be subscribed, and sends no updates")
		default:
			if s := r.subscribed(); s != nil && !none && len(s.mine()) > 0 {
				r.Holds()
			}
			r.NotExercised("there is nothing to compare with: the session that subscribed got no update, " +
				"or the other one no stream")
		}
	}
}

// withoutSubscription: no session gets updates before it has subscribed to anything. A target that keeps no
// sessions cannot tell who has, but where nothing can be subscribed nobody has.
func withoutSubscription(r *view) {
	withheld := verdict.Withholds("resources.subscribe").Skip(r.Facts) == nil
	for _, rec := range r.Recordings() { // by whomever: without sessions nobody is told apart
		subscribed := slices.ContainsFunc(rec.Calls("resources/subscribe"), (*recording.Exchange).Succeeded)
		withheld = withheld && !subscribed
	}
	stray := func(h heard) {
		r.Fail(h, noUpdates, "%s for %s", updated, verdict.Quoted(h.URI()))
	}
	for _, h := range r.elsewhere(updated) {
		if withheld && len(r.unrefused(h)) == 0 || r.keepsSessions(h) && r.unasked(h) {
			stray(h)
		}
	}
	for _, rec := range r.Recordings() { // without sessions they may come on the stream of a probe
		for _, h := range verdict.Only(rec.Hear("", 0), updated) {
			if s := rec.Session(h.Frame.Session); withheld && s != nil && s.Kind == recording.Probe {
				stray(h)
			}
		}
	}
}

// silentAfterUnsubscribe: once an unsubscribe is confirmed no update comes.
func silentAfterUnsubscribe(r *view) {
	s := r.subscribed()
	last, fired := r.Mark(scenario.MarkSilenced)
	gone := r.Step(recording.StepUnsubscribe)
	if s == nil || !fired || !r.Answered(gone) {
		return
	}
	before, after := r.updates(s.Session, r.changedAt()), r.updates(s.Session, last.After)
	switch {
	case !gone.Succeeded() || len(gone.Replies) == 0:
		r.NotExercised("resources/unsubscribe was refused: %v", gone)
	case gone.Session != s.Session:
		r.NotExercised("the session that subscribed was lost before resources/unsubscribe")
	case len(before) == 0 || before[0].Frame.Number > gone.Replies[0]:
		r.NotExercised("no update came even while the resource was subscribed")
	default:
		r.That(verdict.Several{s.evidence(), gone, after.frames()}, len(after) == 0, silentNow,
			"%d after triggers.update had changed %s once more", len(after), s.uri())
	}
}

// silentNow is what is expected of a subscription that was given up.
const silentNow = "no " + verdict.Updated + " after a confirmed unsubscribe"

// afterTheEnd: what was given up brings no more updates.
func afterTheEnd(r *view) {
	for _, h := range r.elsewhere(updated) {
		if by := r.endOf(h); by != nil {
			r.Fail(verdict.Several{by, h}, silentNow, "%s for %s", updated, verdict.Quoted(h.URI()))
		} else if len(r.unrefused(h)) > 0 && r.keepsSessions(h) {
			r.NotExercised("updates came while their resource was subscribed only")
		}
	}
}

// endOf is the request by which the last subscription that may have brought an update was given up; nil if
// one still stands, or the update may have been under way.
func (r *view) endOf(h heard) (last *recording.Exchange) {
	for _, s := range r.unrefused(h) {
		by := s.until
		switch {
		case by == nil || by.Request > h.Frame.Number:
			return nil // how the two relate is the target's business
		case !s.brings(h.URI()):
		case !comesAfter(h, r.Frame(by.Replies[0])):
			return nil
		case last == nil || by.Request > last.Request:
			last = by
		}
	}
	return last
}

// onlyTheSubscribed: a subscription brings no updates for another resource.
func onlyTheSubscribed(r *view) {
	s := r.subscribed()
	if s == nil {
		return
	}
	tellStrays(r, r.strays(s.mine()), s.uri()+" and what lies below it")
	mark, fired := r.Mark(scenario.MarkOther)
	strays := r.updates(s.Session, mark.After).keep(func(h heard) bool { return h.URI() == s.other() })
	switch {
	case !fired:
	case related(s.other(), s.uri()):
		r.Skip(recording.CodeNeedsConfig, "%s", otherBelow)
	case len(strays)+len(s.mine()) == 0:
		r.NotExercised("no update came for the subscribed resource either")
	default:
		r.That(verdict.Several{s.evidence(), strays.frames()}, len(strays) == 0,
			"updates for "+s.uri()+" only", "%s for %s, which was not subscribed", updated, s.other())
	}
}

// otherBelow is why nothing follows from updates of the other resource.
const otherBelow = "one of the resources of triggers.update and triggers.update-other lies below the other"

// strays keeps the updates that lie neither below nor above what their session had subscribed. They are
// hardly a part of it. Where nothing was subscribed that is judged elsewhere.
func (r *view) strays(all messages) messages {
	return all.keep(func(h heard) bool {
		subs := r.unrefused(h)
		its := slices.ContainsFunc(subs, func(s *subscription) bool { return s.brings(h.URI()) })
		return len(subs) > 0 && !its && h.URI() != "" && r.keepsSessions(h)
	})
}

// unrelatedUpdates: what comes in a session is about what it has subscribed, and what
// lies below or above it.
func unrelatedUpdates(r *view) { tellStrays(r, r.strays(r.elsewhere(updated)), anySubscribed) }

const anySubscribed = "what is subscribed and what lies below it"

// tellStrays tells of updates that nobody subscribed to. How they relate to what was subscribed is the
// server's business: of what is listed on its own they warn if they come more than once; the rest is remarked
// upon, because it may be a part of what was subscribed, whatever its URI looks like.
func tellStrays(r *view, updates messages, expected string) {
	strays := map[string]verdict.Frames{}
	for _, h := range updates {
		strays[h.URI()] = append(strays[h.URI()], h.Frame.Number)
	}
	if walk := r.Input(recording.WalkResources); walk != nil && len(strays) > 0 {
		// Why there is no list is judged elsewhere.
		for _, i := range verdict.ListedURIs(verdict.New(walk, nil)) {
			if frames := strays[i.Str]; len(frames) > 1 {
				r.warn("updates for "+expected,
					strconv.Itoa(len(frames))+" "+updated+" for "+i.Str+
						", which is listed on its own and was not subscribed",
					"how the URI of an update relates to the one that was subscribed is the server's "+
						"business, but nothing shows that these do",
					"send updates only for what the session has subscribed, and for resources that are "+
						"parts of it", frames)
				delete(strays, i.Str)
			}
		}
	}
	var rest verdict.Sightings
	for _, uri := range slices.Sorted(maps.Keys(strays)) {
		rest.Add(strays[uri], "%s", verdict.Quoted(uri))
	}
	rest.Observe(r.Verdict, "update-unsubscribed", "%d "+
		"{URI in updates that was not subscribed, and by which nothing shows that it is a part of what was|"+
		"URIs in updates that were not subscribed, and by which nothing shows that they are parts of what "+
		"was}: %s")
}
