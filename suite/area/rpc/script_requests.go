package rpc

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// Steps "id" are ordinary requests under the id in the tag "id"; step "empty" is
// one under the empty string. "digits" are one under the string "7" and one under
// the number 7, one after the other. Of the strings one is a UUID in letters of both
// cases, as whoever reads it as one would not give it back, and one begins and ends with
// a blank and has an accent apart from its letter, which is lost where strings are trimmed or normalised.
// If that came back, step "chunked" is one over HTTP in two chunks, cut in the middle of the accent; if that
// fails, "chunked-plainly" is one without an accent.
var requestIDsScenario = &scenario.Scenario{
	Name:  RequestIDs,
	Title: "requests under unusual ids",
	Sends: "Ordinary requests under ids that are unusual but legal: zero, negative, very large, an empty " +
		"string, one of many letters between blanks, a UUID in letters of both cases, and the string and " +
		"the number of the same digits; over HTTP one with a body in chunks.",
	In: scenario.Expendable,
	Script: scenario.OnExpendable(func(c *scenario.Client) {
		ask := func(c *scenario.Client, step recording.Step, id string) *recording.Exchange {
			q := c.Ordinary(step)
			q.ID, q.Tags, q.Chunked = json.RawMessage(id), recording.Tags{tagID: id}, step == stepChunked ||
				step == stepChunkedPlainly
			return c.Do(q)
		}
		scenario.Each(c, [][]string{{"0"}, {"-1"}, {"9007199254740991"}, {`"7"`, "7"}},
			func(_ int, ids []string, c *scenario.Client) {
				for _, id := range ids {
					step := stepID
					if len(ids) > 1 {
						step = stepDigits
					}
					ask(c, step, id)
				}
			})
		// One by one, so that an answer under another id, or none, is known for the answer.
		ask(c, stepEmpty, `""`)
		if ask(c, stepID, `"B2e6a1f0-5c2d-4E3a-9f57-0d1c2b3a4958"`).Outcome == recording.Silent {
			return // that is waited for once
		}
		long := " " + strings.Repeat("mcpcheck-", 22) + "caf" + apart + " "
		x := ask(c, stepID, strconv.Quote(long))
		if !c.OnStdio() && x.Succeeded() && x.Message().Get("id").String() == long {
			if cut := ask(c, stepChunked, strconv.Quote("caf"+apart+" in chunks")); cut.Failed() ||
				cut.Outcome == recording.HTTPOnly {
				ask(c, stepChunkedPlainly, `"cafe in chunks"`)
			}
		}
	}),
}

// Steps "together" are requests in flight at the same time: reads (the tag "uri"
// is what was asked for) of resources that are not too long; lists and others. Steps "alone" are
// reads of the same resources before, one by one, and steps "alone-again" those after it that
// are needed to tell whether contents were mixed up; where they do not tell, it is all done once more, under
// another number in the tag "round". Step "after" is a request once the requests
// of the burst are all answered or given up.
var concurrencyScenario = &scenario.Scenario{
	Name:  Concurrency,
	Title: "many requests at once",
	Sends: "Some reads one by one; the same reads, lists and other requests, all in flight at the same " +
		"time, and one more request when they are answered; where a read yielded what is another " +
		"resource's, both are read once more, one by one, and if that does not settle it, all of it is " +
		"sent up to twice more.",
	In:    scenario.Expendable,
	After: recording.Names{recording.WalkResources, recording.Reads, recording.TemplateSweep},
	When:  scenario.Declared("resources"),
	Script: scenario.OnExpendable(func(c *scenario.Client) {
		requests := 16
		if c.Brief() {
			requests = 8
		}
		uris := readTogether(c, requests/2) // every other one is a read
		const rounds = 3
		for i := range rounds {
			if settled := together(c, uris, requests, strconv.Itoa(i)); settled {
				break
			}
		}
		c.Once(c.Ordinary(stepAfter))
	}),
}

// together makes requests at the same time, and reads alone what they are held against. It reports whether
// that settles it: it does not where a read yielded what is another resource's, but the reads alone do not
// agree, either since contents change by themselves or since they are mixed up with those of other sessions
// as well.
func together(c *scenario.Client, uris []string, requests int, round string) bool {
	alone := readAlone(c, stepAlone, uris, round)
	pending := make([]*session.Pending, requests)
	for i := range pending {
		pending[i] = c.Start(mixture(c, uris, i, round))
	}
	burst := make([]*recording.Exchange, requests)
	for i, one := range pending {
		burst[i] = one.Wait(c)
	}
	var doubtful []string
	for _, s := range swaps(alone, burst) {
		for _, x := range []*recording.Exchange{s.own, s.other} {
			if uri := x.URI(); !slices.Contains(doubtful, uri) {
				doubtful = append(doubtful, uri)
			}
		}
	}
	again := readAlone(c, stepAloneAgain, doubtful, round)
	return len(doubtful) == 0 || len(again) < len(doubtful) || len(proven(alone, burst, again)) > 0
}

// readAlone reads resources one by one: nothing else is in flight, so that what comes back cannot be mixed up
// with anything.
func readAlone(c *scenario.Client, step recording.Step, uris []string, round string) []*recording.Exchange {
	var all []*recording.Exchange
	for _, uri := range uris {
		if isSlow(c.Play, uri) {
			continue
		}
		x := c.Do(read(step, uri, round))
		if x.Outcome == recording.Silent {
			break // that is waited for once
		}
		all = append(all, x)
	}
	return all
}

func read(step recording.Step, uri, round string) session.Request {
	return scenario.Of(step, "resources/read", uri, recording.Tags{tagRound: round})
}

func isSlow(p *scenario.Play, uri string) bool {
	slow := p.Target.Subjects.Slow
	return slow != nil && slow.URI == uri
}

// mixture is request number i of a mixture. The slow resource is left out: it
// would only hold up the others.
func mixture(c *scenario.Client, uris []string, i int, round string) session.Request {
	if len(uris) > 0 && i%2 == 0 {
		if uri := uris[i/2%len(uris)]; !isSlow(c.Play, uri) {
			return read(stepTogether, uri, round)
		}
	}
	return c.Ordinary(stepTogether)
}

// Step "unknown" is a notification of a method that nobody has, "cancelled" one
// that cancels a request that was never made, and "initialized-again" the end of a handshake
// that has ended already, or that the revision does not have. Steps "stray" are responses under ids that the
// target never used.
var clientNotificationsScenario = &scenario.Scenario{
	Name:  ClientNotifications,
	Title: "notifications, known and unknown",
	Sends: "A notification of a method that nobody has, the cancellation of a request that was never " +
		"made, the last notification of a handshake once more, or where there is none, and, where clients " +
		"send responses and what comes back is not bound to a message, two under ids that the server " +
		"never used; then a look at what comes back.",
	In: scenario.Expendable,
	Script: scenario.OnExpendable(func(c *scenario.Client) {
		all := []session.Request{
			{Step: stepUnknown, Method: "notifications/mcpcheck/unknown", Notification: true},
			{Step: stepCancelled, Method: "notifications/cancelled", Notification: true,
				Params: map[string]any{"requestId": 900003, "reason": "never made"}},
			{Step: stepInitializedAgain, Method: "notifications/initialized", Notification: true},
		}
		if !c.Modern() && !c.OnHTTP() {
			failure := `"error":{"code":-32601,"message":"` + recording.RefusalText + `"}`
			for _, stray := range [][2]string{{`"mcpcheck-stray"`, `"result":{}`}, {"900009", failure}} {
				body := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%s}`, stray[0], stray[1])
				all = append(all, session.Request{Step: stepStray, ID: json.RawMessage(stray[0]), Body: body})
			}
		}
		c.Probes(all...)
	}),
}

// readTogether samples n URIs: listed ones, and expansions of templates, which other code may serve. These
// are the first, as two of the same template follow each other; they are half of all, and more where little
// is listed.
func readTogether(c *scenario.Client, n int) []string {
	listed := yielded(c.Play, recording.Reads, recording.StepRead)
	expanded := yielded(c.Play, recording.TemplateSweep, scenario.StepKnown)
	if len(expanded) < 2 {
		expanded = append(expanded, yielded(c.Play, recording.TemplateSweep, scenario.StepSweep)...)
	}
	expanded = slices.DeleteFunc(expanded, func(uri string) bool { return slices.Contains(listed, uri) })
	expanded = expanded[:min(len(expanded), max(n/2, n-len(listed)))]
	return append(scenario.Sample(listed, n-len(expanded)), expanded...)
}

// yielded is the URIs that were read with success in a step of an earlier recording, without those whose
// content is too long to be read again and again.
func yielded(p *scenario.Play, name recording.Name, step recording.Step) []string {
	var all []string
	if r := p.Earlier(name); r != nil {
		for _, x := range r.Steps(step) {
			if uri := x.URI(); x.Succeeded() && !scenario.Required(x) &&
				len(x.Result().Raw) < scenario.Heavy && !slices.Contains(all, uri) {
				all = append(all, uri)
			}
		}
	}
	return all
}
