package ann_test

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

func TestAnnotationChecks(t *testing.T) {
	with := func(a string) []rt.Line {
		return areatest.Listing(`{"uri":"a:1","name":"1","annotations":` + a + `}`)
	}
	areatest.WalkRuns(t, recording.WalkResources, areatest.HasResources, []areatest.Run{
		{ID: "ANN-01", Want: verdict.Pass, Rec: with(`{}`)},
		{ID: "ANN-01", Want: verdict.Pass, Rec: with(`{"audience":[],"priority":1,"x":null}`)},
		{ID: "ANN-01", Want: verdict.NotApplicable, Rec: areatest.Listing(`{"uri":"a:1","name":"1"}`)},
		{ID: "ANN-01", Want: verdict.Fail, Rec: with(`null`)},
		{ID: "ANN-01", Want: verdict.Fail, Rec: with(`[]`)},
		{ID: "ANN-01", Want: verdict.Fail, Rec: with(`{"audience":"user"}`)},
		{ID: "ANN-01", Want: verdict.Fail, Rec: with(`{"priority":"0.8"}`)},
		{ID: "ANN-03", Want: verdict.Pass, Rec: with(`{"audience":["user","assistant","user"]}`)},
		{ID: "ANN-03", Want: verdict.NotApplicable, Rec: with(`{"audience":"user"}`)},
		{ID: "ANN-03", Want: verdict.Fail, Rec: with(`{"audience":["developer"]}`)},
		{ID: "ANN-03", Want: verdict.Fail, Rec: with(`{"audience":[null]}`)},
		{ID: "ANN-05", Want: verdict.Pass, Rec: with(`{"priority":0}`)},
		{ID: "ANN-05", Want: verdict.Pass, Rec: with(`{"priority":1.0}`)},
		{ID: "ANN-05", Want: verdict.NotApplicable, Rec: with(`{"priority":"5"}`)},
		{ID: "ANN-05", Want: verdict.Fail, Rec: with(`{"priority":5}`)},
		{ID: "ANN-05", Want: verdict.Fail, Rec: with(`{"priority":-0.1}`)},
		{ID: "ANN-07", Want: verdict.Pass, Rec: with(`{"lastModified":"2025-01-12T15:00:58Z"}`)},
		{ID: "ANN-07", Want: verdict.Pass, Rec: with(`{"lastModified":"20250112T150058,5+01"}`)},
		{ID: "ANN-07", Want: verdict.Pass, Rec: with(`{"lastModified":"2025-01-12"}`)},
		{ID: "ANN-07", Want: verdict.NotApplicable, Rec: with(`{}`)},
		{ID: "ANN-07", Want: verdict.Warn, Rec: with(`{"lastModified":"Sun, 12 Jan 2025 15:00:58 GMT"}`)},
	})
	epoch := with(`{"lastModified":1736694058}`)
	areatest.WalkRuns(t, recording.WalkResources, areatest.HasResources,
		[]areatest.Run{{ID: "ANN-01", Want: verdict.Fail, Rec: epoch}}, requirement.R20250618,
		requirement.R20260728)
	areatest.WalkRuns(t, recording.WalkResources, areatest.HasResources,
		[]areatest.Run{{ID: "ANN-01", Want: verdict.Pass, Rec: epoch}}, requirement.R20241105,
		requirement.R20250326)
	areatest.WalkRuns(t, recording.WalkTemplates, areatest.HasResources, []areatest.Run{
		{ID: "ANN-05", Want: verdict.Fail,
			Rec: areatest.Templates(`{"uriTemplate":"a:{x}","name":"1","annotations":{"priority":10}}`)},
	})
}
