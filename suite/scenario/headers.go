package scenario

import (
	"context"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// The protocol's own headers.
const (
	HeaderVersion = "Mcp-Protocol-Version"
	HeaderSession = "Mcp-Session-Id"
)

// OverHTTP is the condition of scenarios that are about Streamable HTTP.
func OverHTTP(p *Play) *recording.Skipped {
	if p.Combination.Transport != requirement.HTTP || !p.Combination.Defined() {
		return Skip(recording.CodeCombination, "the scenario is about Streamable HTTP")
	}
	return nil
}

// OverLegacyHTTP is overHTTP in revisions with a handshake.
func OverLegacyHTTP(p *Play) *recording.Skipped {
	if skipped := OverHTTP(p); skipped != nil {
		return skipped
	}
	return InLegacy(p)
}

// Peek makes an HTTP request and drops its response as soon as its head is there,
// so that a stream which stays open costs no time.
func (c *Client) Peek(ctx context.Context, q session.Request, d time.Duration) *recording.Exchange {
	st := c.S.Peek(ctx, q, d)
	return c.Note(c.Dropped(ctx, st))
}

// Dropped ends an exchange whose response may still be open.
func (c *Client) Dropped(ctx context.Context, st *session.Stream) *recording.Exchange {
	select {
	case <-st.HTTPEnded():
		return st.Wait(ctx)
	default:
	}
	x := st.Finish()
	st.Cancel()
	return x
}
