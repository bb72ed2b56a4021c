package matcher

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/judge/schema"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/onsi/gomega/types"
	"github.com/tidwall/gjson"
)

func onValue(expected string, match func(gjson.Result) bool) Matcher {
	return words[gjson.Result]{expected, value, match, describeValue}
}

func onText(expected string, problems func(string) []judge.Problem) Matcher {
	return onValue(expected, func(v gjson.Result) bool {
		return judge.IsString(v) && len(problems(v.Str)) == 0
	})
}

// BeAString expects a JSON string.
func BeAString() Matcher { return onValue("a string", judge.IsString) }

// BeANumber expects a JSON number.
func BeANumber() Matcher { return onValue("a number", judge.IsNumber) }

// BeAnInteger expects a number without a fraction; 5.0 is one.
func BeAnInteger() Matcher { return onValue("an integer", judge.IsInteger) }

// BeABoolean expects true or false.
func BeABoolean() Matcher { return onValue("a boolean", judge.IsBool) }

// BeAnObject expects a JSON object.
func BeAnObject() Matcher { return onValue("an object", judge.IsObject) }

// BeAnArray expects a JSON array.
func BeAnArray() Matcher { return onValue("an array", judge.IsArray) }

// BeAbsentOr expects what m expects, unless there is no such value. A null is a value.
func BeAbsentOr(m Matcher) Matcher {
	return onValue(m.Expected()+", or absent", func(v gjson.Result) bool {
		ok, err := m.Match(v)
		return !v.Exists() || ok && err == nil
	})
}

// BeOneOf expects one of some strings.
func BeOneOf(texts ...string) Matcher {
	quoted := make([]string, len(texts))
	for i, s := range texts {
		quoted[i] = fmt.Sprintf("%q", s)
	}
	return onValue(strings.Join(quoted, " or "), func(v gjson.Result) bool {
		return v.Type == gjson.String && slices.Contains(texts, v.Str)
	})
}

// BeAURI expects a string that is an absolute URI in the sense of RFC 3986, as the URI of a
// resource has to be (server/resources#resource).
func BeAURI() Matcher {
	return onText("a URI in the sense of RFC 3986", judge.URI)
}

// BeAURITemplate expects a string that is a URI template in the sense of RFC 6570
// (server/resources#resource-templates).
func BeAURITemplate() Matcher {
	return onText("a URI template in the sense of RFC 6570", judge.Template)
}

// BeBase64 expects a string in the standard alphabet of base64, with its padding (RFC 4648,
// section 4), as a blob has to be.
func BeBase64() Matcher {
	return onText("base64 in the standard alphabet, padded", judge.Base64)
}

// BeAMIMEType expects a string that is a media type (RFC 6838, RFC 9110).
func BeAMIMEType() Matcher {
	return onText("a MIME type", judge.MIME)
}

// BeATimestamp expects a string that is a date and time of RFC 3339, the common part of it
// and ISO 8601 (server/resources#annotations).
func BeATimestamp() Matcher {
	return onValue("a timestamp such as 2025-01-12T15:00:58Z", func(v gjson.Result) bool {
		_, err := time.Parse(time.RFC3339Nano, v.Str)
		return judge.IsString(v) && err == nil
	})
}

// HaveMember expects an object that has a member of this very name, whose value m matches.
// Without m any value will do. The name is no path: a dot in it is a dot.
func HaveMember(name string, m ...types.GomegaMatcher) Matcher {
	expected := "an object with " + name
	for _, one := range m {
		if told, ok := one.(Matcher); ok {
			expected += " as " + told.Expected()
		}
	}
	return onValue(expected, func(v gjson.Result) bool {
		member := judge.Member(v, name)
		if !v.IsObject() || !member.Exists() {
			return false
		}
		return !slices.ContainsFunc(m, func(one types.GomegaMatcher) bool {
			ok, err := one.Match(member)
			return !ok || err != nil
		})
	})
}

// BeValidResponse expects a JSON-RPC response to a request of the method that keeps to the
// message schema of a revision, as far as it is about resources.
func BeValidResponse(rev requirement.Revision, method string) Matcher {
	return words[gjson.Result]{"a response to " + method + " as the schema of " + string(rev) + " has it",
		value,
		func(v gjson.Result) bool { return len(violations(rev, method, v)) == 0 },
		func(v gjson.Result) string {
			var all []string // what breaks the schema
			for _, x := range violations(rev, method, v) {
				all = append(all, fmt.Sprint(x))
			}
			return cmp.Or(strings.Join(all, "; "), describeValue(v))
		}}
}

func violations(rev requirement.Revision, method string, v gjson.Result) []schema.Violation {
	set := schema.For(rev)
	if set == nil {
		return nil
	}
	return set.ResponseIn(method, v)
}

// EndAndRepeatNothing expects the pages of a list, in the order in which they were fetched by
// following nextCursor, to end with a page without nextCursor, and to list no resource or
// template twice (server/utilities/pagination#response-format). The pages are replies, in a
// slice of one of the forms that a reply has.
func EndAndRepeatNothing() Matcher {
	return words[[]*recording.Exchange]{"pages that end and repeat nothing", pages,
		func(all []*recording.Exchange) bool { return walkProblem(all) == "" }, walkProblem}
}

func pages(actual any) ([]*recording.Exchange, error) {
	switch a := actual.(type) {
	case []*recording.Exchange:
		return a, nil
	case [][]byte:
		return replies(a)
	case []string:
		return replies(a)
	case []json.RawMessage:
		return replies(a)
	case []gjson.Result:
		return replies(a)
	}
	return nil, fmt.Errorf("the pages are needed as a slice of replies, and not as %T", actual)
}

func replies[T any](raw []T) ([]*recording.Exchange, error) {
	all := make([]*recording.Exchange, len(raw))
	for i, one := range raw {
		x, err := reply(one)
		if err != nil {
			return nil, fmt.Errorf("page %d: %w", i+1, err)
		}
		all[i] = x
	}
	return all, nil
}

// walkProblem says what is wrong with the pages of a list; empty if nothing.
func walkProblem(all []*recording.Exchange) string {
	if len(all) == 0 {
		return "no page"
	}
	seen := map[string]int{}
	for i, x := range all {
		if !x.Succeeded() {
			return fmt.Sprintf("page %d is %s", i+1, Describe(x))
		}
		for _, id := range listed(x) {
			if at, twice := seen[id]; twice {
				return fmt.Sprintf("%q stands on page %d and on page %d", id, at, i+1)
			}
			seen[id] = i + 1
		}
		more := x.Value("nextCursor").Type == gjson.String
		if last := i == len(all)-1; more && last {
			return fmt.Sprintf("page %d, the last that was fetched, has a nextCursor", i+1)
		} else if !more && !last {
			return fmt.Sprintf("page %d has no nextCursor, and more pages follow it", i+1)
		}
	}
	return ""
}

// listed names the resources or templates of a page.
func listed(x *recording.Exchange) []string {
	var all []string
	for _, e := range slices.Concat(x.Value("resources").Array(),
		x.Value("resourceTemplates").Array()) {
		for _, name := range []string{"uri", "uriTemplate"} {
			if id := e.Get(name); id.Type == gjson.String {
				all = append(all, id.Str)
			}
		}
	}
	return all
}
