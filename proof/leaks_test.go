package proof

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/reports/write"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/engine"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// TestLeaksAreCut: what a server gives away of files that it must not serve stands in no
// report and in no recording but for its beginning, and the recording leads to the same
// verdicts as the server did.
func TestLeaksAreCut(t *testing.T) {
	const marker, rest = "canary-7d1f3a52b8", "what is none of anybody's business, to the end of the file"
	climbing := hook.OnMethod("resources/read", func(c hook.Calling) *hook.Reply {
		if uri, _ := c.Param("uri").(string); strings.HasPrefix(uri, "file:") &&
			strings.Contains(uri, "../") {
			return &hook.Reply{Result: hook.Object{"contents": []any{hook.Object{"uri": uri,
				"text": marker + "\n" + rest}}}}
		}
		return c.Next()
	})
	for name, c := range map[string]struct {
		options                  reference.Options
		roots                    bool
		id, verdict, begin, rest string
	}{
		"the user database": {reference.Options{Faults: []string{"uri-13-system-file"}}, false, "URI-13",
			"fail", "root:x:0:0:r…[", "/sbin/nologin"},
		"a file outside a root": {reference.Options{Hooks: climbing}, true, "URI-10", "fail",
			"canary-7d1f3…[", rest},
		"a file without a proof": {reference.Options{Hooks: climbing}, false, "URI-10", "not-applicable", "",
			rest},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				described, server, err := embedded.TargetOf(world(), c.options)
				if err != nil {
					t.Fatal(err)
				}
				defer server.Close()
				if !c.roots {
					described.Subjects.Roots = nil
				}
				run, err := suite.Prepare(t.Context(), suite.Config{Target: described,
					Limits: suite.Limits{Budget: time.Hour},
					Filter: only(func(at requirement.Combination) bool {
						return at.Revision == requirement.R20251125 && at.Transport == requirement.Stdio
					}), LabelFilter: "area:URI"})
				if err != nil {
					t.Fatal(err)
				}
				run.Execute(t.Context())
				report := run.Report(false)
				if !strings.Contains(told(report, c.id), c.verdict) {
					t.Fatalf("%s: %s", c.id, told(report, c.id))
				}
				var recording bytes.Buffer
				if err := run.Record(&recording); err != nil {
					t.Fatal(err)
				}
				outputs := map[string]string{"recording": recording.String()}
				for name, write := range map[string]func(io.Writer) error{
					"json":     func(w io.Writer) error { return reports.WriteJSON(w, report) },
					"html":     func(w io.Writer) error { return write.HTML(w, report, write.Options{}) },
					"junit":    func(w io.Writer) error { return write.JUnit(w, report, write.Options{}) },
					"markdown": func(w io.Writer) error { return write.Markdown(w, report, write.Options{}) },
					"sarif":    func(w io.Writer) error { return write.SARIF(w, report, write.Options{}) },
					"console": func(w io.Writer) error {
						return write.Console(w, report, write.Options{Verbose: true})
					},
				} {
					var b bytes.Buffer
					if err := write(&b); err != nil {
						t.Fatal(err)
					}
					outputs[name] = b.String()
				}
				for name, text := range outputs {
					if strings.Contains(text, c.rest) {
						t.Errorf("%s holds what leaked", name)
					}
				}
				if !strings.Contains(string(framesOf(report)), c.begin) {
					t.Errorf("the report does not show that something leaked")
				}
				again, err := engine.Rejudge(&recording, report.Tool, false)
				if err != nil {
					t.Fatal(err)
				}
				if a, b := told(report, ""), told(again, ""); a != b {
					t.Errorf("judged again:\n%s\nat first:\n%s", b, a)
				}
			})
		})
	}
}

// framesOf is all that a report shows of what crossed the wire.
func framesOf(r *reports.Report) []byte {
	var all []byte
	for _, f := range r.Frames {
		all = append(all, f.Data...)
	}
	return all
}

// TestLostOverNullID: where the end of a connection is not that of a server, one that is lost over a null id
// is remarked upon. A ping that overtakes the end hides what it came of, so that some runs say nothing.
func TestLostOverNullID(t *testing.T) {
	on := requirement.Combination{Revision: requirement.R20241105, Transport: requirement.SSE}
	got := ""
	for range 10 {
		report := conditions{}.run(t, func(c requirement.Combination) bool {
			return c == on
		}, "sec-63-dies-of-null-id")
		if got = told(report, "RPC-15"); strings.Contains(got, "lost-over-unclear-request") {
			return
		}
	}
	t.Errorf("nothing is said of the loss: %s", got)
}

// told lists the verdicts and observations on a requirement, or on all.
func told(r *reports.Report, id string) string {
	var b strings.Builder
	for _, x := range r.Results {
		if id == "" || x.ID == id {
			b.WriteString(x.ID + " " + string(x.Verdict) + " " + x.Actual + "\n")
		}
	}
	for _, o := range r.Observations {
		if id == "" || o.Requirement == id {
			b.WriteString(o.Requirement + " " + o.ID + " " + o.Detail + "\n")
		}
	}
	return b.String()
}
