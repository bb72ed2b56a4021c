package clientcheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
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
func (c *conversation) separate() bool { return c.Transport == requirement.HTTP && c.modern }

func requestIDs(v *judging) {
	used := map[string]*message{}
	for _, m := range v.requests() {
		if strings.HasPrefix(m.method, "notifications/") {
			continue // the id is what is wrong with it, see CL-24
		}
		before, number := used[m.id], strings.TrimPrefix(m.id, "n")
		switch {
		case number == "null" || number != m.id && !judge.IsInteger(gjson.Parse(number)):
			v.violated("a string or an integer", "the id of "+m.what()+" is "+shorten(number),
				"number requests from 1", m)
		case before == nil || v.separate() || before.turnedAway():
			v.pass(m)
		case !v.modern || !before.answeredBy(m):
			v.violated("an id that no other request has",
				shownID(m.id)+" of "+m.what()+" has been used for "+before.what(),
				"count ids up for as long as the session lasts", before, m)
		}
		used[m.id] = m
	}
	for _, m := range v.notes(asking...) {
		v.violated("an id, a string or an integer",
			m.what()+" was sent without an id, to which there is no answer",
			"give each request an id of its own", m)
	}
}

// asking are methods of requests, which are never notifications.
var asking = []string{
	methodInitialize, methodDiscover, methodPing, methodComplete, "logging/setLevel", methodListen,
	methodList, methodTemplates, methodRead, methodSubscribe, methodUnsubscribe,
	"prompts/list", "prompts/get", "tools/list", "tools/call",
}

func cancellations(v *judging) {
	for _, m := range v.notes(methodCancelled) {
		id := m.Get("params.requestId")
		named := v.request(idKey(id.Raw), m)
		switch {
		case !m.whole:
		case v.separate():
			v.NotExercised("over HTTP without sessions a cancellation cannot be looked up")
		case !id.Exists():
			v.violated("requestId with the id of a request", "there is no requestId",
				"say which request is cancelled", m)
		case named == nil && !v.whole:
			v.incomplete("the beginning of the session is no longer in the journal")
		case named == nil:
			v.violated("the id of a request of this session",
				"no request with the id "+shorten(id.Raw)+" was sent",
				"cancel by the id of the request, with the type that it has", m)
		case named.method == methodInitialize:
			v.violated("no cancellation of initialize", "initialize was cancelled",
				"end the connection instead", named, m)
		case named.answer != nil && v.used(named.answer, m):
			v.violated("a request in progress", named.what()+" was cancelled after its result had been used",
				"forget a request when its response is there", named, named.answer, m)
		case named.answer != nil && m.at-named.answer.at > crossing:
			late := (m.at - named.answer.at).Round(time.Millisecond).String()
			v.warn("the client may not have read the response", "a request in progress",
				named.what()+" was cancelled "+late+" after its response",
				"forget a request when its response is there", named, named.answer, m)
		default:
			v.pass(named, m)
		}
	}
}

// crossing is how long a response and a cancellation may be under way at the same time.
const crossing = time.Second

// used reports whether the client asked before a message for what only a response can have told it: a page by
// its cursor, or a resource by a URI.
func (c *conversation) used(response, until *message) bool {
	next := response.Get("result.nextCursor")
	return slices.ContainsFunc(before(c.requests(), until), func(q *message) bool {
		x := q.Get("params.cursor")
		return q.Seq > response.Seq &&
			(c.uris[q.uri] == response || x.Type == gjson.String && x.Raw == next.Raw)
	})
}

func wellFormed(v *judging) {
	for _, m := range v.fromClient() {
		switch {
		case m.kind == kindBatch:
			continue
		case v.cutOff(m) && m.HTTP == nil && v.Ended && v.closed != nil && v.closed.Reason == "client":
			v.warn("the client may have been cut off", "messages, and nothing else",
				"the standard input of the server ended with half a message",
				"write each message as a whole before closing the input", m, v.closed)
			continue
		case v.cutOff(m):
			continue
		}
		wrong, hint := flaw(m)
		twice := ""
		if wrong == "" && m.whole {
			twice = repeated(m)
		}
		switch {
		case m.empty():
			v.warn("an empty line is taken for no message", "messages, and nothing else",
				"an empty line was written to the standard input of the server",
				"end each message with one line break", m)
		case twice != "":
			v.warn("that names are unique is a SHOULD of RFC 8259", "each member once",
				"a name stands twice in one object of "+m.what()+": "+shorten(twice),
				"write each member once: readers take the first, or the last", m)
		default:
			v.that(wrong == "", "a JSON-RPC 2.0 message", wrong, hint, m)
		}
	}
}

// cutOff reports whether a client sent only the beginning of a message, as one does that ends meanwhile: a
// body that is shorter than was said, or whose length nobody said, or a last line that goes no further.
func (c *conversation) cutOff(m *message) bool {
	if m.kind != kindUnreadable || !m.whole {
		return false
	}
	if m.HTTP != nil {
		if said := m.Header("Content-Length"); said != "" {
			length, err := strconv.Atoi(said)
			return err == nil && m.Size < length
		}
	} else if m != c.last() {
		return false
	}
	raw := bytes.TrimLeft(m.Data, " \t")
	err := json.NewDecoder(bytes.NewReader(raw)).Decode(new(json.RawMessage))
	return bytes.IndexAny(raw, "{[") == 0 && errors.Is(err, io.ErrUnexpectedEOF)
}

// empty reports whether a line on stdio has nothing in it.
func (m *message) empty() bool {
	return m.Transport == requirement.Stdio && m.kind == kindUnreadable && m.whole &&
		len(bytes.TrimSpace(m.Data)) == 0
}

// repeated says of a message which name stands twice in one object, however deep it lies.
func repeated(m *message) string {
	for _, f := range wire.Inspect([]byte(m.Raw)) {
		if f.Code == wire.FlawDuplicate {
			return f.Detail
		}
	}
	return ""
}

// flaw says what is wrong with a message, and what to do about it.
func flaw(m *message) (wrong, hint string) {
	params, result, failure := m.Get("params"), m.Get("result"), m.Get("error")
	switch {
	case !m.whole:
		return "", ""
	case !utf8.Valid(m.Data):
		return "it is not UTF-8", "encode messages as UTF-8"
	case m.kind == kindUnreadable && !m.Exists() && m.Transport == requirement.Stdio:
		return "a line that is no JSON text",
			"write each message on one line, and nothing else to the server's standard input"
	case m.kind == kindUnreadable:
		return "it is no request, notification or response", "send nothing but messages"
	case m.Get("jsonrpc").Raw != `"2.0"`:
		return m.what() + ` lacks "jsonrpc": "2.0"`, `put "jsonrpc": "2.0" into every message`
	case m.kind == kindRequest && strings.HasPrefix(m.method, "notifications/"):
		return m.what() + " has an id", "leave the id out of notifications"
	case params.Exists() && !params.IsObject():
		return "the params of " + m.what() + " are " + shorten(params.Raw),
			"leave params out if there are none"
	case m.kind != kindResponse:
	case result.Exists() && failure.Exists():
		return "a response with both result and error", "send one of the two"
	case result.Exists() && !result.IsObject():
		return m.what() + " has the result " + shorten(result.Raw),
			"answer with an object, {} if there is nothing to say"
	case failure.Exists() && !(judge.IsNumber(failure.Get("code")) && judge.IsString(failure.Get("message"))):
		return "an error without code and message", "give errors an integer code and a message"
	}
	return "", ""
}

func noBatches(v *judging) {
	for _, m := range v.fromClient() {
		v.that(!m.batched, "one message at a time", "several messages in one array", "", m)
	}
}

func progressTokens(v *judging) {
	active := map[string]*message{}
	for _, m := range v.requests() {
		token := m.Get("params._meta.progressToken")
		if !token.Exists() {
			continue
		}
		key := idKey(token.Raw)
		before := active[key]
		switch {
		case !judge.IsString(token) && !judge.IsInteger(token):
			v.violated("a string or an integer", "the progress token of "+m.what()+" is "+shorten(token.Raw),
				"number progress tokens", m)
		case before != nil && !v.separate() && !before.turnedAway() && !before.answeredBy(m):
			v.violated("a progress token of its own",
				"the token "+shorten(token.Raw)+" of "+m.what()+" is that of another request in progress",
				"use the id of the request as its token", before, m)
		default:
			v.pass(m)
		}
		active[key] = m
	}
	if v.modern || !v.whole {
		return // see CL-38
	}
	for _, m := range v.notes("notifications/progress") {
		token := m.Get("params.progressToken")
		given := slices.ContainsFunc(v.fromServer(kindRequest, kindBatch), func(q *message) bool {
			x := q.Get("params._meta.progressToken")
			return q.Seq < m.Seq && (!q.whole || x.Exists() && idKey(x.Raw) == idKey(token.Raw))
		})
		if m.whole && !given {
			v.violated("the progress token of a request of the server",
				"progress was reported on "+shorten(token.Raw)+
					", which no request of the server had for its token",
				"report progress only on requests with a progressToken", m)
		}
	}
}

func survivesErrors(v *judging) {
	for _, m := range v.requests() {
		if m.method == methodInitialize || m.answer == nil || !m.answer.failed() {
			continue
		}
		switch other := v.wentOn(m); {
		case v.last().Seq > m.answer.Seq || v.modern && other != nil: // where each request stands by itself
			v.pass(m.answer)
		case other != nil:
			v.remark("after "+m.what()+" had been answered with an error the client went on elsewhere, with "+
				shorten(other.Method), m, m.answer, other)
		case v.Ended:
			v.remark("after "+m.what()+" had been answered with an error the client sent nothing more",
				m, m.answer)
		default:
			v.NotExercised("nothing has come since the error")
		}
		return
	}
}

// wentOn is the first message of the client behind an answer that is not in the conversation: on the same
// connection in the other era, or elsewhere if there is but one client. It is nil if there is none.
func (c *conversation) wentOn(answered *message) *entry {
	return first(recording.Keep(c.entries, func(e *entry) bool {
		return e.Seq > answered.answer.Seq && e.Method != "" && e.owner != nil && e.owner != c &&
			(c.SingleClient || e.owner == c.sibling)
	}))
}
