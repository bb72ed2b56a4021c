package main

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/engine"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// TestProgressText: the second time that scenarios are played is told from the first.
func TestProgressText(t *testing.T) {
	c := requirement.Combination{Revision: "2025-11-25", Transport: requirement.Stdio}
	p := &progress{}
	for _, step := range []struct {
		event engine.Event
		want  string
	}{
		{engine.Event{Kind: engine.Connecting, Title: "./server"}, "connecting to ./server"},
		{engine.Event{Kind: engine.Playing, Combination: c, Title: "page walk", Done: 3, Total: 6}, "[======      ] 3/6  2025-11-25 on stdio: page walk"},
		{engine.Event{Kind: engine.Judging}, "judging"},
		{engine.Event{Kind: engine.Confirming, Total: 1}, "confirming 1 red verdict"},
		{engine.Event{Kind: engine.Confirming, Total: 4}, "confirming 4 red verdicts"},
		{engine.Event{Kind: engine.Playing, Combination: c, Title: "page walk", Total: 2}, "confirming 4 red verdicts [            ] 0/2  2025-11-25 on stdio: page walk"},
	} {
		if got := p.text(step.event); got != step.want {
			t.Errorf("%q, not %q", got, step.want)
		}
	}
}
