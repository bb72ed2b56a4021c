// Package disc is the area DISC: discovery, versions and statelessness in the modern
// revisions (server/discover and basic/versioning).
package disc

import (
	_ "embed"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string

// The scenarios of the area.
const (
	Versions       recording.Name = "versions"        // requests under versions that nobody implements
	Advertised     recording.Name = "advertised"      // the versions that discovery lists, each in its own era
	AfterHandshake recording.Name = "after-handshake" // a modern request after a handshake
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return slices.Concat(discChecks, discVersionsChecks) }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario {
	return []*scenario.Scenario{versionsScenario, advertisedScenario, afterHandshakeScenario}
}

// The steps of the area's scripts, which say what they mean.
const (
	stepSupported, stepSupportedAgain, stepUnsupported recording.Step = "supported", "supported-again", "unsupported"
	stepModern, stepLegacy, stepAfterHandshake         recording.Step = "modern", "legacy", "after-handshake"
)

// The tags of the area's scripts, which say what they mean.
const (
	tagMain recording.Tag = "main"
)

// The checks of server/discover and of its result.
var discChecks = []verdict.Check{
	{Requirement: "DISC-01", From: []recording.Name{recording.Discovery, recording.FirstMessages}, Judge: func(r *recording.Recording, v *verdict.Verdict) {
		for _, x := range r.Steps(recording.StepDiscover, recording.StepFirstDiscover) {
			about := "server/discover"
			if x.Step == recording.StepFirstDiscover {
				about = "server/discover as the first message of a connection"
			}
			if !v.Expect(x).To(matcher.BeResult(), about) {
				v.Hint("every server of this revision implements server/discover")
			}
		}
	}},
	{Requirement: "DISC-02", From: []recording.Name{recording.Discovery}, Judge: func(r *recording.Recording, v *verdict.Verdict) {
		x, ok := discovered(r, v)
		if !ok {
			return
		}
		versions := x.Result().Get("supportedVersions")
		v.That(onlyStrings(versions), "supportedVersions as an array of strings", "supportedVersions is "+judge.Brief(versions), x.Evidence()...)
		capabilities := x.Result().Get("capabilities")
		v.That(judge.IsObject(capabilities), "capabilities as an object", "capabilities is "+judge.TypeName(capabilities), x.Evidence()...)
		instructions := x.Result().Get("instructions")
		v.That(!instructions.Exists() || judge.IsString(instructions), "instructions as a string, or absent",
			"instructions is "+judge.TypeName(instructions), x.Evidence()...)
	}},
	{Requirement: "DISC-03", From: []recording.Name{recording.Discovery}, Judge: func(r *recording.Recording, v *verdict.Verdict) {
		x, ok := discovered(r, v)
		if !ok {
			return
		}
		versions := x.Result().Get("supportedVersions")
		v.That(slices.Contains(verdict.Texts(versions), string(v.Revision())), "supportedVersions with "+string(v.Revision())+", under which it was served",
			"supportedVersions is "+judge.Brief(versions), x.Evidence()...)
		v.Cause("supportedVersions without the version of the request")
	}},
	{Requirement: "DISC-04", From: []recording.Name{Advertised}, Judge: func(r *recording.Recording, v *verdict.Verdict) { advertised(r, v) }},
	{Requirement: "DISC-07", From: []recording.Name{recording.Discovery}, Judge: func(r *recording.Recording, v *verdict.Verdict) {
		x, ok := discovered(r, v)
		if !ok {
			return
		}
		info := judge.Member(x.Result().Get("_meta"), verdict.MetaServerInfo)
		v.That(judge.IsObject(info), "_meta with "+verdict.MetaServerInfo+", an object", verdict.MetaServerInfo+" is "+judge.TypeName(info), x.Evidence()...)
		if x.Result().Get("serverInfo").Exists() {
			v.Hint("serverInfo stands beside _meta: move it to _meta under the key %q", verdict.MetaServerInfo)
		}
	}},
	{Requirement: "DISC-16", From: []recording.Name{recording.Everything}, Needs: []verdict.Gate{verdict.Declares("extensions")},
		Judge: func(r *recording.Recording, v *verdict.Verdict) {
			frames := verdict.Declaration(r)
			extensions := v.Facts.Capability("extensions")
			v.That(judge.IsObject(extensions), "capabilities.extensions as an object", "it is "+judge.TypeName(extensions), frames...)
			for _, name := range judge.Names(extensions) {
				if problem, bad := judge.First(judge.ExtensionID(name)); bad {
					v.That(false, "extension identifiers with a prefix, such as \"com.example/name\"", verdict.Quoted(name)+": "+problem.String(), frames...)
				}
				value := judge.Member(extensions, name)
				v.That(judge.IsObject(value), "an object of settings for the extension "+name, "it is "+judge.TypeName(value), frames...)
			}
			for _, x := range r.Exchanges {
				if kind := x.Result().Get("resultType"); x.Succeeded() && kind.Type == gjson.String {
					v.That(verdict.CoreType(kind.Str), "core behaviour or an error towards a client without extensions",
						x.Method+" answered with resultType "+judge.Brief(kind), x.Evidence()...)
				}
			}
		}},
}

// discovered is the answer to server/discover, if it is a result.
func discovered(r *recording.Recording, v *verdict.Verdict) (*recording.Exchange, bool) {
	x := r.Step(recording.StepDiscover)
	if !v.Answered(x) {
		return nil, false
	}
	if !x.Succeeded() {
		v.Skip(recording.CodeNotExercised, "server/discover was refused: "+matcher.Describe(x))
	}
	return x, x.Succeeded()
}

// onlyStrings reports whether a value is an array of strings only.
func onlyStrings(list gjson.Result) bool {
	return list.IsArray() && len(verdict.Texts(list)) == len(list.Array())
}

// advertised: the versions in the discovery result are served. Legacy ones that
// were seen to be served on this transport need no further proof.
func advertised(r *recording.Recording, v *verdict.Verdict) {
	for _, version := range verdict.Texts(gjson.GetBytes(v.Facts.Declared, "supportedVersions")) {
		if rev := requirement.Revision(version); !rev.Modern() && slices.Contains(v.Facts.Served, rev) {
			v.Holds()
		}
	}
	for _, x := range r.Steps(stepModern) {
		if v.Answered(x) {
			code, _ := x.Code()
			v.That(code != verdict.CodeUnsupportedVersion, "the advertised version "+x.Tags[recording.TagVersion]+" served", matcher.Describe(x)+" to "+x.Method, x.Evidence()...)
		}
	}
	for _, x := range r.Steps(stepLegacy) {
		if !v.Answered(x) {
			continue
		}
		got := x.Result().Get("protocolVersion")
		actual := "initialize with it is answered with " + matcher.Describe(x)
		if x.Succeeded() {
			actual = "initialize with it is answered with the version " + judge.Brief(got)
		}
		v.That(got.String() == x.Tags[recording.TagVersion], "the advertised version "+x.Tags[recording.TagVersion]+" served", actual, x.Evidence()...)
		v.Hint("leave out of supportedVersions what is not served on this endpoint")
	}
}
