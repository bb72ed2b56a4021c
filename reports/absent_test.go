package reports

import (
	"testing"
)

// What could not be reached is not passed, whatever else was, and in whichever of the
// reports that are joined.
func TestExitCodeUnreachable(t *testing.T) {
	good := New(Tool{}, Target{Name: "x"}, Config{})
	good.Results = []Result{{ID: "A-01", Level: LevelMust, Verdict: Pass, Revision: "2025-06-18",
		Transport: "stdio"}}
	good.Summarize(SummaryOptions{})
	bad := New(Tool{},
		Target{Name: "x",
			Endpoints: []Endpoint{{Transport: "http", Address: "http://x", Unreachable: "refused"}}},
		Config{})
	bad.Summarize(SummaryOptions{})
	r, err := Merge([]*Report{good, bad}, nil)
	if err != nil || r.ExitCode(false, false) != ExitNotEstablished || good.ExitCode(false, false) != ExitOK {
		t.Errorf("%v: %d", err, r.ExitCode(false, false))
	}
}

// Of what was reached in one of several runs it is not said, once they are merged, that it could not be
// reached.
func TestMergeReached(t *testing.T) {
	at := Endpoint{Transport: "http", Address: "http://x"}
	page := at
	page.Unreachable, page.Reached = "HTTP 200", true
	all, err := Merge([]*Report{
		New(Tool{Name: "t"}, Target{Name: "x", Endpoints: []Endpoint{at}}, Config{}),
		New(Tool{Name: "t"}, Target{Name: "x", Endpoints: []Endpoint{page}}, Config{}),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := all.Lost(); got != "http://x gave no answer that can be used" {
		t.Errorf("%q", got)
	}
}
