package engine

import (
	"context"
	"slices"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// viewer is on whose behalf resources are looked at.
type viewer struct {
	token    string
	everyone bool // the server itself, which sees everything
}

// viewerOf is the client that a call comes from.
func viewerOf(ctx context.Context) viewer {
	if t := hook.TraceOf(ctx); t != nil {
		return viewer{token: t.Token}
	}
	return viewer{}
}

// sees reports whether the resource shows itself to the viewer.
func (v viewer) sees(e *entry) bool {
	identities := e.res.Identities
	if len(identities) == 0 || v.everyone {
		return true
	}
	return v.token != "" && (slices.Contains(identities, v.token) || slices.Contains(identities, journal.Fingerprint(v.token)))
}
