// Package sess is the area SESS: sessions over Streamable HTTP
// (basic/transports#session-management).
package sess

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// Checks lists the checks of Streamable HTTP, session management.
var Checks = verdict.Checks{
	"SESS-01": sessionCheck(func(v *verdict.Verdict) {
		for _, x := range issuing(v) {
			id := x.Header.Get("Mcp-Session-Id")
			bad := slices.IndexFunc([]byte(id), func(b byte) bool { return b < 0x21 || b > 0x7e })
			v.That(x, bad < 0, "characters from 0x21 to 0x7E", "the session id %s", judge.Quote(id))
		}
	}),
	"SESS-02": sessionCheck(uniqueIDs),
	"SESS-03": sessionCheck(func(v *verdict.Verdict) {
		x := v.Step(scenario.StepWithoutID)
		if issuing(v) == nil {
			return
		}
		if !told(x, v) {
			return
		}
		v.That(x, x.Status == http.StatusBadRequest || x.Succeeded(), "HTTP 400, or service",
			"%v to a request without the session id", x)
		if get := v.Step(scenario.StepGetWithoutID); !x.Succeeded() && opensStream(get) {
			v.Fail(verdict.Several{x, get}, "HTTP 400 (or 405) to a GET without the session id, where a "+
				"request by POST needs it", "an event stream")
		} else if x.Status == http.StatusBadRequest && get != nil && get.Status == http.StatusNotFound &&
			slices.ContainsFunc(gets(v), opensStream) {
			v.Fail(verdict.Several{x, get}, "HTTP 400 to a GET without the session id, as to a request by "+
				"POST", "HTTP 404, which tells clients that their session has ended")
		}
	}),
	"SESS-04": sessionCheck(endedSession),
	"SESS-05": sessionCheck(func(v *verdict.Verdict) {
		x := v.Step(scenario.StepUnknownID)
		if issuing(v) == nil || !told(x, v) {
			return
		}
		if y := v.Step(scenario.StepWithoutID); y != nil && y.Succeeded() && x.Succeeded() {
			v.NotExercised("the target serves requests without a session id as well: it keeps no sessions")
			return
		}
		v.That(x, x.Status == http.StatusNotFound, "HTTP 404", "%v to a session id that was never issued", x)
		for _, y := range v.Steps(scenario.StepUnknownID) {
			if form := y.Tags[scenario.TagForm]; form != "" {
				v.That(y, !y.Succeeded() && y.Outcome != recording.Lost || x.Succeeded(), "HTTP 404",
					"%v to the id of a session with %s", y, form).
					Hint("compare session ids as they are, from the first character to the last")
			}
		}
	}),
	"SESS-08": sessionCheck(func(v *verdict.Verdict) {
		if x := v.Step(scenario.StepReopen); x != nil && v.Responded(x) {
			v.RestsOn(v.Step(scenario.StepDelete))
			v.That(x, x.Succeeded(), "a new session after one was ended", "%v to initialize", x)
		}
	}),
	"SESS-09": sessionCheck(acceptedIDs),
}

// sessionCheck is a check of the scenario about sessions.
func sessionCheck(judge func(*verdict.Verdict)) verdict.Check {
	return verdict.Check{From: recording.Names{recording.HTTPSessions}, Judge: judge}
}

// issuing lists the exchanges that issued session ids; without any it says so.
func issuing(v *verdict.Verdict) []*recording.Exchange {
	var all []*recording.Exchange
	for _, s := range v.Sessions {
		if x := s.Initialize; x != nil && x.Header.Get("Mcp-Session-Id") != "" {
			all = append(all, x)
		}
	}
	for _, x := range v.Steps(scenario.StepOtherRevision, scenario.StepReopen, scenario.StepChosenID) {
		if x.Header.Get("Mcp-Session-Id") != "" {
			all = append(all, x)
		}
	}
	if len(all) == 0 {
		v.NotExercised("the target issues no session ids")
	}
	return all
}

// uniqueIDs: all different, made by the server, not short, no numbers in sequence, and not alike.
func uniqueIDs(v *verdict.Verdict) {
	const hard = "a session id that cannot be guessed"
	seen, ids, with := map[string]*recording.Exchange{}, []string(nil), verdict.Several(nil)
	for _, x := range issuing(v) {
		id := x.Header.Get("Mcp-Session-Id")
		if x.Step == scenario.StepChosenID && id == x.Tags[scenario.TagSession] {
			v.Fail(x, "a session id that the server makes", "the id %s, which the client sent with "+
				"initialize, is that of the new session", judge.Quote(id)).
				Hint("make the id of each session yourself, and answer initialize with an id that is not " +
					"known with HTTP 404")
			continue
		}
		if other := seen[id]; other != nil {
			v.Fail(verdict.Several{other, x}, "another id for each session", "two sessions have the id %s",
				judge.Quote(id))
		}
		seen[id] = x
		v.That(x, len(id) >= 16, hard, "a session id of no more than %d characters, %s", len(id),
			judge.Quote(id))
		if n, err := strconv.ParseUint(id, 10, 64); err == nil {
			if last := seen[strconv.FormatUint(n-1, 10)]; last != nil {
				v.Fail(x, hard, "session ids that are counted up: %d and %d", n-1, n).Before(last)
			}
		}
		ids, with = append(ids, id), append(with, x)
	}
	// ids, of which several seldom agree by chance, and bits: the least that anybody takes for safe is 64
	const enough, few = 3, 40
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) < enough {
		return
	}
	differing, bits := judge.Variety(ids)
	v.That(with, bits >= few, hard, plural.Of(differing,
		"%d session ids that differ in %d {character|characters} only, such as %s and %s"), len(ids),
		differing, judge.Quote(ids[0]), judge.Quote(ids[1]))
}

// endedSession: 404 from the moment the end was confirmed, or a second later.
func endedSession(v *verdict.Verdict) {
	end := v.Step(scenario.StepDelete)
	if issuing(v) == nil || !v.Responded(end) {
		return
	}
	if end.Status >= http.StatusInternalServerError {
		v.Observe(end, "delete-fails", "HTTP %d to DELETE: 405 says that clients cannot end sessions, and "+
			"404 that there is none", end.Status)
	}
	if end.Status > 299 {
		v.NotExercised("clients cannot end sessions (HTTP %d to DELETE)", end.Status)
		return
	}
	all := v.Steps(scenario.StepAfterDelete)
	if len(all) == 0 || !told(all[len(all)-1], v) {
		return
	}
	last := all[len(all)-1]
	v.That(verdict.Several{end, last}, last.Status == http.StatusNotFound, "HTTP 404",
		"%v to a request of a session that was ended by DELETE", last)
	if last.Status == http.StatusNotFound {
		endedForAll(end, v)
	}
}

// endedForAll: GET and DELETE are requests as well. One that opened no stream before may not be offered at
// all.
func endedForAll(end *recording.Exchange, v *verdict.Verdict) {
	answered := func(x *recording.Exchange) bool {
		return x != nil && x.Status > 0 && x.Outcome != recording.Refused
	}
	if get := v.Step(scenario.StepGetAfterDelete); opensStream(get) {
		v.Fail(verdict.Several{end, get}, "HTTP 404", "an event stream to a GET of a session that was "+
			"ended by DELETE")
	} else if answered(get) && slices.ContainsFunc(gets(v), opensStream) {
		v.That(verdict.Several{end, get}, get.Status == http.StatusNotFound, "HTTP 404",
			"HTTP %d to a GET of a session that was ended by DELETE", get.Status).
			Warn("it is refused, and requests by POST tell that the session is over")
	}
	if again := v.Step(scenario.StepDeleteAgain); answered(again) {
		v.That(verdict.Several{end, again}, again.Status == http.StatusNotFound, "HTTP 404",
			"HTTP %d to a second DELETE of the session", again.Status).
			Warn("that a session which is over is ended once more does no harm")
	}
}

// told reports whether a response tells what the target makes of a session id. The session was opened
// with the same credentials, so 401 is about its id as well.
func told(x *recording.Exchange, v *verdict.Verdict) bool {
	return x != nil && x.Status == http.StatusUnauthorized || v.Responded(x)
}

// gets lists the GETs with an id that was issued: of what is sent with one, they alone have no method.
func gets(v *verdict.Verdict) []*recording.Exchange {
	return recording.Keep(v.Steps(scenario.StepUse), func(x *recording.Exchange) bool {
		return x.Method == ""
	})
}

// opensStream reports whether a GET was answered by an event stream.
func opensStream(x *recording.Exchange) bool {
	return x != nil && x.Status == http.StatusOK && x.EventStream()
}

// sameID remarks upon answers that name another session than the request did: it is issued with the answer to
// initialize, and clients that take it from any go on in another one.
func sameID(v *verdict.Verdict) {
	for _, x := range v.Steps(scenario.StepUse) {
		s := v.Session(x.Session)
		if id := x.Header.Get("Mcp-Session-Id"); id != "" && s != nil && s.Initialize != nil &&
			x.Status == http.StatusOK && id != s.Initialize.Header.Get("Mcp-Session-Id") {
			v.Observe(x, "another-session-id", "an answer to %s has Mcp-Session-Id %s, which is not that "+
				"of its session: clients that take it over go on in another one", x.Method, judge.Quote(id))
			return
		}
	}
}

// barred: what follows the handshake is not refused about a session id that was not issued, or that was sent.
func barred(v *verdict.Verdict, uses []*recording.Exchange) {
	x := uses[0]
	expected, actual := "requests without a session id to be served, as initialize issued none",
		"HTTP 400 about the session to every request after initialize, whose answer has no Mcp-Session-Id"
	on := verdict.Several{x}
	if s := v.Session(x.Session); s != nil && s.Initialize != nil {
		on = verdict.Several{s.Initialize, x}
		if s.Initialize.Header.Get("Mcp-Session-Id") != "" {
			expected, actual = "the issued session id to be accepted",
				"HTTP 400 about the session to every request with the id that was issued"
		}
	}
	v.Fail(on, expected, "%s", actual).AboutRefusal().
		Hint("send Mcp-Session-Id with the answer to initialize, and accept it; a gateway or proxy in " +
			"front of the server has to pass that header on in both directions")
}

// acceptedIDs: the requests that follow initialize are not refused for their id.
// Since a session may end at any time, both of two sessions must have the trouble;
// a handshake in another revision is a different cause.
func acceptedIDs(v *verdict.Verdict) {
	if uses := v.Steps(scenario.StepUse); slices.ContainsFunc(uses, (*recording.Exchange).Barred) &&
		!slices.ContainsFunc(uses, (*recording.Exchange).Succeeded) {
		barred(v, recording.Keep(uses, (*recording.Exchange).Barred))
		return
	}
	if issuing(v) == nil {
		return
	}
	refused := map[string]*recording.Exchange{}
	bare := v.Step(scenario.StepGetWithoutID)
	for _, x := range v.Steps(scenario.StepUse) {
		// it is GET that is refused, not the id
		if !v.Responded(x) || x.Method == "" && bare != nil && x.Status == bare.Status {
			continue
		}
		v.Holds()
		if x.Status == http.StatusBadRequest || x.Status == http.StatusNotFound {
			refused[x.Tags[scenario.TagSession]] = x
		}
	}
	if a, b := refused["a"], refused["b"]; a != nil && b != nil {
		v.Fail(verdict.Several{a, b}, "the issued session id to be accepted",
			"HTTP %d to a request with the id that was issued, in two sessions", a.Status)
	}
	sameID(v)
	if x := v.Step(scenario.StepAfterOther); x != nil && v.Responded(x) && refused["a"] == nil {
		v.RestsOn(v.Step(scenario.StepOtherRevision))
		v.That(x, x.Status != http.StatusBadRequest && x.Status != http.StatusNotFound,
			"a session to go on beside one in another revision", "%v after another client had opened a "+
				"session in another revision", x).Hint("keep the negotiated version with the session")
	}
}
