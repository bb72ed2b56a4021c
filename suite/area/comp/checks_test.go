package comp_test

import (
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/comp"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// completionLine is a completion with a result or an error.
func completionLine(step recording.Step, completion, err string, tags ...string) rt.Line {
	l := areatest.TaggedRead(step, `{"argument":{"name":"b","value":""}}`, "", err,
		append(tags, "template", "a:{b}", "argument", "b")...)
	l.Method = "completion/complete"
	if completion != "" {
		l.Result = `{"completion":` + completion + `}`
	}
	return l
}

func TestCompletions(t *testing.T) {
	of := func(completion string) []rt.Line {
		return areatest.Lines(completionLine("complete", completion, ""))
	}
	many := `{"values":["x"` + strings.Repeat(`,"x"`, 100) + `]}`
	works := completionLine("complete", `{"values":["x"]}`, "")
	areatest.WalkRuns(t, recording.TemplateCompletions, `{"resources":{},"completions":{}}`, []areatest.Run{
		{ID: "COMP-02", Want: verdict.Pass, Rec: of(`{"values":[]}`)},
		{ID: "COMP-02", Want: verdict.Fail, Rec: of(`{"values":[1]}`)},
		{ID: "COMP-02", Want: verdict.Fail, Rec: of(`{}`)},
		{ID: "COMP-03", Want: verdict.Pass, Rec: of(strings.Replace(many, `,"x"`, "", 1))},
		{ID: "COMP-03", Want: verdict.Fail, Rec: of(many)},
		{ID: "COMP-04", Want: verdict.Pass, Rec: of(`{"values":[],"total":5.0,"hasMore":true}`)},
		{ID: "COMP-04", Want: verdict.Fail, Rec: of(`{"values":[],"total":null}`)},
		{ID: "COMP-04", Want: verdict.Fail, Rec: of(`{"values":[],"hasMore":"false"}`)},
		{ID: "COMP-06", Want: verdict.Pass, Rec: of(`{"values":["x"],"total":2,"hasMore":true}`)},
		{ID: "COMP-06", Want: verdict.NotApplicable, Rec: of(`{"values":["x"]}`)},
		{ID: "COMP-06", Want: verdict.Warn, Rec: of(`{"values":["x","y"],"total":1}`)},
		{ID: "COMP-06", Want: verdict.Warn, Rec: of(`{"values":["x"],"total":1,"hasMore":true}`)},
		{ID: "COMP-06", Want: verdict.Warn, Rec: of(`{"values":["x"],"total":2,"hasMore":false}`)},
		{ID: "COMP-11", Want: verdict.Pass, Rec: of(`{"values":[]}`)},
		{ID: "COMP-11", Want: verdict.Warn,
			Rec: areatest.Lines(completionLine("complete", "", areatest.NoSuch))},
		{ID: "COMP-11", Want: verdict.NotApplicable,
			Rec: areatest.Lines(completionLine("complete", "", areatest.Failure("-32603")))},
		{ID: "COMP-12", Want: verdict.Pass,
			Rec: areatest.Lines(works, completionLine("context", `{"values":[]}`, ""))},
		{ID: "COMP-12", Want: verdict.Fail,
			Rec: areatest.Lines(works, completionLine("context", "", areatest.NoSuch))},
		{ID: "COMP-12", Want: verdict.Blocked,
			Rec: areatest.Lines(works,
				completionLine("context", "",
					`{"code":-32000,"message":"Rate limit exceeded, try again later"}`))},
		{ID: "COMP-12", Want: verdict.Warn,
			Rec: areatest.Lines(works, completionLine("context", "", areatest.NoSuch, "invented", "yes"))},
		{ID: "COMP-12", Want: verdict.NotApplicable,
			Rec: areatest.Lines(completionLine("complete", "", areatest.NoSuch),
				completionLine("context", "", areatest.NoSuch))},
	})
	areatest.WalkRuns(t, recording.TemplateCompletions, `{"resources":{}}`, []areatest.Run{
		{ID: "COMP-11", Want: verdict.NotApplicable,
			Rec: areatest.Lines(completionLine("complete", "", areatest.Failure("-32601")))},
		{ID: "COMP-02", Want: verdict.NotApplicable,
			Rec: areatest.Lines(completionLine("complete", "", areatest.Failure("-32601")))},
	}, requirement.R20241105)
	areatest.WalkRuns(t, comp.GuardedCompletions, `{"completions":{}}`, []areatest.Run{
		{ID: "COMP-14", Want: verdict.Pass, Rec: areatest.Lines(completionLine("guarded", `{"values":["x"]}`,
			"", "never", "secret\nkey"))},
		{ID: "COMP-14", Want: verdict.Pass, Rec: areatest.Lines(completionLine("guarded", "", areatest.NoSuch,
			"never", "secret"))},
		{ID: "COMP-14", Want: verdict.Fail,
			Rec: areatest.Lines(completionLine("guarded", `{"values":["x","key"]}`, "", "never",
				"secret\nkey"))},
	})
}

// TestCompletionsThatNeedContext: an internal error without the context, which is optional,
// is remarked upon where the same completion works with it.
func TestCompletionsThatNeedContext(t *testing.T) {
	without := completionLine("complete", "", areatest.Failure("-32603"))
	with := completionLine("context", `{"values":["x"]}`, "")
	for name, c := range map[string]struct {
		rec  []rt.Line
		want int
	}{
		"internal error": {areatest.Lines(without, with), 1},
		"refused": {areatest.Lines(completionLine("complete", "", areatest.Failure("-32602")), with),
			0},
		"works": {areatest.Lines(completionLine("complete", `{"values":[]}`, ""), with), 0},
		"never works": {areatest.Lines(without, completionLine("context", "", areatest.Failure("-32603"))),
			0},
	} {
		facts := rt.Facts(requirement.Combination{Revision: requirement.R20251125,
			Transport: requirement.Stdio}, `{"resources":{},"completions":{}}`)
		req, _ := area.Catalogue().Find("COMP-12")
		k, _ := area.BuiltIn().Check("COMP-12")
		got := verdict.Evaluate(k, req, facts,
			verdict.Recordings{recording.TemplateCompletions: rt.New(recording.TemplateCompletions, facts,
				c.rec...)})
		if len(got.Observations) != c.want || c.want > 0 && (got.Outcome != verdict.NotApplicable ||
			got.Observations[0].ID != "completion-needs-context") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestRefusedCompletions(t *testing.T) {
	noObject := completionLine("undeclared", "", "")
	noObject.Result = "null"
	areatest.WalkRuns(t, recording.UndeclaredCompletion, `{"resources":{}}`, []areatest.Run{
		{ID: "COMP-01", Want: verdict.Pass,
			Rec: areatest.Lines(completionLine("undeclared", "", areatest.Failure("-32601")))},
		{ID: "COMP-01", Want: verdict.Fail,
			Rec: areatest.Lines(completionLine("undeclared", `{"values":["x"]}`, ""))},
		{ID: "COMP-01", Want: verdict.Warn, Rec: areatest.Lines(completionLine("undeclared", `{"values":[]}`,
			""))},
		{ID: "COMP-01", Want: verdict.NotApplicable, Rec: areatest.Lines(noObject)},
		{ID: "COMP-07", Want: verdict.Pass,
			Rec: areatest.Lines(completionLine("undeclared", "", areatest.Failure("-32601")))},
		{ID: "COMP-07", Want: verdict.Warn,
			Rec: areatest.Lines(completionLine("undeclared", "", areatest.Failure("-32603")))},
		{ID: "COMP-07", Want: verdict.NotApplicable,
			Rec: areatest.Lines(completionLine("undeclared", `{"values":[]}`, ""))},
	})
	nothingLike := completionLine("nothing-like", `{"values":[]}`, "")
	fatal := completionLine("unknown-type", "", "")
	fatal.Outcome, fatal.Fatal = recording.Lost, true
	areatest.WalkRuns(t, recording.MalformedCompletions, `{"completions":{}}`, []areatest.Run{
		{ID: "COMP-08", Want: verdict.Pass,
			Rec: areatest.Lines(completionLine("no-ref", "", areatest.Failure("-32602")))},
		{ID: "COMP-08", Want: verdict.Warn,
			Rec: areatest.Lines(completionLine("no-ref", "", areatest.Failure("-32603")))},
		{ID: "COMP-08", Want: verdict.Warn,
			Rec: areatest.Lines(completionLine("no-value", `{"values":[]}`, ""))},
		{ID: "COMP-09", Want: verdict.Pass, Rec: areatest.Lines(completionLine("unknown-uri", `{"values":[]}`,
			""))},
		{ID: "COMP-09", Want: verdict.Pass,
			Rec: areatest.Lines(completionLine("number-value", "", areatest.Failure("-32603")))},
		{ID: "COMP-09", Want: verdict.Warn,
			Rec: areatest.Lines(completionLine("unknown-type", `{"values":["x"]}`, ""))},
		{ID: "COMP-09", Want: verdict.Warn,
			Rec: areatest.Lines(completionLine("number-value", `{"values":["x"]}`, ""))},
		{ID: "COMP-09", Want: verdict.Pass,
			Rec: areatest.Lines(completionLine("unknown-argument", `{"values":["x"]}`, ""))},
		{ID: "COMP-09", Want: verdict.Pass,
			Rec: areatest.Lines(completionLine("unknown-uri", `{"values":["x"]}`, ""))},
		{ID: "COMP-09", Want: verdict.Fail, Rec: areatest.Lines(completionLine("unknown-type", "", ""))},
		{ID: "COMP-09", Want: verdict.Pass, Rec: areatest.Lines(nothingLike,
			completionLine("brackets", `{"values":[]}`, ""))},
		{ID: "COMP-09", Want: verdict.Pass, Rec: areatest.Lines(nothingLike,
			completionLine("brackets", "", areatest.NoSuch))},
		{ID: "COMP-09", Want: verdict.Warn, Rec: areatest.Lines(nothingLike,
			completionLine("brackets", "", areatest.Failure("-32603")))},
		{ID: "COMP-09", Want: verdict.NotApplicable,
			Rec: areatest.Lines(completionLine("nothing-like", "", areatest.Failure("-32603")),
				completionLine("brackets", "", areatest.Failure("-32603")))},
		{ID: "COMP-09", Want: verdict.Fail, Rec: areatest.Lines(fatal)},
	})
}

// TestOddSuggestions: what is suggested twice, or whatever is typed, is remarked upon.
func TestOddSuggestions(t *testing.T) {
	of := func(step recording.Step, typed string, values string) rt.Line {
		l := completionLine(step, `{"values":`+values+`}`, "")
		l.Params = `{"argument":{"name":"b","value":"` + typed + `"}}`
		return l
	}
	see := func(rec ...rt.Line) map[string]string {
		return areatest.Observations(t, "COMP-15", recording.TemplateCompletions, rec)
	}
	areatest.Observed(t, see(of("complete", "", `["x","y"]`), of("typed", "x", `["x"]`)), "")
	areatest.Observed(t, see(of("complete", "", `["x","y","x"]`)), "completion-repeats-values",
		"1 completion has", `"x"`)
	areatest.Observed(t, see(of("complete", "", `["x","y"]`), of("typed", "X", `["x","y"]`)),
		"completion-ignores-value", "with nothing typed", `"X"`)
	areatest.Observed(t, see(of("complete", "", `["x","xy"]`), of("typed", "x", `["x","xy"]`)), "")
	areatest.Observed(t, see(of("complete", "", `["x","y"]`), of("typed", "x", `["y","x"]`)), "") // ranked
	areatest.Observed(t, see(of("nothing-like", "q", `[]`), of("pattern", ".*", `["x"]`)),
		"completion-ignores-value", "1 value,", `".*"`)
	areatest.Observed(t, see(of("nothing-like", "q", `[]`), of("pattern", ".*", `["a.*"]`)), "")
	areatest.Observed(t, see(of("nothing-like", "q", `["x"]`), of("pattern", ".*", `["x"]`)), "")
}
