package fault

import (
	"context"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

var discCode = code{
	"disc-12-discovery-first":        discoveryFirst,
	"disc-18-cursors-per-connection": cursorsPerConnection,
}

const (
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
)

// discoveryFirst remembers on which connections discovery was called.
func discoveryFirst() hook.Hooks {
	var known marks
	return hook.OnMethod("", func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		if c.Transport != hook.Stdio {
			return next(ctx, c) // there every modern request is a connection of its own
		}
		if c.Method == hook.MethodDiscover {
			known.add(c.Peer.ID())
		}
		if c.Modern && !c.Notification() && !known.has(c.Peer.ID()) {
			return hook.Fail(-32600, "Invalid request: call server/discover first")
		}
		return next(ctx, c)
	})
}

// cursorsPerConnection remembers which connection was given which cursor.
func cursorsPerConnection() hook.Hooks {
	var given marks
	return hook.OnMethod(hook.MethodList, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		if c.Transport != hook.Stdio {
			return next(ctx, c)
		}
		if cursor, ok := c.Param("cursor").(string); ok && !given.has(c.Peer.ID()+" "+cursor) {
			return hook.Fail(-32602, "Invalid params: unknown cursor")
		}
		r := next(ctx, c)
		if r != nil {
			if cursor, ok := r.Result["nextCursor"].(string); ok {
				given.add(c.Peer.ID() + " " + cursor)
			}
		}
		return r
	})
}
