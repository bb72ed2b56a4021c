package reports

import (
	"bytes"
	"strings"
	"testing"
)

// A report that could not reach the target does not look like one without regressions.
func TestCompareUnreachable(t *testing.T) {
	old := sample()
	for name, gone := range map[string]func(*Report){
		"unreachable": func(r *Report) {
			r.Target.Endpoints = []Endpoint{{Transport: "http", Address: "http://x", Unreachable: "refused"}}
		},
		"interrupted": func(r *Report) { r.Summary.Interrupted = "the budget is spent" },
		"empty":       func(*Report) {},
	} {
		latest := New(old.Tool, Target{Name: old.Target.Name}, Config{})
		gone(latest)
		d := Compare(old, latest)
		var b bytes.Buffer
		if err := WriteDiff(&b, d, Options{}); err != nil || !d.Worse(false) || d.NotJudged == "" || !strings.Contains(b.String(), "REGRESSED") || strings.Contains(b.String(), "NO REGRESSION") {
			t.Errorf("%s: %v: %q\n%s", name, err, d.NotJudged, b.String())
		}
	}
	// Another selection is none of that.
	latest := sample()
	for i := range latest.Results {
		latest.Results[i].Revision = "2024-11-05"
	}
	latest.Results = latest.Results[:1]
	if d := Compare(old, latest); d.NotJudged != "" {
		t.Errorf("%+v", d)
	}
}

// What could not be reached is not passed, whatever else was, and in whichever of the
// reports that are joined.
func TestExitCodeUnreachable(t *testing.T) {
	good := New(Tool{}, Target{Name: "x"}, Config{})
	good.Results = []Result{{ID: "A-01", Level: LevelMust, Verdict: Pass, Revision: "2025-06-18", Transport: "stdio"}}
	good.Summarize(SummaryOptions{})
	bad := New(Tool{}, Target{Name: "x", Endpoints: []Endpoint{{Transport: "http", Address: "http://x", Unreachable: "refused"}}}, Config{})
	bad.Summarize(SummaryOptions{})
	r, err := Merge([]*Report{good, bad}, nil)
	if err != nil || r.ExitCode(false, false) != ExitNotEstablished || good.ExitCode(false, false) != ExitOK {
		t.Errorf("%v: %d", err, r.ExitCode(false, false))
	}
}

// Nothing that a target sent becomes a link in code scanning.
func TestSARIFLinks(t *testing.T) {
	r := New(Tool{}, Target{Name: "x"}, Config{})
	const link = "[click](https://evil.example)"
	for i, v := range []Verdict{Fail, Blocked} {
		r.Results = append(r.Results, Result{ID: []string{"A-01", "A-02"}[i], Title: link, Level: LevelMust, Verdict: v, Revision: "2025-06-18", Transport: "stdio",
			Expected: link, Actual: link, Reason: link, Hint: link, Excused: true, ExcusedReason: link, Section: "s", Link: "https://a) ![x](https://evil.example"})
	}
	r.Summarize(SummaryOptions{Interrupted: link})
	var b bytes.Buffer
	if err := WriteSARIF(&b, r, Options{}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if strings.Contains(line, "](https://evil") && !strings.Contains(line, `\\](`) && !strings.Contains(line, `\\]\\(`) {
			t.Error(line)
		}
	}
}

// Of what was reached in one of several runs it is not said, once they are merged, that it could not be reached.
func TestMergeReached(t *testing.T) {
	at := Endpoint{Transport: "http", Address: "http://x"}
	page := at
	page.Unreachable, page.Reached = "HTTP 200", true
	all, err := Merge([]*Report{
		New(Tool{Name: "t"}, Target{Name: "x", Endpoints: []Endpoint{at}}, Config{}), New(Tool{Name: "t"}, Target{Name: "x", Endpoints: []Endpoint{page}}, Config{}),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := all.Lost(); got != "http://x gave no answer that can be used" {
		t.Errorf("%q", got)
	}
}
