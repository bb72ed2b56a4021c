package compare

import (
	"context"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/target"
)

// templated reports whether a template of a target file is the given one.
func templated(template string) func(target.Template) bool {
	return func(t target.Template) bool { return t.Template == template }
}

// confirm asks again what differed: the server on its session and on a fresh one, the
// gateway on a fresh one, and the server once more. A server may change by itself, and
// its copies need not agree.
func (r *round) confirm(ctx context.Context) {
	again := slices.DeleteFunc(slices.Clone(r.asked), func(q *question) bool { return len(q.found) == 0 })
	if ctx.Err() != nil {
		for _, q := range again {
			r.gap(r.rev, q.group, q.subject, "the answers differ, but they were not asked for again: the comparison ended before")
		}
		return
	}
	if len(again) == 0 {
		return
	}
	before := make([]answer, len(again))
	for i, q := range again {
		r.cfg.Progress(Event{Revision: r.rev, Title: "asking again: " + q.subject, Done: i, Total: len(again)})
		before[i] = q.ask(ctx, r.direct)
	}
	r.direct.close()
	r.through.close()
	r.direct.patient()
	r.through.patient()
	r.bytes.Store(0)
	for i, q := range again {
		r.cfg.Progress(Event{Revision: r.rev, Title: "asking again on fresh sessions: " + q.subject, Done: i, Total: len(again)})
		fresh := q.ask(ctx, r.direct)
		through := q.ask(ctx, r.through)
		last := q.ask(ctx, r.direct)
		r.settle(q, through, []answer{q.direct, before[i], fresh, last})
	}
}

// settle adds what differed both times to the report, and parts from it what the
// server's own answers do not agree about.
func (r *round) settle(q *question, through answer, own []answer) {
	for _, a := range append(own, through) {
		if a.void {
			r.gap(r.rev, q.group, q.subject, "what differs could not be asked again: "+a.none)
			return
		}
	}
	var unsteady []finding
	for i, a := range own {
		for _, b := range own[i+1:] {
			unsteady = append(unsteady, q.compare(names{}, a, b)...)
		}
	}
	repeated := q.compare(r.names, own[len(own)-1], through)
	for _, f := range q.found {
		switch {
		case slices.ContainsFunc(unsteady, func(u finding) bool { return f.about(&u) }):
			r.unsteady(q.group, r.rev, f, "the server's own answers differ")
		case !slices.ContainsFunc(repeated, func(u finding) bool { return f.about(&u) }):
			r.unsteady(q.group, r.rev, f, "it was seen once and not again")
		default:
			r.add(q.group, r.rev, f)
		}
	}
}

// account notes what was asked, and what neither side answered. That a comparison was
// cut short is said once, and not of each question.
func (r *round) account(ctx context.Context) {
	one := Compared{Revision: string(r.rev), Direct: string(r.direct.at.transport), Through: string(r.through.at.transport), Asked: map[Group]int{}}
	for _, q := range r.asked {
		d, t := q.direct, q.through
		switch {
		case d.void && d.none == unread || t.void && t.none == unread:
			continue // said in a note
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
