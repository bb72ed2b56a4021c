package fault

import (
	"context"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

var errCode = code{
	"err-09-empty-contents": stateless(insteadOfNotFound(func(*hook.Call) []any { return []any{} })),
	"err-10-text": stateless(insteadOfNotFound(func(c *hook.Call) []any {
		return []any{hook.Object{"uri": c.Param("uri"), "mimeType": "text/plain", "text": "Not found"}}
	})),
}

const (
	notFoundMessage = "Resource not found"
)

// insteadOfNotFound answers reads of missing resources with contents.
func insteadOfNotFound(contents func(c *hook.Call) []any) hook.Hooks {
	return hook.OnMethod(hook.MethodRead, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		r := next(ctx, c)
		if r == nil || r.Error == nil || r.Error["message"] != notFoundMessage {
			return r
		}
		return forged(ctx, c, next, contents(c))
	})
}
