package client

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// authorizationChecks are those of authorization.
var authorizationChecks = []check{
	{"CL-35", "it sent no token, and none was asked for (\"mockserver verify --protect\" asks for one)", tokens},
}

func tokens(g *group, v *judging) {
	for _, c := range g.conversations {
		var refused *entry
		for _, e := range c.heads {
			if withoutToken(e.HTTP.Path) != e.HTTP.Path {
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
