package rpc

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// The checks of basic/index on how requests and notifications are treated.
var rpcRequestsChecks = verdict.Checks{
	"RPC-09": {Judge: eachAnswered,
		From: recording.Names{recording.Everything, recording.MissingReads, ForeignMessages}},
	"RPC-10": {From: recording.Names{recording.Everything, ClientNotifications},
		Judge: func(v *verdict.Verdict) {
			for _, x := range v.Exchanges {
				if x.Method != "" && len(x.ID) == 0 && strings.HasPrefix(x.Method, "notifications/") {
					v.Unanswered(x)
				}
			}
			if v.Scenario == recording.Everything {
				strays(v)
			}
			for _, x := range v.Steps(stepStray) {
				v.That(x, len(x.Replies) == 0, "no response to a response",
					"%v to a response under an id that the server never used", x).
					Title("Responses are not answered").Warn("no sentence speaks of answers to responses").
					Hint("answer nothing that has a result or an error in place of a method")
			}
		}},
	"RPC-13": {From: recording.Names{recording.InvalidMessages, ForeignMessages},
		Judge: func(v *verdict.Verdict) {
			if v.Scenario == ForeignMessages {
				otherMethodsUnknown(v)
				return
			}
			for _, x := range v.Steps(scenario.StepUnknownMethod) {
				if endsServer(x, v) {
					return
				}
				if x.Outcome == recording.Silent || x.Outcome == recording.Lost ||
					x.Outcome == recording.HTTPOnly && x.Status < 300 {
					v.Fail(x, "a JSON-RPC error with code -32601", "%v to a request for an unknown method", x)
				} else if v.Modern() && v.OnStdio() {
					v.Expect(x, matcher.BeErrorReply(-32601), "a request for an unknown method").
						Warn("the sentence that demands the code stands on the page of Streamable HTTP; " +
							"elsewhere the schema and JSON-RPC describe it")
				} else {
					v.Expect(x, matcher.BeErrorReply(-32601), "a request for an unknown method")
				}
			}
		}},
	"RPC-14": {From: recording.Names{recording.InvalidMessages},
		Judge: func(v *verdict.Verdict) {
			for _, x := range v.Steps(recording.StepNotJSON) {
				if endsServer(x, v) {
					return
				}
				if bareServerError(x, v) {
					continue
				}
				// over HTTP+SSE a status tells it as well
				if x.Outcome == recording.Silent && !x.Fatal && x.Status < 300 {
					v.Observe(x, "parse-error-unanswered", "text that is no JSON is passed over in "+
						"silence: JSON-RPC has error -32700 with the id null for it, by which a client "+
						"learns of its mistake")
				}
				refusedAsInvalid(x, v, "text that is no JSON", true, -32700)
			}
			for _, x := range v.Steps(scenario.StepNotUTF8) {
				if endsServer(x, v) || x.Fatal && v.DiesOfText(v.Recording) {
					continue
				}
				v.That(x, !x.Fatal, "a server that goes on after bytes that are no UTF-8", "%s",
					verdict.LostWords(x)).
					Hint("decode input in such a way that alien bytes are replaced or refused")
			}
		}},
	"RPC-15": {From: recording.Names{recording.InvalidMessages, ForeignMessages},
		Judge: func(v *verdict.Verdict) {
			for _, step := range []recording.Step{scenario.StepNoMethod, scenario.StepMistypedMethod,
				stepUnmarked, scenario.StepNullID, scenario.StepDoubledMember} {
				for _, x := range v.Steps(step) {
					if !endsServer(x, v) && (!x.Fatal || !v.DiesOfText(v.Recording)) {
						invalid(x, v)
					}
				}
			}
		}},
	"RPC-17": {From: recording.Names{Concurrency}, With: verdict.Reads,
		Judge: func(v *verdict.Verdict) {
			asked := map[string]bool{}
			for _, x := range v.Steps(stepTogether) {
				asked[x.URI()] = true
			}
			swapped := provenIn(v)
			for _, x := range v.Steps(stepTogether) {
				notMixedUp(x, asked, swapped[x], v)
			}
		}},
}

// eachAnswered: every request gets a response.
func eachAnswered(v *verdict.Verdict) {
	switch v.Scenario {
	case recording.MissingReads:
		missingAnswered(v)
		return
	case ForeignMessages:
		otherMethodsAnswered(v)
		return
	}
	if why := v.Facts.Notes[recording.FactSpread]; why != "" {
		v.Block(nil, recording.CodeUnreadable, "%s", why) // that is what STDIO-02 is about
		return
	}
	for _, x := range v.Exchanges {
		open := x.Method == "subscriptions/listen" && x.Outcome != recording.Replied
		if verdict.Request(x) && x.Tags[recording.TagCancelled] == "" && !open {
			answeredOnce(x, v)
		}
	}
	retriedHandshakes(v)
}

// otherMethodsUnknown: a server that knows the method, since it serves other revisions as well, finds other
// faults. One that has another code for a method of nobody has it for these as well, which is the same
// defect.
func otherMethodsUnknown(v *verdict.Verdict) {
	made := v.Step(scenario.StepUnknownMethod)
	for _, x := range v.Steps(stepOtherMethod) {
		if x.Failed() && (made == nil || made.HasCode(-32601)) {
			v.Expect(x, matcher.BeErrorReply(-32601, -32600, -32602, -32020, -32021, -32022),
				"a request for %s, which the revision does not have", x.Method).
				Warn(verdict.RefusedOtherwise)
		}
	}
}

// otherMethodsAnswered: methods that the revision does not have are asked for by requests like others. Who
// knows discovery may serve later revisions too, and take subscriptions/listen for one of theirs, which has
// no answer while it is open.
func otherMethodsAnswered(v *verdict.Verdict) {
	known := false
	sound := v.Steps(scenario.StepUnknownMethod, stepOtherMethod)
	if slices.ContainsFunc(sound, verdict.LosesID) {
		return // errors that cannot be told apart are RPC-16's
	}
	for _, x := range v.Steps(stepOtherMethod) {
		known = known || x.Method == "server/discover" && x.Outcome == recording.Replied && !x.HasCode(-32601)
		// also behind the answer to a later request
		refused := slices.ContainsFunc(x.Evidence(), func(n int) bool {
			f := v.Frame(n)
			return f != nil && f.HTTP != nil && f.HTTP.Status >= http.StatusBadRequest
		})
		if refused || endsServer(x, v) || known && x.Method == "subscriptions/listen" {
			continue
		}
		if verdict.NoResponse(x) && len(x.Replies) == 0 || x.Outcome == recording.Lost && x.Request > 0 {
			v.Fail(x, "one response to "+x.Method, "%v to %s, which the revision does not have", x,
				x.Method).Cause("a method of another revision is not answered")
		}
	}
}

// answeredOnce: a request on a clean session gets one response.
func answeredOnce(x *recording.Exchange, v *verdict.Verdict) {
	expected := "one response to " + x.Method
	if x.Outcome != recording.Replied && slices.ContainsFunc(v.Responses(),
		func(m recording.Message) bool {
			return m.Frame.Session == x.Session && !m.Get("result").Exists() && !m.Get("error").Exists() &&
				m.Asker([]*recording.Exchange{x}) != nil
		}) {
		return // it was answered, by what RPC-05 is about
	}
	switch x.Outcome {
	case recording.Replied:
		n := 0
		for _, m := range v.RepliesOf(x) {
			if gjson.ParseBytes(x.ID).String() == m.Get("id").String() {
				n++
			}
		}
		v.That(x, n <= 1, expected, "%d responses with the id %s", n, x.ID)
	case recording.Silent:
		if len(x.Replies) > 0 {
			v.Observe(x, "late-answer", "%s was answered after the time limit: %s", x.Method, x.Reason)
			v.Holds()
			return
		}
		v.Fail(x, expected, "%v", x).
			Hint("answer every request, if need be with an error; if the target takes longer by design, " +
				"raise --timeout")
	case recording.Lost:
		if x.Request == 0 {
			return // it had ended the connection before: that is its right
		}
		if v.EndedAtStart(x) {
			v.Block(x, recording.CodeDied, "the program, which had been started before, ended at its "+
				"start: %s", x.Reason)
			return
		}
		// whichever request it was that met it
		v.Fail(x, expected, "%s", verdict.LostWords(x)).Cause("the end of the connection")
	case recording.HTTPOnly:
		if x.Status < 300 && !v.AnsweredOnGet(x) {
			v.Fail(x, expected, "%v", x)
		}
	}
}

// missingAnswered: reads of what does not exist are requests like others.
func missingAnswered(v *verdict.Verdict) {
	for _, x := range v.Calls("resources/read") {
		if x.Kind == recording.Clean || x.Outcome != recording.Silent || x.Fatal || len(x.Replies) > 0 {
			continue
		}
		v.Fail(x, "one response to "+x.Method, "%v to %s, which does not exist", x, verdict.ReadOf(x)).
			SharedCause(verdict.UnansweredRead).
			Hint("answer every request, a read of what does not exist with an error; if the target takes " +
				"longer by design, raise --timeout")
	}
}

// retriedHandshakes remarks on handshakes that were tried a second time, each with what
// was seen of both attempts: whether a message that got lost was the target's doing or
// that of the way to it cannot be seen.
func retriedHandshakes(v *verdict.Verdict) {
	for _, h := range v.Retried {
		if h.First == nil {
			continue // the time was up before it was sent
		}
		then := "was not sent"
		if h.Second != nil {
			then = "led to: " + matcher.Describe(h.Second)
		}
		v.Observe(verdict.Several{h.First, h.Second}, "handshake-retried",
			"initialize was not answered (%s); the same on another connection %s", h.First.Reason, then)
	}
}

// strays: on a clean session every response without an id must belong to a request,
// for nothing else that we send there can call for one.
func strays(v *verdict.Verdict) {
	owned := map[int]bool{}
	lost := slices.ContainsFunc(v.Exchanges, verdict.LosesID)
	for _, x := range v.Exchanges {
		frames := x.Replies
		if lost {
			frames = x.Evidence() // an error without an id may answer one of several requests
		}
		for _, n := range frames {
			owned[n] = true
		}
	}
	for _, m := range v.Responses() {
		if m.Nameless() && resultOf(m) == "" && !owned[m.Frame.Number] &&
			!v.OnHTTP() {
			v.Fail(m, "no response to a notification", "a response without id: %v", m.Result).
				SharedCause(verdict.AnsweredNotification)
		}
	}
}

// invalid: what is no proper request is refused. What is made of a null id or of members that occur twice is
// nowhere laid down, and there is no method whose name is a number, either.
func invalid(x *recording.Exchange, v *verdict.Verdict) {
	unclear := "a request with members that occur twice"
	switch x.Step {
	case scenario.StepNoMethod:
		refusedAsInvalid(x, v, "an object without a method", true, -32600, -32602, -32700)
		return
	case scenario.StepMistypedMethod:
		refusedAsInvalid(x, v, "a request whose method is a number", false, -32600, -32601, -32602, -32700)
		return
	case stepUnmarked:
		// JSON-RPC 2.0 advises to take requests of version 1.0, which have no jsonrpc; those have their
		// params in an array.
		form := cmp.Or(strings.TrimSuffix(x.Tags[scenario.TagForm], ","), "no jsonrpc")
		v.That(x, !x.Succeeded() && !x.Fatal, "error -32600, HTTP 4xx or silence", "%v to a request with %s",
			x, form).Warn()
		return
	case scenario.StepNullID:
		unclear = "a request whose id is null"
	}
	if x.Fatal {
		v.Observe(x, "lost-over-unclear-request", "%s to %s", verdict.LostWords(x), unclear)
	}
}

// endsServer reports whether a message ended the server, which is SEC-63's and not looked at again.
func endsServer(x *recording.Exchange, v *verdict.Verdict) bool {
	if !v.EndsServer(v.Recording, x) {
		return false
	}
	v.NotExercised("the server ends over what it cannot read: see SEC-63")
	return true
}

// bareServerError reports whether text that is no JSON drew an HTTP status 5xx and no more. That is
// what HTTP-36 judges.
func bareServerError(x *recording.Exchange, v *verdict.Verdict) bool {
	if x.Outcome != recording.HTTPOnly || x.Status < 500 || x.Fatal ||
		!v.OnHTTP() {
		return false
	}
	v.NotExercised("the status of the answer is all there is to judge: see HTTP-36")
	return true
}

// refusedAsInvalid judges the answer to input that is no request: an error with one
// of the codes, HTTP 4xx, or, where that is allowed, none at all.
func refusedAsInvalid(x *recording.Exchange, v *verdict.Verdict, about string, silence bool, codes ...int64) {
	switch {
	case x.Fatal:
		v.Fail(x, "a server that goes on after "+about, "%s", verdict.LostWords(x))
	case x.Status >= 400 && x.Status < 500:
		v.Answered(x)
		v.Holds()
	case x.Outcome == recording.Replied:
		v.Expect(x, matcher.BeErrorReply(codes...), "%s", about)
	case x.Outcome == recording.HTTPOnly && x.Status >= 500:
		v.Fail(x, "a JSON-RPC error, or an HTTP status of 4xx", "%v to %s", x, about).RefusalDue()
	case x.Outcome == recording.Silent || x.Outcome == recording.HTTPOnly:
		v.That(x, silence, matcher.BeErrorReply(codes...).Expected(), "%v to %s", x, about)
	default:
		v.Answered(x)
	}
}

// notMixedUp: a request that was in flight together with others got its own
// response.
func notMixedUp(x *recording.Exchange, asked map[string]bool, swapped *swap, v *verdict.Verdict) {
	if x.Status == http.StatusTooManyRequests || x.Status == http.StatusServiceUnavailable {
		v.NotExercised("the target refuses so many requests at once (HTTP %d)", x.Status)
		return
	}
	if x.Conflict() {
		v.Fail(x, "a response to each of 20 requests in flight", "HTTP 409 to %s, because another request "+
			"of the session was in flight", x.Method).
			Warn("no page says that requests of a session have to be taken while others are handled").
			AboutRefusal().
			Hint("handle the requests of a session side by side, or let each wait for its turn, and answer " +
				"it then")
		return
	}
	late := len(x.Replies) > 0 // but not lost
	if x.Outcome == recording.Silent && !late || x.Outcome == recording.Lost && x.Request > 0 {
		v.Fail(x, "a response to each of 20 requests in flight", "%v to %s", x, x.Method)
		return
	}
	if !v.Answered(x) {
		return
	}
	foreign := foreignMember(x.Method, x.Result())
	v.That(x, foreign == "", "a result that fits "+x.Method, "a result with %s", foreign)
	uri := x.URI()
	if uri == "" {
		return
	}
	other, frames := outOfPlace(v, x, uri), x.Evidence()
	if !asked[other] {
		other = ""
	}
	if other == "" && swapped != nil {
		other, frames = swapped.other.URI(), swapped.frames()
	}
	if other == "" {
		v.Holds()
		return
	}
	v.Fail(verdict.Frames(frames), "the contents of "+uri, "those of %s, which was asked for under "+
		"another id", other).Cause("the contents of another resource")
}

// outOfPlace is the URI of the first contents of a read that have nothing to do with
// the one that was read; empty if some of them do. A read may yield several contents,
// as that of a directory does those of its files, and the specification does not say how
// their URIs relate to its own (server/resources#reading-resources). So they belong to it
// if one bears its URI or lies below it. If none does, it takes a read of it on its own
// to tell: one that yielded its own URI. Without it, or where even that one yielded what lies
// elsewhere, as an alias does (which may have moved on since), nothing is proven.
func outOfPlace(v *verdict.Verdict, x *recording.Exchange, uri string) string {
	got := urisIn(x)
	reads := v.Input(recording.Reads)
	if len(got) == 0 || belong(got, uri) || reads == nil {
		return ""
	}
	for _, alone := range reads.Steps(recording.StepRead) {
		if alone.Tags[recording.TagURI] == uri && belong(urisIn(alone), uri) {
			return got[0]
		}
	}
	return ""
}

// belong reports whether one of the URIs is that of a resource, or lies below it.
func belong(uris []string, uri string) bool {
	return slices.ContainsFunc(uris, func(one string) bool {
		return one == uri || strings.HasPrefix(one, strings.TrimSuffix(uri, "/")+"/")
	})
}

// urisIn are the URIs of the contents of a read, in order, each once.
func urisIn(x *recording.Exchange) []string {
	var all []string
	for _, c := range verdict.ContentsOf(x) {
		if uri := c.Get("uri"); judge.IsString(uri) && !slices.Contains(all, uri.Str) {
			all = append(all, uri.Str)
		}
	}
	return all
}

// cutInChunks: a request is served although a chunk of its body ends within a character. That a body in
// chunks is refused, whatever is in it, is HTTP-32's.
func cutInChunks(v *verdict.Verdict) {
	x, plain := v.Step(stepChunked), v.Step(stepChunkedPlainly)
	switch {
	case x == nil:
		return
	case x.Succeeded():
		usableID(x, v)
	case plain != nil && plain.Succeeded():
		v.Fail(verdict.Several{x, plain}, "an answer to a request whose body comes in two chunks and is "+
			"cut within a character, as to one of ASCII letters", "%v", x).SharedCause(cutCharacter).
			Hint(wholeBody)
	}
}

// The cause of what is wrong where a body came in chunks, and what helps.
const (
	cutCharacter = "a character cut by the end of a chunk"
	wholeBody    = "collect the bytes of the whole body, and decode it then, not each piece that is read"
)
