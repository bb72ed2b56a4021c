package fault

import (
	"context"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

var pageCode = code{
	"page-02-more-empty-pages": stateless(hook.OnCall(hook.MethodList, nil, emptyPages)),
	"page-13-pages-accumulate": stateless(hook.OnCall(hook.MethodList, nil, firstPageAgain)),
}

// firstPageAgain puts the entries of the first page before those of each other one.
func firstPageAgain(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
	r := next(ctx, c)
	if c.Param("cursor") == nil || r == nil || r.Error != nil || !hook.May(ctx) {
		return r
	}
	before := *c
	params, _ := hook.DecodeObject(c.Params) // they have a cursor
	delete(params, "cursor")
	before.Params = hook.Encode(params)
	first := next(ctx, &before)
	if first == nil || first.Error != nil {
		return r
	}
	old, _ := first.Result["resources"].([]any)
	own, _ := r.Result["resources"].([]any)
	r.Result["resources"] = append(append([]any{}, old...), own...)
	return r
}

// emptyPages lets the last page lead to an empty one, and each of these to another one.
func emptyPages(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
	cursor, _ := c.Param("cursor").(string)
	behind := strings.HasPrefix(cursor, "behind+")
	if behind {
		whole := *c
		params, _ := hook.DecodeObject(c.Params) // they have a cursor
		delete(params, "cursor")
		whole.Params = hook.Encode(params)
		c = &whole
	}
	r := next(ctx, c)
	if r == nil || r.Error != nil || !behind && r.Result["nextCursor"] != nil || !hook.May(ctx) {
		return r
	}
	if !behind {
		r.Result["nextCursor"] = "behind+"
		return r
	}
	r.Result["resources"], r.Result["nextCursor"] = []any{}, cursor+"+"
	return r
}
