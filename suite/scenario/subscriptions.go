package scenario

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// Sessionless is a tag that tells that a legacy target keeps no sessions.
func (c *Client) Sessionless() recording.Tags {
	if c.P.Combination.Transport == requirement.HTTP && !c.P.Modern() && c.S.HTTPSession() == "" {
		return recording.Tags{recording.TagSessionless: "yes"}
	}
	return nil
}
