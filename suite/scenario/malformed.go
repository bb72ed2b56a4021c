package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	odduris "github.com/mcpcheck/mcpcheck/fixtures/uris"
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/tidwall/gjson"
)

// notURIs are strings that nothing can be subscribed to, by what is wrong with
// them. None of them names anything that could exist by chance.
var notURIs = []struct{ form, uri string }{
	{"empty", ""},
	{"words", "not a uri"},
	{"no-scheme", "::::"},
	{"relative", "mcpcheck/no-such-resource"},
	{"bad-percent", "file://%zz"},
	{"bad-authority", "http://[::1"},
	{"nul", "x-mcpcheck-7b4e91:no-such\x00resource"},
}

// untyped are the params of a read without a usable uri, as JSON.
var untyped = []struct{ form, params string }{
	{"absent", `{}`},
	{"number", `{"uri":42}`},
	{"null", `{"uri":null}`},
	{"array", `{"uri":[]}`},
	{"object", `{"uri":{}}`},
}

// Steps "malformed", "stranger", "odd" and "variant" read the entries of the corpus of
// these classes; the tag "form" names the entry, and "served" is set where the target
// lists the string or a template that could mean it. Step "exact" reads the listed URI
// that variants are made of. Steps "untyped" read without a uri, or with one that is
// no string. Steps "pattern" read what a listed URI, in the tag "of", matches if it or what is asked for is
// taken for a pattern. Steps "guessed" are those of missing-reads.
var malformedReadsScenario = &Scenario{
	Name:  recording.MalformedReads,
	Title: "reading what is no URI, or a strange one",
	Sends: "Reads of strings that are no URI, of strange and of normalised ones, of a listed URI in other " +
		"spellings and with characters of patterns, and reads whose uri is missing or no string.",
	In: Expendable,
	After: []recording.Name{recording.WalkResources, recording.WalkTemplates, recording.Reads,
		recording.MissingReads},
	Script: func(p *Play) {
		for _, x := range p.Earlier(recording.MissingReads).Steps(recording.StepGuessed) {
			p.Note(x)
		}
		c, ok := p.Expendable()
		if !ok {
			return
		}
		Each(c, untyped, func(_ int, m struct{ form, params string }, c *Client) {
			c.Do(session.Request{Step: StepUntyped, Method: "resources/read",
				Params: json.RawMessage(m.params), Tags: recording.Tags{TagForm: m.form}})
		})
		values := spelt(p.Light())
		if values != nil {
			c.ReadResource(StepExact, values["uri"], nil)
		}
		classes := []odduris.Class{odduris.Malformed, odduris.Variant}
		if p.SecurityProbes {
			// These may lead a server to call out, or to take them for something else.
			classes = append(classes, odduris.Stranger, odduris.Odd)
		}
		readAll(c, append(patterns(p), corpus(p, values, 0, classes...)...))
	},
}

// patterns are URIs beside those that were read, which a server meets that takes these, or what is asked for,
// for patterns of some kind: of each kind one, and none that is listed or that a template could stand for.
func patterns(p *Play) (all []URIRead) {
	tried := map[int]bool{}
	for _, l := range p.Light() {
		uri := l.URI()
		cut := strings.LastIndexAny(uri, "/:") + 1
		if cut == len(uri) || judge.HasScheme(uri, "http", "https") || len(judge.URI(uri)) > 0 {
			continue
		}
		dir, name := uri[:cut], uri[cut:]
		for kind, made := range []string{"*", "_" + name[1:], ".*", strings.Replace(name, ".", "X", 1)} {
			if one := dir + made; made != name && !tried[kind] && served(p, one) == nil {
				tried[kind] = true
				all = append(all, URIRead{StepPattern, one, recording.Tags{TagOf: uri}})
			}
		}
	}
	return all
}

// served is the tag of a string that the target lists, or that a template of
// its own could stand for.
func served(p *Play, uri string) recording.Tags {
	listed := slices.ContainsFunc(p.AllResources(), func(l Listed) bool { return l.URI() == uri })
	if listed || p.Matchers().Match(uri) {
		return recording.Tags{TagServed: "yes"}
	}
	return nil
}

// Step "subscribe" asks for updates of what is no URI, or of a path that climbs
// out of every directory; the tag "form" says which, "served" is as in
// malformed-reads, and "accepted" is set if the target took it, with the number of the frame that says so in
// the tag "ack" if that is a notification. An accepted one is given up at once.
var uriSubscriptionsScenario = &Scenario{
	Name:  recording.URISubscriptions,
	Title: "subscribing to what is no URI",
	Sends: "Subscriptions to what is no URI, and to paths that climb out of every directory.",
	In:    Expendable,
	After: bothWalks,
	When:  Declared("resources.subscribe"),
	Script: OnExpendable(func(c *Client) {
		all := slices.Clone(notURIs)
		if c.SecurityProbes {
			all = append(all, struct{ form, uri string }{"climbing",
				"file:///mcpcheck/../../../../mcpcheck-no-such-resource"})
		}
		if c.Brief() {
			all = Sample(all, 4)
		}
		Each(c, all, func(_ int, m struct{ form, uri string }, c *Client) {
			tags := served(c.Play, m.uri).With(recording.Tags{TagForm: m.form, recording.TagURI: m.uri})
			if c.Modern() {
				c.subscribeModern(m.uri, tags)
				return
			}
			c.subscribeLegacy(m.uri, tags)
		})
	}),
}

func (c *Client) subscribeLegacy(uri string, tags recording.Tags) {
	x := c.Do(Of(recording.StepSubscribe, "resources/subscribe", uri, tags))
	if x.Succeeded() {
		x.Tags[TagAccepted] = "yes"
		c.Do(About(recording.StepUnsubscribe, "resources/unsubscribe", uri))
	}
}

// subscribeModern opens a listen stream, ends it and asks for a sign of life; a
// session that was lost over it is tried once more, as [Client.Do] does.
func (c *Client) subscribeModern(uri string, tags recording.Tags) {
	send := func(c *Client) (*recording.Exchange, shown) {
		st := c.S.Listen(c, recording.StepSubscribe, session.Filter{URIs: []string{uri}},
			session.Request{Tags: tags.With()})
		granted := st.Ack != nil && slices.Contains(Acknowledged(st.Ack.Raw), uri)
		x := c.StopListen(st)
		if granted {
			x.Tags[TagAccepted] = "yes"
			x.Tags[recording.TagAck] = strconv.Itoa(st.Ack.Number)
		}
		life := c.Note(c.Life()).Outcome
		alive := c.S.Alive() && (life == recording.Replied || life == recording.Canceled)
		if !alive || x.Outcome == recording.Lost {
			return x, loss
		}
		return x, answer
	}
	c.pass(&message{c: c, send: send})
}

// StopListen ends a listen request, of which the acknowledgment is a part: on stdio nothing but its
// subscriptionId ties it to the request, and of a session that is shared a recording has no other frames.
func (c *Client) StopListen(st *session.Stream) *recording.Exchange {
	x := st.Stop(c)
	if st.Ack != nil {
		c.S.Join(x, st.Ack.Number)
	}
	return x
}

// Acknowledged lists the URIs that an acknowledgment grants.
func Acknowledged(ack []byte) []string {
	var uris []string
	for _, u := range gjson.GetBytes(ack, "params.notifications.resourceSubscriptions").Array() {
		uris = append(uris, u.String())
	}
	return uris
}

// Step "not-json" is a message that breaks off; no id can be read from it. Step
// "not-utf-8" is a notification with bytes in its method that are no text, and a
// request with such bytes in its metadata, which has an id. Step "no-method" is an object with an id and no
// method, "mistyped-method" one whose method is a number. Step "array" is an array that holds a request, in
// revisions without batches. Step "null-id" is a request whose id is null, and "doubled-member" one with two
// ids and two methods. Step "unknown-method" asks for a method that nobody has, "no-uri" for a read without
// URI; both are proper requests.
var invalidMessagesScenario = &Scenario{
	Name:  recording.InvalidMessages,
	Title: "messages that are no valid requests",
	Sends: "A message that breaks off, bytes that are no UTF-8 in a notification and in a request, " +
		"objects without a method or with a numeric one, an array where there are no batches, a null id, " +
		"members that occur twice, a method that nobody has, and a read without a URI.",
	In: Expendable,
	Script: OnExpendable(func(c *Client) {
		c.Do(session.Request{Step: StepUnknownMethod, Method: "mcpcheck/no-such-method",
			Params: map[string]any{}})
		if c.Facts.Declares("resources") {
			c.Do(session.Request{Step: "no-uri", Method: "resources/read", Params: map[string]any{}})
		}
		probes := []session.Request{
			{Step: StepNullID, Body: nullID(c.Play)}, // first, as many answer it without an id
			{Step: recording.StepNotJSON,
				Body: []byte(`{"jsonrpc":"2.0","method":"resources/list","params":{`)},
			{Step: StepNotUTF8,
				Body: []byte("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/mcpcheck/\xff\xfe\"}")},
			alien(c.Play, 900004),
			{Step: StepNoMethod, ID: json.RawMessage("900001"),
				Body: []byte(`{"jsonrpc":"2.0","id":900001}`)},
			{Step: StepMistypedMethod, ID: json.RawMessage("900002"),
				Body: []byte(`{"jsonrpc":"2.0","id":900002,"method":7}`)},
		}
		if c.Revision() >= requirement.R20250618 {
			probes = append(probes, session.Request{Step: StepArray, ID: json.RawMessage("900003"),
				Body: fmt.Appendf(nil, "[%s]", c.Lifeline(900003, "an array"))})
		}
		const twice = `"id":900006,"method":"mcpcheck/no-such-method","id"`
		doubled := session.Request{Step: StepDoubledMember, ID: json.RawMessage("900007")}
		doubled.Body = bytes.Replace(c.Lifeline(900007, "doubled"), []byte(`"id"`), []byte(twice), 1)
		probes = append(probes, doubled)
		c.Probes(probes...)
	}),
}

// nullID is a request that every target serves, but for its id.
func nullID(p *Play) []byte {
	return bytes.Replace(p.Lifeline(900005, "no id"), []byte("900005"), []byte("null"), 1)
}

// alien is a request that every target serves, but for two bytes in a string that are
// no UTF-8.
func alien(p *Play, id int) session.Request {
	const mark = "alien"
	body := bytes.Replace(p.Lifeline(id, mark), []byte(mark), []byte("\xff\xfe"), 1)
	return session.Request{Step: StepNotUTF8, Method: p.LifeMethod(), ID: json.RawMessage(strconv.Itoa(id)),
		Body: body}
}
