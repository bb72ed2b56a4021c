package write

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/reports"
)

// kindMissing is the kind of entries about nothing that was part of the run.
const kindMissing = "missing"

// baselinePart is what became of some entries of a baseline.
type baselinePart struct {
	// Kind is a word or two for machines and sentences, Title what the list is called; advice ends the
	// sentence about an entry.
	Kind, Title, Means, advice string
	// outdated says that the entries make the run end with a finding, known that the
	// run shows whether they are needed, passing that verdicts that pass explain why they are listed.
	outdated, known, passing bool
	As                       reports.Verdict // whose colour it has
	Entries                  []reports.BaselineEntry
	File                     string
}

// partsOf lists the entries that need attention, by what became of them, the gravest
// first. It is empty for nil.
func partsOf(b *reports.BaselineSummary) []baselinePart {
	if b == nil {
		return nil
	}
	return slices.DeleteFunc([]baselinePart{
		{"expired", "expired baseline entries", "past their date, they excuse nothing",
			"held until {until}; fix what it excuses, or give it a new date", true, true, false, reports.Fail,
			b.Expired, b.File},
		{"stale", "stale baseline entries", "what they excuse passes now; remove them",
			"passes now; remove it", true, true, true, reports.Fail, b.Stale, b.File},
		{"not judged", "baseline entries not judged", "whether they are still needed is not known",
			"could not be judged; if what it excuses is mended, remove it", false, false, false,
			reports.Blocked, b.NotJudged, b.File},
		{"too wide", "baseline entries too wide", "they match what passes, too; narrow them",
			"matches what passes, too; narrow it", false, true, true, reports.Warn, b.TooWide, b.File},
		{kindMissing, "baseline entries outside of the run", "nothing that they are about was part of it",
			"is about nothing that was part of this run", false, false, false, reports.NotApplicable,
			b.Missing, b.File},
	}, func(p baselinePart) bool { return len(p.Entries) == 0 })
}

// sentence says with file and line what became of an entry.
func (p *baselinePart) sentence(e reports.BaselineEntry) string {
	return fmt.Sprintf("%s:%d: baseline entry %s: %s %s", p.File, e.Line, p.Kind, e,
		strings.Replace(p.advice, "{until}", e.Until, 1))
}

// Outdated says, one sentence for each entry of a baseline, which are expired and which are
// stale, with file and line. It is empty for nil.
func Outdated(b *reports.BaselineSummary) []string {
	var all []string
	for _, p := range partsOf(b) {
		for _, e := range p.Entries {
			if p.outdated {
				all = append(all, p.sentence(e))
			}
		}
	}
	return all
}

// EntryVerdicts says in which combinations an entry has which of the verdicts that explain
// why it is listed: the name of the verdict, then the combinations.
func (v view) EntryVerdicts(p *baselinePart, e reports.BaselineEntry) [][]string {
	var all [][]string
	for _, verdict := range reports.Verdicts() {
		var where []*reports.Result
		for _, x := range e.Verdicts {
			if x.Verdict == verdict && (verdict == reports.Pass || !p.passing) {
				where = append(where, &reports.Result{Revision: x.Revision, Transport: x.Transport})
			}
		}
		if len(where) > 0 {
			all = append(all, []string{string(verdict), v.Where(where)})
		}
	}
	return all
}

// BaselineRemarks is what the last line says of the baseline beside the outcome.
func (v view) BaselineRemarks() []string {
	s := &v.Summary
	var parts []string
	told := excusal(v.Report) != "" && (s.Excused == s.Fail || s.Fail == 0)
	if !told && (s.Excused > 0 || s.Baseline != nil) {
		parts = append(parts, fmt.Sprintf("%d excused by the baseline", s.Excused))
	}
	for _, p := range partsOf(s.Baseline) {
		switch n := len(p.Entries); {
		case !p.outdated:
		case n == 1:
			parts = append(parts, "1 "+p.Kind+" baseline entry")
		default:
			parts = append(parts, fmt.Sprintf("%d %s baseline entries", n, p.Kind))
		}
	}
	return parts
}

// excuse says in one line why a red verdict is excused; empty if it is not.
func excuse(x *reports.Result) string {
	if !x.Excused || !x.Verdict.Red() {
		return ""
	}
	return "excused by the baseline" + maybe(": %s", x.ExcusedReason)
}

// excusal is how many findings make the target not conformant, if the baseline excuses all of
// them: "all 3 failures excused by baseline known.txt"; else it is empty.
func excusal(r *reports.Report) string {
	if r.Summary.Outcome != reports.NonConformant {
		return ""
	}
	as, word := reports.Fail, "failure"
	if r.Summary.Fail == 0 {
		as, word = reports.Warn, "warning" // under --strict
	}
	red := r.Only(func(x *reports.Result) bool { return x.Verdict == as })
	if slices.ContainsFunc(red, func(x *reports.Result) bool { return !x.Excused }) {
		return ""
	}
	text := "its one " + word + " excused by "
	if len(red) > 1 {
		text = "all " + plural.Count(len(red), word) + " excused by "
	}
	if b := r.Summary.Baseline; b != nil && b.File != "" {
		return text + "baseline " + title(b.File)
	}
	return text + "the baseline"
}
