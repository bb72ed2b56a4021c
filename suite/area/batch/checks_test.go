package batch_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/batch"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

func TestBatches(t *testing.T) {
	array := func(step recording.Step, ids string, o recording.Outcome, replies ...string) rt.Line {
		l := rt.Line{Step: step, ID: "-", Kind: recording.Probe, Tags: recording.Tags{"ids": ids}, Outcome: o}
		if len(replies) > 0 {
			l.Reply, l.More = replies[0], replies[1:]
		}
		return l
	}
	one, two := `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":2,"result":{}}`
	refusal := `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":""}}`
	failed := `{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":""}}`
	quietly := func(incoming ...string) rt.Line {
		return rt.Line{Step: "notifications", ID: "-", Kind: recording.Probe, Outcome: recording.Sent,
			Incoming: incoming}
	}
	works := array("requests", "1 2", recording.Replied, two, one)
	refused := array("requests", "1 2", recording.Replied, refusal)
	areatest.WalkRuns(t, batch.Batches, `{"resources":{}}`,
		areatest.Pass("BATCH-01", array("requests", "1 2", recording.Replied, "["+two+","+one+"]")),
		areatest.Pass("BATCH-01", array("requests", "1 2", recording.Replied, two, one)),
		areatest.Fail("BATCH-01", array("requests", "1 2", recording.Replied, refusal)),
		areatest.Fail("BATCH-01", array("requests", "1 2", recording.Silent)),
		areatest.Pass("BATCH-02", works, quietly()),
		areatest.Fail("BATCH-02", works, quietly("[]")),
		areatest.Fail("BATCH-02", works, array("notifications", "", recording.Replied, refusal)),
		areatest.Pass("BATCH-03", works, array("mixed", "1 2", recording.Replied, "["+one+","+two+"]")),
		areatest.Fail("BATCH-03", works,
			array("mixed", "1 2", recording.Replied, "["+one+","+refusal+","+two+"]")),
		areatest.Pass("BATCH-04", works, array("empty", "", recording.Replied, refusal),
			array("invalid-member", "1", recording.Replied, refusal, one)),
		areatest.Fail("BATCH-04", works, array("empty", "", recording.Silent)),
		areatest.Fail("BATCH-04", works, array("empty", "", recording.Replied, "["+refusal+"]")),
		areatest.Fail("BATCH-04", works, array("invalid-member", "1", recording.Replied, refusal)),
		areatest.Fail("BATCH-01", works, array("mixed", "1 2", recording.Silent)),
		areatest.Fail("BATCH-01", works, areatest.WithTags(array("mixed", "1 2 3", recording.Replied, "["+
			one+","+two+"]"), "ids", "1 2 3", "failing", "3")),
		areatest.Pass("BATCH-01", works, areatest.WithTags(array("mixed", "1 2 3", recording.Replied, "["+
			one+","+two+","+failed+"]"), "ids", "1 2 3", "failing", "3")),
		areatest.Pass("BATCH-03", works, array("mixed", "1 2 3", recording.Replied, "["+one+","+two+"]")),
		areatest.NotApplicable("BATCH-02", refused, array("notifications", "", recording.Replied, refusal)),
		areatest.NotApplicable("BATCH-03", refused, array("mixed", "1 2", recording.Replied, refusal)),
		areatest.NotApplicable("BATCH-03", works, array("mixed", "1 2", recording.Silent)),
		areatest.NotApplicable("BATCH-04", refused, array("empty", "", recording.Silent)),
	)
	areatest.WalkRuns(t, recording.Everything, `{}`,
		areatest.Pass("BATCH-07", areatest.Unasked(one)),
		areatest.Fail("BATCH-07", areatest.Unasked("["+one+"]")),
	)
}

// TestAnEmptyArray: what an empty array answered is shown, and that there are no messages to send by
// themselves is heeded.
func TestAnEmptyArray(t *testing.T) {
	facts := areatest.HTTP(requirement.R20251125, `{}`)
	rec := rt.New(recording.InvalidMessages, facts, rt.Line{Step: "mistyped-method", Method: "7", ID: "1",
		Kind: recording.Probe, Channel: "post:1", Status: 200, Outcome: recording.HTTPOnly, Reply: `[]`})
	got := areatest.Judge("BATCH-07", rec)
	if got.Outcome != verdict.Fail || !slices.Equal(got.Frames, []int{1, 2}) ||
		!strings.Contains(got.Hint, "empty array") {
		t.Errorf("%+v", got)
	}
}
