// Package sub is the area SUB: subscriptions and resource updates
// (server/resources#subscriptions and basic/patterns/subscriptions).
package sub

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// The scenarios of the area.
const (
	BadSubscriptions recording.Name = "bad-subscriptions" // subscriptions without a usable filter, or by methods that are gone
	Shutdown         recording.Name = "shutdown"          // the target ends its subscriptions
)

// Checks lists the checks of the area.
var Checks = slices.Concat(subChecks, subChangesChecks, subListenChecks)

// Scenarios lists the scripts whose recordings only this area judges.
var Scenarios = []*scenario.Scenario{shutdownScenario, subscriptionsScenario, badSubscriptionsScenario}

// The steps of the area's scripts.
const (
	stepOldSubscribe, stepOldUnsubscribe, stepEmptyFilter recording.Step = "old-subscribe", "old-unsubscribe", "empty-filter"
)

// markShutdown is set before the trigger by which the target ends its subscriptions.
const markShutdown recording.MarkName = "shutdown"

// The tags of the area's scripts.
const (
	tagCanceled, tagLost, tagUpdate recording.Tag = "canceled", "lost", "update"
)

// The checks of server/resources#subscriptions in the legacy revisions.
var subChecks = []verdict.Check{
	{Requirement: "SUB-01", From: []recording.Name{recording.Subscriptions}, Needs: verdict.Subscribe,
		Judge: subscribable},
	{Requirement: "SUB-03", From: []recording.Name{recording.Changes, recording.SelfChanges},
		With: []recording.Name{recording.Listening}, Needs: verdict.Subscribe,
		Judge: func(r *recording.Recording, v *verdict.Verdict) {
			if r.Scenario == recording.SelfChanges {
				toldByItself(r, v, map[string]string{"next": "after other resources were unsubscribed in the same session", "again": "after it was unsubscribed and subscribed once more"})
				return
			}
			updateArrives(r, v)
		}},
	{Requirement: "SUB-04", From: []recording.Name{recording.Changes, recording.Listening, recording.Everything},
		Judge: namesItsResource},
	{Requirement: "SUB-06", From: []recording.Name{recording.Changes, recording.Everything}, With: []recording.Name{recording.Listening, recording.Every}, Timeless: true,
		Judge: func(r *recording.Recording, v *verdict.Verdict) {
			if r.Scenario == recording.Everything {
				withoutSubscription(r, v)
				return
			}
			bystanderHears(r, v, noUpdates)
		}},
	{Requirement: "SUB-07", From: []recording.Name{recording.Changes, recording.SelfChanges, recording.Everything}, With: []recording.Name{recording.Listening},
		Needs: verdict.Subscribe, Judge: func(r *recording.Recording, v *verdict.Verdict) {
			switch r.Scenario {
			case recording.Everything:
				afterTheEnd(r, v)
			case recording.SelfChanges:
				silentByThen(r, v)
			default:
				silentAfterUnsubscribe(r, v)
			}
		}},
	{Requirement: "SUB-09", From: []recording.Name{recording.Changes, recording.SelfChanges, recording.Everything}, With: []recording.Name{recording.Listening, recording.WalkResources},
		Needs: verdict.Subscribe, Judge: func(r *recording.Recording, v *verdict.Verdict) {
			switch r.Scenario {
			case recording.Everything:
				unrelatedUpdates(r, v)
			case recording.SelfChanges:
				givenUpByThen(r, v)
			default:
				onlyTheSubscribed(r, v)
			}
		}},
	{Requirement: "SUB-10", From: []recording.Name{recording.Changes, recording.SelfChanges},
		With: []recording.Name{recording.Listening}, Needs: verdict.Subscribe,
		Judge: func(r *recording.Recording, v *verdict.Verdict) {
			if r.Scenario == recording.SelfChanges {
				toldByItself(r, v, map[string]string{"foreign": "after another session had subscribed it as well, and given it up"})
				return
			}
			keptApart(r, v)
		}},
	{Requirement: "SUB-62", From: []recording.Name{recording.Changes, recording.SelfChanges}, With: []recording.Name{recording.Reads},
		Needs: verdict.Subscribe,
		Judge: verdict.InScenario(recording.SelfChanges, nothingNew, updateCanBeRead)},
	{Requirement: "SUB-11", From: []recording.Name{BadSubscriptions}, Needs: verdict.Subscribe,
		Judge: func(r *recording.Recording, v *verdict.Verdict) {
			for _, x := range r.Steps(recording.StepSubscribe) {
				if verdict.Unknown(x) {
					v.NotExercised("the target does not know resources/subscribe: see CAP-09")
					continue
				}
				about := "resources/subscribe with params " + verdict.ParamsOf(x)
				if v.Expect(x).To(matcher.BeRefused(), about) && x.Failed() {
					v.Expect(x).To(matcher.BeErrorReply(-32602), about,
						verdict.Finding{Warn: true, Downgraded: verdict.RefusedOtherwise})
				}
			}
		}},
}

// namesItsResource: what tells of a change has the method and the member by which clients know it. One that is misspelt is a
// notification that went missing, unless another one comes with it.
func namesItsResource(r *recording.Recording, v *verdict.Verdict) {
	all := verdict.Elsewhere(verdict.Hear(r, "", 0), r, v)
	told := verdict.Only(all, verdict.Updated)
	for _, h := range told {
		uri := h.Msg.Get("params.uri")
		v.That(judge.IsString(uri), "params.uri as a string in "+verdict.Updated, "params.uri is "+judge.TypeName(uri), h.Frame.Number)
	}
	for _, h := range recording.Keep(all, func(h verdict.Heard) bool { return h.Misspells(verdict.Updated) }) {
		if len(told) > 0 {
			v.Observe("update-misspelt", "the method "+h.Method()+" comes beside "+verdict.Updated+", by which alone clients know what it is about", h.Frame.Number)
			return
		}
		v.Fail(verdict.Finding{
			Expected:   "the method " + verdict.Updated,
			Actual:     "the method " + h.Method(),
			Frames:     []int{h.Frame.Number},
			Warn:       true,
			Cause:      "another method",
			Downgraded: "a notification under another name is one that went missing",
			Hint:       "clients know the notification by its exact name only",
		})
	}
}

// subscribable: some listed resource can be subscribed, and unsubscribed again.
func subscribable(r *recording.Recording, v *verdict.Verdict) {
	tried, listed := r.Steps(recording.StepSubscribe), 0
	for _, x := range tried {
		if x.Succeeded() {
			v.FailUnless(x.Result().IsObject(), verdict.Finding{
				Expected: "a result object",
				Actual:   "the result of resources/subscribe is " + judge.Brief(x.Result()),
				On:       x,
				Hint:     "confirm with an empty object: {}",
			})
			unsubscribable(r.Step(recording.StepUnsubscribe), v)
			return
		}
		if !v.Answered(x) {
			return
		}
		listed, _ = strconv.Atoi(x.Tags[recording.TagListed]) // the script writes numbers
	}
	if len(tried) == 0 || sessionless(tried[0], v) {
		return
	}
	if verdict.Unknown(tried[0]) {
		v.NotExercised("the target does not know resources/subscribe: see CAP-09")
		return
	}
	tried = slices.DeleteFunc(slices.Clone(tried), func(x *recording.Exchange) bool { return verdict.Gone(r, x, v) })
	if len(tried) == 0 {
		return
	}
	v.Fail(verdict.Finding{
		Expected: "a result to resources/subscribe of a listed resource, as " +
			"capabilities.resources.subscribe says",
		Actual: "none of " + strconv.Itoa(len(tried)) + " listed resources can be subscribed; " +
			tried[0].Tags[recording.TagURI] + " gets " + matcher.Describe(tried[0]),
		Frames: tried[0].Evidence(),
		Warn:   !(len(tried) == listed && tried[0].Tags[recording.TagTemplates] == "0"),
		Hint:   "confirm subscriptions, or do not declare resources.subscribe",
	})
}

func unsubscribable(x *recording.Exchange, v *verdict.Verdict) {
	if !v.Answered(x) {
		return
	}
	if verdict.Unknown(x) {
		return // judged by CAP-09
	}
	if v.FailUnless(x.Succeeded(), verdict.Finding{
		Expected: "a result to resources/unsubscribe of what was subscribed",
		On:       x, About: "resources/unsubscribe",
		Hint: "let what was subscribed be given up again",
	}) {
		v.FailUnless(x.Result().IsObject(), verdict.Finding{
			Expected: "a result object",
			Actual:   "the result of resources/unsubscribe is " + judge.Brief(x.Result()),
			On:       x,
			Hint:     "confirm with an empty object: {}",
		})
	}
}

// subscribedTo is the confirmed subscription of a recording of changes, the
// updates that came for it before it was given up, and those of the other
// resource. ok is false where the check has nothing to go on; the verdict then
// says why.
func subscribedTo(r *recording.Recording, v *verdict.Verdict) (x *recording.Exchange, mine []verdict.Heard, ok bool) {
	mark, fired := r.Mark(recording.MarkUpdate)
	x = r.Step(recording.StepSubscribe)
	switch {
	case x == nil || !fired:
		v.Expect(nil)
		return nil, nil, false
	case sessionless(x, v) || !v.Answered(x):
		return nil, nil, false
	case !x.Succeeded():
		v.Skip(recording.CodeNeedsConfig, "the target does not let "+x.Tags[recording.TagURI]+" be subscribed: name another resource in triggers.update")
		return nil, nil, false
	}
	for _, h := range verdict.Only(verdict.Hear(r, x.Session, mark.After), verdict.Updated) {
		if x.Tags[recording.TagOther] == "" || h.URI() != x.Tags[recording.TagOther] {
			mine = append(mine, h)
		}
	}
	return x, mine, true
}

// updateArrives: the change of a subscribed resource is notified.
func updateArrives(r *recording.Recording, v *verdict.Verdict) {
	x, mine, ok := subscribedTo(r, v)
	if !ok {
		return
	}
	if len(mine) > 0 {
		if !namesChanged(r, x, mine, v) {
			return
		}
		v.Holds()
		stillUpdated(r, x, mine, v)
		besideOthers(r, x, mine, v)
		sharedWith(r, x, mine, v)
		return
	}
	if verdict.LostSession(r, v, x.Session) {
		return
	}
	const expected = verdict.Updated + " after triggers.update has changed the subscribed resource"
	if why, none := verdict.NoChannel(r, x.Session); none {
		v.Fail(verdict.Finding{
			Expected: expected,
			Actual:   "none came" + verdict.WithTrigger(r, recording.MarkUpdate) + ": " + why,
			On:       x,
			Warn:     true,
			Hint:     "answer GET with an event stream, or do not declare resources.subscribe",
		})
		return
	}
	v.Fail(verdict.Finding{
		Expected: expected,
		Actual:   "none came for " + x.Tags[recording.TagURI] + verdict.WithTrigger(r, recording.MarkUpdate),
		On:       x,
		Hint:     "send " + verdict.Updated + " to every session that has subscribed the resource",
	})
}

// stillUpdated: who subscribes what is subscribed stays subscribed.
func stillUpdated(r *recording.Recording, x *recording.Exchange, mine []verdict.Heard, v *verdict.Verdict) {
	mark, fired := r.Mark(recording.MarkDoubled)
	if !fired || !cameBetween(mine, sinceMark(r, recording.MarkNext, 0), mark.After) || slices.ContainsFunc(mine, func(h verdict.Heard) bool { return h.Frame.Number > mark.After }) || verdict.LostSession(r, v, x.Session) {
		return
	}
	v.Fail(verdict.Finding{
		Expected: verdict.Updated + " after a resource that was subscribed twice has changed",
		Actual: "none came for " + x.Tags[recording.TagURI] +
			verdict.WithTrigger(r, recording.MarkDoubled) +
			", although they came before the second subscription",
		Frames:     append(x.Evidence(), r.Step(recording.StepSubscribeAgain).Evidence()...),
		Warn:       true,
		Downgraded: "what a second subscription does is not specified, but both were confirmed",
		Hint:       "let a second subscription to the same resource change nothing",
	})
}

// besideOthers: who reads what is subscribed, subscribes another resource as well, and gives
// that one up, stays subscribed to the first. A second subscription that follows may restore
// what was lost: where updates come at once before and after, one that is missing is not late.
func besideOthers(r *recording.Recording, x *recording.Exchange, mine []verdict.Heard, v *verdict.Verdict) {
	mark, fired := r.Mark(recording.MarkNext)
	doubled, again := r.Mark(recording.MarkDoubled)
	restored := again && !cameBetween(mine, mark.After, doubled.After) && promptly(r, recording.MarkUpdate, mine) && promptly(r, recording.MarkDoubled, mine)
	if !fired || !cameBetween(mine, 0, mark.After) || cameBetween(mine, mark.After, math.MaxInt) && !restored || verdict.LostSession(r, v, x.Session) {
		return
	}
	frames := x.Evidence()
	for _, between := range r.Steps(recording.StepAtOnce, recording.StepSubscribeNext) {
		frames = append(frames, between.Evidence()...)
	}
	v.Fail(verdict.Finding{
		Expected: verdict.Updated +
			" for every resource that is subscribed, whatever happens to the subscriptions of others",
		Actual: "none came for " + x.Tags[recording.TagURI] + verdict.WithTrigger(r, recording.MarkNext) +
			", after it was read, and " + r.Step(recording.StepSubscribeNext).Tags[recording.TagURI] +
			" was subscribed and unsubscribed in the same session",
		Frames: append(frames, r.Step(recording.StepUnsubscribeNext).Evidence()...),
		Warn:   true,
		Hint: "keep a set of subscribed URIs for each session, and take nothing out of it but what is " +
			"unsubscribed",
	})
}

// sharedWith: who subscribes what another session has subscribed is told as well.
func sharedWith(r *recording.Recording, x *recording.Exchange, mine []verdict.Heard, v *verdict.Verdict) {
	here := slices.DeleteFunc(slices.Clone(mine), func(h verdict.Heard) bool { return h.Frame.Number > sinceMark(r, recording.MarkForeign, math.MaxInt) })
	beside, told, ok := shared(r)
	if _, none := verdict.NoChannel(r, bystanderOf(r)); !ok || none || len(told) > 0 || !promptly(r, recording.MarkShared, here) || verdict.LostSession(r, v, beside.Session) {
		return
	}
	v.Fail(verdict.Finding{
		Expected: verdict.Updated + " in every session that has subscribed the resource",
		Actual: "none came for " + x.Tags[recording.TagURI] +
			" in a second session that had subscribed it" + verdict.WithTrigger(r, recording.MarkShared) +
			", while the first one was told",
		Frames: append(append(x.Evidence(), beside.Evidence()...),
			verdict.FrameNumbers(since(r, recording.MarkShared, here))...),
		Warn:       true,
		Downgraded: "an update may be late",
	})
}

// shared is the confirmed subscription of another session to the same resource, and the updates that it got
// for the change that follows; ok is false where there was none, or the session was not that of the bystander.
func shared(r *recording.Recording) (beside *recording.Exchange, told []verdict.Heard, ok bool) {
	mark, fired := r.Mark(recording.MarkShared)
	if beside = r.Step(recording.StepForeignSubscribe); !fired || beside == nil || !beside.Succeeded() || beside.Session != bystanderOf(r) {
		return nil, nil, false
	}
	return beside, verdict.Only(verdict.Hear(r, beside.Session, mark.After), verdict.Updated), true
}

// since keeps what came after a mark.
func since(r *recording.Recording, name recording.MarkName, all []verdict.Heard) []verdict.Heard {
	mark, fired := r.Mark(name)
	return slices.DeleteFunc(slices.Clone(all), func(h verdict.Heard) bool { return !fired || h.Frame.Number <= mark.After })
}

// promptly reports whether what is sent after a change comes soon: where it does, what does not come is not late.
func promptly(r *recording.Recording, name recording.MarkName, all []verdict.Heard) bool {
	const soon = time.Second
	mark, _ := r.Mark(name)
	came := since(r, name, all)
	return len(came) > 0 && came[0].Frame.At-mark.At < soon
}

// sinceMark is the number of the last frame before a mark, or else a number given.
func sinceMark(r *recording.Recording, mark recording.MarkName, otherwise int) int {
	if m, ok := r.Mark(mark); ok {
		return m.After
	}
	return otherwise
}

// cameBetween reports whether a message came after one frame and no later than another.
func cameBetween(all []verdict.Heard, after, until int) bool {
	return slices.ContainsFunc(all, func(h verdict.Heard) bool { return h.Frame.Number > after && h.Frame.Number <= until })
}

// notReplayed: who names an event of another session's stream by GET is told nothing of what that session has subscribed.
func notReplayed(r *recording.Recording, v *verdict.Verdict) {
	x := r.Step(recording.StepBorrowed)
	if x == nil {
		return
	}
	for _, h := range verdict.Only(verdict.Hear(r, x.Session, x.Request), verdict.Updated) {
		v.Fail(verdict.Finding{
			Expected: "updates in the session that subscribed, and in no other one",
			Actual: "an update for " + verdict.Quoted(h.URI()) +
				" in a session that names an event of another one in Last-Event-ID",
			Frames: []int{x.Request, h.Frame.Number},
			Hint:   "look for the event in the session that Mcp-Session-Id names",
		})
		return
	}
}

// keptApart: what another session gives up is its own matter.
func keptApart(r *recording.Recording, v *verdict.Verdict) {
	bystanderHears(r, v, "updates in the session that subscribed, and in no other one")
	toldApart(r, v)
	notReplayed(r, v)
	mark, fired := r.Mark(recording.MarkForeign)
	foreign := r.Step(recording.StepForeignUnsubscribe)
	if !fired || foreign == nil || !foreign.Succeeded() && !foreign.Failed() {
		return
	}
	x, mine, ok := subscribedTo(r, v)
	since := sinceMark(r, recording.MarkShared, sinceMark(r, recording.MarkDoubled, sinceMark(r, recording.MarkNext, mark.After)))
	// Updates must have come right before, so that nothing else can be the reason.
	seen := slices.ContainsFunc(mine, func(h verdict.Heard) bool {
		return h.Frame.Number <= mark.After && (since == mark.After || h.Frame.Number > since)
	})
	switch {
	case !ok || !seen:
	case slices.ContainsFunc(mine, func(h verdict.Heard) bool { return h.Frame.Number > mark.After }):
		v.Holds()
	case !verdict.LostSession(r, v, x.Session):
		v.That(false, "updates in the session that subscribed, whatever other sessions give up",
			"none came for "+x.Tags[recording.TagURI]+verdict.WithTrigger(r, recording.MarkForeign)+", after another session had sent resources/unsubscribe for it", append(x.Evidence(), foreign.Evidence()...)...)
	}
}

// toldApart: who subscribes what another session has subscribed does not take its place.
func toldApart(r *recording.Recording, v *verdict.Verdict) {
	x, mine, ok := subscribedTo(r, v)
	if !ok {
		return
	}
	before := sinceMark(r, recording.MarkDoubled, sinceMark(r, recording.MarkNext, 0))
	mark, _ := r.Mark(recording.MarkShared)
	beside, told, ok := shared(r)
	if !ok || !promptly(r, recording.MarkShared, told) || !cameBetween(mine, before, mark.After) || cameBetween(mine, mark.After, sinceMark(r, recording.MarkForeign, math.MaxInt)) || verdict.LostSession(r, v, x.Session) {
		return
	}
	v.That(false, "updates in the session that subscribed, whatever other sessions subscribe",
		"none came for "+x.Tags[recording.TagURI]+verdict.WithTrigger(r, recording.MarkShared)+", after another session had subscribed it as well, which was told", append(append(x.Evidence(), beside.Evidence()...), verdict.FrameNumbers(told)...)...)
}

// bystanderHears: a session that has subscribed to nothing gets no updates. That
// it gets none means something only if the one that subscribed does.
func bystanderHears(r *recording.Recording, v *verdict.Verdict, expected string) {
	mark, fired := r.Mark(recording.MarkUpdate)
	session := bystanderOf(r)
	if !fired || session == "" {
		v.Expect(nil)
		return
	}
	stray := verdict.Only(verdict.Hear(r, session, first(r, mark.After)), verdict.Updated)
	if own := r.Step(recording.StepForeignSubscribe); own != nil && own.Session == session {
		stray = slices.DeleteFunc(stray, func(h verdict.Heard) bool { return h.Frame.Number > own.Request })
	}
	if x := r.Step(recording.StepSubscribe); len(stray) == 0 || x != nil && x.Tags[recording.TagSessionless] != "" {
		if x == nil {
			v.Skip(recording.CodeUndeclared, "the target lets nothing be subscribed, and sends no updates")
			return
		}
		_, mine, ok := subscribedTo(r, v)
		switch _, none := verdict.NoChannel(r, session); {
		case !ok:
		case none || len(mine) == 0:
			v.NotExercised("there is nothing to compare with: the session that subscribed got no update, " +
				"or the other one no stream")
		default:
			v.Holds()
		}
		return
	}
	v.That(false, expected, "the other session got "+verdict.Updated+" for "+verdict.Quoted(stray[0].URI()), verdict.FrameNumbers(stray)...)
}

// first is the frame number before the first change of a resource.
func first(r *recording.Recording, after int) int {
	if mark, ok := r.Mark(recording.MarkOther); ok {
		return min(after, mark.After)
	}
	return after
}

// silentAfterUnsubscribe: once an unsubscribe is confirmed no update comes.
func silentAfterUnsubscribe(r *recording.Recording, v *verdict.Verdict) {
	x, _, ok := subscribedTo(r, v)
	last, fired := r.Mark(recording.MarkSilenced)
	gone := r.Step(recording.StepUnsubscribe)
	if !ok || !fired || !v.Answered(gone) {
		return
	}
	if !gone.Succeeded() || len(gone.Replies) == 0 {
		v.NotExercised("resources/unsubscribe was refused: " + matcher.Describe(gone))
		return
	}
	if gone.Session != x.Session {
		v.NotExercised("the session that subscribed was lost before resources/unsubscribe")
		return
	}
	mark, _ := r.Mark(recording.MarkUpdate) // it is there, or the subscription would not be
	before := verdict.Only(verdict.Hear(r, x.Session, mark.After), verdict.Updated)
	if len(before) == 0 || before[0].Frame.Number > gone.Replies[0] {
		v.NotExercised("no update came even while the resource was subscribed")
		return
	}
	after := verdict.Only(verdict.Hear(r, x.Session, last.After), verdict.Updated)
	v.That(len(after) == 0, "no "+verdict.Updated+" after a confirmed unsubscribe", strconv.Itoa(len(after))+
		" after triggers.update had changed "+
		x.Tags[recording.TagURI]+" once more", verdict.FrameNumbers(after)...)
}

// onlyTheSubscribed: a subscription brings no updates for another resource.
func onlyTheSubscribed(r *recording.Recording, v *verdict.Verdict) {
	x, mine, ok := subscribedTo(r, v)
	mark, fired := r.Mark(recording.MarkOther)
	if ok {
		neverSubscribed(r, x, mine, v)
	}
	switch {
	case !ok:
		return
	case !fired:
		v.Expect(nil)
		return
	case related(x.Tags[recording.TagOther], x.Tags[recording.TagURI]):
		v.Skip(recording.CodeNeedsConfig, "one of the resources of triggers.update and triggers.update-other lies below the other")
		return
	}
	var strays []verdict.Heard
	for _, h := range verdict.Only(verdict.Hear(r, x.Session, mark.After), verdict.Updated) {
		if h.URI() == x.Tags[recording.TagOther] {
			strays = append(strays, h)
		}
	}
	if len(strays) == 0 && len(mine) == 0 {
		v.NotExercised("no update came for the subscribed resource either")
		return
	}
	v.That(len(strays) == 0, "updates for "+x.Tags[recording.TagURI]+" only", verdict.Updated+" for "+x.Tags[recording.TagOther]+", which was not subscribed", verdict.FrameNumbers(strays)...)
}

// neverSubscribed: what is listed on its own, and by its URI lies neither below nor above
// what was subscribed, is hardly a part of it. How the two relate is the server's business:
// one such update may have its reasons, one resource that comes again and again, at changes
// of another one, is only a warning.
func neverSubscribed(r *recording.Recording, x *recording.Exchange, mine []verdict.Heard, v *verdict.Verdict) {
	asked := map[string]bool{}
	for _, s := range r.Steps(recording.StepSubscribe, recording.StepSubscribeNext) {
		asked[s.Tags[recording.TagURI]] = true
	}
	strays := map[string][]int{}
	for _, h := range mine {
		if uri := h.URI(); !related(uri, x.Tags[recording.TagURI]) && !asked[uri] {
			strays[uri] = append(strays[uri], h.Frame.Number)
		}
	}
	tellStrays(strays, x.Tags[recording.TagURI]+" and what lies below it", v)
}
