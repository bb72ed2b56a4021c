package compare

import (
	"context"
	"slices"
	"strconv"

	"github.com/mcpcheck/mcpcheck/suite/recording"
)

// places are findings by what they are about: a long list has as many of them as entries.
type places map[key][]finding

func placed(all []finding, about func(key) key) places {
	p := places{}
	for _, f := range all {
		p[about(f.key)] = append(p[about(f.key)], f)
	}
	return p
}

// has reports whether one of the findings is about the same place as f.
func (p places) has(f *finding) bool {
	return slices.ContainsFunc(p[f.key], func(g finding) bool { return f.about(&g) })
}

// settle adds what differed both times to the report, and parts from it what the
// server's own answers do not agree about. A difference that could not be seen again, since
// no answer came or the gateway gave another one, is not established: nor are both sides the same then.
func (r *round) settle(ctx context.Context, found []finding, own []*book, through *book) {
	var differ []finding
	for i, a := range own {
		for _, b := range own[i+1:] {
			if ctx.Err() != nil {
				const why = "the answers differ, but the repeated ones were not compared: the comparison " +
					"ended before"
				r.open(found, why)
				return
			}
			differ = append(differ, names{}.compare(a, b)...)
		}
	}
	itself := func(k key) key { return k }
	unsteady := placed(differ, itself)
	repeated := placed(r.through.words.compare(own[len(own)-1], through), itself)
	asked := placed(found, key.question)
	for _, f := range found {
		q := f.question()
		if asked[q] == nil {
			continue // it is settled
		}
		r.decide(asked[q], unsteady, repeated, append(slices.Clone(own), through))
		delete(asked, q)
	}
}

// decide settles the findings of a question. The answers are those of the server, from the first to
// the last, and that of the gateway to what was asked again.
func (r *round) decide(found []finding, unsteady, repeated places, answers []*book) {
	q := found[0].question()
	none, void := "", false
	for _, b := range answers[1:] {
		if a := b.of(q); a.none != "" || a.void {
			none, void = a.none, void || a.void
		}
	}
	gone := answers[0].of(q).none == "" && answers[len(answers)-2].of(q).none != ""
	// Where the server answers in another way altogether, no part of an answer is steady.
	altogether := slices.ContainsFunc(unsteady[q], func(f finding) bool {
		return f.is(whether) || f.is(standing)
	})
	var unseen, flapping []finding
	for _, f := range found {
		switch {
		case f.is(updated) && f.kind == Added:
			r.unsteady(r.rev, f, "the direct side did not hear of the change, the other did")
		case void || none != "" && (!f.is(whether) && !f.is(updated) || gone):
			unseen = append(unseen, f)
		case altogether || unsteady.has(&f):
			r.unsteady(r.rev, f, "the server's own answers differ")
		case !repeated.has(&f):
			flapping = append(flapping, f)
		default:
			r.add(r.rev, f)
		}
	}
	r.open(unseen, "what differs could not be asked again: "+none)
	r.open(flapping, "the gateway's answers differ from time to time")
}

// open notes that findings of a question could not be settled, once for all of them. What
// was said to be known stays so.
func (r *round) open(all []finding, why string) {
	var left []Difference
	for _, f := range all {
		d := r.difference(f)
		if r.ignored(&d) != "" {
			r.add(r.rev, f)
			continue
		}
		left = append(left, d)
	}
	if len(left) == 0 {
		return
	}
	if n := len(left) - 1; n > 0 {
		why += ", here and in " + strconv.Itoa(n) + " other places"
	}
	if left[0].Member != "" {
		why = left[0].Member + ": " + why
	}
	r.gap(r.rev, left[0].Group, left[0].Subject, why)
}

// account notes what was asked, which walks were not followed to their end, and what neither side
// answered. That a comparison was cut short is said once, and not of each question.
func (r *round) account(ctx context.Context, direct, through *book) {
	gap := func(k key, why string) { r.gap(r.rev, k.group, k.subject, why) }
	told := map[string]bool{}
	for _, p := range requests {
		rec := direct.takes[p.name]
		if rec == nil || rec.Broken == nil {
			continue
		}
		code, why := rec.Broken.Code, rec.Broken.Reason
		if code != recording.CodeInterrupted && code != recording.CodeNoAnswer && !told[why] {
			told[why] = true
			gap(key{part: p}, "direct: "+why)
		}
	}
	for _, k := range direct.keys {
		d, t := direct.of(k), through.of(k)
		switch {
		case k.entry || t.none == unasked || (d.void || t.void) && ctx.Err() != nil:
		case d.void:
			gap(k, "direct: "+d.none)
		case t.void:
			gap(k, "through: "+t.none)
		case d.none != "" && t.none != "" && k.part == updating:
			gap(k, "neither side said that it has changed after triggers.update: updates could not be "+
				"compared")
		case d.none != "" && t.none != "":
			gap(k, "neither side answered: direct: "+d.none+"; through: "+t.none)
		default:
			r.compared.Asked[k.group]++
		}
		for i, a := range []answer{d, t} {
			if a.end != "" && a.end != endDone {
				r.remark("%s: %s: %s (%d entries by then): what it lacks is not counted as dropped or added",
					[]string{"direct", "through"}[i], k.subject, a.end, a.times)
			}
		}
	}
}
