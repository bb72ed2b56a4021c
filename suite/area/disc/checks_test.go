package disc_test

import (
	"encoding/json"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/disc"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

func TestDiscoveryChecks(t *testing.T) {
	good := areatest.Discovery(
		`{"resultType":"complete","supportedVersions":["2026-07-28","DRAFT-1"],"capabilities":{},
		"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"a","version":"1"}}}`)
	areatest.WalkRunsIn(t, recording.Discovery, `{}`, []areatest.Run{
		areatest.Pass("DISC-01", good),
		areatest.Fail("DISC-01", areatest.Discovery(areatest.NotFoundError)),
		areatest.Blocked("DISC-01",
			rt.Line{Step: "discover", Method: "server/discover", Outcome: recording.Lost}),
		areatest.Pass("DISC-02", good),
		areatest.NotApplicable("DISC-02", areatest.Discovery(areatest.NotFoundError)),
		areatest.Fail("DISC-02", areatest.Discovery(`{"supportedVersions":"2026-07-28","capabilities":{}}`)),
		areatest.Fail("DISC-02",
			areatest.Discovery(`{"supportedVersions":["2026-07-28",1],"capabilities":{}}`)),
		areatest.Fail("DISC-02",
			areatest.Discovery(`{"supportedVersions":["2026-07-28"],"capabilities":["resources"]}`)),
		areatest.Fail("DISC-02",
			areatest.Discovery(`{"supportedVersions":["2026-07-28"],"capabilities":{},`+
				`"instructions":null}`)),
		areatest.Pass("DISC-03", good),
		areatest.Fail("DISC-03",
			areatest.Discovery(`{"supportedVersions":["2025-11-25"],"capabilities":{}}`)),
		areatest.Fail("DISC-03", areatest.Discovery(`{"supportedVersions":[],"capabilities":{}}`)),
		areatest.Pass("DISC-07", good),
		areatest.Warn("DISC-07",
			areatest.Discovery(`{"supportedVersions":[],"capabilities":{},"serverInfo":{"name":"a",`+
				`"version":"1"}}`)),
	}, areatest.ModernOne)
}

func TestVersionChecks(t *testing.T) {
	supported := areatest.Asked("supported", "resources/list", "{}", areatest.GoodList)
	again := areatest.Asked("supported-again", "resources/list", "{}", areatest.GoodList)
	refuse := func(method, data string) rt.Line {
		return areatest.Asked("unsupported", method, "{}", `{"code":-32022,"message":"Unsupported","data":`+
			data+`}`, "version", "1900-01-01", "main", "yes")
	}
	right := refuse("resources/list", `{"supported":["2026-07-28"],"requested":"1900-01-01"}`)
	served := areatest.Asked("unsupported", "resources/list", "{}", areatest.GoodList, "version",
		"1900-01-01", "main", "yes")
	areatest.WalkRuns(t, disc.Versions, `{"resources":{}}`,
		areatest.Pass("DISC-08", supported, right, again),
		areatest.Fail("DISC-08", supported, served, again),
		areatest.Fail("DISC-08", supported, areatest.Asked("unsupported", "resources/list", "{}",
			areatest.ParamsError, "version", "1900-01-01", "main", "yes"), again),
		areatest.NotApplicable("DISC-08",
			areatest.Asked("supported", "resources/list", "{}", areatest.NotFoundError), served),
		areatest.Pass("DISC-09", supported, right, again,
			areatest.Asked("retry", "resources/list", "{}", areatest.GoodList)),
		areatest.Pass("DISC-09", supported, refuse("resources/list",
			`{"supported":["2026-07-28","2025-11-25"],"requested":"1900-01-01","more":1}`)),
		areatest.Fail("DISC-09", supported, refuse("resources/list", `null`)),
		areatest.Fail("DISC-09", supported,
			refuse("resources/list", `{"supported":["2026-07-28","1900-01-01"],"requested":"1900-01-01"}`)),
		areatest.Fail("DISC-09", supported,
			refuse("resources/list", `{"supported":["2025-11-25"],"requested":"1900-01-01"}`)),
		areatest.Fail("DISC-09", supported, refuse("resources/list", `{"supported":["2026-07-28"]}`)),
		areatest.Fail("DISC-09", supported, right,
			areatest.Asked("retry", "resources/list", "{}", areatest.ParamsError)),
		areatest.NotApplicable("DISC-09", supported, served),
		areatest.Pass("DISC-11", supported, right, areatest.Asked("unsupported",
			"resources/templates/list", "{}", areatest.NotFoundError, "version", "1900-01-01"), again),
		// see DISC-08
		areatest.NotApplicable("DISC-11", supported, served,
			areatest.Asked("unsupported", "resources/read", "{}", `{"contents":[]}`, "version", "1900-01-01"),
			again),
		areatest.Fail("DISC-11", supported, right,
			areatest.Asked("unsupported", "resources/read", "{}", `{"contents":[]}`, "version", "1900-01-01"),
			again),
		areatest.Fail("DISC-11", supported, right,
			areatest.Asked("supported-again", "resources/list", "{}", areatest.ParamsError)),
	)
}

func TestFirstMessageChecks(t *testing.T) {
	list := areatest.Asked("first-list", "resources/list", "{}", areatest.GoodList, "walked", "yes")
	refused := areatest.Asked("first-list", "resources/list", "{}", areatest.ParamsError)
	gone := areatest.Asked("first-read", "resources/read", `{"uri":"a:1"}`, areatest.ParamsError, "uri",
		"a:1")
	areatest.WalkRuns(t, recording.FirstMessages, `{"resources":{}}`,
		areatest.Pass("DISC-12", list),
		areatest.Fail("DISC-12",
			areatest.Asked("first-list", "resources/list", "{}", areatest.ParamsError, "walked", "yes")),
		areatest.Fail("DISC-12", refused,
			areatest.Asked("first-list-again", "resources/list", "{}", areatest.GoodList)),
		areatest.NotApplicable("DISC-12", refused,
			areatest.Asked("first-list-again", "resources/list", "{}", areatest.ParamsError)),
		areatest.NotApplicable("DISC-12", gone,
			areatest.Asked("first-read-again", "resources/read", "{}", areatest.ParamsError)),
		areatest.Pass("DISC-18", areatest.Asked("first-read", "resources/read", "{}", `{"contents":[]}`),
			areatest.Asked("cursor", "resources/list", "{}", areatest.GoodList)),
		areatest.Warn("DISC-18", gone,
			areatest.Asked("first-read-again", "resources/read", "{}", areatest.ParamsError)),
		areatest.NotApplicable("DISC-18", gone,
			areatest.Asked("first-read-again", "resources/read", "{}", areatest.ParamsError),
			areatest.Asked("still-there", "resources/read", "{}", areatest.ParamsError, "uri", "a:1")),
		areatest.Warn("DISC-18", gone,
			areatest.Asked("first-read-again", "resources/read", "{}", areatest.ParamsError),
			areatest.Asked("still-there", "resources/read", "{}", `{"contents":[]}`, "uri", "a:1")),
		areatest.Pass("DISC-18", gone,
			areatest.Asked("first-read-again", "resources/read", "{}", `{"contents":[]}`)),
		areatest.Warn("DISC-18", areatest.Asked("cursor", "resources/list", "{}", areatest.ParamsError)),
		areatest.Warn("DISC-18", areatest.Asked("cursor", "resources/list", "{}", areatest.ParamsError),
			areatest.Asked("cursor-again", "resources/list", "{}", areatest.ParamsError)),
		areatest.Pass("DISC-18", areatest.Asked("cursor", "resources/list", "{}", areatest.ParamsError),
			areatest.Asked("cursor-again", "resources/list", "{}", areatest.GoodList)),
		areatest.NotApplicable("DISC-18", list),
	)
}

func TestHandshakeWithModernOnly(t *testing.T) {
	hello := func(l rt.Line) []rt.Line {
		l.Step, l.Method, l.Params = "initialize", "initialize", `{}`
		return areatest.Lines(l)
	}
	areatest.WalkRunsIn(t, recording.BareRequests, `{}`, []areatest.Run{
		areatest.Pass("DISC-13",
			hello(rt.Line{Error: `{"code":-32601,"message":"this server speaks 2026-07-28"}`})...),
		areatest.Pass("DISC-13",
			hello(rt.Line{Error: `{"code":1,"message":"no","data":{"supported":["2026-07-28"]}}`})...),
		areatest.Warn("DISC-13", hello(rt.Line{Error: areatest.NotFoundError})...),
		areatest.NotApplicable("DISC-13", hello(rt.Line{Result: `{"protocolVersion":"2025-11-25"}`})...),
		areatest.Pass("DISC-14", hello(rt.Line{Error: areatest.NotFoundError})...),
		areatest.Pass("DISC-14", hello(rt.Line{Error: areatest.NotFoundError, Status: 404})...),
		areatest.Pass("DISC-14", hello(rt.Line{Status: 400, Outcome: recording.HTTPOnly})...),
		areatest.Warn("DISC-14", hello(rt.Line{Error: areatest.NotFoundError, Status: 200})...),
		areatest.Warn("DISC-14", hello(rt.Line{Outcome: recording.Silent})...),
		areatest.NotApplicable("DISC-14", hello(rt.Line{Result: `{"protocolVersion":"2025-11-25"}`})...),
	}, areatest.ModernOne)
}

func TestDualEraChecks(t *testing.T) {
	c := requirement.Combination{Revision: requirement.R20260728, Transport: requirement.Stdio}
	facts := rt.Facts(c, `{}`, requirement.R20251125, requirement.R20260728)
	facts.Declared = []byte(`{"supportedVersions":["2026-07-28","2025-11-25","2025-06-18"],` +
		`"capabilities":{}}`)
	for i, x := range []struct {
		id   string
		name recording.Name
		want verdict.Outcome
		line rt.Line
	}{
		{"DISC-15", disc.AfterHandshake, verdict.Pass, areatest.Asked("after-handshake", "resources/list",
			"{}", areatest.GoodList)},
		{"DISC-15", disc.AfterHandshake, verdict.Pass, areatest.Asked("after-handshake", "resources/list",
			"{}", `{"resources":[]}`)},
		{"DISC-15", disc.AfterHandshake, verdict.Pass, areatest.Asked("after-handshake", "resources/list",
			"{}", areatest.ParamsError)},
		{"DISC-04", disc.Advertised, verdict.Pass, areatest.Asked("legacy", "initialize", "{}",
			`{"protocolVersion":"2025-06-18"}`, "version", "2025-06-18")},
		{"DISC-04", disc.Advertised, verdict.Warn, areatest.Asked("legacy", "initialize", "{}",
			`{"protocolVersion":"2025-11-25"}`, "version", "2025-06-18")},
		{"DISC-04", disc.Advertised, verdict.Warn, areatest.Asked("legacy", "initialize", "{}",
			areatest.ParamsError, "version", "2025-06-18")},
		{"DISC-04", disc.Advertised, verdict.Pass, areatest.Asked("modern", "resources/list", "{}",
			areatest.NotFoundError, "version", "2026-07-28")},
		{"DISC-04", disc.Advertised, verdict.Warn, areatest.Asked("modern", "resources/list", "{}",
			`{"code":-32022,"message":"no"}`, "version", "2026-07-28")},
	} {
		got := areatest.Judge(x.id, rt.New(x.name, facts, areatest.Asked("plain", "resources/list", "{}",
			areatest.GoodList), x.line))
		if got.Outcome != x.want {
			t.Errorf("%d: %s is %s, expected %s\n%+v", i, x.id, got.Outcome, x.want, got)
		}
	}
}

func TestExtensionsAndClientNames(t *testing.T) {
	read := areatest.Asked("read", "resources/read", "{}", `{"resultType":"complete"}`)
	task := areatest.Asked("read", "resources/read", "{}", `{"resultType":"task"}`)
	areatest.WalkRuns(t, recording.Everything, `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`,
		areatest.Pass("DISC-16", read),
		areatest.Fail("DISC-16", task),
	)
	areatest.WalkRuns(t, recording.Everything, `{"extensions":{"tasks":{}}}`,
		areatest.Fail("DISC-16", read))
	areatest.WalkRuns(t, recording.Everything, `{"extensions":{"com.example/a":true}}`,
		areatest.Fail("DISC-16", read))
	areatest.WalkRuns(t, recording.Everything, `{}`,
		areatest.NotApplicable("DISC-16", task))

	two := `{"resources":[{"uri":"a:2","name":"2"},{"uri":"a:1","name":"1"}]}`
	turned := `{"resources":[{"uri":"a:1","name":"1"},{"uri":"a:2","name":"2"}]}`
	list := func(step recording.Step, result string) rt.Line {
		return areatest.Asked(step, "resources/list", `{"_meta":{}}`, result)
	}
	areatest.WalkRuns(t, recording.Metadata, `{"resources":{}}`,
		areatest.Pass("DISC-17", list("plain", two), list("other-client", turned), list("anonymous", two),
			list("plain-again", turned)),
		areatest.Warn("DISC-17", list("plain", two), list("other-client", areatest.GoodList),
			list("plain-again", two)),
		areatest.NotApplicable("DISC-17", list("plain", two), list("other-client", areatest.GoodList),
			list("plain-again", two), list("other-client-again", two), list("plain-again", two)),
		areatest.NotApplicable("DISC-17", list("plain", two), list("other-client", areatest.GoodList),
			list("plain-again", areatest.GoodList)),
	)
}

// TestVersionLists: of the list in an error the modern versions are those of discovery, and the others are
// those that a handshake opens.
func TestVersionLists(t *testing.T) {
	for told, want := range map[string]verdict.Outcome{
		`["2026-07-28"]`:                           verdict.Pass,
		`["2026-07-28","2025-11-25"]`:              verdict.Pass,
		`["2026-07-28","2027-01-01"]`:              verdict.Warn,
		`["2026-07-28","2027-01-01","2025-11-25"]`: verdict.Warn,
	} {
		facts := areatest.Stdio(requirement.R20260728, `{"resources":{}}`)
		facts.Declared = json.RawMessage(`{"supportedVersions":` + told + `,"capabilities":{"resources":{}}}`)
		rec := rt.New(disc.Versions, facts, areatest.Asked("supported", "resources/list", "{}",
			areatest.GoodList),
			areatest.Asked("unsupported", "resources/list", "{}",
				`{"code":-32022,"message":"Unsupported","data":{"supported":["2024-11-05","2025-11-25",`+
					`"2026-07-28"],"requested":"1900-01-01"}}`, "version", "1900-01-01", "main", "yes"))
		areatest.Due(t, "DISC-09", told, want, rec)
	}
}
