package http

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// The steps after "list", "notify" and "list-after" do not depend on each other. Step "refused" is a
// notification under a session id that was never issued; the tag "form" says what a "body" without a
// message is, or which Accept header "accept" has.
var httpStatusesScenario = &scenario.Scenario{
	Name:  HTTPStatuses,
	Title: "sending notifications, malformed bodies and unusual headers",
	Sends: "A notification in order and one that is refused, a response to a request that was never made " +
		"(up to 2025-11-25), malformed bodies, conforming forms of the Accept and Content-Type headers, a " +
		"body in chunks, names of headers in other letters, and HEAD, OPTIONS, PUT and PATCH.",
	In:   scenario.Expendable,
	When: scenario.OverHTTP,
	Script: scenario.OnExpendable(func(c *scenario.Client) {
		c.Do(c.Ordinary(recording.StepList))
		c.Do(scenario.Notification(stepNotify))
		c.Do(c.Ordinary(stepListAfter))
		all := c.Ordinarily(append(statusProbes(c), oddMethodProbes(c)...)...)
		scenario.Each(c, all, func(_ int, q session.Request, c *scenario.Client) {
			if q.HTTPMethod == http.MethodHead || q.HTTPMethod == http.MethodOptions {
				c.Peek(q, c.Limits.UpTo(time.Second)) // one may be taken for a GET
				return
			}
			c.Do(q)
		})
	}),
}

// noMessages are bodies that hold no message.
var noMessages = []struct{ form, body string }{{"brace", "{"}, {"empty", ""}, {"number", "5"}}

// acceptForms are Accept headers that list both types, as the client must.
var acceptForms = []struct{ form, accept string }{
	{"order", "text/event-stream, application/json"},
	{"case", "Application/JSON, Text/Event-Stream"},
	{"quality", "application/json;q=0.9, text/event-stream"},
}

func statusProbes(c *scenario.Client) []session.Request {
	var all []session.Request
	if !c.Modern() && c.S.HTTPSession() != "" {
		q := scenario.Notification(stepRefused)
		q.Header = map[string]string{scenario.HeaderSession: scenario.StrangeSession}
		all = append(all, q)
	}
	if !c.Modern() {
		all = append(all,
			session.Request{Step: stepStray,
				Body: []byte(`{"jsonrpc":"2.0","id":"mcpcheck-never-asked","result":{}}`)})
	}
	malformed := scenario.Notification(stepMalformed)
	malformed.Params = json.RawMessage(`5`)
	all = append(all, malformed)
	for _, m := range noMessages {
		all = append(all, session.Request{Step: stepBody, Tags: recording.Tags{scenario.TagForm: m.form},
			Body: []byte(m.body)})
	}
	for _, m := range acceptForms {
		all = append(all, session.Request{Step: stepAccept, Tags: recording.Tags{scenario.TagForm: m.form},
			Header: map[string]string{"Accept": m.accept}})
	}
	return append(all,
		session.Request{Step: stepCharset,
			Header: map[string]string{"Content-Type": "application/json; charset=utf-8"}},
		session.Request{Step: stepChunked, Chunked: true}, spelled(c))
}

// spelled is an ordinary request whose headers are named in other letters.
func spelled(c *scenario.Client) session.Request {
	q := session.Request{Step: stepHeaderCase, Omit: []string{"Content-Type", "Accept"},
		Exact: [][2]string{{"content-type", "application/json"},
			{"ACCEPT", "application/json, text/event-stream"}}}
	if id := c.S.HTTPSession(); id != "" && !c.Modern() {
		q.Omit = append(q.Omit, scenario.HeaderSession)
		q.Exact = append(q.Exact, [2]string{"mcp-session-id", id})
	}
	return q
}

// oddMethodProbes are HTTP requests with methods that the endpoint does not have; those that
// have a body are sent with a request that every target serves. A target may refuse these before it has read
// the body, so that no other request may follow on their connection.
func oddMethodProbes(c *scenario.Client) []session.Request {
	all := []session.Request{
		{Step: stepOddMethod, HTTPMethod: http.MethodHead, Tags: recording.Tags{tagVerb: http.MethodHead}},
		{Step: stepOddMethod, HTTPMethod: http.MethodOptions,
			Tags: recording.Tags{tagVerb: http.MethodOptions}},
	}
	for i, verb := range []string{http.MethodPut, http.MethodPatch} {
		id := 910001 + i
		all = append(all, session.Request{Step: stepOddMethod, HTTPMethod: verb,
			Tags: recording.Tags{tagVerb: verb}, Method: c.LifeMethod(),
			ID: json.RawMessage(strconv.Itoa(id)), Body: c.Lifeline(id, "sent by "+verb),
			Timeout: c.Limits.UpTo(2 * time.Second),
			Header: map[string]string{"Content-Type": "application/json",
				"Accept": "application/json, text/event-stream", "Connection": "close"}})
	}
	return all
}
