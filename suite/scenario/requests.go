package scenario

import (
	"encoding/json"
	"fmt"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// Ordinary is a request that the target should serve: a list of its resources,
// or, where it declares none, one that every target of the era serves.
func (p *Play) Ordinary(step recording.Step) session.Request {
	q := session.Request{Step: step, Method: "resources/list"}
	switch known := len(p.Facts.Declared) > 0; {
	case p.Facts.Declares("resources") && !p.Modern():
		q.Params = map[string]any{}
	case p.Facts.Declares("resources") || p.Modern() && !known:
		// A target without discovery was found to be modern by its list.
	default:
		q.Method = session.LifeMethod(p.Revision())
	}
	return q
}

// Notification cancels a request that never was: a server accepts it and ignores it.
func Notification(step recording.Step) session.Request {
	return session.Request{Step: step, Method: "notifications/cancelled", Notification: true,
		Params: map[string]any{"requestId": "mcpcheck-no-such-request", "reason": "a probe"}}
}

// Ordinarily completes requests that say only how they differ from an ordinary one: those that have no method
// of their own get its method, and its params unless they have some.
func (p *Play) Ordinarily(all ...session.Request) []session.Request {
	plain := p.Ordinary("")
	for i := range all {
		if q := &all[i]; q.Method+q.HTTPMethod == "" && q.Body == nil {
			if q.Method = plain.Method; q.Params == nil {
				q.Params = plain.Params
			}
		}
	}
	return all
}

// About is a request about a resource.
func About(step recording.Step, method, uri string) session.Request {
	return session.Request{Step: step, Method: method, Params: map[string]any{"uri": uri}}
}

// Of is [About], and its exchange has the URI as a tag, with those given.
func Of(step recording.Step, method, uri string, more ...recording.Tags) session.Request {
	q := About(step, method, uri)
	q.Tags = recording.Tags{recording.TagURI: uri}.With(more...)
	return q
}

// ReadResource reads a URI; the exchange has it as a tag, with those given.
func (c *Client) ReadResource(step recording.Step, uri string, more recording.Tags) *recording.Exchange {
	return c.Do(Of(step, "resources/read", uri, more))
}

// ReadRequest is a read that asks for progress.
func ReadRequest(step recording.Step, uri, token string) session.Request {
	q := Of(step, "resources/read", uri)
	q.Meta = map[string]any{"progressToken": token}
	return q
}

// LifeMethod is the method of a request that every target serves. One without discovery was
// found to be modern by its list, and is not asked for what it lacks.
func (p *Play) LifeMethod() string {
	if p.Modern() && len(p.Facts.Declared) == 0 {
		return "resources/list"
	}
	return session.LifeMethod(p.Revision())
}

// Lifeline is a request that every target serves, as bytes, with a remark of the
// client's own in its metadata.
func (p *Play) Lifeline(id int, remark string) []byte {
	meta := map[string]any{}
	if p.Modern() {
		meta = session.ModernMeta(string(p.Revision()))
	}
	meta["mcpcheck/remark"] = remark
	params, err := json.Marshal(map[string]any{"_meta": meta})
	if err != nil {
		panic(err) // strings and maps of them always have a JSON form
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, p.LifeMethod(), params)
}

// PastVersion is a protocol version that nobody implements.
const PastVersion = "1900-01-01"

// Handshake is the first message of a legacy client.
func Handshake(step recording.Step, rev requirement.Revision) session.Request {
	return session.Request{
		Step: step, Method: "initialize", Params: session.InitializeParams(string(rev)),
		Tags: recording.Tags{TagVersion: string(rev)},
	}
}

// Initialize sends a [Handshake] on a new connection and waits for the answer. It goes no further. The
// client is nil if there is no connection, and the exchange as well.
func (p *Play) Initialize(
	q session.Request, rev requirement.Revision,
) (*Client, *recording.Exchange) {
	beside := q.Step == StepReopen || q.Step == StepChosenID
	o := session.Options{Kind: recording.Probe, Revision: rev, NoHandshake: true, Beside: beside}
	c, ok := p.Fresh(o)
	if !ok {
		return nil, nil
	}
	q.Timeout = p.Limits.StartTimeout
	x := c.Once(q)
	if x.Succeeded() {
		// What the answer settles is needed to end an HTTP session in order; a
		// counter-offer is no matter of ours.
		_ = c.S.Adopt(x)
	}
	return c, x
}

// RichCapabilities are those of a client that can do everything.
var RichCapabilities = map[string]any{
	"elicitation": map[string]any{"form": map[string]any{}, "url": map[string]any{}},
	"sampling":    map[string]any{},
	"roots":       map[string]any{},
}

// LegacyCapabilities are those of a client that can do everything in a revision with a handshake, but for
// tasks, which are experimental.
func LegacyCapabilities(rev requirement.Revision) map[string]any {
	none := map[string]any{}
	all := map[string]any{"roots": map[string]any{"listChanged": true}, "sampling": none}
	if rev >= requirement.R20250618 {
		all["elicitation"] = none
	}
	if rev >= requirement.R20251125 {
		all["elicitation"] = RichCapabilities["elicitation"]
		all["sampling"] = map[string]any{"context": none, "tools": none}
	}
	return all
}

// Required reports whether a result asks for input.
func Required(x *recording.Exchange) bool {
	return x.Succeeded() && x.Value("resultType").String() == "input_required"
}
