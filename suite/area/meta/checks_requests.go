package meta

import (
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// The checks of the metadata of requests, and of log messages.
var metaRequestsChecks = []verdict.Check{
	{Requirement: "META-06", From: []recording.Name{recording.Metadata}, Judge: func(r *recording.Recording, v *verdict.Verdict) {
		asPlain(r, v, recording.StepUnknownKey, "with an additional key in _meta")
	}},
	{Requirement: "META-07", From: []recording.Name{BadMetadata}, Judge: func(r *recording.Recording, v *verdict.Verdict) {
		if v.Facts.Combination.Transport == requirement.Stdio && verdict.ModernOnly(v.Facts) != nil {
			v.Skip(recording.CodeNotExercised, "a server of both eras may take such a request for legacy traffic")
			return
		}
		incomplete(r, v, r.Step(recording.StepNoVersion), "without a protocol version in _meta")
	}},
	{Requirement: "META-08", From: []recording.Name{BadMetadata}, Judge: func(r *recording.Recording, v *verdict.Verdict) {
		if !verdict.Baseline(r, v, recording.StepPlain) {
			return
		}
		v.Expect(r.Step(stepNoCapabilities)).To(matcher.BeErrorReply(verdict.CodeInvalidParams), "a request without client capabilities in _meta")
		v.Hint("answer a request whose _meta lacks %s with error -32602", verdict.KeyClientCapabilities)
		for _, x := range r.Steps(stepOddCapabilities, stepOddVersion) {
			member := map[recording.Step]string{stepOddCapabilities: verdict.KeyClientCapabilities, stepOddVersion: verdict.KeyProtocolVersion}[x.Step]
			value := judge.Member(x.Param("_meta"), member)
			v.ExpectOrWarn(x).To(matcher.Expecting("a refusal of "+member+" that is "+judge.TypeName(value), matcher.BeRefused()), "a request whose _meta has "+member+": "+judge.Brief(value))
			v.Downgrade(verdict.Lenient)
			v.Hint("check the types of the members of _meta, and answer with error -32602")
		}
	}},
	{Requirement: "META-09", From: []recording.Name{recording.BareRequests}, Needs: []verdict.Gate{verdict.ModernOnly},
		Judge: func(r *recording.Recording, v *verdict.Verdict) {
			if _, ok := verdict.RefusedHandshake(r, v); !ok {
				return
			}
			incomplete(r, v, r.Step(recording.StepNoParams), "without params")
			incomplete(r, v, r.Step(recording.StepNoMeta), "without _meta")
		}},
	{Requirement: "META-10", From: []recording.Name{recording.Metadata}, Judge: func(r *recording.Recording, v *verdict.Verdict) {
		asPlain(r, v, recording.StepAnonymous, "without clientInfo")
	}},
	{Requirement: "META-16", From: []recording.Name{recording.Everything}, Judge: unaskedLogs},
	{Requirement: "META-17", From: []recording.Name{recording.FirstMessages}, Judge: logsInPlace},
	{Requirement: "META-18", From: []recording.Name{BadMetadata}, Judge: func(r *recording.Recording, v *verdict.Verdict) {
		if verdict.Baseline(r, v, recording.StepPlain) {
			x := r.Step(stepOddLogLevel)
			if x.Succeeded() && !r.Facts.Declares("logging") {
				v.Skip(recording.CodeUndeclared, "the target does not declare capabilities.logging, and ignores log levels")
				return
			}
			about := "a request with an unknown log level"
			if x != nil {
				about += ", " + judge.Brief(levelOf(x))
			}
			v.Expect(x).To(matcher.BeErrorReply(verdict.CodeInvalidParams), about)
			v.Hint("know the eight syslog levels, and answer others with error -32602")
		}
	}},
	{Requirement: "META-21", From: []recording.Name{recording.Everything}, Judge: func(r *recording.Recording, v *verdict.Verdict) {
		for _, f := range r.Notifications("notifications/message", 0) {
			p := gjson.GetBytes(f.Raw, "params")
			level, logger := p.Get("level"), p.Get("logger")
			v.That(severity(level.Str) >= 0 && level.Type == gjson.String, "a level of the eight syslog names", "level is "+judge.Brief(level), f.Number)
			v.That(p.Get("data").Exists(), "a data member in notifications/message", "it is absent", f.Number)
			v.That(!logger.Exists() || judge.IsString(logger), "logger as a string, or absent", "it is "+judge.TypeName(logger), f.Number)
		}
	}},
	{Requirement: "META-60", From: []recording.Name{LogLevels}, Needs: []verdict.Gate{verdict.Declares("logging")}, Judge: levelsTakeEffect},
}

var severities = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// severity is the rank of a log level; -1 if it is none.
func severity(level string) int { return slices.Index(severities, level) }

// levelOf is the log level that a request asks for; it does not exist if it asks
// for none.
func levelOf(x *recording.Exchange) gjson.Result {
	return judge.Member(x.Param("_meta"), keyLogLevel)
}

// unaskedLogs: no log messages on sessions in which nobody asked for any.
func unaskedLogs(r *recording.Recording, v *verdict.Verdict) {
	asked := map[string]bool{}
	for _, x := range r.Exchanges {
		if levelOf(x).Exists() {
			asked[x.Session] = true
		} else if x.Succeeded() {
			v.Holds()
		}
	}
	for _, f := range r.Notifications("notifications/message", 0) {
		if !asked[f.Session] {
			v.That(false, "no notifications/message for requests without a log level", judge.Brief(gjson.GetBytes(f.Raw, "params")), f.Number)
		}
	}
}

// logsInPlace: log messages come on the stream of the request that asked for them,
// and before its response. Messages below the level that was asked for are a
// warning.
func logsInPlace(r *recording.Recording, v *verdict.Verdict) {
	logged := r.Steps(recording.StepLogged)
	for _, f := range r.Notifications("notifications/message", 0) {
		x := during(logged, f)
		level := gjson.GetBytes(f.Raw, "params.level").Str
		switch {
		case len(logged) == 0 || f.Session != logged[0].Session:
		case x == nil:
			v.That(false, "log messages on the stream of their request, before its response", "a message of level "+level+" elsewhere", f.Number)
		default:
			want := levelOf(x).Str
			v.WarnUnless(severity(level) < 0 || severity(level) >= severity(want), "log messages of level "+want+" or above",
				"a message of level "+level, append(x.Evidence(), f.Number)...)
		}
	}
}

// during is the exchange to which a frame belongs: on its channel where each
// exchange has one, between request and response.
func during(all []*recording.Exchange, f *wire.Frame) *recording.Exchange {
	for _, x := range all {
		if len(x.Replies) == 0 || f.Number < x.Request || f.Number > x.Replies[0] {
			continue
		}
		if x.Status == 0 || slices.Contains(x.Others, f.Number) {
			return x
		}
	}
	return nil
}

// levelsTakeEffect: logging/setLevel does what it promises.
func levelsTakeEffect(r *recording.Recording, v *verdict.Verdict) {
	set := r.Step(stepSet)
	if v.Expect(set).To(matcher.BeResult(), "logging/setLevel") {
		for _, f := range r.Notifications("notifications/message", slices.Max(set.Replies)) {
			level := gjson.GetBytes(f.Raw, "params.level").Str
			if f.Session == set.Session && severity(level) >= 0 {
				v.That(severity(level) >= severity("error"), "no messages below the level error, which was set", "a message of level "+level, f.Number)
				v.Hint("compare the level of each message with the one that the client has set")
			}
		}
	}
	if x := r.Step(stepUnknownLevel); x != nil {
		v.Expect(x).To(matcher.Expecting("a refusal of an unknown level with error -32602", matcher.BeErrorReply(verdict.CodeInvalidParams)), "logging/setLevel with the level "+judge.Brief(x.Param("level")))
		v.Hint("know the eight syslog levels, and answer others with error -32602")
	}
}

// incomplete: a request that lacks required metadata is refused with -32602. Over
// HTTP -32020 fits as well, because a header then has no counterpart.
func incomplete(r *recording.Recording, v *verdict.Verdict, x *recording.Exchange, about string) {
	if !verdict.Baseline(r, v, recording.StepPlain) {
		return
	}
	codes := []int64{verdict.CodeInvalidParams}
	if v.Facts.Combination.Transport == requirement.HTTP {
		codes = append(codes, verdict.CodeHeaderMismatch)
	}
	v.Expect(x).To(matcher.BeErrorReply(codes...), "a request "+about)
}
