package verify

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

func authorizationRules() []Rule {
	return []Rule{{
		ID: "CL-35", Title: "Tokens are found by discovery and sent in the header", Profile: profileSecurity,
		Text:  "An access token goes into the Authorization header and never into the query of a URL, and a client that is answered with 401 and goes on finds the authorization server by the metadata of the protected resource, at the address that the challenge names.",
		Level: "MUST", Grade: Fail, Basis: Normative, Revisions: sinceHTTP, Transports: onHTTP,
		Sections: []Section{
			{From: hook.R20250326, To: lastLegacy, Page: "basic/authorization", Anchor: "token-requirements"},
			inModern("basic/authorization/index", "token-requirements"),
		},
		Tolerated: "A client that has a token already, or gives up. One that goes on without a token and without a look at the metadata gets a warning, because a client need not support authorization; " +
			"so does one that finds the metadata without the help of the challenge. In 2025-03-26 the metadata is that of an authorization server at the same origin.",
		Occasion: "it sent no token, and none was asked for (\"mockserver verify --protect\" asks for one)", judge: tokens,
	}}
}

func tokens(g *group, v *ruling) {
	for _, c := range g.talks {
		var refused *journal.Entry
		for _, e := range c.heads {
			if withoutToken(e.HTTP.Path) != e.HTTP.Path {
				v.broken("the token in the Authorization header", "the URL has a token in its query", "send Authorization: Bearer, and nothing in the URL", e.Seq)
			} else if e.Identity != "" {
				v.fine(e.Seq)
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

// sought are the places at which a client looked for metadata after a request.
type sought struct{ resource, server, elsewhere *journal.Entry }

// seek finds out where a client looked after a request had been refused, and whether one of
// the places is that which the challenge names.
func (r *record) seek(refused *journal.Entry) sought {
	named := challenged(r.status[refused.Seq])
	var s sought
	for _, e := range r.elsewhere {
		if e.Seq <= refused.Seq || e.HTTP == nil {
			continue
		}
		path, _, _ := strings.Cut(e.HTTP.Path, "?")
		switch {
		case named != "" && path == named, named == "" && isBelow(path, wellKnownResource):
			s.resource = e
		case isBelow(path, wellKnownResource) && s.elsewhere == nil:
			s.elsewhere = e
		case (isBelow(path, wellKnownServer) || isBelow(path, wellKnownOpenID)) && s.server == nil:
			s.server = e
		}
	}
	return s
}

func isBelow(path, base string) bool { return path == base || strings.HasPrefix(path, base+"/") }

var resourceMetadata = regexp.MustCompile(`(?i)\bresource_metadata="?[a-z]+://[^/"\s]+([^"\s,]*)`)

// challenged is the path of the address that a challenge names; empty if it names none.
func challenged(answer *journal.Entry) string {
	if m := resourceMetadata.FindStringSubmatch(answer.Header("WWW-Authenticate")); m != nil {
		return m[1]
	}
	return ""
}

// judgeUnauthorized judges what came after a request without a token had been refused.
func judgeUnauthorized(g *group, v *ruling, c *conversation, refused *journal.Entry) {
	s := g.record.seek(refused)
	challenge := g.record.status[refused.Seq].Seq
	const hint = "follow resource_metadata in WWW-Authenticate, and take the authorization server from what is found there"
	switch again := g.again(c, refused); {
	case s.resource != nil:
		v.fine(refused.Seq, challenge, s.resource.Seq)
	case s.elsewhere != nil && g.revision >= lastLegacy:
		v.dubious("the metadata was looked for, if not where the server said", "a look at the address that WWW-Authenticate names",
			"the client looked at "+s.elsewhere.HTTP.Path, hint, refused.Seq, challenge, s.elsewhere.Seq)
	case s.elsewhere != nil:
		v.fine(refused.Seq, challenge, s.elsewhere.Seq)
	case s.server != nil && g.revision == hook.R20250326:
		v.fine(refused.Seq, challenge, s.server.Seq)
	case s.server != nil:
		v.broken("a look at the metadata of the protected resource", "the client looked for an authorization server at "+s.server.HTTP.Path+" without it", hint,
			refused.Seq, challenge, s.server.Seq)
	case len(again) > 0:
		v.dubious("a client need not support authorization", "a look at the metadata of the protected resource", "the client went on without a token and without it",
			hint+", or stop", refused.Seq, challenge, again[len(again)-1])
	default:
		v.idle("the client gave up after 401, or had a token already: it may not support authorization")
	}
}

// again are the requests without a token that a client sent after one had been refused. A single
// one more may have been under way, or belong to the end.
func (g *group) again(c *conversation, refused *journal.Entry) []uint64 {
	talks := []*conversation{c}
	if g.options.SingleClient {
		talks = g.record.talks
	}
	var seqs []uint64
	for _, t := range talks {
		for _, e := range t.heads {
			if e.Seq > refused.Seq && e.Identity == "" && e.HTTP.Method == http.MethodPost {
				seqs = append(seqs, e.Seq)
			}
		}
	}
	slices.Sort(seqs)
	if len(seqs) < 2 {
		return nil
	}
	return seqs
}
