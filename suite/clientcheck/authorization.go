package clientcheck

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// authorizationChecks are those of authorization.
var authorizationChecks = []check{
	{"CL-35", "it sent no token, and none was asked for (\"mockserver verify --protect\" asks for one)",
		tokens},
}

func tokens(v *judging) {
	var refused *entry
	for _, e := range v.heads {
		if _, inQuery := withoutToken(e.HTTP.Path); inQuery {
			v.violated("the token in the Authorization header", "the URL has a token in its query",
				"send Authorization: Bearer, and nothing in the URL", e)
		} else if e.Identity != "" {
			v.pass(e)
		}
		if refused == nil && e.status() == http.StatusUnauthorized && e.Identity == "" {
			refused = e
		}
	}
	if refused != nil {
		judgeUnauthorized(v, refused)
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
	return first(recording.Keep(r.elsewhere, func(e *entry) bool {
		return e.Seq > refused.Seq && e.HTTP != nil && fits(e.path())
	}))
}

// below reports whether a path is one of some addresses, or lies below it.
func below(path string, addresses ...string) bool {
	return slices.ContainsFunc(addresses, func(base string) bool {
		return path == base || strings.HasPrefix(path, base+"/")
	})
}

var resourceMetadata = regexp.MustCompile(`(?i)\bresource_metadata="?[a-z]+://[^/"\s]+([^"\s,]*)`)

// challenged is the path of the address that a challenge names; empty if it names none.
func challenged(answer *entry) string {
	if m := resourceMetadata.FindStringSubmatch(answer.Header("WWW-Authenticate")); m != nil {
		return m[1]
	}
	return ""
}

// judgeUnauthorized judges what came after a request without a token had been refused.
func judgeUnauthorized(v *judging, refused *entry) {
	challenge := refused.reply
	named := challenged(challenge)
	elsewhere := v.sought(refused, func(path string) bool { return below(path, wellKnownResource) })
	resource := elsewhere
	if named != "" {
		resource = v.sought(refused, func(path string) bool { return path == named })
	}
	server := v.sought(refused, func(path string) bool {
		return below(path, wellKnownServer, wellKnownOpenID)
	})
	const expected = "a look at the metadata of the protected resource"
	const hint = "follow resource_metadata in WWW-Authenticate, " +
		"and take the authorization server from what is found there"
	switch again := v.again(refused); {
	case resource != nil:
		v.pass(refused, challenge, resource)
	case elsewhere != nil && v.Combination.Revision.Since(requirement.R20251125):
		v.warn("the metadata was looked for, if not where the server said",
			"a look at the address that WWW-Authenticate names",
			"the client looked at "+elsewhere.HTTP.Path, hint, refused, challenge, elsewhere)
	case elsewhere != nil:
		v.pass(refused, challenge, elsewhere)
	case server != nil:
		v.that(v.Combination.Revision == requirement.R20250326, expected,
			"the client looked for an authorization server at "+server.HTTP.Path+" without it",
			hint, refused, challenge, server)
	case len(again) > 1: // a single one more may have been under way, or belong to the end
		v.warn("a client need not support authorization", expected,
			"the client went on without a token and without it", hint+", or stop",
			refused, challenge, last(again))
	default:
		v.NotExercised("the client gave up after 401, or had a token already: it may not support " +
			"authorization")
	}
}

// again are the requests without a token that a client sent after one had been refused, in their order.
func (c *conversation) again(refused *entry) []*entry {
	return recording.Keep(c.entries, func(e *entry) bool {
		return e.owner != nil && (e.owner == c || c.SingleClient) && e.Seq > refused.Seq &&
			e.Identity == "" && e.HTTP != nil && e.HTTP.Method == http.MethodPost
	})
}

// tokenNames are the parameters of a query that carry credentials.
var tokenNames = []string{"access_token", "token", "authorization", "api_key"}

// withoutToken takes credentials out of the query of a path, and reports whether there were any: their values
// may have been hidden before.
func withoutToken(path string) (left string, had bool) {
	before, query, ok := strings.Cut(path, "?")
	if !ok {
		return path, false
	}
	parts := strings.Split(query, "&")
	for i, p := range parts {
		name, _, _ := strings.Cut(p, "=")
		if plain, err := url.QueryUnescape(name); err == nil &&
			slices.Contains(tokenNames, strings.ToLower(plain)) {
			parts[i], had = name+"=***", true
		}
	}
	return before + "?" + strings.Join(parts, "&"), had
}
