package scenario

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// strangeSession is a session id that no server ever issued.
const strangeSession = "mcpcheck-7b4e91-never-issued"

// Steps: "list", "notify" (a notification that is in order) and "list-after"; then,
// independent of each other: "refused" (a notification under a session id that was
// never issued, if the target issues any), "malformed" (a notification whose params
// are a number), "body" (no message at all; the tag "form" says what), "accept"
// (conforming forms of the Accept header, by "form"), "charset", "chunked" (a body
// without a length), "header-case" (names of headers in other letters) and "odd-method"
// (HTTP methods that the endpoint does not have, by "verb").
var _ = register(&Scenario{
	Name:  recording.HTTPStatuses,
	Title: "sending notifications, malformed bodies and unusual headers",
	Sends: "A notification in order and one that is refused, malformed bodies, conforming forms of the Accept and Content-Type headers, a body in chunks, names of headers in other letters, and HEAD, OPTIONS, PUT and PATCH.",
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
		all := append(p.statusProbes(c), p.oddMethods()...)
		Each(c, all, func(_ int, q session.Request, c *Client) {
			if q.HTTPMethod == http.MethodHead || q.HTTPMethod == http.MethodOptions {
				c.peek(ctx, q, min(p.Limits.Timeout, time.Second)) // one may be taken for a GET
				return
			}
			c.Do(ctx, q)
		})
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
	chunked := p.ordinary("chunked")
	chunked.Chunked = true
	return append(all, charset, chunked, p.spelled(c))
}

// spelled is an ordinary request whose headers are named in other letters.
func (p *Play) spelled(c *Client) session.Request {
	q := p.ordinary("header-case")
	q.Omit = []string{"Content-Type", "Accept"}
	q.Exact = [][2]string{{"content-type", "application/json"}, {"ACCEPT", "application/json, text/event-stream"}}
	if id := c.s.HTTPSession(); id != "" && !p.Modern() {
		q.Omit = append(q.Omit, headerSession)
		q.Exact = append(q.Exact, [2]string{"mcp-session-id", id})
	}
	return q
}

// oddMethods are HTTP requests with methods that the endpoint does not have; those that
// have a body are sent with a request that every target serves.
func (p *Play) oddMethods() []session.Request {
	all := []session.Request{
		{Step: "odd-method", HTTPMethod: http.MethodHead, Tags: Tags("verb", http.MethodHead)},
		{Step: "odd-method", HTTPMethod: http.MethodOptions, Tags: Tags("verb", http.MethodOptions)},
	}
	for i, verb := range []string{http.MethodPut, http.MethodPatch} {
		id := 910001 + i
		all = append(all, session.Request{Step: "odd-method", HTTPMethod: verb, Tags: Tags("verb", verb), Method: lifeMethod(p),
			ID: json.RawMessage(strconv.Itoa(id)), Body: lifeline(p, id, "sent by "+verb), Timeout: min(p.Limits.Timeout, 2*time.Second),
			Header: map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}})
	}
	return all
}
