package clientcheck

import (
	"fmt"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// httpChecks are those of HTTP.
var httpChecks = []check{
	{"CL-05", "nothing came after a handshake", versionHeader},
	{"CL-06", "no session id was issued, or nothing came after it", sessionHeader},
	{"CL-07", "it sent no POST", acceptHeader},
	{"CL-08", "it sent no POST", contentType},
	{"CL-10", "it sent no request", mirrorHeaders},
	{"CL-11", "it sent no POST", versionsAgree},
	{"CL-17", "no session was lost (\"mockserver verify --provoke\" ends one)", replacesSession},
	{"CL-30", "it resumed no stream", resumes},
}

// shownHead is an HTTP request in a few words.
func shownHead(e *entry) string {
	if e.Method != "" {
		return e.HTTP.Method + " of " + shorten(e.Method)
	}
	return shorten(e.HTTP.Method)
}

func versionHeader(g *group, v *judging) {
	for c, e := range g.posted() {
		if c.accepted == nil || e.Seq < c.accepted.Seq || e.Method == "initialize" {
			continue // a second handshake is the matter of CL-02
		}
		expected := "MCP-Protocol-Version: " + string(c.Revision)
		hint := "send " + expected + " on every request after the handshake, GET and DELETE included"
		switch got := e.header(headerVersion); got {
		case string(c.Revision):
			v.pass(e.Seq)
		case "":
			v.violated(expected, "the "+shownHead(e)+" has no MCP-Protocol-Version", hint, c.accepted.Seq, e.Seq)
		default:
			v.warn("that it is the negotiated version is a SHOULD", expected, "the "+shownHead(e)+" has MCP-Protocol-Version: "+shorten(got), hint, c.accepted.Seq, e.Seq)
		}
	}
}

func sessionHeader(g *group, v *judging) {
	for c, e := range g.posted() {
		if c.session == "" || c.accepted == nil || e.Seq < c.accepted.Seq {
			continue
		}
		switch e.header(headerSession) {
		case c.session:
			v.pass(e.Seq)
		case "":
			v.violated("MCP-Session-Id as issued", "the "+shownHead(e)+" has no MCP-Session-Id", "send the id of the answer to initialize on every later request", c.accepted.Seq, e.Seq)
		default:
			v.violated("MCP-Session-Id as issued", "the "+shownHead(e)+" has another MCP-Session-Id, which was not issued", "keep the id byte for byte", c.accepted.Seq, e.Seq)
		}
	}
}

func acceptHeader(g *group, v *judging) {
	wanted := map[string][]string{http.MethodPost: {"application/json", "text/event-stream"}, http.MethodGet: {"text/event-stream"}}
	for _, e := range g.posted() {
		want := wanted[e.HTTP.Method]
		values := strings.Join(e.HTTP.Header.Values("Accept"), ",")
		switch {
		case want == nil:
		case slices.ContainsFunc(want, func(t string) bool { return !accepted(values, t) }):
			v.violated("Accept: "+strings.Join(want, ", "), fmt.Sprintf("the %s has Accept: %q", shownHead(e), shorten(values)), "list both types on POST, the event stream on GET", e.Seq)
		default:
			v.pass(e.Seq)
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

func contentType(g *group, v *judging) {
	for _, e := range g.posted() {
		got := e.header("Content-Type")
		kind, _, err := mime.ParseMediaType(got)
		switch {
		case e.HTTP.Method != http.MethodPost:
		case err != nil || kind != "application/json":
			v.violated("Content-Type: application/json", fmt.Sprintf("the %s has Content-Type: %q", shownHead(e), shorten(got)), "name the type of the body", e.Seq)
		default:
			v.pass(e.Seq)
		}
	}
}

func mirrorHeaders(g *group, v *judging) {
	for _, m := range g.requests() {
		if m.HTTP == nil || m.batched {
			continue
		}
		method, named := m.HTTP.Header.Values("Mcp-Method"), m.HTTP.Header.Values("Mcp-Name")
		name, needed := mirroredName(m)
		switch encoded := wire.HeaderValue(name); {
		case len(method) != 1 || strings.Trim(method[0], " \t") != m.method:
			v.violated("Mcp-Method: "+shorten(m.method), fmt.Sprintf("Mcp-Method of %s is %q", m.what(), shorten(strings.Join(method, ", "))), "put the method into Mcp-Method", m.Seq)
		case !needed:
			v.pass(m.Seq)
		case len(named) != 1:
			v.violated("Mcp-Name: "+shorten(encoded), fmt.Sprintf("%s has %d headers Mcp-Name", m.what(), len(named)), "put the name or URI into Mcp-Name", m.Seq)
		case strings.Trim(named[0], " \t") != encoded && wire.FromSentinel(named[0]) != name:
			v.violated("Mcp-Name: "+shorten(encoded), fmt.Sprintf("Mcp-Name of %s is %q", m.what(), shorten(named[0])), "put the name or URI into Mcp-Name byte for byte, in Base64 where it is not plain ASCII", m.Seq)
		default:
			v.pass(m.Seq)
		}
	}
}

// mirroredName is what Mcp-Name has to say.
func mirroredName(m *message) (name string, needed bool) {
	member := map[string]string{"tools/call": "name", "prompts/get": "name", methodRead: "uri"}[m.method]
	x := m.params.Get(member)
	return x.String(), member != "" && x.Type.String() == "String"
}

func versionsAgree(g *group, v *judging) {
	for _, m := range g.said() {
		if m.HTTP == nil || m.batched {
			continue
		}
		got, body := m.header(headerVersion), m.meta("protocolVersion").String()
		switch {
		case got == "":
			v.violated("MCP-Protocol-Version on every POST", "the POST of "+m.what()+" has no MCP-Protocol-Version", "send MCP-Protocol-Version: "+string(g.Revision), m.Seq)
		case m.kind == kindRequest && body != "" && body != got:
			v.violated("the version of the body, "+shorten(body), "MCP-Protocol-Version of "+m.what()+" says "+shorten(got)+", its _meta "+shorten(body), "take both from one place", m.Seq)
		default:
			v.pass(m.Seq)
		}
	}
}

func replacesSession(g *group, v *judging) {
	for _, c := range g.conversations {
		lost := slices.IndexFunc(c.heads, func(e *entry) bool {
			answer, id := g.record.status[e.Seq], e.header(headerSession)
			return answer != nil && answer.HTTP.Status == http.StatusNotFound && e.HTTP.Method == http.MethodPost && e.Method != "" &&
				id != "" && (c.session == "" || id == c.session) // of an id that nobody issued see CL-06
		})
		if lost >= 0 {
			judgeLost(g, v, c, c.heads[lost])
		}
	}
}

// judgeLost judges what came after a session was lost.
func judgeLost(g *group, v *judging, c *conversation, lost *entry) {
	const hint = "on 404 to a request with MCP-Session-Id forget the id, send initialize without it and go on in the new session"
	expected, answer := "an initialize request without MCP-Session-Id", g.record.status[lost.Seq]
	for _, other := range g.record.conversations {
		if other.Transport != requirement.HTTP || other.modern || other.initialize == nil || other.initialize.Seq < answer.Seq {
			continue
		}
		if other.initialize.header(headerSession) != "" {
			v.violated(expected, "initialize was sent with the id of the session that is lost", hint, lost.Seq, answer.Seq, other.initialize.Seq)
		} else {
			v.pass(lost.Seq, answer.Seq, other.initialize.Seq)
		}
		return
	}
	for _, e := range c.heads {
		if e.Seq > answer.Seq && e.header(headerSession) != "" && e.HTTP.Method != http.MethodDelete {
			v.violated(expected, "the client went on with the id that was refused", hint, lost.Seq, answer.Seq, e.Seq)
			return
		}
	}
	if g.options.Ended && g.options.SingleClient {
		v.warn("the client may have had nothing more to do", expected, "no new session was begun after the 404", hint, lost.Seq, answer.Seq)
		return
	}
	v.skip("nothing has come since the session was lost")
}

func resumes(g *group, v *judging) {
	for c, e := range g.posted() {
		id := e.header("Last-Event-Id")
		if e.HTTP.Method != http.MethodGet || id == "" {
			continue
		}
		sent := slices.IndexFunc(c.events, func(x *entry) bool { return x.EventID == id && x.Seq < e.Seq })
		switch {
		case sent >= 0:
			v.pass(c.events[sent].Seq, e.Seq)
		case g.record.lost:
			v.incomplete("events of the session are no longer in the journal")
		default:
			v.violated("the id of an event of this session", fmt.Sprintf("Last-Event-ID is %q, which was never sent in this session", shorten(id)), "keep the id field of the last event byte for byte", e.Seq)
		}
	}
}

// authorizationChecks are those of authorization.
var authorizationChecks = []check{
	{"CL-35", "it sent no token, and none was asked for (\"mockserver verify --protect\" asks for one)", tokens},
}

func tokens(g *group, v *judging) {
	for _, c := range g.conversations {
		var refused *entry
		for _, e := range c.heads {
			if _, inQuery := withoutToken(e.HTTP.Path); inQuery {
				v.violated("the token in the Authorization header", "the URL has a token in its query", "send Authorization: Bearer, and nothing in the URL", e.Seq)
			} else if e.Identity != "" {
				v.pass(e.Seq)
			}
			if a := g.record.status[e.Seq]; refused == nil && a != nil && a.HTTP.Status == http.StatusUnauthorized && e.Identity == "" {
				refused = e
			}
		}
		if refused != nil {
			judgeUnauthorized(g, v, c, refused)
		}
	}
}

// The well-known addresses of metadata: of a protected resource (RFC 9728) and of authorization
// servers (RFC 8414, OpenID Connect Discovery).
const (
	wellKnownResource = "/.well-known/oauth-protected-resource"
	wellKnownServer   = "/.well-known/oauth-authorization-server"
	wellKnownOpenID   = "/.well-known/openid-configuration"
)

// sought is where a client first looked for metadata after a request, of the places that fit;
// nil if at none.
func (r *record) sought(refused *entry, fits func(path string) bool) *entry {
	for _, e := range r.elsewhere {
		if e.Seq > refused.Seq && e.HTTP != nil {
			if path, _, _ := strings.Cut(e.HTTP.Path, "?"); fits(path) {
				return e
			}
		}
	}
	return nil
}

func isBelow(path, base string) bool { return path == base || strings.HasPrefix(path, base+"/") }

var resourceMetadata = regexp.MustCompile(`(?i)\bresource_metadata="?[a-z]+://[^/"\s]+([^"\s,]*)`)

// challenged is the path of the address that a challenge names; empty if it names none.
func challenged(answer *entry) string {
	if m := resourceMetadata.FindStringSubmatch(answer.header("WWW-Authenticate")); m != nil {
		return m[1]
	}
	return ""
}

// judgeUnauthorized judges what came after a request without a token had been refused.
func judgeUnauthorized(g *group, v *judging, c *conversation, refused *entry) {
	challenge := g.record.status[refused.Seq]
	named := challenged(challenge)
	atResource := func(path string) bool { return isBelow(path, wellKnownResource) }
	elsewhere := g.record.sought(refused, atResource)
	resource := g.record.sought(refused, func(path string) bool { return path == named || named == "" && atResource(path) })
	server := g.record.sought(refused, func(path string) bool { return isBelow(path, wellKnownServer) || isBelow(path, wellKnownOpenID) })
	const expected, hint = "a look at the metadata of the protected resource", "follow resource_metadata in WWW-Authenticate, and take the authorization server from what is found there"
	switch again := g.again(c, refused); {
	case resource != nil:
		v.pass(refused.Seq, challenge.Seq, resource.Seq)
	case elsewhere != nil && g.Revision.Since(requirement.R20251125):
		v.warn("the metadata was looked for, if not where the server said", "a look at the address that WWW-Authenticate names",
			"the client looked at "+elsewhere.HTTP.Path, hint, refused.Seq, challenge.Seq, elsewhere.Seq)
	case elsewhere != nil:
		v.pass(refused.Seq, challenge.Seq, elsewhere.Seq)
	case server != nil && g.Revision == requirement.R20250326:
		v.pass(refused.Seq, challenge.Seq, server.Seq)
	case server != nil:
		v.violated(expected, "the client looked for an authorization server at "+server.HTTP.Path+" without it", hint, refused.Seq, challenge.Seq, server.Seq)
	case len(again) > 1: // a single one more may have been under way, or belong to the end
		v.warn("a client need not support authorization", expected, "the client went on without a token and without it", hint+", or stop", refused.Seq, challenge.Seq, slices.Max(again))
	default:
		v.skip("the client gave up after 401, or had a token already: it may not support authorization")
	}
}

// again are the requests without a token that a client sent after one had been refused.
func (g *group) again(c *conversation, refused *entry) []int {
	conversations := []*conversation{c}
	if g.options.SingleClient {
		conversations = g.record.conversations
	}
	var seqs []int
	for _, x := range conversations {
		for _, e := range x.heads {
			if e.Seq > refused.Seq && e.Identity == "" && e.HTTP.Method == http.MethodPost {
				seqs = append(seqs, e.Seq)
			}
		}
	}
	return seqs
}
