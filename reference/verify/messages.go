package verify

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

func messageRules() []Rule {
	return []Rule{
		{
			ID: "CL-21", Title: "Request ids are strings or integers, each used once", Profile: profileMessages,
			Text:  "The id of a request is a string or an integer, never null. In a session it is not used twice; in a revision without sessions not while the first request with it is unanswered.",
			Level: "MUST", Grade: Fail, Basis: Normative, Revisions: everyOne, Transports: onAll,
			Sections:  base("requests", "requests"),
			Tolerated: "Over HTTP without sessions equal ids say nothing: several clients may be at work.",
			Occasion:  "it sent no request", judge: requestIDs,
		},
		{
			ID: "CL-22", Title: "A cancellation names a request that was sent", Profile: profileMessages,
			Text:  "notifications/cancelled names by its id a request that the client sent in the same session and believes to be in progress, and never initialize.",
			Level: "MUST", Grade: Fail, Basis: Normative, Revisions: everyOne, Transports: onAll,
			Sections:  []Section{in("basic/utilities/cancellation", "behavior-requirements"), inModern("basic/patterns/cancellation", "behavior-requirements")},
			Tolerated: "A cancellation may cross the answer on its way. Over HTTP without sessions it names nothing that could be looked up.",
			Occasion:  "it cancelled nothing", judge: cancellations,
		},
		{
			ID: "CL-24", Title: "Messages are JSON-RPC 2.0", Profile: profileMessages,
			Text:  "Everything that a client sends is a JSON-RPC 2.0 message in UTF-8: the version member is \"2.0\", params and result are objects if they are there, a notification has no id, a response has a result or an error but not both; on stdio each stands on a line of its own.",
			Level: "MUST", Grade: Fail, Basis: Normative, Revisions: everyOne, Transports: onAll,
			Sections:  base("", "messages"),
			Tolerated: "Members that nobody knows, and white space around a message. That a member stands twice in one object is a warning: JSON says SHOULD.",
			Occasion:  "it sent no message", judge: wellFormed,
		},
		{
			ID: "CL-25", Title: "No batches where there are none", Profile: profileMessages,
			Text:  "Several messages in one array are known to 2025-03-26 only; elsewhere each message is sent by itself.",
			Level: "MUST", Grade: Fail, Basis: Normative, In: map[string]Exception{first: {"SHOULD", Warn}},
			Revisions: []string{first, hook.R20250618, hook.R20251125, modern}, Transports: onAll,
			Sections: []Section{
				{From: first, To: first, Page: "basic/messages"},
				{From: hook.R20250618, To: lastLegacy, Transport: hook.HTTP, Page: "basic/transports", Anchor: "sending-messages-to-the-server"},
				{From: hook.R20250618, To: lastLegacy, Page: "basic/transports", Anchor: "stdio"},
				{From: modern, To: modern, Transport: hook.HTTP, Page: "basic/transports/streamable-http", Anchor: "sending-messages"},
				inModern("basic/transports/stdio", "sending-messages"),
			},
			Tolerated: "The first revision only implies it, by a schema without arrays: there it is a warning.",
			Occasion:  "it sent no message", judge: noBatches,
		},
		{
			ID: "CL-33", Title: "Progress tokens are unique", Profile: profileMessages,
			Text:  "A progress token is a string or an integer, and no two requests that are in progress have the same.",
			Level: "MUST", Grade: Fail, Basis: Normative, Revisions: everyOne, Transports: onAll,
			Sections:  []Section{in("basic/utilities/progress", "progress-flow"), inModern("basic/patterns/progress", "progress-flow")},
			Tolerated: "A token may be used again once the request is answered.",
			Occasion:  "it asked for no progress", judge: progressTokens,
		},
		{
			ID: "CL-36", Title: "An error is not the end", Profile: profileMessages,
			Text:  "After an error in answer to one request the session is as good as before, and a client can go on with it.",
			Level: "MAY", Grade: Info, Basis: Implied, Revisions: everyOne, Transports: onAll,
			Sections:  []Section{in("basic/lifecycle", "error-handling"), inModern("basic/index", "error-responses")},
			Tolerated: "A client may well end with its first error: it is only remarked upon.",
			Occasion:  "no request of it was answered with an error", judge: survivesErrors,
		},
	}
}

// separate reports whether equal ids in a conversation can be of different clients, or of
// different parts of one that know nothing of each other.
func separate(c *conversation) bool { return c.transport == hook.HTTP && c.modern }

func requestIDs(g *group, v *ruling) {
	for _, c := range g.talks {
		used := map[string]*message{}
		for _, m := range c.requests() {
			before := used[m.id]
			switch {
			case strings.HasPrefix(m.method, "notifications/"):
				continue // the id is what is wrong with it, see CL-24
			case m.id == "nnull" || m.id[0] == 'n' && !integer(m.id[1:]):
				v.broken("a string or an integer", "the id of "+m.what()+" is "+shorten(shownID(m.id)), "number requests from 1", m.seq())
			case before == nil || separate(c):
				v.fine(m.seq())
			case !c.modern || before.answer == nil || before.answer.seq() > m.seq():
				v.broken("an id that no other request has", "the id "+shorten(shownID(m.id))+" of "+m.what()+" has been used for "+before.what(),
					"count ids up for as long as the session lasts", before.seq(), m.seq())
			}
			used[m.id] = m
		}
	}
}

// integer reports whether a JSON number is one. 1.0 and 1e3 are, by their value.
func integer(number string) bool {
	mantissa, exponent, scaled := strings.Cut(strings.ToLower(number), "e")
	_, fraction, _ := strings.Cut(mantissa, ".")
	if scaled {
		return strings.Trim(fraction, "0") == "" && !strings.HasPrefix(exponent, "-")
	}
	if mantissa == "" || mantissa[0] != '-' && (mantissa[0] < '0' || mantissa[0] > '9') {
		return false
	}
	return strings.Trim(fraction, "0") == ""
}

func cancellations(g *group, v *ruling) {
	for _, c := range g.talks {
		for _, m := range c.received(journal.Notification) {
			if m.method != "notifications/cancelled" || !m.whole {
				continue
			}
			id := m.params.Get("requestId")
			key := idKey([]byte(id.Raw))
			var named *message
			for _, q := range c.requests() {
				if q.id == key && q.seq() <= m.seq() {
					named = q
				}
			}
			switch {
			case c.transport == hook.HTTP && c.modern:
				v.idle("over HTTP without sessions a cancellation cannot be looked up")
			case !id.Exists():
				v.broken("requestId with the id of a request", "there is no requestId", "say which request is cancelled", m.seq())
			case named == nil && !c.whole:
				v.lacking("the beginning of the session is no longer in the journal")
			case named == nil:
				v.broken("the id of a request of this session", "no request with the id "+shorten(id.Raw)+" was sent", "cancel by the id of the request, with the type that it has", m.seq())
			case named.method == "initialize":
				v.broken("no cancellation of initialize", "initialize was cancelled", "end the connection instead", named.seq(), m.seq())
			default:
				v.fine(named.seq(), m.seq())
			}
		}
	}
}

func wellFormed(g *group, v *ruling) {
	for _, c := range g.talks {
		for _, m := range c.messages {
			if m.sent || m.kind == journal.Batch {
				continue
			}
			wrong, hint := flaw(m)
			twice := ""
			if wrong == "" && m.whole {
				twice = repeated(m.raw.Raw)
			}
			switch {
			case wrong != "":
				v.broken("a JSON-RPC 2.0 message", wrong, hint, m.seq())
			case twice != "":
				v.dubious("that names are unique is a SHOULD of RFC 8259", "each member once", fmt.Sprintf("%s has %q twice in one object", m.what(), shorten(twice)),
					"write each member once: readers take the first, or the last", m.seq())
			default:
				v.fine(m.seq())
			}
		}
	}
}

// flaw says what is wrong with a message, and what to do about it.
func flaw(m *message) (wrong, hint string) {
	params := m.raw.Get("params")
	switch {
	case !m.whole:
		return "", ""
	case !utf8.Valid(m.entry.Raw):
		return "it is not UTF-8", "encode messages as UTF-8"
	case m.kind == journal.Unreadable && !gjson.ValidBytes(m.entry.Raw) && m.entry.Transport == hook.Stdio:
		return "a line that is no JSON text", "write each message on one line, and nothing else to the server's standard input"
	case m.kind == journal.Unreadable:
		return "it is no request, notification or response", "send nothing but messages"
	case m.raw.Get("jsonrpc").Raw != `"2.0"`:
		return m.what() + ` lacks "jsonrpc": "2.0"`, `put "jsonrpc": "2.0" into every message`
	case m.kind == journal.Request && strings.HasPrefix(m.method, "notifications/"):
		return m.what() + " has an id", "leave the id out of notifications"
	case params.Exists() && !params.IsObject():
		return "the params of " + m.what() + " are " + shorten(params.Raw), "leave params out if there are none"
	case m.kind == journal.Response && m.raw.Get("result").Exists() && m.raw.Get("error").Exists():
		return "a response with both result and error", "send one of the two"
	case m.kind == journal.Response && m.result().Exists() && !m.result().IsObject():
		return m.what() + " has the result " + shorten(m.result().Raw), "answer with an object, {} if there is nothing to say"
	case m.kind == journal.Response && m.failed() && (m.raw.Get("error.code").Type != gjson.Number || m.raw.Get("error.message").Type != gjson.String):
		return "an error without code and message", "give errors an integer code and a message"
	}
	return "", ""
}

// repeated is the first name that stands twice in an object, however deep it lies.
func repeated(raw string) string {
	d := jsontext.NewDecoder(strings.NewReader(raw))
	for {
		_, err := d.ReadToken()
		if bad := (*jsontext.SyntacticError)(nil); errors.As(err, &bad) && errors.Is(err, jsontext.ErrDuplicateName) {
			return bad.JSONPointer.LastToken()
		}
		if err != nil {
			return ""
		}
	}
}

func noBatches(g *group, v *ruling) {
	for _, c := range g.talks {
		for _, m := range c.messages {
			switch {
			case m.sent:
			case m.batched:
				v.broken("one message at a time", "several messages in one array", "send each message by itself", m.seq())
			default:
				v.fine(m.seq())
			}
		}
	}
}

func progressTokens(g *group, v *ruling) {
	for _, c := range g.talks {
		active := map[string]*message{}
		for _, m := range c.requests() {
			token := m.params.Get("_meta.progressToken")
			if !token.Exists() {
				continue
			}
			key := idKey([]byte(token.Raw))
			before := active[key]
			switch {
			case token.Type != gjson.String && (token.Type != gjson.Number || !integer(token.Raw)):
				v.broken("a string or an integer", "the progress token of "+m.what()+" is "+shorten(token.Raw), "number progress tokens", m.seq())
			case before != nil && !separate(c) && (before.answer == nil || before.answer.seq() > m.seq()):
				v.broken("a progress token of its own", "the token "+shorten(token.Raw)+" of "+m.what()+" is that of another request in progress", "use the id of the request as its token", before.seq(), m.seq())
			default:
				v.fine(m.seq())
			}
			active[key] = m
		}
	}
}

func survivesErrors(g *group, v *ruling) {
	for _, c := range g.talks {
		var failed *message
		for _, m := range c.requests() {
			if m.method != "initialize" && m.answer != nil && m.answer.failed() {
				failed = m
				break
			}
		}
		switch {
		case failed == nil:
		case c.last() > failed.answer.seq():
			v.fine(failed.answer.seq())
		case g.options.Ended:
			v.broken("", "after "+failed.what()+" had been answered with an error the client sent nothing more", "", failed.seq(), failed.answer.seq())
		default:
			v.idle("nothing has come since the error")
		}
	}
}
