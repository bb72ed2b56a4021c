package check

import (
	"encoding/json"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

func TestIconChecks(t *testing.T) {
	with := func(icons string) []rt.Line { return listing(`{"uri":"a:1","name":"1","icons":` + icons + `}`) }
	src := func(s string) []rt.Line { return with(`[{"src":"` + s + `"}]`) }
	walkRuns(t, recording.WalkResources, hasResources, []run{
		{"ICON-01", Pass, with(`[]`)},
		{"ICON-01", Pass, with(`[{"src":"https://a/b.png","mimeType":"image/png","sizes":["48x48"],"theme":"dark","x":null}]`)},
		{"ICON-01", NotApplicable, listing(`{"uri":"a:1","name":"1"}`)},
		{"ICON-01", Fail, with(`{"src":"https://a/b.png"}`)},
		{"ICON-01", Fail, with(`null`)},
		{"ICON-01", Fail, with(`["https://a/b.png"]`)},
		{"ICON-01", Fail, with(`[{"url":"https://a/b.png"}]`)},
		{"ICON-01", Fail, with(`[{"src":"https://a/b.png","mimeType":null}]`)},
		{"ICON-01", Fail, with(`[{"src":"https://a/b.png","sizes":"48x48"}]`)},
		{"ICON-01", Fail, with(`[{"src":"https://a/b.png","sizes":[48]}]`)},
		{"ICON-01", Fail, with(`[{"src":"https://a/b.png","theme":"auto"}]`)},
		{"ICON-03", Pass, src(`data:image/png;base64,AAAA`)},
		{"ICON-03", Fail, src(`/icons/a.png`)},
		{"ICON-03", Fail, src(`https://a/my icon.png`)},
		{"ICON-04", Pass, src(`http://a/b.png`)},
		{"ICON-04", Pass, src(`DATA:image/png;base64,AAAA`)},
		{"ICON-04", Warn, src(`file:///usr/share/icons/a.png`)},
		{"ICON-05", Pass, src(`data:image/png;base64,AAAA`)},
		{"ICON-05", NotApplicable, src(`https://a/b.png`)},
		{"ICON-05", Warn, src(`data:image/png;base64,AAA`)},
		{"ICON-05", Warn, src(`data:image/svg+xml,%3Csvg/%3E`)},
		{"ICON-05", Warn, src(`data:text/plain;base64,AAAA`)},
		{"ICON-08", Pass, with(`[{"src":"https://a/b.png","sizes":["48x48","any"]}]`)},
		{"ICON-08", NotApplicable, src(`https://a/b.png`)},
		{"ICON-08", Warn, with(`[{"src":"https://a/b.png","sizes":["large"]}]`)},
		{"ICON-08", Warn, with(`[{"src":"https://a/b.png","sizes":["48X48"]}]`)},
	})
	walkRuns(t, recording.WalkTemplates, hasResources, []run{
		{"ICON-01", Fail, templates(`{"uriTemplate":"a:{x}","name":"1","icons":[{}]}`)},
	})
}

// TestServerIcons: the server's own icons are judged, too, wherever it says who it is.
func TestServerIcons(t *testing.T) {
	const info = `{"name":"s","version":"1","icons":[{"url":"https://a/b.png"}]}`
	const inMeta = `{"_meta":{"io.modelcontextprotocol/serverInfo":` + info + `}`
	for _, x := range []struct {
		revision       requirement.Revision
		declared, page string
		want           Outcome
	}{
		{requirement.R20251125, `{"serverInfo":` + info + `}`, `{"resources":[]}`, Fail},
		{requirement.R20251125, `{}`, `{"resources":[]}`, NotApplicable},
		{requirement.R20260728, inMeta + `}`, `{"resources":[]}`, Fail},
		{requirement.R20260728, `{}`, inMeta + `,"resources":[]}`, Fail},
		{requirement.R20260728, `{}`, `{"resources":[]}`, NotApplicable},
	} {
		facts := rt.Facts(requirement.Combination{Revision: x.revision, Transport: requirement.Stdio}, hasResources)
		facts.Declared = json.RawMessage(x.declared)
		k, _ := Find("ICON-01")
		req, _ := requirement.Find("ICON-01")
		got := Evaluate(k, req, facts, Recordings{recording.WalkResources: rt.New(recording.WalkResources, facts, page("1d", `{}`, x.page))})
		if got.Outcome != x.want {
			t.Errorf("%s %s %s: %+v", x.revision, x.declared, x.page, got)
		}
	}
}
