package sec_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/sec"
	"github.com/mcpcheck/mcpcheck/suite/area/sse"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

func TestOriginChecks(t *testing.T) {
	from := func(step recording.Step, status int, l rt.Line) rt.Line {
		return areatest.WithTags(areatest.HTTPLine(step, status, l), "origin", "http://evil.example.invalid")
	}
	lost := rt.Line{Outcome: recording.Lost}
	like := areatest.WithTags(areatest.Listed("look-alike"), "origin",
		"http://localhost.evil.example.invalid")
	null := areatest.WithTags(areatest.Listed("look-alike"), "origin", "null")
	areatest.WalkRuns(t, sec.Origins, `{"resources":{}}`,
		areatest.Pass("SEC-01", from("request", 403, areatest.NoMessage)),
		areatest.Fail("SEC-01", from("request", 200, areatest.OkList)),
		areatest.Fail("SEC-01", from("request", 400, areatest.NoMessage)),
		areatest.Warn("SEC-01", from("request", 401, areatest.NoMessage)),
		areatest.Warn("SEC-01", from("request", 403,
			rt.Line{Reply: `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"no"}}`})),
		areatest.Fail("SEC-01", from("request", 403, areatest.NoMessage), like),
		areatest.Pass("SEC-01", from("request", 403, areatest.NoMessage), null),
		areatest.Fail("SEC-02", from("request", 400, areatest.NoMessage), like),
		areatest.Pass("SEC-02", from("request", 400, areatest.NoMessage)),
		areatest.Pass("SEC-02", from("request", 0, lost)),
		areatest.Pass("SEC-02", from("request", 302, areatest.NoMessage)),
		areatest.Pass("SEC-02", from("request", 200, areatest.WithCode("-32600"))),
		areatest.Blocked("SEC-02", from("request", 202, rt.Line{Outcome: recording.Silent})),
		areatest.Pass("SEC-03", from("request", 302, areatest.NoMessage),
			areatest.WithTags(areatest.Listed("control"), "of", "request"),
			from("read", 200, areatest.WithCode("-32600"))),
		areatest.NotApplicable("SEC-03", from("listen", 200, areatest.WithCode("-32600")),
			from("read", 200, areatest.OkList)),
		areatest.Fail("SEC-02", from("request", 200, areatest.OkList)),
		areatest.Pass("SEC-03", from("request", 403, areatest.NoMessage),
			from("read", 403, areatest.NoMessage), from("get", 405, areatest.NoMessage)),
		areatest.Pass("SEC-03", from("request", 403, areatest.NoMessage),
			from("delete", 501, areatest.NoMessage)),
		areatest.Pass("SEC-03", from("request", 500, areatest.NoMessage),
			from("delete", 500, areatest.NoMessage)),
		areatest.Fail("SEC-03", from("request", 500, areatest.NoMessage), from("read", 200, areatest.OkList)),
		areatest.NotApplicable("SEC-03", from("get", 0, rt.Line{Outcome: recording.Sent}),
			from("get", 0, rt.Line{Outcome: recording.Silent}),
			from("request", 0, rt.Line{Outcome: recording.Unsent}),
			from("read", 0, rt.Line{Outcome: recording.Canceled})),
		areatest.Pass("SEC-03", from("request", 403, areatest.NoMessage),
			from("get", 0, rt.Line{Outcome: recording.Sent}),
			from("listen", 0, rt.Line{Outcome: recording.Silent})),
		areatest.NotApplicable("SEC-03", from("request", 200, areatest.OkList),
			from("get", 405, areatest.NoMessage)),
		areatest.Fail("SEC-03", from("initialize", 403, areatest.NoMessage),
			from("request", 200, areatest.OkList)),
		areatest.Fail("SEC-03", from("request", 200, areatest.OkList), from("read", 404, areatest.NoMessage),
			areatest.WithTags(areatest.Listed("control"), "of", "read")),
		areatest.NotApplicable("SEC-03", from("request", 200, areatest.OkList),
			from("read", 404, areatest.NoMessage),
			areatest.WithTags(areatest.Bare("control", 404), "of", "read")),
		areatest.Pass("SEC-04", from("no-origin", 200, areatest.OkList),
			from("own-origin", 200, areatest.OkList)),
		areatest.Pass("SEC-04", from("no-origin", 400, areatest.NoMessage),
			from("own-origin", 400, areatest.NoMessage)),
		areatest.Warn("SEC-04", from("no-origin", 403, areatest.NoMessage),
			from("own-origin", 200, areatest.OkList)),
	)
}

// TestOriginPolicy: what is allowed is the operator's choice on servers that are
// not local.
func TestOriginPolicy(t *testing.T) {
	for name, change := range map[string]struct {
		adjust func(*recording.Facts)
		want   verdict.Outcome
	}{
		"local":  {func(*recording.Facts) {}, verdict.Fail},
		"public": {func(f *recording.Facts) { f.Local = false }, verdict.Warn},
		"configured": {func(f *recording.Facts) { f.Local, f.Configured["origins"] = false, true },
			verdict.Fail},
		"any-origin": {func(f *recording.Facts) { f.Allowed["any-origin"] = true }, verdict.NotApplicable},
	} {
		facts := areatest.HTTP(requirement.R20251125, `{}`)
		change.adjust(facts)
		rec := rt.New(sec.Origins, facts,
			areatest.WithTags(areatest.Listed("request"), "origin",
				"http://evil.example.invalid"))
		areatest.Due(t, "SEC-01", name, change.want, rec)
	}
}

func TestCredentialChecks(t *testing.T) {
	challenge := func(l rt.Line, value string) rt.Line {
		l.Header = http.Header{}
		if value != "" {
			l.Header.Set("WWW-Authenticate", value)
		}
		return l
	}
	pointed := challenge(areatest.Bare("anonymous", 401),
		`Bearer resource_metadata="https://a.example/x"`)
	bare := challenge(areatest.Bare("anonymous", 401), "")
	document := func(text string) rt.Line {
		return areatest.WithTags(areatest.Bare("metadata", 200), "text", text)
	}
	const good = `{"resource":"https://a.example","authorization_servers":["https://b.example"]}`
	open := areatest.Listed("anonymous")
	areatest.WalkRuns(t, sec.Credentials, `{"resources":{}}`,
		areatest.Pass("SEC-08", pointed),
		areatest.NotApplicable("SEC-08", open),
		areatest.Warn("SEC-08", bare),
		areatest.Fail("SEC-08", bare, document(good)),
		areatest.Pass("SEC-09", bare, document(good)),
		areatest.Warn("SEC-09", bare),
		areatest.Pass("SEC-10", pointed, areatest.Bare("invalid", 401)),
		areatest.Fail("SEC-10", pointed, areatest.Bare("invalid", 403)),
		areatest.Fail("SEC-10", pointed, areatest.Listed("invalid")),
		areatest.NotApplicable("SEC-10",
			areatest.WithTags(areatest.HTTPLine("anonymous", 200, areatest.HeaderErr), "ordinary", "yes"),
			areatest.HTTPLine("invalid", 200, areatest.HeaderErr)),
		areatest.NotApplicable("SEC-10", open, areatest.Listed("invalid")),
		areatest.Pass("SEC-15", pointed),
		areatest.NotApplicable("SEC-15", open),
		areatest.Warn("SEC-15", areatest.HTTPLine("anonymous", 200, areatest.HeaderErr)),
		areatest.Fail("SEC-15", areatest.HTTPLine("anonymous", 200, areatest.HeaderErr), pointed),
		areatest.NotApplicable("SEC-15",
			areatest.WithTags(areatest.HTTPLine("anonymous", 200, areatest.HeaderErr), "ordinary", "yes")),
		areatest.Pass("SEC-60", document(good)),
		areatest.Fail("SEC-60", document(`{"authorization_servers":[]}`)),
		areatest.NotApplicable("SEC-60", pointed,
			areatest.WithTags(areatest.Bare("metadata", 404), "text", "not found")),
		areatest.Pass("SEC-61", areatest.Bare("foreign", 401)),
		areatest.Fail("SEC-61", areatest.Listed("foreign")),
	)
	read := areatest.Bare("read", 403)
	scope := challenge(read, `Bearer error="insufficient_scope", scope="read"`)
	areatest.WalkRuns(t, sec.Rights, `{"resources":{"subscribe":true}}`,
		areatest.Pass("SEC-11", scope),
		areatest.Warn("SEC-11", challenge(areatest.Bare("read", 401), "")),
		areatest.Pass("SEC-12", read),
		areatest.Pass("SEC-12", areatest.HTTPLine("read", 200, areatest.WithCode("-32002"))),
		areatest.Warn("SEC-12", areatest.Listed("read")),
	)
	areatest.WalkRunsIn(t, sec.Rights, `{"resources":{"subscribe":true}}`, []areatest.Run{
		areatest.Warn("SEC-12", areatest.WithTags(areatest.HTTPLine("subscribe", 200,
			rt.Line{Outcome: recording.Sent}), "granted", "yes")),
	}, requirement.R20260728)
	areatest.WalkRuns(t, sec.PublicAddress, `{}`,
		areatest.Pass("SEC-06", areatest.HTTPLine("public", 0, rt.Line{Outcome: recording.Unsent})),
		areatest.Warn("SEC-06", areatest.Bare("public", 404)),
	)
}

// TestLoggedSecrets: a credential that was sent is looked for in the log.
func TestLoggedSecrets(t *testing.T) {
	for data, want := range map[string]verdict.Outcome{"read with secret-token": verdict.Fail,
		"read": verdict.Pass} {
		facts := areatest.HTTP(requirement.R20251125, `{}`)
		line := areatest.Listed("list")
		line.Incoming = []string{`{"jsonrpc":"2.0","method":"notifications/message",` +
			`"params":{"level":"info","data":"` + data + `"}}`}
		rec := rt.New(sec.LogSecrets, facts, line)
		rec.Frames[0].HTTP = &wire.HTTP{Header: http.Header{"Authorization": {"Bearer secret-token"}}}
		areatest.Due(t, "SEC-14", data, want, rec)
	}
}

// TestEchoedSecrets: an answer that repeats a credential is remarked upon.
func TestEchoedSecrets(t *testing.T) {
	for message, want := range map[string]string{"no right for secret-token": "credentials-echoed",
		"no right": ""} {
		facts := areatest.HTTP(requirement.R20251125, `{}`)
		rec := rt.New(sec.LogSecrets, facts,
			areatest.HTTPLine("list", 200, rt.Line{Error: `{"code":-32600,"message":"` + message + `"}`}))
		rec.Frames[0].HTTP = &wire.HTTP{Header: http.Header{"Authorization": {"Bearer secret-token"}}}
		seen := map[string]string{}
		for _, o := range areatest.Judge("SEC-14", rec).Observations {
			seen[o.ID] = o.Detail
		}
		areatest.Observed(t, seen, want)
	}
}

func TestSSETransportChecks(t *testing.T) {
	open := func(e wire.Event, data string) rt.Line {
		l := areatest.HTTPLine("open", 200, rt.Line{ID: "-", Outcome: recording.Sent,
			Incoming: []string{data}, Event: &e, Channel: "get:1"})
		return areatest.WithTags(areatest.Mime("text/event-stream", l), "url", "http://127.0.0.1/sse")
	}
	named := wire.Event{Type: "endpoint"}
	areatest.WalkRuns(t, sse.SSEEndpoint, `{}`,
		areatest.Pass("SSE-20", open(named, "/message?x=1")),
		areatest.Fail("SSE-20", areatest.Mime("application/json", areatest.Bare("open", 200))),
		areatest.Pass("SSE-21", open(named, "/message?x=1")),
		areatest.Pass("SSE-21", open(named, "http://127.0.0.1/message")),
		areatest.Pass("SSE-21", open(named, "http://elsewhere.example/message")),
		areatest.Fail("SSE-21", open(named, `{"uri": "/message"}`)),
		areatest.Fail("SSE-21", open(wire.Event{}, "/message")),
	)
	message := func(event, channel string, l rt.Line) rt.Line {
		l.Event, l.Channel = &wire.Event{Type: event}, channel
		return areatest.HTTPLine("list", 202, l)
	}
	areatest.WalkRuns(t, recording.Everything, `{}`,
		areatest.Pass("SSE-23", message("message", "sse", areatest.OkList)),
		areatest.Pass("SSE-23", message("", "sse", areatest.OkList)),
		areatest.Pass("SSE-23", message("", "sse", areatest.OkList),
			message("ping", "sse", rt.Line{Reply: "12:00", Outcome: recording.Canceled})),
		areatest.Fail("SSE-23", message("reply", "sse", areatest.OkList)),
		areatest.Fail("SSE-23", message("", "post:1", areatest.OkList)),
		areatest.Fail("SSE-23",
			message("message", "sse", rt.Line{Reply: "%7B%7D", Outcome: recording.Silent})),
		areatest.Fail("SSE-23", areatest.Bare("list", 404)),
	)
	both := func(more ...string) []rt.Line {
		return areatest.Lines(rt.Line{Step: "first-list", Method: "resources/list", Result: areatest.ListOf,
			More: more},
			rt.Line{Step: "second-templates", Method: "resources/templates/list",
				Result: `{"resourceTemplates":[]}`, Session: "s2"})
	}
	areatest.WalkRuns(t, recording.TwoClients, `{}`,
		areatest.Pass("SSE-25", both()...),
		areatest.Fail("SSE-25", both(`{"jsonrpc":"2.0","id":100,"result":{"resourceTemplates":[]}}`)...),
		areatest.Pass("HTTP-37", both()...),
		areatest.Warn("HTTP-37", areatest.HTTPLine("second-client", 500, rt.Line{Method: "initialize"})),
		areatest.Warn("HTTP-37",
			rt.Line{Step: "first-list", Method: "resources/list", Result: `{"resourceTemplates":[]}`}),
	)
	resumed := rt.Line{Step: "resume", ID: "-", Status: 200, Outcome: recording.Sent, Channel: "get:1",
		Event: &wire.Event{}}
	foreign := resumed
	foreign.Incoming = []string{`{"jsonrpc":"2.0","id":101,"result":{}}`}
	first, second := message("", "post:1", areatest.OkList), message("", "post:2", areatest.OkList)
	first.Step, second.Step = "first", "second"
	areatest.WalkRuns(t, recording.HTTPResume, `{}`,
		areatest.Pass("SSE-07", first, second, resumed),
		areatest.Fail("SSE-07", first, second, foreign),
		areatest.NotApplicable("SSE-07", first, second),
	)
}

// TestOwnersContents: what counts is that the contents are those that the owner gets.
func TestOwnersContents(t *testing.T) {
	const secret = `{"contents":[{"uri":"a:secret","text":"the plan"}]}`
	asked := `{"uri":"a:secret"}`
	owner := areatest.TaggedRead("owner", asked, secret, "")
	other := func(result, failure string) rt.Line {
		return areatest.TaggedRead("read", asked, result, failure, "uri", "a:secret", "identity", "guest")
	}
	areatest.WalkRuns(t, sec.Rights, `{"resources":{}}`,
		areatest.Fail("SEC-62", owner, other(secret, "")),
		areatest.Pass("SEC-62", owner, other("", areatest.NoSuch)),
		areatest.Pass("SEC-62", owner,
			other(`{"contents":[{"uri":"a:secret","text":"the public part"}]}`, "")),
		areatest.Pass("SEC-62", owner, other(areatest.Nothing, "")),
		areatest.NotApplicable("SEC-62", areatest.TaggedRead("owner", asked, "", areatest.NoSuch),
			other(secret, "")),
	)
}

// TestEndedByOneMessage: only a server that is known to have ended, over a probe in a session
// that had begun, is accused.
func TestEndedByOneMessage(t *testing.T) {
	fatal := rt.Line{Step: "not-json", Kind: recording.Probe, Outcome: recording.Lost, Fatal: true,
		Reason: "the process ended"}
	silent := fatal
	silent.Outcome = recording.Silent
	once := fatal
	once.Fatal = false
	lost := once
	lost.Step += recording.StepLost
	add := func(step recording.Step, outcome recording.Outcome, fatal bool) func(*recording.Recording) {
		return func(r *recording.Recording) {
			x := *r.Exchanges[0]
			x.Step, x.Outcome, x.Fatal = step, outcome, fatal
			r.Exchanges = append(r.Exchanges, &x)
		}
	}
	stdio := requirement.Combination{Revision: areatest.ModernOne, Transport: requirement.Stdio}
	served := requirement.Combination{Revision: areatest.ModernOne, Transport: requirement.HTTP}
	for name, x := range map[string]struct {
		on     requirement.Combination
		line   rt.Line
		adjust func(*recording.Recording)
		want   verdict.Outcome
	}{
		"process": {stdio,
			fatal, nil, verdict.Fail},
		"process, by a URI": {stdio,
			func() rt.Line { l := fatal; l.Params = `{"uri":"a:%00"}`; return l }(), nil, verdict.Fail},
		"deaf":                       {stdio, silent, nil, verdict.Pass},
		"once":                       {stdio, once, nil, verdict.Pass},
		"lost, and survived alone":   {stdio, lost, add("not-json", recording.Silent, false), verdict.Pass},
		"lost, and not sent alone":   {stdio, lost, add("other", recording.Silent, false), verdict.Blocked},
		"lost, and another is fatal": {stdio, lost, add("other", recording.Lost, true), verdict.Fail},
		"address":                    {served, fatal, nil, verdict.NotApplicable},
		"started": {served, fatal,
			func(
				r *recording.Recording) {
				r.Facts.Notes = map[string]string{recording.FactOneByOne: "true"}
			}, verdict.Fail},
		"not begun": {requirement.Combination{Revision: requirement.R20251125,
			Transport: requirement.Stdio}, fatal, func(r *recording.Recording) { r.Sessions = nil },
			verdict.NotApplicable},
		"by itself": {stdio,
			fatal, func(r *recording.Recording) {
				r.Sessions = append(r.Sessions, &recording.Session{Kind: recording.Clean,
					Lost: "the process ended"})
			}, verdict.Blocked},
		"by itself, long after anything was said": {stdio, fatal, func(r *recording.Recording) {
			r.Sessions = append(r.Sessions, &recording.Session{Kind: recording.Clean,
				Lost: "the process ended", Idle: true})
		}, verdict.Fail},
		"handshakes": {stdio,
			func() rt.Line { l := fatal; l.Method = "initialize"; return l }(), nil, verdict.NotApplicable},
	} {
		facts := rt.Facts(x.on, `{"resources":{}}`)
		rec := rt.New(recording.InvalidMessages, facts, x.line)
		if x.adjust != nil {
			x.adjust(rec)
		}
		got := areatest.Judge("SEC-63", rec)
		if got.Outcome != x.want {
			t.Errorf("%s: %s, expected %s: %+v", name, got.Outcome, x.want, got)
		}
		// Nobody else can send it to a process of the client's own.
		if harms := x.on.Transport == requirement.HTTP || x.line.Params != ""; got.Outcome == verdict.Fail &&
			harms != (got.Gravity == requirement.Security) {
			t.Errorf("%s: the gravity is %q", name, got.Gravity)
		}
	}
}

// TestSessionsEndOverMessages: the messages that sessions end over are reported, with what is said behind
// them, unless sessions do so over ordinary requests, too.
func TestSessionsEndOverMessages(t *testing.T) {
	line := func(session string, step recording.Step, status int) rt.Line {
		return rt.Line{Session: session, Step: step, Kind: recording.Probe, Method: "ping", Status: status,
			Outcome: recording.HTTPOnly}
	}
	for _, ordinary := range []int{0, http.StatusInternalServerError} {
		facts := areatest.HTTP(requirement.R20251125, `{"resources":{}}`)
		rec := rt.New(recording.InvalidMessages, facts, line("s1", "a/lost", 500), line("s2", "a/lost", 500),
			line("s2", "alive/lost", 500),
			line("s3", "alive/lost", 200), line("s3", recording.StepAlive, 500), line("s4", "a/lost", 500))
		rec.Exchanges[1].Ends, rec.Exchanges[5].Ends, rec.Exchanges[3].Ends = 500, 500, ordinary
		got := areatest.Judge("SEC-63", rec).Observations
		switch {
		case ordinary == 0 && len(got) == 1 && got[0].ID == "session-broken" &&
			strings.Contains(got[0].Detail, "has had ping, each time") &&
			slices.Equal(got[0].Frames, append(rec.Exchanges[1].Evidence(), rec.Exchanges[2].Evidence()...)):
		case ordinary != 0 && len(got) == 0:
		default:
			t.Errorf("ordinary requests %d: %+v", ordinary, got)
		}
	}
}

// A message that ends the server breaks each requirement on such messages, which is one finding.
func TestOneFindingOfOneEnd(t *testing.T) {
	facts := areatest.Stdio(areatest.ModernOne, `{"completions":{}}`)
	fatal := rt.Line{Step: "no-ref", Method: "completion/complete", Kind: recording.Probe,
		Outcome: recording.Lost, Fatal: true, Reason: "the process ended"}
	rec := rt.New(recording.MalformedCompletions, facts, fatal)
	for _, id := range []string{"SEC-63", "COMP-09"} {
		got := areatest.Judge(id, rec)
		if got.Outcome != verdict.Fail || !got.SharedCause || got.Cause != verdict.CauseCode(verdict.Ends) {
			t.Errorf("%s: %+v", id, got)
		}
	}
}

// TestEndedByLinesOfAMessage: who dies over text that is no JSON does so over an empty line as well; over two
// messages in one write, or over newlines in a body, a server dies of something else.
func TestEndedByLinesOfAMessage(t *testing.T) {
	for _, c := range []struct {
		over requirement.Transport
		raw  string
		want int // messages that are accused beside the text
	}{
		{requirement.Stdio, "\n{}", 0}, {requirement.Stdio, "{}\n{}", 1}, {requirement.Stdio, "{}", 1},
		{requirement.HTTP, "{\n}", 1},
	} {
		facts := rt.Facts(requirement.Combination{Revision: areatest.ModernOne, Transport: c.over},
			`{"resources":{}}`)
		facts.Notes = map[string]string{recording.FactOneByOne: "true"}
		fatal := rt.Line{Step: recording.StepNotJSON, Kind: recording.Probe, Outcome: recording.Lost,
			Fatal: true}
		other := fatal
		other.Step = "other"
		rec := rt.New(recording.InvalidMessages, facts, fatal, other)
		rec.Frame(rec.Exchanges[1].Request).Raw = []byte(c.raw)
		got := areatest.Judge("SEC-63", rec)
		if accused := slices.Contains(got.Frames, rec.Exchanges[1].Request); got.Outcome != verdict.Fail ||
			accused != (c.want > 0) || got.Reason != "" {
			t.Errorf("%s %q: %+v", c.over, c.raw, got)
		}
	}
}

// TestEndedAmidProbes: a server that ends amid probes of which none ends it alone is told of, unless it
// had been idle, or ended once more.
func TestEndedAmidProbes(t *testing.T) {
	probe := func(step recording.Step, outcome recording.Outcome, fatal bool) rt.Line {
		return rt.Line{Step: step, Kind: recording.Probe, Outcome: outcome, Fatal: fatal}
	}
	lines := func(fatal bool) []rt.Line {
		return []rt.Line{
			probe("a/lost", recording.Lost, false), probe("b/lost", recording.Replied, false),
			probe("a", recording.Silent, false), probe("b", recording.Lost, fatal),
		}
	}
	for name, x := range map[string]struct {
		lines []rt.Line
		idle  bool
		again string // what became of the session in which it was sent again
		want  int
	}{
		"together":    {lines: lines(false), want: 1},
		"one of them": {lines: lines(true)},
		"idle":        {lines: lines(false), idle: true},
		"none":        {lines: lines(false)[2:3]},
		"once more":   {lines: lines(false), again: "the process ended"}, // as a race does
	} {
		facts := areatest.Stdio(areatest.ModernOne, `{"resources":{}}`)
		rec := rt.New(recording.InvalidMessages, facts, x.lines...)
		for _, y := range rec.Exchanges {
			y.Session = string(y.Step[0:1]) + "'s own"
			if strings.HasSuffix(string(y.Step), string(recording.StepLost)) {
				y.Session = "shared"
			}
		}
		rec.Sessions = append(rec.Sessions, &recording.Session{ID: "shared", Kind: recording.Probe,
			Lost: "the process ended", Idle: x.idle},
			&recording.Session{ID: "b's own", Kind: recording.Probe, Lost: x.again})
		got := areatest.Judge("SEC-63", rec)
		if len(got.Observations) != x.want || x.want > 0 && !strings.Contains(got.Observations[0].Detail,
			`the server ended (the process ended) amid messages of which none ends it when sent `+
				`again alone`) {
			t.Errorf("%s: %+v", name, got.Observations)
		}
	}
}

// TestHarmless: what is refused in another way than it should be harms nobody.
func TestHarmless(t *testing.T) {
	for status, want := range map[int]requirement.Gravity{200: requirement.Security,
		202: requirement.Security, 204: "", 302: "", 400: "", 401: ""} {
		facts := areatest.HTTP(requirement.R20251125, `{}`)
		reply := areatest.NoMessage
		if status == 200 {
			reply = areatest.OkList
		}
		rec := rt.New(sec.Origins, facts, areatest.WithTags(areatest.HTTPLine("request", status, reply),
			"origin", "http://evil.example.invalid"))
		if got := areatest.Judge("SEC-01", rec); !got.Outcome.Red() ||
			got.Gravity != want {
			t.Errorf("HTTP %d: %s of gravity %q", status, got.Outcome, got.Gravity)
		}
	}
}

// TestGivenAwayOnce: what a caller without the right gets is one finding, of the requirement that fails.
func TestGivenAwayOnce(t *testing.T) {
	facts := areatest.HTTP(requirement.R20260728, areatest.HasResources)
	read := func(step recording.Step) rt.Line {
		return areatest.HTTPLine(step, 200, areatest.TaggedRead(step, `{"uri":"a:1"}`, areatest.OneText, "",
			"uri", "a:1", "identity", "guest"))
	}
	rec := rt.New(sec.Rights, facts, read("owner"), read("read"))
	mild, grave := areatest.Judge("SEC-12", rec), areatest.Judge("SEC-62", rec)
	req, _ := area.Catalogue().Find("SEC-12")
	if mild.Outcome != verdict.Warn || grave.Outcome != verdict.Fail ||
		!slices.Contains(req.Under, "SEC-62") || !mild.Within(&grave) {
		t.Errorf("%+v\n%+v", mild, grave)
	}
}
