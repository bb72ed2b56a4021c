package proof

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// asked judges a server with this world over Streamable HTTP, and returns what it was sent
// beside the report.
func asked(t *testing.T, w reference.World, cfg suite.Config, allow ...target.Allowance) (*reports.Report,
	[]journal.Entry) {
	var report *reports.Report
	var sent []journal.Entry
	synctest.Test(t, func(t *testing.T) {
		server, err := reference.New(w, reference.Options{Journal: journal.New(journal.Options{})})
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		cfg.Target = &target.Target{Allow: allow,
			Endpoints: []target.Endpoint{{Handler: server.Handler(), Path: "/mcp", Forced: requirement.HTTP}}}
		cfg.Budget = time.Hour
		if report, err = suite.Run(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
		sent = server.Journal().Query(journal.Query{Direction: journal.In})
	})
	return report, sent
}

// TestRiskyIsLeftOut: what speaks of deletion or execution is neither read nor expanded
// unless that is allowed, and the report says so.
func TestRiskyIsLeftOut(t *testing.T) {
	t.Parallel()
	text := "gone"
	w := reference.World{
		Resources: []reference.Resource{{URI: "delete://notes/1", Name: "two", Text: &text},
			{URI: "note:1", Name: "one", Text: &text}, {URI: "note:3", Name: "Shutdown now", Text: &text}},
		Templates: []reference.Template{{URITemplate: "delete://notes/{id}", Name: "notes", Text: &text},
			{URITemplate: "job://{id}", Name: "run_job", Text: &text}},
	}
	reads := func(sent []journal.Entry) (risky int) {
		for _, e := range sent {
			if e.Method == "resources/read" && (strings.HasPrefix(e.URI, "delete:") ||
				strings.HasPrefix(e.URI, "job:") || e.URI == "note:3") {
				risky++
			}
		}
		return risky
	}
	cfg := suite.Config{Revisions: []requirement.Revision{requirement.R20251125, requirement.R20260728}}
	report, sent := asked(t, w, cfg)
	if n := reads(sent); n > 0 {
		t.Errorf("%d reads of what may do harm", n)
	}
	unread := slices.ContainsFunc(report.Observations, func(o reports.Observation) bool {
		return o.ID == "unread" && strings.Contains(o.Detail, "2 listed URIs") &&
			strings.Contains(o.Detail, "--allow-risky")
	})
	if !unread {
		t.Errorf("no observation says what was not read: %+v", report.Observations)
	}
	for i := range report.Results {
		if x := &report.Results[i]; x.Verdict.Red() || x.Verdict == reports.Blocked {
			t.Error(describe(x))
		} else if x.ID == "TMPL-13" && (x.Verdict != reports.NotApplicable ||
			!strings.Contains(x.Reason, "--allow-risky")) {
			t.Error(describe(x))
		}
	}
	if _, sent := asked(t, w, cfg, target.AllowRisky); reads(sent) == 0 {
		t.Error("nothing is read that was allowed")
	}
}

// TestNoSecurityProbes: where security probes are switched off, no path is sent that leads
// out of a directory, and none of Windows.
func TestNoSecurityProbes(t *testing.T) {
	t.Parallel()
	cfg := suite.Config{Revisions: []requirement.Revision{requirement.R20250618, requirement.R20260728},
		NoSecurityProbes: true}
	_, sent := asked(t, world(), cfg)
	if len(sent) < 100 {
		t.Fatalf("only %d messages", len(sent))
	}
	for _, e := range sent {
		for _, path := range []string{"..", "%2e", "%2E", `:\\`, `\\\\`, "passwd", "/proc/", "win.ini",
			"::$"} {
			if strings.Contains(string(e.Raw), path) || strings.Contains(e.URI, path) {
				t.Errorf("%s was sent: %.300s", path, e.Raw)
			}
		}
	}
}
