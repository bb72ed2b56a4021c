package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// Step "not-json" is a message that breaks off; no id can be read from it. Step
// "not-utf-8" is a notification with bytes in its method that are no text, and a
// request with such bytes in its metadata, which has an id. Step "no-method" is an object with an id and no method, "mistyped-method" one whose
// method is a number. Step "array" is an array that holds a request, in revisions
// without batches. Step
// "unknown-method" asks for a method that nobody has, "no-uri" for a read without
// URI; both are proper requests.
var invalidMessagesScenario = &Scenario{
	Name:  recording.InvalidMessages,
	Title: "messages that are no valid requests",
	Sends: "A message that breaks off, bytes that are no UTF-8 in a notification and in a request, objects without a method or with a numeric one, an array where there are no batches, a method that nobody has, and a read without a URI.",
	Phase: Read,
	Script: OnExpendable(func(ctx context.Context, p *Play, c *Client) {
		c.Do(ctx, session.Request{Step: recording.StepUnknownMethod, Method: "mcpcheck/no-such-method", Params: map[string]any{}})
		if p.Facts.Declares("resources") {
			c.Do(ctx, session.Request{Step: recording.StepNoURI, Method: "resources/read", Params: map[string]any{}})
		}
		probes := []session.Request{
			{Step: recording.StepNotJSON, Body: []byte(`{"jsonrpc":"2.0","method":"resources/list","params":{`)},
			{Step: recording.StepNotUTF8, Body: []byte("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/mcpcheck/\xff\xfe\"}")},
			alien(p, 900004),
			{Step: recording.StepNoMethod, ID: json.RawMessage("900001"), Body: []byte(`{"jsonrpc":"2.0","id":900001}`)},
			{Step: recording.StepMistypedMethod, ID: json.RawMessage("900002"), Body: []byte(`{"jsonrpc":"2.0","id":900002,"method":7}`)},
		}
		if p.Revision() >= requirement.R20250618 {
			probes = append(probes, session.Request{Step: recording.StepArray, ID: json.RawMessage("900003"), Body: []byte(`[{"jsonrpc":"2.0","id":900003,"method":"ping"}]`)})
		}
		// One by one, since a response without an id does not say what it answers.
		for _, q := range probes {
			c.Probes(ctx, q)
		}
	}),
}

// alien is a request that every target serves, but for two bytes in a string that are
// no UTF-8.
func alien(p *Play, id int) session.Request {
	const mark = "alien"
	body := bytes.Replace(Lifeline(p, id, mark), []byte(mark), []byte("\xff\xfe"), 1)
	return session.Request{Step: recording.StepNotUTF8, Method: LifeMethod(p), ID: json.RawMessage(strconv.Itoa(id)), Body: body}
}
