package capability_test

import (
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/capability"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

func TestUndeclared(t *testing.T) {
	list := func(answer string) []rt.Line {
		return areatest.Lines(areatest.Asked("list", "resources/list", "{}", answer))
	}
	areatest.WalkRuns(t, recording.Undeclared, `{"tools":{}}`,
		areatest.Pass("CAP-01", list(areatest.NotFoundError)...),
		areatest.Fail("CAP-01", list(`{"resources":[{"uri":"a:1","name":"1"}]}`)...),
		areatest.Warn("CAP-01", list(`{"resources":[]}`)...),
		areatest.Pass("CAP-01", list(`{}`)...),
		areatest.NotApplicable("CAP-01", nil...),
		areatest.Pass("CAP-13",
			areatest.Asked("feature", "prompts/list", "{}", areatest.NotFoundError, "feature", "prompts")),
		areatest.Warn("CAP-13",
			areatest.Asked("feature", "prompts/list", "{}", `{"prompts":[]}`, "feature", "prompts")),
		areatest.Warn("CAP-13", areatest.Asked("feature", "prompts/list", "{}",
			`{"code":-32603,"message":"no"}`, "feature", "prompts")),
		areatest.NotApplicable("CAP-13", nil...),
		areatest.NotApplicable("CAP-13", areatest.Asked("feature", "completion/complete", "{}",
			`{"code":-32602,"message":"no such template"}`, "feature", "completions")),
	)
	areatest.WalkRuns(t, recording.Undeclared, `{"resources":{}}`,
		areatest.NotApplicable("CAP-01", list(areatest.GoodList)...))
}

func TestCapabilityTypes(t *testing.T) {
	frame := areatest.Lines(areatest.Asked("initialize", "initialize", "{}", `{"capabilities":{}}`))
	for _, x := range []struct {
		capabilities, id string
		want             verdict.Outcome
	}{
		{`{"resources":{"more":1}}`, "CAP-02", verdict.Pass},
		{`{"resources":[]}`, "CAP-02", verdict.Fail},
		{`{"resources":true}`, "CAP-02", verdict.Fail},
		{`{"resources":null}`, "CAP-02", verdict.Fail},
		{`{}`, "CAP-02", verdict.NotApplicable},
		{`{"resources":{}}`, "CAP-03", verdict.Pass},
		{`{"resources":{"subscribe":false,"listChanged":true}}`, "CAP-03", verdict.Pass},
		{`{"resources":{"subscribe":{}}}`, "CAP-03", verdict.Fail},
		{`{"resources":{"subscribe":null}}`, "CAP-03", verdict.Fail},
		{`{"resources":{"listChanged":"true"}}`, "CAP-03", verdict.Fail},
		{`{}`, "CAP-03", verdict.NotApplicable},
		{`{"logging":{},"unknown":5,"experimental":{"a":{}}}`, "CAP-11", verdict.Pass},
		{`{"logging":true}`, "CAP-11", verdict.Fail},
		{`{"experimental":{"a":true}}`, "CAP-11", verdict.Fail},
		{`[]`, "CAP-11", verdict.Fail},
	} {
		areatest.WalkRuns(t, recording.Everything, x.capabilities,
			areatest.Run{ID: x.id, Want: x.want, Rec: frame})
	}
}

// TestWordsOfCapabilities: the finding names the whole path, and what is null is to be left out.
func TestWordsOfCapabilities(t *testing.T) {
	for capabilities, want := range map[string][3]string{
		`{"resources":{"subscribe":null}}`: {"capabilities.resources.subscribe as a boolean, or absent",
			"capabilities.resources.subscribe of the answer to initialize is null",
			"leave the member out instead of sending null"},
		`{"resources":{"subscribe":"yes"}}`: {"capabilities.resources.subscribe as a boolean, or absent",
			`capabilities.resources.subscribe of the answer to initialize is a string ("yes")`,
			"give capabilities.resources.subscribe and listChanged as true or false, or leave them out"},
	} {
		facts := areatest.Stdio(requirement.R20251125, capabilities)
		got := areatest.Judge("CAP-03", rt.New(recording.Everything, facts, areatest.Asked("initialize",
			"initialize", "{}", `{"capabilities":{}}`)))
		if said := [3]string{got.Expected, got.Actual, got.Hint}; said != want {
			t.Errorf("%s: %q", capabilities, said)
		}
	}
}

func TestDeclaredMethods(t *testing.T) {
	list := func(answer string) []rt.Line {
		return areatest.Lines(areatest.Asked("page", "resources/list", "{}", answer))
	}
	areatest.WalkRuns(t, recording.WalkResources, `{"resources":{}}`,
		areatest.Pass("CAP-06", list(areatest.GoodList)...),
		areatest.Fail("CAP-06", list(areatest.NotFoundError)...),
		areatest.NotApplicable("CAP-06",
			rt.Line{Step: "page", Method: "resources/list", Status: 401, Outcome: recording.HTTPOnly}),
		areatest.Blocked("CAP-06", rt.Line{Step: "page", Method: "resources/list"}),
	)
	areatest.WalkRuns(t, recording.WalkTemplates, `{"resources":{}}`,
		areatest.Pass("CAP-07", list(`{"resourceTemplates":[]}`)...),
		areatest.Pass("CAP-07", list(areatest.NotFoundError)...),
		areatest.Warn("CAP-07", list(`{"code":-32603,"message":"undefined"}`)...),
	)
	read := func(uri, answer string) []rt.Line {
		return areatest.Lines(areatest.Asked("read", "resources/read", "{}", answer, "uri", uri))
	}
	areatest.WalkRuns(t, recording.Reads, `{"resources":{}}`,
		areatest.Pass("CAP-08", read("a:1", `{"contents":[]}`)...),
		areatest.Pass("CAP-08", read("a:1", `{"code":-32002,"message":"gone"}`)...),
		areatest.Fail("CAP-08", read("a:1", areatest.NotFoundError)...),
		areatest.Warn("CAP-08", read("https://example.com/", areatest.NotFoundError)...),
	)
	areatest.WalkRuns(t, capability.Capabilities, `{"resources":{}}`,
		areatest.Warn("CAP-08", areatest.Asked("unlisted", "resources/read", "{}", areatest.NotFoundError)),
		areatest.Fail("CAP-06", areatest.Asked("rich-list", "resources/list", "{}", areatest.NotFoundError)),
		areatest.Pass("CAP-10",
			areatest.Asked("subscribe", "resources/subscribe", "{}", areatest.NotFoundError)),
		areatest.Pass("CAP-10", areatest.Asked("subscribe", "resources/subscribe", "{}", `{}`)),
		areatest.NotApplicable("CAP-09",
			areatest.Asked("subscribe", "resources/subscribe", "{}", areatest.NotFoundError)),
	)
	subscribed := areatest.Asked("subscribe", "resources/subscribe", "{}", `{}`)
	areatest.WalkRuns(t, capability.Capabilities, `{"resources":{"subscribe":true}}`,
		areatest.Pass("CAP-09", subscribed,
			areatest.Asked("unsubscribe", "resources/unsubscribe", "{}", `{}`)),
		areatest.Fail("CAP-09",
			areatest.Asked("subscribe", "resources/subscribe", "{}", areatest.NotFoundError)),
		areatest.Warn("CAP-09",
			areatest.Asked("subscribe", "resources/subscribe", "{}", areatest.ParamsError)),
		areatest.Warn("CAP-09", subscribed,
			areatest.Asked("unsubscribe", "resources/unsubscribe", "{}", areatest.NotFoundError)),
		areatest.NotApplicable("CAP-09",
			areatest.Asked("subscribe", "resources/subscribe", "{}", areatest.ParamsError),
			areatest.Asked("still-there", "resources/read", "{}", areatest.ParamsError)),
		areatest.Warn("CAP-09",
			areatest.Asked("subscribe", "resources/subscribe", "{}", areatest.ParamsError),
			areatest.Asked("still-there", "resources/read", "{}", `{}`)),
		areatest.NotApplicable("CAP-09", nil...),
		areatest.NotApplicable("CAP-10", subscribed),
	)
}

func TestUndeclaredLogs(t *testing.T) {
	quiet := areatest.Asked("read", "resources/read", "{}", `{"contents":[]}`)
	loud := quiet
	loud.Incoming = []string{`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info",` +
		`"data":1}}`}
	areatest.WalkRuns(t, recording.Everything, `{"resources":{}}`,
		areatest.Pass("CAP-12", quiet),
		areatest.Fail("CAP-12", loud))
	areatest.WalkRuns(t, recording.Everything, `{"logging":{}}`,
		areatest.NotApplicable("CAP-12", loud))
}

// What is declared of other features than resources, and not so, is observed only.
func TestContradictions(t *testing.T) {
	for _, rev := range []requirement.Revision{requirement.R20250618, requirement.R20260728} {
		facts := areatest.Stdio(rev, `{"tools":{},"resources":{}}`)
		rec := rt.New(recording.Undeclared, facts,
			areatest.Asked("declared-feature", "tools/list", "{}", areatest.NotFoundError, "feature",
				"tools"),
			areatest.Asked("declared-feature", "tools/list", "{}", `{"tools":[]}`, "feature", "tools"),
			areatest.Asked("feature", "prompts/list", "{}", `{"prompts":[]}`, "feature", "prompts"),
			areatest.Asked("feature", "completion/complete", "{}", areatest.NotFoundError, "feature",
				"completions"))
		result := areatest.Judge("CAP-11", rec)
		var ids []string
		for _, o := range result.Observations {
			ids = append(ids, o.ID)
		}
		want := "declared-but-unknown undeclared-but-served"
		if rev.Modern() {
			want = "declared-but-unknown" // the other is CAP-13 there
		}
		if got := strings.Join(ids, " "); got != want || result.Outcome.Red() {
			t.Errorf("%s: got %q, %s; want %q", rev, got, result.Outcome, want)
		}
	}
}
