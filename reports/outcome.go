package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
)

// noResources is what is said of a target that declares no resources.
const noResources = "declares no resources: only the base protocol was judged"

// standing is what the words for an outcome follow from, that of a report or of a target in
// a matrix: all formats say them alike.
type standing struct {
	Outcome
	Scope
	Counts
	security SecurityCounts
	// since is the oldest revision of the declared scope; empty if all that the target serves were to be judged.
	since string
	// extent says what the run was if it was not a full one: see [Report.extent].
	extent string
	// lost says that an endpoint could not be reached.
	lost bool
	// excuse says that the baseline excuses all that makes the target not conformant, so that the
	// exit status is 0; else it is empty.
	excuse string
}

func (v view) standing() standing {
	s := &v.r.Summary
	return standing{s.Outcome, s.Scope, s.Counts, s.Security, clean(v.r.Config.Since, 40), v.r.extent(), len(v.r.unreachable()) > 0, v.r.excusal()}
}

// excusal is how many findings make the target not conformant, if the baseline excuses all of
// them: "all 3 failures excused by baseline known.txt"; else it is empty.
func (r *Report) excusal() string {
	if r.Summary.Outcome != NonConformant {
		return ""
	}
	as, word := Fail, "failure"
	if r.Summary.Fail == 0 {
		as, word = Warn, "warning" // under --strict
	}
	red := r.only(func(x *Result) bool { return x.Verdict == as })
	if slices.ContainsFunc(red, func(x *Result) bool { return !x.Excused }) {
		return ""
	}
	text := "its one " + word + " excused by "
	if len(red) > 1 {
		text = "all " + plural.Count(len(red), word) + " excused by "
	}
	if b := r.Summary.Baseline; b != nil && b.File != "" {
		return text + "baseline " + clean(b.File, pageTitle)
	}
	return text + "the baseline"
}

// The extents of runs that are no full ones.
const (
	extentPartial = "partial run"
	extentQuick   = "quick run"
	extentEarly   = "ended early"
	extentNowhere = "unreachable"
)

// extent says in two words what a run was if it was not a full one; empty if it was.
func (r *Report) extent() string {
	switch {
	case r.Summary.Interrupted != "":
		return extentEarly
	case len(r.Results) == 0 && len(r.Target.Endpoints) > 0 && len(r.unreachable()) == len(r.Target.Endpoints):
		return extentNowhere // whatever was selected
	case r.Summary.Scope == Full:
		return ""
	case r.Config.Quick != nil:
		return extentQuick
	}
	return extentPartial
}

// headline is the outcome in capitals, with the verdict whose colour it has. A partial
// run never shows that a target is conformant: only that nothing was found in what was
// selected.
func (s standing) headline() (word string, as Verdict) {
	switch {
	case s.Outcome == NonConformant:
		return "NOT CONFORMANT", Fail
	case s.Outcome == NotEstablished && s.Judged() == 0 && s.Blocked == 0 && s.extent != extentEarly && !s.lost:
		return "NOTHING JUDGED", Blocked
	case s.Outcome == NoResources:
		return "NO RESOURCES", NotApplicable
	case s.Outcome != Conformant:
		return "NOT ESTABLISHED", Blocked
	case s.Scope == Full:
		return "CONFORMANT", Pass
	case s.Warn > 0:
		return "NO FAILURES", Pass
	}
	return "NOTHING FOUND", Pass
}

// remark is what an outcome that is not red must not be told without: "3 warnings (1 security)", "2 failures of the base
// protocol"; empty if there is nothing.
func (s standing) remark() string {
	if s.Outcome == NoResources && s.Fail > 0 {
		return plural.Count(s.Fail, "failure") + " of the base protocol"
	}
	if s.Outcome != Conformant || s.Warn == 0 {
		return ""
	}
	return plural.Count(s.Warn, "warning") + among(s.security.Warn)
}

// String is the outcome as titles and the last line show it: "CONFORMANT, 3 warnings", "NOTHING
// FOUND, partial run".
func (s standing) String() string {
	word, _ := s.headline()
	if s.excuse != "" {
		word += ", " + s.excuse
	}
	return s.complete(word)
}

// complete adds to a word for the outcome what it must not be told without.
func (s standing) complete(word string) string {
	if s.since != "" {
		word += ", since " + s.since
	}
	for _, more := range []string{s.remark(), s.extent} {
		if more != "" {
			word += ", " + more
		}
	}
	return word
}

// established is an outcome or status as tables show it. In a partial run nothing
// more than what was selected is known to be in order.
func (v view) established(word string, n Counts) string {
	switch {
	case v.r.Summary.Scope == Full || word != string(Conformant) && word != string(ProfilePassed):
		return word
	case n.Warn > 0:
		return "no failures"
	}
	return "nothing found"
}

// outcome is the last line.
func (c *console) outcome() {
	s := &c.r.Summary
	if !c.o.Quiet {
		c.Line()
	}
	said := c.standing()
	headline, as := said.headline()
	word := said.String()
	warnings := plural.Count(s.Warn, "warning") + among(s.Security.Warn)
	if c.o.Strict && s.Warn > 0 {
		warnings += " (counted as failures)"
	}
	parts := []string{fmt.Sprintf("%d passed", s.Pass), fmt.Sprintf("%d failed", s.Fail) + among(s.Security.Fail), warnings,
		fmt.Sprintf("%d not applicable", s.NotApplicable), fmt.Sprintf("%d blocked", s.Blocked)}
	if said.Outcome == Conformant && said.remark() != "" {
		parts = slices.Delete(parts, 2, 3) // it has been said
	}
	if s.Observations > 0 {
		parts = append(parts, plural.Count(s.Observations, "observation"))
	}
	parts = append(parts, c.baselineRemarks()...)
	named := 3
	if c.o.Verbose {
		named = everything
	}
	scope := c.scope(named)
	text := fmt.Sprintf("%s; %s; %.1f s", strings.Join(parts, ", "), scope, s.DurationMS/1000)
	if by := c.r.Summary.ByRevision(); by != "" {
		text = by + "; " + text
	}
	if lost := c.r.Lost(); lost != "" && headline == "NOT ESTABLISHED" {
		text = lost + "; " + text
	} else if lost != "" {
		text += "; not established: " + lost
	}
	if c.r.DeclaresNoResources() {
		text += "; the target " + noResources
	}
	if s.Interrupted != "" {
		text += "; ended early: " + c.r.EndedEarly()
	}
	for _, l := range c.led(terminal.Bold+";"+verdictColor(as), word, word+"  "+text, c.lastWidth()) {
		c.Line(l)
	}
}

// lastWidth is the width of the last line, which programs read where nobody said how wide a line is.
func (c *console) lastWidth() int {
	if c.o.Width == 0 {
		return 1 << 20
	}
	return c.Width
}
