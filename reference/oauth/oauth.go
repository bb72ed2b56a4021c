package oauth

import (
	"cmp"
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/guard"
	"github.com/mcpcheck/mcpcheck/reference/internal/httpserve"
	"github.com/mcpcheck/mcpcheck/reference/internal/loopback"
)

// Options are the choices of an authorization server. The zero value is fine.
type Options struct {
	// User is the name of the only user; empty means "user".
	User string
	// Scopes are those that can be granted; nil means those of guard.Standard.
	Scopes []string
	// Expires is how long access tokens are good; 0 means an hour.
	Expires time.Duration
	// Consent shows a page on which the user approves, instead of approving at once.
	Consent bool
	// AllowedOrigins and AllowedHosts are as for the server that is protected.
	AllowedOrigins []string
	AllowedHosts   []string
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Server is an authorization server, an http.Handler. It may be used from several goroutines.
type Server struct {
	options Options
	// holder stands for the user's tokens, which come and go, where a token is told to others.
	holder string
	paths  map[string]endpoint

	mu      sync.Mutex
	clients []*client // oldest first
	grants  []*grant  // likewise
	tokens  map[sum]*token
	pending []*request
}

// endpoint is what is served at a path, unless it is refused.
type endpoint struct {
	methods []string
	serve   func(http.ResponseWriter, *http.Request) *refusal
}

// The paths. Those of the first three are where clients of 2025-03-26 look without metadata.
const (
	pathAuthorize = "/authorize"
	pathToken     = "/token"
	pathRegister  = "/register"
	pathRevoke    = "/revoke"
	pathConsent   = "/authorize/consent"
	pathMetadata  = "/.well-known/oauth-authorization-server"
)

// The bounds of what is kept. Where a client has more, its own oldest goes and nothing of another's.
const (
	maxClients = 1000
	maxGrants  = 20 // of a client
	maxTokens  = 20 // of a grant, with those that have been used: a second use of them revokes it
	maxPending = 10 // of a client
	maxBody    = 64 << 10
	codeLife   = time.Minute
	// clientLife is how long a client is in use after it has been issued something, if no token lives longer.
	clientLife = 24 * time.Hour
)

// New makes an authorization server.
func New(o Options) (*Server, error) {
	if o.Expires < 0 {
		return nil, errors.New("access tokens cannot expire before they are issued: give a span that is " +
			"not negative")
	}
	o.User, o.Expires = cmp.Or(o.User, "user"), cmp.Or(o.Expires, time.Hour)
	if o.Scopes == nil {
		o.Scopes = guard.Scopes(nil)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{options: o, holder: rand.Text(), tokens: map[sum]*token{}}
	s.paths = map[string]endpoint{
		pathAuthorize: {[]string{http.MethodGet}, s.authorize},
		pathConsent:   {[]string{http.MethodPost}, s.consent},
		pathToken:     {[]string{http.MethodPost}, s.token},
		pathRegister:  {[]string{http.MethodPost}, s.register},
		pathRevoke:    {[]string{http.MethodPost}, s.revoke},
		pathMetadata:  {[]string{http.MethodGet, http.MethodHead}, s.metadata},
	}
	return s, nil
}

// Serves reports whether a path is one of this server.
func (s *Server) Serves(path string) bool {
	_, ok := s.paths[path]
	return ok
}

// ServeHTTP handles a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e, ok := s.paths[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	// What can be redirected by is for browsers to go to, not for pages to fetch.
	visited := r.URL.Path == pathAuthorize || r.URL.Path == pathConsent
	o := &s.options
	access := loopback.Access{Hosts: o.AllowedHosts, Origins: o.AllowedOrigins, Linked: visited}
	if why := access.Refusal(r, guard.Origin(r)); why != "" {
		refuse(w, &refusal{"access_denied", why, http.StatusForbidden})
		return
	}
	if !visited && access.Share(w, r, strings.Join(e.methods, ", "), guard.Origin(r)) {
		return
	}
	if !slices.Contains(e.methods, r.Method) {
		h.Set("Allow", strings.Join(e.methods, ", "))
		refuse(w, &refusal{"invalid_request", r.URL.Path + " takes " + strings.Join(e.methods, ", "),
			http.StatusMethodNotAllowed})
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	switch f := e.serve(w, r); {
	case f == nil:
	case visited:
		show(w, f.status, map[string]any{"Problem": f.text})
	default:
		refuse(w, f)
	}
}

// metadata serves the authorization-server metadata (RFC 8414).
func (s *Server) metadata(w http.ResponseWriter, r *http.Request) *refusal {
	issuer := guard.Origin(r)
	httpserve.JSON(w, http.StatusOK, map[string]any{
		"issuer":                                         issuer,
		"authorization_endpoint":                         issuer + pathAuthorize,
		"token_endpoint":                                 issuer + pathToken,
		"registration_endpoint":                          issuer + pathRegister,
		"revocation_endpoint":                            issuer + pathRevoke,
		"scopes_supported":                               s.options.Scopes,
		"response_types_supported":                       []string{"code"},
		"response_modes_supported":                       []string{"query"},
		"grant_types_supported":                          grantTypes,
		"token_endpoint_auth_methods_supported":          authMethods,
		"revocation_endpoint_auth_methods_supported":     authMethods,
		"code_challenge_methods_supported":               []string{"S256"},
		"authorization_response_iss_parameter_supported": true,
	})
	return nil
}

// refusal is an error of the protocol (RFC 6749, section 5.2).
type refusal struct {
	code, text string
	status     int
}

func refused(code, text string) *refusal { return &refusal{code, text, http.StatusBadRequest} }

func refuse(w http.ResponseWriter, f *refusal) {
	httpserve.JSON(w, f.status, map[string]any{"error": f.code, "error_description": f.text})
}
