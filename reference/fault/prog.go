package fault

import (
	"context"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// Faults of progress notifications.
func init() {
	editProgress := func(edit func(params hook.Object)) hook.Hooks {
		return hook.EditNotification(hook.NotificationProgress, func(n hook.Object) { edit(hook.MakeObjectAt(n, "params")) })
	}
	Register(
		Fault{
			Name: "prog-01-without-token", Requirement: "PROG-01",
			Summary: "progress is reported for reads that gave no token",
			Hooks: hook.OnMethod(hook.MethodRead, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
				if c.Meta("progressToken") == nil {
					report(ctx, c, hook.Object{"progressToken": "made-up", "progress": hook.Number(1)})
				}
				return next(ctx, c)
			}),
		},
		Fault{
			Name: "prog-02-token-as-string", Requirement: "PROG-02",
			Summary: "a progress token that is a number comes back as a string",
			Hooks: editProgress(func(params hook.Object) {
				if _, ok := params["progressToken"].(string); !ok {
					params["progressToken"] = string(hook.Encode(params["progressToken"]))
				}
			}),
		},
		Fault{
			Name: "prog-02-percent", Requirement: "PROG-02",
			Summary: "progress is a string with a percent sign",
			Hooks:   editProgress(func(params hook.Object) { params["progress"] = "50%" }),
		},
		Fault{
			Name: "prog-03-stands-still", Requirement: "PROG-03",
			Summary: "progress is always 1",
			Hooks:   editProgress(func(params hook.Object) { params["progress"] = hook.Number(1) }),
		},
		Fault{
			Name: "prog-04-after-the-response", Requirement: "PROG-04",
			Summary: "the last progress notification follows the response",
			Needs:   Needs{Transports: []string{hook.Stdio, hook.SSE}},
			Hooks: hook.OnResponse(hook.MethodRead, func(ctx context.Context, m hook.Message, next hook.Emitter) error {
				err := next(ctx, m)
				if token := m.Call.Meta("progressToken"); err == nil && token != nil {
					report(ctx, m.Call, hook.Object{"progressToken": token, "progress": hook.Number(100)})
				}
				return err
			}),
		},
	)
}

// report sends a progress notification that belongs to a call; a client that has
// gone misses it.
func report(ctx context.Context, c *hook.Call, params hook.Object) {
	_ = c.Emit(ctx, hook.NewNotification(hook.NotificationProgress, params))
}
