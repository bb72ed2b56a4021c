package verdict_test

import (
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// TestWhatWasCutOff: nothing red follows from what we cut off ourselves. A finding about such an
// exchange is what kept us from judging; others stay, and so does what was found in order.
func TestWhatWasCutOff(t *testing.T) {
	facts := rt.Facts(requirement.Combination{Revision: requirement.R20251125, Transport: requirement.Stdio},
		`{}`)
	for name, c := range map[string]struct {
		outcomes []recording.Outcome // of the exchanges, about each of which there is a finding
		limit    bool                // it was a bound that they went beyond, not the end of the run
		grade    requirement.Grade
		warn     bool // the findings are warnings at most
		holds    bool // something else is in order
		want     verdict.Outcome
		code     recording.Code
		actual   string
	}{
		"the run ended": {[]recording.Outcome{recording.Canceled}, false, requirement.Fail, false,
			false, verdict.Blocked, recording.CodeInterrupted, ""},
		"more than is read": {[]recording.Outcome{recording.Canceled}, true, requirement.Fail, false,
			false, verdict.Blocked, recording.CodeVolume, ""},
		"a warning": {[]recording.Outcome{recording.Canceled}, false, requirement.Fail, true,
			false, verdict.Blocked, recording.CodeInterrupted, ""},
		"a grade of warn": {[]recording.Outcome{recording.Canceled}, false, requirement.Warn, false,
			false, verdict.Blocked, recording.CodeInterrupted, ""},
		"asked to come back": {[]recording.Outcome{recording.Refused}, false, requirement.Fail, false,
			false, verdict.Blocked, recording.CodeThrottled, ""},
		"several": {[]recording.Outcome{recording.Canceled, recording.Canceled}, false,
			requirement.Fail, false, false, verdict.Blocked, recording.CodeInterrupted, ""},
		"beside what holds": {[]recording.Outcome{recording.Canceled}, false, requirement.Fail, false,
			true, verdict.Pass, "", ""},
		"beside a finding": {[]recording.Outcome{recording.Canceled, recording.Replied}, false,
			requirement.Fail, false, false, verdict.Fail, "", "seen in exchange 1"},
		"answers, not cut": {[]recording.Outcome{recording.Replied, recording.Replied}, false,
			requirement.Fail, false, false, verdict.Fail, "", "seen in exchange 0 (and 1 more)"},
		"silence is not of us": {[]recording.Outcome{recording.Silent}, false, requirement.Fail, false,
			false, verdict.Fail, "", "seen in exchange 0"},
		"nor is a loss": {[]recording.Outcome{recording.Lost}, false, requirement.Fail, false, false,
			verdict.Fail, "", "seen in exchange 0"},
		"an observation at all": {[]recording.Outcome{recording.Canceled}, false, requirement.Info, false,
			false, verdict.Blocked, recording.CodeInterrupted, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var lines []rt.Line
			for _, o := range c.outcomes {
				lines = append(lines, rt.Line{Step: recording.StepRead, Method: "resources/read", Outcome: o,
					Reason: "told", Incoming: []string{`{"jsonrpc":"2.0","method":"m"}`}})
			}
			r := rt.New(recording.Reads, facts, lines...)
			for _, x := range r.Exchanges {
				x.Limit = c.limit
			}
			check := &verdict.Check{From: recording.Names{recording.Reads},
				Judge: func(v *verdict.Verdict) {
					for i, x := range v.Exchanges {
						v.Fail(x, "nothing", "seen in exchange %s", string(rune('0'+i))).WarnIf(c.warn)
					}
					if c.holds {
						v.Holds()
					}
				}}
			row := &requirement.Requirement{ID: "X-01", Terms: requirement.Terms{Level: requirement.Must,
				Grade: c.grade, Basis: requirement.Normative}}
			got := verdict.Evaluate(check, row, facts, verdict.Recordings{recording.Reads: r})
			if got.Outcome != c.want || got.Code != c.code || got.Actual != c.actual ||
				len(got.Observations) != 0 {
				t.Errorf("got %+v", got)
			}
			if got.Outcome == verdict.Blocked && got.Code != recording.CodeThrottled &&
				(!strings.Contains(got.Reason, "resources/read") || len(got.Frames) == 0) {
				t.Errorf("the reason does not name the message, or has no evidence: %+v", got)
			}
		})
	}
}

// TestOrphaned: that a gateway has lost the server behind it is no answer of that server.
func TestOrphaned(t *testing.T) {
	facts := rt.Facts(requirement.Combination{Revision: requirement.R20251125, Transport: requirement.Stdio},
		`{}`)
	for answer, want := range map[string]verdict.Outcome{
		`{"code":-32000,"message":"Connection closed"}`:                          verdict.Blocked,
		`{"code":-32000,"message":"MCP error -32000: Connection closed"}`:        verdict.Blocked,
		`{"code":-32603,"message":"Not connected"}`:                              verdict.Blocked,
		`{"code":-32000,"message":"The database says: connection closed"}`:       verdict.Fail,
		`{"code":-32603,"message":"Connection closed"}`:                          verdict.Fail,
		`{"code":-32603,"message":"Not connected to the file system of a user"}`: verdict.Fail,
	} {
		r := rt.New(recording.Reads, facts, rt.Line{Step: recording.StepRead, Method: "resources/read",
			Error: answer})
		for name, judge := range map[string]verdict.Judge{
			"asked for": func(v *verdict.Verdict) {
				v.Expect(v.Exchanges[0], matcher.BeResult(), "a read")
			},
			"stated": func(v *verdict.Verdict) {
				v.Fail(v.Exchanges[0], "a result", "an error")
			},
		} {
			check := &verdict.Check{From: recording.Names{recording.Reads},
				Judge: judge}
			row := &requirement.Requirement{ID: "X-01", Terms: requirement.Terms{Level: requirement.Must,
				Grade: requirement.Fail, Basis: requirement.Normative}}
			if got := verdict.Evaluate(check, row, facts,
				verdict.Recordings{recording.Reads: r}); got.Outcome != want {
				t.Errorf("%s, %s: %+v", answer, name, got)
			}
		}
	}
}

// TestStrayEntries: of the entries of a page without an identifier a bounded number is kept, wherever they
// stand.
func TestStrayEntries(t *testing.T) {
	facts := rt.Facts(requirement.Combination{Revision: requirement.R20251125, Transport: requirement.Stdio},
		`{}`)
	r := rt.New(recording.WalkResources, facts, rt.Line{Step: recording.StepPage, Method: "resources/list",
		Result: `{"resources":[` + strings.Repeat("7,{},", 2500) + `{"uri":"test://a"}]}`})
	all := verdict.Entries(r.Exchanges[0])
	if len(all) != 101 || all[0].Name != "resource 1 of its page" ||
		all[100].Name != `the resource "test://a"` {
		t.Errorf("%d entries", len(all))
	}
}
