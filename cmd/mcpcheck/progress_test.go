package main

import (
	"bytes"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/engine"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// TestProgressText: the second time that scenarios are played is told from the first.
func TestProgressText(t *testing.T) {
	c := requirement.Combination{Revision: "2025-11-25", Transport: requirement.Stdio}
	p := &progress{w: io.Discard, on: true, terminal: true, began: time.Now()}
	for _, step := range []struct {
		event engine.Event
		want  string
	}{
		{engine.Event{Kind: engine.Connecting, Title: "./server"}, "connecting to ./server"},
		{engine.Event{Kind: engine.Connecting, Title: "./server",
			Nonsense: `written "Hello!", which is no MCP message`},
			`still waiting, as long as --start-timeout says: so far the target has written "Hello!", ` +
				`which is no MCP message`},
		{engine.Event{Kind: engine.Playing, Combination: c, Title: "page walk", Done: 3, Total: 6},
			"[======      ] 3 of 6 scenarios, 0s  2025-11-25 on stdio: page walk"},
		{engine.Event{Kind: engine.Playing, Combination: c, Title: "reading", Done: 3, Total: 6},
			"[======      ] 3 of 6 scenarios, 0s  2025-11-25 on stdio: page walk and 1 more"},
		{engine.Event{Kind: engine.Played, Combination: c, Title: "page walk", Done: 4, Total: 6},
			"[========    ] 4 of 6 scenarios, 0s  2025-11-25 on stdio: reading"},
		{engine.Event{Kind: engine.Played, Combination: c, Title: "reading", Done: 5, Total: 6},
			"[==========  ] 5 of 6 scenarios, 0s  2025-11-25 on stdio: reading"},
		{engine.Event{Kind: engine.Judging}, "judging"},
		{engine.Event{Kind: engine.Confirming, Total: 1}, "confirming 1 red verdict"},
		{engine.Event{Kind: engine.Confirming, Total: 4}, "confirming 4 red verdicts"},
		{engine.Event{Kind: engine.Playing, Combination: c, Title: "page walk", Total: 2},
			"confirming 4 red verdicts: [            ] 0 of 2 scenarios, 0s  2025-11-25 on stdio: page walk"},
	} {
		p.tell(step.event)
		if got := p.text(); got != step.want {
			t.Errorf("%q, not %q", got, step.want)
		}
	}
}

// TestHeartbeat: where nobody is at a terminal, a long run says now and then that it goes on,
// and a short or quiet one nothing.
func TestHeartbeat(t *testing.T) {
	for name, test := range map[string]struct {
		quiet bool
		again int // red verdicts that are being confirmed
		after time.Duration
		want  string
	}{
		"short": {after: 29 * time.Second},
		"long": {after: 61 * time.Second,
			want: "mcpcheck: 3 of 6 scenarios done after 30s: 2025-11-25 on stdio, page walk\nmcpcheck: 3 " +
				"of 6 scenarios done after 1m0s: 2025-11-25 on stdio, page walk\n"},
		"again": {again: 1, after: 31 * time.Second,
			want: "mcpcheck: confirming 1 red verdict: 3 of 6 scenarios done after 30s: 2025-11-25 on " +
				"stdio, page walk\n"},
		"quiet": {quiet: true, after: 61 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				p := newProgress(&out, test.quiet)
				if test.again > 0 {
					p.tell(engine.Event{Kind: engine.Confirming, Total: test.again})
				}
				p.tell(engine.Event{Kind: engine.Playing,
					Combination: requirement.Combination{Revision: "2025-11-25",
						Transport: requirement.Stdio}, Title: "page walk", Done: 3, Total: 6})
				time.Sleep(test.after)
				p.clear()
				time.Sleep(time.Hour) // nothing comes after the end
				if out.String() != test.want {
					t.Errorf("%q, not %q", &out, test.want)
				}
			})
		})
	}
}

// TestNonsenseIsToldAtOnce: a line says so without waiting for the next heartbeat.
func TestNonsenseIsToldAtOnce(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, false)
	p.tell(engine.Event{Kind: engine.Connecting, Title: "./server"})
	p.tell(engine.Event{Kind: engine.Connecting, Title: "./server",
		Nonsense: `written "Hello!", which is no MCP message`})
	p.clear()
	if want := "mcpcheck: still waiting, as long as --start-timeout says: so far the target has " +
		"written \"Hello!\", which is no MCP message\n"; out.String() != want {
		t.Errorf("%q, not %q", &out, want)
	}
}
