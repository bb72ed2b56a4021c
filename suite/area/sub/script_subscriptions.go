package sub

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// fewSubscriptions is how many listed resources a script tries to subscribe.
const fewSubscriptions = 24

// Steps "subscribe" try listed resources until one is accepted, which "unsubscribe"
// then gives up. Tags: "uri"; "listed" is the size of the list, "templates" that
// of the list of templates; "sessionless" is set on Streamable HTTP where the
// target issued no session id.
var subscriptionsScenario = &scenario.Scenario{
	Name:  recording.Subscriptions,
	Title: "subscribing to what is listed",
	Sends: "resources/subscribe to listed resources until one is accepted, a read of what is refused, and " +
		"resources/unsubscribe.",
	// which needs what nobody has given up yet
	After: recording.Names{recording.WalkResources, recording.WalkTemplates, recording.SelfUpdates},
	When: scenario.All(
		scenario.Where(func(p *scenario.Play) bool {
			return !p.Modern()
		}, recording.CodeCombination, "2026-07-28 subscribes by subscriptions/listen"),
		scenario.Declared("resources.subscribe"),
	),
	Script: func(p *scenario.Play) {
		all := p.Resources()
		if len(all) == 0 {
			p.Unlisted(recording.WalkResources, "the target lists no resources")
			return
		}
		c, ok := p.Clean()
		if !ok {
			return
		}
		tags := recording.Tags{recording.TagListed: strconv.Itoa(len(p.AllResources())),
			scenario.TagTemplates: strconv.Itoa(len(p.AllTemplates()))}.With(c.Sessionless())
		tried := scenario.Sample(all, fewSubscriptions)
		if subscribe(c, tried[0].URI(), tags) {
			return
		}
		scenario.Each(c, tried[1:], func(_ int, l scenario.Listed, c *scenario.Client) {
			subscribe(c, l.URI(), tags)
		})
	},
}

// subscribe subscribes a resource and gives it up again; it reports whether the
// subscription was accepted.
func subscribe(c *scenario.Client, uri string, tags recording.Tags) bool {
	x := c.OfListed(scenario.Of(recording.StepSubscribe, "resources/subscribe", uri, tags))
	if !x.Succeeded() {
		return false
	}
	c.Do(scenario.Of(recording.StepUnsubscribe, "resources/unsubscribe", uri, tags))
	return true
}

// Legacy revisions: steps "subscribe" lack a uri, or give one that is no string.
// 2026-07-28: steps "listen" lack a filter, or give a malformed one (the tag
// "ack" is set if it was acknowledged all the same), "empty-filter" gives one that
// asks for nothing, which is well-formed, "old-subscribe" and
// "old-unsubscribe" call the methods of earlier revisions. The tag "form" says
// what is wrong.
var badSubscriptionsScenario = &scenario.Scenario{
	Name:  BadSubscriptions,
	Title: "subscribing without saying to what",
	Sends: "Subscriptions without a URI or with one that is no string; in 2026-07-28, listen requests " +
		"without a filter, with an empty and with malformed ones, and the subscribe methods of earlier " +
		"revisions.",
	In:    scenario.Expendable,
	After: verdict.ResourceWalk,
	When: scenario.Where(func(p *scenario.Play) bool {
		return p.Modern() || p.Facts.Declares("resources.subscribe")
	},
		recording.CodeUndeclared, "the target does not declare capabilities.resources.subscribe"),
	Script: scenario.OnExpendable(func(c *scenario.Client) {
		if !c.Modern() {
			for _, bad := range []struct{ form, params string }{
				{"absent", `{}`}, {"number", `{"uri":5}`}, {"null", `{"uri":null}`},
				{"array", `{"uri":["a:b"]}`},
			} {
				c.Do(session.Request{Step: recording.StepSubscribe, Method: "resources/subscribe",
					Params: json.RawMessage(bad.params),
					Tags:   c.Sessionless().With(recording.Tags{scenario.TagForm: bad.form})})
			}
			return
		}
		oldMethods(c)
		if !listens(c.Play) {
			return
		}
		patience, began := c.Patience(2*time.Second), time.Now()
		// An empty filter is to be acknowledged as any other. The answer to a malformed one may take as long,
		// and longer.
		if badListen(c, stepEmptyFilter, "empty", `{"notifications":{}}`, c.Limits.Timeout) {
			patience = min(max(patience, 2*time.Since(began)), c.Limits.Timeout)
		}
		for _, bad := range []struct{ form, params string }{
			{"absent", `{}`},
			{"no-object", `{"notifications":true}`},
			{"no-array", `{"notifications":{"resourceSubscriptions":"x-mcpcheck:nothing"}}`},
			{"no-strings", `{"notifications":{"resourceSubscriptions":[5]}}`},
			{"no-boolean", `{"notifications":{"resourcesListChanged":"yes"}}`},
		} {
			badListen(c, recording.StepListen, bad.form, bad.params, patience)
		}
	}),
}

// listens reports whether the target declares something that can be listened to.
func listens(p *scenario.Play) bool {
	return p.Facts.Declares("resources.subscribe") || p.Facts.Declares("resources.listChanged")
}

// oldMethods calls methods that 2026-07-28 no longer has.
func oldMethods(c *scenario.Client) {
	uri := "x-mcpcheck-7b4e91:nothing"
	if all := c.Resources(); len(all) > 0 {
		uri = all[0].URI()
	}
	c.Do(scenario.About(stepOldSubscribe, "resources/subscribe", uri))
	c.Do(scenario.About(stepOldUnsubscribe, "resources/unsubscribe", uri))
}

// badListen sends a listen request with a malformed filter, or an empty one. A target that reads
// something into it says so by an acknowledgment, and keeps the stream open. It reports whether there was an
// answer.
func badListen(c *scenario.Client, step recording.Step, form, params string, patience time.Duration) bool {
	q := session.Request{Params: json.RawMessage(params), Tags: recording.Tags{scenario.TagForm: form},
		Timeout: patience}
	st := c.S.Listen(c, step, session.Filter{}, q)
	if st.Ack != nil {
		st.Exchange().Tags[recording.TagAck] = strconv.Itoa(st.Ack.Number)
	}
	x := c.StopListen(st)
	if st.Ack == nil && x.Outcome == recording.Sent {
		x.Outcome, x.Reason = recording.Silent, "no answer within "+patience.String()
		if x.Status >= http.StatusMultipleChoices {
			x.Outcome, x.Reason = recording.HTTPOnly,
				"HTTP "+strconv.Itoa(x.Status)+" without a JSON-RPC response to the request"
		}
	}
	answered := x.Outcome == recording.Replied || st.Ack != nil
	lost := !answered && !c.Alive(x)
	if lost {
		x.Step += recording.StepLost
	}
	c.Note(x)
	if lost {
		c.Replace()
	}
	return answered
}
