package fault

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

var secCode = code{
	"sec-63-dies-of-garbage": stateless(killedBy(func(in hook.Incoming) bool { return in.Transport == hook.Stdio && !json.Valid(in.Raw) })),
	"sec-63-dies-of-the-unreadable": stateless(killedBy(func(in hook.Incoming) bool {
		o, ok := hook.DecodeObject(in.Raw)
		_, method := o["method"].(string)
		return !ok || !method && o["result"] == nil && o["error"] == nil
	})),
	"sec-63-dies-of-alien-bytes": stateless(killedBy(func(in hook.Incoming) bool { return in.Transport == hook.Stdio && !utf8.Valid(in.Raw) })),
}
