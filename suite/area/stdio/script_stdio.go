package stdio

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// A target that answers its first request over several lines gets no other: step "initialize" or, in
// modern revisions, "discover".
var framingScenario = &scenario.Scenario{
	Name:  Framing,
	Title: "messages split, joined, oddly ended and long",
	Sends: "An ordinary request, two in a single write, one with characters in its id that other formats " +
		"end lines with, one in three writes cut in the middle of a character of its id, one that ends in " +
		"a carriage return and a newline, one after an empty line, and one of more than a mebibyte.",
	In:   scenario.Expendable,
	When: onStdio,
	Script: func(p *scenario.Play) {
		if why := p.Facts.Notes[recording.FactSpread]; why != "" {
			spreadAnswer(p, why)
			return
		}
		scenario.OnExpendable(framed)(p)
	},
}

func onStdio(p *scenario.Play) *recording.Skipped {
	if !p.OnStdio() {
		return scenario.Skip(recording.CodeCombination, "it is about stdio")
	}
	return nil
}

// Step "subscribe" is not followed by the reverse: it stands when the process of the session that scripts
// share is ended. In 2026-07-28 a stream of listening does.
var partingScenario = &scenario.Scenario{
	Name:  Parting,
	Title: "leaving a subscription to the end",
	Sends: "A subscription to a listed resource, as the last message of a session.",
	Phase: scenario.Destructive, // no other script of these uses that session
	After: recording.Names{recording.Subscriptions},
	When: scenario.All(onStdio, scenario.InLegacy, scenario.Declared("resources.subscribe"),
		scenario.Where(func(p *scenario.Play) bool { return !p.Limited() }, recording.CodeNotExercised,
			"the session that scripts share has ended before")),
	Script: scenario.OnClean(func(c *scenario.Client) {
		for _, x := range c.Earlier(recording.Subscriptions).Steps(recording.StepSubscribe) {
			if x.Succeeded() {
				c.Once(session.Request{Step: recording.StepSubscribe, Method: x.Method,
					Params: x.Params, Tags: recording.Tags{recording.TagURI: x.URI()}})
				return
			}
		}
	}),
}

func framed(c *scenario.Client) {
	id := baseline(c)
	joined := append(c.Lifeline(920001, "joined"), '\n')
	c.Once(session.Request{Step: stepJoined,
		Body: append(joined, c.Lifeline(920002, "joined")...), Answers: 2})
	if id[0] == '"' && c.S.Alive() {
		c.Do(session.Request{Step: stepSeparators, ID: json.RawMessage(separators),
			Body: bytes.Replace(c.Lifeline(920007, "separators"), []byte("920007"), []byte(separators), 1)})
	}
	split(c, id, bytes.Replace(c.Lifeline(920003, "naïve"), []byte("920003"), id, 1))
	if c.S.Alive() {
		c.Probes(oddEnds(c)...)
		c.Do(session.Request{Step: stepLong, ID: json.RawMessage("920004"),
			Body: c.Lifeline(920004, strings.Repeat("mcpcheck ", 120_000))})
	}
}

// separators is an id with characters that are ends of lines to some readers, and that stand in JSON as they
// are: U+2028, U+2029 and U+0085.
const separators = "\"mcpcheck-\u2028-\u2029-\u0085-1\""

// baseline is the ordinary request, under a string with a character of two bytes, since an id is what every
// answer gives back: what comes of that character where it is cut in two shows in the answer. It
// returns the id for the request that is cut. A target that does not give such a string
// back where nothing is cut, which RPC-04 judges, is asked once more under a number.
func baseline(c *scenario.Client) json.RawMessage {
	q := c.Ordinary(recording.StepBefore)
	q.ID = json.RawMessage(`"mcpcheck-naïve-1"`)
	x := c.Do(q)
	if x.Succeeded() && x.Message().Get("id").String() == "mcpcheck-naïve-1" {
		return json.RawMessage(`"mcpcheck-naïve-2"`)
	}
	x.Step = stepNamed
	c.Once(c.Ordinary(recording.StepBefore))
	return json.RawMessage("920003")
}

// spreadAnswer is the first request, and the only one, to a target that answers it over several
// lines: nobody gets a session, and the answer is what there is to judge.
func spreadAnswer(p *scenario.Play, why string) {
	dialer, err := p.Endpoint.Dialer(target.DialOptions{})
	if err != nil {
		p.Break(recording.CodeUnreachable, err.Error())
		return
	}
	c, ok := p.Fresh(session.Options{NoHandshake: true, Dialer: dialer})
	if !ok {
		return
	}
	q := session.Request{Step: recording.StepInitialize, Method: "initialize",
		Params: session.InitializeParams(string(p.Revision())), Timeout: p.Limits.StartTimeout}
	if p.Modern() {
		q = session.Request{Step: recording.StepDiscover, Method: "server/discover",
			Timeout: p.Limits.StartTimeout}
	}
	c.Once(q)
	p.Break(recording.CodeUnreadable, why)
}

// oddEnds are requests that are framed in ways which only robustness lets a server
// take.
func oddEnds(c *scenario.Client) []session.Request {
	return []session.Request{
		{Step: stepCRLF, Method: c.LifeMethod(), ID: json.RawMessage("920005"),
			Body: append(c.Lifeline(920005, "crlf"), '\r')},
		{Step: stepBlankLine, Method: c.LifeMethod(), ID: json.RawMessage("920006"),
			Body: append([]byte("\n"), c.Lifeline(920006, "blank line")...)},
	}
}

// split sends a message in three writes, the first of which ends inside the first "ï". They are so far apart
// that a target which looks for input every 50 ms finds a part of it.
func split(c *scenario.Client, id json.RawMessage, message []byte) {
	const pause = 40 * time.Millisecond
	a := bytes.Index(message, []byte("ï")) + 1
	b := a + (len(message)-a)/2
	for _, part := range [][]byte{message[:a], message[a:b]} {
		c.Once(session.Request{Step: stepPart, Body: part, Unframed: true, NoAwait: true})
		c.Quiet(pause)
	}
	if x := c.Once(session.Request{Step: stepSplit, ID: id,
		Body: message[b:]}); !x.Succeeded() && c.S.Alive() {
		// each part may be refused, without an id: the last refusal comes before this answer
		c.Note(c.Life())
	}
}
