package write

import (
	"fmt"
	"io"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/reports"
)

// diffHeadline is the comparison in capitals, with the verdict whose colour it has.
func diffHeadline(d *reports.Diff, strict bool) (word string, as reports.Verdict) {
	switch {
	case d.Worse(strict):
		return "REGRESSED", reports.Fail
	case d.Compared == 0:
		return "NOTHING COMPARED", reports.Blocked
	case d.Found(strict):
		return "NEW FINDINGS", reports.Fail
	case d.Less():
		return "LESS JUDGED", reports.Warn
	}
	return "NO REGRESSION", reports.Pass
}

// Diff writes a comparison for people. Only Color, Width and Verbose of the
// options matter, and Strict, under which warnings count.
func Diff(w io.Writer, d *reports.Diff, o Options) error {
	c := newConsole(w, reports.New(d.NewTool, reports.Target{}, reports.Config{}), o)
	c.changes("REGRESSIONS", d.Regressions)
	c.changes("NEW WARNINGS", d.NewWarnings)
	c.changes("FOUND WHERE NOTHING WAS JUDGED BEFORE", d.Added)
	c.changes("NO LONGER JUDGED", d.Lost)
	c.changes("FIXED", d.Fixes)
	c.changes("NEWLY JUDGED, IN ORDER", d.Gained)
	c.names("requirements only in the new report", d.NewRequirements)
	c.names("requirements only in the old report", d.GoneRequirements)
	c.names("combinations only in the new report", d.NewCombinations)
	c.names("combinations only in the old report", d.GoneCombinations)
	word, as := diffHeadline(d, o.Strict)
	c.Line()
	if d.NotJudged != "" {
		c.paragraph(0, "", "Not everything could be judged: "+d.NotJudged+".")
	}
	if word == "NOTHING COMPARED" {
		c.paragraph(0, "",
			"No verdict was judged in both reports: compare reports with requirements and combinations in "+
				"common.")
	}
	text := fmt.Sprintf("%s, %s, %d fixed, %d still red, %d no longer judged, %d found where nothing "+
		"was judged before, %d compared",
		plural.Count(len(d.Regressions), "regression"), plural.Count(len(d.NewWarnings), "new warning"),
		len(d.Fixes), d.Still, len(d.Lost), len(d.Added), d.Compared)
	c.last(as, word, text)
	return c.flush("comparison")
}

// names lists names under a title, if there are any.
func (c *console) names(title string, list []string) {
	if len(list) > 0 {
		c.Title(title)
		c.paragraph(2, "", c.list(list, 12))
	}
}

// changes lists changes, those of one requirement with one meaning together.
func (c *console) changes(title string, list []reports.Change) {
	if len(list) == 0 {
		return
	}
	c.Title(fmt.Sprintf("%s  %s", title, plural.Count(len(list), "verdict")))
	const most = 40
	shown := 0
	for i := 0; i < len(list); shown++ {
		x, k := list[i], i
		var where []*reports.Result
		for ; k < len(list) && list[k].ID == x.ID && list[k].Old == x.Old && list[k].New == x.New; k++ {
			where = append(where, &reports.Result{Revision: list[k].Revision, Transport: list[k].Transport})
		}
		i = k
		if shown >= most && !c.Verbose {
			continue
		}
		c.paragraph(2, x.ID, fmt.Sprintf("%s: %s, was %s (%s)", x.Title, orAbsent(x.New), orAbsent(x.Old),
			c.Where(where)))
		if x.New != reports.Pass {
			c.labelled(4, "now", safe.Shorten(x.Actual, consoleFrame))
		}
	}
	if shown > most && !c.Verbose {
		c.Line(fmt.Sprintf("  and %d more (--verbose)", shown-most))
	}
}

func orAbsent(v reports.Verdict) string {
	if v == "" {
		return "not in the report"
	}
	return string(v)
}
