package http

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

var statuses = recording.Names{HTTPStatuses}

// The checks of Streamable HTTP, sending messages.
var httpMessagesChecks = verdict.Checks{
	"HTTP-01": {From: statuses, Judge: func(v *verdict.Verdict) {
		oneEndpoint(v)
		oddMethods(v)
	}},
	"HTTP-05": {From: recording.Names{HTTPStatuses, recording.Everything},
		Judge: verdict.InScenario(HTTPStatuses, acceptedNotification,
			func(v *verdict.Verdict) {
				for _, x := range v.Exchanges {
					// a refusal is what LIFE-10 suffers from
					if x.Step == recording.StepInitialized && x.Status >= 200 && x.Status < 300 {
						acceptedBy202(x, v)
					}
				}
			})},
	"HTTP-06": {From: statuses, Judge: refusedNotification},
	"HTTP-07": {Judge: answerTypes},
	"HTTP-13": {From: recording.Names{recording.HTTPSessions},
		Judge: verdict.Each(verdict.Steps(scenario.StepBadVersion),
			func(x *recording.Exchange, v *verdict.Verdict) {
				if x.Status == http.StatusNotFound {
					v.NotExercised("the session had ended")
					return
				}
				v.Expect(x, matcher.HaveHTTPStatus(http.StatusBadRequest),
					"a request with MCP-Protocol-Version: %s", x.Tags[scenario.TagVersion])
			})},
	"HTTP-14": {From: recording.Names{recording.HTTPSessions},
		Judge: func(v *verdict.Verdict) {
			// What is not served with the header either says nothing about the header.
			if uses := v.Steps(scenario.StepUse); len(uses) > 0 && !uses[0].Succeeded() {
				if v.Answered(uses[0]) {
					v.NotExercised("the same request with MCP-Protocol-Version is not served: %v", uses[0])
				}
				return
			}
			v.RestsOn(v.Step(scenario.StepUse))
			x := v.Step(scenario.StepNoVersion)
			if x != nil && x.Status == http.StatusBadRequest && !issued(v) {
				v.Observe(x, "version-demanded", "%v to a request without MCP-Protocol-Version, which the "+
					"target, keeping no sessions, cannot know otherwise", x)
				v.NotExercised("the target keeps no sessions by which to know the version, and demands the " +
					"header that clients have to send")
				return
			}
			v.Expect(x, matcher.BeResult(), "a request without MCP-Protocol-Version in an open session")
		}},
	"HTTP-32": {From: statuses, Judge: conformingHeaders},
	"HTTP-35": {From: recording.Names{HTTPStatuses, recording.Everything},
		Judge: verdict.InScenario(HTTPStatuses, strayAnswer, acceptedAnswers)},
	"HTTP-36": {From: statuses, With: recording.Names{recording.InvalidMessages},
		Judge: malformedBodies},
	"HTTP-37": {From: recording.Names{recording.TwoClients, HTTPCrowd}, With: verdict.BothWalks,
		Judge: verdict.InScenario(HTTPCrowd, besideStreams, severalClients)},
	"HTTP-60": {From: recording.Names{recording.HTTPSessions},
		Judge: func(v *verdict.Verdict) {
			for _, step := range []recording.Step{scenario.StepGetBadVersion, scenario.StepDeleteBadVersion} {
				x := v.Step(step)
				if x == nil || refusedOtherwise(x) || !v.Responded(x) {
					continue
				}
				if x.Status == http.StatusOK && verb(step) == http.MethodGet &&
					!x.EventStream() {
					continue // no stream at all, which is judged elsewhere
				}
				notOffered := x.Status == http.StatusMethodNotAllowed || x.Status == http.StatusNotImplemented
				v.That(x, x.Status == http.StatusBadRequest || notOffered, "HTTP 400 (or 405)",
					"HTTP %d to %s with MCP-Protocol-Version: 1900-01-01", x.Status, verb(step))
			}
		}},
}

// severalClients: a second client gets a session beside the first, a connection, and its own answers.
func severalClients(v *verdict.Verdict) {
	if x := v.Step(scenario.StepSecondClient); x != nil && v.Responded(x) {
		v.That(x, x.Succeeded(), "a session for a second client", "%v to the initialize of a second client",
			x).
			Hint("open a session for each client; if the server is meant for one client at a time, " +
				"instances: 1 at its endpoint in the target file leaves this out")
	}
	if one := v.Facts.Notes[recording.FactOneConnection]; one != "" {
		v.Fail(nil, "responses to a client while another one keeps its connection open", "%s", one)
	}
	verdict.SideBySide(v)
}

// besideStreams: a request is answered while a client keeps several streams open, as it may.
func besideStreams(v *verdict.Verdict) {
	x, then := v.Step(stepCrowded), v.Step(stepRelieved)
	if x != nil && then != nil && then.Succeeded() && x.Tags[tagStreams] > "1" {
		v.That(verdict.Several{x, then}, x.Outcome != recording.Silent,
			"a response to a request while streams stand open", "%v beside %s streams that the client kept "+
				"open, and a result once they had ended", x, x.Tags[tagStreams]).Warn()
	}
}

// refusedOtherwise reports whether a request was refused for another reason than what its header says: the
// session is over, has a stream already, or the header is too large.
func refusedOtherwise(x *recording.Exchange) bool {
	return x.Status == http.StatusNotFound || x.Status == http.StatusConflict ||
		x.Status == http.StatusRequestHeaderFieldsTooLarge
}

// issued reports whether the target gave any session an id.
func issued(v *verdict.Verdict) bool {
	return slices.ContainsFunc(v.Sessions, func(s *recording.Session) bool {
		return s.Initialize != nil && s.Initialize.Header.Get("Mcp-Session-Id") != ""
	})
}

func verb(step recording.Step) string {
	word, _, _ := strings.Cut(string(step), "-")
	return strings.ToUpper(word)
}

// oneEndpoint: what is not found between two served requests has no session or
// path to blame.
func oneEndpoint(v *verdict.Verdict) {
	before, note, after := v.Step(recording.StepList), v.Step(stepNotify), v.Step(stepListAfter)
	for _, x := range []*recording.Exchange{before, after} {
		if x == nil || !v.Answered(x) {
			return
		}
		v.That(x, x.Status != http.StatusMethodNotAllowed &&
			(x.Status != http.StatusNotFound || x.Failed()), "the message to be taken at the endpoint",
			"%v to %s", x, v.What(x))
	}
	if v.Modern() || note == nil || note.Status == 0 || !before.Succeeded() || !after.Succeeded() {
		return // how notifications may be refused is left open since 2026-07-28
	}
	v.RestsOn(after)
	v.That(note, note.Status != http.StatusNotFound && note.Status != http.StatusMethodNotAllowed,
		"the notification to be taken at the endpoint that takes requests",
		"HTTP %d to a notification between two requests that were served", note.Status)
}

// oddMethods: what the endpoint does with HTTP methods that it does not have is not laid
// down; RFC 9110 (section 15.5.6) has 405 for it, and 501 for unknown ones.
func oddMethods(v *verdict.Verdict) {
	var served, failed []string
	var servedBy, failedBy verdict.Several
	for _, x := range v.Steps(stepOddMethod) {
		switch {
		case x.Succeeded():
			served, servedBy = append(served, x.Tags[tagVerb]), append(servedBy, x)
		case x.Fatal || x.Status >= 500 && x.Status != http.StatusNotImplemented &&
			x.Outcome != recording.Refused:
			failed, failedBy = append(failed, x.Tags[tagVerb]+" ("+verdict.Reaction(x)+")"),
				append(failedBy, x)
		}
	}
	if len(served) > 0 {
		v.Observe(servedBy, "odd-method-served", "requests sent by %s are served as those by POST, the "+
			"only method that messages are sent by", strings.Join(served, " and "))
	}
	if len(failed) > 0 {
		v.Observe(failedBy, "odd-method-failed", "the server fails at HTTP methods that the endpoint does "+
			"not have, which 405 is for: %s", strings.Join(failed, ", "))
	}
}

// acceptedNotification: 202 without a body.
func acceptedNotification(v *verdict.Verdict) {
	x := v.Step(stepNotify)
	if !v.Responded(x) {
		return
	}
	if x.Status >= 300 {
		v.NotExercised("the target refuses notifications (HTTP %d)", x.Status)
		return
	}
	acceptedBy202(x, v)
}

// acceptedBy202: a notification that was taken is answered in the one way there is.
func acceptedBy202(x *recording.Exchange, v *verdict.Verdict) {
	v.That(x, x.Status == http.StatusAccepted, "HTTP 202 to a notification", "HTTP %d", x.Status)
	body := v.Body(x)
	v.That(x, len(body) == 0, "no body", "the body %s", wire.Excerpt(body, 80))
}

// refusedNotification: an error status; what stands in the body is a permission. Only the
// notification under an unknown session certainly had to be refused.
func refusedNotification(v *verdict.Verdict) {
	for _, x := range v.Steps(stepRefused, stepMalformed) {
		if !v.Responded(x) {
			continue
		}
		raw := v.Body(x)
		failed := gjson.ValidBytes(raw) && gjson.GetBytes(raw, "error").IsObject()
		v.That(x, !failed || x.Status >= 400, "an HTTP error status for a notification that is refused",
			"HTTP %d with the body %s", x.Status, wire.Excerpt(raw, 120)).WarnIf(x.Step == stepMalformed)
		if id := gjson.GetBytes(raw, "id"); failed && x.Status >= 400 && id.Exists() &&
			id.Type != gjson.Null {
			v.Observe(x, "refusal-with-id", "the error about a notification has the id %v, but a "+
				"notification has none", id)
		}
	}
}

// answerTypes: JSON with one object, or an event stream. Arrays are batches in 2025-03-26, and BATCH-07's
// later.
func answerTypes(v *verdict.Verdict) {
	v.ObserveFraming()
	for _, x := range v.Exchanges {
		if len(x.ID) > 0 && x.Status == http.StatusAccepted && len(x.Replies) > 0 &&
			!v.AnsweredOnGet(x) {
			v.Fail(x, "a response with HTTP 200", "HTTP 202 with the response to %s", x.Method).
				Title("Responses come with HTTP 200").Kept().
				Warn("no sentence names the status, but 202 is that of messages to which there is no " +
					"response, and clients look for none").Cause("a response with HTTP 202").
				Hint("answer requests with HTTP 200")
		}
		if len(x.ID) == 0 || x.Status != http.StatusOK {
			continue
		}
		if coding := wire.Coding(x.Header); coding != "" && len(x.Replies) > 0 {
			v.Fail(x, "a body in the coding that the head names", "Content-Encoding is %s in the answer to "+
				"%s, whose body is plain JSON", judge.Quote(coding), x.Method).
				Title("A body is in the coding that Content-Encoding names").Kept().
				Warn("RFC 9110, section 8.4 says it, and no page of the protocol").
				Cause("the content coding").
				Hint("leave Content-Encoding out, or encode the body: most HTTP clients decode it by the " +
					"header and fail; where a gateway decodes, it has to drop the header")
		}
		kind := x.MediaType()
		if !v.That(x, kind == "application/json" || kind == "text/event-stream",
			"Content-Type application/json or text/event-stream",
			"Content-Type is %s in the answer to %s", judge.Quote(x.Header.Get("Content-Type")),
			x.Method).Held() ||
			kind != "application/json" {
			continue
		}
		for _, n := range x.Replies {
			if f := v.Frame(n); f != nil && f.HTTP != nil {
				raw := wire.Parse(f.Raw)
				v.That(x, raw.IsObject() || raw.IsArray(), "one JSON object", "the body is %v", raw)
			}
		}
	}
}

// conformingHeaders: what lists both types is accepted, in any order. Weights,
// letter case and a charset that are not understood warn.
func conformingHeaders(v *verdict.Verdict) {
	plain := v.Step(recording.StepList)
	if plain == nil || !v.Answered(plain) || !plain.Succeeded() {
		v.NotExercised("the same request was refused without these headers, too")
		return
	}
	v.RestsOn(plain)
	for _, x := range v.Steps(stepAccept, stepCharset) {
		if !v.Responded(x) {
			continue
		}
		lenient, about := false, "Accept with the types in another "+x.Tags[scenario.TagForm]
		switch {
		case x.Step == stepCharset:
			lenient, about = true, "Content-Type: application/json; charset=utf-8"
		case x.Tags[scenario.TagForm] == "quality":
			lenient, about = true, "Accept with a weight (q=0.9)"
		case x.Tags[scenario.TagForm] == "case":
			lenient = true // names of media types have no case, but that is said by HTTP alone
		}
		v.That(x, x.Status != http.StatusNotAcceptable && x.Status != http.StatusUnsupportedMediaType &&
			x.Status < 400, "service", "%v to %s", x, about).WarnIf(lenient)
	}
	framedByHTTP(v)
}

// framedByHTTP: chunks and the letters of header names are matters of HTTP, which its
// libraries and proxies treat as they like.
func framedByHTTP(v *verdict.Verdict) {
	for _, odd := range []struct {
		step      recording.Step
		id, about string
	}{
		{stepChunked, "chunked-refused",
			"a request whose body comes in chunks (Transfer-Encoding: chunked), as many clients and " +
				"proxies send it"},
		{stepHeaderCase, "header-case-refused",
			"a request whose headers are named content-type and ACCEPT, and mcp-session-id where there is " +
				"a session (names of headers have no case)"},
	} {
		x := v.Step(odd.step)
		if x == nil || x.Succeeded() || x.Status == http.StatusNotFound || x.Outcome == recording.Refused ||
			x.Outcome == recording.Canceled || x.Outcome == recording.Unsent {
			continue // 404 also says that a session has ended
		}
		v.Observe(x, odd.id, "%s: %s", odd.about, verdict.Reaction(x))
	}
}

// acceptedAnswers: our answers to requests of the server are taken by 202.
func acceptedAnswers(v *verdict.Verdict) {
	for _, x := range v.Exchanges {
		if x.Step != recording.StepAnswer {
			continue
		}
		for _, n := range x.Evidence() {
			f := v.Frame(n)
			if f == nil || f.Dir != wire.In || f.HTTP == nil || f.HTTP.Status == 0 ||
				f.HTTP.Status == http.StatusNotFound && !goesOn(v, f) {
				continue
			}
			v.That(x, f.HTTP.Status == http.StatusAccepted && len(f.Raw) == 0, "HTTP 202 without a body",
				"HTTP %d to our answer to the server's %s", f.HTTP.Status, x.Tags[recording.TagMethod])
		}
	}
}

// goesOn reports whether the session of a response served a later request: one that is over answers
// everything by status 404, with a JSON-RPC error or without.
func goesOn(v *verdict.Verdict, f *wire.Frame) bool {
	return slices.ContainsFunc(v.Exchanges, func(x *recording.Exchange) bool {
		return x.Session == f.Session && x.Request > f.Number && x.Outcome == recording.Replied &&
			x.Status != http.StatusNotFound
	})
}

// strayAnswer: a response to a request that was never made is taken like any other, or refused by an error
// status.
func strayAnswer(v *verdict.Verdict) {
	x := v.Step(stepStray)
	if !v.Responded(x) {
		return
	}
	if note := v.Step(stepNotify); note != nil && note.Status == x.Status &&
		x.Status != http.StatusAccepted && x.Status < 300 {
		v.NotExercised("responses are answered as notifications are, by HTTP %d: see HTTP-05", x.Status)
		return
	}
	body := v.Body(x)
	v.That(x, x.Status >= 400 || x.Status == http.StatusAccepted && len(body) == 0,
		"HTTP 202 without a body, or an error status", plural.Of(len(body),
			"HTTP %d with %d {byte|bytes} to a response that belongs to no request"), x.Status, len(body))
}

// malformedBodies: the client is told that its body was not taken; that it is at fault, and not the
// server, is what no sentence asks for.
func malformedBodies(v *verdict.Verdict) {
	var failed []string
	var failedBy verdict.Several
	for _, x := range v.Steps(stepBody) {
		about := map[string]string{
			"brace": "a body that ends behind its first brace", "empty": "an empty body",
			"number": "a body that is a number",
		}[x.Tags[scenario.TagForm]]
		if x.Fatal {
			if v.DiesOfText(v.Input(recording.InvalidMessages)) {
				continue
			}
			v.Fail(x, "an HTTP error status", "the connection was lost over %s, twice", about).
				SharedCause(v.EndedBy(x))
			continue
		}
		if !v.Responded(x) {
			continue
		}
		v.That(x, x.Status >= 400, "an HTTP error status", "HTTP %d to %s", x.Status, about)
		if x.Status >= 500 {
			failed, failedBy = append(failed, fmt.Sprintf("%s (HTTP %d)", about, x.Status)),
				append(failedBy, x)
		}
	}
	if len(failed) > 0 {
		v.Observe(failedBy, "malformed-body-failed", "the server says that it failed, where what it got "+
			"was at fault, which 400 is for: %s", strings.Join(failed, ", "))
	}
}
