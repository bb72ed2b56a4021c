// Package errs is the area ERR: which errors are due when
// (server/resources#error-handling and basic/index#error-codes).
package errs

import (
	"fmt"
	"net/http"
	"slices"

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
	BrokenRead     recording.Name = "broken-read"     // a read whose backend fails
	RemovedMethods recording.Name = "removed-methods" // methods that 2026-07-28 no longer has
)

// Scenarios lists the scripts of this area.
var Scenarios = []*scenario.Scenario{brokenReadScenario, removedMethodsScenario}

// The steps of the area's scripts.
const stepBroken, stepPing, stepSetLevel recording.Step = "broken", "ping", "set-level"

// seenErrors names the recordings in which every error code is looked at: the
// clean sessions and the probes that provoke errors.
var seenErrors = recording.Names{recording.Everything, recording.MissingReads, recording.MalformedReads,
	recording.MalformedCompletions, recording.UndeclaredCompletion, recording.URISubscriptions,
	RemovedMethods}

// Checks lists the checks of server/resources#error-handling and basic/index#error-codes.
var Checks = verdict.Checks{
	"ERR-01": {From: recording.Names{recording.MissingReads}, With: verdict.PlainReads,
		Needs: verdict.Resources, Judge: func(v *verdict.Verdict) {
			if v.ReadsUnknown() {
				return
			}
			alike := refusesAll(v)
			for _, x := range v.Steps(scenario.StepConfigured) {
				if refusesMissing(x, alike, v) {
					v.Expect(x, notFoundCode(v), "a read of a resource that does not exist").
						Downgraded(verdict.RefusedOtherwise).Hint(missingHint(v))
				}
			}
			guessedCodes(v.Steps(recording.StepGuessed), alike, v)
		}},
	"ERR-02": {From: seenErrors, Judge: func(v *verdict.Verdict) {
		eachErrorCode(v.Incoming(0), v, func(code int64, on verdict.Cited) {
			v.That(on, code != -32002 && code != -32042, "no error with a code that this revision has "+
				"withdrawn", "an error with code %d", code)
		})
	}},
	"ERR-04": {From: seenErrors, Judge: func(v *verdict.Verdict) {
		eachErrorCode(v.Incoming(0), v, func(code int64, on verdict.Cited) {
			// that one is judged by ERR-02
			foreign := code < verdict.CodeUnsupportedVersion && code >= -32099 && code != -32042
			if foreign && v.Facts.Declares("extensions") && len(v.Facts.Capability("extensions").Map()) > 0 {
				v.Observe(on, "extension-code", "an error with code %d, which one of the declared "+
					"extensions may define", code)
				foreign = false
			}
			v.That(on, !foreign, "no code from -32020 to -32099 other than -32020, -32021 and -32022",
				"an error with code %d", code).
				Hint("use a code above -32000 or below -32768 for errors of your own")
		})
	}},
	"ERR-05": {From: recording.Names{recording.Everything, recording.MissingReads},
		Judge: keepMeaning},
	"ERR-06": {From: seenErrors, Judge: func(v *verdict.Verdict) {
		eachErrorCode(whileOpen(v), v, func(code int64, on verdict.Cited) {
			v.That(on, !madeUp(code), "a code of JSON-RPC or of the specification, or one outside -32768 "+
				"to -32000", "an error with code %d", code)
		})
	}},
	"ERR-60": {From: seenErrors, Judge: func(v *verdict.Verdict) {
		for _, x := range v.Exchanges {
			if !x.HasCode(verdict.CodeMissingCapability) {
				continue
			}
			named := x.Error().Get("data.requiredCapabilities")
			v.That(x, named.IsObject(), "data.requiredCapabilities as an object in an error -32021",
				"it is %s", judge.TypeName(named))
			v.That(x, x.Status == 0 || x.Status == 400, "HTTP status 400 with an error -32021", "HTTP %d",
				x.Status)
		}
		v.NotExercised("no error -32021 was seen")
	}},
	"ERR-61": {From: recording.Names{RemovedMethods},
		Judge: func(v *verdict.Verdict) {
			for _, x := range v.Steps(stepPing, stepSetLevel) {
				if v.Expect(x, matcher.BeErrorReply(-32601), "%s, which this revision no longer has",
					x.Method).Held() &&
					x.Status > 0 {
					v.That(x, x.Status == 404, "HTTP status 404", "HTTP %d for %s", x.Status, x.Method)
				}
			}
			// Who opens a legacy session serves legacy revisions as well, and may, also
			// where the run was told to leave them alone.
			if x := v.Step(recording.StepInitialize); x != nil && !opensLegacy(x) {
				v.Expect(x, matcher.BeRefused(), "initialize, which this revision no longer has")
			}
		}},
	"ERR-08": {From: recording.Names{BrokenRead},
		With: verdict.PlainReads, Needs: verdict.Resources,
		Judge: func(v *verdict.Verdict) {
			for _, x := range v.Steps(stepBroken) {
				if v.ReadsUnknown() {
					return
				}
				if x.Succeeded() {
					v.NeedsSubject("the resource that the target file calls broken can be read: %v",
						x.Param("uri"))
					continue
				}
				v.Expect(x, matcher.BeErrorReply(-32603), "a read that fails on the server's side")
			}
		}},
	"ERR-09": {From: recording.Names{recording.MissingReads, recording.MalformedReads},
		Needs: verdict.Resources,
		Judge: func(v *verdict.Verdict) {
			for _, x := range v.Steps(scenario.StepConfigured, recording.StepGuessed, scenario.StepStranger) {
				if verdict.Yields(x) || verdict.AsksForInput(x) || x.Outcome != recording.Replied ||
					v.Scenario == recording.MalformedReads && x.Step == recording.StepGuessed {
					continue
				}
				title, actual := "", "empty contents"
				if !verdict.EmptyContents(x) {
					title = "A missing resource is not a result without contents"
					actual = "a result without contents (" + judge.Brief(x.Result()) + ")"
				}
				f := v.That(x, !verdict.Hollow(x), "an error for a resource that does not exist", "%s for %s",
					actual, verdict.ReadOf(x)).Title(title)
				if x.Step != scenario.StepConfigured {
					f.Warn("the URI was made up, and a template that is not listed may match it")
				}
			}
			v.NeedsSubject("no read of something missing had a result or an error")
		}},
	"ERR-10": {From: recording.Names{recording.MissingReads}, Needs: verdict.Resources,
		Judge: verdict.Each(verdict.Steps(scenario.StepConfigured),
			func(x *recording.Exchange, v *verdict.Verdict) {
				if verdict.Hollow(x) {
					v.NotExercised("the target answers with a result that holds nothing, which ERR-09 judges")
					return
				}
				if v.Answered(x) && !verdict.AsksForInput(x) {
					v.That(x, !verdict.Yields(x), "a JSON-RPC error for a resource that does not exist",
						"%v to %s", x, verdict.ReadOf(x))
				}
			})},
	"ERR-11": {From: recording.Names{recording.MalformedReads}, With: verdict.PlainReads,
		Needs: verdict.Resources, Judge: func(v *verdict.Verdict) {
			for _, x := range v.Steps(scenario.StepUntyped) {
				if v.ReadsUnknown() {
					return
				}
				if verdict.Unknown(x) {
					v.NotExercised("the target does not know resources/read: see CAP-08")
					continue
				}
				about := "resources/read with params " + verdict.ParamsOf(x)
				if !v.Withstood(x, about) {
					continue
				}
				code, ok := x.Code()
				switch {
				case x.Outcome == recording.HTTPOnly && !matcher.Refused(x):
					v.Fail(x, matcher.BeRefused().Expected(), "%v to %s", x, about).Warn().RefusalDue()
				case !matcher.Refused(x):
					v.Fail(x, matcher.BeRefused().Expected(), "%v to %s", x, about)
				case ok && code != -32602 && !(v.Modern() && code == verdict.CodeHeaderMismatch &&
					x.Status > 0):
					v.Fail(x, "the code -32602", "%v to %s", x, about).
						Title("A read without a usable uri is refused with -32602").Kept().
						Warn(verdict.RefusedOtherwise).OnlyCode().
						Hint("answer a read without a usable uri with error -32602")
				default:
					v.Holds()
				}
			}
			// Where that is the code of any read, or of any that is faulty, it is the same defect.
			internal := func(x *recording.Exchange) bool { return x.HasCode(-32603) }
			always := refusesAll(v) == "-32603" ||
				slices.ContainsFunc(v.Steps(scenario.StepUntyped), internal)
			for _, x := range v.Steps(scenario.StepMalformed) {
				v.That(x, always || !internal(x), "a code that says that the uri is at fault, such as -32602",
					"%v to %s, which is no URI", x, verdict.ReadOf(x)).Warn(verdict.RefusedOtherwise).
					OnlyCode().Hint("catch the error of whatever parses the uri, and answer with -32602")
			}
		}},
}

// opensLegacy reports whether initialize was answered with a revision that has it.
func opensLegacy(x *recording.Exchange) bool {
	version := requirement.Revision(x.Value("protocolVersion").String())
	return x.Succeeded() && version.Known() && !version.Modern()
}

// notFoundCode expects the code of the revision for what does not exist.
func notFoundCode(v *verdict.Verdict) matcher.Matcher {
	return matcher.BeErrorReply(missingCode(v))
}

// missingHint is what to change where another code came.
func missingHint(v *verdict.Verdict) string {
	return fmt.Sprintf("answer a read of a URI that does not exist with error %d", missingCode(v))
}

func missingCode(v *verdict.Verdict) int64 {
	if v.Modern() {
		return verdict.CodeInvalidParams
	}
	return -32002
}

// refusesMissing reports whether the answer to a read of what does not exist is
// an error whose code can be judged. Results are judged by ERR-09 and ERR-10, and
// a refusal for another reason says nothing: alike is the code that everything gets.
func refusesMissing(x *recording.Exchange, alike string, v *verdict.Verdict) bool {
	switch {
	case alike != "" && x.Error().Get("code").Raw == alike && !verdict.NotFound(x):
		v.NotExercised("the target refuses every listed resource by the same code, for want of a right "+
			"perhaps: %v", x)
	case verdict.Yields(x):
		v.NeedsSubject("what was taken for missing has contents: name a URI in the target file that " +
			"certainly leads to nothing, subjects: {missing: [URI]}")
	case x.Succeeded():
		v.NotExercised("the target answers reads of what does not exist with a result that holds nothing, " +
			"which ERR-09 judges")
	case x.Status >= 500:
		v.NotExercised("the read was answered with HTTP %d, which says nothing about the resource", x.Status)
	case v.Modern() && x.HasCode(verdict.CodeMissingCapability):
		v.NotExercised("the read was refused for want of a capability of the client")
	default:
		return v.Answered(x)
	}
	return false
}

// refusesAll is the code of the error that each read of a listed resource ended in; empty if they ended
// otherwise.
func refusesAll(v *verdict.Verdict) (code string) {
	r := v.Input(recording.Reads)
	if r == nil {
		return ""
	}
	for _, x := range r.Steps(recording.StepRead) {
		own := x.Error().Get("code").Raw
		if !x.Failed() || code != "" && own != code {
			return ""
		}
		code = own
	}
	return code
}

// guessedCodes judges reads of guessed URIs. A guess may hit something that is
// there, so a wrong code fails only if two guesses agree on it.
func guessedCodes(guesses []*recording.Exchange, alike string, v *verdict.Verdict) {
	m := notFoundCode(v)
	wrong := map[string]int{}
	for _, x := range guesses {
		if x.Failed() {
			wrong[x.Error().Get("code").Raw]++
		}
	}
	var answered verdict.Sightings
	defer func() {
		answered.Observe(v, "catch-all-read",
			"%d made-up {URI yields|URIs yield} contents: %s")
	}()
	for _, x := range guesses {
		if verdict.Yields(x) {
			answered.Add(x, "%v", x.Param("uri"))
		}
		if refusesMissing(x, alike, v) {
			v.Expect(x, m, "a read beside a listed resource, of one that should not exist").
				WarnIf(wrong[x.Error().Get("code").Raw] < 2).Downgraded(verdict.RefusedOtherwise).
				Hint(missingHint(v))
		}
	}
}

// eachErrorCode calls judge for the first occurrence of each error code in frames of a
// recording, with the frame and that of the request that it answers.
func eachErrorCode(in []*wire.Frame, v *verdict.Verdict,
	judge func(code int64, on verdict.Cited)) {
	seen := map[int64]bool{}
	for _, f := range in {
		c := gjson.GetBytes(f.Raw, "error.code")
		if code := int64(c.Num); c.Type == gjson.Number && c.Num == float64(code) && !seen[code] {
			seen[code] = true
			judge(code, answering(v, f))
		}
	}
	v.NotExercised("no error was seen")
}

// answering is the frame of the request that a frame answers, if it is known, and the frame.
func answering(v *verdict.Verdict, f *wire.Frame) verdict.Frames {
	for _, x := range v.Exchanges {
		if x.Request > 0 && slices.Contains(x.Replies, f.Number) {
			return verdict.Frames{x.Request, f.Number}
		}
	}
	return f.Evidence()
}

// whileOpen lists the frames that the target sent before we ended their session. A request
// that is open then, such as subscriptions/listen, may get an error that tells of nothing but
// the end of the connection, and errors that are local to an implementation have no codes
// assigned (2026-07-28 basic/index#error-codes). Nor are those that come with HTTP 429, which a gateway may
// say.
func whileOpen(v *verdict.Verdict) []*wire.Frame {
	return slices.DeleteFunc(v.Incoming(0), func(f *wire.Frame) bool {
		if f.HTTP != nil && f.HTTP.Status == http.StatusTooManyRequests {
			return true
		}
		s := v.Session(f.Session)
		return s != nil && s.Closing > 0 && f.At > s.Closing
	})
}

// madeUp reports whether a code lies in the reserved range without being defined
// there. Codes that have a requirement of their own are left to it.
func madeUp(code int64) bool {
	switch {
	case code < -32768 || code > -32000, code <= -32020 && code >= -32099, code == -32002:
		return false
	case code == -32700, code <= -32600 && code >= -32603:
		return false
	}
	return true
}

// keepMeaning: requests that are in order do not meet the codes for those that
// are not.
func keepMeaning(v *verdict.Verdict) {
	for _, x := range v.Exchanges {
		version := x.Param(`_meta.io\.modelcontextprotocol/protocolVersion`).String()
		if x.Outcome != recording.Replied || len(x.ID) == 0 || version != string(v.Revision()) {
			continue
		}
		declared := x.Param(`_meta.io\.modelcontextprotocol/clientCapabilities`)
		wrong := x.HasCode(verdict.CodeHeaderMismatch, verdict.CodeUnsupportedVersion) ||
			x.HasCode(verdict.CodeMissingCapability) && !asksMore(x.Error().Get("data.requiredCapabilities"),
				declared)
		hint := ""
		if x.Status == 0 && v.OnStdio() &&
			x.HasCode(verdict.CodeHeaderMismatch) {
			hint = "stdio has no headers that could mismatch"
		}
		v.That(x, !wrong, "no complaint about headers, version or capabilities of a request in order",
			"%v to %s", x, v.What(x)).Hint(hint)
	}
}

// asksMore reports whether capabilities are required that the client did not
// declare. Required ones that cannot be read are judged by ERR-60.
func asksMore(required, declared gjson.Result) bool {
	if !required.IsObject() {
		return true
	}
	more := false
	required.ForEach(func(name, inner gjson.Result) bool {
		has := judge.Member(declared, name.String())
		more = !has.Exists() || (inner.IsObject() && len(inner.Map()) > 0 && asksMore(inner, has))
		return !more
	})
	return more
}
