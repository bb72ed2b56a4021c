package rpc

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
)

// Steps "id" are ordinary requests under the id in the tag "id"; step "empty" is
// one under the empty string. "digits" are one under the string "7" and one under
// the number 7, one after the other.
var requestIDsScenario = &scenario.Scenario{
	Name:  RequestIDs,
	Title: "requests under unusual ids",
	Sends: "Ordinary requests under ids that are unusual but legal: zero, negative, very large, an empty string, and the string and the number of the same digits.",
	Phase: scenario.Read,
	Script: func(ctx context.Context, p *scenario.Play) {
		c, ok := p.Expendable(ctx)
		if !ok {
			return
		}
		long := strings.Repeat("mcpcheck-", 22) + "id"
		ids := [][]string{
			{"0"}, {"-1"}, {"9007199254740991"}, {quoted("b2e6a1f0-5c2d-4e3a-9f57-0d1c2b3a4958")},
			{quoted(long)}, {`""`}, {`"7"`, "7"},
		}
		scenario.Each(c, ids, func(_ int, ids []string, c *scenario.Client) {
			for _, id := range ids {
				step := stepID
				switch {
				case id == `""`:
					step = stepEmpty
				case len(ids) > 1:
					step = stepDigits
				}
				q := scenario.Ordinary(p, step)
				q.ID, q.Tags = json.RawMessage(id), recording.Tags{tagID: id}
				c.Do(ctx, q)
			}
		})
	},
}

func quoted(s string) string { return strconv.Quote(s) }
