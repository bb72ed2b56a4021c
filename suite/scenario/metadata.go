package scenario

import (
	"context"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// Legal but unusual metadata. "plain" is an ordinary request and comes first,
// "plain-again" the same at the end; between them "unknown-key" has a key that the
// target cannot know. In modern revisions "other-client" comes from a client of
// another name, "anonymous" from one without a name, and "traced" carries trace
// context. "plain-read", "unknown-key" and "traced" also read a resource, if one
// can be read.
var _ = register(&Scenario{
	Name:  recording.Metadata,
	Title: "unusual but legal metadata",
	Sends: "Ordinary requests with metadata that is unusual but legal: unknown keys, another client name or none, trace context.",
	Phase: Read,
	After: []recording.Name{recording.Reads},
	Script: func(ctx context.Context, p *Play) {
		c, ok := p.Clean(ctx)
		if !ok {
			return
		}
		c.Do(ctx, p.ordinary("plain"))
		Each(c, p.unusual(), func(_ int, q session.Request, c *Client) { c.Do(ctx, q) })
		c.Do(ctx, p.ordinary("plain-again"))
	},
})

func (p *Play) unusual() []session.Request {
	metas := []struct {
		step string
		meta map[string]any
	}{
		{"unknown-key", map[string]any{"com.example/probe": map[string]any{"a": 1}}},
		{"traced", map[string]any{
			"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
			"tracestate":  "example=1", "baggage": "tester=mcpcheck",
		}},
		{"other-client", map[string]any{session.MetaClientInfo: map[string]any{"name": "curl", "version": "8.0.0"}}},
		{"anonymous", map[string]any{session.MetaClientInfo: nil}},
	}
	if !p.Modern() {
		metas = metas[:1]
	}
	uri := p.readable()
	var all []session.Request
	for _, m := range metas {
		q := p.ordinary(m.step)
		q.Meta = m.meta
		all = append(all, q)
		if uri != "" && (m.step == "unknown-key" || m.step == "traced") {
			all = append(all, session.Request{Step: m.step, Method: "resources/read", Params: map[string]any{"uri": uri}, Meta: m.meta})
		}
	}
	if uri != "" {
		all = append(all, session.Request{Step: "plain-read", Method: "resources/read", Params: map[string]any{"uri": uri}})
	}
	return all
}

// Metadata that lacks something or is ill-typed. "plain" is an ordinary request;
// each further step is one otherwise: "no-version", "no-capabilities", "odd-version" (a number),
// "odd-capabilities" (a string), "odd-log-level" (an unknown one).
var _ = register(&Scenario{
	Name:  recording.BadMetadata,
	Title: "metadata that lacks something",
	Sends: "An ordinary request, then the same without the version or the capabilities in its metadata, and with members of a wrong type.",
	Phase: Read,
	When:  inModern,
	Script: func(ctx context.Context, p *Play) {
		c, ok := p.Expendable(ctx)
		if !ok {
			return
		}
		c.Do(ctx, p.ordinary("plain"))
		steps := []struct {
			name string
			key  string
			to   any
		}{
			{"no-version", session.MetaVersion, nil},
			{"no-capabilities", session.MetaCapabilities, nil},
			{"odd-version", session.MetaVersion, 5},
			{"odd-capabilities", session.MetaCapabilities, "x"},
			{"odd-log-level", session.MetaLogLevel, "loud"},
		}
		requests := make([]session.Request, len(steps))
		for i, s := range steps {
			requests[i] = p.ordinary(s.name)
			requests[i].Meta = map[string]any{s.key: s.to}
		}
		Each(c, requests, func(_ int, q session.Request, c *Client) { c.Do(ctx, q) })
	},
})

// "set" asks for log messages from the level error on, on a session of its own,
// in which "list" and "read" then give occasion for some. "unknown-level" asks for
// a level that does not exist, on another session.
var _ = register(&Scenario{
	Name:  recording.LogLevels,
	Title: "setting the log level",
	Sends: "logging/setLevel with the level error, then a list and a read that may be logged; a level that does not exist, in another session.",
	Phase: Read,
	After: []recording.Name{recording.Reads},
	When: func(p *Play) *recording.Skipped {
		if !p.Modern() && !p.Facts.Declares("logging") {
			return skip(recording.CodeUndeclared, "the target does not declare capabilities.logging")
		}
		return inLegacy(p)
	},
	Script: func(ctx context.Context, p *Play) {
		c, ok := p.Fresh(ctx, session.Options{})
		if !ok {
			return
		}
		c.Do(ctx, session.Request{Step: "set", Method: "logging/setLevel", Params: map[string]any{"level": "error"}})
		c.Do(ctx, p.ordinary("list"))
		if uri := p.readable(); uri != "" {
			read(ctx, c, "read", uri)
		}
		if c, ok := p.Expendable(ctx); ok {
			c.Do(ctx, session.Request{Step: "unknown-level", Method: "logging/setLevel", Params: map[string]any{"level": "loud"}})
		}
	},
})
