package scenario

import (
	"context"
	"strconv"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/tidwall/gjson"
)

var walkResourcesScenario = &Scenario{
	Name:  recording.WalkResources,
	Title: "walking through all pages of resources/list",
	Sends: "resources/list, and again with each nextCursor until there is none.",
	Phase: Read,
	When:  offersResources,
	Script: func(ctx context.Context, p *Play) {
		if c, ok := p.Clean(ctx); ok {
			Walk(ctx, p, c, "resources/list", "resources", recording.StepPage)
		}
	},
}

var walkTemplatesScenario = &Scenario{
	Name:  recording.WalkTemplates,
	Title: "walking through all pages of resources/templates/list",
	Sends: "resources/templates/list, and again with each nextCursor until there is none.",
	Phase: Read,
	When:  offersResources,
	Script: func(ctx context.Context, p *Play) {
		if c, ok := p.Clean(ctx); ok {
			Walk(ctx, p, c, "resources/templates/list", "resourceTemplates", recording.StepPage)
		}
	},
}

// offersResources skips what is about resources where the target does not declare
// them. If it is not known what the target declares, it is asked all the same.
func offersResources(p *Play) *recording.Skipped {
	if len(p.Facts.Declared) > 0 && !p.Facts.Declares("resources") {
		return Skip(recording.CodeUndeclared, "the target does not declare capabilities.resources")
	}
	return nil
}

// Walk follows nextCursor from the first page to the last, to a page that was
// seen before under the same cursor, or to the bound. It notes how it ended in
// the tag "end" of the last exchange: "done", "cycle", "bound" or "refused".
func Walk(ctx context.Context, p *Play, c *Client, method, member string, step recording.Step) []*recording.Exchange {
	return WalkUpTo(ctx, p, c, method, member, step, p.Limits.Pages)
}

// WalkUpTo is walk with a bound of its own.
func WalkUpTo(ctx context.Context, p *Play, c *Client, method, member string, step recording.Step, bound int) []*recording.Exchange {
	var pages []*recording.Exchange
	seen := map[string]bool{}
	var params any
	if !p.Modern() {
		params = map[string]any{}
	}
	for n := 1; ; n++ {
		x := c.Do(ctx, session.Request{Step: step, Method: method, Params: params, Tags: recording.Tags{recording.TagPage: strconv.Itoa(n)}})
		pages = append(pages, x)
		next := x.Result().Get("nextCursor")
		switch {
		case !x.Succeeded():
			x.Tags[recording.TagEnd] = "refused"
			return pages
		case next.Type != gjson.String:
			x.Tags[recording.TagEnd] = "done" // null is a finding elsewhere, and the end here
			return pages
		case seen[next.Str+"\x00"+x.Result().Get(member).Raw]:
			x.Tags[recording.TagEnd] = "cycle"
			return pages
		case n >= bound:
			x.Tags[recording.TagEnd] = "bound"
			return pages
		}
		seen[next.Str+"\x00"+x.Result().Get(member).Raw] = true
		params = map[string]any{"cursor": next.Str}
	}
}

// Listed is a resource or template as it was listed.
type Listed struct {
	gjson.Result
	// Page is the exchange that listed it.
	Page *recording.Exchange
}

// URI is the listed URI; empty if it is no string.
func (l Listed) URI() string {
	if u := l.Get("uri"); u.Type == gjson.String {
		return u.Str
	}
	return ""
}

// Template is the listed URI template; empty if it is no string.
func (l Listed) Template() string {
	if u := l.Get("uriTemplate"); u.Type == gjson.String {
		return u.Str
	}
	return ""
}

// Resources lists the resources that the walk found, those with a URI only, each
// URI once. The scenario must come after [recording.WalkResources].
func (p *Play) Resources() []Listed {
	return listed(p.Earlier(recording.WalkResources), "resources", Listed.URI)
}

// Templates lists the templates that the walk found, those with a URI template
// only, each once. The scenario must come after [recording.WalkTemplates].
func (p *Play) Templates() []Listed {
	return listed(p.Earlier(recording.WalkTemplates), "resourceTemplates", Listed.Template)
}

func listed(r *recording.Recording, member string, name func(Listed) string) []Listed {
	var all []Listed
	if r == nil {
		return nil
	}
	seen := map[string]bool{}
	for _, page := range r.Steps(recording.StepPage) {
		for _, item := range page.Result().Get(member).Array() {
			l := Listed{item, page}
			if n := name(l); n != "" && !seen[n] {
				seen[n] = true
				all = append(all, l)
			}
		}
	}
	return all
}

// Sample picks at most n items, spread evenly, always the first and the last; all
// of them if n is 0.
func Sample[T any](all []T, n int) []T {
	if n <= 0 || len(all) <= n {
		return all
	}
	if n == 1 {
		return all[:1]
	}
	picked := make([]T, 0, n)
	for i := range n {
		picked = append(picked, all[i*(len(all)-1)/(n-1)])
	}
	return picked
}
