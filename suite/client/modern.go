package client

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

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
