package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/terminal"
)

// cause is what verdicts of one requirement have in common that are one finding. The
// texts are those of reports that have no codes of causes.
type cause struct {
	id      string
	verdict Verdict
	code    string
	cause   string
	texts   [4]string
	excused bool
	excuse  string
}

// Finding is a red result with all that it rests on, frames included, as a test shows it.
func (r *Report) Finding(x *Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s (%s, %s)\nexpected: %s\nactual:   %s", x.Level, x.Title, x.Revision, x.Section, x.Expected, x.Actual)
	if x.Hint != "" {
		fmt.Fprintf(&b, "\nchange:   %s", x.Hint)
	}
	if x.Rerun != "" {
		fmt.Fprintf(&b, "\nrepeat:   %s", x.Rerun)
	}
	for _, n := range x.Evidence {
		if f := r.Frame(n); f != nil {
			const most = 1000
			fmt.Fprintf(&b, "\n%3d %-4s %s %s", f.Number, f.Direction, f.Channel, Sanitize(Shorten(f.Note+string(f.Data), most)))
		}
	}
	return b.String()
}

// finding is one cause with the results that share it.
type finding struct {
	results []*Result
}

func (x *Result) cause() cause {
	k := cause{id: x.ID, verdict: x.Verdict, code: x.ReasonCode, cause: x.Cause, excused: x.Excused, excuse: x.ExcusedReason}
	if x.Cause == "" {
		k.texts = [4]string{x.Reason, x.Expected, x.Actual, x.Hint}
	}
	return k
}

// actual is what was seen, and where, if it reads differently elsewhere.
func (f *finding) actual() string {
	x := f.results[0]
	if slices.ContainsFunc(f.results, func(y *Result) bool { return y.Actual != x.Actual }) {
		return x.Actual + " (in " + x.Revision + " on " + x.Transport + ")"
	}
	return x.Actual
}

// group joins results that share a cause, the gravest verdicts first, then in
// the order of the report.
func group(r *Report, keep func(*Result) bool) []*finding {
	var list []*finding
	for _, results := range grouped(r.only(keep), (*Result).cause) {
		list = append(list, &finding{results})
	}
	slices.SortStableFunc(list, func(a, b *finding) int { return byGravity(a.results[0], b.results[0]) })
	return list
}

// byGravity puts the gravest verdicts first.
func byGravity(a, b *Result) int {
	order := Verdicts()
	return cmp.Compare(slices.Index(order, a.Verdict), slices.Index(order, b.Verdict))
}

func (c *console) findings() {
	for _, part := range []struct {
		title string
		list  []*finding
	}{{"FAILURES", c.counted(Fail)}, {"WARNINGS", c.counted(Warn)}} {
		list := part.list
		if len(list) == 0 {
			continue
		}
		c.Title(fmt.Sprintf("%s  %s, %s", part.title, count(len(list), "finding"), count(verdictsOf(list), "verdict")))
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
		n += len(f.results)
	}
	return n
}

// marks stand before results.
var marks = map[Verdict]string{Pass: "✓", Fail: "✗", Warn: "!", Blocked: "?", NotApplicable: "·"}

func (c *console) finding(f *finding) {
	x := f.results[0]
	c.Line()
	c.Head(marks[x.Verdict]+" ", verdictColor(x.Verdict), Sanitize(x.ID+"  "+x.Title))
	level := x.Level + ", " + x.Section
	if x.Verdict == Warn && x.Reason != "" {
		level += " (a warning: " + x.Reason + ")"
	}
	c.labelled(2, "level", level)
	if x.Link != "" {
		// Neither links nor commands are wrapped: they are there to be copied.
		c.Line("  ", c.Paint(terminal.Dim, fmt.Sprintf("%-10s", "link")), Sanitize(x.Link))
	}
	c.labelled(2, "in", c.where(f.results))
	c.labelled(2, "expected", x.Expected)
	c.labelled(2, "actual", f.actual())
	if x.Verdict != Warn && x.Reason != x.Actual {
		c.labelled(2, "because", x.Reason)
	}
	c.labelled(2, "change", x.Hint)
	c.evidence(x)
	if command := x.repeated(); command != "" {
		c.Line("  ", c.Paint(terminal.Dim, fmt.Sprintf("%-10s", "repeat")), command)
	}
}

func (c *console) evidence(x *Result) {
	limit, count := consoleFrame, consoleFrames
	if c.o.Verbose {
		limit, count = consoleVerbose, 10*consoleFrames
	}
	for i, number := range x.Evidence {
		if i == count {
			c.Line(c.Paint(terminal.Dim, fmt.Sprintf("    and %d frames more", len(x.Evidence)-i)))
			return
		}
		f := c.r.Frame(number)
		if f == nil {
			continue
		}
		for k, l := range terminal.WrapJSON(frameLine(f, limit), c.Width-6) {
			pad := "    "
			if k > 0 {
				pad = "      "
			}
			c.Line(pad, c.Paint(terminal.Cyan, l))
		}
		for _, name := range telling {
			for _, v := range f.Headers.Values(name) {
				if c.o.Verbose {
					c.Text(8, terminal.Dim, Sanitize(Shorten(name+": "+v, 200)))
				}
			}
		}
	}
}

// telling are the headers that requirements are about, or that say why a request was
// refused.
var telling = []string{
	"Accept", "Content-Type", "Mcp-Protocol-Version", "Mcp-Session-Id", "Mcp-Method", "Mcp-Name", "Last-Event-Id", "Origin", "Allow", "Location",
	"Www-Authenticate", "Access-Control-Allow-Origin", "Retry-After", "Cache-Control", "X-Accel-Buffering",
}

// frameLine is a frame in one line that is safe to print: its number, an arrow
// for its direction, the HTTP part, and the beginning of its bytes.
func frameLine(f *Frame, limit int) string {
	arrow := "·"
	switch f.Direction {
	case Out:
		arrow = "→"
	case In:
		arrow = "←"
	}
	parts := []string{fmt.Sprintf("#%d", f.Number), arrow}
	if f.Method != "" {
		parts = append(parts, Sanitize(f.Method), Shorten(Sanitize(f.URL), 200))
	}
	if f.Status != 0 {
		parts = append(parts, fmt.Sprintf("HTTP %d", f.Status))
	}
	if f.Note != "" {
		parts = append(parts, Shorten(Sanitize(f.Note), limit))
	}
	if len(f.Data) > 0 {
		parts = append(parts, f.excerpt(limit))
	} else if f.Note == "" && f.Status == 0 && f.Method == "" {
		parts = append(parts, "(no content)")
	}
	return strings.Join(parts, " ")
}

// blocked lists what could not be judged, by the reason, because one cause
// blocks many requirements.
func (c *console) blocked() {
	reasons := c.blockedBy()
	if len(reasons) == 0 {
		return
	}
	c.Title(fmt.Sprintf("BLOCKED  %s: something broke, so that these could not be judged", count(c.r.Summary.Blocked, "verdict")))
	c.tallies(reasons)
}

// tallied is a reason with the requirements that it concerns.
type tallied struct {
	code, text string
	ids        []string
	count      int
}

// tally groups some results by code and text, in order of the code and then of the
// first appearance.
func tally(results []*Result, text func(*Result) string) []*tallied {
	var list []*tallied
	for _, same := range grouped(results, func(x *Result) [2]string { return [2]string{x.ReasonCode, text(x)} }) {
		t := &tallied{code: same[0].ReasonCode, text: text(same[0]), count: len(same)}
		for _, x := range same {
			t.ids = append(t.ids, x.ID)
		}
		slices.SortFunc(t.ids, CompareIDs)
		t.ids = slices.Compact(t.ids)
		list = append(list, t)
	}
	slices.SortStableFunc(list, func(a, b *tallied) int { return cmp.Compare(a.code, b.code) })
	return list
}

func (c *console) tallies(list []*tallied) {
	for _, t := range list {
		c.Line("  ", c.Paint(terminal.Bold, Sanitize(Shorten(t.code, 40))), fmt.Sprintf(" %d", t.count))
		c.labelled(4, "", t.text)
		c.labelled(4, "ids", c.list(t.ids, 24))
	}
}

// seen is an observation with the combinations in which it was made.
type seen struct {
	first *Observation
	where []*Result
}

// observed joins observations that say the same, in the order of the report.
func observed(r *Report) []*seen {
	var order []*seen
	for _, same := range grouped(r.Observations, func(x Observation) [2]string { return [2]string{x.ID, x.Detail} }) {
		s := &seen{first: &same[0]}
		for _, x := range same {
			if x.Revision != "" {
				s.where = append(s.where, &Result{Revision: x.Revision, Transport: x.Transport})
			}
		}
		order = append(order, s)
	}
	return order
}

func (c *console) observations() {
	order := observed(c.r)
	if len(order) == 0 {
		return
	}
	c.Title(fmt.Sprintf("OBSERVATIONS  %s, seen %s: no rule is broken, but you may want to know",
		count(len(order), "finding"), count(len(c.r.Observations), "time")))
	const limit = 40
	for i, s := range order {
		if i == limit && !c.o.Verbose {
			c.Line(fmt.Sprintf("  and %d more", len(order)-i))
			return
		}
		head := s.first.ID + "  " + s.first.Title
		if s.first.Requirement != "" {
			head += " (" + s.first.Requirement + ")"
		}
		for _, l := range terminal.Wrap(Sanitize(Shorten(head, consoleText)), c.Width-2) {
			c.Line("  ", l)
		}
		c.labelled(4, "", Shorten(s.first.Detail, consoleFrame))
		c.labelled(4, "in", c.where(s.where))
	}
}
