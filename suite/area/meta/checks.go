// Package meta is the area META: the _meta member, result types and log messages
// (basic/index#meta, basic/index#resulttype and server/utilities/logging).
package meta

import (
	"fmt"
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
	BadMetadata recording.Name = "bad-metadata" // requests whose metadata lacks something or is ill-typed
	LogLevels   recording.Name = "log-levels"   // logging/setLevel
)

// Checks lists the checks of the area.
var Checks = verdict.Join(metaChecks, metaRequestsChecks)

// Scenarios lists the scripts of this area.
var Scenarios = []*scenario.Scenario{badMetadataScenario, logLevelsScenario}

// The steps of the area's scripts.
const (
	stepNoCapabilities, stepOddVersion            recording.Step = "no-capabilities", "odd-version"
	stepOddCapabilities, stepOddLogLevel, stepSet recording.Step = "odd-capabilities", "odd-log-level", "set"
	stepUnknownLevel                              recording.Step = "unknown-level"
)

// The checks of basic/index#meta on what the target sends.
var metaChecks = verdict.Checks{
	"META-01": {Judge: func(v *verdict.Verdict) {
		eachMeta(v, v.Revision(), func(place string, meta gjson.Result, at verdict.Cited) {
			v.That(at, judge.IsObject(meta), "_meta as an object", "_meta of %s is %s", place,
				judge.TypeName(meta))
		})
	}},
	"META-02": {Judge: func(v *verdict.Verdict) {
		eachMetaKey(v, v.Revision(), func(place, key string, _ gjson.Result, at verdict.Cited) {
			problem, bad := judge.First(judge.MetaKey(key, v.Revision()))
			v.That(at, !bad, "_meta keys of the form prefix/name or name", "the key %s in %s: %v",
				verdict.Quoted(key), place, problem)
		})
	}},
	"META-04": {Judge: func(v *verdict.Verdict) {
		eachMetaKey(v, v.Revision(), func(place, key string, _ gjson.Result, at verdict.Cited) {
			rev := v.Revision()
			v.That(at, !judge.ReservedPrefix(key, rev) || judge.DefinedMetaKey(key, rev),
				"reserved prefixes only for the protocol's own keys", "the key %s in %s",
				verdict.Quoted(key), place)
			if rev >= requirement.R20251125 && judge.ForwardDomain(key) {
				v.Fail(at, "prefixes with the top-level domain first", "the key %s in %s",
					verdict.Quoted(key), place).
					Title("Prefixes of _meta keys have the top-level domain first").Kept().
					Warn("the specification recommends this notation").
					Hint("write com.example/ instead of example.com/")
			}
		})
	}},
	"META-11": {Judge: func(v *verdict.Verdict) {
		for _, x := range v.Results() {
			kind := x.Value("resultType")
			v.That(x, judge.IsString(kind), "resultType as a string in every result",
				"it is %s in the answer to %s", judge.TypeName(kind), x.Method)
		}
	}},
	"META-12": {Judge: func(v *verdict.Verdict) {
		for _, x := range v.Results() {
			if kind := x.Value("resultType"); kind.Type == gjson.String {
				v.That(x, verdict.CoreType(kind.Str), `resultType "complete" or "input_required"`,
					"it is %v in the answer to %s", kind, x.Method)
			}
		}
	}},
	"META-13": {Judge: identified},
	"META-15": {From: recording.Names{recording.Everything, recording.Metadata},
		Judge: verdict.InScenario(recording.Metadata, func(v *verdict.Verdict) {
			asPlain(v, scenario.StepTraced, "with trace context")
		}, func(v *verdict.Verdict) {
			eachMetaKey(v, v.Revision(), func(place, key string, value gjson.Result, at verdict.Cited) {
				traced(v,
					place, key, value, at)
			})
		})},
	"META-19": {Judge: func(v *verdict.Verdict) {
		for _, method := range []string{"notifications/progress", "notifications/message"} {
			for _, f := range v.Notifications(method, 0) {
				id := judge.Member(gjson.GetBytes(f.Raw, "params._meta"),
					"io.modelcontextprotocol/subscriptionId")
				v.That(f, !id.Exists(), "no subscription id outside of subscriptions", "%s carries %v",
					method, id)
			}
		}
	}},
}

const keyLogLevel = "io.modelcontextprotocol/logLevel"

// eachMessage visits the messages that the target sent, those of batches one by one.
// A long result that was sent before is left out.
func eachMessage(v *verdict.Verdict, visit func(m wire.Object, at verdict.Cited)) {
	seen := map[*wire.Long]bool{}
	for _, f := range v.Incoming(0) {
		p := f.Parsed()
		if p.Marked {
			continue
		}
		again := f.Long != nil && seen[f.Long]
		seen[f.Long] = true
		for _, m := range p.Messages {
			if again {
				m.Object = wire.LookedUp(m.Result)
			}
			visit(m.Object, f)
		}
	}
}

// foundMeta is a _meta that the target sent.
type foundMeta struct {
	place string
	meta  gjson.Result
	at    verdict.Cited
}

// eachMeta visits every _meta that the target sent: of results and notifications
// and, where the revision has it, of resources, templates and contents.
func eachMeta(v *verdict.Verdict, rev requirement.Revision,
	visit func(place string, meta gjson.Result, at verdict.Cited)) {
	type key struct {
		rev    requirement.Revision
		frames int
	}
	all, _ := v.Note(key{rev, len(v.Frames)}, func() any { return allMeta(v, rev) }).([]foundMeta)
	for _, m := range all {
		visit(m.place, m.meta, m.at)
	}
}

func allMeta(v *verdict.Verdict, rev requirement.Revision) []foundMeta {
	var all []foundMeta
	of := func(place string, owner gjson.Result, at verdict.Cited) {
		if meta := judge.Member(owner, "_meta"); meta.Exists() {
			all = append(all, foundMeta{place, meta, at})
		}
	}
	eachMessage(v, func(m wire.Object, at verdict.Cited) {
		result := wire.LookedUp(m.Get("result"))
		of("a result", result.Result, at)
		of("the params of "+judge.Brief(m.Get("method")), m.Get("params"), at)
		if rev < requirement.R20250618 {
			return
		}
		for _, member := range []string{"resources", "resourceTemplates", "contents"} {
			list := result.Get(member)
			if !list.IsArray() {
				continue
			}
			i := -1
			list.ForEach(func(_, item gjson.Result) bool {
				if i++; strings.Contains(item.Raw, "_meta") || strings.Contains(item.Raw, `\`) {
					of(fmt.Sprintf("%s[%d]", member, i), item, at)
				}
				return true
			})
		}
	})
	return all
}

// eachMetaKey visits every key of every _meta, each pair of key and value once.
func eachMetaKey(v *verdict.Verdict, rev requirement.Revision,
	visit func(place, key string, value gjson.Result, at verdict.Cited)) {
	seen := map[string]bool{}
	eachMeta(v, rev, func(place string, meta gjson.Result, at verdict.Cited) {
		for _, key := range judge.Names(meta) {
			value := judge.Member(meta, key)
			if id := key + "\x00" + value.Raw; !seen[id] {
				seen[id] = true
				visit(place, key, value, at)
			}
		}
	})
}

// identified: results name the server. A server that leaves it out everywhere is
// told so once for each method.
func identified(v *verdict.Verdict) {
	missing := map[string]bool{}
	for _, x := range v.Results() {
		info := judge.Member(x.Value("_meta"), verdict.MetaServerInfo)
		switch {
		case info.Exists():
			whole := judge.IsObject(info) && judge.IsString(info.Get("name")) &&
				judge.IsString(info.Get("version"))
			v.That(x, whole, verdict.MetaServerInfo+" as an object with the strings name and version",
				"it is %v", info)
		case !missing[x.Method]:
			missing[x.Method] = true
			v.Fail(x, verdict.MetaServerInfo+" in _meta of every result", "it is missing in the answer to %s",
				x.Method)
		}
	}
}

// traced judges a value of trace context.
func traced(v *verdict.Verdict, place, key string, value gjson.Result, at verdict.Cited) {
	oracle := map[string]func(string) []judge.Problem{
		"traceparent": judge.Traceparent, "tracestate": judge.Tracestate, "baggage": judge.Baggage,
	}[key]
	if oracle == nil {
		return
	}
	expected := key + " in the format of the W3C"
	if !v.That(at, judge.IsString(value), expected, "it is %s in %s", judge.TypeName(value), place).
		Held() {
		return
	}
	problem, bad := judge.First(oracle(value.Str))
	v.That(at, !bad, expected, "%v in %s: %v", value, place, problem)
}

// asPlain: requests of a step are served like the ordinary ones beside them.
func asPlain(v *verdict.Verdict, step recording.Step, about string) {
	for _, x := range v.Steps(step) {
		plain := scenario.StepPlain
		if x.Method == "resources/read" {
			plain = scenario.StepPlainRead
		}
		if v.Baseline(plain) {
			v.Expect(x, matcher.BeResult(), "%s %s", x.Method, about)
		}
	}
}

// The checks of the metadata of requests, and of log messages.
var metaRequestsChecks = verdict.Checks{
	"META-06": {From: recording.Names{recording.Metadata},
		Judge: func(v *verdict.Verdict) {
			asPlain(v, scenario.StepUnknownKey, "with an additional key in _meta")
			asPlain(v, scenario.StepProgressToken, "with a progress token in _meta")
		}},
	"META-07": {From: recording.Names{BadMetadata},
		Judge: func(v *verdict.Verdict) {
			if v.OnStdio() && !v.Facts.ModernOnly() {
				v.NotExercised("a server of both eras may take such a request for legacy traffic")
				return
			}
			incomplete(v, v.Step(scenario.StepNoVersion), "without a protocol version in _meta")
		}},
	"META-08": {From: recording.Names{BadMetadata},
		Judge: func(v *verdict.Verdict) {
			if !v.Baseline(scenario.StepPlain) {
				return
			}
			v.Expect(v.Step(stepNoCapabilities), matcher.BeErrorReply(verdict.CodeInvalidParams),
				"a request without client capabilities in _meta").
				Hint("answer a request whose _meta lacks " + verdict.KeyClientCapabilities +
					" with error -32602")
			for _, x := range v.Steps(stepOddCapabilities, stepOddVersion) {
				member := map[recording.Step]string{stepOddCapabilities: verdict.KeyClientCapabilities,
					stepOddVersion: verdict.KeyProtocolVersion}[x.Step]
				value := judge.Member(x.Param("_meta"), member)
				v.Expect(x, matcher.Expecting("a refusal of "+member+" that is "+judge.TypeName(value),
					matcher.BeRefused()), "a request whose _meta has %s: %v", member, value).
					Warn(verdict.Lenient).
					Hint("check the types of the members of _meta, and answer with error -32602")
			}
		}},
	"META-09": {From: recording.Names{recording.BareRequests}, Needs: verdict.ModernOnly,
		Judge: func(v *verdict.Verdict) {
			if _, ok := v.RefusedHandshake(); !ok {
				return
			}
			incomplete(v, v.Step(scenario.StepNoParams), "without params")
			incomplete(v, v.Step(scenario.StepNoMeta), "without _meta")
		}},
	"META-10": {From: recording.Names{recording.Metadata},
		Judge: func(v *verdict.Verdict) {
			asPlain(v, scenario.StepAnonymous, "without clientInfo")
		}},
	"META-16": {Judge: unaskedLogs},
	"META-17": {From: recording.Names{recording.FirstMessages}, Judge: logsInPlace},
	"META-18": {From: recording.Names{BadMetadata},
		Judge: func(v *verdict.Verdict) {
			if v.Baseline(scenario.StepPlain) {
				x := v.Step(stepOddLogLevel)
				if x.Succeeded() && !v.Facts.Declares("logging") {
					v.Skip(recording.CodeUndeclared, "the target does not declare capabilities.logging, "+
						"and ignores log levels")
					return
				}
				about := "a request with an unknown log level"
				if x != nil {
					about += ", " + judge.Brief(levelOf(x))
				}
				v.Expect(x, matcher.BeErrorReply(verdict.CodeInvalidParams), "%s", about)
			}
		}},
	"META-21": {Judge: func(v *verdict.Verdict) {
		v.NotExercised("the target sent no log messages, which is its choice")
		for _, f := range v.Notifications("notifications/message", 0) {
			p := gjson.GetBytes(f.Raw, "params")
			level, logger := p.Get("level"), p.Get("logger")
			v.That(f, severity(level.Str) >= 0 && level.Type == gjson.String,
				"a level of the eight syslog names", "level is %v", level)
			v.That(f, p.Get("data").Exists(), "a data member in notifications/message", "it is absent")
			v.That(f, !logger.Exists() || judge.IsString(logger), "logger as a string, or absent",
				"it is %s", judge.TypeName(logger))
		}
	}},
	"META-60": {From: recording.Names{LogLevels}, Needs: verdict.Declares("logging"),
		Declared: true,
		Judge:    levelsTakeEffect},
}

var severities = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// severity is the rank of a log level; -1 if it is none.
func severity(level string) int { return slices.Index(severities, level) }

// levelOf is the log level that a request asks for; it does not exist if it asks
// for none.
func levelOf(x *recording.Exchange) gjson.Result {
	return judge.Member(x.Param("_meta"), keyLogLevel)
}

// unaskedLogs: no log messages on sessions in which nobody asked for any, nor, over HTTP, on the stream of a
// request that did not.
func unaskedLogs(v *verdict.Verdict) {
	asked := map[string]bool{}
	for _, x := range v.Exchanges {
		if levelOf(x).Exists() {
			asked[x.Session] = true
		} else if x.Succeeded() {
			v.Holds()
		}
	}
	const expected = "no notifications/message for requests without a log level"
	unasked := unaskedOn(v)
	for _, f := range v.Notifications("notifications/message", 0) {
		if x := unasked[f.Number]; x != nil && asked[f.Session] {
			v.Fail(verdict.Frames{x.Request, f.Number}, expected, "%v on the stream that answers %s, while "+
				"others had asked for it", gjson.GetBytes(f.Raw, "params"), x.Method).
				Hint("take the log level from each request, and keep none of it")
		} else if !asked[f.Session] {
			v.Fail(f, expected, "%v", gjson.GetBytes(f.Raw, "params"))
		}
	}
}

// unaskedOn are the requests without a log level, by the frames that came on their streams. On stdio there
// are no streams, and those of subscriptions are judged elsewhere.
func unaskedOn(v *verdict.Verdict) map[int]*recording.Exchange {
	all := map[int]*recording.Exchange{}
	for _, x := range v.Exchanges {
		for _, n := range x.Others {
			if x.Method != "" && x.Method != "subscriptions/listen" && !levelOf(x).Exists() &&
				v.OnHTTP() {
				all[n] = x
			}
		}
	}
	return all
}

// logsInPlace: log messages come on the stream of the request that asked for them,
// and before its response. Messages below the level that was asked for are a
// warning.
func logsInPlace(v *verdict.Verdict) {
	v.NotExercised("the target logged nothing for requests that named a log level, which is its choice")
	logged, unasked := v.Steps(scenario.StepLogged), unaskedOn(v)
	for _, f := range v.Notifications("notifications/message", 0) {
		x := during(logged, f)
		level := gjson.GetBytes(f.Raw, "params.level").Str
		switch {
		case len(logged) == 0 || f.Session != logged[0].Session || unasked[f.Number] != nil:
			// that is META-16's
		case x == nil:
			v.RestsOn(logged[0])
			v.Fail(f, "log messages on the stream of their request, before its response",
				"a message of level %s elsewhere", level)
		default:
			want := levelOf(x).Str
			v.That(verdict.Several{x, f}, severity(level) < 0 || severity(level) >= severity(want),
				"log messages of level "+want+" or above", "a message of level %s", level).Warn()
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
func levelsTakeEffect(v *verdict.Verdict) {
	set := v.Step(stepSet)
	if v.Expect(set, matcher.BeResult(), "logging/setLevel").Title("A log level can be set").Held() {
		for _, f := range v.Notifications("notifications/message", slices.Max(set.Replies)) {
			level := gjson.GetBytes(f.Raw, "params.level").Str
			if f.Session == set.Session && severity(level) >= 0 {
				v.That(verdict.Several{set, f}, severity(level) >= severity("error"),
					"no messages below the level error, which was set", "a message of level %s", level)
			}
		}
	}
	if x := v.Step(stepUnknownLevel); x != nil {
		v.Expect(x, matcher.Expecting("a refusal of an unknown level with error -32602",
			matcher.BeErrorReply(verdict.CodeInvalidParams)), "logging/setLevel with the level %v",
			x.Param("level")).Title("An unknown log level is refused with -32602").
			Hint("know the eight syslog levels, and answer others with error -32602")
	}
}

// incomplete: a request that lacks required metadata is refused with -32602. Over
// HTTP -32020 fits as well, because a header then has no counterpart.
func incomplete(v *verdict.Verdict, x *recording.Exchange, about string) {
	if !v.Baseline(scenario.StepPlain) {
		return
	}
	codes := []int64{verdict.CodeInvalidParams}
	if v.OnHTTP() {
		codes = append(codes, verdict.CodeHeaderMismatch)
	}
	v.Expect(x, matcher.BeErrorReply(codes...), "a request %s", about)
}
