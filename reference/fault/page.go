package fault

import (
	"context"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

var pageCode = code{
	"page-02-last-page-cycles":        cyclingPages,
	"page-13-pages-accumulate":        stateless(hook.OnMethod(hook.MethodList, firstPageAgain)),
	"page-05-first-page":              stateless(hook.OnMethod(hook.MethodList, firstPageInstead)),
	"page-05-foreign-cursor-breaks":   foreignBreaks,
	"page-05-template-cursor-ignored": stateless(hook.OnMethod(hook.MethodTemplates, firstPageInstead)),
	"page-06-truncated-cursor-kills":  truncatedKills,
	"page-06-number-cursor-hangs":     hangAfterNumber,
	"page-07-single-use-cursors":      singleUse,
	"disc-18-cursor-of-a-connection":  boundToConnection,
	"page-07-template-cursor-drifts":  emptySecondTime,
	"page-08-hidden-position":         func() hook.Hooks { return hiddenPosition(hook.MethodList) },
	"page-12-hidden-position":         func() hook.Hooks { return hiddenPosition(hook.MethodTemplates) },
}

func removeCursor(c *hook.Call) {
	if params, ok := hook.DecodeObject(c.Params); ok {
		delete(params, "cursor")
		c.Params = hook.Encode(params)
	}
}

// firstPageInstead answers a cursor that is refused by the first page.
func firstPageInstead(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
	r := next(ctx, c)
	if r != nil && r.Error != nil && c.Param("cursor") != nil {
		removeCursor(c)
		return next(ctx, c)
	}
	return r
}

// hangAfterNumber leaves lists unanswered once a cursor was no string.
func hangAfterNumber() hook.Hooks {
	var stuck marks
	return hook.Join(tellConnections(), hook.EditReply(hook.MethodList, func(c *hook.Call, r *hook.Reply) {
		if stuck.has(connection(c)) {
			r.Silent = true
		}
		if cursor := c.Param("cursor"); cursor != nil {
			if _, ok := cursor.(string); !ok {
				stuck.add(connection(c))
			}
		}
	}))
}

// singleUse refuses cursors that were used before on the same connection or in
// the same session.
func singleUse() hook.Hooks {
	var used marks
	return hook.Join(tellConnections(), hook.OnMethod(hook.MethodList, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		if cursor, ok := c.Param("cursor").(string); ok && used.add(connection(c)+" "+cursor) {
			return hook.Fail(-32602, "Invalid params: this cursor has been used")
		}
		return next(ctx, c)
	}))
}

// hiddenPosition makes a list request without cursor go on where the last one on
// the connection ended.
func hiddenPosition(method string) hook.Hooks {
	var mu sync.Mutex
	position := map[string]string{}
	return hook.Join(tellConnections(),
		hook.EditParams(method, func(c *hook.Call, params hook.Object) {
			mu.Lock()
			defer mu.Unlock()
			if _, given := params["cursor"]; !given && position[connection(c)] != "" {
				params["cursor"] = position[connection(c)]
			}
		}),
		hook.EditResultOf(method, func(c *hook.Call, result hook.Object) {
			mu.Lock()
			defer mu.Unlock()
			next, _ := result["nextCursor"].(string)
			position[connection(c)] = next
		}))
}

// foreignBreaks answers cursors of the template list by an internal error when they are
// used for resources.
func foreignBreaks() hook.Hooks {
	var foreign marks
	return hook.Join(
		hook.EditResult(hook.MethodTemplates, func(result hook.Object) {
			if next, ok := result["nextCursor"].(string); ok {
				foreign.add(next)
			}
		}),
		hook.EditErrorOf(hook.MethodList, func(c *hook.Call, e hook.Object) {
			if cursor, ok := c.Param("cursor").(string); ok && foreign.has(cursor) {
				e["code"] = hook.Number(-32603)
			}
		}))
}

// truncatedKills ends connections at the first half of a cursor that was handed out.
func truncatedKills() hook.Hooks {
	var half marks
	return hook.Join(
		hook.EditResult(hook.MethodList, func(result hook.Object) {
			if next, ok := result["nextCursor"].(string); ok {
				half.add(next[:len(next)/2])
			}
		}),
		hook.EditReply(hook.MethodList, func(c *hook.Call, r *hook.Reply) {
			if cursor, ok := c.Param("cursor").(string); ok && half.has(cursor) {
				r.Silent = true
				c.Peer.Abort()
			}
		}))
}

// boundToConnection refuses cursors that were handed out on another connection.
func boundToConnection() hook.Hooks {
	var issued marks
	return hook.Join(tellConnections(), hook.OnMethod(hook.MethodList, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		if cursor, given := c.Param("cursor").(string); given && !issued.has(connection(c)+" "+cursor) {
			return hook.Fail(-32602, "Invalid params: this cursor belongs to another connection")
		}
		r := next(ctx, c)
		if r != nil && r.Error == nil {
			if cursor, ok := r.Result["nextCursor"].(string); ok {
				issued.add(connection(c) + " " + cursor)
			}
		}
		return r
	}))
}

// emptySecondTime answers cursors for templates by an empty page when they were used
// before on the connection.
func emptySecondTime() hook.Hooks {
	var used marks
	return hook.Join(tellConnections(), hook.EditResultOf(hook.MethodTemplates, func(c *hook.Call, result hook.Object) {
		if cursor, ok := c.Param("cursor").(string); ok && used.add(connection(c)+" "+cursor) {
			result["resourceTemplates"] = []any{}
		}
	}))
}

// cyclingPages remembers the first cursor that was handed out for each revision
// of the list and offers it again where the list ends.
func cyclingPages() hook.Hooks {
	var mu sync.Mutex
	var first string
	return hook.EditResultOf(hook.MethodList, func(c *hook.Call, result hook.Object) {
		mu.Lock()
		defer mu.Unlock()
		next, more := result["nextCursor"].(string)
		switch {
		case more && first == "":
			first = next
		case !more && first != "" && c.Param("cursor") != nil:
			result["nextCursor"] = first
		}
	})
}

// firstPageAgain puts the entries of the first page before those of each other one.
func firstPageAgain(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
	r := next(ctx, c)
	if c.Param("cursor") == nil || r == nil || r.Error != nil {
		return r
	}
	before := *c
	removeCursor(&before)
	first := next(ctx, &before)
	if first == nil || first.Error != nil {
		return r
	}
	old, _ := first.Result["resources"].([]any)
	own, _ := r.Result["resources"].([]any)
	r.Result["resources"] = append(append([]any{}, old...), own...)
	return r
}
