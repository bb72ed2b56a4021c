package icon_test

import (
	"encoding/json"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area"
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
	areatest.WalkRuns(t, recording.WalkResources, areatest.HasResources, []areatest.Run{
		{ID: "ICON-01", Want: verdict.Pass, Rec: with(`[]`)},
		{ID: "ICON-01", Want: verdict.Pass,
			Rec: with(`[{"src":"https://a/b.png","mimeType":"image/png","sizes":["48x48"],"theme":"dark",` +
				`"x":null}]`)},
		{ID: "ICON-01", Want: verdict.NotApplicable, Rec: areatest.Listing(`{"uri":"a:1","name":"1"}`)},
		{ID: "ICON-01", Want: verdict.Fail, Rec: with(`{"src":"https://a/b.png"}`)},
		{ID: "ICON-01", Want: verdict.Fail, Rec: with(`null`)},
		{ID: "ICON-01", Want: verdict.Fail, Rec: with(`["https://a/b.png"]`)},
		{ID: "ICON-01", Want: verdict.Fail, Rec: with(`[{"url":"https://a/b.png"}]`)},
		{ID: "ICON-01", Want: verdict.Fail, Rec: with(`[{"src":"https://a/b.png","mimeType":null}]`)},
		{ID: "ICON-01", Want: verdict.Fail, Rec: with(`[{"src":"https://a/b.png","sizes":"48x48"}]`)},
		{ID: "ICON-01", Want: verdict.Fail, Rec: with(`[{"src":"https://a/b.png","sizes":[48]}]`)},
		{ID: "ICON-01", Want: verdict.Fail, Rec: with(`[{"src":"https://a/b.png","theme":"auto"}]`)},
		{ID: "ICON-03", Want: verdict.Pass, Rec: src(`data:image/png;base64,AAAA`)},
		{ID: "ICON-03", Want: verdict.Fail, Rec: src(`/icons/a.png`)},
		{ID: "ICON-03", Want: verdict.Fail, Rec: src(`https://a/my icon.png`)},
		{ID: "ICON-04", Want: verdict.Pass, Rec: src(`http://a/b.png`)},
		{ID: "ICON-04", Want: verdict.Pass, Rec: src(`DATA:image/png;base64,AAAA`)},
		{ID: "ICON-04", Want: verdict.Warn, Rec: src(`file:///usr/share/icons/a.png`)},
		{ID: "ICON-05", Want: verdict.Pass, Rec: src(`data:image/png;base64,AAAA`)},
		{ID: "ICON-05", Want: verdict.NotApplicable, Rec: src(`https://a/b.png`)},
		{ID: "ICON-05", Want: verdict.Warn, Rec: src(`data:image/png;base64,AAA`)},
		{ID: "ICON-05", Want: verdict.Warn, Rec: src(`data:image/svg+xml,%3Csvg/%3E`)},
		{ID: "ICON-05", Want: verdict.Warn, Rec: src(`data:text/plain;base64,AAAA`)},
		{ID: "ICON-08", Want: verdict.Pass, Rec: with(`[{"src":"https://a/b.png","sizes":["48x48","any"]}]`)},
		{ID: "ICON-08", Want: verdict.NotApplicable, Rec: src(`https://a/b.png`)},
		{ID: "ICON-08", Want: verdict.Warn, Rec: with(`[{"src":"https://a/b.png","sizes":["large"]}]`)},
		{ID: "ICON-08", Want: verdict.Warn, Rec: with(`[{"src":"https://a/b.png","sizes":["48X48"]}]`)},
	})
	areatest.WalkRuns(t, recording.WalkTemplates, areatest.HasResources, []areatest.Run{
		{ID: "ICON-01", Want: verdict.Fail,
			Rec: areatest.Templates(`{"uriTemplate":"a:{x}","name":"1","icons":[{}]}`)},
	})
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
		facts := rt.Facts(requirement.Combination{Revision: x.revision, Transport: requirement.Stdio},
			areatest.HasResources)
		facts.Declared = json.RawMessage(x.declared)
		k, _ := area.BuiltIn().Check("ICON-01")
		req, _ := area.Catalogue().Find("ICON-01")
		got := verdict.Evaluate(k, req, facts,
			verdict.Recordings{recording.WalkResources: rt.New(recording.WalkResources, facts,
				areatest.Page("1d", `{}`, x.page))})
		if got.Outcome != x.want {
			t.Errorf("%s %s %s: %+v", x.revision, x.declared, x.page, got)
		}
	}
}
