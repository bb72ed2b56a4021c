package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// idleCodes are the reason codes for which there was no occasion, in the order in
// which they are shown: what the user can help comes first.
var idleCodes = []struct {
	code, means string
	listed      bool // also without Verbose
}{
	{CodeNeedsConfig, "the target file has to say something first; \"mcpcheck init\" writes one", true},
	{CodeNeedsSubject, "the target offers nothing to judge it on", true},
	{CodeNotExercised, "the other side gave no occasion", false},
	{CodeOptedOut, "the target file leaves it out", false},
}

// notExercised lists what was not exercised, with the reason of each requirement.
// Requirements with the same reason stand together.
func (c *console) notExercised() {
	reasons := c.idleFor()
	if len(reasons) == 0 {
		return
	}
	byCode, verdicts, all := map[string][]*tallied{}, 0, []string{}
	for _, t := range reasons {
		byCode[t.code] = append(byCode[t.code], t)
		verdicts += t.count
		all = append(all, t.ids...)
	}
	c.Title(fmt.Sprintf("NOT EXERCISED  %s, %s: nothing broke, there was no occasion",
		count(distinct(all), "requirement"), count(verdicts, "verdict")))
	for _, code := range idleCodes {
		if list := byCode[code.code]; len(list) > 0 {
			c.idle(code.code, code.means, list, code.listed || c.o.Verbose)
		}
	}
}

// idle writes the reasons of one code; those that are not listed are counted.
func (c *console) idle(code, means string, list []*tallied, listed bool) {
	ids, verdicts := []string{}, 0
	for _, t := range list {
		ids = append(ids, t.ids...)
		verdicts += t.count
	}
	text := fmt.Sprintf("%s, %s: %s", count(distinct(ids), "requirement"), count(verdicts, "verdict"), means)
	if !listed {
		text += " (--verbose lists them)"
	}
	c.paragraph(2, code, text)
	if !listed {
		return
	}
	slices.SortStableFunc(list, func(a, b *tallied) int { return cmp.Compare(len(b.ids), len(a.ids)) })
	const few, most = 8, 30
	for i, t := range list {
		if i == most && !c.o.Verbose {
			c.paragraph(4, "", fmt.Sprintf("and %d reasons more (--verbose)", len(list)-i))
			return
		}
		c.paragraph(4, "", strings.TrimSpace(c.list(t.ids, few)+"  "+Shorten(t.text, consoleFrame)))
	}
}

// distinct is how many different ids there are.
func distinct(ids []string) int {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return len(slices.Compact(ids))
}
