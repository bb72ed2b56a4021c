package write

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reports"
)

// TestObservationsOfAKind: what is of one kind stands together under one head, whatever the words and the
// requirements are, and what is said in the same words once.
func TestObservationsOfAKind(t *testing.T) {
	r := sample()
	see := func(requirement, revision, detail string) {
		r.Observations = append(r.Observations, reports.Observation{ID: "no-description",
			Title: "About " + requirement, Requirement: requirement,
			Revision: revision, Transport: "stdio", Detail: detail})
	}
	see("LIST-05", "2025-06-18", "three without")
	see("LIST-05", "2025-11-25", "three without")
	see("LIST-05", "2025-11-25", "two without")
	see("TMPL-09", "2025-11-25", "one without")
	for i := range 7 {
		see("TMPL-09", "2025-11-25", fmt.Sprint("form ", i))
	}
	r.Sort()
	r.Summarize(reports.SummaryOptions{})
	for name, c := range map[string]struct {
		text string
		want []string
		not  string
	}{
		"console": {render(t, r, Options{}), []string{
			"OBSERVATIONS 2 findings, seen 12 times",
			"no-description (LIST-05, TMPL-09), 11 times LIST-05: three without in 2025-06-18 on stdio; " +
				"2025-11-25 on stdio LIST-05: two without in 2025-11-25 on stdio and 8 more (--verbose)",
			"size-differs The size differs (LIST-08) declared 5"}, "three forms"},
		"verbose": {render(t, r, Options{Verbose: true}), []string{"TMPL-09: form 6"}, "more (--verbose)"},
		"Markdown": {written(t, Markdown, r, Options{}), []string{
			"Observations (2)",
			"- `no-description`, 11 times - `LIST-05: three without` in `2025-06-18 on stdio; 2025-11-25 " +
				"on stdio` - `LIST-05: two without`",
			"- and 4 more", "- `size-differs` The size differs: `declared 5, sent 6` in `2025-11-25 " +
				"on stdio`"}, "form 6"},
		"HTML": {written(t, HTML, r, Options{}), []string{
			"no-description", "LIST-05: three without in 2025-06-18 on stdio; 2025-11-25 on stdio",
			"TMPL-09: form 6"}, "LIST-05: three without LIST-05"},
	} {
		text := regexp.MustCompile(`</?[a-z][^>]*>`).ReplaceAllString(c.text, " ")
		text = strings.Join(strings.Fields(text), " ")
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is missing in %s", name, want, text)
			}
		}
		if strings.Count(text, "no-description") != 1 || strings.Contains(text, c.not) {
			t.Errorf("%s: the kind stands there %d times, or %q in %s", name,
				strings.Count(text, "no-description"), c.not, text)
		}
	}
}
