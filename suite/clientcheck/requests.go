package clientcheck

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/tidwall/gjson"
)

// When an answer to a ping counts as due, and when it came late.
const (
	patience = 500 * time.Millisecond
	patient  = 3 // further requests
	prompt   = 5 * time.Second
)

// serverChecks are those of how a client treats what the server asks and tells it.
var serverChecks = []check{
	{"CL-19", "no notification was sent to it", silentOnNotifications},
	{"CL-20", "the server asked it nothing: over HTTP a client has to accept event streams", answersRequests},
	{"CL-26", "the server asked for nothing but pings", refusesUndeclared},
}

// pairs joins the requests of the server to the responses of the client.
type pairs struct {
	*conversation
	asked   []*message
	answers map[*message][]*message
	stray   []*message // responses that belong to no request
}

// paired pairs requests and responses. Where requests have the same id, each response is one
// to the first of them that has none: a client cannot help what ids a server takes.
func (c *conversation) paired() pairs {
	p := pairs{conversation: c, asked: c.fromServer(kindRequest), answers: map[*message][]*message{}}
	for _, m := range c.fromClient(kindResponse) {
		var asked *message
		for _, q := range p.asked {
			if q.id == m.id && q.Seq < m.Seq && (asked == nil || len(p.answers[asked]) > 0) {
				asked = q
			}
		}
		if asked == nil {
			p.stray = append(p.stray, m)
			continue
		}
		p.answers[asked] = append(p.answers[asked], m)
	}
	return p
}

// notified is the last notification of the server before a message, or what it sent that could
// not be read; nil if there is none.
func (c *conversation) notified(at int) *message {
	var last *message
	for _, m := range c.fromServer(kindNotification, kindUnreadable) {
		if m.Seq < at {
			last = m
		}
	}
	return last
}

// toNotification is the notification that a response can only be one to, if it belongs to no
// request and no request is open as it comes; else nil.
func (p *pairs) toNotification(m *message) *message {
	for _, q := range p.asked {
		if q.Seq < m.Seq && len(p.answers[q]) == 0 {
			return nil
		}
	}
	if n := p.notified(m.Seq); n != nil && n.kind == kindNotification {
		return n
	}
	return nil
}

func silentOnNotifications(g *group, v *judging) {
	for _, c := range g.conversations {
		p := c.paired()
		if n := c.fromServer(kindNotification); len(n) > 0 {
			v.pass(n[0].Seq)
		}
		for _, m := range p.stray {
			if n := p.toNotification(m); n != nil && c.whole {
				v.violated("no response", m.what()+" was sent after "+n.what()+", and no request of the server has that id",
					"answer only what has an id", n.Seq, m.Seq)
			}
		}
	}
}

func answersRequests(g *group, v *judging) {
	for _, c := range g.conversations {
		p := c.paired()
		for _, q := range p.asked {
			answered(v, c, q, p.answers[q])
		}
		for _, m := range p.stray {
			if n := c.notified(m.Seq); c.whole && p.toNotification(m) == nil && (n == nil || n.kind != kindUnreadable) {
				v.violated("the id of a request of the server", m.what()+" answers nothing that was asked", "copy the id of the request, with its type", m.Seq)
			}
		}
	}
}

// answered judges the responses to a request of the server.
func answered(v *judging, c *conversation, q *message, list []*message) {
	const hint = "answer ping with an empty result"
	ping := q.method == "ping"
	switch {
	case len(list) > 1:
		v.violated("one response", q.what()+" was answered more than once", "answer each request once", q.Seq, list[0].Seq, list[1].Seq)
	case len(list) == 0 && ping && c.due(q):
		v.violated("an empty result", "the ping was never answered", hint, q.Seq)
	case len(list) == 0:
		v.skip("the conversation ended before a response was due")
	case ping && list[0].failed():
		v.violated("an empty result", "the ping was answered with an error", hint, q.Seq, list[0].Seq)
	case ping && list[0].Time.Sub(q.Time) > prompt:
		v.warn("how soon is prompt is not said", "a prompt response", "the ping was answered after "+list[0].Time.Sub(q.Time).Round(time.Second).String(),
			"answer pings at once, whatever else goes on", q.Seq, list[0].Seq)
	default:
		v.pass(q.Seq, list[0].Seq)
	}
}

// due reports whether the client has had the time to answer a request.
func (c *conversation) due(q *message) bool {
	later := 0
	for _, m := range c.messages {
		if m.sent || m.Seq < q.Seq {
			continue
		}
		if later++; later >= patient || m.Time.Sub(q.Time) > patience {
			return true
		}
	}
	// Over HTTP a client leaves no trace when it goes: a session that it did not end itself
	// may have outlived it.
	outlived := c.Transport == requirement.HTTP && !c.deleted
	return c.closed != nil && !outlived && c.closed.Time.Sub(q.Time) > patience
}

func refusesUndeclared(g *group, v *judging) {
	capabilities := map[string]string{"roots/list": "roots", "sampling/createMessage": "sampling", "elicitation/create": "elicitation"}
	for _, c := range g.conversations {
		p := c.paired()
		for _, q := range p.asked {
			if q.method == "ping" {
				continue
			}
			capability := capabilities[q.method]
			declared := capability != "" && c.initialize != nil && c.initialize.params.Get("capabilities."+capability).Exists()
			list := p.answers[q]
			switch {
			case len(list) > 0 && declared && list[0].raw.Get("error.code").Int() == -32601:
				v.violated("an answer, since "+capability+" was declared", q.what()+" was refused as an unknown method", "declare only what is implemented", q.Seq, list[0].Seq)
			case len(list) > 0 && !declared && !list[0].failed():
				v.violated("an error, since nothing of the kind was declared", q.what()+" was answered with a result", "declare what is implemented", q.Seq, list[0].Seq)
			case len(list) > 0:
				v.pass(q.Seq, list[0].Seq)
			case !declared && c.due(q):
				v.violated("an error", q.what()+" was left without an answer", "answer unknown requests with the error -32601", q.Seq)
			default:
				v.skip("the conversation ended before a response was due")
			}
		}
	}
}

// codeUnsupported is the error of a version that the server does not speak.
const codeUnsupported = -32022

// modernChecks are those that only revisions without handshake have.
var modernChecks = []check{
	{"CL-09", "it sent no request", metadata},
	{"CL-27", "it sent nothing", oneEra},
	{"CL-28", "no version was refused (\"--revision\" limits what the server speaks)", otherVersion},
	{"CL-34", "no result asked it for input, or it did not retry", retries},
}

func metadata(g *group, v *judging) {
	for _, m := range g.requests() {
		info := m.meta("clientInfo")
		const hint = "put protocolVersion, clientInfo and clientCapabilities into the _meta of every request, under io.modelcontextprotocol/"
		switch {
		case !m.whole:
		case m.meta("protocolVersion").Type != gjson.String:
			v.violated("a protocolVersion in _meta", "the _meta of "+m.what()+" has no protocolVersion", hint, m.Seq)
		case !m.meta("clientCapabilities").IsObject():
			v.violated("clientCapabilities in _meta, be it {}", "the _meta of "+m.what()+" has no clientCapabilities", hint, m.Seq)
		case !info.Exists():
			v.warn("it is a SHOULD, and a client may be told to leave it out", "clientInfo in _meta", "the _meta of "+m.what()+" has no clientInfo", hint, m.Seq)
		case info.Get("name").Type != gjson.String || info.Get("version").Type != gjson.String:
			v.violated("a clientInfo with name and version", "the clientInfo of "+m.what()+" is "+shorten(info.Raw), hint, m.Seq)
		default:
			v.pass(m.Seq)
		}
	}
}

func oneEra(g *group, v *judging) {
	for _, c := range g.conversations {
		if c.last() > 0 {
			v.pass(c.last())
		}
		p := c.paired()
		for _, m := range c.fromClient(kindResponse) {
			if p.toNotification(m) == nil { // else see CL-19
				v.violated("requests and notifications only", m.what()+" was sent", "answer input requests by a retry; there are no others", m.Seq)
			}
		}
		if s, m := c.sibling, c.understood(); s != nil && s.initialize != nil && m != nil && m.answer.Seq < s.initialize.Seq {
			v.warn("it is only implied", "requests with metadata to the end", "initialize was sent after "+m.what()+" had succeeded",
				"choose one era for a connection, by the answer to server/discover", m.answer.Seq, s.initialize.Seq)
		}
		for _, m := range c.requests("initialize") {
			if known := c.understood(); known != nil && known.answer.Seq < m.Seq {
				v.warn("it is only implied", "requests with metadata to the end", "initialize was sent, with the metadata of this revision, after "+known.what()+" had succeeded",
					"leave the handshake to older revisions: server/discover says what a server can do", known.answer.Seq, m.Seq)
			}
		}
	}
}

func otherVersion(g *group, v *judging) {
	for _, c := range g.conversations {
		requests := c.requests()
		refused := slices.IndexFunc(requests, func(m *message) bool {
			return m.answer != nil && m.answer.raw.Get("error.code").Int() == codeUnsupported
		})
		if refused >= 0 {
			judgeRefused(g, v, c, requests[refused])
		}
	}
}

// judgeRefused judges what came after a version had been refused.
func judgeRefused(g *group, v *judging, c *conversation, refused *message) {
	var supported []string
	for _, x := range refused.answer.raw.Get("error.data.supported").Array() {
		supported = append(supported, x.String())
	}
	for _, other := range g.record.conversations {
		if other.Transport != c.Transport || other != c && other != c.sibling && c.Transport == requirement.Stdio {
			continue
		}
		later := slices.DeleteFunc(other.requests(), func(m *message) bool { return m.Seq <= refused.answer.Seq })
		if len(later) == 0 {
			continue
		}
		m := later[0]
		version := m.meta("protocolVersion").String()
		if m.method == "initialize" {
			version = m.params.Get("protocolVersion").String()
		}
		if !other.modern || slices.Contains(supported, version) {
			v.pass(refused.answer.Seq, m.Seq)
		} else {
			v.violated("one of "+shorten(strings.Join(supported, ", ")), "the client went on with "+shorten(version), "choose from data.supported, or tell the user that there is no common version",
				refused.Seq, refused.answer.Seq, m.Seq)
		}
		return
	}
	v.skip("the client gave up: it may support none of " + strings.Join(supported, ", "))
}

func retries(g *group, v *judging) {
	for _, c := range g.conversations {
		requests := c.requests()
		for i, m := range requests {
			r, ok := m.succeeded()
			if !ok || r.Get("resultType").String() != "input_required" {
				continue
			}
			retry := slices.IndexFunc(requests[i+1:], func(q *message) bool {
				again := q.params.Get("inputResponses").Exists() || q.params.Get("requestState").Exists()
				return again && q.Seq > m.answer.Seq && q.method == m.method && q.uri == m.uri
			})
			if retry >= 0 {
				judgeRetry(v, m, requests[i+1+retry], r)
			}
		}
	}
}

func judgeRetry(v *judging, m, retry *message, r gjson.Result) {
	answered := judge.Names(retry.params.Get("inputResponses"))
	missing := slices.DeleteFunc(judge.Names(r.Get("inputRequests")), func(key string) bool { return slices.Contains(answered, key) })
	state, echoed := r.Get("requestState"), retry.params.Get("requestState")
	evidence := []int{m.Seq, m.answer.Seq, retry.Seq}
	switch {
	case len(missing) > 0:
		v.violated("an inputResponses member for each input request", fmt.Sprintf("the retry has none for %q", shorten(missing[0])), "answer all input requests under their keys", evidence...)
	case state.Exists() && (echoed.Type != state.Type || echoed.String() != state.String()):
		v.violated("the requestState of the result", "the retry has another one, or none", "return requestState byte for byte", evidence...)
	case !state.Exists() && echoed.Exists():
		v.violated("no requestState, since the result had none", "the retry has one", "leave requestState out", evidence...)
	case retry.id == m.id:
		v.violated("an id of its own for the retry", "the retry has the id of the first request", "take a new id", evidence...)
	default:
		v.pass(evidence...)
	}
}
