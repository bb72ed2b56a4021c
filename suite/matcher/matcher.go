// Package matcher has Gomega matchers for what MCP servers answer. The checks of mcpcheck
// judge with them, and so can the tests of any server:
//
//	Expect(reply).To(matcher.BeErrorReply(-32602))
//	Expect(pages).To(matcher.EndAndRepeatNothing())
//	Expect(result).To(matcher.HaveMember("uri", matcher.BeAURI()))
//
// A reply is a JSON-RPC response as it was received ([]byte, string, [json.RawMessage] or
// [gjson.Result]), or an exchange of a recording ([*recording.Exchange]). A value is JSON
// in one of the same forms. What is given is looked at as it was sent: a member written in
// another letter case is another member, and a number is not rounded.
//
// A matcher fails with an error, and not with a mismatch, when it is given something that
// it cannot look at, such as bytes that are no JSON.
package matcher

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/onsi/gomega/types"
	"github.com/tidwall/gjson"
)

// Matcher is a Gomega matcher that says in words what it expects and what it was given.
type Matcher interface {
	types.GomegaMatcher
	// Expected is what the matcher expects, in a few words: "a result".
	Expected() string
	// Actual is what it was given, in a few words: "error -32603 (...)".
	Actual(actual any) string
}

// words is a [Matcher] on a form of what is given, T, which read makes.
type words[T any] struct {
	expected string
	read     func(actual any) (T, error)
	match    func(T) bool
	describe func(T) string
}

func (m words[T]) Match(actual any) (bool, error) {
	given, err := m.read(actual)
	if err != nil {
		return false, fmt.Errorf("%s was expected: %w", m.expected, err)
	}
	return m.match(given), nil
}

func (m words[T]) Expected() string { return m.expected }

func (m words[T]) Actual(actual any) string {
	given, err := m.read(actual)
	if err != nil {
		return err.Error()
	}
	return m.describe(given)
}

func (m words[T]) FailureMessage(actual any) string {
	return "expected: " + m.expected + "\nactual:   " + m.Actual(actual)
}

func (m words[T]) NegatedFailureMessage(actual any) string {
	return "expected: anything but " + m.expected + "\nactual:   " + m.Actual(actual)
}

// Expecting is a matcher that expects the same as another one, in other words: those that
// say what is at stake in a particular case.
func Expecting(expected string, m Matcher) Matcher { return renamed{m, expected} }

type renamed struct {
	Matcher
	expected string
}

func (m renamed) Expected() string { return m.expected }

func (m renamed) FailureMessage(actual any) string {
	return "expected: " + m.expected + "\nactual:   " + m.Actual(actual)
}

func (m renamed) NegatedFailureMessage(actual any) string {
	return "expected: anything but " + m.expected + "\nactual:   " + m.Actual(actual)
}

// refusal is a [Matcher] that expects to be refused.
type refusal struct{ Matcher }

// OfRefusal reports whether a matcher expects of an exchange that it is refused: one of [BeErrorReply],
// [BeRefused] and [BeRefusedWith], in whatever words.
func OfRefusal(m types.GomegaMatcher) bool {
	if r, ok := m.(renamed); ok {
		m = r.Matcher
	}
	_, ok := m.(refusal)
	return ok
}

// value reads JSON in one of the forms that a matcher takes.
func value(actual any) (gjson.Result, error) {
	var raw string
	switch a := actual.(type) {
	case gjson.Result:
		return a, nil
	case string:
		raw = a
	case []byte:
		raw = string(a)
	case json.RawMessage:
		raw = string(a)
	case interface{ JSON() gjson.Result }:
		return a.JSON(), nil
	default:
		return gjson.Result{},
			fmt.Errorf("JSON is needed as []byte, string, json.RawMessage or gjson.Result, and not %T",
				actual)
	}
	if !gjson.Valid(raw) {
		return gjson.Result{}, fmt.Errorf("what was given is no JSON: %.100q", raw)
	}
	return gjson.Parse(raw), nil
}

// reply reads an answer in one of the forms that a matcher takes.
func reply(actual any) (*recording.Exchange, error) {
	if x, ok := actual.(*recording.Exchange); ok {
		if x == nil {
			return nil, fmt.Errorf("there is no exchange")
		}
		return x, nil
	}
	m, err := value(actual)
	if err != nil {
		return nil, err
	}
	x := &recording.Exchange{Outcome: recording.Replied}
	x.Attach(wire.LookedUp(m))
	return x, nil
}

// describeValue says what a JSON value is.
func describeValue(v gjson.Result) string {
	if !v.Exists() {
		return "absent"
	}
	return judge.TypeName(v) + " (" + judge.Brief(v) + ")"
}

// Describe says in a few words how the target answered, so that "to" and what was
// asked can follow.
func Describe(x *recording.Exchange) string {
	status := ""
	if x.Status >= 300 {
		status = " with HTTP " + strconv.Itoa(x.Status)
	}
	switch {
	case x.Failed():
		// 202 was for the message alone: over HTTP+SSE the answer to it comes elsewhere.
		if x.Status > 0 && x.Status != http.StatusAccepted {
			status = " with HTTP " + strconv.Itoa(x.Status)
		}
		return describeError(x.Error(), status)
	case x.Outcome == recording.Replied && x.Result().Exists():
		return "a result" + status + " (" + judge.Brief(WithoutMeta(x.Result())) + ")"
	case x.Outcome == recording.Replied:
		return "a reply without result and error" + status + " (" + judge.Brief(x.Message().Result) + ")"
	case x.Outcome == recording.HTTPOnly && wire.Coding(x.Header) != "":
		return "HTTP " + strconv.Itoa(x.Status) + " with a body in the Content-Encoding " +
			judge.Quote(wire.Coding(x.Header)) + ", which was not asked for and cannot be read"
	case x.Outcome == recording.HTTPOnly && x.Status > 0:
		return "HTTP " + strconv.Itoa(x.Status) + " without a JSON-RPC response"
	case x.Outcome == recording.Refused && x.Status >= 400:
		return "HTTP " + strconv.Itoa(x.Status) + " again and again"
	case x.Outcome == recording.Canceled && x.Limit:
		return "an answer that was not read" + InBrackets(x.Reason)
	case x.Outcome == recording.Canceled:
		return "no answer before the run ended"
	case x.Outcome == recording.Silent && len(x.Replies) > 0:
		return "an answer that came too late" + InBrackets(x.Reason)
	}
	words := map[recording.Outcome]string{
		recording.Sent: "no answer (none was due)", recording.Silent: "silence",
		recording.Lost:   "no answer but a lost connection",
		recording.Unsent: "no answer: it could not be sent",
	}[x.Outcome]
	words = cmp.Or(words, "no answer")
	return words + InBrackets(x.Reason)
}

// WithoutMeta is an object without the metadata that most results and requests
// carry, and that sentences are not about.
func WithoutMeta(object gjson.Result) gjson.Result {
	if !object.IsObject() || !object.Get("_meta").Exists() {
		return object
	}
	var members []string
	object.ForEach(func(name, value gjson.Result) bool {
		if name.Str != "_meta" {
			members = append(members, name.Raw+":"+value.Raw)
		}
		return true
	})
	return gjson.Parse("{" + strings.Join(members, ",") + "}")
}

// describeError says what an error holds, even if it is none in form.
func describeError(e gjson.Result, status string) string {
	code, message := e.Get("code"), e.Get("message")
	switch {
	case !e.IsObject():
		return "an error that is no object" + status + " (" + judge.Brief(e) + ")"
	case !code.Exists() && !message.Exists():
		return "an error without a code" + status
	case !code.Exists():
		return "an error without a code" + status + " (" + judge.Brief(message) + ")"
	case !message.Exists():
		return "error " + judge.Brief(code) + status + " without a message"
	}
	return "error " + judge.Brief(code) + status + " (" + judge.Brief(message) + ")"
}

// InBrackets is the reason of an exchange for the middle of a sentence. That there
// was no answer is said already.
func InBrackets(reason string) string {
	reason = strings.TrimLeft(strings.TrimPrefix(reason, "no answer"), ", ")
	if reason == "" {
		return ""
	}
	if d, ok := strings.CutPrefix(reason, "within "); ok {
		return " for " + d
	}
	return " (" + strings.TrimPrefix(reason, "although ") + ")"
}

func onReply(expected string, match func(*recording.Exchange) bool) Matcher {
	return words[*recording.Exchange]{expected, reply, match, Describe}
}

// BeResult expects a response with a result and without an error.
func BeResult() Matcher { return onReply("a result", (*recording.Exchange).Succeeded) }

// BeErrorReply expects a JSON-RPC error with one of the codes, or any error if none is
// given (JSON-RPC 2.0, error object). 5.0 counts as 5.
func BeErrorReply(codes ...int64) Matcher {
	if len(codes) == 0 {
		return refusal{onReply("a JSON-RPC error", (*recording.Exchange).Failed)}
	}
	texts := make([]string, len(codes))
	for i, c := range codes {
		texts[i] = strconv.FormatInt(c, 10)
	}
	return refusal{onReply("a JSON-RPC error with code "+strings.Join(texts, " or "),
		func(x *recording.Exchange) bool { return x.HasCode(codes...) })}
}

// BeRefused expects a JSON-RPC error, or an HTTP status from 400 to 499.
func BeRefused() Matcher {
	return refusal{onReply("a refusal (a JSON-RPC error, or an HTTP status of 4xx)", Refused)}
}

// Refused reports whether an exchange was refused. Who asks to be called later (HTTP 429) has not looked
// at the message.
func Refused(x *recording.Exchange) bool {
	return x.Failed() || x.Status >= 400 && x.Status < 500 && !x.Succeeded() && x.Outcome != recording.Refused
}

// HaveHTTPStatus expects an answer with an HTTP status. It needs an exchange: a JSON-RPC
// response alone has no status.
func HaveHTTPStatus(status int) Matcher {
	return onReply("HTTP "+strconv.Itoa(status), func(x *recording.Exchange) bool {
		return x.Status == status
	})
}

// BeRefusedWith expects an HTTP status together with a JSON-RPC error of a code. It needs an
// exchange over HTTP: a JSON-RPC response alone has no status.
func BeRefusedWith(status int, code int64) Matcher {
	return refusal{onReply(fmt.Sprintf("HTTP %d with the error %d", status, code),
		func(x *recording.Exchange) bool {
			return x.HasCode(code) && x.Status == status
		})}
}

// HaveContents expects a result of resources/read with an array of contents
// (server/resources#reading-resources).
func HaveContents() Matcher {
	return onReply("a result with contents", func(x *recording.Exchange) bool {
		return x.Succeeded() && x.Value("contents").IsArray()
	})
}

// AskForInput expects a result that asks the client for input (2026-07-28,
// basic/patterns/mrtr).
func AskForInput() Matcher {
	return onReply("a new request for input", func(x *recording.Exchange) bool {
		return x.Value("resultType").Str == "input_required"
	})
}
