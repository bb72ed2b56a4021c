package compare

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/mcpcheck/mcpcheck/suite/engine"
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
	asked           []*question
}

// revision plays both sides in one revision, and compares what was recorded.
func (c *comparison) revision(ctx context.Context, at [2]requirement.Combination) {
	r := &round{comparison: c, rev: at[0].Revision, direct: &talk{side: c.direct, at: at[0]}, through: &talk{side: c.through, at: at[1]}}
	r.through.words, r.through.listed = names{c.cfg.MapURI, c.cfg.MapName}, map[string]string{}
	r.direct.first, r.through.first = takes{}, takes{}
	defer r.renew()
	r.together(ctx, declared)
	r.join(declaring)
	if !r.either("resources") && len(r.direct.first[declaring.name].Facts.Declared) > 0 {
		r.note(string(r.rev) + ": neither side declares resources, so none were asked for")
		r.confirm(ctx, r.asked)
		r.account(ctx)
		return
	}
	for _, p := range lists {
		r.together(ctx, script(p.name))
		r.know(r.join(p)[0])
	}
	var played []part
	var plan, repeated []*scenario.Scenario
	completes := r.rev.Before(requirement.R20250326) || r.either("completions")
	for _, p := range requests {
		if completes || p.name != recording.TemplateCompletions && p.name != recording.TemplateSweep {
			played, plan = append(played, p), append(plan, script(p.name))
		}
	}
	r.play(ctx, r.direct, r.direct.first, plan...)
	for _, p := range played {
		repeated = append(repeated, r.through.again(p, r.direct.first[p.name], func(string) bool { return true }))
	}
	r.play(ctx, r.through, r.through.first, repeated...)
	for _, p := range played {
		r.join(p)
	}
	if ctx.Err() == nil {
		r.remark()
	}
	r.confirm(ctx, r.asked)
	if r.direct.declares("resources.subscribe") && r.through.declares("resources.subscribe") {
		r.subscriptions(ctx)
	}
	r.account(ctx)
}

// either reports whether one of the sides declares a capability.
func (r *round) either(path string) bool { return r.direct.declares(path) || r.through.declares(path) }

// play plays scenarios on a side, and adds what they record.
func (r *round) play(ctx context.Context, t *talk, into takes, plan ...*scenario.Scenario) {
	err := t.run.Play(ctx, t.at, into, plan...)
	if errors.Is(err, engine.ErrVolume) {
		err = errVolume
	}
	if err != nil {
		r.end(err)
	}
}

// together plays a scenario on both sides at the same time.
func (r *round) together(ctx context.Context, sc *scenario.Scenario) {
	var wg sync.WaitGroup
	for _, t := range []*talk{r.direct, r.through} {
		wg.Go(func() { r.play(ctx, t, t.first, sc) })
	}
	wg.Wait()
}

// renew ends the sessions of both sides.
func (r *round) renew() {
	r.direct.run.Renew(r.direct.at)
	r.through.run.Renew(r.through.at)
}

// join compares what both sides answered in a scenario, exchange by exchange.
func (r *round) join(p part) []*question {
	subjects, direct := p.answers(r.direct.first[p.name], r.direct)
	_, through := p.answers(r.through.first[p.name], r.through)
	var all []*question
	if b := r.direct.first[p.name].Broken; b != nil && len(subjects) == 0 && b.Code != recording.CodeInterrupted && b.Code != recording.CodeNoAnswer {
		r.gap(r.rev, p.group, "", "direct: "+b.Reason)
	}
	for _, s := range subjects {
		q := &question{part: p, subject: s, direct: direct(s), through: through(s)}
		if q.through.none == unasked {
			continue
		}
		q.found = q.compare(r.through.words, q.direct, q.through)
		all = append(all, q)
	}
	r.asked = append(r.asked, all...)
	return all
}

// know notes under which names the gateway lists what the server lists, and which walks
// were not followed to their end.
func (r *round) know(q *question) {
	for _, e := range q.through.entries {
		if u := e.raw.Get(q.key); u.Str != "" {
			r.through.listed[e.name] = u.Str
		}
	}
	for i, a := range []answer{q.direct, q.through} {
		if a.end != "" && a.end != endDone {
			r.note(string(r.rev) + ": " + []string{"direct", "through"}[i] + ": " + q.subject + ": " + a.end + " (" +
				strconv.Itoa(len(a.entries)) + " entries by then): what it lacks is not counted as dropped or added")
		}
	}
}

// remark notes what was left out.
func (r *round) remark() {
	first := r.direct.first
	reads := first[recording.Reads]
	if n := len(reads.Steps(recording.StepRead)); reads.Skipped != nil && n > 0 && !reads.Skipped.LeftOut {
		r.note(string(r.rev) + ": " + reads.Skipped.Reason)
	} else if n > 0 && strconv.Itoa(n) != reads.Step(recording.StepRead).Tags[recording.TagListed] {
		r.note(fmt.Sprintf("%s: %d of %s listed resources were read; --read all reads all", r.rev, n, reads.Step(recording.StepRead).Tags[recording.TagListed]))
	}
	expanded := map[string]bool{}
	for _, name := range []recording.Name{recording.TemplateSweep, recording.Expansions} {
		if rec := first[name]; rec != nil {
			for _, x := range rec.Exchanges {
				expanded[x.Tags[recording.TagTemplate]] = true
			}
		}
	}
	allowed := slices.Contains(r.cfg.Direct.Allow, target.AllowRisky)
	for i, what := range []string{"listed resources", "templates"} {
		risky, unknown := 0, 0
		entries := r.asked[i+1].direct.entries
		for _, e := range entries {
			switch {
			case judge.Risky(e.name, e.raw.Get("name").String(), e.raw.Get("title").String()) != "" && !allowed:
				risky++
			case i == 1 && !expanded[e.name]:
				unknown++
			}
		}
		if risky > 0 {
			r.note(fmt.Sprintf("%s: %d %s speak of deletion or execution and were not read; allow: [risky] in the target file has them read", r.rev, risky, what))
		}
		if unknown > 0 {
			r.note(fmt.Sprintf("%s: no values are known for %d of %d templates, so that nothing was read through them; a target file can give some (subjects.templates)", r.rev, unknown, len(entries)))
		}
	}
}

// subscriptions compares whether both sides accept a subscription, and, where the
// target file says how to change the resource, whether the update arrives.
func (r *round) subscriptions(ctx context.Context) {
	uris := slices.DeleteFunc(order(r.asked[1].direct.entries), nameless)
	if trigger := r.cfg.Direct.Triggers.Update; trigger != nil {
		uris = []string{trigger.URI}
	}
	if len(uris) == 0 {
		r.note(string(r.rev) + ": nothing is listed that could be subscribed")
		return
	}
	before := len(r.asked)
	for _, t := range []*talk{r.direct, r.through} {
		r.play(ctx, t, t.first, t.subscribing(uris[:min(len(uris), fewSubscriptions)]))
	}
	r.join(watching)
	r.join(updating)
	r.confirm(ctx, r.asked[before:])
}

// plan lists the scenarios that ask a side again, and only what differed.
func (r *round) plan(t *talk, again []*question) (plan []*scenario.Scenario) {
	about := map[recording.Name]map[string]bool{}
	for _, q := range again {
		if about[q.name] == nil {
			about[q.name] = map[string]bool{}
		}
		about[q.name][q.subject] = true
	}
	for _, q := range again {
		these := about[q.name]
		if these == nil {
			continue // it is in the plan
		}
		delete(about, q.name)
		switch {
		case q.name == declaring.name:
			plan = append(plan, declared)
		case q.name == watching.name:
			plan = append(plan, t.subscribing(slices.Sorted(maps.Keys(these))))
		case q.key != "":
			plan = append(plan, script(q.name))
		default:
			plan = append(plan, t.again(q.part, r.direct.first[q.name], func(s string) bool { return these[s] }))
		}
	}
	return plan
}

// confirm plays again what differed: the server on its session and on a fresh one, the
// gateway on a fresh one, and the server once more. A server may change by itself, and
// its copies need not agree.
func (r *round) confirm(ctx context.Context, asked []*question) {
	again := recording.Keep(asked, func(q *question) bool { return len(q.found) > 0 })
	if ctx.Err() != nil {
		for _, q := range again {
			r.gap(r.rev, q.group, q.subject, "the answers differ, but they were not asked for again: the comparison ended before")
		}
		return
	}
	if len(again) == 0 {
		return
	}
	var played [4]takes
	for i, t := range []*talk{r.direct, r.direct, r.through, r.direct} {
		if i == 1 {
			r.renew()
		}
		played[i] = takes{}
		r.play(ctx, t, played[i], r.plan(t, again)...)
	}
	for _, q := range again {
		answers := func(t *talk, i int) answer {
			_, by := q.answers(played[i][q.name], t)
			return by(q.subject)
		}
		r.settle(ctx, q, answers(r.through, 2), []answer{q.direct, answers(r.direct, 0), answers(r.direct, 1), answers(r.direct, 3)})
	}
}
