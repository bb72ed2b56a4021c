package check

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

func TestAnnotationChecks(t *testing.T) {
	with := func(a string) []rt.Line { return listing(`{"uri":"a:1","name":"1","annotations":` + a + `}`) }
	walkRuns(t, recording.WalkResources, hasResources, []run{
		{"ANN-01", Pass, with(`{}`)},
		{"ANN-01", Pass, with(`{"audience":[],"priority":1,"x":null}`)},
		{"ANN-01", NotApplicable, listing(`{"uri":"a:1","name":"1"}`)},
		{"ANN-01", Fail, with(`null`)},
		{"ANN-01", Fail, with(`[]`)},
		{"ANN-01", Fail, with(`{"audience":"user"}`)},
		{"ANN-01", Fail, with(`{"priority":"0.8"}`)},
		{"ANN-03", Pass, with(`{"audience":["user","assistant","user"]}`)},
		{"ANN-03", NotApplicable, with(`{"audience":"user"}`)},
		{"ANN-03", Fail, with(`{"audience":["developer"]}`)},
		{"ANN-03", Fail, with(`{"audience":[null]}`)},
		{"ANN-05", Pass, with(`{"priority":0}`)},
		{"ANN-05", Pass, with(`{"priority":1.0}`)},
		{"ANN-05", NotApplicable, with(`{"priority":"5"}`)},
		{"ANN-05", Fail, with(`{"priority":5}`)},
		{"ANN-05", Fail, with(`{"priority":-0.1}`)},
		{"ANN-07", Pass, with(`{"lastModified":"2025-01-12T15:00:58Z"}`)},
		{"ANN-07", Pass, with(`{"lastModified":"20250112T150058,5+01"}`)},
		{"ANN-07", Pass, with(`{"lastModified":"2025-01-12"}`)},
		{"ANN-07", NotApplicable, with(`{}`)},
		{"ANN-07", Warn, with(`{"lastModified":"Sun, 12 Jan 2025 15:00:58 GMT"}`)},
	})
	epoch := with(`{"lastModified":1736694058}`)
	walkRuns(t, recording.WalkResources, hasResources, []run{{"ANN-01", Fail, epoch}}, requirement.R20250618, requirement.R20260728)
	walkRuns(t, recording.WalkResources, hasResources, []run{{"ANN-01", Pass, epoch}}, requirement.R20241105, requirement.R20250326)
	walkRuns(t, recording.WalkTemplates, hasResources, []run{
		{"ANN-05", Fail, templates(`{"uriTemplate":"a:{x}","name":"1","annotations":{"priority":10}}`)},
	})
}
