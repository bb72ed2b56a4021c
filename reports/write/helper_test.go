package write

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpcheck/mcpcheck/reports"
)

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

// hostile holds what a target could send to break a reader of reports.
const hostile = "<script>alert(1)</" +
	"script>]]>\x1b[31mred\x1b]0;title\x07\x00\r\n\u202eevil\u2066\u200b\ufffe\xff\xc3 & \"q\" 'a' " +
	"[[ATTACHMENT|/etc/passwd]]\n##vso[task]x\n::error::x\n\U0001F600é"

// hostileReport has the hostile text in every member that a target, or whoever
// wrote the file, can reach.
func hostileReport() *reports.Report {
	r := sample()
	r.Target.Name = hostile
	r.Target.About = &reports.About{Vendor: hostile, Product: hostile, Version: hostile, Package: hostile,
		Contact: hostile}
	r.Target.Endpoints[0].Address = hostile
	r.Target.Endpoints[0].Server = &reports.Server{Name: hostile, Version: hostile, Title: hostile}
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
		r.Summary.Revisions[i] = reports.RevisionSummary{Revision: hostile, Outcome: hostile,
			By: []string{hostile}}
	}
	for i := range r.Summary.Combinations {
		x := &r.Summary.Combinations[i]
		x.Revision, x.Transport, x.Outcome = hostile, hostile, hostile
	}
	for i := range r.Summary.Profiles {
		x := &r.Summary.Profiles[i]
		x.Name, x.Status, x.MustsNotExercised = hostile, reports.ProfilePassed, []string{hostile}
	}
	r.Summary.Profiles[0].Status = hostile
	r.Target.Endpoints[0].Transport, r.Tool.Name = hostile, hostile
	r.Results[0].ID, r.Results[0].Excused, r.Results[0].Verdict = hostile, true, reports.Fail
	r.Summary.Interrupted = hostile
	entries := []reports.BaselineEntry{{Line: 1, Pattern: reports.Pattern{ID: hostile, Revision: hostile,
		Transport: hostile}, Until: hostile, Reason: hostile,
		Verdicts: []reports.BaselineVerdict{{Revision: hostile, Transport: hostile, Verdict: reports.Pass},
			{Revision: hostile, Transport: hostile, Verdict: reports.Fail}}}}
	r.Summary.Baseline = &reports.BaselineSummary{File: hostile, Entries: 5, Stale: entries, Expired: entries,
		NotJudged: entries, TooWide: entries, Missing: entries}
	return r
}

// sample is a report with something of everything.
func sample() *reports.Report {
	f, err := os.Open("../testdata/sample.json")
	if err != nil {
		panic(err)
	}
	defer f.Close()
	r, err := reports.ReadJSON(f)
	if err != nil {
		panic(err)
	}
	return r
}

// row is a result of few words.
func row(id, level string, v reports.Verdict, code string) reports.Result {
	return reports.Result{ID: id, Level: level, Revision: "2025-11-25", Transport: "stdio", Verdict: v,
		ReasonCode: code}
}

func encode(t testing.TB, r *reports.Report) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := reports.WriteJSON(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type failingWriter struct{ left int }

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}
