// Package prog is the area PROG: progress notifications (basic/utilities/progress
// and basic/patterns/progress).
package prog

import (
	"time"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// The scenario of the area.
const Progress recording.Name = "progress" // reads with progress tokens

// Scenarios lists the scripts of this area.
var Scenarios = []*scenario.Scenario{progressScenario}

// The steps of the area's scripts.
const stepStringToken, stepIntegerToken, stepNoToken recording.Step = "string-token", "integer-token",
	"no-token"

// Checks lists the checks of the pages on progress.
var Checks = verdict.Checks{
	"PROG-01": {Judge: verdict.Each(verdict.ProgressOf, func(p recording.Progress, v *verdict.Verdict) {
		v.That(p, p.Of != nil, "progress for a token that a request has given",
			"progress for the token %v", p.Token)
	})},
	"PROG-02": {Judge: verdict.Each(verdict.ProgressOf, progressTypes)},
	"PROG-03": {Judge: func(v *verdict.Verdict) {
		last := map[*recording.Exchange]recording.Progress{}
		for _, p := range verdict.ProgressOf(v) {
			if p.Of == nil || !judge.IsNumber(p.Get("params.progress")) {
				continue
			}
			if before, ok := last[p.Of]; ok {
				a, b := before.Get("params.progress"), p.Get("params.progress")
				v.That(verdict.Several{before, p}, b.Num > a.Num,
					"progress greater than "+a.Raw+", which was reported before", "progress %s",
					b.Raw).Before(verdict.Frames{p.Of.Request}).Cause("progress that does not increase")
			}
			last[p.Of] = p
		}
	}},
	"PROG-04": {Judge: func(v *verdict.Verdict) {
		for _, p := range verdict.ProgressOf(v) {
			if p.Of == nil {
				continue
			}
			answer := v.FirstReply(p.Of)
			late := answer != nil && p.Frame.Number > answer.Number
			if late && p.Frame.Channel != answer.Channel && p.Frame.At-answer.At < 500*time.Millisecond {
				late = false // two streams may overtake one another
			}
			v.That(verdict.Several{p.Of, p}, !late, "no progress after the response",
				"progress %v for the token %v after it", p.Get("params.progress"), p.Token)
		}
	}},
}

// progressTypes judges the members of a progress notification.
func progressTypes(p recording.Progress, v *verdict.Verdict) {
	at := p.Frame.Number
	v.Typed(verdict.NewItem(p.Result, "notifications/progress", []int{at}), "ProgressNotification",
		"params", "params.progressToken", "params.progress", "params.total", "params.message")
	if p.Of != nil {
		given := p.Of.Param("_meta.progressToken")
		v.That(verdict.Frames{p.Of.Request, at}, given.Type == p.Token.Type,
			"the token "+given.Raw+" as it was given", "the token %s", p.Token.Raw)
	}
}
