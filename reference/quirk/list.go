package quirk

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

var listCode = code{
	"long-cursors":     stateless(hook.Join(lengthenCursors(), shortenCursors())),
	"changing-order":   everySecondReversed,
	"empty-first-page": stateless(hook.OnMethod(hook.MethodList, afterEmptyPage)),
	"empty-cursor":     secondPageWithoutName,
}

func everySecondReversed() hook.Hooks {
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
func secondPageWithoutName() hook.Hooks {
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

var padding = strings.Repeat("→ weiter → ", 100)

func lengthenCursors() hook.Hooks {
	return hook.EditResult(hook.MethodList+"|"+hook.MethodTemplates, func(result hook.Object) {
		if next, ok := result["nextCursor"].(string); ok {
			result["nextCursor"] = padding + next
		}
	})
}

func shortenCursors() hook.Hooks {
	return hook.EditParams(hook.MethodList+"|"+hook.MethodTemplates, func(_ *hook.Call, params hook.Object) {
		if cursor, ok := params["cursor"].(string); ok {
			short, padded := strings.CutPrefix(cursor, padding)
			if !padded {
				short = "not one of ours"
			}
			params["cursor"] = short
		}
	})
}
