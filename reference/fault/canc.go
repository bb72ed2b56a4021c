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
		"canc-02-progress-goes-on": hook.OnMethod(hook.MethodRead, func(c hook.Calling) *hook.Reply {
			r := c.Next()
			token := c.Meta("progressToken")
			if c.Err() != nil && token != nil && hook.Acts(c) {
				time.Sleep(60 * time.Millisecond)
				progress := hook.NewNotification(
					hook.NotificationProgress,
					hook.Object{"progressToken": token, "progress": hook.Number(99)},
				)
				_ = c.Emit(context.WithoutCancel(c), progress) // a client that has gone misses it
			}
			return r
		}),
		"canc-01-ids-by-their-beginning": cancellingAlike(true, strings.HasPrefix),
		"canc-01-ids-as-text": cancellingAlike(
			true,
			func(running, named string) bool {
				return strings.Trim(running, `"`) == strings.Trim(named, `"`)
			},
		),
		"canc-01-of-other-sessions": cancellingAlike(
			false,
			func(running, named string) bool { return running == named },
		),
		"canc-05-reads-are-never-freed": leakingReads(),
		"canc-06-disconnecting-aborts":  abortingReads(),
	}
}

// cancellingAlike has a cancellation leave reads of its session, or of the others, unanswered whose ids are
// like the one that it names.
func cancellingAlike(own bool, like func(running, named string) bool) hook.Hooks {
	type read struct {
		session, id string
		stopped     atomic.Bool
	}
	var running sync.Map
	return hook.Join(hook.EditCall(methodCancelled, func(c *hook.Call) {
		named := string(hook.Encode(c.Param("requestId")))
		for one := range running.Range {
			if r := one.(*read); (r.session == c.Session.ID()) == own && (r.id != named || !own) &&
				like(r.id, named) {
				r.stopped.Store(true)
			}
		}
	}), hook.OnMethod(hook.MethodRead, func(c hook.Calling) *hook.Reply {
		me := &read{session: c.Session.ID(), id: string(c.ID)}
		running.Store(me, true)
		defer running.Delete(me)
		r := c.Next()
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
	return hook.OnMethod("resources/*", func(c hook.Calling) *hook.Reply {
		if taken.Load() >= places {
			return nil
		}
		r := c.Next()
		if c.Err() != nil {
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
	}), hook.OnMethod(hook.MethodRead, func(c hook.Calling) *hook.Reply {
		request, ok := c.Trace.Once(requestKey{}, func() any { return nil }).(context.Context)
		if c.Modern || !ok {
			return c.Next()
		}
		ctx, cancel := context.WithCancel(c)
		defer cancel()
		c.Context = ctx
		var ended atomic.Bool
		defer context.AfterFunc(request, func() {
			if ended.Store(hook.Acts(c)); ended.Load() {
				cancel()
			}
		})()
		r := c.Next()
		if ended.Load() {
			return nil
		}
		return r
	}))
}
