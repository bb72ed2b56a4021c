package list

import (
	"slices"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// fewPages bounds the walks that only serve comparison, so that a long list does
// not cost its length several times over.
const fewPages = 20

// maxRepeated bounds how many reads that had a result are repeated: of small contents
// that came quickly.
const maxRepeated = 4

// Steps "page" and "read" are those of the walk and of the reads before, "again"
// is a second walk after them, "reread" repeats the reads that had no result, and
// "repeat" some of those that had one.
var relistScenario = &scenario.Scenario{
	Name:  Relist,
	Title: "listing again after the reads",
	Sends: "A second walk through all pages after the reads, and once more the reads that had no result.",
	After: recording.Names{recording.WalkResources, recording.Reads},
	Script: func(p *scenario.Play) {
		reads := p.Earlier(recording.Reads).Steps(recording.StepRead)
		var refused, small []*recording.Exchange
		sized := false
		for _, x := range reads {
			sized = sized || x.Tags[scenario.TagSize] != ""
			if x.Failed() {
				refused = append(refused, x)
			}
			if x.Succeeded() && len(x.Value("contents").Raw) < 16<<10 &&
				x.Took < 100*time.Millisecond {
				small = append(small, x)
			}
		}
		for _, x := range slices.Concat(p.Earlier(recording.WalkResources).Steps(recording.StepPage), reads) {
			p.Note(x)
		}
		if len(refused)+len(small) == 0 && !sized {
			return
		}
		c, ok := p.Clean()
		if !ok {
			return
		}
		if len(refused) > 0 || sized {
			c.WalkUpTo("resources/list", "resources", stepAgain, fewPages)
		}
		refused = refused[:min(len(refused), 8)]
		scenario.Each(c, append(refused, scenario.Sample(small, maxRepeated)...),
			func(i int, x *recording.Exchange, c *scenario.Client) {
				step := stepRepeat
				if i < len(refused) {
					step = stepReread
				}
				c.ReadResource(step, x.URI(), nil)
			})
	},
}

var listParamsScenario = &scenario.Scenario{
	Name:  ListParams,
	Title: "listing with and without params",
	Sends: "resources/list without params and with empty ones.",
	When: scenario.Where(func(p *scenario.Play) bool {
		return !p.Modern()
	}, recording.CodeCombination, "since 2026-07-28 every request has params"),
	Script: scenario.OnClean(func(c *scenario.Client) {
		list := func(step recording.Step, params any) {
			c.Do(session.Request{Step: step, Method: "resources/list", Params: params})
		}
		list(stepWith, map[string]any{})
		list(stepWithout, nil)
		list(stepWithAgain, map[string]any{})
	}),
}

// On one connection: step "one", then "between" (requests that have nothing to
// do with the list), then "one-again"; on another one, beside "one": "other" and, if two of the three differ,
// at the end "other-again", and the later looks, each when as much time has passed as between the first two.
// If those of one connection differ, a third one does as the first: "third", "between", "third-again".
var sameListScenario = &scenario.Scenario{
	Name:  SameList,
	Title: "comparing the list of two connections",
	Sends: "The list on one connection, after requests that have nothing to do with it, and on another " +
		"connection.",
	After: verdict.BothWalks,
	In:    scenario.Opening,
	When: scenario.Where((*scenario.Play).Modern, recording.CodeCombination,
		"before 2026-07-28 a list may depend on the session"),
	Script: func(p *scenario.Play) {
		one, ok := p.Fresh(session.Options{})
		if !ok {
			return
		}
		other, _, ok := p.GoOn(session.Options{})
		if !ok {
			return
		}
		list := func(c *scenario.Client, step recording.Step) string {
			return scenario.URIs(c.WalkUpTo("resources/list", "resources", step, fewPages))
		}
		before, beside, start := "", "", time.Now()
		side(p,
			func() { before = list(one, stepOne) },
			func() { beside = list(other, stepOther) },
		)
		between(one)
		changed := list(one, stepOneAgain) != before
		if took := time.Since(start); changed || beside != before {
			list(other, stepOtherAgain)
			for _, later := range laterLooks {
				other.Quiet(min(took, longestLook))
				list(other, later)
			}
		}
		other.Leave()
		if !changed {
			return
		}
		if third, ok := p.Fresh(session.Options{}); ok {
			list(third, stepThird)
			between(third)
			list(third, stepThirdAgain)
		}
	},
}

// longestLook bounds for how long a list that changed is watched once more.
const longestLook = 5 * time.Second

// side runs parts of a script that do not depend on each other side by side.
func side(p *scenario.Play, parts ...func()) {
	var wg sync.WaitGroup
	for _, part := range parts {
		wg.Go(func() {
			defer p.Survive()
			part()
		})
	}
	wg.Wait()
}

// between sends requests that must not change what is listed, one by one, so
// that an HTTP client needs a single connection for them.
func between(c *scenario.Client) {
	for _, l := range scenario.Sample(c.Resources(), 2) {
		c.ReadResource(stepBetween, l.URI(), nil)
	}
	if guesses := scenario.Siblings(c.Resources(), c.Matchers()); len(guesses) > 0 {
		c.ReadResource(stepBetween, guesses[0], nil)
	}
	c.Do(session.Request{Step: stepBetween, Method: "resources/templates/list"})
	if !c.Facts.Declares("completions") {
		return
	}
	for _, l := range c.Templates() {
		if names := judge.Variables(l.Template()); len(names) > 0 {
			c.Do(session.Request{Step: stepBetween, Method: "completion/complete",
				Params: map[string]any{
					"ref":      map[string]any{"type": "ref/resource", "uri": l.Template()},
					"argument": map[string]any{"name": names[0].Name, "value": ""},
				}})
			return
		}
	}
}
