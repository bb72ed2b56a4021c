package engine

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// Where there is more to play than the time for the whole run allows, what was seen red is still
// repeated, each verdict by itself: one whose repetition comes to its end is settled. A recording
// says the same.
func TestTimeIsKeptForRepetitions(t *testing.T) {
	for _, c := range []struct {
		budget, wrong time.Duration
		want          string
	}{
		{time.Minute, 0, "CAP-07:warn LIST-02:fail"},
		{12 * time.Second, 9500 * time.Millisecond, "CAP-07:blocked:budget LIST-02:fail"},
		{18500 * time.Millisecond, 9 * time.Second, "CAP-07:blocked:unconfirmed LIST-02:fail"},
	} {
		synctest.Test(t, func(t *testing.T) {
			slow := &copies{list: func(string, int, int) string {
				return `"result":{"resources":[{"name":"one"}]}`
			}, wrong: c.wrong}
			r, err := Prepare(t.Context(), Config{
				Target: &target.Target{
					Endpoints: []target.Endpoint{{Name: "slow", Pipe: slow.open, Command: []string{"slow"}}},
					Revisions: []requirement.Revision{requirement.R20251125},
				},
				Tool: reports.Tool{Name: "test"}, Limits: target.Limits{Budget: c.budget},
				Select: func(row Row) bool {
					return row.Requirement.ID == "LIST-02" || row.Requirement.ID == "CAP-07"
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			r.Execute(t.Context())
			time.Sleep(time.Hour) // what is left in the program ends
			again := rejudged(t, r)
			if got := strings.TrimSpace(verdicts(r.Report(false))); got != c.want ||
				got != strings.TrimSpace(verdicts(again)) {
				t.Errorf("lists of templates that take %v in %v: %s, want %s; judged again: %s", c.wrong,
					c.budget, got, c.want, verdicts(again))
			}
		})
	}
}
