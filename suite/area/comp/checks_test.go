package comp_test

import (
	"strings"
	"testing"

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
	areatest.WalkRuns(t, recording.TemplateCompletions, `{"resources":{},"completions":{}}`,
		areatest.Pass("COMP-02", of(`{"values":[]}`)...),
		areatest.Fail("COMP-02", of(`{"values":[1]}`)...),
		areatest.Fail("COMP-02", of(`{}`)...),
		areatest.Pass("COMP-03", of(strings.Replace(many, `,"x"`, "", 1))...),
		areatest.Fail("COMP-03", of(many)...),
		areatest.Pass("COMP-04", of(`{"values":[],"total":5.0,"hasMore":true}`)...),
		areatest.Fail("COMP-04", of(`{"values":[],"total":null}`)...),
		areatest.Fail("COMP-04", of(`{"values":[],"hasMore":"false"}`)...),
		areatest.Pass("COMP-06", of(`{"values":["x"],"total":2,"hasMore":true}`)...),
		areatest.NotApplicable("COMP-06", of(`{"values":["x"]}`)...),
		areatest.Warn("COMP-06", of(`{"values":["x","y"],"total":1}`)...),
		areatest.Warn("COMP-06", of(`{"values":["x"],"total":1,"hasMore":true}`)...),
		areatest.Warn("COMP-06", of(`{"values":["x"],"total":2,"hasMore":false}`)...),
		areatest.Pass("COMP-11", of(`{"values":[]}`)...),
		areatest.Warn("COMP-11", completionLine("complete", "", areatest.NoSuch)),
		areatest.NotApplicable("COMP-11", completionLine("complete", "", areatest.Failure("-32603"))),
		areatest.Pass("COMP-12", works, completionLine("context", `{"values":[]}`, "")),
		areatest.Fail("COMP-12", works, completionLine("context", "", areatest.NoSuch)),
		areatest.Blocked("COMP-12", works, completionLine("context", "",
			`{"code":-32000,"message":"Rate limit exceeded, try again later"}`)),
		areatest.Warn("COMP-12", works, completionLine("context", "", areatest.NoSuch, "invented", "yes")),
		areatest.NotApplicable("COMP-12", completionLine("complete", "", areatest.NoSuch),
			completionLine("context", "", areatest.NoSuch)),
	)
	areatest.WalkRunsIn(t, recording.TemplateCompletions, `{"resources":{}}`, []areatest.Run{
		areatest.NotApplicable("COMP-11", completionLine("complete", "", areatest.Failure("-32601"))),
		areatest.NotApplicable("COMP-02", completionLine("complete", "", areatest.Failure("-32601"))),
	}, requirement.R20241105)
	areatest.WalkRuns(t, comp.GuardedCompletions, `{"completions":{}}`,
		areatest.Pass("COMP-14", completionLine("guarded", `{"values":["x"]}`, "", "never", "secret\nkey")),
		areatest.Pass("COMP-14", completionLine("guarded", "", areatest.NoSuch, "never", "secret")),
		areatest.Fail("COMP-14",
			completionLine("guarded", `{"values":["x","key"]}`, "", "never", "secret\nkey")),
	)
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
		facts := areatest.Stdio(requirement.R20251125, `{"resources":{},"completions":{}}`)
		got := areatest.Judge("COMP-12", rt.New(recording.TemplateCompletions, facts, c.rec...))
		if len(got.Observations) != c.want || c.want > 0 && (got.Outcome != verdict.NotApplicable ||
			got.Observations[0].ID != "completion-needs-context") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestRefusedCompletions(t *testing.T) {
	noObject := completionLine("undeclared", "", "")
	noObject.Result = "null"
	areatest.WalkRuns(t, recording.UndeclaredCompletion, `{"resources":{}}`,
		areatest.Pass("COMP-01", completionLine("undeclared", "", areatest.Failure("-32601"))),
		areatest.Fail("COMP-01", completionLine("undeclared", `{"values":["x"]}`, "")),
		areatest.Warn("COMP-01", completionLine("undeclared", `{"values":[]}`, "")),
		areatest.NotApplicable("COMP-01", noObject),
		areatest.Pass("COMP-07", completionLine("undeclared", "", areatest.Failure("-32601"))),
		areatest.Warn("COMP-07", completionLine("undeclared", "", areatest.Failure("-32603"))),
		areatest.NotApplicable("COMP-07", completionLine("undeclared", `{"values":[]}`, "")),
	)
	nothingLike := completionLine("nothing-like", `{"values":[]}`, "")
	fatal := completionLine("unknown-type", "", "")
	fatal.Outcome, fatal.Fatal = recording.Lost, true
	areatest.WalkRuns(t, recording.MalformedCompletions, `{"completions":{}}`,
		areatest.Pass("COMP-08", completionLine("no-ref", "", areatest.Failure("-32602"))),
		areatest.Warn("COMP-08", completionLine("no-ref", "", areatest.Failure("-32603"))),
		areatest.Warn("COMP-08", completionLine("no-value", `{"values":[]}`, "")),
		areatest.Pass("COMP-09", completionLine("unknown-uri", `{"values":[]}`, "")),
		areatest.Pass("COMP-09", completionLine("number-value", "", areatest.Failure("-32603"))),
		areatest.Warn("COMP-09", completionLine("unknown-type", `{"values":["x"]}`, "")),
		areatest.Warn("COMP-09", completionLine("number-value", `{"values":["x"]}`, "")),
		areatest.Pass("COMP-09", completionLine("unknown-argument", `{"values":["x"]}`, "")),
		areatest.Pass("COMP-09", completionLine("unknown-uri", `{"values":["x"]}`, "")),
		areatest.Fail("COMP-09", completionLine("unknown-type", "", "")),
		areatest.Pass("COMP-09", nothingLike, completionLine("brackets", `{"values":[]}`, "")),
		areatest.Pass("COMP-09", nothingLike, completionLine("brackets", "", areatest.NoSuch)),
		areatest.Warn("COMP-09", nothingLike, completionLine("brackets", "", areatest.Failure("-32603"))),
		areatest.NotApplicable("COMP-09", completionLine("nothing-like", "", areatest.Failure("-32603")),
			completionLine("brackets", "", areatest.Failure("-32603"))),
		areatest.Fail("COMP-09", fatal),
	)
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
