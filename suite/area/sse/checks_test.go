package sse_test

import (
	"slices"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/sse"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// TestOriginOfLastEventID: the evidence of a replay begins with the request and the event after
// which the stream was asked for again.
func TestOriginOfLastEventID(t *testing.T) {
	on := func(step recording.Step, channel, id string) rt.Line {
		l := areatest.HTTPLine(step, 200, areatest.OkList)
		l.Channel, l.Event = channel, &wire.Event{ID: id, HasID: true}
		return l
	}
	resumed := rt.Line{Step: "resume", ID: "-", Status: 200, Outcome: recording.Sent, Channel: "get:1", Event: &wire.Event{}, Tags: recording.Tags{"id": "e1"},
		Incoming: []string{`{"jsonrpc":"2.0","id":101,"result":{}}`}}
	facts := rt.Facts(requirement.Combination{Revision: requirement.R20251125, Transport: requirement.HTTP}, `{}`)
	rec := rt.New(sse.HTTPResume, facts, on("first", "post:1", "e1"), on("second", "post:2", "f1"), resumed)
	req, _ := area.Catalogue().Find("SSE-07")
	k, _ := area.BuiltIn().Check("SSE-07")
	got := verdict.Evaluate(k, req, facts, verdict.Recordings{sse.HTTPResume: rec})
	first := rec.Step("first")
	if want := first.Evidence(); !got.Outcome.Red() || len(want) < 2 || !slices.Equal(got.Frames[:2], want[:2]) {
		t.Errorf("%s, the evidence is %v, without %v", got.Outcome, got.Frames, want)
	}
	if event := rec.Frame(got.Frames[1]); event == nil || event.Event == nil || event.Event.ID != "e1" {
		t.Errorf("the second frame is %+v", event)
	}
}
