package reports

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestConsistent: a report that says something else than its verdicts is refused, with the member.
func TestConsistent(t *testing.T) {
	r := New(Tool{Name: "mcpcheck"}, Target{Name: "x"}, Config{})
	r.Results = []Result{row("A-1", LevelMust, Fail, ""), row("A-2", LevelMust, Pass, ""),
		row("A-3", LevelMust, Blocked, "x")}
	r.Results[0].Gravity = GravitySecurity
	r.Observations = []Observation{{ID: "odd", Detail: "x"}}
	r.Summarize(SummaryOptions{})
	raw := encode(t, r)
	for member, change := range map[string]func(*Report){
		"":                                 func(*Report) {},
		`results[0].gravity is "warning"`:  func(r *Report) { r.Results[0].Gravity = GravityWarning },
		`results[1].gravity is "security"`: func(r *Report) { r.Results[1].Gravity = GravitySecurity },
		`summary counts 1 verdicts that are`: func(
			r *Report) {
			r.Results[0].Verdict = Pass
			r.Results[0].Gravity = ""
		},
		"summary counts 0 verdicts": func(r *Report) { r.Summary.Fail = 0 },
		"summary.security.fail":     func(r *Report) { r.Summary.Security.Fail = 0 },
		"summary.observations":      func(r *Report) { r.Observations = nil },
		"summary.excused":           func(r *Report) { r.Results[0].Excused = true },
		"summary.outcome":           func(r *Report) { r.Summary.Outcome = Conformant },
		"summary.conformant":        func(r *Report) { r.Summary.Conformant = true },
		"summary.scope":             func(r *Report) { r.Config.Only = []string{"A-1"} },
		`it is "partial (opted out of A-2)"`: func(r *Report) {
			r.Results[1].Verdict, r.Results[1].ReasonCode = NotApplicable, CodeOptedOut
			r.Summary.Pass, r.Summary.NotApplicable = 0, 1
		},
		"summary.combinations has":       func(r *Report) { r.Summary.Combinations = nil },
		"summary.combinations[0] counts": func(r *Report) { r.Summary.Combinations[0].Blocked = 0 },
		"summary.combinations[0].outcome": func(
			r *Report) {
			r.Summary.Combinations[0].Outcome = NotEstablished
		},
		"summary.revisions": func(r *Report) { r.Summary.Revisions[0].By = nil },
	} {
		var edited Report
		if err := json.Unmarshal(raw, &edited); err != nil {
			t.Fatal(err)
		}
		change(&edited)
		_, err := ReadJSON(bytes.NewReader(encode(t, &edited)))
		if (member == "") != (err == nil) || err != nil &&
			!strings.Contains(err.Error(), "the report contradicts itself: "+member) &&
			!strings.Contains(err.Error(), member) {
			t.Errorf("%s: %v", member, err)
		}
	}
}

// TestEarlierScope: a report of an earlier version that was narrowed and called itself full is read as a
// partial one.
func TestEarlierScope(t *testing.T) {
	r := New(Tool{Name: "mcpcheck"}, Target{Name: "x"}, Config{Revisions: []string{"2025-06-18"}})
	r.Results = []Result{row("A-1", LevelMust, Pass, "")}
	r.Summarize(SummaryOptions{})
	r.Summary.Revisions = nil
	got, err := ReadJSON(bytes.NewReader(encode(t, r)))
	if err != nil || got.Summary.Scope != Partial || got.Summary.Conformant ||
		len(got.Summary.Revisions) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}
