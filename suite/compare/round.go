package compare

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// declaration is the subject of what a side declares.
const declaration = "declaration"

// round is a comparison in one revision.
type round struct {
	*comparison
	rev             requirement.Revision
	direct, through *talk
	compared        Compared
}

// revision plays both sides in one revision, and compares what was recorded.
func (c *comparison) revision(ctx context.Context, at [2]requirement.Combination) {
	rev := at[0].Revision
	r := &round{
		comparison: c, rev: rev, direct: &talk{side: c.direct, at: at[0]},
		through:  &talk{c.through, at[1], names{c.cfg.MapURI, c.cfg.MapName}, map[string]string{}},
		compared: Compared{string(rev), string(at[0].Transport), string(at[1].Transport), map[Group]int{}},
	}
	defer r.renew()
	defer func() { c.report.Compared = append(c.report.Compared, r.compared) }()
	direct, through := takes{}, takes{}
	r.together(ctx, direct, through, declared)
	facts := []*recording.Facts{direct[declaring.name].Facts, through[declaring.name].Facts}
	declares := func(path string) bool { return facts[0].Declares(path) || facts[1].Declares(path) }
	if !declares("resources") && len(facts[0].Declared) > 0 {
		r.remark("neither side declares resources, so none were asked for")
		r.judge(ctx, direct, through)
		return
	}
	var played []*part
	for _, p := range walks {
		r.together(ctx, direct, through, script(p.name))
	}
	listed := r.through.read(through)
	for _, p := range walks {
		for _, name := range listed.entries(p) {
			r.through.listed[name] = listed.of(key{p, name, true}).body.Get(p.named).Str
		}
	}
	completes := r.rev.Before(requirement.R20250326) || declares("completions")
	for _, p := range requests {
		if completes || p.name != recording.TemplateCompletions && p.name != recording.TemplateSweep {
			r.play(ctx, r.direct, direct, script(p.name))
			played = append(played, p)
		}
	}
	for _, p := range played {
		r.play(ctx, r.through, through, r.through.again(p, direct[p.name], nil))
	}
	asked := r.judge(ctx, direct, through)
	if ctx.Err() == nil {
		r.remarks(asked, direct[recording.Reads])
	}
	if facts[0].Declares("resources.subscribe") && facts[1].Declares("resources.subscribe") {
		r.subscriptions(ctx, asked)
	}
}

func (r *round) remark(format string, args ...any) {
	r.note(string(r.rev) + ": " + fmt.Sprintf(format, args...))
}

// play plays scenarios on a side, and adds what they record.
func (r *round) play(ctx context.Context, t *talk, into takes, plan ...*scenario.Scenario) {
	t.run.Play(ctx, t.at, into, plan...)
	r.over(t.side)
}

// together plays a scenario on both sides at the same time.
func (r *round) together(ctx context.Context, direct, through takes, sc *scenario.Scenario) {
	r.both(func(i int, _ *side) {
		r.play(ctx, []*talk{r.direct, r.through}[i], []takes{direct, through}[i], sc)
	})
}

// renew ends the sessions of both sides.
func (r *round) renew() {
	r.direct.run.Renew(r.direct.at)
	r.through.run.Renew(r.through.at)
}

// judge compares what both sides recorded. What differs is played again: on the server in its
// session and in a fresh one, on the gateway in a fresh one, and on the server once more. A server
// may change by itself, and its copies need not agree.
func (r *round) judge(ctx context.Context, direct, through takes) *book {
	first, other := r.direct.read(direct), r.through.read(through)
	defer r.account(ctx, first, other)
	found := r.through.words.compare(first, other)
	switch {
	case len(found) == 0:
		return first
	case ctx.Err() != nil:
		r.open(found, "the answers differ, but they were not asked for again: the comparison ended before")
		return first
	}
	own := []*book{first}
	for i, t := range []*talk{r.direct, r.direct, r.through, r.direct} {
		if i == 1 {
			r.renew()
		}
		again := takes{}
		r.play(ctx, t, again, t.repeat(direct, found)...)
		if t == r.through {
			other = t.read(again)
		} else {
			own = append(own, t.read(again))
		}
	}
	r.settle(ctx, found, own, other)
	return first
}

// repeat lists the scenarios that ask a side again, and only what differed.
func (t *talk) repeat(direct takes, found []finding) (plan []*scenario.Scenario) {
	about := map[recording.Name][]string{}
	for _, f := range found {
		about[f.name] = append(about[f.name], f.subject)
	}
	for _, p := range parts {
		switch subjects := about[p.name]; {
		case subjects == nil || p == updating:
		case p == declaring:
			plan = append(plan, declared)
		case p == watching:
			plan = append(plan, t.subscribing(subjects))
		case p.named != "":
			plan = append(plan, script(p.name))
		default:
			plan = append(plan, t.again(p, direct[p.name], subjects))
		}
	}
	return plan
}

// entries lists the names of what a walk found on a side.
func (b *book) entries(walk *part) []string {
	var all []string
	for _, k := range b.keys {
		if k.entry && k.part == walk && !strings.HasPrefix(k.subject, nameless) {
			all = append(all, k.subject)
		}
	}
	return all
}

// remarks notes what was bounded or left out.
func (r *round) remarks(b *book, reads *recording.Recording) {
	if n := len(reads.Steps(recording.StepRead)); n > 0 {
		switch listed := reads.Step(recording.StepRead).Tags[recording.TagListed]; {
		case reads.Skipped != nil && !reads.Skipped.LeftOut:
			r.remark("%s", reads.Skipped.Reason)
		case strconv.Itoa(n) != listed:
			r.remark("%d of %s listed resources were read; --read all reads all", n, listed)
		}
	}
	expanded := map[string]bool{}
	for _, name := range []recording.Name{recording.TemplateSweep, recording.Expansions} {
		if rec := b.takes[name]; rec != nil {
			for _, x := range rec.Exchanges {
				expanded[x.Tags[recording.TagTemplate]] = true
			}
		}
	}
	allowed := slices.Contains(r.cfg.Direct.Allow, target.AllowRisky)
	for i, walk := range walks {
		risky, unknown := 0, 0
		all := b.entries(walk)
		for _, name := range all {
			e := b.of(key{walk, name, true}).body
			switch {
			case !allowed && judge.Risky(name, e.Get("name").String(), e.Get("title").String()) != "":
				risky++
			case i == 1 && !expanded[name]:
				unknown++
			}
		}
		if risky > 0 {
			what := []string{"listed resources", "templates"}[i]
			r.remark("%d %s speak of deletion or execution and were not read; "+
				"allow: [risky] in the target file has them read", risky, what)
		}
		if unknown > 0 {
			r.remark("no values are known for %d of %d templates, so that nothing was read through them; "+
				"a target file can give some (subjects.templates)", unknown, len(all))
		}
	}
}

// subscriptions compares whether both sides accept a subscription, and, where the
// target file says how to change the resource, whether the update arrives.
func (r *round) subscriptions(ctx context.Context, b *book) {
	uris := b.entries(walks[0])
	if trigger := r.cfg.Direct.Triggers.Update; trigger != nil {
		uris = []string{trigger.URI}
	}
	if len(uris) == 0 {
		r.remark("nothing is listed that could be subscribed")
		return
	}
	uris = uris[:min(len(uris), fewSubscriptions)]
	direct, through := takes{}, takes{}
	r.play(ctx, r.direct, direct, r.direct.subscribing(uris))
	r.play(ctx, r.through, through, r.through.subscribing(uris))
	r.judge(ctx, direct, through)
}
