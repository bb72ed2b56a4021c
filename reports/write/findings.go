package write

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/group"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/reports"
)

// cause is what verdicts of one requirement have in common that are one finding. The
// texts are those of reports that have no codes of causes.
type cause struct {
	id      string
	verdict reports.Verdict
	code    string
	cause   string
	texts   [4]string
	excused bool
	excuse  string
}

// Finding is a result as a test's message: what was expected and seen, or what kept it from
// being judged, the command that repeats it, and the messages that it rests on.
func Finding(r *reports.Report, x *reports.Result) string {
	return terminal.HarmlessText(said("message", view{Report: r}.Of(x)))
}

// FindingOnce is [Finding] for the first result of a cause, which it keeps in told. Of the others it
// says what is red, how it is repeated, and where the first stands.
func FindingOnce(r *reports.Report, x *reports.Result, told map[any]string) string {
	first := told[causeOf(x)]
	if first == "" || x.Verdict == reports.Blocked {
		told[causeOf(x)] = "as in " + x.Revision + " on " + x.Transport
		return Finding(r, x)
	}
	again := *x
	again.Expected, again.Actual, again.Hint, again.Evidence = "", first, "", nil
	return Finding(r, &again)
}

// finding is one cause with the results of a requirement that share it, and the findings of
// other requirements that it breaks as well.
type finding struct {
	*reports.Result // the first of them: what is shown
	results         []*reports.Result
	also            []*finding
	in              view
}

// causeOf is the finding that a result belongs to. What is a failure in one revision and a
// warning in another is one.
func causeOf(x *reports.Result) cause {
	verdict := x.Verdict
	if verdict == reports.Warn {
		verdict = reports.Fail
	}
	k := cause{id: x.ID, verdict: verdict, code: x.ReasonCode, cause: x.Cause, excused: x.Excused,
		excuse: x.ExcusedReason}
	if x.Cause == "" {
		k.texts = [4]string{x.Reason, x.Expected, x.Actual, x.Hint}
	}
	return k
}

// owner is the requirement whose cause it is; empty where others share it.
func owner(x *reports.Result) string {
	if x.SharedCause && x.Cause != "" {
		return ""
	}
	return x.ID
}

// Seen is what was seen, and where, if it reads differently elsewhere.
func (f *finding) Seen() string {
	x := f.Result
	if slices.ContainsFunc(f.results, func(y *reports.Result) bool { return y.Actual != x.Actual }) {
		return x.Actual + " (in " + x.Revision + " on " + x.Transport + ")"
	}
	return x.Actual
}

// byCause joins results that share a cause, the gravest first, then in the order of the
// report. The first result of each is what is shown and repeated: of the gravest the one in
// the newest revision, which most clients speak.
func (v view) byCause(keep func(*reports.Result) bool) []*finding {
	var list []*finding
	for _, results := range group.By(v.Only(keep), causeOf) {
		slices.SortStableFunc(results, func(a, b *reports.Result) int {
			return cmp.Or(reports.ByGravity(a, b), cmp.Compare(b.Revision, a.Revision))
		})
		list = append(list, &finding{results[0], results, nil, v})
	}
	slices.SortStableFunc(list, func(a, b *finding) int { return reports.ByGravity(a.Result, b.Result) })
	return list
}

// findings is [view.byCause] with one finding for each cause, whatever it breaks, and without those that
// a deeper one covers.
func (v view) findings(keep func(*reports.Result) bool) []*finding {
	var list []*finding
	for _, same := range group.By(v.byCause(keep), func(f *finding) cause {
		k := causeOf(f.Result)
		k.id = owner(f.Result)
		return k
	}) {
		same[0].also = same[1:]
		list = append(list, same[0])
	}
	list = fold(list)
	slices.SortStableFunc(list, func(a, b *finding) int {
		return cmp.Or(reports.ByGravity(a.Result, b.Result), cmp.Compare(b.spread(), a.spread()))
	})
	return list
}

// fold puts findings under those that cover all of their results.
func fold(list []*finding) []*finding {
	type where struct {
		id string
		reports.Combination
	}
	of := map[where]*finding{}
	for _, f := range list {
		for _, x := range f.all() {
			of[where{x.ID, x.Combination()}] = f
		}
	}
	over := map[*finding]*finding{}
	top := func(f *finding) *finding {
		for over[f] != nil {
			f = over[f]
		}
		return f
	}
	for _, f := range list {
		deeper := of[where{f.Under, f.Combination()}]
		// What is graver stays in sight. A report that was edited may go round in circles.
		if deeper != nil && reports.ByGravity(deeper.Result, f.Result) <= 0 && top(deeper) != f &&
			!slices.ContainsFunc(f.all(),
				func(x *reports.Result) bool { return of[where{x.Under, x.Combination()}] != deeper }) {
			over[f] = deeper
		}
	}
	for _, f := range list {
		if t := top(f); t != f {
			t.also = append(append(t.also, f), f.also...)
		}
	}
	return slices.DeleteFunc(list, func(f *finding) bool { return over[f] != nil })
}

// all are the results of a finding, those of other requirements last.
func (f *finding) all() []*reports.Result {
	list := slices.Clone(f.results)
	for _, g := range f.also {
		list = append(list, g.results...)
	}
	return list
}

// spread is in how many combinations a finding was made.
func (f *finding) spread() int { return len(group.By(f.all(), (*reports.Result).Combination)) }

// Others are the ids of the other requirements that the cause of a finding breaks.
func (f *finding) Others() []string {
	ids := make([]string, len(f.also))
	for i, g := range f.also {
		ids[i] = g.ID
	}
	return ids
}

// Named are the others for sentences, which say what is only a warning beside a failure.
func (f *finding) Named() string {
	names := f.Others()
	for i, g := range f.also {
		if f.milder(g) {
			names[i] += " (a warning)"
		}
	}
	return strings.Join(names, ", ")
}

// milder reports whether another finding warns beside this one, which fails.
func (f *finding) milder(g *finding) bool {
	return g.Verdict == reports.Warn && f.Verdict == reports.Fail
}

// Also tells of the other requirements that the cause of a finding breaks.
func (f *finding) Also() []string {
	var list []string
	for _, g := range f.also {
		in := "in"
		if f.milder(g) {
			in = "as a warning in"
		}
		list = append(list, fmt.Sprintf("%s (%s) %s %s: %s", g.ID, g.Title, in,
			g.Places(), g.Seen()))
	}
	return list
}

// Groups are the findings that nothing excuses, the gravest first, as lists under titles.
func (v view) Groups() []findingGroup {
	parts := []findingGroup{{Title: "Basics", Means: "without them clients get nothing"}, {Title: "Security"},
		{Title: "Failures"}, {Title: "Warnings"}}
	for _, f := range v.findings(unexcused) {
		i := 3
		switch x := f.Result; {
		case x.Basic():
			i = 0
		case x.Harms():
			i = 1
		case x.Verdict == reports.Fail:
			i = 2
		}
		parts[i].List = append(parts[i].List, f)
	}
	return slices.DeleteFunc(parts, func(p findingGroup) bool { return len(p.List) == 0 })
}

// findingGroup is findings of about the same gravity.
type findingGroup struct {
	Title string
	Means string // empty where the title says it
	List  []*finding
}

// Count says in how many combinations a finding was made.
func (f *finding) Count() string {
	switch n, all := f.spread(), len(f.in.Summary.Combinations); {
	case n == 1:
		return f.Revision + " on " + f.Transport
	case n == all:
		return "everywhere"
	default:
		return fmt.Sprintf("%d of %d combinations", n, all)
	}
}

// Of is a finding with one result, whatever its verdict.
func (v view) Of(x *reports.Result) *finding { return &finding{Result: x, in: v} }

// Where lists the combinations of a finding.
func (f *finding) Where() string { return f.in.Where(f.results) }

// Pasted is [pasted].
func (f *finding) Pasted() pair {
	label, text := pasted(f.in.Report, f.Result)
	return pair{label, text}
}

// Demand says who has to do what by the rule that is broken.
func (f *finding) Demand() string { return f.in.demand(f.Result) }

// Places lists the combinations of a finding, those apart in which it is less grave.
func (f *finding) Places() string {
	n := 0
	for n < len(f.results) && f.results[n].Verdict == f.Verdict {
		n++
	}
	if n == len(f.results) {
		return f.in.Where(f.results)
	}
	return f.in.Where(f.results[:n]) + "; as a " + looks[f.results[n].Verdict].word + " in " +
		f.in.Where(f.results[n:])
}

// Excused joins the red results that the baseline excuses by their causes.
func (v view) Excused() []*finding {
	return v.findings(func(x *reports.Result) bool { return x.Verdict.Red() && x.Excused })
}
