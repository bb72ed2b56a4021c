package verdict_test

import (
	"context"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// TestEvaluateUntil: a check that takes longer than there is time is abandoned, and goes no
// further than to its next statement.
func TestEvaluateUntil(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan struct{})
	endless := &verdict.Check{Judge: func(v *verdict.Verdict) {
		defer close(left)
		for {
			v.That(nil, true, "", "")
			cancel()
		}
	}}
	req := &requirement.Requirement{ID: "X-01"}
	facts := &recording.Facts{Combination: requirement.Combination{Revision: requirement.R20251125,
		Transport: requirement.Stdio}}
	if r := verdict.EvaluateUntil(ctx, endless, req, facts,
		verdict.Recordings{recording.Everything: {}}); r.Outcome != verdict.Blocked ||
		r.Code != recording.CodeInterrupted {
		t.Errorf("%s (%s): %s", r.Outcome, r.Code, r.Reason)
	}
	<-left
}
