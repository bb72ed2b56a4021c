// Package guard protects the HTTP endpoints of the reference server by bearer tokens, as
// the authorization pages of the specification have it from 2025-06-18 on: without a
// valid token 401 and a challenge that leads to the protected-resource metadata (RFC 9728),
// which is served at its well-known address, and 403 where a token lacks a scope.
//
// The tokens are fixed ones for tests, or those of an [Issuer]. Where there is none, the metadata names an
// authorization server as it was told to.
//
// On stdio there is nothing to protect; credentials then come from the environment.
package guard

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/httpserve"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// Options are the choices of a guard.
type Options struct {
	// Tokens are those that are accepted; at least one, unless there is an Issuer.
	Tokens []Token
	// Demands are the scopes that are needed; nil means Standard.
	Demands []Demand
	// AuthorizationServer is the issuer that the metadata names; empty means an
	// address at which nobody can be.
	AuthorizationServer string
	// Issuer issues tokens at the origin of the server, which is named as the authorization server then.
	Issuer Issuer
}

// Issuer is an authorization server that belongs to the server.
type Issuer interface {
	// Find looks an access token up that is good for a resource, an absolute URL. The Secret of the result
	// stands for all tokens of the owner.
	Find(token, resource string) (Token, bool)
	// Tokens describes the access tokens, and what stands for all of an owner.
	Tokens() []Owner
	// ExpireOwners has the access tokens of these owners, named or by fingerprint, be good no more;
	// "*" is all of them.
	ExpireOwners(owners []string)
}

// DefaultAuthorizationServer is named where Options name none.
const DefaultAuthorizationServer = "https://auth.example.invalid"

// Guard decides who may do what. It may be used from several goroutines.
type Guard struct {
	tokens  []Token
	sums    [][sha256.Size]byte
	demands []demand
	issuer  string
	issues  Issuer // nil if there is none
	scopes  []string

	mu      sync.Mutex
	expired map[string]bool // tokens, by their secrets
}

type demand struct {
	Demand
	match func(t *hook.Trace) bool
}

// New makes a guard. It fails without tokens, or if a pattern cannot be read.
func New(o Options) (*Guard, error) {
	if len(o.Tokens) == 0 && o.Issuer == nil || len(o.Tokens) > maxTokens || len(o.Demands) > maxDemands {
		return nil, fmt.Errorf("a guard needs 1 to %d tokens, and %d demands at the most", maxTokens,
			maxDemands)
	}
	g := &Guard{
		tokens: slices.Clone(o.Tokens), issuer: cmp.Or(o.AuthorizationServer, DefaultAuthorizationServer),
		issues: o.Issuer, expired: map[string]bool{},
	}
	if u, err := url.Parse(g.issuer); err != nil || u.Host == "" || u.Scheme != "http" &&
		u.Scheme != "https" {
		return nil, fmt.Errorf("the authorization server %q is no http or https URL", g.issuer)
	}
	for _, t := range g.tokens {
		if t.Secret == "" {
			return nil, errors.New("a token must not be empty")
		}
		g.sums = append(g.sums, sha256.Sum256([]byte(t.Secret)))
	}
	demands := o.Demands
	if demands == nil {
		demands = Standard()
	}
	g.scopes = Scopes(demands)
	for _, d := range demands {
		match, err := d.matcher()
		if err != nil {
			return nil, err
		}
		g.demands = append(g.demands, demand{d, match})
	}
	return g, nil
}

// Owners describes the owners of the tokens, in their order.
func (g *Guard) Owners() []Owner {
	owners := []Owner{}
	if g != nil {
		for _, t := range g.tokens {
			owners = append(owners, t.owner())
		}
		if g.issues != nil {
			owners = append(owners, g.issues.Tokens()...)
		}
	}
	return owners
}

// Resolve lists the fingerprints of the tokens whose owner has that name, or the name itself if
// nobody has. A nil guard knows nobody.
func (g *Guard) Resolve(identity string) []string {
	var all []string
	if g != nil && identity != "" {
		for _, o := range g.Owners() {
			if o.Identity == identity {
				all = append(all, o.Fingerprint)
			}
		}
	}
	if len(all) == 0 {
		return []string{identity}
	}
	return all
}

// find looks a token up, in a time that does not depend on how much of it is right.
func (g *Guard) find(r *http.Request, secret string) (found Token, ok bool) {
	if g.issues != nil && secret != "" {
		if found, ok = g.issues.Find(secret, resource(r)); ok {
			return found, true
		}
	}
	sum := sha256.Sum256([]byte(secret))
	for i := range g.sums {
		if subtle.ConstantTimeCompare(sum[:], g.sums[i][:]) == 1 {
			found, ok = g.tokens[i], true
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return found, ok && !g.expired[secret]
}

// Expire has the tokens of these owners, named or by fingerprint, be good for nothing from now on; "*" is all
// of them. A nil guard has none.
func (g *Guard) Expire(owners ...string) {
	if g == nil {
		return
	}
	if g.issues != nil {
		g.issues.ExpireOwners(owners)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, t := range g.tokens {
		if slices.Contains(owners, "*") || slices.Contains(owners, t.Identity) && t.Identity != "" ||
			slices.Contains(owners, journal.Fingerprint(t.Secret)) {
			g.expired[t.Secret] = true
		}
	}
}

// Renew has all tokens be good again.
func (g *Guard) Renew() {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	clear(g.expired)
}

// carried is what a request came with, before any fault had a hand in it.
type carried struct {
	header string // what the Authorization header became on the way in
	values []string
	token  Token
	known  bool
}

type carriedKey struct{}

// Outer is what has to lie around all faults: it replaces tokens by those that faults of
// authorization know (hook.TokenFull, hook.TokenWeak), and keeps hook.RequireBearer from
// judging them.
func (g *Guard) Outer() hook.Hooks {
	return hook.OnHTTP(nil, func(x hook.Serving) {
		c := &carried{values: x.Header.Values("Authorization")}
		secret := journal.Token(x.Header)
		c.token, c.known = g.find(x.Request, secret)
		if t := hook.TraceOf(x.Context()); t != nil && c.known {
			t.Token = c.token.Secret // rules are for owners, whichever of their tokens they use
		}
		r := x.WithContext(context.WithValue(hook.WithGuard(x.Context()), carriedKey{}, c))
		r.Header = r.Header.Clone()
		switch {
		case c.known && g.unlimited(c.token):
			c.header = "Bearer " + hook.TokenFull
		case c.known:
			c.header = "Bearer " + hook.TokenWeak
		case secret == hook.TokenFull || secret == hook.TokenWeak:
			c.header = "Bearer unknown" // as good as any other that nobody has issued
		default:
			c.header = r.Header.Get("Authorization")
		}
		if len(c.values) == 1 {
			r.Header.Set("Authorization", c.header)
		}
		x.Serve(x.W, r)
	})
}

// unlimited reports whether a token is good for everything that is demanded.
func (g *Guard) unlimited(t Token) bool {
	return !slices.ContainsFunc(g.scopes, func(s string) bool { return !t.holds(s) })
}

// Inner is what lies within all faults: it decides.
func (g *Guard) Inner() hook.Hooks { return hook.OnHTTP(nil, g.serve) }

func (g *Guard) serve(x hook.Serving) {
	w, r := x.W, x.Request
	if r.URL.Path == hook.PathMetadata || strings.HasPrefix(r.URL.Path, hook.PathMetadata+"/") {
		g.metadata(w, r)
		return
	}
	token, ok := g.bearer(r)
	switch {
	case !ok && len(r.Header.Values("Authorization")) == 0:
		g.challenge(w, r, http.StatusUnauthorized, "", g.scopes, "a bearer token is required")
		return
	case !ok:
		g.challenge(w, r, http.StatusUnauthorized, "invalid_token", nil,
			"the token is unknown, has expired or was issued for another server")
		return
	}
	body, err := hook.PeekBody(r)
	if err != nil {
		x.Next() // which says what is wrong with the body
		return
	}
	if lacking := g.lacking(token, body); len(lacking) > 0 {
		g.challenge(w, r, http.StatusForbidden, "insufficient_scope", lacking,
			"the token lacks a scope that this request needs")
		return
	}
	r = r.WithContext(hook.WithOwner(r.Context(), token.holder()))
	r.Header.Set("Authorization", "Bearer "+token.Secret)
	x.Serve(w, r)
}

// bearer finds the token of a request. One for which a fault has put a stronger one
// counts as that.
func (g *Guard) bearer(r *http.Request) (Token, bool) {
	c, _ := r.Context().Value(carriedKey{}).(*carried)
	header := r.Header.Get("Authorization")
	switch {
	case c == nil || len(r.Header.Values("Authorization")) > 1:
		return g.find(r, journal.Token(r.Header))
	case header == c.header:
		return c.token, c.known
	case header == "Bearer "+hook.TokenFull:
		t := c.token
		if t.Scopes = nil; t.Secret == "" {
			_, t.Secret, _ = strings.Cut(c.header, " ")
		}
		return t, true
	}
	return g.find(r, journal.Token(r.Header))
}

// lacking lists the scopes that a token would need for the messages of a body.
func (g *Guard) lacking(t Token, body []byte) []string {
	if len(t.Scopes) == 0 || len(body) == 0 {
		return nil
	}
	var lacking []string
	look := func(raw []byte) {
		var e journal.Entry
		e.Classify(raw)
		trace := &hook.Trace{Method: e.Method, URI: e.URI}
		for _, d := range g.demands {
			if e.Method != "" && d.match(trace) && !t.holds(d.Scope) && !slices.Contains(lacking, d.Scope) {
				lacking = append(lacking, d.Scope)
			}
		}
	}
	if all := gjson.ParseBytes(body); all.IsArray() && gjson.ValidBytes(body) {
		for _, member := range all.Array() {
			look([]byte(member.Raw))
		}
		return lacking
	}
	look(body)
	return lacking
}

// challenge refuses a request (RFC 6750, section 3; RFC 9728, section 5.1).
func (g *Guard) challenge(w http.ResponseWriter, r *http.Request, status int, code string, scopes []string,
	why string) {
	challenge := fmt.Sprintf("Bearer resource_metadata=%q", Origin(r)+hook.PathMetadata+endpoint(r.URL.Path)+
		hook.MountOf(r.Context()))
	if code != "" {
		challenge += fmt.Sprintf(", error=%q, error_description=%q", code, why)
	}
	if len(scopes) > 0 {
		challenge += fmt.Sprintf(", scope=%q", strings.Join(scopes, " "))
	}
	w.Header().Set("WWW-Authenticate", challenge)
	reply(w, status, map[string]any{"error": cmp.Or(code, "unauthorized"), "error_description": why})
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Cache-Control", "no-store")
	httpserve.JSON(w, status, v)
}

// metadata serves the protected-resource metadata.
func (g *Guard) metadata(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, hook.PathMetadata)
	if path == "" || path == "/" {
		path = endpoint("")
	}
	if path != endpoint(path) {
		http.NotFound(w, r)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	reply(w, http.StatusOK, map[string]any{
		"resource":              Origin(r) + path + hook.MountOf(r.Context()),
		"authorization_servers": []string{g.server(r)},
		"scopes_supported":      g.scopes, "bearer_methods_supported": []string{"header"},
	})
}

// endpoint is the path of the resource to which a request belongs.
func endpoint(path string) string {
	if path == "/sse" || path == "/message" {
		return "/sse"
	}
	return "/mcp"
}

// resource is that to which a request belongs, as the metadata has it.
func resource(r *http.Request) string {
	return Origin(r) + endpoint(r.URL.Path) + hook.MountOf(r.Context())
}

// server is the authorization server for those who have sent a request.
func (g *Guard) server(r *http.Request) string {
	if g.issues != nil {
		return Origin(r)
	}
	return g.issuer
}

// Origin is that by which a request calls the server.
func Origin(r *http.Request) string {
	host := strings.ToLower(r.Host)
	if r.TLS != nil {
		return "https://" + host
	}
	return "http://" + host
}
