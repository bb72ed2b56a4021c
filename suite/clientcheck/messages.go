package clientcheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
	"github.com/yosida95/uritemplate/v3"
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
			case before == nil || separate(c) || g.record.turnedAway(before):
				v.pass(m.Seq)
			case !c.modern || before.answer == nil || before.answer.Seq > m.Seq:
				v.violated("an id that no other request has", shownID(m.id)+" of "+m.what()+" has been used for "+before.what(),
					"count ids up for as long as the session lasts", before.Seq, m.Seq)
			}
			used[m.id] = m
		}
		for _, m := range c.fromClient(kindNotification) {
			if slices.Contains(asking, m.method) {
				v.violated("an id, a string or an integer", m.what()+" was sent without an id, to which there is no answer", "give each request an id of its own", m.Seq)
			}
		}
	}
}

// asking are methods of requests, which are never notifications.
var asking = []string{
	"initialize", methodDiscover, "ping", methodComplete, "logging/setLevel", methodListen, methodList, methodTemplates, methodRead,
	"resources/subscribe", "resources/unsubscribe", "prompts/list", "prompts/get", "tools/list", "tools/call",
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
	for c, m := range g.said() {
		if m.kind == kindBatch {
			continue
		}
		if c.cutOff(m) {
			continue
		}
		wrong, hint := flaw(m)
		twice := ""
		if wrong == "" && m.whole {
			twice = repeated(m)
		}
		switch {
		case m.empty():
			v.warn("an empty line is taken for no message", "messages, and nothing else", "an empty line was written to the standard input of the server",
				"end each message with one line break", m.Seq)
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

// cutOff reports whether a client sent only the beginning of a message, as one does that ends meanwhile: a body
// that is shorter than was said, or whose length nobody said, or a last line that goes no further.
func (c *conversation) cutOff(m *message) bool {
	if m.kind != kindUnreadable || !m.whole {
		return false
	}
	if m.HTTP != nil {
		if said := m.header("Content-Length"); said != "" {
			length, err := strconv.Atoi(said)
			return err == nil && m.Size < length
		}
	} else if m.Seq != c.last() {
		return false
	}
	raw := bytes.TrimLeft(m.entry.raw, " \t")
	return bytes.IndexAny(raw, "{[") == 0 && errors.Is(json.NewDecoder(bytes.NewReader(raw)).Decode(new(json.RawMessage)), io.ErrUnexpectedEOF)
}

// empty reports whether a line on stdio has nothing in it.
func (m *message) empty() bool {
	return m.Transport == requirement.Stdio && m.kind == kindUnreadable && m.whole && len(bytes.TrimSpace(m.entry.raw)) == 0
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
			case before != nil && !separate(c) && !g.record.turnedAway(before) && (before.answer == nil || before.answer.Seq > m.Seq):
				v.violated("a progress token of its own", "the token "+shorten(token.Raw)+" of "+m.what()+" is that of another request in progress", "use the id of the request as its token", before.Seq, m.Seq)
			default:
				v.pass(m.Seq)
			}
			active[key] = m
		}
		if c.modern || !c.whole {
			continue // see CL-38
		}
		for _, m := range c.fromClient(kindNotification) {
			token := m.params.Get("progressToken")
			given := slices.ContainsFunc(c.fromServer(kindRequest, kindBatch), func(q *message) bool {
				x := q.params.Get("_meta.progressToken")
				return q.Seq < m.Seq && (!q.whole || x.Exists() && idKey([]byte(x.Raw)) == idKey([]byte(token.Raw)))
			})
			if m.method == "notifications/progress" && m.whole && !given {
				v.violated("the progress token of a request of the server", fmt.Sprintf("progress was reported on %s, which no request of the server had for its token", shorten(token.Raw)),
					"report progress only on requests with a progressToken", m.Seq)
			}
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

// paramsChecks are those of params and methods.
var paramsChecks = []check{
	{"CL-37", "it sent no request with params that the schema asks for", paramsFit},
	{"CL-38", "it sent nothing whose name tells revisions apart", methodsOfRevision},
	{"CL-39", "it completed nothing of a template that it had been told of", completesVariables},
}

// form is a place in params and the type that it has to have.
type form struct {
	path     string
	fits     func(x gjson.Result) bool
	expected string
}

func isFlag(x gjson.Result) bool { return !x.Exists() || x.IsBool() }

func isTexts(x gjson.Result) bool {
	return !x.Exists() || x.IsArray() && !slices.ContainsFunc(x.Array(), func(e gjson.Result) bool { return !judge.IsString(e) })
}

// oneOf wants one of some strings.
func oneOf(texts ...string) func(gjson.Result) bool {
	return func(x gjson.Result) bool { return judge.IsString(x) && slices.Contains(texts, x.String()) }
}

// forms lists what the params of a request need in every revision that has its method. What a
// completion needs depends on what it refers to.
func forms(m *message) []form {
	text := func(path string) form { return form{path, judge.IsString, "a string"} }
	argument := []form{text("argument.name"), text("argument.value")}
	switch m.method {
	case methodRead, "resources/subscribe", "resources/unsubscribe":
		return []form{text("uri")}
	case "prompts/get", "tools/call":
		return []form{text("name")}
	case "logging/setLevel":
		return []form{{"level", oneOf("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"), "one of the eight levels"}}
	case methodListen:
		return []form{
			{"notifications", judge.IsObject, "an object"}, {"notifications.resourceSubscriptions", isTexts, "an array of strings"},
			{"notifications.resourcesListChanged", isFlag, "a boolean"}, {"notifications.toolsListChanged", isFlag, "a boolean"}, {"notifications.promptsListChanged", isFlag, "a boolean"},
		}
	case methodComplete:
		if m.params.Get("ref.type").String() == "ref/prompt" {
			return append([]form{text("ref.name")}, argument...)
		}
		return append([]form{{"ref.type", oneOf("ref/resource"), `"ref/resource" or "ref/prompt"`}, text("ref.uri")}, argument...)
	}
	return nil
}

func paramsFit(g *group, v *judging) {
	for _, m := range g.requests() {
		if !m.whole || m.params.Exists() && !m.params.IsObject() {
			continue // see CL-24
		}
		wanted := forms(m)
		if m.params.Get("_meta").Exists() {
			wanted = append(wanted, form{"_meta", judge.IsObject, "an object"})
		}
		bad := slices.IndexFunc(wanted, func(f form) bool { return !f.fits(m.params.Get(f.path)) })
		switch {
		case len(wanted) == 0:
		case bad < 0:
			v.pass(m.Seq)
		default:
			f, seen := wanted[bad], "is missing"
			if x := m.params.Get(f.path); x.Exists() {
				seen = "is " + shorten(x.Raw)
			}
			v.violated(f.path+" in params: "+f.expected, fmt.Sprintf("params.%s of %s %s", f.path, m.what(), seen), "send params in the form of the schema", m.Seq)
		}
	}
}

// foreign are the methods that revisions of the other era have, and this one has not. The
// handshake itself is the matter of CL-27.
func foreign(modern bool) []string {
	if !modern {
		return []string{methodListen}
	}
	return []string{
		"ping", "resources/subscribe", "resources/unsubscribe", "logging/setLevel",
		"notifications/initialized", "notifications/progress", "notifications/roots/list_changed",
	}
}

func methodsOfRevision(g *group, v *judging) {
	for _, c := range g.conversations {
		known := c.accepted
		if q := c.understood(); c.modern && q != nil {
			known = q.answer
		}
		for _, m := range c.fromClient(kindRequest, kindNotification) {
			switch {
			case known == nil || m.Seq < known.Seq:
			case slices.Contains(foreign(c.modern), m.method):
				v.violated("a method of "+string(c.Revision), m.what()+" was sent, which "+string(c.Revision)+" does not have", "look the methods up in the schema of the revision that is spoken", known.Seq, m.Seq)
			case slices.Contains(foreign(!c.modern), m.method):
				v.pass(m.Seq)
			}
		}
	}
}

func completesVariables(g *group, v *judging) {
	templates := g.known("uriTemplate")
	for _, m := range g.requests(methodComplete) {
		text, name := m.params.Get("ref.uri").String(), m.params.Get("argument.name")
		told, listed := templates[text]
		t, err := uritemplate.New(text)
		if !listed || told > m.Seq || err != nil || !judge.IsString(name) {
			continue
		}
		if variables := t.Varnames(); !slices.Contains(variables, name.String()) {
			v.violated(fmt.Sprintf("one of the variables %q", variables), fmt.Sprintf("%s names %q, which is no variable of %q", m.what(), shorten(name.String()), shorten(text)),
				"take the names of arguments from the template, without braces and operators", told, m.Seq)
		} else {
			v.pass(told, m.Seq)
		}
	}
}
