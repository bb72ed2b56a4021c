package cache

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// The same requests by several callers. "mine" and "mine-again" come from the
// caller that the endpoint stands for, "theirs" between them from another one (tag
// "identity"): the list, and a read of each protected resource (tag "subject" names
// what was asked for). "protected" is a read by the identity that must not see
// the resource.
var callersScenario = &scenario.Scenario{
	Name:  Callers,
	Title: "comparing what callers with different rights see",
	Sends: "The list and reads of the protected resources, by the caller of the endpoint, by another " +
		"caller, and by the first one again.",
	When: scenario.All(
		scenario.InModern,
		scenario.Where(func(p *scenario.Play) bool { return p.OnHTTP() },
			recording.CodeCombination, "callers are told apart over HTTP only"),
		scenario.Where(func(p *scenario.Play) bool { return len(p.Target.Identities) > 0 },
			recording.CodeNeedsConfig,
			"the target file has to give two identities with different rights (identities)"),
	),
	Script: scenario.OnClean(func(me *scenario.Client) {
		for i := range me.Target.Identities {
			id := &me.Target.Identities[i]
			them, ok := me.As(id)
			if !ok {
				continue
			}
			seen := map[string]bool{}
			if id.Rights != target.RightsNone && id.Rights != target.RightsForeign {
				compare(me, them, id.Name, "resources/list", "")
			}
			for _, subject := range me.Target.Subjects.Protected {
				if subject.Identity == id.Name && !seen[subject.URI] {
					seen[subject.URI] = true
					compare(me, them, id.Name, "resources/read", subject.URI)
				}
			}
		}
	}),
}

// compare asks for one thing as one caller, as another, and as the first again.
func compare(me, them *scenario.Client, identity, method, uri string) {
	q := session.Request{Method: method}
	if uri != "" {
		q.Params = map[string]any{"uri": uri}
	}
	ask := func(c *scenario.Client, step recording.Step) {
		q.Step, q.Tags = step, recording.Tags{tagIdentity: identity, tagSubject: method + " " + uri}
		c.Do(q)
	}
	ask(me, stepMine)
	if uri != "" {
		ask(them, stepProtected)
	} else {
		ask(them, stepTheirs)
	}
	ask(me, stepMineAgain)
}
