package scenario

import (
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// Legal but unusual metadata. "plain" is an ordinary request and comes first,
// "plain-again" the same at the end; between them "unknown-key" has a key that the
// target cannot know, and "progress-token" asks for progress where there is hardly any. In modern revisions
// "other-client" comes from a client of another name, "anonymous" from one without a name, and "traced"
// carries trace context. "plain-read", "unknown-key" and "traced" also read a resource, if one
// can be read, and "progress-token" does nothing else then.
var metadataScenario = &Scenario{
	Name:  recording.Metadata,
	Title: "unusual but legal metadata",
	Sends: "Ordinary requests with metadata that is unusual but legal: unknown keys, a progress token, " +
		"another client name or none, trace context.",
	After: []recording.Name{recording.Reads},
	Script: OnClean(func(c *Client) {
		want := URIs([]*recording.Exchange{c.Do(c.Ordinary(StepPlain))})
		unusual := c.unusual()
		others := make([]bool, len(unusual)) // to whom another list is given, or just then
		Each(c, unusual, func(i int, q session.Request, c *Client) {
			x := c.Do(q)
			byName := q.Step == StepOtherClient || q.Step == StepAnonymous
			others[i] = byName && x.Succeeded() && URIs([]*recording.Exchange{x}) != want
		})
		c.Do(c.Ordinary(StepPlainAgain))
		for i, q := range unusual {
			if !others[i] {
				continue
			}
			q.Step += StepAgain
			c.Do(q)
			c.Do(c.Ordinary(StepPlainAgain))
		}
	}),
}

// unusual are the requests: lists and, of what may be said with a read, reads. Of a progress token one is
// enough.
func (p *Play) unusual() []session.Request {
	metas := []struct {
		step        recording.Step
		list, reads bool
		meta        map[string]any
	}{
		{StepUnknownKey, true, true, map[string]any{"com.example/probe": map[string]any{"a": 1}}},
		// #nosec G101 -- a token of progress
		{StepProgressToken, false, true, map[string]any{"progressToken": "mcpcheck-unneeded"}},
		{StepTraced, true, true, map[string]any{
			"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
			"tracestate":  "example=1", "baggage": "tester=mcpcheck",
		}},
		{StepOtherClient, true, false, map[string]any{session.MetaClientInfo: map[string]any{"name": "curl",
			"version": "8.0.0"}}},
		{StepAnonymous, true, false, map[string]any{session.MetaClientInfo: nil}},
		{StepPlainRead, false, true, nil},
	}
	if !p.Modern() {
		metas = slices.Delete(metas, 2, 5)
	}
	uri := p.Readable()
	var all []session.Request
	for _, m := range metas {
		if m.list || uri == "" && m.meta != nil {
			all = append(all, session.Request{Step: m.step, Meta: m.meta})
		}
		if m.reads && uri != "" {
			q := About(m.step, "resources/read", uri)
			q.Meta = m.meta
			all = append(all, q)
		}
	}
	return p.Ordinarily(all...)
}
