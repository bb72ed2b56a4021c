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
		c.Line(c.Paint(verdictColor(reports.Blocked), safe.Shorten(safe.Line(text), 4*c.Width)))
	}
	if more := len(b.NotJudged) - few; more > 0 {
		c.Line(c.Paint(verdictColor(reports.Blocked), fmt.Sprintf("%-7s %s: %d more could not be judged; without --quiet they are listed", "known", safe.Line(b.File), more)))
	}
}

// baseline lists the entries of the baseline that need attention.
func (c *console) baseline() {
	b := c.r.Summary.Baseline
	for _, p := range partsOf(b) {
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

func (c *console) baselineEntry(file string, p *baselinePart, e *reports.BaselineEntry) {
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
		if label == string(reports.NotApplicable) {
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

// brief is the quiet form: one line for each finding that is not excused, and for
// each cause for which a requirement that must hold could not be judged.
func (c *console) brief() {
	for _, g := range findings(c.r, func(x *reports.Result) bool { return x.Verdict.Red() && !x.Excused }) {
		x := g.results[0]
		text := fmt.Sprintf("%-7s %s  %s", x.Verdict, x.ID, cmp.Or(x.Actual, x.Reason, x.Title))
		text += "  (" + strings.TrimPrefix(asked(c.r, x)+" in ", " in ") + c.places(g) + ")"
		if len(g.also) > 0 {
			text += ", also " + g.named()
		}
		c.Line(c.Paint(verdictColor(x.Verdict), safe.Shorten(safe.Line(text), 4*c.Width)))
	}
	for _, t := range tally(c.r.Only(func(x *reports.Result) bool { return x.Verdict == reports.Blocked && x.Level == reports.LevelMust }), why) {
		const few = 6
		text := fmt.Sprintf("%-7s %s  %s", reports.Blocked, c.list(t.ids, few), cmp.Or(t.text, t.code))
		c.Line(c.Paint(verdictColor(reports.Blocked), safe.Shorten(safe.Line(text), 4*c.Width)))
	}
	if c.o.Observed {
		c.observed()
	}
}

// idleCodes are the reason codes for which there was no occasion, in the order in
// which they are shown: what the user can help comes first.
var idleCodes = []struct{ code, means string }{
	{reports.CodeNeedsConfig, "the target file has to say something first; \"mcpcheck init\" writes one"},
	{reports.CodeNeedsSubject, "the target offers nothing to judge it on"},
	{reports.CodeNotExercised, "the other side gave no occasion"},
	{reports.CodeOptedOut, "the target file leaves it out"},
}

// notExercised counts what was not exercised. Verbose output lists it by reasons: requirements with the same one
// stand together.
func (c *console) notExercised() {
	reasons := c.idleFor()
	if len(reasons) == 0 {
		return
	}
	how := " (--verbose lists them)"
	if c.o.Verbose {
		how = ""
	}
	byCode := map[string][]*tallied{}
	for _, t := range reasons {
		byCode[t.code] = append(byCode[t.code], t)
	}
	c.Title("NOT EXERCISED  " + counted(reasons) + ": there was no occasion" + how)
	for _, code := range idleCodes {
		list := byCode[code.code]
		if len(list) == 0 {
			continue
		}
		c.paragraph(2, code.code, counted(list)+": "+code.means)
		if !c.o.Verbose {
			continue
		}
		slices.SortStableFunc(list, func(a, b *tallied) int { return cmp.Compare(len(b.ids), len(a.ids)) })
		for _, t := range list {
			c.paragraph(4, "", strings.TrimSpace(strings.Join(t.ids, ", ")+"  "+safe.Shorten(t.text, consoleFrame)))
		}
	}
}

// counted says for how many requirements and verdicts there are reasons.
func counted(list []*tallied) string {
	ids, verdicts := []string{}, 0
	for _, t := range list {
		ids = append(ids, t.ids...)
		verdicts += len(t.results)
	}
	if n := distinct(ids); n != verdicts {
		return plural.Count(n, "requirement") + ", " + plural.Count(verdicts, "verdict")
	}
	return plural.Count(verdicts, "requirement")
}

// distinct is how many different ids there are.
func distinct(ids []string) int {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return len(slices.Compact(ids))
}

func (c *console) findings() {
	for _, part := range c.groups() {
		list := part.list
		c.Title(fmt.Sprintf("%s  %s, %s", strings.ToUpper(part.title), plural.Count(len(list), "finding"), plural.Count(verdictsOf(list), "verdict")))
		for _, f := range list {
			c.finding(f)
		}
	}
	c.excuses()
	c.baseline()
}

// verdictsOf is how many verdicts findings stand for.
func verdictsOf(list []*finding) int {
	n := 0
	for _, f := range list {
		n += len(f.all())
	}
	return n
}

func (c *console) finding(f *finding) {
	x := f.results[0]
	c.Line()
	c.Head(x.Verdict.Sign()+" ", verdictColor(x.Verdict), safe.Line(x.ID+"  "+x.Title))
	level := x.Level + ", " + x.Section
	if x.Verdict == reports.Warn && x.Reason != "" {
		level += " (a warning: " + x.Reason + ")"
	}
	c.labelled(2, "level", level)
	if x.Link != "" {
		// Neither links nor commands are wrapped: they are there to be copied.
		c.Line("  ", c.Paint(terminal.Dim, fmt.Sprintf("%-10s", "link")), safe.Line(x.Link))
	}
	c.labelled(2, "in", c.places(f))
	if c.o.Verbose {
		c.labelled(2, "also", strings.Join(c.also(f), "\n"))
	} else {
		c.labelled(2, "also", f.named())
	}
	c.labelled(2, "expected", x.Expected)
	c.labelled(2, "actual", f.actual())
	if x.Verdict != reports.Warn && x.Reason != x.Actual {
		c.labelled(2, "because", x.Reason)
	}
	c.labelled(2, "change", x.Hint)
	c.evidence(x)
	c.commands(x, repeated(x))
}

func (c *console) evidence(x *reports.Result) {
	limit, frames, how := consoleShort, consoleFrames, " (--verbose)"
	switch {
	case c.whole:
		limit, how = consoleFrame, ""
	case c.o.Verbose:
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
		f := c.r.Frame(number)
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

// commands writes how a result is seen again; of a finding that breaks several requirements the first shows what
// one change mends. They are not wrapped: they are there to be copied.
func (c *console) commands(x *reports.Result, repeat string) {
	label, text := pasted(c.r, x)
	for _, command := range [][2]string{{label, text}, {"repeat", repeat}} {
		if command[1] != "" {
			c.Line("  ", c.Paint(terminal.Dim, fmt.Sprintf("%-10s", command[0])), command[1])
		}
	}
}

func (c *console) observations() {
	order := observed(c.r)
	if len(order) == 0 {
		return
	}
	c.Title(fmt.Sprintf("OBSERVATIONS  %s, seen %s: no rule is broken, but you may want to know",
		plural.Count(len(order), "finding"), plural.Count(len(c.r.Observations), "time")))
	limit, forms := 40, 2
	if c.o.Verbose {
		limit, forms = len(order), everything
	}
	for _, k := range order[:min(limit, len(order))] {
		for _, l := range terminal.Wrap(clean(k.head(), consoleText), c.Width-2) {
			c.Line("  ", l)
		}
		for _, s := range k.said[:min(forms, len(k.said))] {
			c.labelled(4, "", safe.Shorten(k.detail(s), consoleFrame))
			c.labelled(4, "in", c.where(s.where))
		}
		if more := len(k.said) - forms; more > 0 {
			c.labelled(4, "", fmt.Sprintf("and %d more (--verbose)", more))
		}
	}
	if more := len(order) - limit; more > 0 {
		c.Line(fmt.Sprintf("  and %d more", more))
	}
}

// observed writes a line for each observation.
func (c *console) observed() {
	for _, k := range observed(c.r) {
		for _, s := range k.said {
			text := fmt.Sprintf("%-7s %s  %s", "seen", cmp.Or(s.first.Requirement, k.id), cmp.Or(s.first.Detail, s.first.Title))
			c.Line(safe.Shorten(safe.Line(text), 4*c.Width))
		}
	}
}

// blocked lists what could not be judged, by the reason, because one cause
// blocks many requirements.
func (c *console) blocked() {
	reasons := c.blockedBy()
	if len(reasons) == 0 {
		return
	}
	c.Title(fmt.Sprintf("BLOCKED  %s: something broke, so that these could not be judged", plural.Count(c.r.Summary.Blocked, "verdict")))
	for _, t := range reasons {
		c.Line("  ", c.Paint(terminal.Bold, clean(t.code, 40)), fmt.Sprintf(" %d", len(t.results)))
		c.labelled(4, "", t.text)
		c.labelled(4, "ids", c.list(t.ids, 24))
		c.labelled(4, "in", c.where(t.results))
		c.evidence(t.first)
		command, remark := t.repeated()
		c.commands(t.first, command)
		c.labelled(2, "", remark)
	}
}
