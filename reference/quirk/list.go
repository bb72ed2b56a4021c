package quirk

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

var listCode = code{
	"long-cursors":   stateless(hook.Join(lengthenCursors(), shortenCursors())),
	"changing-order": everySecondReversed,
}

func everySecondReversed() hook.Hooks {
	var pages atomic.Int64
	return hook.EditResult(hook.MethodList, func(result hook.Object) {
		if entries, ok := result["resources"].([]any); ok && pages.Add(1)%2 == 0 {
			entries = slices.Clone(entries)
			slices.Reverse(entries)
			result["resources"] = entries
		}
	})
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
