package scenario

import (
	"context"
	"encoding/json"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// Step "not-json" is a message that breaks off; no id can be read from it. Step
// "no-method" is an object with an id and no method, "mistyped-method" one whose
// method is a number. Step "array" is an array, in revisions without batches. Step
// "unknown-method" asks for a method that nobody has, "no-uri" for a read without
// URI; both are proper requests.
var _ = register(&Scenario{
	Name:  recording.InvalidMessages,
	Title: "messages that are no valid requests",
	Phase: Read,
	Script: func(ctx context.Context, p *Play) {
		c, ok := p.Expendable(ctx)
		if !ok {
			return
		}
		c.Do(ctx, session.Request{Step: "unknown-method", Method: "mcpcheck/no-such-method", Params: map[string]any{}})
		if p.Facts.Declares("resources") {
			c.Do(ctx, session.Request{Step: "no-uri", Method: "resources/read", Params: map[string]any{}})
		}
		probes := []session.Request{
			{Step: "not-json", Body: []byte(`{"jsonrpc":"2.0","method":"resources/list","params":{`)},
			{Step: "no-method", ID: json.RawMessage("900001"), Body: []byte(`{"jsonrpc":"2.0","id":900001}`)},
			{Step: "mistyped-method", ID: json.RawMessage("900002"), Body: []byte(`{"jsonrpc":"2.0","id":900002,"method":7}`)},
		}
		if p.Revision() >= requirement.R20250618 {
			probes = append(probes, session.Request{Step: "array", Body: []byte(`[{"jsonrpc":"2.0","method":"notifications/mcpcheck/unknown"}]`)})
		}
		// One by one, since a response without an id does not say what it answers.
		for _, q := range probes {
			c.Probes(ctx, q)
		}
	},
})
