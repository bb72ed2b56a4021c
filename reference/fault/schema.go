package fault

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// Faults in members that only the message schemas judge.
func init() {
	modern := Needs{Revisions: []string{hook.R20260728}}
	declaring := func(edit func(capabilities hook.Object)) hook.Hooks {
		return hook.EditResult("initialize|server/discover", func(result hook.Object) {
			edit(hook.MakeObjectAt(result, "capabilities"))
		})
	}
	Register(
		Fault{
			Name: "life-13-prompts-flag-as-string", Requirement: "LIFE-13",
			Summary: `capabilities.prompts.listChanged is the string "true"`,
			Hooks: declaring(func(capabilities hook.Object) {
				capabilities["prompts"] = hook.Object{"listChanged": "true"}
			}),
		},
		Fault{
			Name: "life-13-tasks-as-list", Requirement: "LIFE-13",
			Summary: "capabilities.tasks is an array",
			Needs:   Needs{Revisions: []string{hook.R20251125}},
			Hooks:   declaring(func(capabilities hook.Object) { capabilities["tasks"] = []any{"list", "cancel"} }),
		},
		Fault{
			Name: "life-13-null-server-title", Requirement: "LIFE-13", Needs: modern,
			Summary: "the title of the server in _meta is null",
			Hooks: hook.EditResult("", func(result hook.Object) {
				hook.MakeObjectAt(result, "_meta", "io.modelcontextprotocol/serverInfo")["title"] = nil
			}),
		},
		Fault{
			Name: "life-13-url-needed-without-urls", Requirement: "LIFE-13",
			Summary: "a read of what does not exist has the code -32042 without its data",
			Needs:   Needs{Revisions: []string{hook.R20251125}},
			Hooks:   hook.EditError(hook.MethodRead, func(e hook.Object) { e["code"] = hook.Number(-32042) }),
		},
		Fault{
			Name: "life-13-ping-with-fractional-token", Requirement: "LIFE-13",
			Summary: "the server pings with a progress token that is no integer",
			Needs:   Needs{Revisions: []string{hook.R20241105, hook.R20250326, hook.R20250618, hook.R20251125}},
			Make: func(*rand.Rand) hook.Hooks {
				var asked atomic.Int64
				return hook.OnMethod(hook.MethodTemplates, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
					raw := fmt.Sprintf(`{"jsonrpc":"2.0","id":"alive-%d","method":"ping","params":{"_meta":{"progressToken":0.5}}}`, asked.Add(1))
					// A client that has gone is asked in vain.
					_ = c.Emit(ctx, hook.Message{Kind: hook.Notification, Raw: []byte(raw)})
					return next(ctx, c)
				})
			},
		},
		Fault{
			Name: "life-13-unknown-method-needs-url", Requirement: "LIFE-13",
			Summary: "an unknown method has the code -32042 without its data",
			Needs:   Needs{Revisions: []string{hook.R20251125}},
			Hooks:   hook.ReplaceCode("", -32601, -32042),
		},
	)
}
