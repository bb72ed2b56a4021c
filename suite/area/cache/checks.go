// Package cache is the area CACHE: hints on how long results may be kept
// (server/utilities/caching).
package cache

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
const Callers recording.Name = "callers" // the same requests by several callers

// Scenarios lists the scripts of this area.
var Scenarios = []*scenario.Scenario{callersScenario}

// The steps and tags of the area's scripts.
const (
	stepMine, stepProtected, stepTheirs, stepMineAgain recording.Step = "mine", "protected", "theirs",
		"mine-again"
	tagIdentity, tagSubject recording.Tag = "identity", "subject"
)

// reads are the recordings of reads: what is listed and what templates expand to may be
// served by different parts of a server. cacheable is all whose results have hints.
var (
	reads     = recording.Names{recording.Reads, recording.TemplateSweep, recording.Expansions}
	cacheable = slices.Concat(recording.Names{recording.WalkResources, recording.WalkTemplates,
		recording.Discovery}, reads)
)

// Checks lists the checks of server/utilities/caching.
var Checks = verdict.Checks{
	"CACHE-01": {From: verdict.BothWalks,
		Needs: verdict.Resources, Judge: verdict.Each(completeResults, hinted)},
	"CACHE-03": {From: append(slices.Clone(reads), recording.InputReads),
		Needs: verdict.Resources, Judge: verdict.Each(completeResults, hinted)},
	"CACHE-04": {From: recording.Names{recording.Discovery},
		Judge: verdict.Each(completeResults, hinted)},
	"CACHE-05": {From: cacheable,
		Judge: verdict.Each(completeResults, func(x *recording.Exchange, v *verdict.Verdict) {
			if ttl := x.Value("ttlMs"); ttl.Exists() {
				v.That(x,
					judge.IsInteger(ttl) && !strings.HasPrefix(ttl.Raw, "-") || ttl.Type == gjson.Number &&
						ttl.Num == 0, "ttlMs as an integer of 0 or more", "it is %v in the answer to %s", ttl,
					x.Method)
			}
		})},
	"CACHE-07": {From: cacheable,
		Judge: verdict.Each(completeResults, func(x *recording.Exchange, v *verdict.Verdict) {
			if x.Value("cacheScope").Exists() { // that it is there is CACHE-01's
				verdict.TypedResult("ListResourcesResult", "cacheScope")(x, v)
			}
		})},
	"CACHE-08": {From: verdict.BothWalks,
		Needs: verdict.Resources,
		Judge: func(v *verdict.Verdict) {
			var first *recording.Exchange
			for _, x := range v.Walked() {
				scope := x.Value("cacheScope")
				switch {
				case !x.Succeeded() || !scope.Exists():
				case first == nil:
					first = x
				default:
					want := first.Value("cacheScope")
					v.That(verdict.Several{first, x}, scope.String() == want.String(),
						"one cacheScope on all pages of "+x.Method, "%v on page %s, %v on page %s", want,
						first.Tags[recording.TagPage], scope, x.Tags[recording.TagPage])
				}
			}
		}},
	"CACHE-10": {From: recording.Names{recording.InputReads},
		Judge: verdict.Each(verdict.InputRequired, func(x *recording.Exchange, v *verdict.Verdict) {
			for _, hint := range []string{"ttlMs", "cacheScope"} {
				value := x.Value(hint)
				v.That(x, !value.Exists(), "no "+hint+" in a result that asks for input", "it is %v", value)
			}
		})},
	"CACHE-11": {From: recording.Names{Callers}, Judge: publicIsTheSame},
	"CACHE-12": {From: recording.Names{Callers},
		Judge: verdict.Each(verdict.Steps(stepProtected), func(x *recording.Exchange, v *verdict.Verdict) {
			if x.Status == 401 || x.Status == 403 {
				v.Holds()
				return
			}
			v.Expect(x, matcher.BeRefused(), "a read of %s by the caller %s, who has no right to it",
				verdict.Quoted(x.Param("uri").String()), verdict.Quoted(x.Tags[tagIdentity]))
		})},
}

// completeResults lists the complete results of a recording. A result without a type
// counts as one, as it does for clients.
func completeResults(v *verdict.Verdict) []*recording.Exchange {
	var all []*recording.Exchange
	for _, x := range v.Exchanges {
		if v.Scenario == recording.TemplateSweep && !x.Succeeded() || v.Scenario == recording.InputReads &&
			(!x.Succeeded() || x.Method != "resources/read") {
			// made-up values may lead nowhere, and answers may not do; what happens then is judged elsewhere
			continue
		}
		if !v.Answered(x) || !x.Succeeded() || !judge.IsObject(x.Result()) {
			continue
		}
		if kind := x.Value("resultType"); !kind.Exists() || kind.String() == "complete" {
			all = append(all, x)
		}
	}
	return all
}

// hinted: complete results have both caching hints.
func hinted(x *recording.Exchange, v *verdict.Verdict) {
	for _, hint := range []string{"ttlMs", "cacheScope"} {
		v.That(x, x.Value(hint).Exists(), "ttlMs and cacheScope in the answer to "+x.Method,
			"%s is absent", hint)
	}
}

// publicIsTheSame: what one caller gets as public, another gets, too, if he gets
// anything. What changes between two looks of one caller says nothing.
func publicIsTheSame(v *verdict.Verdict) {
	for i, x := range v.Exchanges {
		if x.Step != stepTheirs && x.Step != stepProtected || i == 0 || i+1 >= len(v.Exchanges) {
			continue
		}
		mine, again := v.Exchanges[i-1], v.Exchanges[i+1]
		if mine.Step != stepMine || again.Step != stepMineAgain || !mine.Succeeded() || !again.Succeeded() ||
			!x.Succeeded() {
			continue
		}
		if mine.Value("cacheScope").String() != "public" ||
			!slices.Equal(payload(mine), payload(again)) {
			v.NotExercised("no result was public and stayed the same between two looks")
			continue
		}
		v.That(verdict.Several{mine, x}, slices.Equal(payload(mine), payload(x)),
			"a public answer to "+x.Method+" to be the same for all callers",
			"another answer for the caller %s", verdict.Quoted(x.Tags[tagIdentity]))
	}
}

// payload is what a result is about, in an order that does not depend on the target.
func payload(x *recording.Exchange) []string {
	if contents := x.Value("contents"); contents.Exists() {
		return []string{contents.Raw}
	}
	return verdict.ListEntries(x)
}
