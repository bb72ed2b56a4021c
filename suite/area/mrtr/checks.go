// Package mrtr is the area MRTR: requests that the server answers by asking for
// further input (multi round-trip requests) (basic/patterns/mrtr).
package mrtr

import (
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

// The scenario of the area.
const Superfluous recording.Name = "superfluous-answers" // answers that nobody asked for

// Scenarios lists the scripts of this area.
var Scenarios = []*scenario.Scenario{inputReadsScenario, superfluousScenario}

// The steps of the area's scripts.
const (
	stepSuperfluous, stepMalformed              recording.Step = "superfluous", "malformed"
	stepBare, stepAsk, stepLingering            recording.Step = "bare", "ask", "lingering"
	stepRetryEmpty, stepAfterAbandoned          recording.Step = "retry-empty", "after-abandoned"
	stepAskAgain, stepAskToTamper, stepTampered recording.Step = "ask-again", "ask-to-tamper", "tampered"
	stepAskForOther, stepOtherCaller, stepRetry recording.Step = "ask-for-other", "other-caller", "retry"
)

// The tags of the area's scripts: "matters" is set if the target file says that the state does, "unanswered"
// is a key for which the target file has no answer.
const tagMatters, tagUnanswered recording.Tag = "matters", "unanswered"

// tagRequired is the tag that names the i-th capability which the target file says a read needs.
func tagRequired(i int) recording.Tag { return recording.Tag("required:" + strconv.Itoa(i)) }

var inputReads = recording.Names{recording.InputReads}

// Checks lists the checks of basic/patterns/mrtr.
var Checks = verdict.Checks{
	"MRTR-01": {Judge: func(v *verdict.Verdict) {
		for _, x := range v.Results() {
			if !slices.Contains([]string{"resources/read", "tools/call", "prompts/get"}, x.Method) {
				v.That(x, x.Value("resultType").String() != "input_required",
					"no request for input in the answer to "+x.Method, `resultType is "input_required"`)
			}
		}
	}},
	"MRTR-02": {From: inputReads, Judge: verdict.Each(verdict.InputRequired, wellFormedInput)},
	"MRTR-04": {From: recording.Names{recording.Reads, recording.InputReads},
		Judge: func(v *verdict.Verdict) {
			for _, x := range v.Calls("resources/read") {
				if v.Answered(x) {
					withinCapabilities(x, v)
				}
			}
		}},
	"MRTR-05": {From: inputReads, Judge: missingCapabilityNamed},
	"MRTR-07": {From: inputReads,
		Judge: verdict.Judge(otherState).Or(recording.CodeNeedsConfig,
			"the target file has to give a resource whose read asks for input with a requestState, and "+
				"its answers (subjects.input)")},
	"MRTR-08": {From: inputReads, Judge: func(v *verdict.Verdict) {
		v.Expect(v.Step(stepRetryEmpty), matcher.AskForInput(), "a retry that answers nothing")
	}},
	"MRTR-09": {From: recording.Names{Superfluous},
		Judge: func(v *verdict.Verdict) {
			if !v.Gone(v.Step(stepSuperfluous)) {
				v.Expect(v.Step(stepSuperfluous), matcher.BeResult(),
					"a read with answers that nobody asked for")
			}
			if x := v.Step(stepMalformed); x != nil {
				if x.Fatal {
					v.Fail(x, "a target that survives malformed inputResponses", "%v", x).
						SharedCause(v.EndedBy(x))
				} else if v.Answered(x) {
					v.Holds() // an error and the contents will both do
				}
			}
		}},
	"MRTR-10": {From: inputReads, Judge: func(v *verdict.Verdict) {
		x, before, asked := v.Step(stepLingering), v.Step(stepBare), v.Step(stepAsk)
		if !v.Answered(x) || asked == nil || !verdict.AsksForInput(asked) {
			return
		}
		if before != nil && before.Value("inputRequests").Exists() {
			v.NotExercised("the target asks for input whatever the client declares")
			return
		}
		v.RestsOn(asked)
		v.That(x, !x.Value("inputRequests").Exists(), "no use of capabilities that only an earlier "+
			"request declared", "%v", x)
	}},
	"MRTR-11": {From: inputReads, Judge: wholeFlow},
	"MRTR-60": {From: inputReads, Judge: func(v *verdict.Verdict) {
		if len(verdict.InputRequired(v)) == 0 || !v.Baseline(scenario.StepPlain) {
			return
		}
		x := v.Step(stepAfterAbandoned)
		if deaf := v.Step(stepAfterAbandoned + recording.StepLost); deaf != nil &&
			deaf.Outcome == recording.Silent {
			x = deaf // the connection answered nothing any more
		}
		if x != nil && x.Outcome == recording.Silent {
			v.Fail(x, "requests served after a read was given up that asked for input", "%v", x)
			return
		}
		v.Expect(x, matcher.BeResult(), "a request after a read was given up that asked for input")
	}},
}

// otherState: a state that was altered, or is another caller's, yields no contents. Over stdio nobody but the
// client can alter one.
func otherState(v *verdict.Verdict) {
	given := map[recording.Step]recording.Step{
		stepTampered:    stepAskToTamper,
		stepOtherCaller: stepAskForOther,
	}
	for _, x := range v.Steps(stepTampered, stepOtherCaller) {
		if !v.Answered(x) {
			continue
		}
		v.RestsOn(v.Step(given[x.Step]))
		whose, other := "a state that was altered", x.Step == stepOtherCaller
		if other {
			whose = "the state of another caller"
		}
		v.That(x, !served(x), "no contents for a retry with "+whose, "%v", x).
			WarnIf(other || x.Tags[tagMatters] == "").Harmless(v.OnStdio())
	}
}

// served reports whether a read was answered with contents.
func served(x *recording.Exchange) bool {
	return x.Succeeded() && !verdict.AsksForInput(x) && x.Value("contents").IsArray()
}

// capabilityFor names the client capability that an input request uses.
var capabilityFor = map[string]string{
	"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots",
}

// wellFormedInput: a result that asks for input says for what, or has a state.
func wellFormedInput(x *recording.Exchange, v *verdict.Verdict) {
	requests, state := x.Value("inputRequests"), x.Value("requestState")
	v.That(x, requests.Exists() || state.Exists(), "inputRequests or requestState in a result that asks "+
		"for input", "neither is there")
	verdict.TypedResult("InputRequiredResult", "requestState", "inputRequests", "inputRequests.*.method")(x,
		v)
	for _, key := range judge.Names(requests) {
		request := judge.Member(requests, key)
		method, params := request.Get("method"), request.Get("params")
		v.That(x, judge.IsObject(params) || method.Str == "roots/list" && !params.Exists(),
			"params in the input request "+verdict.Quoted(key), "it is %s", judge.TypeName(params))
	}
}

// withinCapabilities: input requests use no capability that the request did not
// declare.
func withinCapabilities(x *recording.Exchange, v *verdict.Verdict) {
	v.Holds()
	declared := judge.Member(x.Param("_meta"), verdict.KeyClientCapabilities)
	requests := x.Value("inputRequests")
	if !verdict.AsksForInput(x) || !requests.IsObject() {
		return
	}
	for _, key := range judge.Names(requests) {
		method := judge.Member(requests, key).Get("method").String()
		if capability := capabilityFor[method]; capability != "" {
			v.That(x, declared.Get(capability).Exists(),
				"no "+method+" towards a client that did not declare "+
					capability, "it is asked for by a read with the capabilities %v", declared)
		}
	}
}

// missingCapabilityNamed: a read that cannot do without a capability says so.
func missingCapabilityNamed(v *verdict.Verdict) {
	x, asked := v.Step(stepBare), v.Step(stepAsk)
	if !v.Answered(x) || !v.Answered(asked) {
		return
	}
	switch {
	case x.Succeeded():
		if !x.Value("inputRequests").Exists() {
			v.Holds() // served without input
		}
		return
	case !asked.Succeeded():
		v.Skip(recording.CodeNeedsConfig, "the resource of subjects.input cannot be read at all: %v", asked)
		return
	}
	if !v.Expect(x, matcher.BeErrorReply(verdict.CodeMissingCapability),
		"a read that needs a capability which the client did not declare").Held() {
		return
	}
	needed := x.Error().Get("data.requiredCapabilities")
	v.That(x, judge.IsObject(needed) && len(judge.Names(needed)) > 0, "data.requiredCapabilities with the "+
		"missing capabilities", "it is %v", needed)
	for i := 0; x.Tags[tagRequired(i)] != ""; i++ {
		name, _, _ := strings.Cut(x.Tags[tagRequired(i)], ".")
		v.That(x, !judge.IsObject(needed) || needed.Get(gjson.Escape(name)).Exists(),
			"data.requiredCapabilities with "+name, "it is %v", needed)
	}
	if x.Status > 0 {
		v.That(x, x.Status == 400, "HTTP status 400 with the error -32021", "%v", x)
	}
}

// wholeFlow: a retry with all answers is served, over whatever connection, with the text that the
// target file gives.
func wholeFlow(v *verdict.Verdict) {
	first, retries := v.Step(stepAskAgain), v.Steps(stepRetry)
	last := first
	if len(retries) > 0 {
		last = retries[len(retries)-1]
	}
	switch {
	case !v.Answered(first) || !v.Answered(last):
	case verdict.Tag(last, tagUnanswered) != "":
		v.Skip(recording.CodeNeedsConfig, "the target file has no answer for the key %s "+
			"(subjects.input.answers)", verdict.Quoted(last.Tags[tagUnanswered]))
	case len(retries) == 0:
		v.NeedsSubject("the resource of subjects.input asks for no input: %v", first)
	case verdict.AsksForInput(last):
		v.NotExercised("after %d rounds the target still asks for input", len(retries))
	default:
		if v.Expect(last, matcher.BeResult(), "a retry with all answers, on another connection").
			Held() {
			if want, given := last.Tags[recording.TagText]; given {
				contents := last.Value("contents")
				found := slices.ContainsFunc(contents.Array(), func(c gjson.Result) bool {
					return c.Get("text").String() == want
				})
				v.That(last, found,
					"contents with the text "+verdict.Quoted(want)+", as the target file has it",
					"contents are %v", contents)
			}
		}
	}
}
