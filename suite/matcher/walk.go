package matcher

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/tidwall/gjson"
)

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
		more := x.Result().Get("nextCursor").Type == gjson.String
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
	for _, e := range slices.Concat(x.Result().Get("resources").Array(), x.Result().Get("resourceTemplates").Array()) {
		for _, name := range []string{"uri", "uriTemplate"} {
			if id := e.Get(name); id.Type == gjson.String {
				all = append(all, id.Str)
			}
		}
	}
	return all
}
