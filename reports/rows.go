package reports

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/group"
)

// Combination is a revision on a transport.
type Combination struct{ Revision, Transport string }

// Compare orders combinations by revision, and as the specification introduces transports.
func (c Combination) Compare(d Combination) int {
	return cmp.Or(cmp.Compare(c.Revision, d.Revision), cmp.Compare(rank(c.Transport), rank(d.Transport)),
		cmp.Compare(c.Transport, d.Transport))
}

// rowKey is where a result belongs: a report has one for each.
type rowKey struct {
	id string
	Combination
}

func (x *Result) Combination() Combination { return Combination{x.Revision, x.Transport} }

func (x *Result) key() rowKey { return rowKey{x.ID, x.Combination()} }

// Idle reports whether the requirement could apply but had no occasion to be judged.
func (x *Result) Idle() bool { return x.Verdict == NotApplicable && NotExercised(x.ReasonCode) }

// Breaks reports whether a verdict makes a run fail, unless it is excused.
func (x *Result) Breaks(strict bool) bool { return x.Verdict == Fail || x.Verdict == Warn && strict }

// NoteReruns keeps with each red or blocked verdict the command that repeats it, so that whoever
// reads the report later hears of it too. A nil function changes nothing.
func (r *Report) NoteReruns(rerun func(id, revision, transport string) string) {
	if rerun == nil {
		return
	}
	for _, x := range r.Only(func(x *Result) bool { return x.Verdict.Red() || x.Verdict == Blocked }) {
		x.Rerun = rerun(x.ID, x.Revision, x.Transport)
	}
}

// Area is the first part of the id, such as "PAGE".
func (r *Result) Area() string {
	area, _, _ := strings.Cut(r.ID, "-")
	return area
}

// Sort puts frames, results and observations into the order of the contract:
// frames by number, results by id, revision and transport.
func (r *Report) Sort() {
	slices.SortStableFunc(r.Frames, func(a, b Frame) int { return cmp.Compare(a.Number, b.Number) })
	slices.SortStableFunc(r.Results, func(a, b Result) int {
		return cmp.Or(CompareIDs(a.ID, b.ID), a.Combination().Compare(b.Combination()))
	})
	slices.SortStableFunc(r.Observations, func(a, b Observation) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), CompareIDs(a.Requirement, b.Requirement),
			Combination{a.Revision, a.Transport}.Compare(Combination{b.Revision, b.Transport}),
			cmp.Compare(a.Detail, b.Detail), slices.Compare(a.Evidence, b.Evidence))
	})
}

// CompareIDs orders requirement ids: by area, then by number, so that "PAGE-9"
// precedes "PAGE-10".
func CompareIDs(a, b string) int {
	areaA, numberA, _ := strings.Cut(a, "-")
	areaB, numberB, _ := strings.Cut(b, "-")
	trimmedA, trimmedB := strings.TrimLeft(numberA, "0"), strings.TrimLeft(numberB, "0")
	return cmp.Or(cmp.Compare(areaA, areaB), cmp.Compare(len(trimmedA), len(trimmedB)),
		cmp.Compare(trimmedA, trimmedB), cmp.Compare(a, b))
}

// rank orders transports as the specification introduces them.
func rank(transport string) int {
	if i := slices.Index([]string{"stdio", "http", "sse"}, transport); i >= 0 {
		return i
	}
	return 3
}

// Rows are the results where they stand: results are large, and not copied.
func (r *Report) Rows() []*Result {
	list := make([]*Result, len(r.Results))
	for i := range r.Results {
		list[i] = &r.Results[i]
	}
	return list
}

// Only are the results that a function keeps.
func (r *Report) Only(keep func(*Result) bool) []*Result {
	return slices.DeleteFunc(r.Rows(), func(x *Result) bool { return !keep(x) })
}

// ByCombination puts the results of each combination together.
func (r *Report) ByCombination() [][]*Result {
	groups := group.By(r.Rows(), (*Result).Combination)
	slices.SortStableFunc(groups, func(a, b []*Result) int {
		return a[0].Combination().Compare(b[0].Combination())
	})
	return groups
}
