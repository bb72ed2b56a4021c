package fault

import (
	"context"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

var pageCode = code{
	"page-13-pages-accumulate":       stateless(hook.OnCall(hook.MethodList, nil, firstPageAgain)),
	"page-06-truncated-cursor-kills": truncatedKills,
}

// truncatedKills ends connections at the first half of a cursor that was handed out.
func truncatedKills() hook.Hooks {
	var half sync.Map
	return hook.Join(
		hook.EditResult(hook.MethodList, func(result hook.Object) {
			if next, ok := result["nextCursor"].(string); ok {
				half.Store(next[:len(next)/2], true)
			}
		}),
		hook.EditReply(hook.MethodList, func(c *hook.Call, r *hook.Reply) {
			cursor, _ := c.Param("cursor").(string)
			if _, is := half.Load(cursor); is {
				r.Silent = true
				c.Session.Abort()
			}
		}))
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
