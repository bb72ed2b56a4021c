package area_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/disc"
	"github.com/mcpcheck/mcpcheck/suite/area/sec"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// TestTheEvidenceDecides: the evidence holds the earlier messages without which nothing would be wrong.
func TestTheEvidenceDecides(t *testing.T) {
	from := func(step recording.Step, status int, answer rt.Line) rt.Line {
		return areatest.WithTags(areatest.HTTPLine(step, status, answer), "origin",
			"http://evil.example.invalid")
	}
	for id, test := range map[string]struct {
		name recording.Name
		rec  []rt.Line
		has  []string
	}{
		"DISC-08": {disc.Versions, areatest.Lines(
			areatest.Asked("supported", "resources/list", `{"_meta":{"first":1}}`, areatest.GoodList),
			areatest.Asked("unsupported", "resources/list", `{"_meta":{"second":2}}`, areatest.GoodList,
				"version", "1900-01-01", "main", "yes"),
		), []string{`"first"`, `"second"`}},
		"SUB-25": {recording.Listening, append(
			new(areatest.Script).Listen("7", "unsupported", `{"toolsListChanged":true}`,
				`{"toolsListChanged":true}`, "unsupported", "toolsListChanged").Lines,
			areatest.Asked("before", "server/discover", `{}`, `{"capabilities":{"is":"declared"}}`),
		), []string{"declared", "subscriptions/listen", "acknowledged"}},
		"CAP-12": {recording.Everything, areatest.Lines(
			areatest.Asked("page", "server/discover", `{}`, `{"capabilities":{"is":"declared"}}`),
			areatest.Unasked(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info",`+
				`"data":1}}`),
		), []string{"declared", "notifications/message"}},
		"SEC-03": {sec.Origins, areatest.Lines(
			from("request", 403, areatest.NoMessage), from("read", 200, areatest.OkList),
		), []string{"request", "read"}},
	} {
		req, _ := area.Catalogue().Find(id)
		facts := rt.Facts(requirement.Combination{Revision: requirement.R20260728,
			Transport: req.Transports[0]}, `{"resources":{"listChanged":true}}`)
		rec := rt.New(test.name, facts, test.rec...)
		got := areatest.Judge(id, rec)
		var evidence strings.Builder
		for _, n := range slices.Concat(got.Before, got.Frames) {
			evidence.Write(rec.Frame(n).Raw)
			for _, x := range rec.Exchanges {
				if x.Request == n {
					fmt.Fprint(&evidence, x.Step)
				}
			}
		}
		for _, part := range test.has {
			if !got.Outcome.Red() || !strings.Contains(evidence.String(), part) {
				t.Errorf("%s, %s: no %s in the evidence %s", id, got.Outcome, part, evidence.String())
			}
		}
	}
}
