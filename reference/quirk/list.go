package quirk

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// Quirks of lists, pages and reads.
func init() {
	Register(
		Quirk{
			Name: "extra-members", Permits: []string{"LIST-19"},
			Summary: "resources, templates and contents have members that no specification knows",
			Hooks: hook.Join(
				hook.EditEachResource(func(i int, r hook.Object) { r["x-rank"] = hook.Number(int64(i)) }),
				hook.EditEachTemplate(func(_ int, t hook.Object) { t["x-tags"] = []any{"a", nil} }),
				hook.EditEachContent(func(_ int, c hook.Object) { c["x-etag"] = nil })),
		},
		Quirk{
			Name: "sizes-with-a-point", Permits: []string{"LIST-05"},
			Summary: "the size of a resource is written with a decimal point",
			Hooks: hook.EditEachResource(func(_ int, r hook.Object) {
				if n, ok := r["size"].(json.Number); ok {
					r["size"] = n + ".0"
				}
			}),
		},
		Quirk{
			Name: "changing-order", Permits: []string{"LIST-19"},
			Summary: "every second page comes in reverse order",
			Make:    everySecondReversed,
		},
		Quirk{
			Name: "empty-first-page", Permits: []string{"PAGE-10"},
			Summary: "the first page is empty and leads to the others",
			Hooks:   hook.OnMethod(hook.MethodList, afterEmptyPage),
		},
		Quirk{
			Name: "empty-cursor", Permits: []string{"PAGE-60", "PAGE-09"},
			Summary: "the cursor of the second page is the empty string",
			Needs:   Needs{PageSize: 3, Revisions: []string{hook.R20260728}},
			Make:    secondPageWithoutName,
		},
		Quirk{
			Name: "directories-without-contents", Permits: []string{"READ-60"}, Aspect: "contents",
			Summary: "the read of a directory yields no contents",
			Hooks: hook.EditResult(hook.MethodRead, func(result hook.Object) {
				if items, ok := result["contents"].([]any); ok && len(items) > 1 {
					result["contents"] = []any{}
				}
			}),
		},
		Quirk{
			Name: "contents-under-other-uris", Permits: []string{"READ-10"},
			Summary: "contents name a part of the resource that was read",
			Hooks: hook.EditEachContent(func(_ int, c hook.Object) {
				if uri, ok := c["uri"].(string); ok {
					c["uri"] = uri + "#whole"
				}
			}),
			Idles: []string{"TMPL-10"}, // the type of what a template names, not of its parts
		},
	)
}

func everySecondReversed(*rand.Rand) hook.Hooks {
	var pages atomic.Int64
	return hook.EditResult(hook.MethodList, func(result hook.Object) {
		if entries, ok := result["resources"].([]any); ok && pages.Add(1)%2 == 0 {
			entries = slices.Clone(entries)
			slices.Reverse(entries)
			result["resources"] = entries
		}
	})
}

// afterEmptyPage answers a request without cursor by an empty page, whose cursor
// leads to what would have been the first one.
func afterEmptyPage(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
	const start = "start"
	cursor := c.Param("cursor")
	if cursor == start {
		withCursor(c, nil)
		return next(ctx, c)
	}
	r := next(ctx, c)
	if r != nil && r.Error == nil && r.Result != nil && cursor == nil {
		r.Result["resources"], r.Result["nextCursor"] = []any{}, start
	}
	return r
}

// secondPageWithoutName hands out the empty string for the cursor of the second
// page. That cursor is the same for everyone, so it is enough to keep the last.
func secondPageWithoutName(*rand.Rand) hook.Hooks {
	var second atomic.Value
	return hook.OnMethod(hook.MethodList, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		cursor := c.Param("cursor")
		if !c.Modern {
			return next(ctx, c)
		}
		if real, ok := second.Load().(string); ok && cursor == "" {
			withCursor(c, real)
		}
		r := next(ctx, c)
		if r == nil || r.Error != nil || r.Result == nil || cursor != nil {
			return r
		}
		if real, more := r.Result["nextCursor"].(string); more {
			second.Store(real)
			r.Result["nextCursor"] = ""
		}
		return r
	})
}

// withCursor replaces the cursor of a call; nil removes it.
func withCursor(c *hook.Call, cursor any) {
	params, ok := hook.DecodeObject(c.Params)
	if !ok {
		return
	}
	if cursor == nil {
		delete(params, "cursor")
	} else {
		params["cursor"] = cursor
	}
	c.Params = hook.Encode(params)
}
