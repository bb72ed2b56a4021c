package scenario

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/tidwall/gjson"
)

// fewPages bounds the walks that only serve comparison, so that a long list does
// not cost its length several times over.
const fewPages = 20

// maxRepeated bounds how many reads that had a result are repeated: of small contents
// that came quickly.
const maxRepeated = 4

// Steps "page" and "read" are those of the walk and of the reads before, "again"
// is a second walk after them, "reread" repeats the reads that had no result, and
// "repeat" some of those that had one.
var _ = register(&Scenario{
	Name:  recording.Relist,
	Title: "listing again after the reads",
	Sends: "A second walk through all pages after the reads, and once more the reads that had no result.",
	Phase: Read,
	After: []recording.Name{recording.WalkResources, recording.Reads},
	Script: func(ctx context.Context, p *Play) {
		reads := p.Earlier(recording.Reads).Steps("read")
		var refused, small []*recording.Exchange
		sized := false
		for _, x := range reads {
			sized = sized || x.Tags["size"] != ""
			if x.Failed() {
				refused = append(refused, x)
			}
			if x.Succeeded() && len(x.Result().Get("contents").Raw) < 16<<10 && x.Took < 100*time.Millisecond {
				small = append(small, x)
			}
		}
		for _, x := range slices.Concat(p.Earlier(recording.WalkResources).Steps("page"), reads) {
			p.note(x)
		}
		if len(refused)+len(small) == 0 && !sized {
			return
		}
		c, ok := p.Clean(ctx)
		if !ok {
			return
		}
		if len(refused) > 0 || sized {
			walkUpTo(ctx, p, c, "resources/list", "resources", "again", fewPages)
		}
		refused = refused[:min(len(refused), 8)]
		Each(c, append(refused, sample(small, maxRepeated)...), func(i int, x *recording.Exchange, c *Client) {
			step := "repeat"
			if i < len(refused) {
				step = "reread"
			}
			read(ctx, c, step, x.Tags["uri"])
		})
	},
})

// Steps: "without" has no params at all, "with" and "with-again" have empty ones.
var _ = register(&Scenario{
	Name:  recording.ListParams,
	Title: "listing with and without params",
	Sends: "resources/list without params and with empty ones.",
	Phase: Read,
	When: func(p *Play) *recording.Skipped {
		if p.Modern() {
			return skip(recording.CodeCombination, "since 2026-07-28 every request has params")
		}
		return nil
	},
	Script: func(ctx context.Context, p *Play) {
		c, ok := p.Clean(ctx)
		if !ok {
			return
		}
		list := func(step string, params any) {
			c.Do(ctx, session.Request{Step: step, Method: "resources/list", Params: params})
		}
		list("with", map[string]any{})
		list("without", nil)
		list("with-again", map[string]any{})
	},
})

// On one connection: step "one", then "between" (requests that have nothing to
// do with the list), then "one-again"; on another one, after "one": "other" and,
// if the first two differ, at the end "other-again".
var _ = register(&Scenario{
	Name:  recording.SameList,
	Title: "comparing the list of two connections",
	Sends: "The list on one connection, after requests that have nothing to do with it, and on another connection.",
	Phase: Read,
	After: []recording.Name{recording.WalkResources, recording.WalkTemplates},
	When: func(p *Play) *recording.Skipped {
		if !p.Modern() {
			return skip(recording.CodeCombination, "before 2026-07-28 a list may depend on the session")
		}
		return nil
	},
	Script: func(ctx context.Context, p *Play) {
		one, ok := p.Fresh(ctx, session.Options{})
		if !ok {
			return
		}
		other, ok := p.Fresh(ctx, session.Options{})
		if !ok {
			return
		}
		list := func(c *Client, step string) string {
			return uris(walkUpTo(ctx, p, c, "resources/list", "resources", step, fewPages))
		}
		before := ""
		p.side(
			func() { before = list(one, "one") },
			func() { list(other, "other") },
		)
		between(ctx, p, one)
		if list(one, "one-again") != before {
			list(other, "other-again")
		}
	},
})

// side runs parts of a script that do not depend on each other side by side.
func (p *Play) side(parts ...func()) {
	var wg sync.WaitGroup
	for _, part := range parts {
		wg.Go(func() {
			defer p.survive()
			part()
		})
	}
	wg.Wait()
}

// between sends requests that must not change what is listed, one by one, so
// that an HTTP client needs a single connection for them.
func between(ctx context.Context, p *Play, c *Client) {
	const step = "between"
	for _, l := range sample(p.Resources(), 2) {
		read(ctx, c, step, l.URI())
	}
	if guesses := siblings(p.Resources(), p.Templates()); len(guesses) > 0 {
		read(ctx, c, step, guesses[0])
	}
	c.Do(ctx, session.Request{Step: step, Method: "resources/templates/list"})
	if !p.Facts.Declares("completions") {
		return
	}
	for _, l := range p.Templates() {
		if names := judge.Variables(l.Template()); len(names) > 0 {
			c.Do(ctx, session.Request{Step: step, Method: "completion/complete", Params: map[string]any{
				"ref":      map[string]any{"type": "ref/resource", "uri": l.Template()},
				"argument": map[string]any{"name": names[0].Name, "value": ""},
			}})
			return
		}
	}
}

// uris is the set of the listed URIs in a form that can be compared.
func uris(pages []*recording.Exchange) string {
	var all []string
	for _, x := range pages {
		for _, item := range x.Result().Get("resources").Array() {
			all = append(all, item.Get("uri").Raw)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	b, _ := json.Marshal(all) // strings can always be encoded
	return string(b)
}

// Step "page" is a walk through resources/list, "template" one through the
// templates. The last page's tag "expected" is what the target file says must be
// there, as a JSON array.
var _ = register(&Scenario{
	Name:  recording.CompleteWalks,
	Title: "looking for everything that must be listed",
	Sends: "All pages of resources and templates, to be compared with the URIs that the target file says must be there.",
	Phase: Read,
	When: func(p *Play) *recording.Skipped {
		if s := p.Target.Subjects; len(s.Complete) == 0 && len(s.CompleteTemplates) == 0 {
			return skip(recording.CodeNeedsConfig, "name all URIs that the list must hold in the target file (subjects.complete)")
		}
		return nil
	},
	Script: func(ctx context.Context, p *Play) {
		c, ok := p.Clean(ctx)
		if !ok {
			return
		}
		for _, list := range []struct {
			method, member, step string
			expected             []string
		}{
			{"resources/list", "resources", "page", p.Target.Subjects.Complete},
			{"resources/templates/list", "resourceTemplates", "template", p.Target.Subjects.CompleteTemplates},
		} {
			if len(list.expected) == 0 {
				continue
			}
			pages := walk(ctx, p, c, list.method, list.member, list.step)
			b, _ := json.Marshal(list.expected) // strings can always be encoded
			pages[len(pages)-1].Tags["expected"] = string(b)
		}
	},
})

// Step "task" reads, with a task parameter, what could be read without.
var _ = register(&Scenario{
	Name:  recording.TaskRead,
	Title: "reading with a task parameter",
	Sends: "A read with a task parameter of what could be read without.",
	Phase: Read,
	After: []recording.Name{recording.Reads},
	When: func(p *Play) *recording.Skipped {
		if p.Revision() != requirement.R20251125 {
			return skip(recording.CodeCombination, "only 2025-11-25 has the task parameter")
		}
		return nil
	},
	Script: func(ctx context.Context, p *Play) {
		uri := ""
		for _, x := range p.Earlier(recording.Reads).Steps("read") {
			if x.Succeeded() && x.Result().Get("contents").IsArray() {
				uri = x.Tags["uri"]
				break
			}
		}
		if uri == "" {
			p.Skip(recording.CodeNeedsSubject, "no resource could be read without a task parameter")
			return
		}
		if c, ok := p.Expendable(ctx); ok {
			c.Do(ctx, session.Request{Step: "task", Method: "resources/read", Tags: Tags("uri", uri),
				Params: map[string]any{"uri": uri, "task": map[string]any{"ttl": 60000}}})
		}
	},
})

// Steps "text" and "blob" read what the target file knows. Tags: "uri"; "type"
// if a MIME type is known; of a text "text", and "contains" if it is only a
// part; of a blob "base64", "sha256" and "size", as far as they are known.
var _ = register(&Scenario{
	Name:  recording.KnownReads,
	Title: "reading resources with known contents",
	Sends: "Reads of the resources whose contents the target file knows.",
	Phase: Read,
	When: func(p *Play) *recording.Skipped {
		if s := p.Target.Subjects; len(s.Texts) == 0 && len(s.Blobs) == 0 {
			return skip(recording.CodeNeedsConfig, "name resources with known contents in the target file (subjects.texts, subjects.blobs)")
		}
		return nil
	},
	Script: func(ctx context.Context, p *Play) {
		c, ok := p.Clean(ctx)
		if !ok {
			return
		}
		var known []session.Request
		add := func(step, uri string, tags map[string]string) {
			tags["uri"] = uri
			for name, value := range tags {
				if value == "" && name != "text" {
					delete(tags, name)
				}
			}
			known = append(known, session.Request{Step: step, Method: "resources/read", Params: map[string]any{"uri": uri}, Tags: tags})
		}
		for _, t := range p.Target.Subjects.Texts {
			tags := Tags("type", t.MIMEType)
			if t.Text != nil {
				tags["text"] = *t.Text
			}
			if t.Contains {
				tags["contains"] = "true"
			}
			add("text", t.URI, tags)
		}
		for _, b := range p.Target.Subjects.Blobs {
			tags := Tags("type", b.MIMEType, "base64", b.Base64, "sha256", b.SHA256)
			if b.Size != nil {
				tags["size"] = strconv.FormatInt(*b.Size, 10)
			}
			add("blob", b.URI, tags)
		}
		Each(c, known, func(_ int, q session.Request, c *Client) { c.Do(ctx, q) })
	},
})

// cursorOf is the nextCursor of a page; ok is false on the last page.
func cursorOf(x *recording.Exchange) (cursor string, ok bool) {
	next := x.Result().Get("nextCursor")
	return next.Str, x.Succeeded() && next.Type == gjson.String
}
