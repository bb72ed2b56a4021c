package write

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reports"
)

// TestRepeatsTheGroup: the command beside what one cause blocked repeats all of it in one combination, the
// one in which most is blocked, and says how much that is. A command that names its id otherwise stands for
// itself.
func TestRepeatsTheGroup(t *testing.T) {
	rerun := func(id, revision, transport string) string {
		if id == "A-04" {
			revision += " --revision 2025-11-25"
		}
		return "mcpcheck run --only " + id + " --revision " + revision + " --transport " + transport
	}
	blocked := func(rows ...string) *reports.Report {
		r := reports.New(reports.Tool{}, reports.Target{}, reports.Config{})
		for _, row := range rows {
			id, revision, _ := strings.Cut(row, " ")
			r.Results = append(r.Results, reports.Result{ID: id, Level: reports.LevelMust,
				Verdict: reports.Blocked, Revision: revision, Transport: "stdio", ReasonCode: "target-died",
				Reason: "it died"})
		}
		r.Summarize(reports.SummaryOptions{})
		r.NoteReruns(rerun)
		return r
	}
	const old, recent = " 2025-06-18", " 2025-11-25"
	named := blocked("A-01"+old, "A-02"+old)
	named.NoteReruns(func(id, _, _ string) string { return "go test -run '/" + id + "$'" })
	long := blocked()
	for i := range 400 {
		long.Results = append(long.Results, blocked(fmt.Sprintf("A-%d%s", i+100, old)).Results...)
	}
	for name, c := range map[string]struct {
		r            *reports.Report
		want, remark string
	}{
		"one": {blocked("A-01" + old),
			"mcpcheck run --only A-01 --revision 2025-06-18 --transport stdio", ""},
		"several": {blocked("A-01"+old, "A-02"+old),
			"mcpcheck run --only A-01,A-02 --revision 2025-06-18 --transport stdio", ""},
		"two revisions": {blocked("A-01"+old, "A-01"+recent),
			"mcpcheck run --only A-01 --revision 2025-11-25 --transport stdio",
			"repeats 1 of the 2 verdicts, in 2025-11-25 on stdio"},
		"most in the old": {blocked("A-01"+old, "A-02"+old, "A-02"+recent),
			"mcpcheck run --only A-01,A-02 --revision 2025-06-18 --transport stdio",
			"repeats 2 of the 3 verdicts, in 2025-06-18 on stdio"},
		"another command": {blocked("A-01"+old, "A-02"+old, "A-04"+old),
			"mcpcheck run --only A-01,A-02 --revision 2025-06-18 --transport stdio",
			"repeats 2 of the 3 verdicts, in 2025-06-18 on stdio"},
		"not our command": {named, "go test -run '/A-01$'",
			"repeats 1 of the 2 verdicts, in 2025-06-18 on stdio"},
		"too many": {long, "mcpcheck run --only A-100 --revision 2025-06-18 --transport stdio",
			"repeats 1 of the 400 verdicts, in 2025-06-18 on stdio"},
	} {
		list := view{Report: c.r}.BlockedBy()
		if x := list[0]; len(list) != 1 || x.Command != c.want || x.Remark != c.remark {
			t.Errorf("%s: %d reasons, %s (%s)", name, len(list), x.Command, x.Remark)
		}
		for format, text := range map[string]string{
			"console":  written(t, Console, c.r, Options{Width: 200}),
			"HTML":     written(t, HTML, c.r, Options{}),
			"Markdown": written(t, Markdown, c.r, Options{}),
		} {
			text = strings.ReplaceAll(text, "&#39;", "'")
			if !strings.Contains(text, c.want) || !strings.Contains(text, c.remark) {
				t.Errorf("%s, %s: without %q or %q:\n%s", name, format, c.want, c.remark, text)
			}
		}
	}
}
