// Package sub is the area SUB: subscriptions and resource updates
// (server/resources#subscriptions and basic/patterns/subscriptions).
package sub

import (
	"slices"
	"strconv"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// The scenarios of the area.
const (
	// BadSubscriptions are subscriptions without a usable filter, or by methods that are gone.
	BadSubscriptions recording.Name = "bad-subscriptions"
	// Shutdown has the target end its subscriptions.
	Shutdown recording.Name = "shutdown"
)

// Scenarios lists the scripts of this area.
var Scenarios = []*scenario.Scenario{shutdownScenario, subscriptionsScenario, badSubscriptionsScenario}

// The steps of the area's scripts.
const (
	stepOldSubscribe, stepOldUnsubscribe recording.Step = "old-subscribe", "old-unsubscribe"
	stepEmptyFilter                      recording.Step = "empty-filter"
)

// markShutdown is set before the trigger by which the target ends its subscriptions.
const markShutdown recording.MarkName = "shutdown"

// The tags of the area's scripts.
const (
	tagCanceled, tagLost, tagUpdate recording.Tag = "canceled", "lost", "update"
)

// The recordings that checks judge, in this order, or look at.
var (
	withEverything = recording.Names{recording.Changes, recording.SelfChanges, recording.Everything}
	withSelf       = recording.Names{recording.Changes, recording.SelfChanges}
	withQuiet      = recording.Names{recording.Changes, recording.Listening}
	passive        = recording.Names{recording.Changes, recording.Everything}
	quiet          = recording.Names{recording.Listening}
	quietFirst     = recording.Names{recording.Listening, recording.Changes}
	quietFirstBad  = recording.Names{recording.Listening, recording.Changes, BadSubscriptions}
	bad            = recording.Names{BadSubscriptions}
)

// What the target has to declare.
var (
	subscribes = verdict.Subscribe
	listenable = verdict.Where(func(f *recording.Facts) bool {
		return f.Declares("resources.subscribe") || f.Declares("resources.listChanged")
	}, recording.CodeUndeclared, "the target declares neither capabilities.resources.subscribe nor "+
		"capabilities.resources.listChanged")
)

// judging is how a view is judged.
type judging func(*view)

// check makes a check. The recordings in from are judged by the functions in the same places, and those for
// which there is none by the last function.
func check(from, with []recording.Name, needs verdict.Gates, judges ...judging) verdict.Check {
	return verdict.Check{From: from, With: with, Needs: needs,
		Judge: func(v *verdict.Verdict) {
			judges[min(slices.Index(from, v.Scenario), len(judges)-1)](viewOf(v))
		}}
}

// declared adds to the evidence of a check what the target declares.
func declared(c verdict.Check) verdict.Check { c.Declared = true; return c }

// Checks lists the checks of the area: first those of server/resources#subscriptions in the legacy revisions,
// then those of basic/patterns/subscriptions (2026-07-28), on streams while the target is made to change and
// ends them, and on those on which nothing is made to happen.
var Checks = verdict.Checks{
	"SUB-01": declared(check(recording.Names{recording.Subscriptions}, nil, subscribes, subscribable)),
	"SUB-03": check(withSelf, quiet, subscribes, updateArrives, toldByItself(map[string]string{
		"next":  "after other resources were unsubscribed in the same session",
		"again": "after it was unsubscribed and subscribed once more",
	})),
	"SUB-04": check(recording.Names{recording.Changes, recording.Listening, recording.Everything}, nil, nil,
		namesItsResource),
	"SUB-06": check(passive, recording.Names{recording.Listening, recording.Every}, nil,
		bystanderHears(noUpdates), withoutSubscription),
	"SUB-07": check(withEverything, quiet, subscribes, silentAfterUnsubscribe, silentByThen, afterTheEnd),
	"SUB-09": check(withEverything, recording.Names{recording.Listening, recording.WalkResources},
		subscribes, onlyTheSubscribed, givenUpByThen, unrelatedUpdates),
	"SUB-10": check(withSelf, quiet, subscribes, keptApart, toldByItself(map[string]string{
		"foreign": "after another session had subscribed it as well, and given it up",
	})),
	"SUB-62": check(withSelf, verdict.Reads, subscribes, updateCanBeRead, nothingNew),
	"SUB-11": check(bad, nil, subscribes, refusedWithoutURI),

	"SUB-28": check(withQuiet, nil, subscribes, updateArrives, byThemselves(true)),
	"SUB-29": check(withQuiet, nil, listenable, bearsItsID),
	"SUB-30": check(withQuiet, nil, listenable, requestedTypes),
	"SUB-31": check(withQuiet, nil, subscribes, watchedOnly),
	"SUB-32": check(withQuiet, nil, subscribes, streamsApart, byThemselves(false)),
	"SUB-33": check(withQuiet, nil, subscribes, cancelledSilent, silentByItself),
	"SUB-42": check(recording.Names{recording.Changes}, nil,
		slices.Concat(verdict.Subscribe, verdict.ListChanged), falseFlag),
	"SUB-43": check(passive, quiet, nil, noListenNoChange),
	"SUB-34": check(recording.Names{Shutdown}, nil, nil, announcedEnd),
	"SUB-35": check(recording.Names{Shutdown, recording.Listening, recording.Changes}, nil, nil,
		closingResult),

	"SUB-20": declared(check(recording.Names{recording.Listening, BadSubscriptions}, nil, listenable,
		acknowledged, emptyAcknowledged)),
	"SUB-21": check(quietFirstBad, nil, nil, acksFirst),
	"SUB-22": check(quietFirst, nil, nil, eachAck(wellFormedFilter)),
	"SUB-23": check(quietFirst, nil, nil, eachAck(bearsSameID)),
	"SUB-24": check(quietFirstBad, nil, nil, eachAck(nothingUnasked)),
	"SUB-25": declared(check(quiet, nil, verdict.Declaring, unsupportedOmitted)),
	"SUB-27": declared(check(quiet, nil, subscribes, subscribeHonoured)),
	"SUB-37": check(quiet, nil, listenable, eachAck(staysOpen)),
	"SUB-38": check(bad, nil, listenable, badFilters),
	"SUB-39": check(quiet, nil, nil, nothingOfOthers),
	"SUB-40": check(quiet, nil, nil, eventStream),
	"SUB-45": check(bad, nil, nil, methodsGone),
	"SUB-60": check(quiet, nil, nil, answersMeanwhile),
}

// refusedWithoutURI: a subscription that names no resource is refused.
func refusedWithoutURI(r *view) {
	for _, x := range r.Steps(recording.StepSubscribe) {
		about := "resources/subscribe with params " + verdict.ParamsOf(x)
		if verdict.Unknown(x) {
			r.NotExercised("%s", unknownSubscribe)
		} else if r.Expect(x, matcher.BeRefused(), "%s", about).Held() && x.Failed() {
			r.Expect(x, matcher.BeErrorReply(-32602), "%s", about).
				Title("A subscription without a usable uri is refused with -32602").Kept().
				Warn(verdict.RefusedOtherwise)
		}
	}
}

// unknownSubscribe is why a target is not judged that lacks the method.
const unknownSubscribe = "the target does not know resources/subscribe: see CAP-09"

// namesItsResource: what tells of a change has the method and the member by which clients know it. One that
// is misspelt is a notification that went missing, unless another one comes with it.
func namesItsResource(r *view) {
	all := messages(r.Elsewhere(r.sent))
	told := all.of(updated)
	for _, h := range told {
		uri := h.Get("params.uri")
		r.That(h, judge.IsString(uri), "params.uri as a string in "+updated, "params.uri is %s",
			judge.TypeName(uri))
	}
	for _, h := range all.keep(func(h heard) bool { return h.Misspells(updated) }) {
		if len(told) > 0 {
			r.Observe(h, "update-misspelt", "the method %s comes beside %s, by which alone clients know "+
				"what it is about", h.Method(), updated)
			return
		}
		r.Fail(h, "the method "+updated, "the method %s", h.Method()).
			Warn("a notification under another name is one that went missing").Cause("another method").
			Hint("clients know the notification by its exact name only")
	}
}

// subscribable: some listed resource can be subscribed, and unsubscribed again.
func subscribable(r *view) {
	tried, listed := r.Steps(recording.StepSubscribe), ""
	for _, x := range tried {
		if x.Succeeded() {
			confirmed(r, x)
			unsubscribable(r, r.Step(recording.StepUnsubscribe))
			return
		}
		if !r.Answered(x) {
			return
		}
		listed = x.Tags[recording.TagListed]
	}
	if len(tried) == 0 || r.sessionless(tried[0]) {
		return
	}
	if verdict.Unknown(tried[0]) {
		r.NotExercised("%s", unknownSubscribe)
		return
	}
	tried = recording.Keep(tried, func(x *recording.Exchange) bool {
		return !r.Gone(x)
	})
	if len(tried) == 0 {
		return
	}
	n, tags := strconv.Itoa(len(tried)), tried[0].Tags
	r.Fail(tried[0], "a result to resources/subscribe of a listed resource, as "+
		"capabilities.resources.subscribe says", "none of %s listed resources can be subscribed; %s gets %v",
		n, tags[recording.TagURI], tried[0]).WarnIf(n != listed || tags[scenario.TagTemplates] != "0").
		Hint("confirm subscriptions, or do not declare resources.subscribe")
}

func unsubscribable(r *view, x *recording.Exchange) {
	if !r.Answered(x) || verdict.Unknown(x) {
		return // judged by CAP-09
	}
	if !r.That(x, x.Succeeded(), "a result to resources/unsubscribe of what was subscribed",
		"%v to resources/unsubscribe", x).Hint("let what was subscribed be given up again").Held() {
		return
	}
	confirmed(r, x)
}

func confirmed(r *view, x *recording.Exchange) {
	r.That(x, x.Result().IsObject(), "a result object", "the result of %s is %v", x.Method, x.Result()).
		Hint("confirm with an empty object: {}")
}

// sessionless skips a requirement where a legacy target keeps no sessions on
// Streamable HTTP: it cannot remember who subscribed to what.
func (r *view) sessionless(x *recording.Exchange) bool {
	yes := x.Tags[scenario.TagSessionless] != ""
	if yes {
		r.NotExercised("the target issues no session ids on Streamable HTTP, so it cannot keep subscriptions")
	}
	return yes
}
