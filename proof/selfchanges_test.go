package proof

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/operation"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// selfChanging judges a server of two resources, of which some change by themselves, all the time.
func selfChanging(t *testing.T, o reference.Options, changes []string, stdio bool,
	cfg suite.Config) (report *reports.Report) {
	t.Helper()
	text := "unchanged"
	w := reference.World{Resources: []reference.Resource{{URI: "note:a", Name: "a", Text: &text},
		{URI: "note:b", Name: "b", Text: &text}}}
	synctest.Test(t, func(t *testing.T) {
		server, err := reference.New(w, o)
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		changing := time.NewTicker(150 * time.Millisecond)
		defer changing.Stop()
		go func() {
			for n := 0; ; n++ {
				select {
				case <-changing.C:
					now := strconv.Itoa(n)
					for _, r := range w.Resources {
						r.Text = &now
						if !slices.Contains(changes, r.URI) {
							continue
						}
						if err := server.Put(r); err != nil {
							t.Error(err)
						}
					}
				case <-t.Context().Done():
					return
				}
			}
		}()
		endpoint := target.Endpoint{Handler: server.Handler(), Path: "/mcp", Forced: requirement.HTTP}
		if stdio {
			endpoint = target.Endpoint{Pipe: func(context.Context) (io.ReadWriteCloser, error) {
				return server.Pipe(context.Background()) // it outlives the dialling
			}}
		}
		cfg.Budget, cfg.Target = time.Hour, &target.Target{Endpoints: []target.Endpoint{endpoint}}
		if report, err = suite.Run(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
	})
	return report
}

// TestSelfChanges: on a server whose resources change by themselves, all the time, it shows without a
// trigger who gets updates, and when they end.
func TestSelfChanges(t *testing.T) {
	legacy, modern := []string{"SUB-03", "SUB-07", "SUB-09", "SUB-10", "HTTP-12"},
		[]string{"SUB-28", "SUB-32"}
	for name, c := range map[string]struct {
		fault string
		all   []string // what is judged
		red   string
		too   string // what may be red as well: the same updates are too many under both names
	}{
		"legacy":                      {all: legacy},
		"modern":                      {all: modern},
		"sub-03-unsubscribe-ends-all": {"sub-03-unsubscribe-ends-all", legacy, "SUB-03", ""},
		"sub-07-unsubscribe-ignored":  {"sub-07-unsubscribe-ignored", legacy, "SUB-07", "SUB-09"},
		"sub-09-flag-of-the-session":  {"sub-09-flag-of-the-session", legacy, "SUB-09", "SUB-07"},
		"sub-10-subscriber-ends-all":  {"sub-10-subscriber-ends-all", legacy, "SUB-10", ""},
		"sub-10-unsubscribed-for-all": {"sub-10-unsubscribed-for-all", legacy, "SUB-10", ""},
		"sub-32-last-takes-over":      {"sub-32-last-takes-over", modern, "SUB-32", ""},
		"sub-28-first-uri-only":       {"sub-28-first-uri-only", modern, "SUB-28", ""},
		"modern, HTTP":                {all: modern},
		"sub-32-id-taken-over, HTTP":  {"sub-32-id-taken-over", modern, "SUB-32", ""},
		"http-12-broadcast":           {"http-12-broadcast", legacy, "HTTP-12", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := reference.Options{}
			if c.fault != "" {
				o.Faults = append(o.Faults, c.fault)
			}
			cfg := suite.Config{Only: c.all, Revisions: []requirement.Revision{requirement.R20251125}}
			stdio := slices.Equal(c.all, modern) && !strings.HasSuffix(name, ", HTTP")
			if slices.Equal(c.all, modern) {
				cfg.Revisions = []requirement.Revision{requirement.R20260728}
			}
			var report *reports.Report
			for range 3 { // what changes in real time may give no occasion on a busy machine
				report = selfChanging(t, o, []string{"note:a", "note:b"}, stdio, cfg)
				if !slices.ContainsFunc(report.Results, func(x reports.Result) bool {
					return x.Verdict == reports.NotApplicable && (x.ID == c.red || c.red == "")
				}) {
					break
				}
			}
			judged := 0
			for i := range report.Results {
				switch x := &report.Results[i]; {
				case x.Verdict.Red() != (x.ID == c.red) && x.ID != c.too:
					t.Error(describe(x))
				case x.Verdict == reports.Pass:
					judged++
				}
			}
			if c.fault == "" && judged != len(c.all) {
				t.Errorf("%d of %d requirements are judged", judged, len(c.all))
			}
		})
	}
}

// TestUntoldChanges: on a server that tells of no change it shows without a trigger that a resource which is
// watched changes.
func TestUntoldChanges(t *testing.T) {
	t.Parallel()
	silent := control.Rule{Do: []operation.Operation{{On: "notification",
		Method: "notifications/resources/updated", Silence: true}}}
	for _, rules := range [][]control.Rule{nil, {silent}} {
		for revision, id := range map[requirement.Revision]string{requirement.R20251125: "SUB-03",
			requirement.R20260728: "SUB-28"} {
			report := selfChanging(t, reference.Options{Rules: rules}, []string{"note:b"}, true,
				suite.Config{Only: []string{id}, Revisions: []requirement.Revision{revision}})
			told := slices.ContainsFunc(report.Observations, func(o reports.Observation) bool {
				return o.ID == "change-untold" && o.Requirement == id
			})
			if told != (len(rules) > 0) {
				t.Errorf("%s, %d rules: %+v", revision, len(rules), report.Observations)
			}
		}
	}
}

// TestSelfChangesBesideOthers: what other scripts, and those of other revisions, subscribe and give up
// meanwhile hides nothing: a server that does not tell its sessions apart is red in each revision, whichever
// of its resources changes.
func TestSelfChangesBesideOthers(t *testing.T) {
	for _, faults := range [][]string{nil, {"sub-10-subscriber-ends-all"}, {"sub-10-unsubscribed-for-all"}} {
		for _, changes := range [][]string{{"note:a"}, {"note:b"}, {"note:a", "note:b"}} {
			report := selfChanging(t, reference.Options{Faults: faults}, changes, false, suite.Config{})
			red := 0
			for i := range report.Results {
				switch x := &report.Results[i]; {
				case x.ID == "SUB-10" && x.Verdict.Red():
					red++
				case x.Verdict.Red(), x.Verdict == reports.Blocked:
					t.Errorf("%v, %v: %s", faults, changes, describe(x))
				}
			}
			if want := 3 * len(faults); red != want {
				t.Errorf("%v, %v: SUB-10 is red in %d revisions instead of %d", faults, changes, red, want)
			}
		}
	}
}
