package icon_test

import (
	"encoding/json"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

func TestIconChecks(t *testing.T) {
	with := func(icons string) []rt.Line {
		return areatest.Listing(`{"uri":"a:1","name":"1","icons":` + icons + `}`)
	}
	src := func(s string) []rt.Line { return with(`[{"src":"` + s + `"}]`) }
	areatest.WalkRuns(t, recording.WalkResources, areatest.HasResources,
		areatest.Pass("ICON-01", with(`[]`)...),
		areatest.Pass("ICON-01",
			with(`[{"src":"https://a/b.png","mimeType":"image/png","sizes":["48x48"],"theme":"dark",`+
				`"x":null}]`)...),
		areatest.NotApplicable("ICON-01", areatest.Listing(`{"uri":"a:1","name":"1"}`)...),
		areatest.Fail("ICON-01", with(`{"src":"https://a/b.png"}`)...),
		areatest.Fail("ICON-01", with(`null`)...),
		areatest.Fail("ICON-01", with(`["https://a/b.png"]`)...),
		areatest.Fail("ICON-01", with(`[{"url":"https://a/b.png"}]`)...),
		areatest.Fail("ICON-01", with(`[{"src":"https://a/b.png","mimeType":null}]`)...),
		areatest.Fail("ICON-01", with(`[{"src":"https://a/b.png","sizes":"48x48"}]`)...),
		areatest.Fail("ICON-01", with(`[{"src":"https://a/b.png","sizes":[48]}]`)...),
		areatest.Fail("ICON-01", with(`[{"src":"https://a/b.png","theme":"auto"}]`)...),
		areatest.Pass("ICON-03", src(`data:image/png;base64,AAAA`)...),
		areatest.Fail("ICON-03", src(`/icons/a.png`)...),
		areatest.Fail("ICON-03", src(`https://a/my icon.png`)...),
		areatest.Pass("ICON-04", src(`http://a/b.png`)...),
		areatest.Pass("ICON-04", src(`DATA:image/png;base64,AAAA`)...),
		areatest.Warn("ICON-04", src(`file:///usr/share/icons/a.png`)...),
		areatest.Pass("ICON-05", src(`data:image/png;base64,AAAA`)...),
		areatest.NotApplicable("ICON-05", src(`https://a/b.png`)...),
		areatest.Warn("ICON-05", src(`data:image/png;base64,AAA`)...),
		areatest.Warn("ICON-05", src(`data:image/svg+xml,%3Csvg/%3E`)...),
		areatest.Warn("ICON-05", src(`data:text/plain;base64,AAAA`)...),
		areatest.Pass("ICON-08", with(`[{"src":"https://a/b.png","sizes":["48x48","any"]}]`)...),
		areatest.NotApplicable("ICON-08", src(`https://a/b.png`)...),
		areatest.Warn("ICON-08", with(`[{"src":"https://a/b.png","sizes":["large"]}]`)...),
		areatest.Warn("ICON-08", with(`[{"src":"https://a/b.png","sizes":["48X48"]}]`)...),
	)
	areatest.WalkRuns(t, recording.WalkTemplates, areatest.HasResources,
		areatest.Fail("ICON-01", areatest.Templates(`{"uriTemplate":"a:{x}","name":"1","icons":[{}]}`)...),
	)
}

// TestServerIcons: the server's own icons are judged, too, wherever it says who it is.
func TestServerIcons(t *testing.T) {
	const info = `{"name":"s","version":"1","icons":[{"url":"https://a/b.png"}]}`
	const inMeta = `{"_meta":{"io.modelcontextprotocol/serverInfo":` + info + `}`
	for _, x := range []struct {
		revision       requirement.Revision
		declared, page string
		want           verdict.Outcome
	}{
		{requirement.R20251125, `{"serverInfo":` + info + `}`, `{"resources":[]}`, verdict.Fail},
		{requirement.R20251125, `{}`, `{"resources":[]}`, verdict.NotApplicable},
		{requirement.R20260728, inMeta + `}`, `{"resources":[]}`, verdict.Fail},
		{requirement.R20260728, `{}`, inMeta + `,"resources":[]}`, verdict.Fail},
		{requirement.R20260728, `{}`, `{"resources":[]}`, verdict.NotApplicable},
	} {
		facts := areatest.Stdio(x.revision, areatest.HasResources)
		facts.Declared = json.RawMessage(x.declared)
		got := areatest.Judge("ICON-01", rt.New(recording.WalkResources, facts, areatest.Page("1d", `{}`,
			x.page)))
		if got.Outcome != x.want {
			t.Errorf("%s %s %s: %+v", x.revision, x.declared, x.page, got)
		}
	}
}
