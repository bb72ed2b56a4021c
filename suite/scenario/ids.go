package scenario

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// ordinary is a request that the target has to serve if it does what it declares.
func ordinary(p *Play, step string) session.Request {
	switch {
	case p.Facts.Declares("resources") && p.Modern():
		return session.Request{Step: step, Method: "resources/list"}
	case p.Facts.Declares("resources"):
		return session.Request{Step: step, Method: "resources/list", Params: map[string]any{}}
	case p.Modern():
		return session.Request{Step: step, Method: "server/discover"}
	}
	return session.Request{Step: step, Method: "ping"}
}

// Steps "id" are ordinary requests under the id in the tag "id"; step "empty" is
// one under the empty string. "digits" are one under the string "7" and one under
// the number 7, one after the other.
var _ = register(&Scenario{
	Name:  recording.RequestIDs,
	Title: "requests under unusual ids",
	Sends: "Ordinary requests under ids that are unusual but legal: zero, negative, very large, an empty string, and the string and the number of the same digits.",
	Phase: Read,
	Script: func(ctx context.Context, p *Play) {
		c, ok := p.Expendable(ctx)
		if !ok {
			return
		}
		long := strings.Repeat("mcpcheck-", 22) + "id"
		ids := [][]string{
			{"0"}, {"-1"}, {"9007199254740991"}, {quoted("b2e6a1f0-5c2d-4e3a-9f57-0d1c2b3a4958")},
			{quoted(long)}, {`""`}, {`"7"`, "7"},
		}
		Each(c, ids, func(_ int, ids []string, c *Client) {
			for _, id := range ids {
				step := "id"
				switch {
				case id == `""`:
					step = "empty"
				case len(ids) > 1:
					step = "digits"
				}
				q := ordinary(p, step)
				q.ID, q.Tags = json.RawMessage(id), Tags("id", id)
				c.Do(ctx, q)
			}
		})
	},
})

func quoted(s string) string { return strconv.Quote(s) }
