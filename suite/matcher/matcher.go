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
	"encoding/json"
	"fmt"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
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
		return gjson.Result{}, fmt.Errorf("JSON is needed as []byte, string, json.RawMessage or gjson.Result, and not %T", actual)
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
	x.Attach([]byte(m.Raw))
	return x, nil
}

// describeValue says what a JSON value is.
func describeValue(v gjson.Result) string {
	if !v.Exists() {
		return "absent"
	}
	return judge.TypeName(v) + " (" + judge.Brief(v) + ")"
}
