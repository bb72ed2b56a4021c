package check

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/tidwall/gjson"
)

// The checks of basic/patterns/subscriptions (2026-07-28) on streams on which
// nothing is made to happen.
func init() {
	listening := []recording.Name{recording.Listening}
	both := []recording.Name{recording.Listening, recording.Changes}
	add(Check{
		Requirement: "SUB-20", From: listening, Needs: []Gate{listenable}, Judge: acknowledged,
	}, Check{
		Requirement: "SUB-21", From: both, Judge: ackFirst,
	}, Check{
		Requirement: "SUB-22", From: both, Judge: eachAck(wellFormedFilter),
	}, Check{
		Requirement: "SUB-23", From: both,
		Judge: eachAck(func(x *recording.Exchange, ack heard, v *Verdict) {
			v.That(sameID(ack.subscription(), x), "the id of the listen request, "+string(x.ID)+", as subscriptionId in _meta of the acknowledgment",
				"subscriptionId is "+Brief(ack.subscription()), ack.frame.Number)
		}),
	}, Check{
		Requirement: "SUB-24", From: both, Judge: eachAck(nothingUnasked),
	}, Check{
		Requirement: "SUB-25", From: listening, Needs: []Gate{declaring}, Judge: unsupportedOmitted,
	}, Check{
		Requirement: "SUB-27", From: listening, Needs: []Gate{subscribe}, Judge: subscribeHonoured,
	}, Check{
		Requirement: "SUB-37", From: listening, Needs: []Gate{listenable}, Judge: staysOpen,
	}, Check{
		Requirement: "SUB-38", From: []recording.Name{recording.BadSubscriptions}, Needs: []Gate{listenable}, Judge: badFilters,
	}, Check{
		Requirement: "SUB-39", From: listening, Judge: nothingOfOthers,
	}, Check{
		Requirement: "SUB-40", From: listening, Judge: eventStream,
	}, Check{
		Requirement: "SUB-45", From: []recording.Name{recording.BadSubscriptions}, Judge: methodsGone,
	}, Check{
		Requirement: "SUB-60", From: listening, Judge: answersMeanwhile,
	}, Check{
		Requirement: "LCH-06", From: listening, Needs: []Gate{listChanged}, Judge: listChangedHonoured,
	})
}

// eachAck calls a check for each acknowledgment of a recording.
func eachAck(judge func(x *recording.Exchange, ack heard, v *Verdict)) func(*recording.Recording, *Verdict) {
	return func(r *recording.Recording, v *Verdict) {
		for _, x := range r.Steps("listen") {
			if ack, ok := ackOf(r, x); ok {
				judge(x, ack, v)
				continue
			}
			unacknowledged(x, v)
		}
	}
}

// unacknowledged says why a listen request cannot be judged further.
func unacknowledged(x *recording.Exchange, v *Verdict) {
	switch {
	case Refused(x):
		v.Skip(recording.CodeNotExercised, "the listen request was refused: "+Describe(x))
	case broken(x):
		v.Skip(recording.CodeNotExercised, "the listen request failed with HTTP "+strconv.Itoa(x.Status)+": see SUB-20")
	case x.Outcome == recording.Sent || x.Outcome == recording.Replied:
		v.Block(recording.CodeBadReply, "the listen request was not acknowledged", x.Evidence()...)
	default:
		v.Answered(x)
	}
}

// broken reports whether a target that is there answered with the HTTP status of a
// failure of its own, and with nothing else.
func broken(x *recording.Exchange) bool {
	return x.Status >= http.StatusInternalServerError && x.Status != http.StatusServiceUnavailable && len(x.Replies) == 0
}

// unknown reports whether a request was refused because the target does not know
// its method.
func unknown(x *recording.Exchange) bool {
	code, _ := x.Code()
	return code == -32601
}

// acknowledged: a listen request is acknowledged, or refused for a reason.
func acknowledged(r *recording.Recording, v *Verdict) {
	const expected = acked + " in answer to subscriptions/listen"
	for _, x := range r.Steps("listen") {
		_, ok := ackOf(r, x)
		switch {
		case ok:
			v.Saw()
		case unknown(x):
			v.That(false, expected, Describe(x)+", although subscriptions are declared", x.Evidence()...)
			v.Hint("implement subscriptions/listen, or declare neither resources.subscribe nor resources.listChanged")
		case broken(x):
			v.That(false, expected, "HTTP "+strconv.Itoa(x.Status)+" without a JSON-RPC response", x.Evidence()...)
			v.Hint("answer with an acknowledgment that leaves out what cannot be granted, or with a JSON-RPC error")
		case x.Succeeded(), x.Outcome == recording.HTTPOnly && x.Status < 300:
			v.That(false, expected, Describe(x)+" and no acknowledgment", x.Evidence()...)
		case x.Outcome == recording.Sent && x.Status < 300 && x.Tags["alive"] != "":
			v.That(false, expected, "nothing, while other requests were answered", x.Evidence()...)
			v.Hint("send the acknowledgment before anything else, whatever the filter")
		case x.Outcome == recording.Sent && x.Status < 300:
			v.Block(recording.CodeNoAnswer, "neither the listen request nor a later one was answered", x.Evidence()...)
		default:
			unacknowledged(x, v)
		}
	}
}

// ackFirst: no message of a subscription comes before its acknowledgment.
func ackFirst(r *recording.Recording, v *Verdict) {
	for _, x := range r.Steps("listen") {
		ack, ok := ackOf(r, x)
		switch {
		case !ok && x.Succeeded():
			v.That(false, acked+" as the first message of the subscription", "a response and no acknowledgment", x.Evidence()...)
			continue
		case !ok:
			unacknowledged(x, v)
			continue
		}
		all := on(hear(r, x.Session, x.Request), r, x)
		if !slices.Contains(frameNumbers(all), ack.frame.Number) {
			continue // the acknowledgment bears another id: that is judged elsewhere
		}
		name := all[0].method()
		if name == "" {
			name = "a response"
		}
		v.That(name == acked, acked+" as the first message of the subscription", name+" came before it", all[0].frame.Number)
	}
}

// wellFormedFilter: the acknowledged filter is as the schema says.
func wellFormedFilter(_ *recording.Exchange, ack heard, v *Verdict) {
	n := ack.msg.Get("params.notifications")
	if !v.That(n.IsObject(), "params.notifications as an object in the acknowledgment", "params.notifications is "+judge.TypeName(n), ack.frame.Number) {
		return
	}
	for _, flag := range []string{"toolsListChanged", "promptsListChanged", "resourcesListChanged"} {
		f := n.Get(flag)
		v.That(!f.Exists() || judge.IsBool(f), flag+" as true or false", flag+" is "+judge.TypeName(f), ack.frame.Number)
	}
	uris := n.Get("resourceSubscriptions")
	strays := slices.DeleteFunc(uris.Array(), judge.IsString)
	v.That(!uris.Exists() || (uris.IsArray() && len(strays) == 0), "resourceSubscriptions as an array of strings", "resourceSubscriptions is "+Brief(uris), ack.frame.Number)
}

// nothingUnasked: the acknowledged filter holds nothing that was not requested.
func nothingUnasked(x *recording.Exchange, ack heard, v *Verdict) {
	asked := x.Param("notifications")
	v.Saw()
	ack.msg.Get("params.notifications").ForEach(func(member, value gjson.Result) bool {
		if granted(value) && !granted(asked.Get(gjson.Escape(member.Str))) {
			v.That(false, "an acknowledgment of what was requested, "+Brief(asked), member.Str+" is acknowledged as "+Brief(value), ack.frame.Number)
			v.Hint("leave out of the acknowledgment what the request does not ask for")
		}
		return true
	})
	for _, uri := range ack.msg.Get("params.notifications.resourceSubscriptions").Array() {
		same := slices.ContainsFunc(asked.Get("resourceSubscriptions").Array(), func(u gjson.Result) bool { return u.String() == uri.String() })
		if asked.Get("resourceSubscriptions").Exists() && uri.Type == gjson.String {
			v.Ought(same, "the URIs of the request, unchanged, in the acknowledgment", "the URI "+Brief(uri)+", which was not requested", ack.frame.Number)
		}
	}
}

// declaredBy names the capabilities of resources that the members of a filter need.
var declaredBy = map[string]string{"resourcesListChanged": "resources.listChanged", "resourceSubscriptions": "resources.subscribe"}

// unsupportedOmitted: what is not declared is left out of the acknowledgment. Of resources only what is plainly not declared counts.
func unsupportedOmitted(r *recording.Recording, v *Verdict) {
	asked := streamsNamed(r, "unsupported")
	if len(asked) == 0 {
		v.Skip(recording.CodeNotExercised, "the target declares every type of notification, or did not get that far")
		return
	}
	eachAck(func(x *recording.Exchange, ack heard, v *Verdict) {
		for _, member := range strings.Fields(x.Tags["unsupported"]) {
			if path := declaredBy[member]; path != "" {
				if skip := withholds(path)(v.Facts); skip != nil {
					v.Skip(skip.Code, skip.Reason)
					continue
				}
			}
			value := ack.msg.Get("params.notifications." + member)
			if !v.That(!grants(ack, member), member+" left out of the acknowledgment, for want of the capability", member+" is acknowledged as "+Brief(value), ack.frame.Number) {
				v.Hint("acknowledge only what the capabilities cover")
				continue
			}
			v.Ought(!value.Exists(), member+" left out of the acknowledgment", member+" is "+Brief(value), ack.frame.Number)
		}
	})(&recording.Recording{Combination: r.Combination, Exchanges: asked, Frames: r.Frames}, v)
}

// subscribeHonoured: some listed resource can be watched.
func subscribeHonoured(r *recording.Recording, v *Verdict) {
	var asked *recording.Exchange
	for _, x := range r.Steps("listen") {
		ack, ok := ackOf(r, x)
		switch {
		case !granted(x.Param("notifications.resourceSubscriptions")):
		case ok && grants(ack, "resourceSubscriptions"):
			v.Saw()
			return
		case ok && illFormed(ack, v):
		case (ok || Refused(x) && !unknown(x)) && asked == nil:
			asked = x
		default:
			unacknowledged(x, v)
		}
	}
	if asked == nil {
		v.Skip(recording.CodeNeedsSubject, "the target lists no resources")
		return
	}
	n := len(asked.Param("notifications.resourceSubscriptions").Array())
	note := v.Ought
	if strconv.Itoa(n) == asked.Tags["listed"] && asked.Tags["templates"] == "0" {
		note = v.That
	}
	actual := fmt.Sprintf("none of %d listed resources is acknowledged", n)
	if Refused(asked) {
		actual = Describe(asked) + " to a request for updates of listed resources"
	}
	note(false, "resourceSubscriptions with a listed resource in the acknowledgment, as capabilities.resources.subscribe says", actual, evidence(r, asked)...)
	v.Hint("watch listed resources, or do not declare resources.subscribe")
}

// illFormed leaves out an acknowledgment whose filter is none, or has a flag that
// is neither true nor false: that is judged once.
func illFormed(ack heard, v *Verdict) bool {
	filter := ack.msg.Get("params.notifications")
	flag := filter.Get("resourcesListChanged")
	if filter.IsObject() && (!flag.Exists() || judge.IsBool(flag)) {
		return false
	}
	v.Block(recording.CodeBadReply, "the filter of the acknowledgment is ill-formed: "+Brief(filter), ack.frame.Number)
	return true
}

// evidence is that of a listen request with its acknowledgment.
func evidence(r *recording.Recording, x *recording.Exchange) []int {
	frames := x.Evidence()
	if ack, ok := ackOf(r, x); ok && !slices.Contains(frames, ack.frame.Number) {
		frames = append(frames, ack.frame.Number)
	}
	return frames
}

// listChangedHonoured: changes of the list can be listened to.
func listChangedHonoured(r *recording.Recording, v *Verdict) {
	const expected = "resourcesListChanged: true in the acknowledgment, as capabilities.resources.listChanged says"
	for _, x := range r.Steps("listen") {
		if !granted(x.Param("notifications.resourcesListChanged")) {
			continue
		}
		ack, ok := ackOf(r, x)
		switch {
		case ok && illFormed(ack, v):
		case ok:
			value := ack.msg.Get("params.notifications.resourcesListChanged")
			v.That(value.Type == gjson.True, expected, "resourcesListChanged is "+Brief(value), evidence(r, x)...)
		case x.Tags["name"] == "list" && x.Failed() && !unknown(x):
			v.That(false, expected, Describe(x), x.Evidence()...)
		default:
			unacknowledged(x, v)
		}
	}
}

// atOnce is how soon the end of a stream is no accident of the host, in
// milliseconds.
const atOnce = 2000

// staysOpen: a stream is not ended right after its acknowledgment.
func staysOpen(r *recording.Recording, v *Verdict) {
	for _, x := range r.Steps("listen") {
		ack, ok := ackOf(r, x)
		if !ok {
			unacknowledged(x, v)
			continue
		}
		if !grants(ack, "resourcesListChanged") && !grants(ack, "resourceSubscriptions") {
			v.Skip(recording.CodeNotExercised, "the acknowledged filters are empty")
			continue
		}
		after, err := strconv.Atoi(x.Tags["ended"])
		if x.Tags["ended"] == "" || err != nil {
			v.Saw()
			continue
		}
		note := v.That
		if after >= atOnce {
			note = v.Ought
		}
		note(false, "a stream that stays open", fmt.Sprintf("it ended within %d ms of its acknowledgment", after), evidence(r, x)...)
		v.Hint("answer subscriptions/listen only when the subscription ends")
	}
}

// badFilters: a listen request without a usable filter is refused.
func badFilters(r *recording.Recording, v *Verdict) {
	for _, x := range r.Steps("listen") {
		about := "subscriptions/listen with params " + paramsOf(x)
		switch {
		case unknown(x):
			v.Skip(recording.CodeNotExercised, "the target does not know subscriptions/listen")
		case x.Tags["ack"] != "":
			v.Ought(false, "a JSON-RPC error with code -32602", "an acknowledgment of "+about, x.Evidence()...)
			v.Hint("refuse a filter that is missing or malformed")
		case x.Outcome == recording.Sent:
			v.Ought(false, "a JSON-RPC error with code -32602", "no answer to "+about, x.Evidence()...)
		default:
			v.Expect(x).Should(BeErrorCode(-32602), about)
		}
	}
}

// nothingOfOthers: what belongs to other requests stays off listen streams.
func nothingOfOthers(r *recording.Recording, v *Verdict) {
	others := only(hear(r, "", 0), "notifications/progress", "notifications/message")
	streams := 0
	for _, x := range r.Steps("listen") {
		if _, ok := ackOf(r, x); !ok {
			unacknowledged(x, v)
			continue
		}
		streams++
		strays := on(others, r, x)
		if len(strays) > 0 {
			v.That(false, "progress and log messages beside the answer that they belong to", strays[0].method()+" on the subscription "+string(x.ID), frameNumbers(strays)...)
		}
	}
	if streams > 0 && len(others) > 0 {
		v.Saw()
		return
	}
	v.Skip(recording.CodeNotExercised, "the target sent no progress and no log messages while a stream was open: name a slow resource (subjects.slow)")
}

// eventStream: over HTTP an accepted listen request is answered by events.
func eventStream(r *recording.Recording, v *Verdict) {
	for _, x := range r.Steps("listen") {
		_, ok := ackOf(r, x)
		if !ok && !x.Succeeded() {
			unacknowledged(x, v)
			continue
		}
		kind, _, _ := strings.Cut(x.Header.Get("Content-Type"), ";")
		v.That(strings.EqualFold(strings.TrimSpace(kind), "text/event-stream"), "Content-Type text/event-stream", "Content-Type "+strconv.Quote(x.Header.Get("Content-Type")), x.Evidence()...)
	}
}

// methodsGone: the methods of earlier revisions are unknown.
func methodsGone(r *recording.Recording, v *Verdict) {
	for _, x := range r.Steps("old-subscribe", "old-unsubscribe") {
		if x.Outcome == recording.HTTPOnly && x.Status == http.StatusNotFound {
			v.Saw()
			continue
		}
		v.Expect(x).To(BeErrorCode(-32601), x.Method+" under 2026-07-28")
	}
}

// answersMeanwhile: an open stream keeps nobody from asking something else.
func answersMeanwhile(r *recording.Recording, v *Verdict) {
	before := r.Step("before")
	open := slices.ContainsFunc(r.Steps("listen"), func(x *recording.Exchange) bool { return x.Tags["ack"] != "" })
	if !v.Answered(before) {
		return
	}
	if !open {
		v.Skip(recording.CodeNotExercised, "no listen request was acknowledged")
		return
	}
	for _, x := range r.Steps("during") {
		if x.Outcome == recording.Silent && before.Outcome == recording.Replied {
			v.That(false, "an answer to "+x.Method+" while a subscription is open", "none: "+x.Reason, x.Evidence()...)
			v.Hint("serve a subscription beside other requests")
		} else if v.Answered(x) {
			v.Saw()
		}
	}
}
