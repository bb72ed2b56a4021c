package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/group"
	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
)

// tallied is a reason with the results that it concerns.
type tallied struct {
	code, text string
	ids        []string
	results    []*Result
	// first is shown and repeated: one with frames, if any has some, in the combination in which most are, the
	// newest of several.
	first *Result
}

// tally groups some results by code and text, in order of the code and then of the
// first appearance.
func tally(results []*Result, text func(*Result) string) []*tallied {
	var list []*tallied
	for _, same := range group.By(results, func(x *Result) [2]string { return [2]string{x.ReasonCode, text(x)} }) {
		t := &tallied{code: same[0].ReasonCode, text: text(same[0]), results: same}
		in := map[combination]int{}
		for _, x := range same {
			t.ids = append(t.ids, x.ID)
			in[x.combination()]++
		}
		t.first = slices.MinFunc(same, func(a, b *Result) int {
			return cmp.Or(cmp.Compare(min(len(b.Evidence), 1), min(len(a.Evidence), 1)), cmp.Compare(in[b.combination()], in[a.combination()]),
				cmp.Compare(b.Revision, a.Revision))
		})
		slices.SortFunc(t.ids, CompareIDs)
		t.ids = slices.Compact(t.ids)
		list = append(list, t)
	}
	slices.SortStableFunc(list, func(a, b *tallied) int { return cmp.Compare(a.code, b.code) })
	return list
}

// repeated is the command that repeats all that is in the combination of the first result, and a remark if that is
// not all. Those whose commands differ by more than the id are left to commands of their own.
func (t *tallied) repeated() (command, remark string) {
	var ids []string
	without := func(x *Result) string { return strings.Replace(x.Rerun, "--only "+x.ID+" ", "--only ", 1) }
	for _, x := range t.results {
		if x == t.first || x.combination() == t.first.combination() && x.Rerun != without(x) && without(x) == without(t.first) {
			ids = append(ids, x.ID)
		}
	}
	all := *t.first
	all.Rerun = strings.Replace(all.Rerun, "--only "+all.ID+" ", "--only "+strings.Join(ids, ",")+" ", 1)
	command = all.repeated()
	if command == elsewhere {
		ids, command = ids[:1], t.first.repeated()
	}
	if command == "" || command == elsewhere || len(ids) == len(t.results) {
		return command, ""
	}
	return command, fmt.Sprintf("repeats %d of the %d verdicts, in %s on %s", len(ids), len(t.results), t.first.Revision, t.first.Transport)
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
