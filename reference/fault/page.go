package fault

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// Faults of pagination.
func init() {
	paged := Needs{PageSize: 3}
	Register(
		Fault{
			Name: "page-01-number-cursor", Requirement: "PAGE-01",
			Summary: "the last page of templates says nextCursor: 0",
			Hooks: hook.EditResult(hook.MethodTemplates, func(result hook.Object) {
				if _, more := result["nextCursor"]; !more {
					result["nextCursor"] = hook.Number(0)
				}
			}),
		},
		Fault{
			Name: "page-03-own-cursor-refused", Requirement: "PAGE-03",
			Summary: "every cursor is refused, also one that was just handed out", Needs: paged,
			Hooks: refuseCursors(hook.MethodList),
		},
		Fault{
			Name: "page-04-cursor-ignored", Requirement: "PAGE-04",
			Summary: "the first page comes again for every cursor", Needs: paged,
			Hooks: ignoreCursors(hook.MethodList),
		},
		Fault{
			Name: "page-05-internal-error", Requirement: "PAGE-05",
			Summary: "an invalid cursor is an internal error",
			Hooks:   hook.ReplaceCode(hook.MethodList, -32602, -32603),
		},
		Fault{
			Name: "page-05-first-page", Requirement: "PAGE-05",
			Summary: "an invalid cursor yields the first page",
			Hooks:   hook.OnMethod(hook.MethodList, firstPageInstead),
		},
		Fault{
			Name: "page-05-altered-cursor-breaks", Requirement: "PAGE-05",
			Summary: "a cursor that was meddled with is an internal error, unlike one that was made up", Needs: paged,
			Hooks: hook.EditErrorOf(hook.MethodList+"|"+hook.MethodTemplates, func(c *hook.Call, e hook.Object) {
				if cursor, ok := c.Param("cursor").(string); ok && strings.HasSuffix(cursor, "mcpcheck") {
					e["code"] = hook.Number(-32603)
				}
			}),
		},
		Fault{
			Name: "page-05-foreign-cursor-breaks", Requirement: "PAGE-05",
			Summary: "a cursor of the template list is an internal error in the other", Needs: paged,
			Make: foreignBreaks,
		},
		Fault{
			Name: "page-05-template-cursor-ignored", Requirement: "PAGE-05",
			Summary: "an invalid cursor yields the first page of templates",
			Hooks:   hook.OnMethod(hook.MethodTemplates, firstPageInstead),
		},
		Fault{
			Name: "page-06-truncated-cursor-kills", Requirement: "PAGE-06",
			Summary: "the connection ends at the first half of a cursor that was handed out", Needs: paged,
			Make: truncatedKills,
		},
		Fault{
			Name: "page-06-template-cursor-kills", Requirement: "PAGE-06",
			Summary: "the connection ends at a cursor for templates that was never handed out",
			Hooks: hook.EditReply(hook.MethodTemplates, func(c *hook.Call, r *hook.Reply) {
				if _, text := c.Param("cursor").(string); text && r.Error != nil {
					r.Silent = true
					c.Peer.Abort()
				}
			}),
		},
		Fault{
			Name: "page-06-long-cursor-kills", Requirement: "PAGE-06",
			Summary: "the connection ends at a cursor that begins with AAAA",
			Hooks: hook.EditCall(hook.MethodList, func(c *hook.Call) {
				if cursor, ok := c.Param("cursor").(string); ok && strings.HasPrefix(cursor, "AAAA") {
					c.Peer.Abort()
				}
			}),
		},
		Fault{
			Name: "page-06-number-cursor-hangs", Requirement: "PAGE-06",
			Summary: "after a cursor that is no string no list is answered any more on the connection",
			Make:    hangAfterNumber,
		},
		Fault{
			Name: "page-07-single-use-cursors", Requirement: "PAGE-07",
			Summary: "a cursor is refused when it is used a second time", Needs: paged,
			Make: singleUse,
		},
		Fault{
			Name: "disc-18-cursor-of-a-connection", Requirement: "DISC-18",
			Summary: "a cursor is refused on other connections than the one it was handed out on",
			Needs:   Needs{PageSize: 3, Revisions: []string{hook.R20260728}, Transports: []string{hook.HTTP}},
			Make:    boundToConnection,
		},
		Fault{
			Name: "page-07-template-cursor-drifts", Requirement: "PAGE-07",
			Summary: "a cursor for templates yields nothing when it is used a second time", Needs: paged,
			Make: emptySecondTime,
		},
		Fault{
			Name: "page-08-hidden-position", Requirement: "PAGE-08",
			Summary: "a request without cursor continues where the last one of the session ended", Needs: paged,
			Make: func(*rand.Rand) hook.Hooks { return hiddenPosition(hook.MethodList) },
		},
		Fault{
			Name: "page-09-empty-cursor-restarts", Requirement: "PAGE-09",
			Summary: `the last page has the nextCursor "", which leads to the first page`,
			Hooks: hook.Join(
				hook.EditResult(hook.MethodList, func(result hook.Object) {
					if _, more := result["nextCursor"]; !more {
						result["nextCursor"] = ""
					}
				}),
				hook.EditParams(hook.MethodList, func(_ *hook.Call, params hook.Object) {
					if params["cursor"] == "" {
						delete(params, "cursor")
					}
				})),
		},
		Fault{
			Name: "page-12-hidden-position", Requirement: "PAGE-12",
			Summary: "a request for templates without cursor continues where the last one of the session ended", Needs: paged,
			Make: func(*rand.Rand) hook.Hooks { return hiddenPosition(hook.MethodTemplates) },
		},
		Fault{
			Name: "page-12-template-cursor-ignored", Requirement: "PAGE-12",
			Summary: "the first page of templates comes again for every cursor", Needs: paged,
			Hooks: ignoreCursors(hook.MethodTemplates),
		},
		Fault{
			Name: "page-12-template-cursor-refused", Requirement: "PAGE-12",
			Summary: "every cursor for templates is refused", Needs: paged,
			Hooks: refuseCursors(hook.MethodTemplates),
		},
		Fault{
			Name: "page-13-boundary-item-lost", Requirement: "PAGE-13",
			Summary: "the last resource of every page but the last is left out", Needs: paged,
			Hooks: hook.EditResult(hook.MethodList, func(result hook.Object) {
				entries, _ := result["resources"].([]any)
				if _, more := result["nextCursor"]; more && len(entries) > 0 {
					result["resources"] = entries[:len(entries)-1]
				}
			}),
		},
	)
}

func refuseCursors(method string) hook.Hooks {
	return hook.OnMethod(method, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		if c.Param("cursor") != nil {
			return hook.Fail(-32602, "Invalid params: this cursor has expired")
		}
		return next(ctx, c)
	})
}

func ignoreCursors(method string) hook.Hooks {
	return hook.EditParams(method, func(_ *hook.Call, params hook.Object) { delete(params, "cursor") })
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
func hangAfterNumber(*rand.Rand) hook.Hooks {
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
func singleUse(*rand.Rand) hook.Hooks {
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
func foreignBreaks(*rand.Rand) hook.Hooks {
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
func truncatedKills(*rand.Rand) hook.Hooks {
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
func boundToConnection(*rand.Rand) hook.Hooks {
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
func emptySecondTime(*rand.Rand) hook.Hooks {
	var used marks
	return hook.Join(tellConnections(), hook.EditResultOf(hook.MethodTemplates, func(c *hook.Call, result hook.Object) {
		if cursor, ok := c.Param("cursor").(string); ok && used.add(connection(c)+" "+cursor) {
			result["resourceTemplates"] = []any{}
		}
	}))
}
