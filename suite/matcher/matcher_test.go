package matcher_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/onsi/gomega"
	"github.com/tidwall/gjson"
)

const (
	result   = `{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"a:1","text":"1"}]}}`
	notFound = `{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"no"}}`
)

// Each matcher has something that it matches and something that it does not.
func TestMatchers(t *testing.T) {
	page := func(uri, next string) string {
		cursor := ""
		if next != "" {
			cursor = `,"nextCursor":"` + next + `"`
		}
		return `{"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"` + uri + `","name":"n"}]` + cursor +
			`}}`
	}
	refused := &recording.Exchange{Outcome: recording.HTTPOnly, Status: 404}
	forbidden := &recording.Exchange{Outcome: recording.Replied, Status: 400}
	forbidden.Attach(wire.ObjectOf(`{"error":{"code":-32020}}`))
	elsewhere := &recording.Exchange{Outcome: recording.Replied, Status: 202} // over HTTP+SSE
	elsewhere.Attach(wire.ObjectOf(`{"error":{"code":-32601,"message":"no"}}`))
	for _, c := range []struct {
		m       matcher.Matcher
		yes, no any
		actual  string // a part of what is said of no
	}{
		{m: matcher.BeResult(), yes: result, no: notFound, actual: "error -32002"},
		{m: matcher.BeErrorReply(), yes: notFound, no: result, actual: "a result"},
		{m: matcher.BeErrorReply(-32602), yes: `{"error":{"code":-32602}}`, no: elsewhere,
			actual: `error -32601 ("no")`},
		{m: matcher.BeErrorReply(-32602, -32002), yes: []byte(notFound), no: `{"error":{"code":-32603}}`,
			actual: "-32603"},
		{m: matcher.BeRefused(), yes: refused, no: json.RawMessage(result), actual: "a result"},
		{m: matcher.HaveHTTPStatus(404), yes: refused, no: forbidden, actual: "HTTP 400"},
		{m: matcher.BeRefusedWith(400, -32020), yes: forbidden, no: refused, actual: "HTTP 404"},
		{m: matcher.HaveContents(), yes: result, no: `{"result":{}}`, actual: "a result"},
		{m: matcher.AskForInput(), yes: `{"result":{"resultType":"input_required"}}`, no: result,
			actual: "a result"},
		{m: matcher.Expecting("a page", matcher.BeResult()), yes: result, no: notFound,
			actual: "error -32002"},
		{m: matcher.BeAString(), yes: `"a"`, no: `5`, actual: "an integer (5)"},
		{m: matcher.BeANumber(), yes: `5`, no: `"5"`, actual: `a string ("5")`},
		{m: matcher.BeAnInteger(), yes: `5.0`, no: `5.5`, actual: "5.5"},
		{m: matcher.BeABoolean(), yes: `true`, no: `"true"`, actual: "a string"},
		{m: matcher.BeAnObject(), yes: `{}`, no: `[]`, actual: "an empty array"},
		{m: matcher.BeAnArray(), yes: `[]`, no: `{}`, actual: "an object"},
		{m: matcher.BeAbsentOr(matcher.BeAString()), yes: gjson.Result{}, no: `null`, actual: "null"},
		{m: matcher.BeOneOf("light", "dark"), yes: `"dark"`, no: `"Dark"`, actual: "Dark"},
		{m: matcher.BeAURI(), yes: `"file:///a%20b"`, no: `"file:///a b"`, actual: "a b"},
		{m: matcher.BeAURITemplate(), yes: `"a:{b}"`, no: `"a:{b"`, actual: "a:{b"},
		{m: matcher.BeBase64(), yes: `"YQ=="`, no: `"YQ"`, actual: "YQ"},
		{m: matcher.BeAMIMEType(), yes: `"text/plain; charset=utf-8"`, no: `"text"`, actual: "text"},
		{m: matcher.BeATimestamp(), yes: `"2025-01-12T15:00:58Z"`, no: `"2025-01-12"`, actual: "2025-01-12"},
		{m: matcher.HaveMember("uri", matcher.BeAURI()), yes: `{"uri":"a:1"}`, no: `{"URI":"a:1"}`,
			actual: "an object"},
		{m: matcher.BeValidResponse(requirement.R20251125, "resources/read"), yes: result,
			no: `{"jsonrpc":"2.0","id":1,"result":{"contents":{}}}`, actual: "contents"},
		{m: matcher.EndAndRepeatNothing(), yes: []string{page("a:1", "2"), page("a:2", "")},
			no: []string{page("a:1", "2"), page("a:1", "")}, actual: `"a:1" stands on page 1 and on page 2`},
		{m: matcher.EndAndRepeatNothing(), yes: [][]byte{[]byte(page("a:1", ""))},
			no: []string{page("a:1", "2")}, actual: "has a nextCursor"},
		{m: matcher.EndAndRepeatNothing(), yes: []json.RawMessage{json.RawMessage(page("a:1", ""))},
			no: []string{notFound}, actual: "page 1 is error -32002"},
	} {
		if ok, err := c.m.Match(c.yes); !ok || err != nil {
			t.Errorf("%s: %v is refused: %v", c.m.Expected(), c.yes, err)
		}
		if ok, err := c.m.Match(c.no); ok || err != nil {
			t.Errorf("%s: %v matches, %v", c.m.Expected(), c.no, err)
		}
		message := c.m.FailureMessage(c.no)
		if !strings.Contains(message, "expected: "+c.m.Expected()) || !strings.Contains(message, c.actual) {
			t.Errorf("%s: %s; want %q", c.m.Expected(), message, c.actual)
		}
		if said := c.m.NegatedFailureMessage(c.yes); !strings.Contains(said, "anything but "+c.m.Expected()) {
			t.Error(said)
		}
	}
}

// What cannot be looked at is an error, and no mismatch.
func TestNothingToLookAt(t *testing.T) {
	for _, c := range []struct {
		m      matcher.Matcher
		actual any
	}{
		{matcher.BeResult(), "no JSON"},
		{matcher.BeResult(), 5},
		{matcher.BeResult(), (*recording.Exchange)(nil)},
		{matcher.BeAString(), struct{}{}},
		{matcher.EndAndRepeatNothing(), "one page"},
		{matcher.EndAndRepeatNothing(), []string{"no JSON"}},
	} {
		if ok, err := c.m.Match(c.actual); ok || err == nil {
			t.Errorf("%s: %v: %t, %v", c.m.Expected(), c.actual, ok, err)
		}
	}
}

// In a suite of one's own a failed matcher fails the test in words.
func TestInGomega(t *testing.T) {
	said := ""
	g := gomega.NewGomega(func(message string, _ ...int) { said = message })
	g.Expect(result).To(matcher.BeErrorReply(-32602), "a read of what does not exist")
	if !strings.Contains(said, "a read of what does not exist") ||
		!strings.Contains(said, "expected: a JSON-RPC error with code -32602") {
		t.Error(said)
	}
}
