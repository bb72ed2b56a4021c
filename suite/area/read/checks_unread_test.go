package read_test

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// That reads were left out is told: a pass is about those that were made.
func TestUnread(t *testing.T) {
	facts := rt.Facts(requirement.Combination{Revision: requirement.R20251125, Transport: requirement.Stdio}, areatest.HasResources)
	rec := rt.New(recording.Reads, facts, areatest.ReadLine("a:1", "", `{"uri":"a:1","text":"1"}`))
	rec.Skipped = &recording.Skipped{Code: recording.CodeNotExercised, Reason: "7 resources were not read"}
	req, _ := area.Catalogue().Find("READ-01")
	k, _ := area.BuiltIn().Check("READ-01")
	got := verdict.Evaluate(k, req, facts, verdict.Recordings{recording.Reads: rec})
	if got.Outcome != verdict.Pass || len(got.Observations) != 1 || got.Observations[0].ID != "unread" || got.Observations[0].Detail != rec.Skipped.Reason {
		t.Errorf("%+v", got)
	}
}
