package verdict_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// BenchmarkLongList: a check of the URIs on a page of 100,000 resources that nobody looked at before.
func BenchmarkLongList(b *testing.B) {
	var list strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&list, `,{"uri":"file:///data/%06d.txt","name":"data-%06d","mimeType":"text/plain"}`, i,
			i)
	}
	x := &recording.Exchange{Step: recording.StepPage, Method: "resources/list", Outcome: recording.Replied,
		Request: 1, Replies: []int{2}}
	x.Attach(wire.ObjectOf(`{"jsonrpc":"2.0","id":1,"result":{"resources":[` + list.String()[1:] + `]}}`))
	r := &recording.Recording{Scenario: recording.WalkResources, Exchanges: []*recording.Exchange{x}}
	check := &verdict.Check{From: verdict.ResourceWalk,
		Judge: func(v *verdict.Verdict) {
			for _, i := range verdict.ListedURIs(v) {
				v.That(i, judge.IsString(i.Result), "", "")
			}
		}}
	facts := &recording.Facts{Combination: requirement.Combination{Revision: requirement.R20251125,
		Transport: requirement.Stdio}}
	b.ReportAllocs()
	for b.Loop() {
		if got := verdict.Evaluate(check, &requirement.Requirement{ID: "X-01"}, facts,
			verdict.Recordings{recording.WalkResources: r}); got.Outcome != verdict.Pass {
			b.Fatal(got.Reason)
		}
		r.Forget()
	}
}
