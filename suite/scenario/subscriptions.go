package scenario

import (
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// Sessionless is a tag that tells that a legacy target keeps no sessions.
func (c *Client) Sessionless() []string {
	if c.P.Combination.Transport == requirement.HTTP && !c.P.Modern() && c.S.HTTPSession() == "" {
		return []string{"sessionless", "yes"}
	}
	return nil
}

// Tagged joins tags with further pairs.
func Tagged(tags []string, more ...string) map[string]string {
	return Tags(append(append([]string{}, tags...), more...)...)
}
