package mrtr_test

import (
	"testing"

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
	areatest.WalkRuns(t, recording.InputReads, `{"resources":{}}`,
		areatest.Pass("MRTR-02", ask),
		areatest.Pass("MRTR-02", state(`,"requestState":"x"`)...),
		areatest.Fail("MRTR-02", state(``)...),
		areatest.Fail("MRTR-02", state(`,"requestState":{}`)...),
		areatest.Fail("MRTR-02", state(`,"inputRequests":[]`)...),
		areatest.Fail("MRTR-02", state(`,"inputRequests":{"a":{"method":"acme/ask","params":{}}}`)...),
		areatest.Pass("MRTR-02", state(`,"inputRequests":{"a":{"method":"roots/list"}}`)...),
		areatest.NotApplicable("MRTR-02", ableRead("ask", contents)),
		areatest.Pass("MRTR-04", ask, inputRead("bare", lacking)),
		areatest.Fail("MRTR-04", inputRead("bare", asksName)),
		areatest.Pass("MRTR-04", inputRead("bare", `{"resultType":"input_required","requestState":"x"}`)),
		areatest.Pass("MRTR-05", inputRead("bare", lacking, "required:0", "elicitation"), ask),
		areatest.Pass("MRTR-05", inputRead("bare", contents), ask),
		areatest.Fail("MRTR-05", inputRead("bare", `{"code":-32021,"message":"no"}`), ask),
		areatest.Fail("MRTR-05", inputRead("bare", areatest.ParamsError), ask),
		areatest.Fail("MRTR-05", inputRead("bare", lacking, "required:0", "sampling"), ask),
		areatest.NotApplicable("MRTR-05", inputRead("bare", areatest.ParamsError),
			ableRead("ask", areatest.ParamsError)),
	)
}

func TestRetryChecks(t *testing.T) {
	ask := ableRead("ask", asksName)
	plain := areatest.Asked("plain", "resources/list", "{}", areatest.GoodList)
	silent := rt.Line{Step: "after-abandoned", Method: "resources/list"}
	areatest.WalkRuns(t, recording.InputReads, `{"resources":{}}`,
		areatest.Pass("MRTR-07", ask, ableRead("tampered", areatest.ParamsError, "matters", "yes")),
		areatest.Pass("MRTR-07", ask, ableRead("tampered", asksName, "matters", "yes")),
		areatest.Fail("MRTR-07", ask, ableRead("tampered", contents, "matters", "yes")),
		areatest.Warn("MRTR-07", ask, ableRead("tampered", contents)),
		areatest.Warn("MRTR-07", ask, ableRead("other-caller", contents, "matters", "yes")),
		areatest.NotApplicable("MRTR-07", ask),
		areatest.Pass("MRTR-08", ask, ableRead("retry-empty", asksName)),
		areatest.Warn("MRTR-08", ask, ableRead("retry-empty", areatest.ParamsError)),
		areatest.Pass("MRTR-10", ask, inputRead("lingering", lacking)),
		areatest.Fail("MRTR-10", ask, inputRead("lingering", asksName)),
		areatest.NotApplicable("MRTR-10", inputRead("bare", asksName), ask, inputRead("lingering", asksName)),
		areatest.Pass("MRTR-11", ableRead("ask-again", asksName), ableRead("retry", asksName),
			ableRead("retry", contents, "text", "hi")),
		areatest.Fail("MRTR-11", ableRead("ask-again", asksName), ableRead("retry", areatest.ParamsError)),
		areatest.Fail("MRTR-11", ableRead("ask-again", asksName), ableRead("retry", contents, "text", "ho")),
		areatest.NotApplicable("MRTR-11", ableRead("ask-again", asksName, "unanswered", "who")),
		areatest.NotApplicable("MRTR-11", ableRead("ask-again", contents)),
		areatest.Pass("MRTR-60", plain, ask,
			areatest.Asked("after-abandoned", "resources/list", "{}", areatest.GoodList)),
		areatest.Fail("MRTR-60", plain, ask, silent),
		areatest.Fail("MRTR-60", plain, ask,
			areatest.Asked("after-abandoned", "resources/list", "{}", areatest.ParamsError)),
	)
	areatest.WalkRuns(t, mrtr.Superfluous, `{"resources":{}}`,
		areatest.Pass("MRTR-09", inputRead("superfluous", contents),
			inputRead("malformed", areatest.ParamsError)),
		areatest.Warn("MRTR-09", inputRead("superfluous", areatest.ParamsError)),
		areatest.Warn("MRTR-09", inputRead("superfluous", areatest.ParamsError),
			inputRead("still-there", contents)),
		areatest.NotApplicable("MRTR-09", inputRead("superfluous", areatest.ParamsError),
			inputRead("still-there", areatest.ParamsError)),
		areatest.Warn("MRTR-09", inputRead("superfluous", contents),
			rt.Line{Step: "malformed", Method: "resources/read", Outcome: recording.Lost, Fatal: true}),
	)
	areatest.WalkRuns(t, recording.Everything, `{}`,
		areatest.Pass("MRTR-01", areatest.Asked("page", "resources/list", "{}", areatest.GoodList)),
		areatest.Fail("MRTR-01", areatest.Asked("page", "resources/list", "{}", asksName)),
		areatest.NotApplicable("MRTR-01", inputRead("read", asksName)),
	)
}

// TestWhoCanTamper: over stdio nobody but the client can alter a state, over HTTP anybody can.
func TestWhoCanTamper(t *testing.T) {
	for over, want := range map[requirement.Transport]requirement.Gravity{requirement.Stdio: "",
		requirement.HTTP: requirement.Security} {
		facts := rt.Facts(requirement.Combination{Revision: requirement.R20260728, Transport: over}, `{}`)
		rec := rt.New(recording.InputReads, facts, areatest.TaggedRead("tampered", `{}`, areatest.OneText, "",
			"matters", "yes"))
		got := areatest.Judge("MRTR-07", rec)
		if got.Outcome != verdict.Fail || got.Gravity != want {
			t.Errorf("%s: %s of gravity %q", over, got.Outcome, got.Gravity)
		}
	}
}
