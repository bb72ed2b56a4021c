package ann_test

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

func TestAnnotationChecks(t *testing.T) {
	with := func(a string) []rt.Line {
		return areatest.Listing(`{"uri":"a:1","name":"1","annotations":` + a + `}`)
	}
	areatest.WalkRuns(t, recording.WalkResources, areatest.HasResources,
		areatest.Pass("ANN-01", with(`{}`)...),
		areatest.Pass("ANN-01", with(`{"audience":[],"priority":1,"x":null}`)...),
		areatest.NotApplicable("ANN-01", areatest.Listing(`{"uri":"a:1","name":"1"}`)...),
		areatest.Fail("ANN-01", with(`null`)...),
		areatest.Fail("ANN-01", with(`[]`)...),
		areatest.Fail("ANN-01", with(`{"audience":"user"}`)...),
		areatest.Fail("ANN-01", with(`{"priority":"0.8"}`)...),
		areatest.Pass("ANN-03", with(`{"audience":["user","assistant","user"]}`)...),
		areatest.NotApplicable("ANN-03", with(`{"audience":"user"}`)...),
		areatest.Fail("ANN-03", with(`{"audience":["developer"]}`)...),
		areatest.Fail("ANN-03", with(`{"audience":[null]}`)...),
		areatest.Pass("ANN-05", with(`{"priority":0}`)...),
		areatest.Pass("ANN-05", with(`{"priority":1.0}`)...),
		areatest.NotApplicable("ANN-05", with(`{"priority":"5"}`)...),
		areatest.Fail("ANN-05", with(`{"priority":5}`)...),
		areatest.Fail("ANN-05", with(`{"priority":-0.1}`)...),
		areatest.Pass("ANN-07", with(`{"lastModified":"2025-01-12T15:00:58Z"}`)...),
		areatest.Pass("ANN-07", with(`{"lastModified":"20250112T150058,5+01"}`)...),
		areatest.Pass("ANN-07", with(`{"lastModified":"2025-01-12"}`)...),
		areatest.NotApplicable("ANN-07", with(`{}`)...),
		areatest.Warn("ANN-07", with(`{"lastModified":"Sun, 12 Jan 2025 15:00:58 GMT"}`)...),
	)
	epoch := with(`{"lastModified":1736694058}`)
	areatest.WalkRunsIn(t, recording.WalkResources, areatest.HasResources,
		[]areatest.Run{areatest.Fail("ANN-01", epoch...)}, requirement.R20250618,
		requirement.R20260728)
	areatest.WalkRunsIn(t, recording.WalkResources, areatest.HasResources,
		[]areatest.Run{areatest.Pass("ANN-01", epoch...)}, requirement.R20241105,
		requirement.R20250326)
	areatest.WalkRuns(t, recording.WalkTemplates, areatest.HasResources,
		areatest.Fail("ANN-05",
			areatest.Templates(`{"uriTemplate":"a:{x}","name":"1","annotations":{"priority":10}}`)...),
	)
}
