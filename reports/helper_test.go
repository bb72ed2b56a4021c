package reports

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hostile holds what a target could send to break a reader of reports.
const hostile = "<script>alert(1)</script>]]>\x1b[31mred\x1b]0;title\x07\x00\r\n\u202eevil\u2066\u200b\ufffe\xff\xc3 & \"q\" 'a' [[ATTACHMENT|/etc/passwd]]\n##vso[task]x\n::error::x\n\U0001F600é"

// keep writes a file for the checkers of others into the directory REPORTS_OUT, if there
// is one.
func keep(t *testing.T, name, text string) {
	t.Helper()
	dir := os.Getenv("REPORTS_OUT")
	if dir == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// sample is a report with something of everything.
func sample() *Report {
	r := New(Tool{Name: "mcpcheck", Version: "1.2.3", Catalogue: "c1"},
		Target{Name: "everything", Endpoints: []Endpoint{{
			Transport: "stdio", Address: "npx -y server-everything",
			Revisions: []string{"2025-06-18", "2025-11-25"}, Server: &Server{Name: "everything", Version: "1.0"},
		}}},
		Config{Seed: 7, Read: "20", Headers: []string{"Authorization"}})
	r.Frames = []Frame{
		{Number: 1, Session: "s1", Channel: "stdin", Direction: Out, AtMS: 1.5, Size: 62, Data: []byte(`{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{}}`)},
		{Number: 2, Session: "s1", Channel: "stdout", Direction: In, AtMS: 2, Size: 4000, Truncated: true, Data: []byte(`{"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"` + strings.Repeat("x", 900) + `é"}]}}`)},
		{Number: 3, Session: "s1", Direction: Note, AtMS: 3, Note: "the process ended with exit status 1"},
		{Number: 4, Session: "s2", Direction: In, Status: 404, Headers: http.Header{"Content-Type": {"text/plain"}}, Size: 3, Data: []byte("\xff\xfe\x00")},
	}
	for _, transport := range []string{"http", "stdio"} {
		for _, revision := range []string{"2025-11-25", "2025-06-18"} {
			r.Results = append(r.Results,
				Result{ID: "PAGE-10", Title: "An empty page is legal", Level: LevelMust, Grade: "fail", Revision: revision, Transport: transport, Verdict: Pass, Section: "server/utilities/pagination", DurationMS: 1.25},
				Result{ID: "PAGE-9", Title: "A cursor is a string", Level: LevelMust, Grade: "fail", Revision: revision, Transport: transport, Verdict: Fail, ReasonCode: "violated", Reason: "nextCursor is a number", Expected: "a string", Actual: "an integer, 5", Cause: "a-string", Section: "server/utilities/pagination#response-format", Link: "https://example.com/9", Hint: "send the cursor as a string", DurationMS: 2, Evidence: []int{1, 2, 4}},
				Result{ID: "READ-09", Title: "Pad bits are zero", Level: LevelShould, Grade: "warn", Revision: revision, Transport: transport, Verdict: Warn, Reason: "the pad bits are set", Section: "server/resources", Evidence: []int{3}},
				Result{ID: "TMPL-12", Title: "Values arrive decoded", Level: LevelMust, Grade: "warn", Revision: revision, Transport: transport, Verdict: NotApplicable, ReasonCode: CodeNeedsConfig, Reason: "no template arguments are configured", Hint: "add subjects.templates to the target file", Section: "server/resources"},
				Result{ID: "SUB-01", Title: "Subscribe answers", Level: LevelMust, Grade: "fail", Revision: revision, Transport: transport, Verdict: Blocked, ReasonCode: "target-died", Reason: "the process ended in the middle", Section: "server/resources"})
		}
	}
	r.Observations = []Observation{{ID: "size-differs", Title: "The size differs", Requirement: "LIST-08", Revision: "2025-11-25", Transport: "stdio", Detail: "declared 5, sent 6", Evidence: []int{2}}}
	r.Summarize(SummaryOptions{Duration: 3 * time.Second, Profile: testProfile, Profiles: []string{"core", "pagination", "caching"}})
	return r
}

func testProfile(id string) string {
	switch x := (Result{ID: id}); x.Area() {
	case "PAGE":
		return "pagination"
	case "CACHE":
		return "caching"
	case "SUB":
		return "subscriptions"
	}
	return "core"
}

// hostileReport has the hostile text in every member that a target, or whoever
// wrote the file, can reach.
func hostileReport() *Report {
	r := sample()
	r.Target.Name = hostile
	r.Target.Endpoints[0].Address = hostile
	r.Target.Endpoints[0].Server = &Server{Name: hostile, Version: hostile, Title: hostile}
	r.Target.Endpoints[0].Unreachable = hostile
	r.Target.Endpoints[0].Unanswered = []string{hostile}
	r.Target.Endpoints[0].OneAtATime = hostile
	r.Target.Endpoints[0].Hung = hostile
	r.Target.Endpoints[0].WithoutResources = []string{hostile}
	for i := range r.Frames {
		r.Frames[i].Data = []byte(fmt.Sprint(i, hostile))
		r.Frames[i].Note = hostile
		r.Frames[i].URL = hostile
		r.Frames[i].Method = "POST"
		r.Frames[i].Headers = http.Header{"Mcp-Name": {hostile}}
	}
	for i := range r.Results {
		x := &r.Results[i]
		x.Reason, x.Expected, x.Actual, x.Hint, x.Title = hostile, hostile, hostile, hostile, hostile
		x.ReasonCode += hostile
		x.Cause += hostile
		x.Section, x.Link = hostile, hostile
		x.Rerun = hostile
		x.Evidence = []int{1, 2, 3, 4}
	}
	r.Observations[0].Detail, r.Observations[0].Title, r.Observations[0].ID = hostile, hostile, hostile
	r.Config.Since = hostile
	for i := range r.Summary.Revisions {
		r.Summary.Revisions[i] = RevisionSummary{Revision: hostile, Outcome: hostile, By: []string{hostile}}
	}
	for i := range r.Summary.Combinations {
		x := &r.Summary.Combinations[i]
		x.Revision, x.Transport, x.Outcome = hostile, hostile, hostile
	}
	for i := range r.Summary.Profiles {
		x := &r.Summary.Profiles[i]
		x.Name, x.Status, x.MustsNotExercised = hostile, ProfilePassed, []string{hostile}
	}
	r.Summary.Profiles[0].Status = hostile
	r.Target.Endpoints[0].Transport, r.Tool.Name = hostile, hostile
	r.Results[0].ID, r.Results[0].Excused, r.Results[0].Verdict = hostile, true, Fail
	r.Summary.Interrupted = hostile
	entries := []BaselineEntry{{Line: 1, ID: hostile, Revision: hostile, Transport: hostile, Until: hostile, Reason: hostile,
		Verdicts: []BaselineVerdict{{hostile, hostile, Pass}, {hostile, hostile, Fail}}}}
	r.Summary.Baseline = &BaselineSummary{File: hostile, Entries: 5, Stale: entries, Expired: entries, NotJudged: entries, TooWide: entries, Missing: entries}
	return r
}
