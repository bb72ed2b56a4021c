package fault

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

func cancCode() code {
	return code{
		"canc-02-progress-goes-on": hook.OnMethod(hook.MethodRead, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
			r := next(ctx, c)
			token := c.Meta("progressToken")
			if ctx.Err() != nil && token != nil && hook.Acts(ctx) {
				time.Sleep(60 * time.Millisecond)
				progress := hook.NewNotification(hook.NotificationProgress, hook.Object{"progressToken": token, "progress": hook.Number(99)})
				_ = c.Emit(context.WithoutCancel(ctx), progress) // a client that has gone misses it
			}
			return r
		}),
		"canc-01-ids-by-their-beginning": cancellingAlike(true, strings.HasPrefix),
		"canc-01-ids-as-text":            cancellingAlike(true, func(running, named string) bool { return strings.Trim(running, `"`) == strings.Trim(named, `"`) }),
		"canc-01-of-other-sessions":      cancellingAlike(false, func(running, named string) bool { return running == named }),
		"canc-05-reads-are-never-freed":  leakingReads(),
		"canc-06-disconnecting-aborts":   abortingReads(),
	}
}

// cancellingAlike has a cancellation leave reads of its session, or of the others, unanswered whose ids are like the one that it names.
func cancellingAlike(own bool, like func(running, named string) bool) hook.Hooks {
	type read struct {
		session, id string
		stopped     *atomic.Bool
	}
	var mu sync.Mutex
	running := map[read]bool{}
	return hook.Join(hook.EditCall(methodCancelled, func(c *hook.Call) {
		named := string(hook.Encode(c.Param("requestId")))
		mu.Lock()
		defer mu.Unlock()
		for r := range running {
			if (r.session == c.Session.ID()) == own && (r.id != named || !own) && like(r.id, named) {
				r.stopped.Store(true)
			}
		}
	}), hook.OnMethod(hook.MethodRead, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		me := read{c.Session.ID(), string(c.ID), &atomic.Bool{}}
		mu.Lock()
		running[me] = true
		mu.Unlock()
		r := next(ctx, c)
		mu.Lock()
		delete(running, me)
		mu.Unlock()
		if me.stopped.Load() {
			return nil
		}
		return r
	}))
}

// leakingReads lets reads wait for a free place, which those that are cancelled
// never give back.
func leakingReads() hook.Hooks {
	const places = 50
	var taken atomic.Int64
	return hook.OnMethod("resources/*", func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		if taken.Load() >= places {
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
	}), hook.OnMethod(hook.MethodRead, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		request, ok := c.Trace.Once(requestKey{}, func() any { return nil }).(context.Context)
		if c.Modern || !ok {
			return next(ctx, c)
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		var ended atomic.Bool
		defer context.AfterFunc(request, func() {
			if ended.Store(hook.Acts(ctx)); ended.Load() {
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
