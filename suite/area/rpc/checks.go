// Package rpc is the area RPC: the JSON-RPC messages that carry everything else
// (basic/index).
package rpc

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// The scenarios of the area.
const (
	RequestIDs          recording.Name = "request-ids"          // requests under unusual but legal ids
	Concurrency         recording.Name = "concurrency"          // many requests in flight together
	ClientNotifications recording.Name = "client-notifications" // notifications, known and unknown
	// what another version of JSON-RPC, or another revision, has
	ForeignMessages recording.Name = "foreign-messages"
)

// Checks lists the checks of the area.
var Checks = verdict.Join(rpcChecks, rpcRequestsChecks)

// Scenarios lists the scripts of this area.
var Scenarios = []*scenario.Scenario{clientNotificationsScenario, concurrencyScenario,
	foreignMessagesScenario, requestIDsScenario}

// The steps of the area's scripts.
const (
	stepAfter, stepTogether, stepID, stepEmpty recording.Step = "after", "together", "id", "empty"
	stepAlone, stepAloneAgain                  recording.Step = "alone", "alone-again"
	stepDigits, stepUnknown, stepCancelled     recording.Step = "digits", "unknown", "cancelled"
	stepInitializedAgain, stepChunked          recording.Step = "initialized-again", "chunked"
	stepChunkedPlainly, stepStray              recording.Step = "chunked-plainly", "stray"
	stepUnmarked, stepOtherMethod              recording.Step = "unmarked", "other-method"
)

// The tags of the area's scripts.
const (
	tagID    recording.Tag = "id"
	tagRound recording.Tag = "round"
)

// A letter with its accent, as two characters and as the one that it is normalised to (Unicode's NFC).
const apart, joined = "e\u0301", "\u00e9"

// errorForms are the recordings in which every error is looked at for its form. A target whose templates
// match every URI beside a listed one is asked for nothing that is certainly missing: what reads of strange
// URIs meet there may be its only errors of that kind.
var errorForms = slices.Concat(verdict.ErrorSources, recording.Names{recording.MalformedReads,
	recording.MalformedCompletions})

// The checks of basic/index: messages, responses, errors.
var rpcChecks = verdict.Checks{
	"RPC-01": {From: verdict.ErrorSources,
		Judge: func(v *verdict.Verdict) {
			for _, m := range v.Received() {
				if m.Kind == wire.KindOther && !m.Get("jsonrpc").Exists() {
					continue // a stray line, not a message
				}
				version := m.Get("jsonrpc")
				v.That(m, version.Type == gjson.String && version.Str == "2.0",
					`"jsonrpc":"2.0" in every message`, "jsonrpc is %v in %s", version, m.Said()).
					Hint("put the member into errors and notifications, too")
			}
		}},
	"RPC-02": {From: recording.Names{recording.Everything, RequestIDs}, Judge: answeredByID},
	"RPC-03": {From: recording.Names{RequestIDs, recording.Everything}, With: verdict.BothWalks,
		Judge: verdict.InScenario(RequestIDs, unusualIDTypes, idTypes)},
	"RPC-04": {From: recording.Names{RequestIDs},
		Judge: func(v *verdict.Verdict) {
			if unanswered(v.Steps(stepID, stepDigits), v) {
				return
			}
			for _, x := range v.Steps(stepID, stepDigits, stepEmpty) {
				usableID(x, v)
			}
			oneKindRefused(v.Steps(stepID, stepDigits), v)
			cutInChunks(v)
		}},
	"RPC-05": {From: verdict.ErrorSources,
		Judge: func(v *verdict.Verdict) {
			sent := requests(v)
			for _, m := range v.Responses() {
				result, failure := m.Get("result").Exists(), m.Get("error").Exists()
				actual := "neither"
				if result {
					actual = "both: error is " + judge.Brief(m.Get("error"))
				}
				what, at := answer(sent, m)
				v.That(at, result != failure, "either result or error in a response", "%s%s", actual, what)
			}
		}},
	"RPC-06": {
		// What a target makes of features that it did not declare are results, too.
		From: slices.Concat(verdict.ErrorSources, recording.Names{recording.Undeclared,
			recording.UndeclaredCompletion}),
		Judge: func(v *verdict.Verdict) {
			sent := requests(v)
			for _, m := range v.Responses() {
				if result := m.Get("result"); result.Exists() {
					what, at := answer(sent, m)
					v.That(at, result.IsObject(), "a result that is an object", "the result is %s%s",
						judge.TypeName(result), what)
				}
			}
		},
	},
	"RPC-07": {From: errorForms, Judge: func(v *verdict.Verdict) {
		sent := requests(v)
		for _, m := range v.Failures() {
			e := m.Get("error")
			what, at := answer(sent, m)
			if !v.That(at, e.IsObject(), "an error that is an object", "the error is %s%s",
				judge.TypeName(e), what).Held() {
				continue
			}
			v.That(at, e.Get("code").Exists(), "an error with a code", "code is absent%s", what)
			v.That(at, judge.IsString(e.Get("message")), "an error with a message, a string",
				"message is %v%s", e.Get("message"), what)
		}
	}},
	"RPC-08": {From: slices.Concat(errorForms, recording.Names{recording.Undeclared,
		recording.UndeclaredCompletion, recording.FirstMessages, recording.Metadata}),
		Judge: func(v *verdict.Verdict) {
			for _, m := range v.Failures() {
				if code := m.Get("error.code"); code.Exists() {
					v.That(m, judge.IsInteger(code), "an error code that is an integer", "code is %v", code)
				}
			}
		}},
	"RPC-12": {Judge: func(v *verdict.Verdict) {
		for _, m := range v.Received() {
			wellFormedNotification(m, v)
		}
	}},
	"RPC-16": {From: errorForms, Judge: idsOfErrors},
	"RPC-18": {From: verdict.ErrorSources,
		Judge: func(v *verdict.Verdict) {
			const long = 300
			for _, m := range v.Failures() {
				if text := m.Get("error.message"); judge.IsString(text) {
					v.That(m, !strings.Contains(text.Str, "\n") && len(text.Str) <= long &&
						strings.TrimSpace(text.Str) != "", "a message of one short line",
						"a message of %d bytes: %v", len(text.Str), text).Warn()
				}
			}
		}},
	"RPC-20": {Judge: func(v *verdict.Verdict) {
		for _, f := range v.Incoming(0) {
			if !v.CarriesMessage(f) || f.HasFlaw(wire.FlawNotJSON) &&
				!f.HasFlaw(wire.FlawUTF8) && !f.HasFlaw(wire.FlawBOM) {
				continue
			}
			v.That(f, !f.HasFlaw(wire.FlawUTF8), "well-formed UTF-8", "a byte that is none, %s",
				verdict.Detail(f, wire.FlawUTF8))
			v.That(f, !f.HasFlaw(wire.FlawBOM), "messages without a byte order mark", "%s",
				verdict.Detail(f, wire.FlawBOM))
			v.That(f, !f.HasFlaw(wire.FlawSurrogate), "strings of whole characters", "%s",
				verdict.Detail(f, wire.FlawSurrogate)).
				Warn("the grammar of JSON lets an escape be half of a pair").
				Hint("cut texts between characters, not between the two units that some of them are in " +
					"UTF-16")
		}
	}},
	"RPC-21": {Judge: freshIDs},
	"RPC-22": {Judge: func(v *verdict.Verdict) {
		asked := v.OwnRequests()
		for _, m := range asked {
			v.Fail(m, "no requests from the server", "a request for %s", m.Method())
		}
		if len(asked) == 0 && len(v.Received()) > 0 {
			v.Holds()
		}
	}},
	"RPC-25": {From: verdict.ErrorSources,
		Judge: func(v *verdict.Verdict) {
			for _, m := range v.Received() {
				v.That(m, !m.Frame.HasFlaw(wire.FlawDuplicate), "objects whose members have different names",
					"%s in %s", verdict.Detail(m.Frame, wire.FlawDuplicate), m.Said())
			}
		}},
	"RPC-24": {From: verdict.ErrorSources,
		Judge: func(v *verdict.Verdict) {
			standard := map[float64]bool{-32700: true, -32600: true, -32601: true, -32602: true, -32603: true}
			for _, m := range v.Failures() {
				if code := m.Get("error.code"); judge.IsInteger(code) {
					v.That(m, code.Num < -32768 || code.Num > -32100 || standard[code.Num],
						"a code outside of -32768 to -32100, or one that JSON-RPC defines", "code %s",
						code.Raw)
				}
			}
		}},
}

// answeredByID: every response has the id of a request of its session, and fits
// the method asked for.
func answeredByID(v *verdict.Verdict) {
	sent := requests(v)
	for _, m := range v.Responses() {
		if m.Nameless() {
			about, frames := "with "+resultOf(m), verdict.Frames{m.Frame.Number}
			if x := owner(v, m); x != nil {
				frames = append(frames, x.Request)
				if resultOf(m) == "" && m.Get("result").Exists() {
					about = "of " + x.Method
				}
			}
			if about != "with " {
				v.Fail(frames, "a response with the id of its request", "a result %s whose id is %s", about,
					judge.TypeName(m.Get("id")))
			}
			continue // an error without an id is judged elsewhere
		}
		x := m.Asker(sent[m.Frame.Session])
		if x == nil {
			// Of two members id in one request either may count (RFC 8259 section 4).
			if !slices.ContainsFunc(sent[m.Frame.Session], func(x *recording.Exchange) bool {
				return x.Step.Sent() == scenario.StepDoubledMember
			}) {
				unasked(m, v)
			}
			continue
		}
		v.Holds()
		if foreign := foreignMember(x.Method, m.Get("result")); foreign != "" {
			v.Fail(verdict.Several{verdict.Frames{x.Request}, m}, "a result that fits "+x.Method,
				"a result with %s", foreign)
		}
	}
}

// unasked states that nothing was asked under the id of a response, and what was, where HTTP tells it.
func unasked(m recording.Message, v *verdict.Verdict) {
	about, frames := "", verdict.Frames{m.Frame.Number}
	x := owner(v, m)
	if x == nil && m.Frame.HTTP != nil && m.Frame.HTTP.Status >= http.StatusBadRequest &&
		m.Get("error").Exists() {
		return // what was refused is no request, and the error may be the HTTP server's
	}
	if x != nil {
		about, frames = ", in the answer to "+x.Method+" with the id "+judge.Brief(gjson.ParseBytes(x.ID)),
			append(frames, x.Request)
	}
	f := v.Fail(frames, "a response with the id of a request",
		"the id %v, under which nothing was asked%s", m.Get("id"), about).SharedCause(anotherID)
	// HTTP+SSE does not tell what it answers
	cut := strings.ContainsRune(m.Get("id").Str, utf8.RuneError) && v.Step(stepChunked) != nil
	if cut || x != nil && x.Step == stepChunked {
		f.SharedCause(cutCharacter).Hint(wholeBody)
	}
}

// requests lists what was asked in each session, the handshake included.
func requests(v *verdict.Verdict) map[string][]*recording.Exchange {
	sent := map[string][]*recording.Exchange{}
	for _, s := range v.Sessions {
		if s.Initialize != nil { // not the script's own, but answered among its frames
			sent[s.ID] = append(sent[s.ID], s.Initialize)
		}
	}
	for _, x := range v.Exchanges {
		sent[x.Session] = append(sent[x.Session], x)
	}
	return sent
}

// answer says to what a message is the response, behind what is said about it, and in which frames
// both stand; the request may be unknown.
func answer(sent map[string][]*recording.Exchange, m recording.Message) (what string, on verdict.Frames) {
	x := m.Asker(sent[m.Frame.Session])
	if x == nil || x.Method == "" {
		return "", m.Evidence()
	}
	return " in the response to " + x.Method, verdict.Frames{x.Request, m.Frame.Number}
}

// owner is the request to which a response belongs by the HTTP response that it is in, or nil.
func owner(v *verdict.Verdict, m recording.Message) *recording.Exchange {
	if !v.OnHTTP() {
		return nil
	}
	for _, x := range v.Exchanges {
		if x.Session == m.Frame.Session && verdict.Request(x) && slices.Contains(x.Replies, m.Frame.Number) {
			return x
		}
	}
	return nil
}

// ownMember is the member that tells the result of a method from those of others.
var ownMember = map[string]string{
	"resources/list": "resources", "resources/templates/list": "resourceTemplates",
	"resources/read":      "contents",
	"completion/complete": "completion", "initialize": "protocolVersion",
	"server/discover": "supportedVersions",
}

// resultOf is the member by which a result shows that it answers a request, whatever its id;
// empty if it has none.
func resultOf(m recording.Message) string {
	for _, member := range slices.Sorted(maps.Values(ownMember)) {
		if judge.Member(m.Get("result"), member).Exists() {
			return member
		}
	}
	return ""
}

// foreignMember is the member of a result that belongs to another method, where
// that of its own method is missing; empty if the result fits.
func foreignMember(method string, result gjson.Result) string {
	own := ownMember[method]
	if own == "" || !result.IsObject() || judge.Member(result, own).Exists() {
		return ""
	}
	for _, other := range ownMember {
		if judge.Member(result, other).Exists() {
			return other
		}
	}
	return ""
}

// wellFormedNotification judges a message that has a method and is no request, or
// that is no message at all.
func wellFormedNotification(m recording.Message, v *verdict.Verdict) {
	method, params := m.Get("method"), m.Get("params")
	at := m.Frame.Number
	switch {
	case m.Kind == wire.KindResponse || m.Kind == wire.KindRequest &&
		!strings.HasPrefix(m.Method(), "notifications/"):
	case m.Kind == wire.KindOther && !method.Exists():
		if m.Get("jsonrpc").Exists() &&
			(m.Frame.Event != nil || v.OnStdio()) {
			v.Fail(verdict.Frames{at}, "a request, a notification or a response",
				"a message without method, result and error: %v", m.Result)
		}
	default:
		v.That(verdict.Frames{at}, judge.IsString(method), "a method that is a string", "method is %s",
			judge.TypeName(method))
		v.That(verdict.Frames{at}, !m.Get("id").Exists(), "a notification without id", "%s with the id %v",
			m.Said(), m.Get("id"))
		v.That(verdict.Frames{at}, !params.Exists() || params.IsObject(),
			"params that are an object, or none", "params of %s are %s", m.Said(), judge.TypeName(params))
		for _, member := range []string{"result", "error"} {
			if value := m.Get(member); value.Exists() {
				v.Fail(m, "a notification without the members of a response", "%s with %s: %v", m.Said(),
					member, value).
					Warn("no sentence forbids further members, but these make a message a response to many " +
						"clients").Hint("leave out what is null when messages are encoded")
			}
		}
	}
}

// idsOfErrors: errors carry the id of the request if it could be read, and otherwise
// none.
func idsOfErrors(v *verdict.Verdict) {
	if frames := v.Facts.Nameless; len(frames) > 0 && v.Scenario == recording.Everything {
		// Which revision holds before a handshake is open, and it is not asked for again.
		v.Observe(verdict.Frames(frames), "discovery-without-id", "server/discover before a handshake is "+
			"answered by an error without the id of the request: a client of 2026-07-28, which asks for it "+
			"to see whether to shake hands, waits for its answer in vain")
	}
	over := endedWith(v)
	for _, x := range v.Exchanges {
		if x.Outcome == recording.Refused || x.Status > 0 && x.Status == over[x.Session] {
			continue // what limits a rate, or knows the session no more, need not have read the message
		}
		step := x.Step.Sent()
		for _, m := range v.RepliesOf(x) {
			if e := m.Get("error"); !e.Exists() || e.Type == gjson.Null ||
				!v.CarriesMessage(m.Frame) {
				continue // an HTTP server has errors of its own, such as {"error":"Bad Request"}
			}
			switch {
			case m.Nameless() && unread(x, v): // an error about the session or the head of the request
			case step == scenario.StepNullID || step == scenario.StepDoubledMember:
				// there is none, or which one it is depends on the reader
			case len(x.ID) > 0 && !slices.Contains(noRequests, step):
				v.That(verdict.Several{x, m}, !m.Nameless(),
					"an error with the id "+judge.Short(gjson.ParseBytes(x.ID), 60)+
						" of its request", "the id is %v", m.Get("id")).SharedCause(verdict.LostID)
			case step == recording.StepNotJSON && v.Revision() < requirement.R20251125:
				// The schema requires an id that is not null, JSON-RPC one that is.
				v.Holds()
			case step == recording.StepNotJSON:
				v.That(verdict.Several{x, m}, m.Nameless(), "an error without id, or with null: none could "+
					"be read", "the id is %v", m.Get("id"))
			}
		}
	}
}

// noRequests are the steps of messages whose ids need not be read, since they are none of requests.
var noRequests = []recording.Step{
	scenario.StepNoMethod, scenario.StepMistypedMethod, scenario.StepNotUTF8}

// endedWith is by which HTTP status, if by one, what bears the ids of sessions was refused that were over
// before the script was done.
func endedWith(v *verdict.Verdict) map[string]int {
	over := map[string]int{}
	for _, x := range v.Exchanges {
		if x.Status >= http.StatusBadRequest && x.Step != x.Step.Sent() {
			over[x.Session] = x.Status
		}
	}
	return over
}

// unread reports whether a request was refused by an HTTP status for which its body need not have been read:
// 404 where the session is over (up to 2025-11-25, "Session Management"), 431 where the header is too large.
func unread(x *recording.Exchange, v *verdict.Verdict) bool {
	return x.Status > http.StatusBadRequest && x.Status < http.StatusInternalServerError &&
		(x.Status != http.StatusNotFound || !v.Modern())
}
