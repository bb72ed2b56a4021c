package check

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
)

const (
	asksName = `{"resultType":"input_required","requestState":"abc","inputRequests":{"who":{"method":"elicitation/create","params":{}}}}`
	contents = `{"resultType":"complete","contents":[{"uri":"a:1","text":"hi"}]}`
	lacking  = `{"code":-32021,"message":"no","data":{"requiredCapabilities":{"elicitation":{}}}}`
)

func inputRead(step, answer string, tags ...string) rt.Line {
	return asked(step, "resources/read", `{"uri":"a:1","_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}`, answer, tags...)
}

func ableRead(step, answer string, tags ...string) rt.Line {
	l := inputRead(step, answer, tags...)
	l.Params = `{"uri":"a:1","_meta":{"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}`
	return l
}

func TestInputChecks(t *testing.T) {
	ask := ableRead("ask", asksName)
	state := func(rest string) []rt.Line {
		return lines(ableRead("ask", `{"resultType":"input_required"`+rest+`}`))
	}
	walkRuns(t, recording.InputReads, `{"resources":{}}`, []run{
		{"MRTR-02", Pass, lines(ask)},
		{"MRTR-02", Pass, state(`,"requestState":"x"`)},
		{"MRTR-02", Fail, state(``)},
		{"MRTR-02", Fail, state(`,"requestState":{}`)},
		{"MRTR-02", Fail, state(`,"inputRequests":[]`)},
		{"MRTR-02", Fail, state(`,"inputRequests":{"a":{"method":"acme/ask","params":{}}}`)},
		{"MRTR-02", Pass, state(`,"inputRequests":{"a":{"method":"roots/list"}}`)},
		{"MRTR-02", NotApplicable, lines(ableRead("ask", contents))},
		{"MRTR-04", Pass, lines(ask, inputRead("bare", lacking))},
		{"MRTR-04", Fail, lines(inputRead("bare", asksName))},
		{"MRTR-04", Pass, lines(inputRead("bare", `{"resultType":"input_required","requestState":"x"}`))},
		{"MRTR-05", Pass, lines(inputRead("bare", lacking, "required:0", "elicitation"), ask)},
		{"MRTR-05", Pass, lines(inputRead("bare", contents), ask)},
		{"MRTR-05", Fail, lines(inputRead("bare", `{"code":-32021,"message":"no"}`), ask)},
		{"MRTR-05", Fail, lines(inputRead("bare", paramsError), ask)},
		{"MRTR-05", Fail, lines(inputRead("bare", lacking, "required:0", "sampling"), ask)},
		{"MRTR-05", NotApplicable, lines(inputRead("bare", paramsError), ableRead("ask", paramsError))},
	})
}

func TestRetryChecks(t *testing.T) {
	ask := ableRead("ask", asksName)
	plain := asked("plain", "resources/list", "{}", goodList)
	silent := rt.Line{Step: "after-abandoned", Method: "resources/list"}
	walkRuns(t, recording.InputReads, `{"resources":{}}`, []run{
		{"MRTR-07", Pass, lines(ask, ableRead("tampered", paramsError, "matters", "yes"))},
		{"MRTR-07", Pass, lines(ask, ableRead("tampered", asksName, "matters", "yes"))},
		{"MRTR-07", Fail, lines(ask, ableRead("tampered", contents, "matters", "yes"))},
		{"MRTR-07", Warn, lines(ask, ableRead("tampered", contents))},
		{"MRTR-07", Warn, lines(ask, ableRead("other-caller", contents, "matters", "yes"))},
		{"MRTR-07", NotApplicable, lines(ask)},
		{"MRTR-08", Pass, lines(ask, ableRead("retry-empty", asksName))},
		{"MRTR-08", Warn, lines(ask, ableRead("retry-empty", paramsError))},
		{"MRTR-10", Pass, lines(ask, inputRead("lingering", lacking))},
		{"MRTR-10", Fail, lines(ask, inputRead("lingering", asksName))},
		{"MRTR-10", NotApplicable, lines(inputRead("bare", asksName), ask, inputRead("lingering", asksName))},
		{"MRTR-11", Pass, lines(ableRead("ask-again", asksName), ableRead("retry", asksName), ableRead("retry", contents, "text", "hi"))},
		{"MRTR-11", Fail, lines(ableRead("ask-again", asksName), ableRead("retry", paramsError))},
		{"MRTR-11", Fail, lines(ableRead("ask-again", asksName), ableRead("retry", contents, "text", "ho"))},
		{"MRTR-11", NotApplicable, lines(ableRead("ask-again", asksName, "unanswered", "who"))},
		{"MRTR-11", NotApplicable, lines(ableRead("ask-again", contents))},
		{"MRTR-60", Pass, lines(plain, ask, asked("after-abandoned", "resources/list", "{}", goodList))},
		{"MRTR-60", Fail, lines(plain, ask, silent)},
		{"MRTR-60", Fail, lines(plain, ask, asked("after-abandoned", "resources/list", "{}", paramsError))},
	})
	walkRuns(t, recording.Superfluous, `{"resources":{}}`, []run{
		{"MRTR-09", Pass, lines(inputRead("superfluous", contents), inputRead("malformed", paramsError))},
		{"MRTR-09", Warn, lines(inputRead("superfluous", paramsError))},
		{"MRTR-09", Warn, lines(inputRead("superfluous", contents), rt.Line{Step: "malformed", Method: "resources/read", Outcome: recording.Lost, Fatal: true})},
	})
	walkRuns(t, recording.Everything, `{}`, []run{
		{"MRTR-01", Pass, lines(asked("page", "resources/list", "{}", goodList))},
		{"MRTR-01", Fail, lines(asked("page", "resources/list", "{}", asksName))},
		{"MRTR-01", NotApplicable, lines(inputRead("read", asksName))},
	})
}
