package scenario

import (
	"context"
	"encoding/json"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// strangeSession is a session id that no server ever issued.
const strangeSession = "mcpcheck-7b4e91-never-issued"

// Steps: "list", "notify" (a notification that is in order) and "list-after"; then,
// independent of each other: "refused" (a notification under a session id that was
// never issued, if the target issues any), "malformed" (a notification whose params
// are a number), "body" (no message at all; the tag "form" says what), "accept"
// (conforming forms of the Accept header, by "form") and "charset".
var _ = register(&Scenario{
	Name:  recording.HTTPStatuses,
	Title: "sending notifications, malformed bodies and unusual headers",
	Phase: Read,
	When:  overHTTP,
	Script: func(ctx context.Context, p *Play) {
		c, ok := p.Expendable(ctx)
		if !ok {
			return
		}
		c.Do(ctx, p.ordinary("list"))
		c.Do(ctx, notification("notify"))
		c.Do(ctx, p.ordinary("list-after"))
		Each(c, p.statusProbes(c), func(_ int, q session.Request, c *Client) { c.Do(ctx, q) })
	},
})

// notification cancels a request that never was: a server accepts it and ignores it.
func notification(step string) session.Request {
	return session.Request{Step: step, Method: "notifications/cancelled", Notification: true,
		Params: map[string]any{"requestId": "mcpcheck-no-such-request", "reason": "a probe"}}
}

// noMessages are bodies that hold no message.
var noMessages = []struct{ form, body string }{{"brace", "{"}, {"empty", ""}, {"number", "5"}}

// acceptForms are Accept headers that list both types, as the client must.
var acceptForms = []struct{ form, accept string }{
	{"order", "text/event-stream, application/json"},
	{"case", "Application/JSON, Text/Event-Stream"},
	{"quality", "application/json;q=0.9, text/event-stream"},
}

func (p *Play) statusProbes(c *Client) []session.Request {
	var all []session.Request
	if !p.Modern() && c.s.HTTPSession() != "" {
		q := notification("refused")
		q.Header = map[string]string{headerSession: strangeSession}
		all = append(all, q)
	}
	malformed := notification("malformed")
	malformed.Params = json.RawMessage(`5`)
	all = append(all, malformed)
	for _, m := range noMessages {
		all = append(all, session.Request{Step: "body", Tags: Tags("form", m.form), Body: []byte(m.body)})
	}
	for _, m := range acceptForms {
		q := p.ordinary("accept")
		q.Tags, q.Header = Tags("form", m.form), map[string]string{"Accept": m.accept}
		all = append(all, q)
	}
	charset := p.ordinary("charset")
	charset.Header = map[string]string{"Content-Type": "application/json; charset=utf-8"}
	return append(all, charset)
}
