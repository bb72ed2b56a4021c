package scenario

import (
	"context"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// fire pulls a trigger and waits until the change is made. A tool of the target
// is called in a session of its own, under the step "trigger". Where it fails the
// recording says why, and ok is false.
func (p *Play) fire(ctx context.Context, t *target.Trigger) (ok bool) {
	if t.Kind() != target.KindTool {
		if err := t.Fire(ctx); err != nil {
			p.Break(recording.CodeNotExercised, "the trigger failed: "+err.Error())
			return false
		}
		return true
	}
	c, ok := p.Fresh(ctx, session.Options{})
	if !ok {
		return false
	}
	arguments := t.Tool.Arguments
	if arguments == nil {
		arguments = map[string]any{}
	}
	x := c.Do(ctx, session.Request{Step: "trigger", Method: "tools/call",
		Params: map[string]any{"name": t.Tool.Name, "arguments": arguments}})
	if !x.Succeeded() || x.Result().Get("isError").Bool() {
		p.Break(recording.CodeNotExercised, "the trigger failed: the tool "+t.Tool.Name+" did not succeed")
		return false
	}
	return true
}
