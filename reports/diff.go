package reports

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
)

// DiffSchema names the contract of a comparison.
const DiffSchema = "mcpcheck.diff/1"

// Change is one verdict that two reports do not share.
type Change struct {
	ID        string  `json:"id"`
	Title     string  `json:"title"`
	Level     string  `json:"level"`
	Revision  string  `json:"revision"`
	Transport string  `json:"transport"`
	Old       Verdict `json:"old,omitempty"` // empty: the old report has no such row
	New       Verdict `json:"new,omitempty"` // empty: the new report has no such row
	OldCode   string  `json:"old_reason_code,omitempty"`
	NewCode   string  `json:"new_reason_code,omitempty"`
	// Actual is what the new report has found, or why it could not judge.
	Actual  string `json:"actual,omitempty"`
	Excused bool   `json:"excused,omitempty"`
}

// Diff is how a report differs from an older one of the same target.
type Diff struct {
	Schema string `json:"schema"`
	// OldTool and NewTool wrote the reports; catalogues may differ.
	OldTool Tool `json:"old_tool"`
	NewTool Tool `json:"new_tool"`
	// Regressions passed before, or were a warning, and fail now. An excused
	// verdict is none.
	Regressions []Change `json:"regressions"`
	// NewWarnings passed before and warn now.
	NewWarnings []Change `json:"new_warnings"`
	// Fixes were a finding before and pass now.
	Fixes []Change `json:"fixes"`
	// Lost were judged before and are not now: blocked, or without occasion.
	Lost []Change `json:"lost"`
	// Gained were not judged before and pass now.
	Gained []Change `json:"gained"`
	// Added are findings where the old report judged nothing: on requirements
	// that it does not know, in other combinations, or for want of an occasion.
	Added []Change `json:"added"`
	// NewRequirements and GoneRequirements are ids in only one of the reports.
	NewRequirements  []string `json:"new_requirements"`
	GoneRequirements []string `json:"gone_requirements"`
	// NewCombinations and GoneCombinations are in only one of the reports.
	NewCombinations  []string `json:"new_combinations"`
	GoneCombinations []string `json:"gone_combinations"`
	// NotJudged says why verdicts may be missing from the new report: it could not
	// reach the target, or ended early. Empty if it did neither.
	NotJudged string `json:"not_judged,omitempty"`
	// Still counts the findings that both reports have.
	Still int `json:"still_red"`
	// Compared counts the verdicts that were judged in both reports. Without any,
	// nothing is known.
	Compared int `json:"compared"`
}

// Differs reports whether any verdict is another one.
func (d *Diff) Differs() bool {
	return len(d.Regressions)+len(d.NewWarnings)+len(d.Fixes)+len(d.Lost)+len(d.Gained)+len(d.Added) > 0
}

// Worse reports whether the new report has a regression: a new failure, a warning
// too where strict counts it, or a MUST that was judged before and is blocked now, or
// missing from a report that could not judge everything. That less is judged counts like a warning.
func (d *Diff) Worse(strict bool) bool {
	return len(d.Regressions) > 0 || strict && (len(d.NewWarnings) > 0 || d.Less()) ||
		slices.ContainsFunc(d.Lost, func(c Change) bool {
			return c.Level == LevelMust && (c.New == Blocked || c.New == "" && d.NotJudged != "")
		})
}

// Less reports whether something was judged before that is blocked now, or, if it is a MUST, for which the
// target offers nothing any more: nothing that is listed can be read, say, or a capability is not declared.
// What the user has switched off is not meant, nor what a run happened to give no occasion for.
func (d *Diff) Less() bool {
	return slices.ContainsFunc(d.Lost, func(c Change) bool {
		return c.New == Blocked || c.Level == LevelMust && (c.NewCode == CodeNeedsSubject ||
			c.NewCode == CodeUndeclared)
	})
}

// Found reports whether the new report has a finding where the old one judged nothing: a
// failure, a warning too where strict counts it. It is no regression, for nobody knows
// what was there before, but nothing that may go unseen either.
func (d *Diff) Found(strict bool) bool {
	return slices.ContainsFunc(d.Added, func(c Change) bool { return c.New == Fail || strict })
}

// ExitCode is the status with which a program ends after a comparison: 1 for regressions
// and for new findings, 3 if nothing could be compared, else 0.
func (d *Diff) ExitCode(strict bool) int {
	switch {
	case d.Worse(strict):
		return ExitFindings
	case d.Compared == 0:
		return ExitNotEstablished
	case d.Found(strict):
		return ExitFindings
	}
	return ExitOK
}

// Compare says how a report differs from an older one.
func Compare(old, latest *Report) *Diff {
	d := &Diff{Schema: DiffSchema, OldTool: old.Tool, NewTool: latest.Tool, Regressions: []Change{},
		NewWarnings: []Change{}, Fixes: []Change{}, Lost: []Change{}, Gained: []Change{}, Added: []Change{}}
	d.NotJudged = notJudged(old, latest)
	before, after := index(old), index(latest)
	for _, x := range latest.Rows() {
		was := before[x.key()]
		if was != nil && was.Verdict.Judged() && x.Verdict.Judged() {
			d.Compared++
		}
		if list := d.list(was, x); list != nil {
			*list = append(*list, change(was, x))
		}
	}
	for _, x := range old.Rows() {
		if after[x.key()] == nil && x.Verdict.Judged() {
			d.Lost = append(d.Lost, change(x, nil))
		}
	}
	for _, list := range [][]Change{d.Regressions, d.NewWarnings, d.Fixes, d.Lost, d.Gained, d.Added} {
		slices.SortStableFunc(list, func(a, b Change) int { return CompareIDs(a.ID, b.ID) })
	}
	d.NewRequirements, d.GoneRequirements = apart(old, latest,
		func(x *Result) string { return x.ID }, CompareIDs)
	d.NewCombinations, d.GoneCombinations = apart(old, latest, (*Result).combinationName, strings.Compare)
	return d
}

// CompareMatrices is [Compare] of two matrices, each target by its name in place of the revision, with
// its gravest verdict on each requirement. What a target has no verdicts for any more, because it has no
// report, is lost.
func CompareMatrices(old, latest *Matrix) *Diff {
	d := Compare(old.flat(), latest.flat())
	var without []string
	for i := range latest.Targets {
		if t := &latest.Targets[i]; t.Status != MatrixJudged {
			without = append(without, t.Name)
		}
	}
	if len(without) > 0 {
		d.NotJudged = "there is no report on " + safe.Clean(plural.List(without, 6), maxText)
	}
	return d
}

// flat is a matrix as a report.
func (m *Matrix) flat() *Report {
	r := New(m.Tool, Target{}, Config{})
	about := map[string]MatrixRequirement{}
	for _, q := range m.Requirements {
		about[q.ID] = q
	}
	for i := range m.Targets {
		t := &m.Targets[i]
		for _, id := range slices.Sorted(maps.Keys(t.Verdicts)) {
			v := t.Verdicts[id]
			r.Results = append(r.Results, Result{ID: id, Title: about[id].Title, Level: about[id].Level,
				Revision: t.Name, Verdict: v,
				Excused: v.Red() && t.Outcome == NonConformant && t.ExitCode == ExitOK})
		}
	}
	r.Summarize(SummaryOptions{})
	return r
}

// notJudged says why a report lacks verdicts that were asked for; empty if it does not.
func notJudged(old, r *Report) string {
	switch lost := r.Lost(); {
	case lost != "":
		return lost
	case r.Summary.Interrupted != "":
		return "the run ended early: " + r.EndedEarly()
	case len(r.Results) == 0:
		return "the new report has no verdicts"
	}
	known := old.names((*Result).combinationName)
	for i := range r.Target.Endpoints {
		e := &r.Target.Endpoints[i]
		for _, why := range e.Unanswered {
			if rev, _, _ := strings.Cut(why, ": "); known[rev+" on "+e.Transport] {
				return e.Place() + " in " + safe.Clean(why, maxText)
			}
		}
	}
	return ""
}

// list is where a result of the new report belongs, given that of the old one; nil if nothing has changed.
func (d *Diff) list(was, is *Result) *[]Change {
	switch {
	case is.Verdict.Red() && is.Excused:
		d.Still++
	case is.Verdict.Red() && (was == nil || !was.Verdict.Judged()):
		return &d.Added
	case was == nil:
	case is.Verdict == Fail && was.Verdict != Fail:
		return &d.Regressions
	case is.Verdict == Warn && was.Verdict == Pass:
		return &d.NewWarnings
	case is.Verdict.Red():
		d.Still++
	case is.Verdict == Pass && was.Verdict.Red():
		return &d.Fixes
	case is.Verdict == Pass && !was.Verdict.Judged():
		return &d.Gained
	case !is.Verdict.Judged() && was.Verdict.Judged():
		return &d.Lost
	}
	return nil
}

func change(was, is *Result) Change {
	x := cmp.Or(is, was)
	c := Change{ID: x.ID, Title: x.Title, Level: x.Level, Revision: x.Revision, Transport: x.Transport}
	if was != nil {
		c.Old, c.OldCode = was.Verdict, was.ReasonCode
	}
	if is != nil {
		c.New, c.NewCode, c.Actual, c.Excused = is.Verdict, is.ReasonCode, cmp.Or(is.Actual, is.Reason),
			is.Excused
	}
	return c
}

func index(r *Report) map[rowKey]*Result {
	m := make(map[rowKey]*Result, len(r.Results))
	for _, x := range r.Rows() {
		m[x.key()] = x
	}
	return m
}

// names are those that a function gives to the results.
func (r *Report) names(of func(*Result) string) map[string]bool {
	m := map[string]bool{}
	for _, x := range r.Rows() {
		m[of(x)] = true
	}
	return m
}

func (x *Result) combinationName() string {
	return strings.TrimSuffix(x.Revision+" on "+x.Transport, " on ")
}

// apart lists the names that only the second and that only the first of two reports has.
func apart(old, latest *Report, of func(*Result) string, compare func(a, b string) int) (added,
	gone []string) {
	without := func(all, some map[string]bool) []string {
		left := slices.AppendSeq([]string{}, maps.Keys(all))
		left = slices.DeleteFunc(left, func(s string) bool { return some[s] })
		slices.SortFunc(left, compare)
		return left
	}
	before, after := old.names(of), latest.names(of)
	return without(after, before), without(before, after)
}

// WriteDiffJSON writes a comparison for machines.
func WriteDiffJSON(w io.Writer, d *Diff) error { return terminal.WriteJSON(w, "comparison", "  ", d) }
