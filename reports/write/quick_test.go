package write

import (
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reports"
)

// TestQuickNamesWhatItLeavesOut: reports name the requirements that a quick run left out; the console names
// few of many unless it is verbose, with the command that lists them.
func TestQuickNamesWhatItLeavesOut(t *testing.T) {
	const all, few = "without 4 requirements whose probes may harm the target (A-01, A-02, A-03, A-04)",
		"(A-01, A-02, A-03 and 1 more: mcpcheck list --destructive)"
	for name, c := range map[string]struct {
		quick                  reports.Quick
		console, verbose, page string
	}{
		"many": {reports.Quick{LeftOut: 4, LeftOutIDs: []string{"A-01", "A-02", "A-03",
			"A-04"}}, few, all, all},
		"few": {reports.Quick{LeftOut: 1, LeftOutIDs: []string{"A-01"}},
			"without 1 requirement whose probes may harm the target (A-01);", "target (A-01);",
			"target (A-01);"},
		"none": {reports.Quick{}, "2025-11-25 on stdio alone;", "2025-11-25 on stdio alone;",
			"2025-11-25 on stdio alone;"},
		"an earlier version": {reports.Quick{LeftOut: 7},
			"without 7 requirements whose probes may harm the target;", "may harm the target;",
			"may harm the target;"},
	} {
		r := sample()
		r.Summarize(reports.SummaryOptions{Partial: true})
		c.quick.Revision, c.quick.Transport = "2025-11-25", "stdio"
		r.Config.Quick = &c.quick
		for format, got := range map[string][2]string{
			"console": {render(t, r, Options{}), c.console},
			"quiet": {render(t, r, Options{Quiet: true}),
				c.console},
			"verbose": {render(t, r, Options{Verbose: true}),
				c.verbose},
			"HTML": {written(t, HTML, r, Options{}), c.page},
			"Markdown": {strings.NewReplacer(`\(`, "(", `\)`,
				")").Replace(written(t, Markdown, r, Options{})),
				c.page},
		} {
			if !strings.Contains(got[0], got[1]) {
				t.Errorf("%s, %s lacks %q", name, format, got[1])
			}
		}
	}
}
