package engine

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/mcpcheck/mcpcheck/internal/revision"
	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// revisions are those that are served. They are never changed, but replaced.
type revisions struct {
	legacy []string // oldest first
	modern []string
	grid   map[string][]string // the legacy ones by transport
}

// spoken are the revisions that are served now.
func (e *Engine) spoken() *revisions { return e.speaks.Load() }

// SetRevisions has these revisions be served from now on, all if there are none. Sessions keep the
// revision that they have settled on. The error names one that is unknown.
func (e *Engine) SetRevisions(wanted []string) error {
	if len(wanted) == 0 {
		wanted = hook.Revisions()
	}
	for _, r := range wanted {
		if !slices.Contains(hook.Revisions(), r) {
			return fmt.Errorf("unknown revision %q: known are %v", r, hook.Revisions())
		}
	}
	next := &revisions{}
	for _, r := range hook.Revisions() {
		if !slices.Contains(wanted, r) {
			continue
		}
		if hook.Modern(r) {
			next.modern = append(next.modern, r)
		} else {
			next.legacy = append(next.legacy, r)
		}
	}
	next.grid = defined(next.legacy)
	e.speaks.Store(next)
	return nil
}

// defined tells which revisions with a handshake the specification defines for each transport.
func defined(legacy []string) map[string][]string {
	grid := map[string][]string{}
	for _, r := range legacy {
		for _, transport := range revision.Known().Of(r).Transports {
			grid[transport] = append(grid[transport], r)
		}
	}
	return grid
}

// supported lists the revisions served on a transport, newest first.
func (e *Engine) supported(transport string) []string {
	all := slices.Clone(e.handshaking(transport))
	if transport != hook.SSE {
		all = append(all, e.spoken().modern...)
	}
	slices.Reverse(all)
	return all
}

// serves reports whether any revision is served on a transport.
func (e *Engine) serves(transport string) bool {
	return len(e.spoken().modern) > 0 && transport != hook.SSE || len(e.handshaking(transport)) > 0
}

// handshaking lists the served revisions with a handshake that the specification
// defines for a transport, oldest first. The list must not be changed.
func (e *Engine) handshaking(transport string) []string {
	if e.config.Hooks.OffGrid.Holds(nil) {
		return e.spoken().legacy
	}
	return e.spoken().grid[transport]
}

// unsupported refuses a version (2026-07-28). The list never holds the refused
// one, which may be a legacy revision that was asked for in modern fashion.
func (e *Engine) unsupported(transport, requested string) *hook.Reply {
	supported := slices.DeleteFunc(e.supported(transport), func(r string) bool { return r == requested })
	r := failWith(codeUnsupported, "Unsupported protocol version", hook.Object{
		"supported": texts(supported), "requested": requested,
	})
	r.Status = http.StatusBadRequest
	return r
}
