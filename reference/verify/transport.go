package verify

import (
	"encoding/base64"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

func httpRules() []Rule {
	session := []Section{{From: hook.R20250326, To: lastLegacy, Page: "basic/transports", Anchor: "session-management"}}
	sending := []Section{
		{From: hook.R20250326, To: lastLegacy, Page: "basic/transports", Anchor: "sending-messages-to-the-server"},
		inModern("basic/transports/streamable-http", "sending-messages"),
	}
	return []Rule{
		{
			ID: "CL-05", Title: "Requests over HTTP name the negotiated version", Profile: profileTransport,
			Text:  "After the handshake every HTTP request carries MCP-Protocol-Version, with the version that was negotiated.",
			Level: "MUST", Grade: Fail, Basis: Normative, Revisions: sinceVersion, Transports: onHTTP,
			Sections:  []Section{{From: hook.R20250618, To: lastLegacy, Page: "basic/transports", Anchor: "protocol-version-header"}},
			Tolerated: "Another version than the negotiated one is a warning, since that part is a SHOULD.",
			Occasion:  "nothing came after a handshake", judge: versionHeader,
		},
		{
			ID: "CL-06", Title: "Requests name their session", Profile: profileTransport,
			Text:  "Once the server has issued a session id, every HTTP request carries it in MCP-Session-Id, as it was issued.",
			Level: "MUST", Grade: Fail, Basis: Normative, Revisions: legacyHTTP, Transports: onHTTP, Sections: session,
			Occasion: "no session id was issued, or nothing came after it", judge: sessionHeader,
		},
		{
			ID: "CL-07", Title: "Accept lists what the answer may be", Profile: profileTransport,
			Text:  "A POST accepts application/json and text/event-stream, a GET that opens an event stream accepts text/event-stream.",
			Level: "MUST", Grade: Fail, Basis: Normative, Revisions: sinceHTTP, Transports: onHTTP, Sections: sending,
			Tolerated: "Ranges such as */* that include the types.",
			Occasion:  "it sent no POST", judge: acceptHeader,
		},
		{
			ID: "CL-08", Title: "A POST says that it is JSON", Profile: profileTransport,
			Text:  "A POST with a message has the content type application/json.",
			Level: "SHOULD", Grade: Warn, Basis: External, Revisions: sinceHTTP, Transports: onHTTP,
			Sections:  []Section{outside("RFC 9110", "section-8.3")},
			Tolerated: "Parameters of the type. Since the specification only shows it in examples, another type is a warning.",
			Occasion:  "it sent no POST", judge: contentType,
		},
		{
			ID: "CL-10", Title: "Headers mirror method and name", Profile: profileTransport,
			Text:  "Mcp-Method has the method of the request; on tools/call, prompts/get and resources/read Mcp-Name has the name or URI, in Base64 between =?base64? and ?= where it cannot stand in a header as it is.",
			Level: "MUST", Grade: Fail, Basis: Normative, Revisions: modernOnly, Transports: onHTTP,
			Sections:  []Section{inModern("basic/transports/streamable-http", "standard-request-headers")},
			Tolerated: "Base64 where plain text would do. Notifications need neither header.",
			Occasion:  "it sent no request", judge: mirrorHeaders,
		},
		{
			ID: "CL-11", Title: "Header and body name the same version", Profile: profileTransport,
			Text:  "Every POST carries MCP-Protocol-Version, with the version that stands in the metadata of the request.",
			Level: "MUST", Grade: Fail, Basis: Normative, Revisions: modernOnly, Transports: onHTTP,
			Sections: []Section{inModern("basic/transports/streamable-http", "protocol-version-header")},
			Occasion: "it sent no POST", judge: versionsAgree,
		},
		{
			ID: "CL-17", Title: "A lost session is replaced by a new one", Profile: profileTransport,
			Text:  "When a request that names a session is answered with 404, the client starts a new session with an initialize request that names none.",
			Level: "MUST", Grade: Fail, Basis: Normative, Revisions: legacyHTTP, Transports: onHTTP, Sections: session,
			Tolerated: "Requests that were under way. A client that gives up altogether gets a warning.",
			Occasion:  "no session was lost (\"mockserver verify --provoke\" ends one)", judge: replacesSession,
		},
		{
			ID: "CL-30", Title: "A stream is resumed where it broke", Profile: profileTransport,
			Text:  "A GET that resumes an event stream has in Last-Event-ID an event id that the server sent in this session, as it was sent.",
			Level: "SHOULD", Grade: Warn, Basis: Normative, Revisions: legacyHTTP, Transports: onHTTP,
			Sections:  []Section{{From: hook.R20250326, To: lastLegacy, Page: "basic/transports", Anchor: "resumability-and-redelivery"}},
			Tolerated: "An id that is not the last of its stream: later events may never have arrived.",
			Occasion:  "it resumed no stream", judge: resumes,
		},
	}
}

// afterHandshake lists the HTTP requests that came after the handshake.
func (c *conversation) afterHandshake() []*journal.Entry {
	if c.welcome == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(c.heads), func(e *journal.Entry) bool { return e.Seq < c.welcome.seq() })
}

// shownHead is an HTTP request in a few words.
func shownHead(e *journal.Entry) string {
	if e.Method != "" {
		return e.HTTP.Method + " of " + shorten(e.Method)
	}
	return shorten(e.HTTP.Method)
}

func versionHeader(g *group, v *ruling) {
	for _, c := range g.talks {
		for _, e := range c.afterHandshake() {
			if e.Method == "initialize" {
				continue // a second handshake is the matter of CL-02
			}
			got, hint := e.Header(headerVersion), "send MCP-Protocol-Version: "+c.revision+" on every request after the handshake, GET and DELETE included"
			expected := "MCP-Protocol-Version: " + c.revision
			switch got {
			case c.revision:
				v.fine(e.Seq)
			case "":
				v.broken(expected, "the "+shownHead(e)+" has no MCP-Protocol-Version", hint, c.welcome.seq(), e.Seq)
			default:
				v.dubious("that it is the negotiated version is a SHOULD", expected, "the "+shownHead(e)+" has MCP-Protocol-Version: "+shorten(got), hint, c.welcome.seq(), e.Seq)
			}
		}
	}
}

func sessionHeader(g *group, v *ruling) {
	for _, c := range g.talks {
		if c.session == "" {
			continue
		}
		for _, e := range c.afterHandshake() {
			switch got := e.Header(headerSession); got {
			case c.session:
				v.fine(e.Seq)
			case "":
				v.broken("MCP-Session-Id as issued", "the "+shownHead(e)+" has no MCP-Session-Id", "send the id of the answer to initialize on every later request", c.welcome.seq(), e.Seq)
			default:
				v.broken("MCP-Session-Id as issued", "the "+shownHead(e)+" has another MCP-Session-Id, which was not issued", "keep the id byte for byte", c.welcome.seq(), e.Seq)
			}
		}
	}
}

func acceptHeader(g *group, v *ruling) {
	for _, c := range g.talks {
		for _, e := range c.heads {
			var want []string
			switch e.HTTP.Method {
			case http.MethodPost:
				want = []string{"application/json", "text/event-stream"}
			case http.MethodGet:
				want = []string{"text/event-stream"}
			default:
				continue
			}
			values := strings.Join(e.HTTP.Header.Values("Accept"), ",")
			if slices.ContainsFunc(want, func(t string) bool { return !accepted(values, t) }) {
				v.broken("Accept: "+strings.Join(want, ", "), fmt.Sprintf("the %s has Accept: %q", shownHead(e), shorten(values)), "list both types on POST, the event stream on GET", e.Seq)
			} else {
				v.fine(e.Seq)
			}
		}
	}
}

// accepted reports whether an Accept header takes a type: what it says of the type itself
// counts before what it says of ranges.
func accepted(values, want string) bool {
	family, _, _ := strings.Cut(want, "/")
	ranges := false
	for part := range strings.SplitSeq(values, ",") {
		name, parameters, _ := strings.Cut(part, ";")
		switch name = strings.ToLower(strings.TrimSpace(name)); name {
		case want:
			return !refusal(parameters)
		case family + "/*", "*/*":
			ranges = ranges || !refusal(parameters)
		}
	}
	return ranges
}

// refusal reports whether the weight of a type is 0, which says that it is not accepted.
func refusal(parameters string) bool {
	for p := range strings.SplitSeq(parameters, ";") {
		name, weight, _ := strings.Cut(p, "=")
		if q, err := strconv.ParseFloat(strings.TrimSpace(weight), 64); strings.EqualFold(strings.TrimSpace(name), "q") && err == nil && q == 0 {
			return true
		}
	}
	return false
}

func contentType(g *group, v *ruling) {
	for _, c := range g.talks {
		for _, e := range c.heads {
			if e.HTTP.Method != http.MethodPost {
				continue
			}
			got := e.Header("Content-Type")
			if kind, _, err := mime.ParseMediaType(got); err == nil && kind == "application/json" {
				v.fine(e.Seq)
				continue
			}
			v.broken("Content-Type: application/json", fmt.Sprintf("the %s has Content-Type: %q", shownHead(e), shorten(got)), "name the type of the body", e.Seq)
		}
	}
}

func mirrorHeaders(g *group, v *ruling) {
	for _, c := range g.talks {
		for _, m := range c.requests() {
			if m.entry.HTTP == nil || m.batched {
				continue
			}
			if got := m.entry.HTTP.Header.Values(headerMethod); len(got) != 1 || strings.Trim(got[0], " \t") != m.method {
				v.broken("Mcp-Method: "+shorten(m.method), fmt.Sprintf("Mcp-Method of %s is %q", m.what(), shorten(strings.Join(got, ", "))), "put the method into Mcp-Method", m.seq())
				continue
			}
			name, needed := mirroredName(m)
			got := m.entry.HTTP.Header.Values(headerName)
			switch {
			case !needed:
				v.fine(m.seq())
			case len(got) != 1:
				v.broken("Mcp-Name: "+shorten(encodeHeader(name)), fmt.Sprintf("%s has %d headers Mcp-Name", m.what(), len(got)), "put the name or URI into Mcp-Name", m.seq())
			case strings.Trim(got[0], " \t") != encodeHeader(name) && decodeHeader(got[0]) != name:
				v.broken("Mcp-Name: "+shorten(encodeHeader(name)), fmt.Sprintf("Mcp-Name of %s is %q", m.what(), shorten(got[0])), "put the name or URI into Mcp-Name byte for byte, in Base64 where it is not plain ASCII", m.seq())
			default:
				v.fine(m.seq())
			}
		}
	}
}

// mirroredName is what Mcp-Name has to say.
func mirroredName(m *message) (name string, needed bool) {
	member := map[string]string{"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}[m.method]
	x := m.params.Get(member)
	return x.String(), member != "" && x.Type.String() == "String"
}

const (
	encodedBegin = "=?base64?"
	encodedEnd   = "?="
)

// encodeHeader writes a value as a header takes it.
func encodeHeader(s string) string {
	plain := s == strings.Trim(s, " \t") && !(strings.HasPrefix(s, encodedBegin) && strings.HasSuffix(s, encodedEnd))
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] >= 0x20 && s[i] < 0x7F || s[i] == '\t'
	}
	if plain {
		return s
	}
	return encodedBegin + base64.StdEncoding.EncodeToString([]byte(s)) + encodedEnd
}

// decodeHeader reads a value in Base64; others are empty.
func decodeHeader(s string) string {
	inner, ok := strings.CutPrefix(strings.Trim(s, " \t"), encodedBegin)
	inner, ended := strings.CutSuffix(inner, encodedEnd)
	data, err := base64.StdEncoding.DecodeString(inner)
	if !ok || !ended || err != nil {
		return ""
	}
	return string(data)
}

func versionsAgree(g *group, v *ruling) {
	for _, c := range g.talks {
		for _, m := range c.messages {
			if m.sent || m.entry.HTTP == nil || m.batched {
				continue
			}
			got, body := m.entry.Header(headerVersion), m.meta("protocolVersion").String()
			switch {
			case got == "":
				v.broken("MCP-Protocol-Version on every POST", "the POST of "+m.what()+" has no MCP-Protocol-Version", "send MCP-Protocol-Version: "+modern, m.seq())
			case m.kind == journal.Request && body != "" && body != got:
				v.broken("the version of the body, "+shorten(body), "MCP-Protocol-Version of "+m.what()+" says "+shorten(got)+", its _meta "+shorten(body), "take both from one place", m.seq())
			default:
				v.fine(m.seq())
			}
		}
	}
}

func replacesSession(g *group, v *ruling) {
	for _, c := range g.talks {
		for _, lost := range c.heads {
			answer := g.record.status[lost.Seq]
			if answer == nil || answer.HTTP.Status != http.StatusNotFound || lost.HTTP.Method != http.MethodPost || lost.Method == "" || lost.Header(headerSession) == "" {
				continue
			}
			if c.session != "" && lost.Header(headerSession) != c.session {
				continue // an id that nobody issued: see CL-06
			}
			judgeLost(g, v, c, lost, answer)
			break
		}
	}
}

// judgeLost judges what came after a session was lost.
func judgeLost(g *group, v *ruling, c *conversation, lost, answer *journal.Entry) {
	const hint = "on 404 to a request with MCP-Session-Id forget the id, send initialize without it and go on in the new session"
	expected := "an initialize request without MCP-Session-Id"
	for _, other := range g.record.talks {
		if other.transport != hook.HTTP || other.modern || other.greeting == nil || other.greeting.seq() < answer.Seq {
			continue
		}
		if other.greeting.entry.Header(headerSession) != "" {
			v.broken(expected, "initialize was sent with the id of the session that is lost", hint, lost.Seq, answer.Seq, other.greeting.seq())
		} else {
			v.fine(lost.Seq, answer.Seq, other.greeting.seq())
		}
		return
	}
	for _, e := range c.heads {
		if e.Seq > answer.Seq && e.Header(headerSession) != "" && e.HTTP.Method != http.MethodDelete {
			v.broken(expected, "the client went on with the id that was refused", hint, lost.Seq, answer.Seq, e.Seq)
			return
		}
	}
	if g.options.Ended && g.options.SingleClient {
		v.dubious("the client may have had nothing more to do", expected, "no new session was begun after the 404", hint, lost.Seq, answer.Seq)
		return
	}
	v.idle("nothing has come since the session was lost")
}

func resumes(g *group, v *ruling) {
	for _, c := range g.talks {
		for _, e := range c.heads {
			id := e.Header(headerLast)
			if e.HTTP.Method != http.MethodGet || id == "" {
				continue
			}
			sent := slices.IndexFunc(c.events, func(x *journal.Entry) bool { return x.EventID == id && x.Seq < e.Seq })
			switch {
			case sent >= 0:
				v.fine(c.events[sent].Seq, e.Seq)
			case g.record.lost:
				v.lacking("events of the session are no longer in the journal")
			default:
				v.broken("the id of an event of this session", fmt.Sprintf("Last-Event-ID is %q, which was never sent in this session", shorten(id)), "keep the id field of the last event byte for byte", e.Seq)
			}
		}
	}
}
