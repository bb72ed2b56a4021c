package scenario

import (
	"context"
	"fmt"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// As opens a session of another caller, over HTTP.
func (p *Play) As(ctx context.Context, id *target.Identity) (*Client, bool) {
	header := map[string]string{}
	for name, v := range id.Header {
		value, err := v.Reveal()
		if err != nil {
			p.Skip(recording.CodeNeedsConfig, fmt.Sprintf("the identity %q cannot be taken on: %v", id.Name, err))
			return nil, false
		}
		header[name] = value
	}
	return p.Fresh(ctx, session.Options{Kind: recording.Probe, Header: header})
}
