package quirk

import "github.com/mcpcheck/mcpcheck/reference/hook"

func init() {
	Register(
		Quirk{
			Name: "off-grid-revisions", Permits: []string{"LIFE-03"},
			Summary: "a handshake settles on every served revision, whatever the transport",
			Needs:   Needs{Transports: []string{hook.HTTP, hook.SSE}},
			Hooks:   hook.Hooks{OffGrid: true},
		},
	)
}
