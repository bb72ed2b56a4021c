package scenario

import (
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// ChangeTime bounds the waiting for a notification that is due after a change.
const ChangeTime = 5 * time.Second

// Fire pulls a trigger and waits until the change is made. Where it fails the
// recording says why, and ok is false.
//
// A tool of the target is called in a session of its own, so that the call is in
// nobody's way. On stdio every session may be a process of its own that knows
// nothing of the others: there the tool is called in each of the sessions that
// are to see the change, if any are given.
//
// What became of it stands at the last mark of the recording, so that nothing is
// concluded from silence after a trigger that failed.
func (p *Play) Fire(t *target.Trigger, seenBy ...*Client) (ok bool) {
	defer func() { p.outcome(p.told(t, ok), ok) }()
	if t.Kind() != target.KindTool {
		if err := t.Fire(p); err != nil {
			p.Break(recording.CodeTrigger, p.trigger(t)+" failed: "+err.Error())
			return false
		}
		return true
	}
	if !p.OnStdio() || len(seenBy) == 0 {
		c, ok := p.Fresh(session.Options{})
		if !ok {
			return false
		}
		seenBy = []*Client{c}
	}
	for _, c := range seenBy {
		if !c.call(p.trigger(t), t.Tool) {
			return false
		}
	}
	return true
}

// trigger is the key of a trigger in the target file.
func (p *Play) trigger(t *target.Trigger) string {
	what := "the trigger"
	for name, other := range p.Target.Triggers.All() {
		if other == t {
			what = "triggers." + name
		}
	}
	return what
}

// told says in a few words which trigger was pulled, and how it ended.
func (p *Play) told(t *target.Trigger, ok bool) string {
	what := p.trigger(t)
	switch {
	case !ok:
		return what + " failed"
	case t.Kind() == target.KindExec:
		return what + " ended with exit status 0"
	case t.Kind() == target.KindHTTP:
		return what + " was answered with an HTTP status of success"
	case t.Kind() == target.KindTool:
		return what + ": the tool " + t.Tool.Name + " succeeded"
	case t.Kind() == target.KindWait:
		return what + ": its time passed"
	}
	return what + " succeeded"
}

// call calls a tool that makes the target change.
func (c *Client) call(key string, tool *target.Tool) bool {
	arguments := tool.Arguments
	if arguments == nil {
		arguments = map[string]any{}
	}
	x := c.Do(session.Request{Step: "trigger", Method: "tools/call",
		Params: map[string]any{"name": tool.Name, "arguments": arguments}})
	if x.Succeeded() && !x.Value("isError").Bool() {
		return true
	}
	c.Break(recording.CodeTrigger, key+" failed: the tool "+tool.Name+" did not succeed"+said(x))
	return false
}

// said quotes the beginning of what a tool answered.
func said(x *recording.Exchange) string {
	text := x.Value("content.0.text").String()
	if x.Failed() {
		text = x.Error().Get("message").String()
	}
	if text == "" {
		text = x.Reason
	}
	const limit = 200
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > limit {
		text = string(r[:limit]) + "…"
	}
	if text == "" {
		return ""
	}
	return ": " + text
}
