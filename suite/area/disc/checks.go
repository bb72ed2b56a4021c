// Package disc is the area DISC: discovery, versions and statelessness in the modern
// revisions (server/discover and basic/versioning).
package disc

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
	"github.com/tidwall/gjson"
)

// The scenarios of the area.
const (
	Versions recording.Name = "versions" // requests under versions that nobody implements
	// the versions that discovery lists, each in its own era
	Advertised     recording.Name = "advertised"
	AfterHandshake recording.Name = "after-handshake" // a modern request after a handshake
)

// Checks lists the checks of the area.
var Checks = verdict.Join(discChecks, discVersionsChecks)

// Scenarios lists the scripts of this area.
var Scenarios = []*scenario.Scenario{versionsScenario, advertisedScenario, afterHandshakeScenario}

// The steps and tags of the area's scripts.
const (
	stepSupported, stepSupportedAgain, stepUnsupported recording.Step = "supported", "supported-again",
		"unsupported"
	stepModern, stepLegacy, stepAfterHandshake recording.Step = "modern", "legacy", "after-handshake"
	stepRetry                                  recording.Step = "retry"
	tagMain                                    recording.Tag  = "main"
)

// The checks of server/discover and of its result.
var discChecks = verdict.Checks{
	"DISC-01": {From: recording.Names{recording.Discovery, recording.Listening},
		Judge: verdict.Each(verdict.Steps(recording.StepDiscover, scenario.StepFirstDiscover),
			func(x *recording.Exchange, v *verdict.Verdict) {
				about := "server/discover"
				if x.Step == scenario.StepFirstDiscover {
					about = "server/discover as the first message of a connection"
				}
				v.Expect(x, matcher.BeResult(), "%s", about).
					Hint("every server of this revision implements server/discover")
			})},
	"DISC-02": {From: recording.Names{recording.Discovery},
		Judge: verdict.Each(discovered, verdict.TypedResult("DiscoverResult", "supportedVersions",
			"supportedVersions[]", "capabilities", "instructions"))},
	"DISC-03": {From: recording.Names{recording.Discovery},
		Judge: verdict.Each(discovered, func(x *recording.Exchange, v *verdict.Verdict) {
			versions := x.Value("supportedVersions")
			v.That(x, slices.Contains(verdict.Texts(versions), string(v.Revision())),
				"supportedVersions with "+string(v.Revision())+", under which it was served",
				"supportedVersions is %v", versions).
				Cause("supportedVersions without the version of the request")
		})},
	"DISC-04": {From: recording.Names{Advertised}, Declared: true, Judge: advertised},
	"DISC-07": {From: recording.Names{recording.Discovery},
		Judge: verdict.Each(discovered, func(x *recording.Exchange, v *verdict.Verdict) {
			info := judge.Member(x.Value("_meta"), verdict.MetaServerInfo)
			hint := ""
			if x.Value("serverInfo").Exists() {
				hint = fmt.Sprintf("serverInfo stands beside _meta: move it to _meta under the key %q",
					verdict.MetaServerInfo)
			}
			v.That(x, judge.IsObject(info), "_meta with "+verdict.MetaServerInfo+", an object",
				"%s is %s", verdict.MetaServerInfo, judge.TypeName(info)).Hint(hint)
		})},
	"DISC-16": {Needs: verdict.Declares("extensions"),
		Judge: func(v *verdict.Verdict) {
			frames := v.Declaration()
			extensions := v.Facts.Capability("extensions")
			v.That(frames, judge.IsObject(extensions), "capabilities.extensions as an object", "it is %s",
				judge.TypeName(extensions))
			for _, name := range judge.Names(extensions) {
				if problem, bad := judge.First(judge.ExtensionID(name)); bad {
					v.Fail(frames, `extension identifiers with a prefix, such as "com.example/name"`,
						"%s: %v", verdict.Quoted(name), problem)
				}
				value := judge.Member(extensions, name)
				v.That(frames, judge.IsObject(value), "an object of settings for the extension "+name,
					"it is %s", judge.TypeName(value))
			}
			for _, x := range v.Exchanges {
				if kind := x.Value("resultType"); x.Succeeded() && kind.Type == gjson.String {
					v.That(x, verdict.CoreType(kind.Str), "core behaviour or an error towards a client "+
						"without extensions", "%s answered with resultType %v", x.Method, kind)
				}
			}
		}},
}

// discovered is the answer to server/discover, if it is a result.
func discovered(v *verdict.Verdict) []*recording.Exchange {
	x := v.Step(recording.StepDiscover)
	switch {
	case !v.Answered(x):
	case !x.Succeeded():
		v.NotExercised("server/discover was refused: %v", x)
	default:
		return []*recording.Exchange{x}
	}
	return nil
}

func onlyStrings(list gjson.Result) bool {
	return list.IsArray() && len(verdict.Texts(list)) == len(list.Array())
}

// advertised: the versions in the discovery result are served. Legacy ones that
// were seen to be served on this transport need no further proof.
func advertised(v *verdict.Verdict) {
	for _, version := range v.Facts.Listed() {
		if rev := requirement.Revision(version); !rev.Modern() && slices.Contains(v.Facts.Served, rev) {
			v.Holds()
		}
	}
	for _, x := range v.Steps(stepModern) {
		if v.Answered(x) {
			v.That(x, !x.HasCode(verdict.CodeUnsupportedVersion),
				"the advertised version "+x.Tags[scenario.TagVersion]+" served", "%v to %s", x, x.Method)
		}
	}
	for _, x := range v.Steps(stepLegacy) {
		if !v.Answered(x) {
			continue
		}
		got := x.Value("protocolVersion")
		actual := "initialize with it is answered with " + matcher.Describe(x)
		if x.Succeeded() {
			actual = "initialize with it is answered with the version " + judge.Brief(got)
		}
		v.That(x, got.String() == x.Tags[scenario.TagVersion],
			"the advertised version "+x.Tags[scenario.TagVersion]+" served", "%s", actual)
	}
}

// The checks of basic/versioning and of statelessness in modern revisions.
var discVersionsChecks = verdict.Checks{
	"DISC-08": {From: recording.Names{Versions},
		Judge: func(v *verdict.Verdict) {
			if !v.Baseline(stepSupported) {
				return
			}
			for _, x := range v.Steps(stepUnsupported) {
				if x.Tags[tagMain] != "" {
					v.Expect(x, matcher.BeErrorReply(verdict.CodeUnsupportedVersion),
						"%s under the version %s", x.Method, x.Tags[scenario.TagVersion]).
						Hint("compare the protocolVersion in _meta of every request with the versions that " +
							"the server supports")
				}
			}
		}},
	"DISC-09": {From: recording.Names{Versions}, Declared: true,
		Judge: func(v *verdict.Verdict) {
			for _, x := range v.Steps(stepUnsupported) {
				if refusedForVersion(x) {
					unsupportedData(x, v)
				}
			}
			for _, x := range v.Steps(stepRetry) {
				if !v.Baseline(stepSupported) {
					return
				}
				v.Expect(x, matcher.BeResult(), "%s under %s, which the error recommended", x.Method,
					x.Tags[scenario.TagVersion])
			}
		}},
	"DISC-11": {From: recording.Names{Versions},
		Judge: func(v *verdict.Verdict) {
			if !v.Baseline(stepSupported) {
				return
			}
			if !slices.ContainsFunc(v.Steps(stepUnsupported), refusedForVersion) {
				v.NotExercised("no request is refused for its version: see DISC-08")
				return
			}
			for _, x := range v.Steps(stepUnsupported) {
				if x.Tags[tagMain] != "" {
					continue // judged by DISC-08
				}
				if verdict.Unknown(x) && (x.Method == "resources/templates/list" ||
					x.Method == "server/discover") {
					v.Holds() // a method that the target does not have, which is judged elsewhere
					continue
				}
				v.Expect(x, matcher.BeErrorReply(verdict.CodeUnsupportedVersion),
					"%s under the version %s, after requests that were served", x.Method,
					x.Tags[scenario.TagVersion]).
					Hint("check the version before a request is handed to the code of its method")
			}
			v.Expect(v.Step(stepSupportedAgain), matcher.BeResult(),
				"a request under a supported version, after others had been refused")
		}},
	"DISC-12": {From: recording.Names{recording.FirstMessages, recording.Listening},
		With: verdict.ResourceWalk, Judge: firstMessages},
	"DISC-13": {From: recording.Names{recording.BareRequests}, Needs: verdict.ModernOnly,
		Judge: func(v *verdict.Verdict) {
			x, ok := v.RefusedHandshake()
			if !ok || !v.Answered(x) {
				return
			}
			versions := append(v.Facts.Listed(), string(v.Revision()))
			answer := answerText(v, x)
			named := slices.ContainsFunc(versions, func(s string) bool {
				return s != "" && strings.Contains(answer, s)
			})
			v.That(x, named, "an error to initialize that names the versions the server supports", "%v", x).
				RefusalDue()
		}},
	"DISC-14": {From: recording.Names{recording.BareRequests}, Needs: verdict.ModernOnly,
		Judge: promptRefusal},
	"DISC-15": {From: recording.Names{AfterHandshake}, Needs: verdict.DualEra,
		Judge: func(v *verdict.Verdict) {
			x := v.Step(stepAfterHandshake)
			if !v.Baseline(scenario.StepPlain) {
				return
			}
			about := "a request with modern metadata after a handshake with " +
				verdict.Tag(x, scenario.TagVersion)
			if !v.Expect(x, matcher.BeResult(), "%s", about).Held() {
				return
			}
			kind := x.Value("resultType")
			if v.OnStdio() && !judge.IsString(kind) {
				// On stdio initialize selects the legacy rules for the whole process.
				v.Observe(x, "legacy-after-handshake", "%s is answered by the legacy rules", about)
				return
			}
			v.That(x, judge.IsString(kind), "a result by the modern rules, with a resultType",
				"resultType is %s in the answer to %s", judge.TypeName(kind), about)
		}},
	"DISC-17": {From: recording.Names{recording.Metadata}, Needs: verdict.Resources,
		Judge: sameForAllNames},
	"DISC-18": {From: recording.Names{recording.FirstMessages},
		With: verdict.Reads, Judge: func(v *verdict.Verdict) {
			if x := v.Step(scenario.StepFirstRead); x != nil && v.Answered(x) && !v.Gone(x) {
				// served at the second attempt it is another matter
				again := v.Step(scenario.StepFirstRead + scenario.StepAgain)
				if reads := v.Input(recording.Reads); reads != nil {
					for _, y := range reads.Steps(recording.StepRead) {
						if y.Tags[recording.TagURI] == x.URI() {
							v.RestsOn(y)
						}
					}
				}
				v.That(x, x.Succeeded() || again != nil && again.Succeeded(),
					"a URI that was read on one connection, readable on another", "%v to a read of %s", x,
					verdict.Quoted(x.URI()))
			}
			if x := v.Step(scenario.StepCursor); x != nil {
				if again := v.Step(scenario.StepCursor + scenario.StepAgain); again != nil && x.Failed() {
					x = again // the first one had been used, and may be over
				}
				v.RestsOn(v.Step(scenario.StepCursorSource))
				v.Expect(x, matcher.BeResult(), "a cursor that was handed out on another connection")
			}
		}},
}

func refusedForVersion(x *recording.Exchange) bool { return x.HasCode(verdict.CodeUnsupportedVersion) }

// unsupportedData judges the data of an error for an unsupported version.
func unsupportedData(x *recording.Exchange, v *verdict.Verdict) {
	data, version := x.Error().Get("data"), x.Tags[scenario.TagVersion]
	requested, supported := data.Get("requested"), data.Get("supported")
	v.That(x, requested.Type == gjson.String && requested.Str == version,
		"data.requested "+verdict.Quoted(version), "it is %v", requested)
	if !v.That(x, onlyStrings(supported), "data.supported as an array of strings", "it is %v",
		supported).Held() {
		return
	}
	list := verdict.Texts(supported)
	v.That(x, !slices.Contains(list, version), "data.supported without the version that was refused",
		"it is %v", supported)
	usable := slices.ContainsFunc(list, func(s string) bool {
		return requirement.Revision(s).Modern() || !requirement.Revision(s).Known()
	})
	v.That(x, usable, "data.supported with a version that such requests can use", "it is %v", supported)
	// Legacy versions are no choice for a retry under modern metadata: either list may do without them.
	if told := v.Facts.Listed(); len(told) > 0 {
		v.That(x, sameVersions(list, told), "data.supported with the versions of server/discover: "+
			strings.Join(told, ", "), "it is %v", supported).Warn()
	}
}

// sameVersions compares the versions that are not of the legacy era, which is opened by a handshake.
func sameVersions(a, b []string) bool {
	set := func(list []string) []string {
		modern := slices.DeleteFunc(slices.Clone(list), func(s string) bool {
			return requirement.Revision(s).Known() && !requirement.Revision(s).Modern()
		})
		return slices.Compact(slices.Sorted(slices.Values(modern)))
	}
	return slices.Equal(set(a), set(b))
}

// firstMessages: what is served at all is served as the first message, too.
func firstMessages(v *verdict.Verdict) {
	for _, step := range []recording.Step{recording.StepFirstList, scenario.StepFirstRead,
		scenario.StepFirstDiscover} {
		x, again := v.Step(step), v.Step(step+scenario.StepAgain)
		switch {
		case x == nil:
		case x.Succeeded():
			v.Holds()
		case again != nil && again.Succeeded():
			v.Fail(verdict.Several{x, again}, x.Method+" served as the first message of a connection",
				"%v; it is served after server/discover", x)
		case !v.Answered(x):
		case x.Tags[scenario.TagWalked] != "":
			if walk := v.Input(recording.WalkResources); walk != nil {
				v.RestsOn(walk.Step(recording.StepPage))
			}
			v.Fail(x, x.Method+" served as the first message of a connection",
				"%v; it is served on other connections", x)
		default:
			v.NotExercised("%s is refused later, too: %v", x.Method, x)
		}
	}
}

// answerText is everything that came back for an exchange.
func answerText(v *verdict.Verdict, x *recording.Exchange) string {
	var b strings.Builder
	for _, n := range append(slices.Clone(x.Replies), x.Others...) {
		if f := v.Frame(n); f != nil {
			b.Write(f.Whole())
			b.WriteByte('\n')
		}
	}
	b.WriteString(x.Error().Raw)
	return b.String()
}

// promptRefusal: initialize is refused, and not left unanswered.
func promptRefusal(v *verdict.Verdict) {
	x, ok := v.RefusedHandshake()
	if !ok {
		return
	}
	if x.Outcome == recording.Silent || x.Outcome == recording.Lost {
		v.Fail(x, "an error to initialize", "%v", x)
		return
	}
	if !v.Answered(x) {
		return
	}
	v.That(x, x.Failed() || x.Status >= 400 && x.Status < 500, "an error to initialize", "%v", x).RefusalDue()
	if x.Status > 0 {
		// An unknown method is 404 by another rule, so that either will do.
		v.That(x, x.Status == 400 || x.Status == 404, "HTTP status 400 to initialize", "%v", x)
	}
}

// moves is why two lists are not compared.
const moves = "the list changes by itself, so that nothing can be compared"

// sameForAllNames: the list does not depend on how the client calls itself.
func sameForAllNames(v *verdict.Verdict) {
	if !v.Baseline(scenario.StepPlain) || !v.Baseline(scenario.StepPlainAgain) {
		return
	}
	want := verdict.ListEntries(v.Step(scenario.StepPlain))
	for _, x := range v.Steps(scenario.StepPlainAgain) {
		if !slices.Equal(want, verdict.ListEntries(x)) {
			v.NotExercised("%s", moves)
			return
		}
	}
	for _, x := range v.Steps(scenario.StepOtherClient, scenario.StepAnonymous) {
		if !v.Answered(x) || !x.Succeeded() {
			continue // whether such requests are served is judged elsewhere
		}
		list := verdict.ListEntries(x)
		if again := v.Step(x.Step + scenario.StepAgain); again != nil && !slices.Equal(list,
			verdict.ListEntries(again)) {
			v.NotExercised("%s", moves)
			continue
		}
		v.That(verdict.Several{v.Step(scenario.StepPlain), x}, slices.Equal(want, list),
			"the same list for every clientInfo", "another list for %s", whose(x))
	}
}

func whose(x *recording.Exchange) string {
	info := judge.Member(x.Param("_meta"), "io.modelcontextprotocol/clientInfo")
	if !info.Exists() {
		return "a client without clientInfo"
	}
	return "the client " + judge.Brief(info.Get("name"))
}
