package client

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// messageChecks are those of messages by themselves.
var messageChecks = []check{
	{"CL-21", "it sent no request", requestIDs},
	{"CL-22", "it cancelled nothing", cancellations},
	{"CL-24", "it sent no message", wellFormed},
	{"CL-25", "it sent no message", noBatches},
	{"CL-33", "it asked for no progress", progressTokens},
	{"CL-36", "no request of it was answered with an error", survivesErrors},
}

// separate reports whether equal ids in a conversation can be of different clients, or of
// different parts of one that know nothing of each other.
func separate(c *conversation) bool { return c.Transport == requirement.HTTP && c.modern }

func requestIDs(g *group, v *judging) {
	for _, c := range g.conversations {
		used := map[string]*message{}
		for _, m := range c.requests() {
			before := used[m.id]
			switch {
			case strings.HasPrefix(m.method, "notifications/"):
				continue // the id is what is wrong with it, see CL-24
			case m.id == "nnull" || m.id[0] == 'n' && !judge.IsInteger(gjson.Parse(m.id[1:])):
				v.violated("a string or an integer", "the id of "+m.what()+" is "+shorten(m.id[1:]), "number requests from 1", m.Seq)
			case before == nil || separate(c):
				v.pass(m.Seq)
			case !c.modern || before.answer == nil || before.answer.Seq > m.Seq:
				v.violated("an id that no other request has", shownID(m.id)+" of "+m.what()+" has been used for "+before.what(),
					"count ids up for as long as the session lasts", before.Seq, m.Seq)
			}
			used[m.id] = m
		}
	}
}

func cancellations(g *group, v *judging) {
	for c, m := range g.said() {
		if m.kind != kindNotification || m.method != "notifications/cancelled" || !m.whole {
			continue
		}
		id := m.params.Get("requestId")
		key := idKey([]byte(id.Raw))
		var named *message
		for _, q := range c.requests() {
			if q.id == key && q.Seq <= m.Seq {
				named = q
			}
		}
		switch {
		case separate(c):
			v.skip("over HTTP without sessions a cancellation cannot be looked up")
		case !id.Exists():
			v.violated("requestId with the id of a request", "there is no requestId", "say which request is cancelled", m.Seq)
		case named == nil && !c.whole:
			v.incomplete("the beginning of the session is no longer in the journal")
		case named == nil:
			v.violated("the id of a request of this session", "no request with the id "+shorten(id.Raw)+" was sent", "cancel by the id of the request, with the type that it has", m.Seq)
		case named.method == "initialize":
			v.violated("no cancellation of initialize", "initialize was cancelled", "end the connection instead", named.Seq, m.Seq)
		default:
			v.pass(named.Seq, m.Seq)
		}
	}
}

func wellFormed(g *group, v *judging) {
	for _, m := range g.said() {
		if m.kind == kindBatch {
			continue
		}
		wrong, hint := flaw(m)
		twice := ""
		if wrong == "" && m.whole {
			twice = repeated(m)
		}
		switch {
		case wrong != "":
			v.violated("a JSON-RPC 2.0 message", wrong, hint, m.Seq)
		case twice != "":
			v.warn("that names are unique is a SHOULD of RFC 8259", "each member once", "a name stands twice in one object of "+m.what()+": "+shorten(twice),
				"write each member once: readers take the first, or the last", m.Seq)
		default:
			v.pass(m.Seq)
		}
	}
}

// repeated says of a message which name stands twice in one object, however deep it lies.
func repeated(m *message) string {
	for _, f := range wire.Inspect([]byte(m.raw.Raw)) {
		if f.Code == wire.FlawDuplicate {
			return f.Detail
		}
	}
	return ""
}

// flaw says what is wrong with a message, and what to do about it.
func flaw(m *message) (wrong, hint string) {
	params, failure := m.raw.Get("params"), m.raw.Get("error")
	switch {
	case !m.whole:
		return "", ""
	case !utf8.Valid(m.entry.raw):
		return "it is not UTF-8", "encode messages as UTF-8"
	case m.kind == kindUnreadable && !m.raw.Exists() && m.Transport == requirement.Stdio:
		return "a line that is no JSON text", "write each message on one line, and nothing else to the server's standard input"
	case m.kind == kindUnreadable:
		return "it is no request, notification or response", "send nothing but messages"
	case m.raw.Get("jsonrpc").Raw != `"2.0"`:
		return m.what() + ` lacks "jsonrpc": "2.0"`, `put "jsonrpc": "2.0" into every message`
	case m.kind == kindRequest && strings.HasPrefix(m.method, "notifications/"):
		return m.what() + " has an id", "leave the id out of notifications"
	case params.Exists() && !params.IsObject():
		return "the params of " + m.what() + " are " + shorten(params.Raw), "leave params out if there are none"
	case m.kind == kindResponse && m.result().Exists() && failure.Exists():
		return "a response with both result and error", "send one of the two"
	case m.kind == kindResponse && m.result().Exists() && !m.result().IsObject():
		return m.what() + " has the result " + shorten(m.result().Raw), "answer with an object, {} if there is nothing to say"
	case m.kind == kindResponse && failure.Exists() && (failure.Get("code").Type != gjson.Number || failure.Get("message").Type != gjson.String):
		return "an error without code and message", "give errors an integer code and a message"
	}
	return "", ""
}

func noBatches(g *group, v *judging) {
	for _, m := range g.said() {
		if m.batched {
			v.violated("one message at a time", "several messages in one array", "send each message by itself", m.Seq)
		} else {
			v.pass(m.Seq)
		}
	}
}

func progressTokens(g *group, v *judging) {
	for _, c := range g.conversations {
		active := map[string]*message{}
		for _, m := range c.requests() {
			token := m.params.Get("_meta.progressToken")
			if !token.Exists() {
				continue
			}
			key := idKey([]byte(token.Raw))
			before := active[key]
			switch {
			case token.Type != gjson.String && !judge.IsInteger(token):
				v.violated("a string or an integer", "the progress token of "+m.what()+" is "+shorten(token.Raw), "number progress tokens", m.Seq)
			case before != nil && !separate(c) && (before.answer == nil || before.answer.Seq > m.Seq):
				v.violated("a progress token of its own", "the token "+shorten(token.Raw)+" of "+m.what()+" is that of another request in progress", "use the id of the request as its token", before.Seq, m.Seq)
			default:
				v.pass(m.Seq)
			}
			active[key] = m
		}
	}
}

func survivesErrors(g *group, v *judging) {
	for _, c := range g.conversations {
		requests := c.requests()
		first := slices.IndexFunc(requests, func(m *message) bool { return m.method != "initialize" && m.answer != nil && m.answer.failed() })
		if first < 0 {
			continue
		}
		switch failed := requests[first]; {
		case c.last() > failed.answer.Seq:
			v.pass(failed.answer.Seq)
		case g.options.Ended:
			v.remark("after "+failed.what()+" had been answered with an error the client sent nothing more", failed.Seq, failed.answer.Seq)
		default:
			v.skip("nothing has come since the error")
		}
	}
}
