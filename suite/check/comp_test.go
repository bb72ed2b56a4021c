package check

import (
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// completionLine is a completion with a result or an error.
func completionLine(step, completion, err string, tags ...string) rt.Line {
	l := taggedRead(step, `{"argument":{"name":"b","value":""}}`, "", err, append(tags, "template", "a:{b}", "argument", "b")...)
	l.Method = "completion/complete"
	if completion != "" {
		l.Result = `{"completion":` + completion + `}`
	}
	return l
}

func TestCompletions(t *testing.T) {
	of := func(completion string) []rt.Line { return lines(completionLine("complete", completion, "")) }
	many := `{"values":["x"` + strings.Repeat(`,"x"`, 100) + `]}`
	works := completionLine("complete", `{"values":["x"]}`, "")
	walkRuns(t, recording.TemplateCompletions, `{"resources":{},"completions":{}}`, []run{
		{"COMP-02", Pass, of(`{"values":[]}`)},
		{"COMP-02", Fail, of(`{"values":[1]}`)},
		{"COMP-02", Fail, of(`{}`)},
		{"COMP-03", Pass, of(strings.Replace(many, `,"x"`, "", 1))},
		{"COMP-03", Fail, of(many)},
		{"COMP-04", Pass, of(`{"values":[],"total":5.0,"hasMore":true}`)},
		{"COMP-04", Fail, of(`{"values":[],"total":null}`)},
		{"COMP-04", Fail, of(`{"values":[],"hasMore":"false"}`)},
		{"COMP-06", Pass, of(`{"values":["x"],"total":2,"hasMore":true}`)},
		{"COMP-06", NotApplicable, of(`{"values":["x"]}`)},
		{"COMP-06", Warn, of(`{"values":["x","y"],"total":1}`)},
		{"COMP-06", Warn, of(`{"values":["x"],"total":1,"hasMore":true}`)},
		{"COMP-06", Warn, of(`{"values":["x"],"total":2,"hasMore":false}`)},
		{"COMP-11", Pass, of(`{"values":[]}`)},
		{"COMP-11", Warn, lines(completionLine("complete", "", noSuch))},
		{"COMP-11", NotApplicable, lines(completionLine("complete", "", failure("-32603")))},
		{"COMP-12", Pass, lines(works, completionLine("context", `{"values":[]}`, ""))},
		{"COMP-12", Fail, lines(works, completionLine("context", "", noSuch))},
		{"COMP-12", Warn, lines(works, completionLine("context", "", noSuch, "invented", "yes"))},
		{"COMP-12", NotApplicable, lines(completionLine("complete", "", noSuch), completionLine("context", "", noSuch))},
	})
	walkRuns(t, recording.TemplateCompletions, `{"resources":{}}`, []run{
		{"COMP-11", NotApplicable, lines(completionLine("complete", "", failure("-32601")))},
		{"COMP-02", NotApplicable, lines(completionLine("complete", "", failure("-32601")))},
	}, requirement.R20241105)
	walkRuns(t, recording.GuardedCompletions, `{"completions":{}}`, []run{
		{"COMP-14", Pass, lines(completionLine("guarded", `{"values":["x"]}`, "", "never", "secret\nkey"))},
		{"COMP-14", Pass, lines(completionLine("guarded", "", noSuch, "never", "secret"))},
		{"COMP-14", Fail, lines(completionLine("guarded", `{"values":["x","key"]}`, "", "never", "secret\nkey"))},
	})
}

// TestCompletionsThatNeedContext: an internal error without the context, which is optional,
// is remarked upon where the same completion works with it.
func TestCompletionsThatNeedContext(t *testing.T) {
	without := completionLine("complete", "", failure("-32603"))
	with := completionLine("context", `{"values":["x"]}`, "")
	for name, c := range map[string]struct {
		rec  []rt.Line
		want int
	}{
		"internal error": {lines(without, with), 1},
		"refused":        {lines(completionLine("complete", "", failure("-32602")), with), 0},
		"works":          {lines(completionLine("complete", `{"values":[]}`, ""), with), 0},
		"never works":    {lines(without, completionLine("context", "", failure("-32603"))), 0},
	} {
		facts := rt.Facts(requirement.Combination{Revision: requirement.R20251125, Transport: requirement.Stdio}, `{"resources":{},"completions":{}}`)
		req, _ := requirement.Find("COMP-12")
		k, _ := Find("COMP-12")
		got := Evaluate(k, req, facts, Recordings{recording.TemplateCompletions: rt.New(recording.TemplateCompletions, facts, c.rec...)})
		if len(got.Observations) != c.want || c.want > 0 && (got.Outcome != NotApplicable || got.Observations[0].ID != "completion-needs-context") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestRefusedCompletions(t *testing.T) {
	walkRuns(t, recording.UndeclaredCompletion, `{"resources":{}}`, []run{
		{"COMP-01", Pass, lines(completionLine("undeclared", "", failure("-32601")))},
		{"COMP-01", Fail, lines(completionLine("undeclared", `{"values":["x"]}`, ""))},
		{"COMP-01", Warn, lines(completionLine("undeclared", `{"values":[]}`, ""))},
		{"COMP-07", Pass, lines(completionLine("undeclared", "", failure("-32601")))},
		{"COMP-07", Warn, lines(completionLine("undeclared", "", failure("-32603")))},
		{"COMP-07", NotApplicable, lines(completionLine("undeclared", `{"values":[]}`, ""))},
	})
	fatal := completionLine("unknown-type", "", "")
	fatal.Outcome, fatal.Fatal = recording.Lost, true
	walkRuns(t, recording.MalformedCompletions, `{"completions":{}}`, []run{
		{"COMP-08", Pass, lines(completionLine("no-ref", "", failure("-32602")))},
		{"COMP-08", Warn, lines(completionLine("no-ref", "", failure("-32603")))},
		{"COMP-08", Warn, lines(completionLine("no-value", `{"values":[]}`, ""))},
		{"COMP-09", Pass, lines(completionLine("unknown-uri", `{"values":[]}`, ""))},
		{"COMP-09", Pass, lines(completionLine("number-value", "", failure("-32603")))},
		{"COMP-09", Warn, lines(completionLine("unknown-type", `{"values":["x"]}`, ""))},
		{"COMP-09", Fail, lines(completionLine("unknown-type", "", ""))},
		{"COMP-09", Fail, lines(fatal)},
	})
}
