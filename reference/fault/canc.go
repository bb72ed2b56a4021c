package fault

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

var cancCode = code{
	"canc-02-progress-goes-on": stateless(hook.OnCall(hook.MethodRead, nil, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		r := next(ctx, c)
		token := c.Meta("progressToken")
		if ctx.Err() != nil && token != nil && hook.May(ctx) {
			time.Sleep(60 * time.Millisecond)
			progress := hook.NewNotification(hook.NotificationProgress, hook.Object{"progressToken": token, "progress": hook.Number(99)})
			_ = c.Emit(context.WithoutCancel(ctx), progress) // a client that has gone misses it
		}
		return r
	})),
	"canc-05-reads-are-never-freed": leakingReads,
	"canc-06-disconnecting-aborts":  stateless(abortingReads()),
}

// leakingReads lets reads wait for a free place, which those that are cancelled
// never give back.
func leakingReads() hook.Hooks {
	const places = 50
	var taken atomic.Int64
	return hook.OnCall("resources/*", nil, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		if taken.Load() >= places && hook.May(ctx) {
			return nil
		}
		r := next(ctx, c)
		if ctx.Err() != nil {
			taken.Add(1)
		}
		return r
	})
}

type requestKey struct{}

// abortingReads cancels reads when their HTTP request ends, whose context goes along with their trace.
func abortingReads() hook.Hooks {
	return hook.Join(hook.EditRequest(func(r *http.Request) {
		hook.TraceOf(r.Context()).Once(requestKey{}, func() any { return r.Context() })
	}), hook.OnCall(hook.MethodRead, nil, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		request, ok := c.Trace.Once(requestKey{}, func() any { return nil }).(context.Context)
		if c.Modern || !ok {
			return next(ctx, c)
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		var ended atomic.Bool
		defer context.AfterFunc(request, func() {
			if ended.Store(hook.May(ctx)); ended.Load() {
				cancel()
			}
		})()
		r := next(ctx, c)
		if ended.Load() {
			return nil
		}
		return r
	}))
}
