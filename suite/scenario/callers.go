package scenario

import (
	"context"
	"fmt"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// The same requests by several callers. "mine" and "mine-again" come from the
// caller that the endpoint stands for, "theirs" between them from another one (tag
// "identity"): the list, and a read of each protected resource (tag "subject" names
// what was asked for). "protected" is a read by the identity that must not see
// the resource.
var _ = register(&Scenario{
	Name:  recording.Callers,
	Title: "comparing what callers with different rights see",
	Sends: "The list and reads of the protected resources, by the caller of the endpoint, by another caller, and by the first one again.",
	Phase: Read,
	When: func(p *Play) *recording.Skipped {
		if skipped := inModern(p); skipped != nil {
			return skipped
		}
		if p.Combination.Transport != requirement.HTTP {
			return skip(recording.CodeCombination, "callers are told apart over HTTP only")
		}
		if len(p.Target.Identities) == 0 {
			return skip(recording.CodeNeedsConfig, "the target file has to give two identities with different rights (identities)")
		}
		return nil
	},
	Script: func(ctx context.Context, p *Play) {
		me, ok := p.Clean(ctx)
		if !ok {
			return
		}
		for i := range p.Target.Identities {
			id := &p.Target.Identities[i]
			them, ok := p.as(ctx, id)
			if !ok {
				continue
			}
			seen := map[string]bool{}
			if id.Rights != target.RightsNone && id.Rights != target.RightsForeign {
				compare(ctx, me, them, id.Name, "resources/list", "")
			}
			for _, subject := range p.Target.Subjects.Protected {
				if subject.Identity == id.Name && !seen[subject.URI] {
					seen[subject.URI] = true
					compare(ctx, me, them, id.Name, "resources/read", subject.URI)
				}
			}
		}
	},
})

// compare asks for one thing as one caller, as another, and as the first again.
func compare(ctx context.Context, me, them *Client, identity, method, uri string) {
	q := session.Request{Method: method}
	if uri != "" {
		q.Params = map[string]any{"uri": uri}
	}
	ask := func(c *Client, step string) {
		q.Step, q.Tags = step, Tags("identity", identity, "subject", method+" "+uri)
		c.Do(ctx, q)
	}
	ask(me, "mine")
	if uri != "" {
		ask(them, "protected")
	} else {
		ask(them, "theirs")
	}
	ask(me, "mine-again")
}

// as opens a session of another caller, over HTTP.
func (p *Play) as(ctx context.Context, id *target.Identity) (*Client, bool) {
	header := map[string]string{}
	for name, v := range id.Header {
		value, err := v.Reveal()
		if err != nil {
			p.Skip(recording.CodeNeedsConfig, fmt.Sprintf("the identity %q cannot be taken on: %v", id.Name, err))
			return nil, false
		}
		header[name] = value
	}
	return p.Fresh(ctx, session.Options{Kind: recording.Probe, Header: header})
}
