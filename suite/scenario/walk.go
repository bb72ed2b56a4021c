package scenario

import (
	"crypto/sha256"
	"strconv"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/tidwall/gjson"
)

var (
	walkResourcesScenario = walk(recording.WalkResources, "resources/list", "resources")
	walkTemplatesScenario = walk(recording.WalkTemplates, "resources/templates/list", "resourceTemplates")
)

func walk(name recording.Name, method, member string) *Scenario {
	return &Scenario{
		Name:  name,
		Title: "walking through all pages of " + method,
		Sends: method + ", and again with each nextCursor until there is none.",
		When:  offersResources,
		Script: OnClean(func(c *Client) {
			c.Walk(method, member, recording.StepPage)
		}),
	}
}

var bothWalks = []recording.Name{recording.WalkResources, recording.WalkTemplates}

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
func (c *Client) Walk(method, member string, step recording.Step) []*recording.Exchange {
	return c.WalkUpTo(method, member, step, c.Limits.Pages)
}

// WalkUpTo is walk with a bound of its own.
func (c *Client) WalkUpTo(method, member string, step recording.Step, bound int) []*recording.Exchange {
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
		x := c.Do(session.Request{Step: step, Method: method, Params: params,
			Tags: recording.Tags{recording.TagPage: strconv.Itoa(n)}})
		pages = append(pages, x)
		next := x.Value("nextCursor")
		here := look{next: next.Str}
		if next.Type == gjson.String {
			here.page = sha256.Sum256([]byte(x.Value(member).Raw))
			repeated++
			if !known[here.page] {
				repeated = 0
			}
		}
		end := ""
		switch {
		case !x.Succeeded():
			end = "refused"
		case next.Type != gjson.String:
			end = "done" // null is a finding elsewhere, and the end here
		case seen[here]:
			end = "cycle"
		case repeated >= RepeatedPages:
			end = "idle"
		case n >= bound:
			end = "bound"
		}
		if end != "" {
			x.Tags[recording.TagEnd] = end
			return pages
		}
		seen[here], known[here.page] = true, true
		params = map[string]any{"cursor": next.Str}
	}
}
