// Package baseline reads and writes lists of known findings, and applies them to
// reports, so that a run fails only of what is new.
//
// A baseline is a text file with an entry on each line:
//
//	ID[,ID...] [@REVISION] [@TRANSPORT] [until=YYYY-MM-DD]  # reason
//
//	PAGE-02 @2025-11-25              # the last page repeats; issue 4711
//	ERR-01 until=2027-03-31          # the new router answers 404
//	HTTP-13 @2025-06-18 @http        # the gateway does not know the header yet
//
// The requirements of one line are those of one finding. An entry without revision or transport is about all
// of them. The reason is required. Empty lines and lines that begin with # are comments.
//
// An entry excuses verdicts that are a fail or a warning, and no others: what is
// blocked is never excused. An excused verdict stays what it is, and the target
// stays non-conformant; only the exit status is spared. Entries whose verdicts pass
// now are stale and those past their date are expired; either makes a run fail.
// A file of expected failures of the official conformance suite is read as well: its entries are scenarios
// and checks, and each covers all requirements that correspond to it.
//
// What an entry says about combinations and requirements that were not part of the
// run counts for nothing. See [File.Apply].
package baseline

import (
	"fmt"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/reports"
)

// DateForm is the form of dates, for [time.Parse].
const DateForm = time.DateOnly

// Placeholder is the reason that a written file has where none is known. A file
// with it is refused, so that somebody thinks of one.
const Placeholder = "fill in"

// The bounds of a file.
const (
	MaxSize    = 1 << 20 // bytes
	MaxEntries = 10_000
	maxLine    = 8000 // bytes
)

// Pattern says which verdicts an entry is about.
type Pattern = reports.Pattern

// meets reports whether two patterns may match the same verdict.
func meets(p, q Pattern) bool {
	same := func(a, b string) bool { return a == "" || b == "" || a == b }
	return p.ID == q.ID && same(p.Revision, q.Revision) && same(p.Transport, q.Transport)
}

// wider lists the patterns that cover one, without itself.
func wider(p Pattern) []Pattern {
	var all []Pattern
	for _, q := range []Pattern{{ID: p.ID}, {ID: p.ID, Revision: p.Revision},
		{ID: p.ID, Transport: p.Transport}} {
		if q != p && (len(all) == 0 || q != all[0]) {
			all = append(all, q)
		}
	}
	return all
}

// Entry is what a line of a baseline says of one requirement.
type Entry struct {
	Pattern
	// Until is the last day (UTC) on which the entry holds; zero means for ever.
	Until time.Time
	// Reason is empty only in drafts.
	Reason string
	// Line is its place in the file, from 1 on; 0 if it was not read.
	Line int
	// Finding is the id that stands first in the line, if there are several: their verdicts are one finding.
	Finding string
	// Partly says that the entry is of the official suite, and also about what no requirement is about: that
	// all of its requirements pass does not make it stale.
	Partly bool
}

// Expired reports whether an entry is past its date.
func (e *Entry) Expired(now time.Time) bool {
	return !e.Until.IsZero() && !now.Before(e.Until.AddDate(0, 0, 1))
}

// File is a baseline.
type File struct {
	// Name is the path it was read from.
	Name    string
	Entries []Entry
	// Notes are remarks on lines that are no mistakes, and excuse nothing.
	Notes []Problem
}

// Catalogue is what a reader has to know of the requirements.
type Catalogue struct {
	// Known reports whether there is a requirement with an id; Suggest names
	// the ids closest to one that is not, and a requirement of an area.
	Known   func(id string) bool
	Suggest func(id string) []string
	// Never says why there can be no finding on a requirement in a revision
	// and on a transport, of which either may be empty; empty if there can.
	Never func(id, revision, transport string) string
	// Revisions and Transports list those that there are.
	Revisions, Transports []string
	// Official lists the requirements that correspond to a check of a scenario of the official suite, or to
	// the whole scenario if the check is empty, and says whether it is about nothing else. With nil its files
	// are not read.
	Official func(scenario, check string) (ids []string, whole bool, err error)
}

// Problem is one mistake in a file.
type Problem struct {
	Line int // 0 if it is about the file as a whole
	Text string
}

// Error is a file that cannot be used, with all its mistakes.
type Error struct {
	Name     string
	Problems []Problem
}

// Error is a sentence for each mistake, a line each.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		place := e.Name
		if p.Line > 0 {
			place = fmt.Sprintf("%s:%d", e.Name, p.Line)
		}
		lines[i] = place + ": " + p.Text
	}
	return strings.Join(lines, "\n")
}

// Apply excuses the red verdicts of a report that entries are about, and notes in
// its summary what became of the entries. The report must have been summarized; its
// outcome stays as it is. An entry is
//
//   - in use if it excuses a verdict, and too wide if it also matches one that passes,
//   - stale if none of its verdicts is red or blocked and at least one passes,
//   - not judged if its verdicts are all not applicable, or blocked and none red, or if
//     it reaches further than the combinations that were selected, or could be reached, and none is red,
//   - expired if its date is past: it excuses nothing,
//   - outside of the plan if it matches no verdict of the report.
func (f *File) Apply(r *reports.Report, now time.Time) {
	r.Config.Baseline = f.Name
	r.Summary.Excused = 0
	byID := map[string][]int{}
	for i := range f.Entries {
		for id := range strings.SplitSeq(f.Entries[i].ID, ",") {
			byID[id] = append(byID[id], i)
		}
	}
	matched := make([][]reports.BaselineVerdict, len(f.Entries))
	for _, x := range r.Rows() {
		x.Excused, x.ExcusedReason = false, ""
		for _, n := range byID[x.ID] {
			e := &f.Entries[n]
			if !e.Matches(x) {
				continue
			}
			matched[n] = append(matched[n], reports.BaselineVerdict{Revision: x.Revision,
				Transport: x.Transport, Verdict: x.Verdict})
			if x.Verdict.Red() && !x.Excused && !e.Expired(now) {
				x.Excused, x.ExcusedReason = true, e.Reason
				r.Summary.Excused++
			}
		}
	}
	b := &reports.BaselineSummary{File: f.Name, Entries: len(f.Entries)}
	narrow := narrowed(r)
	for n := range f.Entries {
		e := &f.Entries[n]
		partial := e.Several() && r.Summary.Scope == reports.Partial // it lacks some of its ids
		b.Note(e.told(matched[n]), e.Expired(now), narrow || partial)
	}
	r.Summary.Baseline = b
}

// narrowed reports whether a report may lack combinations of its target: they were left out, or could not be
// reached.
func narrowed(r *reports.Report) bool {
	c := &r.Config
	return r.Summary.Scope == reports.Partial &&
		(c.Quick != nil || len(c.Revisions)+len(c.Transports)+len(c.LabelFilter) > 0) ||
		len(r.Unreachable()) > 0
}

// Excuse is the reason for which a red verdict is excused; ok is false if it is not.
func (f *File) Excuse(x *reports.Result, now time.Time) (reason string, ok bool) {
	for _, e := range f.Entries {
		if x.Verdict.Red() && e.Matches(x) && !e.Expired(now) {
			return e.Reason, true
		}
	}
	return "", false
}

// told is what a report says of an entry.
func (e *Entry) told(verdicts []reports.BaselineVerdict) reports.BaselineEntry {
	t := reports.BaselineEntry{Line: e.Line, Pattern: e.Pattern, Reason: e.Reason, Verdicts: verdicts,
		Partly: e.Partly}
	if !e.Until.IsZero() {
		t.Until = e.Until.Format(DateForm)
	}
	return t
}
