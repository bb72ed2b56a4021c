package rpc

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// Steps "unmarked" are requests in order but for their jsonrpc, which the tag "form" has; steps
// "other-method" ask for what other revisions and extensions have. These come last, as some servers hear
// nothing after one. Before, step "unknown-method" asks for a method that nobody has.
var foreignMessagesScenario = &scenario.Scenario{
	Name:  ForeignMessages,
	Title: "messages of other protocols and revisions",
	Sends: "Requests without jsonrpc or of another version of it, and for methods of nobody, of other " +
		"revisions and of extensions.",
	In: scenario.Expendable,
	Script: scenario.OnExpendable(func(c *scenario.Client) {
		c.Do(session.Request{Step: scenario.StepUnknownMethod, Method: "mcpcheck/no-such-method",
			Params: map[string]any{}})
		var probes []session.Request
		for i, form := range []string{``, `"jsonrpc":"1.0",`, `"jsonrpc":2.0,`} {
			id := 900008 + i
			body := bytes.Replace(c.Lifeline(id, "unmarked"), []byte(`"jsonrpc":"2.0",`), []byte(form), 1)
			probes = append(probes, session.Request{Step: stepUnmarked, Method: c.LifeMethod(),
				ID: json.RawMessage(strconv.Itoa(id)), Body: body,
				Tags: recording.Tags{scenario.TagForm: form}})
		}
		c.Probes(append(probes, otherMethods(c)...)...)
	}),
}

// otherMethods are requests for methods that the revision does not have, with the params that they take
// elsewhere. Where both eras are served, subscriptions/listen may open a stream, which has no answer.
func otherMethods(c *scenario.Client) (all []session.Request) {
	methods := []string{"tasks/get", "tasks/list"}
	if !c.Modern() {
		methods[1] = "server/discover"
		if !c.Facts.ServesModern() {
			methods = append(methods, "subscriptions/listen")
		}
	}
	params := map[string]any{"taskId": "mcpcheck-no-such-task", "notifications": map[string]any{}}
	for _, method := range methods {
		all = append(all, session.Request{Step: stepOtherMethod, Method: method, Params: params})
	}
	return all
}
