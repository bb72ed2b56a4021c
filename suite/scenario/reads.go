package scenario

import (
	"context"
	"strconv"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/tidwall/gjson"
)

var _ = register(&Scenario{
	Name:  recording.Reads,
	Title: "reading what is listed",
	Phase: Read,
	After: []recording.Name{recording.WalkResources},
	Script: func(ctx context.Context, p *Play) {
		all := p.Resources()
		if len(all) == 0 {
			p.Skip(recording.CodeNeedsSubject, "the target lists no resources")
			return
		}
		c, ok := p.Clean(ctx)
		if !ok {
			return
		}
		// Tags: "uri" is what was listed, "listed" the size of the list, "size"
		// and "type" the size and the MIME type in the list, if there are any.
		Each(c, sample(all, p.Limits.Reads), func(_ int, l Listed, c *Client) {
			tags := []string{"listed", strconv.Itoa(len(all))}
			if size := l.Get("size"); size.Type == gjson.Number {
				tags = append(tags, "size", size.Raw)
			}
			if mime := l.Get("mimeType"); mime.Type == gjson.String {
				tags = append(tags, "type", mime.Str)
			}
			read(ctx, c, "read", l.URI(), tags...)
		})
	},
})

// read reads a URI; further tags come in pairs.
func read(ctx context.Context, c *Client, step, uri string, tags ...string) *recording.Exchange {
	return c.Do(ctx, session.Request{
		Step: step, Method: "resources/read", Params: map[string]any{"uri": uri},
		Tags: Tags(append([]string{"uri", uri}, tags...)...),
	})
}
