package quirk

import (
	"context"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// One quirk for each way of making quirks; the other files follow these models.
func init() {
	Register(
		Quirk{
			Name: "event-stream-answers", Permits: []string{"HTTP-07"},
			Summary: "every request over HTTP is answered by an event stream",
			Hooks:   hook.Hooks{EventStreams: true},
		},
		Quirk{
			Name: "keep-alive-comments", Permits: []string{"SSE-10"},
			Summary: "every event is preceded by a comment",
			Needs:   Needs{Transports: []string{hook.HTTP, hook.SSE}},
			Hooks: hook.OnEvent(func(ctx context.Context, e hook.Event, next hook.EventWriter) error {
				if err := next(ctx, hook.Event{Raw: []byte(": still here\n\n"), Stream: e.Stream}); err != nil {
					return err
				}
				return next(ctx, e)
			}),
		},
		Quirk{
			Name: "long-cursors", Permits: []string{"PAGE-60"},
			Summary: "cursors are long and not ASCII",
			Needs:   Needs{PageSize: 3},
			Hooks:   hook.Join(lengthenCursors(), shortenCursors()),
		},
	)
}

var padding = strings.Repeat("→ weiter → ", 100)

func lengthenCursors() hook.Hooks {
	return hook.EditResult(hook.MethodList+"|"+hook.MethodTemplates, func(result hook.Object) {
		if next, ok := result["nextCursor"].(string); ok {
			result["nextCursor"] = padding + next
		}
	})
}

func shortenCursors() hook.Hooks {
	return hook.EditParams(hook.MethodList+"|"+hook.MethodTemplates, func(_ *hook.Call, params hook.Object) {
		if cursor, ok := params["cursor"].(string); ok {
			short, padded := strings.CutPrefix(cursor, padding)
			if !padded {
				short = "not one of ours"
			}
			params["cursor"] = short
		}
	})
}
