package write

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/reports"
)

// unjudged says in a line each which entries of the baseline were not judged, and why: a few
// of them, since a run of one combination leaves most of a long baseline unjudged.
func (c *console) unjudged() {
	const few = 6
	b := c.Summary.Baseline
	if b == nil {
		return
	}
	for _, e := range b.NotJudged[:min(few, len(b.NotJudged))] {
		var why []string
		for _, x := range c.Only(e.Matches) {
			why = with(why, x.ReasonCode)
		}
		text := fmt.Sprintf("%-7s %s:%d: %s could not be judged", "known", b.File, e.Line, e)
		c.short(reports.Blocked, text+maybe(" (%s)", strings.Join(why, ", "))+
			": if what it excuses is mended, remove the entry")
	}
	if more := len(b.NotJudged) - few; more > 0 {
		c.short(reports.Blocked,
			fmt.Sprintf("%-7s %s: %d more could not be judged; without --quiet they are listed", "known",
				b.File, more))
	}
}

// baseline lists the entries of the baseline that need attention.
func (c *console) baseline() {
	for _, p := range partsOf(c.Summary.Baseline) {
		c.Title(fmt.Sprintf("%s  %d: %s", strings.ToUpper(p.Title), len(p.Entries), p.Means))
		if p.Kind == kindMissing && !c.Verbose {
			c.Line("  (--verbose lists them)")
			continue
		}
		for _, e := range p.Entries {
			c.baselineEntry(&p, e)
		}
	}
}

func (c *console) baselineEntry(p *baselinePart, e reports.BaselineEntry) {
	head := fmt.Sprintf("%s  (%s:%d)", e, p.File, e.Line)
	c.Text(2, looks[p.As].color, clean(head, consoleText))
	c.labelled(4, "until", e.Until)
	c.labelled(4, "reason", e.Reason)
	for _, x := range c.EntryVerdicts(p, e) {
		label := x[0]
		if label == string(reports.NotApplicable) {
			label = "n/a"
		}
		c.labelled(4, label, x[1])
	}
}

// excuses lists the red verdicts that the baseline excuses, each with its reason.
func (c *console) excuses() {
	list := c.Excused()
	if len(list) == 0 {
		return
	}
	c.Title("EXCUSED BY THE BASELINE  " + found(list) +
		": they stay what they are, and spare the exit status")
	for _, f := range list {
		x := f.Result
		c.Line()
		c.Head("~ ", looks[x.Verdict].color, safe.Line(x.ID+"  "+x.Title))
		c.labelled(2, "excuse", x.ExcusedReason)
		c.labelled(2, "verdict", string(x.Verdict)+" in "+f.Places())
		c.labelled(2, "also", strings.Join(f.Also(), "\n"))
		c.labelled(2, "actual", x.Actual)
	}
}

// brief is the quiet form: one line for each finding that is not excused, and for
// each cause for which a requirement that must hold could not be judged.
func (c *console) brief() {
	for _, g := range c.findings(unexcused) {
		x := g.Result
		text := fmt.Sprintf("%-7s %s  %s", x.Verdict, x.ID, cmp.Or(x.Actual, x.Reason, x.Title))
		text += "  (" + maybe("%s in ", asked(c.Report, x)) + g.Places() + ")" + maybe(", also %s",
			g.Named())
		c.short(x.Verdict, text)
	}
	for _, t := range tally(c.Only(func(x *reports.Result) bool {
		return x.Verdict == reports.Blocked && x.Level == reports.LevelMust
	}), why) {
		const few = 6
		c.short(reports.Blocked, fmt.Sprintf("%-7s %s  %s", reports.Blocked, c.list(t.IDs, few),
			cmp.Or(t.Text, t.Code)))
	}
	if c.Observed {
		c.observed()
	}
}

// short writes a text that is cut rather than wrapped, in the colour of a verdict.
func (c *console) short(as reports.Verdict, text string) {
	c.Line(c.Paint(looks[as].color, safe.Shorten(safe.Line(text), 4*c.Width)))
}

// idleCodes are the reason codes for which there was no occasion, in the order in
// which they are shown: what the user can help comes first.
var idleCodes = []struct{ code, means string }{
	{reports.CodeNeedsConfig, "the target file has to say something first; \"mcpcheck init\" writes one"},
	{reports.CodeNeedsSubject, "the target offers nothing to judge it on"},
	{reports.CodeNotExercised, "the other side gave no occasion"},
	{reports.CodeOptedOut, "the target file leaves it out"},
}

// notExercised counts what was not exercised. Verbose output lists it by reasons: requirements with the same
// one stand together.
func (c *console) notExercised() {
	reasons := c.IdleFor()
	if len(reasons) == 0 {
		return
	}
	how := " (--verbose lists them)"
	if c.Verbose {
		how = ""
	}
	c.Title("NOT EXERCISED  " + counted(reasons) + ": there was no occasion" + how)
	for _, code := range idleCodes {
		list := slices.DeleteFunc(slices.Clone(reasons), func(t *tallied) bool { return t.Code != code.code })
		if len(list) == 0 {
			continue
		}
		c.paragraph(2, code.code, counted(list)+": "+code.means)
		if !c.Verbose {
			continue
		}
		slices.SortStableFunc(list, func(a, b *tallied) int { return cmp.Compare(len(b.IDs), len(a.IDs)) })
		for _, t := range list {
			c.paragraph(4, "", strings.TrimSpace(strings.Join(t.IDs, ", ")+"  "+safe.Shorten(t.Text,
				consoleFrame)))
		}
	}
}

// counted says for how many requirements and verdicts there are reasons.
func counted(list []*tallied) string {
	var all []*reports.Result
	for _, t := range list {
		all = append(all, t.Results...)
	}
	if n := distinctIDs(all); n != len(all) {
		return plural.Count(n, "requirement") + ", " + plural.Count(len(all), "verdict")
	}
	return plural.Count(len(all), "requirement")
}

func (c *console) groups() {
	for _, part := range c.Groups() {
		c.Title(strings.ToUpper(part.Title) + "  " + found(part.List) + maybe(": %s", part.Means))
		for _, f := range part.List {
			c.finding(f)
		}
	}
	c.excuses()
	c.baseline()
}

// found says how many findings there are, and for how many verdicts they stand.
func found(list []*finding) string {
	n := 0
	for _, f := range list {
		n += len(f.all())
	}
	return plural.Count(len(list), "finding") + ", " + plural.Count(n, "verdict")
}

func (c *console) finding(f *finding) {
	x := f.Result
	c.Line()
	c.Head(x.Verdict.Sign()+" ", looks[x.Verdict].color, safe.Line(x.ID+"  "+x.Title))
	level := x.Level + ", " + x.Section
	if x.Verdict == reports.Warn {
		level += maybe(" (a warning: %s)", x.Reason)
	}
	c.labelled(2, "level", level)
	c.labelled(2, "rule", f.Demand())
	c.copied("link", safe.Line(x.Link))
	c.labelled(2, "in", f.Places())
	if c.Verbose {
		c.labelled(2, "also", strings.Join(f.Also(), "\n"))
	} else {
		c.labelled(2, "also", f.Named())
	}
	c.labelled(2, "expected", x.Expected)
	c.labelled(2, "actual", f.Seen())
	if x.Verdict != reports.Warn && x.Reason != x.Actual {
		c.labelled(2, "because", x.Reason)
	}
	c.labelled(2, "change", x.Hint)
	c.labelled(2, "sdk", x.SDK)
	c.evidence(x)
	c.commands(x, repeated(x))
}

func (c *console) evidence(x *reports.Result) {
	limit, frames, how := consoleShort, consoleFrames, " (--verbose)"
	switch {
	case c.whole:
		limit, how = consoleFrame, ""
	case c.Verbose:
		limit, frames, how = consoleVerbose, 10*consoleFrames, ""
	case x.Deciding > 0:
		frames = min(x.Deciding, frames)
	}
	seen := metadata{}
	for i, number := range x.Evidence {
		if i == frames {
			c.Line(c.Paint(terminal.Dim, "    and "+plural.Count(len(x.Evidence)-i, "message")+" more"+how))
			return
		}
		f := c.Frame(number)
		if f == nil {
			continue
		}
		for i, line := range FrameLines(near(x, seen.once(f), limit), limit) {
			for k, l := range terminal.WrapJSON(line, c.Width-6) {
				pad := "    "
				if i+k > 0 {
					pad = "      "
				}
				c.Line(pad, c.Paint(terminal.Cyan, l))
			}
		}
	}
}

// commands writes how a result is seen again; of a finding that breaks several requirements the first shows
// what one change mends.
func (c *console) commands(x *reports.Result, repeat string) {
	c.copied(pasted(c.Report, x))
	c.copied("repeat", repeat)
}

// copied writes a link or a command, if there is one. They are not wrapped: they are there to be copied.
func (c *console) copied(label, text string) {
	if text != "" {
		c.Line("  ", c.Paint(terminal.Dim, fmt.Sprintf("%-10s", label)), text)
	}
}

func (c *console) observations() {
	order := c.Sightings()
	if len(order) == 0 {
		return
	}
	c.Title(fmt.Sprintf("OBSERVATIONS  %s, seen %s: no rule is broken, but you may want to know",
		plural.Count(len(order), "finding"), plural.Count(len(c.Observations), "time")))
	limit, forms := 40, 2
	if c.Verbose {
		limit, forms = len(order), everything
	}
	for _, k := range order[:min(limit, len(order))] {
		c.Text(2, "", clean(k.head(), consoleText))
		for _, s := range k.Said[:min(forms, len(k.Said))] {
			c.labelled(4, "", safe.Shorten(k.Detail(s), consoleFrame))
			c.labelled(4, "in", c.Where(s.Where))
		}
		if more := k.More(forms); more > 0 {
			c.labelled(4, "", fmt.Sprintf("and %d more (--verbose)", more))
		}
	}
	if more := len(order) - limit; more > 0 {
		c.Line(fmt.Sprintf("  and %d more", more))
	}
}

// observed writes a line for each observation.
func (c *console) observed() {
	for _, k := range c.Sightings() {
		for _, s := range k.Said {
			text := fmt.Sprintf("%-7s %s  %s", "seen", cmp.Or(s.First.Requirement, k.ID),
				cmp.Or(s.First.Detail, s.First.Title))
			c.Line(safe.Shorten(safe.Line(text), 4*c.Width))
		}
	}
}

// blocked lists what could not be judged, by the reason, because one cause
// blocks many requirements.
func (c *console) blocked() {
	reasons := c.BlockedBy()
	if len(reasons) == 0 {
		return
	}
	c.Title(fmt.Sprintf("BLOCKED  %s: something broke, so that these could not be judged",
		plural.Count(c.Summary.Blocked, "verdict")))
	for _, t := range reasons {
		c.Line("  ", c.Paint(terminal.Bold, word(t.Code)), fmt.Sprintf(" %d", len(t.Results)))
		c.labelled(4, "", t.Text)
		c.labelled(4, "ids", c.list(t.IDs, 24))
		c.labelled(4, "in", c.Where(t.Results))
		c.evidence(t.First)
		c.commands(t.First, t.Command)
		c.labelled(2, "", t.Remark)
	}
}
