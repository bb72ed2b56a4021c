package fault

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// Faults of cancellation.
func init() {
	legacy := []string{hook.R20241105, hook.R20250326, hook.R20250618, hook.R20251125}
	modernHTTP := Needs{Revisions: []string{hook.R20260728}, Transports: []string{hook.HTTP}}
	nameless := func(c *hook.Call) bool { return c.Param("requestId") == nil }
	Register(
		Fault{
			Name: "canc-01-answers", Requirement: "CANC-01",
			Summary: "a cancellation without request id is answered with an error",
			Needs:   Needs{Transports: []string{hook.Stdio, hook.SSE}},
			Hooks: onCancelled(func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
				if nameless(c) {
					return &hook.Reply{Raw: []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"Invalid params"}}`)}
				}
				return next(ctx, c)
			}),
		},
		Fault{
			Name: "canc-01-hangs-up", Requirement: "CANC-01",
			Summary: "the connection ends at a cancellation without request id",
			Needs:   Needs{Transports: []string{hook.Stdio, hook.SSE}},
			Hooks: onCancelled(func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
				if nameless(c) {
					c.Peer.Abort()
					return nil
				}
				return next(ctx, c)
			}),
		},
		Fault{
			Name: "canc-02-goes-on", Requirement: "CANC-02",
			Summary: "cancellations are ignored, and the read is answered",
			Hooks:   onCancelled(func(context.Context, *hook.Call, hook.Handler) *hook.Reply { return nil }),
		},
		Fault{
			Name: "canc-02-progress-goes-on", Requirement: "CANC-02",
			Summary: "progress of a cancelled read goes on",
			Hooks: hook.OnMethod(hook.MethodRead, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
				r := next(ctx, c)
				token := c.Meta("progressToken")
				if ctx.Err() != nil && token != nil {
					time.Sleep(60 * time.Millisecond)
					report(context.WithoutCancel(ctx), c, hook.Object{"progressToken": token, "progress": hook.Number(99)})
				}
				return r
			}),
		},
		Fault{
			Name: "canc-03-lock-stays-held", Requirement: "CANC-03",
			Summary: "after some cancellations on a connection nothing is answered any more",
			Needs:   Needs{Transports: []string{hook.Stdio, hook.SSE}},
			Make:    heldLock,
		},
		Fault{
			Name: "canc-05-reads-are-never-freed", Requirement: "CANC-05", Needs: modernHTTP,
			Summary: "reads whose client has gone occupy their places for good",
			Make:    leakingReads,
		},
		Fault{
			Name: "canc-06-disconnecting-aborts", Requirement: "CANC-06",
			Summary: "a read ends when its stream is dropped",
			Needs:   Needs{Revisions: legacy[1:], Transports: []string{hook.HTTP}},
			Make:    abortingReads,
		},
		Fault{
			Name: "canc-07-cancels-a-read", Requirement: "CANC-07",
			Summary: "the server cancels the client's read",
			Needs:   Needs{Revisions: []string{hook.R20260728}},
			Hooks:   cancelsReads(),
		},
		Fault{
			Name: "canc-08-cancels-a-read", Requirement: "CANC-08",
			Summary: "the server cancels the client's read",
			Needs:   Needs{Revisions: legacy},
			Hooks:   cancelsReads(),
		},
		Fault{
			Name: "canc-60-streams-are-never-freed", Requirement: "CANC-60", Needs: modernHTTP,
			Summary: "closed listen streams still count, and there may be no more than 32",
			Make:    countedListens,
		},
	)
}

func onCancelled(handle func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply) hook.Hooks {
	return hook.OnMethod("notifications/cancelled", handle)
}

// cancelsReads sends a cancellation of each read before it is answered.
func cancelsReads() hook.Hooks {
	return hook.OnMethod(hook.MethodRead, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		// A client that has gone misses it.
		_ = c.Emit(ctx, hook.NewNotification("notifications/cancelled", hook.Object{"requestId": c.IDValue(), "reason": "timed out"}))
		return next(ctx, c)
	})
}

func heldLock(*rand.Rand) hook.Hooks {
	var mu sync.Mutex
	seen := map[string]int{}
	return hook.OnMethod("", func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		const enough = 6
		mu.Lock()
		if c.Method == "notifications/cancelled" {
			seen[c.Peer.ID()]++
		}
		held := seen[c.Peer.ID()] >= enough
		mu.Unlock()
		if held {
			return nil
		}
		return next(ctx, c)
	})
}

// leakingReads lets reads wait for a free place, which those that are cancelled
// never give back.
func leakingReads(*rand.Rand) hook.Hooks {
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
func abortingReads(*rand.Rand) hook.Hooks {
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

func countedListens(*rand.Rand) hook.Hooks {
	var mu sync.Mutex
	n := 0
	return hook.OnMethod(hook.MethodListen, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		const most = 32
		mu.Lock()
		n++
		full := n > most
		mu.Unlock()
		if full {
			return hook.Fail(-32603, "Too many subscriptions")
		}
		return next(ctx, c)
	})
}
