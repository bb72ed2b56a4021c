package write

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/reports"
)

const countsHead = "  pass  fail  warn   n/a  blocked"

// wide is from which width on a table has a last column, remarkWidth its width.
const (
	wide        = 75
	remarkWidth = 17
)

// nameWidth is the width of the first column of a table.
func (c *console) nameWidth() int {
	if c.Width < wide {
		return min(22, c.Width-len(countsHead)-1)
	}
	return min(32, c.Width-len(countsHead)-remarkWidth)
}

// name is the first column of a table.
func (c *console) name(s string) string {
	width := c.nameWidth()
	if len(s) > width {
		s = strings.Replace(s, " on ", " ", 1)
	}
	return terminal.Pad(safe.Line(s), width)
}

// table writes the head of a table.
func (c *console) table(name string) {
	c.Line()
	c.Line(c.Paint(terminal.Bold, c.name(name)+countsHead))
}

// remark is the last column of a table, left out where there is no room for it.
func (c *console) remark(s string) string {
	if c.Width < wide {
		return ""
	}
	return "  " + terminal.Shorten(safe.Line(s), remarkWidth-2)
}

func (c *console) counts(n reports.Counts) string {
	row := ""
	for _, v := range []reports.Verdict{reports.Pass, reports.Fail, reports.Warn, reports.NotApplicable,
		reports.Blocked} {
		text, color, width := strconv.Itoa(n.Of(v)), looks[v].color, 6
		if text == "0" {
			text, color = "·", terminal.Dim
		}
		if v == reports.Blocked {
			width = 9
		}
		row += c.Paint(color, fmt.Sprintf("%*s", width, text))
	}
	return row
}

func (c *console) areas() {
	list := c.ByArea()
	if len(list) == 0 {
		return
	}
	c.table("AREA")
	for _, a := range list {
		shown := a.Name
		if a.Title != "" {
			shown = fmt.Sprintf("%-6s%s", a.Name, a.Title)
		}
		c.Line(c.name(shown), c.counts(a.Counts), "  ", c.bar(a.Counts))
	}
}

// bar shows the share of each verdict among those that say something.
func (c *console) bar(n reports.Counts) string {
	width := min(20, c.Width-c.nameWidth()-len(countsHead)-3)
	if width < 5 {
		return ""
	}
	total := n.Pass + n.Fail + n.Warn + n.Blocked
	if total == 0 {
		return c.Paint(terminal.Dim, strings.Repeat("·", width))
	}
	var b strings.Builder
	left := width
	for _, v := range []reports.Verdict{reports.Fail, reports.Blocked, reports.Warn} {
		if n := n.Of(v); n > 0 && left > 0 {
			// Even one among many is worth a sign.
			cells := min(max(n*width/total, 1), left)
			left -= cells
			b.WriteString(c.Paint(looks[v].color, strings.Repeat(v.Sign(), cells)))
		}
	}
	if n.Pass > 0 {
		return c.Paint(terminal.Green, strings.Repeat("█", left)) + b.String()
	}
	return b.String()
}

func (c *console) combinations() {
	if len(c.Summary.Combinations) == 0 {
		return
	}
	c.table("COMBINATION")
	for _, x := range c.Summary.Combinations {
		text := c.Established(string(x.Outcome))
		c.Line(c.name(x.Revision+" on "+x.Transport), c.counts(x.Counts), c.remark(text))
		if c.Width < wide && x.Outcome != reports.Conformant {
			c.paragraph(2, "", text)
		}
	}
	// What a partial run left out would be most of the list where a finding is repeated.
	profiles := slices.DeleteFunc(slices.Clone(c.Summary.Profiles), func(p reports.ProfileSummary) bool {
		return p.Status == reports.ProfileNotSelected
	})
	if len(profiles) == 0 {
		return
	}
	c.table("PROFILE")
	for _, p := range profiles {
		ids, text := lacking(&p), c.Established(string(p.Status))
		if len(ids) == 0 && c.Width >= wide {
			c.Line(c.name(p.Name), c.counts(p.Counts), c.remark(text))
			continue
		}
		c.Line(c.name(p.Name), c.counts(p.Counts))
		if len(ids) > 0 {
			text += fmt.Sprintf(", %s not exercised: %s", plural.Count(len(ids), "MUST"), c.list(ids, 3))
		}
		c.paragraph(2, "", text)
	}
}

// outcome is the last line.
func (c *console) outcome() {
	if !c.Quiet {
		c.Line()
	}
	standing := c.Standing()
	c.last(standing.As(), standing.String(), said("last", c.view))
}

// last writes what came out, a word in the colour of a verdict first. Programs read it: it is one line where
// nobody said how wide a line is.
func (c *console) last(as reports.Verdict, word, text string) {
	width := c.Width
	if c.Options.Width == 0 {
		width = 1 << 20
	}
	for _, l := range c.led(terminal.Bold+";"+looks[as].color, word, word+"  "+text, width) {
		c.Line(l)
	}
}
