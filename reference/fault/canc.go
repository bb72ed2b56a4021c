package fault

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

var cancCode = code{
	"canc-02-progress-goes-on": stateless(hook.OnMethod(hook.MethodRead, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		r := next(ctx, c)
		token := c.Meta("progressToken")
		if ctx.Err() != nil && token != nil {
			time.Sleep(60 * time.Millisecond)
			progress := hook.NewNotification(hook.NotificationProgress, hook.Object{"progressToken": token, "progress": hook.Number(99)})
			_ = c.Emit(context.WithoutCancel(ctx), progress) // a client that has gone misses it
		}
		return r
	})),
	"canc-05-reads-are-never-freed": leakingReads,
	"canc-06-disconnecting-aborts":  abortingReads,
}

// leakingReads lets reads wait for a free place, which those that are cancelled
// never give back.
func leakingReads() hook.Hooks {
	var mu sync.Mutex
	taken := 0
	return hook.OnMethod("resources/*", func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		const places = 50
		mu.Lock()
		full := taken >= places
		mu.Unlock()
		if full {
			return nil
		}
		r := next(ctx, c)
		if ctx.Err() != nil {
			mu.Lock()
			taken++
			mu.Unlock()
		}
		return r
	})
}

// abortingReads cancels reads when their HTTP request ends.
func abortingReads() hook.Hooks {
	const mark = "X-Request-Number"
	var mu sync.Mutex
	n := 0
	running := map[string]context.Context{}
	number := hook.EditRequest(func(r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		n++
		r.Header.Set(mark, strconv.Itoa(n))
		running[strconv.Itoa(n)] = r.Context()
	})
	return hook.Join(number, hook.OnMethod(hook.MethodRead, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		mu.Lock()
		request := running[c.Header.Get(mark)]
		mu.Unlock()
		if c.Modern || request == nil {
			return next(ctx, c)
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(request, cancel)()
		r := next(ctx, c)
		if ctx.Err() != nil {
			return nil
		}
		return r
	}))
}
