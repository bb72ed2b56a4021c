package scenario

import (
	"context"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// Steps, on a session of their own: "first" has no cursor; "second" neither;
// "next" and "next-again" have the cursor that "first" handed out; "middle" has
// none again. "page" is the second page of the walk before.
var _ = register(&Scenario{
	Name:  recording.Paging,
	Title: "asking for the same pages again",
	Phase: Read,
	After: []recording.Name{recording.WalkResources},
	Script: func(ctx context.Context, p *Play) {
		pages := p.Earlier(recording.WalkResources).Steps("page")
		if len(pages) < 2 {
			p.Skip(recording.CodeNeedsSubject, "the whole list fits on one page")
			return
		}
		p.note(pages[1])
		c, ok := p.Fresh(ctx, session.Options{})
		if !ok {
			return
		}
		list := func(step string, params map[string]any) *recording.Exchange {
			return c.Do(ctx, session.Request{Step: step, Method: "resources/list", Params: params})
		}
		first := list("first", map[string]any{})
		list("second", map[string]any{})
		cursor, more := cursorOf(first)
		if !more {
			return
		}
		list("next", map[string]any{"cursor": cursor})
		list("next-again", map[string]any{"cursor": cursor})
		list("middle", map[string]any{})
	},
})

// Steps: "before" and "after" list without cursor; between them "unknown" has a
// cursor that was never handed out, "long", "junk" and "script" strings that are
// hard to digest, "number", "object" and "array" something that is no string.
var _ = register(&Scenario{
	Name:  recording.BadCursors,
	Title: "listing with cursors that were never handed out",
	Phase: Destructive,
	Script: func(ctx context.Context, p *Play) {
		c, ok := p.Expendable(ctx)
		if !ok {
			return
		}
		list := func(step string, params map[string]any) {
			c.Do(ctx, session.Request{Step: step, Method: "resources/list", Params: params})
		}
		list("before", map[string]any{})
		for _, bad := range []struct {
			step   string
			cursor any
		}{
			{"unknown", "mcpcheck-no-such-cursor"},
			{"long", strings.Repeat("A", 4096)},
			{"junk", "3q2+7wD/AAECAw=="},
			{"script", "\u0000'\"%00../\U0001F9ED"},
			{"number", 123456789},
			{"object", map[string]any{"page": 2}},
			{"array", []any{}},
		} {
			list(bad.step, map[string]any{"cursor": bad.cursor})
		}
		list("after", map[string]any{})
	},
})
