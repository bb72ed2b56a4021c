package baseline

import (
	"time"

	"github.com/mcpcheck/mcpcheck/reports"
)

// Apply excuses the red verdicts of a report that entries are about, and notes in
// its summary what became of the entries. The report must have been summarized; its
// outcome stays as it is. An entry is
//
//   - in use if it excuses a verdict, and too wide if it also matches one that passes,
//   - stale if none of its verdicts is red or blocked and at least one passes,
//   - not judged if its verdicts are all not applicable, or blocked and none red, or if
//     it reaches further than the combinations that were selected and none is red,
//   - expired if its date is past: it excuses nothing,
//   - outside of the plan if it matches no verdict of the report.
func (f *File) Apply(r *reports.Report, now time.Time) {
	r.Config.Baseline = f.Name
	r.Summary.Excused = 0
	byID := map[string][]int{}
	for i := range f.Entries {
		byID[f.Entries[i].ID] = append(byID[f.Entries[i].ID], i)
	}
	matched := make([][]reports.BaselineVerdict, len(f.Entries))
	for i := range r.Results {
		x := &r.Results[i]
		x.Excused, x.ExcusedReason = false, ""
		for _, n := range byID[x.ID] {
			e := &f.Entries[n]
			if !e.Matches(x.ID, x.Revision, x.Transport) {
				continue
			}
			matched[n] = append(matched[n], reports.BaselineVerdict{Revision: x.Revision, Transport: x.Transport, Verdict: x.Verdict})
			if x.Verdict.Red() && !x.Excused && !e.Expired(now) {
				x.Excused, x.ExcusedReason = true, e.Reason
				r.Summary.Excused++
			}
		}
	}
	b := &reports.BaselineSummary{File: f.Name, Entries: len(f.Entries)}
	narrowed := r.Summary.Scope == reports.Partial && len(r.Config.Revisions)+len(r.Config.Transports)+len(r.Config.LabelFilter) > 0
	for n := range f.Entries {
		e := &f.Entries[n]
		b.Note(e.told(matched[n]), e.Expired(now), narrowed)
	}
	r.Summary.Baseline = b
}

// Excuse is the reason for which a red verdict is excused; ok is false if it is not.
func (f *File) Excuse(x *reports.Result, now time.Time) (reason string, ok bool) {
	for i := range f.Entries {
		e := &f.Entries[i]
		if x.Verdict.Red() && e.Matches(x.ID, x.Revision, x.Transport) && !e.Expired(now) {
			return e.Reason, true
		}
	}
	return "", false
}

// told is what a report says of an entry.
func (e *Entry) told(verdicts []reports.BaselineVerdict) reports.BaselineEntry {
	t := *e.entry()
	t.Line, t.Reason, t.Verdicts = e.Line, e.Reason, verdicts
	if !e.Until.IsZero() {
		t.Until = e.Until.Format(DateForm)
	}
	return t
}
