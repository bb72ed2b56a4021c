// Package capability is the area CAP: the capabilities that a server declares, and
// whether it does what they promise (server/resources#capabilities).
package capability

import (
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// The scenario of the area.
const Capabilities recording.Name = "capabilities" // what a target does for the capabilities it declares

// Scenarios lists the scripts of this area.
var Scenarios = []*scenario.Scenario{capabilitiesScenario, undeclaredScenario}

// The steps of the area's scripts.
const (
	stepUnlisted, stepRichList       recording.Step = "unlisted", "rich-list"
	stepFeature, stepDeclaredFeature recording.Step = "feature", "declared-feature"
	tagFeature                       recording.Tag  = "feature"
)

// Checks lists the checks of declared capabilities.
var Checks = verdict.Checks{
	"CAP-01": {From: recording.Names{recording.Undeclared}, Declared: true,
		Needs: slices.Concat(verdict.Declaring, verdict.Lacks("resources")),
		Judge: func(v *verdict.Verdict) {
			if x := v.Step(recording.StepList); x != nil && v.Answered(x) {
				list := x.Value("resources")
				n := len(list.Array())
				v.That(x, !list.IsArray() || n == 0, "no resources from a target that does not declare the "+
					"resources capability", "resources/list is answered with %s", judge.TypeName(list)).
					Hint("declare capabilities.resources")
				v.That(x, !list.IsArray() || n > 0, "an error to resources/list from a target that does "+
					"not declare the resources capability", "an empty list").Warn()
			}
			if x := v.Step(recording.StepRead); x != nil && v.Answered(x) {
				contents := x.Value("contents")
				v.That(x, len(contents.Array()) == 0, "no contents from a target that does not declare the "+
					"resources capability", "resources/read is answered with contents")
			}
		}},
	"CAP-02": {Needs: verdict.Declaring,
		Judge: func(v *verdict.Verdict) {
			if v.Facts.Capability("resources").Exists() {
				typed(v, "resources")
			}
			v.Skip(recording.CodeUndeclared, "the target does not declare capabilities.resources")
		}},
	"CAP-03": {Needs: verdict.Resources,
		Judge: func(v *verdict.Verdict) {
			typed(v, "resources.subscribe", "resources.listChanged")
			var misspelt verdict.Sightings
			misspelt.AddMisspelt(verdict.NewItem(v.Facts.Capability("resources"), "capabilities.resources",
				v.Declaration()), []string{"subscribe", "listChanged"})
			misspelt.ObserveMisspelt(v)
		}},
	"CAP-06": {From: recording.Names{recording.WalkResources, Capabilities},
		Needs: verdict.Resources, Declared: true,
		Judge: func(v *verdict.Verdict) {
			if x := v.Step(stepRichList); x != nil {
				v.Expect(x, matcher.BeResult(), "resources/list from a client with all capabilities")
				return
			}
			x := v.Step(recording.StepPage)
			if x == nil || v.Modern() && x.HasCode(verdict.CodeMissingCapability) {
				return // asked again with all capabilities
			}
			v.Expect(x, matcher.BeResult(), "resources/list")
		}},
	"CAP-07": {From: recording.Names{recording.WalkTemplates}, Needs: verdict.Resources,
		Judge: func(v *verdict.Verdict) {
			x := v.Step(recording.StepPage)
			if x != nil && verdict.Unknown(x) {
				v.Holds()
				v.Observe(x, "templates-unknown", "resources/templates/list is an unknown method, which is "+
					"how a server refuses what it does not implement, but many clients stumble over it")
				return
			}
			v.Expect(x, matcher.BeResult(), "resources/templates/list")
		}},
	"CAP-08": {From: recording.Names{recording.Reads, Capabilities}, With: verdict.BothWalks,
		Needs: verdict.Resources, Declared: true,
		Judge: verdict.Each(verdict.Steps(recording.StepRead, stepUnlisted), readExists)},
	"CAP-09": {From: recording.Names{Capabilities}, Declared: true,
		Needs: slices.Concat(verdict.Resources, verdict.Subscribe), Judge: subscribeExists},
	"CAP-10": {From: recording.Names{Capabilities},
		Needs: slices.Concat(verdict.Resources, verdict.Withholds("resources.subscribe")),
		Judge: verdict.Each(verdict.Steps(recording.StepSubscribe),
			func(x *recording.Exchange, v *verdict.Verdict) {
				v.Expect(x, matcher.BeRefused(), "resources/subscribe without a declared subscribe")
			})},
	"CAP-11": {From: recording.Names{recording.Everything, recording.Undeclared},
		Needs: verdict.Declaring,
		Judge: verdict.InScenario(recording.Undeclared, contradictions, otherCapabilities)},
	"CAP-12": {Declared: true,
		Needs: slices.Concat(verdict.Declaring, verdict.Lacks("logging")),
		Judge: func(v *verdict.Verdict) {
			v.Holds()
			for _, f := range v.Notifications("notifications/message", 0) {
				v.Fail(f, "no notifications/message from a target that does not declare the logging "+
					"capability", "%v", gjson.ParseBytes(f.Raw).Get("params")).
					Hint("declare capabilities.logging, or log to standard error")
			}
		}},
	"CAP-13": {From: recording.Names{recording.Undeclared}, Needs: verdict.Declaring,
		Declared: true,
		Judge: verdict.Each(verdict.Steps(stepFeature), func(x *recording.Exchange, v *verdict.Verdict) {
			if x.Tags[tagFeature] == "completions" {
				return // COMP-01 and COMP-07 judge them, in all revisions that have the capability
			}
			v.Expect(x, matcher.BeErrorReply(verdict.CodeMethodNotFound), "%s without declared %s",
				x.Method, x.Tags[tagFeature])
		})},
}

// otherCapabilities: what the revision defines beside resources has the type that
// it defines.
func otherCapabilities(v *verdict.Verdict) {
	c := gjson.GetBytes(v.Facts.Declared, "capabilities")
	v.That(v.Declaration(), judge.IsObject(c), "capabilities as an object", "it is %s", judge.TypeName(c))
	typed(v, "logging", "prompts", "tools", "completions", "experimental", "experimental.*", "extensions",
		"extensions.*")
}

// typed judges declared capabilities by the message schema.
func typed(v *verdict.Verdict, members ...string) {
	of, name := "InitializeResult", "the answer to initialize"
	if v.Modern() {
		of, name = "DiscoverResult", "the answer to server/discover"
	}
	paths := make([]string, len(members))
	for i, member := range members {
		paths[i] = "capabilities." + member
	}
	v.Typed(verdict.NewItem(gjson.ParseBytes(v.Facts.Declared), name, v.Declaration()), of,
		paths...)
}

// contradictions notes where what is declared of other features, and what is done,
// differ. No requirement on resources speaks of it; of 2026-07-28 CAP-13 does, and of
// completions COMP-01.
func contradictions(v *verdict.Verdict) {
	for _, x := range v.Steps(stepFeature, stepDeclaredFeature) {
		switch feature := x.Tags[tagFeature]; {
		case x.Step == stepDeclaredFeature && verdict.Unknown(x):
			v.Observe(x, "declared-but-unknown", "capabilities.%s is declared, but %s is an unknown "+
				"method: %v", feature, x.Method, x)
		case x.Step == stepFeature && feature != "completions" && x.Succeeded() && !v.Modern():
			v.Observe(x, "undeclared-but-served", "%s is served although capabilities.%s is not declared",
				x.Method, feature)
		}
	}
}

// readExists: resources/read is no unknown method. Where only https URIs are
// listed, which clients may fetch for themselves, or nothing, it is a warning.
func readExists(x *recording.Exchange, v *verdict.Verdict) {
	if !v.Answered(x) {
		return
	}
	if x.Step == stepUnlisted && verdict.Unknown(x) && listsUnknown(v) {
		v.Fail(x, "a target that declares resources to know any of their methods",
			"resources/list, resources/templates/list and resources/read are unknown methods").
			Hint("implement what capabilities.resources declares, or do not declare it")
		return
	}
	v.That(x, !verdict.Unknown(x), "resources/read to be known to a target that declares resources",
		"%v to resources/read", x).
		WarnIf(x.Step == stepUnlisted || strings.HasPrefix(x.URI(), "https:"))
}

// subscribeExists: the methods of subscriptions are known. A resource that cannot
// be subscribed to is no violation, but all of them refused are suspect.
func subscribeExists(v *verdict.Verdict) {
	tried := v.Steps(recording.StepSubscribe)
	if len(tried) == 0 {
		v.NeedsSubject("the target lists no resource to subscribe to")
		return
	}
	served, gone := false, 0
	for _, x := range tried {
		if !v.Answered(x) {
			return
		}
		if !verdict.Unknown(x) && v.Gone(x) {
			gone++
			continue
		}
		v.That(x, !verdict.Unknown(x), "resources/subscribe to be known to a target that declares subscribe",
			"%v to resources/subscribe", x)
		served = served || x.Succeeded()
	}
	last := tried[len(tried)-1]
	if !verdict.Unknown(last) && gone < len(tried) {
		v.That(last, served, "a listed resource that can be subscribed to", "%v to resources/subscribe",
			last).Warn().
			Hint("let resources be subscribed, or do not declare capabilities.resources.subscribe")
	}
	if x := v.Step(recording.StepUnsubscribe); x != nil && v.Answered(x) {
		v.That(x, !verdict.Unknown(x), "resources/unsubscribe to be known to a target that declares "+
			"subscribe", "%v to resources/unsubscribe", x).Warn().
			Hint("implement resources/unsubscribe beside resources/subscribe")
	}
}

func listsUnknown(v *verdict.Verdict) bool {
	return !slices.ContainsFunc(verdict.BothWalks, func(name recording.Name) bool {
		walk := v.Input(name)
		if walk == nil {
			return true
		}
		x := walk.Step(recording.StepPage)
		return x == nil || !verdict.Unknown(x)
	})
}
