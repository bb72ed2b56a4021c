package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/group"
	"github.com/mcpcheck/mcpcheck/internal/safe"
)

// RevisionSummary is the result in one revision, on all transports.
type RevisionSummary struct {
	Revision string  `json:"revision"`
	Outcome  Outcome `json:"outcome"`
	// By lists the ids of the requirements that decide it, the gravest first: those that are broken, or else
	// those that have to hold and could not be judged. What a finding on another one covers is left out.
	By []string `json:"by,omitempty"`
}

// revisions is the result by revision, the oldest first.
func (r *Report) revisions(strict bool) []RevisionSummary {
	list := []RevisionSummary{}
	groups := group.By(r.Rows(), func(x *Result) string { return x.Revision })
	slices.SortStableFunc(groups, func(a, b []*Result) int {
		return strings.Compare(a[0].Revision, b[0].Revision)
	})
	for _, results := range groups {
		s := RevisionSummary{Revision: results[0].Revision, Outcome: outcome(results, strict)}
		decide := func(x *Result) bool { return x.Breaks(strict) && x.Under == "" }
		if s.Outcome == NotEstablished {
			decide = func(x *Result) bool { return x.Verdict == Blocked && x.Level == LevelMust }
		}
		results = slices.DeleteFunc(results, func(x *Result) bool { return !decide(x) })
		slices.SortStableFunc(results, ByGravity)
		for _, x := range results {
			if !slices.Contains(s.By, x.ID) {
				s.By = append(s.By, x.ID)
			}
		}
		list = append(list, s)
	}
	return list
}

// As is the verdict whose colour and sign a result in one revision has. That nothing was found
// in what a partial run selected is no more than that.
func (s *RevisionSummary) As(scope Scope) Verdict {
	if s.Outcome == Conformant && scope != Full {
		return NotApplicable
	}
	return s.Outcome.As()
}

// Deciding names a few of the requirements that decide it: "BATCH-01 CAP-08 ERR-11 +2".
func (s *RevisionSummary) Deciding() string {
	const few = 3
	text := safe.Clean(strings.Join(s.By[:min(len(s.By), few)], " "), maxTitle)
	if more := len(s.By) - few; more > 0 {
		text += fmt.Sprintf(" +%d", more)
	}
	return text
}

// byRevision is the result by revision in a line: "2025-03-26 ✗ BATCH-01  2025-06-18 ✓".
func byRevision(list []RevisionSummary, scope Scope) string {
	parts := make([]string, len(list))
	for i := range list {
		parts[i] = strings.TrimSpace(safe.Clean(list[i].Revision, 40) + " " + list[i].As(scope).Sign() + " " +
			list[i].Deciding())
	}
	return strings.Join(parts, "  ")
}

// ByRevision is the result by revision in a line.
func (s *Summary) ByRevision() string { return byRevision(s.Revisions, s.Scope) }
