package fault

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

func secCode() code {
	return code{
		"sec-63-dies-of-garbage": killedBy(
			func(in hook.Incoming) bool { return in.Transport == hook.Stdio && !json.Valid(in.Raw) },
		),
		"sec-63-dies-of-the-unreadable": killedBy(func(in hook.Incoming) bool {
			o, ok := hook.DecodeObject(in.Raw)
			_, method := o["method"].(string)
			return !ok || !method && o["result"] == nil && o["error"] == nil
		}),
		"sec-63-dies-of-alien-bytes": killedBy(
			func(in hook.Incoming) bool { return in.Transport == hook.Stdio && !utf8.Valid(in.Raw) },
		),
	}
}
