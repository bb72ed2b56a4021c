package sub

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// eachAck judges each stream that was acknowledged.
func eachAck(judge func(*subscription)) judging {
	return func(r *view) {
		for s := range r.acked(r.wellAsked()) {
			judge(s)
		}
	}
}

// wellAsked lists the streams whose filters are in order: of bad subscriptions the one that is empty.
func (r *view) wellAsked() []*subscription {
	if r.Scenario == BadSubscriptions {
		return r.by(stepEmptyFilter)
	}
	return r.streams()
}

// acknowledged: a listen request is acknowledged, or refused for a reason.
func acknowledged(r *view) {
	const expected = verdict.Acked + " in answer to subscriptions/listen"
	for _, s := range r.streams() {
		x, alive := s.Exchange, s.Tags[recording.TagAlive]
		sent := x.Outcome == recording.Sent && x.Status < 300
		switch {
		case s.ack.Frame != nil:
			r.Holds()
		case verdict.Unknown(x):
			r.Fail(x, expected, "%v, although subscriptions are declared", x).
				Hint("implement subscriptions/listen, or declare neither resources.subscribe nor " +
					"resources.listChanged")
		case verdict.Broken(x):
			r.Fail(x, expected, "HTTP %d without a JSON-RPC response", x.Status).
				Hint("answer with an acknowledgment that leaves out what cannot be granted, or with a " +
					"JSON-RPC error")
		case x.Succeeded(), x.Outcome == recording.HTTPOnly && x.Status < 300:
			r.Fail(x, expected, "%v and no acknowledgment", x)
		case sent && alive == "closed":
			f := r.Fail(x, expected, "a stream that the target ended without a message")
			if slices.ContainsFunc(r.streams(), func(o *subscription) bool {
				return o.Exchange != x && string(o.ID) == string(x.ID)
			}) {
				f.Hint("keep the streams of clients apart by more than the ids of their requests: " +
					"each client counts for itself, and its id was in use on another connection")
			}
		case sent && alive != "":
			r.Fail(x, expected, "%s", nothingWhile).Hint(ackFirst)
		case sent:
			r.Block(x, recording.CodeNoAnswer, "neither the listen request nor a later one was answered")
		default:
			r.Unacknowledged(x)
		}
	}
}

const (
	nothingWhile = "nothing, while other requests were answered"
	ackFirst     = "send the acknowledgment before anything else, whatever the filter"
)

// emptyAcknowledged: a filter that asks for nothing is one, too. Refusing it is no more than odd, as no
// sentence says which filters are to be accepted.
func emptyAcknowledged(r *view) {
	const expected = verdict.Acked + " in answer to subscriptions/listen with an empty filter"
	for _, s := range r.wellAsked() {
		x := s.Exchange
		switch {
		case s.Tags[recording.TagAck] != "":
			r.Holds()
		case verdict.Unknown(x):
			r.NotExercised("the target does not know subscriptions/listen")
		case x.Outcome == recording.Silent:
			r.Fail(x, expected, "%s", nothingWhile).Hint(ackFirst)
		case r.Answered(x):
			r.warn(expected, matcher.Describe(x),
				"all members of a filter are optional, but no sentence says which filters are accepted",
				"acknowledge a filter that asks for nothing with an empty one", x)
		}
	}
}

// acksFirst: a listen request is answered by its acknowledgment before anything else. One that asks for
// nothing is if it is acknowledged at all.
func acksFirst(r *view) {
	const expected = verdict.Acked + " as the first message of the subscription"
	for _, s := range r.wellAsked() {
		switch {
		case s.ack.Frame != nil:
			all := s.came(0)
			if !slices.Contains(all.frames(), s.ack.Frame.Number) {
				continue // the acknowledgment bears another id: that is judged elsewhere
			}
			name := cmp.Or(all[0].Method(), "a response")
			r.That(verdict.Several{s.evidence(), all[0]}, name == verdict.Acked, expected,
				"%s came before it", name)
		case s.Step == stepEmptyFilter:
		case s.Succeeded():
			r.Fail(s, expected, "a response and no acknowledgment")
		default:
			r.Unacknowledged(s.Exchange)
		}
	}
}

// wellFormedFilter: the acknowledged filter is as the schema says.
func wellFormedFilter(s *subscription) {
	filter, frame := s.ack.Get(granted), s.ack.Frame.Number
	if s.That(verdict.Frames{frame}, filter.IsObject(), granted+" as an object in the acknowledgment",
		"%s is %s", granted, judge.TypeName(filter)).Held() {
		s.Typed(verdict.NewItem(filter, granted, []int{frame}), "SubscriptionFilter",
			"toolsListChanged", "promptsListChanged", "resourcesListChanged",
			"resourceSubscriptions", "resourceSubscriptions[]")
	}
}

// nothingUnasked: the acknowledged filter holds nothing that was not requested.
func nothingUnasked(s *subscription) {
	asked := s.Param("notifications")
	s.Holds()
	for _, member := range s.grants() {
		at := gjson.Escape(member)
		if !verdict.Granted(asked.Get(at)) {
			s.Fail(s.evidence(), "an acknowledgment of what was requested, "+judge.Brief(asked),
				"%s is acknowledged as %v", member, s.ack.Get(granted+"."+at)).
				Cause("what was not requested")
		}
	}
	for _, uri := range s.uris {
		same := slices.ContainsFunc(s.asked(), func(u gjson.Result) bool { return u.String() == uri })
		s.That(s.evidence(), same || !asked.Get("resourceSubscriptions").Exists(),
			"the URIs of the request, unchanged, in the acknowledgment",
			"the URI %s, which was not requested", verdict.Quoted(uri)).Warn()
	}
}

// declaredBy names the capabilities of resources that the members of a filter need.
var declaredBy = map[string]string{"resourcesListChanged": "resources.listChanged",
	"resourceSubscriptions": "resources.subscribe"}

// unsupportedOmitted: what is not declared is left out of the acknowledgment. Of resources only what is
// plainly not declared counts.
func unsupportedOmitted(r *view) {
	for s := range r.acked(r.streams("unsupported")) {
		for _, member := range strings.Fields(s.Tags[scenario.TagUnsupported]) {
			if path := declaredBy[member]; path != "" {
				if skip := verdict.Withholds(path).Skip(r.Facts); skip != nil {
					r.Skip(skip.Code, "%s", skip.Reason)
					continue
				}
			}
			value := s.ack.Get(granted + "." + member)
			if r.That(s.evidence(), !verdict.Granted(value),
				member+" left out of the acknowledgment, for want of the capability",
				"%s is acknowledged as %v", member, value).Held() {
				r.That(s.evidence(), !value.Exists(), member+" left out of the acknowledgment", "%s is %v",
					member, value).Warn()
			}
		}
	}
	r.NotExercised("the target declares every type of notification, or did not get that far")
}

// subscribeHonoured: some listed resource can be watched.
func subscribeHonoured(r *view) {
	var asked *subscription
	for _, s := range r.streams() {
		acked := s.ack.Frame != nil
		switch {
		case len(s.asked()) == 0:
		case acked && verdict.Grants(s.ack, "resourceSubscriptions"):
			r.Holds()
			return
		case acked && r.IllFormed(s.ack):
		case (acked || matcher.Refused(s.Exchange) && !verdict.Unknown(s.Exchange)) && asked == nil:
			asked = s
		default:
			r.Unacknowledged(s.Exchange)
		}
	}
	if asked == nil {
		r.NeedsSubject("the target lists no resources")
		return
	}
	n := strconv.Itoa(len(asked.asked()))
	actual := "none of " + n + " listed resources is acknowledged"
	if matcher.Refused(asked.Exchange) {
		actual = matcher.Describe(asked.Exchange) + " to a request for updates of listed resources"
	}
	r.Fail(asked.evidence(), "resourceSubscriptions with a listed resource in the acknowledgment, as "+
		"capabilities.resources.subscribe says", "%s", actual).
		WarnIf(n != asked.Tags[recording.TagListed] || asked.Tags[scenario.TagTemplates] != "0")
}

// staysOpen: a stream is not ended right after its acknowledgment. That a server ends it by its result,
// for whatever reason, the specification leaves to it.
func staysOpen(s *subscription) {
	const atOnce = 2000 // that many milliseconds after it an end is no accident of the host
	how, cancelled := "", s.said(s.Session, s.Request).of("notifications/cancelled")
	switch {
	case s.Succeeded():
		how = ", by the result that announces it"
	case slices.ContainsFunc(cancelled, func(h heard) bool { return s.is(h.Get("params.requestId")) }):
		how = ", by the notifications/cancelled that announces it"
	}
	switch after, err := strconv.Atoi(s.Tags[scenario.TagEnded]); {
	case !verdict.Grants(s.ack, "resourcesListChanged") && !verdict.Grants(s.ack, "resourceSubscriptions"):
		s.NotExercised("the acknowledged filters are empty")
	case err != nil:
		s.Holds()
	default:
		s.Fail(s.evidence(), "a stream that stays open", "it ended within %d ms of its acknowledgment%s",
			after, how).WarnIf(after >= atOnce || how != "")
	}
}

// badFilters: a listen request without a usable filter is refused.
func badFilters(r *view) {
	const expected = "an error, or an acknowledgment that grants nothing"
	var empty, freely, otherwise verdict.Sightings
	for _, s := range r.streams() {
		x, params := s.Exchange, verdict.ParamsOf(s.Exchange)
		about := "subscriptions/listen with params " + params
		switch {
		case verdict.Unknown(x):
			r.NotExercised("the target does not know subscriptions/listen")
		case s.Tags[recording.TagAck] != "", s.Succeeded(): // by which it is over before anything was granted
			grants, read := s.grants(), &empty
			unasked := recording.Keep(grants, func(member string) bool {
				return !s.Param("notifications." + gjson.Escape(member)).Exists()
			})
			if len(unasked) > 0 {
				r.warn(expected, "an acknowledgment of "+strings.Join(unasked, " and ")+" to "+about, "",
					"refuse a filter that is missing or malformed, or read it as one that asks for "+
						"nothing", x)
				continue
			}
			r.Holds()
			if len(grants) > 0 { // the client did name it
				read = &freely
			}
			read.Add(x, "%s", params)
		case x.Outcome == recording.Silent:
			r.Fail(x, expected, "no answer to %s", about).Warn()
		default:
			r.Expect(x, matcher.BeRefused(), "%s", about).Warn()
			if code, ok := x.Code(); ok && x.Failed() && code != -32602 {
				otherwise.Add(x, "%s by %v", params, x)
			}
		}
	}
	const missing = "%d {filter that is missing or malformed is|filters that are missing or malformed are} "
	freely.Observe(r.Verdict, "filter-read-freely",
		"%d malformed {filter is read as asking for what it names|filters are read as asking for what "+
			"they name}: params %s")
	empty.Observe(r.Verdict, "filter-read-as-empty", missing+"read as one that asks for nothing: params %s")
	otherwise.Observe(r.Verdict, "filter-refused-otherwise",
		missing+"refused with another code than -32602: params %s")
}

// grants names the members of a filter that an acknowledgment grants.
func (s *subscription) grants() (members []string) {
	s.ack.Get(granted).ForEach(func(member, value gjson.Result) bool {
		if verdict.Granted(value) {
			members = append(members, member.Str)
		}
		return true
	})
	return members
}

// nothingOfOthers: what belongs to other requests stays off listen streams.
func nothingOfOthers(r *view) {
	const progress, message = "notifications/progress", "notifications/message"
	for s := range r.acked(r.streams()) {
		if strays := s.came(0).of(progress, message); len(strays) > 0 {
			r.Fail(verdict.Several{s, strays.frames()}, "progress and log messages beside the answer that "+
				"they belong to", "%s on the subscription %s", strays[0].Method(), s.ID)
		} else if len(r.sent.of(progress, message)) > 0 {
			r.Holds()
		}
	}
	r.NotExercised("the target sent no progress and no log messages while a stream was open: name a slow " +
		"resource (subjects.slow)")
}

// eventStream: over HTTP an accepted listen request is answered by events.
func eventStream(r *view) {
	for _, s := range r.streams() {
		if s.ack.Frame == nil && !s.Succeeded() {
			r.Unacknowledged(s.Exchange)
			continue
		}
		header := s.Header.Get("Content-Type")
		kind, _, _ := strings.Cut(header, ";")
		r.That(s, strings.EqualFold(strings.TrimSpace(kind), "text/event-stream"),
			"Content-Type text/event-stream", "Content-Type %s", judge.Quote(header))
	}
}

// methodsGone: the methods of earlier revisions are unknown.
func methodsGone(r *view) {
	for _, x := range r.Steps(stepOldSubscribe, stepOldUnsubscribe) {
		if x.Outcome == recording.HTTPOnly && x.Status == http.StatusNotFound {
			r.Holds()
		} else {
			r.Expect(x, matcher.BeErrorReply(-32601), "%s under 2026-07-28", x.Method)
		}
	}
}

// answersMeanwhile: an open stream keeps nobody from asking something else.
func answersMeanwhile(r *view) {
	before := r.Step(recording.StepBefore)
	if !r.Answered(before) {
		return
	}
	open := slices.IndexFunc(r.streams(), func(s *subscription) bool { return s.ack.Frame != nil })
	if open < 0 {
		r.NotExercised("no listen request was acknowledged")
		return
	}
	r.RestsOn(r.streams()[open].Exchange)
	for _, x := range r.Steps(scenario.StepDuring) {
		if x.Outcome == recording.Silent && before.Outcome == recording.Replied {
			r.Fail(x, "an answer to "+x.Method+" while a subscription is open", "none: %s", x.Reason)
		} else if r.Answered(x) {
			r.Holds()
		}
	}
}
