// Package http is the area HTTP: the Streamable HTTP transport
// (basic/transports#streamable-http and basic/transports/streamable-http).
package http

import (
	"net/http"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// The scenarios of the area.
const (
	// modern requests with headers missing, wrong, or oddly written
	HTTPHeaders recording.Name = "http-headers"
	// notifications, malformed bodies, and unusual but conforming headers
	HTTPStatuses recording.Name = "http-statuses"
	// event streams that answer requests, and the one opened by GET
	HTTPStreams   recording.Name = "http-streams"
	HTTPBroadcast recording.Name = "http-broadcast" // two GET streams, a subscription, and one change
	HTTPCrowd     recording.Name = "http-crowd"     // a request beside several open streams
)

// Checks lists the checks of the area.
var Checks = verdict.Join(httpChecks, httpMessagesChecks, httpStreamsChecks)

// Scenarios lists the scripts of this area.
var Scenarios = []*scenario.Scenario{
	httpHeadersScenario,
	httpStatusesScenario,
	httpStreamsScenario,
	httpBroadcastScenario,
	httpCrowdScenario,
}

// The steps, tags and marks of the area's scripts. In "mismatch" the versions in header and _meta are not the
// same, and the tag "differs" says which of the two was changed. "other-name" has the name of something else
// in Mcp-Name, "wrong-name" has it encoded, "broken-name" is not base64; "nameless" needs no Mcp-Name;
// "spelling" has names of headers in other letters. "stray" is a response to no request, "missing" a read of
// what does not exist. "get-1" and "get-2" are two streams opened by GET in one session; "verb" is the HTTP
// method of "odd-method"; "streams" says how many stood at a request that is "crowded"; "triggered" stands
// before the change.
const (
	stepGet, stepOrdinary, stepMismatch        recording.Step = "get", "ordinary", "mismatch"
	stepUnsupportedVersion, stepNoCapabilities recording.Step = "unsupported-version",
		"no-capabilities"
	stepNoVersionMeta, stepSessionHeader recording.Step = "no-version-meta",
		"session-header"
	stepLastEvent, stepOtherMethod, stepMethodCase recording.Step = "last-event", "other-method",
		"method-case"
	stepSpelling, stepNameless, stepNoName recording.Step = "spelling", "nameless",
		"no-name"
	stepOtherName, stepEncodedName, stepBrokenName recording.Step = "other-name", "encoded-name",
		"broken-name"
	stepWrongName, stepUnlistedRead, stepNotify recording.Step = "wrong-name", "unlisted-read",
		"notify"
	stepListAfter, stepRefused, stepMalformed, stepBody recording.Step = "list-after", "refused",
		"malformed", "body"
	stepAccept, stepCharset, stepChunked, stepHeaderCase recording.Step = "accept", "charset", "chunked",
		"header-case"
	stepOddMethod, stepTemplates, stepSlow, stepGet1 recording.Step = "odd-method", "templates",
		"slow", "get-1"
	stepGet2, stepStray, stepMissing          recording.Step = "get-2", "stray", "missing"
	stepCrowd, stepCrowded, stepRelieved      recording.Step = "crowd", "crowded", "relieved"
	tagDiffers, tagLate, tagUnlisted, tagVerb recording.Tag  = "differs", "late", "unlisted",
		"verb"
	tagStreams    recording.Tag      = "streams"
	markTriggered recording.MarkName = "triggered"
)

// The checks of basic/transports/streamable-http (2026-07-28), request metadata.
var httpChecks = verdict.Checks{
	"HTTP-20": headerProbe(scenario.StepNoMethod, "a request without Mcp-Method"),
	"HTTP-21": headerProbe(stepOtherMethod, "a request whose Mcp-Method names another method"),
	"HTTP-22": headerProbe(stepNoName, "a read without Mcp-Name"),
	"HTTP-23": headerProbe(stepOtherName, "a read whose Mcp-Name names another resource"),
	"HTTP-27": headerProbe(stepMethodCase, "a request whose Mcp-Method differs from its method in case"),
	"HTTP-15": headerCheck(
		plainly(refused(scenario.StepNoVersion, http.StatusBadRequest, verdict.CodeHeaderMismatch,
			"a request without MCP-Protocol-Version")), notBefore(requirement.R20250618)),
	"HTTP-16": headerCheck(mismatchedVersions),
	"HTTP-17": headerCheck(
		plainly(refused(stepUnsupportedVersion, http.StatusBadRequest, verdict.CodeUnsupportedVersion,
			"a request for the version 1900-01-01"))),
	"HTTP-18": headerCheck(refused(scenario.StepUnknownMethod, http.StatusNotFound,
		verdict.CodeMethodNotFound, "an unknown method")),
	"HTTP-19": headerCheck(
		plainly(refused(stepNoCapabilities, http.StatusBadRequest, verdict.CodeInvalidParams,
			"a request without the client's capabilities"))),
	"HTTP-24": headerCheck(func(v *verdict.Verdict) {
		x := v.Step(stepEncodedName)
		switch {
		case x != nil && v.Gone(x):
		case x != nil && x.Status == http.StatusRequestHeaderFieldsTooLarge:
			v.NotExercised("%v to a read whose Mcp-Name is the uri in Base64, which is longer than the uri",
				x)
		case x != nil && x.Tags[tagUnlisted] != "":
			if namesJudged(v) && v.Answered(x) {
				v.That(x, !x.HasCode(verdict.CodeHeaderMismatch),
					"the refusal that the read gets without Base64", "%v to a read whose Mcp-Name is the "+
						"uri in Base64", x)
			}
		default:
			v.Expect(x, matcher.BeResult(), "a read whose Mcp-Name is the uri in Base64")
		}
	}),
	"HTTP-25": headerCheck(brokenNames),
	"HTTP-26": headerCheck(func(v *verdict.Verdict) {
		for _, x := range v.Steps(stepSpelling) {
			if x.Method != "resources/read" && !plainlyServed(v.Step(stepOrdinary), v) {
				continue
			}
			if v.Gone(x) {
				continue
			}
			v.Expect(x, matcher.BeResult(), "%s with header names in unusual case", x.Method)
		}
	}),
	"HTTP-28": headerCheck(verdict.Each(verdict.Steps(stepNameless), nameless)),
	"HTTP-29": headerCheck(plainly(func(v *verdict.Verdict) {
		v.Expect(v.Step(stepSessionHeader), matcher.BeResult(), "a request with a legacy Mcp-Session-Id")
		v.Expect(v.Step(stepLastEvent), matcher.BeResult(), "a request with a legacy Last-Event-ID")
		for _, x := range v.Exchanges {
			if id := x.Header.Get("Mcp-Session-Id"); x.Status > 0 {
				v.That(x, id == "", "no Mcp-Session-Id in responses", "a response issues the session id %s",
					judge.Quote(id))
			}
		}
	}), verdict.ModernOnly...),
	"HTTP-34": headerCheck(repeatedIDs),
	"HTTP-61": headerCheck(func(v *verdict.Verdict) {
		v.Expect(v.Step(stepNoVersionMeta), matcher.HaveHTTPStatus(http.StatusBadRequest),
			"a request without a version in _meta")
		v.Expect(v.Step(scenario.StepNoMeta), matcher.HaveHTTPStatus(http.StatusBadRequest),
			"a request without _meta")
	}, verdict.ModernOnly...),
	"HTTP-03": headerCheck(func(v *verdict.Verdict) {
		for _, step := range []recording.Step{stepGet, scenario.StepDelete} {
			if x := v.Step(step); v.Responded(x) {
				v.That(x, x.Status == http.StatusMethodNotAllowed, "HTTP 405", "%s is answered by HTTP %d",
					strings.ToUpper(string(step)), x.Status)
			}
		}
	}, verdict.ModernOnly...),
}

// plainlyServed reports whether the target knows the method of a request that is as
// it should be. Where it does not, which is judged elsewhere, variations of the
// request say nothing.
func plainlyServed(x *recording.Exchange, v *verdict.Verdict) bool {
	if x == nil || !verdict.Unknown(x) {
		v.RestsOn(x)
		return true
	}
	v.NotExercised("the target does not know %s", x.Method)
	return false
}

// plainly judges where the target knows the method of the request as it should be: see [plainlyServed].
func plainly(judge verdict.Judge) verdict.Judge {
	return func(v *verdict.Verdict) {
		if plainlyServed(v.Step(stepOrdinary), v) {
			judge(v)
		}
	}
}

// refused judges that a header probe is refused by a status and a code.
func refused(step recording.Step, status int, code int64, about string) verdict.Judge {
	return func(v *verdict.Verdict) {
		v.Expect(v.Step(step), matcher.BeRefusedWith(status, code), "%s", about)
	}
}

// headerCheck is a check of the scenario with the header probes.
func headerCheck(judge verdict.Judge, needs ...verdict.Gate) verdict.Check {
	return verdict.Check{From: recording.Names{HTTPHeaders}, Needs: needs, Judge: judge}
}

// headerProbe is a check that one header probe is refused.
func headerProbe(step recording.Step, about string) verdict.Check {
	return headerCheck(func(v *verdict.Verdict) {
		named := step == stepNoName || step == stepOtherName
		if named && namesJudged(v) || !named && plainlyServed(v.Step(stepOrdinary), v) {
			misfitRefused(v.Step(step), v, about)
			for _, x := range v.Steps(step)[min(1, len(v.Steps(step))):] {
				misfitRefused(x, v, about+": "+x.Tags[scenario.TagForm])
			}
		}
	})
}

// notBefore asks for a target that serves no revision before the given one.
func notBefore(first requirement.Revision) verdict.Gate {
	return func(f *recording.Facts) *recording.Skipped {
		served := slices.Clone(f.Served)
		for _, s := range gjson.GetBytes(f.Declared, "supportedVersions").Array() {
			served = append(served, requirement.Revision(s.String()))
		}
		for _, r := range served {
			if r.Known() && r < first {
				return &recording.Skipped{Code: recording.CodeNotExercised,
					Reason: "the target also serves " + string(r) + ", which has no such header"}
			}
		}
		return nil
	}
}

// mismatchedVersions: header and body name different versions.
func mismatchedVersions(v *verdict.Verdict) {
	want := matcher.BeRefusedWith(http.StatusBadRequest, verdict.CodeHeaderMismatch)
	for _, x := range v.Steps(stepMismatch) {
		if !plainlyServed(v.Step(stepOrdinary), v) {
			return
		}
		about := "a request whose " + x.Tags[tagDiffers] + " alone names another version"
		if form := x.Tags[scenario.TagForm]; form != "" {
			about += ": " + form
		}
		if subscribed(x, v, about) {
			continue
		}
		if x.Status == http.StatusBadRequest && x.HasCode(verdict.CodeUnsupportedVersion) {
			v.Expect(x, want, "%s", about).Warn(verdict.RefusedOtherwise).
				Hint("compare MCP-Protocol-Version with the version in _meta before looking whether it is " +
					"supported")
			continue
		}
		v.Expect(x, want, "%s", about)
	}
}

// brokenNames: encoded names that cannot be decoded, or that name another
// resource. HTTP software in front may refuse the former without a body.
func brokenNames(v *verdict.Verdict) {
	if !namesJudged(v) {
		return
	}
	if x := v.Step(stepBrokenName); x != nil && x.Outcome == recording.HTTPOnly &&
		x.Status == http.StatusBadRequest {
		v.Holds()
	} else {
		misfitRefused(x, v, "a read whose encoded Mcp-Name cannot be decoded")
	}
	misfitRefused(v.Step(stepWrongName), v, "a read whose encoded Mcp-Name names another resource")
}

// misfitRefused: headers that do not fit the body are answered by 400 and -32020. A read
// of what is not served may be refused for that, whatever its headers.
func misfitRefused(x *recording.Exchange, v *verdict.Verdict, about string) {
	want := matcher.BeRefusedWith(http.StatusBadRequest, verdict.CodeHeaderMismatch)
	if subscribed(x, v, about) {
		return
	}
	if x == nil || x.Tags[tagUnlisted] == "" {
		v.Expect(x, want, "%s", about)
		return
	}
	v.Expect(x, want, "%s", about).
		Warn("nothing is listed, so that the read had to be refused in any case").
		Hint("compare the headers with the body before the resource is looked for")
}

// subscribed notes a violation if a listen request was acknowledged whose headers do not fit the body.
func subscribed(x *recording.Exchange, v *verdict.Verdict, about string) bool {
	if x == nil || x.Tags[recording.TagAck] == "" {
		return false
	}
	v.Fail(x, matcher.BeRefusedWith(http.StatusBadRequest, verdict.CodeHeaderMismatch).Expected(),
		"an acknowledgment to %s", about).
		Hint("compare the headers with the body of every request, before a stream is opened as well")
	return true
}

// namesJudged reports whether reads show how Mcp-Name is treated: one that is in order
// is not refused for its headers, and its method is known.
func namesJudged(v *verdict.Verdict) bool {
	x := v.Step(stepUnlistedRead)
	if x == nil {
		return true
	}
	if !v.Answered(x) || x.HasCode(verdict.CodeHeaderMismatch) {
		v.NotExercised("a read whose headers fit its body is refused like one whose headers do not")
		return false
	}
	return plainlyServed(x, v)
}

// nameless: requests without a name are not refused for want of Mcp-Name. Other
// errors have other reasons.
func nameless(x *recording.Exchange, v *verdict.Verdict) {
	if !v.Answered(x) {
		return
	}
	wanted := x.HasCode(verdict.CodeHeaderMismatch) ||
		strings.Contains(strings.ToLower(x.Error().Get("message").String()), "mcp-name")
	v.That(x, !wanted, "service without Mcp-Name", "%v to %s without Mcp-Name", x, x.Method)
}

// repeatedIDs: errors about readable requests repeat the id. A server of both eras
// may take what lacks the version header or all metadata for a legacy request, and
// answers in the ways of that era.
func repeatedIDs(v *verdict.Verdict) {
	for _, x := range v.Exchanges {
		if (x.Step == scenario.StepNoVersion || x.Step == scenario.StepNoMeta) && !v.Facts.ModernOnly() {
			continue
		}
		if !x.Failed() || x.Status < 400 || x.Status > 499 || len(x.ID) == 0 {
			continue
		}
		id := x.Message().Get("id")
		f := v.That(x, wire.SameID([]byte(id.Raw), x.ID), "the id of the request, "+string(x.ID),
			"id is %v in the body of HTTP %d", id, x.Status).Cause("the id of the request")
		if verdict.LosesID(x) {
			f.SharedCause(verdict.LostID)
		}
	}
}
