package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// codeUnsupported is the error of a version that the server does not speak.
const codeUnsupported = -32022

func modernRules() []Rule {
	return []Rule{
		{
			ID: "CL-09", Title: "Every request carries its metadata", Profile: profileMessages,
			Text:  "The _meta of every request has the protocol version and the capabilities of the client, and unless the client is told otherwise its name and version.",
			Level: "MUST", Grade: Fail, Basis: Normative, Revisions: modernOnly, Transports: onBoth,
			Sections:  []Section{inModern("basic/index", "_meta")},
			Tolerated: "That clientInfo is missing is a warning, since it is a SHOULD.",
			Occasion:  "it sent no request", judge: metadata,
		},
		{
			ID: "CL-27", Title: "One era in one conversation, and no responses", Profile: profileMessages,
			Text:  "In a revision without handshake a client sends requests and notifications but never a response, and does not fall back to the handshake of older revisions once the server has understood it.",
			Level: "MUST", Grade: Fail, Basis: Normative, Revisions: modernOnly, Transports: onBoth,
			Sections: []Section{
				{From: modern, To: modern, Transport: hook.HTTP, Page: "basic/transports/streamable-http", Anchor: "sending-messages"},
				inModern("basic/patterns/index", ""),
			},
			Tolerated: "A handshake after a request of this era that was refused, and one in another session. Mixing the eras is a warning, since the specification only implies it.",
			Occasion:  "it sent nothing", judge: oneEra,
		},
		{
			ID: "CL-28", Title: "A refused version is replaced by a supported one", Profile: profileLifecycle,
			Text:  "When the server refuses a version and says which ones it supports, the client goes on with one of those, or not at all.",
			Level: "SHOULD", Grade: Warn, Basis: Normative, Revisions: modernOnly, Transports: onBoth,
			Sections:  []Section{inModern("basic/versioning", "protocol-version-negotiation")},
			Tolerated: "A client that gives up may support none of them.",
			Occasion:  "no version was refused (\"--revision\" limits what the server speaks)", judge: otherVersion,
		},
		{
			ID: "CL-34", Title: "What is asked for is given in the retry", Profile: profileRequests,
			Text:  "When a result asks for input, the retry answers every request in it and returns its requestState unchanged, under a new id; without a requestState it sends none.",
			Level: "MUST", Grade: Fail, Basis: Normative, Revisions: modernOnly, Transports: onBoth,
			Sections:  []Section{inModern("basic/patterns/mrtr", "client-requirements-basic-workflow")},
			Tolerated: "A client need not retry, and may ask afresh.",
			Occasion:  "no result asked it for input, or it did not retry", judge: retries,
		},
	}
}

func metadata(g *group, v *ruling) {
	for _, c := range g.talks {
		for _, m := range c.requests() {
			version, capabilities, info := m.meta("protocolVersion"), m.meta("clientCapabilities"), m.meta("clientInfo")
			const hint = "put protocolVersion, clientInfo and clientCapabilities into the _meta of every request, under io.modelcontextprotocol/"
			switch {
			case !m.whole:
			case version.Type != gjson.String:
				v.broken("a protocolVersion in _meta", "the _meta of "+m.what()+" has no protocolVersion", hint, m.seq())
			case !capabilities.IsObject():
				v.broken("clientCapabilities in _meta, be it {}", "the _meta of "+m.what()+" has no clientCapabilities", hint, m.seq())
			case info.Exists() && (info.Get("name").Type != gjson.String || info.Get("version").Type != gjson.String):
				v.broken("a clientInfo with name and version", "the clientInfo of "+m.what()+" is "+shorten(info.Raw), hint, m.seq())
			case !info.Exists():
				v.dubious("it is a SHOULD, and a client may be told to leave it out", "clientInfo in _meta", "the _meta of "+m.what()+" has no clientInfo", hint, m.seq())
			default:
				v.fine(m.seq())
			}
		}
	}
}

func oneEra(g *group, v *ruling) {
	for _, c := range g.talks {
		answers, stray := c.paired()
		for _, list := range answers {
			stray = append(stray, list...)
		}
		bad := false
		for _, m := range stray {
			if c.answersNotification(answers, m) == nil {
				bad = true
				v.broken("requests and notifications only", m.what()+" was sent", "answer input requests by a retry; there are no others", m.seq())
			}
		}
		understood := slices.IndexFunc(c.requests(), func(m *message) bool { _, ok := m.succeeded(); return ok })
		if s := c.sibling; s != nil && s.greeting != nil && understood >= 0 {
			if m := c.requests()[understood]; m.answer.seq() < s.greeting.seq() {
				bad = true
				v.dubious("it is only implied", "requests with metadata to the end", "initialize was sent after "+m.what()+" had succeeded",
					"choose one era for a connection, by the answer to server/discover", m.answer.seq(), s.greeting.seq())
			}
		}
		if !bad && c.last() > 0 {
			v.fine(c.last())
		}
	}
}

func otherVersion(g *group, v *ruling) {
	for _, c := range g.talks {
		for _, m := range c.requests() {
			if m.answer == nil || m.answer.raw.Get("error.code").Int() != codeUnsupported {
				continue
			}
			var supported []string
			for _, x := range m.answer.raw.Get("error.data.supported").Array() {
				supported = append(supported, x.String())
			}
			judgeRefused(g, v, c, m, supported)
			break
		}
	}
}

// judgeRefused judges what came after a version had been refused.
func judgeRefused(g *group, v *ruling, c *conversation, refused *message, supported []string) {
	for _, other := range g.record.talks {
		if other.transport != c.transport || other != c && other != c.sibling && c.transport == hook.Stdio {
			continue
		}
		for _, m := range other.requests() {
			if m.seq() <= refused.answer.seq() {
				continue
			}
			version := m.meta("protocolVersion").String()
			if m.method == "initialize" {
				version = m.params.Get("protocolVersion").String()
			} else if !other.modern {
				version = other.revision
			}
			if slices.Contains(supported, version) || !other.modern {
				v.fine(refused.answer.seq(), m.seq())
			} else {
				v.broken("one of "+shorten(strings.Join(supported, ", ")), "the client went on with "+shorten(version), "choose from data.supported, or tell the user that there is no common version",
					refused.seq(), refused.answer.seq(), m.seq())
			}
			return
		}
	}
	v.idle("the client gave up: it may support none of " + strings.Join(supported, ", "))
}

func retries(g *group, v *ruling) {
	for _, c := range g.talks {
		requests := c.requests()
		for i, m := range requests {
			r, ok := m.succeeded()
			if !ok || r.Get("resultType").String() != "input_required" {
				continue
			}
			for _, q := range requests[i+1:] {
				again := q.params.Get("inputResponses").Exists() || q.params.Get("requestState").Exists()
				if q.seq() > m.answer.seq() && q.method == m.method && q.uri == m.uri && again {
					judgeRetry(v, m, q, r)
					break
				}
			}
		}
	}
}

func judgeRetry(v *ruling, m, retry *message, r gjson.Result) {
	missing := ""
	r.Get("inputRequests").ForEach(func(key, _ gjson.Result) bool {
		found := false
		retry.params.Get("inputResponses").ForEach(func(k, _ gjson.Result) bool {
			found = found || k.String() == key.String()
			return !found
		})
		if !found {
			missing = key.String()
		}
		return found
	})
	state, echoed := r.Get("requestState"), retry.params.Get("requestState")
	evidence := []uint64{m.seq(), m.answer.seq(), retry.seq()}
	switch {
	case missing != "":
		v.broken("an inputResponses member for each input request", fmt.Sprintf("the retry has none for %q", shorten(missing)), "answer all input requests under their keys", evidence...)
	case state.Exists() && (echoed.Type != state.Type || echoed.String() != state.String()):
		v.broken("the requestState of the result", "the retry has another one, or none", "return requestState byte for byte", evidence...)
	case !state.Exists() && echoed.Exists():
		v.broken("no requestState, since the result had none", "the retry has one", "leave requestState out", evidence...)
	case retry.id == m.id:
		v.broken("an id of its own for the retry", "the retry has the id of the first request", "take a new id", evidence...)
	default:
		v.fine(evidence...)
	}
}
