package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// cause is what makes verdicts of one requirement in several combinations the
// same finding.
type cause struct {
	id       string
	verdict  Verdict
	code     string
	reason   string
	expected string
	actual   string
	hint     string
	excused  bool
}

// finding is one cause with the results that share it.
type finding struct {
	results []*Result
}

// group joins results that share a cause, the gravest verdicts first, then in
// the order of the report.
func group(r *Report, keep func(*Result) bool) []*finding {
	var list []*finding
	byCause := map[cause]*finding{}
	for i := range r.Results {
		x := &r.Results[i]
		if !keep(x) {
			continue
		}
		k := cause{x.ID, x.Verdict, x.ReasonCode, x.Reason, x.Expected, x.Actual, x.Hint, x.Excused}
		if byCause[k] == nil {
			byCause[k] = &finding{}
			list = append(list, byCause[k])
		}
		byCause[k].results = append(byCause[k].results, x)
	}
	slices.SortStableFunc(list, func(a, b *finding) int {
		order := Verdicts()
		return cmp.Compare(slices.Index(order, a.results[0].Verdict), slices.Index(order, b.results[0].Verdict))
	})
	return list
}

// where lists the combinations of results: "2025-06-18 on stdio, http".
func (c *console) where(results []*Result) string {
	var revisions []string
	transports := map[string][]string{}
	count := 0
	for _, x := range results {
		if transports[x.Revision] == nil {
			revisions = append(revisions, x.Revision)
		}
		if !slices.Contains(transports[x.Revision], x.Transport) {
			transports[x.Revision] = append(transports[x.Revision], x.Transport)
			count++
		}
	}
	if all := len(c.r.Summary.Combinations); count == all && all > 2 {
		return fmt.Sprintf("all %d combinations", all)
	}
	parts := make([]string, len(revisions))
	for i, rev := range revisions {
		parts[i] = rev + " on " + strings.Join(transports[rev], ", ")
	}
	return strings.Join(parts, "; ")
}

func (c *console) findings() {
	for _, part := range []struct {
		title string
		keep  func(*Result) bool
	}{
		{"FAILURES", func(x *Result) bool { return x.Verdict == Fail && !x.Excused }},
		{"WARNINGS", func(x *Result) bool { return x.Verdict == Warn && !x.Excused }},
	} {
		list := group(c.r, part.keep)
		if len(list) == 0 {
			continue
		}
		verdicts := 0
		for _, f := range list {
			verdicts += len(f.results)
		}
		c.title(fmt.Sprintf("%s  %s, %s", part.title, count(len(list), "finding"), count(verdicts, "verdict")))
		for _, f := range list {
			c.finding(f)
		}
	}
	if list := group(c.r, func(x *Result) bool { return x.Verdict.Red() && x.Excused }); len(list) > 0 {
		c.title("EXCUSED BY THE BASELINE  " + count(len(list), "finding"))
		for _, f := range list {
			x := f.results[0]
			c.labelled(2, x.ID, fmt.Sprintf("%s: %s (%s)", x.Verdict, cmp.Or(x.Actual, x.Reason, x.Title), c.where(f.results)))
		}
	}
}

func (c *console) finding(f *finding) {
	x := f.results[0]
	c.line()
	head := Sanitize(x.ID + "  " + x.Title)
	for i, l := range wrap(head, c.o.Width-4) {
		mark := "  "
		if i == 0 {
			mark = "✗ "
			if x.Verdict == Warn {
				mark = "! "
			}
		}
		c.line(c.paint(verdictColor(x.Verdict), mark), c.paint(bold, l))
	}
	level := x.Level + ", " + x.Section
	if x.Verdict == Warn && x.Reason != "" {
		level += " (a warning: " + x.Reason + ")"
	}
	c.labelled(2, "level", level)
	if x.Link != "" {
		// Neither links nor commands are wrapped: they are there to be copied.
		c.line("  ", c.paint(dim, fmt.Sprintf("%-10s", "link")), Sanitize(x.Link))
	}
	c.labelled(2, "in", c.where(f.results))
	c.labelled(2, "expected", x.Expected)
	c.labelled(2, "actual", x.Actual)
	if x.Verdict != Warn && x.Reason != x.Actual {
		c.labelled(2, "because", x.Reason)
	}
	c.labelled(2, "change", x.Hint)
	c.evidence(x)
	if c.o.Rerun != nil {
		c.line("  ", c.paint(dim, fmt.Sprintf("%-10s", "repeat")), Sanitize(c.o.Rerun(x.ID, x.Revision, x.Transport)))
	}
}

func (c *console) evidence(x *Result) {
	limit, count := consoleFrame, consoleFrames
	if c.o.Verbose {
		limit, count = consoleVerbose, 10*consoleFrames
	}
	for i, number := range x.Evidence {
		if i == count {
			c.line(c.paint(dim, fmt.Sprintf("    and %d frames more", len(x.Evidence)-i)))
			return
		}
		f := c.r.Frame(number)
		if f == nil {
			continue
		}
		for k, l := range wrapJSON(frameLine(f, limit), c.o.Width-6) {
			pad := "    "
			if k > 0 {
				pad = "      "
			}
			c.line(pad, c.paint(cyan, l))
		}
	}
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
	reasons := tally(c.r, func(x *Result) (string, string, bool) {
		return x.ReasonCode, x.Reason, x.Verdict == Blocked
	})
	if len(reasons) == 0 {
		return
	}
	c.title(fmt.Sprintf("BLOCKED  %s: something broke, so that these could not be judged", count(c.r.Summary.Blocked, "verdict")))
	c.tallies(reasons)
}

// tallied is a reason with the requirements that it concerns.
type tallied struct {
	code, text string
	ids        []string
	count      int
}

// tally groups results by code and text, in order of the code and then of the
// first appearance.
func tally(r *Report, key func(*Result) (code, text string, keep bool)) []*tallied {
	var list []*tallied
	found := map[[2]string]*tallied{}
	for i := range r.Results {
		code, text, keep := key(&r.Results[i])
		if !keep {
			continue
		}
		k := [2]string{code, text}
		if found[k] == nil {
			found[k] = &tallied{code: code, text: text}
			list = append(list, found[k])
		}
		found[k].count++
		found[k].ids = append(found[k].ids, r.Results[i].ID)
	}
	for _, t := range list {
		slices.SortFunc(t.ids, CompareIDs)
		t.ids = slices.Compact(t.ids)
	}
	slices.SortStableFunc(list, func(a, b *tallied) int { return cmp.Compare(a.code, b.code) })
	return list
}

func (c *console) tallies(list []*tallied) {
	for _, t := range list {
		c.line("  ", c.paint(bold, Sanitize(Shorten(t.code, 40))), fmt.Sprintf(" %d", t.count))
		c.labelled(4, "", t.text)
		c.labelled(4, "ids", c.list(t.ids, 24))
	}
}

func (c *console) observations() {
	type key struct{ id, detail string }
	type seen struct {
		first *Observation
		where []*Result
	}
	var order []*seen
	found := map[key]*seen{}
	for i := range c.r.Observations {
		x := &c.r.Observations[i]
		k := key{x.ID, x.Detail}
		if found[k] == nil {
			found[k] = &seen{first: x}
			order = append(order, found[k])
		}
		s := found[k]
		if x.Revision != "" {
			s.where = append(s.where, &Result{Revision: x.Revision, Transport: x.Transport})
		}
	}
	if len(order) == 0 {
		return
	}
	c.title(fmt.Sprintf("OBSERVATIONS  %s, seen %s: no rule is broken, but you may want to know",
		count(len(order), "finding"), count(len(c.r.Observations), "time")))
	const limit = 40
	for i, s := range order {
		if i == limit && !c.o.Verbose {
			c.line(fmt.Sprintf("  and %d more", len(order)-i))
			return
		}
		head := s.first.ID + "  " + s.first.Title
		if s.first.Requirement != "" {
			head += " (" + s.first.Requirement + ")"
		}
		for _, l := range wrap(Sanitize(Shorten(head, consoleText)), c.o.Width-2) {
			c.line("  ", l)
		}
		c.labelled(4, "", Shorten(s.first.Detail, consoleFrame))
		c.labelled(4, "in", c.where(s.where))
	}
}
