package scenario

import (
	"context"
	"crypto/sha256"
	"strconv"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/tidwall/gjson"
)

var walkResourcesScenario = &Scenario{
	Name:  recording.WalkResources,
	Title: "walking through all pages of resources/list",
	Sends: "resources/list, and again with each nextCursor until there is none.",
	When:  offersResources,
	Script: func(ctx context.Context, p *Play) {
		if c, ok := p.Clean(ctx); ok {
			c.Walk(ctx, "resources/list", "resources", recording.StepPage)
		}
	},
}

var walkTemplatesScenario = &Scenario{
	Name:  recording.WalkTemplates,
	Title: "walking through all pages of resources/templates/list",
	Sends: "resources/templates/list, and again with each nextCursor until there is none.",
	When:  offersResources,
	Script: func(ctx context.Context, p *Play) {
		if c, ok := p.Clean(ctx); ok {
			c.Walk(ctx, "resources/templates/list", "resourceTemplates", recording.StepPage)
		}
	},
}

// offersResources skips what is about resources where the target does not declare
// them. If it is not known what the target declares, it is asked all the same.
func offersResources(p *Play) *recording.Skipped {
	if len(p.Facts.Declared) == 0 {
		return nil
	}
	return Declared("resources")(p)
}

// RepeatedPages is how many pages in a row may be as earlier ones before a walk is given up,
// whatever the bound: a list that is that long without anything new most probably does not end.
const RepeatedPages = 100

// Walk follows nextCursor from the first page to the last, to a page that was
// seen before under the same cursor, or to the bound, which is also where nothing
// new has come for long. It notes how it ended in the tag "end" of the last
// exchange: "done", "cycle", "bound", "idle" (nothing new for long) or "refused".
func (c *Client) Walk(ctx context.Context, method, member string, step recording.Step) []*recording.Exchange {
	return c.WalkUpTo(ctx, method, member, step, c.Limits.Pages)
}

// WalkUpTo is walk with a bound of its own.
func (c *Client) WalkUpTo(ctx context.Context, method, member string, step recording.Step, bound int) []*recording.Exchange {
	var pages []*recording.Exchange
	type hash = [sha256.Size]byte
	type look struct { // the cursor, and the page
		next string
		page hash
	}
	seen, known, repeated := map[look]bool{}, map[hash]bool{}, 0
	var params any
	if !c.Modern() {
		params = map[string]any{}
	}
	for n := 1; ; n++ {
		x := c.Do(ctx, session.Request{Step: step, Method: method, Params: params, Tags: recording.Tags{recording.TagPage: strconv.Itoa(n)}})
		pages = append(pages, x)
		next := x.Result().Get("nextCursor")
		here := look{next: next.Str}
		if next.Type == gjson.String {
			here.page = sha256.Sum256([]byte(x.Result().Get(member).Raw))
			repeated++
			if !known[here.page] {
				repeated = 0
			}
		}
		switch {
		case !x.Succeeded():
			x.Tags[recording.TagEnd] = "refused"
			return pages
		case next.Type != gjson.String:
			x.Tags[recording.TagEnd] = "done" // null is a finding elsewhere, and the end here
			return pages
		case seen[here]:
			x.Tags[recording.TagEnd] = "cycle"
			return pages
		case repeated >= RepeatedPages:
			x.Tags[recording.TagEnd] = "idle"
			return pages
		case n >= bound:
			x.Tags[recording.TagEnd] = "bound"
			return pages
		}
		seen[here], known[here.page] = true, true
		params = map[string]any{"cursor": next.Str}
	}
}
