package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
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
	Line int    `json:"line"`
	ID   string `json:"id"`
	// Revision and Transport are empty where the entry is about all.
	Revision  string `json:"revision,omitempty"`
	Transport string `json:"transport,omitempty"`
	// Until is the last day on which it holds, as 2027-03-31.
	Until  string `json:"until,omitempty"`
	Reason string `json:"reason"`
	// Verdicts are those in this run that the entry is about.
	Verdicts []BaselineVerdict `json:"verdicts"`
}

// BaselineVerdict is a verdict that an entry is about.
type BaselineVerdict struct {
	Revision  string  `json:"revision"`
	Transport string  `json:"transport"`
	Verdict   Verdict `json:"verdict"`
}

// String is the entry as it stands in a baseline, without its date and reason:
// "PAGE-02 @2025-11-25 @http".
func (e *BaselineEntry) String() string {
	s := e.ID
	if e.Revision != "" {
		s += " @" + e.Revision
	}
	if e.Transport != "" {
		s += " @" + e.Transport
	}
	return s
}

// Matches reports whether an entry is about a verdict.
func (e *BaselineEntry) Matches(id, revision, transport string) bool {
	return e.ID == id && (e.Revision == "" || e.Revision == revision) && (e.Transport == "" || e.Transport == transport)
}

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
	case red > 0 && n.Pass > 0:
		b.TooWide = append(b.TooWide, e)
	case red > 0:
	case n.Pass > 0 && n.Blocked == 0 && !(narrowed && (e.Revision == "" || e.Transport == "")):
		b.Stale = append(b.Stale, e)
	default:
		b.NotJudged = append(b.NotJudged, e)
	}
}

// The kinds of entries that need attention.
const (
	kindExpired   = "expired"
	kindStale     = "stale"
	kindNotJudged = "not judged"
	kindTooWide   = "too wide"
	kindMissing   = "missing" // about nothing that was part of the run
)

// baselinePart is what became of some entries of a baseline.
type baselinePart struct {
	// kind is a word or two for machines and sentences, title what the list is called.
	kind, title, means string
	// outdated says that the entries make the run end with a finding, known that the
	// run shows whether they are needed.
	outdated, known bool
	as              Verdict // whose colour it has
	entries         []BaselineEntry
	// shown says which verdicts explain why an entry is listed.
	shown func(Verdict) bool
	// advice ends the sentence about an entry.
	advice func(*BaselineEntry) string
}

// parts lists the entries that need attention, by what became of them, the gravest
// first. It is empty for nil.
func (b *BaselineSummary) parts() []baselinePart {
	if b == nil {
		return nil
	}
	every := func(Verdict) bool { return true }
	passes := func(v Verdict) bool { return v == Pass }
	say := func(s string) func(*BaselineEntry) string { return func(*BaselineEntry) string { return s } }
	return slices.DeleteFunc([]baselinePart{
		{kindExpired, "expired baseline entries", "past their date, they excuse nothing", true, true, Fail, b.Expired, every, func(e *BaselineEntry) string {
			return "held until " + e.Until + "; fix what it excuses, or give it a new date"
		}},
		{kindStale, "stale baseline entries", "what they excuse passes now; remove them", true, true, Fail, b.Stale, passes, say("passes now; remove it")},
		{kindNotJudged, "baseline entries not judged", "whether they are still needed is not known", false, false, Blocked, b.NotJudged, every, say("could not be judged; if what it excuses is mended, remove it")},
		{kindTooWide, "baseline entries too wide", "they match what passes, too; narrow them", false, true, Warn, b.TooWide, passes, say("matches what passes, too; narrow it")},
		{kindMissing, "baseline entries outside of the run", "nothing that they are about was part of it", false, false, NotApplicable, b.Missing, every, say("is about nothing that was part of this run")},
	}, func(p baselinePart) bool { return len(p.entries) == 0 })
}

// sentence says with file and line what became of an entry.
func (b *BaselineSummary) sentence(p *baselinePart, e *BaselineEntry) string {
	return fmt.Sprintf("%s:%d: baseline entry %s: %s %s", b.File, e.Line, p.kind, e, p.advice(e))
}

// Sentences says, one sentence for each entry, which are expired and which are
// stale, with file and line. It is empty for nil.
func (b *BaselineSummary) Sentences() []string {
	var all []string
	for _, p := range b.parts() {
		for i := range p.entries {
			if p.outdated {
				all = append(all, b.sentence(&p, &p.entries[i]))
			}
		}
	}
	return all
}

// unjudged says in a line each which entries of the baseline were not judged, and why: a few
// of them, since a run of one combination leaves most of a long baseline unjudged.
func (c *console) unjudged() {
	const few = 6
	b := c.r.Summary.Baseline
	if b == nil {
		return
	}
	for i := range b.NotJudged[:min(few, len(b.NotJudged))] {
		e := &b.NotJudged[i]
		var why []string
		for j := range c.r.Results {
			x := &c.r.Results[j]
			if code := x.ReasonCode; code != "" && e.Matches(x.ID, x.Revision, x.Transport) && !slices.Contains(why, code) {
				why = append(why, code)
			}
		}
		text := fmt.Sprintf("%-7s %s:%d: %s could not be judged", "known", b.File, e.Line, e)
		if len(why) > 0 {
			text += " (" + strings.Join(why, ", ") + ")"
		}
		text += ": if what it excuses is mended, remove the entry"
		c.Line(c.Paint(verdictColor(Blocked), safe.Shorten(safe.Line(text), 4*c.Width)))
	}
	if more := len(b.NotJudged) - few; more > 0 {
		c.Line(c.Paint(verdictColor(Blocked), fmt.Sprintf("%-7s %s: %d more could not be judged; without --quiet they are listed", "known", safe.Line(b.File), more)))
	}
}

// entryVerdicts says in which combinations an entry has which of the verdicts that explain
// why it is listed: the name of the verdict, then the combinations.
func (v view) entryVerdicts(p *baselinePart, e *BaselineEntry) [][2]string {
	var all [][2]string
	for _, verdict := range Verdicts() {
		var where []*Result
		for _, x := range e.Verdicts {
			if x.Verdict == verdict && p.shown(verdict) {
				where = append(where, &Result{Revision: x.Revision, Transport: x.Transport})
			}
		}
		if len(where) > 0 {
			all = append(all, [2]string{string(verdict), v.where(where)})
		}
	}
	return all
}

// baseline lists the entries of the baseline that need attention.
func (c *console) baseline() {
	b := c.r.Summary.Baseline
	for _, p := range b.parts() {
		c.Title(fmt.Sprintf("%s  %d: %s", strings.ToUpper(p.title), len(p.entries), p.means))
		if p.kind == kindMissing && !c.o.Verbose {
			c.Line("  (--verbose lists them)")
			continue
		}
		for i := range p.entries {
			c.baselineEntry(b.File, &p, &p.entries[i])
		}
	}
}

func (c *console) baselineEntry(file string, p *baselinePart, e *BaselineEntry) {
	head := fmt.Sprintf("%s  (%s:%d)", e, file, e.Line)
	for _, l := range terminal.Wrap(clean(head, consoleText), c.Width-2) {
		c.Line("  ", c.Paint(verdictColor(p.as), l))
	}
	if e.Until != "" {
		c.labelled(4, "until", e.Until)
	}
	c.labelled(4, "reason", e.Reason)
	for _, x := range c.entryVerdicts(p, e) {
		label := x[0]
		if label == string(NotApplicable) {
			label = "n/a"
		}
		c.labelled(4, label, x[1])
	}
}

// excuses lists the red verdicts that the baseline excuses, each with its reason.
func (c *console) excuses() {
	list := c.excused()
	if len(list) == 0 {
		return
	}
	c.Title(fmt.Sprintf("EXCUSED BY THE BASELINE  %s, %s: they stay what they are, and spare the exit status",
		plural.Count(len(list), "finding"), plural.Count(verdictsOf(list), "verdict")))
	for _, f := range list {
		x := f.results[0]
		c.Line()
		c.Head("~ ", verdictColor(x.Verdict), safe.Line(x.ID+"  "+x.Title))
		c.labelled(2, "excuse", x.ExcusedReason)
		c.labelled(2, "verdict", string(x.Verdict)+" in "+c.places(f))
		c.labelled(2, "also", strings.Join(c.also(f), "\n"))
		c.labelled(2, "actual", x.Actual)
	}
}

// baselineRemarks is what the last line says of the baseline beside the outcome.
func (v view) baselineRemarks() []string {
	s := &v.r.Summary
	var parts []string
	told := v.r.excusal() != "" && (s.Excused == s.Fail || s.Fail == 0)
	if !told && (s.Excused > 0 || s.Baseline != nil) {
		parts = append(parts, fmt.Sprintf("%d excused by the baseline", s.Excused))
	}
	for _, p := range s.Baseline.parts() {
		switch n := len(p.entries); {
		case !p.outdated:
		case n == 1:
			parts = append(parts, "1 "+p.kind+" baseline entry")
		default:
			parts = append(parts, fmt.Sprintf("%d %s baseline entries", n, p.kind))
		}
	}
	return parts
}

// excuse says in one line why a red verdict is excused; empty if it is not.
func (x *Result) excuse() string {
	if !x.Excused || !x.Verdict.Red() {
		return ""
	}
	return strings.TrimSuffix("excused by the baseline: "+x.ExcusedReason, ": ")
}
