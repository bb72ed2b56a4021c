package oauth

import (
	"crypto/rand"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/guard"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// sum is what secrets are looked up by.
type sum [sha256.Size]byte

// kind is what a token is good for.
type kind int

const (
	code kind = iota
	access
	refresh
)

// grant is what a user has granted to a client, and the tokens that stand for it.
type grant struct {
	id        string
	client    *client
	scopes    []string
	resource  string // empty: none was asked for
	since     time.Time
	refreshed int
	newest    *token // of the access tokens
	issued    []sum  // its tokens, oldest first
}

// token is a code, an access token or a refresh token.
type token struct {
	kind        kind
	grant       *grant
	scopes      []string
	fingerprint string
	expires     time.Time // zero: never
	spent       bool
	request     *request // of a code
}

// Grant describes what has been granted to a client.
type Grant struct {
	ID string `json:"id"`
	// ClientID and Client are id and name of the client.
	ClientID string `json:"clientId"`
	Client   string `json:"client,omitempty"`
	User     string `json:"user"`
	// Scopes and Resource are what its tokens are good for; without a resource it was not asked for
	// one, and they are good for all of the server.
	Scopes   []string  `json:"scopes"`
	Resource string    `json:"resource,omitempty"`
	Since    time.Time `json:"since"`
	// Refreshed is how often it has been refreshed.
	Refreshed int `json:"refreshed"`
	// Fingerprint is that of the newest access token, Expires when that is good no more.
	Fingerprint string    `json:"fingerprint,omitempty"`
	Expires     time.Time `json:"expires,omitzero"`
}

// issue makes a token. The caller holds mu.
func (s *Server) issue(k kind, g *grant, scopes []string, expires time.Time) string {
	secret := rand.Text() + rand.Text()
	t := &token{kind: k, grant: g, scopes: scopes, expires: expires, fingerprint: journal.Fingerprint(secret)}
	if k == access {
		g.newest = t
	}
	at := sumOf(secret)
	s.tokens[at] = t
	g.client.used = s.options.Now()
	if g.issued = append(g.issued, at); len(g.issued) > maxTokens {
		delete(s.tokens, g.issued[0])
		g.issued = g.issued[1:]
	}
	return secret
}

// find looks a token up that has not expired. It may have been spent. The caller holds mu.
func (s *Server) find(k kind, secret string) *token {
	t := s.tokens[sumOf(secret)]
	if t == nil || t.kind != k || !t.expires.IsZero() && !s.options.Now().Before(t.expires) {
		return nil
	}
	return t
}

// granted makes a grant known. The caller holds mu.
func (s *Server) granted(g *grant) {
	s.grants = append(s.grants, g)
	same := func(other *grant) bool { return other.client == g.client }
	if at := surplus(s.grants, maxGrants, same); at >= 0 {
		s.drop(s.grants[at])
	}
}

// surplus finds the last but n of those that are meant; -1 if there are no more than n.
func surplus[T any](all []T, n int, meant func(T) bool) int {
	for i, one := range slices.Backward(all) {
		if meant(one) {
			n--
		}
		if n < 0 {
			return i
		}
	}
	return -1
}

// drop revokes a grant with its tokens. The caller holds mu.
func (s *Server) drop(g *grant) {
	for _, at := range g.issued {
		delete(s.tokens, at)
	}
	s.grants = slices.DeleteFunc(s.grants, func(other *grant) bool { return other == g })
}

// Find implements [guard.Issuer]: it looks an access token up that is good for a resource.
func (s *Server) Find(secret, resource string) (guard.Token, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.find(access, secret)
	if t == nil || t.grant.resource != "" && t.grant.resource != resource &&
		!strings.HasPrefix(resource, t.grant.resource+"/") {
		return guard.Token{}, false
	}
	return guard.Token{Secret: s.holder, Identity: s.options.User, Scopes: t.scopes}, true
}

// Tokens implements [guard.Issuer]: fingerprints of the access tokens, and what they are good for.
func (s *Server) Tokens() []guard.Owner {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := []guard.Owner{{Identity: s.options.User, Fingerprint: journal.Fingerprint(s.holder),
		Scopes: s.options.Scopes}}
	for _, g := range s.grants {
		for _, at := range g.issued {
			if t := s.tokens[at]; t.kind == access {
				all = append(all, guard.Owner{
					Identity: s.options.User, Fingerprint: t.fingerprint, Scopes: t.scopes,
				})
			}
		}
	}
	return all
}

// ExpireOwners implements [guard.Issuer]: it has the access tokens of these owners, named or by fingerprint,
// be good no more; "*" is all of them.
func (s *Server) ExpireOwners(owners []string) {
	s.expire(access, func(t *token) bool {
		return slices.Contains(owners, "*") || slices.Contains(owners, s.options.User) ||
			slices.Contains(owners, t.fingerprint)
	})
}

// Expire has the access tokens of a grant be good no more, or of all grants if the id is empty, and with
// refreshToo the refresh tokens as well. It returns how many there were.
func (s *Server) Expire(id string, refreshToo bool) int {
	n := s.expire(access, func(t *token) bool { return id == "" || t.grant.id == id })
	if refreshToo {
		n += s.expire(refresh, func(t *token) bool { return id == "" || t.grant.id == id })
	}
	return n
}

func (s *Server) expire(k kind, which func(t *token) bool) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.options.Now()
	for _, t := range s.tokens {
		over := t.spent || !t.expires.IsZero() && !now.Before(t.expires)
		if t.kind == k && !over && which(t) {
			t.expires = now
			n++
		}
	}
	return n
}

// Grants lists what has been granted, oldest first.
func (s *Server) Grants() []Grant {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := []Grant{}
	for _, g := range s.grants {
		one := Grant{
			ID: g.id, ClientID: g.client.ID, Client: g.client.Name, User: s.options.User,
			Scopes:   slices.Clone(g.scopes),
			Resource: g.resource, Since: g.since, Refreshed: g.refreshed,
		}
		if g.newest != nil {
			one.Fingerprint, one.Expires = g.newest.fingerprint, g.newest.expires
		}
		all = append(all, one)
	}
	return all
}

// Revoke ends a grant with all its tokens, and reports whether there was one with that id.
func (s *Server) Revoke(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.grants {
		if g.id == id {
			s.drop(g)
			return true
		}
	}
	return false
}

// Forget has everything be forgotten that has been registered and granted.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clients, s.grants, s.pending, s.tokens = nil, nil, nil, map[sum]*token{}
}
