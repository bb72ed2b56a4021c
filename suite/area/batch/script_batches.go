package batch

import (
	"fmt"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// The tag "ids" lists the ids of the requests in an array, separated by spaces, and "failing" is
// that of one for a method that nobody has, to which an error is due.
var batchesScenario = &scenario.Scenario{
	Name:  Batches,
	Title: "batches",
	Sends: "Arrays of two requests, of requests with a notification and an unknown method among them, of " +
		"notifications only, of nothing, and of a number beside a request.",
	In: scenario.Expendable,
	When: scenario.Where(func(p *scenario.Play) bool {
		return p.Revision() == requirement.R20250326
	}, recording.CodeCombination, "only 2025-03-26 has batches"),
	Script: scenario.OnExpendable(func(c *scenario.Client) {
		ping := func(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id) }
		list := func(id int) string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{}}`, id, c.Ordinary("").Method)
		}
		const note = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":900004}}`
		// Many targets ignore a batch, and what is asked for is not much.
		patience := c.Patience(time.Second / 5)
		const unknown = `{"jsonrpc":"2.0","id":910013,"method":"mcpcheck/no-such-method","params":{}}`
		requests := batch(stepRequests, "910001 910002", 2, list(910001), ping(910002))
		mixed := batch(stepMixed, "910011 910012 910013", 3, ping(910011), note, unknown, list(910012))
		mixed.Tags[tagFailing] = "910013"
		requests.Timeout, mixed.Timeout = patience, patience
		x := c.Do(requests)
		if x.Outcome != recording.Replied {
			return // what does not take batches at all need not be shown five
		}
		c.Do(mixed)
		quiet := batch(stepNotifications, "", 1, note, note)
		quiet.Notification = true
		invalid := batch(stepInvalidMember, "910031", 3, "1", list(910031))
		c.Probes(quiet, batch(stepEmpty, "", 1), invalid)
	}),
}

func batch(step recording.Step, ids string, answers int, members ...string) session.Request {
	body := []byte{'['}
	for i, m := range members {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, m...)
	}
	return session.Request{Step: step, Body: append(body, ']'), Answers: answers,
		Tags: recording.Tags{tagIDs: ids}}
}
