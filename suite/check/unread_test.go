package check

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// That reads were left out is told: a pass is about those that were made.
func TestUnread(t *testing.T) {
	facts := rt.Facts(requirement.Combination{Revision: requirement.R20251125, Transport: requirement.Stdio}, hasResources)
	rec := rt.New(recording.Reads, facts, readLine("a:1", "", `{"uri":"a:1","text":"1"}`))
	rec.Skipped = &recording.Skipped{Code: recording.CodeNotExercised, Reason: "7 resources were not read"}
	req, _ := requirement.Find("READ-01")
	k, _ := Find("READ-01")
	got := Evaluate(k, req, facts, Recordings{recording.Reads: rec})
	if got.Outcome != Pass || len(got.Observations) != 1 || got.Observations[0].ID != "unread" || got.Observations[0].Detail != rec.Skipped.Reason {
		t.Errorf("%+v", got)
	}
}
