package reports

import (
	"fmt"
	"slices"
	"strings"
)

// BaselineSummary says what became of the entries of a baseline. Entries that
// excuse something, and nothing that passes, are counted only.
type BaselineSummary struct {
	File string `json:"file"`
	// Entries is how many there are, OutsidePlan how many of them are about no
	// verdict of this run.
	Entries     int `json:"entries"`
	OutsidePlan int `json:"outside_plan"`
	// Stale entries excuse nothing any more: what they are about passes.
	Stale []BaselineEntry `json:"stale"`
	// Expired entries are past their date, and excuse nothing.
	Expired []BaselineEntry `json:"expired"`
	// NotJudged are those whose verdicts are all not applicable, or may be red
	// but are blocked: whether they are still needed is not known.
	NotJudged []BaselineEntry `json:"not_judged"`
	// TooWide are those that excuse a red verdict and match one that passes.
	TooWide []BaselineEntry `json:"too_wide"`
	// Missing are those outside of the plan. Reports of earlier releases only
	// count them.
	Missing []BaselineEntry `json:"missing,omitempty"`
}

// BaselineEntry is one line of a baseline.
type BaselineEntry struct {
	Line int `json:"line"`
	Pattern
	// Until is the last day on which it holds, as 2027-03-31.
	Until  string `json:"until,omitempty"`
	Reason string `json:"reason"`
	// Partly says that the entry is also about what no requirement is about: it is never stale.
	Partly bool `json:"partly,omitempty"`
	// Verdicts are those in this run that the entry is about.
	Verdicts []BaselineVerdict `json:"verdicts"`
}

// BaselineVerdict is a verdict that an entry is about.
type BaselineVerdict struct {
	Revision  string  `json:"revision"`
	Transport string  `json:"transport"`
	Verdict   Verdict `json:"verdict"`
}

// Pattern says which verdicts an entry is about. An empty revision or transport stands for all. The id may be
// several, joined by commas, in an entry of the official suite.
type Pattern struct {
	ID        string `json:"id"`
	Revision  string `json:"revision,omitempty"`
	Transport string `json:"transport,omitempty"`
}

// String is the pattern as it stands in a baseline: "PAGE-02 @2025-11-25 @http". Of more than three ids it
// names the first.
func (p Pattern) String() string {
	s := p.ID
	if first, more, _ := strings.Cut(s, ","); strings.Count(more, ",") > 1 {
		s = fmt.Sprintf("%s and %d more", first, strings.Count(more, ",")+1)
	}
	if p.Revision != "" {
		s += " @" + p.Revision
	}
	if p.Transport != "" {
		s += " @" + p.Transport
	}
	return s
}

// Several reports whether a pattern is about several requirements.
func (p Pattern) Several() bool { return strings.Contains(p.ID, ",") }

// Covers reports whether a pattern matches all that another one matches.
func (p Pattern) Covers(q Pattern) bool {
	same := p.ID == q.ID || p.Several() && slices.Contains(strings.Split(p.ID, ","), q.ID)
	return same && (p.Revision == "" || p.Revision == q.Revision) &&
		(p.Transport == "" || p.Transport == q.Transport)
}

// Matches reports whether an entry with this pattern is about a verdict.
func (p Pattern) Matches(x *Result) bool { return p.Covers(Pattern{x.ID, x.Revision, x.Transport}) }

// Outdated reports whether entries have to be removed or renewed. It is false of a
// run without a baseline, which is nil.
func (b *BaselineSummary) Outdated() bool {
	return b != nil && len(b.Stale)+len(b.Expired) > 0
}

// Note puts an entry that is about some verdicts into the list where it belongs.
// Expired says that its date is past, narrowed that the run was of selected
// combinations only: what passes in these may fail in the rest.
func (b *BaselineSummary) Note(e BaselineEntry, expired, narrowed bool) {
	var n Counts
	for _, v := range e.Verdicts {
		n.Add(v.Verdict)
	}
	switch red := n.Fail + n.Warn; {
	case n.Total() == 0:
		b.OutsidePlan++
		b.Missing = append(b.Missing, e)
	case expired:
		b.Expired = append(b.Expired, e)
	case red > 0 && n.Pass > 0 && !e.Several():
		b.TooWide = append(b.TooWide, e)
	case red > 0:
	case n.Pass > 0 && n.Blocked == 0 && !e.Partly && !(narrowed && (e.Revision == "" || e.Transport == "")):
		b.Stale = append(b.Stale, e)
	default:
		b.NotJudged = append(b.NotJudged, e)
	}
}
