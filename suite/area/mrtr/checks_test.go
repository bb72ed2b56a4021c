package mrtr_test

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/mrtr"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

const (
	asksName = `{"resultType":"input_required","requestState":"abc",` +
		`"inputRequests":{"who":{"method":"elicitation/create","params":{}}}}`
	contents = `{"resultType":"complete","contents":[{"uri":"a:1","text":"hi"}]}`
	lacking  = `{"code":-32021,"message":"no","data":{"requiredCapabilities":{"elicitation":{}}}}`
)

func inputRead(step recording.Step, answer string, tags ...string) rt.Line {
	return areatest.Asked(step, "resources/read",
		`{"uri":"a:1","_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}`, answer, tags...)
}

func ableRead(step recording.Step, answer string, tags ...string) rt.Line {
	l := inputRead(step, answer, tags...)
	l.Params = `{"uri":"a:1","_meta":{"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}`
	return l
}

func TestInputChecks(t *testing.T) {
	ask := ableRead("ask", asksName)
	state := func(rest string) []rt.Line {
		return areatest.Lines(ableRead("ask", `{"resultType":"input_required"`+rest+`}`))
	}
	areatest.WalkRuns(t, recording.InputReads, `{"resources":{}}`, []areatest.Run{
		{ID: "MRTR-02", Want: verdict.Pass, Rec: areatest.Lines(ask)},
		{ID: "MRTR-02", Want: verdict.Pass, Rec: state(`,"requestState":"x"`)},
		{ID: "MRTR-02", Want: verdict.Fail, Rec: state(``)},
		{ID: "MRTR-02", Want: verdict.Fail, Rec: state(`,"requestState":{}`)},
		{ID: "MRTR-02", Want: verdict.Fail, Rec: state(`,"inputRequests":[]`)},
		{ID: "MRTR-02", Want: verdict.Fail,
			Rec: state(`,"inputRequests":{"a":{"method":"acme/ask","params":{}}}`)},
		{ID: "MRTR-02", Want: verdict.Pass, Rec: state(`,"inputRequests":{"a":{"method":"roots/list"}}`)},
		{ID: "MRTR-02", Want: verdict.NotApplicable, Rec: areatest.Lines(ableRead("ask", contents))},
		{ID: "MRTR-04", Want: verdict.Pass, Rec: areatest.Lines(ask, inputRead("bare", lacking))},
		{ID: "MRTR-04", Want: verdict.Fail, Rec: areatest.Lines(inputRead("bare", asksName))},
		{ID: "MRTR-04", Want: verdict.Pass,
			Rec: areatest.Lines(inputRead("bare", `{"resultType":"input_required","requestState":"x"}`))},
		{ID: "MRTR-05", Want: verdict.Pass,
			Rec: areatest.Lines(inputRead("bare", lacking, "required:0", "elicitation"), ask)},
		{ID: "MRTR-05", Want: verdict.Pass, Rec: areatest.Lines(inputRead("bare", contents), ask)},
		{ID: "MRTR-05", Want: verdict.Fail,
			Rec: areatest.Lines(inputRead("bare", `{"code":-32021,"message":"no"}`), ask)},
		{ID: "MRTR-05", Want: verdict.Fail, Rec: areatest.Lines(inputRead("bare", areatest.ParamsError),
			ask)},
		{ID: "MRTR-05", Want: verdict.Fail,
			Rec: areatest.Lines(inputRead("bare", lacking, "required:0", "sampling"), ask)},
		{ID: "MRTR-05", Want: verdict.NotApplicable,
			Rec: areatest.Lines(inputRead("bare", areatest.ParamsError),
				ableRead("ask", areatest.ParamsError))},
	})
}

func TestRetryChecks(t *testing.T) {
	ask := ableRead("ask", asksName)
	plain := areatest.Asked("plain", "resources/list", "{}", areatest.GoodList)
	silent := rt.Line{Step: "after-abandoned", Method: "resources/list"}
	areatest.WalkRuns(t, recording.InputReads, `{"resources":{}}`, []areatest.Run{
		{ID: "MRTR-07", Want: verdict.Pass,
			Rec: areatest.Lines(ask, ableRead("tampered", areatest.ParamsError, "matters", "yes"))},
		{ID: "MRTR-07", Want: verdict.Pass, Rec: areatest.Lines(ask, ableRead("tampered", asksName, "matters",
			"yes"))},
		{ID: "MRTR-07", Want: verdict.Fail, Rec: areatest.Lines(ask, ableRead("tampered", contents, "matters",
			"yes"))},
		{ID: "MRTR-07", Want: verdict.Warn, Rec: areatest.Lines(ask, ableRead("tampered", contents))},
		{ID: "MRTR-07", Want: verdict.Warn,
			Rec: areatest.Lines(ask, ableRead("other-caller", contents, "matters", "yes"))},
		{ID: "MRTR-07", Want: verdict.NotApplicable, Rec: areatest.Lines(ask)},
		{ID: "MRTR-08", Want: verdict.Pass, Rec: areatest.Lines(ask, ableRead("retry-empty", asksName))},
		{ID: "MRTR-08", Want: verdict.Warn,
			Rec: areatest.Lines(ask, ableRead("retry-empty", areatest.ParamsError))},
		{ID: "MRTR-10", Want: verdict.Pass, Rec: areatest.Lines(ask, inputRead("lingering", lacking))},
		{ID: "MRTR-10", Want: verdict.Fail, Rec: areatest.Lines(ask, inputRead("lingering", asksName))},
		{ID: "MRTR-10", Want: verdict.NotApplicable, Rec: areatest.Lines(inputRead("bare", asksName), ask,
			inputRead("lingering", asksName))},
		{ID: "MRTR-11", Want: verdict.Pass, Rec: areatest.Lines(ableRead("ask-again", asksName),
			ableRead("retry", asksName), ableRead("retry", contents, "text", "hi"))},
		{ID: "MRTR-11", Want: verdict.Fail, Rec: areatest.Lines(ableRead("ask-again", asksName),
			ableRead("retry", areatest.ParamsError))},
		{ID: "MRTR-11", Want: verdict.Fail, Rec: areatest.Lines(ableRead("ask-again", asksName),
			ableRead("retry", contents, "text", "ho"))},
		{ID: "MRTR-11", Want: verdict.NotApplicable,
			Rec: areatest.Lines(ableRead("ask-again", asksName, "unanswered", "who"))},
		{ID: "MRTR-11", Want: verdict.NotApplicable, Rec: areatest.Lines(ableRead("ask-again", contents))},
		{ID: "MRTR-60", Want: verdict.Pass, Rec: areatest.Lines(plain, ask, areatest.Asked("after-abandoned",
			"resources/list", "{}", areatest.GoodList))},
		{ID: "MRTR-60", Want: verdict.Fail, Rec: areatest.Lines(plain, ask, silent)},
		{ID: "MRTR-60", Want: verdict.Fail, Rec: areatest.Lines(plain, ask, areatest.Asked("after-abandoned",
			"resources/list", "{}", areatest.ParamsError))},
	})
	areatest.WalkRuns(t, mrtr.Superfluous, `{"resources":{}}`, []areatest.Run{
		{ID: "MRTR-09", Want: verdict.Pass, Rec: areatest.Lines(inputRead("superfluous", contents),
			inputRead("malformed", areatest.ParamsError))},
		{ID: "MRTR-09", Want: verdict.Warn,
			Rec: areatest.Lines(inputRead("superfluous", areatest.ParamsError))},
		{ID: "MRTR-09", Want: verdict.Warn,
			Rec: areatest.Lines(inputRead("superfluous", areatest.ParamsError),
				inputRead("still-there", contents))},
		{ID: "MRTR-09", Want: verdict.NotApplicable,
			Rec: areatest.Lines(inputRead("superfluous", areatest.ParamsError),
				inputRead("still-there", areatest.ParamsError))},
		{ID: "MRTR-09", Want: verdict.Warn, Rec: areatest.Lines(inputRead("superfluous", contents),
			rt.Line{Step: "malformed", Method: "resources/read", Outcome: recording.Lost, Fatal: true})},
	})
	areatest.WalkRuns(t, recording.Everything, `{}`, []areatest.Run{
		{ID: "MRTR-01", Want: verdict.Pass, Rec: areatest.Lines(areatest.Asked("page", "resources/list", "{}",
			areatest.GoodList))},
		{ID: "MRTR-01", Want: verdict.Fail, Rec: areatest.Lines(areatest.Asked("page", "resources/list", "{}",
			asksName))},
		{ID: "MRTR-01", Want: verdict.NotApplicable, Rec: areatest.Lines(inputRead("read", asksName))},
	})
}

// TestWhoCanTamper: over stdio nobody but the client can alter a state, over HTTP anybody can.
func TestWhoCanTamper(t *testing.T) {
	k, _ := area.BuiltIn().Check("MRTR-07")
	req, _ := area.Catalogue().Find("MRTR-07")
	for over, want := range map[requirement.Transport]requirement.Gravity{requirement.Stdio: "",
		requirement.HTTP: requirement.Security} {
		facts := rt.Facts(requirement.Combination{Revision: requirement.R20260728, Transport: over}, `{}`)
		rec := rt.New(recording.InputReads, facts, areatest.TaggedRead("tampered", `{}`, areatest.OneText, "",
			"matters", "yes"))
		got := verdict.Evaluate(k, req, facts, verdict.Recordings{recording.InputReads: rec})
		if got.Outcome != verdict.Fail || got.Gravity != want {
			t.Errorf("%s: %s of gravity %q", over, got.Outcome, got.Gravity)
		}
	}
}
