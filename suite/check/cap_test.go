package check

import (
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

func TestUndeclared(t *testing.T) {
	list := func(answer string) []rt.Line { return lines(asked("list", "resources/list", "{}", answer)) }
	walkRuns(t, recording.Undeclared, `{"tools":{}}`, []run{
		{"CAP-01", Pass, list(notFoundError)},
		{"CAP-01", Fail, list(`{"resources":[{"uri":"a:1","name":"1"}]}`)},
		{"CAP-01", Warn, list(`{"resources":[]}`)},
		{"CAP-01", Pass, list(`{}`)},
		{"CAP-01", NotApplicable, nil},
		{"CAP-13", Pass, lines(asked("feature", "prompts/list", "{}", notFoundError, "feature", "prompts"))},
		{"CAP-13", Warn, lines(asked("feature", "prompts/list", "{}", `{"prompts":[]}`, "feature", "prompts"))},
		{"CAP-13", Warn, lines(asked("feature", "prompts/list", "{}", `{"code":-32603,"message":"no"}`, "feature", "prompts"))},
		{"CAP-13", NotApplicable, nil},
	})
	walkRuns(t, recording.Undeclared, `{"resources":{}}`, []run{{"CAP-01", NotApplicable, list(goodList)}})
}

func TestCapabilityTypes(t *testing.T) {
	frame := lines(asked("initialize", "initialize", "{}", `{"capabilities":{}}`))
	for _, x := range []struct {
		capabilities, id string
		want             Outcome
	}{
		{`{"resources":{"more":1}}`, "CAP-02", Pass},
		{`{"resources":[]}`, "CAP-02", Fail},
		{`{"resources":true}`, "CAP-02", Fail},
		{`{"resources":null}`, "CAP-02", Fail},
		{`{}`, "CAP-02", NotApplicable},
		{`{"resources":{}}`, "CAP-03", Pass},
		{`{"resources":{"subscribe":false,"listChanged":true}}`, "CAP-03", Pass},
		{`{"resources":{"subscribe":{}}}`, "CAP-03", Fail},
		{`{"resources":{"subscribe":null}}`, "CAP-03", Fail},
		{`{"resources":{"listChanged":"true"}}`, "CAP-03", Fail},
		{`{}`, "CAP-03", NotApplicable},
		{`{"logging":{},"unknown":5,"experimental":{"a":{}}}`, "CAP-11", Pass},
		{`{"logging":true}`, "CAP-11", Fail},
		{`{"experimental":{"a":true}}`, "CAP-11", Fail},
		{`[]`, "CAP-11", Fail},
	} {
		walkRuns(t, recording.Everything, x.capabilities, []run{{x.id, x.want, frame}})
	}
}

func TestDeclaredMethods(t *testing.T) {
	list := func(answer string) []rt.Line { return lines(asked("page", "resources/list", "{}", answer)) }
	walkRuns(t, recording.WalkResources, `{"resources":{}}`, []run{
		{"CAP-06", Pass, list(goodList)},
		{"CAP-06", Fail, list(notFoundError)},
		{"CAP-06", NotApplicable, lines(rt.Line{Step: "page", Method: "resources/list", Status: 401, Outcome: recording.HTTPOnly})},
		{"CAP-06", Blocked, lines(rt.Line{Step: "page", Method: "resources/list"})},
	})
	walkRuns(t, recording.WalkTemplates, `{"resources":{}}`, []run{
		{"CAP-07", Pass, list(`{"resourceTemplates":[]}`)}, {"CAP-07", Warn, list(notFoundError)},
	})
	read := func(uri, answer string) []rt.Line {
		return lines(asked("read", "resources/read", "{}", answer, "uri", uri))
	}
	walkRuns(t, recording.Reads, `{"resources":{}}`, []run{
		{"CAP-08", Pass, read("a:1", `{"contents":[]}`)},
		{"CAP-08", Pass, read("a:1", `{"code":-32002,"message":"gone"}`)},
		{"CAP-08", Fail, read("a:1", notFoundError)},
		{"CAP-08", Warn, read("https://example.com/", notFoundError)},
	})
	walkRuns(t, recording.Capabilities, `{"resources":{}}`, []run{
		{"CAP-08", Warn, lines(asked("unlisted", "resources/read", "{}", notFoundError))},
		{"CAP-06", Fail, lines(asked("rich-list", "resources/list", "{}", notFoundError))},
		{"CAP-10", Pass, lines(asked("subscribe", "resources/subscribe", "{}", notFoundError))},
		{"CAP-10", Warn, lines(asked("subscribe", "resources/subscribe", "{}", `{}`))},
		{"CAP-09", NotApplicable, lines(asked("subscribe", "resources/subscribe", "{}", notFoundError))},
	})
	subscribed := asked("subscribe", "resources/subscribe", "{}", `{}`)
	walkRuns(t, recording.Capabilities, `{"resources":{"subscribe":true}}`, []run{
		{"CAP-09", Pass, lines(subscribed, asked("unsubscribe", "resources/unsubscribe", "{}", `{}`))},
		{"CAP-09", Fail, lines(asked("subscribe", "resources/subscribe", "{}", notFoundError))},
		{"CAP-09", Warn, lines(asked("subscribe", "resources/subscribe", "{}", paramsError))},
		{"CAP-09", Warn, lines(subscribed, asked("unsubscribe", "resources/unsubscribe", "{}", notFoundError))},
		{"CAP-09", NotApplicable, nil},
		{"CAP-10", NotApplicable, lines(subscribed)},
	})
}

func TestUndeclaredLogs(t *testing.T) {
	quiet := asked("read", "resources/read", "{}", `{"contents":[]}`)
	loud := quiet
	loud.Incoming = []string{`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`}
	walkRuns(t, recording.Everything, `{"resources":{}}`, []run{{"CAP-12", Pass, lines(quiet)}, {"CAP-12", Fail, lines(loud)}})
	walkRuns(t, recording.Everything, `{"logging":{}}`, []run{{"CAP-12", NotApplicable, lines(loud)}})
}

// What is declared of other features than resources, and not so, is observed only.
func TestContradictions(t *testing.T) {
	k, req := found(t, "CAP-11")
	for _, rev := range []requirement.Revision{requirement.R20250618, requirement.R20260728} {
		facts := rt.Facts(requirement.Combination{Revision: rev, Transport: requirement.Stdio}, `{"tools":{},"resources":{}}`)
		rec := rt.New(recording.Undeclared, facts,
			asked("declared-feature", "tools/list", "{}", notFoundError, "feature", "tools"),
			asked("declared-feature", "tools/list", "{}", `{"tools":[]}`, "feature", "tools"),
			asked("feature", "prompts/list", "{}", `{"prompts":[]}`, "feature", "prompts"),
			asked("feature", "completion/complete", "{}", notFoundError, "feature", "completions"))
		result := Evaluate(k, req, facts, Recordings{recording.Undeclared: rec})
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

// found is a check with its requirement.
func found(t *testing.T, id string) (*Check, *requirement.Requirement) {
	t.Helper()
	k, ok := Find(id)
	req, known := requirement.Find(id)
	if !ok || !known {
		t.Fatalf("%s is not known", id)
	}
	return k, req
}
