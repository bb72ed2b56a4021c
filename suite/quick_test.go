package suite_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// TestQuick: a quick run judges one combination, that of the newest revision which the
// target serves and the user asked for, and says so.
func TestQuick(t *testing.T) {
	t.Parallel()
	newest := requirement.Revisions()[len(requirement.Revisions())-1]
	for name, test := range map[string]struct {
		served     []string
		fault      string // how a newer revision is refused
		asked      []requirement.Revision
		transports []requirement.Transport
		want       requirement.Combination
	}{
		"everything": {want: requirement.Combination{Revision: newest, Transport: requirement.Stdio}},
		"legacy": {served: []string{"2024-11-05", "2025-06-18"},
			want: requirement.Combination{Revision: requirement.R20250618, Transport: requirement.Stdio}},
		"refused": {served: []string{"2024-11-05", "2025-06-18"}, fault: "life-04-refused",
			want: requirement.Combination{Revision: requirement.R20250618, Transport: requirement.Stdio}},
		"dies of it": {served: []string{"2025-03-26"}, fault: "life-17-dies-of-alien-version",
			transports: []requirement.Transport{requirement.Stdio},
			want: requirement.Combination{Revision: requirement.R20250326,
				Transport: requirement.Stdio}},
		"asked for": {asked: []requirement.Revision{requirement.R20250326},
			want: requirement.Combination{Revision: requirement.R20250326, Transport: requirement.Stdio}},
		"on transport": {transports: []requirement.Transport{requirement.SSE},
			want: requirement.Combination{Revision: requirement.R20241105, Transport: requirement.SSE}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				target, server, err := embedded.Complete(reference.Options{Revisions: test.served,
					Faults: strings.Fields(test.fault)})
				if err != nil {
					t.Fatal(err)
				}
				defer server.Close()
				report, err := suite.Run(t.Context(), suite.Config{Target: target, Quick: true,
					Revisions: test.asked, Transports: test.transports})
				if err != nil {
					t.Fatal(err)
				}
				q := report.Config.Quick
				if q == nil || q.Revision != string(test.want.Revision) ||
					q.Transport != string(test.want.Transport) || q.LeftOut < 2 ||
					len(q.LeftOutIDs) != q.LeftOut || !slices.Contains(q.LeftOutIDs, "PAGE-05") ||
					!slices.Contains(q.LeftOutIDs, "PAGE-06") {
					t.Fatalf("a quick run of %+v", q)
				}
				for i := range report.Results {
					x := &report.Results[i]
					if x.Revision != q.Revision || x.Transport != q.Transport ||
						slices.Contains(q.LeftOutIDs, x.ID) {
						t.Errorf("%s in %s on %s is judged", x.ID, x.Revision, x.Transport)
					}
					if test.fault == "" && x.Verdict.Red() || x.Verdict == reports.Blocked {
						t.Errorf("%s: %s %s %s", x.ID, x.Verdict, x.Reason, x.Actual)
					}
				}
				if report.Summary.Scope != reports.Partial || report.Summary.Pass < 50 {
					t.Errorf("%+v", report.Summary)
				}
			})
		})
	}
}

// TestOthersAreKnown: which revisions a server serves beside those that are judged is found out, so that a
// part of a run gives the verdicts of the whole.
func TestOthersAreKnown(t *testing.T) {
	t.Parallel()
	modern := requirement.Revisions()[len(requirement.Revisions())-1]
	var silent control.Rule // discovery does not name them
	if err := json.Unmarshal(
		[]byte(`{"do":[{"method":"server/discover","set":"result.supportedVersions","to":["`+string(modern)+
			`"]}]}`), &silent); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		fault, id string
		transport requirement.Transport
		served    []string
		want      reports.Verdict
	}{
		"it may be older traffic": {"http-15-version-assumed", "HTTP-15", requirement.HTTP,
			[]string{"2025-03-26", string(modern)}, reports.NotApplicable},
		"it cannot be": {"http-15-version-assumed", "HTTP-15", requirement.HTTP,
			[]string{string(modern)}, reports.Fail},
		"it may be that of a handshake": {"meta-07-default-version", "META-07", requirement.Stdio,
			[]string{"2024-11-05", string(modern)}, reports.NotApplicable},
		"no handshake is served over stdio": {"meta-07-default-version", "META-07", requirement.Stdio,
			[]string{string(modern)}, reports.Fail},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for part, cfg := range map[string]suite.Config{"whole": {}, "quick": {Quick: true},
					"revision": {Revisions: []requirement.Revision{modern}}} {
					if test.transport == requirement.Stdio && part == "revision" {
						continue // there nothing is asked beside
					}
					target, server, err := embedded.Complete(reference.Options{Revisions: test.served,
						Faults: []string{test.fault}, Rules: []control.Rule{silent}})
					if err != nil {
						t.Fatal(err)
					}
					cfg.Target, cfg.Only, cfg.Transports = target, []string{test.id},
						[]requirement.Transport{test.transport}
					report, err := suite.Run(t.Context(), cfg)
					if err != nil {
						t.Fatal(err)
					}
					for _, x := range report.Results {
						if x.Revision == string(modern) && x.Verdict != test.want {
							t.Errorf("%s, %s: %s (%s)", part, x.ID, x.Verdict, x.Reason)
						}
					}
					_ = server.Close()
				}
			})
		})
	}
}

// TestAreasByName: a configuration names areas as the command line does.
func TestAreasByName(t *testing.T) {
	t.Parallel()
	target, server, err := embedded.Complete(reference.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	rows, err := suite.Possible(suite.Config{Target: target, Only: []string{"err", "page-02"},
		Skip: []string{"ERR-01"}})
	seen := map[string]bool{}
	for _, row := range rows {
		seen[row.Requirement.ID] = true
		if r := row.Requirement; r.Area() != "ERR" && r.ID != "PAGE-02" || r.ID == "ERR-01" {
			t.Errorf("%s was not asked for", r.ID)
		}
	}
	if err != nil || !seen["ERR-02"] || !seen["PAGE-02"] {
		t.Errorf("%v, %v", seen, err)
	}
	if _, err := suite.Possible(suite.Config{Target: target, Only: []string{"NOPE"}}); err == nil ||
		!strings.Contains(err.Error(), `"NOPE"`) {
		t.Errorf("an unknown area: %v", err)
	}
}
