package quirk

import (
	"slices"
	"sync/atomic"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

var listCode = code{
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
