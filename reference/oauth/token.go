package oauth

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/guard"
	"github.com/mcpcheck/mcpcheck/reference/internal/httpserve"
)

// challengeLength is that of a SHA-256 hash in base64url.
const challengeLength = 43

// The lengths that a verifier can have (RFC 7636, section 4.1).
const (
	minVerifier = 43
	maxVerifier = 128
)

func sumOf(secret string) sum { return sum(sha256.Sum256([]byte(secret))) }

// form reads the form of a POST, in which no parameter but resource is there twice.
func form(r *http.Request) *refusal {
	if err := r.ParseForm(); err != nil || !strings.HasPrefix(r.Header.Get("Content-Type"),
		"application/x-www-form-urlencoded") {
		return refused("invalid_request", "send a form as application/x-www-form-urlencoded")
	}
	for name, values := range r.PostForm {
		if len(values) > 1 && name != "resource" {
			return refused("invalid_request", name+" is there twice")
		}
	}
	return nil
}

// token serves the token endpoint (RFC 6749, sections 4.1.3 and 6).
func (s *Server) token(w http.ResponseWriter, r *http.Request) *refusal {
	answer, f := s.exchange(r)
	switch {
	case f == nil:
		httpserve.JSON(w, http.StatusOK, answer)
	case f.status == http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Basic realm="mockserver"`)
	}
	return f
}

func (s *Server) exchange(r *http.Request) (map[string]any, *refusal) {
	if f := form(r); f != nil {
		return nil, f
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, f := s.authenticated(r)
	if f != nil {
		return nil, f
	}
	resource, f := resourceOf(r.PostForm["resource"], guard.Origin(r))
	if f != nil {
		return nil, f
	}
	var t *token
	switch r.PostForm.Get("grant_type") {
	case "authorization_code":
		t, f = s.redeem(c, r)
	case "refresh_token":
		t, f = s.renew(c, r)
	default:
		f = refused("unsupported_grant_type", "grant_type must be authorization_code or refresh_token")
	}
	if f != nil {
		return nil, f
	}
	if resource != "" && t.grant.resource != "" && resource != t.grant.resource {
		return nil, refused("invalid_target", "the resource is another than the one that was granted")
	}
	scopes, f := narrowed(r.PostForm.Get("scope"), t.scopes)
	if f != nil {
		return nil, f
	}
	t.spent = true
	if t.kind == refresh {
		t.grant.refreshed++
	}
	return s.answer(t, resource, scopes), nil
}

// reused says that a token has been used before: whoever has it, the grant is over (RFC 6749, sections 4.1.2
// and 10.4).
func (s *Server) reused(t *token) *refusal {
	s.drop(t.grant)
	return refused("invalid_grant", "it has been used before: what was granted by it is revoked")
}

// redeem finds the code of a client that knows its verifier. The caller holds mu.
func (s *Server) redeem(c *client, r *http.Request) (*token, *refusal) {
	wrong := refused("invalid_grant",
		"the code is unknown, has expired or belongs to another client or redirect_uri")
	t := s.find(code, r.PostForm.Get("code"))
	if t == nil || t.grant.client != c || r.PostForm.Has("redirect_uri") &&
		r.PostForm.Get("redirect_uri") != t.request.redirect {
		return nil, wrong
	}
	if t.spent {
		return nil, s.reused(t)
	}
	verifier := r.PostForm.Get("code_verifier")
	hash := sha256.Sum256([]byte(verifier))
	challenge := base64.RawURLEncoding.EncodeToString(hash[:])
	if len(verifier) < minVerifier || len(verifier) > maxVerifier ||
		subtle.ConstantTimeCompare([]byte(challenge), []byte(t.request.challenge)) != 1 {
		return nil, refused("invalid_grant", "code_verifier is not that of the code_challenge")
	}
	return t, nil
}

// renew finds the refresh token of a client. The caller holds mu.
func (s *Server) renew(c *client, r *http.Request) (*token, *refusal) {
	t := s.find(refresh, r.PostForm.Get("refresh_token"))
	if t == nil || t.grant.client != c {
		return nil, refused("invalid_grant",
			"the refresh token is unknown, has expired or belongs to another client")
	}
	if t.spent {
		return nil, s.reused(t)
	}
	return t, nil
}

// answer issues what a code or a refresh token is exchanged for. The caller holds mu.
func (s *Server) answer(t *token, resource string, scopes []string) map[string]any {
	g := t.grant
	g.resource = cmp.Or(g.resource, resource)
	answer := map[string]any{
		"access_token": s.issue(access, g, scopes, s.options.Now().Add(s.options.Expires)),
		"token_type":   "Bearer",
		"expires_in":   int(s.options.Expires / time.Second),
		"scope":        strings.Join(scopes, " "),
	}
	if slices.Contains(g.client.GrantTypes, "refresh_token") {
		answer["refresh_token"] = s.issue(refresh, g, t.scopes, time.Time{})
	}
	return answer
}

// revoke serves the revocation endpoint (RFC 7009). What is no token of the client is revoked as it is.
func (s *Server) revoke(w http.ResponseWriter, r *http.Request) *refusal {
	if f := form(r); f != nil {
		return f
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, f := s.authenticated(r)
	if f != nil {
		return f
	}
	secret := r.PostForm.Get("token")
	if t := s.find(access, secret); t != nil && t.grant.client == c {
		t.expires = s.options.Now()
	}
	if t := s.find(refresh, secret); t != nil && t.grant.client == c {
		s.drop(t.grant)
	}
	w.WriteHeader(http.StatusOK)
	return nil
}
