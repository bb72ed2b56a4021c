package compare

import (
	"context"
	"slices"
	"strconv"
)

// settle adds what differed both times to the report, and parts from it what the
// server's own answers do not agree about. What could not be seen again, be it that there
// was no answer or that the gateway gave another one, is not established: that would be
// to call both sides the same.
func (r *round) settle(ctx context.Context, q *question, through answer, own []answer) {
	none, gone := "", own[0].none == "" && own[len(own)-1].none != ""
	for _, a := range append(slices.Clone(own[1:]), through) {
		switch {
		case a.void:
			r.gap(r.rev, q.group, q.subject, "what differs could not be asked again: "+a.none)
			return
		case a.none != "":
			none = a.none
		}
	}
	unsteady := places{}
	for i, a := range own {
		for _, b := range own[i+1:] {
			if ctx.Err() != nil {
				r.gap(r.rev, q.group, q.subject, "the answers differ, but the repeated ones were not compared: the comparison ended before")
				return
			}
			unsteady.put(q.compare(names{}, a, b))
		}
	}
	repeated := places{}
	repeated.put(q.compare(r.through.words, own[len(own)-1], through))
	// Where the server answers in another way altogether, no part of an answer is steady.
	altogether := slices.ContainsFunc(unsteady[q.subject], func(f finding) bool { return f.is(whether) || f.is(standing) })
	var unseen, flapping []finding
	for _, f := range q.found {
		switch {
		case f.is(updated) && f.kind == Added:
			r.unsteady(q.group, r.rev, f, "the direct side did not hear of the change, the other did")
		case none != "" && (!f.is(whether) && !f.is(updated) || gone):
			unseen = append(unseen, f)
		case altogether || unsteady.has(&f):
			r.unsteady(q.group, r.rev, f, "the server's own answers differ")
		case !repeated.has(&f):
			flapping = append(flapping, f)
		default:
			r.add(q.group, r.rev, f)
		}
	}
	r.open(q, unseen, "what differs could not be asked again: "+none)
	r.open(q, flapping, "the gateway's answers differ from time to time")
}

// open notes that findings of a question could not be settled, once for all of them. What
// was said to be known stays so.
func (r *round) open(q *question, all []finding, why string) {
	var left []Difference
	for _, f := range all {
		d := r.difference(q.group, f)
		if r.ignored(&d) != "" {
			r.add(q.group, r.rev, f)
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
	r.gap(r.rev, q.group, left[0].Subject, why)
}

// places are findings by subject: a long list has as many of them as entries.
type places map[string][]finding

func (p places) put(all []finding) {
	for _, f := range all {
		p[f.subject] = append(p[f.subject], f)
	}
}

// has reports whether one of the findings is about the same place as f.
func (p places) has(f *finding) bool {
	return slices.ContainsFunc(p[f.subject], func(g finding) bool { return f.about(&g) })
}

// account notes what was asked, and what neither side answered. That a comparison was
// cut short is said once, and not of each question.
func (r *round) account(ctx context.Context) {
	one := Compared{Revision: string(r.rev), Direct: string(r.direct.at.Transport), Through: string(r.through.at.Transport), Asked: map[Group]int{}}
	for _, q := range r.asked {
		d, t := q.direct, q.through
		switch {
		case (d.void || t.void) && ctx.Err() != nil:
		case d.void:
			r.gap(r.rev, q.group, q.subject, "direct: "+d.none)
		case t.void:
			r.gap(r.rev, q.group, q.subject, "through: "+t.none)
		case d.none != "" && t.none != "":
			r.gap(r.rev, q.group, q.subject, "neither side answered: direct: "+d.none+"; through: "+t.none)
		default:
			one.Asked[q.group]++
		}
	}
	r.report.Compared = append(r.report.Compared, one)
}
