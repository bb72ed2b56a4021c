package quirk

import (
	"context"
	"encoding/base64"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// onePage is what has no occasion where a list has but one page.
var onePage = []string{"PAGE-02", "PAGE-03", "PAGE-04", "PAGE-07", "PAGE-08"}

// Quirks of what is listed and read, and of how it is put on pages.
func init() {
	Register(
		Quirk{
			Name: "nothing-listed", Permits: []string{"LIST-09"}, Aspect: "notifications",
			Summary: "nothing is listed, nor announced, though much can be read",
			Overlay: offering(func(c *world.Capabilities) { c.ListChanged = false }),
			Hooks: hook.EditResult(hook.MethodList, func(result hook.Object) {
				result["resources"] = []any{}
				delete(result, "nextCursor")
			}),
			Idles: join(withoutAnnouncements, []string{
				"ANN-07", "CACHE-03", "CAP-09", "DISC-18", "ICON-05", "LIST-02", "LIST-05", "LIST-08", "LIST-14", "LIST-15",
				"MRTR-09", "PAGE-02", "PAGE-03", "PAGE-04", "PAGE-08", "READ-12", "READ-15", "READ-17", "SUB-01", "SUB-27", "SUB-37",
				"URI-01", "URI-03", "URI-05"}),
		},
		Quirk{
			Name: "moving-list", Permits: []string{"LIST-09", "LIST-19"}, Aspect: "notifications",
			Summary: "the list is another one at every request, without announcements",
			Overlay: offering(func(c *world.Capabilities) { c.ListChanged = false }),
			Hooks:   moving(),
			Idles:   join(withoutAnnouncements, []string{"DISC-17", "LIST-10", "LIST-11"}),
		},
		Quirk{
			Name: "no-templates", Permits: []string{"TMPL-14"}, Aspect: "templates",
			Summary: "there are no templates, though completion is offered",
			Overlay: func(w *world.World) { w.Templates = nil },
			Idles: []string{"COMP-02", "COMP-03", "COMP-04", "COMP-06", "COMP-11", "COMP-12", "COMP-14", "PAGE-12", "TMPL-02", "TMPL-04",
				"TMPL-05", "TMPL-08", "TMPL-09", "TMPL-10", "TMPL-11", "TMPL-12", "TMPL-13", "TMPL-16"},
		},
		Quirk{
			Name: "all-on-one-page", Permits: []string{"PAGE-10"}, Aspect: "pages",
			Summary: "lists come on one page",
			Needs:   Needs{PageSize: 10_000},
			Idles:   join(onePage, []string{"CACHE-08", "PAGE-12"}),
		},
		Quirk{
			Name: "single-entries", Permits: []string{"PAGE-10"}, Aspect: "pages",
			Summary: "there is one entry on each page",
			Needs:   Needs{PageSize: 1},
		},
		Quirk{
			Name: "empty-pages-between", Permits: []string{"PAGE-10"},
			Summary: "every page but the first is preceded by an empty one",
			Hooks:   hook.Join(betweenPages(hook.MethodList, "resources"), betweenPages(hook.MethodTemplates, "resourceTemplates")),
		},
		Quirk{
			Name: "odd-names", Permits: []string{"LIST-19"},
			Summary: "names are empty, long, full of control characters or written from right to left",
			Hooks: hook.EditEachResource(func(i int, r hook.Object) {
				odd := []string{"", "\u202egnp.ogol", "a\tb\nc\u0000\u001b[31m", strings.Repeat("name ", 200), "👩‍👩‍👧‍👦", "</script>"}
				r["name"], r["description"] = odd[i%len(odd)], odd[(i+1)%len(odd)]
			}),
		},
		Quirk{
			Name: "extreme-annotations", Permits: []string{"ANN-01", "ANN-05", "ANN-07"},
			Summary: "annotations take every value that they may have, empty ones included",
			Overlay: extremes,
		},
		Quirk{
			Name: "everything-in-parts", Permits: []string{"READ-10"}, Aspect: "contents",
			Summary: "the read of a text yields a further item, under another URI",
			Hooks: hook.EditResultOf(hook.MethodRead, func(_ *hook.Call, result hook.Object) {
				items, _ := result["contents"].([]any)
				if len(items) == 1 {
					result["contents"] = append(items, hook.Object{
						"uri": "urn:example:licence", "mimeType": "text/plain", "text": "do what you like\n"})
				}
			}),
			Idles: []string{"LIST-08"}, // the size is that of the resource, whichever part that is
		},
		Quirk{
			Name: "texts-as-blobs", Permits: []string{"LIST-19"},
			Summary: "texts of a subtype of text/x come as blobs",
			Hooks: hook.EditEachContent(func(_ int, c hook.Object) {
				text, ok := c["text"].(string)
				if mime, _ := c["mimeType"].(string); ok && strings.HasPrefix(mime, "text/x-") {
					delete(c, "text")
					c["blob"] = base64.StdEncoding.EncodeToString([]byte(text))
				}
			}),
		},
		Quirk{
			Name: "mixed-cache-scopes", Permits: []string{"CACHE-60"},
			Summary: "the cache scope of each method is another one",
			Hooks: hook.EditResultOf("", func(c *hook.Call, result hook.Object) {
				if _, there := result["cacheScope"]; there {
					result["cacheScope"] = map[bool]string{true: "private", false: "public"}[c.Method == hook.MethodRead]
				}
			}),
		},
		Quirk{
			Name: "escapes-in-any-case", Permits: []string{"URI-15"},
			Summary: "a URI may be written with needless escapes, in small letters or capitals",
			Hooks: hook.OnMethod(hook.MethodRead, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
				r := next(ctx, c)
				uri, ok := c.Param("uri").(string)
				if !ok || r == nil || r.Error == nil || r.Error["message"] != "Resource not found" || !strings.Contains(uri, "%") || c.Modern {
					return r
				}
				plain := strings.NewReplacer("%2e", ".", "%2E", ".", "%7e", "~", "%7E", "~", "%2d", "-", "%2D", "-").Replace(uri)
				again := *c
				again.Params = hook.Encode(hook.Object{"uri": plain})
				if other := next(ctx, &again); other != nil && other.Error == nil && !strings.Contains(plain, "..") {
					return other
				}
				return r
			}),
		},
		Quirk{
			Name: "no-completions", Permits: []string{"COMP-11"},
			Summary: "no completion ever has values",
			Hooks: hook.EditResult(hook.MethodComplete, func(result hook.Object) {
				if _, there := result["completion"]; there {
					result["completion"] = hook.Object{"values": []any{}, "hasMore": false, "total": hook.Number(0)}
				}
			}),
		},
	)
}

// moving adds an entry to the first page that is another one at every request.
func moving() hook.Hooks {
	const text = "nothing has happened\n"
	var seen atomic.Int64
	return hook.Join(hook.EditResultOf(hook.MethodList, func(c *hook.Call, result hook.Object) {
		if entries, ok := result["resources"].([]any); ok && c.Param("cursor") == nil {
			day := hook.Number(seen.Add(1) + 2)
			result["resources"] = append([]any{hook.Object{"uri": "log://app/2025-01-" + day.String(), "name": "day " + day.String()}}, entries...)
		}
	}), hook.OnMethod(hook.MethodRead, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		uri, _ := c.Param("uri").(string)
		day, ours := strings.CutPrefix(uri, "log://app/2025-01-")
		if _, err := strconv.ParseInt(day, 10, 64); !ours || err != nil || len(day) <= 2 {
			return next(ctx, c)
		}
		params, _ := hook.DecodeObject(c.Params)
		params["uri"] = "note:hello"
		c.Params = hook.Encode(params)
		if c.Header.Get("Mcp-Name") != "" {
			c.Header = c.Header.Clone()
			c.Header.Set("Mcp-Name", "note:hello")
		}
		r := next(ctx, c)
		if r != nil && r.Result != nil {
			r.Result["contents"] = []any{hook.Object{"uri": uri, "mimeType": "text/plain", "text": text}}
		}
		return r
	}))
}

// betweenPages puts an empty page before each but the first.
func betweenPages(method, member string) hook.Hooks {
	const gap = "gap:"
	return hook.OnMethod(method, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		cursor, _ := c.Param("cursor").(string)
		rest, between := strings.CutPrefix(cursor, gap)
		if between {
			withCursor(c, rest)
		}
		r := next(ctx, c)
		if r == nil || r.Error != nil || r.Result == nil {
			return r
		}
		if between {
			r.Result[member], r.Result["nextCursor"] = []any{}, rest
		} else if more, ok := r.Result["nextCursor"].(string); ok {
			r.Result["nextCursor"] = gap + more
		}
		return r
	})
}

// extremes gives each resource other annotations.
func extremes(w *world.World) {
	least, most := 0.0, 1.0
	all := []*world.Annotations{
		{}, {Audience: []string{}}, {Audience: []string{"user", "assistant"}, Priority: &least},
		{Priority: &most, LastModified: "2025-01-12T15:00:58Z"},
		{LastModified: "1999-12-31T23:59:59.123456+14:00"}, nil,
	}
	for i := range w.Resources {
		w.Resources[i].Annotations = all[i%len(all)]
	}
}
