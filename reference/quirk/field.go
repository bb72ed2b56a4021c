package quirk

import (
	"bytes"
	"context"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// Quirks over which released clients have stumbled, beside those of the other files.
func init() {
	Register(
		Quirk{
			Name: "crlf-lines", Permits: []string{"STDIO-02"},
			Summary: "over stdio lines end with CR LF, as Windows writes them",
			Needs:   Needs{Transports: []string{hook.Stdio}},
			Hooks: hook.OnMessage(func(m hook.Message) bool { return m.Transport == hook.Stdio }, func(ctx context.Context, m hook.Message, next hook.Emitter) error {
				return next(ctx, m.With(append(bytes.Clone(m.Raw), '\r')))
			}),
		},
	)
}
