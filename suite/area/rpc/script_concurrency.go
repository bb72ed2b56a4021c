package rpc

import (
	"context"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// Steps "together" are requests in flight at the same time: reads (the tag "uri"
// is what was asked for) of resources that were read alone before, so that the two can be
// compared, and are not too long; lists and others. Step "after" is a request once they
// are all answered or given up.
var concurrencyScenario = &scenario.Scenario{
	Name:  Concurrency,
	Title: "many requests at once",
	Sends: "Reads, lists and other requests, all in flight at the same time, and one more request when they are answered.",
	Phase: scenario.Read,
	After: []recording.Name{recording.WalkResources, recording.Reads},
	When: func(p *scenario.Play) *recording.Skipped {
		if !p.Facts.Declares("resources") {
			return scenario.Skip(recording.CodeUndeclared, "the target does not declare capabilities.resources")
		}
		return nil
	},
	Script: func(ctx context.Context, p *scenario.Play) {
		c, ok := p.Expendable(ctx)
		if !ok {
			return
		}
		const requests = 20
		uris := scenario.Sample(yielded(p), 5)
		pending := make([]*session.Pending, requests)
		for i := range pending {
			pending[i] = c.Start(ctx, together(p, uris, i))
		}
		for _, one := range pending {
			one.Wait(ctx)
		}
		c.Note(c.S.Do(ctx, scenario.Ordinary(p, stepAfter)))
	},
}

// together is request number i of a mixture. The slow resource is left out: it
// would only hold up the others.
func together(p *scenario.Play, uris []string, i int) session.Request {
	if slow := p.Target.Subjects.Slow; len(uris) > 0 && i%2 == 0 {
		if uri := uris[i/2%len(uris)]; slow == nil || slow.URI != uri {
			return session.Request{Step: stepTogether, Method: "resources/read", Params: map[string]any{"uri": uri}, Tags: recording.Tags{recording.TagURI: uri}}
		}
	}
	return scenario.Ordinary(p, stepTogether)
}
