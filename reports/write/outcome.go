package write

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/reports"
)

// among says how many of what was counted are about security; empty if none is.
func among(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d security)", n)
}

// Word is what is said of the target, in the words of its own report.
func Word(t *reports.MatrixTarget) string {
	said := standing{t.Outcome, t.Scope, t.Counts, t.Security, word(t.Since), t.Extent, t.Error != "", ""}
	if t.Scope != reports.Full {
		said.extent = cmp.Or(t.Extent, reports.ExtentPartial) // earlier versions did not tell it
	}
	word := strings.ToLower(said.headline())
	switch {
	case t.Status == reports.MatrixNoReport:
		return "no report"
	case t.Status != reports.MatrixJudged:
		return strings.ReplaceAll(clean(t.Status, 40), "-", " ")
	case t.Outcome == reports.NonConformant && t.ExitCode == reports.ExitOK:
		word += ", excused"
	case t.Outcome == reports.NonConformant:
		word += among(t.Security.Total())
	}
	return said.complete(word)
}

// embedded is what is said of a run without a target.
const embedded = "No target was given: this is the built-in reference server, judged as a demonstration."

// noResources is what is said of a target that declares no resources.
const noResources = "declares no resources: only the base protocol was judged"

// standing is what the words for an outcome follow from, that of a report or of a target in
// a matrix: all formats say them alike.
type standing struct {
	reports.Outcome
	reports.Scope
	reports.Counts
	security reports.SecurityCounts
	// since is the oldest revision of the declared scope; empty if all that the target serves were to be
	// judged.
	since string
	// extent says what the run was if it was not a full one: see [reports.Report.Extent].
	extent string
	// lost says that an endpoint could not be reached.
	lost bool
	// excuse says that the baseline excuses all that makes the target not conformant, so that the
	// exit status is 0; else it is empty.
	excuse string
}

func (v view) Standing() standing {
	s := &v.Summary
	return standing{s.Outcome, s.Scope, s.Counts, s.Security, word(v.Config.Since), v.Extent(),
		len(v.Unreachable()) > 0, excusal(v.Report)}
}

// Headline is what came out in a line: the outcome, and the result by revision.
func Headline(r *reports.Report) string {
	return view{Report: r}.Standing().String() + maybe("  %s", r.Summary.ByRevision())
}

// headline is the outcome in capitals. A partial run never shows that a target is conformant: only that
// nothing in what was selected failed.
func (s standing) headline() string {
	if s.Outcome == reports.Conformant && s.Scope != reports.Full {
		return "NO FAILURES"
	}
	return cmp.Or(map[reports.Outcome]string{reports.Conformant: "CONFORMANT",
		reports.NonConformant: "NOT CONFORMANT", reports.NoResources: "NO RESOURCES"}[s.Outcome],
		"NOT ESTABLISHED")
}

// Remark is what an outcome that is not red must not be told without: "3 warnings (1 security)", "2 failures
// of the base protocol"; empty if there is nothing.
func (s standing) Remark() string {
	switch {
	case s.Outcome == reports.NoResources && s.Fail > 0:
		return plural.Count(s.Fail, "failure") + " of the base protocol"
	case s.Outcome == reports.NotEstablished && s.Judged() == 0 && s.Blocked == 0 &&
		s.extent != reports.ExtentEarly && !s.lost:
		return "nothing was judged"
	case s.Outcome != reports.Conformant || s.Warn == 0:
		return ""
	}
	return plural.Count(s.Warn, "warning") + among(s.security.Warn)
}

// String is the outcome as titles and the last line show it: "CONFORMANT, 3 warnings", "NO
// FAILURES, partial run".
func (s standing) String() string {
	return s.complete(s.headline() + maybe(", %s", s.excuse))
}

// complete adds to a word for the outcome what it must not be told without.
func (s standing) complete(word string) string {
	return word + maybe(", since %s", s.since) + maybe(", %s", s.Remark()) + maybe(", %s", s.extent)
}

// Established is an outcome or status as tables show it. In a partial run nothing
// more than what was selected is known to be in order.
func (v view) Established(word string) string {
	if v.Summary.Scope == reports.Full || word != string(reports.Conformant) &&
		word != string(reports.ProfilePassed) {
		return word
	}
	return "no failures"
}

// told is the outcome with the result by revision, in a line.
func (v view) told() string {
	return v.Standing().String() + maybe("; %s", v.Summary.ByRevision())
}

// lacking lists the MUSTs that nothing exercised, of a profile in which nothing worse is known.
func lacking(p *reports.ProfileSummary) []string {
	if p.Status == reports.ProfilePassed || p.Status == reports.ProfileNotEstablished {
		return p.MustsNotExercised
	}
	return nil
}
