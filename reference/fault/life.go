package fault

import (
	"context"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

var lifeCode = code{
	"life-13-array-of-one":       stateless(hook.OnResponse(hook.MethodTemplates, inArray)),
	"life-16-early-ping-refused": refuseEarlyPing,
}

func refuseEarlyPing() hook.Hooks {
	var ready marks
	return hook.OnMethod("ping|notifications/initialized", func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		if c.Method != "ping" {
			ready.add(c.Peer.ID())
		} else if !ready.has(c.Peer.ID()) {
			return hook.Fail(-32600, "Invalid request: not initialized")
		}
		return next(ctx, c)
	})
}
