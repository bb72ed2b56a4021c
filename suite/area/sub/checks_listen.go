package sub

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// The checks of basic/patterns/subscriptions (2026-07-28) on streams on which
// nothing is made to happen.
var subListenChecks = []verdict.Check{
	{Requirement: "SUB-20", From: []recording.Name{recording.Listening, BadSubscriptions}, Needs: listenable,
		Judge: verdict.InScenario(BadSubscriptions, verdict.Each(verdict.Steps(stepEmptyFilter), emptyAcknowledged), acknowledged)},
	{Requirement: "SUB-21", From: []recording.Name{recording.Listening, recording.Changes, BadSubscriptions},
		Judge: verdict.InScenario(BadSubscriptions, emptyAckFirst, acksFirst)},
	{Requirement: "SUB-22", From: []recording.Name{recording.Listening, recording.Changes}, Judge: eachAck(wellFormedFilter)},
	{Requirement: "SUB-23", From: []recording.Name{recording.Listening, recording.Changes},
		Judge: eachAck(func(x *recording.Exchange, ack verdict.Heard, v *verdict.Verdict) {
			v.FailUnless(sameID(ack.Subscription(), x), verdict.Finding{
				Expected: "the id of the listen request, " + string(x.ID) +
					", as subscriptionId in _meta of the acknowledgment",
				Actual: "subscriptionId is " + judge.Brief(ack.Subscription()),
				Frames: []int{ack.Frame.Number},
				Cause:  "subscriptionId of the acknowledgment",
			})
		})},
	{Requirement: "SUB-24", From: []recording.Name{recording.Listening, recording.Changes, BadSubscriptions},
		Judge: verdict.InScenario(BadSubscriptions, eachAck(nothingUnasked, stepEmptyFilter), eachAck(nothingUnasked))},
	{Requirement: "SUB-25", From: []recording.Name{recording.Listening}, Needs: verdict.Declaring,
		Judge: unsupportedOmitted},
	{Requirement: "SUB-27", From: []recording.Name{recording.Listening}, Needs: verdict.Subscribe,
		Judge: subscribeHonoured},
	{Requirement: "SUB-37", From: []recording.Name{recording.Listening}, Needs: listenable, Judge: staysOpen},
	{Requirement: "SUB-38", From: []recording.Name{BadSubscriptions}, Needs: listenable, Judge: badFilters},
	{Requirement: "SUB-39", From: []recording.Name{recording.Listening}, Judge: nothingOfOthers},
	{Requirement: "SUB-40", From: []recording.Name{recording.Listening}, Judge: eventStream},
	{Requirement: "SUB-45", From: []recording.Name{BadSubscriptions}, Judge: methodsGone},
	{Requirement: "SUB-60", From: []recording.Name{recording.Listening}, Judge: answersMeanwhile},
}

// eachAck calls a check for each acknowledgment of a recording, or of some steps in it.
func eachAck(judge func(x *recording.Exchange, ack verdict.Heard, v *verdict.Verdict), steps ...recording.Step) func(*recording.Recording, *verdict.Verdict) {
	if len(steps) == 0 {
		steps = []recording.Step{recording.StepListen}
	}
	return func(r *recording.Recording, v *verdict.Verdict) {
		for _, x := range r.Steps(steps...) {
			if ack, ok := verdict.AckOf(r, x); ok {
				judge(x, ack, v)
				continue
			}
			verdict.Unacknowledged(x, v)
		}
	}
}

// acknowledged: a listen request is acknowledged, or refused for a reason.
func acknowledged(r *recording.Recording, v *verdict.Verdict) {
	const expected = verdict.Acked + " in answer to subscriptions/listen"
	for _, x := range r.Steps(recording.StepListen) {
		_, ok := verdict.AckOf(r, x)
		switch {
		case ok:
			v.Holds()
		case verdict.Unknown(x):
			v.Fail(verdict.Finding{
				Expected: expected,
				Actual:   matcher.Describe(x) + ", although subscriptions are declared",
				On:       x,
				Hint: "implement subscriptions/listen, or declare neither resources.subscribe nor " +
					"resources.listChanged",
			})
		case verdict.Broken(x):
			v.Fail(verdict.Finding{
				Expected: expected,
				Actual:   "HTTP " + strconv.Itoa(x.Status) + " without a JSON-RPC response",
				On:       x,
				Hint: "answer with an acknowledgment that leaves out what cannot be granted, or with a " +
					"JSON-RPC error",
			})
		case x.Succeeded(), x.Outcome == recording.HTTPOnly && x.Status < 300:
			v.That(false, expected, matcher.Describe(x)+" and no acknowledgment", x.Evidence()...)
		case x.Outcome == recording.Sent && x.Status < 300 && x.Tags[recording.TagAlive] == "closed":
			hint := ""
			if slices.ContainsFunc(r.Steps(recording.StepListen), func(o *recording.Exchange) bool { return o != x && string(o.ID) == string(x.ID) }) {
				hint = "keep the streams of clients apart by more than the ids of their requests: each " +
					"client counts for itself, " +
					"and its id was in use on another connection"
			}
			v.Fail(verdict.Finding{
				Expected: expected,
				Actual:   "a stream that the target ended without a message",
				On:       x,
				Hint:     hint,
			})
		case x.Outcome == recording.Sent && x.Status < 300 && x.Tags[recording.TagAlive] != "":
			v.Fail(verdict.Finding{
				Expected: expected,
				Actual:   "nothing, while other requests were answered",
				On:       x,
				Hint:     "send the acknowledgment before anything else, whatever the filter",
			})
		case x.Outcome == recording.Sent && x.Status < 300:
			v.Block(recording.CodeNoAnswer, "neither the listen request nor a later one was answered", x.Evidence()...)
		default:
			verdict.Unacknowledged(x, v)
		}
	}
}

// emptyAcknowledged: a filter that asks for nothing is one, too. Refusing it is no more than odd, as no sentence says which
// filters are to be accepted.
func emptyAcknowledged(x *recording.Exchange, v *verdict.Verdict) {
	const expected = verdict.Acked + " in answer to subscriptions/listen with an empty filter"
	switch {
	case x.Tags[recording.TagAck] != "":
		v.Holds()
	case verdict.Unknown(x):
		v.NotExercised("the target does not know subscriptions/listen")
	case x.Outcome == recording.Silent:
		v.Fail(verdict.Finding{
			Expected: expected,
			Actual:   "nothing, while other requests were answered",
			On:       x,
			Hint:     "send the acknowledgment before anything else, whatever the filter",
		})
	case v.Answered(x):
		v.Fail(verdict.Finding{
			Expected: expected,
			Actual:   matcher.Describe(x),
			On:       x,
			Warn:     true,
			Downgraded: "all members of a filter are optional, but no sentence says which filters are " +
				"accepted",
			Hint: "acknowledge a filter that asks for nothing with an empty one",
		})
	}
}

// acksFirst: a listen request is answered by its acknowledgment before anything else.
func acksFirst(r *recording.Recording, v *verdict.Verdict) {
	for _, x := range r.Steps(recording.StepListen) {
		switch ack, ok := verdict.AckOf(r, x); {
		case ok:
			ackFirst(r, x, ack, v)
		case x.Succeeded():
			v.That(false, verdict.Acked+" as the first message of the subscription", "a response and no acknowledgment", x.Evidence()...)
		default:
			verdict.Unacknowledged(x, v)
		}
	}
}

// emptyAckFirst: so is one that asks for nothing, if it is acknowledged at all.
func emptyAckFirst(r *recording.Recording, v *verdict.Verdict) {
	for _, x := range r.Steps(stepEmptyFilter) {
		if ack, ok := verdict.AckOf(r, x); ok {
			ackFirst(r, x, ack, v)
		}
	}
}

// ackFirst: no message of a subscription comes before its acknowledgment.
func ackFirst(r *recording.Recording, x *recording.Exchange, ack verdict.Heard, v *verdict.Verdict) {
	all := on(verdict.Hear(r, x.Session, x.Request), r, x)
	if !slices.Contains(verdict.FrameNumbers(all), ack.Frame.Number) {
		return // the acknowledgment bears another id: that is judged elsewhere
	}
	name := cmp.Or(all[0].Method(), "a response")
	v.That(name == verdict.Acked, verdict.Acked+" as the first message of the subscription", name+" came before it", all[0].Frame.Number)
}

// wellFormedFilter: the acknowledged filter is as the schema says.
func wellFormedFilter(_ *recording.Exchange, ack verdict.Heard, v *verdict.Verdict) {
	n := ack.Msg.Get("params.notifications")
	if v.That(n.IsObject(), "params.notifications as an object in the acknowledgment", "params.notifications is "+judge.TypeName(n), ack.Frame.Number) {
		verdict.Typed(v, verdict.NewItem(n, "params.notifications", []int{ack.Frame.Number}), "SubscriptionFilter",
			"toolsListChanged", "promptsListChanged", "resourcesListChanged", "resourceSubscriptions", "resourceSubscriptions[]")
	}
}

// nothingUnasked: the acknowledged filter holds nothing that was not requested.
func nothingUnasked(x *recording.Exchange, ack verdict.Heard, v *verdict.Verdict) {
	asked := x.Param("notifications")
	v.Holds()
	ack.Msg.Get("params.notifications").ForEach(func(member, value gjson.Result) bool {
		if verdict.Granted(value) && !verdict.Granted(asked.Get(gjson.Escape(member.Str))) {
			v.Fail(verdict.Finding{
				Expected: "an acknowledgment of what was requested, " + judge.Brief(asked),
				Actual:   member.Str + " is acknowledged as " + judge.Brief(value),
				Frames:   []int{ack.Frame.Number},
				Cause:    "what was not requested",
			})
		}
		return true
	})
	for _, uri := range ack.Msg.Get("params.notifications.resourceSubscriptions").Array() {
		same := slices.ContainsFunc(asked.Get("resourceSubscriptions").Array(), func(u gjson.Result) bool { return u.String() == uri.String() })
		if asked.Get("resourceSubscriptions").Exists() && uri.Type == gjson.String {
			v.WarnUnless(same, "the URIs of the request, unchanged, in the acknowledgment", "the URI "+judge.Brief(uri)+", which was not requested", ack.Frame.Number)
		}
	}
}

// declaredBy names the capabilities of resources that the members of a filter need.
var declaredBy = map[string]string{"resourcesListChanged": "resources.listChanged", "resourceSubscriptions": "resources.subscribe"}

// unsupportedOmitted: what is not declared is left out of the acknowledgment. Of resources only what is plainly not declared counts.
func unsupportedOmitted(r *recording.Recording, v *verdict.Verdict) {
	asked := verdict.StreamsNamed(r, "unsupported")
	if len(asked) == 0 {
		v.NotExercised("the target declares every type of notification, or did not get that far")
		return
	}
	eachAck(func(x *recording.Exchange, ack verdict.Heard, v *verdict.Verdict) {
		for _, member := range strings.Fields(x.Tags[recording.TagUnsupported]) {
			if path := declaredBy[member]; path != "" {
				if skip := verdict.Withholds(path).Skip(v.Facts); skip != nil {
					v.Skip(skip.Code, skip.Reason)
					continue
				}
			}
			value := ack.Msg.Get("params.notifications." + member)
			if !v.That(!verdict.Grants(ack, member), member+" left out of the acknowledgment, for want of the capability", member+" is acknowledged as "+judge.Brief(value), ack.Frame.Number) {
				continue
			}
			v.WarnUnless(!value.Exists(), member+" left out of the acknowledgment", member+" is "+judge.Brief(value), ack.Frame.Number)
		}
	})(&recording.Recording{Combination: r.Combination, Exchanges: asked, Frames: r.Frames}, v)
}

// subscribeHonoured: some listed resource can be watched.
func subscribeHonoured(r *recording.Recording, v *verdict.Verdict) {
	var asked *recording.Exchange
	for _, x := range r.Steps(recording.StepListen) {
		ack, ok := verdict.AckOf(r, x)
		switch {
		case !verdict.Granted(x.Param("notifications.resourceSubscriptions")):
		case ok && verdict.Grants(ack, "resourceSubscriptions"):
			v.Holds()
			return
		case ok && verdict.IllFormed(ack, v):
		case (ok || matcher.Refused(x) && !verdict.Unknown(x)) && asked == nil:
			asked = x
		default:
			verdict.Unacknowledged(x, v)
		}
	}
	if asked == nil {
		v.NeedsSubject("the target lists no resources")
		return
	}
	n := len(asked.Param("notifications.resourceSubscriptions").Array())
	actual := fmt.Sprintf("none of %d listed resources is acknowledged", n)
	if matcher.Refused(asked) {
		actual = matcher.Describe(asked) + " to a request for updates of listed resources"
	}
	v.Fail(verdict.Finding{
		Expected: "resourceSubscriptions with a listed resource in the acknowledgment, as " +
			"capabilities.resources.subscribe says",
		Actual: actual,
		Frames: verdict.Evidence(r, asked),
		Warn: !(strconv.Itoa(n) == asked.Tags[recording.TagListed] &&
			asked.Tags[recording.TagTemplates] == "0"),
	})
}

// atOnce is how soon the end of a stream is no accident of the host, in
// milliseconds.
const atOnce = 2000

// staysOpen: a stream is not ended right after its acknowledgment. That a server ends it by its result,
// for whatever reason, the specification leaves to it.
func staysOpen(r *recording.Recording, v *verdict.Verdict) {
	for _, x := range r.Steps(recording.StepListen) {
		ack, ok := verdict.AckOf(r, x)
		if !ok {
			verdict.Unacknowledged(x, v)
			continue
		}
		if !verdict.Grants(ack, "resourcesListChanged") && !verdict.Grants(ack, "resourceSubscriptions") {
			v.NotExercised("the acknowledged filters are empty")
			continue
		}
		after, err := strconv.Atoi(x.Tags[recording.TagEnded])
		if x.Tags[recording.TagEnded] == "" || err != nil {
			v.Holds()
			continue
		}
		how := ""
		switch {
		case x.Succeeded():
			how = ", by the result that announces it"
		case cancelledByTarget(r, x):
			how = ", by the notifications/cancelled that announces it"
		}
		v.Fail(verdict.Finding{
			Expected: "a stream that stays open",
			Actual:   fmt.Sprintf("it ended within %d ms of its acknowledgment%s", after, how),
			Frames:   verdict.Evidence(r, x),
			Warn:     !(after < atOnce && how == ""),
		})
	}
}

// cancelledByTarget reports whether the target told that it ends a subscription by cancelling its request.
func cancelledByTarget(r *recording.Recording, x *recording.Exchange) bool {
	return slices.ContainsFunc(verdict.Only(verdict.Hear(r, x.Session, x.Request), "notifications/cancelled"), func(h verdict.Heard) bool {
		return sameID(h.Msg.Get("params.requestId"), x)
	})
}

// badFilters: a listen request without a usable filter is refused.
func badFilters(r *recording.Recording, v *verdict.Verdict) {
	var empty, freely, otherwise verdict.Sightings
	defer func() {
		freely.Observe(v, "filter-read-freely", "%d malformed {filter is read as asking for what it names|filters are read as asking for what they name}: params %s")
		empty.Observe(v, "filter-read-as-empty", "%d {filter that is missing or malformed is|filters that are missing or malformed are} read as one that asks for nothing: params %s")
		otherwise.Observe(v, "filter-refused-otherwise", "%d {filter that is missing or malformed is|filters that are missing or malformed are} refused with another code than -32602: params %s")
	}()
	for _, x := range r.Steps(recording.StepListen) {
		about := "subscriptions/listen with params " + verdict.ParamsOf(x)
		switch {
		case verdict.Unknown(x):
			v.NotExercised("the target does not know subscriptions/listen")
		case x.Tags[recording.TagAck] != "":
			ack, _ := verdict.AckOf(r, x)
			granted, unasked := grantedBy(ack, x)
			switch {
			case len(unasked) > 0:
				v.Fail(verdict.Finding{
					Expected: "an error, or an acknowledgment that grants nothing",
					Actual:   "an acknowledgment of " + strings.Join(unasked, " and ") + " to " + about,
					On:       x,
					Warn:     true,
					Hint: "refuse a filter that is missing or malformed, or read it as one that asks " +
						"for nothing",
				})
			case len(granted) > 0: // the client did name it
				v.Holds()
				freely.Add(verdict.ParamsOf(x), x.Evidence()...)
			default:
				v.Holds()
				empty.Add(verdict.ParamsOf(x), x.Evidence()...)
			}
		case x.Outcome == recording.Silent:
			v.WarnUnless(false, "an error, or an acknowledgment that grants nothing", "no answer to "+about, x.Evidence()...)
		case x.Succeeded(): // the subscription is over before anything was granted
			v.Holds()
			empty.Add(verdict.ParamsOf(x), x.Evidence()...)
		default:
			v.Expect(x).To(matcher.BeRefused(), about, verdict.Finding{Warn: true})
			if code, ok := x.Code(); ok && x.Failed() && code != -32602 {
				otherwise.Add(verdict.ParamsOf(x)+" by "+matcher.Describe(x), x.Evidence()...)
			}
		}
	}
}

// grantedBy names the members of a filter that an acknowledgment grants, and those among
// them that the request does not name.
func grantedBy(ack verdict.Heard, x *recording.Exchange) (granted, unasked []string) {
	asked := gjson.GetBytes(x.Params, "notifications")
	ack.Msg.Get("params.notifications").ForEach(func(member, value gjson.Result) bool {
		if verdict.Granted(value) {
			granted = append(granted, member.Str)
			if !asked.Get(gjson.Escape(member.Str)).Exists() {
				unasked = append(unasked, member.Str)
			}
		}
		return true
	})
	return granted, unasked
}

// nothingOfOthers: what belongs to other requests stays off listen streams.
func nothingOfOthers(r *recording.Recording, v *verdict.Verdict) {
	others := verdict.Only(verdict.Hear(r, "", 0), "notifications/progress", "notifications/message")
	streams := 0
	for _, x := range r.Steps(recording.StepListen) {
		if _, ok := verdict.AckOf(r, x); !ok {
			verdict.Unacknowledged(x, v)
			continue
		}
		streams++
		strays := on(others, r, x)
		if len(strays) > 0 {
			v.That(false, "progress and log messages beside the answer that they belong to", strays[0].Method()+" on the subscription "+string(x.ID), verdict.FrameNumbers(strays)...)
		}
	}
	if streams > 0 && len(others) > 0 {
		v.Holds()
		return
	}
	v.NotExercised("the target sent no progress and no log messages while a stream was open: name a slow " +
		"resource (subjects.slow)")
}

// eventStream: over HTTP an accepted listen request is answered by events.
func eventStream(r *recording.Recording, v *verdict.Verdict) {
	for _, x := range r.Steps(recording.StepListen) {
		_, ok := verdict.AckOf(r, x)
		if !ok && !x.Succeeded() {
			verdict.Unacknowledged(x, v)
			continue
		}
		kind, _, _ := strings.Cut(x.Header.Get("Content-Type"), ";")
		v.That(strings.EqualFold(strings.TrimSpace(kind), "text/event-stream"), "Content-Type text/event-stream", "Content-Type "+judge.Quote(x.Header.Get("Content-Type")), x.Evidence()...)
	}
}

// methodsGone: the methods of earlier revisions are unknown.
func methodsGone(r *recording.Recording, v *verdict.Verdict) {
	for _, x := range r.Steps(stepOldSubscribe, stepOldUnsubscribe) {
		if x.Outcome == recording.HTTPOnly && x.Status == http.StatusNotFound {
			v.Holds()
			continue
		}
		v.Expect(x).To(matcher.BeErrorReply(-32601), x.Method+" under 2026-07-28")
	}
}

// answersMeanwhile: an open stream keeps nobody from asking something else.
func answersMeanwhile(r *recording.Recording, v *verdict.Verdict) {
	before := r.Step(recording.StepBefore)
	open := slices.ContainsFunc(r.Steps(recording.StepListen), func(x *recording.Exchange) bool { return x.Tags[recording.TagAck] != "" })
	if !v.Answered(before) {
		return
	}
	if !open {
		v.NotExercised("no listen request was acknowledged")
		return
	}
	for _, x := range r.Steps(recording.StepDuring) {
		if x.Outcome == recording.Silent && before.Outcome == recording.Replied {
			v.That(false, "an answer to "+x.Method+" while a subscription is open", "none: "+x.Reason, x.Evidence()...)
		} else if v.Answered(x) {
			v.Holds()
		}
	}
}
